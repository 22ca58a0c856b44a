// What stands in for Jupyter on a page: it shows the controls, and answers what they ask.

{
  const NOT_HERE = "This page shows what was saved. Open the notebook with “make lab”: there it follows your hand.";

  const bytes = (data) => Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));

  /** The model of one control, as anywidget would give it to the control's own script. */
  function modelOf({ state, buffers }) {
    for (const [name, data] of Object.entries(buffers)) state[name] = new DataView(bytes(data).buffer);
    const listeners = new Set();
    const take = (news) => {
      Object.assign(state, news);
      for (const listener of [...listeners]) listener();
    };
    return {
      get: (name) => state[name],
      set: (name, value) => state[name] !== value && take({ [name]: value }),
      save_changes: () => {},
      on: (_, listener) => listeners.add(listener),
      off: (_, listener) => listeners.delete(listener),
      send: (request) => setTimeout(() => take({ ...answered(state, request), answer: request.id })),
    };
  }

  /** What changes in the state of a control by a request. */
  function answered(state, request) {
    if (!("refusals" in state)) return { refusal: NOT_HERE };
    const { kind, name, value, table, row, column, text } = request;
    const where = kind === "edit" ? `${table},${row},${column}` : kind === "set" ? name : "";
    return { refusals: { [where]: { ...(kind === "edit" ? { text } : { value }), sentence: NOT_HERE } } };
  }

  course.show = (id, told) => {
    const place = document.querySelector(`[data-control="${id}"]`);
    const widget = course.scripts[told.script]();
    const model = modelOf(told);
    course.controls.set(id, model);
    place.replaceChildren();
    widget.render({ model, el: place });
  };
}
