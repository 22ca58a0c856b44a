// What a catalogue shows of its items, given what is chosen: needs no page.

export const ALL = "all";

/** The items of every chosen kind. `chosen` says for each facet one of its options, or ALL. */
export function matching(items, chosen) {
  const wanted = Object.entries(chosen).filter(([, option]) => option !== ALL);
  return items.filter(({ facets }) => wanted.every(([name, option]) => facets[name] === option));
}

/** How many items there would be if this facet were turned to `option`, and the others stayed. */
export function countWith(items, chosen, name, option) {
  return matching(items, { ...chosen, [name]: option }).length;
}

/** Whether two choices are the same. */
export function sameChoice(one, other) {
  return Object.keys(one).every((name) => one[name] === other[name]);
}
