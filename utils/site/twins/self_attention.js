// @ts-check
// Compute the control of lesson 05 without Python: the panels of `attention_panels`, for any typed numbers.

import { attend, finite, product } from "./attention.js";
import { withTasks } from "./tasks.js";

/**
 * Return the panels of these values. Throw an Error with a sentence if they are refused.
 * @param {{ X: number[][], W_Q: number[][], W_K: number[][], W_V: number[][], scaled: boolean }} values
 * @param {(changes: object) => any[]} like returns Python's own panels of the start with these changes
 */
function picture({ X, W_Q, W_K, W_V, scaled }, like) {
  const [Q, K, V] = Object.entries({ W_Q, W_K, W_V }).map(([name, W]) => finite(`X ${name}`, product(X, W)));
  const made = attend(Q, K, V, scaled ? 1 / Math.sqrt(Q[0].length) : 1);
  const { scaled: scores, weights, output } = made;
  /** @type {Record<string, object>} */
  const numbers = {
    Q: { values: Q },
    K: { values: K },
    V: { values: V, tints: weights },
    scores: { values: scores },
    weights: { values: weights },
    output: { values: output },
  };
  const panels = like({ scaled }).map((panel) => {
    if (panel.kind === "note") return { ...panel, values: weights };
    return panel.kind === "tasks" ? panel : { ...panel, ...numbers[panel.name] };
  });
  return withTasks(panels, { X, W_Q, W_K, W_V, scaled });
}

export default { picture };
