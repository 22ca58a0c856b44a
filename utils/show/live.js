// The page of the live control, behind parts.js. Python computes; here its panels are put on the page, and the
// parameters are asked for. Built once; a panel is built anew only when its shape changes, else what differs in it
// is set in place. What only looks closer (a cell, a point of a curve) is answered here, without Python.

const CIVIDIS = [
  ...["#00224e", "#083370", "#35456c", "#4f576c", "#666970", "#7d7c78"],
  ...["#948e77", "#aea371", "#c8b866", "#e5cf52", "#fee838"],
];
const DIVERGING = ["#004b85", "#2b8cc4", "#94c6e3", "#f7f7f7", "#f5c073", "#dd8418", "#a84a00"]; // blue, white, orange
const SERIES = ["blue", "vermilion", "green", "amber", "sky", "pink"]; // Okabe and Ito's, in live.css
const DASHES = ["none", "10 5", "2.5 4.5", "13 4 2.5 4", "6 3", "18 5"];
const SHAPES = {
  circle: "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0Z",
  square: "M-5.5 -5.5H5.5V5.5H-5.5Z",
  triangle: "M0 -7.5L7 5.5H-7Z",
  diamond: "M0 -8L8 0L0 8L-8 0Z",
  down: "M0 7.5L7 -5.5H-7Z",
  cross: "M-3 -6.1L0 -3.1L3 -6.1L6.1 -3L3.1 0L6.1 3L3 6.1L0 3.1L-3 6.1L-6.1 3L-3.1 0L-6.1 -3Z",
};
const SVG = element("div", { innerHTML: "<svg></svg>" }).firstChild.namespaceURI;
const MOST_BUTTONS = 6;
const KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function drawing(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
}

/** Makes `parent` have one child for each item, made by `make`, and lets `set(child, item, i)` bring it up to date. */
function many(parent, items, make, set) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, i) => set(parent.children[i], item, i));
}

/** Up to `digits` digits, with a real minus, as Python writes them elsewhere. */
function numberText(value, digits = 5) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  let text = size >= 1e-4 && size < 1e7 ? String(Number(value.toPrecision(digits))) : value.toExponential(digits - 2);
  text = text.replace(/\.?0+e/, "e").replace("e+", "e");
  return text.replaceAll("-", "−");
}

/** W_Q with a lowered Q. */
function mathName(text) {
  const [base, ...below] = text.split("_");
  if (!below.length) return [document.createTextNode(text)];
  return [element("i", { textContent: base }), element("sub", { textContent: below.join("_") })];
}

// --- colours ---

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** 256 colours through the given ones. */
function ramp(stops) {
  const colours = stops.map(channels);
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (colours.length - 1);
    const low = Math.min(Math.floor(at), colours.length - 2);
    return colours[low].map((channel, k) => Math.round(channel + (at - low) * (colours[low + 1][k] - channel)));
  });
}

const RAMPS = { false: ramp(CIVIDIS), true: ramp(DIVERGING) };

function colourOf({ low, high, diverging }) {
  const colours = RAMPS[Boolean(diverging)];
  const width = high - low;
  return (value) => {
    const share = width > 0 ? (value - low) / width : 0.5;
    return colours[Math.round(255 * Math.min(1, Math.max(0, share)))];
  };
}

function inkOn([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#000" : "#fff";
}

// --- scales ---

function niceTicks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((digit) => digit * power >= raw * 0.999);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

function logTicks(low, high, count) {
  for (const digits of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
    }
    const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (inside.length <= count + 1) return inside.length > 1 ? inside : niceTicks(low, high, 3);
  }
  const powers = [];
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const every = Math.ceil((last - first) / count);
  for (let power = first; power <= last; power += every) powers.push(10 ** power);
  return powers;
}

/** From values to pixels: { at(value), ticks }. */
function scale(low, high, from, to, log, count) {
  const f = log ? Math.log10 : Number;
  const start = f(low);
  const width = f(high) - start || 1;
  const ticks = log ? logTicks(low, high, count) : niceTicks(low, high, count);
  return { at: (value) => from + ((f(value) - start) / width) * (to - from), ticks };
}

/** The ends of an axis, with a little air, never of no width. */
function ends(values, log, air) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (log) {
    const factor = low === high ? 2 : (high / low) ** air;
    return [low / factor, high * factor];
  }
  const margin = low === high ? Math.max(Math.abs(low) * 0.1, 0.5) : (high - low) * air;
  return [low - margin, high + margin];
}

// --- looking closer: one place among many, by pointer and by keys ---

/**
 * Lets the pointer and the arrow keys choose a place (row, column) on `target`. size(): [rows, columns];
 * locate(event): the place under the pointer or null; show(place or null).
 */
function lookCloser(target, { size, locate, show }) {
  let place = null;
  const go = (to) => {
    place = to;
    show(place);
  };
  target.tabIndex = 0;
  target.addEventListener("pointermove", (event) => {
    const found = locate(event);
    if (found) go(found);
  });
  target.addEventListener("pointerleave", () => go(null));
  target.addEventListener("focus", () => {
    if (target.matches(":focus-visible") && !place) go([0, 0]);
  });
  target.addEventListener("blur", () => go(null));
  target.addEventListener("keydown", (event) => {
    const [rows, columns] = size();
    const [row, column] = place ?? [0, -1];
    const leap = event.shiftKey ? 10 : 1;
    const held = (value, count) => Math.min(count - 1, Math.max(0, value));
    if (event.key === "Escape") return go(null);
    let to = null;
    if (KEYS[event.key]) to = [row + leap * KEYS[event.key][0], column + leap * KEYS[event.key][1]];
    else if (event.key === "Home") to = event.ctrlKey ? [0, 0] : [row, 0];
    else if (event.key === "End") to = event.ctrlKey ? [rows - 1, columns - 1] : [row, columns - 1];
    else return undefined;
    event.preventDefault();
    return go([held(to[0], rows), held(to[1], columns)]);
  });
  /** After a change of the numbers: the same place is read anew. */
  return () => {
    if (!place) return;
    const [rows, columns] = size();
    if (place[0] < rows && place[1] < columns) show(place);
    else go(null);
  };
}

