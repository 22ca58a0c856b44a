// @ts-check
// Compute the control of lesson 08 without Python, for any of the 2¹⁶ masks.

import { attend, maskedSoftmax, product, rounded, transposed } from "./attention.js";
import { withTasks } from "./tasks.js";

// as in lessons/08_masks/handwriting.py
const Q = [[1, 0], [0, 1], [1, 1], [2, 1]];
const K = [[1, 1], [2, 0], [0, 2], [3, 1]];
const V = [[1, 0], [0, 1], [2, 2], [9, 9]];

/**
 * Return the weights (4, 4) with `last` as the last key.
 * @param {number[]} last
 * @param {boolean[][]} ok
 * @param {string} way of forbidding: "−∞", "after" or "−10⁴"
 */
function weightsWith(last, ok, way) {
  const keys = [...K.slice(0, 3), last];
  if (way === "−∞") return attend(Q, keys, V, 1 / Math.sqrt(2), ok).weights;
  const scores = product(Q, transposed(keys)).map((row) => row.map((score) => score / Math.sqrt(2)));
  if (way === "after") return maskedSoftmax(scores).map((row, i) => row.map((weight, j) => (ok[i][j] ? weight : 0)));
  return maskedSoftmax(scores.map((row, i) => row.map((score, j) => score + (ok[i][j] ? 0 : -1e4 / Math.sqrt(2)))));
}

/**
 * Return the panels of these values.
 * @param {{ allowed: boolean[][], length: number, way: string, loud: number }} values
 * @param {(changes: object) => any[]} like returns Python's own panels of the start with these changes
 */
function picture({ allowed, length, way, loud }, like) {
  const ok = allowed.map((row) => row.map((on, j) => on && j < length));
  const [A, other] = [K[3].map((key) => loud * key), [-2, 5]].map((last) => weightsWith(last, ok, way));
  const Y = product(A, V);
  const moved = product(other, [...V.slice(0, 3), [40, -7]]).map((row, i) => {
    return rounded(Math.max(...row.map((number, j) => Math.abs(number - Y[i][j]))), 3);
  });
  const leaks = moved.flatMap((by, i) => (ok[i][3] ? [] : [[`row ${i + 1} by`, by]]));
  const sums = A.map((row) => rounded(row.reduce((sum, weight) => sum + weight, 0), 3));
  const [heatmap, values, matrix, note, tasks] = like({});
  const told = { ...note, values: [[leaks.length ? leaks : "there are none", sums]] };
  const panels = [{ ...heatmap, values: A }, values, { ...matrix, values: Y }, told, tasks];
  return withTasks(panels, { allowed, length, way, loud });
}

export default { picture };
