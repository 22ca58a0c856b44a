// The page of the catalogue: cards, chosen by what they belong to. All of it is answered here, without Python.

import { ALL, countWith, matching, sameChoice } from "./choosing.js";
import { control } from "./conversation.js";
import { buttonOf, element, setAttribute, setText } from "./dom.js";

/** One card: its headline, a line for each thing that is said, and where to read on. */
function buildItem({ name, tone, headline, lines, links }) {
  const said = lines.flatMap(([label, text]) => [
    element("dt", { textContent: label }),
    element("dd", { textContent: text }),
  ]);
  const anchors = links.map(([textContent, href]) => element("a", { textContent, href, target: "_blank" }));
  const parts = [element("h3", { textContent: headline }), element("dl", {}, ...said)];
  if (anchors.length) parts.push(element("p", { className: "links" }, ...anchors));
  const node = element("li", { className: `item ${tone}` }, ...parts);
  node.dataset.name = name;
  return node;
}

export default control("catalogue-explorer", ({ model, id, root }) => {
  const [items, facets, presets] = ["items", "facets", "presets"].map((name) => model.get(name));
  const start = Object.fromEntries(facets.map(({ name }) => [name, ALL]));

  function choose(chosen) {
    model.set("chosen", chosen);
    model.save_changes();
    update();
  }

  // --- what can be chosen ---
  const buttons = presets.map(({ name, chosen }) => {
    const choice = { ...start, ...chosen };
    return { button: buttonOf("preset", name, () => choose(choice)), choice };
  });
  const reset = buttonOf("reset", "Reset", () => choose(start));

  const fields = facets.map(({ name, options }) => {
    const radios = [ALL, ...options].map((option) => {
      const input = element("input", { type: "radio", name: `${id}-${name}`, value: option });
      const count = element("small");
      const label = element("label", {}, input, element("span", {}, `${option} `, count));
      input.addEventListener("change", () => choose({ ...model.get("chosen"), [name]: option }));
      return { option, input, count, label };
    });
    const legend = element("legend", { textContent: name });
    return { name, radios, node: element("fieldset", {}, legend, ...radios.map(({ label }) => label)) };
  });

  // --- what is shown ---
  const sentence = element("p", { className: "sentence", ariaLive: "polite" });
  const cards = items.map((item) => ({ item, node: buildItem(item) }));
  const listed = { className: "items", tabIndex: 0, role: "list", ariaLabel: model.get("alt") };
  const list = element("ul", listed, ...cards.map(({ node }) => node));
  const top = element("div", { className: "start" }, ...buttons.map(({ button }) => button), reset);
  root.append(top, ...fields.map(({ node }) => node), sentence, list);
  let last = null;

  function update() {
    const chosen = model.get("chosen");
    for (const { button, choice } of buttons) setAttribute(button, "aria-pressed", String(sameChoice(choice, chosen)));
    for (const { name, radios } of fields) {
      for (const { option, input, count } of radios) {
        input.checked = chosen[name] === option;
        setText(count, String(countWith(items, chosen, name, option)));
      }
    }
    const shown = new Set(matching(items, chosen));
    for (const { item, node } of cards) node.hidden = !shown.has(item);
    setText(sentence, `${shown.size} of ${items.length}${shown.size ? "" : ": there is none of this kind"}`);
    if (last && !sameChoice(last, chosen)) list.scrollTop = 0;
    last = chosen;
  }

  return { update };
});
