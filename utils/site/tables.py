"""What controls answer, computed beforehand: the panels of every setting that a page can be asked for, packed.

A control whose settings are too many is computed where the hand goes first: around its presets, in every combination
of the parameters with the fewest stops, and along each of the others alone.
"""

from __future__ import annotations

import ast
import base64
import gzip
import itertools
import json
import math
import random
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from utils.show.explorer import AttentionExplorer
from utils.show.live import LiveControl
from utils.show.walk import WalkExplorer

MOST_SETTINGS = 10_000  # that are computed for one control
MOST_BYTES = 2_000_000  # of its table, as it lies on the disk
_PACKS = 4  # times smaller, at most: of an explorer's and a walk's answers no more are computed than may fit
_TYPED = ("text", "entries", "paint")  # of these the page knows only what the presets hold

Values = Mapping[str, Any]
Axes = dict[str, list[Any]]
Place = tuple[int, ...]  # which value of each axis


class Packed(NamedTuple):
    """A table as a page holds it, and how many settings are in it, of how many that its presets and sliders span."""

    data: str
    held: int
    of: int


def run_cell(source: str) -> Any:
    """What the last line of a cell gives, in a fresh namespace: a control's cell runs by itself."""
    *before, last = ast.parse(source).body
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(ast.Module(before, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def packed_table(control: LiveControl, most: int | None = None, seconds: float = math.inf) -> Packed:
    """The table of a control, gzipped, in base64: of as many settings as fit into `most` and MOST_BYTES.

    most: MOST_SETTINGS unless given; the moves from the presets come on top of it. seconds: after which no more are
    computed than the presets themselves. Each distinct panel is in the table
    once. The control is left as it was found: at its start.
    """
    most, known = MOST_SETTINGS if most is None else most, {}
    while True:
        made = table(control, most, known, seconds)
        data = _packed(made)
        if len(data) <= MOST_BYTES or not most:
            return Packed(data, len(made["places"]), math.prod(len(values) for _, values in made["axes"]))
        most //= 2


def table(
    control: LiveControl, most: int, known: dict[Place, Any] | None = None, seconds: float = math.inf
) -> dict[str, Any]:
    """What the page's host looks settings up in, as JSON holds it.

    `axes`: name and values of each parameter; `places`: the number of each stored setting, the last axis running
    fastest; `shown`: for each of them the numbers of its panels, or the sentence with which it is refused; `panels`:
    each once; `entries`: how the numbers of a matrix are written. known: what has been computed before, by its place.
    """
    known = {} if known is None else known
    control.reset()
    start, presets = dict(control.values), control.presets
    axes = axes_of(control.parameters, [start, *presets.values()])
    panels: dict[str, int] = {}
    places, shown = [], []
    starts = [start, *({**start, **preset} for preset in presets.values())]
    wanted = stored_places(axes, starts, most)
    first = {tuple(values.index(at[name]) for name, values in axes.items()) for at in starts}
    _compute(control, axes, [*sorted(first), *_scattered(wanted - first)], known, seconds, len(first))
    for place in sorted(place for place in wanted if place in known):
        answer = known[place]
        places.append(_number(axes, place))
        shown.append(answer if isinstance(answer, str) else [panels.setdefault(text, len(panels)) for text in answer])
    entries = {p["name"]: _texts(control, p["name"], axes) for p in control.parameters if p["kind"] == "entries"}
    control.reset()
    return {
        "axes": list(axes.items()),
        "start": start,
        "presets": presets,
        "places": places,
        "shown": shown,
        "panels": [json.loads(text) for text in panels],
        "entries": entries,
    }


def _scattered(places: Iterable[Place]) -> list[Place]:
    """The places in an order in which the first few are from everywhere: each slider then has some of its stops."""
    ordered = sorted(places)
    random.Random(0).shuffle(ordered)
    return ordered


def _compute(
    control: LiveControl, axes: Axes, places: Sequence[Place], known: dict[Place, Any], seconds: float, least: int
) -> None:
    """Puts what the control answers at some places into `known`, in their order: `least`, then until it is time."""
    begun = said = time.monotonic()
    for done, place in enumerate(places):
        if place in known:
            continue
        if time.monotonic() - begun > seconds and done >= least:
            return
        known[place] = _answer(control, dict(zip(axes, _values(axes, place), strict=True)))
        if time.monotonic() - said > 10:
            said = time.monotonic()
            print(f"  {done + 1} of {len(places)} settings after {said - begun:.0f} s", flush=True)


def packed_answers(control: AttentionExplorer | WalkExplorer) -> Packed:
    """What an explorer or a walk answers, gzipped, in base64: as many of `requests_of` as fit into MOST_BYTES.

    `answers`: what was asked, as JSON -> what changes by it, each part by its number; `parts`: each once.
    """
    requests = requests_of(control)
    answers: dict[str, Any] = {}
    parts: dict[str, int] = {}
    for request in requests:
        answers[json_text(list(request.values())[1:])] = _numbered(_changed(control, request), parts)
        if len(answers) % 50 == 0 and sum(map(len, parts)) > _PACKS * MOST_BYTES:
            break
    while True:
        most = max(map(_last_part, answers.values())) + 1
        data = _packed({"answers": answers, "parts": [json.loads(text) for text in itertools.islice(parts, most)]})
        if len(data) <= MOST_BYTES:
            return Packed(data, len(answers), len(requests))
        answers = dict(itertools.islice(answers.items(), int(0.95 * len(answers) * MOST_BYTES / len(data))))


def requests_of(control: AttentionExplorer | WalkExplorer) -> list[dict[str, Any]]:
    """What the page may ask and can be known before, the most wanted first.

    Of an explorer: each example with all heads on, with one of them off, with all of one kind off. Of a walk: every box
    of every step, those of the first example before all others, and the outer ones first.
    """
    if isinstance(control, AttentionExplorer):
        return [
            {"kind": "show", "text": text, "off": off}
            for text, described in control.examples.items()
            for off in [[], *(off for group in described["groups"] for off in _switches(group))]
        ]
    first, paths = control.examples[0], [""]
    for path in paths:  # which grows: all sentences go through the same boxes
        control.go(first, path=path)
        paths += [box["path"] for box in control.page["inside"]]
    steps = max(_steps(control, text) for text in control.examples)
    requests = [
        {"kind": "go", "text": text, "step": step, "path": path, "entry": None}
        for text in control.examples
        for path in paths
        for step in range(1, steps + 1)  # of a shorter sentence the last one is shown
    ]
    return sorted(requests, key=lambda request: (request["text"] != first, request["path"].count(".")))


def _steps(control: WalkExplorer, text: str) -> int:
    control.go(text)
    return len(control.page["writes"])


def _switches(group: Mapping[str, Any]) -> list[list[list[Any]]]:
    heads = [[group["name"], layer, head] for layer in range(group["layers"]) for head in range(group["heads"])]
    return [heads, *([head] for head in heads)]


def _changed(control: AttentionExplorer | WalkExplorer, request: Mapping[str, Any]) -> dict[str, Any]:
    """What Python would tell the page."""
    control._handle_custom_msg(request, [])
    if control.refusal:
        return {"refusal": control.refusal}
    names = ("text", "switched_off", "whole_output", "result", "result_weights", "page")
    return {"refusal": "", **{name: getattr(control, name) for name in names if control.has_trait(name)}}


def _numbered(state: Any, parts: dict[str, int]) -> Any:
    """A state with the numbers of its parts instead of themselves; those that are new are added to `parts`."""
    if isinstance(state, Mapping) and state:
        return {name: _numbered(part, parts) for name, part in state.items()}
    kept = {"base64": base64.b64encode(state).decode("ascii")} if isinstance(state, bytes) else state
    return parts.setdefault(json_text(kept), len(parts))


def _last_part(numbered: Any) -> int:
    return max(map(_last_part, numbered.values())) if isinstance(numbered, Mapping) else numbered


def axes_of(parameters: Sequence[Values], starts: Sequence[Values]) -> Axes:
    """The values that each parameter can take on the page; of what is typed, those of the start and the presets."""
    axes: Axes = {}
    for parameter in parameters:
        match parameter["kind"], parameter["name"]:
            case "slider", name:
                axes[name] = list(parameter["stops"])
            case "choice", name:
                axes[name] = list(parameter["options"])
            case "toggle", name:
                axes[name] = [False, True]
            case kind, name if kind in _TYPED:
                axes[name] = []
                for start in starts:
                    if name in start and start[name] not in axes[name]:
                        axes[name].append(start[name])
    return axes


def stored_places(axes: Axes, starts: Iterable[Values], most: int) -> set[Place]:
    """The settings to store: all, where they are at most `most`, else those around each start.

    Then the parameters with the most values are left out, of equals the last, until what remains fits in every
    combination, or none remains; those left out are moved one at a time, from each start.
    """
    sizes = [len(values) for values in axes.values()]
    begun = [tuple(values.index(start[name]) for name, values in axes.items()) for start in starts]
    free = set(range(len(sizes)))
    while free and (math.prod(sizes[i] for i in free) > most or len(_around(begun, sizes, free)) > most):
        free.remove(max(free, key=lambda i: (sizes[i], i)))
    return _around(begun, sizes, free) | {place for start in begun for place in _moves(start, sizes)}


def _around(starts: Iterable[Place], sizes: Sequence[int], free: set[int]) -> set[Place]:
    """Every combination of the free parameters, with the others as each of the starts has them."""
    ranges = [[range(size) if i in free else [start[i]] for i, size in enumerate(sizes)] for start in starts]
    return {place for each in ranges for place in itertools.product(*each)}


def _moves(start: Place, sizes: Sequence[int]) -> Iterator[Place]:
    """The places that one move from `start` reaches."""
    for i, size in enumerate(sizes):
        yield from ((*start[:i], at, *start[i + 1 :]) for at in range(size))


def _answer(control: LiveControl, values: Values) -> list[str] | str:
    """The panels of a setting as JSON texts, or the sentence that refuses it."""
    control.set(**values)
    if control.refusal:
        return control.refusal
    return [json_text(panel) for panel in control.panels]


def _texts(control: LiveControl, name: str, axes: Axes) -> list[list[list[str]]]:
    texts = []
    for value in axes[name]:
        control.set(**{name: value})
        texts.append(control.entries[name])
    return texts


def _values(axes: Axes, place: Place) -> list[Any]:
    return [values[at] for values, at in zip(axes.values(), place, strict=True)]


def _number(axes: Axes, place: Place) -> int:
    number = 0
    for values, at in zip(axes.values(), place, strict=True):
        number = number * len(values) + at
    return number


def _packed(value: Any) -> str:
    return gzipped(json_text(value).encode())


def gzipped(data: bytes) -> str:
    """Return the bytes gzipped and in base64, as a script can hold them."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def json_text(value: Any) -> str:
    """`value` as JSON without spaces, letters as they are; whole numbers and texts are then what JSON.stringify writes.

    Raises ValueError for NaN and ∞, TypeError for what JSON cannot hold.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
