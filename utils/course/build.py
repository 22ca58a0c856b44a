"""Build the notebooks in `notebooks/` from the lessons in `lessons/`: read, strip, link, execute, save.

`python -m utils.course.build` builds the notebooks that are not fresh, and with `--all` every notebook. `--solved`
builds the instructor's copies, which contain the solutions, under `solved/`. Numbers such as `05` select lessons.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import jupytext.myst
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from utils.course import routes
from utils.course.claims import CLAIM, LONG, is_claim
from utils.course.lessons import (
    BEGIN,
    END,
    NOTEBOOKS,
    ROOT,
    SOLUTION,
    Lesson,
    LessonError,
    UnknownLesson,
    all_lessons,
    companion_pages,
    known_numbers,
    map_of_lessons,
)
from utils.course.progress import scratch_progress
from utils.course.questions import FILE as QUESTIONS
from utils.course.questions import Question, all_questions, questions_after, questions_before
from utils.course.saving import as_they_are_met, keep, widget_states
from utils.course.shipped import fingerprint, keep_digests
from utils.course.teaching import PAGE, teaching_page
from utils.course.working_copy import VARIABLE, Version
from utils.course.working_copy import keep as keep_copy
from utils.files import forgive_output, write_whole
from utils.show.colours import coloured

SOLVED = ROOT / "solved"
WALK = "20_one_sentence"  # the lesson that follows one sentence through all modules of the model
README = ROOT / "README.md"
STUB = 'raise NotImplementedError("your turn")'
COLLAPSED = "jp-MarkdownHeadingCollapsed"  # how JupyterLab remembers that a heading is folded
DEEPER = (
    "*Here the core ends: the next lesson does not need what follows. Most of it is folded. "
    "The line below each heading says what it gives; a click on the arrow beside the heading opens it.*"
)
GOALS = "After this lesson you will be able to"
_GOALS_CELL = re.compile(
    rf"<details><summary>{GOALS}.*?</details>\n*(?:In front of a class\? [^\n]*(?:\n\n|\Z))?", re.DOTALL
)
CONTROL = "Try it yourself"  # the section with a lesson's central control, which is never folded
_TAGS = (CLAIM, LONG, "hints", "one-seed", "nbval-ignore-output")
_MAP = "<!-- map of the course -->"
LINES = 25  # the most lines of a code cell, so that a student can keep them in mind
CELL_SECONDS = 900  # on an idle machine, the longest cell trains for a minute

_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


class MissingWeights(Exception):
    """The error for a notebook that can't be run because a model's weights have not been fetched yet."""


def build(lesson: Lesson, lessons: Sequence[Lesson], solved: bool = False) -> NotebookNode:
    """Return the notebook of `lesson`, not executed yet, with title and links, and without solutions unless `solved`.

    Raise LessonError, which names file, line and reason, if the lesson is not well-formed.
    """
    cells = [cell for cell in read_cells(lesson) if not is_claim(cell)]
    _check_solutions(lesson, cells)
    cells = [*_fold_deeper(lesson, _fold_hints(lesson, cells))]
    _fold_goals(cells)
    _fold_imports(cells)
    cells = [*_goals_below_figure(cells)]
    _ask(lesson, cells)
    for cell in cells:
        if cell.cell_type == "markdown":
            cell.source = coloured(cell.source)
        if shown := _shown_of_other_lessons(cell.source, lessons):
            cell.metadata["asked"] = _hash(shown)
        if _MAP in cell.source:
            cell.source = cell.source.replace(_MAP, map_of_lessons(lessons))
        stubbed = with_stubs(cell.source)
        if cell.cell_type == "code" and (lines := len(stubbed.splitlines())) > LINES:
            said = f"the cell that begins here has {lines} lines; {LINES} are the most."
            raise LessonError(lesson.path, cell.metadata["line"], said)
        cell.source = cell.source if solved else stubbed
    return _notebook_of(lesson, [_head(lesson, lessons), *cells, _foot(lesson, lessons)])


def with_stubs(text: str) -> str:
    """Return the text of a lesson or of one cell, with a stub in place of each solution."""
    return re.sub(SOLUTION, rf"\g<1>{STUB}", text)


def _notebook_of(lesson: Lesson, cells: list[NotebookNode]) -> NotebookNode:
    _name_cells(lesson, cells)
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=_METADATA)
    notebook.metadata["course"] = {"sources": fingerprint(notebook)}
    return notebook


def execute(notebook: NotebookNode, lesson: Lesson) -> NotebookNode:
    """Run `notebook` from top to bottom in a fresh kernel and return it with its outputs and the state of its widgets.

    Neither read nor write the student's progress. Raise LessonError, which names the line of the lesson, if a cell
    fails, and MissingWeights if a model's weights are missing.
    """
    lines = {cell.id: cell.metadata.pop("line", None) for cell in notebook.cells}  # head and foot have no line
    with scratch_progress() as scratch:
        _run(notebook, lesson, lines, AsyncKernelManager(kernel_name="python3", **by_socket_files(scratch)))
    notebook.metadata["language_info"] = _METADATA["language_info"]
    keep(notebook, {"metadata": {}})
    return _steady_widget_ids(notebook, lesson)


def with_saved_outputs(notebook: NotebookNode, lesson: Lesson) -> bool:
    """Copy the saved outputs into `notebook` if its code has not changed since, and return whether that was possible.

    So a changed sentence costs no training run.
    """
    path = NOTEBOOKS / lesson.notebook_name
    saved = read_notebook(path) if path.exists() else nbformat.v4.new_notebook()
    ours, theirs = ([cell for cell in one.cells if cell.cell_type == "code"] for one in (notebook, saved))
    if not _controls_are_todays(saved) or _without_outputs(ours) != _without_outputs(theirs):
        return False
    for cell in notebook.cells:
        cell.metadata.pop("line", None)
    for cell, before in zip(ours, theirs, strict=True):
        cell.outputs, cell.execution_count = before.outputs, before.execution_count
    notebook.metadata = {**saved.metadata, "course": notebook.metadata["course"]}
    return True


def by_socket_files(folder: Path) -> dict[str, str]:
    """Return a kernel manager's options for socket files in `folder`, so that two kernels never claim the same port."""
    return {"transport": "ipc", "connection_file": str(folder / "kernel.json")} if os.name == "posix" else {}


