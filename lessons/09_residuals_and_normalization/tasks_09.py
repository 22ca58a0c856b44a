"""The tasks of the interactive figure of lesson 09."""

from __future__ import annotations

from utils.course.tasks import Tasks

FIRST = [[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]]

tasks = Tasks()
tasks.ask_when(
    "Without ε, give token 1 three other numbers, so that its row of y stays the same.",
    ("x[0]", "not =", FIRST[0]),
    ("y[0]", "≈", [-(1.5**0.5), 0, 1.5**0.5]),
)
tasks.ask_when(
    "With the first table, make every entry of y 1, by changing only γ and β.", ("x", "=", FIRST), ("y", "≈", 1)
)
tasks.ask_when(
    "With the first table, find an ε that makes y₁₃ less than half as large.",
    *(("x", "=", FIRST), ("gamma", "=", 1), ("beta", "=", 0), ("eps", "=", 0.1), ("norm", "=", "layer norm")),
)
