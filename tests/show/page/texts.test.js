// How numbers are written in figures, without a page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { entryText, filled, heatmapText, numberText, shareText, tableText, weightText, weightTexts } from "../../../utils/show/page/texts.js";

const examples = JSON.parse(readFileSync(new URL("../numbers.json", import.meta.url), "utf8"));

test("numbers and tables are written as in print", () => {
  for (const [value, digits, text] of examples.number) assert.equal(numberText(value, digits), text);
  for (const [values, decimals, texts] of examples.table) assert.deepEqual(tableText(values, decimals), texts);
});

test("an entry has three decimals, an integer none, and nothing looks like 0 that is not", () => {
  const written = [[0.12345, "0.123"], [-1.5, "−1.500"], [218, "218"], [0, "0"], [-0.0004, "−4e−4"], [null, "−∞"]];
  for (const [value, text] of written) assert.equal(entryText(value), text);
  assert.equal(entryText(1.23456789, 5), "1.23457");
  assert.deepEqual(heatmapText([[1e-9, 0, 0.5]], 2), [["≈0", "0.00", "0.50"]]);
});

test("a weight that isn't 0 or 1 never looks so", () => {
  const written = [[0, "0.000", "0 %"], [1, "1.000", "100 %"], [0.5, "0.500", "50 %"], [1e-9, "<0.001", "<0.1 %"]];
  written.push([1 - 1e-9, ">0.999", ">99.9 %"], [0.9996, ">0.999", ">99.9 %"], [0.0634, "0.063", "6.3 %"]);
  for (const [weight, text, share] of written) assert.deepEqual([weightText(weight), shareText(weight)], [text, share]);
  assert.deepEqual(weightTexts([1, 1e-300, 0]), [">0.999", "<0.001", "0.000"]);
  assert.deepEqual(weightTexts([1, 0]), ["1.000", "0.000"]);
});

test("a sentence is filled with its values, and one without any keeps its braces", () => {
  const note = { values: [[["row 1 by", 0.125], ["row 2 by", 0]], "none", -1.5], digits: 5, shares: false };
  assert.equal(filled("Change: {}. So {}, {}", note), "Change: row 1 by 0.125, row 2 by 0. So none, −1.5");
  assert.equal(filled("{} of a, {} of b", { values: [0.25, 0.75], digits: 5, shares: true }), "25 % of a, 75 % of b");
  assert.equal(filled("x = {}", { ...note, values: [] }), "x = {}");
});
