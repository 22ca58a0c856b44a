// What is shown: sentences, matrices, heatmaps, bars, tokens. build(box, state, tools) returns update(state, width).

import { drawing, element, isDark, lightRows, many, matrixTable, setAttribute, setAttributes, setMarkup } from "./dom.js";
import { scaleOf, setStyle, setText, setTitle, tableOf, within } from "./dom.js";
import { keepRoom, lookCloser, readoutLine, saidAtRest } from "./look.js";
import { AMOUNTS, SIGNED, colourOf, extent, inkOn, sharedWidth, widthOf } from "./numbers.js";
import { filled, heatmapText, numberText, shareText, tableText, weightTexts } from "./texts.js";

export const SERIES = ["blue", "vermilion", "green", "amber", "sky", "pink"]; // Okabe and Ito's, in live.css

const BYTE = /(\\x[0-9a-f]{2})/; // as Python writes a byte that is no whole letter

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g; // bytes that are letters, but none to be seen

/** Sets the bytes of a text apart from its letters. */
function markBytes(node) {
  const written = node.textContent.replace(UNSEEN, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`);
  const pieces = written.split(BYTE);
  if (pieces.length === 1 || node.firstElementChild) return;
  node.replaceChildren(...pieces.map((piece, i) => (i % 2 ? element("span", { className: "byte", textContent: piece }) : piece)));
}

/** One sentence, or one for each row that can be chosen; with the height that `room`, a longer one, would take. */
export function buildNote(box, { room }, { model }) {
  const sentence = element("p", { className: "sentence" });
  const grow = keepRoom(sentence);
  box.append(sentence);
  const say = saidAtRest(sentence);
  let measured = 0; // the width for which there is room
  return (note) => {
    const { sentences, values } = note;
    const row = model.get("row") in sentences ? model.get("row") : 0;
    if (room && sentence.clientWidth !== measured) {
      measured = sentence.clientWidth;
      setText(sentence, room);
      grow();
    }
    say(filled(sentences[row], { ...note, values: values[row] ?? [] }));
    markBytes(sentence);
    grow();
  };
}

/** A drawing in SVG, in the page's colours, or one for each row, which is also chosen by pointing at its spots. */
export function buildDrawing(box, _, { model, chooseRow }) {
  const svg = drawing("svg", { class: "hues", role: "img", preserveAspectRatio: "xMinYMid" });
  box.append(svg);
  svg.addEventListener("pointerover", (/** @type {any} */ { target }) => {
    const spot = target.closest("[data-row]");
    if (spot) chooseRow(Number(spot.dataset.row));
  });
  return ({ shapes, size, alt }) => {
    const [markup, label] = [shapes, alt].map((given) => (Array.isArray(given) ? given[model.get("row")] : given));
    setAttributes(svg, { viewBox: `0 0 ${size.join(" ")}`, "aria-label": label });
    setMarkup(svg, markup);
  };
}

export function buildMatrix(box, state, { model, chooseRow, changed, trace, readoutOf }) {
  const table = matrixTable({ ...state, cell: () => element("td", { className: "number" }) });
  const name = table.querySelector(".name");
  const [...rows] = table.tBodies[0].rows;
  const numbers = rows.map((tr) => [...tr.cells].slice(1));
  table.classList.toggle("bare", !state.row_names.length);
  table.classList.toggle("choosable", state.chosen);
  table.classList.toggle("tinted", state.tints.length > 0);
  table.classList.toggle("shares", state.shares);
  if (state.chosen) rows.forEach((tr, r) => tr.addEventListener("click", () => chooseRow(r)));
  box.append(table);
  if (trace) {
    const readout = readoutOf(box);
    lookCloser(table, { size: () => state.shape, locate: cellUnder, show: (place) => trace(state.name, place, readout) });
  }
  return ({ title, values, decimals, lit_rows, lit_cells, chosen, shares, tints }) => {
    const row = model.get("row");
    const texts = shares ? values.map((weights) => weightTexts(weights)) : tableText(values, decimals);
    const weigh = (node, weight) => setStyle(node, "--weight", weight.toFixed(4));
    const lit = new Set(lit_cells.map(String));
    setMarkup(name, title);
    lightRows(table, chosen ? [row] : lit_rows);
    numbers.forEach((tds, r) => {
      if (tints.length) weigh(rows[r], tints[row][r]);
      tds.forEach((td, c) => {
        if (td.textContent && td.textContent !== texts[r][c]) changed?.(td);
        setText(td, texts[r][c]);
        if (shares) weigh(td, values[r][c]);
        const isLit = lit.has(`${r},${c}`);
        td.classList.toggle("lit", isLit);
        setAttribute(td, "aria-current", isLit ? "true" : null);
      });
    });
    fitNumbers(numbers.flat());
  };
}

/** Return the row and the column of the number under the pointer, in a table with heads. */
function cellUnder({ target }) {
  const td = target.closest("tbody td");
  return td && [td.parentElement.sectionRowIndex, td.cellIndex - 1];
}

/**
 * Tells the style sheet how wide the numbers of a table are, so that they fit their cells and stand in the middle. Each
 * cell is told for itself: a table hands down to all its names, too, whose styles would be worked out anew.
 */
function fitNumbers(cells) {
  const widths = cells.map((td) => widthOf(td.textContent));
  const most = sharedWidth(widths);
  cells.forEach((td, i) => setStyle(td, "--em", Math.max(most, widths[i]).toFixed(2)));
}

/** Return a row or a column as named in a sentence: by its word, or by its number. */
const asName = (kind, name) => (/^\d+$/.test(name) ? `${kind} ${name}` : `“${name}”`);

// --- heatmaps ---

function buildColourBar() {
  const [low, high] = [element("span"), element("span")];
  const bar = element("span", { className: "ramp" }, element("span", { className: "middle", textContent: "0" }));
  const node = element("div", { className: "colours" }, low, bar, high);
  const update = (state) => {
    const stops = (state.diverging ? SIGNED : AMOUNTS)[Number(isDark(bar))];
    setStyle(bar, "--ramp", `linear-gradient(to right, ${stops.join(", ")})`);
    bar.classList.toggle("diverging", state.diverging);
    setText(low, numberText(state.low, 4));
    setText(high, numberText(state.high, 4));
  };
  return { node, update };
}

const SIZES = [[6, 70, 58], [8, 62, 54], [10, 56, 48], [12, 52, 43], [Infinity, 45, 38]]; // columns, roomy, tight

// In front of a class, where more than twelve numbers side by side would be wider than the screen: one decimal; and where
// rows are as many, only the larger ones of no more than three signs. The pointer reads all.
const fewer = (text, value) => text.replace(/^.*\.\d\d$/, numberText(Number(value.toFixed(1))));
const fewest = (text, value) => (value >= 0.1 && text.length < 5 ? numberText(value, 2).replace(/^0/, "") : "");

/** A small heatmap is a table: what is written in its cells is what a screen reader reads. */
export function buildCells(box, { shape, row_names, column_names, name }, { changed, trace, readoutOf }) {
  const [rows, columns] = shape;
  const [, roomy, tight] = SIZES.find(([most]) => columns <= most);
  const height = rows <= 8 ? 40 : rows <= 12 ? 34 : 29;
  const tall = Math.max(...column_names.map((name) => name.length)) * 8.7 > roomy - 4;
  const caption = element("caption");
  const className = `cells${tall ? " tall" : ""}${rows > 12 ? " dense" : ""}`;
  const table = tableOf({ className, caption, shape, row_names, column_names, cell: () => element("td") });
  const cells = [...table.tBodies[0].rows].map((tr) => [...tr.cells].slice(1));
  const sizes = { roomy: `${roomy}px`, tight: `${tight}px`, columns, height: `${height}px` };
  for (const [name, size] of Object.entries(sizes)) table.style.setProperty(`--${name}`, size);
  const bar = buildColourBar();
  box.append(table, bar.node);
  const readout = readoutOf(box);
  let state = null;
  let longest = 4;
  const saidOf = ([row, column]) => {
    const [one, other, value] = [row_names[row], column_names[column], state.values[row][column]];
    if (!state.shares) return `${one}, ${other}: ${numberText(value, 7)}`;
    return `${asName("Row", one)} gives ${shareText(value)} to ${asName("column", other)}`;
  };
  const look = lookCloser(table, {
    size: () => shape,
    locate: cellUnder,
    show: (place) => {
      table.querySelector(".pointed")?.classList.remove("pointed");
      if (place) cells[place[0]][place[1]].classList.add("pointed");
      const say = (sum) => readout(place ? saidOf(place) + sum.replace(/^.*?:/, ":") : "");
      if (trace) trace(name, place, say);
      else say("");
    },
  });
  return (next) => {
    state = next;
    const colour = colourOf(state, isDark(box));
    setTitle(caption, state.title);
    if (!state.title) setAttribute(table, "aria-label", "heatmap");
    const texts = heatmapText(state.values, state.decimals);
    longest = Math.max(longest, ...texts.flat().map((text) => text.length));
    const short = Boolean(table.closest(".presented")) && Math.max(rows, columns) > 12 && (rows > 12 ? fewest : fewer);
    setStyle(table, "--longest", String(longest - (short ? 1.5 : 0)));
    cells.forEach((tds, r) =>
      tds.forEach((td, c) => {
        const rgb = colour(state.values[r][c]);
        const text = short ? short(texts[r][c], state.values[r][c]) : texts[r][c];
        if (td.textContent && td.textContent !== text) changed(td);
        setText(td, text);
        const background = `rgb(${rgb.join(", ")})`;
        if (td.style.backgroundColor !== background) {
          td.style.backgroundColor = background;
          td.style.color = inkOn(rgb);
        }
      }),
    );
    bar.update(state);
    look();
  };
}

/** A pattern of slanted lines, dark beside light, to be seen on every colour. */
function hatching(context, ratio) {
  const tile = element("canvas", { width: 6 * ratio, height: 6 * ratio });
  const pen = tile.getContext("2d");
  pen.scale(ratio, ratio);
  ["#000", "#fff"].forEach((colour, k) => {
    pen.strokeStyle = colour;
    pen.beginPath();
    for (const x of [-6, 0, 6]) {
      pen.moveTo(x + k, 6);
      pen.lineTo(x + k + 6, 0);
    }
    pen.globalAlpha = 0.4;
    pen.stroke();
  });
  return context.createPattern(tile, "repeat");
}

/**
 * A large heatmap is one picture of a pixel per value, stretched; its numbers are read with the crosshair, or as a table
 * that is made when it is opened. Of values of both signs those below 0 are hatched: in grey, both signs look alike.
 */
export function buildCanvas(box, first) {
  const { shape, row_names, column_names } = first;
  const [rows, columns] = shape;
  const title = element("p", { className: "title" });
  const picture = element("canvas");
  const context = picture.getContext("2d");
  const pixels = element("canvas", { width: columns, height: rows });
  const inner = pixels.getContext("2d");
  const image = inner.createImageData(columns, rows);
  image.data.fill(255); // nothing of it is transparent
  const left = element("div", { className: "names left", ariaHidden: "true" });
  const below = element("div", { className: "names below", ariaHidden: "true" });
  const across = element("span", { className: "hair across" });
  const down = element("span", { className: "hair down" });
  const field = element("div", { className: "field", role: "img" }, picture, across, down);
  const bar = buildColourBar();
  box.append(title, element("div", { className: "framed" }, left, field, below), bar.node);
  const hatched = first.diverging ? "; hatched is below 0" : "";
  const hint = `${rows} × ${columns}: point at a value, or use the arrow keys${hatched}`;
  const readout = readoutLine(box, hint);
  const signs = element("canvas", { width: columns, height: rows }).getContext("2d");
  const hatch = element("canvas").getContext("2d");
  const scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: "all numbers" });
  const summary = element("summary", { textContent: "All numbers as a table" });
  const details = element("details", { className: "all" }, summary, scroll);
  box.append(details);
  let state = null;
  let cell = [1, 1];
  const look = lookCloser(field, {
    size: () => shape,
    locate: (event) => {
      const [left, top] = within(field, event);
      const [row, column] = [Math.floor(top / cell[1]), Math.floor(left / cell[0])];
      return row >= 0 && row < rows && column >= 0 && column < columns ? [row, column] : null;
    },
    show: (place) => {
      field.classList.toggle("pointed", Boolean(place));
      if (!place) return readout(hint);
      setStyle(across, "top", `${place[0] * cell[1]}px`);
      setStyle(across, "height", `${cell[1]}px`);
      setStyle(down, "left", `${place[1] * cell[0]}px`);
      setStyle(down, "width", `${cell[0]}px`);
      const [row, column] = place;
      return readout(`${row_names[row]}, ${column_names[column]}: ${numberText(state.values[row][column])}`);
    },
  });

  function paintHatch(flat, ratio) {
    flat.forEach((value, i) => (image.data[4 * i + 3] = value < 0 ? 255 : 0));
    signs.putImageData(image, 0, 0);
    image.data.fill(255);
    const { width, height } = picture;
    Object.assign(hatch.canvas, { width, height }); // which empties it, too
    hatch.imageSmoothingEnabled = false;
    hatch.drawImage(signs.canvas, 0, 0, width, height);
    hatch.globalCompositeOperation = "source-in";
    hatch.fillStyle = hatching(hatch, ratio);
    hatch.fillRect(0, 0, width, height);
    context.drawImage(hatch.canvas, 0, 0);
  }

  const tds = [];
  function fillTable() {
    if (!details.open) return;
    if (!tds.length) {
      const caption = element("caption", { textContent: state.title || "heatmap" });
      const cellOf = () => tds[tds.push(element("td")) - 1];
      scroll.append(tableOf({ className: "numbers", caption, shape, row_names, column_names, cell: cellOf }));
    }
    state.values.flat().forEach((value, i) => setText(tds[i], numberText(value)));
  }
  details.addEventListener("toggle", fillTable);

  function nameSome(node, names, size, room, property) {
    const every = [1, 2, 5, 10, 20, 25, 50, 100].find((step) => step * size >= room) ?? names.length;
    const some = names.map((name, i) => ({ name, i })).filter(({ i }) => i % every === 0);
    many(node, some, () => element("span"), (span, { name, i }) => {
      setText(span, name);
      setStyle(span, property, `${(i + 0.5) * size}px`);
    });
  }

  return (next, width) => {
    if (!(width > 0)) return; // it has no place on the page yet
    state = next;
    const longest = Math.max(...row_names.map((name) => name.length));
    const margin = Math.min(110, 12 + longest * 9);
    const room = Math.min(600, Math.max(160, width - margin - 4));
    cell = [Math.max(1, Math.floor(room / columns)), Math.min(30, Math.max(2, Math.floor(420 / rows)))];
    const [w, h] = [cell[0] * columns, cell[1] * rows];
    const ratio = Math.min(3, (window.devicePixelRatio || 1) * scaleOf(box));
    if (picture.width !== Math.round(w * ratio) || picture.height !== Math.round(h * ratio)) {
      picture.width = Math.round(w * ratio);
      picture.height = Math.round(h * ratio);
      picture.style.width = `${w}px`;
      picture.style.height = `${h}px`;
      setStyle(box, "--margin", `${margin}px`);
      nameSome(left, row_names, cell[1], 22, "top");
      nameSome(below, column_names, cell[0], 14 + 10 * Math.max(...column_names.map((n) => n.length)), "left");
    }
    const colour = colourOf(state, isDark(box));
    const flat = state.values.flat();
    flat.forEach((value, i) => image.data.set(colour(value), 4 * i));
    inner.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(pixels, 0, 0, picture.width, picture.height);
    if (state.diverging) paintHatch(flat, ratio);
    setTitle(title, state.title);
    bar.update(state);
    const [least, most] = extent(flat).map((end) => numberText(end));
    const name = `${state.title || "heatmap"}: ${rows} rows, ${columns} columns, from ${least} to ${most}`;
    setAttribute(field, "aria-label", `${name}; the arrow keys read every value`);
    fillTable();
    look();
  };
}

// --- bars and tokens ---

export function buildBars(box) {
  const caption = element("caption");
  const body = element("tbody");
  const table = element("table", { className: "bars" }, caption, body);
  box.append(table);
  const make = () => {
    const parts = ["bar", "value"].map((className) => element("span", { className }));
    const track = element("div", { className: "track" }, ...parts);
    return element("tr", {}, element("th", { scope: "row" }), element("td", {}, track));
  };
  return ({ title, names, values, decimals, low, high, lit, shares }) => {
    const [texts] = tableText([values], decimals);
    setTitle(caption, title);
    table.classList.toggle("shares", shares);
    const width = high - low || 1;
    const share = (value) => (100 * (Math.min(high, Math.max(low, value)) - low)) / width;
    many(body, names, make, (tr, name, i) => {
      const [bar, value] = tr.cells[1].firstChild.children;
      setText(tr.cells[0], name);
      markBytes(tr.cells[0]);
      setAttribute(tr.cells[0], "dir", "auto");
      setText(value, texts[i]);
      tr.classList.toggle("lit", lit.includes(i));
      tr.classList.toggle("negative", values[i] < 0);
      setStyle(bar, "--from", `${Math.min(share(0), share(values[i])).toFixed(2)}%`);
      setStyle(bar, "--to", `${Math.max(share(0), share(values[i])).toFixed(2)}%`);
      setStyle(value, "--to", `${Math.max(share(0), share(values[i])).toFixed(2)}%`);
    });
  };
}

const PIECE = (piece) => piece.replaceAll(" ", "·").replaceAll("\n", "↵").replaceAll("\t", "⇥");

export function buildTokens(box) {
  const title = element("p", { className: "title" });
  const strip = element("ol", { className: "strip", role: "list" });
  const keys = element("div", { className: "keys" });
  const grow = keepRoom(strip);
  box.append(title, keys, strip);
  const make = () => {
    const piece = element("span", { className: "piece", dir: "auto" });
    return element("li", { className: "chip" }, piece, element("span", { className: "id" }));
  };
  const makeKey = () => {
    return element("span", { className: "key" }, element("span"), element("span", { className: "name" }));
  };
  return (state) => {
    setTitle(title, state.title);
    setAttribute(strip, "dir", state.rtl ? "rtl" : "ltr");
    strip.classList.toggle("with-ids", Boolean(state.ids));
    const last = state.key.length - 1;
    const look = (node, group) => {
      const light = group / last;
      const step = !group ? "unlit" : `lit${group === last ? " most" : ""}`;
      setAttribute(node, "class", `chip ${state.ordered ? step : SERIES[group % SERIES.length]}`);
      setStyle(node, "--light", state.ordered ? `${(50 * light).toFixed(0)}%` : "");
    };
    many(keys, state.key, makeKey, (key, name, group) => {
      look(key.firstChild, group);
      setText(key.lastChild, name);
    });
    many(strip, state.pieces, make, (chip, text, i) => {
      setText(chip.firstChild, PIECE(text) || "\u200b");
      setText(chip.lastChild, state.ids ? String(state.ids[i]) : "");
      const group = state.groups?.[i];
      if (state.groups) look(chip, group);
      else setAttribute(chip, "class", "chip plain");
      const words = text.trim() ? `“${text}”` : `${[...text].length || "no"} space`;
      const number = state.ids ? `, id ${state.ids[i]}` : "";
      const named = state.groups ? `, ${state.key[group] ?? `group ${group}`}` : "";
      setAttribute(chip, "aria-label", words + number + named);
    });
    grow();
  };
}

