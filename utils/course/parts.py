"""Use the student's own parts in later lessons: each part that passes its exercise, and otherwise the course's."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

from utils.course.exercises import EXERCISES, Verdict, judged


def stand_ins(module: ModuleType) -> ModuleType:
    """Return a copy of `module`, whose parts stand in for the parts that a student has not written yet.

    In the copy, `best_of` can replace parts by the student's, so that the course's other parts call them.
    """
    spec = importlib.util.spec_from_file_location(f"{module.__name__}_standing_in", module.__file__)
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


def best_of(name: str, own: Any, courses: ModuleType) -> Any:
    """Return `own` if it passes the exercise `name`, else the part of `courses` with the name of `own`; print which.

    Put an `own` that passes into `courses`, a copy made by `stand_ins`, so that the course's other parts use it, too.
    Raise ValueError if there is no exercise `name`, or if `courses` has no part with the name of `own`.
    """
    if name not in EXERCISES:
        raise ValueError(f"there is no exercise {name!r}.")
    called = getattr(own, "__name__", None)
    if not hasattr(courses, str(called)):
        raise ValueError(f"{called!r} is no part of {courses.__name__}: hand over your function or class itself.")
    if judged(EXERCISES[name], own).verdict is Verdict.PASSED:
        setattr(courses, called, own)
        print(f"{called}: yours")
        return own
    print(f"{called}: the course's stands in, until yours passes")
    return getattr(courses, called)
