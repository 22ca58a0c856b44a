"""The way from a lesson to its notebook: strip, fold, execute, save, and say where a lesson is broken."""

from __future__ import annotations

import json

import pytest

from utils.course import build as building
from utils.course.build import (
    COLLAPSED,
    DEEPER,
    WALK,
    build,
    execute,
    is_fresh,
    read_notebook,
    save,
    with_saved_outputs,
)
from utils.course.lessons import NOTEBOOKS, LessonError, all_lessons, companion_pages
from utils.course.routes import Route
from utils.course.saving import widget_states

HEAD = """---
title: Squares
question: What is a square?
needs: []
---
"""  # five lines

BODY = """
A number times itself.

```{code-cell} ipython3
x = 3
x * x
```

## Exercise

```{code-cell} ipython3
def square(x):
    ### BEGIN SOLUTION
    y = x
    return x * y
    ### END SOLUTION
```

+++ {"tags": ["hints"]}

1. Think.
2. Think again,
   on two lines.
3. `x * x`

+++

The end.
"""


@pytest.fixture
def lesson_of(tmp_path):
    """Writes a lesson and reads it back; more than one makes a course."""

    def lesson_of(body=BODY, name="01_squares"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "lesson.md").write_text(HEAD + body)
        return next(lesson for lesson in all_lessons(tmp_path) if lesson.name == name)

    return lesson_of


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def test_build_strips_the_solution_and_folds_it_after_three_hints(lesson_of):
    lesson = lesson_of()
    cells = sources(build(lesson, [lesson]))
    assert 'def square(x):\n    raise NotImplementedError("your turn")' in cells
    (hints,) = [c for c in cells if "<details>" in c]
    assert [f"<summary>{s}</summary>" in hints for s in ("Hint 1", "Hint 2", "Hint 3", "Solution")] == [True] * 4
    assert "Think again,\n   on two lines." in hints
    assert "```python\ny = x\nreturn x * y\n```" in hints


CORE_AND_DEEPER = """
What it is.

## Squares

A number times itself.

## Cubes

*Optional: what comes after squares.*

Once more.

```{code-cell} ipython3
2**3
```

It is 8.

## Try it yourself

*Optional: a control.*

## Roots

*Optional: the way back.*
"""


OPENING = """
After this lesson you will be able to

- square.

In front of a class? Go on.

Some numbers.

```{code-cell} ipython3
import numpy as np
print()
```

```{code-cell} ipython3
FIGURE
```

A caption.

## Squares

The end.
"""


@pytest.mark.parametrize(("figure", "folded"), [("draw()", False), ("x = 1\ndraw(x)", True)])
def test_build_puts_goals_below_the_opening_figure_and_its_caption(lesson_of, figure, folded):
    lesson = lesson_of(OPENING.replace("FIGURE", figure))
    _, intro, imports, drawn, caption, goals, section, _ = build(lesson, [lesson]).cells
    assert (intro.source, caption.source, section.source) == ("Some numbers.", "A caption.", "## Squares\n\nThe end.")
    assert goals.source.startswith("<details>") and goals.source.endswith("Go on.")
    assert imports.source.startswith("import") and drawn.source == figure
    assert ("jupyter" in drawn.metadata) == folded


def test_build_leaves_goals_on_top_without_an_opening_figure(lesson_of):
    lesson = lesson_of(OPENING.replace("```{code-cell} ipython3\nFIGURE\n```\n\n", ""))
    assert build(lesson, [lesson]).cells[1].source.startswith("<details>")


def test_build_folds_optional_sections_after_the_core(lesson_of):
    lesson = lesson_of(CORE_AND_DEEPER)
    cells = build(lesson, [lesson]).cells
    assert [(cell.source.split("\n")[0], cell.metadata.get(COLLAPSED, False)) for cell in cells] == [
        ("# 01 · Squares", False),
        ("What it is.", False),
        (DEEPER, False),
        ("## Cubes", True),
        ("Once more.", False),
        ("2**3", False),
        ("It is 8.", False),
        ("## Try it yourself", False),  # the link for a class leads there
        ("## Roots", True),
        ("---", False),
    ]
    assert cells[3].source == "## Cubes\n\n*Optional, about 1 minute: what comes after squares.*"
    written = lesson.text.splitlines()
    for cell in cells[1:-1]:
        if cell.cell_type == "markdown" and cell.source != DEEPER:
            assert cell.source.startswith(written[cell.metadata["line"] - 1])


