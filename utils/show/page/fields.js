// What can be turned: a field for each kind of parameter, and for each number of a matrix.

import { ARROWS, MOST_BUTTONS, element, lightRows, matrixTable, setAttribute, setStyle, setText, tableOf } from "./dom.js";
import { parseEntry } from "./entry.js";
import { placeAfter } from "./look.js";
import { widthOf } from "./numbers.js";
import { numberText } from "./texts.js";

const PIXELS_PER_STEP = 16;
const HOLD = 400; // ms until a − or + that is held down repeats
const REPEAT = 80;

/** Return a typed number as { value }, or { sentence } that says why it is none. */
function read(text) {
  try {
    return { value: parseEntry(text) };
  } catch (refused) {
    return { sentence: refused.message };
  }
}

/** Fields for the numbers of matrices: typed, stepped by arrow keys or − and +, dragged. */
export function entryFields({ model, root, refusal, talk: { ask, pending }, update, changed }) {
  const cells = new Map(); // "W_K,0,1" -> the entry and what is being typed into it
  const held = ({ table, row, column }) => model.get("values")[table][row][column];

  function textOf(cell) {
    const sent = cell.draft ?? pending(cell.key)?.text ?? model.get("refusals")[cell.key]?.text;
    if (sent !== undefined) return sent;
    if (document.activeElement === cell.input) return String(held(cell)); // all digits while in hand
    return numberText(held(cell));
  }

  function commit(cell) {
    const text = cell.draft;
    cell.draft = undefined;
    if (text !== undefined && text !== pending(cell.key)?.text) {
      const { table, row, column } = cell;
      ask(cell.key, { kind: "edit", table, row, column, text, ...read(text) });
    }
    update();
  }

  function takeBack(cell) {
    cell.draft = undefined;
    if (pending(cell.key) || model.get("refusals")[cell.key]) {
      cell.draft = String(held(cell)); // the good number clears the refusal
      commit(cell);
    }
    update();
  }

  /** The number to step from: the newest one, even where Python has not heard of it yet. */
  function numberIn(cell) {
    return read(cell.draft ?? pending(cell.key)?.text ?? "").value ?? held(cell);
  }

  function step(cell, change) {
    cell.draft = String(Number((numberIn(cell) + change).toPrecision(12))); // 0.1 + 0.2 shall read 0.3
    commit(cell);
    if (document.activeElement === cell.input) cell.input.select();
  }

  function press(cell, event) {
    const arrow = ARROWS[event.key];
    if (event.key === "Enter" && event.shiftKey) return; // runs the cell
    if (event.key === "Enter") {
      commit(cell);
      cell.input.select();
    } else if (event.key === "Escape") {
      takeBack(cell);
      cell.input.select();
    } else if (arrow && (event.ctrlKey || event.altKey || event.metaKey)) {
      event.preventDefault();
      cells.get(`${cell.table},${cell.row + arrow[0]},${cell.column + arrow[1]}`)?.input.focus();
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
    const end = new AbortController();
    const drop = () => {
      end.abort();
      root.classList.remove("scrubbing");
      if (!dragging && document.activeElement !== cell.input) cell.input.focus(); // a click: to type
      else if (!dragging) cell.input.select();
    };
    start.preventDefault(); // else the browser would select text while the value is dragged
    cell.input.addEventListener("pointermove", drag, end);
    for (const kind of ["pointerup", "pointercancel"]) cell.input.addEventListener(kind, drop, end);
    cell.input.setPointerCapture(start.pointerId);
  }

  /** The cell of a table that holds the field for one number. */
  function build(table, row, column) {
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
      const hidden = { tabIndex: -1, ariaHidden: "true" }; // the arrow keys do the same
      const button = element("button", { type: "button", className: "step", textContent: sign, ...hidden });
      let timer = 0;
      const release = () => {
        clearTimeout(timer);
        timer = 0;
        box.classList.remove("holding");
        window.removeEventListener("pointerup", release);
      };
      button.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // keeps the focus where it is
        if (event.button !== 0) return;
        const by = change * (event.shiftKey ? 0.1 : 1);
        const repeat = () => {
          step(cell, by);
          timer = root.isConnected ? setTimeout(repeat, timer ? REPEAT : HOLD) : 0;
        };
        release();
        box.classList.add("holding"); // they stay while the number gets longer
        window.addEventListener("pointerup", release);
        repeat();
      });
      for (const name of ["pointerleave", "pointercancel"]) button.addEventListener(name, release);
      button.addEventListener("click", (event) => {
        if (!event.detail) step(cell, change * (event.shiftKey ? 0.1 : 1)); // not by a pointer, which has stepped
      });
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
    input.addEventListener("blur", () => (input.value.trim() ? commit(cell) : takeBack(cell)));
    cell.box = box;
    cells.set(key, cell);
    return element("td", {}, box);
  }

  function setLength(cell) {
    const width = widthOf(cell.input.value);
    const size = width > 2.2 ? "long" : "short"; // −0.5 is short: − and + have room beside it
    setStyle(cell.box, "--em", Math.max(0.56, width).toFixed(2));
    if (cell.box.dataset.length !== size) cell.box.dataset.length = size;
  }

  function updateEntry(cell) {
    setText(cell.input, textOf(cell));
    setLength(cell);
    if (cell.known !== held(cell)) {
      if (cell.known !== undefined) changed(cell.input, 0);
      cell.known = held(cell);
    }
    const refused = cell.draft === undefined && !pending(cell.key) && model.get("refusals")[cell.key];
    const inHand = document.activeElement === cell.input;
    setAttribute(cell.input, "title", refused ? refused.sentence : inHand ? null : String(held(cell)));
    return mark(cell, refused, refusal);
  }

  /** update() puts Python's numbers into the fields and returns those refused. */
  return { build, update: () => [...cells.values()].flatMap(updateEntry) };
}

