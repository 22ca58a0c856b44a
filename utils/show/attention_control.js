// The page of the attention control. Python computes; here its text is put on the page, and entries are
// asked for: by typing, by arrow keys, by dragging. Built once; later only what differs is touched.

const ROOT_DK = "<span class='root'>√<span><i>d</i><sub><i>k</i></sub></span></span>";
const SCORES = (scaled) => "<i>QK</i><sup>⊤</sup>" + (scaled ? `<span class="by">/</span>${ROOT_DK}` : "");
const INPUTS = {
  X: { name: () => "<i>X</i>", columns: "hidden" },
  W_Q: { name: () => "<i>W</i><sub><i>Q</i></sub>", rows: "hidden", columns: "hidden" },
  W_K: { name: () => "<i>W</i><sub><i>K</i></sub>", rows: "hidden", columns: "hidden" },
  W_V: { name: () => "<i>W</i><sub><i>V</i></sub>", rows: "hidden", columns: "hidden" },
};
const COMPUTED = {
  Q: { name: () => "<i>Q</i> = <i>XW</i><sub><i>Q</i></sub>", rows: "q", columns: "hidden" },
  K: { name: () => "<i>K</i> = <i>XW</i><sub><i>K</i></sub>", rows: "k", columns: "hidden" },
  V: { name: () => "<i>V</i> = <i>XW</i><sub><i>V</i></sub>", rows: "v", columns: "hidden" },
  scores: { name: (scaled) => `scores ${SCORES(scaled)}`, rows: "q", columns: "k" },
  weights: { name: () => "weights = softmax", rows: "q", columns: "v" },
  output: { name: () => "output = weights · <i>V</i>", rows: "y", columns: "blank" },
};
const HELP =
  "Change a number: type it and press Enter (Esc takes it back) · drag it sideways, or press its − and + · " +
  "↑ ↓ step by 1, with Shift by 0.1 · Tab goes from matrix to matrix, Ctrl or Alt with an arrow moves inside one. " +
  "Rows and columns count from 1.";
const SAVED = "These are saved numbers. Run the cell (Shift+Enter) and they will follow your hand.";
const PATIENCE = 2000; // ms until an unanswered request means that no Python listens
const PIXELS_PER_STEP = 16;

let viewsSoFar = 0;

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function letter(name, number) {
  return element("span", {}, element("i", { textContent: name }), element("sub", { textContent: number }));
}

/** x₁ set as the other letters are; any other name of a token as it stands. */
function tokenName(token) {
  const [, name, digits] = token.match(/^(\p{L})([₀-₉]+)$/u) ?? [];
  if (!name) return element("span", { className: "word", textContent: token });
  return letter(name, [...digits].map((digit) => digit.codePointAt(0) - 0x2080).join(""));
}

function setText(node, text) {
  const property = node instanceof HTMLInputElement ? "value" : "textContent";
  if (node[property] !== text) node[property] = text;
}

function setMarkup(node, markup) {
  if (node.dataset.markup === markup) return; // what the browser makes of it may read differently
  node.dataset.markup = markup;
  node.innerHTML = markup;
}

function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** A matrix as a real table: caption with name and shape, row and column headers, `fill(row, column)` in the cells. */
function buildTable(name, style, shape, tokens, fill) {
  const [rows, columns] = shape;
  const head = (kind, scope, i) => {
    let content = kind ? letter(kind, i + 1) : tokenName(tokens[i]);
    if (kind === "hidden" || kind === "blank") {
      content = element("span", { className: "unseen", textContent: `${scope === "col" ? "column" : "row"} ${i + 1}` });
    }
    return element("th", { scope }, content);
  };
  const title = element("span", { className: "name" });
  const size = element("span", { className: "shape", textContent: `(${rows} × ${columns})` });
  const caption = element("caption", {}, title, size);
  const top = element("tr", {}, element("td"));
  for (let c = 0; c < columns; c++) top.append(head(style.columns, "col", c));
  const body = element("tbody");
  for (let r = 0; r < rows; r++) {
    const tr = element("tr", {}, head(style.rows, "row", r));
    for (let c = 0; c < columns; c++) tr.append(fill(r, c));
    body.append(tr);
  }
  const thead = element("thead", { className: style.columns === "hidden" ? "unseen-row" : "" }, top);
  const table = element("table", { className: `matrix of-${name}` }, caption, thead, body);
  return { table, title, rows: [...body.rows] };
}

