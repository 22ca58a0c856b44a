"""The routes through the course: as short as they say, along sections that are there, and ticked off."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import pytest

from utils.course.lessons import LessonError, all_lessons
from utils.course.progress import read_progress, record, tick
from utils.course.routes import ROUTES, Route, Routes, Stop, do_these, line

pytestmark = pytest.mark.usefixtures("progress")
LESSONS = all_lessons()
each_route = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)


@each_route
def test_a_route_is_no_longer_than_it_may_be(route: Route) -> None:
    assert route.minutes(LESSONS) <= route.at_most


@each_route
def test_a_route_ends_with_the_student_s_own_transformer(route: Route) -> None:
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


def test_a_stop_at_a_section_that_is_not_there_is_refused() -> None:
    with pytest.raises(LessonError, match="no section of its core"):
        Stop("05", "Nothing.", ("No such heading",)).sections(LESSONS[6])


def test_what_is_ticked_is_there_the_next_time(progress) -> None:
    first = Routes()
    key = next(iter(first.boxes))
    first.boxes[key].value = True
    assert Routes().boxes[key].value and read_progress()[key].passed
    first.boxes[key].value = False
    assert not Routes().boxes[key].value


def test_a_stop_is_ticked_when_what_it_asks_for_is_passed() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.number == "09b")
    asked = do_these(Stop("09b", ""), lesson)
    assert asked and all(name.startswith("09b.") for name in asked)
    for name in asked:
        assert not Routes().boxes["road.evenings.09b"].value
        record(name, True)
    assert Routes().boxes["road.evenings.09b"].value


def test_what_is_saved_of_the_routes_is_their_text_with_every_link() -> None:
    text = Routes()._repr_mimebundle_()["text/html"]
    for route in ROUTES:
        assert all(line(stop, lesson) in text for stop, lesson in route.on(LESSONS))


def test_a_tick_counts_no_answer_and_says_when_it_could_not_be_kept(tmp_path, monkeypatch) -> None:
    record("05.scores", True)
    assert tick("05.scores", False) is None and read_progress()["05.scores"].tries == 1
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path))  # a folder
    shown = Routes()
    next(iter(shown.boxes.values())).value = True
    assert "could not be saved" in shown.said.value


def test_the_minutes_of_a_stop_are_those_of_its_sections() -> None:
    lesson = next(lesson for lesson in LESSONS if lesson.number == "09b")
    core = [section for section in lesson.sections if not section.gives]
    assert lesson.core_minutes - 5 < Stop("09b", "").minutes(lesson) <= lesson.core_minutes
    parts = [Stop("09b", "", (section.heading,)).minutes(lesson) for section in core if section.heading]
    assert all(0 < part < lesson.core_minutes for part in parts)
    route = replace(ROUTES[0], stops=(Stop("09b", ""), Stop("09b", "", (core[1].heading,))))
    assert route.minutes(LESSONS) == Stop("09b", "").minutes(lesson) + parts[0]
    assert re.search(rf"{parts[0]} minutes", line(route.stops[1], lesson))
