"""Provide the seeds of everything trained in a lesson, so that one environment variable can change them all."""

from __future__ import annotations

import os

VARIABLE = "COURSE_SEED"


def seed(number: int = 0) -> int:
    """Return `number` plus the environment variable COURSE_SEED, which counts as 0 if it is not set.

    Lessons pass the seeds of their trainings through it: `COURSE_SEED=7` repeats the whole course with other
    random numbers, which shows what holds for only one seed. Raises ValueError unless the variable is a whole number
    of at least 0.
    """
    text = os.environ.get(VARIABLE, "0")
    if not text.isdecimal():
        raise ValueError(f"{VARIABLE} must be a whole number of at least 0, such as 1; it is {text!r}.")
    return number + int(text)
