// Numbers on the page, without a page.

import assert from "node:assert/strict";
import test from "node:test";

import { AMOUNTS, SIGNED, apart, colourOf, inkOn, niceTicks, placeNames, ramp } from "../../../utils/show/page/numbers.js";

/** A plain way to make the same numbers in every run. */
function* chance(seed) {
  for (let x = seed; ; ) yield (x = (x * 16807) % 2147483647) / 2147483647;
}

test("colours run from the first to the last and no further", () => {
  assert.deepEqual([ramp(["#000000", "#ff8000"]).at(0), ramp(["#000000", "#ff8000"]).at(-1)], [[0, 0, 0], [255, 128, 0]]);
  const colour = colourOf({ low: -1, high: 1, diverging: true }, false);
  assert.deepEqual([colour(-9), colour(9)], [colour(-1), colour(1)]);
  assert.ok(colour(0).every((channel) => channel > 244), "0 is white, but for half a step of the ramp");
  const flat = colourOf({ low: 2, high: 2, diverging: false }, true);
  assert.deepEqual(flat(2), flat(5));
  assert.deepEqual([inkOn([255, 255, 255]), inkOn([0, 0, 0]), inkOn(colour(1))], ["#000", "#fff", "#fff"]);
});

test("ink has the greater contrast, at least 4.5, on every colour of both ramps, light and dark", () => {
  const light = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  for (const [r, g, b] of [...AMOUNTS, ...SIGNED].flatMap(ramp)) {
    const under = 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b) + 0.05;
    const contrast = inkOn([r, g, b]) === "#000" ? under / 0.05 : 1.05 / under;
    assert.ok(contrast >= 4.5, `${[r, g, b]}: ${contrast}`);
  }
});

test("ticks are round, inside, and about as many as asked for", () => {
  assert.deepEqual(niceTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(niceTicks(-3, 7, 5), [-2, 0, 2, 4, 6]);
  assert.deepEqual(niceTicks(0.1, 0.3, 2), [0.1, 0.2, 0.3]);
});

test("names at the ends of curves keep apart, in order, and inside", () => {
  assert.deepEqual(apart([50, 100], 200), [50, 100]);
  assert.deepEqual(apart([100, 50], 200), [100, 50]);
  assert.deepEqual(apart([50, 51, 52], 200), [50, 69, 88]);
  assert.deepEqual(apart([190, 195], 200), [181, 200]);
  assert.deepEqual(apart([-100], 200), [8]);
  assert.deepEqual(apart([], 200), []);
});

const frames = (places, widths) => places.map(({ x, y }, i) => [x, y - 14, x + widths[i], y + 4]);
const overlap = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];

test("names of points overlap neither each other nor another point, and the lit ones are always there", () => {
  const next = chance(3);
  for (let trial = 0; trial < 50; trial++) {
    const many = (make) => Array.from({ length: 25 }, make);
    const xs = many(() => next.next().value * 400);
    const ys = many(() => next.next().value * 250);
    const widths = many(() => 20 + next.next().value * 80);
    const places = placeNames({ xs, ys, widths, lit: [3, 4], w: 400, h: 250 });
    assert.ok(places[3].fits && places[4].fits);
    const drawn = frames(places, widths);
    places.forEach(({ fits }, i) => {
      if (!fits || i === 3 || i === 4) return;
      places.forEach((other, j) => {
        if (i === j) return;
        assert.ok(!overlap(drawn[i], [xs[j] - 8, ys[j] - 8, xs[j] + 8, ys[j] + 8]), "a name on a point");
        if (other.fits && j !== 3 && j !== 4) assert.ok(!overlap(drawn[i], drawn[j]), "a name on a name");
      });
    });
  }
});
