"""Define the routes through the course, in one evening or two; each is a list of stops to tick off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import ipywidgets

from utils.course.lessons import Lesson, LessonError, Section, all_lessons
from utils.course.progress import read_progress, tick

KEPT = "road"  # the prefix of ticked stops in the progress file; the old name stays, so that no student's tick is lost


@dataclass(frozen=True)
class Stop:
    """A part of one lesson: its opening and the core sections in `headings`, or the whole core if there are none."""

    number: str  # the lesson's number
    does: str  # the student's activity, in one line
    headings: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()  # if `headings` is empty, the sections to leave out

    def sections(self, lesson: Lesson) -> tuple[Section, ...]:
        """Return the core sections of `lesson` to read at this stop, in their order.

        Raise LessonError if a heading is not in the core.
        """
        core = tuple(section for section in lesson.sections if not section.gives)
        if unknown := {*self.headings, *self.skips} - {section.heading for section in core}:
            raise LessonError(lesson.path, 1, f"a route names “{min(unknown)}”, which is no section of its core.")
        read = ("", *self.headings) if self.headings else {section.heading for section in core} - set(self.skips)
        return tuple(section for section in core if section.heading in read)

    def minutes(self, lesson: Lesson) -> int:
        """Return the minutes for the stop's sections with their exercises marked “Do this”, rounded; at least 1."""
        return max(1, round(sum(section.core_minutes for section in self.sections(lesson))))


@dataclass(frozen=True)
class Route:
    """A route through the course."""

    name: str  # one word, for the progress file
    title: str
    leads: str  # the goal, in a sentence
    at_most: int  # the most minutes that the route may take
    stops: tuple[Stop, ...]

    def minutes(self, lessons: Sequence[Lesson]) -> int:
        """Return the minutes of all stops together."""
        return sum(stop.minutes(lesson) for stop, lesson in self.on(lessons))

    def on(self, lessons: Sequence[Lesson]) -> list[tuple[Stop, Lesson]]:
        """Return the stops, each with its lesson."""
        by_number = {lesson.number: lesson for lesson in lessons}
        return [(stop, by_number[stop.number]) for stop in self.stops]


class Routes(ipywidgets.VBox):
    """The routes with a checkbox at each stop, whose ticks are saved in the progress file.

    A stop with exercises marked “Do this” is also ticked automatically once all of them are passed. In a saved notebook
    the routes are text with links; the checkboxes appear when the cell is run.
    """

    def __init__(self) -> None:
        self.boxes: dict[str, ipywidgets.Checkbox] = {}
        lessons, done = all_lessons(), _done()
        rows: list[ipywidgets.Widget] = []
        self._text = ""
        for route in ROUTES:
            said = f"<b>{escape(route.title)}, {route.minutes(lessons)} minutes.</b> {escape(route.leads)}"
            rows.append(ipywidgets.HTML(said))
            rows += [self._row(route, stop, lesson, done) for stop, lesson in route.on(lessons)]
            stops = "".join(f"<li>{line(stop, lesson)}</li>" for stop, lesson in route.on(lessons))
            self._text += f"<p>{said}</p><ul>{stops}</ul>"
        self.said = ipywidgets.HTML()  # the message if a tick could not be saved
        super().__init__([*rows, self.said])

    def _row(self, route: Route, stop: Stop, lesson: Lesson, done: set[str]) -> ipywidgets.HBox:
        key = f"{KEPT}.{route.name}.{stop.number}"
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
        return f"Routes({', '.join(route.title for route in ROUTES)})"


def line(stop: Stop, lesson: Lesson) -> str:
    """Return a stop as HTML: a link to its lesson, its minutes, the activity, and links to its sections."""
    name = lesson.notebook_name
    said = f'<a href="{name}">{lesson.number} {escape(lesson.title)}</a>, {stop.minutes(lesson)} minutes: '
    said += escape(stop.does)
    if named := [section.heading for section in stop.sections(lesson) if section.heading in stop.headings]:
        said += f" Read {_links(name, named)}."
    if stop.skips:
        said += f" Leave out {_links(name, stop.skips)}."
    return said


def _links(name: str, headings: Sequence[str]) -> str:
    parts = [escape(heading) for heading in headings]
    return ", ".join(f'<a href="{name}#{part.replace(" ", "-")}">{part}</a>' for part in parts)


def do_these(stop: Stop, lesson: Lesson) -> set[str]:
    """Return the names of the exercises marked “Do this” in the sections of a stop."""
    return {name for section in stop.sections(lesson) for name in section.do_these}


