// The page of questions: their HTML as it came, and word to Python of the first choice of each that is opened.

import { element, keepKeys, setText } from "./dom.js";

export default {
  render({ model, el }) {
    const root = element("div");
    const said = element("p", { role: "status" });
    root.innerHTML = model.get("html");
    for (const link of root.querySelectorAll("a")) link.target = "_blank"; // the page itself would be left
    keepKeys(root);
    el.append(root, said);
    model.on("change:said", () => setText(said, model.get("said")));
    const answered = new Set();
    const hear = ({ target }) => {
      const { question } = target.closest("[data-question]").dataset;
      if (!target.open || answered.has(question)) return;
      answered.add(question);
      model.send({ name: question, right: "right" in target.dataset });
    };
    root.addEventListener("toggle", hear, true);
  },
};
