"""What the control of this lesson asks, and what is done when it is done."""

from __future__ import annotations

from utils.course.tasks import Tasks
from utils.data.example import W_Q, W_V, X

tasks = Tasks()


@tasks.ask("N3's example, and W_K alone: make x₁ pay more than half of its attention to itself. One number is enough.")
def _(at, shown):
    return (shown[0].values == X @ W_Q).all() and (shown[2].values == X @ W_V).all() and shown[4].values[0, 0] > 0.5


@tasks.ask("Make all three pay more than 0.99 to x₂.")
def _(at, shown):
    return shown[4].values[:, 1].min() > 0.99


@tasks.ask("Make x₁ pay the same to all three, and x₂ not.")
def _(at, shown):
    return [float(row.max() - row.min()) < 0.01 for row in shown[4].values[:2]] == [True, False]
