"""The plans for those who teach: complete, true to their lessons, and gathered on one page."""

from __future__ import annotations

import re

import pytest

from tests.course.test_build import HEAD
from utils.course.lessons import all_lessons, read_lesson
from utils.course.teaching import CLASSES, PAGE, SLACK, read_plan, teaching_page

LESSONS = [lesson for lesson in all_lessons() if lesson.number not in ("00", "19", "20")]
TEXT = """
## First

```
## no heading
```

## Second
"""
PLAN = """| part | 50 | 90 | how |
| --- | --- | --- | --- |
| First | 45 | 60 | Draw. |
| Second | – | 25 | Ask. |

**Skip.** Nothing.

**Ask**

1. *Why *one* row?* Because.
2. *How?* So.
"""


@pytest.fixture
def planned(tmp_path):
    def planned(old="", new=""):
        folder = tmp_path / "01_squares"
        folder.mkdir()
        (folder / "lesson.md").write_text(HEAD + TEXT)
        if old is not None:
            (folder / "teaching.md").write_text(PLAN.replace(old, new))
        return read_lesson(folder / "lesson.md")

    return planned


def test_every_lesson_has_a_plan_that_follows_its_headings_and_adds_up():
    for lesson in all_lessons():
        plan = read_plan(lesson)
        spent = [sum(part.minutes[at] for part in plan.parts) for at in (0, 1)]
        assert spent == [whole - SLACK for whole in CLASSES], lesson.name
        labels = ("**Skip.** ", "**Homework.** ", "**Ask**", "**Stumbling blocks**")
        assert all(label in plan.text for label in labels), lesson.name
        at_home = re.search(r"^\*\*Homework\.\*\* (.+)$", plan.text, re.MULTILINE)[1]
        for number in re.findall(r"\b\d+\b", " ".join(re.findall(r"[Ee]xercises? [\d, and]+", at_home))):
            assert f"\n### Exercise {number}: " in lesson.text, f"{lesson.name}: exercise {number}"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_fifty_minute_plan_uses_the_core_and_a_control(lesson):
    deeper = "".join(f"{section.prose}\n" for section in lesson.sections if section.gives)
    spent = [part.heading for part in read_plan(lesson).parts if part.minutes[0] and part.heading != "Try it yourself"]
    assert not [heading for heading in spent if f"# {heading}\n" in deeper], "these are deeper, and in 50 minutes"


def test_teaching_page_has_the_current_plans():
    assert PAGE.read_text(encoding="utf-8") == teaching_page(all_lessons()), "run `make lessons`"


def test_plan_is_read(planned):
    plan = read_plan(planned())
    assert plan.parts == [("First", (45, 60)), ("Second", (0, 25))]
    assert "| Ask. |\n\n**Slack.** 5 minutes in both" in plan.text