def _run(notebook: NotebookNode, lesson: Lesson, lines: dict[str, int | None], manager: AsyncKernelManager) -> None:
    client = NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
        record_timing=False,
        coalesce_streams=True,
    )
    client.owns_km = True  # so that the client ends the kernel, although it did not start it
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        if (
            getattr(error, "ename", "") == "MissingWeightsError"
        ):  # compare names, because the class exists only in the kernel
            raise MissingWeights(error.evalue) from error
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        begun = next(cell for cell in reversed(code) if cell.get("execution_count") or cell.outputs)
        last = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines()[-1]
        raise LessonError(lesson.path, lines[begun.id], f"the cell that begins here fails: {last}") from error


def orphans(lessons: Sequence[Lesson]) -> list[Path]:
    """Return the paths of the notebooks that no lesson or companion page builds any more."""
    known = {NOTEBOOKS / lesson.notebook_name for lesson in (*lessons, *companion_pages())}
    return sorted(set(NOTEBOOKS.glob("*.ipynb")) - known)


def is_fresh(lesson: Lesson, lessons: Sequence[Lesson]) -> bool:
    """Return whether the saved notebook equals, apart from its outputs, the one that `lesson` builds now.

    Its saved controls must have the current script and styles, because a reader sees them before running a cell.
    """
    path = NOTEBOOKS / lesson.notebook_name
    if not path.exists():
        return False
    notebook = read_notebook(path)
    built = build(lesson, lessons)
    if not _controls_are_todays(notebook) or _without_outputs(notebook.cells) != _without_outputs(built.cells):
        return False
    return {**notebook.metadata, "widgets": None} == {**built.metadata, "widgets": None}


def _controls_are_todays(notebook: NotebookNode) -> bool:
    return all(_is_todays(control) for control in widget_states(notebook).values())


