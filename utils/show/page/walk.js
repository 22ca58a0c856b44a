// The page of a walk through a machine: one box open at a time, what it holds, its numbers, and how one of them is made.
// Columns, and the boxes that are saved with the notebook, are chosen here; all else is asked of Python.

import { control } from "./conversation.js";
import { boxIn, buttonOf, drawing, element, glossOf, isDark, ownSentence } from "./dom.js";
import { setAttribute, setAttributes, setStyle, setText, tableOf, wordOf } from "./dom.js";
import { keepRoom, placeAfter, saidAtRest } from "./look.js";
import { colourOf, inkOn } from "./numbers.js";
import { reach } from "./present.js";
import { formulaParts, levelsOf, orderOf, placeAt, sumText, wayBetween } from "./sums.js";
import { tasksAt } from "./tasks.js";
import { entryText, numberText } from "./texts.js";

const OWN = "\u0000"; // in the menu of sentences, that of the field beside it
const [CELL, PRESENTED] = [68, 92]; // px, of a number with its margins, and in front of a class, where words are larger
const ZOOM = 250; // ms, into a box and out of it
const [MAP, LEVEL, BETWEEN] = [240, 10, 8]; // px: the map's width, the height of a level, and what is between two
const HELP =
  "A click on a box opens it, a click on a number shows how it is made. With keys: Tab leads on, Enter opens, arrows go " +
  "from number to number, Esc closes the sum, and then leads one box up.";

/** A text of formulas, its indices lowered and its exponents raised. */
function formulaOf(text) {
  const set = ({ tag, text: part }) => (tag ? element(tag, {}, ...formulaOf(part)) : part);
  return formulaParts(text).map(set);
}

const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const shapeText = ([rows, columns]) => `${counted(rows, "row")}, ${counted(columns, "column")}`;

