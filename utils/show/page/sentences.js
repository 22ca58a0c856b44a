// Which sentence the attention explorer shows, and which of its heads are off: chosen here, computed in Python.

import { buttonOf, element, ownSentence, setStyle, setText } from "./dom.js";

const TYPED = "\u0000"; // in the menu of sentences, that of the field beside it

/** The menu, the field and the switches: nodes, and functions that say what is off and ask for something else. */
export function sentenceChoice({ model, id, notice, talk, update }) {
  const names = Object.keys(model.get("examples"));
  const options = names.map((name) => element("option", { value: name, textContent: name }));
  const typed = element("option", { value: TYPED, textContent: "your own", hidden: true });
  const menu = element("select", { id: `${id}-example`, className: "presets" }, ...options, typed);
  const own = ownSentence("Translate", (typedText) => request(typedText, off()));
  const label = element("label", { htmlFor: menu.id, textContent: "Sentence" });
  const start = element("div", { className: "from" }, label, menu, own.node);
  const refusal = element("p", { className: "refused-sentence", role: "alert" });
  const output = element("p", { className: "output", role: "status" });
  const offSwitch = element("input", { type: "checkbox" });
  const offLabel = element("label", { className: "switch" }, offSwitch, element("span", { textContent: "switch this head off" }));
  const allOn = buttonOf("reset", "All heads on", () => request(text(), []));
  let awaited = null; // the saved sentence that is shown whole if Python, asked for it without some heads, is silent

  const off = () => talk.pending("show")?.off ?? model.get("switched_off"); // as asked for, if not yet answered
  const text = () => talk.pending("show")?.text ?? model.get("text");
  const isOff = (...head) => off().some((one) => String(one) === String(head));

  /** Whether nobody computes here: no function, or the page has been told that no Python listens. */
  const isSaved = () => !model.get("can_translate") || notice.classList.contains("on");

  function request(wanted, without, saved = null) {
    awaited = saved;
    talk.ask("show", { kind: "show", text: wanted, off: without });
    update();
  }

  /** Asks for the same sentence with these heads off, or on again, and the others as they are. */
  function turn(heads, isToBeOff) {
    const others = off().filter((one) => !heads.some((head) => String(one) === String(head)));
    request(text(), isToBeOff ? [...others, ...heads] : others);
  }

  function showSaved(name) {
    const whole = model.get("examples")[name].output;
    const state = { text: name, switched_off: [], result: {}, whole_output: whole, refusal: "" };
    for (const [trait, value] of Object.entries(state)) model.set(trait, value);
    model.save_changes();
    update();
  }

  /** Shows the saved sentence that was asked for in vain; tells whether it has. */
  function hasFallenBack() {
    if (awaited === null || talk.pending("show")) return false;
    const name = awaited;
    awaited = null;
    if (isSaved()) showSaved(name);
    return isSaved();
  }

  menu.addEventListener("change", () => {
    if (!talk.pending("show") && (!off().length || isSaved())) showSaved(menu.value);
    else request(menu.value, off(), menu.value);
  });
  offSwitch.addEventListener("change", () => turn([model.get("chosen")], offSwitch.checked));

  function show(shown) {
    label.hidden = menu.hidden = names.length < 2;
    own.node.hidden = offLabel.hidden = !model.get("can_translate");
    menu.value = names.includes(text()) ? text() : TYPED;
    own.show(text(), talk.pending("show") || model.get("refusal"));
    for (const part of [own.field, own.button, offSwitch, allOn]) part.disabled = isSaved();
    offSwitch.checked = isOff(...model.get("chosen"));
    const heads = model.get("switched_off").length;
    setStyle(allOn, "visibility", heads ? "" : "hidden"); // its room is kept
    setText(refusal, model.get("refusal"));
    output.hidden = !shown.output;
    const said = (words) => element("bdi", { textContent: words, dir: "auto", lang: shown.target?.language ?? "" });
    output.replaceChildren(element("b", {}, said(shown.output)));
    if (!heads) return;
    const whole = model.get("whole_output");
    const otherwise = element("span", {}, "with all heads on: ", said(whole));
    output.append(` with ${heads} ${heads === 1 ? "head" : "heads"} off; `);
    output.append(whole === shown.output ? "the same as with all heads on" : otherwise);
  }

  return { start, refusal, output, offSwitch, offLabel, allOn, isOff, isSaved, turn, hasFallenBack, show };
}
