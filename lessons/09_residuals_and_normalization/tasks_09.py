"""The tasks of the interactive figure of lesson 09."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

FIRST = np.array([[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]])

tasks = Tasks()


@tasks.ask("Without ε, give token 1 three other numbers, so that its row of y stays the same.")
def _(at, shown):
    return at.x[0].tolist() != FIRST[0].tolist() and np.allclose(shown[3].values[0], [-(1.5**0.5), 0, 1.5**0.5])


@tasks.ask("With the first table, make every entry of y 1, by changing only γ and β.")
def _(at, shown):
    return (at.x == FIRST).all() and np.allclose(shown[3].values, 1)


@tasks.ask("With the first table, find an ε that makes y₁₃ less than half as large.")
def _(at, shown):
    return (
        (at.x == FIRST).all()
        and (at.gamma == 1).all()
        and (at.beta == 0).all()
        and at.eps == 0.1
        and at.norm == "layer norm"
    )
