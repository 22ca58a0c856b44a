"""The exercises of lesson 09b, PyTorch on one page, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Exercise, choice, in_steps
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
    [
        "You took the mean over all positions, so the padding counts as well. Leave the padding out of the sum and of "
        "the number that you divide by.",
        _mean(lambda x, ids: x.mean(dim=1)),
        "You left the padding out of the sum, but you divide by N, which counts all positions. Divide by the number "
        "of real words.",
        _mean(lambda x, ids: (x * (ids != 0)[:, :, None]).mean(dim=1)),
        "You returned the sum of the real words, which grows with the length of the sentence. Divide it by the number "
        "of real words.",
        _mean(lambda x, ids: (x * (ids != 0)[:, :, None]).sum(dim=1)),
        "You divide by the number of real words, but your sum still includes the rows of the padding. Leave these "
        "rows out of the sum as well.",
        _mean(lambda x, ids: x.sum(dim=1) / (ids != 0).sum(dim=1)[:, None]),
        "You took the mean of the padding, because your mask is True where the id is 0. The real words are where `ids "
        "!= 0`.",
        _mean(lambda x, ids: (x * (ids == 0)[:, :, None]).sum(1) / (ids == 0).sum(1, True)),
        _mean(lambda x, ids: (x * (ids == 0)[:, :, None]).sum(1) / (ids == 0).sum(1, True).clamp(min=1)),
        "You take as many words from each sentence as the first sentence has. Use the mask of each sentence instead, "
        "since their lengths differ.",
        _mean(lambda x, ids: x[:, : int((ids[0] != 0).sum())].mean(dim=1)),
        "You multiply the rows by their ids, which makes words with large ids count more. Multiply by the mask `ids "
        "!= 0`, which is 0 or 1.",
        _mean(lambda x, ids: (x * ids[:, :, None]).sum(dim=1) / (ids != 0).sum(1, True)),
        _mean(lambda x, ids: (x * ids[:, :, None]).sum(dim=1) / ids.sum(1, True)),
    ],
)


# --- 2: slopes ---


def _use_slopes(slopes: Any, X: Any, y: Any, w: Any) -> Array:
    try:
        found = slopes(X, y, w)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise FindingError(
            "Your loss isn't computed from a tensor that asks for slopes. Did you forget `requires_grad_()`, lose it "
            "to `detach` or `no_grad`, or compute the loss with the old w instead of the copy?"
        ) from None
    if found is None:
        raise FindingError(
            "Your function returns None: the `return` is missing, or it returns a `.grad` that was never filled, or "
            "what `backward()` returns. Call `backward()` on the loss, then return the `.grad` of your copy of w."
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
    [
        "You took the slopes of the sum of the squares, but the loss is their mean. Use `.mean()` instead of `.sum()`.",
        _slopes(lambda X, y, w: ((X @ w - y) ** 2).sum()),
        "You didn't square the errors, so errors above and below 0 cancel. Square them before you take the mean.",
        _slopes(lambda X, y, w: (X @ w - y).mean()),
        "You squared the mean of the errors, in which errors above and below 0 cancel. Square each error first, then "
        "take the mean.",
        _slopes(lambda X, y, w: (X @ w - y).mean() ** 2),
        "You added y to the prediction, but the error is the difference of the two. Use X w − y.",
        _slopes(lambda X, y, w: ((X @ w + y) ** 2).mean()),
        "You left y out of the loss, so the model is never compared with the correct answers. The error is X w − y.",
        _slopes(lambda X, y, w: ((X @ w) ** 2).mean()),
        "You get twice the correct slopes. If `backward` runs twice, the second run adds to `.grad`, so call it only "
        "once.",
        lambda: _twice,
        "You returned the loss, but the exercise asks for its slopes. After `backward` the slopes are in `w.grad`, so "
        "return that.",
        lambda: lambda X, y, w: ((X @ w - y) ** 2).mean(),
        "You returned w after a step against its slopes. This exercise stops earlier, so return the slopes themselves.",
        lambda: lambda X, y, w: w - 2 / len(X) * X.T @ (X @ w - y),
    ],
)


# --- 3: a module of your own ---


def _like(d_model: int, d_ff: int) -> Any:
    nn = pytorch().nn
    return nn.ModuleDict({"widen": nn.Linear(d_model, d_ff), "narrow": nn.Linear(d_ff, d_model)})


def _bend_of(Bend: Any, x: Any, d_ff: int) -> tuple[Any, tuple[Any, ...]]:
    d_model = x.shape[-1]
    return filled(Bend(d_model, d_ff), _like(d_model, d_ff), seed=d_ff), (x,)


class _Bent(Module):
    """A module that says what is wrong with the two usual ways to write a ReLU that don't work on a tensor."""

    def of_student(self, answer: Any, *inputs: Any) -> Any:
        try:
            return super().of_student(answer, *inputs)
        except (TypeError, RuntimeError) as error:
            if "not ReLU" in str(error):
                raise FindingError(
                    "You wrote `nn.ReLU(x)`, which makes a module instead of calling one. Write `nn.ReLU()(x)`, or "
                    "simply `x.relu()`."
                ) from None
            if "Boolean value of Tensor" in str(error):
                raise FindingError(
                    "You used Python's `max`, which compares whole tensors and can't choose between their entries. "
                    "Write `.relu()`, which replaces each negative entry by 0."
                ) from None
            raise


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
    "a module of your own",
    _Bent(_bend_of),
    _bend(lambda box, x: x + box.narrow(box.widen(x).relu())),
    "x d_ff",
    [(_normal(2, 4, 3), 5), (_normal(3, 6), 8), (_normal(1, 5, 4), 7)],
    [
        "You didn't add the input, although everything else is correct. Return x + narrow(…).",
        _bend(lambda box, x: box.narrow(box.widen(x).relu())),
        "You left out the nonlinearity. Without it, the two layers are only one linear layer. Put `.relu()` between "
        "them.",
        _bend(lambda box, x: x + box.narrow(box.widen(x))),
        "You left out the nonlinearity and the input. Put `.relu()` between the two layers, and add x at the end.",
        _bend(lambda box, x: box.narrow(box.widen(x))),
        "You applied `.relu()` after both layers, so the two are still one linear layer. Apply it between them.",
        _bend(lambda box, x: x + box.narrow(box.widen(x)).relu()),
        "You applied a second `.relu()` to the sum, which the formula doesn't have. Once x is added, return the "
        "result.",
        _bend(lambda box, x: (x + box.narrow(box.widen(x).relu())).relu()),
        "You applied `.relu()` before the first layer, which cuts off the input itself. Apply it between the two "
        "layers.",
        _bend(lambda box, x: x + box.narrow(box.widen(x.relu()))),
        "You multiplied by the input, but the formula adds the input. Return x + narrow(…).",
        _bend(lambda box, x: x * box.narrow(box.widen(x).relu())),
        "You used a sigmoid as the nonlinearity. Here the nonlinearity is the ReLU, which only replaces negative "
        "entries by 0. Use `.relu()`.",
        _bend(lambda box, x: x + box.narrow(box.widen(x).sigmoid())),
    ],
)


