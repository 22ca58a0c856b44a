// A control in front of a class: the whole window, as large as it goes, led by keys; and the link that leads to it.

import { buttonOf, element, setAttributes, setText } from "./dom.js";

const HIGH = 720; // px of the window that is not scaled: there the smallest text can be read in the last row of a class
const SMALLEST = 20; // its px, in parts.css; numbers get smaller in narrow cells
const SCALES = Array.from({ length: 14 }, (_, i) => 2.5 * 0.9 ** i); // times that on the page, the largest first
const CALM = 500; // ms without a change, and frames, until a place is taken as reached
const CALM_FRAMES = 8;
const PATIENT = 30000; // ms until it is given up
const TYPED_IN = "input, select, textarea"; // whose keys are their own
const KEYS = "→ and ← lead through the presets, ↓ and ↑ through the parts, q shows what is asked, Esc leads back";

/** What a key does to a control in front of a class; nothing where the field in hand needs the key for itself. */
export function deedOf({ key, ctrlKey, altKey, metaKey }, field = "") {
  if (key === "Escape") return "leave";
  if (ctrlKey || altKey || metaKey || ["text", "textarea", "select-one"].includes(field)) return undefined;
  const arrows = { ArrowRight: "next", ArrowLeft: "previous", ArrowDown: "further", ArrowUp: "nearer" };
  const arrow = field ? undefined : arrows[key];
  return arrow ?? { n: "next", p: "previous", q: "ask" }[key.toLowerCase()];
}

