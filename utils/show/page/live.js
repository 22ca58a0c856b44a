// The page of the live control. Python computes; here its panels are put on the page, and the parameters are asked
// for. Built once; a panel is built anew only when its shape changes, else what differs in it is set in place. What
// only looks closer (a cell, a point of a curve), or chooses a row, is answered here, without Python.

import { buildLines, buildPoints } from "./axes.js";
import { control, showRefusal } from "./conversation.js";
import { MOST_BUTTONS, buttonOf, element, setAttribute } from "./dom.js";
import { buildParameter, entryFields } from "./fields.js";
import { keepRoom, readoutLine } from "./look.js";
import { buildBars, buildCanvas, buildCells, buildDrawing, buildMatrix, buildNote, buildTokens } from "./panels.js";
import { taskList } from "./tasks.js";
import { traced } from "./trace.js";
import { followedWay, stepsOf } from "./way.js";

// className: how wide its sheet is; shape: what it is built anew for; fits: whether it is drawn to the sheet's width
const PANELS = {
  heatmap: {
    className: ({ written }) => (written ? "snug" : "wide"),
    shape: ({ shape, row_names, column_names, diverging }) => [shape, row_names, column_names, diverging],
    build: (box, state, tools) => (state.written ? buildCells(box, state, tools) : buildCanvas(box, state)),
    fits: ({ written }) => !written,
  },
  matrix: {
    className: () => "snug",
    shape: ({ shape, name, row_names, column_names }) => [shape, name, row_names, column_names],
    build: buildMatrix,
  },
  lines: { className: () => "wide", build: buildLines, fits: () => true },
  bars: { className: () => "half", build: buildBars },
  points: { className: ({ y_ticks }) => (y_ticks ? "wide" : "full"), build: buildPoints, fits: () => true },
  tokens: { className: () => "full", build: buildTokens },
  drawing: { className: () => "full", build: buildDrawing },
  note: { className: () => "full", build: buildNote },
};

/** Of the panels those that are drawn: the last one may only say which tasks are done. */
const drawn = (panels) => panels.filter(({ kind }) => kind in PANELS);