def test_built_lesson_is_framed_by_title_question_and_links(lesson_of):
    first, second, third = (lesson_of(name=f"0{i}_squares") for i in (1, 2, 3))
    cells = sources(build(second, [first, second, third]))
    assert cells[0].startswith("# 02 · Squares\n\n**What is a square?**\n\ncore 5 minutes, all 10 · do first: ")
    assert "← [01 Squares](01_squares.ipynb)" in cells[-1]
    assert "[03 Squares](03_squares.ipynb) →" in cells[-1]


def test_saved_walk_leads_to_the_place_of_each_lesson():
    """Building it alone tells no notebook from an old one: a place stands in another lesson's front matter."""
    places = [lesson for lesson in all_lessons() if lesson.place and lesson.place.box]
    states = widget_states(read_notebook(NOTEBOOKS / f"{WALK}.ipynb")).values()
    (saved,) = [state["state"]["places"] for state in states if "places" in state["state"]]
    assert saved == [{"name": f"{x.number}: {x.place.words}", "path": x.place.box} for x in places], "build lesson 20"


def test_execution_saves_outputs_and_leaves_no_trace_of_the_run(lesson_of, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", str(mine := tmp_path / "mine.json"))
    recorded = "from utils.course.progress import record\nrecord('05.scores', True)"
    lesson = lesson_of(f"{BODY}\n```{{code-cell}} ipython3\n{recorded}\n```\n")
    notebook = execute(build(lesson, [lesson]), lesson)
    assert not mine.exists()
    code = [c for c in notebook.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == [1, 2, 3]
    assert code[0].outputs[0].data["text/plain"] == "9"
    assert all("line" not in c.metadata and "execution" not in c.metadata for c in notebook.cells)
    assert "version" not in notebook.metadata["language_info"]


SECOND = """```{code-cell} ipython3
def cube(x):
    ### BEGIN SOLUTION
    return x**3
    ### END SOLUTION
```

"""


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("    ### END SOLUTION\n", "", 18, "this solution never ends: `### END SOLUTION` is missing"),
        ("## Exercise", SECOND + "## Exercise", 14, "this exercise has no hints"),
        ("3. `x * x`\n", "", 26, "an exercise has three hints, numbered 1. to 3.; here are 2."),
        ("x * x\n", "x * x\n```\n\n```{code-cell} ipython3\n:tags: [claims]\n", 14, "has a tag 'claims'"),
        ("x * x\n", "x * x\n" * 25, 9, "the cell that begins here has 26 lines; 25 are the most"),
        ('+++ {"tags": ["hints"]}', "+++ {tags}", 1, "cannot be read as MyST Markdown"),
    ],
)
def test_build_error_names_lesson_line_and_reason(lesson_of, old, new, line, reason):
    assert old in BODY
    lesson = lesson_of(BODY.replace(old, new))
    with pytest.raises(LessonError) as caught:
        build(lesson, [lesson])
    assert reason in str(caught.value)
    assert f"01_squares/lesson.md, line {line}: " in str(caught.value)


def test_failing_cell_error_names_its_line_and_error(lesson_of):
    lesson = lesson_of(BODY.replace("x * x\n```\n", "x * undefined\n```\n", 1))
    with pytest.raises(LessonError, match=r"01_squares/lesson\.md"):
        execute(build(lesson, [lesson]), lesson)


def course_of(lessons, root, monkeypatch):
    """Makes these lessons and one companion page, without plans and digests, all that the command knows of."""
    (root / "notebooks").mkdir()
    (root / "README.md").write_text("<!-- map of the lessons -->\nold\n<!-- end of the map -->\n")
    places = {"NOTEBOOKS": "notebooks", "SOLVED": "solved", "README": "README.md", "PAGE": "teaching.md"}
    for name, place in places.items():
        monkeypatch.setattr(building, name, root / place)
    monkeypatch.setattr(building, "all_lessons", lambda: lessons)
    monkeypatch.setattr(building, "companion_pages", lambda: companion_pages()[1:2])
    monkeypatch.setattr(building, "keep_digests", lambda paths: None)
    monkeypatch.setattr(building, "teaching_page", lambda lessons: "their plans")


