"""What the controls ask: done by one way that is stated here, and by nothing that doesn't do it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.node import node
from tests.show.test_page import TWINS
from tests.site.asking import values_at
from utils.course.build import build
from utils.course.lessons import Lesson, all_lessons
from utils.course.progress import read_progress
from utils.course.tasks import Tasks
from utils.show.live import LiveControl, Note, Slider
from utils.site.build import _SLOW, _TWINS
from utils.site.tables import MOST_SETTINGS, axes_of, run_cell, stored_places, table

LESSONS = all_lessons()
Way = tuple[str, dict[str, Any]]  # the preset to start from, or none, and what is turned then

LOW = [[column <= row for column in range(4)] for row in range(4)]
# lesson -> for each of its controls a way to each task, in their order
WAYS: dict[str, list[list[Way]]] = {
    "01": [
        [
            ("", {"decoder_gets": "whole state, 5 times the training", "letters": 15}),
            ("long, attention", {"letters": 25}),
        ],
        [("not clean", {"task": "service"}), ("no location", {"task": "service"})],
    ],
    "02": [[("", {"merges": 22}), ("Persian, learnt on itself", {"merges": 23})]],
    "02b": [[("x², h = 1", {"x": -0.5}), ("ln", {"x": 0.5}), ("two variables", {"y": 0})]],
    "03": [[("k = 1", {"negatives": 0}), ("", {"window": 2}), ("", {"negatives": 2})]],
    "04": [[("", {"base": 10000}), ("one pair only", {"position": 44})]],
    "05": [
        [
            ("", {"W_K": [[0, 0, 1], [1, 0, -2], [0, 1, 1], [1, 1, 1]]}),
            ("", {"X": [[1, 0, 1, 0], [0, 6, 0, 6], [1, 1, 1, 1]]}),
            ("", {"X": [[0, 0, 0, 0], [0, 2, 0, 2], [1, 1, 1, 1]]}),
        ]
    ],
    "06": [
        [
            ("no scale, d_k = 512", {"d_k": 8}),
            ("a head of 64, N4's scale", {"T": 0.35}),
            ("scaled, d_k = 512", {"T": 8}),
        ]
    ],
    "07": [[("four heads", {"head": 2}), ("eight", {"head": 8}), ("“the” twice", {"head": 2})]],
    "08": [
        [
            ("", {"allowed": [LOW[0], [False, False, True, False], *LOW[2:]]}),
            ("", {"allowed": [[True, False, False, True], *LOW[1:]]}),
            ("−10⁴", {"loud": 5000}),
        ]
    ],
    "09": [
        [
            ("", {"x": [[5.1, 5.2, 5.3], [0.4, 0.2, 0.3]]}),
            ("", {"gamma": [[0, 0, 0]], "beta": [[1, 1, 1]]}),
            ("PyTorch's", {"eps": 0.1}),
        ]
    ],
    "09b": [[("", {"rate": "0.1"}), ("sound", {"left_out": "step"})]],
    "10": [[("", {"stop": 8}), ("the … the", {"positions": False}), ("", {"stop": 12})]],
    "11": [[("", {"step": 2}), ("untrained", {"step": 2})]],
    "12": [[("our rate, but small", {"rate": "0.01"}), ("", {"until": 90})]],
    "12a": [[("", {"written": 4}), ("no subject", {"written": 3})]],
    "13": [
        [("", {"p": 0.3}), ("", {"temperature": 2.0}), ("top-p", {"written": 2})],
        [("no subject either", {"width": 6}), ("", {"alpha": 2.0})],
    ],
    "15": [
        [("mean of layer 3", {"without": True}), ("too wide", {"layer": 5, "head": 1})],
        [("How do I cook rice?", {}), ("How do proteins become words?", {})],
    ],
    "16": [[("", {"p": 0.05}), ("", {"p": 1.0})]],
    "17": [[("", {"image": 27}), ("a blank sheet", {"head": 2})]],
    "18": [[("", {"k": 80}), ("one main direction", {"k": 2})]],
    "18b": [[("the page's scores", {"chunk": 4}), ("a masked row", {"step": 2})]],
    "19": [[("N4's table", {"position": 59, "unit": "degrees"}), ("N4's table", {"position": 10, "base": 10000})]],
    "23": [[("", {"strength": 0.75}), ("one part", {"parts": 4}), ("", {"strength": 3.0})]],
}


ASKING = [lesson for lesson in LESSONS if lesson.number in WAYS]


def control_of(number: str) -> Any:
    return controls(next(lesson for lesson in LESSONS if lesson.number == number))[0]


@cache
def controls(lesson: Lesson) -> list[LiveControl]:
    cells = [cell.source for cell in build(lesson, LESSONS).cells if cell.cell_type == "code"]
    return [run_cell(cell) for cell in cells if "tasks=tasks" in cell]


def go(control: LiveControl, way: Way) -> list[int]:
    """The tasks that are done where a way leads."""
    preset, changes = way
    control.reset()
    if preset:
        control.choose(preset)
    control.set(**changes)
    assert not control.refusal
    return control.panels[-1]["met"]


def test_every_control_sets_tasks() -> None:
    cells = [
        (lesson.number, cell) for lesson in LESSONS for cell in re.split(r"^```$", lesson.text, flags=re.MULTILINE)
    ]
    makes = re.compile(r"^(explorer = )?(\w+Control|AttentionExplorer|WalkExplorer)\(", re.MULTILINE)
    assert [n for n, cell in cells if makes.search(cell) and "tasks=tasks" not in cell] == []


def test_the_tasks_of_14_are_done_at_some_heads_and_not_where_one_begins() -> None:
    explorer = control_of("14")
    assert [len(heads) for heads in explorer.done_at] == [1, 3]
    start = [next(iter(explorer.examples)), *explorer.chosen]
    assert all(start not in heads for heads in explorer.done_at)


def test_the_tasks_of_20_are_done_in_some_boxes_and_not_where_one_begins() -> None:
    walk = control_of("20")
    assert [len(boxes) for boxes in walk.done_at] == [8, 4]
    assert all("" not in boxes for boxes in walk.done_at)


@pytest.mark.usefixtures("its_weights")
@pytest.mark.parametrize("lesson", ASKING, ids=lambda lesson: lesson.number)
def test_every_task_is_done_by_its_own_way_and_none_by_the_start_or_by_a_preset(lesson: Lesson) -> None:
    for control, ways in zip(controls(lesson), WAYS[lesson.number], strict=True):
        assert len(control.tasks) in (2, 3) and go(control, ("", {})) == []
        for preset in control.presets:
            assert go(control, (preset, {})) == [i for i, way in enumerate(ways) if way == (preset, {})], preset
        assert [go(control, way) for way in ways] == [[i] for i in range(len(control.tasks))]


@pytest.mark.usefixtures("its_weights")
@pytest.mark.parametrize("lesson", ASKING, ids=lambda lesson: lesson.number)
def test_every_task_can_be_done_on_the_site(lesson: Lesson) -> None:
    """Its way is a setting that the control's table holds; of what is typed and painted, the twin says the same."""
    for at, (control, ways) in enumerate(zip(controls(lesson), WAYS[lesson.number], strict=True)):
        control.reset()
        if at == 0 and (twin := _TWINS.get(lesson.number)):
            starts = [(name, {}) for name in ("", *control.presets)]
            assert of_the_twin(twin, control, [*ways, *starts]) == [
                *([i] for i in range(len(ways))),
                *([] for _ in starts),
            ]
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
    held = zip(made["places"], made["shown"], strict=True)
    known = [
        [values_at(made["axes"], at), [made["panels"][i] for i in shown]]
        for at, shown in held
        if not isinstance(shown, str)
    ]
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


def test_what_a_hand_has_done_stays_ticked_and_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))

    def picture(n: int) -> list[Note]:
        return [Note("small")] if n < 2 else [Note("large"), Note(str(n))]

    def made() -> LiveControl:
        tasks = Tasks()
        tasks.ask("Go to 3.")(lambda at, shown: at.n == 3)
        tasks.ask("See 2.")(lambda at, shown: shown[1].sentence == "2")
        return LiveControl(picture, [Slider("n", 1, 3)], {}, "Notes.", tasks=tasks)

    control = made()
    control.set(n=3)
    assert (
        control.panels[-1] == {"kind": "tasks", "met": [0]} and control.ticked == []
    )  # by no hand: a table asks so, too
    for n in (2, 1):
        control._handle_custom_msg({"kind": "set", "name": "n", "value": n, "id": str(n)}, [])
    assert control.ticked == made().ticked == [1] and list(read_progress()) == ["task: See 2."]
    control._handle_custom_msg({"kind": "reset"}, [])
    assert control.ticked == [1]