export default control("live-control", ({ model, id, root, notice, talk }) => {
  const refusal = element("div", { className: "refusal", id: `${id}-refusal`, role: "alert" });
  const way = followedWay();
  const typed = model.get("parameters").some(({ kind }) => kind === "entries"); // a slider changes all, all the time
  const fields = entryFields({ model, root, refusal, talk: { ...talk, ask }, update, changed });
  /** @type {Record<string, any>} */
  const tools = { model, id, root, talk, refusal, fields, chooseRow, changed, update, readoutOf: readoutLine };

  const [arrangement, help] = [model.get("arrangement"), model.get("help")];

  /** Asks for a number; what still glows would only delay the answer. */
  function ask(...request) {
    way.rest();
    talk.ask(...request);
  }

  function chooseRow(row) {
    if (row === model.get("row")) return;
    model.set("row", row);
    model.save_changes();
    update();
  }

  // --- presets and reset ---
  const names = model.get("preset_names");
  const preset = names.length > MOST_BUTTONS || arrangement ? presetMenu() : presetButtons();
  const reset = buttonOf("reset", "Reset", () => talk.ask("all", { kind: "reset" }));

  function presetButtons() {
    const buttons = names.map((name) => buttonOf("preset", name, () => talk.ask("all", { kind: "preset", name })));
    const mark = (chosen) => buttons.forEach((b, i) => setAttribute(b, "aria-pressed", String(names[i] === chosen)));
    return { nodes: buttons, mark };
  }

  function presetMenu() {
    const own = element("option", { value: "", textContent: "your own numbers", hidden: true });
    const options = names.map((name) => element("option", { value: name, textContent: name }));
    const select = element("select", { id: `${id}-preset`, className: "presets" }, own, ...options);
    select.addEventListener("change", () => talk.ask("all", { kind: "preset", name: select.value }));
    const mark = (chosen) => {
      if (select.value !== chosen) select.value = chosen;
    };
    return { nodes: [element("label", { htmlFor: select.id, textContent: "Start from" }), select], mark };
  }

  // --- building ---
  const parameters = model.get("parameters").map((parameter) => buildParameter(parameter, tools));
  const nodes = (large) => parameters.filter((parameter) => parameter.large === large).map(({ node }) => node);
  const ends = typed ? [way.button, reset] : [reset]; // the button is unseen at first, and would leave a hole at the end
  const start = element("div", { className: "start" }, element("div", { className: "choices" }, ...preset.nodes), ...(arrangement ? ends.reverse() : ends));
  const turned = element("div", { className: "parameters" }, ...nodes(false));
  const stage = element("div", { className: "stage" }, ...nodes(true));
  const trace = model.get("panels").some(({ made }) => made) ? traced(stage, () => drawn(model.get("panels"))) : null;
  const line = element("div", { className: "traced" });
  const readout = readoutLine(line); // one for all panels, if numbers are traced
  if (trace) Object.assign(tools, { trace: trace.show, readoutOf: () => readout });
  const tasks = taskList(model.get("tasks"));
  Object.assign(root, { role: "group", ariaLabel: model.get("alt") });
  if (arrangement) {
    // a style sheet puts all in its place, each matrix in the area of its name; in the order of the keys what is edited comes before what is switched
    root.classList.add(arrangement);
    for (const node of nodes(true)) node.style.gridArea = node.dataset.name;
    stage.append(element("div", { className: "controls" }, turned, start));
    const foot = element("div", { className: "foot" }, notice, element("p", { className: "help", textContent: help }));
    foot.append(line); // in place of the help
    root.append(tasks.node, stage, foot);
  } else {
    const plain = !names.length; // such as what a lesson opens with: its knobs are beside the drawing
    root.classList.toggle("plain", plain);
    if (plain) stage.append(element("div", { className: "knobs" }, turned, start));
    root.append(notice, ...(plain ? [tasks.node] : [start, tasks.node, turned]), stage, ...(trace ? [line] : []));
  }
  root.append(refusal);
  const slots = [];
  const grow = keepRoom(stage);
  let measuring = false; // nothing has changed but the room

  // --- from the state to the page ---
  let step = 0; // in which the panel is made that is being brought up to date

  /** Notes a number that a hand has changed, or what follows from it. */
  function changed(cell, at = step) {
    if (typed && !measuring) way.note(at, cell);
  }

  function slotFor(state, i) {
    const { className, shape, build } = PANELS[state.kind];
    const key = JSON.stringify([state.kind, className(state), shape?.(state)]);
    if (slots[i]?.key === key) return slots[i];
    const node = element("div", { className: `sheet ${className(state)} ${state.kind}` });
    if (state.name) node.dataset.name = state.name;
    if (state.name && arrangement) node.style.gridArea = state.name;
    node.classList.toggle("away", Boolean(slots[i]?.node.matches(".away"))); // put away in front of a class, it stays so
    if (slots[i]) slots[i].node.replaceWith(node);
    else stage.append(node);
    slots[i] = { key, node, update: build(node, state, tools), state: null, row: 0, width: 0 };
    return slots[i];
  }

  /** Brings the panels up to date, and tells whether anything was drawn. */
  function updatePanels(panels, resized) {
    const row = model.get("row");
    const isDrawn = ({ state }, i) => state === panels[i] && slots[i].row === row;
    if (!resized && slots.length === panels.length && slots.every(isDrawn)) return false;
    while (slots.length > panels.length) slots.pop().node.remove();
    panels.forEach(slotFor);
    const steps = stepsOf(panels.map(({ name }) => name));
    const widths = panels.map(widthFor); // all are measured before the first is changed, lest the page be laid out once for each
    const draw = (slot, i) => {
      step = steps[i];
      Object.assign(slot, { state: panels[i], row, width: widths[i] });
      slot.update(slot.state, slot.width);
    };
    slots.forEach((slot, i) => (resized || !isDrawn(slot, i) || slot.width !== widths[i]) && draw(slot, i));
    panels.map(widthFor).forEach((width, i) => { // what has changed its neighbour's room is drawn to it
      if (width === widths[i]) return;
      widths[i] = width;
      draw(slots[i], i);
    });
    return true;
  }

  /** The room in the sheet of a panel that is drawn to it. */
  function widthFor(state, i) {
    if (!PANELS[state.kind].fits?.(state)) return 0;
    const { node } = slots[i];
    const style = getComputedStyle(node);
    return Math.floor(node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
  }

  /** Makes room for the largest preset before it is chosen: each part keeps the height that it has had. */
  function reserve() {
    for (const panels of model.get("room")) {
      updatePanels(drawn(panels), true);
      grow();
    }
  }

  function update(resized = false) {
    measuring = resized;
    if (resized) reserve();
    const isNew = updatePanels(drawn(model.get("panels")), resized);
    tasks.mark(model.get("ticked"));
    measuring = false;
    const refused = [...fields.update(), ...parameters.flatMap((parameter) => parameter.update())];
    const all = model.get("refusals")[""]; // of a preset: there is no field to put it beside
    if (all) refused.push({ key: "", box: start, input: reset, sentence: all.sentence });
    preset.mark(talk.pending("all")?.name ?? model.get("preset"));
    if (isNew) grow(); // what is below the control stays where it is
    showRefusal(root, refusal, refused, Object.keys(model.get("refusals")));
    if (isNew) trace?.again();
    way.show();
  }

  return { update };
});
