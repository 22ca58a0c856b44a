"""Show a walkthrough of a tree of boxes: open a box and look at its numbers, and at the computation of each.

A box has a matrix, names the boxes from which it is computed, and may contain other boxes; its `entry` function
explains one number. The page itself selects columns and the boxes that are saved with the notebook. For another
sentence, a deeper box or the computation of an entry it asks Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import traitlets

from utils.show.control import ControlTasks, Explorer, one_line
from utils.show.page import script, style

DIGITS = 7  # significant digits of a number on the page, all that single precision has
SAVED = 180_000  # the most characters of JSON for the pages of the first sentence that work without Python


@dataclass(frozen=True, eq=False)
class Work:
    """The computation of one entry: a table with a row for each term, and lines with the next steps.

    numbers: (terms, len(columns)), with a name for each row. lines: the lines below the table, each a text and its
    number; the last number is the entry.
    """

    says: str
    names: Sequence[str]
    columns: Sequence[str]
    numbers: np.ndarray
    lines: Sequence[tuple[str, float]]

    @property
    def value(self) -> float:
        """The entry computed from these numbers."""
        return float(self.lines[-1][1])


@dataclass(frozen=True, eq=False)
class Box:
    """A box with its matrix `values` (len(rows), len(columns)) and the boxes inside it.

    path: the position in the tree, such as "encoder.layer1.attention.head2.scores"; the root's is empty.
    inputs: the paths of the boxes from which the numbers are computed.
    entry: returns the computation of the entry (i, j).
    products: the number of products that each entry sums up.
    then: the step after that sum, such as "plus b".
    order: the order in which the page shows the columns; unchanged if empty.
    text: the words that the box stands for.
    letter: the name of the matrix in the equations of other boxes.
    amounts: whether the numbers are amounts, which have colours; ids are not.
    again: the path of the box that reads this one in the next pass, or "".
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
        """Yield this box and all boxes inside it, in the order of the computation."""
        yield self
        for box in self.inside:
            yield from box.all_boxes()


@dataclass(frozen=True, eq=False)
class OpenedPass:
    """The boxes of one pass.

    text: the typed text. step: the number of the word that this pass writes, counted from 1. writes: all written words,
    one for each step.
    """

    text: str
    step: int
    writes: Sequence[str]
    root: Box

    def find(self, path: str) -> list[Box]:
        """Return the boxes from the root to the one at `path`. Raise ValueError if there is no such box."""
        trail = [self.root]
        while trail[-1].path != path:
            inside = [box for box in trail[-1].inside if is_in(path, box.path)]
            if not inside:
                there = ", ".join(box.path for box in trail[-1].inside) or "nothing"
                raise ValueError(f"there is no box “{path}”: in “{trail[-1].title}” there is {there}.")
            trail.append(inside[0])
        return trail

    def __getitem__(self, path: str) -> Box:
        """Return the box at `path`. Raise ValueError if there is no such box."""
        return self.find(path)[-1]


class WalkExplorer(Explorer):
    """A control with the boxes of a model, one open at a time, down to the products in a single number.

    walk: called as walk(text, step), it returns an `OpenedPass`. The control shows its ValueError as a sentence.
    examples: texts to choose from; the first is shown, at `step`.
    places: name -> path, for links to boxes.
    alt: one sentence that describes the picture for readers who can't see it.
    glosses: word -> its English, which is shown beside it.
    tasks: the tasks for the reader. Each is called with `at.path`, and with the values as the only panel.

    Python can use `go(text=…, step=…, path=…, entry=(i, j))` as the page does; `shown` is the open box. The constructor
    raises ValueError if there are no examples or no `alt`, or if a place does not exist.
    """

    _esm = script("walk.js")
    _css = style("walk-explorer", "walk.css")

    page = traitlets.Dict().tag(sync=True)  # the open box and its links
    saved = traitlets.Dict().tag(sync=True)  # path -> page of the first example, for use without Python
    titles = traitlets.Dict().tag(sync=True)  # path -> title of all boxes, for the map that shows the reader's position
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    places = traitlets.List(traitlets.Dict()).tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    glosses = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        walk: Callable[[str, int], OpenedPass],
        examples: Sequence[str],
        places: Mapping[str, str] | None = None,
        step: int = 1,
        alt: str = "",
        tasks: ControlTasks | None = None,
        glosses: Mapping[str, str] | None = None,
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
            glosses=dict(glosses or {}),
        )
        self.ask(tasks, ((box.path, {"path": box.path}, box.values) for box in first.root.all_boxes()))

    @property
    def shown(self) -> Box:
        """The open box."""
        return self._walk(self.page["text"], self.page["step"])[self.page["path"]]

    def go(
        self,
        text: str | None = None,
        step: int | None = None,
        path: str | None = None,
        entry: tuple[int, int] | None = None,
    ) -> None:
        """Open a box, or its entry (i, j) counted from 0. A text, step or path of None stays the same.

        Raise ValueError, and change nothing, if `walk` raises it, or if there is no such box or entry.
        """
        now = self.page
        walked = self._walk(now["text"] if text is None else text, now["step"] if step is None else step)
        page = described(walked, now["path"] if path is None else path, entry)
        with self.hold_sync():
            self.page, self.refusal = page, ""

    def move(self, request: Mapping[str, Any]) -> None:
        match request:
            case {"kind": "go", "text": str(text), "step": int(step), "path": str(path), "entry": entry}:
                self.go(text, step, path, None if entry is None else tuple(entry))

    def __repr__(self) -> str:
        """Return the open box with its first numbers, but no address, because tests compare this line."""
        box = self.shown
        first = " ".join(f"{value:.1f}" for value in box.values[0][:4])
        line = f"WalkExplorer({self.page['text']} word {self.page['step']}: {box.title}, {box.values.shape}: {first})"
        return one_line(line)


def described(walked: OpenedPass, path: str, entry: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return the page's data, for JSON, for the box at `path` and the computation of its `entry`.

    Raise ValueError if there is no such box or entry.
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
    """Return path -> page for as many boxes as fit into SAVED characters.

    The order is: the root, the boxes in it, the `places` to which lessons link, and then level by level.
    """
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
    """Return a sentence on the sum in each number, or "". An outer box has the numbers of its last inner box."""
    while box.inside:
        box = box.inside[-1]
    if not box.products:
        return ""
    of = "one product" if box.products == 1 else f"a sum of {box.products} products"
    return f"Each number is {of}{', ' if box.then else ''}{box.then}."


def _called(path: str, every: Mapping[str, str]) -> str:
    """Return the title of a box after the title of the box around it, because two boxes may have the same title."""
    above = path.rpartition(".")[0]
    return f"{every[above]}: {every[path]}" if above else every[path]


def _small(box: Box, among: Sequence[Box]) -> dict[str, Any]:
    """Return the page's data for a small box: title, shape, small picture, and the indices of its inputs in `among`."""
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
    """Return whether the box at `path` is the box at `other` or is inside it."""
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
    """Return a number with the digits of single precision, or None for infinity and NaN, which JSON doesn't have."""
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None