/** Marks a field { key, box, input } as refused, or no longer; returns the refused one, with the sentence, in a list. */
function mark({ key, box, input }, reason, refusal) {
  box.classList.toggle("refused", Boolean(reason));
  setAttribute(input, "aria-invalid", reason ? "true" : null);
  setAttribute(input, "aria-describedby", reason ? refusal.id : null);
  return reason ? [{ key, box, input, sentence: reason.sentence }] : [];
}

// --- the parameters ---

/** The field of a parameter: { node, large, update }, where update() returns what was refused. */
export function buildParameter(parameter, tools) {
  const { model, id, talk, refusal } = tools;
  const { name } = parameter;
  const asked = () => talk.pending(name)?.value ?? model.get("refusals")[name]?.value ?? model.get("values")[name];
  const tell = (value) => {
    talk.ask(name, { kind: "set", name, value });
    tools.update();
  };
  const { node, input, update } = FIELDS[parameter.kind]({ parameter, asked, tell, fieldId: `${id}-${name}`, tools });
  node.dataset.name = name;
  return {
    node,
    large: node.matches(".large"),
    update: () => {
      update();
      const reason = !talk.pending(name) && model.get("refusals")[name];
      return mark({ key: name, box: node, input: input() }, reason, refusal);
    },
  };
}

const label = (fieldId, name) => element("label", { htmlFor: fieldId }, typeset(name));

/** Return a name as formulas write it: T, d_k or √d_k; any other name stays as it is, and so does the word I. */
function typeset(name) {
  const [, root, letter, below = ""] = /^(√?)(?!I$)(\p{L})(?:_(\w+))?$/u.exec(name) ?? [];
  if (!letter) return name;
  const italic = (textContent) => element("i", { textContent });
  const symbol = element("span", {}, italic(letter), ...(below ? [element("sub", {}, below.length > 1 ? below : italic(below))] : []));
  return root ? element("span", { className: "root" }, root, symbol) : symbol;
}

