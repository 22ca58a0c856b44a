// What makes a number, and what it makes.

import assert from "node:assert/strict";
import test from "node:test";

import { columnsOf, madeOf, partsOf, workedOut } from "../../../utils/show/page/trace.js";

const SCORES = "(Q[i,:] · K[j,:]) / √3";
const SOFTMAX = "softmax(scores[i,:])";

test("a formula names the row and the column that make an entry", () => {
  const [q, k] = partsOf(SCORES, [0, 2]);
  assert.deepEqual([q, k], [{ name: "Q", row: 0, column: null }, { name: "K", row: 2, column: null }]);
  assert.deepEqual(partsOf("weights[i,:] · V[:,j]", [1, 3])[1], { name: "V", row: null, column: 3 });
  assert.deepEqual(partsOf("cross[2,:]", [0, 0]), [{ name: "cross", row: 2, column: null }]);
});

test("a formula read backwards names what an entry makes", () => {
  assert.deepEqual(madeOf(SCORES, "K", [2, 1]), [{ row: null, column: 2 }]);
  assert.deepEqual(madeOf(SOFTMAX, "scores", [2, 1]), [{ row: 2, column: null }]);
  assert.deepEqual(madeOf("read[i], read[j]", "read", [1, 0]), [{ row: 1, column: null }, { row: null, column: 1 }]);
  assert.deepEqual(madeOf("cross[2,:]", "cross", [1, 0]), []);
  assert.deepEqual(madeOf(SCORES, "V", [0, 0]), []);
});

test("a sum of products and a softmax are worked out, and nothing else", () => {
  const numbers = { Q: ["1", "−2"], K: ["3", "0.5"], scores: ["2", "4"] };
  const texts = ({ name }) => numbers[name];
  assert.equal(workedOut(SCORES, [0, 2], texts, "1.155"), "(1 · 3 + (−2) · 0.5) / √3 = 1.155");
  assert.equal(workedOut(SOFTMAX, [0, 1], texts, "0.881"), "exp(4) / (exp(2) + exp(4)) = 0.881");
  assert.equal(workedOut("cross[2,:]", [0, 0], texts, "1"), "");
});

test("the columns of a head are side by side", () => {
  assert.deepEqual([columnsOf(1, 4, 8), columnsOf(4, 4, 8)], [[0, 1], [6, 7]]);
});