/** The buttons for it: { node, check, end }, where check() is to be called after each change of what is shown. */
export function presenting({ root, id, redraw }) {
  const open = buttonOf("reset present", "Present", enter);
  const asked = element("aside", { className: "question", hidden: true, tabIndex: 0, ariaLabel: "what is asked" });
  const said = element("span", { className: "unseen", role: "status" });
  const hint = element("p", { className: "unseen", id: `${id}-keys`, textContent: `${KEYS}.` });
  const chosen = element("p", { className: "chosen" }); // the preset's name
  const deeds = { next: () => turn(1), previous: () => turn(-1), further: () => go(1), nearer: () => go(-1), ask, reset, leave };
  const named = { previous: "←", next: "→", nearer: "↑", further: "↓", ask: "Question", reset: "Reset", leave: "Back" };
  const spoken = { previous: "preset before", next: "next preset", nearer: "part before", further: "next part" };
  const buttons = Object.entries(named).map(([deed, name]) => {
    return setAttributes(buttonOf("reset", name, deeds[deed]), { "aria-label": spoken[deed] ?? null, title: spoken[deed] ?? null });
  });
  const bar = element("div", { className: "present-bar", hidden: true }, hint, chosen, ...buttons, said);
  let back = null; // what leads back to the page; null on the page
  let unasked = Infinity; // the scale before the question took some of the room, unless something new has been fitted since
  let scrolled = false; // no size was found at which all is in sight
  let [parts, part] = [[], 0]; // of the stage: which of its children are seen together; none where all are

  function enter() {
    const before = ["role", "aria-label", "aria-modal", "aria-describedby", "tabindex", "popover"];
    const held = Object.fromEntries(before.map((name) => [name, root.getAttribute(name)]));
    const [place, top] = [root.parentElement, root.getBoundingClientRect().top];
    const whole = !document.fullscreenElement && !root.closest(".deck"); // slides are as large as their window
    // Asked first, for a click is not remembered long. Where it is not allowed, the window will do.
    if (whole) document.documentElement.requestFullscreen?.().catch(() => {});
    place.style.minHeight = `${place.offsetHeight}px`; // the page below stays where it is
    const others = around(root);
    for (const other of others) other.inert = true;
    const dialog = { role: "dialog", "aria-modal": "true", "aria-describedby": hint.id, tabindex: -1, popover: "manual" };
    setAttributes(root, { "aria-label": "an interactive figure in front of a class", ...held, ...dialog });
    [open.hidden, bar.hidden] = [true, false];
    const [previous, next, , , question, again] = buttons;
    for (const node of [previous, next]) node.hidden = !presetsOf(root);
    question.hidden = !questionOf(root);
    again.hidden = !resetOf(root);
    root.classList.add("presented");
    root.showPopover();
    const end = new AbortController();
    document.addEventListener("keydown", press, { capture: true, signal: end.signal });
    root.addEventListener("keydown", follow, { signal: end.signal });
    window.addEventListener("resize", fit, { signal: end.signal });
    document.addEventListener("fullscreenchange", () => document.fullscreenElement || leave(), { signal: end.signal });
    back = () => {
      end.abort();
      const out = whole && document.fullscreenElement ? document.exitFullscreen() : Promise.resolve();
      root.hidePopover();
      [parts, part] = [[], 0];
      root.classList.remove("presented", "beside", "in-parts", "asking", "under");
      seeParts();
      setAttributes(root, held);
      for (const other of others) other.inert = false;
      [open.hidden, bar.hidden, asked.hidden] = [false, true, true];
      for (const name of ["--scale", "--wide", "--high"]) root.style.removeProperty(name);
      place.style.minHeight = "";
      redraw();
      open.focus({ preventScroll: true });
      out.finally(() => reach(root, () => scrollerOf(root).scrollBy(0, root.getBoundingClientRect().top - top)));
    };
    fit();
    tell();
    root.focus({ preventScroll: true });
  }

  function leave() {
    const way = back;
    back = null;
    way?.();
  }

  /** Esc leads back from everywhere; a key that has gone astray, since what had it is gone, is taken up again. */
  function press(event) {
    const stray = !root.contains(event.target);
    if (stray) root.focus({ preventScroll: true });
    if (deedOf(event) === "leave") {
      event.preventDefault();
      event.stopImmediatePropagation();
      leave();
    } else if (stray) follow(event);
  }

  function follow(event) {
    const deed = !event.defaultPrevented && deedOf(event, event.target.closest(TYPED_IN)?.type);
    if (!deed) return;
    event.preventDefault();
    deeds[deed]();
  }

  function turn(by) {
    const presets = presetsOf(root);
    if (!presets) return;
    const { names, now } = presets;
    const to = now < 0 && by < 0 ? names.length - 1 : (now + by + names.length) % names.length;
    presets.choose(to);
    setText(said, `${to + 1} of ${names.length}: ${names[to]}`);
    if (root.contains(document.activeElement)) return;
    root.focus({ preventScroll: true });
  }

  function reset() {
    resetOf(root).click();
  }

  /** The question is beside the figure or under it, never over it, and the figure gets the rest of the room. */
  function ask() {
    if (!questionOf(root)) return;
    asked.hidden = !asked.hidden;
    copyQuestion();
    if (!asked.hidden) unasked = Number(root.style.getPropertyValue("--scale"));
    fit(null, unasked);
    setText(said, asked.hidden ? "" : asked.textContent);
  }

  function copyQuestion() {
    if (asked.hidden) return;
    const copy = Object.assign(questionOf(root).cloneNode(true), { inert: false }); // as all of the page below is
    asked.replaceChildren(copy);
  }

  // --- as large as it goes ---
  function show(scale) {
    const [width, height] = [document.documentElement.clientWidth, window.innerHeight];
    const sizes = { "--scale": scale, "--wide": `${width / scale}px`, "--high": `${height / scale}px` };
    for (const [name, size] of Object.entries(sizes)) root.style.setProperty(name, size);
    draw();
  }

  /** Draw again: put away what was built again, and draw the rest to the room that this makes. */
  function draw() {
    redraw();
    if (!parts.length) return;
    seeParts();
    redraw();
  }

  const isWhole = () => !overflows() && !cutOff() && !isShrunk();
  const overflows = () => root.scrollHeight > root.clientHeight + 1 || root.scrollWidth > root.clientWidth + 1 || isCovered();

  /** Return whether the question covers a part of the figure. */
  function isCovered() {
    const card = asked.getBoundingClientRect(); // of no size while it is hidden
    return [...root.querySelectorAll("input, select, td, th, canvas, svg, .sentence, .token")].some((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return !node.closest(".away") && left < card.right - 1 && right > card.left + 1 && top < card.bottom - 1 && bottom > card.top + 1;
    });
  }
  const inWhole = ".snug > table, .large > table, .heat > canvas, .choice > select, .sheet > .bars";
  const cutOff = () =>
    root.querySelectorAll(".full .crowded").length +
    [...root.querySelectorAll(inWhole)].filter((node) => node.offsetWidth > node.parentElement.clientWidth + 1).length;
  const isShrunk = () => [...root.querySelectorAll("td.number, .entry input")].some((node) => parseFloat(getComputedStyle(node).fontSize) < SMALLEST);

  /**
   * The largest size at which all can be read and all is in sight, what is turned above what is shown, or beside it; if
   * there is none, the stage is shown in parts, as few as possible; and what is too large even so is scrolled.
   */
  function fit(_event, most = Infinity) {
    unasked = most;
    const least = window.innerHeight / HIGH;
    const scales = [...SCALES.filter((scale) => scale > least && scale <= most), least];
    const sits = (scale) => {
      show(scale);
      return isWhole();
    };
    const arrangements = asked.hidden ? ["", "beside"] : ["asking", "asking beside", "asking under", "asking under beside"];
    const arrange = (names) => {
      for (const name of ["asking", "under", "beside"]) root.classList.toggle(name, names.includes(name));
    };
    parts = [];
    seeParts();
    const sitsSomehow = (i) =>
      arrangements.some((names) => {
        arrange(names);
        return sits(scales[i]);
      });
    let [tooLarge, fits] = [-1, scales.length - 1];
    scrolled = !sitsSomehow(fits);
    if (!scrolled) {
      let tried = fits;
      while (fits - tooLarge > 1) {
        tried = (tooLarge + fits) >> 1;
        if (sitsSomehow(tried)) fits = tried;
        else tooLarge = tried;
      }
      if (tried !== fits) sitsSomehow(fits);
      return;
    }
    let best = null;
    const before = part; // division() tries parts out
    for (const names of arrangements) {
      arrange(names);
      root.classList.add("in-parts");
      show(least);
      const found = { names, ...division() };
      if (!best || found.outside < best.outside || (found.outside === best.outside && found.parts.length < best.parts.length)) best = found;
      if (best.outside === 0 && best.parts.length === 2) break; // there can't be fewer
    }
    arrange(best.names);
    parts = best.parts;
    part = Math.max(0, Math.min(before, parts.length - 1));
    scrolled = best.outside > 0;
    seeParts();
    show(least);
  }

  /**
   * As many neighbours together as are seen in whole, with those before them once more where these have room, too: a result
   * beside what it comes from. What a style sheet gives the same --part stays together.
   */
  function division() {
    const shown = sheetsOf(root);
    const named = new Map();
    for (const node of shown) {
      const name = getComputedStyle(node).getPropertyValue("--part") || node;
      named.set(name, [...(named.get(name) ?? []), node]);
    }
    const [units, found] = [[...named.values()], []];
    const fits = (nodes) => {
      parts = [nodes.map((node) => shown.indexOf(node))];
      part = 0;
      seeParts();
      return isWhole();
    };
    for (const unit of units) {
      if (found.length && fits([...found.at(-1), ...unit])) found.at(-1).push(...unit);
      else found.push([...unit]);
    }
    for (const nodes of found.slice(1)) {
      for (let i = units.findIndex(([first]) => first === nodes[0]) - 1; i >= 0 && fits([...units[i], ...nodes]); i -= 1) nodes.unshift(...units[i]);
    }
    const beyond = () => {
      const [down, across] = [root.scrollHeight - root.clientHeight, root.scrollWidth - root.clientWidth];
      return 1 + Math.max(0, down) + 10 * Math.max(0, across) + 100 * cutOff();
    };
    const outside = found.reduce((sum, nodes) => sum + (fits(nodes) ? 0 : beyond()), 0);
    return { outside, parts: found.map((nodes) => nodes.map((node) => shown.indexOf(node))) };
  }

  function seeParts() {
    const seen = parts[part];
    root.classList.toggle("in-parts", Boolean(seen));
    sheetsOf(root).forEach((node, i) => node.classList.toggle("away", Boolean(seen) && !seen.includes(i)));
    for (const node of buttons.slice(2, 4)) node.hidden = parts.length < 2;
  }

  function go(by) {
    if (parts.length < 2) return;
    part = (part + by + parts.length) % parts.length;
    seeParts();
    draw();
    root.scrollTo(0, 0);
    setText(said, `part ${part + 1} of ${parts.length}`);
  }

  function tell() {
    const { names, now } = presetsOf(root) ?? { names: [], now: -1 };
    setText(chosen, names[now] ?? "");
  }

  function check() {
    if (!back) return;
    const before = chosen.textContent;
    tell();
    copyQuestion(); // a task may have been done
    if (parts.length) seeParts(); // what is built anew is to be put away, too
    const isOther = chosen.textContent !== before;
    if ((parts.length && isOther) || ((!scrolled || isOther) && !isWhole())) fit();
  }

  root.append(asked, bar);
  return { node: open, check, end: leave };
}

