"""What the controls ask: done by one way that is stated, and by nothing that doesn't do it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.node import node
from tests.show.test_page import TWINS
from tests.site.asking import values_at
from tests.ways import PLACES, WAYS, Way
from utils.course.build import build
from utils.course.lessons import Lesson, all_lessons
from utils.course.progress import read_progress
from utils.course.tasks import Tasks
from utils.show.live import LiveControl, Note, Slider
from utils.site.build import _SLOW, _TWINS
from utils.site.tables import MOST_SETTINGS, axes_of, run_cell, stored_places, table

LESSONS = all_lessons()
TRAINING = ("01", "18")  # the cells of their controls train for long
each_asking = pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(lesson, marks=pytest.mark.long if lesson.number in TRAINING else ())
        for lesson in LESSONS
        if lesson.number in WAYS
    ],
    ids=lambda lesson: lesson.number,
)


@cache
def controls(lesson: Lesson) -> list[LiveControl]:
    """Run each control's cell by itself, as its page says "run the cell": in a fresh kernel no other has set a name."""
    cells = [cell.source for cell in build(lesson, LESSONS).cells if cell.cell_type == "code"]
    made = [run_cell(cell) for cell in cells if "tasks=tasks" in cell]
    for control in made:
        if isinstance(control, LiveControl):
            control._panels_of = remembering(control._panels_of)
    return made


def remembering(panels_of: Callable[..., Any]) -> Callable[..., Any]:
    """Compute each setting once: of ways and presets many begin with the same."""
    known: dict[str, Any] = {}

    def once(values: dict[str, Any]) -> Any:
        if (key := json.dumps(values)) not in known:
            known[key] = panels_of(values)
        return known[key]

    return once


def go(control: LiveControl, way: Way) -> list[int]:
    """The tasks that are done where a way leads."""
    preset, changes = way
    control.reset()
    if preset:
        control.choose(preset)
    control.set(**changes)
    assert not control.refusal
    return control.panels[-1]["met"]


def test_every_control_below_the_opening_has_tasks_that_can_be_done() -> None:
    def cells_of(lesson: Lesson, first: int) -> list[tuple[str, str]]:
        blocks = [block for section in lesson.sections[first:] for block in section.blocks]
        return [(lesson.number, block.text) for block in blocks if block.is_cell]

    cells = [cell for lesson in LESSONS for cell in cells_of(lesson, 0)]
    below = [cell for lesson in LESSONS for cell in cells_of(lesson, 1)]
    makes = re.compile(r"^(explorer = )?(\w+Control|AttentionExplorer|WalkExplorer)\(", re.MULTILINE)
    assert [n for n, cell in below if makes.search(cell) and "tasks=tasks" not in cell] == []
    wrong = {n for n, cell in cells if "tasks=tasks" in cell} ^ {*WAYS, *PLACES}
    assert not wrong, f"tests/ways.py has a way to each task of a lesson, and of no other: {wrong}"


@pytest.mark.parametrize(("number", "places"), [("14", [1, 3]), ("20", [8, 4])])
def test_explorer_and_walk_tasks_are_done_in_some_places_and_not_at_the_start(number, places) -> None:
    (control, *_) = controls(next(lesson for lesson in LESSONS if lesson.number == number))
    start = "" if control.has_trait("page") else [next(iter(control.examples)), *control.chosen]
    assert [len(done) for done in control.done_at] == places and all(start not in done for done in control.done_at)


@pytest.mark.usefixtures("its_weights")
@each_asking
def test_every_task_is_done_only_by_its_own_way(lesson: Lesson) -> None:
    for control, ways in zip(controls(lesson), WAYS[lesson.number], strict=True):
        assert len(control.tasks) in (2, 3) and go(control, ("", {})) == []
        for preset in control.presets:
            done = [i for i, way in enumerate(ways) if way == (preset, {})]
            assert go(control, (preset, {})) == done, f"the preset “{preset}” alone does a task"
        assert [go(control, way) for way in ways] == [[i] for i in range(len(control.tasks))]


@pytest.mark.usefixtures("its_weights")
@each_asking
def test_every_task_can_be_done_on_the_site(lesson: Lesson) -> None:
    """Its way is a setting that the control's table holds; of what is typed and painted, the twin says the same."""
    for at, (control, ways) in enumerate(zip(controls(lesson), WAYS[lesson.number], strict=True)):
        control.reset()
        if at == 0 and (twin := _TWINS.get(lesson.number)):
            starts = [(name, {}) for name in ("", *control.presets)]
            done = of_the_twin(twin, control, [*ways, *starts])
            assert done == [[i] for i in range(len(ways))] + [[]] * len(starts)
            continue
        start = dict(control.values)
        starts = [start, *({**start, **preset} for preset in control.presets.values())]
        axes = axes_of(control.parameters, starts)
        held = stored_places(axes, starts, _SLOW.get(lesson.number, MOST_SETTINGS))
        for way in ways:
            go(control, way)
            assert tuple(values.index(control.values[name]) for name, values in axes.items()) in held, way


def of_the_twin(module: str, control: LiveControl, ways: list[Way]) -> list[list[int]]:
    """The same as `go` says of each way, as the page computes it."""
    made = table(control, 500)
    held = [both for both in zip(made["places"], made["shown"], strict=True) if not isinstance(both[1], str)]
    known = [[values_at(made["axes"], at), [made["panels"][i] for i in shown]] for at, shown in held]
    wanted = []
    for way in ways:
        go(control, way)
        wanted.append(dict(control.values))
    source = f"""
import twin from {(TWINS / module).as_uri()!r};
const [start, known, wanted] = {json.dumps([made["start"], known, wanted])};
const same = (a, b) => Object.keys(b).every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
const like = (changes) => known.find(([values]) => same(values, {{ ...start, ...changes }}))[1];
console.log(JSON.stringify(wanted.map((values) => twin.picture(values, like).find(({{ met }}) => met).met)));
"""
    return json.loads(node("--input-type=module", "-", source=source))


@pytest.mark.usefixtures("progress")
def test_tasks_done_by_hand_stay_ticked() -> None:
    def picture(n: int) -> list[Note]:
        return [Note("small")] if n < 2 else [Note("large"), Note(str(n))]

    def made() -> LiveControl:
        tasks = Tasks()
        tasks.ask("Go to 3.")(lambda at, shown: at.n == 3)
        tasks.ask("See 2.")(lambda at, shown: shown[1].sentence == "2")
        return LiveControl(picture, [Slider("n", 1, 3)], {}, "Notes.", tasks=tasks)

    control = made()
    control.set(n=3)
    assert control.panels[-1] == {"kind": "tasks", "met": [0], "when": [None, None]}
    assert control.ticked == []  # by no hand: a table asks so, too
    for n in (2, 1):
        control._handle_custom_msg({"kind": "set", "name": "n", "value": n, "id": str(n)}, [])
    assert control.ticked == made().ticked == [1] and list(read_progress()) == ["task: See 2."]
    control._handle_custom_msg({"kind": "reset"}, [])
    assert control.ticked == [1]
