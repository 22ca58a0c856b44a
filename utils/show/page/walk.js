// The page of a walk through a machine: one box open at a time, what it holds, its numbers, and how one of them is made.
// Columns, and the boxes that are saved with the notebook, are chosen here; all else is asked of Python.

import { control } from "./conversation.js";
import { element, isDark, setAttribute, setStyle, setText, tableOf } from "./dom.js";
import { keepRoom, placeAfter, saidAtRest } from "./look.js";
import { colourOf, inkOn, numberText } from "./numbers.js";
import { entryText, formulaParts, orderOf, placeAt, sumText } from "./sums.js";

const OWN = "\u0000"; // in the menu of sentences, that of the field beside it
const CELL = 68; // px, of a number with its margins
const HELP =
  "A click on a box opens it, a click on a number shows how it is made. With keys: Tab leads on, Enter opens, arrows go " +
  "from number to number, Esc closes the sum, and then leads one box up.";

/** A word in the direction of its own letters. */
function wordOf(text) {
  return element("bdi", { textContent: text, dir: "auto", lang: /\p{Script=Arabic}/u.test(text) ? "fa" : "" });
}

/** A text of formulas, its indices lowered and its exponents raised. */
function formulaOf(text) {
  const set = ({ tag, text: part }) => (tag ? element(tag, {}, ...formulaOf(part)) : part);
  return formulaParts(text).map(set);
}

const shapeText = ([rows, columns]) => `${rows} × ${columns}`;