/** All that is beside a node and the nodes around it. */
function around(node) {
  const beside = node.parentElement ? [...node.parentElement.children].filter((other) => other !== node) : [];
  return node.parentElement ? [...beside.filter((other) => !other.inert), ...around(node.parentElement)] : [];
}

/** What there is to go through, { names, now, choose(i) }: buttons, or the options of a menu. */
function presetsOf(root) {
  const buttons = [...root.querySelectorAll(".preset")];
  if (buttons.length) {
    const now = buttons.findIndex((node) => node.ariaPressed === "true");
    return { names: buttons.map((node) => node.textContent), now, choose: (i) => buttons[i].click() };
  }
  const menu = root.querySelector("select.presets");
  const options = [...(menu?.options ?? [])].filter((option) => !option.hidden);
  if (options.length < 2) return null;
  const choose = (i) => {
    menu.value = options[i].value;
    menu.dispatchEvent(new Event("change"));
  };
  return { names: options.map((option) => option.textContent), now: options.indexOf(menu.selectedOptions[0]), choose };
}

/** What may be shown in parts: what a style sheet gives a --part, else all of the stage but its sentences. */
function sheetsOf(root) {
  const named = [...root.querySelectorAll(":scope > *, :scope > :not(.stage) > *")].filter((node) => getComputedStyle(node).getPropertyValue("--part"));
  return named.length ? named : [...root.querySelectorAll(":scope > .stage > :not(.note)")];
}

