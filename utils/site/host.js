// Replace Jupyter and Python on a page: show the controls, and answer their requests from their tables.
// Refuse a request that is not in a table with a sentence, and never show a setting with another one's numbers.

{
  const OPEN = "Open the lesson as a notebook, with “make lab”: there every setting answers.";
  const REASONS = {
    typed: `This page has no Python to compute with what is typed. ${OPEN}`,
    turned: `This setting was not computed beforehand. ${OPEN}`,
    kept: `This page keeps many answers, but not this one. ${OPEN}`,
    nothing: `This page shows what was saved, and has nothing to compute with. ${OPEN}`,
  };
  const TYPED = ["text", "entries", "paint"];

  const bytes = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const inflated = (data) => new Response(new Blob([bytes(data)]).stream().pipeThrough(new DecompressionStream("gzip")));
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  /** The weights of the translators. They are large, so they are loaded only when the reader types. */
  const weights = {}; // file -> promise of its bytes
  const arrived = {}; // file -> function that resolves the promise
  course.weights = async (name, data) => arrived[name](new DataView(await inflated(data).arrayBuffer()));
  const loadedWeights = (name) => {
    weights[name] ??= new Promise((loaded) => {
      arrived[name] = loaded;
      document.head.append(Object.assign(document.createElement("script"), { src: `assets/${name}` }));
    });
    return weights[name];
  };

  async function unpacked(data) {
    const table = await inflated(data).json();
    if (table.places) table.at = new Map(table.places.map((place, i) => [place, i]));
    else table.parts = table.parts.map((part) => ("base64" in Object(part) ? new DataView(bytes(part.base64).buffer) : part));
    return table;
  }

  /** Return the field of a request, the requested value, and a function from the old values to the wanted ones. */
  function wanted(table, { kind, name, value, table: matrix, row, column, text, sentence }) {
    if (kind === "set") return { name, where: name, asked: { value }, turn: (held) => ({ ...held, [name]: value }) };
    if (kind === "preset") return { where: "", asked: {}, turn: (held) => ({ ...held, ...table.presets[name] }) };
    if (kind === "reset") return { where: "", asked: {}, turn: () => table.start };
    const turn = (held) => {
      if (sentence) throw new Error(sentence);
      const put = (line, r) => line.map((old, c) => (r === row && c === column ? value : old));
      return { ...held, [matrix]: held[matrix].map(put) };
    };
    return { name: matrix, where: `${matrix},${row},${column}`, asked: { text }, turn };
  }

  /** Return the panels of these values, or the sentence that refuses them; undefined if they are not in the table. */
  function lookedUp(table, values) {
    let place = 0;
    for (const [name, all] of table.axes) {
      const at = all.findIndex((value) => same(value, values[name]));
      place = at < 0 ? NaN : place * all.length + at;
    }
    const shown = table.shown[table.at.get(place)];
    return typeof shown === "object" ? shown.map((panel) => table.panels[panel]) : shown;
  }

  /** Return the same, computed by the control's JavaScript port if the table doesn't have the values. */
  function panelsOf(table, twin, values) {
    const found = lookedUp(table, values);
    if (found || !twin) return found;
    try {
      return twin.picture(values, (changes) => lookedUp(table, { ...table.start, ...changes }));
    } catch (refused) {
      return refused.message;
    }
  }

  /** Return the changes that a request makes to the state of a live control. */
  function answered(state, table, twin, request) {
    const { name, where, asked, turn } = wanted(table, request);
    const refuse = (sentence) => {
      const { [where]: _, ...others } = state.refusals;
      return { refusals: { ...others, [where]: { ...asked, sentence } } };
    };
    const start = state.parameters.find(({ kind }) => kind === "row")?.value ?? 0;
    const row = request.kind === "reset" ? { row: start } : {};
    let values = null;
    try {
      values = turn(state.values);
    } catch (refused) {
      return refuse(refused.message);
    }
    if (same(values, state.values)) return { refusals: {}, ...row };
    const panels = panelsOf(table, twin, values);
    if (typeof panels !== "object") {
      const kind = state.parameters.find((parameter) => parameter.name === name)?.kind;
      return refuse(panels ?? REASONS[TYPED.includes(kind) ? "typed" : "turned"]);
    }
    const fits = ([, preset]) => Object.entries(preset).every(([one, value]) => same(value, values[one]));
    const preset = Object.entries(table.presets).find(fits)?.[0] ?? "";
    return { values, panels, preset, refusals: {}, ticked: ticked(state, panels), ...row };
  }

  /** Save the tasks done with these panels in the browser, and return the indices of all tasks done so far. */
  function ticked({ tasks, ticked: before }, panels) {
    const met = panels.at(-1).met ?? [];
    remember(tasks, met);
    return [...new Set([...before, ...met])];
  }

  function remember(tasks, ticked) {
    for (const i of ticked) course.remember?.(`task: ${tasks[i]}`, "done");
  }

  /** Return the changes that a request makes to the state of another control, from the saved answers of Python. */
  function kept(table, { kind: _kind, id: _id, key: _key, ...asked }) {
    const whole = (part) => {
      if (typeof part === "number") return table.parts[part];
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, whole(inner)]));
    };
    const found = table.answers[JSON.stringify(Object.values(asked))];
    return found ? whole(found) : { refusal: REASONS.kept };
  }

  /** Return the model of one control, as anywidget would pass it to the control's own script. */
  course.model = ({ state, buffers, table, twin, weights: files }) => {
    for (const [name, data] of Object.entries(buffers)) state[name] = new DataView(bytes(data).buffer);
    if (state.tasks) state.ticked = [...state.tasks.keys()].filter((i) => course.recall?.(`task: ${state.tasks[i]}`));
    const listeners = new Set();
    const hearers = new Set(); // listeners for messages
    const take = (news) => {
      Object.assign(state, news);
      for (const listener of [...listeners]) listener();
    };
    let unpacking = null;
    const ready = () => (unpacking ??= table ? unpacked(table) : Promise.resolve(null));
    const computing = twin && course.scripts[twin]();
    const answer = (held, request) => {
      if (held?.answers) return kept(held, request);
      if (held) return answered(state, held, computing, request);
      return "refusals" in state ? { refusals: { "": { sentence: REASONS.nothing } } } : { refusal: REASONS.nothing };
    };
    return {
      get: (name) => state[name],
      set: (name, value) => {
        if (name === "ticked") remember(state.tasks, value);
        if (state[name] !== value) take({ [name]: value });
      },
      save_changes: () => {},
      on: (name, listener) => (name === "msg:custom" ? hearers : listeners).add(listener),
      off: (name, listener) => (name === "msg:custom" ? hearers : listeners).delete(listener),
      send: async (request) => {
        if (files && request.kind === "weights") {
          const held = await loadedWeights(files[request.language]);
          for (const hear of hearers) hear({ kind: "weights", language: request.language }, [held]);
          return take({ answer: request.id });
        }
        return take({ ...answer(await ready(), request), answer: request.id });
      },
      ready,
    };
  };

  course.show = (id, told) => {
    const place = document.querySelector(`[data-control="${id}"]`);
    if (!place) return; // the page shows only some of the lesson's controls
    const model = course.model(told);
    course.controls.set(id, model);
    const show = () => {
      place.replaceChildren();
      course.scripts[told.script]().render({ model, el: place });
      for (const kind of ["pointerover", "focusin"]) place.addEventListener(kind, model.ready, { once: true });
    };
    Promise.resolve(/** @type {any} */ (window).seen).then(show); // before that, its place has no size
  };
}
