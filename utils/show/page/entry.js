// @ts-check
// Read a number that is typed into a field, with the digits and the minus of any keyboard.

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
