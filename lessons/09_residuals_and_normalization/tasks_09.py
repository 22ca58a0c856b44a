"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

import numpy as np

from utils.course.tasks import Tasks

N4 = np.array([[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]])

tasks = Tasks()


@tasks.ask("No ε: give token 1 three other numbers, so that its row of y stays as it is.")
def _(at, shown):
    return at.x[0].tolist() != N4[0].tolist() and np.allclose(shown[3].values[0], [-(1.5**0.5), 0, 1.5**0.5])


@tasks.ask("N4's table: by γ and β alone, make every number of y 1.")
def _(at, shown):
    return (at.x == N4).all() and np.allclose(shown[3].values, 1)


@tasks.ask("N4's table: find an ε that makes y₁₃ less than half as large.")
def _(at, shown):
    return (
        (at.x == N4).all()
        and (at.gamma == 1).all()
        and (at.beta == 0).all()
        and at.eps == 0.1
        and at.norm == "layer norm"
    )
