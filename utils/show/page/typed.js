// What a person types, as sentences for a translator that carries over the words it doesn't know: one is read as x1, x2,
// …, and is in the translation as typed. So only a text without a word is refused.

export const CARRIED = ["x1", "x2", "x3", "x4"];
const ENDS = [".", "!", "?"];
const SAME_END = { "…": ".", ";": ".", "؟": "?" };
const ASKING = new Set(
  "is are am was were do does did have has can could will would should may must where when why who what how which whose".split(" "),
);
const CONTRACTIONS = {
  "can't": "can not", cannot: "can not", "won't": "will not", "let's": "let us", gonna: "going to", wanna: "want to", ok: "okay", "ain't": "is not",
};
const ENDINGS = { "n't": "not", "'m": "am", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would" };
const BEFORE_IS = new Set("it he she that there here what where who how when everything".split(" "));
const JOINED = { "ice cream": "ice-cream", "post office": "post-office", "train station": "station", "t shirt": "t-shirt",
  "credit card": "credit-card", "phone number": "phone-number",
};
const JOINED_WORDS = new RegExp(`\\b(?:${Object.keys(JOINED).join("|")})\\b`, "gi");
const INVISIBLE = /[\ufeff\u00ad\u200b\u200e\u200f\u202a-\u202c\u2066-\u2069]/gu;
const INSIDE = String.raw`[\p{L}\p{N}\p{M}\u200c\u200d]`;
const TOKEN = new RegExp(`${INSIDE}(?:${INSIDE}|['-](?=${INSIDE})|(?<=\\p{Nd})[.,:٫٬](?=\\p{Nd}))*|[^\\s]`, "gu");
const isWord = (token) => /^[\p{L}\p{N}]/u.test(token);
const isUpper = (word) => word[0] !== word[0].toLowerCase();

function parts(token, vocabulary) {
  const small = token.toLowerCase();
  if (vocabulary.has(small)) return [token];
  if (Object.hasOwn(CONTRACTIONS, small)) return CONTRACTIONS[small].split(" ");
  for (const [ending, word] of Object.entries(ENDINGS)) {
    if (small.endsWith(ending) && small.length > ending.length) return [token.slice(0, -ending.length), word];
  }
  if (!small.endsWith("'s")) return [token];
  return [token.slice(0, -2), BEFORE_IS.has(small.slice(0, -2)) ? "is" : "'s"];
}

/** The sentence without commas at its end, and with a mark. */
function ended(sentence) {
  const marked = ENDS.includes(sentence.at(-1));
  const end = marked ? sentence.at(-1) : ASKING.has(sentence[0].toLowerCase()) ? "?" : ".";
  const body = marked ? sentence.slice(0, -1) : [...sentence];
  while (body.at(-1) === ",") body.pop();
  return [...body, end];
}

/** The sentence in pieces of at most `longest` tokens, cut at commas and conjunctions where there are any. */
function cut(whole, longest) {
  const pieces = [];
  let sentence = whole;
  while (sentence.length > longest) {
    let at = longest - 1;
    for (let i = longest - 2; i >= 3; i--) {
      if ([",", "and", "but", "because", "or"].includes(sentence[i].toLowerCase())) {
        at = i;
        break;
      }
    }
    pieces.push(ended([...sentence.slice(0, at), "."]));
    sentence = sentence.slice(at + (sentence[at] === "," ? 1 : 0));
  }
  return sentence.length > 1 ? [...pieces, sentence] : pieces;
}

function reading(sentence, vocabulary) {
  const tokens = [];
  const names = new Map(); // a word as typed -> what it is read as
  const carried = {};
  let before = ""; // the carried words directly before, which the next one joins to make one name
  for (const word of sentence) {
    const small = word.toLowerCase();
    if (!isWord(word) || (vocabulary.has(small) && !CARRIED.includes(small))) {
      tokens.push(small);
      before = "";
      continue;
    }
    let name = names.get(word);
    if (before && isUpper(word) && CARRIED.includes(tokens.at(-1))) {
      name = tokens.at(-1);
      carried[name].splice(-1, 1, `${before} ${word}`);
      names.set(carried[name].at(-1), name);
    } else if (name) tokens.push(name);
    else {
      name = CARRIED[names.size % CARRIED.length];
      tokens.push(name);
      names.set(word, name);
      (carried[name] ??= []).push(word);
    }
    before = carried[name].at(-1);
  }
  return { tokens, carried };
}

/**
 * The sentences of a text, each as `tokens` of `vocabulary` (a Set), at most `longest`, and the words that are
 * `carried`. Throws only where there is no word.
 */
export function readingsOf(text, vocabulary, longest = 17) {
  const plain = text.normalize("NFC").replaceAll("’", "'").replace(INVISIBLE, "");
  const joined = plain.replace(JOINED_WORDS, (match) => JOINED[match.toLowerCase()]);
  const tokens = (joined.match(TOKEN) ?? []).flatMap((token) => parts(token, vocabulary));
  if (!tokens.some(isWord)) throw new Error("There is nothing to translate: a sentence with at least one word is needed.");
  const sentences = [[]];
  for (const one of tokens) {
    const token = SAME_END[one] ?? one;
    const last = sentences.at(-1);
    if (ENDS.includes(token)) {
      if (last.length) {
        last.push(token);
        sentences.push([]);
      }
    } else if (isWord(token) || token === "'s" || (token === "," && last.length && vocabulary.has(","))) last.push(token);
  }
  const whole = sentences.filter((sentence) => sentence.length).flatMap((sentence) => cut(ended(sentence), longest));
  return whole.map((sentence) => reading(sentence, vocabulary));
}

/** The words of a text that would be carried over, each once. */
export function unknownIn(text, vocabulary) {
  try {
    const found = readingsOf(text, vocabulary, Infinity).flatMap(({ carried }) => Object.values(carried).flat());
    return [...new Set(found)];
  } catch {
    return [];
  }
}

/**
 * Return the steps of a translation of `tokens`, with the carried words as typed: a word that wasn't typed is left out,
 * and a missing word comes before the last mark.
 */
export function putBack(written, tokens, carried) {
  const at = {}; // x1 -> how many of its words are written
  const put = (word) => carried[word]?.[Math.min(at[word] ?? 0, carried[word].length - 1)] ?? word;
  const steps = [];
  for (const { word, first, ...step } of written) {
    if (CARRIED.includes(word) && !carried[word]) continue;
    steps.push({ ...step, word: put(word), first: first.map(([one, share]) => [put(one), share]), carried: word in carried });
    at[word] = (at[word] ?? 0) + 1;
  }
  for (const [name, all] of Object.entries(carried)) {
    for (const word of all.slice(at[name] ?? 0)) {
      const weights = tokens.map((one) => (one === name ? 1 : 0));
      steps.splice(Math.max(0, steps.length - 2), 0, { word, weights, first: [[word, 1]], carried: true });
    }
  }
  return steps;
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

/** The known words that are nearest to `word`: two at most, none that differs in more than a third of its letters. */
export function nearest(word, words) {
  const small = word.toLowerCase();
  const far = words.map((known) => [distance(small, known), known]).filter(([letters]) => 3 * letters <= small.length);
  return far.sort((a, b) => a[0] - b[0]).slice(0, 2).map(([, known]) => known);
}