function render({ model, el }) {
  const id = `attention-${Date.now().toString(36)}-${++viewsSoFar}`;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const tables = model.get("view").tables;
  const tokens = model.get("tokens");
  const cells = new Map(); // "W_K,0,1" -> the entry and what is being typed into it
  const built = {};
  const root = element("div", { className: "attention-control" });
  root.dataset.lmSuppressShortcuts = "true";

  // --- asking Python: one request under way, and of those that wait only the newest per entry ---
  const waiting = new Map();
  let asked = null;
  let patience = 0;
  let lastAnswer = model.get("answer");
  let requests = 0;

  function ask(key, request) {
    waiting.delete(key);
    waiting.set(key, request);
    sendNext();
  }

  function sendNext() {
    if (asked || !waiting.size) return;
    const [key, request] = waiting.entries().next().value;
    waiting.delete(key);
    asked = { ...request, key, id: `${id}-${++requests}` };
    patience = setTimeout(giveUp, PATIENCE);
    try {
      model.send(asked);
    } catch {
      // no connection: giveUp says so in due time
    }
  }

  function giveUp() {
    asked = null;
    waiting.clear();
    notice.classList.add("on");
    setText(notice, SAVED);
    update();
  }

  function hear() {
    const answer = model.get("answer");
    if (answer === lastAnswer) return;
    lastAnswer = answer;
    notice.classList.remove("on");
    setText(notice, "");
    if (asked?.id !== answer) return;
    clearTimeout(patience);
    asked = null;
    sendNext();
  }

  const pending = (key) => waiting.get(key) ?? (asked?.key === key ? asked : undefined);

  // --- the editable entries ---
  const held = (cell) => model.get("inputs")[cell.table][cell.row][cell.column];

  function textOf(cell) {
    const sent = cell.draft ?? pending(cell.key)?.text ?? model.get("refusals")[cell.key]?.text;
    if (sent !== undefined) return sent;
    if (document.activeElement === cell.input) return String(held(cell)); // all digits while in hand
    return model.get("view").tables[cell.table].entries[cell.row][cell.column];
  }

  function commit(cell) {
    const text = cell.draft;
    cell.draft = undefined;
    if (text !== undefined && text !== pending(cell.key)?.text) {
      ask(cell.key, { kind: "edit", table: cell.table, row: cell.row, column: cell.column, text });
    }
    update();
  }

  function takeBack(cell) {
    cell.draft = undefined;
    if (model.get("refusals")[cell.key]) {
      cell.draft = String(held(cell)); // the good number clears the refusal
      commit(cell);
    }
    update();
  }

  /** The number to step from: the newest one, even where Python has not heard of it yet. */
  function numberIn(cell) {
    const text = (cell.draft ?? pending(cell.key)?.text ?? "").trim().replace("−", "-");
    return text && Number.isFinite(Number(text)) ? Number(text) : held(cell);
  }

  function step(cell, change) {
    cell.draft = String(Number((numberIn(cell) + change).toPrecision(12))); // 0.1 + 0.2 shall read 0.3
    commit(cell);
    if (document.activeElement === cell.input) cell.input.select();
  }

  function move(cell, down, right) {
    const target = cells.get(`${cell.table},${cell.row + down},${cell.column + right}`);
    if (target) target.input.focus();
  }

  const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  function press(cell, event) {
    const arrow = ARROWS[event.key];
    if (event.key === "Enter") {
      commit(cell);
      cell.input.select();
    } else if (event.key === "Escape") {
      takeBack(cell);
      cell.input.select();
    } else if (arrow && (event.ctrlKey || event.altKey || event.metaKey)) {
      event.preventDefault();
      move(cell, ...arrow);
    } else if (arrow && arrow[0]) {
      event.preventDefault();
      step(cell, -arrow[0] * (event.shiftKey ? 0.1 : 1));
    }
  }

  function scrub(cell, start) {
    if (start.button !== 0) return;
    let anchor = start.clientX;
    let dragging = false;
    const drag = (event) => {
      const steps = Math.trunc((event.clientX - anchor) / PIXELS_PER_STEP);
      if (!dragging && Math.abs(event.clientX - anchor) > 4) {
        dragging = true;
        cell.input.setPointerCapture(start.pointerId);
        root.classList.add("scrubbing");
      }
      if (dragging) window.getSelection()?.removeAllRanges();
      if (!steps) return;
      anchor += steps * PIXELS_PER_STEP;
      step(cell, steps * (event.shiftKey ? 0.1 : 1));
    };
    const drop = () => {
      cell.input.removeEventListener("pointermove", drag);
      cell.input.removeEventListener("pointerup", drop);
      cell.input.removeEventListener("pointercancel", drop);
      root.classList.remove("scrubbing");
      if (!dragging && document.activeElement !== cell.input) cell.input.focus(); // a click: to type
      else if (!dragging) cell.input.select();
    };
    start.preventDefault(); // else the browser would select text while the value is dragged
    cell.input.addEventListener("pointermove", drag);
    cell.input.addEventListener("pointerup", drop);
    cell.input.addEventListener("pointercancel", drop);
    cell.input.setPointerCapture(start.pointerId);
  }

  function buildEntry(table, row, column) {
    const input = element("input", {
      type: "text",
      inputMode: "decimal",
      autocomplete: "off",
      spellcheck: false,
      tabIndex: row + column === 0 ? 0 : -1,
      ariaLabel: `${table} row ${row + 1} column ${column + 1}`,
    });
    const key = `${table},${row},${column}`;
    const cell = { key, table, row, column, input, draft: undefined };
    const stepper = (sign, change) => {
      const button = element("button", { type: "button", className: "step", tabIndex: -1, textContent: sign });
      button.setAttribute("aria-hidden", "true"); // the arrow keys do the same
      button.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the focus where it is
      button.addEventListener("click", (event) => step(cell, change * (event.shiftKey ? 0.1 : 1)));
      return button;
    };
    const box = element("div", { className: "entry" }, stepper("−", -1), input, stepper("+", 1));
    input.addEventListener("input", () => {
      cell.draft = input.value;
      setLength(cell);
    });
    input.addEventListener("keydown", (event) => press(cell, event));
    input.addEventListener("pointerdown", (event) => scrub(cell, event));
    input.addEventListener("focus", () => {
      for (const other of cells.values()) if (other.table === table) other.input.tabIndex = other === cell ? 0 : -1;
      update();
      input.select();
    });
    input.addEventListener("blur", () => commit(cell));
    cell.box = box;
    cells.set(key, cell);
    return element("td", {}, box);
  }

  function setLength(cell) {
    const length = cell.input.value.length;
    const size = length > 6 ? "longest" : length > 5 ? "longer" : length > 4 ? "long" : "short";
    if (cell.box.dataset.length !== size) cell.box.dataset.length = size;
  }

  // --- building ---
  for (const [name, style] of Object.entries(INPUTS)) {
    built[name] = buildTable(name, style, tables[name].shape, tokens, (r, c) => buildEntry(name, r, c));
  }
  for (const [name, style] of Object.entries(COMPUTED)) {
    built[name] = buildTable(name, style, tables[name].shape, tokens, () => element("td", { className: "number" }));
    if (["K", "V"].includes(name)) continue;
    built[name].table.classList.add("choosable");
    built[name].rows.forEach((tr, i) => tr.addEventListener("click", () => choose(i + 1)));
  }

  function choose(query) {
    if (query === model.get("query")) return;
    model.set("query", query);
    model.save_changes();
    update();
  }

  const radios = tokens.map((token, i) => {
    const input = element("input", { type: "radio", name: `${id}-query`, value: i + 1 });
    input.addEventListener("change", () => choose(i + 1));
    return element("label", {}, input, tokenName(token));
  });
  const scaled = element("input", { type: "checkbox" });
  scaled.addEventListener("change", () => ask("scaled", { kind: "scaled", value: scaled.checked }));
  const divide = element("span", { innerHTML: `scores ÷ ${ROOT_DK}` });
  divide.setAttribute("aria-hidden", "true");
  const scaledName = element("span", { className: "unseen", textContent: "divide the scores by the root of d k" });
  const preset = element("select", { ariaLabel: "Numbers to start from" });
  const own = element("option", { value: "", textContent: "your own numbers", hidden: true });
  const presets = model.get("preset_names").map((name) => element("option", { value: name, textContent: name }));
  preset.append(own, ...presets);
  preset.addEventListener("change", () => ask("numbers", { kind: "preset", name: preset.value }));
  const reset = element("button", { type: "button", className: "reset", textContent: "Reset" });
  reset.addEventListener("click", () => ask("numbers", { kind: "reset" }));
  const who = element("fieldset", {}, element("legend", { textContent: "Who asks?" }), ...radios);
  const scale = element("label", { className: "switch" }, scaled, scaledName, divide);
  const start = element("div", { className: "start" }, preset, reset);
  const sentence = element("p", { className: "sentence" });
  sentence.setAttribute("aria-live", "polite");
  const notice = element("p", { className: "notice" });
  notice.setAttribute("role", "status");
  const refusal = element("div", { className: "refusal", id: `${id}-refusal` });
  refusal.setAttribute("role", "alert");
  const grid = element("div", { className: "grid" });
  for (const name of Object.keys(built)) {
    if (name === "Q") grid.append(element("div", { className: "controls" }, who, scale, start));
    const box = element("div", { className: `place at-${name}` }, built[name].table);
    grid.append(box);
  }
  const help = element("p", { className: "help", textContent: HELP });
  root.append(grid, sentence, element("div", { className: "foot" }, notice, help), refusal);

  // JupyterLab has shortcuts on arrows, Enter, Escape, a, b, d …: what is pressed here stays here.
  for (const name of ["keydown", "keyup", "keypress"]) root.addEventListener(name, (event) => event.stopPropagation());
  root.addEventListener("dblclick", (event) => event.stopPropagation());

  // --- from the state to the page ---
  let first = true;

  function flash(td) {
    if (!first && !calm.matches) {
      td.animate([{ backgroundColor: "rgba(230, 159, 0, 0.45)" }, {}], { duration: 350, easing: "ease-out" });
    }
  }

  function updateEntry(cell) {
    setText(cell.input, textOf(cell));
    setLength(cell);
    const refused = cell.draft === undefined && !pending(cell.key) && model.get("refusals")[cell.key];
    const inHand = document.activeElement === cell.input;
    cell.box.classList.toggle("refused", Boolean(refused));
    setAttribute(cell.input, "aria-invalid", refused ? "true" : null);
    setAttribute(cell.input, "aria-describedby", refused ? refusal.id : null);
    setAttribute(cell.input, "title", refused ? refused.sentence : inHand ? null : String(held(cell)));
    return refused;
  }

  function updateRefusal(refused) {
    const latest = refused.find(([cell]) => cell.input === document.activeElement) ?? refused.at(-1);
    refusal.classList.toggle("on", Boolean(latest));
    setText(refusal, latest ? latest[1].sentence : "");
    if (!latest) return;
    const page = root.getBoundingClientRect();
    const box = latest[0].box.getBoundingClientRect();
    const left = Math.max(0, Math.min(box.left - page.left, page.width - refusal.offsetWidth));
    refusal.style.left = `${left}px`;
    refusal.style.top = `${box.bottom - page.top + 7}px`;
    refusal.style.setProperty("--tip", `${box.left + box.width / 2 - page.left - left}px`);
  }

  function updateComputed(name, query) {
    const { tables, queries } = model.get("view");
    const { entries } = tables[name];
    built[name].rows.forEach((tr, r) => {
      entries[r].forEach((text, c) => {
        const td = tr.cells[c + 1];
        if (td.textContent !== text) {
          setText(td, text);
          td.classList.toggle("long", text.length > 6);
          flash(td);
        }
      });
      if (name === "weights") queries[r].weights.forEach((weight, c) => setWeight(tr.cells[c + 1], weight));
      if (name === "V") setWeight(tr, query.weights[r]);
    });
  }

  function setWeight(node, weight) {
    const text = weight.toFixed(4);
    if (node.style.getPropertyValue("--weight") !== text) node.style.setProperty("--weight", text);
  }

  function updateLit(name, query) {
    built[name].rows.forEach((tr, r) => {
      tr.classList.toggle("lit", query.lit[name] === r);
      if (name !== "X") setAttribute(tr, "aria-current", query.lit[name] === r ? "true" : null);
    });
  }

  function update() {
    const chosen = model.get("query");
    const query = model.get("view").queries[chosen - 1];
    const isScaled = pending("scaled")?.value ?? model.get("scaled");
    // Python tells the refusals in the order in which they came, and the latest is to be read first
    const order = Object.keys(model.get("refusals"));
    const refused = [];
    for (const cell of cells.values()) {
      const reason = updateEntry(cell);
      if (reason) refused.push([cell, reason]);
    }
    refused.sort((a, b) => order.indexOf(a[0].key) - order.indexOf(b[0].key));
    for (const name of Object.keys(built)) {
      setMarkup(built[name].title, (INPUTS[name] ?? COMPUTED[name]).name(model.get("scaled")));
      if (COMPUTED[name]) updateComputed(name, query);
      updateLit(name, query);
    }
    radios.forEach((label, i) => (label.firstChild.checked = i + 1 === chosen));
    if (scaled.checked !== isScaled) scaled.checked = isScaled;
    const numbers = pending("numbers");
    const shownPreset = numbers?.name ?? model.get("preset");
    if (preset.value !== shownPreset) preset.value = shownPreset;
    setText(sentence, query.sentence);
    updateRefusal(refused);
    first = false;
  }

  const follow = () => {
    hear();
    update();
  };
  model.on("change", follow);
  const watcher = new ResizeObserver(() => update());
  watcher.observe(root);
  el.append(root);
  update();
  return () => {
    model.off("change", follow);
    watcher.disconnect();
    clearTimeout(patience);
  };
}

export default { render };
