// Show all controls on one page, and load the scripts of a lesson's controls when these come near the window.

{
  const loading = new Map();
  const load = (name) => {
    if (!loading.has(name)) {
      const script = Object.assign(document.createElement("script"), { src: `assets/${name}` });
      loading.set(name, new Promise((done) => script.addEventListener("load", done)));
      document.head.append(script);
    }
    return loading.get(name);
  };
  const near = new IntersectionObserver(
    (entries) => {
      for (const { target } of entries.filter(({ isIntersecting }) => isIntersecting)) {
        near.unobserve(target);
        // Load one after the other, because a control's own script must come before its data.
        /** @type {HTMLElement} */ (target).dataset.scripts.split(" ").reduce((before, name) => before.then(() => load(name)), Promise.resolve());
      }
    },
    { rootMargin: "300px" },
  );
  const observe = () => document.querySelectorAll(".of-lesson").forEach((section) => near.observe(section));
  Promise.resolve(/** @type {any} */ (window).seen).then(observe);
}
