"""The controls of a built page asked without a browser, and what Python says to the same."""

from __future__ import annotations

import base64
import gzip
import json
import math
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat

from tests.node import node
from utils.course.lessons import NOTEBOOKS, Lesson
from utils.show.control import Control
from utils.show.live import LiveControl
from utils.site.pages import SavedControl, lesson_page
from utils.site.tables import run_cell

ANSWERS = Path(__file__).with_name("answers.cjs")
NOT_HELD = ("was not computed beforehand", "no Python to compute with what is typed")

Question = tuple[dict[str, Any], dict[str, Any]]  # what the state is set to, and what is asked then


def python_controls(lesson: Lesson) -> list[Control]:
    """The controls of a lesson as its notebook's cells make them, in the order of its page."""
    return [run_cell(control.source) for control in _shown(lesson)]


def controls_with_tables(site: Path, lesson: Lesson) -> list[Control | None]:
    """The same of those that have a table; None for the others, which ask nothing, or stay as they were saved."""
    tables = [told["table"] for told in told_of(site, lesson)] if _shown(lesson) else []
    return [run_cell(c.source) if table else None for c, table in zip(_shown(lesson), tables, strict=True)]


def _shown(lesson: Lesson) -> list[SavedControl]:
    return list(lesson_page(nbformat.read(NOTEBOOKS / lesson.notebook_name, as_version=4)).controls.values())


def told_of(site: Path, lesson: Lesson) -> list[dict[str, Any]]:
    """What a page is told of its controls, as it lies on the disk, with their tables unpacked; {} for one without."""
    text = (site / "assets" / f"{lesson.name}.js").read_text(encoding="utf-8")
    told = [json.loads(found) for found in re.findall(r'^course\.show\("\w+", (.*)\);$', text, re.MULTILINE)]
    packed = [base64.b64decode(one.get("table", "")) for one in told]
    tables = [json.loads(gzip.decompress(data)) if data else {} for data in packed]
    return [{**one, "table": table} for one, table in zip(told, tables, strict=True)]


def wrong_answers(
    site: Path, lesson: Lesson, controls: Sequence[Control | None], count: int, seed: int = 0
) -> list[str]:
    """Where a page's scripts say otherwise than Python.

    Of each control's table `count` settings are asked, as many beside it, and as many free ones where a twin computes.
    """
    draw, wrong, questions = random.Random(seed), [], []
    for control, told in zip(controls, told_of(site, lesson), strict=True):
        table, twin = told["table"], "twin" in told
        held = held_questions(control, table, draw, count) if table else []
        beside = [] if twin or "axes" not in table else other_questions(table, draw, count)
        free = [free_question(control, dict(table["axes"]), draw) for _ in range(count if twin else 0)]
        kinds = {"held": held, "beside": beside, "free": free}
        questions.append([(question, kind) for kind, all_questions in kinds.items() for question in all_questions])
    answers = asked(site / f"{lesson.name}.html", [[question for question, _ in of] for of in questions])
    for at, control in enumerate(controls):
        for (question, kind), got in zip(questions[at], answers[at], strict=True):
            if kind == "beside":
                found = left_alone(question, got)
            else:
                found = differences(python_s(control, question), got, exactly=kind == "held")
            wrong += [f"{lesson.number}, control {at + 1}, {kind}, {question[1]}: {sentence}" for sentence in found]
    return wrong


def asked(page: Path, questions: Sequence[Sequence[Question]]) -> list[list[dict[str, Any]]]:
    """What the state of each control is after each of its questions, by the page's own scripts."""
    return json.loads(node(ANSWERS, page, source=json.dumps(questions)))


def held_questions(control: Control, table: Mapping[str, Any], draw: random.Random, count: int) -> list[Question]:
    """Settings that the table holds: `count` drawn ones, or all where there are fewer."""
    if not isinstance(control, LiveControl):
        keys = draw.sample(sorted(table["answers"]), min(count, len(table["answers"])))
        names = ("text", "step", "path", "entry") if control.has_trait("page") else ("text", "off")
        kind = "go" if control.has_trait("page") else "show"
        return [({}, {"kind": kind, **dict(zip(names, json.loads(key), strict=True))}) for key in keys]
    return [
        _turned(dict(table["axes"]), values_at(table["axes"], place), draw)
        for place in draw.sample(table["places"], min(count, len(table["places"])))
    ]


def other_questions(table: Mapping[str, Any], draw: random.Random, count: int) -> list[Question]:
    """Settings that lie between those of the table, and are in it no more; none where it holds all."""
    size, held = math.prod(len(values) for _, values in table["axes"]), set(table["places"])
    places = {draw.randrange(size) for _ in range(count if size > len(held) else 0)} - held
    return [_turned(dict(table["axes"]), values_at(table["axes"], place), draw) for place in sorted(places)]


