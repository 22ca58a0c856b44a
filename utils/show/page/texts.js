// @ts-check
// How numbers are written in figures, with and without Python: as utils/show/numbers.py writes them in print.

const WHOLE_UP_TO = 1e7; // from here on an integer is written as 1.23e9, because it would not fit its cell
const FIXED_UP_TO = 1e5;

/**
 * Return a text with real minus signs, but none in front of 0.
 * @param {string} text
 */
const signed = (text) => (/[1-9]/.test(text) ? text : text.replace("-", "")).replaceAll("-", "−");

/**
 * Return a number with so many decimals. toFixed rounds an exact half up; here it goes to the even digit, as in Python.
 * @param {number} value
 * @param {number} decimals
 */
function fixed(value, decimals) {
  const text = value.toFixed(decimals);
  const isHalf = Math.abs(value * 2 ** (decimals + 1)) % 2 === 1;
  return isHalf && Number(text.at(-1)) % 2 ? (value * (1 - Number.EPSILON)).toFixed(decimals) : text;
}

/**
 * @param {number} value
 * @param {number} decimals
 */
function scientific(value, decimals) {
  const [mantissa, exponent] = value.toExponential(decimals).split("e");
  return signed(`${mantissa.replace(/\.?0+$/, "")}e${Number(exponent)}`);
}

/**
 * Return one number: an integer below 10⁷ in full, anything else with up to `digits` significant digits.
 * @param {number | null} value null is −∞
 */
export function numberText(value, digits = 5) {
  if (value === null) return "−∞";
  const size = Math.abs(value);
  if (size >= WHOLE_UP_TO || (size < 1e-4 && size > 0)) return scientific(value, digits - 2);
  if (Number.isInteger(value)) return signed(String(value));
  return signed(String(Number(size < 10 ** digits ? value.toPrecision(digits) : value.toFixed(0))));
}

/**
 * Return a number for a cell. One that is too large for it, or would round to 0, is written as 1.2e−7.
 * @param {number} value
 * @param {number} decimals
 * @param {number} limit
 */
function cellText(value, decimals, limit) {
  if (Math.abs(value) >= limit) return scientific(value, 2);
  const text = fixed(value, decimals);
  return value !== 0 && Number(text) === 0 ? scientific(value, 1) : signed(text);
}

/**
 * Return a number of a matrix whose other numbers aren't known: an integer in full, anything else with so many decimals.
 * @param {number | null} value null is −∞
 */
export function entryText(value, decimals = 3) {
  return value === null || Number.isInteger(value) ? numberText(value) : cellText(value, decimals, FIXED_UP_TO);
}

/**
 * Return the entries of a matrix, all with the same number of decimals: none if all are integers, else `decimals`, or
 * fewer (at least one) if the largest entry needs the room.
 * @param {number[][]} values
 */
export function tableText(values, decimals = 3) {
  const isWhole = values.flat().every(Number.isInteger);
  const limit = isWhole ? WHOLE_UP_TO : FIXED_UP_TO;
  const sizes = values.flat().map(Math.abs).filter((size) => size < limit);
  const room = 5 - String(Math.floor(Math.max(0, ...sizes))).length;
  const places = isWhole ? 0 : Math.min(decimals, Math.max(1, room));
  return values.map((row) => row.map((value) => cellText(value, places, limit)));
}

/**
 * Return the entries of a heatmap, whose cells have no room for powers of ten.
 * @param {number[][]} values
 * @param {number} decimals
 */
export const heatmapText = (values, decimals) =>
  tableText(values, decimals).map((row) => row.map((text) => (text.includes("e−") ? "≈0" : text)));

// --- weights ---

/**
 * Return a weight with three decimals; one that isn't 0 or 1 never looks so.
 * @param {number} weight
 */
export function weightText(weight, isPart = weight < 1) {
  const text = fixed(weight, 3);
  if (weight > 0 && Number(text) === 0) return "<0.001";
  return isPart && Number(text) === 1 ? ">0.999" : text;
}

/**
 * Return a weight in per cent, with one decimal; one that isn't 0 or 1 never looks like 0 % or 100 %.
 * @param {number} weight
 */
export function shareText(weight, isPart = weight < 1) {
  const text = fixed(100 * weight, 1).replace(".0", "");
  if (weight > 0 && text === "0") return "<0.1 %";
  return isPart && text === "100" ? ">99.9 %" : `${text} %`;
}

/**
 * Return the weights of one row as texts. None is written as 1 if another one is positive, even if float64 rounds it to 1.
 * @param {number[]} row
 */
export function weightTexts(row, write = weightText) {
  const isShared = row.filter((weight) => weight > 0).length > 1;
  return row.map((weight) => write(weight, isShared || weight < 1));
}

// --- sentences ---

/**
 * Return a value of a sentence: a text as it is, a number, or a list of them. The entries of a list within a list have only
 * a space between them.
 * @param {any} value
 * @param {number} digits
 * @returns {string}
 */
function valueText(value, digits, joint = ", ") {
  if (Array.isArray(value)) return value.map((one) => valueText(one, digits, " ")).join(joint);
  return typeof value === "string" ? value : numberText(value, digits);
}

/**
 * Return a sentence with its values in the places of its {}, as weights in per cent if they are `shares`.
 * @param {string} sentence
 * @param {{ values: any[], digits: number, shares: boolean }} note
 */
export function filled(sentence, { values, digits, shares }) {
  if (!values.length) return sentence; // a text that a model wrote may have braces of its own
  const texts = shares ? weightTexts(values, shareText) : values.map((value) => valueText(value, digits));
  return sentence.split("{}").map((part, i) => part + (texts[i] ?? "")).join("");
}
