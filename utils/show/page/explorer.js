// The page of the attention explorer. Python packs the maps; here they are drawn. Everything that only selects is
// answered here: a word lit repaints one transparent canvas above the links and one above the map.

import { control } from "./conversation.js";
import { ARROWS, boxIn, element, isDark, scaleOf, setAttribute, setStyle, setText, tableOf, within } from "./dom.js";
import { keepRoom } from "./look.js";
import { AMBER, AMOUNTS, inkOn, ramp } from "./numbers.js";
import { tasksAt } from "./tasks.js";

const TINY = 65534;
const ALMOST_ALL = 65533;
const GROUPS = { encoder: "Encoder", decoder: "Decoder", cross: "Cross-attention" };
const LINK_LEVELS = 10; // the faint links are stroked in so many strengths, one path for each
const FAINTEST = 15; // thousandths: what is weaker is drawn only where it is asked for
const THINNEST = 0.002; // a lit link below it would not be seen; its number is
const MANY = 16; // tokens, from which on a sentence names the largest weights only
const LARGEST = 10;
const DIGITS = 0.3; // of a cell's width: so high are digits of which <0.001 fits
const READ = 20; // px of what must be read in front of a class, before all is scaled
const TYPED = "\u0000"; // in the menu of sentences, that of the field beside it
const HELP =
  "Point at a word, or go there with Tab and the arrow keys: its links and numbers light up. A click keeps it, Esc " +
  "lets it go. In the small maps the arrow keys go from head to head. Rows ask, columns are asked; " +
  "the stronger the shade, the larger the weight.";

const valueOf = (code) => (code === TINY ? 0.0003 : code === ALMOST_ALL ? 0.9997 : code / 1000);
const textOf = (code) => (code === TINY ? "<0.001" : code === ALMOST_ALL ? ">0.999" : (code / 1000).toFixed(3));

