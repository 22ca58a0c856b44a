// All controls on one page: what a lesson's controls need is loaded when they come near the window.

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
        // One after the other: the control's own script stands before what it is told.
        target.dataset.scripts.split(" ").reduce((before, name) => before.then(() => load(name)), Promise.resolve());
      }
    },
    { rootMargin: "300px" },
  );
  const observe = () => document.querySelectorAll(".of-lesson").forEach((section) => near.observe(section));
  Promise.resolve(window.seen).then(observe);
}
