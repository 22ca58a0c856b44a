"""The exercises of lesson 22, inside, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(22)


# --- patching all places ------------------------------------------------------------------------------------------


def _copies(x: Array) -> Array:
    return np.repeat(x[np.newaxis], len(x), axis=0)


def _batch(x: Array, donor: Array) -> Array:
    batch, i = _copies(x), np.arange(len(x))
    batch[i, i] = donor
    return batch


_BATCH = Exercise(
    "22.batch",
    "patching every position, one in each row of a batch",
    _batch,
    [tuple(_random.normal(size=(2, *shape)).round(1)) for shape in ((3, 2), (2, 4), (5, 3))],
    [
        "You put one position of x into the donor, which is the wrong way round. Keep x, and take only one position "
        "from the donor.",
        lambda x, donor: _batch(donor, x),
        "You changed the same array again and again, so that in entry i all positions up to i come from the donor. "
        "Start each entry from a new copy of x.",
        lambda x, donor: np.array([np.where(np.arange(len(x))[:, np.newaxis] <= i, donor, x) for i in range(len(x))]),
        "You made every entry of the batch the whole donor, which can't show which position matters. Do your copies "
        "share their memory? Copy x for each entry.",
        lambda x, donor: _copies(donor),
        "You put the donor's position i everywhere in entry i. Only position i should come from the donor, so keep "
        "the other positions of x.",
        lambda x, donor: np.repeat(donor[np.newaxis], len(x), axis=0).transpose(1, 0, 2),
        "You changed only entry 0, and the others are still x. If your `return` is inside the loop, it ends the loop "
        "after one iteration, so move it out.",
        lambda x, donor: np.concatenate([_batch(x, donor)[:1], _copies(x)[1:]]),
    ],
)


# --- a direction ----------------------------------------------------------------------------------------------------


def _direction(states: Array, carries: Array) -> Array:
    return states[carries].mean(axis=0) - states[~carries].mean(axis=0)


def _direction_case(n: int, d: int, with_carry: int) -> tuple[Array, Array]:
    carries = np.zeros(n, dtype=bool)
    carries[_random.permutation(n)[:with_carry]] = True
    return _random.normal(size=(n, d)).round(1), carries


_DIRECTION = Exercise(
    "22.direction",
    "the direction from no carry to a carry",
    _direction,
    [_direction_case(5, 3, 2), _direction_case(7, 2, 5), _direction_case(9, 4, 3)],
    [
        "You subtracted the wrong way round, so your direction points from a carry to no carry. Start with the mean "
        "of the states with a carry.",
        lambda states, carries: -_direction(states, carries),
        "You returned the mean of the states with a carry, which contains everything that all states share. Subtract "
        "the mean of the states without a carry.",
        lambda states, carries: states[carries].mean(axis=0),
        "You subtracted sums, so the larger group counts more. Take the mean of each group first.",
        lambda states, carries: states[carries].sum(axis=0) - states[~carries].sum(axis=0),
        "You divided both sums by the number of all states. Divide each sum by the number of states in its own group.",
        lambda states, carries: np.where(carries[:, np.newaxis], states, -states).mean(axis=0),
        "You subtracted the mean of all states, which includes the states with a carry. Subtract the mean of the "
        "states without one.",
        lambda states, carries: states[carries].mean(axis=0) - states.mean(axis=0),
        "You averaged along the rows, which mixes the features of one state. Average over the states, with `axis=0`.",
        lambda states, carries: states[carries].mean(axis=1)[: states.shape[1]],
    ],
)


# --- direct attribution ---------------------------------------------------------------------------------------------


def _pushes(A: Array, V: Array, W_O: Array, towards: Array) -> tuple[Array, float]:
    pushed = A * (V @ W_O @ towards)
    return pushed, pushed.sum()


def _pushes_case(n_heads: int, n: int, d_k: int, d_model: int) -> tuple[Array, ...]:
    shapes = (n_heads, n, d_k), (n_heads, d_k, d_model), (d_model,)
    return softmax(_random.normal(size=(n_heads, n))), *(_random.normal(size=shape).round(1) for shape in shapes)


_PUSHES = Exercise(
    "22.pushes",
    "what each word pushes through each head",
    _pushes,
    [_pushes_case(2, 3, 4, 5), _pushes_case(3, 5, 2, 7), _pushes_case(4, 2, 3, 6)],
    [
        "You left out the weights, so you get what each word would push with a weight of 1. Multiply by A.",
        lambda A, V, W_O, towards: (
            V @ W_O @ towards,
            (V @ W_O @ towards).sum(),
        ),
        "You took the length of each vector, but a long vector may point elsewhere. Take its dot product with "
        "`towards` instead.",
        lambda A, V, W_O, towards: (
            A * np.linalg.norm(V @ W_O, axis=2),
            (A * np.linalg.norm(V @ W_O, axis=2)).sum(),
        ),
        "You removed the sign, but a push against the word has to be below 0. Leave the pushes as they are.",
        lambda A, V, W_O, towards: (
            A * np.abs(V @ W_O @ towards),
            (A * np.abs(V @ W_O @ towards)).sum(),
        ),
    ],
)

# --- a sparse autoencoder -------------------------------------------------------------------------------------------


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


def _sae(
    x: Array,
    E: Array,
    b: Array,
    W: Array,
    c: Array,
    penalty: float,
    *,
    activation: Callable[[Array], Array] = _relu,
    centred: bool = True,
    returned: bool = True,
    error: Callable[[Array], Array] = lambda rest: (rest**2).sum(axis=1),
    size: Callable[[Array], Array] = lambda f: f.sum(axis=1),
    over: Callable[[Array], float] = np.mean,
) -> tuple[Array, Array, float]:
    f = activation((x - c if centred else x) @ E + b)
    back = f @ W + c if returned else f @ W
    return f, back, over(error(x - back) + penalty * size(f))


def _sae_case(states: int, d: int, n: int, penalty: float) -> tuple[Any, ...]:
    shapes = (states, d), (d, n), (n,), (n, d), (d,)
    return *(_random.normal(size=shape).round(1) for shape in shapes), penalty


_SAE = Exercise(
    "22.sae",
    "the features of a sparse autoencoder and their loss",
    _sae,
    [_sae_case(4, 3, 6, 0.5), _sae_case(3, 2, 5, 2.0), _sae_case(6, 4, 7, 0.1)],
    [
        "You left out the ReLU, so a feature can be below 0. Set each feature below 0 to 0.",
        partial(_sae, activation=lambda x: x),
        "You didn't subtract c before E. The features describe how a state differs from the centre, so start with `x "
        "- c`.",
        partial(_sae, centred=False),
        "You didn't add c at the end. The sum of the directions is only the difference from the centre, so add c to "
        "get the states back.",
        partial(_sae, returned=False),
        "You left out c altogether. Subtract it before E, and add it after W.",
        partial(_sae, centred=False, returned=False),
        "You left out the penalty, so nothing keeps the features few. Add the penalty times the sum of each state's "
        "features.",
        partial(_sae, size=lambda f: np.zeros(len(f))),
        "You penalized the squares of the features, which lets many small features stay. Penalize their sum instead.",
        partial(_sae, size=lambda f: (f**2).sum(axis=1)),
        "You took the length of the error. The loss has its square, so leave out the root.",
        partial(_sae, error=lambda rest: np.linalg.norm(rest, axis=1)),
        "You averaged the squared errors over the features of a state. Sum them over each state, and take the mean "
        "only over the states.",
        partial(_sae, error=lambda rest: (rest**2).mean(axis=1)),
        "You averaged the features inside the penalty. Sum them over each state, and take the mean only over the "
        "states.",
        partial(_sae, size=lambda f: f.mean(axis=1)),
        "You averaged both the errors and the features of each state. Sum both, and take the mean only over the "
        "states.",
        partial(_sae, error=lambda rest: (rest**2).mean(axis=1), size=lambda f: f.mean(axis=1)),
        "You summed the losses of the states. Take their mean, so that a larger batch doesn't count more.",
        partial(_sae, over=np.sum),
        "You returned a loss for each state. Return their mean, which is one number.",
        partial(_sae, over=lambda x: x),
    ],
)


EXERCISES = (_BATCH, _DIRECTION, _PUSHES, _SAE)
