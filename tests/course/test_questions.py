"""Questions that come back: each choice with its sentence, every number recomputed, and due on the right days."""

from __future__ import annotations

import json
import math
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.node import node
from utils import site
from utils.by_hand.attention import attention_steps, softmax
from utils.by_hand.decoder import cross_attention
from utils.by_hand.multi_head import split_heads
from utils.by_hand.positional import positional_encoding
from utils.course.lessons import all_lessons
from utils.course.progress import Attempt, read_progress, record, tick
from utils.course.questions import (
    Asked,
    Question,
    all_questions,
    answer,
    due,
    learnt_on,
    questions_after,
    questions_before,
)

BY_NAME = {question.name: question for of in all_questions().values() for question in of}
LESSONS = {lesson.number: lesson for lesson in all_lessons()}
pytestmark = pytest.mark.usefixtures("progress")
DAY = date(2026, 11, 25)
JS = Path(site.__file__).with_name("questions.js")


def after(days: int) -> date:
    return DAY + timedelta(days=days)


def names(questions: list[Question]) -> list[str]:
    return [question.name for question in questions]


# --- what is asked ---


def flaws(one: Question) -> list[str]:
    """Return what is wrong with the choices of a question."""
    texts, sentences = zip(*((choice.text, choice.sentence) for choice in one.choices), strict=True)
    whole = {
        "one right choice": sum(choice.right for choice in one.choices) == 1,
        "three choices": len(one.choices) >= 3,
        "different choices": len(set(texts)) == len(set(sentences)) == len(texts),
        "whole sentences": all(sentence.endswith(".") and sentence == sentence.lstrip() for sentence in sentences),
    }
    return [what for what, holds in whole.items() if not holds]


def test_every_choice_has_its_own_sentence_and_one_is_right() -> None:
    assert not {name: found for name, one in BY_NAME.items() if (found := flaws(one))}


def test_each_teaching_lesson_asks_six_questions_with_the_answer_in_any_place() -> None:
    assert set(LESSONS) - set(all_questions()) == {"19"}, "every other lesson has questions"
    assert len({question.text for question in BY_NAME.values()}) == len(BY_NAME)
    for number, questions in all_questions().items():
        places = [[choice.right for choice in one.choices].index(True) for one in questions]
        assert len(places) >= 6 and len(set(places)) >= 3, f"{number}: six or more, the right one in three places"
    places = Counter([choice.right for choice in one.choices].index(True) for one in BY_NAME.values())
    assert all(places[place] > len(BY_NAME) / 4 for place in (0, 1, 2))


def test_lesson_asks_first_about_the_lessons_it_needs() -> None:
    def needed(number: str) -> set[str]:
        return set(LESSONS[number].needs).union(*(needed(other) for other in LESSONS[number].needs))

    for number, lesson in LESSONS.items():
        asked = questions_before(lesson)
        # What needs the start page alone has nothing to ask about, and the first lesson asks about that page.
        assert len(asked) == (3 if needed(number) - {"00"} or number == "01" else 0), f"{number} asks 3 before, or none"
        assert {question.lesson for question in asked} <= needed(number), f"{number} asks about what it does not need"
        assert not set(asked) & set(questions_after(number))


# --- every number ---


def right(name: str) -> str:
    return next(choice.text for choice in BY_NAME[name].choices if choice.right)


def rounded(row, places: int = 3) -> str:
    return ", ".join(f"{x:.{places}f}" for x in np.ravel(row))