export default control("walk-explorer", ({ model, id, root, notice, talk }) => {
  let page = null;
  let from = 0; // the first column in sight, of those in order
  let room = 8; // how many are
  let cells = []; // the tds in sight, row by row
  let place = [0, 0]; // the one that the keys are at
  let isLed = false; // through the steps shown to a class, in which the reader finds nothing
  let built = ""; // for which box, and which columns of it
  const titles = model.get("titles");
  const glosses = model.get("glosses");
  const word = (text) => wordOf(text, glosses);
  const glossed = (text) => text.replace(/“(.+?)”/g, (quoted, of) => quoted + (glossOf(of, glosses) && ` (${glossOf(of, glosses)})`));

  // --- going ---
  function go(where, led = false) {
    isLed = led;
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

  const goButton = (className, { path, title: name }) => buttonOf(className, name, () => go({ path }));

  // --- what is chosen ---
  const sentenceMenu = element("select", { id: `${id}-sentence` });
  const own = ownSentence("Walk", (text) => go({ text }));
  const placeMenu = element("select", { id: `${id}-place`, className: "presets" });
  const reset = buttonOf("reset", "Reset", () => {
    const { text, step } = model.get("saved")[""];
    go({ text, step, path: "" });
  });
  const labelled = (text, field) =>
    element("span", { className: "field" }, element("label", { htmlFor: field.id, textContent: text }), field);
  const placeField = labelled("Go to", placeMenu);
  const start = element("div", { className: "start" }, labelled("Sentence", sentenceMenu), own.node, placeField, reset);
  const refusal = element("p", { className: "refused-sentence", role: "alert" });
  const examples = model.get("examples");
  const option = (name, value = name) => element("option", { value, textContent: name });
  const ownOption = Object.assign(option("your own", OWN), { hidden: true });
  sentenceMenu.append(...examples.map((text) => option(text)), ownOption);
  const places = model.get("places");
  placeMenu.append(Object.assign(option("a lesson's place …", -1), { hidden: true }), ...places.map(({ name }, i) => option(name, i)));
  placeField.hidden = !places.length;
  sentenceMenu.addEventListener("change", () => go({ text: sentenceMenu.value }));
  placeMenu.addEventListener("change", () => {
    const chosen = places[placeMenu.value];
    if (chosen) go({ path: chosen.path }, root.classList.contains("presented"));
  });
  const steps = element("fieldset", { className: "steps" });

  // --- where one is ---
  const crumbs = element("ol");
  const trail = element("nav", { className: "trail", ariaLabel: "the boxes around this one" }, crumbs);
  const beside = element("span", { className: "beside" });
  const map = drawing("svg", { class: "map", "aria-hidden": "true" }); // the line beside it leads to the same boxes
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

  const above = element("div", { className: "above" }, trail, map, beside);
  Object.assign(root, { role: "group", ariaLabel: model.get("alt") });
  const matrix = element("div", { className: "numbers" }, columnBox, sheet);
  const stage = element("div", { className: "stage" }, matrix, work, spoken);
  const tasks = tasksAt(model);
  root.append(tasks.node, start, refusal, steps, notice, above, title, equation, says, said, inputs, inside, stage);
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
    own.show(page.text, talk.pending("go") || model.get("refusal"));
    setText(refusal, model.get("refusal"));
    placeMenu.value = placeAt(places, path, Number(placeMenu.value));
    const key = JSON.stringify(page.writes);
    if (steps.dataset.words !== key) {
      steps.dataset.words = key;
      const radios = page.writes.map((word, i) => {
        const input = element("input", { type: "radio", name: `${id}-step`, value: i + 1 });
        input.addEventListener("change", () => go({ step: i + 1 }));
        return element("label", {}, input, element("span", {}, `${i + 1} `, wordOf(word, glosses)));
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
    updateMap();
    title.replaceChildren(page.trail[last].title, element("span", { className: "shape" }, shapeText(page.shape)));
    equation.replaceChildren(...formulaOf(page.equation));
    says.replaceChildren(...formulaOf(`${glossed(page.says)} ${page.sum}`.trim()));
    said.hidden = !page.said;
    said.replaceChildren(word(page.said));
    inputs.hidden = !page.inputs.length;
    inputs.replaceChildren("made of ", ...page.inputs.map((link) => goButton("crumb", link)));
  }

  /** A row for each box around this one, with all that it holds; below the one that leads on, the next row. */
  function updateMap() {
    const levels = levelsOf(Object.keys(titles), page.path);
    const height = Math.max(0, levels.length * (LEVEL + BETWEEN) - BETWEEN);
    setAttributes(map, { viewBox: `0 0 ${MAP} ${height}`, width: MAP, height });
    map.replaceChildren(
      ...levels.flatMap(({ inside: row, at }, i) => {
        const [wide, top] = [MAP / row.length, i * (LEVEL + BETWEEN)];
        const funnel = `${at * wide},${top + LEVEL} ${(at + 1) * wide},${top + LEVEL} ${MAP},${top + LEVEL + BETWEEN} 0,${top + LEVEL + BETWEEN}`;
        const ticks = row.map((path, k) => {
          const name = drawing("title", {}, titles[path]);
          const place = { x: k * wide + 1, y: top, width: wide - 2, height: LEVEL, rx: 2 };
          const tick = drawing("rect", { ...place, class: k === at ? "on" : "" }, name);
          tick.addEventListener("click", () => go({ path }));
          return tick;
        });
        return i < levels.length - 1 ? [drawing("polygon", { points: funnel }), ...ticks] : ticks;
      }),
    );
    map.toggleAttribute("hidden", !levels.length);
  }

  /** A row of boxes; one that is made of none of the others begins a new line. */
  let drawnDark = false;
  const tip = drawing("marker", { id: `${id}-tip`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 5, markerHeight: 5, orient: "auto" });
  tip.append(drawing("path", { d: "M0 0L8 4L0 8z" }));
  const ways = element("li", { className: "ways", ariaHidden: "true" });
  function updateInside() {
    drawnDark = isDark(root);
    inside.hidden = !page.inside.length;
    const anew = (box, i) => i > 0 && box.anew;
    const gap = () => element("li", { className: "gap", ariaHidden: "true" });
    const boxes = page.inside.flatMap((box, i) => (anew(box, i) ? [gap(), buildBox(box, i)] : [buildBox(box, i)]));
    inside.replaceChildren(ways, ...boxes);
  }

  /** From each box to those that are made of it; and dashed, to the one that reads it in the next pass. */
  function drawWays() {
    const rects = [...inside.querySelectorAll(".box")].map((box) => boxIn(inside, box));
    const way = (from, to, name) =>
      drawing("path", { d: wayBetween(rects[from], rects[to]), class: name, "marker-end": `url(#${tip.id})` });
    const made = page.inside.flatMap(({ after }, i) => after.map((k) => way(k, i, "")));
    const again = page.inside.flatMap((box, i) => (box.again === null ? [] : [way(i, box.again, "again")]));
    ways.replaceChildren(drawing("svg", {}, tip, ...made, ...again));
    inside.classList.toggle("returning", again.length > 0);
  }

  let moving = []; // the motions of the latest zoom

  /** A quarter of a second in which what is shown grows out of a box of the page, or shrinks around it. */
  function zoom({ left, top, width, height }, scale) {
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const nodes = [title, equation, says, said, inputs, inside, stage];
    const motions = nodes.map((node) => {
      const own = boxIn(root, node);
      const transformOrigin = `${left + width / 2 - own.left}px ${top + height / 2 - own.top}px`;
      const frames = [{ transform: `scale(${scale})`, opacity: 0, transformOrigin }, { transform: "none", opacity: 1, transformOrigin }];
      return node.animate(frames, { duration: ZOOM, easing: "ease-out" });
    });
    moving = motions;
    root.classList.add("zooming");
    const rest = () => moving === motions && root.classList.remove("zooming"); // unless the next one has begun
    Promise.allSettled(motions.map(({ finished }) => finished)).then(rest);
  }

  /** Where the box is, among those of the page, that is the one at `path` or holds it. */
  function placeOf(path) {
    const at = page.inside.findIndex((box) => `${path}.`.startsWith(`${box.path}.`));
    return at < 0 ? null : boxIn(root, inside.querySelectorAll(".box")[at]);
  }

  function buildBox(box, i) {
    const { length } = box.picture;
    const picture = element("canvas", { width: box.picture[0]?.length, height: length, hidden: !length, ariaHidden: "true" });
    const small = (textContent, more) => element("span", { className: more ? "small more" : "small", textContent });
    const button = element(
      "button",
      { type: "button", className: box.holds ? "box holds" : "box" },
      picture,
      element("span", { className: /\d/.test(box.title) ? "name numbered" : "name", textContent: box.title }),
      element("span", { className: "formula" }, ...formulaOf(box.equation)),
      small(box.shape.join(" × "), false),
    );
    if (box.holds) button.append(small(`${box.holds} boxes in it`, true));
    const [last] = box.after;
    if (box.after.length > 1 || last < i - 1) button.append(small(`of ${box.after.map((k) => page.inside[k].title).join(", ")}`, true));
    if (box.again !== null) button.append(small(`then in “${page.inside[box.again].title}”`, true));
    if (box.said) button.append(element("span", {}, word(box.said)));
    button.addEventListener("click", () => go({ path: box.path }));
    const colour = colourOf({ low: -9, high: 9, diverging: true }, isDark(root));
    const context = picture.getContext("2d");
    box.picture.forEach((row, r) =>
      row.forEach((value, c) => {
        context.fillStyle = `rgb(${colour(value).join(" ")})`;
        context.fillRect(c, r, 1, 1);
      }),
    );
    return element("li", {}, button);
  }

  // --- the matrix ---
  function buildNumbers() {
    const [rows, columns] = page.shape;
    room = Math.max(3, Math.floor((Math.min(root.clientWidth || 800, 1100) - 130) / (root.matches(".presented") ? PRESENTED : CELL)));
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
      head: word,
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
    const last = cells[place[0]]?.[place[1]];
    if (last) last.td.tabIndex = -1;
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
    say(`Row ${row}, column ${column}: ${numberText(made.lines.at(-1)[1], 6)}`);
    const name = element("h4", {}, "Row ", word(row), ", column ", word(column));
    const close = buttonOf("reset", "Close", () => go({}));
    const parts = [element("div", { className: "head" }, name, close), element("p", {}, ...formulaOf(glossed(made.says)))];
    if (page.sum) parts.push(element("p", { className: "sum", textContent: sumText(made.numbers) }));
    const lines = made.lines.flatMap(([text, value]) => [
      element("dt", {}, ...formulaOf(text)),
      element("dd", { textContent: numberText(value, 6) }),
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
    const entered = moved && placeOf(news.path);
    const left = page?.path;
    page = news;
    updateChoices();
    if (page !== before) {
      const held = moved && root.contains(document.activeElement) && document.activeElement;
      if (moved) [from, place] = [0, [0, 0]];
      updatePlace();
      updateInside();
      buildNumbers();
      updateWork();
      drawWays();
      const back = moved && !entered && placeOf(left);
      if (entered) zoom(entered, 0.3);
      else if (back) zoom(back, 1.6);
      if (held && (!held.isConnected || held.closest(".boxes, td"))) title.focus({ preventScroll: true });
    } else if (resized) {
      if (drawnDark !== isDark(root)) updateInside();
      buildNumbers();
      drawWays();
    }
    grow();
    const isFirst = !before;
    before = page;
    tasks.at(isLed ? null : page.path); // last: a tick is a change, too, and updates again
    if (isFirst) arrive(new URLSearchParams(location.search).get("box") ?? document.documentElement.dataset.box);
  }

  /** Opens the box that a lesson's link names, and brings it into sight. */
  function arrive(path) {
    delete document.documentElement.dataset.box;
    if (!(path in titles)) return;
    go({ path });
    reach(root, () => root.scrollIntoView());
  }

  const end = new AbortController();
  const follow = (event) => {
    const link = event.target.closest?.("a[title]");
    if (link && event.button === 0 && !root.contains(link)) arrive(link.title);
  };
  document.addEventListener("click", follow, { signal: end.signal });
  return { update, end: () => end.abort() };
});
