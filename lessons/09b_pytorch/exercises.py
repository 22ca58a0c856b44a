"""The exercises of lesson 09b, PyTorch on one page, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Exercise, choice
from utils.course.exercises.tensors import FindingError, Module, filled, of_tensors, pytorch, values_of

Array = Any
_random = np.random.default_rng(92)


def _normal(*shape: int) -> Array:
    return _random.normal(size=shape).astype(np.float32)


# --- 1: the mean of the real words ---


def _use_mean(mean_of_words: Any, x: Any, ids: Any) -> Array:
    return values_of(mean_of_words(x, ids))


def _batch(n: int, d_model: int, *lengths: int) -> tuple[Array, Array]:
    real = np.arange(n) < np.array(lengths)[:, None]
    return _normal(len(lengths), n, d_model), _random.integers(1, 9, size=real.shape) * real


def _mean(make: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    return lambda: make


_MEAN = of_tensors(
    "09b.mean_of_words",
    "the mean of the real words",
    _use_mean,
    _mean(lambda x, ids: (x * (ids != 0)[:, :, None]).sum(dim=1) / (ids != 0).sum(dim=1)[:, None]),
    "x ids",
    [_batch(4, 3, 2, 4), _batch(5, 2, 1, 3, 5), _batch(3, 6, 3, 2, 1, 2), _batch(6, 4, 2)],
    {
        "Padding is in your mean. Leave its rows out of the sum, and out of the number you divide by.": _mean(
            lambda x, ids: x.mean(dim=1)
        ),
        "The sum leaves padding out, but you divide by N, all places. Divide by how many words are real.": _mean(
            lambda x, ids: (x * (ids != 0)[:, :, None]).mean(dim=1)
        ),
        "That is the sum of the real words. Divide it by how many they are.": _mean(
            lambda x, ids: (x * (ids != 0)[:, :, None]).sum(dim=1)
        ),
        "You divide by the number of real words, but the sum has the padding's rows in it, too.": _mean(
            lambda x, ids: x.sum(dim=1) / (ids != 0).sum(dim=1)[:, None]
        ),
        "The mask is the wrong way round: that is the mean of the padding. Real is where `ids != 0`.": [
            _mean(
                lambda x, ids, least=n: (x * (ids == 0)[:, :, None]).sum(1) / (ids == 0).sum(1, True).clamp(min=least)
            )
            for n in (0, 1)
        ],
        "You divide by the real words of the whole batch. Each sentence has a number of its own: `sum(dim=1)`.": _mean(
            lambda x, ids: (x * (ids != 0)[:, :, None]).sum(dim=1) / (ids != 0).sum()
        ),
        "You divide by the sum of the ids. An id is a name, no amount: count where `ids != 0`.": _mean(
            lambda x, ids: x.masked_fill((ids == 0)[:, :, None], 0).sum(dim=1) / ids.sum(dim=1)[:, None]
        ),
        "You take as many words of each sentence as the first one has. Each has a number of its own.": _mean(
            lambda x, ids: x[:, : int((ids[0] != 0).sum())].mean(dim=1)
        ),
        "You multiply the words by their ids. Multiply by the mask `ids != 0`, which is 0 or 1.": [
            _mean(lambda x, ids, counted=counted: (x * ids[:, :, None]).sum(dim=1) / counted(ids).sum(1, True))
            for counted in (lambda ids: ids != 0, lambda ids: ids)
        ],
    },
)


# --- 2: slopes ---


def _use_slopes(slopes: Any, X: Any, y: Any, w: Any) -> Array:
    found = slopes(X, y, w)
    if found is None:
        raise FindingError(
            "Your function returns nothing. Is the `return` missing? `backward()` returns nothing, either: the slopes "
            "stand in `.grad` of the copy of w."
        )
    return values_of(found)


def _slopes(loss: Callable[[Any, Any, Any], Any]) -> Callable[[], Any]:
    def slopes(X: Any, y: Any, w: Any) -> Any:
        w = w.clone().requires_grad_()
        loss(X, y, w).backward()
        return w.grad

    return lambda: slopes


def _twice(X: Any, y: Any, w: Any) -> Any:
    w = w.clone().requires_grad_()
    for _ in range(2):
        ((X @ w - y) ** 2).mean().backward()
    return w.grad


_SLOPES = of_tensors(
    "09b.slopes",
    "slopes",
    _use_slopes,
    _slopes(lambda X, y, w: ((X @ w - y) ** 2).mean()),
    "X y w",
    [
        (_normal(4, 3), _normal(4), _normal(3)),
        (_normal(5, 2), _normal(5), _normal(2)),
        (_normal(3, 6), _normal(3), _normal(6)),
    ],
    {
        "These are the slopes of the sum. The loss is the mean.": _slopes(lambda X, y, w: ((X @ w - y) ** 2).sum()),
        "The loss is not squared: what is too high and what is too low cancel. Square before the mean.": _slopes(
            lambda X, y, w: (X @ w - y).mean()
        ),
        "Your loss takes the distance. It is the square of it.": _slopes(lambda X, y, w: (X @ w - y).abs().mean()),
        "Half of what it should be. Is there a ½ before your loss? (Or the 2 of the square is missing.)": _slopes(
            lambda X, y, w: ((X @ w - y) ** 2).mean() / 2
        ),
        "Your loss has a root. It is the mean of the squares.": _slopes(
            lambda X, y, w: ((X @ w - y) ** 2).mean() ** 0.5
        ),
        "Your loss has X w + y. The error is X w − y.": _slopes(lambda X, y, w: ((X @ w + y) ** 2).mean()),
        "y is not in your loss: the error is X w − y.": _slopes(lambda X, y, w: ((X @ w) ** 2).mean()),
        "Twice what it should be. Does `backward` run twice? It adds to `.grad`.": lambda: _twice,
        "The sign is wrong. The slope says where the loss grows; the step that follows goes against it.": lambda: (
            lambda X, y, w: -2 / len(X) * X.T @ (X @ w - y)
        ),
        "That is the loss. What is asked for is its slopes: `w.grad`.": lambda: (
            lambda X, y, w: ((X @ w - y) ** 2).mean()
        ),
        "That is w after a step. Return the slopes themselves.": lambda: (
            lambda X, y, w: w - 2 / len(X) * X.T @ (X @ w - y)
        ),
    },
)


# --- 3: a box of your own ---


def _like(d_model: int, d_ff: int) -> Any:
    nn = pytorch().nn
    return nn.ModuleDict({"widen": nn.Linear(d_model, d_ff), "narrow": nn.Linear(d_ff, d_model)})


def _bend_of(Bend: Any, x: Any, d_ff: int) -> tuple[Any, tuple[Any, ...]]:
    d_model = x.shape[-1]
    return filled(Bend(d_model, d_ff), _like(d_model, d_ff), seed=d_ff), (x,)


def _bend(forward: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    def made() -> Any:
        nn = pytorch().nn

        class Bend(nn.Module):
            def __init__(self, d_model: int, d_ff: int) -> None:
                super().__init__()
                self.widen, self.narrow = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

            def forward(self, x: Any) -> Any:
                return forward(self, x)

        return Bend

    return made


_BEND = of_tensors(
    "09b.bend",
    "a box of your own",
    Module(_bend_of),
    _bend(lambda box, x: x + box.narrow(box.widen(x).relu())),
    "x d_ff",
    [(_normal(2, 4, 3), 5), (_normal(3, 6), 8), (_normal(1, 5, 4), 7)],
    {
        "What came in is not added: x + narrow(…). The rest is right.": _bend(
            lambda box, x: box.narrow(box.widen(x).relu())
        ),
        "The bend is missing: between the two boxes stands `.relu()`. Without it they are one linear layer.": _bend(
            lambda box, x: x + box.narrow(box.widen(x))
        ),
        "The bend is missing, and so is what came in: x + narrow(…).": _bend(lambda box, x: box.narrow(box.widen(x))),
        "The bend stands behind both boxes. It belongs between them.": _bend(
            lambda box, x: x + box.narrow(box.widen(x)).relu()
        ),
        "You bend the sum once more. After x is added, nothing follows.": _bend(
            lambda box, x: (x + box.narrow(box.widen(x).relu())).relu()
        ),
        "The bend stands before the first box. It belongs between the two.": _bend(
            lambda box, x: x + box.narrow(box.widen(x.relu()))
        ),
        "You multiply by what came in. It is added.": _bend(lambda box, x: x * box.narrow(box.widen(x).relu())),
        "You bend with a sigmoid. Here it is the ReLU: numbers below 0 become 0, the others stay.": _bend(
            lambda box, x: x + box.narrow(box.widen(x).sigmoid())
        ),
    },
)


# --- 4: a heavy ball ---


def _use_heavy(heavy_step: Any, w: Any, g: Any, v: Any, rate: float, momentum: float) -> Any:
    found = heavy_step(w, g, v, rate, momentum)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise FindingError("Two things are asked for, the new w and the new v: `return w, v`.")
    return tuple(map(values_of, found))


def _heavy(
    speed: Callable[..., Any] = lambda g, v, rate, momentum: momentum * v + g,
    step: Callable[..., Any] = lambda w, g, old, new, rate, momentum: w - rate * new,
    result: Callable[..., Any] = lambda w, v, old: (w, v),
) -> Callable[[], Any]:
    def heavy_step(w: Any, g: Any, v: Any, rate: float, momentum: float) -> Any:
        new = speed(g, v, rate, momentum)
        return result(step(w, g, v, new, rate, momentum), new, v)

    return lambda: heavy_step


def _ball(n: int, rate: float, momentum: float) -> tuple[Any, ...]:
    return _normal(n), _normal(n), _normal(n), rate, momentum


_HEAVY = of_tensors(
    "09b.heavy_step",
    "a heavy ball",
    _use_heavy,
    _heavy(),
    "w g v rate momentum",
    [_ball(3, 0.1, 0.9), _ball(5, 0.5, 0.4), _ball(2, 0.02, 0.7)],
    {
        "The step takes the old speed. The speed goes first: then the step takes the new one.": _heavy(
            step=lambda w, g, old, new, rate, momentum: w - rate * old
        ),
        "The step takes the slope alone. It takes the new speed.": _heavy(
            step=lambda w, g, old, new, rate, momentum: w - rate * g
        ),
        "w goes uphill: the step goes against the speed, w − rate · v.": _heavy(
            step=lambda w, g, old, new, rate, momentum: w + rate * new
        ),
        "The learning rate is missing in the step: w − rate · v.": _heavy(
            step=lambda w, g, old, new, rate, momentum: w - new
        ),
        "The old speed is kept whole. A part of it is: momentum · v.": _heavy(lambda g, v, rate, momentum: v + g),
        "Your speed is a running mean: the slope is taken times 1 − momentum. Here it is taken whole.": _heavy(
            lambda g, v, rate, momentum: momentum * v + (1 - momentum) * g
        ),
        "The slope is taken whole: only v is times momentum.": _heavy(lambda g, v, rate, momentum: momentum * (v + g)),
        "Momentum stands at the slope. It belongs to the old speed.": _heavy(
            lambda g, v, rate, momentum: v + momentum * g
        ),
        "The slope is taken off the speed. It is added.": _heavy(lambda g, v, rate, momentum: momentum * v - g),
        "The old speed is lost: the new one is momentum · v + g.": _heavy(lambda g, v, rate, momentum: g),
        "The rate stands in the speed. w moves as it should where the speed began with it, too; but here v is momentum "
        "· v + g, and the rate stands in the step.": _heavy(
            lambda g, v, rate, momentum: momentum * v + rate * g,
            lambda w, g, old, new, rate, momentum: w - new,
        ),
        "`rate` and `momentum` have changed places: the old speed is taken times momentum, the step times "
        "rate.": lambda: lambda w, g, v, rate, momentum: _heavy()()(w, g, v, momentum, rate),
        "The step is taken times momentum. It is taken times the rate: w − rate · v.": _heavy(
            step=lambda w, g, old, new, rate, momentum: w - momentum * new
        ),
        "The two have changed places: w first, then v.": _heavy(result=lambda w, v, old: (v, w)),
        "The speed that you return is the old one. Return the new one.": _heavy(result=lambda w, v, old: (w, old)),
    },
)

_WHICH = choice(
    "09b.which",
    "b",
    "slopes come from `backward` alone. `step` runs without them, and moves nothing.",
    {
        "a": "Without `zero_grad` the slopes of all steps add up. So there are slopes, and the loss moves.",
        "c": "Without `step` the curve is level, too. But `backward` has run, and `.grad` holds its slopes.",
        "d": "Without this line `backward` has no new loss to go back from, and stops with an error.",
    },
)

EXERCISES: list[Exercise] = [_MEAN, _SLOPES, _BEND, _HEAVY, _WHICH]
