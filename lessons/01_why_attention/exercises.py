"""The exercises of lesson 01, why attention, and the mistakes that they know."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.seq2seq import additive_scores, attend, dot_scores
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(1)


def _states(n: int, d: int) -> tuple[Array, Array]:
    """A decoder state (d,) and n encoder states (n, d)."""
    return _random.normal(size=d), _random.normal(size=(n, d))


# N = d once, so that a product in the wrong order runs at all.
_STATES = [_states(5, 3), _states(3, 3), _states(2, 4)]


_CONTEXT = Exercise(
    "01.context",
    "the context from the scores",
    lambda s, H: attend(H, dot_scores(s, H)).context,
    _STATES,
    [
        "You give every state the same weight, whatever its score. Use the softmax of the scores as weights.",
        lambda s, H: H.mean(axis=0),
        "You take only the state with the highest score. But each state has a share, so weigh all of them with the "
        "softmax of the scores.",
        lambda s, H: H[(H @ s).argmax()],
        "You use the scores as weights, but scores may be negative and don't sum to 1. Apply the softmax first.",
        lambda s, H: (H @ s) @ H,
        "You divide the scores by their sum, so a share can be negative. Take the exponentials of the scores first.",
        lambda s, H: (H @ s) / (H @ s).sum() @ H,
        "You take the exponentials as weights, which don't add up to 1. Divide them by their sum.",
        lambda s, H: np.exp(H @ s) @ H,
        lambda s, H: np.exp(H @ s - (H @ s).max()) @ H,
        "You use exactly four states, as in the example. There may be more or fewer states, so use all rows of H.",
        lambda s, H: sum(softmax(H @ s)[j] * H[j] for j in range(4)),
        "You add up the entries within each state, so only one number per state is left. Add up the states instead, "
        "with `axis=0`.",
        lambda s, H: (softmax(H @ s)[:, None] * H).sum(axis=1),
        "You divide the scores by √d, as the transformer does (a later lesson explains why). In this exercise, take "
        "the dot product as it is.",
        lambda s, H: softmax(H @ s / np.sqrt(len(s))) @ H,
    ],
)


def _additive(n: int, d_s: int, d_h: int, d_a: int) -> tuple[Array, ...]:
    shapes = ((d_s,), (n, d_h), (d_s, d_a), (d_h, d_a), (d_a,))
    return tuple(_random.normal(size=shape) for shape in shapes)


# All widths alike once, so that W_s and W_h can be mistaken for each other.
_ADDITIVE = [_additive(3, 3, 3, 3), _additive(4, 2, 3, 5), _additive(5, 4, 2, 3)]

_ADDITIVE_SCORES = Exercise(
    "01.additive_scores",
    "additive scores",
    lambda s, H, W_s, W_h, v: additive_scores(s, H, W_s, W_h, v),
    _ADDITIVE,
    [
        "You use a softmax where the tanh belongs. A score is complete only after v, so apply tanh here; the softmax "
        "comes later, over all scores.",
        lambda s, H, W_s, W_h, v: softmax(s @ W_s + H @ W_h, axis=1) @ v,
        "You take a softmax before v has turned each row into one number. Only the scores are needed here, so leave "
        "the softmax out.",
        lambda s, H, W_s, W_h, v: softmax(np.tanh(s @ W_s + H @ W_h), axis=0) @ v,
        "You left out the tanh. Without it, s adds the same number to every score, which the softmax ignores. Apply "
        "tanh to the sum before v.",
        lambda s, H, W_s, W_h, v: (s @ W_s + H @ W_h) @ v,
        "You use a sigmoid, which gives numbers from 0 to 1, where the tanh belongs, which gives numbers from −1 to "
        "1. Write `np.tanh`.",
        lambda s, H, W_s, W_h, v: 1 / (1 + np.exp(-(s @ W_s + H @ W_h))) @ v,
        "You apply tanh after v, but tanh belongs inside. First add the two states, then apply tanh, then multiply by "
        "v.",
        lambda s, H, W_s, W_h, v: np.tanh((s @ W_s + H @ W_h) @ v),
        "You take the tanh of each part and add afterwards. But the two states meet inside one tanh, so add them "
        "first.",
        lambda s, H, W_s, W_h, v: (np.tanh(s @ W_s) + np.tanh(H @ W_h)) @ v,
        "You multiply by the transposed matrices. Here a state is a row, so put the states on the left: `s @ W_s`, `H "
        "@ W_h`.",
        lambda s, H, W_s, W_h, v: np.tanh(W_s @ s + H @ W_h.T) @ v,
    ],
)


def _alignment(m: int, n: int, d: int) -> tuple[Array, Array]:
    """m decoder states and n encoder states of d numbers."""
    return _random.normal(size=(m, d)), _random.normal(size=(n, d))


_ALIGNMENTS = [_alignment(3, 5, 2), _alignment(4, 4, 4), _alignment(2, 3, 3)]


_ALL_STEPS = Exercise(
    "01.weights_of_all_steps",
    "the weights of all steps",
    lambda S, H: softmax(S @ H.T, axis=1),
    _ALIGNMENTS,
    [
        "You let the weights sum to 1 over the decoder's steps. Each step shares out its own attention among the "
        "encoder's states, so take the softmax along each row.",
        lambda S, H: softmax(S @ H.T, axis=0),
        "You return the contexts, which is one step too far. Return the weights before they are multiplied by H.",
        lambda S, H: softmax(S @ H.T, axis=1) @ H,
    ],
)


_WHICH = choice(
    "01.which",
    "b",
    "each weight moves with its state, and a sum has no order. So the context can't show which word came first.",
    {
        "a": "You chose a principle about adding the same number to all scores. Here nothing is added: scores and "
        "states only change places together.",
        "c": "You chose something that is true, but here the states themselves don't change. Only their order does. "
        "How does the sum depend on that order?",
    },
)

EXERCISES = (_CONTEXT, _ADDITIVE_SCORES, _ALL_STEPS, _WHICH)