e = math.exp
NUMBERS = {
    "00.float": lambda: str(0.1 + 0.2 == 0.3),
    "01.shares": lambda: rounded(softmax(np.array([0.0, 2, 0, 1]))),
    "01.width": lambda: str((np.ones(40) @ np.ones((40, 16))).size),
    "02.batch": lambda: str(np.ones((100, 16))[np.ones((2, 7), int)].shape),
    "02b.chain": lambda: f"{3 * 0.5} times as fast",
    "02b.ways": lambda: f"{(2 * 1.5 + 3 * 1.5) - (2 * 0.5 + 3 * 0.5):.0f}",
    "02b.sigmoid": lambda: f"−{1 - 1 / (1 + e(0))}",
    "03.power": lambda: f"{16**0.75:.0f} times",
    "03.error": lambda: f"−{1 - 0.9:.1f}",
    "03.kmers": lambda: str(sum(len(range(start, 9 - 2, 3)) for start in range(3))),
    "04.radians": lambda: "{:.6f} and {:.6f}".format(*positional_encoding(2, 3)[1, :2]),
    "04.zero": lambda: rounded(positional_encoding(1, 4)[0], 0),
    "04.exponent": lambda: f"by {100 ** (2 / 4):.0f} and by {100 ** (2 / 4):.0f}",
    "05.shape": lambda: "{} × {}".format(*attention_steps(np.ones((5, 8)), *[np.ones((8, 2))] * 3).scores.shape),
    "05.softmax": lambda: rounded(softmax(np.array([2.0, 4, 4]))),
    "05.output": lambda: f"{np.dot([0.5, 0.5, 0], [2, 4, 100]):.0f}",
    "06.head": lambda: f"{math.sqrt(512 / 8):.0f}",
    "06.variance": lambda: f"about {math.sqrt(64):.0f}",
    "06.slope": lambda: f"at p = {max((p for p in (0.5, 0.25, 0.999)), key=lambda p: -p * (1 - p))}",
    "07.count": lambda: str(split_heads(np.ones((10, 512)), n_heads=8).shape[0] * 10 * 10),
    "08.share": lambda: "{:.1f}, {:.1f} and {:.0f}".format(*softmax(np.log([0.2, 0.3, 1e-300]))),
    "09.norm": lambda: "−{0:.6f}, 0, {0:.6f}".format(0.1 / np.std([0.1, 0.2, 0.3])),
    "11.shape": lambda: "{} × {}".format(*cross_attention(np.ones((3, 2)), np.ones((5, 2)), *[np.eye(2)] * 3)[1].shape),
    "11.loss": lambda: f"{-np.log([0.5, 0.25]).mean():.2f}",
    "12.mean": lambda: str((10 * 2 + 30 * 4) / 40),
    "12.guess": lambda: f"{math.log(100):.2f}",
    "13.cache": lambda: str(sum(range(1, 11))),
    "17.tokens": lambda: str((28 // 7) ** 2 + 1),
    "17.wide": lambda: str(16 * 16 * 3),
    "18b.rescale": lambda: f"{e(2 - 5):.4f}",
    "18b.block": lambda: str(2 * 512 + 2048),
    "20.hide": lambda: f"{0.4 / (1 - 0.2)}",
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_right_number_is_computed(name: str) -> None:
    assert right(name) == NUMBERS[name]()


# --- when it is asked again ---


def three_lessons() -> dict[str, Attempt]:
    return {f"{number}.any": Attempt(1, True, DAY.isoformat()) for number in ("05", "06", "08")}


def answer_all(today: date, right: bool = True) -> list[str]:
    asked = due(read_progress(), today)
    for question in asked:
        assert answer(question.name, right, today) is None
    return names(asked)


def begin(progress, kept: dict[str, Attempt]) -> None:
    progress.write_text(json.dumps({name: vars(attempt) for name, attempt in kept.items()}))


def test_due_gives_the_right_five_on_day_one_four_and_eleven(progress) -> None:
    begin(progress, three_lessons())
    assert due(read_progress(), DAY) == []
    first = ["05.shape", "06.scale", "08.after", "05.pays", "06.shift"]
    assert answer_all(after(1)) == first and due(read_progress(), after(1)) == []
    assert names(due(read_progress(), after(2))) == ["08.first", "05.alike", "06.head", "08.share", "05.swap"]
    assert answer_all(after(4)) == first
    assert not set(first) & set(names(due(read_progress(), after(10))))
    assert answer_all(after(11)) == first
    assert names(due(read_progress(), after(32)))[:5] == first


def test_due_brings_back_wrong_answers_next_day(progress) -> None:
    begin(progress, three_lessons())
    first = answer_all(after(1), right=False)
    assert answer_all(after(2), right=False) == first and answer_all(after(3)) == first
    assert not set(first) & set(names(due(read_progress(), after(5)))) and answer_all(after(6)) == first


def test_asked_saves_a_choice_and_says_if_it_cannot(progress) -> None:
    asked = Asked("Two.", "", questions_before(LESSONS["08"])[:2])
    name = asked.questions[0].name
    asked._handle_custom_msg({"name": name, "right": True}, [])
    assert read_progress() and asked.said == ""
    progress.unlink()
    progress.mkdir()
    asked._handle_custom_msg({"name": name, "right": True}, [])
    assert asked.said


def test_lesson_is_done_by_an_exercise_a_tick_or_its_last_questions() -> None:
    assert record("05.scores", False) is None and learnt_on(read_progress()) == {}
    record("05.scores", True)
    tick("road.evening.06", True)
    tick("road.evening.07", True)
    tick("road.evening.07", False)
    for question in questions_after("08"):
        assert "08" not in learnt_on(read_progress())
        answer(question.name, False, DAY)
    today = date.today().isoformat()
    assert learnt_on(read_progress()) == {"05": today, "06": today, "08": DAY.isoformat()}


def test_site_asks_the_same_as_python(progress) -> None:
    """Two months of a student who skips days, forgets, and finishes lessons now and then."""
    rng, day, steps = np.random.default_rng(0), DAY, []
    lessons = list(rng.permutation(list(all_questions()))[:8])
    for _ in range(40):  # one of these days the clock is wrong
        day += timedelta(days=int(rng.integers(0, 4)))
        done = {}
        if lessons and rng.random() < 0.3:
            done = {f"road.evening.{lessons.pop()}": {"tries": 0, "passed": True, "day": day.isoformat()}}
        answers = [[str(name), bool(rng.random() < 0.7)] for name in rng.choice(list(BY_NAME), 2)]
        if len(steps) == 20:
            done = {"asked.06.head": {"tries": 1, "passed": True, "day": "2036-01-01", "step": 1}}
        steps.append({"day": day.isoformat(), "done": done, "answers": answers, "right": bool(rng.random() < 0.8)})
    source = f"""
const course = {{}}, document = {{ addEventListener() {{}} }};
{JS.read_text(encoding="utf-8")}
const names = {json.dumps(list(BY_NAME))};
let progress = {{}};
const told = {json.dumps(steps)}.map(({{ day, done, answers, right }}) => {{
  Object.assign(progress, done);
  const due = course.questions.due(progress, day, names);
  for (const [name, ok] of [...due.map((name) => [name, right]), ...answers])
    progress = course.questions.withAnswer(progress, name, ok, day, names);
  return due;
}});
console.log(JSON.stringify(told));
"""
    told = json.loads(node("--input-type=module", "-", source=source))
    for step, theirs in zip(steps, told, strict=True):
        begin(progress, read_progress() | {name: Attempt(**value) for name, value in step["done"].items()})
        today = date.fromisoformat(step["day"])
        ours = names(due(read_progress(), today))
        assert ours == theirs
        for name, ok in [*((name, step["right"]) for name in ours), *step["answers"]]:
            answer(name, ok, today)
    assert sum(map(len, told)) > 60