function resetOf(root) {
  return root.querySelector(".reset:not(.present, .present-bar *)");
}

/** The control's own tasks, else those of the section that it stands in: the list before it. */
function questionOf(root) {
  return root.querySelector(":scope > .tasks:not([hidden])") ?? before(root, "h1, h2, h3, ol").at(-1)?.closest("ol") ?? null;
}

/** What stands before a control in its notebook, or on its page. */
function before(root, selector) {
  const all = (root.closest(".jp-Notebook") ?? document).querySelectorAll(selector);
  const precedes = (node) => root.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
  return [...all].filter((node) => precedes(node) && !node.closest(".course-control, .jp-OutputArea, nav"));
}

// --- the link to it ---

/**
 * Lets the links to the section of a control lead to the control itself, past the tasks and the code; of several in
 * one section, to the first. Returns what ends it.
 */
export function followLinks(root) {
  const end = new AbortController();
  const page = document.documentElement.dataset;
  const isFirst = (heading) => Boolean(heading) && root === firstAfter(heading, root);
  const land = () => {
    page.followed = location.href;
    delete page.wanted;
    root.tabIndex = -1;
    root.focus({ preventScroll: true });
    const waiting = element("p", { className: "going", role: "status", textContent: "Going to the figure …" });
    document.body.append(waiting);
    reach(root, () => root.scrollIntoView(), () => waiting.remove());
  };
  const go = (event) => {
    const link = event.target.closest?.("a[href]");
    if (link?.title) page.box = link.title; // a box of the walk, whose page may not be there yet
    if (!link || event.button !== 0 || !isFirst(sectionsOf(root).find((node) => leadsTo(link, node)))) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // JupyterLab would go to the heading
    land();
  };
  document.addEventListener("click", go, { capture: true, signal: end.signal });
  // JupyterLab draws late what is far away, and takes a control away until its cell has run: its link may have been
  // followed before the control was there.
  const arrive = () => {
    if (end.signal.aborted) return;
    if (!root.isConnected) return void requestAnimationFrame(arrive);
    const address = page.wanted ?? (root.closest(".jp-Notebook") && page.followed !== location.href ? location.href : "");
    if (address && isFirst(sectionsOf(root).find((node) => isNamed(address, node)))) land();
  };
  noteWanted(page);
  arrive();
  return () => end.abort();
}

