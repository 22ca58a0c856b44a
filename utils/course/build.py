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
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from utils.course import routes
from utils.course.lessons import (
    BEGIN,
    END,
    FENCE,
    NOTEBOOKS,
    ROOT,
    SOLUTION,
    Block,
    Lesson,
    LessonError,
    Section,
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
CONTROL = "Try it yourself"  # the section with a lesson's central control, which is never folded
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
    _check_exercises(lesson)
    cells = [*_core(lesson), *_optional(lesson)]
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
        startup_timeout=CELL_SECONDS,  # a busy machine needs more than the usual 60
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


def _check_exercises(lesson: Lesson) -> None:
    """Raise LessonError if a solution's marks don't pair up, or if an exercise doesn't have three hints."""
    lines, exercise = lesson.text.splitlines(), None
    for block in lesson.blocks:
        if BEGIN in block.text or END in block.text:
            begun = 0
            for number, line in enumerate(lines[block.line :], block.line + 1):
                if line == FENCE:
                    break
                if BEGIN in line and begun:
                    raise LessonError(lesson.path, number, "a solution begins inside a solution.")
                if END in line and not begun:
                    raise LessonError(lesson.path, number, "a solution ends here that never began.")
                begun = number if BEGIN in line else 0 if END in line else begun
            if begun:
                raise LessonError(lesson.path, begun, f"this solution never ends: `{END}` is missing.")
        if block.is_exercise:
            if exercise:
                break
            exercise = block
        elif block.kind == "hints":
            said = f"an exercise has three hints, numbered 1. to 3.; here are {len(_hints(block))}."
            if exercise is None:
                said = f"above these hints, no cell has a solution behind `{BEGIN}`."
            if exercise is None or len(_hints(block)) != 3:
                raise LessonError(lesson.path, block.line, said)
            exercise = None
    if exercise:
        said = "this exercise has no hints: a cell tagged `hints` must follow it."
        raise LessonError(lesson.path, exercise.line, said)


def _core(lesson: Lesson) -> Iterator[NotebookNode]:
    """Yield the cells of the core, with questions about earlier lessons before the second section, and its own last.

    Text on both sides of a heading becomes one cell.
    """
    opening, *core = [section for section in lesson.sections if not section.gives]
    has_questions = lesson.path.with_name(QUESTIONS).is_file()
    before = questions_before(lesson) if has_questions else []
    blocks = _opening(opening)
    for at, section in enumerate(core):
        if before and at == min(1, len(core) - 1):
            yield from _cells(blocks)
            yield _asking("before", lesson, before)
            blocks = []
        heading = Block("prose", f"## {section.heading}", section.line)
        blocks = _joined(blocks, _joined([heading], section.blocks))
    yield from _cells(blocks)
    if has_questions and (after := questions_after(lesson.number)):
        yield _asking("after", lesson, after)


def _opening(section: Section) -> list[Block]:
    """Return the blocks before the first heading, with the goals below the opening figure and its caption.

    This way the first screen shows the whole figure. The code directly after the imports draws it; without a figure the
    goals stay at the top. Fold the goals, the imports, and a figure's code of more than one line.
    """
    blocks = [block for block in section.blocks if not block.is_claim or block is section.blocks[-1]]
    first = next((at for at, block in enumerate(blocks) if block.kind == "code"), None)
    if first is not None and _only_imports(blocks[first].text):
        blocks[first] = replace(blocks[first], is_folded=True)
    if not blocks or blocks[0].kind != "goals":
        return blocks
    title, listed, *link = blocks.pop(0).text.split("\n\n")
    folded = f"<details><summary>{title} …</summary>\n\n{listed}\n\n</details>"
    goals = Block("goals", "\n\n".join([folded, *link]), section.blocks[0].line)
    at = 1 if blocks and blocks[0].kind == "prose" else 0
    kinds = [block.kind for block in blocks[at : at + 3]]
    if kinds[:2] != ["code", "code"] or kinds[2:] == ["code"]:
        return _joined([replace(goals, kind="prose")], blocks)
    figure = blocks[at + 1]
    blocks[at + 1] = replace(figure, is_folded="\n" in figure.text.strip())
    caption = at + 2 + (len(blocks) > at + 2)
    return [*blocks[:caption], goals, *blocks[caption:]]


def _only_imports(code: str) -> bool:
    """Return whether `code` begins with several imports and has nothing else but calls."""
    if not code.startswith(("import ", "from ")):
        return False
    statements = ast.parse(code).body
    others = [one for one in statements if not isinstance(one, ast.Import | ast.ImportFrom)]
    return len(statements) - len(others) > 1 and all(isinstance(one, ast.Expr) for one in others)


def _joined(blocks: Sequence[Block], more: Sequence[Block]) -> list[Block]:
    """Return `blocks` and `more`, with the text at the end of the first and at the start of the second as one block."""
    if not (blocks and more and blocks[-1].kind == more[0].kind == "prose"):
        return [*blocks, *more]
    return [*blocks[:-1], replace(blocks[-1], text=f"{blocks[-1].text}\n\n{more[0].text}"), *more[1:]]


def _optional(lesson: Lesson) -> Iterator[NotebookNode]:
    """Yield the cells of the optional sections, all but the interactive figure's folded below heading and summary."""
    optional = [section for section in lesson.sections if section.gives]
    if optional:
        yield new_markdown_cell(DEEPER)
    for section in optional:
        minutes = f"{section.minutes} minute{'s' * (section.minutes != 1)}"
        said = f"## {section.heading}\n\n*Optional, about {minutes}: {section.gives}*"
        # A teacher's link leads to the interactive figure, and would not open a folded section.
        folded = {COLLAPSED: True} if section.heading != CONTROL else {}
        yield new_markdown_cell(said, metadata={"line": section.line, **folded})
        yield from _cells(section.blocks)


def _cells(blocks: Iterable[Block]) -> Iterator[NotebookNode]:
    """Yield a cell for each block but the claims, with the hints of an exercise folded, and its solution after them."""
    solution = ""
    for block in blocks:
        metadata: dict[str, Any] = {"line": block.line}
        if block.tags:
            metadata["tags"] = list(block.tags)
        if block.is_folded:
            metadata["jupyter"] = {"source_hidden": True}
        if block.is_exercise:
            solution = "\n".join(textwrap.dedent(inside).rstrip() for _, inside in re.findall(SOLUTION, block.text))
        if block.is_cell:
            yield new_code_cell(block.text, metadata=metadata)
        elif block.kind == "hints":
            folded = [
                f"<details><summary>Hint {n}</summary>\n\n{hint}\n\n</details>\n"
                for n, hint in enumerate(_hints(block), 1)
            ]
            last = f"<details><summary>Solution</summary>\n\n```python\n{solution}\n```\n\n</details>"
            yield new_markdown_cell("\n".join([*folded, last]), metadata=metadata)
        elif not block.is_claim:
            yield new_markdown_cell(block.text, metadata=metadata)


def _hints(block: Block) -> list[str]:
    return [hint.strip() for hint in re.split(r"^\d+\. ", block.text, flags=re.MULTILINE)[1:]]


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
        print(f"{lesson.number} {lesson.title}, {sum(block.is_claim for block in lesson.blocks)} claims …", flush=True)
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