/** One of a few, side by side. */
function radios({ parameter, asked, tell, fieldId }, words) {
  const inputs = parameter.options.map((option, value) => {
    const input = element("input", { type: "radio", name: fieldId, value });
    input.addEventListener("change", () => tell(option));
    return input;
  });
  const labels = inputs.map((input, i) => element("label", {}, input, words(i)));
  const legend = element("legend", {}, typeset(parameter.label));
  const update = () => inputs.forEach((input, i) => (input.checked = parameter.options[i] === asked()));
  const node = element("fieldset", { className: "parameter choice" }, legend, ...labels);
  return { node, input: () => inputs.find(({ checked }) => checked) ?? inputs[0], update };
}

const FIELDS = {
  slider({ parameter, asked, tell, fieldId }) {
    const { stops } = parameter;
    const texts = stops.map((stop) => numberText(stop));
    const input = element("input", { type: "range", id: fieldId, min: 0, max: stops.length - 1, step: 1 });
    const value = element("output", { className: "value", ariaHidden: "true" }); // the slider says it
    value.style.minWidth = `${Math.max(...texts.map((text) => text.length))}ch`;
    input.addEventListener("input", () => tell(stops[Number(input.value)]));
    const both = [texts[0], texts.at(-1)].map((textContent) => element("span", { textContent }));
    const ends = element("div", { className: "ends", ariaHidden: "true" }, ...both);
    const top = element("div", { className: "top" }, label(fieldId, parameter.label), value);
    const node = element("div", { className: "parameter slider" }, top, input, ends);
    const update = () => {
      const at = String(stops.indexOf(asked()));
      setText(input, at);
      setText(value, texts[at]);
      setAttribute(input, "aria-valuetext", texts[at]);
      setStyle(input, "--share", `${(100 * Number(at)) / Math.max(1, stops.length - 1)}%`);
    };
    return { node, input: () => input, update };
  },

  choice(field) {
    const { parameter, asked, tell, fieldId } = field;
    const { options } = parameter;
    const texts = options.map((option) => (typeof option === "string" ? option : numberText(option)));
    if (options.length <= MOST_BUTTONS && texts.join("").length <= 60) {
      return radios(field, (at) => element("span", {}, typeset(texts[at])));
    }
    const choices = texts.map((textContent, value) => element("option", { value, textContent }));
    const select = element("select", { id: fieldId }, ...choices);
    select.addEventListener("change", () => tell(options[Number(select.value)]));
    const update = () => {
      const at = String(options.indexOf(asked()));
      if (select.value !== at) select.value = at;
    };
    const node = element("div", { className: "parameter choice" }, label(fieldId, parameter.label), select);
    return { node, input: () => select, update };
  },

  /** Answered by the page alone, so it works in a saved notebook too. Its names are HTML. */
  row({ parameter, fieldId, tools: { model, chooseRow } }) {
    const field = { parameter, fieldId, asked: () => model.get("row"), tell: chooseRow };
    return radios(field, (at) => element("span", { innerHTML: parameter.names[at] }));
  },

  toggle({ parameter, asked, tell }) {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => tell(input.checked));
    const words = element("span", { innerHTML: parameter.label });
    const node = element("label", { className: "parameter switch" }, input, words);
    const update = () => {
      if (input.checked !== asked()) input.checked = asked();
    };
    return { node, input: () => input, update };
  },

  text({ parameter, asked, tell, fieldId }) {
    const several = parameter.lines > 1;
    const tag = several ? "textarea" : "input";
    const maxLength = parameter.max_length;
    const input = element(tag, { id: fieldId, dir: "auto", maxLength, autocomplete: "off", spellcheck: false });
    if (several) input.rows = parameter.lines;
    let composing = false; // an input method is at work: what is there is no text yet
    input.addEventListener("compositionstart", () => (composing = true));
    const send = () => tell(input.value.replace(/\s*\n\s*/g, " ")); // one paragraph, even where several are pasted
    input.addEventListener("compositionend", () => {
      composing = false;
      send();
    });
    input.addEventListener("input", () => composing || send());
    input.addEventListener("beforeinput", (event) => {
      if (event.inputType === "insertLineBreak") event.preventDefault(); // Enter: what is typed has been sent already
    });
    const update = () => composing || setText(input, asked());
    const className = `parameter text${several ? " several" : ""}`;
    return { node: element("div", { className }, label(fieldId, parameter.label), input), input: () => input, update };
  },

  paint({ parameter, asked, tell, tools }) {
    const { row_names, column_names, label } = parameter;
    const [rows, columns] = [row_names.length, column_names.length];
    const tall = Math.max(...column_names.map((name) => name.length)) > 3;
    const cells = row_names.map((row, r) =>
      column_names.map((column, c) =>
        element("button", { type: "button", ariaLabel: `${label}, ${row}, ${column}`, tabIndex: r + c ? -1 : 0 }),
      ),
    );
    const table = tableOf({
      className: `paint${tall ? " tall" : ""}`,
      caption: element("caption", { textContent: label }),
      shape: [rows, columns],
      row_names,
      column_names,
      cell: (r, c) => element("td", {}, cells[r][c]),
    });
    const at = (/** @type {number[]} */ [r, c]) => cells[r][c];
    let last = [0, 0];
    const placeOf = (node) => {
      const td = node?.closest?.("tbody td");
      return table.contains(td ?? null) ? [td.parentElement.sectionRowIndex, td.cellIndex - 1] : null;
    };
    const paint = (/** @type {number[]} */ [r, c], on) => {
      const held = asked();
      if (held[r][c] !== on) tell(held.map((row, i) => (i === r ? row.map((cell, j) => (j === c ? on : cell)) : row)));
    };
    const stay = (place) => {
      at(last).tabIndex = -1;
      last = place;
      at(last).tabIndex = 0;
    };
    table.addEventListener("pointerdown", (start) => {
      const place = placeOf(start.target);
      if (!place || start.button !== 0) return;
      start.preventDefault(); // else the browser would drag or select
      if (start.target.hasPointerCapture?.(start.pointerId)) start.target.releasePointerCapture(start.pointerId);
      stay(place);
      at(place).focus({ preventScroll: true });
      const on = !asked()[place[0]][place[1]];
      paint(place, on);
      const over = (event) => {
        const under = placeOf(tools.root.getRootNode().elementFromPoint(event.clientX, event.clientY));
        if (under) paint(under, on);
      };
      const end = new AbortController();
      window.addEventListener("pointermove", over, end);
      for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, () => end.abort(), end);
    });
    table.addEventListener("keydown", (event) => {
      const place = placeOf(event.target);
      if (!place) return;
      const turns = event.key === " " || event.key === "Enter";
      if (turns) paint(place, !asked()[place[0]][place[1]]);
      const to = turns ? place : placeAfter(event, place, [rows, columns]);
      if (!to) return;
      event.preventDefault();
      stay(to);
      at(to).focus();
    });
    const update = () => {
      const held = asked();
      cells.forEach((row, r) => row.forEach((button, c) => setAttribute(button, "aria-pressed", String(held[r][c]))));
    };
    const node = element("div", { className: "parameter large" }, table);
    return { node, input: () => at(last), update };
  },

  entries({ parameter, tools: { model, fields } }) {
    const { name, label, chosen, ...names } = parameter;
    const table = matrixTable({ ...names, title: label, cell: (r, c) => fields.build(name, r, c) });
    const node = element("div", { className: "parameter large" }, table);
    const update = () => chosen && lightRows(table, [model.get("row")]);
    return { node, input: () => table.querySelector("input"), update };
  },
};