/** The 16-bit codes of a binary trait, whose bytes may begin at an odd address. */
function codesOf(view) {
  return new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

/** Makes the canvas as sharp as the screen, empties it, and gives its context in CSS pixels. */
function fresh(canvas, width, height) {
  const ratio = (window.devicePixelRatio || 1) * scaleOf(canvas);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  } else {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, w, h);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export default control("attention-explorer", ({ model, id, root, notice, talk }) => {
  // --- what is shown ---
  let shown = null; // the description, Python's or an example's
  let codes = null;
  let group = null;
  let rows = null; // who asks
  let columns = null; // who is asked
  let map = null; // the codes of the large head, row by row
  let hovered = null; // { side: "rows" or "columns", index, other }, under the pointer
  let kept = null; // the same, clicked or focused
  const unpacked = new Map(); // trait -> [its bytes, their codes]

  function unpack(trait) {
    const bytes = model.get(trait);
    if (unpacked.get(trait)?.[0] !== bytes) unpacked.set(trait, [bytes, codesOf(bytes)]);
    return unpacked.get(trait)[1];
  }

  const mapOf = (of, layer, head) => {
    const size = shown[of.rows].tokens.length * shown[of.columns].tokens.length;
    const at = of.at + (layer * of.heads + head) * size;
    return codes.subarray(at, at + size);
  };
  const chosen = () => model.get("chosen");
  const isOff = (name, layer, head) =>
    offHeads().some(([n, l, h]) => n === name && l === layer && h === head);
  const weight = (i, j) => map[i * columns.tokens.length + j];

  // --- building: what is always there ---
  const sentenceChoice = element("select", { id: `${id}-example`, className: "presets" });
  const plain = { className: "typed", type: "text", spellcheck: false, autocomplete: "off" };
  const sentenceField = element("input", { ...plain, ariaLabel: "a sentence of your own" });
  const translateButton = element("button", { type: "button", className: "reset", textContent: "Translate" });
  const exampleLabel = element("label", { htmlFor: sentenceChoice.id, textContent: "Sentence" });
  const own = element("span", { className: "own" }, sentenceField, translateButton);
  const refusal = element("p", { className: "sentence-refused", role: "alert" });
  const output = element("p", { className: "output", role: "status" });
  const glance = element("div", { className: "glance" });
  const title = element("h3", { className: "which" });
  const offSwitch = element("input", { type: "checkbox" });
  const offLabel = element("label", { className: "switch" }, offSwitch, element("span", { textContent: "switch this head off" }));
  const allOn = element("button", { type: "button", className: "reset", textContent: "All heads on" });
  const heading = element("div", { className: "heading" }, title, offLabel, allOn);
  const askedList = element("div", { className: "side asked", role: "listbox", ariaLabel: "who is asked" });
  const askingList = element("div", { className: "side asking", role: "listbox", ariaLabel: "who asks" });
  const faint = element("canvas", { className: "faint" });
  const lit = element("canvas", { className: "lit" });
  const between = element("div", { className: "between" }, faint, lit);
  const links = element("div", { className: "links" }, askedList, between, askingList);
  const cells = element("canvas", { className: "cells" });
  const [band, spot] = [element("div", { className: "mark" }), element("div", { className: "mark spot" })];
  const matrix = element("div", { className: "heat" }, cells, band, spot);
  const sentence = element("p", { className: "sentence" });
  const spoken = element("p", { className: "unseen" });
  spoken.setAttribute("aria-live", "polite");
  const summary = element("summary", { textContent: "All numbers of this head as a table" });
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "all numbers of this head" });
  const details = element("details", { className: "all" }, summary, scroll);
  const large = element("div", { className: "large" }, links, matrix);
  const grow = keepRoom(large);
  const start = element("div", { className: "from" }, exampleLabel, sentenceChoice, own);
  const tasks = tasksAt(model);
  root.append(tasks.node, start, refusal, output, glance, heading, sentence, spoken, large, details);
  root.append(notice, element("p", { className: "help", textContent: HELP }));
  for (const node of [faint, lit, cells, band, spot]) node.setAttribute("aria-hidden", "true");

  // --- sentences ---
  let awaited = null; // the saved sentence that is shown whole if Python, asked for it without some heads, is silent

  function request(text, off, saved = null) {
    awaited = saved;
    talk.ask("show", { kind: "show", text, off });
    update();
  }

  const offHeads = () => talk.pending("show")?.off ?? model.get("switched_off"); // as asked for, if not yet answered
  const textNow = () => talk.pending("show")?.text ?? model.get("text");

  function showSaved(name) {
    const whole = model.get("examples")[name].output;
    const state = { text: name, switched_off: [], result: {}, whole_output: whole, refusal: "" };
    for (const [trait, value] of Object.entries(state)) model.set(trait, value);
    model.save_changes();
    update();
  }

  sentenceChoice.addEventListener("change", () => {
    const name = sentenceChoice.value;
    const off = offHeads();
    if (!talk.pending("show") && (!off.length || offSaved())) return showSaved(name);
    return request(name, off, name);
  });
  const translateOwn = () => request(sentenceField.value, offHeads());
  translateButton.addEventListener("click", translateOwn);
  sentenceField.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) translateOwn();
  });
  offSwitch.addEventListener("change", () => {
    const [name, layer, head] = chosen();
    const others = offHeads().filter(([n, l, h]) => !(n === name && l === layer && h === head));
    request(textNow(), offSwitch.checked ? [...others, [name, layer, head]] : others);
  });
  allOn.addEventListener("click", () => request(textNow(), []));

  /** Whether nobody computes here: no function, or the page has been told that no Python listens. */
  function offSaved() {
    return !model.get("can_translate") || notice.classList.contains("on");
  }

  // --- all heads at a glance ---
  let thumbs = []; // { button, canvas, name, layer, head }
  let groupSwitches = []; // { button, all }: all heads of one kind, off and on again
  let glanceOf = ""; // for which groups they were built

  function buildGlance() {
    const key = JSON.stringify(shown.groups.map(({ name, layers, heads }) => [name, layers, heads]));
    if (key === glanceOf) return;
    glanceOf = key;
    thumbs = [];
    groupSwitches = [];
    const boxes = shown.groups.map((of) => {
      const ariaLabel = `${GROUPS[of.name]}: ${of.layers} layers of ${of.heads} heads`;
      const grid = element("div", { className: "grid", role: "radiogroup", ariaLabel });
      grid.style.setProperty("--heads", of.heads);
      grid.append(element("span", { className: "corner", textContent: "" }));
      for (let h = 0; h < of.heads; h++) grid.append(element("span", { className: "count", textContent: h + 1 }));
      for (let l = 0; l < of.layers; l++) {
        grid.append(element("span", { className: "count", textContent: l + 1 }));
        for (let h = 0; h < of.heads; h++) grid.append(buildThumb(of, l, h));
      }
      for (const count of grid.querySelectorAll(".count, .corner")) count.setAttribute("aria-hidden", "true");
      const named = element("p", {}, GROUPS[of.name], buildGroupSwitch(of));
      return element("div", { className: "group" }, named, grid);
    });
    glance.replaceChildren(...boxes);
    const across = shown.groups.reduce((sum, of) => sum + of.heads + 1, 0);
    glance.style.setProperty("--across", across <= 20 ? across : Math.max(...shown.groups.map((of) => of.heads)) + 1);
  }

  function buildGroupSwitch({ name, layers, heads }) {
    const button = element("button", { type: "button", className: "reset", textContent: "all off" });
    button.setAttribute("aria-label", `all off: ${GROUPS[name]}`);
    const all = Array.from({ length: layers * heads }, (_, k) => [name, Math.floor(k / heads), k % heads]);
    button.addEventListener("click", () => {
      const others = offHeads().filter(([n]) => n !== name);
      request(textNow(), all.every((head) => isOff(...head)) ? others : [...others, ...all]);
    });
    groupSwitches.push({ button, all });
    return button;
  }

  function updateGroupSwitches() {
    for (const { button, all } of groupSwitches) {
      button.hidden = !model.get("can_translate");
      button.disabled = offSaved();
      setAttribute(button, "aria-pressed", String(all.every((head) => isOff(...head))));
    }
  }

  function buildThumb(of, layer, head) {
    const canvas = element("canvas");
    const button = element("button", { type: "button", className: "thumb", role: "radio" }, canvas);
    const thumb = { button, canvas, name: of.name, layer, head };
    button.addEventListener("click", () => choose(thumb));
    button.addEventListener("keydown", (event) => {
      const [down, right] = ARROWS[event.key] ?? [];
      if (down === undefined) return;
      event.preventDefault();
      const next = thumbs.find((t) => t.name === of.name && t.layer === layer + down && t.head === head + right);
      if (!next) return;
      choose(next);
      next.button.focus();
    });
    thumbs.push(thumb);
    return button;
  }

  function choose({ name, layer, head }) {
    model.set("chosen", [name, layer, head]);
    model.save_changes();
    update();
  }

  function paintThumbs() {
    const shade = shades();
    const [chosenName, chosenLayer, chosenHead] = chosen();
    for (const { button, canvas, name, layer, head } of thumbs) {
      const of = shown.groups.find((g) => g.name === name);
      const [height, width] = [shown[of.rows].tokens.length, shown[of.columns].tokens.length];
      const context = canvas.getContext("2d");
      if (canvas.width !== width) canvas.width = width;
      if (canvas.height !== height) canvas.height = height;
      const image = context.createImageData(width, height);
      const pixels = new Uint32Array(image.data.buffer);
      const data = mapOf(of, layer, head);
      for (let k = 0; k < data.length; k++) pixels[k] = shade.pixels[Math.round(1000 * valueOf(data[k]))];
      context.putImageData(image, 0, 0);
      button.classList.toggle("off", isOff(name, layer, head));
    }
    const inGroup = new Set();
    for (const { button, name, layer, head } of thumbs) {
      const is = name === chosenName && layer === chosenLayer && head === chosenHead;
      const first = name !== chosenName && !inGroup.has(name);
      inGroup.add(name);
      setAttribute(button, "aria-checked", String(is));
      button.tabIndex = is || first ? 0 : -1;
      const off = isOff(name, layer, head) ? ", switched off" : "";
      setAttribute(button, "aria-label", `layer ${layer + 1}, head ${head + 1}${off}`);
      setAttribute(button, "title", `${GROUPS[name]}, layer ${layer + 1}, head ${head + 1}${off}`);
    }
  }

  // The scale of attention; the square root keeps a share of 1 in 64 visible.
  let shadesOf = null;
  let shadeTable = null;

  function shades() {
    const style = getComputedStyle(root);
    const key = `${isDark(root)} ${style.backgroundColor}`;
    if (key === shadesOf) return shadeTable;
    shadesOf = key;
    const colours = ramp(AMOUNTS[Number(isDark(root))]);
    const css = [];
    const inks = [];
    const pixels = new Uint32Array(1001);
    for (let k = 0; k <= 1000; k++) {
      const [r, g, b] = colours[Math.round(255 * Math.sqrt(k / 1000))];
      pixels[k] = (255 << 24) | (b << 16) | (g << 8) | r; // little-endian, as every browser's machine is
      css.push(`rgb(${r} ${g} ${b})`);
      inks.push(inkOn([r, g, b]));
    }
    shadeTable = { css, pixels, inks, ink: style.color, paper: style.backgroundColor };
    return shadeTable;
  }

  // --- one head large: words and links ---
  const written = new WeakMap();

  /** A decoder's text for cross-attention: its rows are named by the words being written, not by those just read. */
  function asWritten(text) {
    if (!text.writes.length) return text;
    if (!written.has(text)) written.set(text, { ...text, tokens: text.writes, writes: [], after: text.tokens });
    return written.get(text);
  }

  let words = { rows: [], columns: [] }; // { node, number, text }
  let wordsOf = null; // for which texts they were built
  let anchors = { rows: [], columns: [], width: 0, height: 0 };
  let vertical = false;

  function buildWords() {
    if (wordsOf?.[0] === rows && wordsOf?.[1] === columns) return;
    wordsOf = [rows, columns];
    words = { rows: fill(askingList, rows, "rows"), columns: fill(askedList, columns, "columns") };
    hovered = kept = null;
  }

  function fill(list, text, side) {
    list.replaceChildren();
    list.dir = text.direction;
    if (text.language) list.lang = text.language;
    return text.tokens.map((token, index) => {
      const word = element("bdi", { className: "word", textContent: token, dir: "auto" });
      const number = element("span", { className: "share", dir: "ltr" });
      const node = element("div", { className: "token" }, word, number);
      if (text.writes.length && side === "rows") {
        const writes = element("bdi", { className: "writes", dir: text.direction, textContent: text.writes[index] });
        writes.dataset.arrow = text.direction === "rtl" ? "← " : "→ ";
        node.append(writes);
      }
      if (text.after) {
        const after = element("bdi", { textContent: text.after[index], dir: "auto" });
        node.append(element("span", { className: "writes", dir: "ltr" }, "after ", after));
      }
      node.setAttribute("role", "option");
      node.tabIndex = index === 0 ? 0 : -1;
      node.addEventListener("focus", () => keep({ side, index }));
      node.addEventListener("keydown", (event) => move(event, side, index));
      list.append(node);
      return { node, number };
    });
  }

  for (const [list, side] of [[askingList, "rows"], [askedList, "columns"]]) {
    // One listener for the list: from word to word is one change, not a leaving and an entering.
    list.addEventListener("pointerover", (event) => {
      const index = words[side].findIndex(({ node }) => node === event.target.closest(".token"));
      if (index >= 0 && !(hovered?.side === side && hovered.index === index)) light({ side, index });
    });
    list.addEventListener("pointerleave", () => light(null));
  }

  function move(event, side, index) {
    const other = side === "rows" ? "columns" : "rows";
    const forward = (side === "rows" ? rows : columns).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const along = vertical ? ["ArrowUp", "ArrowDown"] : [back, forward];
    const across = vertical ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const last = words[side].length - 1;
    let target = null;
    if (event.key === "Escape") {
      kept = null;
      paintLit();
      return;
    }
    if (along.includes(event.key)) target = words[side][index + (event.key === along[1] ? 1 : -1)];
    else if (event.key === "Home") target = words[side][0];
    else if (event.key === "End") target = words[side][last];
    else if (across.includes(event.key)) target = words[other][Math.min(index, words[other].length - 1)];
    else return;
    event.preventDefault();
    target?.node.focus();
  }

  function light(what) {
    hovered = what;
    paintLit();
  }

  function keep(what) {
    kept = what;
    hovered = null; // a pointer that only rests somewhere gives way to the keys
    words[what.side].forEach(({ node }, i) => (node.tabIndex = i === what.index ? 0 : -1));
    paintLit();
    setText(spoken, sentenceOf(what));
  }

  /** In one line each if they fit, as sentences are read; below each other if not. */
  function layOut() {
    links.classList.remove("vertical");
    large.classList.remove("vertical");
    vertical = [askedList, askingList].some((list) => list.scrollWidth > list.clientWidth + 1);
    links.classList.toggle("vertical", vertical);
    large.classList.toggle("vertical", vertical);
    // Below each other, what is written from left to right stands on the left, so that words end at the links.
    links.classList.toggle("turned", vertical && columns.direction === "rtl" && rows.direction === "ltr");
    const at = ({ node }) => {
      const word = boxIn(between, node);
      return vertical ? word.top + word.height / 2 : word.left + word.width / 2;
    };
    const [width, height] = [between.offsetWidth, between.offsetHeight];
    anchors = { rows: words.rows.map(at), columns: words.columns.map(at), width, height };
    anchors.askedFirst = vertical
      ? askedList.getBoundingClientRect().left < askingList.getBoundingClientRect().left
      : true;
  }

  /** One link as a curve from the word that asks, i, to the word that is asked, j. */
  function trace(context, i, j) {
    const { width, height } = anchors;
    const [from, to] = [anchors.rows[i], anchors.columns[j]];
    if (vertical) {
      const [x0, x1] = anchors.askedFirst ? [width, 0] : [0, width];
      context.moveTo(x0, from);
      context.bezierCurveTo(width / 2, from, width / 2, to, x1, to);
    } else {
      context.moveTo(from, height);
      context.bezierCurveTo(from, height / 2, to, height / 2, to, 0);
    }
  }

  function paintFaint() {
    const context = fresh(faint, anchors.width, anchors.height);
    const levels = Array.from({ length: LINK_LEVELS }, () => []);
    map.forEach((code, k) => {
      if (code >= FAINTEST && code !== TINY) {
        levels[Math.min(LINK_LEVELS - 1, Math.floor(valueOf(code) * LINK_LEVELS))].push(k);
      }
    });
    const n = columns.tokens.length;
    levels.forEach((level, strength) => {
      if (!level.length) return;
      const share = (strength + 0.5) / LINK_LEVELS;
      context.beginPath();
      for (const k of level) trace(context, Math.floor(k / n), k % n);
      context.globalAlpha = 0.15 + 0.8 * share;
      context.strokeStyle = AMBER;
      context.lineWidth = 0.6 + 5 * share;
      context.stroke();
    });
  }

  // --- one head large: the map ---
  let heat = { wide: 0, high: 0, left: 0, top: 0 }; // of a cell, and of the words beside them
  const LABEL = '"Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", "Noto Sans", sans-serif';

  function paintCells() {
    const [n, m] = [rows.tokens.length, columns.tokens.length];
    const room = Math.max(180, Math.min(matrix.clientWidth, 1100));
    const context = cells.getContext("2d");
    const presented = root.matches(".presented");
    const size = presented ? READ : Math.max(8, Math.min(14, (room * 0.8) / Math.max(n, m)));
    context.font = `${size}px ${LABEL}`;
    const widest = (tokens) => Math.min(110, Math.max(...tokens.map((token) => context.measureText(token).width)));
    const left = widest(rows.tokens) + 8;
    const top = widest(columns.tokens) * 0.75 + size + 4;
    const right = widest(columns.tokens) * 0.7; // the last slanted word leans out
    // On the page cells are square; in front of a class they are as wide as digits that can be read, and as high as fits.
    const fair = (room - left - right) / m;
    const wide = presented ? Math.max(READ / DIGITS, Math.min(130, fair)) : Math.max(7, Math.min(44, fair));
    const high = presented ? Math.max(1.3 * READ, Math.min(wide, (root.clientHeight - 540) / n)) : wide;
    heat = { wide, high, left, top };
    const [width, height] = [left + m * wide + right, top + n * high + 2];
    cells.style.width = `${width}px`;
    cells.style.height = `${height}px`;
    fresh(cells, width, height);
    context.font = `${size}px ${LABEL}`;
    const shade = shades();
    context.fillStyle = shade.ink;
    context.textBaseline = "middle";
    rows.tokens.forEach((token, i) => {
      context.direction = rows.direction;
      context.textAlign = "right";
      context.fillText(token, left - 5, top + (i + 0.5) * high, left - 6);
    });
    columns.tokens.forEach((token, j) => {
      context.save();
      context.translate(left + (j + 0.5) * wide, top - 4);
      context.rotate(-Math.PI / 4);
      context.direction = columns.direction;
      context.textAlign = "left";
      context.fillText(token, 0, 0);
      context.restore();
    });
    const digits = Math.min(presented ? 40 : 15, wide * DIGITS, high * 0.7);
    context.direction = "ltr";
    context.textAlign = "center";
    context.font = `${digits}px ${LABEL}`;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < m; j++) {
        const k = Math.round(1000 * valueOf(weight(i, j)));
        context.fillStyle = shade.css[k];
        context.fillRect(left + j * wide, top + i * high, Math.ceil(wide), Math.ceil(high));
        if (wide < 28) continue;
        context.fillStyle = shade.inks[k];
        context.fillText(textOf(weight(i, j)), left + (j + 0.5) * wide, top + (i + 0.5) * high);
      }
    }
    context.strokeStyle = shade.ink;
    context.globalAlpha = 0.4;
    context.strokeRect(left, top, m * wide, n * high);
    context.globalAlpha = 1;
  }

  matrix.addEventListener("pointermove", (event) => {
    const [x, y] = within(cells, event);
    const [i, j] = [Math.floor((y - heat.top) / heat.high), Math.floor((x - heat.left) / heat.wide)];
    const inside = i >= 0 && j >= 0 && i < rows.tokens.length && j < columns.tokens.length;
    if (!inside && !hovered) return;
    if (inside && hovered?.side === "rows" && hovered.index === i && hovered.other === j) return;
    light(inside ? { side: "rows", index: i, other: j } : null);
  });
  matrix.addEventListener("pointerleave", () => light(null));
  matrix.addEventListener("click", () => {
    if (hovered) words.rows[hovered.index].node.focus({ preventScroll: true });
  });

  // --- the lit word ---
  const tintOf = (share) => (share < 0.005 ? "" : `rgba(230, 159, 0, ${(0.5 * share).toFixed(2)})`);

  let painted = { node: null, others: null };

  function paintLit() {
    const what = hovered ?? kept;
    faint.style.opacity = what ? 0.25 : 1;
    const context = fresh(lit, anchors.width, anchors.height);
    const others = what && words[what.side === "rows" ? "columns" : "rows"];
    const node = what && words[what.side][what.index].node;
    if (painted.node !== node) {
      painted.node?.classList.remove("current");
      painted.node?.setAttribute("aria-selected", "false");
      node?.classList.add("current");
      node?.setAttribute("aria-selected", "true");
    }
    if (painted.others !== others) painted.others?.forEach(clear);
    painted = { node, others };
    setText(sentence, what ? sentenceOf(what) : restingSentence());
    markCells(what);
    if (!what) return;
    context.strokeStyle = AMBER;
    others.forEach(({ number, node: word }, k) => {
      const code = what.side === "rows" ? weight(what.index, k) : weight(k, what.index);
      const share = valueOf(code);
      setText(number, textOf(code));
      setStyle(word, "background-color", tintOf(share));
      if (share < THINNEST) return;
      context.beginPath();
      if (what.side === "rows") trace(context, what.index, k);
      else trace(context, k, what.index);
      context.globalAlpha = 0.3 + 0.7 * share;
      context.lineWidth = 0.8 + 9 * share;
      context.stroke();
    });
  }

  /** Frames in the map the row or column of the lit word, and the one number that is pointed at. */
  function markCells(what) {
    const { wide, high, left, top } = heat;
    const [n, m] = [rows.tokens.length, columns.tokens.length];
    const frame = (node, x, y, width, height) => {
      node.hidden = width === 0;
      if (width) node.style.transform = `translate(${left + x * wide}px, ${top + y * high}px)`;
      setStyle(node, "width", `${width * wide}px`);
      setStyle(node, "height", `${height * high}px`);
    };
    if (!what) frame(band, 0, 0, 0, 0);
    else if (what.side === "rows") frame(band, 0, what.index, m, 1);
    else frame(band, what.index, 0, 1, n);
    if (what?.other === undefined) frame(spot, 0, 0, 0, 0);
    else frame(spot, what.other, what.index, 1, 1);
  }

  function clear({ number, node }) {
    setText(number, "");
    node.style.removeProperty("background-color");
  }

  /** A token inside a sentence: a Persian word leaves the sentence's order alone, a full stop doesn't end it. */
  const isolated = (token) => `\u2068${/[\p{L}\p{N}]/u.test(token) ? token : `“${token}”`}\u2069`;

  function restingSentence() {
    return columns === rows ? "Every word asks the words of its own sentence." : "The words below ask the words above.";
  }

  function sentenceOf({ side, index }) {
    const [from, others] = side === "rows" ? [rows, columns] : [columns, rows];
    const shares = others.tokens.map((token, k) => [token, side === "rows" ? weight(index, k) : weight(k, index), k]);
    const token = isolated(from.tokens[index]);
    if (side === "rows" && shares.every(([, code]) => !code)) return `${token} may look at nobody: its row is masked.`;
    let writes = "";
    if (side === "rows" && rows.writes.length) writes = ` (read; next it writes ${isolated(rows.writes[index])})`;
    if (side === "rows" && rows.after) writes = ` (written after ${isolated(rows.after[index])})`;
    let named = shares;
    let rest = "";
    if (shares.length > MANY) {
      named = [...shares].sort((a, b) => valueOf(b[1]) - valueOf(a[1]) || a[2] - b[2]).slice(0, LARGEST);
      rest = `; less of the other ${shares.length - LARGEST}`;
    }
    const list = named.map(([other, code]) => `${textOf(code)} ${side === "rows" ? "of" : "by"} ${isolated(other)}`);
    return `${token}${writes} ${side === "rows" ? "takes" : "is taken"}: ${list.join(", ")}${rest}.`;
  }

  // --- every number as a table, made when it is opened ---
  function buildTable() {
    if (!details.open) return;
    const [name, layer, head] = chosen();
    const caption = element("caption", {
      textContent: `${GROUPS[name]}, layer ${layer + 1}, head ${head + 1}: rows ask, columns are asked`,
    });
    const table = tableOf({
      className: "matrix",
      caption,
      shape: [rows.tokens.length, columns.tokens.length],
      row_names: rows.tokens.map((token) => [token, rows.language]),
      column_names: columns.tokens.map((token) => [token, columns.language]),
      head: ([textContent, lang]) => element("bdi", { textContent, lang }),
      cell: (i, j) => element("td", { className: "number", textContent: textOf(weight(i, j)) }),
    });
    scroll.replaceChildren(table);
  }
  details.addEventListener("toggle", buildTable);

  // --- from the state to the page ---
  function updateSentences() {
    const names = Object.keys(model.get("examples"));
    if (sentenceChoice.options.length !== names.length + 1) {
      const typed = element("option", { value: TYPED, textContent: "your own", hidden: true });
      sentenceChoice.replaceChildren(...names.map((name) => element("option", { value: name, textContent: name })), typed);
    }
    const text = textNow();
    exampleLabel.hidden = sentenceChoice.hidden = names.length < 2;
    own.hidden = !model.get("can_translate");
    sentenceChoice.value = names.includes(text) ? text : TYPED;
    const inHand = document.activeElement === sentenceField || talk.pending("show") || model.get("refusal");
    if (!inHand) sentenceField.value = text; // what was refused stays, to be put right
    const off = offSaved();
    for (const control of [sentenceField, translateButton, offSwitch]) control.disabled = off;
    offLabel.hidden = !model.get("can_translate");
    const heads = model.get("switched_off").length;
    setStyle(allOn, "visibility", heads ? "" : "hidden"); // its room is kept
    allOn.disabled = off;
    setText(refusal, model.get("refusal"));
    output.hidden = !shown.output;
    output.replaceChildren();
    const said = (words) => element("bdi", { textContent: words, dir: "auto", lang: shown.target?.language ?? "" });
    output.append(element("b", {}, said(shown.output)));
    if (!heads) return;
    const whole = model.get("whole_output");
    const same = whole === shown.output;
    output.append(` with ${heads} ${heads === 1 ? "head" : "heads"} off; `);
    output.append(same ? "the same as with all heads on" : element("span", {}, "with all heads on: ", said(whole)));
  }

  /** Takes up one head of the group: who asks, who is asked, and how much. */
  function look(layer, head) {
    rows = group.name === "cross" ? asWritten(shown[group.rows]) : shown[group.rows];
    columns = shown[group.columns];
    map = mapOf(group, layer, head);
  }

  /** Makes room for the longest example before it is chosen. A word in hand would be lost by it. */
  function reserve() {
    if (!root.isConnected || !root.clientWidth || links.contains(document.activeElement)) return;
    const length = (of) => Math.max(...of.groups.map((g) => of[g.rows].tokens.length + of[g.columns].tokens.length));
    [shown] = Object.values(model.get("examples")).sort((a, b) => length(b) - length(a));
    codes = unpack("weights");
    group = shown.groups.find(({ name }) => name === chosen()[0]) ?? shown.groups.at(-1);
    look(0, 0);
    buildWords();
    layOut();
    paintCells();
    grow(model.get("text"));
  }

  function update(resized = false) {
    if (resized) reserve();
    if (awaited !== null && !talk.pending("show")) {
      const name = awaited;
      awaited = null;
      if (offSaved()) return showSaved(name);
    }
    const result = model.get("result");
    const computed = result && Object.keys(result).length > 0;
    shown = computed ? result : model.get("examples")[model.get("text")];
    codes = unpack(computed ? "result_weights" : "weights");
    let [name, layer, head] = chosen();
    group = shown.groups.find((g) => g.name === name);
    if (!group || layer >= group.layers || head >= group.heads) {
      group = shown.groups.at(-1);
      [name, layer, head] = [group.name, 0, 0];
      model.set("chosen", [name, layer, head]);
    }
    look(layer, head);
    updateSentences();
    buildGlance();
    updateGroupSwitches();
    setText(title, `${GROUPS[name]}, layer ${layer + 1}, head ${head + 1}`);
    setAttribute(offSwitch, "aria-label", `switch off ${GROUPS[name]}, layer ${layer + 1}, head ${head + 1}`);
    offSwitch.checked = isOff(name, layer, head);
    buildWords();
    draw();
    buildTable();
    tasks.at(computed ? null : [model.get("text"), name, layer, head]); // with all heads on, of a saved sentence
  }

  function draw() {
    if (!root.isConnected || !root.clientWidth) return; // without a place it has neither colours nor a width
    paintThumbs();
    layOut();
    paintFaint();
    paintCells();
    paintLit();
    grow(model.get("text"));
  }

  document.fonts?.ready.then(() => root.isConnected && update());
  return { update };
});
