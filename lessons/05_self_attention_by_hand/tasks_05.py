"""The tasks of this lesson's interactive figure, and how each is recognized as done."""

from __future__ import annotations

from utils.course.tasks import Tasks
from utils.data.example import W_Q, W_V, X

tasks = Tasks()


@tasks.ask(
    "In our example, change only W_K, so that x₁ pays more than half of its attention to itself. One entry will do."
)
def _(at, shown):
    return (shown[0].values == X @ W_Q).all() and (shown[2].values == X @ W_V).all() and shown[4].values[0, 0] > 0.5


@tasks.ask("Make each of the three tokens pay more than 0.99 of its attention to x₂.")
def _(at, shown):
    return shown[4].values[:, 1].min() > 0.99


@tasks.ask("Make x₁ pay the same attention to all three tokens, without x₂ doing the same.")
def _(at, shown):
    return [float(row.max() - row.min()) < 0.01 for row in shown[4].values[:2]] == [True, False]
