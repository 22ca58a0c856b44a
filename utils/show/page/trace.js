// Where a number comes from and where it goes: pointing at it frames what makes it and what it makes.

import { boxIn, element, setStyle } from "./dom.js";
import { leaving } from "./look.js";

const PART = /(\w+)\[([^\]]*)\]/g;

/** Return the parts of matrices that a formula such as "Q[i,:] · K[j,:]" takes for entry (i, j): a name, and a row and
 * a column, or null for all. */
export function partsOf(made, [i, j]) {
  const at = { i, j, ":": null };
  return [...made.matchAll(PART)].map(([, name, index]) => {
    const [row, column = null] = index.split(",").map((one) => (one in at ? at[one] : Number(one)));
    return { name, row, column };
  });
}

/** Return the entries that a formula makes of one entry of the matrix `name`: for each part a row and a column, or null
 * for all. */
export function madeOf(made, name, place) {
  const own = [...made.matchAll(PART)].filter((part) => part[1] === name).map((part) => part[2].split(","));
  const at = (index, letter) => (index.includes(letter) ? place[index.indexOf(letter)] : null);
  const fits = (index) => index.every((one, k) => !/^\d+$/.test(one) || Number(one) === place[k]);
  return own.filter(fits).map((index) => ({ row: at(index, "i"), column: at(index, "j") }));
}

/** Return a formula for entry (i, j) with its numbers, which textsOf(part) gives, or "" if it can't be worked out. */
export function workedOut(made, place, textsOf, result) {
  const signed = (text) => (text.startsWith("−") ? `(${text})` : text);
  const parts = partsOf(made, place).map((part) => textsOf(part));
  const product = /\w+\[[^\]]*\] · \w+\[[^\]]*\]/;
  if (product.test(made)) {
    const terms = parts[0].map((text, k) => `${signed(text)} · ${signed(parts[1][k])}`);
    return `${made.replace(product, terms.join(" + "))} = ${result}`;
  }
  if (!made.startsWith("softmax(")) return "";
  const of = parts[0].map((text) => `exp(${text})`);
  return `${of[place[1]]} / (${of.join(" + ")}) = ${result}`;
}

/** Return the first and the last of the `columns` that belong to head n, counted from 1, of so many heads. */
export const columnsOf = (n, heads, columns) => [((n - 1) * columns) / heads, (n * columns) / heads - 1];

const textOf = (cell) => cell.querySelector("input")?.value ?? cell.textContent;

/** Return the cells of a panel or of a matrix of fields, row by row. */
function cellsOf(node) {
  const rows = [...node.querySelectorAll(".strip > li, tbody > tr")];
  return rows.map((row) => (row.matches("li, .bars tr") ? [row] : [...row.cells].slice(1)));
}

/** Let the pointer, a finger and the keys trace the numbers on `stage`; states() returns the panels that are shown. */
export function traced(stage, states) {
  let last = null; // what is pointed at
  const marks = []; // the frames, of which those not needed now are in no panel
  const nodeOf = (name) => stage.querySelector(`[data-name="${name}"]`);

  /** Return the frame around a row, or all, and some columns, or all, of a panel; or null if there is no such place. */
  function frameOf(name, row, columns, kind) {
    const node = nodeOf(name);
    const grid = node ? cellsOf(node) : [];
    const [top, bottom] = row === null ? [grid.at(0), grid.at(-1)] : [grid[row], grid[row]];
    const [left, right] = columns ?? [0, -1];
    if (!top?.at(left) || !bottom?.at(right)) return null;
    const [a, b] = [boxIn(node, top.at(left)), boxIn(node, bottom.at(right))];
    const [x, y, end] = [Math.min(a.left, b.left), a.top, Math.max(a.right, b.right)]; // letters may run from right to left
    const size = { left: x + node.scrollLeft, top: y, width: end - x, height: b.bottom - y };
    return { node, className: `frame ${kind}`, size };
  }

  /** Put the frames where they are wanted; one that is there already stays untouched. */
  function put(frames) {
    while (marks.length < frames.length) marks.push(element("span", { ariaHidden: "true" }));
    marks.forEach((mark, i) => {
      const frame = frames[i];
      if (!frame) return mark.remove();
      if (mark.className !== frame.className) mark.className = frame.className;
      for (const [side, px] of Object.entries(frame.size)) setStyle(mark, side, `${px}px`);
      if (mark.parentNode !== frame.node) frame.node.append(mark);
    });
  }

  /** Frame what belongs to the entry at `place`, or nothing if that is null, and describe it in words if possible. */
  function show(name, place, say = (_text) => {}) {
    last = place && [name, place, say];
    if (!place) {
      put([]);
      return say("");
    }
    const all = states();
    const [row, column] = place;
    const own = all.find((state) => state.name === name);
    const made = own?.made ?? "";
    const [shown, heads] = own?.heads ?? [1, 1];
    const columns = own?.shape?.[1] ?? 1;
    const head = Math.floor((column * heads) / columns) + 1;
    const one = (only) => (only === null ? null : [only, only]);
    const frames = [frameOf(name, row, [column, column], "here")];
    if (heads > 1) frames.push(frameOf(name, null, columnsOf(head, heads, columns), "from"));
    const parts = head === shown ? partsOf(made, place) : [];
    for (const part of parts) frames.push(frameOf(part.name, part.row, one(part.column), "from"));
    for (const state of all) {
      for (const entry of madeOf(state.made ?? "", name, place)) {
        const of = state.heads ? columnsOf(...state.heads, state.shape[1]) : one(entry.column);
        frames.push(frameOf(state.name, entry.row, of, "to"));
      }
    }
    put(frames.filter(Boolean)); // all are measured first
    if (heads > 1) return say(`Column ${column + 1} belongs to head ${head} of ${heads}.`);
    const sum = parts.length ? workedOut(made, place, textsOf, textsOf({ name, row, column })[0]) : "";
    return say(sum && `Row ${row + 1}, column ${column + 1} of ${name}: ${sum}`);
  }

  function textsOf({ name, row, column }) {
    const grid = cellsOf(nodeOf(name));
    const rows = row === null ? grid : [grid[row]];
    return rows.flatMap((cells) => (column === null ? cells : [cells[column]])).map(textOf);
  }

  // A panel with a closer look of its own calls `show`; fields, a mask to paint, bars and tokens are handled here.
  const look = ({ target }) => {
    if (target.closest(".sheet table:is(.matrix, .cells)")) return;
    const cell = target.closest(".parameter td, .bars tr, .strip > li");
    const node = cell?.closest("[data-name]");
    const grid = node ? cellsOf(node) : [];
    const row = grid.findIndex((cells) => cells.includes(cell));
    show(node?.dataset.name, row < 0 ? null : [row, grid[row].indexOf(cell)]);
  };
  const end = () => show("", null);
  for (const kind of ["pointerover", "focusin"]) stage.addEventListener(kind, look);
  stage.addEventListener("focusout", end);
  leaving(stage, end);
  return { show, again: () => last && show(...last) };
}
