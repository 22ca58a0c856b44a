"""The exercises of lesson 01, why attention, and the mistakes that they know."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.seq2seq import additive_scores, attend, dot_scores
from utils.course.exercises.exercise import Exercise, WrongAnswer

_random = np.random.default_rng(1)


def _states(n: int, d: int) -> tuple[Array, Array]:
    """A decoder state (d,) and n encoder states (n, d)."""
    return _random.normal(size=d), _random.normal(size=(n, d))


# N = d once, so that a product in the wrong order runs at all.
_STATES = [_states(5, 3), _states(3, 3), _states(2, 4)]


def _context(s: Array, H: Array) -> Array:
    return attend(H, dot_scores(s, H)).context


_CONTEXT = Exercise(
    "01.context",
    "context from the scores",
    _context,
    _STATES,
    (
        WrongAnswer(
            "the last state",
            lambda s, H: H[-1],
            "That is the last state alone: the summary of a decoder without attention. Weigh all the states.",
        ),
        WrongAnswer(
            "the mean of the states",
            lambda s, H: H.mean(axis=0),
            "Every state has the same weight, whatever its score. The weights are the softmax of the scores.",
        ),
        WrongAnswer(
            "the best state alone",
            lambda s, H: H[(H @ s).argmax()],
            "You take the state with the highest score and leave the others out. A softmax gives each its share.",
        ),
        WrongAnswer(
            "scores without softmax",
            lambda s, H: (H @ s) @ H,
            "Your scores are used as weights just as they are. They may be negative, and they don't sum to 1: "
            "softmax first.",
        ),
        WrongAnswer(
            "scores divided by their sum",
            lambda s, H: (H @ s) / (H @ s).sum() @ H,
            "You divide the scores by their sum, but without the exponential a share can be negative.",
        ),
        WrongAnswer(
            "exponentials not divided",
            lambda s, H: np.exp(H @ s) @ H,
            "The exponentials are there, but not divided by their sum, so the weights don't add up to 1.",
        ),
        WrongAnswer(
            "exponentials not divided, the maximum taken off",
            lambda s, H: np.exp(H @ s - (H @ s).max()) @ H,
            "The exponentials are there, but not divided by their sum, so the weights don't add up to 1.",
        ),
        WrongAnswer(
            "four states only",
            lambda s, H: sum(softmax(H @ s)[j] * H[j] for j in range(4)),
            "You count on four states, as on the page. There may be more or fewer: as many as H has rows.",
        ),
        WrongAnswer(
            "the mean of the weighted states",
            lambda s, H: (softmax(H @ s)[:, None] * H).mean(axis=0),
            "You take the mean of the weighted states. The weights have shared them out already: only add up.",
        ),
        WrongAnswer(
            "added up across each state",
            lambda s, H: (softmax(H @ s)[:, None] * H).sum(axis=1),
            "You add up the numbers within each state. Add up the states instead: `axis=0`.",
        ),
        WrongAnswer(
            "divided by √d",
            lambda s, H: softmax(H @ s / np.sqrt(len(s))) @ H,
            "You divide the scores by √d. The transformer does, a later lesson says why; here the dot product is "
            "taken as it is.",
        ),
        WrongAnswer(
            "weights of the decoder's numbers",
            lambda s, H: H @ softmax(s),
            "Your softmax is taken over the numbers of s. It must run over the scores, one for each encoder state.",
        ),
    ),
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
    (
        WrongAnswer(
            "softmax before the score is complete",
            lambda s, H, W_s, W_h, v: softmax(s @ W_s + H @ W_h, axis=1) @ v,
            "Your softmax stands where the tanh belongs. The score is not complete before v: the softmax comes after, "
            "over all the scores.",
        ),
        WrongAnswer(
            "softmax of the tanh, then v",
            lambda s, H, W_s, W_h, v: softmax(np.tanh(s @ W_s + H @ W_h), axis=0) @ v,
            "You take a softmax before v has made one number of each row. First the scores, then the softmax.",
        ),
        WrongAnswer(
            "no tanh",
            lambda s, H, W_s, W_h, v: (s @ W_s + H @ W_h) @ v,
            "The tanh is missing. Without it s adds the same number to every score, and the softmax takes no notice "
            "of it: the decoder's state would play no part.",
        ),
        WrongAnswer(
            "tanh after v",
            lambda s, H, W_s, W_h, v: np.tanh((s @ W_s + H @ W_h) @ v),
            "Your tanh comes after v. It belongs inside: first the sum, then tanh, then v.",
        ),
        WrongAnswer(
            "tanh of each part",
            lambda s, H, W_s, W_h, v: (np.tanh(s @ W_s) + np.tanh(H @ W_h)) @ v,
            "You take the tanh of each part and add afterwards. Add first: the two states meet inside one tanh.",
        ),
        WrongAnswer(
            "W_s and W_h swapped",
            lambda s, H, W_s, W_h, v: np.tanh(s @ W_h + H @ W_s) @ v,
            "W_s and W_h have changed places: W_s is for the decoder's state s, W_h for the encoder's states H.",
        ),
        WrongAnswer(
            "W_h for both",
            lambda s, H, W_s, W_h, v: np.tanh(s @ W_h + H @ W_h) @ v,
            "You use W_h for both states. The decoder's state s has a matrix of its own, W_s.",
        ),
        WrongAnswer(
            "W_s for both",
            lambda s, H, W_s, W_h, v: np.tanh(s @ W_s + H @ W_s) @ v,
            "You use W_s for both states. The encoder's states H have a matrix of their own, W_h.",
        ),
        WrongAnswer(
            "weights transposed",
            lambda s, H, W_s, W_h, v: np.tanh(W_s @ s + H @ W_h.T) @ v,
            "Your weights are transposed. Here a state is a row, and it stands to the left: `s @ W_s`, `H @ W_h`.",
        ),
    ),
)


def _alignment(m: int, n: int, d: int) -> tuple[Array, Array]:
    """m decoder states and n encoder states of d numbers."""
    return _random.normal(size=(m, d)), _random.normal(size=(n, d))


_ALIGNMENTS = [_alignment(3, 5, 2), _alignment(4, 4, 4), _alignment(2, 3, 3)]


def _weights(S: Array, H: Array) -> Array:
    return softmax(S @ H.T, axis=1)


_ALL_STEPS = Exercise(
    "01.weights_of_all_steps",
    "weights of all steps",
    _weights,
    _ALIGNMENTS,
    (
        WrongAnswer(
            "weights over the decoder's steps",
            lambda S, H: softmax(S @ H.T, axis=0),
            "Your weights sum to 1 over the decoder's steps. Each step shares out its own 1 over the encoder's states: "
            "softmax along each row.",
        ),
        WrongAnswer(
            "over all entries",
            lambda S, H: np.exp(S @ H.T) / np.exp(S @ H.T).sum(),
            "All entries together sum to 1. Each row should: every step of the decoder has a 1 of its own to share.",
        ),
        WrongAnswer(
            "divided by the sum of the scores",
            lambda S, H: (S @ H.T) / (S @ H.T).sum(axis=1, keepdims=True),
            "You divide by the sum without the exponential, so some weights are negative.",
        ),
        WrongAnswer(
            "divided by √d",
            lambda S, H: softmax(S @ H.T / np.sqrt(S.shape[1]), axis=1),
            "You divide the scores by √d. A later lesson says what that is good for; here they are taken as they are.",
        ),
        WrongAnswer(
            "the contexts",
            lambda S, H: softmax(S @ H.T, axis=1) @ H,
            "These are the contexts, one step further: asked for are the weights.",
        ),
        WrongAnswer(
            "the maximum of each column taken off",
            lambda S, H: softmax(S @ H.T - (S @ H.T).max(axis=0), axis=1),
            "You take the largest of each column off, and that changes the shares of a row. What is taken off must be "
            "the same along the row: `max(axis=1, keepdims=True)`.",
        ),
    ),
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
    (
        WrongAnswer(
            "W transposed",
            lambda S, H, W: softmax(S @ W.T @ H.T, axis=1) @ H,
            "Your W is turned. It takes a row of S, of d_s numbers, to d_h numbers: `S @ W`.",
        ),
        WrongAnswer(
            "W left out",
            lambda S, H, W: softmax(S @ H.T, axis=1) @ H,
            "W plays no part: that is the plain dot product, which needs states of one width.",
        ),
        WrongAnswer(
            "the states turned by W",
            lambda S, H, W: softmax(S @ W @ H.T, axis=1) @ (H @ W.T),
            "Your weights are right, but you weigh what W makes of the states. The context is made of H itself.",
        ),
        WrongAnswer(
            "weights over the decoder's steps",
            lambda S, H, W: softmax(S @ W @ H.T, axis=0) @ H,
            "Your weights sum to 1 over the decoder's steps. Each step shares out its own 1: softmax along each row.",
        ),
        WrongAnswer(
            "scores without softmax",
            lambda S, H, W: S @ W @ H.T @ H,
            "Your scores are used as weights just as they are: softmax along each row first.",
        ),
        WrongAnswer(
            "the scores",
            lambda S, H, W: S @ W @ H.T,
            "These are the scores, (M, N). Softmax and the weighted sum are still to come.",
        ),
        WrongAnswer(
            "tanh around",
            lambda S, H, W: softmax(np.tanh(S @ W @ H.T), axis=1) @ H,
            "The tanh belongs to additive attention. Here the score is the product alone.",
        ),
        WrongAnswer(
            "divided by √d",
            lambda S, H, W: softmax(S @ W @ H.T / np.sqrt(H.shape[1]), axis=1) @ H,
            "You divide the scores by √d. A later lesson says what that is good for; here they are taken as they are.",
        ),
        WrongAnswer(
            "over all entries",
            lambda S, H, W: np.exp(S @ W @ H.T) / np.exp(S @ W @ H.T).sum() @ H,
            "All your weights together sum to 1. Each step of the decoder has a 1 of its own to share: softmax along "
            "each row.",
        ),
        WrongAnswer(
            "exponentials not divided",
            lambda S, H, W: np.exp(S @ W @ H.T) @ H,
            "The exponentials are not divided by the sum of their row yet.",
        ),
    ),
)

EXERCISES = (_CONTEXT, _ADDITIVE_SCORES, _ALL_STEPS, _GENERAL_CONTEXTS)
