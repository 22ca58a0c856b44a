// Where the keys lead.

import assert from "node:assert/strict";
import test from "node:test";

import { placeAfter } from "../../../utils/show/page/look.js";

test("arrows go to the neighbours, Shift leaps, and nothing leaves the matrix", () => {
  const from = (key, held = {}) => placeAfter({ key, ...held }, [5, 5], [20, 30]);
  assert.deepEqual(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => from(key)), [
    ...[[4, 5], [6, 5], [5, 4], [5, 6]],
  ]);
  assert.deepEqual(from("ArrowUp", { shiftKey: true }), [0, 5]);
  assert.deepEqual(from("ArrowRight", { shiftKey: true }), [5, 15]);
  assert.deepEqual([from("Home"), from("End")], [[5, 0], [5, 29]]);
  assert.deepEqual([from("Home", { ctrlKey: true }), from("End", { ctrlKey: true })], [[0, 0], [19, 29]]);
  assert.equal(from("a"), undefined);
});

test("from nowhere the first arrow leads to the first place", () => {
  assert.deepEqual(placeAfter({ key: "ArrowRight" }, [0, -1], [2, 2]), [0, 0]);
});
