// @ts-check
// Compute the control of lesson 09 without Python: layer norm and batch norm, as in utils/by_hand/normalization.py, of
// any typed numbers.

import { finite, transposed } from "./attention.js";
import { fixed, general, inputText, parseEntry, round, tableText, trueAt } from "./texts.js";

const N4 = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]]; // the start table of the tasks
const DECIMALS = { x: 3, μ: 3, σ: 4, y: 4 };

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
    throw new Error(`${where} has no spread: every number in it is ${general(row[0])}, so σ is 0 and can't divide.`);
  });
  const z = byRow ? scores : transposed(scores);
  const gained = finite("γ z + β", z.map((row) => row.map((number, j) => gamma[0][j] * number + beta[0][j])));
  const rounded = (/** @type {number[]} */ numbers) => numbers.map((number) => round(number, 12));
  const mu = rounded(rows.map(mean));
  const sigma = rounded(rows.map((row) => Math.sqrt(mean(row.map((number) => (number - mean(row)) ** 2)))));
  const upright = (/** @type {number[]} */ numbers) => (byRow ? numbers.map((number) => [number]) : [numbers]);
  const shown = { x, μ: upright(mu), σ: upright(sigma), y: gained.map(rounded) };
  for (const [name, values] of Object.entries(shown)) {
    if (values.flat().every(Number.isFinite)) continue;
    throw new Error(`${name} would hold NaN or infinity, so what was shown before stays.`);
  }
  const near = (/** @type {number[]} */ numbers, /** @type {number[]} */ others) =>
    numbers.every((number, i) => Math.abs(number - others[i]) <= 1e-8 + 1e-5 * Math.abs(others[i]));
  const [y, asGiven] = [shown.y.flat(), String(x) === String(N4)];
  const done = [
    String(x[0]) !== String(N4[0]) && near(y.slice(0, 3), [-Math.sqrt(1.5), 0, Math.sqrt(1.5)]),
    asGiven && near(y, Array(6).fill(1)),
    asGiven && String([gamma, beta]) === "1,1,1,0,0,0" && eps === 0.1 && byRow,
  ];
  return like({ norm, cell, eps: 1e-5 }).map((panel) => {
    if (panel.kind === "tasks") return { ...panel, met: trueAt(done) };
    if (panel.kind !== "note") return { ...panel, texts: tableText(shown[panel.name], DECIMALS[panel.name]) };
    const [[n, i]] = like({ norm, cell, eps: 1e-5 }).find(({ name }) => name === "y").lit_cells;
    return { ...panel, texts: [`${cell} = ${fixed(shown.y[n][i], 6).replace("-", "−")}`] };
  });
}

export default { picture, read: parseEntry, write: inputText };
