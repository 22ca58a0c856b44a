// The sums of a walk, and where its boxes are.

import assert from "node:assert/strict";
import test from "node:test";

import { formulaParts, levelsOf, orderOf, sumText } from "../../../utils/show/page/sums.js";

test("the columns stand in their own order, or in the one that is given", () => {
  assert.deepEqual(orderOf({ order: [], shape: [2, 3] }), [0, 1, 2]);
  assert.deepEqual(orderOf({ order: [2, 0, 1], shape: [2, 3] }), [2, 0, 1]);
});

test("a sum shows its first two products and its last", () => {
  const numbers = [1.5, -2.5, 3.5, 4.5, 5.5].map((x) => [x, 0.5, x / 2]);
  assert.equal(sumText(numbers), "1.5000 · 0.5000 + (−2.5000) · 0.5000 + … + 5.5000 · 0.5000, 5 products");
  assert.equal(sumText(numbers.slice(0, 1)), "1.5000 · 0.5000, 1 product");
});

test("what is lowered and what is raised is told apart from the rest", () => {
  const parts = (text) => formulaParts(text).map(({ tag, text: part }) => (tag ? `<${tag}>${part}` : part));
  assert.deepEqual(parts("Q = x̂ W_Q + b"), ["Q = x̂ W", "<sub>Q", " + b"]);
  assert.deepEqual(parts("√d_model"), ["√d", "<sub>model"]);
  assert.deepEqual(parts("10000^(2i/d_k)"), ["10000", "<sup>2i/d_k"]);
  assert.deepEqual(parts("target_input"), ["target_input"]);
  assert.deepEqual(parts(""), []);
});

test("the map has a level for each box around, with what it holds", () => {
  const paths = ["", "in", "in.sum", "encoder", "encoder.layer1", "encoder.layer1.add", "encoder.layer10", "word"];
  assert.deepEqual(levelsOf(paths, "encoder.layer1.add"), [
    { inside: ["in", "encoder", "word"], at: 1 },
    { inside: ["encoder.layer1", "encoder.layer10"], at: 0 },
    { inside: ["encoder.layer1.add"], at: 0 },
  ]);
  assert.deepEqual(levelsOf(paths, ""), []);
});
