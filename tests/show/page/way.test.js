// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import { stepsOf } from "../../../utils/show/page/way.js";

test("queries, keys and values are one step, what is made of them the next ones", () => {
  const attention = ["Q", "K", "V", "scores", "weights", "output", undefined];
  assert.deepEqual(stepsOf(attention), [1, 1, 1, 2, 3, 4, 5]);
});

test("other panels follow one another, and what has no name is a step of its own", () => {
  assert.deepEqual(stepsOf([undefined, undefined, "C", "V"]), [1, 2, 3, 4]);
  assert.deepEqual(stepsOf([]), []);
});
