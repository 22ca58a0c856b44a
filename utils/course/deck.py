"""Which slides a lesson gives for a class of 50 minutes: chosen from its built notebook by the plan beside it.

Each part of the plan becomes one or two slides for five minutes: a control, a picture with its two sentences, code
beside what it gives, or what is said. Imports, deeper sections and what the plan leaves out are not in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nbformat import NotebookNode

if TYPE_CHECKING:
    from utils.course.teaching import Plan

MOST = 25  # slides
_EACH = 2.5  # minutes of a slide, at least
_LINES = 9  # of code beside what it gives, at most: what can be read from the last row
_WIDE = 66  # letters of a line of code: as many as stand on a slide
_COMMENT = re.compile(r"  +# .*$")
_HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
_SENTENCES = re.compile(r"(?<=[.?!:])(?:\*\*|\*)?\s+(?=[A-Z“*$`\[])")
_IMPORT = re.compile(r"^(?:from \S+ import (?:\([^)]*\)|.*)|import .*)\n*", re.MULTILINE)
_NO_PLACE = re.compile(
    r"^(?:<|\*(?:Do this|Easy|Medium|Harder|Optional)|#|\|?---)|^\*\*A good place to stop|^\*Here the core ends"
)
_WORTH = {"control": 4, "tasks": 3, "picture": 2, "code": 1, "text": 1}  # what stays where not all can
_WIDGET = "application/vnd.jupyter.widget-view+json"


class StaleNotebook(LookupError):
    """A notebook was built before its plan got the headings that it has now."""


@dataclass(frozen=True)
class Slide:
    """One slide: what is said, in Markdown, and the cell whose code or output is beside it."""

    heading: str
    kind: str  # control, tasks, picture, code, text
    said: tuple[str, ...] = ()
    cell: NotebookNode | None = field(default=None, compare=False)


def slides_of(notebook: NotebookNode, plan: Plan) -> list[Slide]:
    """Return the slides of a lesson for 50 minutes: its title first, then those of each part that the plan takes.

    Raises StaleNotebook where the plan has a part that is not in the notebook.
    """
    sections = dict(_sections(notebook))
    slides = [Slide(plan_title(notebook), "title")]
    if gone := [part.heading for part in plan.parts if part.heading not in sections]:
        raise StaleNotebook(f"{plan_title(notebook)}: the notebook has no “{gone[0]}” yet: build it by `make lessons`.")
    for part in plan.parts:
        if part.minutes[0]:
            found = list(_of_section(part.heading, sections[part.heading])) or [Slide(part.heading, "text")]
            slides += _best(found, max(1, int(part.minutes[0] / _EACH)))
    return slides[:MOST]


def numbers_of(notebook: NotebookNode, plan: Plan) -> dict[str, str]:
    """Return for each part of the plan the numbers of its slides, such as "4–5"."""
    places: dict[str, list[int]] = {}
    for number, slide in enumerate(slides_of(notebook, plan), 1):
        places.setdefault(slide.heading, []).append(number)
    return {name: "–".join(map(str, dict.fromkeys((at[0], at[-1])))) for name, at in places.items()}


def plan_title(notebook: NotebookNode) -> str:
    """Return the lesson's title, as its first heading says it."""
    return _HEADING.search(notebook.cells[0].source)[2]


def _best(slides: Sequence[Slide], most: int) -> list[Slide]:
    """Pick at most so many, in their order: what is worth most, and of that the first and the last."""
    middle = (len(slides) - 1) / 2
    order = sorted(range(len(slides)), key=lambda i: (-_WORTH[slides[i].kind], -abs(i - middle), i))
    return [slides[i] for i in sorted(order[:most])]


def _sections(notebook: NotebookNode) -> Iterator[tuple[str, list[Any]]]:
    """Return each heading with what stands under it: paragraphs, as texts, and code cells."""
    heading, content = "", []
    for cell in notebook.cells:
        if "questions" in cell.metadata.get("tags", []):
            continue  # they are for one reader; a class has those of the plan
        if cell.cell_type == "code":
            content.append(cell)
            continue
        for block in re.split(r"\n\s*\n", cell.source):
            if found := _HEADING.match(block):
                yield heading, content
                heading, content = found[2], []
                block = block[found.end() :]
            if block.strip() and not _NO_PLACE.match(block.strip()):
                content.append(block.strip())
    yield heading, content


def _of_section(heading: str, content: Sequence[Any]) -> Iterator[Slide]:
    said: list[str] = []
    all_said = [thing for thing in content if isinstance(thing, str)]
    given = False
    for thing in content:
        if isinstance(thing, str):
            said.append(thing)
            continue
        kind = _kind(thing)
        tasks = [text for text in said if text.startswith("1. ")]
        if kind == "control" and tasks:
            yield Slide(heading, "tasks", tuple(tasks[-1:]))
        if kind:
            given = True
            told = {"control": [], "picture": said[-1:]}.get(kind, said[-2:])
            yield Slide(heading, kind, _short(told), thing)
        said = []
    if all_said and not given:
        yield Slide(heading, "text", _short(all_said, 4))


def _kind(cell: NotebookNode) -> str:
    """Return what a cell gives that a wall can show; nothing where it only defines, or where no code is left to see."""
    if "note_check(" in cell.source:
        return ""  # what a lecture note prints is looked at on its page
    data = [output.get("data", {}) for output in cell.outputs]
    if any(_WIDGET in one for one in data):
        return "control" if "AnyModel" in str(cell.metadata) or "Control(" in cell.source else ""
    if any("<img" in str(one.get("text/html", "")) or "<svg" in str(one.get("text/html", "")) for one in data):
        return "picture"
    return "code" if cell.outputs else ""


def code_of(cell: NotebookNode) -> str:
    """Return the code of a cell as a slide shows it: without imports; nothing where it is too long."""
    code = re.sub(r"\n{2,}", "\n", _IMPORT.sub("", cell.source)).strip()
    lines = [line for line in code.splitlines() if not line.lstrip().startswith("#")]
    lines = [line if len(line) <= _WIDE else _COMMENT.sub("", line) for line in lines]
    return "\n".join(lines) if len(lines) <= _LINES else ""


def _short(blocks: Sequence[str], most: int = 2) -> tuple[str, ...]:
    """Pick the first sentences of what is said, formulas whole: two of a picture or of code, else more."""
    shown: list[str] = []
    for block in blocks[-most:]:
        whole = block.startswith(("$$", "- ", "1. ", "|", "```"))
        shown.append(block if whole else first_sentences(block, 2))
    return tuple(shown)


def first_sentences(text: str, most: int) -> str:
    """Return the first sentences of a text in Markdown."""
    text = " ".join(_SENTENCES.split(text)[:most])
    return text.replace("**", "") if text.count("**") % 2 else text