def _is_todays(widget: Mapping[str, Any]) -> bool:
    """Return whether a saved widget has the current script and styles of its class, or is not one of ours."""
    saved = widget["state"]
    if "_anywidget_id" not in saved:
        return True
    module, name = saved["_anywidget_id"].rsplit(".", 1)
    try:
        today = getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError:  # deleted since the notebook was built
        return False
    return today is not None and (saved["_esm"], saved["_css"]) == (str(today._esm), str(today._css))


def read_notebook(path: Path) -> NotebookNode:
    """Return the notebook saved in `path`."""
    return nbformat.read(path, as_version=4)


def save(notebook: NotebookNode, path: Path) -> None:
    """Write `notebook` to `path`. If somebody has edited the copy there, first keep it under `kept/`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and Version.of(content := path.read_bytes()).edited:
        kept = keep_copy(path, content)
        print(f"{path.name} had been worked in: that copy is kept as {kept.relative_to(path.parent)}")
    write_whole(path, (nbformat.writes(notebook) + "\n").encode())


def readme_with_map(text: str, lessons: Sequence[Lesson]) -> str:
    """Return the README's text with a new map of the lessons between its two markers."""
    return re.sub(
        r"(<!-- map of the lessons -->\n).*?(<!-- end of the map -->)",
        lambda found: found[1] + map_of_lessons(lessons, link_to="notebooks/") + "\n" + found[2],
        text,
        flags=re.DOTALL,
    )


def read_cells(lesson: Lesson) -> list[NotebookNode]:
    """Return all cells of a lesson, claims included, each with its first line number in its metadata.

    Raise LessonError if the lesson is not MyST Markdown or if a cell has an unknown tag.
    """
    try:
        notebook = jupytext.myst.myst_to_notebook(lesson.text, add_source_map=True)
    except Exception as error:
        raise LessonError(lesson.path, 1, f"it cannot be read as MyST Markdown: {error}") from error
    lines = lesson.text.splitlines()
    for cell, start in zip(notebook.cells, notebook.metadata["source_map"], strict=True):
        # The map counts from 0. It points after the opening fence of a code cell, and at the blank lines before text.
        if cell.cell_type != "code":
            start = next(i for i, line in enumerate(lines[start:], start + 1) if line)
        cell.metadata["line"] = start
        if unknown := set(cell.metadata.get("tags", [])) - set(_TAGS):
            known = ", ".join(_TAGS)
            raise LessonError(lesson.path, start, f"the cell that begins here has a tag {min(unknown)!r}, not {known}.")
    return notebook.cells


def _check_solutions(lesson: Lesson, cells: Sequence[NotebookNode]) -> None:
    marked = [one for one in enumerate(lesson.text.splitlines(), 1) if BEGIN in one[1] or END in one[1]]
    for cell in cells:
        n_marks, begun = cell.source.count(BEGIN) + cell.source.count(END), 0
        for number, line in [one for one in marked if one[0] >= cell.metadata["line"]][:n_marks]:
            if BEGIN in line and begun:
                raise LessonError(lesson.path, number, "a solution begins inside a solution.")
            if END in line and not begun:
                raise LessonError(lesson.path, number, "a solution ends here that never began.")
            begun = number if BEGIN in line else 0
        if begun:
            raise LessonError(lesson.path, begun, f"this solution never ends: `{END}` is missing.")


