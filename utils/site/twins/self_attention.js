// @ts-check
// Compute the control of lesson 05 without Python: the panels of `attention_panels`, for any typed numbers.

import { attend, finite, product } from "./attention.js";
import { inputText, parseEntry, tableText, trueAt, weightTexts } from "./texts.js";

/**
 * Return the panels of these values. Throw an Error with a sentence if they are refused.
 * @param {{ X: number[][], W_Q: number[][], W_K: number[][], W_V: number[][], scaled: boolean }} values
 * @param {(changes: object) => any[]} like returns Python's own panels of the start with these changes
 */
function picture({ X, W_Q, W_K, W_V, scaled }, like) {
  const [Q, K, V] = Object.entries({ W_Q, W_K, W_V }).map(([name, W]) => finite(`X ${name}`, product(X, W)));
  const made = attend(Q, K, V, scaled ? 1 / Math.sqrt(Q[0].length) : 1);
  const shares = made.weights.map((row) => weightTexts(row, true));
  const numbers = {
    Q: { texts: tableText(Q) },
    K: { texts: tableText(K) },
    V: { texts: tableText(V), tints: made.weights },
    scores: { texts: tableText(made.scaled) },
    weights: { texts: made.weights.map((row) => weightTexts(row)), shares: made.weights },
    output: { texts: tableText(made.output) },
  };
  const start = like({ scaled });
  const asStarted = (/** @type {"Q" | "V"} */ name) => {
    return String(numbers[name].texts) === String(start.find((panel) => panel.name === name).texts);
  };
  const [first, second] = made.weights;
  const even = (/** @type {number[]} */ row) => Math.max(...row) - Math.min(...row) < 0.01;
  const done = [
    asStarted("Q") && asStarted("V") && first[0] > 0.5,
    made.weights.every((row) => row[1] > 0.99),
    even(first) && !even(second),
  ];
  return start.map((panel) => {
    if (panel.kind === "tasks") return { ...panel, met: trueAt(done) };
    if (panel.kind !== "note") return { ...panel, ...numbers[panel.name] };
    const told = (text, i) => text.replace(/[<>]?[\d.]+ %/g, () => shares[i].shift());
    return { ...panel, texts: panel.texts.map(told) };
  });
}

export default { picture, read: parseEntry, write: inputText };
