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
    "context from the scores",
    lambda s, H: attend(H, dot_scores(s, H)).context,
    _STATES,
    {
        "Every state has the same weight, whatever its "
        "score. The weights are the softmax of the scores.": lambda s, H: H.mean(axis=0),
        "You take the state with the highest score and leave "
        "the others out. A softmax gives each its share.": lambda s, H: H[(H @ s).argmax()],
        "Your scores are used as weights just as they are. They may be negative, and they don't sum to 1: softmax "
        "first.": lambda s, H: (H @ s) @ H,
        "You divide the scores by their sum, but without the exponential a share can be negative.": lambda s, H: (
            (H @ s) / (H @ s).sum() @ H
        ),
        "The exponentials are there, but not divided by their sum, so the weights don't add up to 1.": [
            lambda s, H: np.exp(H @ s) @ H,
            lambda s, H: np.exp(H @ s - (H @ s).max()) @ H,
        ],
        "You count on four states, as on the page. There may be more or fewer: as many as H has rows.": lambda s, H: (
            sum(softmax(H @ s)[j] * H[j] for j in range(4))
        ),
        "You add up the numbers within each state. Add up the states instead: `axis=0`.": lambda s, H: (
            softmax(H @ s)[:, None] * H
        ).sum(axis=1),
        "You divide the scores by √d. The transformer does, a later lesson says why; here the dot product is taken as "
        "it is.": lambda s, H: softmax(H @ s / np.sqrt(len(s))) @ H,
        "Your softmax is taken over the numbers of s. It must "
        "run over the scores, one for each encoder state.": lambda s, H: H @ softmax(s),
    },
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
    {
        "Your softmax stands where the tanh belongs. The score is not complete before v: the softmax comes after, over "
        "all the scores.": lambda s, H, W_s, W_h, v: softmax(s @ W_s + H @ W_h, axis=1) @ v,
        "You take a softmax before v has made one number of each row. First "
        "the scores, then the softmax.": lambda s, H, W_s, W_h, v: softmax(np.tanh(s @ W_s + H @ W_h), axis=0) @ v,
        "The tanh is missing. Without it s adds the same number to every score, and the softmax takes no notice of it: "
        "the decoder's state would play no part.": lambda s, H, W_s, W_h, v: (s @ W_s + H @ W_h) @ v,
        "Your sigmoid stands where the tanh belongs: it gives numbers "
        "from 0 to 1, and tanh from −1 to 1.": lambda s, H, W_s, W_h, v: 1 / (1 + np.exp(-(s @ W_s + H @ W_h))) @ v,
        "Your tanh comes after v. It belongs inside: first the sum, then tanh, then v.": lambda s, H, W_s, W_h, v: (
            np.tanh((s @ W_s + H @ W_h) @ v)
        ),
        "You take the tanh of each part and add afterwards. Add first: "
        "the two states meet inside one tanh.": lambda s, H, W_s, W_h, v: (np.tanh(s @ W_s) + np.tanh(H @ W_h)) @ v,
        "Your weights are transposed. Here a state is a row, "
        "and it stands to the left: `s @ W_s`, `H @ W_h`.": lambda s, H, W_s, W_h, v: np.tanh(W_s @ s + H @ W_h.T) @ v,
    },
)


def _alignment(m: int, n: int, d: int) -> tuple[Array, Array]:
    """m decoder states and n encoder states of d numbers."""
    return _random.normal(size=(m, d)), _random.normal(size=(n, d))


_ALIGNMENTS = [_alignment(3, 5, 2), _alignment(4, 4, 4), _alignment(2, 3, 3)]


_ALL_STEPS = Exercise(
    "01.weights_of_all_steps",
    "weights of all steps",
    lambda S, H: softmax(S @ H.T, axis=1),
    _ALIGNMENTS,
    {
        "Your weights sum to 1 over the decoder's steps. Each step shares out its own 1 over the encoder's states: "
        "softmax along each row.": lambda S, H: softmax(S @ H.T, axis=0),
        "These are the contexts, one step further: asked for are the weights.": lambda S, H: (
            softmax(S @ H.T, axis=1) @ H
        ),
    },
)


def _general(m: int, n: int, d_s: int, d_h: int) -> tuple[Array, Array, Array]:
    """m decoder states of d_s numbers, n encoder states of d_h, and W (d_s, d_h)."""
    return tuple(_random.normal(size=shape) for shape in ((m, d_s), (n, d_h), (d_s, d_h)))


# One width for both once, so that W can be turned, left out, or put on the wrong side.
_GENERALS = [_general(3, 5, 4, 2), _general(4, 3, 2, 5), _general(3, 4, 3, 3)]


_GENERAL_CONTEXTS = Exercise(
    "01.general_contexts",
    "contexts with Luong's general score",
    lambda S, H, W: softmax(S @ W @ H.T, axis=1) @ H,
    _GENERALS,
    {
        "Your weights are right, but you weigh what W makes "
        "of the states. The context is made of H itself.": lambda S, H, W: softmax(S @ W @ H.T, axis=1) @ (H @ W.T),
        "Your weights sum to 1 over the decoder's steps. Each step shares out its own 1: "
        "softmax along each row.": lambda S, H, W: softmax(S @ W @ H.T, axis=0) @ H,
        "Your scores are used as weights just as they are: softmax along each row first.": lambda S, H, W: (
            S @ W @ H.T @ H
        ),
        "These are the scores, (M, N). Softmax and the weighted sum are still to come.": lambda S, H, W: S @ W @ H.T,
        "The tanh belongs to additive attention. Here the score is the product alone.": lambda S, H, W: (
            softmax(np.tanh(S @ W @ H.T), axis=1) @ H
        ),
        "You divide the scores by √d. A later lesson says what that is good for; here they "
        "are taken as they are.": lambda S, H, W: softmax(S @ W @ H.T / np.sqrt(H.shape[1]), axis=1) @ H,
        "All your weights together sum to 1. Each step of the decoder has a 1 of its own to share: softmax along each "
        "row.": lambda S, H, W: np.exp(S @ W @ H.T) / np.exp(S @ W @ H.T).sum() @ H,
        "The exponentials are not divided by the sum of their row yet.": lambda S, H, W: np.exp(S @ W @ H.T) @ H,
    },
)

_WHICH = choice(
    "01.which",
    "b",
    "each weight goes with its state, and a sum has no order. So the context does not know who came first.",
    {
        "a": "Nothing is added to the scores here: scores and states change places together.",
        "c": "So it has. But here the states stay what they are: only their order changes.",
    },
)

EXERCISES = (_CONTEXT, _ADDITIVE_SCORES, _ALL_STEPS, _GENERAL_CONTEXTS, _WHICH)
