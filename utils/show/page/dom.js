// Nodes: made, and brought up to date where they differ.

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
export const MOST_BUTTONS = 6; // of options side by side; more are a menu

export function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/** A word in the direction of its own letters, with its English where `glosses` has it. */
export function wordOf(text, glosses = {}) {
  const word = element("bdi", { textContent: text, dir: "auto", lang: /\p{Script=Arabic}/u.test(text) ? "fa" : "" });
  const gloss = glossOf(text, glosses);
  return gloss ? element("span", {}, word, element("small", { className: "gloss", textContent: gloss })) : word;
}

/** The English of a word, or "" where it has none or is its own. */
export const glossOf = (text, glosses) => (glosses[text] === text ? "" : (glosses[text] ?? ""));

/** A button, and what a click on it does. */
export function buttonOf(className, textContent, click) {
  const node = element("button", { type: "button", className, textContent });
  node.addEventListener("click", click);
  return node;
}

/** The field for a sentence of one's own, and its button, named `name`; `send` gets what is typed. */
export function ownSentence(name, send) {
  const typed = { className: "typed", type: "text", spellcheck: false, autocomplete: "off" };
  const field = element("input", { ...typed, ariaLabel: "a sentence of your own" });
  const button = buttonOf("reset", name, () => send(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) send(field.value);
  });
  const show = (text, waits) => {
    if (document.activeElement !== field && !waits) field.value = text; // what was refused stays, to be put right
  };
  return { node: element("span", { className: "own" }, field, button), field, button, show };
}

let svg = "";

export function drawing(tag, attributes = {}, ...children) {
  svg ||= element("div", { innerHTML: "<svg></svg>" }).firstChild.namespaceURI;
  const node = document.createElementNS(svg, tag);
  setAttributes(node, attributes);
  node.append(...children);
  return node;
}

export function setText(node, text) {
  const property = node.matches("input, textarea") ? "value" : "textContent";
  if (node[property] !== text) node[property] = text;
}

export function setMarkup(node, markup) {
  if (node.dataset.markup === markup) return; // what the browser makes of it may read differently
  node.dataset.markup = markup;
  node.innerHTML = markup;
}

export function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
  return node;
}

export function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}

/** The text of a title or caption, which takes no room where there is none. */
export function setTitle(node, text) {
  setText(node, text);
  node.hidden = !text;
}

/** Makes `parent` have one child for each item, made by `make`, and lets `set(child, item, i)` bring it up to date. */
export function many(parent, items, make, set) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, i) => set(parent.children[i], item, i));
}

/**
 * A table with heads, made of `name` by `head`: without names they are only heard, as "row 1". `cell(row, column)`
 * gives what stands in each place: a td.
 */
export function tableOf({ className, caption, shape: [rows, columns], row_names, column_names, head = asText, cell }) {
  const unseen = (text) => element("span", { className: "unseen", textContent: text });
  const th = (scope, names, i) =>
    element("th", { scope }, names.length ? head(names[i]) : unseen(`${scope === "col" ? "column" : "row"} ${i + 1}`));
  const counted = (count, make) => Array.from({ length: count }, (_, i) => make(i));
  const top = element("tr", {}, element("td"), ...counted(columns, (c) => th("col", column_names, c)));
  const line = (r) => element("tr", {}, th("row", row_names, r), ...counted(columns, (c) => cell(r, c)));
  const thead = element("thead", { className: column_names.length ? "" : "unseen-row" }, top);
  return element("table", { className }, caption, thead, element("tbody", {}, ...counted(rows, line)));
}

const asText = (name) => element("span", { textContent: name, title: name });

/** A matrix of numbers or of fields for them, under its name and shape. Its names are HTML. */
export function matrixTable({ title, shape, row_names, column_names, cell }) {
  const size = element("span", { className: "shape", textContent: `(${shape.join(" × ")})` });
  const caption = element("caption", {}, element("span", { className: "name", innerHTML: title }), size);
  const head = (name) => element("span", { innerHTML: name });
  return tableOf({ className: "matrix", caption, shape, row_names, column_names, head, cell });
}

/** Marks one of the rows, or none, as the one that is looked at. */
export function lightRows(table, lit) {
  [...table.tBodies[0].rows].forEach((tr, r) => {
    tr.classList.toggle("lit", lit.includes(r));
    setAttribute(tr, "aria-current", lit.includes(r) ? "true" : null);
  });
}

/** Whether what a node is part of stands on a dark page, as `followTheme` has noted. */
export function isDark(node) {
  return Boolean(node.closest(".course-control.dark"));
}

/** Calls `follow` when the page turns dark or light: JupyterLab's theme, the site's look, the system's. */
export function followTheme(follow) {
  const watcher = new MutationObserver(follow);
  watcher.observe(document.body, { attributeFilter: ["data-jp-theme-name"] });
  watcher.observe(document.documentElement, { attributeFilter: ["data-look"] });
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", follow);
  return () => {
    watcher.disconnect();
    system.removeEventListener("change", follow);
  };
}

/** How much larger a node is shown than it takes itself to be: a control in front of a class is scaled. */
export function scaleOf(node) {
  const root = node.closest(".course-control");
  return (root?.offsetWidth && root.getBoundingClientRect().width / root.offsetWidth) || 1;
}

/** Where an event is in a node, in the node's own px. */
export function within(node, { clientX, clientY }) {
  const [{ left, top }, scale] = [node.getBoundingClientRect(), scaleOf(node)];
  return [(clientX - left) / scale, (clientY - top) / scale];
}

/** The box of a node in another one that holds it, in px of their own. */
export function boxIn(outer, node) {
  const [{ x, y, width, height }, { left, top }] = [node, outer].map((one) => one.getBoundingClientRect());
  const scale = scaleOf(outer);
  return new DOMRect((x - left) / scale, (y - top) / scale, width / scale, height / scale);
}

/**
 * Whether a key pressed in a control is meant for the page around it: one with Ctrl, ⌘ or Alt that edits no text and
 * moves nothing (Ctrl+S saves), F1 to F12, and Enter with any of these or Shift, which runs the cell. What types a letter
 * of another layout (AltGr, which is Ctrl+Alt) stays. The key code is the Latin letter in every layout.
 */
export function isForThePage({ key, keyCode, ctrlKey, altKey, metaKey, shiftKey }) {
  const chord = ctrlKey || metaKey;
  if (chord && altKey) return false;
  if (key === "Enter") return chord || altKey || shiftKey;
  if (/^F\d+$/.test(key)) return true;
  if (key.length !== 1) return false;
  const edits = shiftKey ? "VZ" : "ACVXYZ"; // all, copy, paste, cut, redo, undo
  return altKey || (chord && !edits.includes(String.fromCharCode(keyCode)));
}

/**
 * JupyterLab has shortcuts on arrows, Enter, Escape, a, b, d …: what is pressed in a control stays there, but for what
 * is meant for the page. Before Enter runs the cell, no field is in hand.
 */
export function keepKeys(root) {
  root.dataset.lmSuppressShortcuts = "true";
  for (const name of ["keydown", "keyup", "keypress", "dblclick"]) {
    root.addEventListener(name, (event) => {
      if (name === "dblclick" || !isForThePage(event)) event.stopPropagation();
      else if (name === "keydown") letThrough(root, event);
    });
  }
}

function letThrough(root, { key }) {
  if (key === "Enter") root.closest(".jp-Cell")?.focus({ preventScroll: true });
  delete root.dataset.lmSuppressShortcuts;
  setTimeout(() => (root.dataset.lmSuppressShortcuts = "true"));
}
