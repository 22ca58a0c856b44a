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
    """Ids without a 0, and which of them are the answer's."""
    return _random.permutation(np.arange(3, 90))[: question + answer], np.arange(question + answer) >= question


_TARGETS = Exercise(
    "23.targets",
    "whose loss counts",
    lambda ids, is_answer: np.where(is_answer[1:], ids[1:], 0),
    [_asked(4, 3), _asked(2, 5), _asked(6, 1), _asked(1, 3)],
    {
        "The first piece of the answer is missing in yours. It is said "
        "at the last piece of the question: look at whether the piece "
        "that is *said* is the answer's, `is_answer[1:]`.": lambda ids, is_answer: np.where(is_answer[:-1], ids[1:], 0),
        "That is what is read. What is to be said at a place is the *next* id: `ids[1:]`.": lambda ids, is_answer: (
            np.where(is_answer[:-1], ids[:-1], 0)
        ),
        "The places are right. What is to be said there "
        "is the *next* id, not the one that is read.": lambda ids, is_answer: np.where(is_answer[1:], ids[:-1], 0),
        "Everything counts in yours, the question too. "
        "Write 0 where what is said is not the answer's.": lambda ids, is_answer: ids[1:],
        "You keep only the answer, so that it no longer stands at the places where it is said. Leave all N − 1 places, "
        "with 0 where nothing counts.": lambda ids, is_answer: ids[1:][is_answer[1:]],
        "Yours has N places. The model reads N − 1 ids, and "
        "what it says at each is the next one: shift by one.": lambda ids, is_answer: np.where(is_answer, ids, 0),
        "−100 leaves places out in PyTorch's loss and in lesson 15. The loss here leaves "
        "out 0, as padding.": lambda ids, is_answer: np.where(is_answer[1:], ids[1:], -100),
        "The last piece is missing in yours. It is the end of the answer, and unless it is learnt, the model does not "
        "know when to stop.": lambda ids, is_answer: np.where(
            is_answer[1:] & (np.arange(len(ids) - 1) < len(ids) - 2), ids[1:], 0
        ),
    },
)

# --- LoRA by hand -------------------------------------------------------------------------------------------------


class _Factor(np.ndarray):
    """A or B: to multiply one with the other makes the matrix BA, which is to be avoided."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Any:
        """Do as an array does; whatever comes of it is a plain one."""
        if ufunc is np.matmul and all(isinstance(each, _Factor) for each in inputs):
            raise FindingError(
                "Here BA is made, as large as W. Go through the r numbers of A: first X Aᵀ, (N, r), then times Bᵀ."
            )
        into = {name: tuple(map(np.asarray, each)) if name == "out" else each for name, each in more.items()}
        return getattr(ufunc, method)(*map(np.asarray, inputs), **into)

    def __array_function__(self, function: Any, types: Any, args: Any, more: Any) -> Any:
        """Take `np.dot` for `@`."""
        return np.matmul(*args) if function is np.dot else super().__array_function__(function, types, args, more)

    def dot(self, other: Array) -> Array:
        """Take this for `@`, too."""
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
    {
        "That is the change alone. The frozen W stays in its place: add what it makes of X.": lambda X, W, A, B: (
            (X @ A.T) @ B.T
        ),
        "That is the frozen matrix alone. Add what B and A make of X.": lambda X, W, A, B: X @ W.T,
        "You divided by the rank. The paper has a factor "
        "α / r; here it is 1, so nothing is divided.": lambda X, W, A, B: X @ W.T + (X @ A.T) @ B.T / A.shape[0],
    },
)

# --- what will it say? --------------------------------------------------------------------------------------------

_WHICH = replace(
    choice(
        "23.which",
        "c",
        "nearly all that it was tuned on names a lesson. It has learnt this form, and fills it in.",
        {
            "a": "It was shown a refusal for four topics only. Nothing in the loss told it to refuse whatever is new.",
            "b": "It no longer goes on as the base model did: the form of an answer is what it learns first.",
            "d": "That would be the best one. The table shows how often it happens with a model of this size.",
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
    {
        "β is missing in front. x = β(c − r) changes by β where c changes by 1: the chain "
        "rule's second factor.": lambda c, r, beta: tuple(slope / beta for slope in _dpo_slopes(c, r, beta)),
        "Both signs are the wrong way round. Where the chosen answer becomes more probable, the loss falls: the slope "
        "by c is negative.": lambda c, r, beta: tuple(-slope for slope in _dpo_slopes(c, r, beta)),
        "The slope by r has the sign of the slope by c "
        "in yours. m = c − r: with r it changes by −1.": lambda c, r, beta: (_dpo_slopes(c, r, beta)[0],) * 2,
        "That is β σ(βm). The slope of −ln σ(x) is σ(x) − 1.": lambda c, r, beta: (
            beta * _sigmoid(beta * (c - r)),
            -beta * _sigmoid(beta * (c - r)),
        ),
        "That is the slope of σ. The loss is −ln σ: the "
        "logarithm divides by σ, and σ(x) − 1 is left.": lambda c, r, beta: tuple(
            slope * _sigmoid(beta * (c - r)) for slope in _dpo_slopes(c, r, beta)
        ),
        "β is missing within σ: it is taken at x = β(c − r).": lambda c, r, beta: (
            beta * (_sigmoid(c - r) - 1),
            -beta * (_sigmoid(c - r) - 1),
        ),
        "You took σ of c and of r by themselves. The loss knows the difference of the two alone, "
        "in both slopes.": lambda c, r, beta: (beta * (_sigmoid(beta * c) - 1), -beta * (_sigmoid(beta * r) - 1)),
    },
)

# --- the slopes of A and B ----------------------------------------------------------------------------------------


def _slopes_of(d_in: int, d_out: int, rank: int) -> tuple[Array, ...]:
    return tuple(_random.normal(size=shape) for shape in ((d_out, d_in), (rank, d_in), (d_out, rank)))


_SLOPES = Exercise(
    "23.lora_slopes",
    "the slopes of A and B",
    lambda G, A, B: (B.T @ G, G @ A.T),
    [_slopes_of(4, 3, 2), _slopes_of(5, 7, 1), _slopes_of(6, 4, 3)],
    {
        "The two are the wrong way round: the slope by A "
        "has the shape of A, (r, d_in), and comes first.": lambda G, A, B: (G @ A.T, B.T @ G),
    },
)

EXERCISES = (_TARGETS, _LORA, _WHICH, _DPO, _SLOPES)
