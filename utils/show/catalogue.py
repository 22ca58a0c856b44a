"""A catalogue: cards that are chosen by what they belong to.

Items in, a page out. It only selects, so `catalogue.js` answers all of it, without Python: in a saved notebook too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import traitlets

from utils.show.control import Control
from utils.show.page import script, style

ALL = "all"  # what a facet is turned to where it does not choose, as in choosing.js


@dataclass(frozen=True)
class Item:
    """One card of a catalogue: the option of each facet that it belongs to, and what it says."""

    name: str  # unlike every other's
    facets: Mapping[str, str]
    tone: str  # "neutral", "good", "bad" or "note", as a card's
    headline: str
    lines: Sequence[tuple[str, str]] = ()  # what is said, and of what: ("printed", "0.98")
    links: Sequence[tuple[str, str]] = ()  # the words, and where they lead


class CatalogueExplorer(Control):
    """Cards, and for each facet the options of which one is chosen, or all.

    items: the cards, in the order in which they stand. facets: name -> options. presets: name -> options of some
    facets; the others show all. alt: what is to be seen, one sentence, for those who can't see it.

    From Python as from the page: `choose(note="N4")`, `reset()`; to look at: `chosen`, `shown`. Raises ValueError when
    two items have one name, and when an item or a preset names a facet or an option that there is not.
    """

    _esm = script("catalogue.js")
    _css = style("catalogue-explorer", "catalogue.css")

    items = traitlets.List(traitlets.Dict()).tag(sync=True)
    facets = traitlets.List(traitlets.Dict()).tag(sync=True)
    presets = traitlets.List(traitlets.Dict()).tag(sync=True)
    chosen = traitlets.Dict().tag(sync=True)  # facet -> option, or ALL; set by the page alone, too
    alt = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        items: Sequence[Item],
        facets: Mapping[str, Sequence[str]],
        presets: Mapping[str, Mapping[str, str]] | None = None,
        alt: str = "",
    ) -> None:
        if not alt.strip():
            raise ValueError("a catalogue needs an alternative text: alt=… says in one sentence what is to be seen.")
        names = [item.name for item in items]
        if len(set(names)) < len(names) or not names:
            raise ValueError(f"a catalogue needs items, all with different names: {names}.")
        self._options = {name: tuple(options) for name, options in facets.items()}
        for item in items:
            self._require(f"the item {item.name}", item.facets)
            if set(item.facets) != set(self._options):
                raise ValueError(f"the item {item.name} needs an option of each facet: {', '.join(self._options)}.")
        for name, options in (presets or {}).items():
            self._require(f"the preset “{name}”", options)
        super().__init__(
            items=[asdict(item) for item in items],
            facets=[{"name": name, "options": list(options)} for name, options in self._options.items()],
            presets=[{"name": name, "chosen": dict(options)} for name, options in (presets or {}).items()],
            chosen=dict.fromkeys(self._options, ALL),
            alt=alt,
        )

    @property
    def shown(self) -> list[str]:
        """The names of the items that are shown now."""
        wanted = {name: option for name, option in self.chosen.items() if option != ALL}
        return [item["name"] for item in self.items if wanted.items() <= item["facets"].items()]

    def choose(self, **options: str) -> None:
        """Turns these facets, each to one of its options or to "all". Raises ValueError for others."""
        self._require("the choice", {name: option for name, option in options.items() if option != ALL})
        self.chosen = {**self.chosen, **options}

    def reset(self) -> None:
        """Shows everything."""
        self.chosen = dict.fromkeys(self._options, ALL)

    def __repr__(self) -> str:
        """What is chosen and how many items that leaves; no address: saved outputs are compared by it."""
        chosen = ", ".join(f"{name} {option}" for name, option in self.chosen.items())
        return f"{type(self).__name__}({chosen}: {len(self.shown)} of {len(self.items)})"

    def _require(self, called: str, options: Mapping[str, str]) -> None:
        for name, option in options.items():
            if option not in self._options.get(name, ()):
                there = ", ".join(self._options.get(name, self._options))
                raise ValueError(f"{called} has {name} “{option}”: there is {there}.")
