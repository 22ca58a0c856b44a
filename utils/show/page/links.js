// The words of one head and the links between them: those that are asked above, those that ask below, or side by side.

import { boxIn, element, glossOf, setStyle, setText, within } from "./dom.js";
import { AMBER } from "./numbers.js";
import { fresh } from "./shades.js";
import { meeting, textOf, valueOf } from "./weights.js";

const LINK_LEVELS = 10; // the faint links are stroked in so many strengths, one path for each
const FAINTEST = 0.015; // what is weaker is drawn only where it is asked for
const NEAR = 14; // px between the pointer and the link that is meant
const THINNEST = 0.002; // a lit link below it would not be seen; its number is
const tintOf = (share) => (share < 0.005 ? "" : `rgba(230, 159, 0, ${(0.5 * share).toFixed(2)})`);

/** The words and the links: `light` gets what is pointed at or null, `keep` what the keys are at or null. */
export function linksOf({ light, keep }) {
  const askedList = element("div", { className: "side asked", role: "listbox", ariaLabel: "who is asked" });
  const askingList = element("div", { className: "side asking", role: "listbox", ariaLabel: "who asks" });
  const [faint, lit] = ["faint", "lit"].map((className) => element("canvas", { className, ariaHidden: "true" }));
  const between = element("div", { className: "between" }, faint, lit);
  const node = element("div", { className: "links" }, askedList, between, askingList);
  let head = { rows: null, columns: null };
  let words = { rows: [], columns: [] }; // { node, number }
  let anchors = { rows: [], columns: [], width: 0, height: 0, askedFirst: true }; // where the links end
  let vertical = false;
  let painted = { nodes: [], others: null };

  /** Writes the words of a head; tells whether they are others than before. */
  function build(next) {
    const isNew = head.rows !== next.rows || head.columns !== next.columns;
    head = next;
    if (isNew) words = { rows: fill(askingList, "rows"), columns: fill(askedList, "columns") };
    return isNew;
  }

  function fill(list, side) {
    const text = head[side];
    list.replaceChildren();
    list.dir = text.direction;
    if (text.language) list.lang = text.language;
    return text.tokens.map((token, index) => {
      const number = element("span", { className: "share", dir: "ltr" });
      const word = element("bdi", { className: "word", textContent: token, dir: "auto" });
      const gloss = element("small", { className: "gloss", textContent: glossOf(token, text.glosses), dir: "ltr" });
      const option = element("div", { className: "token", role: "option", tabIndex: index === 0 ? 0 : -1 }, word, gloss, number);
      if (text.writes.length && side === "rows") {
        const writes = element("bdi", { className: "writes", dir: text.direction, textContent: text.writes[index] });
        writes.dataset.arrow = text.direction === "rtl" ? "← " : "→ ";
        option.append(writes);
      }
      if (text.after) {
        const after = element("bdi", { textContent: text.after[index], dir: "auto" });
        option.append(element("span", { className: "writes", dir: "ltr" }, "after ", after));
      }
      option.addEventListener("focus", () => {
        words[side].forEach((other, i) => (other.node.tabIndex = i === index ? 0 : -1));
        keep({ side, index });
      });
      option.addEventListener("keydown", (event) => move(event, side, index));
      list.append(option);
      return { node: option, number };
    });
  }

  for (const [list, side] of [[askingList, "rows"], [askedList, "columns"]]) {
    // One listener for the list: from word to word is one change, not a leaving and an entering.
    list.addEventListener("pointerover", (event) => {
      const index = words[side].findIndex((word) => word.node === event.target.closest(".token"));
      if (index >= 0) light({ side, index });
    });
    list.addEventListener("pointerleave", () => light(null));
  }

  between.addEventListener("pointermove", (event) => light(linkAt(within(between, event))));
  between.addEventListener("pointerleave", () => light(null));

  /** The link that runs nearest to a point between the words, the stronger of two.
   * @param {number[]} point */
  function linkAt([x, y]) {
    const { width, height, askedFirst } = anchors;
    const way = vertical ? x / width : y / height;
    const gone = askedFirst ? 1 - way : way; // from the words that ask
    let t = 0.5; // where on the Bézier curve of `trace`: the way goes as 1.5 t − 1.5 t² + t³
    for (let step = 0.25; step > 1e-4; step /= 2) t += 1.5 * t - 1.5 * t ** 2 + t ** 3 < gone ? step : -step;
    const eased = 3 * t ** 2 - 2 * t ** 3;
    let [best, least] = [null, NEAR];
    head.map.forEach((code, k) => {
      const [index, other] = [Math.floor(k / anchors.columns.length), k % anchors.columns.length];
      const at = anchors.rows[index] + eased * (anchors.columns[other] - anchors.rows[index]);
      const distance = Math.abs(at - (vertical ? y : x)) - NEAR * valueOf(code);
      if (valueOf(code) >= FAINTEST && distance < least) [best, least] = [{ side: "rows", index, other }, distance];
    });
    return best;
  }

  function move(event, side, index) {
    const [own, others] = side === "rows" ? [words.rows, words.columns] : [words.columns, words.rows];
    const sideways = ["ArrowLeft", "ArrowRight"];
    const upright = ["ArrowUp", "ArrowDown"];
    if (head[side].direction === "rtl" && !vertical) sideways.reverse();
    const [along, across] = vertical ? [upright, sideways] : [sideways, upright];
    const targets = { Home: own[0], End: own.at(-1), [along[0]]: own[index - 1], [along[1]]: own[index + 1] };
    for (const key of across) targets[key] = others[Math.min(index, others.length - 1)];
    if (event.key === "Escape") keep(null);
    if (!(event.key in targets)) return;
    event.preventDefault();
    targets[event.key]?.node.focus();
  }

  /** In one line each if they fit, as sentences are read; below each other if not. */
  function layOut() {
    for (const part of [node, node.parentNode]) part.classList.remove("vertical");
    vertical = [askedList, askingList].some((list) => list.scrollWidth > list.clientWidth + 1);
    for (const part of [node, node.parentNode]) part.classList.toggle("vertical", vertical);
    // Below each other, what is written from left to right stands on the left, so that words end at the links.
    node.classList.toggle("turned", vertical && head.columns.direction === "rtl" && head.rows.direction === "ltr");
    const at = (word) => {
      const box = boxIn(between, word.node);
      return vertical ? box.top + box.height / 2 : box.left + box.width / 2;
    };
    const [asked, asking] = [askedList, askingList].map((list) => list.getBoundingClientRect().left);
    const [width, height] = [between.offsetWidth, between.offsetHeight];
    anchors = { rows: words.rows.map(at), columns: words.columns.map(at), width, height, askedFirst: !vertical || asked < asking };
  }

  /** One link as a curve from the word that asks, i, to the word that is asked, j. */
  function trace(context, i, j) {
    const { width, height } = anchors;
    const [from, to] = [anchors.rows[i], anchors.columns[j]];
    if (vertical) {
      const [x0, x1] = anchors.askedFirst ? [width, 0] : [0, width];
      context.moveTo(x0, from);
      context.bezierCurveTo(width / 2, from, width / 2, to, x1, to);
    } else {
      context.moveTo(from, height);
      context.bezierCurveTo(from, height / 2, to, height / 2, to, 0);
    }
  }

  function paintFaint() {
    const [context] = [faint, lit].map((canvas) => fresh(canvas, anchors.width, anchors.height));
    const levels = Array.from({ length: LINK_LEVELS }, () => []);
    head.map.forEach((code, k) => {
      const level = Math.min(LINK_LEVELS - 1, Math.floor(valueOf(code) * LINK_LEVELS));
      if (valueOf(code) >= FAINTEST) levels[level].push(k);
    });
    const n = head.columns.tokens.length;
    context.strokeStyle = AMBER;
    levels.forEach((level, strength) => {
      const share = (strength + 0.5) / LINK_LEVELS;
      context.beginPath();
      for (const k of level) trace(context, Math.floor(k / n), k % n);
      context.globalAlpha = 0.15 + 0.8 * share;
      context.lineWidth = 0.6 + 5 * share;
      context.stroke();
    });
  }

  /** Lights a word with its links and their numbers, or none. */
  function paintLit(what) {
    faint.style.opacity = what ? 0.25 : 1;
    const context = lit.getContext("2d"); // as paintFaint has made it: to measure it again would lay out the page
    context.clearRect(0, 0, anchors.width, anchors.height);
    const others = what && words[what.side === "rows" ? "columns" : "rows"];
    const word = what && words[what.side][what.index].node;
    const pair = what?.other === undefined ? [word] : [word, others[what.other].node];
    const set = (is) => (option) => {
      option?.classList.toggle("current", is);
      option?.setAttribute("aria-selected", String(is));
    };
    painted.nodes.forEach(set(false));
    pair.forEach(set(true));
    if (painted.others !== others) painted.others?.forEach(clear);
    painted = { nodes: pair, others };
    context.strokeStyle = AMBER;
    others?.forEach(({ number, node: other }, k) => {
      const code = head.weight(...meeting(what.side, what.index, k));
      const share = valueOf(code);
      setText(number, textOf(code));
      setStyle(other, "background-color", tintOf(share));
      if (share < THINNEST) return;
      context.beginPath();
      trace(context, ...meeting(what.side, what.index, k));
      context.globalAlpha = (0.3 + 0.7 * share) * (what.other === undefined || what.other === k ? 1 : 0.4);
      context.lineWidth = 0.8 + 9 * share;
      context.stroke();
    });
  }

  function clear({ number, node: word }) {
    setText(number, "");
    word.style.removeProperty("background-color");
  }

  return { node, build, layOut, paintFaint, paintLit, focus: (row) => words.rows[row].node.focus({ preventScroll: true }) };
}
