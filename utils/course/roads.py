"""Ways through the course: one evening, two or three, all of it; each a list of stops that can be ticked off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import ipywidgets

from utils.course.exercises import EXERCISES
from utils.course.lessons import Lesson, LessonError, Section, all_lessons
from utils.course.progress import read_progress, tick


@dataclass(frozen=True)
class Stop:
    """A part of one lesson: its opening and these sections of its core, or all of the core where none is named."""

    number: str  # of the lesson
    does: str  # what one does there, in a line
    headings: tuple[str, ...] = ()

    def sections(self, lesson: Lesson) -> tuple[Section, ...]:
        """Return the core sections of `lesson` that are read here, in their order.

        Raises LessonError where a heading is not one of its core.
        """
        core = tuple(section for section in lesson.sections if not section.gives)
        if unknown := set(self.headings) - {section.heading for section in core}:
            raise LessonError(lesson.path, 1, f"a road leads to “{min(unknown)}”, which is no section of its core.")
        return tuple(section for section in core if not self.headings or section.heading in ("", *self.headings))

    def minutes(self, lesson: Lesson) -> int:
        """Return what its sections take, with the exercises that they mark “Do this”, to the nearest minute."""
        return max(1, round(sum(section.core_minutes for section in self.sections(lesson))))


@dataclass(frozen=True)
class Road:
    """A way through the course."""

    name: str  # a word, for what is kept of it
    title: str
    leads: str  # where it leads, in a sentence
    at_most: int  # minutes
    stops: tuple[Stop, ...]

    def minutes(self, lessons: Sequence[Lesson]) -> int:
        """Return all of its stops together."""
        return sum(stop.minutes(lesson) for stop, lesson in self.on(lessons))

    def on(self, lessons: Sequence[Lesson]) -> list[tuple[Stop, Lesson]]:
        """Return its stops, each with its lesson."""
        by_number = {lesson.number: lesson for lesson in lessons}
        return [(stop, by_number[stop.number]) for stop in self.stops]


class Roads(ipywidgets.VBox):
    """The roads with a box to tick at each stop; what is ticked is kept with the progress.

    A stop is ticked by itself, too, once all exercises that it marks “Do this” are passed. Saved, they are text with
    links: the boxes come when the cell is run.
    """

    def __init__(self) -> None:
        self.boxes: dict[str, ipywidgets.Checkbox] = {}
        lessons, done = all_lessons(), _done()
        rows: list[ipywidgets.Widget] = []
        self._text = ""
        for road in ROADS:
            said = f"<b>{escape(road.title)}, {road.minutes(lessons)} minutes.</b> {escape(road.leads)}"
            rows.append(ipywidgets.HTML(said))
            rows += [self._row(road, stop, lesson, done) for stop, lesson in road.on(lessons)]
            stops = "".join(f"<li>{line(stop, lesson)}</li>" for stop, lesson in road.on(lessons))
            self._text += f"<p>{said}</p><ul>{stops}</ul>"
        self.said = ipywidgets.HTML()  # where what is ticked could not be kept
        super().__init__([*rows, self.said])

    def _row(self, road: Road, stop: Stop, lesson: Lesson, done: set[str]) -> ipywidgets.HBox:
        key = f"road.{road.name}.{stop.number}"
        asked = do_these(stop, lesson)
        ticked = key in done or (bool(asked) and asked <= done)
        box = ipywidgets.Checkbox(ticked, description="", indent=False, tooltip=f"{lesson.number} is done")
        box.layout.width = "1.6em"
        box.observe(partial(self._keep, key), "value")
        self.boxes[key] = box
        return ipywidgets.HBox([box, ipywidgets.HTML(line(stop, lesson))])

    def _keep(self, key: str, change: Mapping[str, Any]) -> None:
        self.said.value = escape(tick(key, bool(change["new"])) or "")

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        return {**super()._repr_mimebundle_(**kwargs), "text/html": self._text}

    def __repr__(self) -> str:
        return f"Roads({', '.join(road.title for road in ROADS)})"


def line(stop: Stop, lesson: Lesson) -> str:
    """Return a stop as HTML: a link to its lesson, minutes, what one does there, and links to its sections."""
    name = lesson.notebook_name
    said = f'<a href="{name}">{lesson.number} {escape(lesson.title)}</a>, {stop.minutes(lesson)} minutes: '
    said += escape(stop.does)
    if stop.headings:
        parts = [escape(section.heading) for section in stop.sections(lesson) if section.heading]
        links = [f'<a href="{name}#{part.replace(" ", "-")}">{part}</a>' for part in parts]
        said += f" Read {', '.join(links)}."
    return said


def do_these(stop: Stop, lesson: Lesson) -> set[str]:
    """Return the names of the exercises that a stop marks “Do this”."""
    marked: set[str] = set()
    for section in stop.sections(lesson):
        for part in section.text.split("\n*Do this. ")[1:]:
            marked |= {name for name in EXERCISES if f'check("{name}"' in part.split("\n### ")[0]}
    return marked


def _done() -> set[str]:
    try:
        return {name for name, attempt in read_progress().items() if attempt.passed}
    except OSError:
        return set()


# The evening's parts are the shortest way to a translator of one's own: what is left out stands in 12a ready-made.
ONE_EVENING = Road(
    "evening",
    "One evening",
    "You write the heart of a transformer yourself, and train it until it translates; its other parts stand ready. "
    "At each stop choose Run ▸ Run All Cells, then read these sections.",
    180,
    (
        Stop("00", "Get an exercise wrong on purpose.", ("Is this computer ready?", "How an exercise works")),
        Stop("02", "Words become ids, and ids rows of numbers.", ("A word is a token", "From ids to vectors")),
        Stop(
            "05",
            "One head, with a pencil, and then in four lines.",
            (
                "A word that needs another one",
                "Query, key and value",
                "Step 1: three tokens",
                "Step 2: three matrices",
                "Step 3: a query, a key and a value for every token",
                "Step 4: scores",
                "Step 5: from scores to weights",
                "Steps 6 to 8: weigh the values and add them up",
                "All of it in one line",
            ),
        ),
        Stop("06", "Why √d_k.", ("The softmax, once more", "How large is a score?")),
        Stop("07", "Two heads, two questions.", ("Two questions, one row of weights", "A head", "Concatenate")),
        Stop("04", "Where a word stands.", ("Same words, another order", "Sine and cosine", "Token + position")),
        Stop(
            "08",
            "A mask, written by you.",
            ("A sentence that is being written", "The look-ahead mask", "How a mask works"),
        ),
        Stop(
            "09",
            "The sum and the norm around each part.",
            (
                "A layer on a layer on a layer",
                "The sum: x + F(x)",
                "The norm: bring the numbers back to size",
                "Add & norm: which comes first?",
            ),
        ),
        Stop("09b", "PyTorch, and the loop that trains every model."),
        Stop(
            "10",
            "The network behind the attention, and the block.",
            ("What goes in", "First half: attention, add & norm", "The feed-forward network", "The block, complete"),
        ),
        Stop(
            "11",
            "A sentence that depends on another one.",
            ("One word after the other", "Shifted outputs", "Masked self-attention", "Cross-attention"),
        ),
        Stop(
            "12a",
            "Attention, mask, loss and loop are yours, and the translator that they make.",
            ("Words, attention and masks", "Loss, loop and writing", "Train it"),
        ),
    ),
)
EVENINGS = Road(
    "evenings",
    "Two or three evenings",
    "The core of each lesson on the way, and at its end a transformer of which you have written every line.",
    300,
    tuple(
        Stop(number, does)
        for number, does in {
            "00": "How the lessons work.",
            "02": "From words to numbers.",
            "04": "Where a word stands.",
            "05": "Attention, with a pencil.",
            "06": "Why √d_k.",
            "07": "Several heads.",
            "08": "Who may look at whom.",
            "09": "What keeps a deep stack alive.",
            "09b": "PyTorch and the training loop.",
            "10": "The encoder.",
            "11": "The decoder.",
            "12": "Training.",
            "12a": "Your own transformer, all ten parts.",
        }.items()
    ),
)
ROADS = (ONE_EVENING, EVENINGS)
