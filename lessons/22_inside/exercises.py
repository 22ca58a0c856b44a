"""The exercises of lesson 22, inside, and the mistakes that they know."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise, choice

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
    "patching every place, one in each row of a batch",
    _batch,
    [tuple(_random.normal(size=(2, *shape)).round(1)) for shape in ((3, 2), (2, 4), (5, 3))],
    {
        "You have put one place of x into the donor. It is "
        "the other way round: all of x stays but one place.": lambda x, donor: _batch(donor, x),
        "In number i all places up to i come from the donor: you went on from the batch before. Each number begins "
        "with a copy of x of its own.": lambda x, donor: np.array(
            [np.where(np.arange(len(x))[:, np.newaxis] <= i, donor, x) for i in range(len(x))]
        ),
        "Every number of your batch is the whole donor. Then its answer comes out, whatever place carries it. Did your "
        "copies share their memory?": lambda x, donor: _copies(donor),
        "Number i of your batch has the donor's place i everywhere. Only its place i comes from the donor; the others "
        "stay those of x.": lambda x, donor: np.repeat(donor[np.newaxis], len(x), axis=0).transpose(1, 0, 2),
        "Number 0 of your batch is right, and the others are x as it was: does a `return` inside the loop end it after "
        "one round?": lambda x, donor: np.concatenate([_batch(x, donor)[:1], _copies(x)[1:]]),
    },
)


# --- the logit lens -------------------------------------------------------------------------------------------------


def _normed(x: Array, axis: int | None = -1) -> Array:
    mean, var = x.mean(axis=axis, keepdims=True), x.var(axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(var + 1e-5)


def _lens(x: Array, gamma: Array, beta: Array, W: Array) -> Array:
    return ((gamma * _normed(x) + beta) @ W.T).argmax(axis=-1)


def _lens_case(layers: int, n: int, d: int, vocabulary: int) -> tuple[Array, ...]:
    x = _random.normal(size=(layers, n, d)) * _random.uniform(0.2, 5, size=(layers, n, 1)) + _random.normal(size=d)
    x[:, -1] /= 500  # so short that ε counts
    gamma, beta = _random.uniform(0.2, 3, size=d), _random.normal(size=d)
    return x.round(4), *(array.round(2) for array in (gamma, beta, _random.normal(size=(vocabulary, d))))


_LENS = Exercise(
    "22.lens",
    "what each layer would say",
    _lens,
    [_lens_case(2, 5, 4, 30), _lens_case(3, 6, 8, 20), _lens_case(4, 3, 16, 30)],
    {
        "You left out the layer norm. The output layer was trained "
        "on normed states: without it each state is read at a length "
        "and a centre that the output layer has never seen.": lambda x, gamma, beta, W: (x @ W.T).argmax(axis=-1),
        "γ and β are missing: the last layer norm has them, "
        "and they were trained with the output layer.": lambda x, gamma, beta, W: (_normed(x) @ W.T).argmax(axis=-1),
        "Your ε stands outside the root. It is added to the variance, inside it.": lambda x, gamma, beta, W: (
            (gamma * (x - x.mean(axis=-1, keepdims=True)) / (x.std(axis=-1, keepdims=True) + 1e-5) + beta) @ W.T
        ).argmax(axis=-1),
        "You left the mean in: that is RMSNorm (lesson 16). A layer norm takes it off "
        "first.": lambda x, gamma, beta, W: (
            (gamma * x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) + beta) @ W.T
        ).argmax(axis=-1),
        "γ multiplies the normed state alone. β is added behind it.": lambda x, gamma, beta, W: (
            (gamma * (_normed(x) + beta)) @ W.T
        ).argmax(axis=-1),
        "Your norm runs over the places. Each state is normed by itself, over its own "
        "d numbers: axis=-1.": lambda x, gamma, beta, W: ((gamma * _normed(x, axis=1) + beta) @ W.T).argmax(axis=-1),
        "You took one mean and one deviation of all states together. Each state has "
        "its own: axis=-1.": lambda x, gamma, beta, W: ((gamma * _normed(x, axis=None) + beta) @ W.T).argmax(axis=-1),
    },
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
    {
        "That points from a carry to none. With a carry comes first, without is taken away.": lambda states, carries: (
            -_direction(states, carries)
        ),
        "That is the mean with a carry. Most of it is what all states have in common: take away the mean of those "
        "without one.": lambda states, carries: states[carries].mean(axis=0),
        "You subtracted sums. Then the larger group counts more: take the mean of each.": lambda states, carries: (
            states[carries].sum(axis=0) - states[~carries].sum(axis=0)
        ),
        "You divided both sums by the number of all states. Divide each by the number of states "
        "in its own group.": lambda states, carries: np.where(carries[:, np.newaxis], states, -states).mean(axis=0),
        "You took away the mean of all states, those with a carry included. Take away the "
        "mean of those without.": lambda states, carries: states[carries].mean(axis=0) - states.mean(axis=0),
        "Your mean runs along the rows: it mixes the numbers of one state. "
        "Average over the states, axis=0.": lambda states, carries: states[carries].mean(axis=1)[: states.shape[1]],
    },
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
    {
        "The weights are missing: this is what each word would push at a weight of 1.": lambda A, V, W_O, towards: (
            V @ W_O @ towards,
            (V @ W_O @ towards).sum(),
        ),
        "That is the length of what is handed over. A long vector may point elsewhere: take its dot product with "
        "`towards`.": lambda A, V, W_O, towards: (
            A * np.linalg.norm(V @ W_O, axis=2),
            (A * np.linalg.norm(V @ W_O, axis=2)).sum(),
        ),
        "A push has a sign: against the word it is below 0. Leave it as it is.": lambda A, V, W_O, towards: (
            A * np.abs(V @ W_O @ towards),
            (A * np.abs(V @ W_O @ towards)).sum(),
        ),
    },
)

_WHICH = choice(
    "22.which",
    "c",
    "where all the rest differs, too, and only the carry comes over, it was the carry.",
    {
        "a": "Random noise in a state may break the answer whatever the state holds. It says how robust the model is.",
        "b": "A higher share makes the finding larger, not different: the state may bring digits as well as the carry.",
        "d": "What is read off a state need not be used. That is the question with which you began.",
    },
)

EXERCISES = (_BATCH, _LENS, _DIRECTION, _PUSHES, _WHICH)
