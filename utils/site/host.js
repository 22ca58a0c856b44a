// What stands in for Jupyter and Python on a page: it shows the controls, and answers what they ask from their tables.
// What is not in a table is refused, in a sentence: no setting is ever shown with another's numbers.

{
  const OPEN = "Open the lesson as a notebook, with “make lab”: there every setting answers.";
  const REASONS = {
    typed: `This page has no Python to compute with what is typed. ${OPEN}`,
    turned: `This setting was not computed beforehand. ${OPEN}`,
    nothing: `This page shows what was saved, and has nothing to compute with. ${OPEN}`,
  };
  const TYPED = ["text", "entries", "paint"];

  const bytes = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const number = (text) => Number(text.trim().replace("−", "-") || NaN);

  async function unpacked(data) {
    const stream = new Blob([bytes(data)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const table = JSON.parse(await new Response(stream).text());
    table.at = new Map(table.places.map((place, i) => [place, i]));
    return table;
  }

  /** What a request wants the values to be, the field that it comes from, and what was asked for there. */
  function wanted(table, held, { kind, name, value, table: matrix, row, column, text }) {
    if (kind === "set") return { values: { ...held, [name]: value }, name, where: name, asked: { value } };
    if (kind === "preset") return { values: { ...held, ...table.presets[name] }, where: "", asked: {} };
    if (kind === "reset") return { values: table.start, where: "", asked: {} };
    const changed = held[matrix].map((line, r) => line.map((old, c) => (r === row && c === column ? number(text) : old)));
    return { values: { ...held, [matrix]: changed }, name: matrix, where: `${matrix},${row},${column}`, asked: { text } };
  }

  /** What the control shows with these values; undefined where that was not computed. */
  function lookedUp(table, values) {
    let place = 0;
    const ats = table.axes.map(([name, all]) => all.findIndex((value) => same(value, values[name])));
    for (const [i, [, all]] of table.axes.entries()) place = ats[i] < 0 ? NaN : place * all.length + ats[i];
    const shown = table.shown[table.at.get(place)];
    if (typeof shown !== "object") return shown;
    const names = table.axes.map(([name]) => name);
    const entries = Object.entries(table.entries).map(([name, texts]) => [name, texts[ats[names.indexOf(name)]]]);
    const fits = ([, preset]) => Object.entries(preset).every(([name, value]) => same(value, values[name]));
    const preset = Object.entries(table.presets).find(fits)?.[0] ?? "";
    const panels = shown.map((panel) => table.panels[panel]);
    return { values, panels, entries: Object.fromEntries(entries), preset, refusals: {} };
  }

  /** What changes in the state of a control by a request. */
  function answered(state, table, request) {
    if (!("refusals" in state)) return { refusal: REASONS.nothing };
    const refuse = (where, asked, sentence) => ({ refusals: { [where]: { ...asked, sentence } } });
    if (!table) return refuse("", {}, REASONS.nothing);
    const { values, name, where, asked } = wanted(table, state.values, request);
    const row = request.kind === "reset" ? { row: 0 } : {};
    if (same(values, state.values)) return { refusals: {}, ...row };
    const found = lookedUp(table, values);
    if (found?.panels) return { ...found, ...row };
    const kind = state.parameters.find((parameter) => parameter.name === name)?.kind;
    return refuse(where, asked, found ?? REASONS[TYPED.includes(kind) ? "typed" : "turned"]);
  }

  /** The model of one control, as anywidget would give it to the control's own script. */
  function modelOf({ state, buffers, table }) {
    for (const [name, data] of Object.entries(buffers)) state[name] = new DataView(bytes(data).buffer);
    const listeners = new Set();
    const take = (news) => {
      Object.assign(state, news);
      for (const listener of [...listeners]) listener();
    };
    let unpacking = null;
    const ready = () => (unpacking ??= table ? unpacked(table) : Promise.resolve(null));
    return {
      get: (name) => state[name],
      set: (name, value) => state[name] !== value && take({ [name]: value }),
      save_changes: () => {},
      on: (_, listener) => listeners.add(listener),
      off: (_, listener) => listeners.delete(listener),
      send: (request) => ready().then((held) => take({ ...answered(state, held, request), answer: request.id })),
      ready,
    };
  }

  course.show = (id, told) => {
    const place = document.querySelector(`[data-control="${id}"]`);
    const model = modelOf(told);
    course.controls.set(id, model);
    place.replaceChildren();
    course.scripts[told.script]().render({ model, el: place });
    for (const kind of ["pointerover", "focusin"]) place.addEventListener(kind, model.ready, { once: true });
  };
}
