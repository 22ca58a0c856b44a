"""The routes through the course: as short as they say, along sections that are there, and ticked off."""

from __future__ import annotations

import re
from html import escape

import pytest

from utils.course.lessons import Lesson, LessonError, all_lessons
from utils.course.progress import read_progress, record
from utils.course.questions import questions_before
from utils.course.routes import ROUTES, Route, Routes, Stop, do_these, line

pytestmark = pytest.mark.usefixtures("progress")
LESSONS = all_lessons()
# term: how it is written, and what introduces it, in bold or in a sentence that defines it
TERMS = {
    "token": (r"\btokens?\b", r"\*\*tokens?\*\*"),
    "vocabulary": (r"\bvocabulary\b", r"\*\*vocabulary\*\*"),
    "embedding": (r"(?i)\bembedding", r"\*\*embedding\*\*"),
    "d_model": (r"d_\{?model\}?", r"\$d_\{model\}\$ (?:is|columns)"),
    "query": (r"(?i)\b(?:query|queries)\b", r"\*\*query\*\*"),
    "head": (r"\bheads?\b", r"called a \*\*head\*\*"),
    "parameter": (r"\bparameters?\b", r"\*\*parameters\*\*"),
    "N": (r"\$N\$|\(N, ", r"\$N\$ is (?:how many|the number)"),
    "d_k": (r"d_k", r"\$d_k\$ is the width of a query"),
    "d_v": (r"d_v", r"\$d_v\$ the width of a value"),
    "softmax": (r"softmax", r"The \*\*softmax\*\* turns"),
    "keepdims": (r"keepdims", r"`keepdims=True` (?:leaves|keeps)"),
    "√d_k": (r"\\sqrt\{d_k\}|√d_k", r"(?:are|is) divided by \$\\sqrt\{d_k\}\$"),
    "W_O": (r"W_O", r"one last matrix, \$W_O\$"),
    "PE": (r"\bPE\b", r"PE\(pos, 2i\) = "),
    "mask": (r"\b[Mm]ask", r"\*\*mask\*\*"),
    "encoder": (r"\bencoder\b", r"\*\*encoder\*\*"),
    "decoder": (r"\bdecoder\b", r"\*\*decoder\*\*"),
    "source": (r"\bsource (?!of)", r"\*\*source\*\*"),
    "residual": (r"\bresidual\b", r"\*\*residual connection\*\*"),
    "layer norm": (r"LayerNorm|layer_norm|\blayer norm", r"\*\*layer norm\*\*"),
    "γ": (r"γ|\\gamma", r"a gain (?:γ|\$\\gamma)"),
    "β": (r"β|\\beta", r"a bias (?:β|\$\\beta)"),
    "stack": (r"\bstack\b", r"\*\*stack\*\*|of the stack, that is"),
    "variance": (r"\bvariance\b", r"\*\*variance\*\*"),
    "cross-attention": (r"(?i)\bcross-attention\b", r"\*\*cross-attention\*\*"),
    "learning rate": (r"\blearning rate\b", r"\*\*learning rate\*\*"),
    "optimizer": (r"\boptimizer\b", r"\*\*optimizer\*\*"),
    "validation": (r"\bvalidation\b", r"\*\*validation set\*\*"),
    "tensor": (r"\btensors?\b(?!\()", r"\*\*tensor\*\*"),
    "batch": (r"\bbatch\b", r"\*\*batch\*\*"),
    "B": (r"\$B\$|\(B, ", r"\*\*batch\*\*,? (?:of \$B\$|\(B, )"),
    "padding": (r"\bpadding\b", r"\*\*padding\*\*"),
    "loss": (r"\bloss\b", r"\*\*loss\*\* (?:is|of)"),
    "gradient": (r"\bgradients?\b", r"\*\*gradients?\*\*"),
    "module": (r"\bmodules?\b", r"\*\*module\*\*"),
    "logits": (r"\blogits?\b", r"\*\*logits\*\*"),
    "M": (r"\$M\$|\(M, ", r"\$M\$ (?:words|tokens)"),
    "ReLU": (r"ReLU", r"\*\*ReLU\*\*"),
    "d_ff": (r"d_\{?ff\}?", r"\$d_\{ff\}\$ features"),
}
IMPORT = re.compile(r"(?m)^(?:from|import) [^\n]*$")
each_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)


@each_route
def test_route_is_no_longer_than_its_limit(route: Route) -> None:
    assert route.minutes(LESSONS) <= route.at_most


@each_route
def test_route_ends_with_the_students_own_transformer(route: Route) -> None:
    numbers = [stop.number for stop in route.stops]
    assert (numbers[0], numbers[-1]) == ("00", "12a")
    assert numbers[:1] + sorted(numbers[1:]) == numbers or route.name == "evening"


@each_route
def test_each_stop_leads_to_sections_of_the_core(route: Route) -> None:
    for stop, lesson in route.on(LESSONS):
        html = line(stop, lesson)
        for heading in stop.headings:
            assert f'{lesson.notebook_name}#{escape(heading.replace(" ", "-"))}"' in html
        assert f'<a href="{lesson.notebook_name}">{lesson.number} ' in html


def holes(stops: list[tuple[Stop, Lesson]]) -> list[str]:
    """Find the terms that a stop uses, although neither it nor a stop before it introduces them."""
    known: set[str] = set()
    found = []
    for stop, lesson in stops:
        blocks = [block for section in stop.sections(lesson) for block in section.blocks]
        # Goals name what is to come, and hints are folded.
        text = "\n".join(IMPORT.sub("", one.text) for one in blocks if one.kind == "prose" or one.is_cell)
        known |= {term for term, (_, introduced) in TERMS.items() if re.search(introduced, text)}
        used = {term for term, (written, _) in TERMS.items() if re.search(written, text)}
        found += [f"{lesson.number} uses {term}" for term in sorted(used - known)]
    return found


@each_route
def test_term_is_introduced_no_later_than_the_stop_that_uses_it(route: Route) -> None:
    assert not holes(route.on(LESSONS))


def test_evening_stop_asks_first_only_about_earlier_stops() -> None:
    numbers, asked = [], {}
    for stop, lesson in ROUTES[0].on(LESSONS):
        asked[stop.number] = {question.lesson for question in questions_before(lesson)} - {*numbers}
        numbers.append(stop.number)
    assert not {number: unread for number, unread in asked.items() if unread}


def test_stop_at_a_missing_section_is_refused() -> None:
    with pytest.raises(LessonError, match="no section of its core"):
        Stop("05", "Nothing.", ("No such heading",)).sections(LESSONS[6])


def test_routes_keep_their_ticks(progress) -> None:
    first = Routes()
    key = next(iter(first.boxes))
    first.boxes[key].value = True
    assert Routes().boxes[key].value and read_progress()[key].passed
    first.boxes[key].value = False
    assert not Routes().boxes[key].value


def test_stop_is_ticked_when_its_requirements_are_met() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.number == "09b")
    asked = do_these(Stop("09b", ""), lesson)
    assert asked and all(name.startswith("09b.") for name in asked)
    for name in asked:
        assert not Routes().boxes["road.evenings.09b"].value
        record(name, True)
    assert Routes().boxes["road.evenings.09b"].value
