// In front of a class: what a key does.

import assert from "node:assert/strict";
import test from "node:test";

import { deedOf } from "../../../utils/show/page/present.js";

const KEYS = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp", "n", "P", "q", "Escape", "x"];
const deeds = (field, held = {}) => KEYS.map((key) => deedOf({ key, ...held }, field));

test("keys lead on, but none is taken from a text, and no arrow from a slider", () => {
  assert.deepEqual(deeds(), ["next", "previous", "further", "nearer", "next", "previous", "ask", "leave", undefined]);
  const [none, leave] = [undefined, "leave"];
  assert.deepEqual(deeds("range"), [none, none, none, none, "next", "previous", "ask", leave, none]);
  for (const field of ["text", "textarea", "select-one"]) {
    assert.deepEqual(deeds(field), [none, none, none, none, none, none, none, leave, none]);
  }
  assert.deepEqual(deeds("", { ctrlKey: true }), deeds("text"));
});

test("what no key means does nothing", () => {
  assert.equal(deedOf({ key: "Enter" }, "range"), undefined);
  assert.equal(deedOf({ key: "Tab" }), undefined);
});
