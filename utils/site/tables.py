"""Compute the controls' answers beforehand: the panels of every setting that a page may need, in a packed table.

If a control has too many settings, compute those that readers try first: around its presets, in every combination of
the parameters with the fewest stops, and along each of the other parameters alone.
"""

from __future__ import annotations

import ast
import base64
import gzip
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from utils.show.explorer import AttentionExplorer
from utils.show.live import LiveControl
from utils.show.walk import WalkExplorer

MOST_SETTINGS = 10_000  # the most settings to compute for one control
MOST_BYTES = 2_000_000  # the most bytes of a control's packed table
_PACKS = 4  # the largest compression to expect; an explorer or a walkthrough computes no more answers than could fit
_TYPED = ("text", "entries", "paint")  # for these kinds, the page knows only the values in the presets

Values = Mapping[str, Any]
Axes = dict[str, list[Any]]
Place = tuple[int, ...]  # the index of a value on each axis


class Packed(NamedTuple):
    """A packed table (`data`), with the number of its settings (`held`) out of all possible ones (`of`)."""

    data: str
    held: int
    of: int


def run_cell(source: str) -> Any:
    """Run a control's cell in a fresh namespace and return the value of its last line."""
    *before, last = ast.parse(source).body
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(ast.Module(before, []), "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def packed_table(control: LiveControl, most: int | None = None) -> Packed:
    """Return a control's table, gzipped and in base64, with as many settings as fit into `most` and MOST_BYTES.

    most: by default MOST_SETTINGS; single moves from the presets are added to that. Each distinct panel is in the table
    once. At the end, reset the control.
    """
    most, known = MOST_SETTINGS if most is None else most, {}
    while True:
        made = table(control, most, known)
        data = _packed(made)
        if len(data) <= MOST_BYTES or not most:
            return Packed(data, len(made["places"]), math.prod(len(values) for _, values in made["axes"]))
        most //= 2


def table(control: LiveControl, most: int, known: dict[Place, Any] | None = None) -> dict[str, Any]:
    """Return the table, for JSON, in which the page's host looks up settings.

    `axes` has the name and values of each parameter, and `places` the number of each stored setting, where the last
    axis runs fastest. `shown` has, for each setting, the indices of its panels or the sentence that refuses it.
    `panels` has each panel once. known: place -> answer computed before.
    """
    known = {} if known is None else known
    control.reset()
    start, presets = dict(control.values), control.presets
    axes = axes_of(control.parameters, [start, *presets.values()])
    panels: dict[str, int] = {}
    places, shown = [], []
    starts = [start, *({**start, **preset} for preset in presets.values())]
    wanted = stored_places(axes, starts, most)
    for place in sorted(wanted):
        if place not in known:
            known[place] = _answer(control, dict(zip(axes, _values(axes, place), strict=True)))
        answer = known[place]
        places.append(_number(axes, place))
        shown.append(answer if isinstance(answer, str) else [panels.setdefault(text, len(panels)) for text in answer])
    control.reset()
    return {
        "axes": list(axes.items()),
        "start": start,
        "presets": presets,
        "places": places,
        "shown": shown,
        "panels": [json.loads(text) for text in panels],
    }


def packed_answers(control: AttentionExplorer | WalkExplorer) -> Packed:
    """Return the answers of an explorer or a walkthrough to as many requests as fit into MOST_BYTES, gzipped in base64.

    `answers` maps a request, as JSON, to the changes, with an index for each part; `parts` has each part once.
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
    """Return the requests of a page that can be answered beforehand, the most likely first.

    For an explorer: each example with all heads on, with one head off, and with all heads of one kind off. For a
    walkthrough: every box of every step, with the first example before all others, and outer boxes first.
    """
    if isinstance(control, AttentionExplorer):
        return [
            {"kind": "show", "text": text, "off": off}
            for text, described in control.examples.items()
            for off in [[], *(off for group in described["groups"] for off in _switches(group))]
        ]
    first, paths = control.examples[0], [""]
    for path in paths:  # the loop adds to the list; all sentences have the same boxes
        control.go(first, path=path)
        paths += [box["path"] for box in control.page["inside"]]
    steps = max(_steps(control, text) for text in control.examples)
    requests = [
        {"kind": "go", "text": text, "step": step, "path": path, "entry": None}
        for text in control.examples
        for path in paths
        for step in range(1, steps + 1)  # a shorter sentence shows its last step
    ]
    return sorted(requests, key=lambda request: (request["text"] != first, request["path"].count(".")))


def _steps(control: WalkExplorer, text: str) -> int:
    control.go(text)
    return len(control.page["writes"])


def _switches(group: Mapping[str, Any]) -> list[list[list[Any]]]:
    heads = [[group["name"], layer, head] for layer in range(group["layers"]) for head in range(group["heads"])]
    return [heads, *([head] for head in heads)]


def _changed(control: AttentionExplorer | WalkExplorer, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes that Python would send to the page after a request."""
    control._handle_custom_msg(request, [])
    if control.refusal:
        return {"refusal": control.refusal}
    names = ("text", "switched_off", "whole_output", "result", "result_weights", "page")
    return {"refusal": "", **{name: getattr(control, name) for name in names if control.has_trait(name)}}


def _numbered(state: Any, parts: dict[str, int]) -> Any:
    """Return a state with indices in place of its parts, and add new parts to `parts`."""
    if isinstance(state, Mapping) and state:
        return {name: _numbered(part, parts) for name, part in state.items()}
    kept = {"base64": base64.b64encode(state).decode("ascii")} if isinstance(state, bytes) else state
    return parts.setdefault(json_text(kept), len(parts))


def _last_part(numbered: Any) -> int:
    return max(map(_last_part, numbered.values())) if isinstance(numbered, Mapping) else numbered


def axes_of(parameters: Sequence[Values], starts: Sequence[Values]) -> Axes:
    """Return the possible values of each parameter on the page; for typed ones, those of the start and the presets."""
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
    """Return the settings to store: all if there are at most `most`, else those around each start.

    In that case, fix the parameters with the most values, the last of equals first, until all combinations of the
    others fit or no parameter is free. Vary each fixed parameter alone, from each start.
    """
    sizes = [len(values) for values in axes.values()]
    begun = [tuple(values.index(start[name]) for name, values in axes.items()) for start in starts]
    free = set(range(len(sizes)))
    while free and (math.prod(sizes[i] for i in free) > most or len(_around(begun, sizes, free)) > most):
        free.remove(max(free, key=lambda i: (sizes[i], i)))
    return _around(begun, sizes, free) | {place for start in begun for place in _moves(start, sizes)}


def _around(starts: Iterable[Place], sizes: Sequence[int], free: set[int]) -> set[Place]:
    """Return every combination of the free parameters, with the values of each start for the others."""
    ranges = [[range(size) if i in free else [start[i]] for i, size in enumerate(sizes)] for start in starts]
    return {place for each in ranges for place in itertools.product(*each)}


def _moves(start: Place, sizes: Sequence[int]) -> Iterator[Place]:
    """Yield the places that differ from `start` in at most one parameter."""
    for i, size in enumerate(sizes):
        yield from ((*start[:i], at, *start[i + 1 :]) for at in range(size))


def _answer(control: LiveControl, values: Values) -> list[str] | str:
    """Return the panels of a setting as JSON texts, or the sentence that refuses it."""
    control.set(**values)
    if control.refusal:
        return control.refusal
    return [json_text(panel) for panel in control.panels]


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
    """Return the bytes gzipped and in base64, for a script."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode("ascii")


def json_text(value: Any) -> str:
    """Return `value` as JSON without spaces and escaped letters; integers and texts are equal to JSON.stringify's.

    Raise ValueError for NaN and ∞, and TypeError for values that JSON doesn't have.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
