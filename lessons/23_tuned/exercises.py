"""The exercises of lesson 23, Tuned, and the mistakes that they know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, choice
from utils.course.exercises.tensors import FindingError

_random = np.random.default_rng(23)

# --- whose loss counts --------------------------------------------------------------------------------------------


def _asked(question: int, answer: int) -> tuple[Array, Array]:
    """Return ids without a 0, and which of them belong to the answer."""
    return _random.permutation(np.arange(3, 90))[: question + answer], np.arange(question + answer) >= question


_TARGETS = Exercise(
    "23.targets",
    "whose loss counts",
    lambda ids, is_answer: np.where(is_answer[1:], ids[1:], 0),
    [_asked(4, 3), _asked(2, 5), _asked(6, 1), _asked(1, 3)],
    [
        "You left out the first piece of the answer, which is predicted at the last piece of the question. Check "
        "whether the predicted piece belongs to the answer: `is_answer[1:]`.",
        lambda ids, is_answer: np.where(is_answer[:-1], ids[1:], 0),
        "You returned the ids that the model reads. The target at each position is the *next* id, so use `ids[1:]` "
        "and shift `is_answer` in the same way.",
        lambda ids, is_answer: np.where(is_answer[:-1], ids[:-1], 0),
        "You have the correct positions, but you return the ids that the model reads. The target is the *next* id, so "
        "use `ids[1:]`.",
        lambda ids, is_answer: np.where(is_answer[1:], ids[:-1], 0),
        "You swapped the two cases, so only the question counts. Keep the id where the next piece is the answer's, "
        "and write 0 elsewhere.",
        lambda ids, is_answer: np.where(is_answer[1:], 0, ids[1:]),
        "You let everything count, including the question. Write 0 wherever the predicted piece doesn't belong to the "
        "answer.",
        lambda ids, is_answer: ids[1:],
        "You kept only the answer's pieces, so their positions are lost. Keep all N − 1 positions, with 0 where "
        "nothing counts.",
        lambda ids, is_answer: ids[1:][is_answer[1:]],
        "You wrote −100, which PyTorch's loss and lesson 15 leave out, but the loss in this lesson leaves out 0. "
        "Write 0 instead.",
        lambda ids, is_answer: np.where(is_answer[1:], ids[1:], -100),
        "You left out the last piece, the end of the answer, without which the model never learns when to stop. Let "
        "this piece count as well.",
        lambda ids, is_answer: np.where(is_answer[1:] & (np.arange(len(ids) - 1) < len(ids) - 2), ids[1:], 0),
    ],
)

# --- LoRA by hand -------------------------------------------------------------------------------------------------


class _Factor(np.ndarray):
    """A or B, as an array that refuses to be multiplied with the other one into BA."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        """Do what an array does, and return a plain array."""
        if ufunc is np.matmul and all(isinstance(each, _Factor) for each in inputs):
            raise FindingError(
                "You computed BA, which is as large as W. Go through the r features of A first: X Aᵀ, (N, r), then "
                "times Bᵀ."
            )
        into = {name: tuple(map(np.asarray, each)) if name == "out" else each for name, each in more.items()}
        return getattr(ufunc, method)(*map(np.asarray, inputs), **into)

    def __array_function__(self, function: Any, types: Any, args: Any, more: Any) -> Any:
        """Treat `np.dot` like `@`."""
        return np.matmul(*args) if function is np.dot else super().__array_function__(function, types, args, more)

    def dot(self, other: Array) -> Array:
        """Do the same as `@`."""
        return self @ other

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def _adapted(n: int, d_in: int, d_out: int, rank: int) -> tuple[Array, ...]:
    shapes = ((n, d_in), (d_out, d_in), (rank, d_in), (d_out, rank))
    X, W, A, B = (_random.normal(size=shape) for shape in shapes)
    return X, W, A.view(_Factor), B.view(_Factor)


def _lora(X: Array, W: Array, A: Array, B: Array) -> Array:
    return X @ W.T + (X @ A.T) @ B.T


_LORA = Exercise(
    "23.lora",
    "LoRA by hand",
    _lora,
    [_adapted(5, 4, 3, 2), _adapted(2, 6, 7, 1), _adapted(7, 5, 8, 3)],
    [
        "You returned only the change. The frozen W stays in its place, so add X Wᵀ to the change.",
        lambda X, W, A, B: (X @ A.T) @ B.T,
        "You used only the frozen matrix. Add the change, which goes through A and then B.",
        lambda X, W, A, B: X @ W.T,
        "You divided by the rank, as with the paper's factor α / r. In this exercise that factor is 1, so don't "
        "divide.",
        lambda X, W, A, B: X @ W.T + (X @ A.T) @ B.T / A.shape[0],
    ],
)

# --- what will it say? --------------------------------------------------------------------------------------------

_WHICH = replace(
    choice(
        "23.which",
        "c",
        "nearly all of its 192 answers name a lesson, so it has learnt this form and fills the form in.",
        {
            "a": "The writer saw a refusal for only four topics, and the loss never told it to refuse everything new.",
            "b": "The writer no longer continues as the base model did, because the form of an answer is what it "
            "learns first.",
            "d": "That would be the best behaviour, but the table shows how rarely a model of this size manages it.",
        },
    ),
    title="what will it say?",
)

# --- the slopes of DPO --------------------------------------------------------------------------------------------


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _dpo_slopes(c: Array, r: Array, beta: float) -> tuple[Array, Array]:
    by_c = beta * (_sigmoid(beta * (c - r)) - 1)
    return by_c, -by_c


_DPO = Exercise(
    "23.dpo_slopes",
    "the slopes of DPO",
    _dpo_slopes,
    [(_random.normal(size=n) * 4, _random.normal(size=n) * 4, beta) for n, beta in ((4, 0.3), (3, 0.1), (5, 0.7))],
    [
        "You left out the factor β in front. Since x = β(c − r) changes by β where c changes by 1, multiply by it.",
        lambda c, r, beta: tuple(slope / beta for slope in _dpo_slopes(c, r, beta)),
        "You swapped both signs. The loss falls where the chosen answer becomes more probable, so make the slope by c "
        "negative.",
        lambda c, r, beta: tuple(-slope for slope in _dpo_slopes(c, r, beta)),
        "You gave both slopes the same sign. But m = c − r changes by −1 when r changes by 1, so reverse the sign of "
        "the slope by r.",
        lambda c, r, beta: (_dpo_slopes(c, r, beta)[0],) * 2,
        "You used β σ(βm), but the slope of −ln σ(x) is σ(x) − 1. Subtract 1 from σ.",
        lambda c, r, beta: (
            beta * _sigmoid(beta * (c - r)),
            -beta * _sigmoid(beta * (c - r)),
        ),
        "You took the slope of σ, but the loss is −ln σ. The logarithm divides by σ, so only β(σ(βm) − 1) is left.",
        lambda c, r, beta: tuple(slope * _sigmoid(beta * (c - r)) for slope in _dpo_slopes(c, r, beta)),
        "You left out β inside σ, which is taken at x = β(c − r). Multiply the difference by β.",
        lambda c, r, beta: (
            beta * (_sigmoid(c - r) - 1),
            -beta * (_sigmoid(c - r) - 1),
        ),
        "You took σ of c and of r separately, but the loss knows only their difference. Use c − r in both slopes.",
        lambda c, r, beta: (beta * (_sigmoid(beta * c) - 1), -beta * (_sigmoid(beta * r) - 1)),
    ],
)

EXERCISES = (_TARGETS, _LORA, _WHICH, _DPO)
