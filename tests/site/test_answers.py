"""What the page's own scripts answer, without a browser: of all controls `make check-site` asks, here of some."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.site.asking import asked, differences, other_questions, python_controls, python_s, told_of, wrong_answers
from utils.course.lessons import Lesson, all_lessons
from utils.show.control import Control
from utils.show.explorer import AttentionExplorer, Pass, Text
from utils.show.walk import Box, OpenedPass, WalkExplorer
from utils.site import tables
from utils.site.build import build_site
from utils.site.pages import HERE
from utils.site.tables import packed_answers, requests_of

pytestmark = pytest.mark.usefixtures("little")
ASKED = {lesson.number: lesson for lesson in all_lessons() if lesson.number in ("03", "05", "08", "09")}


@pytest.fixture(scope="module")
def site(little: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked") / "site"
    build_site(folder, list(ASKED.values()))
    return folder


@pytest.mark.parametrize("lesson", ASKED.values(), ids=ASKED.keys())
def test_page_answers_as_python_at_random_settings(site: Path, lesson: Lesson) -> None:
    assert wrong_answers(site, lesson, python_controls(lesson), 30) == []


@pytest.mark.parametrize("row", [[0.1, 0.2, -0.3], [1e12, 1e12 + 1, 1e12 + 3]])
def test_badly_scaled_rows_are_normalized_as_in_python(site: Path, row: list[float]) -> None:
    (told, *_), (control, *_) = told_of(site, ASKED["09"]), python_controls(ASKED["09"])
    start = told["table"]["start"]
    before = [[7.0, *row[1:]], *start["x"][1:]]
    typed = {"kind": "edit", "table": "x", "row": 0, "column": 0, "text": repr(row[0]), "value": row[0]}
    question = ({"values": {**start, "x": before}, "refusals": {}}, typed)
    ((got,), *_) = asked(site / f"{ASKED['09'].name}.html", [[question]])
    assert differences(python_s(control, question), got, exactly=False) == []


def test_setting_outside_the_table_is_refused_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_SETTINGS", 20)  # of 60
    build_site(tmp_path, [ASKED["03"]])
    (told,), controls = told_of(tmp_path, ASKED["03"]), python_controls(ASKED["03"])
    assert len(other_questions(told["table"], random.Random(0), 30)) > 5
    assert wrong_answers(tmp_path, ASKED["03"], controls, 30) == []


def explorer() -> AttentionExplorer:
    """Two sentences, whose maps say which head is off; with both off nothing comes out."""

    def look(text: str, off: tuple = ()) -> Pass:
        if len(off) > 1:
            raise ValueError("Nothing is left to look with.")
        words = text.split()
        weights = np.full((2, len(words), len(words)), 1 / len(words))
        for _, _, head in off:
            weights[head] = 0
        return Pass({"encoder": [weights]}, Text(words), output=f"{len(words)} words, {len(off)} off")

    return AttentionExplorer({text: look(text) for text in ("one two three", "one two")}, translate=look)


def walk(examples: Sequence[str] = ("one two", "one two three", "one")) -> WalkExplorer:
    """Sentences of which each step writes one word; in the machine is a box, and in that another."""

    def box(path: str, value: float, inside: tuple[Box, ...] = ()) -> Box:
        values, columns = np.full((1, 2), value), ["a", "b"]
        return Box(path, path or "all", "x", "says", values=values, rows=["r"], columns=columns, inside=inside)

    def machine(text: str, step: int) -> OpenedPass:
        words = text.split()
        step = min(step, len(words))
        inner = box("a", step, (box("a.b", step + len(text)),))
        return OpenedPass(text, step, words, box("", 0.5, (inner,)))

    return WalkExplorer(machine, examples, alt="Boxes.", step=2)


def page_of(folder: Path, control: Control) -> Path:
    """The least page that a control's table is asked on."""
    names = [name for name in control.keys if name[0] != "_" and not isinstance(getattr(control, name), bytes)]
    state = {
        name: value for name, value in control.get_state(names).items() if name not in ("layout", "tabbable", "tooltip")
    }
    told = {"state": state, "buffers": {}, "table": packed_answers(control).data}
    shutil.copy(HERE / "host.js", folder)
    (folder / "own.js").write_text(f'course.show("one", {json.dumps(told)});', encoding="utf-8")
    (folder / "page.html").write_text('<script src="host.js"></script><script src="own.js"></script>', encoding="utf-8")
    return folder / "page.html"


@pytest.mark.parametrize(("make", "count"), [(explorer, 2 * 4), (walk, 3 * 3 * 3)])
def test_explorer_and_walk_answer_all_precomputed_requests(tmp_path: Path, make, count: int) -> None:
    requests = requests_of(make())
    assert len({json.dumps(request) for request in requests}) == len(requests) == count
    (answers,) = asked(page_of(tmp_path, make()), [[({}, request) for request in requests]])
    for request, got in zip(requests, answers, strict=True):
        assert differences(python_s(make(), ({}, request)), got) == []


def test_page_refuses_what_was_not_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"kind": "go", "text": "one two", "step": 1, "path": "a.b", "entry": [0, 1]}
    ((got,),) = asked(page_of(tmp_path, walk()), [[({}, entry)]])
    assert "make lab" in got["refusal"] and got["page"]["path"] == ""
    whole = packed_answers(walk())
    monkeypatch.setattr(tables, "MOST_BYTES", len(whole.data) - 1)
    less = packed_answers(walk())
    assert len(less.data) < len(whole.data) and 0.9 * less.of < less.held < less.of == whole.held
    first = {"kind": "go", "text": "one two", "step": 1, "path": "a.b", "entry": None}
    last = {"kind": "go", "text": "one", "step": 3, "path": "a.b", "entry": None}
    ((held, lost),) = asked(page_of(tmp_path, walk()), [[({}, first), ({}, last)]])
    assert differences(python_s(walk(), ({}, first)), held) == []
    assert "make lab" in lost["refusal"] and lost["page"] == held["page"]
