"""The seeds of everything that is trained in a lesson, so that one variable of the environment can change them all."""

from __future__ import annotations

import os

VARIABLE = "COURSE_SEED"


def seed(number: int = 0) -> int:
    """Return `number` plus what the environment variable COURSE_SEED says, 0 where it is not set.

    Lessons pass the seeds of their trainings through it: `COURSE_SEED=7` repeats the whole course with other
    random numbers, which shows what holds for one seed alone. Raises ValueError unless the variable is a whole number
    of at least 0.
    """
    text = os.environ.get(VARIABLE, "0")
    if not text.isdecimal():
        raise ValueError(f"{VARIABLE} must be a whole number of at least 0, such as 1; it is {text!r}.")
    return number + int(text)
