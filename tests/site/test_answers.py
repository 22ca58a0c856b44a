"""What the page's own scripts answer, without a browser: of all controls `make check-site` asks, here of some."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.site.asking import python_controls, wrong_answers
from utils.course.lessons import Lesson, all_lessons
from utils.site.build import build_site

ASKED = {lesson.number: lesson for lesson in all_lessons() if lesson.number in ("02", "03", "05", "07", "08", "09")}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked") / "site"
    build_site(folder, list(ASKED.values()))
    return folder


@pytest.mark.parametrize("lesson", ASKED.values(), ids=ASKED.keys())
def test_at_random_settings_of_its_table_and_beside_it_a_page_says_what_python_says(site: Path, lesson: Lesson) -> None:
    assert wrong_answers(site, lesson, python_controls(lesson), 30) == []
