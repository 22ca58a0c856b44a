// A sentence that is being translated, word by word, with arcs to the words that each new one looks at. What is typed is
// computed here, with the weights that Python, or the site, gives once.

import { control } from "./conversation.js";
import { boxIn, buttonOf, drawing, element, many, ownSentence, setAttribute, setStyle, setText, wordOf } from "./dom.js";
import { readMachine, writing } from "./machine.js";
import { shareText } from "./texts.js";
import { nearest, putBack, readingsOf, unknownIn } from "./typed.js";

const PACE = 900; // ms from word to word
const FIRST = 100; // ms until the first word
const FAINT = 0.03; // a weight below it draws no arc
const ENDS_OFFERED = 6; // words that begin as the last one typed
const END_TOKEN = "<end>";
const RIGHT_TO_LEFT = new Set(["fa"]);
const RARE = 0.005; // a probability below it is not shown

/** A sentence with all that the machine writes for it, as the saved ones are. */
function translated(machine, text, { tokens, carried }) {
  const { sourceWords, targetWords, config } = machine;
  const ids = tokens.map((word) => sourceWords.indexOf(word));
  const written = Array.from(writing(machine, ids), ({ id, probabilities, maps }) => {
    const heads = maps.slice(-config.n_heads); // of the last layer
    const weights = tokens.map((_, i) => heads.reduce((sum, head) => sum + head[i] / heads.length, 0));
    const order = [...probabilities.keys()].sort((a, b) => probabilities[b] - probabilities[a]);
    const first = order.slice(0, 3).map((one) => [targetWords[one], probabilities[one]]);
    return { word: targetWords[id], weights, first };
  });
  const words = putBack(tokens.map((word) => ({ word, first: [] })), tokens, carried).map(({ word }) => word);
  return { text, words, steps: putBack(written, tokens, carried) };
}

/** Join several sentences into one: their words side by side, and only the end of the last one. */
function together(text, sentences) {
  const words = sentences.flatMap((one) => one.words);
  let before = 0;
  const steps = sentences.flatMap((one, i) => {
    const kept = i < sentences.length - 1 ? one.steps.filter(({ word }) => word !== END_TOKEN) : one.steps;
    const at = before;
    before += one.words.length;
    return kept.map((step) => {
      const weights = words.map((_, s) => step.weights[s - at] ?? 0);
      return { ...step, weights };
    });
  });
  return { text, words, steps };
}

