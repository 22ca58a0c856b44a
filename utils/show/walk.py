"""A walk through a tree of boxes: open one, look at its numbers, and at how each of them is made.

Boxes in, a page out. A box holds a matrix, says from which boxes it comes, and may hold others; a function of its own
says how one entry is made. What only selects (columns, and the boxes that are saved with the notebook) is answered by
the page alone; another sentence, a deeper box and the making of an entry are asked of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import traitlets

from utils.show.control import ControlTasks, Explorer, one_line
from utils.show.page import script, style

DIGITS = 7  # significant ones that the page gets of a number: all that single precision has
SAVED = 180_000  # letters of JSON: what the page can show of the first sentence without Python


@dataclass(frozen=True, eq=False)
class Work:
    """How one entry is made: a table of numbers, a row for each term, and then what is done with them.

    numbers (terms, len(columns)), whose rows are named. lines: what stands below, each a text and its number; the last
    number is the entry.
    """

    says: str
    names: Sequence[str]
    columns: Sequence[str]
    numbers: np.ndarray
    lines: Sequence[tuple[str, float]]

    @property
    def value(self) -> float:
        """The entry, as these numbers make it."""
        return float(self.lines[-1][1])


@dataclass(frozen=True, eq=False)
class Box:
    """One station: its matrix `values` (len(rows), len(columns)), and what it holds.

    path: its place in the tree, such as "encoder.layer1.attention.head2.scores"; the root's is empty. inputs: the paths
    of the boxes that its numbers are made of. entry(i, j): how that entry is made. products: how many products each
    entry sums up; then: what is done to that sum, such as "plus b". order: the columns in the order in which the page
    shows them, as they are if empty. text: words that it stands for. letter: what its matrix is called in the equations
    of others. amounts: whether its numbers are more and less of something, and so have colours; ids have none. again:
    the path of the box that reads it in the next pass, if one does.
    """

    path: str
    title: str
    equation: str
    says: str
    _: KW_ONLY
    values: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    inputs: Sequence[str] = ()
    inside: Sequence[Box] = ()
    entry: Callable[[int, int], Work] | None = None
    products: int = 0
    then: str = ""
    order: Sequence[int] = ()
    text: str = ""
    letter: str = "x"
    amounts: bool = True
    again: str = ""

    def all_boxes(self) -> Iterator[Box]:
        """This one and all that it holds, in the order in which the numbers are made."""
        yield self
        for box in self.inside:
            yield from box.all_boxes()


@dataclass(frozen=True, eq=False)
class OpenedPass:
    """The boxes of one pass. text: as it was typed; step: the word that is written in it, counted from 1; writes: all
    words that are written, one a step.
    """

    text: str
    step: int
    writes: Sequence[str]
    root: Box

    def find(self, path: str) -> list[Box]:
        """The boxes from the root to the one at `path`. Raises ValueError when there is none."""
        trail = [self.root]
        while trail[-1].path != path:
            inside = [box for box in trail[-1].inside if is_in(path, box.path)]
            if not inside:
                there = ", ".join(box.path for box in trail[-1].inside) or "nothing"
                raise ValueError(f"there is no box “{path}”: in “{trail[-1].title}” there is {there}.")
            trail.append(inside[0])
        return trail

    def __getitem__(self, path: str) -> Box:
        """The box at `path`. Raises ValueError when there is none."""
        return self.find(path)[-1]


class WalkExplorer(Explorer):
    """The boxes of a machine, one opened at a time, down to the products behind a single number.

    walk: called as walk(text, step), returns what `OpenedPass` says; what it refuses with a ValueError is shown as a
    sentence. examples: texts to choose from; the first is shown, at `step`. places: name -> path, to go there at once.
    alt: what is to be seen, one sentence, for those who can't see it. tasks: what is asked; each is done in some boxes:
    it is called with `at.path`, and with the values alone as what is shown.

    From Python as from the page: `go(text=…, step=…, path=…, entry=(i, j))`; to look at: `shown`, the box. Raises
    ValueError when there are no examples, and for a place, a box or an entry that there is not.
    """

    _esm = script("walk.js")
    _css = style("walk-explorer", "walk.css")

    page = traitlets.Dict().tag(sync=True)  # the box that is open, and what leads on from it
    saved = traitlets.Dict().tag(sync=True)  # path -> page, of the first example: what needs no Python
    titles = traitlets.Dict().tag(sync=True)  # path -> title of all boxes, for the map of where one is
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    places = traitlets.List(traitlets.Dict()).tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        walk: Callable[[str, int], OpenedPass],
        examples: Sequence[str],
        places: Mapping[str, str] | None = None,
        step: int = 1,
        alt: str = "",
        tasks: ControlTasks | None = None,
    ) -> None:
        if not alt.strip():
            raise ValueError("a walk needs an alternative text: alt=… says in one sentence what is to be seen.")
        if not examples:
            raise ValueError("a walk needs at least one text to begin with.")
        self._walk = walk
        first = walk(examples[0], step)
        for path in (places or {}).values():
            first.find(path)
        super().__init__(
            page=described(first, ""),
            saved=_saved_pages(first, (places or {}).values()),
            titles={box.path: box.title for box in first.root.all_boxes()},
            examples=list(examples),
            places=[{"name": name, "path": path} for name, path in (places or {}).items()],
            alt=alt,
        )
        self.ask(tasks, ((box.path, {"path": box.path}, box.values) for box in first.root.all_boxes()))

    @property
    def shown(self) -> Box:
        """The box that is open."""
        return self._walk(self.page["text"], self.page["step"])[self.page["path"]]

    def go(
        self,
        text: str | None = None,
        step: int | None = None,
        path: str | None = None,
        entry: tuple[int, int] | None = None,
    ) -> None:
        """Opens a box, or an entry of it, counted from 0; of text, step and path, what is not given stays.

        Raises ValueError for what `walk` refuses, and for a box or an entry that there is not; then nothing changes.
        """
        now = self.page
        walked = self._walk(now["text"] if text is None else text, now["step"] if step is None else step)
        page = described(walked, now["path"] if path is None else path, entry)
        with self.hold_sync():
            self.page, self.refusal = page, ""

    def serve(self, request: Mapping[str, Any]) -> None:
        match request:
            case {"kind": "go", "text": str(text), "step": int(step), "path": str(path), "entry": entry}:
                self.go(text, step, path, None if entry is None else tuple(entry))

    def __repr__(self) -> str:
        """What is open, with its first numbers at one digit; no address: saved outputs are compared by it."""
        box = self.shown
        first = " ".join(f"{value:.1f}" for value in box.values[0][:4])
        line = f"WalkExplorer({self.page['text']} word {self.page['step']}: {box.title}, {box.values.shape}: {first})"
        return one_line(line)


def described(walked: OpenedPass, path: str, entry: tuple[int, int] | None = None) -> dict[str, Any]:
    """What the page needs to show the box at `path`, and how its `entry` is made, as JSON can hold it.

    Raises ValueError when there is no such box or entry.
    """
    trail = walked.find(path)
    box = trail[-1]
    every = {one.path: one.title for one in walked.root.all_boxes()}
    steps = [one.path for one in trail[-2].inside] if len(trail) > 1 else []
    at = steps.index(path) if steps else 0
    return {
        "text": walked.text,
        "step": walked.step,
        "writes": list(walked.writes),
        "path": path,
        "trail": [_link(one.path, one.title) for one in trail],
        "before": _link(steps[at - 1], every[steps[at - 1]]) if at > 0 else None,
        "after": _link(steps[at + 1], every[steps[at + 1]]) if at + 1 < len(steps) else None,
        "equation": box.equation,
        "says": box.says,
        "said": box.text,
        "shape": list(box.values.shape),
        "rows": list(box.rows),
        "columns": list(box.columns),
        "values": _numbers(box.values),
        "amounts": box.amounts,
        "order": list(box.order),
        "sum": _sum_in_words(box),
        "inputs": [_link(one, _called(one, every)) for one in box.inputs],
        "inside": [_small(one, box.inside) for one in box.inside],
        "work": None if entry is None else _work(box, entry),
    }


def _saved_pages(walked: OpenedPass, places: Iterable[str]) -> dict[str, Any]:
    """The pages of the root and the boxes in it, of the places, to which lessons lead, and of the boxes below, those on
    one level from left to right: as many as fit."""
    level = walked.root.inside
    paths = ["", *(box.path for box in level), *places]
    while level:
        paths += [box.path for box in level]
        level = [inner for box in level for inner in box.inside]
    pages: dict[str, Any] = {}
    room = SAVED
    for path in dict.fromkeys(paths):
        page = described(walked, path)
        room -= len(str(page))
        if room < 0:
            break
        pages[path] = page
    return pages


def _sum_in_words(box: Box) -> str:
    """What sum each number is, one sentence; empty if none. A box that holds others shows the numbers of its last."""
    while box.inside:
        box = box.inside[-1]
    if not box.products:
        return ""
    of = "one product" if box.products == 1 else f"a sum of {box.products} products"
    return f"Each number is {of}{', ' if box.then else ''}{box.then}."


def _called(path: str, every: Mapping[str, str]) -> str:
    """The title of a box, with that of the one that holds it: two boxes may have the same title."""
    above = path.rpartition(".")[0]
    return f"{every[above]}: {every[path]}" if above else every[path]


def _small(box: Box, among: Sequence[Box]) -> dict[str, Any]:
    """A box among others: its title, its shape, a small picture of its numbers, and after which of them it comes."""
    finite = np.nan_to_num(np.asarray(box.values, dtype=np.float64), neginf=0.0)[:, :64]
    most = np.abs(finite).max() or 1.0
    return {
        **_link(box.path, box.title),
        "equation": box.equation if not box.inside else "",
        "shape": list(box.values.shape),
        "said": box.text,
        "holds": len(box.inside),
        "after": [i for i, one in enumerate(among) if any(is_in(path, one.path) for path in box.inputs)],
        "anew": not box.inputs,
        "again": next((i for i, one in enumerate(among) if one.path == box.again), None),
        "picture": np.rint(finite / most * 9).astype(int).tolist() if box.amounts else [],
    }


def is_in(path: str, other: str) -> bool:
    """Whether the box at `path` is the other one or stands in it."""
    return path == other or path.startswith(f"{other}.")


def _link(path: str, title: str) -> dict[str, str]:
    return {"path": path, "title": title}


def _work(box: Box, entry: tuple[int, int]) -> dict[str, Any]:
    rows, columns = box.values.shape
    i, j = entry
    if box.entry is None or not (0 <= i < rows and 0 <= j < columns):
        raise ValueError(f"“{box.title}” has {rows} rows and {columns} columns, counted from 0: {entry} is none.")
    work = box.entry(i, j)
    return {
        "row": i,
        "column": j,
        "says": work.says,
        "names": list(work.names),
        "columns": list(work.columns),
        "numbers": _numbers(work.numbers),
        "lines": [[text, _number(value)] for text, value in work.lines],
    }


def _numbers(values: np.ndarray) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in values]


def _number(value: float) -> float | None:
    """A number with all the digits that single precision has; None for −∞, which JSON does not know."""
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
