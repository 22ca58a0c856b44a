// A lesson as slides. Which they are and what stands on them is written in the page; here they are laid out on a stage of
// 1280 × 720: code beside what it gives where there is room, a picture as large as what is left. What does not fit even
// so is cut where it is long; a control is scaled until nothing is cut off.

const course = { scripts: {}, controls: new Map(), slides: [] };

{
  const [WIDTH, HEIGHT] = [1280, 720];
  const LARGEST = 2; // how much a control is enlarged, at most
  const LEAST = 3; // rows of a table or a list, lines of a text: no more of it is cut
  const make = (tag, className, ...children) => {
    const node = Object.assign(document.createElement(tag), { className });
    node.append(...children);
    return node;
  };

  const outside = ({ fit: box }) =>
    box.scrollWidth > box.clientWidth + 1 ||
    box.scrollHeight > box.clientHeight + 1 ||
    [...box.querySelectorAll("pre, .shown")].some((node) => node.scrollWidth > node.clientWidth + 1);

  /** Code beside what it gives, else above it, else without what is said, else what it gives alone; and all that once
   *  more with matrices as tight as can be read. */
  function arrange(slide) {
    const { node } = slide;
    const code = node.querySelector(".cell.code > .input");
    if (code && !code.textContent.trim()) code.remove();
    const picture = node.querySelector(".output :is(img, .shown > svg)");
    if (picture) {
      const { fit: box } = slide;
      const ratio = (picture.naturalWidth || picture.clientWidth) / (picture.naturalHeight || picture.clientHeight || 1);
      node.style.setProperty("--room", `${box.clientHeight}px`);
      node.classList.toggle("side", ratio < 1.7 && Boolean(node.querySelector(".cell.text")));
      if (node.matches(".side") && !outside(slide)) return;
      node.classList.remove("side");
      node.style.setProperty("--room", "0px");
      const others = [...box.children].reduce((sum, one) => sum + one.offsetHeight + 16, 0);
      const all = node.querySelectorAll(".output :is(img, .shown > svg)").length;
      node.style.setProperty("--room", `${Math.max(200, (box.clientHeight - others) / all)}px`);
      return;
    }
    const wide = Math.max(...(code?.textContent.split("\n") ?? [""]).map((line) => line.length)) > 38;
    const ways = [
      [wide ? "" : "beside", []],
      [wide ? "beside" : "", []],
      ["beside", [".cell.text p:not(:last-child)"]],
      ["beside", [".cell.text"]],
      ["", [".cell.text"]],
      ["", [".cell.code > .input"]],
      ["", [".cell.text p:not(:last-child)", ".cell.code > .input"]],
      ["", [".cell.text", ".cell.code > .input"]],
    ];
    const take = ([beside, left]) => {
      node.classList.toggle("beside", Boolean(beside && code));
      for (const one of node.querySelectorAll(".cell.text, .cell.text p, .cell.code > .input")) one.hidden = false;
      for (const selector of left) for (const one of node.querySelectorAll(selector)) one.hidden = true;
      return !outside(slide);
    };
    const fits = (tight) => node.classList.toggle("tight", tight) === tight && ways.some(take);
    if (code?.isConnected && !fits(false) && !fits(true)) take(ways.at(-1));
  }

  /** Cuts what is too long to be read from afar: rows amid the longest output, the first outputs, the last that is said. */
  function shorten(slide) {
    const seen = (selector) => [...slide.fit.querySelectorAll(selector)].filter((one) => one.offsetHeight);
    const drop = (nodes, at) => nodes.length > 1 && !nodes.at(at).remove();
    const cut = (selector) => {
      const long = seen(selector).filter(({ children }) => children.length > LEAST);
      const rows = [...(long.sort((one, other) => other.offsetHeight - one.offsetHeight)[0]?.children ?? [])];
      const dots = rows.at(-3);
      if (!dots) return false;
      if (dots.matches(".dots")) return !dots.previousElementSibling.remove();
      dots.classList.add("dots");
      dots.replaceChildren(dots.matches("tr") ? make("td", "", "…") : "…");
      return true;
    };
    const ways = [
      () => cut(".output :is(tbody, ul, ol, pre, [role=status])"),
      () => drop(seen(".output :is(table, pre)"), 0),
      () => drop(seen(".cell.text > *"), -1),
      () => cut("tbody, ul, ol"),
    ];
    if (outside(slide))
      for (const pre of seen(".output pre"))
        pre.replaceChildren(...pre.textContent.trimEnd().split("\n").map((line) => make("div", "", line || " ")));
    for (const way of ways) while (outside(slide) && way());
    bringBack(slide);
  }

  /** What was left away, where there is room for it now. */
  function bringBack(slide) {
    for (const left of slide.fit.querySelectorAll(".cell [hidden], .cell[hidden]")) {
      left.hidden = false;
      left.hidden = outside(slide);
    }
  }

  /** Scales the slide's content until it is inside. What then grows, since a control draws anew, is only made smaller. */
  function fit(slide, from) {
    const { fit: box, node } = slide;
    const [wide, high] = [node.clientWidth - (slide.control ? 48 : 112), 0];
    for (slide.scale = from; ; slide.scale -= 0.02) {
      const room = node.clientHeight - (slide.control ? 60 : 80) - (node.querySelector("h1, h2")?.offsetHeight ?? high);
      box.style.cssText = slide.scale === 1 ? "" : `transform: scale(${slide.scale}); width: ${wide / slide.scale}px; flex: none; height: ${room / slide.scale}px`;
      if (!outside(slide) || slide.scale < 0.2) return;
    }
  }

  const noteOf = ({ heading }) => {
    const notes = [...document.querySelectorAll("#notes > div")];
    return notes.find((note) => note.dataset.for === heading) ?? notes[0];
  };

  /** A control fills the window as soon as it is there: its numbers are as large then as the text of the slides. */
  async function present({ node }) {
    for (let tries = 0; tries < 100 && !node.querySelector(".present") && !node.hidden; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    if (!node.hidden) node.querySelector(".present:not([hidden])")?.click();
  }
  const leave = () => [...document.querySelectorAll(".presented .present-bar .reset")].at(-1)?.click();

  course.go = (to) => {
    course.at = Math.max(0, Math.min(course.slides.length - 1, to));
    course.slides.forEach(({ node }, i) => (node.hidden = i !== course.at));
    const slide = course.slides[course.at];
    if (!slide.control) {
      arrange(slide);
      shorten(slide);
    }
    fit(slide, slide.control ? LARGEST : 1);
    if (!slide.control) bringBack(slide);
    course.watch.disconnect();
    course.watch.observe(slide.fit);
    if (slide.control) present(slide);
    document.getElementById("count").value = `${course.at + 1} / ${course.slides.length}`;
    const jump = document.getElementById("jump");
    jump.value = String([...jump.options].map((option) => Number(option.value)).findLast((at) => at <= course.at));
    history.replaceState(null, "", `#${course.at + 1}`);
    speak();
  };

  // --- the speaker's window, which the wall does not show ---
  let [speaker, begun] = [null, 0];
  function speak() {
    if (!speaker || speaker.closed) return;
    const next = course.slides.slice(course.at + 1).find(({ heading }) => heading !== course.slides[course.at].heading);
    const minutes = Math.floor((Date.now() - begun) / 60000);
    speaker.document.title = "Notes";
    const told = make("main", "");
    told.style.font = "20px/1.5 sans-serif";
    told.append(
      make("p", "", `${course.at + 1} / ${course.slides.length}, after ${minutes} min`),
      make("h1", "", course.slides[course.at].heading),
      noteOf(course.slides[course.at]).cloneNode(true),
      make("p", "", next ? `Then: ${next.heading}` : "The end."),
    );
    speaker.document.body.replaceChildren(told);
  }
  function openNotes() {
    if (!begun) begun = Date.now();
    speaker = window.open("", "notes", "width=900,height=700");
    speaker?.document.addEventListener("keydown", pressed);
    speak();
  }

  const KEYS = { ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };
  function pressed(event) {
    if (event.key === "Escape") setTimeout(() => document.activeElement.blur()); // after the control has had its Escape
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turns = event.key === "PageDown" || event.key === "PageUp"; // these lead on from a control, too
    if (turns) leave();
    else if (event.target.closest?.("input, select, textarea, button, a, summary, .course-control")) return;
    if (event.key === "s") openNotes();
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    course.go(course.at + KEYS[event.key]);
  }

  const scale = () => {
    course.zoom = Math.min(innerWidth / WIDTH, innerHeight / HEIGHT);
    document.querySelector(".deck-stage").style.transform = `scale(${course.zoom})`;
  };
  const meant = () => (Number(location.hash.slice(1)) || 1) - 1;

  addEventListener("load", async () => {
    scale();
    await document.fonts.ready;
    course.watch = new ResizeObserver(() => fit(course.slides[course.at], course.slides[course.at].scale));
    course.slides = [...document.querySelectorAll(".deck-slide")].map((node) => {
      const [box, control] = [node.querySelector(".deck-fit"), node.matches(".control")];
      return { node, fit: box, heading: node.dataset.heading, control };
    });
    const jump = document.getElementById("jump");
    course.slides.forEach(({ heading }, at) => {
      if (heading !== course.slides[at - 1]?.heading) jump.append(new Option(heading, at));
    });
    jump.addEventListener("change", () => course.go(Number(jump.value)));
    document.getElementById("back").addEventListener("click", () => course.go(course.at - 1));
    document.getElementById("on").addEventListener("click", () => course.go(course.at + 1));
    document.getElementById("speaker").addEventListener("click", openNotes);
    addEventListener("keydown", pressed, true); // before a control may stop it
    addEventListener("resize", scale);
    addEventListener("hashchange", () => course.go(meant()));
    course.go(meant());
  });
}
