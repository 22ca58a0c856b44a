// What the live controls have in common, put in front of each one's own file: nodes, asking Python, fields for
// numbers, and the sentence beside what was refused.

const SAVED = "These are saved numbers. Run the cell (Shift+Enter) and they will follow your hand.";
const RESTARTED = "Python has been restarted: run the cell again (Shift+Enter) and the numbers will follow your hand.";
const SILENT = "Python does not answer: wait until it is free, or run the cell again (Shift+Enter).";
const SLOW = "Python is computing …";
const DISCONNECTED = "jupyter-widgets-disconnected"; // what ipywidgets calls a view without Python behind it
const PATIENCE = 2000; // ms until an unanswered request means that no Python listens
const LONG_PATIENCE = 20000; // the same once it has answered: then it is only slow, or gone
const PIXELS_PER_STEP = 16;
const HOLD = 400; // ms until a − or + that is held down repeats
const REPEAT = 80;

let viewsSoFar = 0;

function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

function setText(node, text) {
  const property = node.matches("input, textarea") ? "value" : "textContent";
  if (node[property] !== text) node[property] = text;
}

function setMarkup(node, markup) {
  if (node.dataset.markup === markup) return; // what the browser makes of it may read differently
  node.dataset.markup = markup;
  node.innerHTML = markup;
}

function setAttribute(node, name, value) {
  if (value === null) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}

// how wide a text is, in units of its font's size: in Arial and its like all digits are as wide; a part of a < hangs
// into the margin, lest one <0.001 push all other numbers out of the middle
const WIDTHS = { ".": 0.28, " ": 0.28, "−": 0.59, "<": 0.45, ">": 0.45 };

function widthOf(text) {
  return [...text].reduce((sum, sign) => sum + (WIDTHS[sign] ?? 0.56), 0);
}

/** Tells the style sheet how wide the numbers of a table are, so that they fit their cells and stand in the middle. */
function fitNumbers(table, cells) {
  const widths = cells.map((td) => widthOf(td.textContent));
  const usual = widths.filter((width) => width < 3.7); // up to −12.345; what is longer shrinks alone
  const most = Math.max(0.56, ...(usual.length ? usual : widths));
  setStyle(table, "--em", most.toFixed(2));
  cells.forEach((td, i) => {
    if (widths[i] > most) setStyle(td, "--em", widths[i].toFixed(2));
    else if (td.style.length) td.style.removeProperty("--em");
  });
}

/**
 * JupyterLab has shortcuts on arrows, Enter, Escape, a, b, d …: what is pressed in a control stays there.
 * Only Shift+Enter runs the cell, as everywhere else: JupyterLab takes it once no field is in hand.
 */
function keepKeys(root) {
  root.dataset.lmSuppressShortcuts = "true";
  for (const name of ["keydown", "keyup", "keypress", "dblclick"]) {
    root.addEventListener(name, (event) => {
      const run = event.key === "Enter" && event.shiftKey && !(event.ctrlKey || event.altKey || event.metaKey);
      if (!run) event.stopPropagation();
      else if (name === "keydown") letRun(root);
    });
  }
}

function letRun(root) {
  const cell = root.closest(".jp-Cell");
  if (!cell) return;
  cell.focus({ preventScroll: true });
  delete root.dataset.lmSuppressShortcuts;
  setTimeout(() => (root.dataset.lmSuppressShortcuts = "true"));
}

