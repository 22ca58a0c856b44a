// @ts-check
// Convert numbers to texts and texts to numbers, exactly as utils/show/numbers.py does.

const WHOLE_UP_TO = 1e7;
const FIXED_UP_TO = 1e5;

/**
 * Return the nearest integer, the even one of two.
 * @param {number} value
 */
function rint(value) {
  const below = Math.floor(value);
  const over = value - below;
  return over < 0.5 || (over === 0.5 && below % 2 === 0) ? below : below + 1;
}

/**
 * Return a number rounded to so many decimals, as np.round does.
 * @param {number} value
 * @param {number} decimals
 */
export const round = (value, decimals) => rint(value * 10 ** decimals) / 10 ** decimals + 0;

/**
 * Return `rounded`, but with the even digit for an exact half, as in Python, because JavaScript rounds a half up.
 * @param {string} exact all digits of the number
 * @param {number} cut the number of its characters to keep
 * @param {string} rounded
 */
function halfToEven(exact, cut, rounded) {
  const kept = exact.slice(0, cut).replace(/\.$/, "");
  return /^\.?50*$/.test(exact.slice(kept.length)) && Number(kept.at(-1)) % 2 === 0 ? kept : rounded;
}

/**
 * Return f"{value:.{decimals}f}".
 * @param {number} value
 * @param {number} decimals
 */
export function fixed(value, decimals) {
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (size >= 1e21) return `${sign}${BigInt(size)}${decimals ? "." : ""}${"0".repeat(decimals)}`;
  const exact = size.toFixed(100);
  return sign + halfToEven(exact, exact.indexOf(".") + 1 + decimals, size.toFixed(decimals));
}

/**
 * Return the digits and the exponent of f"{value:.{decimals}e}".
 * @param {number} value
 * @param {number} decimals at least 1
 * @returns {[string, number]}
 */
function exponential(value, decimals) {
  const size = Math.abs(value);
  const [rounded, exponent] = size.toExponential(decimals).split("e");
  const mantissa = halfToEven(size.toExponential(100).split("e")[0], 2 + decimals, rounded);
  return [(value < 0 ? "-" : "") + mantissa, Number(exponent)];
}

/** @param {string} text */
const stripped = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/**
 * Return f"{value:g}".
 * @param {number} value
 */
export function general(value) {
  const [mantissa, exponent] = exponential(value, 5);
  if (exponent >= -4 && exponent < 6) return stripped(fixed(value, 5 - exponent));
  return `${stripped(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** @param {string} text */
const signed = (text) => (/^[-0.]*$/.test(text.trim()) ? text.replace(/^-+/, "") : text).replaceAll("-", "−");

/**
 * @param {number} value
 * @param {number} decimals
 */
function scientific(value, decimals) {
  const [mantissa, exponent] = exponential(value, decimals);
  // a rounded number keeps its zeros, to show that it is rounded
  return signed(`${Number(`${mantissa}e${exponent}`) === value ? stripped(mantissa) : mantissa}e${exponent}`);
}

/**
 * Return the entries of a matrix as `table_text` writes them.
 * @param {number[][]} values
 * @param {number} decimals
 */
export function tableText(values, decimals = 3) {
  const all = values.flat();
  const whole = all.every((value) => value === Math.floor(value));
  const limit = whole ? WHOLE_UP_TO : FIXED_UP_TO;
  const largest = all.map(Math.abs).reduce((most, size) => (size < limit ? Math.max(most, size) : most), 0);
  const digits = String(Math.floor(largest)).length;
  const places = whole ? 0 : Math.min(decimals, Math.max(1, 5 - digits));
  const entry = (/** @type {number} */ value) => {
    if (Math.abs(value) >= limit) return scientific(value, 2);
    const rounded = fixed(value, places);
    return value !== 0 && Number(rounded) === 0 ? scientific(value, 1) : signed(rounded);
  };
  return values.map((row) => row.map(entry));
}

/**
 * Return the texts in the cells of a heatmap.
 * @param {number[][]} values
 */
export const cellTexts = (values, decimals = 2) =>
  tableText(values, decimals).map((row) => row.map((text) => (text.includes("e−") ? "≈0" : text)));

/**
 * Return a number as a student would type it.
 * @param {number} value
 */
export function inputText(value) {
  const size = Math.abs(value);
  if (value === Math.floor(value) && size < WHOLE_UP_TO) return signed(fixed(value, 0));
  if (!(size >= 1e-3 && size < FIXED_UP_TO)) return scientific(value, 2);
  const rounded = fixed(value, Math.min(3, Math.max(1, 6 - fixed(size, 0).length)));
  const shortest = stripped(rounded);
  return signed(Number(shortest) === value ? shortest : rounded);
}

/**
 * Return the weights of one row as texts, none of them rounded to 0 or 1.
 * @param {number[]} row
 */
export function weightTexts(row, percent = false) {
  const shared = row.filter((weight) => weight > 0).length > 1;
  const [least, most, unit] = percent ? ["0.1", "99.9", " %"] : ["0.001", "0.999", ""];
  return row.map((weight) => {
    const rounded = percent ? fixed(100 * weight, 1) : fixed(weight, 3);
    if (weight > 0 && Number(rounded) === 0) return `<${least}${unit}`;
    return ((weight < 1 || shared) && Number(rounded) > Number(most) ? `>${most}` : rounded) + unit;
  });
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const ENDLESS = /^[+-]?(inf(inity)?|nan)$/i;
const SUCH_AS = "type one such as 2 or −0.5.";

/**
 * Return a decimal digit of any script as 0 to 9; in each script, the digits follow each other from zero on.
 * @param {string} digit
 */
function asciiDigit(digit) {
  let back = 0;
  const code = /** @type {number} */ (digit.codePointAt(0));
  while (/\p{Nd}/u.test(String.fromCodePoint(code - back - 1))) back += 1;
  return String(back % 10);
}

/**
 * Return the typed number. Throw an Error, with a sentence, if the text is no such number.
 * @param {string} text
 */
export function parseEntry(text) {
  const line = text.trim().replace(/\s+/g, " ");
  const signs = [...line];
  const shown = `“${signs.slice(0, 20).join("")}${signs.length > 20 ? "…" : ""}”`;
  const plain = line.replaceAll("−", "-").replaceAll("٫", ".");
  if (!plain) throw new Error("This entry is empty: type a number such as 2 or −0.5.");
  if (plain.includes("_")) throw new Error(`${shown} has an underscore: write the digits without it.`);
  const ascii = plain.replace(/\p{Nd}/gu, asciiDigit);
  if (ENDLESS.test(ascii)) throw new Error(`${shown} is not a finite number: ${SUCH_AS}`);
  if (!DECIMAL.test(ascii)) {
    const pointed = plain.split(",").length === 2 && DECIMAL.test(ascii.replace(",", "."));
    const why = pointed ? `has a comma: write a point, ${plain.replace(",", ".")}.` : `is not a number: ${SUCH_AS}`;
    throw new Error(`${shown} ${why}`);
  }
  const value = Number(ascii);
  if (!Number.isFinite(value)) throw new Error(`${shown} is too large: float64 holds numbers up to 1.8e308.`);
  if (value === 0 && /[1-9]/.test(ascii.split(/e/i)[0])) {
    throw new Error(`${shown} is too small: float64 holds nothing between 0 and 4.9e−324.`);
  }
  return value + 0;
}

/**
 * Return the indices of the true entries, such as the tasks done.
 * @param {boolean[]} list
 */
export const trueAt = (list) => list.flatMap((one, i) => (one ? [i] : []));
