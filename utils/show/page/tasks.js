// What a control asks its reader to bring about: a list beside it, in which what has been done is ticked.

import { element, setText } from "./dom.js";

/** The list of some sentences: { node, mark(ticked) }, where `ticked` are the numbers of those done, from 0. */
export function taskList(sentences) {
  const marks = sentences.map(() => element("span", { className: "mark" }));
  const items = sentences.map((sentence, i) => element("li", {}, marks[i], element("span", { textContent: `${i + 1}. ${sentence}` })));
  const node = element("ol", { className: "tasks", ariaLabel: "tasks", ariaLive: "polite", hidden: !sentences.length }, ...items);
  const mark = (ticked) => {
    items.forEach((item, i) => {
      item.classList.toggle("done", ticked.includes(i));
      setText(marks[i], ticked.includes(i) ? "✓" : "○");
    });
  };
  return { node, mark };
}