/** Asking Python: one request under way, and of those that wait only the newest per key. */
function conversation({ model, id, root, notice, update }) {
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
    asked = { ...request, key, id: `${id}-${++requests}` };
    patience = setTimeout(giveUp, known || connected() ? LONG_PATIENCE : PATIENCE);
    slow = setTimeout(wonder, PATIENCE, false);
    try {
      model.send(asked);
    } catch {
      // no connection: giveUp says so in due time
    }
  }

  function say(text) {
    notice.classList.toggle("on", Boolean(text));
    setText(notice, text);
  }

  function giveUp() {
    endWaiting();
    asked = null;
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
    asked = null;
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

/**
 * Fields for the numbers of matrices: typed, stepped by arrow keys or − and +, dragged.
 * held(cell): the number that Python has; written(cell): the text it gives it while the field is not in hand.
 */
function entryFields({ model, root, refusal, talk, held, written, update }) {
  const cells = new Map(); // "W_K,0,1" -> the entry and what is being typed into it
  const { ask, pending } = talk;

  function textOf(cell) {
    const sent = cell.draft ?? pending(cell.key)?.text ?? model.get("refusals")[cell.key]?.text;
    if (sent !== undefined) return sent;
    if (document.activeElement === cell.input) return String(held(cell)); // all digits while in hand
    return written(cell);
  }

  function commit(cell) {
    const text = cell.draft;
    cell.draft = undefined;
    if (text !== undefined && text !== pending(cell.key)?.text) {
      ask(cell.key, { kind: "edit", table: cell.table, row: cell.row, column: cell.column, text });
    }
    update();
  }

  function takeBack(cell) {
    cell.draft = undefined;
    if (pending(cell.key) || model.get("refusals")[cell.key]) {
      cell.draft = String(held(cell)); // the good number clears the refusal
      commit(cell);
    }
    update();
  }

  /** The number to step from: the newest one, even where Python has not heard of it yet. */
  function numberIn(cell) {
    const text = (cell.draft ?? pending(cell.key)?.text ?? "").trim().replace("−", "-");
    return text && Number.isFinite(Number(text)) ? Number(text) : held(cell);
  }

  function step(cell, change) {
    cell.draft = String(Number((numberIn(cell) + change).toPrecision(12))); // 0.1 + 0.2 shall read 0.3
    commit(cell);
    if (document.activeElement === cell.input) cell.input.select();
  }

  function move(cell, down, right) {
    const target = cells.get(`${cell.table},${cell.row + down},${cell.column + right}`);
    if (target) target.input.focus();
  }

  const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  function press(cell, event) {
    const arrow = ARROWS[event.key];
    if (event.key === "Enter" && event.shiftKey) return; // runs the cell
    if (event.key === "Enter") {
      commit(cell);
      cell.input.select();
    } else if (event.key === "Escape") {
      takeBack(cell);
      cell.input.select();
    } else if (arrow && (event.ctrlKey || event.altKey || event.metaKey)) {
      event.preventDefault();
      move(cell, ...arrow);
    } else if (arrow && arrow[0]) {
      event.preventDefault();
      step(cell, -arrow[0] * (event.shiftKey ? 0.1 : 1));
    }
  }

  function scrub(cell, start) {
    if (start.button !== 0) return;
    let anchor = start.clientX;
    let dragging = false;
    const drag = (event) => {
      const steps = Math.trunc((event.clientX - anchor) / PIXELS_PER_STEP);
      if (!dragging && Math.abs(event.clientX - anchor) > 4) {
        dragging = true;
        cell.input.setPointerCapture(start.pointerId);
        root.classList.add("scrubbing");
      }
      if (dragging) window.getSelection()?.removeAllRanges();
      if (!steps) return;
      anchor += steps * PIXELS_PER_STEP;
      step(cell, steps * (event.shiftKey ? 0.1 : 1));
    };
    const drop = () => {
      cell.input.removeEventListener("pointermove", drag);
      cell.input.removeEventListener("pointerup", drop);
      cell.input.removeEventListener("pointercancel", drop);
      root.classList.remove("scrubbing");
      if (!dragging && document.activeElement !== cell.input) cell.input.focus(); // a click: to type
      else if (!dragging) cell.input.select();
    };
    start.preventDefault(); // else the browser would select text while the value is dragged
    cell.input.addEventListener("pointermove", drag);
    cell.input.addEventListener("pointerup", drop);
    cell.input.addEventListener("pointercancel", drop);
    cell.input.setPointerCapture(start.pointerId);
  }

  /** The cell of a table that holds the field for one number. */
  function build(table, row, column) {
    const input = element("input", {
      type: "text",
      inputMode: "decimal",
      autocomplete: "off",
      spellcheck: false,
      tabIndex: row + column === 0 ? 0 : -1,
      ariaLabel: `${table} row ${row + 1} column ${column + 1}`,
    });
    const key = `${table},${row},${column}`;
    const cell = { key, table, row, column, input, draft: undefined };
    const stepper = (sign, change) => {
      const button = element("button", { type: "button", className: "step", tabIndex: -1, textContent: sign });
      button.setAttribute("aria-hidden", "true"); // the arrow keys do the same
      let timer = 0;
      const release = () => {
        clearTimeout(timer);
        timer = 0;
        box.classList.remove("holding");
        window.removeEventListener("pointerup", release);
      };
      button.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // keeps the focus where it is
        if (event.button !== 0) return;
        const by = change * (event.shiftKey ? 0.1 : 1);
        const repeat = () => {
          step(cell, by);
          timer = root.isConnected ? setTimeout(repeat, timer ? REPEAT : HOLD) : 0;
        };
        release();
        box.classList.add("holding"); // they stay while the number gets longer
        window.addEventListener("pointerup", release);
        repeat();
      });
      for (const name of ["pointerleave", "pointercancel"]) button.addEventListener(name, release);
      button.addEventListener("click", (event) => {
        if (!event.detail) step(cell, change * (event.shiftKey ? 0.1 : 1)); // not by a pointer, which has stepped
      });
      return button;
    };
    const box = element("div", { className: "entry" }, stepper("−", -1), input, stepper("+", 1));
    input.addEventListener("input", () => {
      cell.draft = input.value;
      setLength(cell);
    });
    input.addEventListener("keydown", (event) => press(cell, event));
    input.addEventListener("pointerdown", (event) => scrub(cell, event));
    input.addEventListener("focus", () => {
      for (const other of cells.values()) if (other.table === table) other.input.tabIndex = other === cell ? 0 : -1;
      update();
      input.select();
    });
    input.addEventListener("blur", () => (input.value.trim() ? commit(cell) : takeBack(cell)));
    cell.box = box;
    cells.set(key, cell);
    return element("td", {}, box);
  }

  function setLength(cell) {
    const width = widthOf(cell.input.value);
    const size = width > 2.2 ? "long" : "short"; // −0.5 is short: − and + have room beside it
    setStyle(cell.box, "--em", Math.max(0.56, width).toFixed(2));
    if (cell.box.dataset.length !== size) cell.box.dataset.length = size;
  }

  function updateEntry(cell) {
    setText(cell.input, textOf(cell));
    setLength(cell);
    const refused = cell.draft === undefined && !pending(cell.key) && model.get("refusals")[cell.key];
    const inHand = document.activeElement === cell.input;
    cell.box.classList.toggle("refused", Boolean(refused));
    setAttribute(cell.input, "aria-invalid", refused ? "true" : null);
    setAttribute(cell.input, "aria-describedby", refused ? refusal.id : null);
    setAttribute(cell.input, "title", refused ? refused.sentence : inHand ? null : String(held(cell)));
    return refused;
  }

  /** Puts Python's numbers into the fields; returns those refused, as { key, box, input, sentence }. */
  function updateAll() {
    const refused = [];
    for (const cell of cells.values()) {
      const reason = updateEntry(cell);
      if (reason) refused.push({ key: cell.key, box: cell.box, input: cell.input, sentence: reason.sentence });
    }
    return refused;
  }

  return { build, update: updateAll };
}

/** The box for the sentence that says why something was refused. */
function refusalBox(id) {
  const refusal = element("div", { className: "refusal", id: `${id}-refusal` });
  refusal.setAttribute("role", "alert");
  return refusal;
}

/** Shows the sentence of the refused field in hand, else of the latest (by `order`), right below that field. */
function showRefusal(root, refusal, refused, order) {
  refused.sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
  const latest = refused.find(({ input }) => input === document.activeElement) ?? refused.at(-1);
  refusal.classList.toggle("on", Boolean(latest));
  setText(refusal, latest ? latest.sentence : "");
  if (!latest) return;
  const page = root.getBoundingClientRect();
  const box = latest.box.getBoundingClientRect();
  const left = Math.max(0, Math.min(box.left - page.left, page.width - refusal.offsetWidth));
  refusal.style.left = `${left}px`;
  refusal.style.top = `${box.bottom - page.top + 7}px`;
  refusal.style.setProperty("--tip", `${box.left + Math.min(box.width / 2, 40) - page.left - left}px`);
}
