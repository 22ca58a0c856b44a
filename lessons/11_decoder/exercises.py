"""The exercises of lesson 11, the decoder, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.decoder import cross_attention, shift_right
from utils.course.exercises.exercise import Exercise, WrongAnswer, choice, in_steps
from utils.course.exercises.softmaxes import with_wrong_softmax

_random = np.random.default_rng(11)


def _filled(
    shift: Callable[[list[int], int, int], Any], cut: bool = False
) -> Callable[[list[int], int, int, int, int], Any]:
    """What `shift` makes of a sentence, each row filled up to n places; a row that is longer is cut, or stays so."""
    return lambda words, start, end, n, pad: tuple(
        np.array([*row, *[pad] * (n - len(row))][: n if cut else None]) for row in shift(words, start, end)
    )


_SHIFT = Exercise(
    "11.shift",
    "shifted outputs",
    _filled(shift_right),
    [([14, 11, 5, 4], 1, 2, 7, 0), ([7, 9], 1, 2, 5, 0), ([6], 101, 105, 2, 9), ([8, 3, 8, 5, 9], 2, 1, 8, 4)],
    [
        "You don't shift, so the decoder reads the very word that it has to predict, and learns to copy. Leave the "
        "last token out of what is read, and the first out of what is predicted.",
        _filled(lambda words, start, end: ([start, *words, end], [start, *words, end])),
        "You don't shift, so the decoder reads the very word that it has to predict. Put the start token before what "
        "is read, and the end token after what is predicted.",
        _filled(lambda words, start, end: (words, words)),
        "You leave the start token out of what is read. Before the first word there is nothing else to read, so put "
        "this token in front.",
        _filled(lambda words, start, end: (words, [*words, end])),
        "You leave the end token out of what is predicted. After the last word the decoder has to say that it is "
        "done, so add the end token.",
        _filled(lambda words, start, end: ([start, *words], words)),
        "You shift correctly, but the end token is missing, so this decoder would never learn to stop. Let the "
        "decoder predict the end token after the last word.",
        _filled(lambda words, start, end: ([start, *words[:-1]], words)),
        "You let the decoder read the end token, after which nothing is left to predict. End what is read with the "
        "last word, and fill the rest with padding.",
        *[_filled(lambda words, start, end: ([start, *words, end], [*words, end]), cut) for cut in (False, True)],
        "You put the start token into what is predicted as well, so every word is back at its own position. The "
        "decoder reads the start token but doesn't predict it, so leave it out of what is predicted.",
        *[_filled(lambda words, start, end: ([start, *words], [start, *words, end]), cut) for cut in (False, True)],
        "You put the padding in front. Put it at the end, so that the first word is at position 0.",
        lambda *given: tuple(np.roll(row, given[3] - len(given[0]) - 1) for row in _filled(shift_right)(*given)),
        "You leave out the start token and don't shift, so the decoder reads the very word that it has to predict. "
        "Begin what is read with the start token.",
        _filled(lambda words, start, end: ([*words, end], [*words, end])),
        "You shift correctly but don't add the padding. Extend both lists with `pad` until each has `n` ids.",
        lambda words, start, end, n, pad: shift_right(words, start, end),
    ],
)


def _sentences(M: int, N: int, d_model: int, d_k: int, d_v: int) -> tuple[Array, ...]:
    weights = (_random.normal(size=(d_model, d)) / np.sqrt(d_model) for d in (d_k, d_k, d_v))
    return _random.normal(size=(M, d_model)), _random.normal(size=(N, d_model)), *weights


def _cross(Y: Array, E: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    return cross_attention(Y, E, W_Q, W_K, W_V)[0]


def _scores(Y: Array, E: Array, W_Q: Array, W_K: Array) -> Array:
    return (Y @ W_Q) @ (E @ W_K).T


@in_steps
def _cross_with(
    rows: Callable[[Array], Array] = softmax,
    divisor: Callable[[Array, Array, Array], float] = lambda E, W_K, W_V: W_K.shape[1],
    keys: Callable[[Array, Array], Array] = lambda Y, E: E,
    values: Callable[[Array, Array], Array] = lambda Y, E: E,
) -> Callable[..., Array]:
    def answer(Y: Array, E: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
        scores = _scores(Y, keys(Y, E), W_Q, W_K) / np.sqrt(divisor(E, W_K, W_V))
        return rows(scores) @ (values(Y, E) @ W_V)

    return answer


_CROSS_ATTENTION = Exercise(
    "11.cross_attention",
    "cross-attention",
    _cross,
    [_sentences(3, 5, 4, 2, 6), _sentences(2, 4, 7, 5, 6), _sentences(3, 3, 3, 3, 3)],
    [
        *with_wrong_softmax(lambda rows: _cross_with(rows)),
        "You make keys and values from the decoder, so the decoder asks itself and never reads the source. Make K and "
        "V from E.",
        _cross_with(keys=lambda Y, E: Y, values=lambda Y, E: Y),
        "You make the keys from the decoder, but the values from the encoder. Key and value belong to one word, so "
        "make both from E.",
        _cross_with(keys=lambda Y, E: Y),
        "You make the values from the decoder. But the weights say which source word to look at, so make the values, "
        "which are handed over, from E.",
        _cross_with(values=lambda Y, E: Y),
        "You mask later words of the source, but the whole source is there from the start. Leave the mask out.",
        lambda Y, E, W_Q, W_K, W_V: cross_attention(
            Y, E, W_Q, W_K, W_V, np.tril(np.ones((len(Y), len(E)), dtype=bool))
        )[0],
        *[
            WrongAnswer(
                _cross_with(divisor=wide),
                f"You divided by {said}. A score adds up d_k products, so divide by √d_k, where d_k is the number of "
                "columns of W_K.",
            )
            for wide, said in (
                (lambda E, W_K, W_V: len(E), "the square root of the number of words"),
                (lambda E, W_K, W_V: E.shape[1], "√d_model, the width of Y and of E"),
                (lambda E, W_K, W_V: W_V.shape[1], "√d_v, the width of the values"),
            )
        ],
        "You divide by √3, but d_k is 3 only in the lesson's example. Take d_k from the shape of W_K.",
        _cross_with(divisor=lambda E, W_K, W_V: 3),
        "You left out the scale. Divide the scores by √d_k, where d_k is the number of columns of W_K.",
        _cross_with(divisor=lambda E, W_K, W_V: 1),
        "You use the raw scores, which don't sum to 1. Apply a softmax to each row before it weighs the values.",
        _cross_with(lambda S: S),
    ],
    extremes=[(1e4 * Y, E, *weights) for Y, E, *weights in [_sentences(4, 3, 3, 2, 5)]],
)


# --- source and target in one row ---------------------------------------------------------------------------------


def _one_row(n_source: int, n_target: int) -> Array:
    mask = np.tri(n_source + n_target, dtype=bool)
    mask[:n_source, :n_source] = True
    return mask


def _with_block(rows: str, columns: str, block: Callable[[Array], Array]) -> Callable[[int, int], Array]:
    """The mask with one of its four blocks changed; rows and columns are "source" or "target"."""

    def mask(n_source: int, n_target: int) -> Array:
        places = {"source": slice(None, n_source), "target": slice(n_source, None)}
        changed = _one_row(n_source, n_target)
        changed[places[rows], places[columns]] = block(changed[places[rows], places[columns]])
        return changed

    return mask


_ONE_ROW = Exercise(
    "11.one_row",
    "source and target in one row",
    _one_row,
    [(4, 5), (3, 3), (2, 6), (5, 2), (1, 4)],
    [
        "You forbid the source to look ahead, but the source is complete from the start. Let each of its words look "
        "at the whole source.",
        lambda n_source, n_target: np.tri(n_source + n_target, dtype=bool),
        "You let the source look at written words, so in the next layer a written word could see the future through "
        "it. Forbid that block.",
        _with_block("source", "target", np.ones_like),
        "You let written words look ahead, at words that they have to predict. Make their block a triangle, the "
        "look-ahead mask.",
        _with_block("target", "target", np.ones_like),
        "You never let written words look at the source, so the model couldn't translate. That block is the "
        "cross-attention, so make all of it True.",
        _with_block("target", "source", np.zeros_like),
        "You let written words see only the beginning of the source. Cross-attention needs no look-ahead mask, so "
        "allow all of it.",
        _with_block("target", "source", lambda block: np.tri(*block.shape, dtype=bool)),
        "You forbid words to look at themselves, although every word may. Allow the diagonal, for source and target.",
        lambda n_source, n_target: _one_row(n_source, n_target) & ~np.eye(n_source + n_target, dtype=bool),
        "You turn the triangle of the written words upside down. A word sees itself and the words before it, which is "
        "the triangle of `np.tril` and `np.tri`.",
        _with_block("target", "target", np.transpose),
        "You forbid written words to look at themselves, although their own row has read them. Allow the diagonal.",
        _with_block("target", "target", lambda block: np.tri(*block.shape, k=-1, dtype=bool)),
        "You let each written word see one word too many, the very one that its row has to predict. Move the triangle "
        "back by one.",
        _with_block("target", "target", lambda block: np.tri(*block.shape, k=1, dtype=bool)),
        "You put the written words first. But the source comes first in the row, so swap the two.",
        lambda n_source, n_target: np.roll(_one_row(n_source, n_target), (n_target, n_target), axis=(0, 1)),
        "You return only the rows of the written words, which are correct. The source words also ask, so add their "
        "rows.",
        lambda n_source, n_target: _one_row(n_source, n_target)[n_source:],
    ],
)

_WHICH = choice(
    "11.which",
    "c",
    "row 1 may look only at token 1, so token 3 has come through self-attention, from a position that the mask"
    " should hide.",
    {
        "a": (
            "You chose the shift. Without it, row 1 finds its own answer at position 1 and the loss is low, but a "
            "mask still hides token 3 from row 1."
        ),
        "b": "You chose the cross-attention, which reads the other sentence. Token 3 belongs to what is written, so "
        "it has come another way.",
        "d": "You chose the positions. Positions say where a token is, but open no way from position 3 to row 1.",
    },
)

EXERCISES = (_SHIFT, _CROSS_ATTENTION, _ONE_ROW, _WHICH)