/** Notes the link that was clicked last, while no control is there that it could lead to, until a hand goes elsewhere. */
function noteWanted(page) {
  if ("notes" in page) return; // an earlier control has already done so
  page.notes = "";
  const note = (event) => {
    const link = event.target.closest?.("a[href*='#']");
    if (link && !link.closest("nav, h1, h2, h3")) page.wanted = link.href;
  };
  document.addEventListener("click", note, true);
  for (const name of ["wheel", "touchmove", "keydown"]) {
    document.addEventListener(name, () => delete page.wanted, { capture: true, passive: true });
  }
}

/** The headings of the sections that a control stands in. */
function sectionsOf(root) {
  const headings = before(root, "h2, h3").reverse();
  return headings.filter((heading, i) => !headings.slice(0, i).some((nearer) => nearer.tagName <= heading.tagName));
}

function leadsTo(link, heading) {
  const own = heading.contains(link) || link.closest("nav"); // the sign beside it, the list of contents: to the heading
  return !own && isNamed(link.href, heading);
}

function isNamed(address, heading) {
  const id = heading.id || heading.dataset.jupyterId;
  const [page, hash] = address.split("#");
  return Boolean(id) && decodeURIComponent(hash ?? "") === id && page === location.href.split("#")[0];
}

function firstAfter(heading, root) {
  const controls = (root.closest(".jp-Notebook") ?? document).querySelectorAll(".course-control");
  return [...controls].find((node) => heading.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
}

/**
 * Moves frame by frame until the control has stayed where it is for a while, since pages lay out what comes into sight
 * only then, and JupyterLab takes it away meanwhile; as long as the page ends there, more of it may come. A hand that
 * scrolls or turns something ends it.
 */
export function reach(root, move, done = () => {}) {
  const end = new AbortController();
  end.signal.addEventListener("abort", done);
  const heard = { capture: true, passive: true, signal: end.signal };
  for (const name of ["wheel", "touchmove", "pointerdown", "keydown"]) document.addEventListener(name, () => end.abort(), heard);
  const start = Date.now();
  let [since, frames, last] = [start, 0, NaN];
  const step = () => {
    if (end.signal.aborted) return;
    if (root.isConnected) move();
    const [now, top] = [Date.now(), root.isConnected && !isAtEnd(scrollerOf(root)) ? root.getBoundingClientRect().top : NaN];
    if (!(Math.abs(top - last) < 1)) [since, frames] = [now, 0]; // NaN is no place, too
    last = top;
    frames += 1; // a busy page shows few, in whatever time
    if ((frames > CALM_FRAMES && now - since > CALM) || now - start > PATIENT) end.abort();
    requestAnimationFrame(step);
  };
  step();
}

const isAtEnd = ({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight > scrollHeight - 2;

function scrollerOf(node) {
  const scrolls = (one) => one.scrollHeight > one.clientHeight && /auto|scroll/.test(getComputedStyle(one).overflowY);
  for (let at = node.parentElement; at; at = at.parentElement) if (scrolls(at)) return at;
  return document.scrollingElement;
}