def _fold_hints(lesson: Lesson, cells: Sequence[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells with each hint folded, and with the exercise's solution folded after the hints.

    Raise LessonError if hints and solutions don't pair up, or if an exercise doesn't have three hints.
    """
    exercise = None
    for cell in cells:
        if cell.cell_type == "code" and BEGIN in cell.source:
            if exercise is not None:
                break
            exercise = cell
        if "hints" in cell.metadata.get("tags", []):
            hints = [hint.strip() for hint in re.split(r"^\d+\. ", cell.source, flags=re.MULTILINE)[1:]]
            said = f"an exercise has three hints, numbered 1. to 3.; here are {len(hints)}."
            if exercise is None:
                said = f"above these hints, no cell has a solution behind `{BEGIN}`."
            if exercise is None or len(hints) != 3:
                raise LessonError(lesson.path, cell.metadata["line"], said)
            folded = "<details><summary>Hint {}</summary>\n\n{}\n\n</details>\n"
            cell.source = "\n".join([*map(folded.format, (1, 2, 3), hints), _folded_solution(exercise.source)])
            exercise = None
        yield cell
    if exercise is not None:
        said = "this exercise has no hints: a cell tagged `hints` must follow it."
        raise LessonError(lesson.path, exercise.metadata["line"], said)


def _folded_solution(source: str) -> str:
    code = "\n".join(textwrap.dedent(inside).rstrip() for _, inside in re.findall(SOLUTION, source))
    return f"<details><summary>Solution</summary>\n\n```python\n{code}\n```\n\n</details>"


def _fold_deeper(lesson: Lesson, cells: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells with each optional section, except the control's, folded below its heading and summary."""
    deeper = {section.heading: section for section in lesson.sections if section.gives}
    first = True
    for cell in cells:
        headings = [f"## {heading}" for heading in deeper] if cell.cell_type == "markdown" else []
        for part in _parts(cell, headings):
            section = deeper.get(part.source.partition("\n")[0].removeprefix("## "))
            if section is None:
                yield part
                continue
            if first:
                yield new_markdown_cell(DEEPER)
                first = False
            said = f"*Optional: {section.gives}*"
            begin, _, rest = part.source.partition(said)
            below = _like(part, rest.strip(), begin.count("\n") + 2)
            if section.heading != CONTROL:  # a teacher's link leads there and would not open a folded section
                part.metadata[COLLAPSED] = True
            minutes = f"{section.minutes} minute{'s' * (section.minutes != 1)}"
            part.source = f"{begin}*Optional, about {minutes}: {section.gives}*"
            yield part
            if below.source:
                yield below


def _fold_goals(cells: Iterable[NotebookNode]) -> None:
    """Fold the list of learning goals into one line, so that the opening figure is on the first screen."""
    for cell in cells:
        if cell.cell_type == "markdown":
            goals = rf"<details><summary>{GOALS} …</summary>\n\n\1\n</details>\n"
            cell.source = re.sub(rf"(?m)^{GOALS}\n\n((?:^[-+*] .+\n?)+)", goals, cell.source, count=1)
            return


def _fold_imports(cells: Iterable[NotebookNode]) -> None:
    """Fold the first code cell if it contains only imports and calls."""
    first = next((cell for cell in cells if cell.cell_type == "code"), None)
    if first is None or not first.source.startswith(("import ", "from ")):
        return
    statements = ast.parse(first.source).body
    others = [one for one in statements if not isinstance(one, ast.Import | ast.ImportFrom)]
    if len(statements) - len(others) > 1 and all(isinstance(one, ast.Expr) for one in others):
        first.metadata["jupyter"] = {"source_hidden": True}


def _goals_below_figure(cells: Sequence[NotebookNode]) -> Iterator[NotebookNode]:
    """Yield the cells with the goals below the opening figure and its caption, so that the first screen shows it whole.

    The opening figure is the code cell directly after the imports. Without one the goals stay at the top. If the
    figure's code has more than one line, fold it. The parts of a cell keep the cell's own line number.
    """
    kinds = [cell.cell_type for cell in cells[:4]]
    goals = _GOALS_CELL.match(cells[0].source) if cells else None
    if goals is None or kinds != ["markdown", "code", "code", "markdown"]:
        yield from cells
        return
    intro, imports, figure, below = cells[:4]
    if text := intro.source[goals.end() :].strip():
        yield _like(intro, text)
    yield imports
    if "\n" in figure.source.strip():
        figure.metadata["jupyter"] = {"source_hidden": True}
    yield figure
    caption, _, rest = f"\n\n{below.source}".partition("\n\n## ")
    if caption := caption.strip():
        yield _like(below, caption)
    yield _like(intro, goals[0].strip())
    if rest:
        yield _like(below, f"## {rest}")
    yield from cells[4:]


def _ask(lesson: Lesson, cells: list[NotebookNode]) -> None:
    """Insert the lesson's questions into `cells`, after the first section and at the end of the core."""
    if not lesson.path.with_name(QUESTIONS).is_file():
        return
    end = next((at for at, cell in enumerate(cells) if cell.source == DEEPER), len(cells))
    if questions_after(lesson.number):
        cells.insert(end, _asking("after", lesson, questions_after(lesson.number)))
    if questions_before(lesson):
        core = [section.heading for section in lesson.sections if section.heading and not section.gives]
        heading = f"## {core[min(1, len(core) - 1)]}"
        begin = next(at for at, cell in enumerate(cells) if heading in cell.source.split("\n"))
        opening = [*_parts(cells[begin], [heading])]
        cells[begin : begin + 1] = [*opening[:-1], _asking("before", lesson, questions_before(lesson)), opening[-1]]


def _asking(when: str, lesson: Lesson, questions: Sequence[Question]) -> NotebookNode:
    """Return the cell that asks `questions`; their hash in its metadata lets a new one make the notebook stale."""
    source = f'from utils.course.questions import ask_{when}\n\nask_{when}("{lesson.number}")'
    metadata = {"tags": ["questions"], "jupyter": {"source_hidden": True}, "asked": _hash(repr(questions))}
    return new_code_cell(source, metadata=metadata)


def _shown_of_other_lessons(source: str, lessons: Sequence[Lesson]) -> str:
    """Return the minutes or questions of other lessons that a cell shows; a change in them makes its notebook stale."""
    if "ask_mixed(" in source:
        return repr(all_questions())
    if "Routes()" in source:
        stops = (stop for route in routes.ROUTES for stop in route.on(lessons))
        return "".join(f"{route.leads}{route.minutes(lessons)}" for route in routes.ROUTES) + "".join(
            routes.line(*stop) for stop in stops
        )
    return ""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _parts(cell: NotebookNode, headings: Sequence[str]) -> Iterator[NotebookNode]:
    """Split a cell before each of `headings` and yield the parts that contain text."""
    lines = cell.source.split("\n")
    starts = [at for at, line in enumerate(lines) if line in headings]
    if not starts:
        yield cell
        return
    for first, last in pairwise(dict.fromkeys([0, *starts, len(lines)])):
        if text := "\n".join(lines[first:last]).strip():
            yield _like(cell, text, first)


def _like(cell: NotebookNode, source: str, lines_below: int = 0) -> NotebookNode:
    """Return a Markdown cell with part of the text of `cell`, which begins so many lines below the cell's start."""
    return new_markdown_cell(source, metadata={**cell.metadata, "line": cell.metadata["line"] + lines_below})


def _head(lesson: Lesson, lessons: Sequence[Lesson]) -> NotebookNode:
    """Return the cell with title and question, and for a lesson its minutes and the links to other lessons."""
    if lesson.is_companion:
        return new_markdown_cell(f"# {lesson.number} · {lesson.title}\n\n**{lesson.question}**")
    by_number = {other.number: other for other in lessons}
    first = ", ".join(_link(by_number[number]) for number in lesson.needs) or "nothing"
    return new_markdown_cell(
        f"# {lesson.number} · {lesson.title}\n\n**{lesson.question}**\n\n"
        f"core {lesson.core_minutes} minutes, all {lesson.minutes} · do first: {first}"
        + _in_the_machine(lesson, lessons)
    )


def _in_the_machine(lesson: Lesson, lessons: Sequence[Lesson]) -> str:
    """Return the link to the lesson's module in the walkthrough of the whole model, or "" if there is none."""
    walk = next((other for other in lessons if other.name == WALK), None)
    if walk is None or lesson.place is None:
        return ""
    box = f'{walk.notebook_name}#The-walkthrough "{lesson.place.box}"'  # walk.js reads the module's name there
    return f" · in the whole machine: [{lesson.place.words}]({box})"


def _foot(lesson: Lesson, lessons: Sequence[Lesson]) -> NotebookNode:
    """Return the cell with links to the previous lesson, the start page and the next lesson."""
    at = [other.number for other in lessons].index(lesson.number)
    links = []
    if at > 0:
        links.append(f"← {_link(lessons[at - 1])}")
    if at > 1:
        links.append(f"[start page]({lessons[0].notebook_name})")
    if at + 1 < len(lessons):
        links.append(f"{_link(lessons[at + 1])} →")
    return new_markdown_cell("---\n\n" + "  ·  ".join(links))


def _link(lesson: Lesson) -> str:
    return f"[{lesson.number} {lesson.title}]({lesson.notebook_name})"


def _name_cells(lesson: Lesson, cells: Sequence[NotebookNode]) -> None:
    """Set the ids of `cells` from the lesson's name and each cell's text, so that a rebuild changes no id."""
    seen: dict[str, int] = {}
    for cell in cells:
        key = hashlib.sha256(f"{lesson.name}\n{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
        seen[key] = seen.get(key, 0) + 1
        cell.id = f"{key}-{seen[key]}"


def _without_outputs(cells: Sequence[NotebookNode]) -> list[object]:
    return [
        (cell.cell_type, cell.id, cell.source, {k: v for k, v in cell.metadata.items() if k != "line"})
        for cell in cells
    ]


def _steady_widget_ids(notebook: NotebookNode, lesson: Lesson) -> NotebookNode:
    """Return `notebook` with fixed ids in place of the widgets' random ones, so that a rebuild gives the same bytes."""
    states = widget_states(notebook)
    # A widget that no cell shows and no widget refers to has no position in the notebook, so sort it by its class.
    by_class = sorted(states, key=lambda model_id: states[model_id]["model_name"])
    text = nbformat.writes(notebook)
    for number, model_id in enumerate(as_they_are_met([json.dumps(notebook.cells), *by_class], states)):
        steady = hashlib.sha256(f"{lesson.name} {number}".encode()).hexdigest()[:32]
        text = text.replace(model_id, steady)
    return nbformat.reads(text, as_version=4)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the lessons that the command line selects and return the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make lessons", description="Builds the notebooks from the lessons.")
    parser.add_argument("numbers", nargs="*", help="the lessons to build, such as 05; without any: those not fresh")
    parser.add_argument("--all", action="store_true", help="build every lesson, fresh or not")
    parser.add_argument("--solved", action="store_true", help="build the copies with solutions, into solved/")
    options = parser.parse_args(arguments)
    os.environ.pop(VARIABLE, None)  # JupyterLab's terminals set it, as if a student had opened the lessons
    try:
        _build_all(options.numbers, options.all, options.solved)
    except (LessonError, UnknownLesson) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _build_all(numbers: Sequence[str], everything: bool, solved: bool) -> None:
    lessons, pages = all_lessons(), companion_pages()
    numbers, built = known_numbers(numbers, [*lessons, *pages]), False
    for lesson in (*lessons, *pages):
        if numbers and lesson.number not in numbers:
            continue
        among = [*lessons[:1], *pages] if lesson.is_companion else lessons
        if not (numbers or everything or solved) and is_fresh(lesson, among):
            continue
        built = True
        print(f"{lesson.number} {lesson.title}, {sum(map(is_claim, read_cells(lesson)))} claims …", flush=True)
        notebook = build(lesson, among, solved)
        try:
            if numbers or everything or solved or not with_saved_outputs(notebook, lesson):
                notebook = execute(notebook, lesson)
        except MissingWeights as missing:
            print(f"    stays as it is: {missing}")
            continue
        save(notebook, (SOLVED if solved else NOTEBOOKS) / lesson.notebook_name)
    if not built:
        print("Every notebook is what its lesson builds. After a change in utils/, build all again: make lessons ALL=1")
    for path in orphans(lessons):
        print(f"{path.parent.name}/{path.name} has no lesson any more: delete it.")
    if not solved:
        keep_digests(NOTEBOOKS.glob("*.ipynb"))
        README.write_text(readme_with_map(README.read_text(encoding="utf-8"), lessons), encoding="utf-8")
        PAGE.write_text(teaching_page(lessons), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
