// What a catalogue shows of its items.

import assert from "node:assert/strict";
import test from "node:test";

import { ALL, countWith, matching, sameChoice } from "../../../utils/show/page/choosing.js";

const ITEMS = [["a", "red", "large"], ["b", "blue", "large"], ["c", "red", "small"]].map(([name, colour, size]) => ({
  name,
  facets: { colour, size },
}));
const names = (chosen) => matching(ITEMS, chosen).map(({ name }) => name);

test("an item is shown when it is of every chosen kind", () => {
  assert.deepEqual(names({ colour: ALL, size: ALL }), ["a", "b", "c"]);
  assert.deepEqual(names({ colour: "red", size: ALL }), ["a", "c"]);
  assert.deepEqual(names({ colour: "red", size: "small" }), ["c"]);
  assert.deepEqual(names({ colour: "blue", size: "small" }), []);
});

test("beside an option stands how many it would leave, the other facets as they are", () => {
  const chosen = { colour: "red", size: "small" };
  assert.deepEqual([ALL, "red", "blue"].map((option) => countWith(ITEMS, chosen, "colour", option)), [1, 1, 0]);
  assert.deepEqual([ALL, "large", "small"].map((option) => countWith(ITEMS, chosen, "size", option)), [2, 1, 1]);
});

test("two choices are the same when every facet is", () => {
  assert.equal(sameChoice({ colour: "red", size: ALL }, { size: ALL, colour: "red" }), true);
  assert.equal(sameChoice({ colour: "red", size: ALL }, { colour: "red", size: "small" }), false);
});
