// A control on its page: how it begins, follows Python and ends; asking Python; and the sentence beside what it refuses.

import { boxIn, element, followTheme, keepKeys, setText } from "./dom.js";
import { followLinks, presenting } from "./present.js";

const SAVED = "These are saved numbers. Run the cell (Shift+Enter) and they will follow your hand.";
const RESTARTED = "Python has been restarted: run the cell again (Shift+Enter) and the numbers will follow your hand.";
const SILENT = "Python does not answer: wait until it is free, or run the cell again (Shift+Enter).";
const SLOW = "Python is computing …";
const DISCONNECTED = "jupyter-widgets-disconnected"; // what ipywidgets calls a view without Python behind it
const PATIENCE = 2000; // ms until an unanswered request means that no Python listens
const LONG_PATIENCE = 20000; // the same once it has answered: then it is only slow, or gone

let viewsSoFar = 0;

/**
 * What anywidget asks for. `build` fills the root and returns `update(resized)`, which brings the page up to date with
 * the model, and, if need be, `end`.
 */
export function control(className, build) {
  return {
    render({ model, el }) {
      const id = `control-${Date.now().toString(36)}-${++viewsSoFar}`;
      const root = element("div", { className: `course-control ${className}` });
      const notice = element("p", { className: "notice", role: "status" });
      const talk = conversation({ model, id, root, notice, update: () => update(false) });
      const { update, end } = build({ model, id, root, notice, talk });
      const present = presenting({ root, id, redraw: () => update(true) });
      root.querySelector(".start, .from").append(present.node);
      keepKeys(root);
      const follow = () => {
        talk.hear();
        update(false);
        present.check();
      };
      model.on("change", follow);
      const noteTheme = () => {
        root.classList.remove("dark"); // which would answer for itself
        const [red] = getComputedStyle(root).color.match(/[\d.]+/g) ?? [0];
        root.classList.toggle("dark", Number(red) > 127); // its ink is light
      };
      const redraw = () => {
        noteTheme();
        update(true);
        present.check();
      };
      let width = 0;
      const watcher = new ResizeObserver(() => {
        talk.watch();
        if (root.clientWidth === width) return;
        width = root.clientWidth;
        redraw();
      });
      watcher.observe(root);
      el.append(root);
      const endLinks = followLinks(root);
      const endTheme = followTheme(redraw);
      noteTheme();
      update(false);
      return () => {
        model.off("change", follow);
        watcher.disconnect();
        talk.end();
        present.end();
        endLinks();
        endTheme();
        end?.();
      };
    },
  };
}

/** Asking Python: one request under way, and of those that wait only the newest per key. */
export function conversation({ model, id, root, notice, update }) {
  const waiting = new Map();
  let asked = null;
  let patience = 0;
  let slow = 0;
  let known = false;
  let lastAnswer = model.get("answer");
  let requests = 0;
  let watcher = null;

  function ask(key, request) {
    if (connected() === false) return giveUp();
    waiting.delete(key);
    waiting.set(key, request);
    return sendNext();
  }

  /** Whether Python listens, or undefined where the page can't know: ipywidgets marks the views it has lost. */
  function connected() {
    if (!root.closest(".jp-OutputArea")) return undefined;
    return !root.parentElement.classList.contains(DISCONNECTED);
  }

  /** JupyterLab shows whether Python is busy: who is idle and does not answer has been restarted. */
  function idle() {
    const indicator = root.closest(".jp-NotebookPanel")?.querySelector(".jp-Notebook-ExecutionIndicator");
    return indicator?.dataset.status === "idle";
  }

  function wonder(twice) {
    if (!known && !connected()) return;
    if (idle() && twice) {
      giveUp();
      return;
    }
    say(SLOW);
    slow = setTimeout(wonder, PATIENCE / 4, idle());
  }

  /** To be called once the control is on the page: says from the beginning, or as soon as it is so, what is saved. */
  function watch() {
    if (connected() === undefined || watcher) return;
    const look = () => {
      if (connected() === false && !notice.classList.contains("on")) giveUp();
    };
    watcher = new MutationObserver(look);
    watcher.observe(root.parentElement, { attributeFilter: ["class"] });
    notice.classList.toggle("first", connected() === false);
    look();
  }

  function sendNext() {
    if (asked || !waiting.size) return;
    const [key, request] = waiting.entries().next().value;
    waiting.delete(key);
    expect({ ...request, key, id: `${id}-${++requests}` });
    patience = setTimeout(giveUp, known || connected() ? LONG_PATIENCE : PATIENCE);
    slow = setTimeout(wonder, PATIENCE, false);
    try {
      model.send(asked);
    } catch {
      // no connection: giveUp says so in due time
    }
  }

  /** Notes what Python has been asked: while it is something, the page is not yet what it will be. */
  function expect(request) {
    asked = request;
    root.toggleAttribute("data-asking", Boolean(request)); // aria-busy would keep screen readers from the notice
  }

  function say(text) {
    notice.classList.toggle("on", Boolean(text));
    setText(notice, text);
  }

  function giveUp() {
    endWaiting();
    expect(null);
    waiting.clear();
    if (connected() && !idle()) say(SILENT);
    else say(known ? RESTARTED : SAVED);
    update();
  }

  /** To be called at every change of the model. */
  function hear() {
    const answer = model.get("answer");
    if (answer === lastAnswer) return;
    lastAnswer = answer;
    known = true;
    say("");
    if (asked?.id !== answer) return;
    endWaiting();
    expect(null);
    sendNext();
  }

  function endWaiting() {
    clearTimeout(patience);
    clearTimeout(slow);
  }

  function end() {
    endWaiting();
    watcher?.disconnect();
  }

  /** What was asked under this key and is not answered yet. */
  const pending = (key) => waiting.get(key) ?? (asked?.key === key ? asked : undefined);

  return { ask, hear, pending, watch, end };
}

/** Shows the sentence of the refused field in hand, else of the latest (by `order`), right below that field. */
export function showRefusal(root, refusal, refused, order) {
  refused.sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
  const latest = refused.find(({ input }) => input === document.activeElement) ?? refused.at(-1);
  refusal.classList.toggle("on", Boolean(latest));
  setText(refusal, latest ? latest.sentence : "");
  if (!latest) return;
  const box = boxIn(root, latest.box);
  const left = Math.max(0, Math.min(box.left, root.clientWidth - refusal.offsetWidth));
  refusal.style.left = `${left}px`;
  refusal.style.top = `${box.bottom + 7}px`;
  refusal.style.setProperty("--tip", `${box.left + Math.min(box.width / 2, 40) - left}px`);
}