def test_command_builds_outdated_or_named_lessons(lesson_of, tmp_path, monkeypatch, capsys):
    lessons, ran = [lesson_of(name=f"0{i}_squares") for i in (1, 2, 3)], []
    course_of(lessons, tmp_path, monkeypatch)
    monkeypatch.setattr(building, "execute", lambda notebook, lesson: ran.append(lesson.number) or notebook)
    readme, notebooks = tmp_path / "README.md", tmp_path / "notebooks"

    def built(*arguments):
        ran.clear()
        assert building.main(list(arguments)) == 0
        return ran, capsys.readouterr().out

    fresh = "Every notebook is what its lesson builds."
    before = readme.read_text()
    assert built("--solved")[0] == ["01", "02", "03", "N2"]
    solved = read_notebook(tmp_path / "solved" / "02_squares.ipynb")
    assert "return x * y" in solved.cells[4].source
    assert not list(notebooks.iterdir()) and readme.read_text() == before  # only copies are made
    numbers, said = built()
    assert numbers == ["01", "02", "03", "N2"] and fresh not in said
    assert "your turn" in read_notebook(notebooks / "02_squares.ipynb").cells[4].source
    assert "| 03 | [Squares](notebooks/03_squares.ipynb) |" in readme.read_text() and "old" not in readme.read_text()
    numbers, said = built()
    assert numbers == [] and said.startswith(fresh)
    assert (notebooks / companion_pages()[1].notebook_name).exists()
    assert built("2")[0] == ["02"]
    assert built("3", "01")[0] == ["01", "03"]
    assert built("--all")[0] == ["01", "02", "03", "N2"]
    assert built("N2")[0] == ["N2"]
    (notebooks / "03_squares.ipynb").rename(notebooks / "09_dropped.ipynb")
    numbers, said = built()
    assert numbers == ["03"] and said.endswith("notebooks/09_dropped.ipynb has no lesson any more: delete it.\n")


def test_edited_notebook_is_backed_up_before_it_is_overwritten(lesson_of, tmp_path):
    lesson = lesson_of()
    path = tmp_path / "notebooks" / lesson.notebook_name
    save(build(lesson, [lesson]), path)
    notebook = read_notebook(path)
    notebook.cells[2]["execution_count"] = 7  # to run it is not to edit it
    path.write_text(json.dumps(notebook))
    save(build(lesson, [lesson]), path)
    assert not (path.parent / "kept").exists()

    notebook.cells[2].source = "my own work"
    path.write_text(json.dumps(notebook))
    save(build(lesson, [lesson]), path)
    (kept,) = (path.parent / "kept").iterdir()
    assert "my own work" in kept.read_text()
    assert "my own work" not in path.read_text()

    path.write_text("not a notebook any more")
    save(build(lesson, [lesson]), path)
    assert len(list((path.parent / "kept").iterdir())) == 2


def test_start_page_is_stale_when_the_minutes_of_a_route_change(monkeypatch):
    lessons = all_lessons()
    assert is_fresh(lessons[0], lessons)
    monkeypatch.setattr(Route, "minutes", lambda *_: 1)
    assert not is_fresh(lessons[0], lessons)


def test_notebook_is_fresh_until_it_or_its_lesson_changes(lesson_of, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "NOTEBOOKS", tmp_path / "notebooks")
    lesson = lesson_of()
    path = tmp_path / "notebooks" / lesson.notebook_name
    path.parent.mkdir()
    assert not is_fresh(lesson, [lesson])

    save(build(lesson, [lesson]), path)
    assert is_fresh(lesson, [lesson])
    for change in ("source", "metadata", "id"):
        notebook = read_notebook(path)
        before = json.dumps(notebook)
        notebook.cells[2][change] = {"tags": ["x"]} if change == "metadata" else "changed"
        path.write_text(json.dumps(notebook))
        assert not is_fresh(lesson, [lesson]), change
        path.write_text(before)
    assert is_fresh(lesson, [lesson])
    changed = lesson_of(BODY + "\nAnd more.\n")
    assert not is_fresh(changed, [changed])


def test_build_keeps_saved_outputs_only_where_the_code_is_the_same(lesson_of, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "NOTEBOOKS", tmp_path / "notebooks")
    lesson = lesson_of()
    assert not with_saved_outputs(build(lesson, [lesson]), lesson)
    (tmp_path / "notebooks").mkdir()
    ran = execute(build(lesson, [lesson]), lesson)
    save(ran, tmp_path / "notebooks" / lesson.notebook_name)
    reworded = build(lesson_of(BODY.replace("A number times itself.", "Squares are areas.")), [lesson])
    assert with_saved_outputs(reworded, lesson)
    assert [cell.get("outputs") for cell in reworded.cells] == [cell.get("outputs") for cell in ran.cells]
    assert "Squares are areas." in str(reworded.cells) and reworded.metadata.course != ran.metadata.course
    assert not with_saved_outputs(build(lesson_of(BODY.replace("x = 3", "x = 4")), [lesson]), lesson)


def test_widget_has_the_same_id_at_every_run(lesson_of):
    lesson = lesson_of(
        "\n```{code-cell} ipython3\nfrom ipywidgets import IntSlider\nIntSlider(3)\n```\n", name="02_widgets"
    )
    first, second = (execute(build(lesson, [lesson]), lesson) for _ in range(2))
    assert first == second
    assert first.metadata["widgets"]
