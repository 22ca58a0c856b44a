// @ts-check
// The sums that make the numbers of a walk, and which place a box is: needs no page.

import { entryText } from "./texts.js";

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
 * The map of where a box is: for each box around it, from the outermost, those that it holds, and which of them leads on.
 * @param {string[]} paths of all boxes, in their order
 * @param {string} path
 */
export function levelsOf(paths, path) {
  const parts = path ? path.split(".") : [];
  return parts.map((_, i) => {
    const inside = paths.filter((one) => one && one.split(".").slice(0, -1).join(".") === parts.slice(0, i).join("."));
    return { inside, at: inside.indexOf(parts.slice(0, i + 1).join(".")) };
  });
}

/**
 * The way of an arrow between two boxes, as an SVG path: straight to the neighbour, over those between, or to another
 * line; one that leads back on its line runs below.
 * @param {DOMRect} a
 * @param {DOMRect} b
 */
export function wayBetween(a, b) {
  const [from, to] = [(a.left + a.right) / 2, (b.left + b.right) / 2];
  const bow = (/** @type {number[]} */ [x, y], /** @type {number[]} */ [u, v], /** @type {number[]} */ [up, down]) =>
    `M${x} ${y}C${x} ${y + up} ${u} ${v + down} ${u} ${v}`;
  if (Math.abs(a.top - b.top) < 1) {
    if (b.left > a.right && b.left - a.right < a.width / 2) return `M${a.right + 3} ${a.top + a.height / 2}H${b.left - 3}`;
    return to > from ? bow([from + 10, a.top], [to - 10, b.top], [-26, -26]) : bow([from, a.bottom], [to, b.bottom], [26, 26]);
  }
  const half = Math.max(18, Math.abs(b.top > a.top ? b.top - a.bottom : a.top - b.bottom) / 2);
  return b.top > a.top ? bow([from, a.bottom], [to, b.top], [half, -half]) : bow([from, a.top], [to, b.bottom], [-half, half]);
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