export default control("walk-explorer", ({ model, id, root, notice, talk }) => {
  let page = null;
  let from = 0; // the first column in sight, of those in order
  let room = 8; // how many are
  let cells = []; // the tds in sight, row by row
  let place = [0, 0]; // the one that the keys are at
  let built = ""; // for which box, and which columns of it

  // --- going ---
  function go(where) {
    const request = { text: page.text, step: page.step, path: page.path, entry: null, ...where };
    const saved = model.get("saved");
    const same = saved[""].text === request.text && saved[""].step === request.step;
    if (same && !request.entry && saved[request.path] && !talk.pending("go")) {
      model.set("page", saved[request.path]);
      model.set("refusal", "");
      model.save_changes();
    } else talk.ask("go", { kind: "go", ...request });
    update();
  }

  function goButton(className, { path, title }) {
    const button = element("button", { type: "button", className, textContent: title });
    button.addEventListener("click", () => go({ path }));
    return button;
  }

  // --- what is chosen ---
  const sentenceMenu = element("select", { id: `${id}-sentence` });
  const typed = { className: "typed", type: "text", spellcheck: false, autocomplete: "off" };
  const sentenceField = element("input", { ...typed, ariaLabel: "a sentence of your own" });
  const walkButton = element("button", { type: "button", className: "reset", textContent: "Walk" });
  const placeMenu = element("select", { id: `${id}-place`, className: "presets" });
  const reset = element("button", { type: "button", className: "reset", textContent: "Reset" });
  const labelled = (text, field) =>
    element("span", { className: "field" }, element("label", { htmlFor: field.id, textContent: text }), field);
  const own = element("span", { className: "own" }, sentenceField, walkButton);
  const placeField = labelled("Go to", placeMenu);
  const start = element("div", { className: "start" }, labelled("Sentence", sentenceMenu), own, placeField, reset);
  const refusal = element("p", { className: "refused-sentence", role: "alert" });
  const examples = model.get("examples");
  const option = (name, value = name) => element("option", { value, textContent: name });
  const ownOption = Object.assign(option("your own", OWN), { hidden: true });
  sentenceMenu.append(...examples.map((text) => option(text)), ownOption);
  const places = model.get("places");
  placeMenu.append(Object.assign(option("a lesson's place …", -1), { hidden: true }), ...places.map(({ name }, i) => option(name, i)));
  placeField.hidden = !places.length;
  const walkOwn = () => go({ text: sentenceField.value });
  sentenceMenu.addEventListener("change", () => go({ text: sentenceMenu.value }));
  walkButton.addEventListener("click", walkOwn);
  sentenceField.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) walkOwn();
  });
  placeMenu.addEventListener("change", () => {
    const chosen = places[placeMenu.value];
    if (chosen) go({ path: chosen.path });
  });
  reset.addEventListener("click", () => {
    const { text, step } = model.get("saved")[""];
    go({ text, step, path: "" });
  });
  const steps = element("fieldset", { className: "steps" });

  // --- where one is ---
  const crumbs = element("ol");
  const trail = element("nav", { className: "trail", ariaLabel: "the boxes around this one" }, crumbs);
  const beside = element("span", { className: "beside" });
  const title = element("h3", { className: "which", tabIndex: -1 });
  const equation = element("p", { className: "equation" });
  const says = element("p", { className: "says" });
  const said = element("p", { className: "said" });
  const inputs = element("p", { className: "inputs" });
  const inside = element("ol", { className: "boxes", ariaLabel: "the boxes in it" });

  // --- its numbers ---
  const columnField = element("input", { type: "range", min: 0, id: `${id}-columns` });
  const columnLabel = element("label", { htmlFor: columnField.id });
  const columnBox = element("div", { className: "columns" }, columnLabel, columnField);
  const sheet = element("div", { className: "sheet" });
  const work = element("section", { className: "work", ariaLabel: "how this number is made" });
  const spoken = element("p", { className: "unseen" });
  const say = saidAtRest(spoken);
  columnField.addEventListener("input", () => {
    from = Number(columnField.value);
    buildNumbers();
  });

  const above = element("div", { className: "above" }, trail, beside);
  root.setAttribute("role", "group");
  setAttribute(root, "aria-label", model.get("alt"));
  const matrix = element("div", { className: "numbers" }, columnBox, sheet);
  const stage = element("div", { className: "stage" }, matrix, work, spoken);
  root.append(start, refusal, steps, notice, above, title, equation, says, said, inputs, inside, stage);
  root.append(element("p", { className: "help", textContent: HELP }));

  root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (page.work) go({});
    else if (page.trail.length > 1) go({ path: page.trail.at(-2).path });
  });

  const grow = keepRoom(root); // a box is not as high as the one around it

  // --- from the state to the page ---
  function updateChoices() {
    const { text, step, path } = talk.pending("go") ?? page; // as asked for, if not yet answered
    sentenceMenu.value = examples.includes(text) ? text : OWN;
    const inHand = document.activeElement === sentenceField || talk.pending("go") || model.get("refusal");
    if (!inHand) sentenceField.value = page.text; // what was refused stays, to be put right
    setText(refusal, model.get("refusal"));
    placeMenu.value = placeAt(places, path, Number(placeMenu.value));
    const key = JSON.stringify(page.writes);
    if (steps.dataset.words !== key) {
      steps.dataset.words = key;
      const radios = page.writes.map((word, i) => {
        const input = element("input", { type: "radio", name: `${id}-step`, value: i + 1 });
        input.addEventListener("change", () => go({ step: i + 1 }));
        return element("label", {}, input, element("span", {}, `${i + 1} `, wordOf(word)));
      });
      steps.replaceChildren(element("legend", { textContent: "The word that is being written" }), ...radios);
    }
    steps.querySelectorAll("input").forEach((input, i) => (input.checked = i + 1 === step));
  }

  function updatePlace() {
    const last = page.trail.length - 1;
    const crumb = (link, i) =>
      i === last ? element("b", { textContent: link.title, ariaCurrent: "location" }) : goButton("crumb", link);
    crumbs.replaceChildren(...page.trail.map((link, i) => element("li", {}, crumb(link, i))));
    const next = [page.before && goButton("reset", page.before), page.after && goButton("reset", page.after)];
    next[0]?.prepend("← ");
    next[1]?.append(" →");
    beside.replaceChildren(...next.filter(Boolean));
    title.replaceChildren(page.trail[last].title, element("span", { className: "shape" }, `(${shapeText(page.shape)})`));
    equation.replaceChildren(...formulaOf(page.equation));
    says.replaceChildren(...formulaOf(`${page.says} ${page.sum}`.trim()));
    said.hidden = !page.said;
    said.replaceChildren(wordOf(page.said));
    inputs.hidden = !page.inputs.length;
    inputs.replaceChildren("made of ", ...page.inputs.map((link) => goButton("crumb", link)));
  }

  /** A row of boxes; one that is made of none of the others begins a new line. */
  let drawnDark = false;
  function updateInside() {
    drawnDark = isDark(root);
    inside.hidden = !page.inside.length;
    const anew = (box, i) => i > 0 && box.anew;
    const gap = () => element("li", { className: "gap", ariaHidden: "true" });
    inside.replaceChildren(...page.inside.flatMap((box, i) => (anew(box, i) ? [gap(), buildBox(box, i)] : [buildBox(box, i)])));
  }

  function buildBox(box, i) {
    const { length } = box.picture;
    const picture = element("canvas", { width: box.picture[0]?.length, height: length, hidden: !length, ariaHidden: "true" });
    const size = box.holds ? `${shapeText(box.shape)} · ${box.holds} boxes` : shapeText(box.shape);
    const button = element(
      "button",
      { type: "button", className: box.holds ? "box holds" : "box" },
      picture,
      element("span", { className: "name", textContent: box.title }),
      element("span", { className: "formula" }, ...formulaOf(box.equation)),
      element("span", { className: "small", textContent: size }),
    );
    const [last] = box.after;
    if (box.after.length > 1 || last < i - 1) {
      const names = box.after.map((k) => page.inside[k].title).join(", ");
      button.append(element("span", { className: "small", textContent: `of ${names}` }));
    }
    if (box.said) button.append(element("span", {}, wordOf(box.said)));
    button.addEventListener("click", () => go({ path: box.path }));
    const colour = colourOf({ low: -9, high: 9, diverging: true }, isDark(root));
    const context = picture.getContext("2d");
    box.picture.forEach((row, r) =>
      row.forEach((value, c) => {
        context.fillStyle = `rgb(${colour(value).join(" ")})`;
        context.fillRect(c, r, 1, 1);
      }),
    );
    return element("li", { className: box.after.includes(i - 1) ? "follows" : "" }, button);
  }

  // --- the matrix ---
  function buildNumbers() {
    const [rows, columns] = page.shape;
    room = Math.max(3, Math.floor((Math.min(root.clientWidth || 800, 1100) - 130) / CELL));
    const count = Math.min(room, columns);
    from = Math.min(from, columns - count);
    columnBox.hidden = columns <= room;
    columnField.max = columns - count;
    columnField.value = from;
    const order = orderOf(page).slice(from, from + count);
    const by = page.order.length ? ", the largest of the last row first" : "";
    setText(columnLabel, `columns ${from + 1} to ${from + count} of ${columns}${by}`);
    const key = JSON.stringify([page.path, page.text, page.step, order, isDark(root)]);
    if (key === built) return;
    built = key;
    const most = Math.max(...page.values.flat().map((value) => Math.abs(value ?? 0)), 1e-12);
    const colour = colourOf({ low: -most, high: most, diverging: true }, isDark(root));
    cells = Array.from({ length: rows }, () => []);
    const table = tableOf({
      className: "matrix",
      caption: element("caption", { className: "unseen", textContent: page.trail.at(-1).title }),
      shape: [rows, count],
      row_names: page.rows,
      column_names: order.map((j) => page.columns[j]),
      head: wordOf,
      cell: (i, c) => {
        const value = page.values[i][order[c]];
        const td = element("td", { className: "number", textContent: entryText(value), tabIndex: -1 });
        const shade = colour(value ?? 0);
        if (page.amounts) {
          setStyle(td, "background-color", `rgb(${shade.join(" ")})`);
          setStyle(td, "color", inkOn(shade));
        }
        td.addEventListener("click", () => choose(i, c));
        td.addEventListener("focus", () => (place = [i, c]));
        cells[i][c] = { td, column: order[c] };
        return td;
      },
    });
    table.addEventListener("keydown", move);
    place = [Math.min(place[0], rows - 1), Math.min(place[1], count - 1)];
    cells[place[0]][place[1]].td.tabIndex = 0;
    sheet.replaceChildren(table);
    markEntry();
  }

  function choose(i, c) {
    focusOn(i, c);
    go({ entry: [i, cells[i][c].column] });
  }

  function focusOn(i, c) {
    cells[place[0]]?.[place[1]] && (cells[place[0]][place[1]].td.tabIndex = -1);
    cells[i][c].td.tabIndex = 0;
    cells[i][c].td.focus({ preventScroll: true });
  }

  function move(event) {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(...place);
      return;
    }
    const to = placeAfter(event, place, [cells.length, cells[0].length]);
    if (!to) return;
    event.preventDefault();
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step && to[1] === place[1]) {
      // beyond the last column in sight: the next one comes into it
      from = Math.max(0, from + step);
      buildNumbers();
    }
    focusOn(...to);
  }

  function markEntry() {
    cells.forEach((line, i) =>
      line.forEach(({ td, column }) => {
        const is = page.work?.row === i && page.work.column === column;
        td.classList.toggle("chosen", is);
        setAttribute(td, "aria-current", is ? "true" : null);
      }),
    );
  }

  // --- how a number is made ---
  function updateWork() {
    const made = page.work;
    markEntry();
    const key = made ? JSON.stringify([page.path, page.text, page.step, made.row, made.column]) : "";
    if (work.dataset.of === key) return;
    work.dataset.of = key;
    work.hidden = !made;
    if (!made) {
      work.replaceChildren();
      return;
    }
    const [row, column] = [page.rows[made.row], page.columns[made.column]];
    say(`Row ${row}, column ${column}: ${numberText(made.lines.at(-1)[1] ?? -Infinity, 6).replace("Infinity", "∞")}`);
    const name = element("h4", {}, "Row ", wordOf(row), ", column ", wordOf(column));
    const close = element("button", { type: "button", className: "reset", textContent: "Close" });
    close.addEventListener("click", () => go({}));
    const parts = [element("div", { className: "head" }, name, close), element("p", {}, ...formulaOf(made.says))];
    if (page.sum) parts.push(element("p", { className: "sum", textContent: sumText(made.numbers) }));
    const lines = made.lines.flatMap(([text, value]) => [
      element("dt", {}, ...formulaOf(text)),
      element("dd", { textContent: numberText(value ?? -Infinity, 6).replace("Infinity", "∞") }),
    ]);
    parts.push(element("dl", {}, ...lines));
    if (made.names.length) {
      const table = tableOf({
        className: "matrix terms",
        caption: element("caption", { className: "unseen", textContent: "all terms" }),
        shape: [made.names.length, made.columns.length],
        row_names: made.names,
        column_names: made.columns,
        head: (name) => element("bdi", { dir: "auto" }, ...formulaOf(name)),
        cell: (i, c) => element("td", { className: "number", textContent: entryText(made.numbers[i][c], 5) }),
      });
      const scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "all terms" }, table);
      parts.push(scroll);
      work.replaceChildren(...parts);
      const own = !page.sum && made.names.length === page.columns.length && table.tBodies[0].rows[made.column];
      if (own) {
        own.classList.add("this");
        scroll.scrollTop = own.offsetTop - scroll.clientHeight / 2;
      }
    } else work.replaceChildren(...parts);
  }

  let before = null;

  function update(resized = false) {
    const news = model.get("page");
    const moved = page && page.path !== news.path;
    page = news;
    updateChoices();
    if (page !== before) {
      const held = moved && root.contains(document.activeElement) && document.activeElement;
      if (moved) [from, place] = [0, [0, 0]];
      updatePlace();
      updateInside();
      buildNumbers();
      updateWork();
      if (held && (!held.isConnected || held.closest(".boxes, td"))) title.focus({ preventScroll: true });
    } else if (resized) {
      if (drawnDark !== isDark(root)) updateInside();
      buildNumbers();
    }
    grow();
    before = page;
  }

  return { update };
});