export default control("writer", ({ model, root, notice, talk }) => {
  const languages = model.get("languages");
  const machines = {}; // language -> its translator, once its weights have come
  const loading = new Set(); // the languages whose weights have been requested
  let language = languages[0];
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  let sentence = language.sentences[0];
  let shown = 0; // words that are written
  let at = 0; // the one whose arcs are seen
  let timer = 0;
  let begun = false;
  let typed = null; // what waits for the weights

  // --- what is chosen ---
  const { node: own, field } = ownSentence("Translate", send);
  Object.assign(field, { placeholder: "type your own sentence", ariaLabel: "an English sentence of your own" });
  const speak = languages.map((one) => buttonOf("preset", one.name, () => choose(one)));
  const choice = element("div", { className: "languages", role: "group", ariaLabel: "translate into" }, ...(speak[1] ? speak : []));
  const start = element("div", { className: "start" });
  const refusal = element("p", { className: "refused-sentence", role: "alert" });
  const addWord = (word) => {
    field.value = `${field.value.trimEnd()} ${word}`.trimStart();
    offer();
    field.focus();
  };
  const offers = element("div", { className: "offers", role: "status" });
  field.addEventListener("input", offer);

  /** What is typed, before it is sent: the words that aren't known, with the nearest ones, and how a word may end. */
  function offer() {
    if (field.value && !loading.has(language.name)) load(); // so that they are there when the sentence is sent
    const known = new Set([...language.knows, ",", "'s"]);
    const last = /\p{L}*$/u.exec(field.value)[0];
    const small = last.toLowerCase();
    const ends = small.length > 1 ? language.knows.filter((word) => word.startsWith(small) && word !== small).slice(0, ENDS_OFFERED) : [];
    const unknown = unknownIn(field.value, known).filter((word) => !(word === last && ends.length));
    const changed = (from, to) => () => {
      const at = field.value.lastIndexOf(from);
      field.value = `${field.value.slice(0, at)}${to}${field.value.slice(at + from.length)}`;
      offer();
      field.focus();
    };
    const lines = unknown.map((word) => {
      const near = nearest(word, language.knows);
      const buttons = near.map((one) => buttonOf("", one, changed(word, one)));
      return element("p", {}, element("mark", { textContent: word }), " is not one of its words, and is carried over", ...(near.length ? ["; nearest: ", ...buttons] : []));
    });
    const completions = ends.map((word) => buttonOf("", word, changed(last, `${word} `)));
    offers.replaceChildren(...lines, ...(ends.length ? [element("p", {}, ...completions)] : []));
  }
  const wordButton = (word) => buttonOf("", word, () => addWord(word));
  const lexicon = element("div", { className: "lexicon" });
  const summary = element("summary");
  const vocabulary = element("details", { className: "words" }, summary, lexicon);
  vocabulary.addEventListener("toggle", () => {
    if (!lexicon.children.length) lexicon.append(...[...language.knows].sort().map(wordButton));
  });

  // --- what is seen ---
  const source = element("div", { className: "line source", lang: "en" });
  const target = element("div", { className: "line target" });
  const arcs = drawing("svg", { class: "arcs", "aria-hidden": "true" });
  const stage = element("div", { className: "stage", role: "group", ariaLabel: model.get("alt") }, arcs, source, target);
  const next = element("div", { className: "next" });
  const said = element("p", { className: "unseen", role: "status" });
  const how = element("p", { className: "how" });
  root.append(choice, stage, next, how, own, offers, refusal, start, vocabulary, notice, said);

  const spelled = (word) => language.spelled[word] ?? word;
  const meaning = (word) => (language.glosses[word] === word ? "" : (language.glosses[word] ?? ""));

  /** Show the sentences and the words of a language, and translate the sentence in hand into it. */
  function choose(one) {
    const at = language.sentences.indexOf(sentence);
    const { text } = sentence;
    take(one);
    if (at < 0) send(text);
    else play(language.sentences[at]);
  }

  function take(one) {
    language = one;
    start.replaceChildren(...one.sentences.map((saved) => buttonOf("preset", saved.text, () => play(saved))));
    lexicon.replaceChildren();
    vocabulary.open = false;
    setText(summary, `The ${one.knows.length} words that it knows`);
    speak.forEach((button, i) => setAttribute(button, "aria-pressed", String(languages[i] === one)));
  }

  function build() {
    Object.assign(target, { lang: language.code, dir: RIGHT_TO_LEFT.has(language.code) ? "rtl" : "ltr" });
    many(source, sentence.words, () => element("span", { className: "word" }), setText);
    many(target, sentence.steps, targetWord, (button, { word, carried }, i) => {
      const end = word === END_TOKEN;
      button.classList.toggle("end", end);
      button.classList.toggle("carried", Boolean(carried));
      button.replaceChildren(
        end ? "end" : wordOf(spelled(word)),
        element("small", { textContent: end ? "" : carried ? "carried over" : meaning(word), dir: "ltr", lang: "en" }),
      );
      button.dataset.at = i;
    });
    [...start.children].forEach((button, i) => setAttribute(button, "aria-pressed", String(language.sentences[i] === sentence)));
  }

  function targetWord() {
    const button = element("button", { type: "button", className: "word" });
    const look = () => {
      if (Number(button.dataset.at) >= shown) return;
      at = Number(button.dataset.at);
      paint();
    };
    for (const kind of ["pointerenter", "focus", "click"]) button.addEventListener(kind, look);
    return button;
  }

  function paint() {
    const step = sentence.steps[at];
    const seen = shown > 0 || timer;
    [...source.children].forEach((node, i) => setStyle(node, "--share", seen ? step.weights[i].toFixed(3) : "0"));
    [...target.children].forEach((node, i) => {
      node.classList.toggle("written", i < shown);
      node.classList.toggle("lit", i === at && i < shown);
      node.disabled = i >= shown;
    });
    many(
      next,
      seen ? step.first.filter(([, share]) => share > RARE) : [],
      () => element("span", { className: "candidate" }),
      (node, [word, share], i) => {
        const words = word === END_TOKEN ? ["the end "] : [wordOf(spelled(word)), ` ${meaning(word)} `];
        node.replaceChildren(...words, element("b", { textContent: shareText(share) }));
        setStyle(node, "--share", share.toFixed(3));
        node.classList.toggle("lit", i === 0);
      },
    );
    draw();
  }

  /** The arcs: those of the word in hand in full, the others as a trace. */
  function draw() {
    const middleOf = (node, side) => {
      const box = boxIn(stage, node);
      return [box.left + box.width / 2, box[side]];
    };
    const below = [...source.children].map((node) => middleOf(node, "bottom"));
    const lines = [];
    sentence.steps.slice(0, Math.max(shown, at + 1)).forEach(({ weights }, t) => {
      const node = target.children[t];
      if (!node || (t >= shown && t !== at)) return;
      const to = middleOf(node, "top");
      weights.forEach((weight, s) => {
        if (weight >= FAINT && below[s]) lines.push({ weight, lit: t === at, from: below[s], to });
      });
    });
    lines.sort((a, b) => a.lit - b.lit);
    setAttribute(arcs, "viewBox", `0 0 ${stage.offsetWidth} ${stage.offsetHeight}`);
    many(
      arcs,
      shown > 0 || timer ? lines : [],
      () => drawing("path"),
      (path, { weight, lit, from: [x, y], to: [u, v] }) => {
        const bend = (v - y) * 0.55;
        setAttribute(path, "d", `M${x} ${y}C${x} ${y + bend} ${u} ${v - bend} ${u} ${v}`);
        setAttribute(path, "class", lit ? "lit" : "");
        setStyle(path, "stroke-width", `${(1 + 11 * weight).toFixed(1)}px`);
        setStyle(path, "--share", weight.toFixed(3));
      },
    );
  }

  // --- in time ---
  function play(one) {
    clearTimeout(timer);
    timer = 0;
    begun = true;
    sentence = one;
    setText(refusal, "");
    tell(one);
    [shown, at] = still.matches ? [one.steps.length, best(one)] : [0, 0];
    build();
    if (still.matches) finish();
    else {
      timer = setTimeout(write, FIRST);
      paint();
    }
  }

  function write() {
    at = shown;
    shown += 1;
    timer = shown < sentence.steps.length ? setTimeout(write, PACE) : setTimeout(finish, PACE);
    paint();
  }

  function finish() {
    timer = 0;
    at = best(sentence);
    paint();
    const text = sentence.steps.filter(({ word }) => word !== END_TOKEN).map(({ word }) => spelled(word));
    setText(said, `${sentence.text} In ${language.name}: ${text.join(" ")}`);
  }

  /** The word that looks at one place more than any other does. */
  function best({ steps }) {
    const most = steps.map(({ weights }) => Math.max(...weights));
    return most.indexOf(Math.max(...most));
  }

  function tell({ time }) {
    const computed = time === undefined ? "Saved, as this translator wrote it" : `Computed on this page in ${Math.round(time)} ms`;
    setText(how, `Arcs: how much of each English word the new word takes (cross-attention, last layer, mean of its heads). ${computed}.`);
  }

  // --- what is typed ---
  function translate(text) {
    const machine = machines[language.name];
    try {
      const began = window.performance.now();
      const readings = readingsOf(text, new Set(machine.sourceWords), machine.longest);
      const one = together(text, readings.map((reading) => translated(machine, text, reading)));
      play({ ...one, time: window.performance.now() - began });
    } catch (refused) {
      setText(refusal, refused.message);
    }
  }

  function send(text) {
    setText(refusal, "");
    if (machines[language.name]) return translate(text);
    typed = text;
    return load();
  }

  function load() {
    loading.add(language.name);
    return talk.ask("weights", { kind: "weights", language: language.name });
  }

  const receive = (message, [weights] = []) => {
    if (message.kind !== "weights" || !weights) return;
    const view = weights.buffer ? weights : new DataView(weights);
    machines[message.language] = readMachine(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
    if (typed !== null && message.language === language.name) {
      translate(typed);
      typed = null;
    }
  };
  model.on("msg:custom", receive);

  function update() {
    if (model.get("refusal")) setText(refusal, model.get("refusal"));
    if (!begun) play(sentence);
    else draw();
  }

  take(language);

  function end() {
    clearTimeout(timer);
    model.off("msg:custom", receive);
  }

  return { update, end };
});
