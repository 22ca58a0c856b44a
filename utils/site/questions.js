// Ask questions that come back, as utils/course/questions.py does: find those that are due, and save answers in this
// browser. All pages know the names of the questions, `course.asked`; the start page also loads their HTML.

{
  const SPACES = [1, 3, 7, 21]; // days until a question comes back
  const AT_THE_END = 3; // questions at a lesson's end
  const A_DAY = 5;
  const KEPT = "asked.";
  const LONG_AGO = "0001-01-01";

  const lessonOf = (name) => name.split(".")[0];
  const later = (day, days) => new Date(Date.parse(day) + days * 864e5).toISOString().slice(0, 10);

  /** Return lesson -> names of its questions, in their order. */
  function byLesson(names) {
    const found = new Map(names.map((name) => [lessonOf(name), []]));
    for (const name of names) found.get(lessonOf(name)).push(name);
    return found;
  }

  /** Return lesson -> day, for the lessons that have been done. */
  function learntOn(progress) {
    const learnt = {};
    for (const [name, { passed, day = "" }] of Object.entries(progress)) {
      if (!passed || name.startsWith(KEPT)) continue;
      const lesson = /^(road|done)\./.test(name) ? name.split(".").at(-1) : lessonOf(name);
      learnt[lesson] = lesson in learnt && learnt[lesson] < day ? learnt[lesson] : day;
    }
    return learnt;
  }

  function standing(progress, name, learnt) {
    const lesson = lessonOf(name);
    const day = lesson in learnt ? learnt[lesson] || LONG_AGO : "";
    return { tries: 0, passed: false, step: 0, day, ...progress[KEPT + name] };
  }

  function comesBack({ day, step }, today) {
    if (!day) return "9999-12-31";
    return day > today ? today : later(day, SPACES[step]); // a day in the future comes from a wrong clock
  }

  /** Return the names of the questions for today: first those asked before, then new ones from the lessons done. */
  function due(progress, today, names) {
    const learnt = learntOn(progress);
    const asked = Object.entries(progress).filter(([name]) => name.startsWith(KEPT));
    const done = asked.filter(([, { day, step, tries }]) => day === today && (step > 0 || tries > 1)).length;
    const waiting = [];
    for (const [lesson, own] of byLesson(names)) {
      if (!(lesson in learnt)) continue;
      own.forEach((name, place) => {
        const one = standing(progress, name, learnt);
        const when = comesBack(one, today);
        if (when <= today) waiting.push({ name, key: `${Number(one.tries === 0)} ${when} ${place}` });
      });
    }
    waiting.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
    return waiting.slice(0, Math.max(0, A_DAY - done)).map(({ name }) => name);
  }

  /** Return the state of a question after an answer. Only the first answer of a day counts. */
  function answered(before, right, today) {
    if (before.tries && before.day === today) return before;
    let [day, step] = [today, 0];
    if (right && comesBack(before, today) <= today) step = Math.min(before.step + 1, SPACES.length - 1);
    else if (right && before.tries) [day, step] = [before.day, before.step];
    return { tries: before.tries + 1, passed: before.passed || right, day, step };
  }

  /** Return the progress with each lesson done whose questions at the end are answered, on the day of the last answer. */
  function withDone(progress, names) {
    const learnt = learntOn(progress);
    const now = { ...progress };
    for (const [lesson, own] of byLesson(names)) {
      const ends = own.slice(0, AT_THE_END).map((end) => progress[KEPT + end]);
      if (lesson in learnt || !ends.every(Boolean)) continue;
      now[`done.${lesson}`] = { tries: 0, passed: true, day: ends.map(({ day }) => day).sort().at(-1) };
    }
    return now;
  }

  /** Return the progress with one more answer, which may complete a lesson. */
  function withAnswer(progress, name, right, today, names) {
    const now = answered(standing(progress, name, learntOn(progress)), right, today);
    return withDone({ ...progress, [KEPT + name]: now }, names);
  }

  course.questions = { due, withAnswer };

  const today = () => new Date(Date.now() - new Date().getTimezoneOffset() * 6e4).toISOString().slice(0, 10);
  // Each entry has its own key, because another window may have saved entries that this one doesn't know yet.
  const OWN = "progress: ";
  const kept = () => {
    const own = course.remembered().filter((key) => key.startsWith(OWN));
    const entries = own.map((key) => [key.slice(OWN.length), JSON.parse(course.recall(key))]);
    return { ...JSON.parse(course.recall("progress") ?? "{}"), ...Object.fromEntries(entries) }; // older versions had one key for all
  };
  const keep = (progress) => {
    const before = kept();
    for (const [name, entry] of Object.entries(progress)) {
      const text = JSON.stringify(entry);
      if (text !== JSON.stringify(before[name])) course.remember(OWN + name, text);
    }
  };

  /** Save the first choice that the reader opens in each question as the answer. */
  function hear() {
    const heard = new Set();
    const opened = ({ target }) => {
      const question = target.closest("[data-question]")?.dataset.question;
      if (!question || !target.open || heard.has(question)) return;
      heard.add(question);
      keep(withAnswer(kept(), question, "right" in target.dataset, today(), course.asked));
    };
    document.addEventListener("toggle", opened, true);
  }

  /** Save a ticked stop as a lesson done; a stop from before, without an entry, gets no day. */
  function hearTicks() {
    /** @type {NodeListOf<HTMLInputElement>} */
    const boxes = document.querySelectorAll("input[data-stop]");
    for (const box of boxes) {
      const name = `road.${box.dataset.stop}`;
      const note = (day) => keep({ ...kept(), [name]: { tries: 0, passed: box.checked, day } });
      box.addEventListener("change", () => note(today()));
      if (box.checked && !kept()[name]?.passed) note("");
    }
  }

  /** Show the questions due today on the start page. Load them only if there are any. */
  function ask() {
    const place = document.getElementById("for-today");
    if (!place) return;
    keep(withDone(kept(), course.asked)); // two windows may each have known only some of the answers
    const names = due(kept(), today(), course.asked);
    if (!names.length) return;
    course.told = (html) => {
      place.lastElementChild.innerHTML = names.map((name) => html[name]).join("");
      place.hidden = false;
    };
    document.head.append(Object.assign(document.createElement("script"), { src: "assets/asked.js" }));
  }

  document.addEventListener("DOMContentLoaded", () => {
    hear();
    hearTicks();
    ask();
  });
}
