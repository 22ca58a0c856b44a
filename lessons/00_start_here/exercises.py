"""The exercise of lesson 00, for trying out how exercises work."""

from __future__ import annotations

from utils.course.exercises.exercise import Exercise

EXERCISES = (
    Exercise(
        "00.square",
        "the square of a number",
        lambda x: x * x,
        [(3.0,), (-1.5,), (0.25,)],
        [
            "You multiplied three x's, which gives the cube. The square has only two of them: return x · x.",
            lambda x: x * x * x,
            "You doubled x. The square is x times x, not x plus x, so multiply instead of adding.",
            lambda x: 2 * x,
            "You returned x unchanged, but the square is x times itself. Multiply it by x.",
            lambda x: x,
            "You get the correct result for positive numbers. But the square of a negative number is positive as "
            "well, so return x · x.",
            lambda x: x * abs(x),
            "You took the square root, which goes the other way. The square is x times x.",
            lambda x: x**0.5,
            "You raised 2 to the power of x. The square raises x to the power of 2: `x ** 2`.",
            lambda x: 2**x,
        ],
    ),
)
