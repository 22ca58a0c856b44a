"""The front matter of the lessons: read, ordered, and refused with file, line and reason."""

from __future__ import annotations

import re

import pytest

from utils.course.build import readme_with_map
from utils.course.exercises import EXERCISES
from utils.course.lessons import (
    EXERCISE_LINE,
    NOTES,
    ROOT,
    LessonError,
    all_lessons,
    companion_pages,
    read_lesson,
)

GOOD = """---
title: Masks
question: Who may look at whom?
needs: []
---

Text.
"""


@pytest.fixture
def write(tmp_path):
    def write(name, text=GOOD):
        path = tmp_path / name / "lesson.md"
        path.parent.mkdir()
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (("title: Masks\n", ""), 1, "needs `title`"),
        (("needs: []", "need: []"), 4, "is `needs` meant?"),
        (("title: Masks", "title: [Masks"), 3, "is not YAML"),
        (("needs: []", "needs: [07]"), 4, "needs lesson 07"),
    ],
)
def test_incomplete_front_matter_error_names_file_line_and_reason(write, tmp_path, change, line, reason):
    write("08_masks", GOOD.replace(*change))
    with pytest.raises(LessonError) as caught:
        all_lessons(tmp_path)
    assert f"08_masks/lesson.md, line {line}: " in str(caught.value)
    assert reason in str(caught.value)


def test_lesson_between_two_others_has_a_letter(write, tmp_path):
    for name in ("02_tokens", "02b_mathematics"):
        write(name)
    write("03_vectors", GOOD.replace("needs: []", "needs: [2b, 2]"))
    write("00_start")
    write("04_all", GOOD.replace("needs: []", "needs: [0, 03]"))
    lessons = all_lessons(tmp_path)
    assert [lesson.number for lesson in lessons] == ["00", "02", "02b", "03", "04"]
    assert [lesson.needs for lesson in lessons[-2:]] == [("02b", "02"), ("00", "03")]


WORDS = "word " * 3500 + "\n"
EXERCISE = """
*Medium, about 10 minutes: the page has not shown it.* Write it.

```{code-cell} ipython3
def f():
    ### BEGIN SOLUTION
    a = 1
    return a
    ### END SOLUTION

check("08.f", f)
```

+++ {"tags": ["hints"]}

1. think
+++
"""


DO_THIS = EXERCISE.replace("*Medium", "*Do this. Medium").replace("08.f", "08.g")
CONTROL = "```{code-cell} ipython3\nLiveControl(f, tasks=tasks)\n```\n"
DEEP = "\n## Behind\n\n*Optional: what lies behind.*\n\n"


@pytest.mark.parametrize(
    ("body", "core", "whole"),
    [
        (WORDS, 40, 45),  # 100 words a minute; nothing to do counts as five
        (EXERCISE + "```{code-cell} ipython3\nControl(f, tasks=tasks)\nAttentionExplorer(f)\n```\n", 10, 25),
        ("\n## Play\n\n" + CONTROL.replace("tasks=tasks", "alt") * 8, 10, 15),  # a picture takes 1.2 minutes
        (DO_THIS * 3, 40, 45),
        (f"```{{code-cell}} ipython3\n:tags: [claim]\n{'assert 1, check(2), Control(3) ' * 300}\n```\n", 5, 10),
        (DEEP + WORDS + CONTROL + EXERCISE, 5, 60),
        ("\n## Before\n" + WORDS + DEEP + WORDS, 40, 80),
    ],
)
def test_minutes_are_counted_from_words_lines_and_exercises(write, body, core, whole):
    lesson = read_lesson(write("08_masks", GOOD + body))
    assert (lesson.core_minutes, lesson.minutes) == (core, whole)


def test_lesson_is_split_at_its_headings_and_marks_optional_sections(write):
    fenced = "```{code-cell} ipython3\n## no heading\n```\n"
    lesson = read_lesson(write("08_masks", GOOD + "\n## First\n\n### Part\n\n" + fenced + DEEP + WORDS))
    assert [(s.heading, s.gives) for s in lesson.sections] == [("", ""), ("First", ""), ("Behind", "what lies behind.")]
    assert [(s.line, *(block.line for block in s.blocks)) for s in lesson.sections] == [(6, 7), (9, 11, 13), (17, 21)]
    assert lesson.sections[2].minutes == 36 and lesson.sections[2].core_minutes == 0


def test_core_comes_first(write):
    with pytest.raises(LessonError, match="line 14: “Late” is core, and"):
        read_lesson(write("08_masks", GOOD + DEEP + "\n## Late\n"))


def test_each_lecture_note_has_one_companion_page_that_is_not_a_lesson():
    assert [page.number for page in companion_pages()] == list(NOTES)
    assert all(page.is_companion for page in companion_pages()) and not any(one.is_companion for one in all_lessons())


def test_readme_has_the_current_map():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "<!-- map of the lessons -->" in text
    assert readme_with_map(text, all_lessons()) == text, "run `make lessons`"


@pytest.mark.parametrize(
    "page",
    ["README.md", "CONTRIBUTING.md", *(f"docs/{name}.md" for name in ("maintaining", "install", "train", "site"))],
)
def test_every_link_inside_the_project_leads_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert not [link for link in links if "://" not in link and not ((ROOT / page).parent / link).exists()]


ASKED = re.compile(
    r"^### Exercise \d+: [^\n]*\n\n\*(?:Do this\. )?(?:Easy|Medium|Harder), about \d+ minutes(?: and a pencil)?"
    r"(: (?:(?!\.\*).)*)?\.\*(?:(?!^check\().)*^check\(\"([^\"]+)\"",
    re.MULTILINE | re.DOTALL,
)


def test_section_names_the_exercises_to_do_and_no_other(write) -> None:
    other = EXERCISE.replace("08.f", "08.h")
    lesson = read_lesson(write("08_masks", GOOD + DO_THIS + other + DO_THIS.replace("08.g", "08.i")))
    assert lesson.sections[0].do_these == ["08.g", "08.i"]


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.number)
def test_each_exercise_has_difficulty_and_minutes_and_two_go_beyond_the_page(lesson):
    its_own = {name for name, exercise in EXERCISES.items() if exercise.lesson == lesson.number}
    assert set(re.findall(r'\bcheck\("([^"]+)"', lesson.text)) == its_own
    assert len(EXERCISE_LINE.findall(lesson.text)) == len(its_own) + lesson.text.count("\npencil(")
    asked = {found[2]: found[1] for found in ASKED.finditer(lesson.text)}
    if lesson.number == "00":  # one exercise, to see how they work
        return
    assert set(asked) == its_own
    assert sum(bool(beyond) for beyond in asked.values()) >= 2
