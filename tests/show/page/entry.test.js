// A typed number is read, or refused with the reason.

import assert from "node:assert/strict";
import test from "node:test";

import { parseEntry } from "../../../utils/show/page/entry.js";

test("a number is read as typed, with the digits and the minus of any keyboard", () => {
  const typed = { 2.5: 2.5, " 3 ": 3, "-1": -1, "−1": -1, "+3": 3, "1.": 1, ".5": 0.5, "1E-3": 0.001, "0e-400": 0 };
  Object.assign(typed, { "۲٫۵": 2.5, "۱۲": 12, "१.5": 1.5, "𝟗": 9, "𝟚": 2, "-0": 0 });
  for (const [text, value] of Object.entries(typed)) assert.equal(parseEntry(text), value, text);
});

test("a text that isn't a finite number of float64 is refused with the reason", () => {
  const refused = { "": /empty/, "  ": /empty/, "1_0": /underscore/, nan: /not a finite/, "-Infinity": /not a finite/ };
  Object.assign(refused, { "1,5": /comma: write a point, 1\.5/, "1,000,5": /is not a number/, "two words": /“two words” is/ });
  Object.assign(refused, { "0x10": /is not a number/, ".": /is not a number/, "1e309": /too large/, "1e-400": /too small/ });
  for (const [text, reason] of Object.entries(refused)) assert.throws(() => parseEntry(text), reason, text);
  assert.throws(() => parseEntry("x".repeat(30)), /“x{20}…”/);
});