/** The line under a picture that says what is pointed at; its room is kept. */
function readoutLine() {
  const line = element("p", { className: "readout" });
  line.setAttribute("role", "status");
  return line;
}

/** A height that only grows while the width stays: what comes and goes must not move what is below. */
function keepRoom(node) {
  let width = 0;
  let most = 0;
  return () => {
    if (node.clientWidth !== width) {
      width = node.clientWidth;
      most = 0;
      node.style.minHeight = "";
    }
    if (node.offsetHeight > most) {
      most = node.offsetHeight;
      node.style.minHeight = `${most}px`;
    }
  };
}

// --- the panels: shape(state) says when to build anew, build(box) returns update(state, width) ---

const PANELS = {
  heatmap: {
    className: (state) => (state.texts.length ? "snug" : "wide"),
    shape: ({ shape, texts, row_names, column_names }) => [shape, texts.length > 0, row_names, column_names],
    build: (box, state) => (state.texts.length ? buildCells(box, state) : buildCanvas(box, state)),
  },
  matrix: {
    className: () => "snug",
    shape: ({ shape, title, row_names, column_names }) => [shape, title, row_names, column_names],
    build: buildMatrix,
  },
  lines: { className: () => "wide", shape: () => [], build: buildLines },
  bars: { className: () => "half", shape: () => [], build: buildBars },
  points: { className: () => "wide", shape: () => [], build: buildPoints },
  tokens: { className: () => "full", shape: () => [], build: buildTokens },
  note: { className: () => "full", shape: () => [], build: buildNote },
};

function buildNote(box) {
  const sentence = element("p", { className: "sentence" });
  sentence.setAttribute("aria-live", "polite");
  const grow = keepRoom(sentence);
  box.append(sentence);
  return ({ text }) => {
    setText(sentence, text);
    grow();
  };
}

function buildColourBar() {
  const low = element("span");
  const high = element("span");
  const bar = element("span", { className: "ramp" });
  const node = element("div", { className: "colours" }, low, bar, high);
  const middle = element("span", { className: "middle", textContent: "0" });
  bar.append(middle);
  const update = (state) => {
    const stops = state.diverging ? DIVERGING : CIVIDIS;
    setStyle(bar, "--ramp", `linear-gradient(to right, ${stops.join(", ")})`);
    bar.classList.toggle("diverging", state.diverging);
    setText(low, numberText(state.low, 4));
    setText(high, numberText(state.high, 4));
  };
  return { node, update };
}

