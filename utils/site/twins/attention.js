// @ts-check
// Compute scaled dot-product attention as utils/by_hand/attention.py does, for matrices of matching shapes.

/** @typedef {number[][]} Matrix */

/**
 * Return A. Throw an Error with a sentence if an entry is not finite.
 * @param {string} name
 * @param {Matrix} A
 */
export function finite(name, A) {
  if (A.flat().every(Number.isFinite)) return A;
  throw new Error(`${name} overflows: some entry is beyond 1.8e308, the largest number that float64 holds.`);
}

/**
 * Return a number rounded to so many decimals, a half to the even digit, as np.round does.
 * @param {number} value
 * @param {number} decimals
 */
export function rounded(value, decimals) {
  const scaled = value * 10 ** decimals;
  const nearest = scaled - Math.floor(scaled) === 0.5 ? 2 * Math.round(scaled / 2) : Math.round(scaled);
  return nearest / 10 ** decimals + 0;
}

/**
 * Return the transpose of A.
 * @param {Matrix} A (n, m)
 * @returns {Matrix} (m, n)
 */
export const transposed = (A) => A[0].map((_, j) => A.map((row) => row[j]));

/**
 * Return the product AB.
 * @param {Matrix} A (n, m)
 * @param {Matrix} B (m, k)
 * @returns {Matrix} (n, k)
 */
export const product = (A, B) =>
  A.map((row) => transposed(B).map((column) => row.reduce((sum, a, i) => sum + a * column[i], 0)));

/**
 * Return the softmax of each row of z (N, M) over the allowed entries. All others, and rows without any, get 0.
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
 * Return softmax(scale · QKᵀ) V, equation 1 of Vaswani et al. 2017, with the scaled scores and the weights.
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
