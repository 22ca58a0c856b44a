// What a control asks its reader to bring about: a list beside it, in which what has been done is ticked.

import { element, setText } from "./dom.js";

/** The list of some sentences: { node, mark(ticked) }, where `ticked` are the numbers of those done, from 0. */
export function taskList(sentences) {
  const marks = sentences.map(() => element("span", { className: "mark" }));
  const emphasized = (sentence) => sentence.split("*").map((part, i) => (i % 2 ? element("em", { textContent: part }) : part));
  const items = sentences.map((sentence, i) => element("li", {}, marks[i], element("span", {}, `${i + 1}. `, ...emphasized(sentence))));
  const node = element("ol", { className: "tasks", ariaLabel: "tasks", ariaLive: "polite", hidden: !sentences.length }, ...items);
  const mark = (ticked) => {
    items.forEach((item, i) => {
      item.classList.toggle("done", ticked.includes(i));
      setText(marks[i], ticked.includes(i) ? "✓" : "○");
    });
  };
  return { node, mark };
}

/** The list of a control in which one goes from place to place: { node, at(place) } ticks what is done there. */
export function tasksAt(model) {
  const { node, mark } = taskList(model.get("tasks"));
  const at = (place) => {
    const here = JSON.stringify(place);
    const met = model.get("done_at").flatMap((places, i) => (places.some((one) => JSON.stringify(one) === here) ? [i] : []));
    const ticked = [...new Set([...model.get("ticked"), ...met])];
    if (ticked.length > model.get("ticked").length) {
      model.set("ticked", ticked);
      model.save_changes();
    }
    mark(ticked);
  };
  return { node, at };
}
