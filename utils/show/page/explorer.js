// The page of the attention explorer. Python packs the maps; here they are drawn. Everything that only selects is
// answered here: a word lit repaints one transparent canvas above the links and moves two frames above the map.

import { control } from "./conversation.js";
import { element, setAttribute, setText, tableOf } from "./dom.js";
import { glanceOf } from "./glance.js";
import { heatOf } from "./heat.js";
import { linksOf } from "./links.js";
import { keepRoom } from "./look.js";
import { sentenceChoice } from "./sentences.js";
import { shadesUnder } from "./shades.js";
import { tasksAt } from "./tasks.js";
import { GROUPS, briefOf, codesOf, headOf, restingSentence, sentenceOf, textOf } from "./weights.js";

const HELP =
  "Point at a word, or go there with Tab and the arrow keys: its links and numbers light up. A click keeps it, Esc " +
  "lets it go. In the small maps the arrow keys go from head to head. Rows ask, columns are asked; " +
  "the stronger the shade, the larger the weight.";
const RESTING = "Point at a word, or tap it: its links light up.";

export default control("attention-explorer", ({ model, id, root, notice, talk }) => {
  /** @type {{ shown: any, codes?: any } | null} */
  let pass = null; // { shown, codes }: the description, Python's or an example's, and all its maps
  let head = null; // the large one
  let hovered = null; // { side: "rows" or "columns", index, other }, under the pointer
  let kept = null; // the same, clicked or focused

  const onlyLinks = model.get("only_links");
  const [say, atRest] = onlyLinks ? [briefOf, () => RESTING] : [sentenceOf, restingSentence];
  root.classList.toggle("only-links", onlyLinks);
  const shades = shadesUnder(root);
  const sentences = sentenceChoice({ model, id, notice, talk, update });
  const glance = glanceOf({ model, shades, choose, sentences });
  const links = linksOf({ light, keep });
  const heat = heatOf({ root, shades, light, click: links.focus });
  const tasks = tasksAt(model);
  const title = element("h3", { className: "which" });
  const heading = element("div", { className: "heading" }, title, sentences.offLabel, sentences.allOn);
  const sentence = element("p", { className: "sentence" });
  const spoken = element("p", { className: "unseen", ariaLive: "polite" });
  const large = element("div", { className: "large" }, links.node, heat.node);
  const grow = keepRoom(large);
  const sized = () => grow(onlyLinks ? "" : model.get("text")); // above a lesson, all examples have the same height
  const summary = element("summary", { textContent: "All numbers of this head as a table" });
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "all numbers of this head" });
  const details = element("details", { className: "all" }, summary, scroll);
  details.addEventListener("toggle", buildTable);
  root.append(tasks.node, sentences.start, sentences.refusal, sentences.output, glance.node, heading, sentence);
  root.append(spoken, large, details, notice, element("p", { className: "help", textContent: HELP }));

  function choose(...chosen) {
    model.set("chosen", chosen);
    model.save_changes();
    update();
  }

  function light(what) {
    if (JSON.stringify(what) === JSON.stringify(hovered)) return;
    hovered = what;
    paintLit();
  }

  function keep(what) {
    kept = what;
    if (what) hovered = null; // a pointer that only rests somewhere gives way to the keys
    paintLit();
    if (what) setText(spoken, say(what, head));
  }

  function paintLit() {
    const what = hovered ?? kept;
    links.paintLit(what);
    heat.mark(what);
    setText(sentence, what ? say(what, head) : atRest(head));
  }

  /** Every number as a table, made when it is opened. */
  function buildTable() {
    if (!details.open) return;
    const { rows, columns, weight } = head;
    const table = tableOf({
      className: "matrix",
      caption: element("caption", { textContent: `${title.textContent}: rows ask, columns are asked` }),
      shape: [rows.tokens.length, columns.tokens.length],
      row_names: rows.tokens.map((token) => [token, rows.language]),
      column_names: columns.tokens.map((token) => [token, columns.language]),
      head: ([textContent, lang]) => element("bdi", { textContent, lang }),
      cell: (i, j) => element("td", { className: "number", textContent: textOf(weight(i, j)) }),
    });
    scroll.replaceChildren(table);
  }

  function look(...place) {
    head = headOf(pass, ...place);
    if (!links.build(head)) return;
    const first = model.get("lit_row");
    hovered = null;
    kept = typeof first === "number" ? { side: "rows", index: first + (first < 0 ? head.rows.tokens.length : 0) } : null;
  }

  /** Makes room for the longest example before it is chosen. A word in hand would be lost by it. */
  function reserve() {
    if (!root.isConnected || !root.clientWidth || links.node.contains(document.activeElement)) return;
    const length = (of) => Math.max(...of.groups.map((g) => of[g.rows].tokens.length + of[g.columns].tokens.length));
    const [shown] = Object.values(model.get("examples")).sort((a, b) => length(b) - length(a));
    pass = { shown, codes: codesOf(model.get("weights")) };
    look(shown.groups.find(({ name }) => name === model.get("chosen")[0]) ?? shown.groups.at(-1), 0, 0);
    links.layOut();
    heat.paint(head);
    sized();
  }

  function update(resized = false) {
    if (resized) reserve();
    if (sentences.hasFallenBack()) return;
    const computed = Object.keys(model.get("result") ?? {}).length > 0;
    const shown = computed ? model.get("result") : model.get("examples")[model.get("text")];
    pass = { shown, codes: codesOf(model.get(computed ? "result_weights" : "weights")) };
    const has = (of, [name, layer, number]) => of.name === name && layer < of.layers && number < of.heads;
    const isThere = shown.groups.some((of) => has(of, model.get("chosen")));
    if (!isThere) model.set("chosen", [shown.groups.at(-1).name, 0, 0]);
    const [name, layer, number] = model.get("chosen");
    look(shown.groups.find((of) => of.name === name), layer, number);
    sentences.show(shown);
    glance.update(pass);
    setText(title, `${GROUPS[name]}, layer ${layer + 1}, head ${number + 1}`);
    setAttribute(sentences.offSwitch, "aria-label", `switch off ${title.textContent}`);
    draw();
    buildTable();
    tasks.at(computed ? null : [model.get("text"), name, layer, number]); // with all heads on, of a saved sentence
  }

  function draw() {
    if (!root.isConnected || !root.clientWidth) return; // without a place it has neither colours nor a width
    glance.paint(pass);
    links.layOut();
    links.paintFaint();
    heat.paint(head);
    paintLit();
    sized();
  }

  document.fonts?.ready.then(() => root.isConnected && update());
  return { update };
});