/** A small heatmap is a table: what is written in its cells is what a screen reader reads. */
function buildCells(box, { shape, row_names, column_names, title }) {
  const [rows, columns] = shape;
  const cell = columns <= 6 ? 70 : columns <= 8 ? 62 : columns <= 10 ? 56 : columns <= 12 ? 52 : 45;
  const tight = columns <= 6 ? 64 : columns <= 8 ? 56 : columns <= 10 ? 48 : columns <= 12 ? 43 : 38;
  const height = rows <= 8 ? 40 : rows <= 12 ? 34 : 29;
  const most = Math.max(...column_names.map((name) => name.length));
  const caption = element("caption");
  const tall = most * 8.7 > cell - 4;
  const heads = column_names.map((name) => element("th", { scope: "col" }, element("span", { textContent: name })));
  const thead = element("thead", {}, element("tr", {}, element("td"), ...heads));
  const tbody = element("tbody");
  const cells = row_names.map((name) => {
    const tds = column_names.map(() => element("td"));
    tbody.append(element("tr", {}, element("th", { scope: "row", textContent: name, title: name }), ...tds));
    return tds;
  });
  const table = element("table", { className: `cells${tall ? " tall" : ""}` }, caption, thead, tbody);
  table.style.setProperty("--roomy", `${cell}px`);
  table.style.setProperty("--tight", `${tight}px`);
  table.style.setProperty("--columns", columns);
  table.style.setProperty("--height", `${height}px`);
  const bar = buildColourBar();
  const readout = readoutLine();
  box.append(table, bar.node, readout);
  let state = null;
  let shown = null;
  let longest = 4;
  const look = lookCloser(table, {
    size: () => shape,
    locate: (event) => {
      const td = event.target.closest("td");
      const row = td?.parentElement.rowIndex - 1;
      return row >= 0 ? [row, td.cellIndex - 1] : null;
    },
    show: (place) => {
      shown?.classList.remove("pointed");
      shown = place && cells[place[0]][place[1]];
      shown?.classList.add("pointed");
      const text = place && `${row_names[place[0]]}, ${column_names[place[1]]}: `;
      setText(readout, place ? text + numberText(state.values[place[0]][place[1]], 7) : "");
    },
  });
  return (next) => {
    state = next;
    const colour = colourOf(state);
    setText(caption, state.title);
    caption.hidden = !state.title;
    if (!state.title) setAttribute(table, "aria-label", "heatmap");
    for (const row of state.texts) for (const text of row) longest = Math.max(longest, text.length);
    setStyle(table, "--longest", String(longest));
    cells.forEach((tds, r) =>
      tds.forEach((td, c) => {
        const rgb = colour(state.values[r][c]);
        setText(td, state.texts[r][c]);
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

/** A large heatmap is one picture of a pixel per value, stretched; its numbers are read with the crosshair. */
function buildCanvas(box, { shape, row_names, column_names }) {
  const [rows, columns] = shape;
  const title = element("p", { className: "title" });
  const picture = element("canvas");
  const context = picture.getContext("2d");
  const pixels = element("canvas", { width: columns, height: rows });
  const inner = pixels.getContext("2d");
  const image = inner.createImageData(columns, rows);
  const left = element("div", { className: "names left" });
  const below = element("div", { className: "names below" });
  const across = element("span", { className: "hair across" });
  const down = element("span", { className: "hair down" });
  const field = element("div", { className: "field" }, picture, across, down);
  field.setAttribute("role", "img");
  for (const node of [left, below]) node.setAttribute("aria-hidden", "true");
  const bar = buildColourBar();
  const readout = readoutLine();
  box.append(title, element("div", { className: "framed" }, left, field, below), bar.node, readout);
  const hint = `${rows} × ${columns}: point at a value, or use the arrow keys`;
  let state = null;
  let cell = [1, 1];
  const look = lookCloser(field, {
    size: () => shape,
    locate: (event) => {
      const frame = field.getBoundingClientRect();
      const row = Math.floor((event.clientY - frame.top) / cell[1]);
      const column = Math.floor((event.clientX - frame.left) / cell[0]);
      return row >= 0 && row < rows && column >= 0 && column < columns ? [row, column] : null;
    },
    show: (place) => {
      field.classList.toggle("pointed", Boolean(place));
      if (!place) return setText(readout, hint);
      setStyle(across, "top", `${place[0] * cell[1]}px`);
      setStyle(across, "height", `${cell[1]}px`);
      setStyle(down, "left", `${place[1] * cell[0]}px`);
      setStyle(down, "width", `${cell[0]}px`);
      const [row, column] = place;
      return setText(readout, `${row_names[row]}, ${column_names[column]}: ${numberText(state.values[row][column])}`);
    },
  });
  setText(readout, hint);

  function nameSome(node, names, size, room, property) {
    const every = [1, 2, 5, 10, 20, 25, 50, 100].find((step) => step * size >= room) ?? names.length;
    const some = names.map((name, i) => ({ name, i })).filter(({ i }) => i % every === 0);
    many(node, some, () => element("span"), (span, { name, i }) => {
      setText(span, name);
      setStyle(span, property, `${(i + 0.5) * size}px`);
    });
  }

  return (next, width) => {
    state = next;
    const longest = Math.max(...row_names.map((name) => name.length));
    const margin = Math.min(110, 12 + longest * 9);
    const room = Math.min(600, Math.max(160, width - margin - 4));
    cell = [Math.max(1, Math.floor(room / columns)), Math.min(30, Math.max(2, Math.floor(420 / rows)))];
    const [w, h] = [cell[0] * columns, cell[1] * rows];
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    if (picture.width !== Math.round(w * ratio) || picture.height !== Math.round(h * ratio)) {
      picture.width = Math.round(w * ratio);
      picture.height = Math.round(h * ratio);
      picture.style.width = `${w}px`;
      picture.style.height = `${h}px`;
      setStyle(box, "--margin", `${margin}px`);
      nameSome(left, row_names, cell[1], 22, "top");
      nameSome(below, column_names, cell[0], 14 + 10 * Math.max(...column_names.map((n) => n.length)), "left");
    }
    const colour = colourOf(state);
    let at = 0;
    for (const row of state.values) {
      for (const value of row) {
        const rgb = colour(value);
        image.data[at++] = rgb[0];
        image.data[at++] = rgb[1];
        image.data[at++] = rgb[2];
        image.data[at++] = 255;
      }
    }
    inner.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(pixels, 0, 0, picture.width, picture.height);
    setText(title, state.title);
    title.hidden = !state.title;
    bar.update(state);
    const flat = state.values.flat();
    const least = numberText(flat.reduce((a, b) => Math.min(a, b)));
    const most = numberText(flat.reduce((a, b) => Math.max(a, b)));
    const name = `${state.title || "heatmap"}: ${rows} rows, ${columns} columns, from ${least} to ${most}`;
    setAttribute(field, "aria-label", `${name}; the arrow keys read every value`);
    look();
  };
}

function buildMatrix(box, { shape, title, row_names, column_names }) {
  const [rows, columns] = shape;
  const size = element("span", { className: "shape", textContent: `(${rows} × ${columns})` });
  const caption = element("caption", {}, element("span", {}, ...mathName(title)), size);
  const hidden = (text) => element("span", { className: "unseen", textContent: text });
  const head = (scope, names, i) =>
    element("th", { scope }, names.length ? names[i] : hidden(`${scope === "col" ? "column" : "row"} ${i + 1}`));
  const top = element("tr", {}, element("td"));
  for (let c = 0; c < columns; c++) top.append(head("col", column_names, c));
  const body = element("tbody");
  for (let r = 0; r < rows; r++) {
    const tr = element("tr", {}, head("row", row_names, r));
    for (let c = 0; c < columns; c++) tr.append(element("td", { className: "number" }));
    body.append(tr);
  }
  const thead = element("thead", { className: column_names.length ? "" : "unseen-row" }, top);
  const table = element("table", { className: `matrix${row_names.length ? "" : " bare"}` }, caption, thead, body);
  box.append(table);
  return ({ texts, lit_rows, lit_cells }) => {
    const lit = new Set(lit_cells.map(([r, c]) => `${r},${c}`));
    texts.forEach((row, r) => {
      const tr = body.rows[r];
      tr.classList.toggle("lit", lit_rows.includes(r));
      setAttribute(tr, "aria-current", lit_rows.includes(r) ? "true" : null);
      row.forEach((text, c) => {
        const td = tr.cells[c + 1];
        setText(td, text);
        td.classList.toggle("lit", lit.has(`${r},${c}`));
        setAttribute(td, "aria-current", lit.has(`${r},${c}`) ? "true" : null);
      });
    });
    fitNumbers(table, [...body.querySelectorAll(".number")]);
  };
}

function buildBars(box) {
  const caption = element("caption");
  const body = element("tbody");
  const table = element("table", { className: "bars" }, caption, body);
  box.append(table);
  const make = () => {
    const parts = ["bar", "value"].map((className) => element("span", { className }));
    const track = element("div", { className: "track" }, ...parts);
    return element("tr", {}, element("th", { scope: "row" }), element("td", {}, track));
  };
  return ({ title, names, values, texts, low, high, lit }) => {
    setText(caption, title);
    caption.hidden = !title;
    const width = high - low || 1;
    const share = (value) => (100 * (Math.min(high, Math.max(low, value)) - low)) / width;
    table.classList.toggle("many", names.length > 16);
    many(body, names, make, (tr, name, i) => {
      const [bar, value] = tr.cells[1].firstChild.children;
      setText(tr.cells[0], name);
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

function buildTokens(box) {
  const title = element("p", { className: "title" });
  const strip = element("ol", { className: "strip" });
  strip.setAttribute("role", "list");
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
    setText(title, state.title);
    title.hidden = !state.title;
    setAttribute(strip, "dir", state.rtl ? "rtl" : "ltr");
    strip.classList.toggle("with-ids", Boolean(state.ids));
    const last = state.key.length - 1;
    const look = (node, group) => {
      const light = group / last;
      const step = !group ? "unlit" : `lit${light > 0.5 ? " bright" : ""}${group === last ? " most" : ""}`;
      setAttribute(node, "class", `chip ${state.ordered ? step : SERIES[group % SERIES.length]}`);
      setStyle(node, "--light", state.ordered ? `${(100 * light).toFixed(0)}%` : "");
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

// --- curves and points ---

const TOP = 24; // where the x under the cursor is written
const SPILL = 7; // a dot on the edge of the frame is shown whole

/** The room for ticks and the names of the axes. */
function margins(state) {
  return { left: state.y_label ? 68 : 50, bottom: state.x_label ? 54 : 30 };
}

/** The frame that curves and points share: grid, ticks, the names of the axes, and a place to draw in. */
function buildAxes() {
  const grid = drawing("path", { class: "gridlines" });
  const xTicks = drawing("g", { class: "ticks x" });
  const yTicks = drawing("g", { class: "ticks y" });
  const xLabel = drawing("text", { class: "axis", "text-anchor": "middle" });
  const yLabel = drawing("text", { class: "axis", "text-anchor": "middle" });
  const plot = drawing("svg", { class: "plot", overflow: "hidden" }); // an inner svg cuts off what lies beyond
  const over = drawing("g");
  const svg = drawing("svg", { class: "chart" }, grid, xTicks, yTicks, xLabel, yLabel, plot, over);
  svg.setAttribute("role", "img");
  const text = () => drawing("text");
  const update = (state, width, height, w, h, x, y) => {
    const { left } = margins(state);
    setAttributes(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    const frame = [-SPILL, -SPILL, w + 2 * SPILL, h + 2 * SPILL];
    const size = { width: frame[2], height: frame[3], viewBox: frame.join(" ") };
    setAttributes(plot, { x: left - SPILL, y: TOP - SPILL, ...size });
    setAttribute(over, "transform", `translate(${left} ${TOP})`);
    const lines = [
      ...x.ticks.map((tick) => `M${(left + x.at(tick)).toFixed(1)} ${TOP}v${h}`),
      ...y.ticks.map((tick) => `M${left} ${(TOP + y.at(tick)).toFixed(1)}h${w}`),
    ];
    setAttribute(grid, "d", lines.join(""));
    many(xTicks, x.ticks, text, (node, tick) => {
      setText(node, numberText(tick));
      setAttributes(node, { x: (left + x.at(tick)).toFixed(1), y: TOP + h + 20, "text-anchor": "middle" });
    });
    many(yTicks, y.ticks, text, (node, tick) => {
      setText(node, numberText(tick));
      setAttributes(node, { x: left - 8, y: (TOP + y.at(tick) + 5.5).toFixed(1), "text-anchor": "end" });
    });
    setText(xLabel, state.x_label);
    setAttributes(xLabel, { x: left + w / 2, y: height - 10 });
    setText(yLabel, state.y_label);
    setAttribute(yLabel, "transform", `translate(16 ${TOP + h / 2}) rotate(-90)`);
  };
  return { svg, plot, over, update };
}

function pathOf(x, y) {
  return x.map((value, i) => `${i ? "L" : "M"}${value.toFixed(1)} ${y[i].toFixed(1)}`).join("");
}

function buildLines(box) {
  const title = element("p", { className: "title" });
  const legend = element("div", { className: "legend" });
  const keys = element("div", { className: "keys" });
  legend.append(keys);
  const axes = buildAxes();
  const bands = drawing("g");
  const marks = drawing("g", { class: "marks" });
  const curves = drawing("g");
  const dots = drawing("g");
  const cursor = drawing("path", { class: "cursor" });
  const pointed = drawing("g");
  axes.plot.append(bands, marks, curves, dots, cursor, pointed);
  const where = drawing("text", { class: "where", y: -8, "text-anchor": "middle" });
  const direct = drawing("g", { class: "direct" });
  const markNames = drawing("g", { class: "mark-names" });
  axes.over.append(direct, markNames, where);
  const table = element("div", { className: "unseen" });
  const status = element("span", { className: "unseen" });
  status.setAttribute("role", "status");
  box.append(title, legend, axes.svg, table, status);
  let state = null;
  let xs = [];
  let ys = [];
  let plotHeight = 0;
  const makeKey = () => {
    const swatch = drawing("svg", { class: "swatch", width: 34, height: 16 }, drawing("path", { d: "M0 8H34" }));
    return element("span", { className: "key" }, swatch, element("span", { className: "name" }), element("b"));
  };
  const show = (place) => {
    const i = place?.[1];
    setText(where, place ? `${state.x_label || "x"} = ${numberText(state.x[i])}` : "");
    if (place) setAttribute(where, "x", Math.max(20, Math.min(xs.at(-1) - 10, xs[i])).toFixed(1));
    state.series.forEach((series, s) => setText(keys.children[s].lastChild, place ? numberText(series.y[i], 3) : ""));
    setAttribute(cursor, "d", place ? `M${xs[i].toFixed(1)} 0V${plotHeight}` : "");
    many(pointed, place ? state.series : [], () => drawing("circle", { r: 5.5 }), (node, series, s) => {
      setAttributes(node, { cx: xs[i].toFixed(1), cy: ys[s][i].toFixed(1), class: `dot ${SERIES[s % SERIES.length]}` });
    });
    const spoken = place ? state.series.map(({ name, y }) => `${name} ${numberText(y[i])}`).join(", ") : "";
    setText(status, place ? `${where.textContent}: ${spoken}` : "");
  };
  const look = lookCloser(axes.svg, {
    size: () => [1, xs.length],
    locate: (event) => {
      const at = event.clientX - axes.svg.getBoundingClientRect().left - margins(state).left;
      let best = 0;
      for (let i = 1; i < xs.length; i++) if (Math.abs(xs[i] - at) < Math.abs(xs[best] - at)) best = i;
      return [0, best];
    },
    show,
  });
  return (next, width) => {
    state = next;
    const { series, x } = state;
    const names = series.map(({ name }) => name);
    const longest = Math.max(...names.map((name) => name.length));
    const labelled = series.length > 1 && series.length <= 6 && longest <= 14 && width > 380;
    const right = labelled ? 18 + longest * 9.2 : 20;
    const height = Math.round(Math.min(360, Math.max(270, width * 0.58)));
    const { left: before, bottom } = margins(state);
    const [w, h] = [width - before - right, height - TOP - bottom];
    plotHeight = h;
    const all = series.flatMap(({ y, band }) => [...y, ...band.flat()]);
    const [low, high] = state.y_range ?? ends(all, state.y_log, 0.05);
    const markXs = state.marks.map(([, at]) => at);
    const [first, last] = state.x_range ?? ends([...x, ...markXs], state.x_log, 0);
    const sx = scale(first, last, 0, w, state.x_log, Math.max(3, w / (state.x_log ? 55 : 90)));
    if (state.x_log && x.length > 1 && x.every((value, i) => !i || sx.at(value) - sx.at(x[i - 1]) > 30)) sx.ticks = x;
    const sy = scale(low, high, h, 0, state.y_log, 5);
    xs = x.map(sx.at);
    ys = series.map(({ y }) => y.map(sy.at));
    axes.update(state, width, height, w, h, sx, sy);
    setText(title, state.title);
    title.hidden = !state.title;

    const style = (s) => SERIES[s % SERIES.length];
    many(keys, series, makeKey, (key, { name }, s) => {
      setAttribute(key, "class", `key ${style(s)}`);
      setAttribute(key.firstChild.firstChild, "stroke-dasharray", DASHES[s % DASHES.length]);
      setText(key.children[1], name);
    });
    many(curves, series, () => drawing("path"), (node, _, s) => {
      const dashes = DASHES[s % DASHES.length];
      setAttributes(node, { d: pathOf(xs, ys[s]), class: `curve ${style(s)}`, "stroke-dasharray": dashes });
    });
    // a curve of few points shows where they are
    many(dots, x.length <= 24 ? series : [], () => drawing("path"), (node, _, s) => {
      const d = xs.map((at, i) => `M${at.toFixed(1)} ${ys[s][i].toFixed(1)}h0`).join("");
      setAttributes(node, { d, class: `dots ${style(s)}` });
    });
    const banded = series.map((curve, s) => ({ ...curve, s })).filter(({ band }) => band.length);
    many(bands, banded, () => drawing("path"), (node, { band, s }) => {
      const [under, above] = band.map((part) => part.map(sy.at));
      const back = pathOf([...xs].reverse(), [...above].reverse()).replace("M", "L");
      setAttributes(node, { d: `${pathOf(xs, under)}${back}Z`, class: `band ${style(s)}` });
    });
    many(marks, state.marks, () => drawing("path"), (node, [, at]) => {
      setAttribute(node, "d", `M${sx.at(at).toFixed(1)} 0V${h}`);
    });
    many(markNames, state.marks, () => drawing("text"), (node, [name, at], i) => {
      setText(node, name);
      const late = sx.at(at) > w * 0.7;
      const anchor = late ? "end" : "start";
      setAttributes(node, { x: sx.at(at) + (late ? -6 : 6), y: 16 + 20 * (i % 3), "text-anchor": anchor });
    });
    placeDirect(labelled ? series : [], w, h, style);
    const every = Math.ceil(x.length / 24);
    const some = x.map((_, i) => i).filter((i) => i % every === 0 || i === x.length - 1);
    const pairs = (y) => some.map((i) => `${numberText(x[i])} → ${numberText(y[i], 4)}`);
    const inWords = ({ name, y }) => `${name}: ${pairs(y).join(", ")}.`;
    setText(table, series.map(inWords).join(" "));
    const called = `${state.title || "curves"}: ${names.join(", ")} over ${state.x_label || "x"}`;
    setAttribute(axes.svg, "aria-label", `${called}; the arrow keys read the numbers`);
    look();
  };

  /** The names at the right ends of the curves, moved apart where they would overlap. */
  function placeDirect(series, w, h, style) {
    const places = series.map((_, s) => ({ s, y: Math.min(h - 4, Math.max(8, ys[s].at(-1))) }));
    places.sort((a, b) => a.y - b.y);
    const gap = 19;
    for (let i = 1; i < places.length; i++) places[i].y = Math.max(places[i].y, places[i - 1].y + gap);
    let most = h + 2;
    for (let i = places.length - 1; i >= 0; i--) {
      places[i].y = Math.min(places[i].y, most);
      most = places[i].y - gap;
    }
    const bySeries = series.map((_, s) => places.find((place) => place.s === s).y);
    many(direct, series, () => drawing("text"), (node, { name }, s) => {
      setText(node, name);
      setAttributes(node, { x: w + 8, y: (bySeries[s] + 6).toFixed(1), class: style(s) });
    });
  }
}

const measure = element("canvas").getContext("2d");

function buildPoints(box) {
  const title = element("p", { className: "title" });
  const legend = element("div", { className: "legend" });
  const keys = element("div", { className: "keys" });
  legend.append(keys);
  const axes = buildAxes();
  const joins = drawing("g", { class: "joins" });
  const shapes = drawing("g");
  const labels = drawing("g", { class: "point-names" });
  axes.plot.append(joins);
  const rings = drawing("g"); // the lit ones once more, on top
  axes.over.append(shapes, rings, labels);
  const readout = readoutLine();
  const list = element("p", { className: "unseen" });
  box.append(title, legend, axes.svg, readout, list);
  let state = null;
  let xs = [];
  let ys = [];
  let inHand = -1;
  const show = (place) => {
    if (inHand >= 0) shapes.children[inHand]?.classList.remove("pointed");
    if (inHand >= 0) labels.children[inHand]?.classList.remove("pointed");
    inHand = place ? place[1] : -1;
    if (!place) return setText(readout, "");
    const i = inHand;
    shapes.children[i].classList.add("pointed");
    labels.children[i].classList.add("pointed");
    const group = state.groups ? ` (${state.groups[i]})` : "";
    const [x, y] = state.xy[i];
    const up = state.y_ticks ? `, ${state.y_label || "y"} ${numberText(y)}` : "";
    return setText(readout, `${state.names[i]}${group}: ${state.x_label || "x"} ${numberText(x)}${up}`);
  };
  const look = lookCloser(axes.svg, {
    size: () => [1, xs.length],
    locate: (event) => {
      const frame = axes.svg.getBoundingClientRect();
      const [px, py] = [event.clientX - frame.left - margins(state).left, event.clientY - frame.top - TOP];
      let best = null;
      let least = 40 ** 2;
      xs.forEach((x, i) => {
        const distance = (x - px) ** 2 + (ys[i] - py) ** 2;
        if (distance < least) [best, least] = [i, distance];
      });
      return best === null ? null : [0, best];
    },
    show,
  });
  const makeKey = () => {
    const swatch = drawing("svg", { class: "swatch", width: 18, height: 18, viewBox: "-9 -9 18 18" }, drawing("path"));
    return element("span", { className: "key" }, swatch, element("span", { className: "name" }));
  };
  return (next, width) => {
    state = next;
    const height = Math.round(Math.min(460, Math.max(300, width * 0.7)));
    const right = 24;
    const { left: before, bottom } = margins(state);
    const [w, h] = [width - before - right, height - TOP - bottom];
    let [left, rightEnd] = state.x_range ?? ends(state.xy.map(([x]) => x), false, 0.1);
    let [low, high] = state.y_range ?? ends(state.xy.map(([, y]) => y), false, 0.1);
    if (state.equal) {
      const unit = Math.max((rightEnd - left) / w, (high - low) / h);
      [left, rightEnd] = [(left + rightEnd - unit * w) / 2, (left + rightEnd + unit * w) / 2];
      [low, high] = [(low + high - unit * h) / 2, (low + high + unit * h) / 2];
    }
    const sx = scale(left, rightEnd, 0, w, false, Math.max(3, w / 90));
    const sy = scale(low, high, h, 0, false, 5);
    if (!state.y_ticks) sy.ticks = [];
    xs = state.xy.map(([x]) => sx.at(x));
    ys = state.xy.map(([, y]) => sy.at(y));
    axes.update(state, width, height, w, h, sx, sy);
    setText(title, state.title);
    title.hidden = !state.title;
    const names = state.groups ? [...new Set(state.groups)] : [""];
    const byTurns = (name, g) => [name, SERIES[g % SERIES.length], Object.keys(SHAPES)[g % Object.keys(SHAPES).length]];
    const looks = (state.groups && state.looks)?.filter(([name]) => names.includes(name)) ?? names.map(byTurns);
    const lookOf = (i) => looks.find(([name]) => name === (state.groups?.[i] ?? ""));
    legend.hidden = looks.length < 2;
    many(keys, state.groups ? looks : [], makeKey, (key, [name, colour, shape]) => {
      setAttribute(key, "class", `key ${colour}`);
      setAttribute(key.firstChild.firstChild, "d", SHAPES[shape]);
      setText(key.children[1], name);
    });
    many(joins, state.lines, () => drawing("path"), (node, line) => {
      setAttribute(node, "d", pathOf(line.map((i) => xs[i]), line.map((i) => ys[i])));
    });
    const inside = (i) => xs[i] >= -1 && xs[i] <= w + 1 && ys[i] >= -1 && ys[i] <= h + 1;
    const mark = (node, i, more) => {
      const [, colour, shape] = lookOf(i);
      setAttributes(node, {
        d: SHAPES[shape],
        transform: `translate(${xs[i].toFixed(1)} ${ys[i].toFixed(1)})`,
        class: `point ${colour}${more}`,
        visibility: inside(i) ? null : "hidden",
      });
    };
    const path = () => drawing("path");
    many(shapes, state.names, path, (node, _, i) => mark(node, i, i === inHand ? " pointed" : ""));
    many(rings, state.lit, path, (node, i) => mark(node, i, state.looks ? " ringed" : " lit"));
    const places = placeNames(w, h);
    many(labels, state.names, () => drawing("text"), (node, name, i) => {
      const place = places[i];
      setText(node, name);
      const shown = place.fits && inside(i);
      const flags = `${state.lit.includes(i) ? " lit" : ""}${i === inHand ? " pointed" : ""}${shown ? "" : " crowded"}`;
      setAttributes(node, { x: place.x.toFixed(1), y: place.y.toFixed(1), class: `point-name${flags}` });
    });
    const at = ([x, y]) => numberText(x, 3) + (state.y_ticks ? `, ${numberText(y, 3)}` : "");
    const inWords = state.xy.map((place, i) => `${state.names[i]} (${at(place)})`);
    setText(list, `${inWords.join("; ")}.`);
    const called = `${state.title || "points"}: ${state.names.length} points`;
    setAttribute(axes.svg, "aria-label", `${called}; the arrow keys read them`);
    look();
  };

  /** A place beside its point for each name, the lit ones first; those without room wait until they are pointed at. */
  function placeNames(w, h) {
    measure.font = '17px "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", "Noto Sans", sans-serif';
    const taken = xs.map((x, i) => [x - 8, ys[i] - 8, x + 8, ys[i] + 8]);
    const order = state.names.map((_, i) => i).sort((a, b) => state.lit.includes(b) - state.lit.includes(a) || a - b);
    const places = [];
    for (const i of order) {
      const width = measure.measureText(state.names[i]).width * (state.lit.includes(i) ? 1.08 : 1);
      const [x, y] = [xs[i], ys[i]];
      const spots = [
        [x + 11, y + 6], [x - 11 - width, y + 6], [x - width / 2, y - 12], [x - width / 2, y + 24],
        [x + 8, y - 9], [x + 8, y + 20], [x - 8 - width, y - 9], [x - 8 - width, y + 20],
      ];
      const frame = ([left, base]) => [left, base - 14, left + width, base + 4];
      const free = spots.find((spot) => {
        const [left, top, right, bottom] = frame(spot);
        if (left < -4 || right > w + 20 || top < -10 || bottom > h + 4) return false;
        return !taken.some((box, j) => j !== i && box[0] < right && box[2] > left && box[1] < bottom && box[3] > top);
      });
      const spot = free ?? spots[x > w / 2 ? 1 : 0];
      if (free) taken.push(frame(spot));
      places[i] = { x: spot[0], y: spot[1], fits: Boolean(free) || state.lit.includes(i) };
    }
    return places;
  }
}

// --- the parameters: each builder returns { node, update() }, and update() returns what was refused ---

function buildParameter(parameter, tools) {
  const { model, id, ask, pending, refusal } = tools;
  const { name } = parameter;
  const asked = () => pending(name)?.value ?? model.get("refusals")[name]?.value ?? model.get("values")[name];
  const tell = (value) => {
    ask(name, { kind: "set", name, value });
    tools.update();
  };
  const fieldId = `${id}-${name}`;
  const field = { parameter, name, asked, tell, fieldId, tools };
  const { node, input, update } = FIELDS[parameter.kind](field);
  return {
    node,
    large: ["paint", "entries"].includes(parameter.kind),
    update: () => {
      const reason = !pending(name) && model.get("refusals")[name];
      node.classList.toggle("refused", Boolean(reason));
      setAttribute(input(), "aria-invalid", reason ? "true" : null);
      setAttribute(input(), "aria-describedby", reason ? refusal.id : null);
      update();
      return reason ? [{ key: name, box: node, input: input(), sentence: reason.sentence }] : [];
    },
  };
}

const FIELDS = {
  slider({ parameter, asked, tell, fieldId }) {
    const { stops, texts, label } = parameter;
    const input = element("input", { type: "range", id: fieldId, min: 0, max: stops.length - 1, step: 1 });
    const value = element("output", { className: "value" });
    value.setAttribute("aria-hidden", "true"); // the slider says it
    value.style.minWidth = `${Math.max(...texts.map((text) => text.length))}ch`;
    input.addEventListener("input", () => tell(stops[Number(input.value)]));
    const both = [texts[0], texts.at(-1)].map((textContent) => element("span", { textContent }));
    const ends = element("div", { className: "ends" }, ...both);
    ends.setAttribute("aria-hidden", "true");
    const top = element("div", { className: "top" }, element("label", { htmlFor: fieldId, textContent: label }), value);
    const node = element("div", { className: "parameter slider" }, top, input, ends);
    const update = () => {
      const at = String(stops.indexOf(asked()));
      if (input.value !== at) input.value = at;
      setText(value, texts[at]);
      setAttribute(input, "aria-valuetext", texts[at]);
      setStyle(input, "--share", `${(100 * at) / Math.max(1, stops.length - 1)}%`);
    };
    return { node, input: () => input, update };
  },

  choice({ parameter, asked, tell, fieldId }) {
    const { options, texts, label } = parameter;
    if (options.length > MOST_BUTTONS || texts.join("").length > 60) {
      const choices = texts.map((textContent, value) => element("option", { value, textContent }));
      const select = element("select", { id: fieldId }, ...choices);
      select.addEventListener("change", () => tell(options[Number(select.value)]));
      const top = element("label", { htmlFor: fieldId, textContent: label });
      const update = () => {
        const at = String(options.indexOf(asked()));
        if (select.value !== at) select.value = at;
      };
      return { node: element("div", { className: "parameter choice" }, top, select), input: () => select, update };
    }
    const radios = options.map((option, i) => {
      const input = element("input", { type: "radio", name: fieldId, value: i });
      input.addEventListener("change", () => tell(option));
      return element("label", {}, input, element("span", { textContent: texts[i] }));
    });
    const legend = element("legend", { textContent: label });
    const node = element("fieldset", { className: "parameter choice" }, legend, ...radios);
    const update = () => radios.forEach((radio, i) => (radio.firstChild.checked = options[i] === asked()));
    return { node, input: () => (radios.find((radio) => radio.firstChild.checked) ?? radios[0]).firstChild, update };
  },

  toggle({ parameter, asked, tell }) {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", () => tell(input.checked));
    const words = element("span", { textContent: parameter.label });
    const node = element("label", { className: "parameter switch" }, input, words);
    const update = () => {
      if (input.checked !== asked()) input.checked = asked();
    };
    return { node, input: () => input, update };
  },

  text({ parameter, asked, tell, fieldId }) {
    const several = parameter.lines > 1;
    const input = element(several ? "textarea" : "input", { id: fieldId, dir: "auto" });
    input.maxLength = parameter.max_length;
    if (several) input.rows = parameter.lines;
    input.autocomplete = "off";
    input.spellcheck = false;
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
    const top = element("label", { htmlFor: fieldId, textContent: parameter.label });
    const update = () => composing || setText(input, asked());
    const className = `parameter text${several ? " several" : ""}`;
    return { node: element("div", { className }, top, input), input: () => input, update };
  },

  paint({ parameter, asked, tell, tools }) {
    const { row_names, column_names, label } = parameter;
    const tall = Math.max(...column_names.map((name) => name.length)) > 3;
    const caption = element("caption", { textContent: label });
    const heads = column_names.map((name) => element("th", { scope: "col" }, element("span", { textContent: name })));
    const body = element("tbody");
    const cells = row_names.map((row, r) => {
      const buttons = column_names.map((column, c) =>
        element("button", { type: "button", ariaLabel: `${label}, ${row}, ${column}`, tabIndex: r + c ? -1 : 0 }),
      );
      const tds = buttons.map((button) => element("td", {}, button));
      body.append(element("tr", {}, element("th", { scope: "row", textContent: row }), ...tds));
      return buttons;
    });
    const thead = element("thead", {}, element("tr", {}, element("td"), ...heads));
    const table = element("table", { className: `paint${tall ? " tall" : ""}` }, caption, thead, body);
    const last = { row: 0, column: 0 };
    const placeOf = (node) => {
      const td = node?.closest?.("td");
      if (!td || !body.contains(td)) return null;
      return [td.parentElement.sectionRowIndex, td.cellIndex - 1];
    };
    const paint = ([r, c], on) => {
      const held = asked();
      if (held[r][c] !== on) tell(held.map((row, i) => (i === r ? row.map((cell, j) => (j === c ? on : cell)) : row)));
    };
    const stay = ([r, c]) => {
      cells[last.row][last.column].tabIndex = -1;
      [last.row, last.column] = [r, c];
      cells[r][c].tabIndex = 0;
    };
    table.addEventListener("pointerdown", (start) => {
      const place = placeOf(start.target);
      if (!place || start.button !== 0) return;
      start.preventDefault(); // else the browser would drag or select
      if (start.target.hasPointerCapture?.(start.pointerId)) start.target.releasePointerCapture(start.pointerId);
      stay(place);
      cells[place[0]][place[1]].focus({ preventScroll: true });
      const on = !asked()[place[0]][place[1]];
      paint(place, on);
      const over = (event) => {
        const under = placeOf(tools.root.getRootNode().elementFromPoint(event.clientX, event.clientY));
        if (under) paint(under, on);
      };
      const drop = () => {
        for (const kind of ["pointerup", "pointercancel"]) window.removeEventListener(kind, drop);
        window.removeEventListener("pointermove", over);
      };
      window.addEventListener("pointermove", over);
      for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, drop);
    });
    table.addEventListener("keydown", (event) => {
      const place = placeOf(event.target);
      if (!place) return;
      const [rows, columns] = [row_names.length, column_names.length];
      let [r, c] = place;
      if (KEYS[event.key]) [r, c] = [r + KEYS[event.key][0], c + KEYS[event.key][1]];
      else if (event.key === "Home") c = 0;
      else if (event.key === "End") c = columns - 1;
      else if (event.key === " " || event.key === "Enter") paint(place, !asked()[r][c]);
      else return;
      event.preventDefault();
      stay([Math.min(rows - 1, Math.max(0, r)), Math.min(columns - 1, Math.max(0, c))]);
      cells[last.row][last.column].focus();
    });
    const update = () => {
      const held = asked();
      cells.forEach((row, r) => row.forEach((button, c) => setAttribute(button, "aria-pressed", String(held[r][c]))));
    };
    const node = element("div", { className: "parameter large" }, table);
    return { node, input: () => cells[last.row][last.column], update };
  },

  entries({ parameter, name, tools }) {
    const { row_names, column_names, label } = parameter;
    const shape = `(${row_names.length} × ${column_names.length})`;
    const size = element("span", { className: "shape", textContent: shape });
    const caption = element("caption", {}, element("span", {}, ...mathName(label)), size);
    const heads = column_names.map((column) => element("th", { scope: "col", textContent: column }));
    const body = element("tbody");
    row_names.forEach((row, r) => {
      const tds = column_names.map((_, c) => tools.fields.build(name, r, c));
      body.append(element("tr", {}, element("th", { scope: "row", textContent: row }), ...tds));
    });
    const thead = element("thead", {}, element("tr", {}, element("td"), ...heads));
    const table = element("table", { className: "matrix" }, caption, thead, body);
    const node = element("div", { className: "parameter large" }, table);
    return { node, input: () => table.querySelector("input"), update: () => {} };
  },
};

// --- all together ---

function render({ model, el }) {
  const id = `live-${Date.now().toString(36)}-${++viewsSoFar}`;
  const root = element("div", { className: "course-control live-control" });
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", model.get("alt"));
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
    held: (cell) => model.get("values")[cell.table][cell.row][cell.column],
    written: (cell) => model.get("entries")[cell.table][cell.row][cell.column],
    update,
  });
  const tools = { model, id, root, ask, pending, refusal, fields, update };

  // --- presets and reset ---
  const names = model.get("preset_names");
  const preset = names.length > MOST_BUTTONS ? presetList() : presetButtons();
  const reset = element("button", { type: "button", className: "reset", textContent: "Reset" });
  reset.addEventListener("click", () => ask("all", { kind: "reset" }));

  function presetButtons() {
    const buttons = names.map((name) => {
      const button = element("button", { type: "button", className: "preset", textContent: name });
      button.addEventListener("click", () => ask("all", { kind: "preset", name }));
      return button;
    });
    const mark = (chosen) => buttons.forEach((b, i) => setAttribute(b, "aria-pressed", String(names[i] === chosen)));
    return { nodes: buttons, mark };
  }

  function presetList() {
    const select = element("select", { ariaLabel: "Values to start from" });
    select.append(element("option", { value: "", textContent: "your own values", hidden: true }));
    select.append(...names.map((name) => element("option", { value: name, textContent: name })));
    select.addEventListener("change", () => ask("all", { kind: "preset", name: select.value }));
    const mark = (chosen) => {
      if (select.value !== chosen) select.value = chosen;
    };
    return { nodes: [select], mark };
  }

  // --- building ---
  const parameters = model.get("parameters").map((parameter) => buildParameter(parameter, tools));
  const nodes = (large) => parameters.filter((parameter) => parameter.large === large).map(({ node }) => node);
  const start = element("div", { className: "start" }, ...preset.nodes, reset);
  const turned = element("div", { className: "parameters" }, ...nodes(false));
  const stage = element("div", { className: "stage" }, ...nodes(true));
  root.append(notice, start, turned, stage, refusal);
  keepKeys(root);
  const slots = [];

  // --- from the state to the page ---
  function updatePanel(slot) {
    const style = getComputedStyle(slot.node);
    const width = slot.node.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (width > 0) slot.update(slot.state, Math.floor(width));
  }

  function updatePanels() {
    const panels = model.get("panels");
    while (slots.length > panels.length) slots.pop().node.remove();
    panels.forEach((state, i) => {
      const { className, shape, build } = PANELS[state.kind];
      const key = JSON.stringify([state.kind, className(state), shape(state)]);
      if (slots[i]?.key !== key) {
        const node = element("div", { className: `sheet ${className(state)} ${state.kind}` });
        if (slots[i]) slots[i].node.replaceWith(node);
        else stage.append(node);
        slots[i] = { key, node, update: build(node, state), state: null };
      }
      if (slots[i].state === state) return;
      slots[i].state = state;
      updatePanel(slots[i]);
    });
  }

  function update() {
    updatePanels();
    const refused = [...fields.update(), ...parameters.flatMap((parameter) => parameter.update())];
    const all = model.get("refusals")[""]; // of a preset: there is no field to put it beside
    if (all) refused.push({ key: "", box: start, input: reset, sentence: all.sentence });
    preset.mark(pending("all")?.name ?? model.get("preset"));
    showRefusal(root, refusal, refused, Object.keys(model.get("refusals")));
  }

  const follow = () => {
    talk.hear();
    update();
  };
  model.on("change", follow);
  let width = 0;
  const watcher = new ResizeObserver(() => {
    talk.watch();
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    slots.forEach(updatePanel);
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
