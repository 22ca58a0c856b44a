// All heads of a forward pass at a glance: a small map for each, of which one is chosen.

import { ARROWS, buttonOf, element, setAttribute } from "./dom.js";
import { GROUPS, mapOf, valueOf } from "./weights.js";

/** The small maps: { node, update(pass), paint(pass) }, where `pass` has what is shown, and its codes. */
export function glanceOf({ model, shades, choose, sentences: { isOff, isSaved, turn } }) {
  const node = element("div", { className: "glance" });
  let thumbs = []; // { button, canvas, name, layer, head }
  let switches = []; // { button, all }: all heads of one kind, off and on again
  let builtFor = "";

  function update({ shown }) {
    const key = JSON.stringify(shown.groups.map(({ name, layers, heads }) => [name, layers, heads]));
    if (key !== builtFor) build(shown.groups);
    builtFor = key;
    for (const { button, all } of switches) {
      button.hidden = !model.get("can_translate");
      button.disabled = isSaved();
      setAttribute(button, "aria-pressed", String(all.every((head) => isOff(...head))));
    }
  }

  function build(groups) {
    thumbs = [];
    switches = [];
    const boxes = groups.map((of) => {
      const ariaLabel = `${GROUPS[of.name]}: ${of.layers} layers of ${of.heads} heads`;
      const grid = element("div", { className: "grid", role: "radiogroup", ariaLabel });
      grid.style.setProperty("--heads", of.heads);
      const count = (textContent) => element("span", { className: "count", textContent, ariaHidden: "true" });
      const heads = [...Array(of.heads).keys()];
      grid.append(element("span", { className: "corner", ariaHidden: "true" }), ...heads.map((h) => count(h + 1)));
      for (let l = 0; l < of.layers; l++) grid.append(count(l + 1), ...heads.map((h) => buildThumb(of.name, l, h)));
      return element("div", { className: "group" }, element("p", {}, GROUPS[of.name], buildSwitch(of)), grid);
    });
    node.replaceChildren(...boxes);
    const across = groups.reduce((sum, of) => sum + of.heads + 1, 0);
    node.style.setProperty("--across", across <= 20 ? across : Math.max(...groups.map((of) => of.heads)) + 1);
  }

  function buildSwitch({ name, layers, heads }) {
    const all = Array.from({ length: layers * heads }, (_, k) => [name, Math.floor(k / heads), k % heads]);
    const button = buttonOf("reset", "all off", () => turn(all, !all.every((head) => isOff(...head))));
    button.setAttribute("aria-label", `all off: ${GROUPS[name]}`);
    switches.push({ button, all });
    return button;
  }

  function buildThumb(name, layer, head) {
    const canvas = element("canvas");
    const button = element("button", { type: "button", className: "thumb", role: "radio" }, canvas);
    button.addEventListener("click", () => choose(name, layer, head));
    button.addEventListener("keydown", (event) => {
      const [down, right] = ARROWS[event.key] ?? [];
      if (down === undefined) return;
      event.preventDefault();
      const next = thumbs.find((t) => t.name === name && t.layer === layer + down && t.head === head + right);
      if (next) choose(name, next.layer, next.head);
      next?.button.focus();
    });
    thumbs.push({ button, canvas, name, layer, head });
    return button;
  }

  function paint(pass) {
    const { pixels: shadeOf } = shades();
    const chosen = model.get("chosen");
    const inGroup = new Set();
    for (const { button, canvas, name, layer, head } of thumbs) {
      const of = pass.shown.groups.find((group) => group.name === name);
      const [height, width] = [pass.shown[of.rows].tokens.length, pass.shown[of.columns].tokens.length];
      [canvas.width, canvas.height] = [width, height];
      const context = canvas.getContext("2d");
      const image = context.createImageData(width, height);
      const pixels = new Uint32Array(image.data.buffer);
      mapOf(pass, of, layer, head).forEach((code, k) => (pixels[k] = shadeOf[Math.round(1000 * valueOf(code))]));
      context.putImageData(image, 0, 0);
      const is = String([name, layer, head]) === String(chosen);
      const first = name !== chosen[0] && !inGroup.has(name);
      inGroup.add(name);
      setAttribute(button, "aria-checked", String(is));
      button.tabIndex = is || first ? 0 : -1;
      button.classList.toggle("off", isOff(name, layer, head));
      const place = `layer ${layer + 1}, head ${head + 1}${isOff(name, layer, head) ? ", switched off" : ""}`;
      setAttribute(button, "aria-label", place);
      setAttribute(button, "title", `${GROUPS[name]}, ${place}`);
    }
  }

  return { node, update, paint };
}
