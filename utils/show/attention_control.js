// The page of the attention control, behind parts.js. Python computes; here its text is put on the page, and
// entries are asked for: by typing, by arrow keys, by dragging. Built once; later only what differs is touched.

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
  weights: { name: () => "weights = softmax<span class='small'> of each row</span>", rows: "q", columns: "v" },
  output: { name: () => "output = weights · <i>V</i>", rows: "y", columns: "blank" },
};
const HELP =
  "Change a number: type it and press Enter (Esc takes it back) · drag it sideways, or press its − and + · " +
  "↑ ↓ step by 1, with Shift by 0.1 · Tab goes from matrix to matrix, Ctrl or Alt with an arrow moves inside one. " +
  "Rows and columns count from 1.";

function letter(name, number) {
  return element("span", {}, element("i", { textContent: name }), element("sub", { textContent: number }));
}

/** x₁ set as the other letters are; any other name of a token as it stands. */
function tokenName(token) {
  const [, name, digits] = token.match(/^(\p{L})([₀-₉]+)$/u) ?? [];
  if (!name) return element("span", { className: "word", textContent: token });
  return letter(name, [...digits].map((digit) => digit.codePointAt(0) - 0x2080).join(""));
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
  const className = name === "weights" ? "unseen" : "shape"; // there its name needs the room
  const size = element("span", { className, textContent: `(${rows} × ${columns})` });
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
  return { table, title, rows: [...body.rows], numbers: [...body.querySelectorAll(".number")] };
}

function render({ model, el }) {
  const id = `attention-${Date.now().toString(36)}-${++viewsSoFar}`;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const tables = model.get("view").tables;
  const tokens = model.get("tokens");
  const built = {};
  const root = element("div", { className: "course-control attention-control" });
  const refusal = refusalBox(id);
  const notice = element("p", { className: "notice" });
  notice.setAttribute("role", "status");
  const talk = conversation({ model, id, root, notice, update });
  const { ask, pending } = talk;
  const fields = entryFields({
    model,
    root,
    refusal,
    talk,
    held: (cell) => model.get("inputs")[cell.table][cell.row][cell.column],
    written: (cell) => model.get("view").tables[cell.table].entries[cell.row][cell.column],
    update,
  });

  // --- building ---
  for (const [name, style] of Object.entries(INPUTS)) {
    built[name] = buildTable(name, style, tables[name].shape, tokens, (r, c) => fields.build(name, r, c));
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
  const preset = element("select", { id: `${id}-preset` });
  const own = element("option", { value: "", textContent: "your own numbers", hidden: true });
  const presets = model.get("preset_names").map((name) => element("option", { value: name, textContent: name }));
  preset.append(own, ...presets);
  preset.addEventListener("change", () => ask("numbers", { kind: "preset", name: preset.value }));
  const reset = element("button", { type: "button", className: "reset", textContent: "Reset" });
  reset.addEventListener("click", () => ask("numbers", { kind: "reset" }));
  const who = element("fieldset", {}, element("legend", { textContent: "Who asks?" }), ...radios);
  const scale = element("label", { className: "switch" }, scaled, scaledName, divide);
  const from = element("label", { htmlFor: preset.id, textContent: "Start from" });
  const start = element("div", { className: "start" }, from, preset, reset);
  const sentence = element("p", { className: "sentence" });
  sentence.setAttribute("aria-live", "polite");
  const grid = element("div", { className: "grid" });
  for (const name of Object.keys(built)) {
    if (name === "Q") grid.append(element("div", { className: "controls" }, who, scale, start));
    const box = element("div", { className: `place at-${name}` }, built[name].table);
    grid.append(box);
  }
  const help = element("p", { className: "help", textContent: HELP });
  grid.append(sentence);
  root.append(grid, element("div", { className: "foot" }, notice, help), refusal);

  keepKeys(root);

  // --- from the state to the page ---
  let first = true;

  function flash(td) {
    if (!first && !calm.matches) {
      td.animate([{ backgroundColor: "rgba(230, 159, 0, 0.45)" }, {}], { duration: 350, easing: "ease-out" });
    }
  }

  function updateComputed(name, query) {
    const { tables, queries } = model.get("view");
    const { entries } = tables[name];
    built[name].rows.forEach((tr, r) => {
      entries[r].forEach((text, c) => {
        const td = tr.cells[c + 1];
        if (td.textContent !== text) {
          setText(td, text);
          flash(td);
        }
      });
      if (name === "weights") queries[r].weights.forEach((weight, c) => setWeight(tr.cells[c + 1], weight));
      if (name === "V") setWeight(tr, query.weights[r]);
    });
    fitNumbers(built[name].table, built[name].numbers);
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
    const refused = fields.update();
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
    showRefusal(root, refusal, refused, Object.keys(model.get("refusals")));
    first = false;
  }

  const follow = () => {
    talk.hear();
    update();
  };
  model.on("change", follow);
  const watcher = new ResizeObserver(() => {
    talk.watch();
    update();
  });
  watcher.observe(root);
  el.append(root);
  update();
  return () => {
    model.off("change", follow);
    watcher.disconnect();
    talk.end();
  };
}

export default { render };
