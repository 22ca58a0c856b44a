"""The exercises of lesson 18, why it works, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from utils.course.exercises.exercise import Exercise, choice

# --- there, and there to stay -----------------------------------------------------------------------------------


def _for_good_with(
    missing: Callable[[int | None], bool] = lambda reached: reached is None,
) -> Callable[[Sequence[int], Sequence[float], float], int | None]:
    """The step from which the score stays at the target; `missing` says whether none has been found yet."""

    def for_good(steps: Sequence[int], scores: Sequence[float], target: float) -> int | None:
        reached = None
        for step, score in zip(steps, scores, strict=True):
            if score < target:
                reached = None
            elif missing(reached):
                reached = step
        return reached

    return for_good


_for_good = _for_good_with()


def _in_a_row(steps: Sequence[int], scores: Sequence[float], target: float) -> int | None:
    pairs = zip(steps[:-1], scores[:-1], scores[1:], strict=True)
    return next((step for step, one, after in pairs if min(one, after) >= target), None)


def _or(found: int | None, otherwise: int) -> int:
    return otherwise if found is None else found


_CURVES = [
    ([50, 100, 150, 200, 250, 300], [0.1, 0.6, 0.91, 0.88, 0.9, 0.95], 0.9),
    ([25, 75, 125, 200, 300], [0.2, 0.97, 0.9, 0.95, 0.99], 0.95),
    ([10, 20, 30, 40], [0.2, 0.99, 0.6, 0.8], 0.9),
    ([40, 80, 120], [0.7, 0.9, 0.8], 0.5),
    ([30, 60, 90, 120], [0.1, 0.2, 0.4, 0.5], 0.9),
    ([15, 35, 55, 75, 95], [0.1, 0.95, 0.96, 0.2, 0.99], 0.95),
    ([20, 45, 70], [0.1, 0.2, 0.95], 0.95),
    ([0, 5, 25, 45], [0.6, 0.7, 0.65, 0.9], 0.5),
    ([20, 40, 60, 80], [0.3, 0.9, 0.95, 0.8], 0.9),  # only the last score falls
]

_FOR_GOOD = Exercise(
    "18.for_good",
    "there, and there to stay",
    _for_good,
    _CURVES,
    [
        "You take the first point that reaches the target, but the score may fall below it again. Find the step from "
        "which the score stays there.",
        lambda steps, scores, target: next(
            (step for step, score in zip(steps, scores, strict=True) if score >= target), None
        ),
        "You ask for scores above the target, but a score equal to the target has also reached it. Compare with `>=`.",
        lambda steps, scores, target: _for_good(steps, scores, np.nextafter(target, np.inf)),
        "You look only one score ahead, so a later fall goes unnoticed, and so does the last score. Make sure that "
        "all later scores reach the target.",
        _in_a_row,
        "You treat step 0 as not reached, because `not` is true for 0 as well. Compare with None instead: `is None`.",
        _for_good_with(missing=lambda reached: not reached),
        "You return the index in the list, but the exercise needs the step. Look up the step in `steps` and return "
        "that.",
        lambda steps, scores, target: _for_good(range(len(steps)), scores, target),
        "You return a step even if the score doesn't stay at the target. In that case, return None.",
        lambda steps, scores, target: _or(_for_good(steps, scores, target), steps[-1]),
        "You return 0 if the score doesn't stay at the target, but step 0 is before training. Return None.",
        lambda steps, scores, target: _or(_for_good(steps, scores, target), 0),
        "You return the step with the highest score, but the target may be reached earlier, or never. Compare the "
        "scores with the target.",
        lambda steps, scores, target: steps[int(np.argmax(scores))],
    ],
)

_WHICH = choice(
    "18.which",
    "b",
    "a label learnt by heart doesn't help with a new word, which must have something in common with the others of its "
    "kind.",
    {
        "a": (
            "You chose more sentences, but the words are the same. A probe that knows each label by heart does just "
            "as well there."
        ),
        "c": (
            "You chose random labels, but these show the opposite: the probe can learn by heart what no model has "
            "learnt."
        ),
        "d": (
            "You chose a larger probe, which can learn more by heart. That tells you more about the probe, and less "
            "about the states."
        ),
    },
)

EXERCISES = [_FOR_GOOD, _WHICH]
