"""Exercises in PyTorch: what a card says of an answer is true, and what can't be trained or called twice is refused."""

from __future__ import annotations

import ast
import linecache
from typing import Any

import pytest

from utils.course.exercises import EXERCISES, Diagnosis, Verdict, judged
from utils.models import minimal

torch = pytest.importorskip("torch")


def of_code(name: str, code: str) -> Diagnosis:
    """What is said of the last function or class of `code`, which knows what a cell of the lesson does."""
    names: dict[str, Any] = {**vars(minimal), "torch": torch, "nn": torch.nn}
    file = f"cell {hash(code)}"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    exec(compile(code, file, "exec"), names)
    return judged(EXERCISES[name], names[ast.parse(code).body[-1].name])


LOOP = """
def train(model, batches, optimizer):
    {training}
    losses = []
    for source, target in batches:
        {steps}
        losses.append({kept})
    {end}return losses
"""
STEPS = "zero_grad loss backward step"


def loop(steps: str = STEPS, training: str = "model.train()", kept: str = "loss.item()", end: str = "") -> str:
    lines = {
        "zero_grad": "optimizer.zero_grad()",
        "loss": "loss = loss_of(model, source, target)",
        "backward": "loss.backward()",
        "step": "optimizer.step()",
        "clear": "model.zero_grad()",
    }
    body = "\n        ".join(lines[step] for step in steps.split())
    return LOOP.format(training=training, steps=body, kept=kept, end=end)


@pytest.mark.parametrize(
    "steps",
    # The last one is right where training begins without gradients, and stands so in PyTorch's own first tutorial.
    [STEPS, "loss zero_grad backward step", "clear loss backward step", "loss backward step zero_grad"],
)
def test_any_correct_order_passes(steps: str) -> None:
    assert of_code("12a.train", loop(steps)).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (loop("zero_grad loss step backward"), "You call `zero_grad` and then `step` before"),
        (loop("loss backward step"), "You don't clear the gradients"),
        (
            loop("zero_grad loss backward step step", kept="2 * loss.item()"),
            "Not correct yet: the losses that you return",
        ),
    ],
)
def test_feedback_on_a_loop_is_true(code: str, says: str) -> None:
    sentence = of_code("12a.train", code).sentence
    assert sentence.startswith(says) and "returned things" not in sentence


BEND = """
class Bend(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.widen, self.narrow = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        {forward}
"""
ENCODER = """
class Layer(EncoderLayer):
    def forward(self, x, mask):
        x = self.norm_attention(x + {attended})
        {forward}
"""
LISTED = """
class Listed(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_model) for _ in range(4)]
"""


def bend(forward: str) -> tuple[str, str]:
    return "09b.bend", BEND.format(forward=forward)


def slopes(*lines: str) -> tuple[str, str]:
    return "09b.slopes", "\n    ".join(["def slopes(X, y, w):", *lines])


def encoder(forward: str, attended: str = "self.attention(x, x, mask)") -> tuple[str, str]:
    return "12a.encoder", ENCODER.format(forward=forward, attended=attended)


BENT = "self.narrow(self.widen(x).relu())"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        (bend(f"x += {BENT}; return x"), "This can't be trained: `backward` still"),
        (
            bend(f"self.x = getattr(self, 'x', 0) + x; return self.x + {BENT}"),
            "Called twice with the same input, `forward`",
        ),
        (("12a.heads", LISTED), "There is no `self.query.weight`. `self.layers` is a plain list, in which"),
        (
            slopes("w.requires_grad_()", "((X @ w - y) ** 2).mean().backward()", "return w.grad"),
            "Your code changes `w` itself, which belongs to the caller: from now on it keeps gradients",
        ),
    ],
)
def test_feedback_starts_with_the_actual_mistake(cell: tuple[str, str], says: str) -> None:
    """Nothing of the student's has stopped, so no exception is spoken of."""
    diagnosis = of_code(*cell)
    assert diagnosis.verdict is Verdict.MISTAKE and diagnosis.sentence.startswith(says)
    assert "stops with" not in diagnosis.sentence and "?." not in diagnosis.sentence


def test_loss_of_a_copy_without_gradients_is_explained() -> None:
    said = of_code(
        *slopes("w = w.clone()", "loss = ((X @ w - y) ** 2).mean()", "loss.backward()", "return w.grad")
    ).sentence
    assert "stops with" not in said and all(word in said for word in ("`requires_grad_()`", "old w", "`detach`"))


TURNED = """
def attention(query, key, value, mask):
    return (query @ key.T / query.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf).softmax(dim=-1) @ value
"""


def attention(scale: str = "key.shape[-1]", mixed: str = "@ value", kept: str = "scores = ") -> tuple[str, str]:
    return (
        "12a.attention",
        f"""
def attention(query, key, value, mask):
    scores = query @ key.transpose(-2, -1) / {scale} ** 0.5
    {kept}scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1) {mixed}
""",
    )


def loss(
    read: str = "source, target[:, :-1]", flat: str = "flatten(0, 1)", ids: str = "target[:, 1:].flatten()"
) -> tuple[str, str]:
    return (
        "12a.loss",
        f"""
def loss_of(model, source, target):
    return torch.nn.functional.cross_entropy(model({read}).{flat}, {ids}, ignore_index=0)
""",
    )


@pytest.mark.parametrize("cell", [attention(), loss()])
def test_attention_and_loss_pass_where_they_are_correct(cell: tuple[str, str]) -> None:
    assert of_code(*cell).verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("cell", "word"),
    [
        (("12a.attention", TURNED), "transpose(-2, -1)"),
        (encoder("return x", attended="self.attention(x, mask)"), "Give it three"),
        (attention(scale="key.shape[1]"), "counts the heads"),
        (attention(kept=""), "new tensor"),
        (loss(ids="target[:, 1:]"), "as many ids as sentences"),
        (loss(read="target[:, :-1], source"), "swapped"),
        (("12a.train", loop().replace("zero_grad()", "zero_grad")), "parentheses"),
    ],
)
def test_feedback_names_a_mistake_that_would_stop_the_lesson(cell: tuple[str, str], word: str) -> None:
    assert word in of_code(*cell).sentence
