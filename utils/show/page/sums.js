// @ts-check
// How the numbers of a walk are written, the sums that make them, and which place a box is: needs no page.

import { numberText } from "./numbers.js";

/**
 * A number in a matrix: whole, or with so many decimals; what would round to 0 without being it keeps its digits.
 * @param {number | null} value null is −∞
 */
export function entryText(value, decimals = 3) {
  if (value === null) return "−∞";
  if (Number.isInteger(value)) return numberText(value, 9);
  const size = Math.abs(value);
  if (size < 0.5 * 10 ** -decimals) return numberText(value, size < 1e-4 ? 3 : 2);
  return value.toFixed(decimals).replace("-", "−");
}

/**
 * The columns in the order in which they are shown.
 * @param {{ order: number[], shape: number[] }} page
 */
export function orderOf({ order, shape: [, columns] }) {
  return order.length ? order : Array.from({ length: columns }, (_, j) => j);
}

/**
 * Which place the box at `path` is, −1 for none. Several lessons may have one box: the one that was chosen stays.
 * @param {{ path: string }[]} places
 * @param {number} chosen
 */
export function placeAt(places, path, chosen) {
  return places[chosen]?.path === path ? chosen : places.findIndex((place) => place.path === path);
}

/**
 * The sum of products that the terms' table holds, its first two and its last: a · b + c · d + … + y · z.
 * @param {number[][]} numbers left, right and their product, a row for each term
 */
export function sumText(numbers) {
  const term = (/** @type {number[]} */ [left, right]) => `${bracketed(left)} · ${bracketed(right)}`;
  const ends = [...numbers.slice(0, 2).map(term), "…", term(numbers[numbers.length - 1])];
  const shown = numbers.length > 4 ? ends : numbers.map(term);
  return `${shown.join(" + ")}, ${numbers.length} ${numbers.length === 1 ? "product" : "products"}`;
}

/** @param {number} value */
function bracketed(value) {
  const text = entryText(value, 4);
  return value < 0 ? `(${text})` : text;
}

/**
 * A text with W_Q and 10000^(2i/d) in it, in parts: what is lowered is a sub, what is raised a sup.
 * @param {string} text
 * @returns {{ tag: string, text: string }[]}
 */
export function formulaParts(text) {
  return text
    .split(/(_(?:model|[A-Zhk])(?![a-z])|\^\([^()]*\))/)
    .filter(Boolean)
    .map((part) => {
      if (/^_\w/.test(part)) return { tag: "sub", text: part.slice(1) };
      if (part.startsWith("^(")) return { tag: "sup", text: part.slice(2, -1) };
      return { tag: "", text: part };
    });
}