def free_question(control: LiveControl, axes: Mapping[str, list[Any]], draw: random.Random) -> Question:
    """Numbers and masks that are in no table: one of them is typed, or painted, last."""
    kinds = {parameter["name"]: parameter["kind"] for parameter in control.parameters}
    size = draw.choice([1.0, 5.0, 1e3, 1e8])
    makes = {  # no tenths: a sum of them may end half way between two shown ones, where its order decides
        "entries": draw.choice([lambda: draw.uniform(-size, size), lambda: float(draw.randint(-3, 3))]),
        "paint": lambda: draw.random() < 0.5,
    }
    values = {name: draw.choice(all_values) for name, all_values in axes.items()}
    free = [name for name in values if kinds[name] in makes]
    for name in free:
        values[name] = [[makes[kinds[name]]() for _ in row] for row in values[name]]
    last = draw.choice(free)
    row, column = draw.randrange(len(values[last])), draw.randrange(len(values[last][0]))
    before = [list(line) for line in values[last]]
    before[row][column] = not before[row][column] if kinds[last] == "paint" else before[row][column] + 1
    state = {"values": {**values, last: before}, "refusals": {}}
    if kinds[last] == "paint":
        return state, {"kind": "set", "name": last, "value": values[last]}
    text = repr(values[last][row][column])
    return state, {"kind": "edit", "table": last, "row": row, "column": column, "text": text, "value": float(text)}


def values_at(axes: Sequence[tuple[str, list[Any]]], place: int) -> dict[str, Any]:
    values = {}
    for name, all_values in reversed(axes):
        place, at = divmod(place, len(all_values))
        values[name] = all_values[at]
    return {name: values[name] for name, _ in axes}


def _turned(axes: Mapping[str, list[Any]], values: dict[str, Any], draw: random.Random) -> Question:
    """The last move to `values`: of one parameter, from another of its values."""
    name = draw.choice([name for name, all_values in axes.items() if len(all_values) > 1])
    before = draw.choice([value for value in axes[name] if value != values[name]])
    request = {"kind": "set", "name": name, "value": values[name]}
    return {"values": {**values, name: before}, "refusals": {}}, request


def python_s(control: Control, question: Question) -> dict[str, Any]:
    """What Python shows of a question's setting, by the names of its traits; "sentence" where it refuses it."""
    state, request = question
    if not isinstance(control, LiveControl):
        control._handle_custom_msg(request, [])
        if control.refusal:
            return {"refusal": control.refusal}
        names = ("text", "switched_off", "whole_output", "result", "page", "refusal")
        told = {name: getattr(control, name) for name in names if control.has_trait(name)}
        if control.has_trait("result_weights"):
            told["result_weights"] = base64.b64encode(control.result_weights).decode("ascii")
        return json.loads(json.dumps(told))
    values = dict(state["values"])
    if request["kind"] == "edit":
        matrix = [list(row) for row in values[request["table"]]]
        matrix[request["row"]][request["column"]] = request["value"]
        values[request["table"]] = matrix
    else:
        values[request["name"]] = request["value"]
    control.reset()
    control.set(**values)
    if control.refusal:
        return {"sentence": control.refusal}
    told = {name: getattr(control, name) for name in ("values", "panels", "preset", "refusals")}
    return json.loads(json.dumps(told))


def differences(expected: Mapping[str, Any], got: Mapping[str, Any], exactly: bool = True) -> list[str]:
    """Return where the page's state differs from Python's, in numbers by more than 1e−9 unless `exactly`."""
    if "sentence" in expected:
        sentences = [refusal["sentence"] for refusal in got["refusals"].values()]
        return [] if sentences == [expected["sentence"]] else [f"refused with {sentences}, not: {expected['sentence']}"]
    same = (lambda a, b: a == b) if exactly else nearly
    return [
        f"{name} is {str(got.get(name))[:300]}, not {str(value)[:300]}"
        for name, value in expected.items()
        if not same(value, got.get(name))
    ]


def left_alone(question: Question, got: Mapping[str, Any]) -> list[str]:
    """Where a setting that is in no table is not refused in a sentence, with all values as they were."""
    sentences = " ".join(refusal["sentence"] for refusal in got["refusals"].values())
    wrong = [] if any(part in sentences for part in NOT_HELD) else [f"refused with {sentences!r}"]
    return wrong + ([] if got["values"] == question[0]["values"] else ["its values have changed"])


def nearly(a: Any, b: Any) -> bool:
    """Return whether two JSON values agree, numbers to 1e−9."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(nearly(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(nearly, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return {type(a), type(b)} <= {int, float} and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b
