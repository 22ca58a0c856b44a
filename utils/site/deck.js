// A lesson as slides. Each heading begins one, a control has one for itself, and what does not fit goes on on the next;
// what is too large for a slide even then (a picture, a wide table) is scaled until nothing is cut off. A picture that
// gets small by it is shown once more in two parts.

const course = { scripts: {}, controls: new Map(), slides: [] };

{
  const [WIDTH, HEIGHT] = [1280, 720];
  const [ROOM_X, ROOM_Y] = [WIDTH - 120, HEIGHT - 68]; // what the slide's padding leaves
  const LARGEST = 2; // how much a control is enlarged, at most
  const SMALL = 0.75; // a picture that has to be made smaller than this is hard to read from afar
  const make = (tag, className, ...children) => {
    const node = Object.assign(document.createElement(tag), { className });
    node.append(...children);
    return node;
  };
  const height = (node) => node.getBoundingClientRect().height / course.zoom;

  /** What may not be divided further, in order: a heading, a paragraph, an input, an output. */
  function atomsOf(stage) {
    const atoms = [];
    for (const cell of stage.querySelectorAll(":scope > .cell")) {
      if (cell.matches(".text")) atoms.push(...[...cell.children].flatMap((node) => divided(node, "text")));
      for (const node of cell.querySelectorAll(":scope > .input")) atoms.push(...divided(node, "code"));
      for (const node of cell.querySelectorAll(":scope > .output > *")) atoms.push(...divided(node, "output"));
    }
    return atoms;
  }

  /** A node that is higher than a slide, in pieces: code by its lines, a list or a table by its rows. */
  function divided(node, kind) {
    const whole = [{ node, kind, high: height(node) + 16 }];
    if (height(node) <= ROOM_Y) return whole;
    if (kind === "code") return cutCode(node, whole[0].high);
    if (node.querySelector("canvas, .course-control")) return whole;
    const tall = ({ naturalHeight }) => naturalHeight * SMALL > ROOM_Y;
    const picture = [...node.querySelectorAll("img")].find((image) => tall(image) && image.checkVisibility());
    if (picture) return [...whole, closer(picture, "top"), closer(picture, "bottom")];
    const path = ":is(tbody, ul, ol, :has(> section ~ section)):not(details:not([open]) *)"; // folded, it has no height
    const holder = node.matches(path) ? node : node.querySelector(path);
    if (!holder || holder.children.length < 4) return whole;
    const rows = [...holder.children];
    const most = Math.max(1, Math.floor((rows.length * (ROOM_Y - 60)) / height(node)));
    const pieces = [];
    for (let at = 0; at < rows.length; at += most) {
      const copy = at + most < rows.length ? node.cloneNode(true) : node;
      const list = copy === node ? holder : copy.matches(path) ? copy : copy.querySelector(path);
      if (copy.matches("ol")) copy.start = at + 1;
      (copy === node ? rows : [...list.children]).forEach((row, i) => (i >= at && i < at + most) || row.remove());
      pieces.push({ node: copy, kind, high: (whole[0].high * Math.min(most, rows.length - at)) / rows.length });
    }
    return pieces;
  }

  /** The upper or the lower part of a picture: they overlap, so that a name cut off in one is whole in the other. */
  function closer(picture, side) {
    const image = picture.cloneNode();
    const high = 0.55 * picture.naturalHeight;
    image.alt = ""; // the whole picture has said it
    image.style.cssText = `width: ${picture.naturalWidth}px; max-width: none; height: ${high}px`;
    Object.assign(image.style, { objectFit: "cover", objectPosition: side });
    return { node: make("div", "shown", image), kind: "output deck-closer", high: high + 16 };
  }

  function cutCode(node, high) {
    const pre = node.querySelector("pre");
    const lines = pre.textContent.trimEnd().split("\n").length;
    const most = Math.floor((lines * (ROOM_Y - 80)) / high);
    const pieces = [];
    for (let left = lines; left > most; left -= most) pieces.push(firstLines(pre, most));
    const again = (content) => {
      const copy = node.cloneNode(true);
      copy.querySelector("pre").replaceChildren(content);
      return copy;
    };
    const nodes = [...pieces.map(again), node];
    return nodes.map((piece) => {
      const n = piece.textContent.trimEnd().split("\n").length;
      return { node: piece, kind: "code", high: (high * n) / lines + 24 };
    });
  }

  /** Takes the first lines out of a <pre>, with the colours that reach over its spans. */
  function firstLines(pre, most) {
    const walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    let seen = 0;
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      for (let at = text.data.indexOf("\n"); at >= 0; at = text.data.indexOf("\n", at + 1)) {
        seen += 1;
        if (seen < most) continue;
        const range = document.createRange();
        range.setStart(pre, 0);
        range.setEnd(text, at + 1);
        return range.extractContents();
      }
    }
    return document.createDocumentFragment();
  }

  /** The slides: their nodes, the heading that each stands under, and the one above that. */
  function poured(atoms) {
    const slides = [];
    let [heading, above, used, alone] = ["", "", 0, false];
    const begin = (goesOn) => {
      const fit = make("div", "deck-fit");
      if (goesOn && heading) fit.append(make("p", "deck-again", `${heading} …`));
      const node = make("section", "deck-slide", fit);
      slides.push({ node, fit, heading, above, control: false });
      [used, alone] = [goesOn ? 40 : 0, false];
    };
    for (const { node, kind, high } of atoms) {
      const control = node.matches(".live, .still");
      if (node.matches("h1, h2, h3")) {
        heading = node.textContent.trim();
        if (!node.matches("h3")) above = heading;
        begin(false);
      } else if (!slides.length || control || alone || (used + high > ROOM_Y && used > 60)) begin(true);
      const slide = slides.at(-1);
      used += high;
      [alone, slide.control] = [control, control];
      slide.fit.append(make("div", kind === "code" ? "deck-part" : `deck-part ${kind}`, node));
    }
    return slides;
  }

  /** Scales the slide's content until it is inside. What then grows, since a control draws anew, is only made smaller. */
  function fit(slide, from) {
    const { fit: box } = slide;
    const outside = () => box.scrollWidth > box.clientWidth + 1 || height(box) > ROOM_Y;
    for (slide.scale = from; ; slide.scale -= 0.04) {
      box.style.transform = `scale(${slide.scale})`;
      box.style.width = `${ROOM_X / slide.scale}px`;
      if (!outside() || slide.scale < 0.2) return;
    }
  }

  const noteOf = ({ heading, above }) => {
    const notes = [...document.querySelectorAll("#notes > div")];
    const found = notes.find((note) => note.dataset.for && [heading, above].includes(note.dataset.for));
    const own = notes.find((note) => note.dataset.for === heading) ?? found;
    return own ?? (course.at === 0 ? notes[0] : make("p", "", "Not in the plan: pass it by, or stay if the class asks."));
  };

  course.go = (to) => {
    course.at = Math.max(0, Math.min(course.slides.length - 1, to));
    course.slides.forEach(({ node }, i) => (node.hidden = i !== course.at));
    const slide = course.slides[course.at];
    fit(slide, slide.control ? LARGEST : 1);
    course.watch.disconnect();
    course.watch.observe(slide.fit);
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
    if (event.target.closest?.("input, select, textarea, button, a, summary, .course-control")) return;
    if (event.key === "s") openNotes();
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    course.go(course.at + KEYS[event.key]);
  }

  const scale = () => {
    course.zoom = Math.min(innerWidth / WIDTH, innerHeight / HEIGHT);
    document.querySelector(".deck-stage").style.transform = `scale(${course.zoom})`;
  };
  /** The slide that a link means: its number, or the heading's id. */
  const meant = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    const found = course.slides.findIndex(({ node }) => [...node.querySelectorAll("[id]")].some((n) => n.id === name));
    return found >= 0 ? found : (Number(name) || 1) - 1;
  };

  addEventListener("load", async () => {
    scale();
    await document.fonts.ready;
    const stage = document.querySelector(".deck-stage");
    course.watch = new ResizeObserver(() => fit(course.slides[course.at], course.slides[course.at].scale));
    course.slides = poured(atomsOf(stage));
    stage.replaceChildren(...course.slides.map(({ node }) => node));
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
