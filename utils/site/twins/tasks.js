// @ts-check
// Recognize the tasks of a figure from the conditions that utils/course/tasks.py describes.

/** @type {Record<string, (value: any, wanted: any) => boolean>} */
const SIGNS = {
  "=": (value, wanted) => value === wanted,
  ">": (value, wanted) => value > wanted,
  "≈": (value, wanted) => Math.abs(value - wanted) <= 1e-8 + 1e-5 * Math.abs(wanted),
};

/**
 * Return whether all numbers of a matrix, a row, or a setting are as wanted: `wanted` has the same shape, or is one number.
 * @param {(value: any, wanted: any) => boolean} holds
 * @param {any} value
 * @param {any} wanted
 * @returns {boolean}
 */
function isAll(holds, value, wanted) {
  if (!Array.isArray(value)) return holds(value, wanted);
  return value.every((part, i) => isAll(holds, part, Array.isArray(wanted) ? wanted[i] : wanted));
}

/**
 * Return the panels, the last of which then has the indices of the tasks that are done at these settings.
 * @param {any[]} panels
 * @param {object} settings
 */
export function withTasks(panels, settings) {
  /** @type {Record<string, any>} */
  const held = { ...settings, ...Object.fromEntries(panels.map(({ name, values }) => [name, values])) };
  const isMet = (/** @type {[[string, ...number[]], string, any]} */ [[name, ...at], sign, wanted]) => {
    const value = at.reduce((part, i) => part[i], held[name]);
    return isAll(SIGNS[sign.replace("not ", "")], value, wanted) !== sign.startsWith("not ");
  };
  const met = panels.at(-1).when.flatMap((/** @type {any[]} */ when, /** @type {number} */ i) => (when.every(isMet) ? [i] : []));
  return [...panels.slice(0, -1), { ...panels.at(-1), met }];
}
