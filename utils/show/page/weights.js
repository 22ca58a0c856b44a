// The weights of one head: as Python packs them, as texts, and in sentences. Needs no page.

import { glossOf } from "./dom.js";
import { shareText, weightText } from "./texts.js";

const TINY = 65534; // below half a thousandth, but not 0
const ALMOST_ALL = 65533;
const MANY = 16; // tokens, from which on a sentence names the largest weights only
const LARGEST = 10;
const NAMED = 0.1; // a smaller share is not named in a brief sentence

export const GROUPS = { encoder: "Encoder", decoder: "Decoder", cross: "Cross-attention" };
export const valueOf = (code) => (code === TINY ? 0.0003 : code === ALMOST_ALL ? 0.9997 : code / 1000);
export const textOf = (code) => weightText(valueOf(code));

/** The row and the column of a map where the word `index` of a side meets the word k of the other side. */
export const meeting = (side, index, k) => (side === "rows" ? [index, k] : [k, index]);

const unpacked = new WeakMap(); // the bytes of a binary trait -> their codes

/** The 16-bit codes of a binary trait, whose bytes may begin at an odd address. */
export function codesOf(bytes) {
  const { buffer, byteOffset, byteLength } = bytes;
  if (!unpacked.has(bytes)) unpacked.set(bytes, new Uint16Array(buffer.slice(byteOffset, byteOffset + byteLength)));
  return unpacked.get(bytes);
}

/** The codes of one head's map, row by row. */
export function mapOf({ shown, codes }, of, layer, head) {
  const size = shown[of.rows].tokens.length * shown[of.columns].tokens.length;
  const at = of.at + (layer * of.heads + head) * size;
  return codes.subarray(at, at + size);
}

/** One head: the words that ask (rows), those that are asked (columns), its map, and the code at row i, column j. */
export function headOf(pass, group, layer, head) {
  const [asking, columns] = [pass.shown[group.rows], pass.shown[group.columns]];
  const map = mapOf(pass, group, layer, head);
  const rows = group.name === "cross" ? asWritten(asking) : asking;
  return { rows, columns, map, weight: (i, j) => map[i * columns.tokens.length + j] };
}

const written = new WeakMap();

/** A decoder's text for cross-attention: its rows are named by the words being written, not by those just read. */
function asWritten(text) {
  if (!text.writes.length) return text;
  if (!written.has(text)) written.set(text, { ...text, tokens: text.writes, writes: [], after: text.tokens });
  return written.get(text);
}

/** A token inside a sentence: a Persian word leaves the sentence's order alone, a full stop doesn't end it. */
function isolated(token, glosses) {
  const gloss = glossOf(token, glosses);
  return `\u2068${/[\p{L}\p{N}]/u.test(token) ? token : `“${token}”`}\u2069${gloss && ` (${gloss})`}`;
}

/** What is said while no word is lit. */
export function restingSentence({ rows, columns }) {
  return columns === rows ? "Every word asks the words of its own sentence." : "The words being written ask the words that were read.";
}

/** What is said of a word: whom it asks, or by whom it is asked, and how much; or of a link, how much one gives another. */
export function sentenceOf({ side, index, other }, { rows, columns, weight }) {
  const asks = side === "rows";
  const [from, others] = asks ? [rows, columns] : [columns, rows];
  const shares = others.tokens.map((token, k) => [token, weight(...meeting(side, index, k)), k]);
  const token = isolated(from.tokens[index], from.glosses);
  if (other !== undefined) {
    const share = shareText(valueOf(weight(index, other)));
    return `${token} gives ${share} of its attention to ${isolated(columns.tokens[other], columns.glosses)}.`;
  }
  if (asks && shares.every(([, code]) => !code)) return `${token} may look at nobody: its row is masked.`;
  let writes = "";
  if (asks && rows.writes.length) writes = ` (read; next it writes ${isolated(rows.writes[index], rows.glosses)})`;
  if (asks && rows.after) writes = ` (written after ${isolated(rows.after[index], rows.glosses)})`;
  const largest = [...shares].sort((a, b) => valueOf(b[1]) - valueOf(a[1]) || a[2] - b[2]).slice(0, LARGEST);
  const [named, rest] =
    shares.length > MANY ? [largest, `; less of the other ${shares.length - LARGEST}`] : [shares, ""];
  const list = named.map(([word, code]) => `${textOf(code)} ${asks ? "of" : "by"} ${isolated(word, others.glosses)}`);
  return `${token}${writes} ${asks ? "takes" : "is taken"}: ${list.join(", ")}${rest}.`;
}

/** The same with the large shares only. */
export function briefOf(what, head) {
  const { side, index, other } = what;
  if (other !== undefined) return sentenceOf(what, head);
  const asks = side === "rows";
  const [from, others] = asks ? [head.rows, head.columns] : [head.columns, head.rows];
  const shares = others.tokens.map((word, k) => [isolated(word, others.glosses), valueOf(head.weight(...meeting(side, index, k)))]);
  const large = shares.filter(([, share]) => share >= NAMED).sort((a, b) => b[1] - a[1]);
  const word = isolated(from.tokens[index], from.glosses);
  if (!large.length) return `${word} ${asks ? "gives" : "gets"} less than ${shareText(NAMED)} everywhere.`;
  const list = large.map(([one, share], k) => {
    if (asks) return `${shareText(share)}${k ? "" : " of its attention"} to ${one}`;
    return `${shareText(share)} of ${k ? "that" : "the attention"} of ${one}`;
  });
  return `${word} ${asks ? "gives" : "gets"} ${list.join(", ")}.`;
}