def _done() -> set[str]:
    try:
        return {name for name, attempt in read_progress().items() if attempt.passed}
    except OSError:
        return set()


# The evening's parts are the shortest route to the student's own translator; 12a provides the parts that are left out.
ONE_EVENING = Route(
    "evening",
    "One evening",
    "You write attention, the loss and the training loop of a transformer yourself, and train it until it translates; "
    "its other parts are ready. At each stop but 12a choose Run ▸ Run All Cells, then read these sections.",
    200,
    (
        Stop("00", "Get an exercise wrong on purpose.", ("Is this computer ready?", "How an exercise works")),
        Stop("02", "Words become ids, and ids become rows.", ("A word is a token", "From ids to vectors")),
        Stop(
            "05",
            "Compute one head with a pencil, and then in four lines.",
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
        Stop(
            "07",
            "Two heads ask two questions, and one more matrix mixes their answers.",
            ("Two questions, one row of weights", "A head", "Concatenate"),
        ),
        Stop("04", "Why a model has to be told where each word is.", ("Same words, another order",)),
        Stop(
            "08",
            "A mask hides the words that aren't written yet.",
            ("A sentence that is being written", "The look-ahead mask", "The mask without a loop", "How a mask works"),
        ),
        Stop(
            "09",
            "Around each part there is a sum and a norm.",
            (
                "The sum: x + F(x)",
                "The norm: bring the numbers back to size",
            ),
        ),
        Stop(
            "09b",
            "PyTorch, and the loop that trains every model.",
            (
                "A tensor is an array",
                "PyTorch finds the slopes",
                "A module holds the parameters",
                "The loss",
                "The loop",
            ),
        ),
        Stop(
            "10",
            "The feed-forward network after the attention, and the whole block.",
            ("First half: attention, add & norm", "The feed-forward network", "The block, complete"),
        ),
        Stop(
            "11",
            "Write a sentence that depends on another one.",
            ("One word after the other", "Shifted outputs", "Cross-attention"),
        ),
        Stop(
            "12a",
            "Write attention, the loss and the loop, and train a translator with them.",
            ("Attention", "Loss and loop", "Train it"),
        ),
    ),
)
EVENINGS = Route(
    "evenings",
    "Two evenings",
    "The core of each lesson on the way, without the sections that no later stop needs; at the end you write the "
    "attention, the layers, the loss and the training loop of a translator, and its other parts are ready. The first "
    "evening ends with 09. At each stop but 12a choose Run ▸ Run All Cells first.",
    330,
    (
        Stop("00", "How the lessons work.", (*ONE_EVENING.stops[0].headings, "How a lesson works")),
        Stop(
            "02",
            "Words become ids, and ids become rows.",
            skips=(
                "Three things go wrong",
                "What a vector can say",
                "What it can't say: which apple?",
                "Break it: shuffle the words",
            ),
        ),
        Stop("04", "Where each word is in the sentence.", skips=("The picture", "A table of four rows")),
        Stop("05", "Attention, with a pencil."),
        Stop(
            "06",
            "Why the scores are divided by a square root.",
            skips=("The softmax, once more", "Measured", "The width of a head, not of the model", "Shuffle the words"),
        ),
        Stop(
            "07",
            "Several heads ask at once.",
            skips=("Split, as one array", "Attend, all heads at once", "Join, and W_O"),
        ),
        Stop(
            "08",
            "Who may look at whom.",
            skips=("The padding mask", "Cross-attention: two sentences"),
        ),
        Stop("09", "What lets a deep stack learn.", skips=("γ and β",)),
        Stop(
            "09b", "PyTorch, and the loop that trains every model.", skips=("Write a module", "A batch has more axes")
        ),
        Stop(
            "10",
            "The encoder.",
            skips=("What goes in", "What the block does", "Write the block", "The same in PyTorch"),
        ),
        Stop(
            "11",
            "The decoder.",
            skips=(
                "Masked self-attention",
                "Cross-attention, all rows at once",
                "The loss",
                "The whole transformer",
                "A translator of seventy words",
            ),
        ),
        Stop(
            "12",
            "The data, the ten lines that train, and what is held out.",
            skips=("The loss", "Train it", "What has it learnt?", "So: how does a transformer learn to translate?"),
        ),
        Stop(
            "12a",
            "Write the attention, the layers, the loss and the loop of your own transformer.",
            skips=("Words and their positions", "The look-ahead mask", "Several heads", "The whole machine", "Writing"),
        ),
    ),
)
ROUTES = (ONE_EVENING, EVENINGS)