# --- 4: a heavy ball ---


def _use_heavy(heavy_step: Any, w: Any, g: Any, v: Any, rate: float, momentum: float) -> Any:
    found = heavy_step(w, g, v, rate, momentum)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise FindingError("You don't return two values. Return the new w and the new v: `return w, v`.")
    return tuple(map(values_of, found))


@in_steps
def _heavy(
    speed: Callable[..., Any] = lambda g, v, rate, momentum: momentum * v + g,
    step: Callable[..., Any] = lambda w, g, old, new, rate, momentum: w - rate * new,
) -> Callable[[], Any]:
    def heavy_step(w: Any, g: Any, v: Any, rate: float, momentum: float) -> Any:
        new = speed(g, v, rate, momentum)
        return step(w, g, v, new, rate, momentum), new

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
    [
        "You moved with the old speed, but the speed is updated first. Use the new v in the step.",
        _heavy(step=lambda w, g, old, new, rate, momentum: w - rate * old),
        "You moved against the slope only, so the speed has no effect. Move against the new v instead of g.",
        _heavy(step=lambda w, g, old, new, rate, momentum: w - rate * g),
        "You moved w uphill, because you added the step. Subtract it: w − rate · v.",
        _heavy(step=lambda w, g, old, new, rate, momentum: w + rate * new),
        "You moved by the whole speed, because the learning rate is missing. The step is w − rate · v.",
        _heavy(step=lambda w, g, old, new, rate, momentum: w - new),
        "You kept all of the old speed, so the speed never fades. Keep only a part of it, momentum · v.",
        _heavy(lambda g, v, rate, momentum: v + g),
        "You multiplied the slope by 1 − momentum, which makes v a running mean. In this exercise, add the whole "
        "slope.",
        _heavy(lambda g, v, rate, momentum: momentum * v + (1 - momentum) * g),
        "You multiplied the slope by momentum, but momentum says how much of the old speed stays. Multiply v by "
        "momentum instead.",
        _heavy(lambda g, v, rate, momentum: v + momentum * g),
        "You subtracted the slope from the speed. Add it here, because the minus comes only in the step.",
        _heavy(lambda g, v, rate, momentum: momentum * v - g),
        "You lost the old speed, so this is a plain step. The new speed is momentum · v + g.",
        _heavy(lambda g, v, rate, momentum: g),
        "You swapped `rate` and `momentum`. Multiply the old speed by `momentum`, and the step by `rate`.",
        lambda: lambda w, g, v, rate, momentum: _heavy()()(w, g, v, momentum, rate),
        "You multiplied the step by momentum, which belongs to the speed. Multiply the step by the rate: w − rate · v.",
        _heavy(step=lambda w, g, old, new, rate, momentum: w - momentum * new),
    ],
)

_WHICH = choice(
    "09b.which",
    "b",
    "slopes come only from `backward`. Without slopes, `step` runs but moves nothing.",
    {
        "a": "You chose `zero_grad`. Without `zero_grad` the slopes of all steps add up, so there are slopes, and "
        "the loss changes. Which line writes into `.grad`?",
        "c": "You chose `step`. Without `step` the curve is also level, but `backward` has run, so `.grad` is not "
        "`None`. Which line writes into `.grad`?",
        "d": "You chose the loss. Without that line `backward` has no new loss to go back from, and stops with an "
        "error, but here nothing stopped.",
    },
)

EXERCISES: list[Exercise] = [_MEAN, _SLOPES, _BEND, _HEAVY, _WHICH]
