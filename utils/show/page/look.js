// Looking closer at a picture, which the page answers alone: one place among many, by pointer and by keys.

import { ARROWS, element, setAttribute, setStyle, setText } from "./dom.js";

const REST = 500; // ms without a change, after which what is there is said

/**
 * Lets the pointer and the arrow keys choose a place (row, column) on `target`. size(): [rows, columns];
 * locate(event): the place under the pointer or null; show(place or null). Returns what reads the same place anew,
 * after a change of the numbers.
 */
export function lookCloser(target, { size, locate, show }) {
  let place = null;
  const go = (to) => {
    place = to;
    show(place);
  };
  target.tabIndex = 0;
  for (const kind of ["pointermove", "pointerdown"]) {
    target.addEventListener(kind, (event) => {
      const found = locate(event);
      if (found && String(found) !== String(place)) go(found);
    });
  }
  leaving(target, () => go(null));
  target.addEventListener("focus", () => {
    if (target.matches(":focus-visible") && !place) go([0, 0]);
  });
  target.addEventListener("blur", () => go(null));
  target.addEventListener("keydown", (event) => {
    const to = event.key === "Escape" ? null : placeAfter(event, place ?? [0, -1], size());
    if (to === undefined) return;
    if (to) event.preventDefault();
    go(to);
  });
  return () => {
    if (!place) return;
    const [rows, columns] = size();
    if (place[0] < rows && place[1] < columns) show(place);
    else go(null);
  };
}

/** Calls `end` when the pointer leaves a node; what a finger has touched stays until it touches something else. */
export function leaving(node, end) {
  node.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") return end();
    const other = (event) => node.contains(event.target) || end();
    return document.addEventListener("pointerdown", other, { once: true });
  });
}

/** Where a key leads from a place among `rows` × `columns`, or undefined where it leads nowhere; Shift leaps by ten.
 * @param {KeyboardEvent} event @param {number[]} place @param {number[]} size */
export function placeAfter({ key, shiftKey, ctrlKey }, [row, column], [rows, columns]) {
  const held = (value, count) => Math.min(count - 1, Math.max(0, value));
  if (key === "Home") return [ctrlKey ? 0 : held(row, rows), 0];
  if (key === "End") return [ctrlKey ? rows - 1 : held(row, rows), columns - 1];
  const arrow = ARROWS[key];
  const leap = shiftKey ? 10 : 1;
  return arrow && [held(row + leap * arrow[0], rows), held(column + leap * arrow[1], columns)];
}

/**
 * Makes `node` one that a screen reader says when it changes, but only once it has rested: else all ten steps a second of
 * a slider would be said. Returns what sets its text.
 */
export function saidAtRest(node) {
  let timer = 0;
  node.setAttribute("aria-live", "polite");
  return (text) => {
    if (node.textContent === text) return;
    node.setAttribute("aria-busy", "true");
    setText(node, text);
    clearTimeout(timer);
    timer = setTimeout(setAttribute, REST, node, "aria-busy", null);
  };
}

/** The line under a picture that says what is pointed at; its room is kept. Returns what sets its text. */
export function readoutLine(box, textContent = "") {
  const line = element("p", { className: "readout", textContent });
  box.append(line);
  return saidAtRest(line);
}

/**
 * A height that only grows while the width stays, and what it shows is of one thing: what comes and goes must not move
 * what is below.
 */
export function keepRoom(node) {
  let [width, shown] = [0, ""];
  let most = 0;
  return (of = "") => {
    if (node.clientWidth !== width || of !== shown) {
      [width, shown] = [node.clientWidth, of];
      most = 0;
      node.style.minHeight = "";
    }
    most = Math.max(most, node.offsetHeight);
    setStyle(node, "min-height", `${most}px`);
  };
}
