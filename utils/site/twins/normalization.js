// @ts-check
// Compute the control of lesson 09 without Python: layer norm and batch norm, as in utils/by_hand/normalization.py, of
// any typed numbers.

import { finite, rounded, transposed } from "./attention.js";
import { withTasks } from "./tasks.js";

/**
 * Return the mean.
 * @param {number[]} numbers
 */
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/**
 * Return x · 2^exponent, in two steps because 2^1074 is no number.
 * @param {number} x
 * @param {number} exponent
 */
const ldexp = (x, exponent) => x * 2 ** Math.trunc(exponent / 2) * 2 ** (exponent - Math.trunc(exponent / 2));

/**
 * Return an exponent such that x / 2^exponent is near 1.
 * @param {number} x
 */
const exponentOf = (x) => (x === 0 ? 0 : Math.floor(Math.log2(x)) + 1);

/**
 * Return (x − μ) / √(σ² + ε) of one row, or (x − μ) / (σ + ε); undefined if the row has no spread and ε is 0.
 * @param {number[]} x
 * @param {number} eps
 * @param {boolean} inside
 */
function zScore(x, eps, inside) {
  const exponent = exponentOf(Math.max(...x.map(Math.abs)));
  const scaled = x.map((number) => ldexp(number, -exponent));
  const once = scaled.map((number) => number - mean(scaled));
  const deviation = once.map((number) => number - mean(once)); // subtracts the rounding error of the first mean
  const sigma = Math.sqrt(mean(deviation.map((number) => number * number)));
  if (eps === 0 && !(sigma > 0)) return undefined;
  const divisor = inside ? Math.hypot(sigma, ldexp(Math.sqrt(eps), -exponent)) : sigma + ldexp(eps, -exponent);
  return deviation.map((number) => number / (divisor > 0 ? divisor : 1));
}

/**
 * Return the panels of these values. Throw an Error with a sentence if they are refused.
 * @param {{ x: number[][], gamma: number[][], beta: number[][], norm: string, eps: number, place: string, cell: string }} values
 * @param {(changes: object) => any[]} like returns Python's own panels of the start with these changes
 */
function picture({ x, gamma, beta, norm, eps, place, cell }, like) {
  const byRow = norm === "layer norm";
  const rows = byRow ? x : transposed(x); // each has one mean
  const scores = rows.map((row, i) => {
    const z = zScore(row, eps, place === "√(σ² + ε)");
    if (z) return z;
    const where = byRow ? `x[${i}, :]` : `x[:, ${i}]`;
    throw new Error(`${where} has no spread: all its numbers are equal, so σ is 0 and can't divide.`);
  });
  const z = byRow ? scores : transposed(scores);
  const gained = finite("γ z + β", z.map((row) => row.map((number, j) => gamma[0][j] * number + beta[0][j])));
  const shortened = (/** @type {number[]} */ numbers) => numbers.map((number) => rounded(number, 12));
  const mu = shortened(rows.map(mean));
  const sigma = shortened(rows.map((row) => Math.sqrt(mean(row.map((number) => (number - mean(row)) ** 2)))));
  const upright = (/** @type {number[]} */ numbers) => (byRow ? numbers.map((number) => [number]) : [numbers]);
  /** @type {Record<string, number[][]>} */
  const shown = { x, μ: upright(mu), σ: upright(sigma), y: gained.map(shortened) };
  for (const [name, values] of Object.entries(shown)) {
    if (values.flat().every(Number.isFinite)) continue;
    throw new Error(`${name} would hold NaN or infinity, so what was shown before stays.`);
  }
  const alike = like({ norm, cell, eps: 1e-5 });
  const [[n, i]] = alike.find(({ name }) => name === "y").lit_cells;
  const panels = alike.map((panel) => {
    if (panel.kind === "note") return { ...panel, values: [[shown.y[n][i]]] };
    return panel.kind === "tasks" ? panel : { ...panel, values: shown[panel.name] };
  });
  return withTasks(panels, { x, gamma, beta, norm, eps });
}

export default { picture };
