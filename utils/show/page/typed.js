// What a person types, as the words of a closed vocabulary, or the one sentence that says why that can't be done: what
// `Translator.one_sentence` does in Python.

const ENDS = [".", "!", "?", "؟", "…", ";", "؛"];
const CONTRACTIONS = { "can't": "can not", "won't": "will not", "n't": " not", "'m": " am", "'re": " are", "'ll": " will" };
const BEFORE_IS = ["it", "he", "she", "that", "where", "how"];
const ASKING = ["is", "are", "am", "was", "were", "do", "does", "did", "where", "how"];
const INVISIBLE = /[\ufeff\u00ad\u200b\u200e\u200f\u202a-\u202c\u2066-\u2069]/gu;
const INSIDE = String.raw`[\p{L}\p{N}\p{M}\u200c\u200d]`;
const TOKEN = new RegExp(`${INSIDE}(?:${INSIDE}|['-](?=${INSIDE})|(?<=\\p{Nd})[.,:٫٬](?=\\p{Nd}))*|[^\\s]`, "gu");
const isWord = (token) => /^[\p{L}\p{N}]/u.test(token);
const MOST_NAMED = 3;

/** The words and marks of a text, in small letters. */
function tokenized(text) {
  const plain = text.normalize("NFC").toLowerCase().normalize("NFC").replace(INVISIBLE, "").replaceAll("’", "'");
  return plain.match(TOKEN) ?? [];
}

function spelledOut(word) {
  for (const [short, full] of Object.entries(CONTRACTIONS)) {
    if (word.endsWith(short)) return word.slice(0, -short.length) + full;
  }
  const stem = word.endsWith("'s") ? word.slice(0, -2) : word;
  return stem !== word && BEFORE_IS.includes(stem) ? `${stem} is` : word;
}

/** How many letters must be changed, put in or left out. */
function distance(a, b) {
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const line = [i + 1];
    for (let j = 0; j < b.length; j++) {
      line.push(Math.min(above[j + 1] + 1, line[j] + 1, above[j] + (a[i] === b[j] ? 0 : 1)));
    }
    above = line;
  }
  return above[b.length];
}

function named(word, vocabulary) {
  const close = [...vocabulary].filter((known) => isWord(known) && 3 * distance(word, known) <= word.length);
  const nearest = close.sort((a, b) => distance(word, a) - distance(word, b)).slice(0, 2);
  const shown = word.length > 40 ? `${word.slice(0, 40)}…` : word;
  return `“${shown}”${nearest.length ? ` (is ${nearest.map((known) => `“${known}”`).join(" or ")} meant?)` : ""}`;
}

const listed = (parts) => (parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts[0]);

/**
 * The tokens of the sentence, all of them words of `vocabulary` (a Set), its mark at the end. Throws the sentence for
 * the person who typed: no word, unknown ones, more than one sentence, or more tokens than `longest`.
 */
export function sentenceOf(text, vocabulary, longest) {
  const known = (token) => {
    if (vocabulary.has(token) || ENDS.includes(token)) return [token];
    return isWord(token) ? spelledOut(token).split(" ").filter(Boolean) : [];
  };
  const tokens = tokenized(text).flatMap(known);
  if (!tokens.some(isWord)) throw new Error("There is nothing to translate: a sentence with at least one word is needed.");
  if (!tokens.some((token) => /[a-z]/.test(token))) throw new Error("This translator reads English, in Latin letters.");
  const unknown = [...new Set(tokens.filter((token) => isWord(token) && !vocabulary.has(token)))];
  if (unknown.length) {
    const names = unknown.slice(0, MOST_NAMED).map((word) => named(word, vocabulary));
    if (unknown.length > names.length) names.push(`${unknown.length - names.length} more`);
    const words = [...vocabulary].filter(isWord).length;
    throw new Error(`This translator knows ${words} words. It has not learnt ${listed(names)}.`);
  }
  const first = tokens.findIndex((token) => !ENDS.includes(token));
  const body = tokens.slice(first);
  const stop = body.findIndex((token) => ENDS.includes(token));
  if (stop >= 0 && body.slice(stop).some((token) => !ENDS.includes(token))) throw new Error("One sentence at a time, please.");
  const sentence = completed(stop < 0 ? body : body.slice(0, stop + 1), vocabulary);
  if (sentence.length > longest) {
    throw new Error(
      `A sentence of ${sentence.length} words and marks is too long: this translator has learnt from sentences of up to ${longest}.`,
    );
  }
  return sentence;
}

/** With the mark at its end that sentences of this vocabulary have. */
function completed(sentence, vocabulary) {
  const end = ENDS.includes(sentence.at(-1)) ? sentence.at(-1) : "";
  if (end && vocabulary.has(end)) return sentence;
  const body = end ? sentence.slice(0, -1) : sentence;
  const asks = ["?", "؟"].includes(end) || (!end && ASKING.includes(body[0]) && body[1] !== "not");
  const mark = (asks ? ["؟", "?", "."] : ["."]).find((one) => vocabulary.has(one));
  return mark ? [...body, mark] : body;
}
