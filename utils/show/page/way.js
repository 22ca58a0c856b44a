// What a turned number has changed lights up along its way: first the number itself, then step by step what follows.

import { element } from "./dom.js";

const LIT = 200; // ms that a step is lit
const PACE = 100; // ms from one step to the next, as it happens
const SLOWLY = 700; // and when it is followed once more
const SIDE_BY_SIDE = [["Q", "K", "V"]]; // made in one step, of the same numbers
const GLOW = "rgba(230, 159, 0, 0.75)";

/**
 * The step in which each panel is made, counted from 1: one after the other, as they stand.
 * @param {(string | undefined)[]} names
 */
export function stepsOf(names) {
  let step = 0;
  return names.map((name, i) => {
    const together = SIDE_BY_SIDE.some((group) => group.includes(name) && group.includes(names[i - 1]));
    return together ? step : ++step;
  });
}

/** note(step, cell) as things change, then show(), until rest(); `button` shows the last change again, slowly. */
export function followedWay() {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const button = element("button", { type: "button", className: "follow", textContent: "Follow the change", disabled: true });
  const noted = new Map();
  let last = [];
  let lights = [];

  function rest() {
    lights.forEach((one) => one.cancel());
    lights = [];
  }

  function light(pace, duration) {
    rest();
    lights = last.flatMap((cells, i) => {
      return cells.map((cell) => cell.animate(glow(cell), { delay: i * pace, duration, easing: "ease-out" }));
    });
  }

  function show() {
    if (!noted.size) return;
    last = [...noted.keys()].sort((a, b) => a - b).map((step) => noted.get(step));
    noted.clear();
    button.disabled = calm.matches;
    if (!calm.matches) requestAnimationFrame(() => setTimeout(light, 0, PACE, LIT)); // once the numbers are seen
  }

  const note = (step, cell) => noted.set(step, [...(noted.get(step) ?? []), cell]);
  button.addEventListener("click", () => light(SLOWLY, SLOWLY));
  return { button, note, show, rest };
}

/** A field or a number glows; what has a colour of its own gets a frame instead. */
function glow(cell) {
  if (!cell.style.backgroundColor) return [{ backgroundColor: GLOW }, { backgroundColor: GLOW, offset: 0.6 }, {}];
  const frame = { outline: "3px solid #e69f00", outlineOffset: "-3px" };
  return [frame, { ...frame, offset: 0.6 }, { outline: "3px solid transparent", outlineOffset: "-3px" }];
}
