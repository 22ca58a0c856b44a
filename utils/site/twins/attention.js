// @ts-check
// Scaled dot-product attention as utils/by_hand/attention.py has it, for matrices that fit.

/** @typedef {number[][]} Matrix */

/**
 * A, or the sentence that a number of it has grown beyond float64.
 * @param {string} name
 * @param {Matrix} A
 */
export function finite(name, A) {
  if (A.flat().every(Number.isFinite)) return A;
  throw new Error(`${name} overflows: some entry is beyond 1.8e308, the largest number that float64 holds.`);
}

/**
 * @param {Matrix} A
 * @returns {Matrix}
 */
export const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));

/**
 * AB
 * @param {Matrix} A (n, m)
 * @param {Matrix} B (m, k)
 * @returns {Matrix} (n, k)
 */
export const product = (A, B) =>
  A.map((row) => transposed(B).map((column) => row.reduce((sum, a, i) => sum + a * column[i], 0)));

/**
 * Softmax of each row of z (N, M) over what is allowed; the rest gets 0, and so does a row that allows nothing.
 * @param {Matrix} z
 * @param {boolean[][]} [allowed]
 * @returns {Matrix}
 */
export function maskedSoftmax(z, allowed) {
  return z.map((row, i) => {
    const top = Math.max(-Number.MAX_VALUE, ...row.filter((_, j) => !allowed || allowed[i][j]));
    const e = row.map((score, j) => (!allowed || allowed[i][j] ? Math.exp(score - top) : 0));
    const total = e.reduce((sum, power) => sum + power, 0);
    return e.map((power) => (total > 0 ? power / total : 0));
  });
}

/**
 * softmax(scale · QKᵀ) V, equation 1 of Vaswani et al. 2017, with what it makes on its way.
 * @param {Matrix} Q (N, d_k)
 * @param {Matrix} K (M, d_k)
 * @param {Matrix} V (M, d_v)
 * @param {number} scale
 * @param {boolean[][]} [allowed] (N, M)
 */
export function attend(Q, K, V, scale, allowed) {
  const scores = finite("QKᵀ", product(Q, transposed(K)));
  const scaled = finite("scale · QKᵀ", scores.map((row) => row.map((score) => score * scale)));
  const weights = maskedSoftmax(scaled, allowed);
  return { scaled, weights, output: finite("the output", product(weights, V)) };
}
