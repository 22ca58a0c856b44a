// What the maps of the attention explorer are painted with.

import { isDark, scaleOf } from "./dom.js";
import { AMOUNTS, inkOn, ramp } from "./numbers.js";

/** Makes the canvas as sharp as the screen, which empties it, and gives its context in CSS pixels. */
export function fresh(canvas, width, height) {
  const ratio = (window.devicePixelRatio || 1) * scaleOf(canvas);
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  return context;
}

/** A function that gives the shades of 1001 weights as they are under `root` now; the square root keeps 1 in 64 visible. */
export function shadesUnder(root) {
  let key = null;
  let shades = null;
  return () => {
    const { color: ink, backgroundColor: paper } = getComputedStyle(root);
    if (key === `${isDark(root)} ${paper}`) return shades;
    key = `${isDark(root)} ${paper}`;
    const colours = ramp(AMOUNTS[Number(isDark(root))]);
    shades = { css: [], inks: [], pixels: new Uint32Array(1001), ink };
    for (let k = 0; k <= 1000; k++) {
      const [r, g, b] = colours[Math.round(255 * Math.sqrt(k / 1000))];
      shades.pixels[k] = (255 << 24) | (b << 16) | (g << 8) | r; // little-endian, as every browser's machine is
      shades.css.push(`rgb(${r} ${g} ${b})`);
      shades.inks.push(inkOn([r, g, b]));
    }
    return shades;
  };
}
