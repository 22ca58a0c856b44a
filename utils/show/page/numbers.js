// @ts-check
// Numbers on the page: their widths, their colours, and their axes.

// how wide a sign is, in units of its font's size: in Arial and its like all digits are as wide; a part of a < hangs
// into the margin, lest one <0.001 push all other numbers out of the middle
/** @type {Record<string, number>} */
const WIDTHS = { ".": 0.28, " ": 0.28, "−": 0.59, "<": 0.45, ">": 0.45 };

/** @param {string} text */
export function widthOf(text) {
  return [...text].reduce((sum, sign) => sum + (WIDTHS[sign] ?? 0.56), 0);
}

/**
 * The width that the usual ones of a table's numbers share; what is longer than −12.345 shrinks alone.
 * @param {number[]} widths
 */
export function sharedWidth(widths) {
  const usual = widths.filter((width) => width < 3.7);
  return Math.max(0.56, ...(usual.length ? usual : widths));
}

// --- colours ---

// On a light page and on a dark one, as utils/show/colours.py has them: 0 is the paper, and much stands out from it;
// and numbers of both signs, blue to orange.
export const AMBER = "#e69f00";
export const AMOUNTS = [["#ffffff", AMBER, "#402000"], ["#111111", AMBER, "#fff1d0"]];
export const SIGNED = [
  ["#004b85", "#2b8cc4", "#94c6e3", "#f7f7f7", "#f5c073", "#dd8418", "#a84a00"],
  ["#8cbef3", "#3493cc", "#2a5a74", "#1f1f1f", "#5e431a", "#a56110", "#e6824a"],
];

/** @typedef {number[]} Colour red, green and blue, each from 0 to 255 */

/**
 * 256 colours through the given ones.
 * @param {string[]} stops
 * @returns {Colour[]}
 */
export function ramp(stops) {
  const colours = stops.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (colours.length - 1);
    const low = Math.min(Math.floor(at), colours.length - 2);
    return colours[low].map((channel, k) => Math.round(channel + (at - low) * (colours[low + 1][k] - channel)));
  });
}

const RAMPS = [AMOUNTS, SIGNED].map((pages) => pages.map(ramp));

/**
 * The function from a value to its colour; what lies beyond the ends takes the end's.
 * @param {{ low: number, high: number, diverging: boolean }} state
 * @param {boolean} dark whether the page is
 * @returns {(value: number) => Colour}
 */
export function colourOf({ low, high, diverging }, dark) {
  const colours = RAMPS[Number(diverging)][Number(dark)];
  const width = high - low;
  return (value) => colours[Math.round(255 * (width > 0 ? Math.min(1, Math.max(0, (value - low) / width)) : 0.5))];
}

/** @param {number} channel */
const lightOf = (channel) => (channel <= 10.31475 ? channel / 3294.6 : ((channel / 255 + 0.055) / 1.055) ** 2.4);

/**
 * Black or white, whichever has the greater contrast with a colour, by WCAG's relative luminance; on 0.1791 both have
 * the same.
 * @param {Colour} colour
 */
export function inkOn([red, green, blue]) {
  return 0.2126 * lightOf(red) + 0.7152 * lightOf(green) + 0.0722 * lightOf(blue) > 0.1791 ? "#000" : "#fff";
}

// --- axes ---

/**
 * Round numbers from `low` to `high`, about `count` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function niceTicks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * (/** @type {number} */ ([1, 2, 5, 10].find((digit) => digit * power >= raw * 0.999)));
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

/**
 * From values to pixels, and where to put about `count` ticks.
 * @param {[number, number]} range of the values
 * @param {[number, number]} pixels where they lie
 * @param {number} count
 * @returns {{ at: (value: number) => number, ticks: number[] }}
 */
export function scale([low, high], [from, to], count) {
  const width = high - low || 1;
  return { at: (value) => from + ((value - low) / width) * (to - from), ticks: niceTicks(low, high, count) };
}

/**
 * The smallest and the largest.
 * @param {number[]} values
 * @returns {[number, number]}
 */
export function extent(values) {
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

/**
 * The ends of an axis, with a share of `air`, never of no width.
 * @param {number[]} values
 * @param {number} air
 * @returns {[number, number]}
 */
export function ends(values, air) {
  const [low, high] = extent(values);
  const margin = low === high ? Math.max(Math.abs(low) * 0.1, 0.5) : (high - low) * air;
  return [low - margin, high + margin];
}

// --- names beside what they name ---

/**
 * Heights from 8 to `most` px, near those wanted and `gap` apart.
 * @param {number[]} wanted
 * @param {number} most
 */
export function apart(wanted, most, gap = 19) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const places = wanted.map((y) => Math.min(most - 6, Math.max(8, y)));
  for (let i = 1; i < order.length; i++) places[order[i]] = Math.max(places[order[i]], places[order[i - 1]] + gap);
  for (const i of order.reverse()) {
    places[i] = Math.min(places[i], most);
    most = places[i] - gap;
  }
  return places;
}

/**
 * Where the names of a tree stand that grows to the right: at the right of their points, all on one side; and for each
 * point where its column's names end, so that lines from there run through none. `fits` is false for a name that is
 * wider than its column.
 */
export function placeInColumns({ xs, ys, widths, w }) {
  const columns = [...new Set(xs)].sort((a, b) => a - b);
  const next = (x) => columns.find((other) => other > x) ?? w + 40;
  const places = xs.map((x, i) => ({ x: x + 11, y: ys[i] + 6, fits: widths[i] <= next(x) - x - 24 }));
  const endsAt = (i) => (places[i].fits ? places[i].x + widths[i] + 4 : places[i].x);
  const ends = xs.map((x) => Math.max(...xs.map((other, i) => (other === x ? endsAt(i) : 0))));
  return { places, own: xs.map((_, i) => endsAt(i)), ends };
}

/**
 * A place beside its point for each name, the lit ones first; those without room wait until they are pointed at.
 * @param {{ xs: number[], ys: number[], widths: number[], lit: number[], w: number, h: number }} points in px
 * @returns {{ x: number, y: number, fits: boolean }[]}
 */
export function placeNames({ xs, ys, widths, lit, w, h }) {
  const taken = xs.map((x, i) => [x - 8, ys[i] - 8, x + 8, ys[i] + 8]);
  const isLit = xs.map((_, i) => lit.includes(i));
  const order = xs.map((_, i) => i).sort((a, b) => Number(isLit[b]) - Number(isLit[a]) || a - b);
  /** @type {{ x: number, y: number, fits: boolean }[]} */
  const places = [];
  for (const i of order) {
    const [x, y, width] = [xs[i], ys[i], widths[i]];
    const spots = [
      ...[[x + 11, y + 6], [x - 11 - width, y + 6], [x - width / 2, y - 12], [x - width / 2, y + 24]],
      ...[[x + 8, y - 9], [x + 8, y + 20], [x - 8 - width, y - 9], [x - 8 - width, y + 20]],
    ];
    const frames = spots.map(([left, base]) => [left, base - 14, left + width, base + 4]);
    const free = frames.findIndex(([left, top, right, bottom]) => {
      if (left < -4 || right > w + 20 || top < -10 || bottom > h + 4) return false;
      return !taken.some((box, j) => j !== i && box[0] < right && box[2] > left && box[1] < bottom && box[3] > top);
    });
    const spot = spots[free >= 0 ? free : Number(x > w / 2)];
    if (free >= 0) taken.push(frames[free]);
    places[i] = { x: spot[0], y: spot[1], fits: free >= 0 || isLit[i] };
  }
  return places;
}
