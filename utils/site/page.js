// Handle light and dark and the search on every page of the site. The first search loads the index.

const course = { scripts: {}, controls: new Map(), sections: null, waiting: [] };

{
  // --- light or dark: the system's setting until the reader presses the button ---
  const root = document.documentElement;
  const wished = matchMedia("(prefers-color-scheme: dark)");
  /** Return the answer of the browser's storage, or `otherwise`, because pages in a folder may have no storage. */
  const kept = (ask, otherwise) => {
    try {
      return ask(localStorage);
    } catch {
      return otherwise;
    }
  };
  const remember = (name, value) => kept((memory) => memory.setItem(name, value));
  const recall = (name) => kept((memory) => memory.getItem(name), null);
  const remembered = () => kept(Object.keys, []);
  Object.assign(course, { remember, recall, remembered });
  const make = (tag, properties, ...children) => {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  };
  const dark = () => (root.dataset.look ? root.dataset.look === "dark" : wished.matches);

  function lightOrDark() {
    const button = document.getElementById("look");
    const name = () => (button.textContent = dark() ? "Light" : "Dark");
    button.addEventListener("click", () => {
      root.dataset.look = dark() ? "light" : "dark";
      remember("look", root.dataset.look);
      name();
    });
    wished.addEventListener("change", name);
    name();
  }

  // --- the search: find sections that contain every word, first those with the words in their heading ---
  const MOST = 20;
  const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_√]+/u).filter(Boolean);

  course.index = (sections) => {
    course.sections = sections.map(([page, lesson, id, heading, text]) => {
      return { page, lesson, id, heading, text, low: `${lesson} ${heading} ${text}`.toLowerCase() };
    });
    for (const go of course.waiting.splice(0)) go();
  };

  course.find = (asked) => {
    const words = wordsOf(asked);
    const times = (text, word) => text.split(word).length - 1;
    const scored = course.sections
      .filter(({ low }) => words.length && words.every((word) => low.includes(word)))
      .map((section) => {
        const heading = `${section.lesson} ${section.heading}`.toLowerCase();
        const score = words.map((word) => Math.min(5, times(section.low, word)) + 20 * times(heading, word));
        return { section, score: Math.min(...score) };
      });
    return scored.sort((a, b) => b.score - a.score).map(({ section }) => section);
  };

  function loaded(go) {
    if (course.sections) return go();
    course.waiting.push(go);
    if (course.waiting.length > 1) return undefined;
    return document.head.append(make("script", { src: "assets/search.js" }));
  }

  /** Return a part of the text around the first of the words, with all of them marked. */
  function excerpt(text, words) {
    const low = text.toLowerCase();
    const at = Math.min(...words.map((word) => low.indexOf(word)).filter((place) => place >= 0), text.length);
    const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, at - 60)) + 1);
    const piece = `${from ? "… " : ""}${text.slice(from, from + 180)}${from + 180 < text.length ? " …" : ""}`;
    const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "giu");
    return make("p", {}, ...piece.split(pattern).map((part, i) => (i % 2 ? make("mark", {}, part) : part)));
  }

  function search() {
    const field = /** @type {HTMLInputElement} */ (document.getElementById("search"));
    const box = document.getElementById("found");
    const more = box.querySelector("button");
    let most = MOST;
    const show = () => {
      const words = wordsOf(field.value);
      const found = course.find(field.value);
      const items = found.slice(0, most).map(({ page, lesson, id, heading, text }) => {
        const link = make("a", { href: `${page}#${encodeURIComponent(id)}` }, `${lesson}: ${heading}`);
        link.addEventListener("click", () => (box.hidden = true));
        return make("li", {}, link, excerpt(text, words));
      });
      box.querySelector("ol").replaceChildren(...items);
      const first = found.length > most ? `, the first ${most} of them` : "";
      box.querySelector("p").textContent = found.length ? `${found.length} sections${first}` : "Nothing was found.";
      more.hidden = !first;
      box.hidden = !words.length;
    };
    field.addEventListener("input", () => {
      most = MOST;
      loaded(show);
    });
    more.addEventListener("click", () => {
      const at = most;
      most += MOST;
      show();
      box.querySelectorAll("a")[at].focus();
    });
    const close = (event) => {
      if (event.key !== "Escape" || box.hidden) return;
      box.hidden = true;
      field.focus();
    };
    field.addEventListener("keydown", close);
    box.addEventListener("keydown", close);
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || /** @type {Element} */ (event.target).closest("input, textarea, select, .course-control")) return;
      event.preventDefault();
      field.focus();
    });
  }

  /** Let the Tab key reach boxes that overflow, so that keys can scroll them, and skip boxes that fit. */
  function reachable() {
    /** @type {NodeListOf<HTMLElement>} */
    const boxes = document.querySelectorAll("main :is(pre, .output, .text, math[display=block])");
    for (const box of boxes) {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  /** Open folded parts if a link leads into them, and for printing. */
  function unfolded() {
    const openTo = () => {
      let node = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const target = node;
      for (; node; node = node.parentElement) if (node instanceof HTMLDetailsElement) node.open = true;
      target?.scrollIntoView();
    };
    window.addEventListener("hashchange", openTo);
    openTo();
    /** @type {NodeListOf<HTMLDetailsElement>} */
    const folded = document.querySelectorAll(".deeper");
    let opened = [];
    window.addEventListener("beforeprint", () => {
      opened = [...folded].filter((section) => !section.open);
      for (const section of opened) section.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const section of opened.splice(0)) section.open = false;
    });
  }

  /** Show the ticked stops of a route that this browser has saved, and save changes. */
  function ticked() {
    const done = new Set((recall("stops") ?? "").split(" "));
    /** @type {NodeListOf<HTMLInputElement>} */
    const boxes = document.querySelectorAll("input[data-stop]");
    for (const box of boxes) {
      box.checked = done.has(box.dataset.stop);
      box.addEventListener("change", () => {
        done[box.checked ? "add" : "delete"](box.dataset.stop);
        remember("stops", [...done].join(" "));
      });
    }
  }

  /** Remove links to Python in the browser from a page in a folder, because they need a web host. */
  function fromAFolder() {
    if (location.protocol !== "file:") return;
    for (const link of document.querySelectorAll('.tried a[href^="lite/"]')) {
      const note = link.parentElement;
      note.querySelector(".aside").remove();
      link.remove();
      note.hidden = !note.querySelector("a");
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    lightOrDark();
    fromAFolder();
    search();
    unfolded();
    ticked();
    new ResizeObserver(reachable).observe(document.body); // runs when the window's width or a folded part changes
  });
}
