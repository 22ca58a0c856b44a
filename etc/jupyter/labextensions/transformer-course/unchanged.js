// A notebook that was only opened is not shown as one that must be saved. JupyterLab marks it when the kernel says what
// its language is, and when saved controls come back; here it is what a person or a kernel changes in it that counts.

{
  const HARMLESS = ["Tab", "Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]; // keys that change nothing by themselves

  async function watch(panel, context) {
    const { model } = context;
    await context.ready;
    let changed = false;
    let language = false;
    model.metadataChanged.connect((_, { key }) => (language = key === "language_info"));
    model.contentChanged.connect(() => {
      changed ||= !language;
      language = false;
    });
    model.stateChanged.connect((_, { name, newValue }) => {
      if (name === "dirty" && newValue && !changed) queueMicrotask(() => (model.dirty = changed));
    });
    const touched = (event) => {
      if (HARMLESS.includes(event.key) || !event.target.closest(".course-control")) return;
      model.dirty = changed = true;
    };
    for (const kind of ["click", "change", "keydown"]) panel.node.addEventListener(kind, touched, true);
    context.saveState.connect((_, state) => (changed &&= state !== "completed"));
  }

  const plugin = {
    id: "transformer-course:plugin",
    autoStart: true,
    activate: ({ docRegistry }) => {
      docRegistry.addWidgetExtension("Notebook", { createNew: (panel, context) => void watch(panel, context) });
    },
  };
  (window._JUPYTERLAB ??= {})["transformer-course"] = { init: () => {}, get: () => () => plugin };
}
