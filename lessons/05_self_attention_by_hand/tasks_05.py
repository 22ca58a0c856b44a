"""The tasks of this lesson's interactive figure, and how each is recognized as done."""

from __future__ import annotations

from utils.course.tasks import Tasks
from utils.data.example import W_Q, W_V, X

tasks = Tasks()
tasks.ask_when(
    "In our example, change only W_K, so that x₁ pays more than half of its attention to itself. One entry will do.",
    ("Q", "=", X @ W_Q),
    ("V", "=", X @ W_V),
    ("weights[0][0]", ">", 0.5),
)
tasks.ask_when(
    "Make each of the three tokens pay more than 0.99 of its attention to x₂.",
    *((f"weights[{i}][1]", ">", 0.99) for i in range(3)),
)
tasks.ask_when(
    "Make x₁ pay the same attention to all three tokens, without x₂ doing the same.",
    ("weights[0]", ">", 0.33),
    ("weights[1]", "not >", 0.33),
)
