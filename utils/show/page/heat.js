// The map of one head: a cell for each pair of words, with its number where there is room.

import { element, glossOf, setStyle, within } from "./dom.js";
import { fresh } from "./shades.js";
import { textOf, valueOf } from "./weights.js";

const DIGITS = 0.3; // of a cell's width: so high are digits of which <0.001 fits
const READ = 20; // px of what must be read in front of a class, before all is scaled
const named = ({ tokens, glosses }) => tokens.map((token) => `${token} ${glossOf(token, glosses)}`.trim());
const LABEL = '"Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", "Noto Sans", sans-serif';

/** The map: { node, paint(head), mark(what) }; `light` gets the cell that is pointed at or null, `click` its row. */
export function heatOf({ root, shades, light, click }) {
  const cells = element("canvas", { className: "cells", ariaHidden: "true" });
  const [band, spot] = ["mark", "mark spot"].map((className) => element("div", { className, ariaHidden: "true" }));
  const node = element("div", { className: "heat" }, cells, band, spot);
  let head = null;
  let [n, m] = [0, 0]; // rows and columns
  let [wide, high, left, top] = [0, 0, 0, 0]; // px: of a cell, and of the words beside them

  function paint(next) {
    head = next;
    [n, m] = [head.rows.tokens.length, head.columns.tokens.length];
    const presented = root.matches(".presented");
    const room = Math.max(180, Math.min(node.clientWidth, 1100));
    const font = `${presented ? READ : Math.max(8, Math.min(14, (room * 0.8) / Math.max(n, m)))}px ${LABEL}`;
    const [width, height] = measure(presented, room, font);
    cells.style.width = `${width}px`;
    cells.style.height = `${height}px`;
    const context = fresh(cells, width, height);
    context.font = font;
    context.fillStyle = context.strokeStyle = shades().ink;
    paintNames(context);
    context.font = `${Math.min(presented ? 40 : 15, wide * DIGITS, high * 0.7)}px ${LABEL}`;
    paintNumbers(context);
    context.globalAlpha = 0.4;
    context.strokeRect(left, top, m * wide, n * high);
  }

  /** Finds how large a cell is, and returns the size of all. */
  function measure(presented, room, font) {
    const context = cells.getContext("2d");
    context.font = font;
    const widest = (side) => Math.min(130, Math.max(...named(side).map((name) => context.measureText(name).width)));
    left = widest(head.rows) + 8;
    top = widest(head.columns) * 0.75 + parseFloat(font) + 4;
    const right = widest(head.columns) * 0.7; // the last slanted word leans out
    // On the page cells are square; in front of a class they are as wide as digits that can be read, and as high as fits.
    const fair = (room - left - right) / m;
    wide = presented ? Math.max(READ / DIGITS, Math.min(130, fair)) : Math.max(7, Math.min(44, fair));
    high = presented ? Math.max(1.3 * READ, Math.min(wide, (root.clientHeight - 580) / n)) : wide;
    return [left + m * wide + right, top + n * high + 2];
  }

  function paintNames(context) {
    context.textBaseline = "middle";
    context.direction = head.rows.direction;
    context.textAlign = "right";
    named(head.rows).forEach((name, i) => context.fillText(name, left - 5, top + (i + 0.5) * high, left - 6));
    context.direction = head.columns.direction;
    context.textAlign = "left";
    named(head.columns).forEach((name, j) => {
      context.save();
      context.translate(left + (j + 0.5) * wide, top - 4);
      context.rotate(-Math.PI / 4);
      context.fillText(name, 0, 0);
      context.restore();
    });
  }

  function paintNumbers(context) {
    const { css, inks } = shades();
    context.direction = "ltr";
    context.textAlign = "center";
    head.map.forEach((code, at) => {
      const [x, y] = [left + (at % m) * wide, top + Math.floor(at / m) * high];
      const k = Math.round(1000 * valueOf(code));
      context.fillStyle = css[k];
      context.fillRect(x, y, Math.ceil(wide), Math.ceil(high));
      if (wide < 28) return;
      context.fillStyle = inks[k];
      context.fillText(textOf(code), x + wide / 2, y + high / 2);
    });
  }

  /** Frames the row or column of the lit word, and the one number that is pointed at. */
  function mark(what) {
    const frame = (box, x, y, width, height) => {
      box.style.transform = `translate(${left + x * wide}px, ${top + y * high}px)`;
      setStyle(box, "width", `${width * wide}px`);
      setStyle(box, "height", `${height * high}px`);
    };
    band.hidden = !what;
    spot.hidden = what?.other === undefined;
    if (what?.side === "rows") frame(band, 0, what.index, m, 1);
    if (what?.side === "columns") frame(band, what.index, 0, 1, n);
    if (!spot.hidden) frame(spot, what.other, what.index, 1, 1);
  }

  function cellAt(event) {
    const [x, y] = within(cells, event);
    const [i, j] = [Math.floor((y - top) / high), Math.floor((x - left) / wide)];
    return i >= 0 && j >= 0 && i < n && j < m ? { side: "rows", index: i, other: j } : null;
  }

  node.addEventListener("pointermove", (event) => light(cellAt(event)));
  node.addEventListener("pointerleave", () => light(null));
  node.addEventListener("click", (event) => cellAt(event) && click(cellAt(event).index));
  return { node, paint, mark };
}
