"""The exercise of lesson 00: one to try out how exercises work."""

from __future__ import annotations

from utils.course.exercises.exercise import Exercise

EXERCISES = (
    Exercise(
        "00.square",
        "the square of a number",
        lambda x: x * x,
        [(3.0,), (-1.5,), (0.25,)],
        {
            "You took x three times: that is the cube. The square is x · x.": lambda x: x * x * x,
            "You doubled x. The square is x times x, not x plus x.": lambda x: 2 * x,
            "You gave x back as it came. Multiply it by itself.": lambda x: x,
            "Right for positive numbers. The square of a negative number is positive too.": lambda x: x * abs(x),
            "That is the square root. The square is x · x.": lambda x: x**0.5,
            "That is 2 to the power of x. The square is `x ** 2`.": lambda x: 2**x,
        },
    ),
)
