// Curves and points: the frame that they share, and what is drawn in it.

import { drawing, element, many, setAttribute, setAttributes, setText, setTitle, within } from "./dom.js";
import { lookCloser, readoutLine, saidAtRest } from "./look.js";
import { apart, ends, placeInColumns, placeNames, scale } from "./numbers.js";
import { SERIES } from "./panels.js";
import { numberText } from "./texts.js";

const DASHES = ["none", "10 5", "2.5 4.5", "13 4 2.5 4", "6 3", "18 5"];
const SHAPES = {
  circle: "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0Z",
  square: "M-5.5 -5.5H5.5V5.5H-5.5Z",
  triangle: "M0 -7.5L7 5.5H-7Z",
  diamond: "M0 -8L8 0L0 8L-8 0Z",
  down: "M0 7.5L7 -5.5H-7Z",
  cross: "M-3 -6.1L0 -3.1L3 -6.1L6.1 -3L3.1 0L6.1 3L3 6.1L0 3.1L-3 6.1L-6.1 3L-3.1 0L-6.1 -3Z",
};
const COLUMN = 124; // px of a tree's step at least
const BETWEEN = 36; // px from a name in a tree to the next step
const TOP = 24; // where the x under the cursor is written
const SPILL = 7; // a dot on the edge of the frame is shown whole

/** The colour of a curve: curves of one quantity have one, and differ by their dashes. */
const hueOf = ({ hue }, s) => hue ?? SERIES[s % SERIES.length];

/** The room for ticks and the names of the axes. */
function margins(state) {
  return { left: state.y_ticks === false ? 34 : state.y_label ? 68 : 50, bottom: state.x_label ? 54 : 30 };
}

/** What curves and points share: title, legend, grid, ticks, the names of the axes, and a place to draw in. */
function buildAxes(box) {
  const title = element("p", { className: "title" });
  const keys = element("div", { className: "keys" });
  const legend = element("div", { className: "legend" }, keys);
  const grid = drawing("path", { class: "gridlines" });
  const xTicks = drawing("g", { class: "ticks x" });
  const yTicks = drawing("g", { class: "ticks y" });
  const xLabel = drawing("text", { class: "axis", "text-anchor": "middle" });
  const yLabel = drawing("text", { class: "axis", "text-anchor": "middle" });
  const plot = drawing("svg", { class: "plot", overflow: "hidden" }); // an inner svg cuts off what lies beyond
  const over = drawing("g");
  const svg = drawing("svg", { class: "chart", role: "img" }, grid, xTicks, yTicks, xLabel, yLabel, plot, over);
  box.append(title, legend, svg);
  const text = () => drawing("text");
  const update = (state, width, height, w, h, x, y) => {
    const { left } = margins(state);
    setTitle(title, state.title);
    setAttributes(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    const frame = [-SPILL, -SPILL, Math.max(0, w) + 2 * SPILL, h + 2 * SPILL]; // a hidden figure has no room
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
  return { svg, plot, over, legend, keys, update };
}

function pathOf(x, y) {
  return x.map((value, i) => `${i ? "L" : "M"}${value.toFixed(1)} ${y[i].toFixed(1)}`).join("");
}

export function buildLines(box) {
  const axes = buildAxes(box);
  const { keys } = axes;
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
  const say = saidAtRest(status);
  box.append(table, status);
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
    state.series.forEach(({ name, y }, s) => {
      setText(keys.children[s].lastChild, place ? numberText(y[i], 3) : "");
      if (direct.children[s]) setText(direct.children[s].lastChild, place ? numberText(y[i], 3) : name);
    });
    setAttribute(cursor, "d", place ? `M${xs[i].toFixed(1)} 0V${plotHeight}` : "");
    many(pointed, place ? state.series : [], () => drawing("circle", { r: 5.5 }), (node, _, s) => {
      setAttributes(node, { cx: xs[i].toFixed(1), cy: ys[s][i].toFixed(1), class: `dot ${hueOf(state, s)}` });
    });
    const spoken = place ? state.series.map(({ name, y }) => `${name} ${numberText(y[i])}`).join(", ") : "";
    say(place ? `${where.textContent}: ${spoken}` : "");
  };
  const look = lookCloser(axes.svg, {
    size: () => [1, xs.length],
    locate: (event) => {
      const at = within(axes.svg, event)[0] - margins(state).left;
      let best = 0;
      for (let i = 1; i < xs.length; i++) if (Math.abs(xs[i] - at) < Math.abs(xs[best] - at)) best = i;
      return [0, best];
    },
    show,
  });
  return (next, width) => {
    if (!(width > 0)) return; // it has no place on the page yet
    state = next;
    const { series, x } = state;
    const names = series.map(({ name }) => name);
    const longest = Math.max(...names.map((name) => name.length));
    const labelled = series.length > 1 && series.length <= 6 && longest <= 14 && width > 380;
    const right = labelled ? 48 + longest * 9.2 : 20;
    const height = Math.round(Math.min(box.closest(".in-parts") ? 280 : 360, Math.max(270, width * 0.58)));
    const { left: before, bottom } = margins(state);
    const [w, h] = [width - before - right, height - TOP - bottom];
    plotHeight = h;
    const all = series.flatMap(({ y, band }) => [...y, ...band.flat()]);
    const [low, high] = state.y_range ?? ends(all, 0.05);
    const markXs = state.marks.map(([, at]) => at);
    const [first, last] = state.x_range ?? ends([...x, ...markXs], 0);
    const sx = scale([first, last], [0, w], Math.max(3, w / 90));
    const sy = scale([low, high], [h, 0], 5);
    xs = x.map(sx.at);
    ys = series.map(({ y }) => y.map(sy.at));
    axes.update(state, width, height, w, h, sx, sy);

    const style = (s) => hueOf(state, s);
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
      setAttributes(node, { d, class: `dots ${style(s)}${s % 2 ? " square" : ""}` });
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
    // the names at the right ends of the curves, with their dashes, moved apart where they would overlap
    const beside = apart(ys.map((y) => y.at(-1)), h - 6); // above the numbers of the axis
    axes.legend.hidden = labelled;
    const makeName = () => drawing("g", {}, drawing("path", { class: "curve", d: "M0 0h26" }), drawing("text", { x: 32, y: 6 }));
    many(direct, labelled ? series : [], makeName, (node, { name }, s) => {
      setText(node.lastChild, name);
      setAttribute(node.firstChild, "stroke-dasharray", DASHES[s % DASHES.length]);
      setAttributes(node, { transform: `translate(${w + 10} ${beside[s].toFixed(1)})`, class: style(s) });
    });
    const every = Math.ceil(x.length / 24);
    const some = x.map((_, i) => i).filter((i) => i % every === 0 || i === x.length - 1);
    const pairs = (y) => some.map((i) => `${numberText(x[i])} → ${numberText(y[i], 4)}`);
    const inWords = ({ name, y }) => `${name}: ${pairs(y).join(", ")}.`;
    setText(table, series.map(inWords).join(" "));
    const called = `${state.title || "curves"}: ${names.join(", ")} over ${state.x_label || "x"}`;
    setAttribute(axes.svg, "aria-label", `${called}; the arrow keys read the numbers`);
    look();
  };
}

export function buildPoints(box) {
  const axes = buildAxes(box);
  const { keys } = axes;
  const joins = drawing("g", { class: "joins" });
  const shapes = drawing("g");
  const labels = drawing("g", { class: "point-names" });
  axes.plot.append(joins);
  const rings = drawing("g"); // the lit ones once more, on top
  axes.over.append(shapes, rings, labels);
  const readout = readoutLine(box);
  const list = element("p", { className: "unseen" });
  box.append(list);
  let state = null;
  let xs = [];
  let ys = [];
  let inHand = -1;
  const show = (place) => {
    if (inHand >= 0) shapes.children[inHand]?.classList.remove("pointed");
    if (inHand >= 0) labels.children[inHand]?.classList.remove("pointed");
    inHand = place ? place[1] : -1;
    if (!place) return readout("");
    const i = inHand;
    shapes.children[i].classList.add("pointed");
    labels.children[i].classList.add("pointed");
    const group = state.groups ? ` (${state.groups[i]})` : "";
    const [x, y] = state.xy[i];
    const up = state.y_ticks ? `, ${state.y_label || "y"} ${numberText(y)}` : "";
    return readout(`${state.names[i]}${group}: ${state.x_label || "x"} ${numberText(x)}${up}`);
  };
  const look = lookCloser(axes.svg, {
    size: () => [1, xs.length],
    locate: (event) => {
      const [left, top] = within(axes.svg, event);
      const [px, py] = [left - margins(state).left, top - TOP];
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
  const measure = element("canvas").getContext("2d");
  const font = '"Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", "Noto Sans", sans-serif';
  const makeKey = () => {
    const swatch = drawing("svg", { class: "swatch", width: 18, height: 18, viewBox: "-9 -9 18 18" }, drawing("path"));
    return element("span", { className: "key" }, swatch, element("span", { className: "name" }));
  };
  return (next, width) => {
    if (!(width > 0)) return; // it has no place on the page yet
    state = next;
    const height = Math.round(Math.min(box.closest(".in-parts") ? 280 : 460, Math.max(280, width * 0.7)));
    const right = 24;
    if (!state.y_ticks) width = Math.max(width, COLUMN * (1 + Math.max(...state.xy.map(([x]) => x)))); // room for words
    const { left: before, bottom } = margins(state);
    const [w, h] = [width - before - right, height - TOP - bottom];
    let [left, rightEnd] = state.x_range ?? ends(state.xy.map(([x]) => x), 0.1);
    let [low, high] = state.y_range ?? ends(state.xy.map(([, y]) => y), 0.1);
    if (state.equal) {
      const unit = Math.max((rightEnd - left) / w, (high - low) / h);
      [left, rightEnd] = [(left + rightEnd - unit * w) / 2, (left + rightEnd + unit * w) / 2];
      [low, high] = [(low + high - unit * h) / 2, (low + high + unit * h) / 2];
    }
    const sx = scale([left, rightEnd], [0, w], Math.max(3, w / 90));
    const sy = scale([low, high], [h, 0], 5);
    measure.font = `${getComputedStyle(labels).fontSize} ${font}`;
    const widths = state.names.map((name, i) => measure.measureText(name).width * (state.lit.includes(i) ? 1.08 : 1));
    if (!state.y_ticks) {
      // a tree: along both axes only the order has a meaning, so each step is as wide as its names
      const steps = [...new Set(state.xy.map(([x]) => x))].sort((one, other) => one - other);
      const needs = steps.map((step) => BETWEEN + Math.max(...widths.filter((_, i) => state.xy[i][0] === step)));
      const until = (k) => needs.slice(0, k).reduce((sum, need) => sum + need, 0);
      sx.at = (x) => ((w + right) * until(steps.indexOf(x))) / until(steps.length);
      [sx.ticks, sy.ticks] = [steps, []];
    }
    xs = state.xy.map(([x]) => sx.at(x));
    ys = state.xy.map(([, y]) => sy.at(y));
    axes.update(state, width, height, w, h, sx, sy);
    const names = state.groups ? [...new Set(state.groups)] : [""];
    const byTurns = (name, g) => [name, SERIES[g % SERIES.length], Object.keys(SHAPES)[g % Object.keys(SHAPES).length]];
    const looks = (state.groups && state.looks)?.filter(([name]) => names.includes(name)) ?? names.map(byTurns);
    const lookOf = (i) => looks.find(([name]) => name === (state.groups?.[i] ?? ""));
    axes.legend.hidden = looks.length < 2;
    many(keys, state.groups ? looks : [], makeKey, (key, [name, colour, shape]) => {
      setAttribute(key, "class", `key ${colour}`);
      setAttribute(key.firstChild.firstChild, "d", SHAPES[shape]);
      setText(key.children[1], name);
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
    const tree = state.y_ticks ? null : placeInColumns({ xs, ys, widths, w }); // only the order along y has a meaning
    const places = tree?.places ?? placeNames({ xs, ys, widths, lit: state.lit, w, h });
    many(joins, state.lines, () => drawing("path"), (node, line) => {
      const [from, to] = line;
      const branch = () => `M${tree.own[from]} ${ys[from]}H${tree.ends[from]}L${xs[to]} ${ys[to]}`;
      setAttribute(node, "d", tree ? branch() : pathOf(line.map((i) => xs[i]), line.map((i) => ys[i])));
    });
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
}
