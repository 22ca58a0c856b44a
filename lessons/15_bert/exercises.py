"""The exercises of lesson 15. They need NumPy alone, not the weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise, WrongAnswer

Array = NDArray[np.float64]

_random = np.random.default_rng(15)


def _maps(n_heads: int, n: int) -> Array:
    return softmax(2 * _random.normal(size=(n_heads, n, n)))


# --- an average without the sink ----------------------------------------------------------------------------------


def _shared_out(A: Array) -> Array:
    total = A.sum(axis=-1, keepdims=True)
    return np.divide(A, total, out=np.zeros_like(A), where=total > 0)


def _without(A: Array, sinks: Array) -> Array:
    keep = np.setdiff1d(np.arange(A.shape[1]), sinks)
    return A[:, keep][:, :, keep]


def _without_sinks(A: Array, sinks: Array) -> Array:
    return _shared_out(_without(A, sinks)).mean(axis=0)


def _with_a_sink(n_heads: int, n: int, sinks: list[int], rests: list[float]) -> tuple[Array, Array]:
    """Maps whose head h pays all but about rests[h] of each row to the sinks; a rest of 0 is none at all."""
    A = _maps(n_heads, n)
    for head, rest in zip(A, rests, strict=True):
        share = rest * _random.uniform(0.6, 1.4, size=(n, 1))
        words = np.setdiff1d(np.arange(n), sinks)
        head[:, words] *= share / head[:, words].sum(axis=1, keepdims=True)
        head[:, sinks] *= (1 - share) / head[:, sinks].sum(axis=1, keepdims=True)
    return A, np.array(sinks)


# A place inside, at the edge, and neither; once unsorted, and with a head that keeps nothing.
_SINKS = [
    _with_a_sink(3, 6, [0, 5], [0.5, 0.1, 0.3]),
    _with_a_sink(2, 5, [0], [0.6, 0.05]),
    _with_a_sink(4, 7, [4, 1], [0.4, 0.2, 0.0, 0.6]),
]

_SINK = Exercise(
    "15.without_sink",
    "an average without the sink",
    _without_sinks,
    _SINKS,
    [
        "You average first and rescale afterwards, so a head that pays nearly everything to the sink barely counts. "
        "Divide each head's rows by their sums first, then average.",
        lambda A, sinks: _shared_out(_without(A, sinks).mean(axis=0)),
        "You divide 0 by 0 where a row pays everything to the sink. Nothing is left of such a row, so leave it as "
        "zeros. The rest is correct.",
        lambda A, sinks: (_without(A, sinks) / _without(A, sinks).sum(axis=-1, keepdims=True)).mean(axis=0),
        "You left a head out of the mean where nothing is left of its row. Such a row counts as zeros, so take the "
        "mean over all heads.",
        lambda A, sinks: _shared_out(_without_sinks(A, sinks)),
        "You put zeros in place of the sinks, so their rows and columns are still there. Remove both, so that only "
        "the words are left.",
        lambda A, sinks: _zeroed(A, sinks),
        "You removed the sinks, but your rows no longer sum to 1. Divide each row of each head by what is left of it.",
        lambda A, sinks: _without(A, sinks).mean(axis=0),
        "You remove the first token, whatever `sinks` says. Remove the positions in `sinks` instead.",
        lambda A, sinks: _without_sinks(A, np.array([0])),
        "You remove the first and the last token, whatever `sinks` says. Remove the positions in `sinks` instead.",
        lambda A, sinks: _without_sinks(A, np.array([0, A.shape[1] - 1])),
    ],
)


def _zeroed(A: Array, sinks: Array) -> Array:
    A = A.copy()
    A[:, sinks] = 0
    A[:, :, sinks] = 0
    return _shared_out(A).mean(axis=0)


# --- king, man, woman ---------------------------------------------------------------------------------------------


def _cosines(E: Array, v: Array) -> Array:
    return E @ v / (np.linalg.norm(E, axis=1) * np.linalg.norm(v))


def _best(scores: Array, without: list[int]) -> int:
    scores = scores.copy()
    scores[without] = -np.inf
    return int(scores.argmax())


def _analogy(E: Array, a: int, b: int, c: int) -> int:
    return _best(_cosines(E, E[a] - E[b] + E[c]), [a, b, c])


def _three_at_0(E: Array, a: int, b: int, c: int) -> int:
    cosines = _cosines(E, E[a] - E[b] + E[c])
    cosines[[a, b, c]] = 0
    return int(cosines.argmax())


def _words(seed: int, n: int) -> tuple[Array, int, int, int]:
    """A table of n words with long and short rows, in which each mistake leads to another word."""
    random = np.random.default_rng(seed)
    E = random.normal(size=(n, 4)) + random.normal(size=4)
    E *= random.uniform(0.4, 2.5, size=(n, 1))
    return E, *map(int, random.permutation(n)[:3])


def _all_others_away() -> tuple[Array, int, int, int]:
    """A table in which every other word has a cosine below 0, so that a 0 would win."""
    E, a, b, c = _words(12, 40)
    v = E[a] - E[b] + E[c]
    others = np.setdiff1d(np.arange(len(E)), [a, b, c])
    E[others] *= -np.sign(E[others] @ v)[:, np.newaxis]
    return E, a, b, c


def _b_the_nearest() -> tuple[Array, int, int, int]:
    E, a, b, c = _words(12, 40)
    E[a] = 2 * E[b] - E[c]
    return E, a, b, c


_TABLES = [*(_words(seed, 40) for seed in range(12)), _all_others_away(), _b_the_nearest()]

_ANALOGY = Exercise(
    "15.analogy",
    "king − man + woman",
    _analogy,
    _TABLES,
    [
        "You left the three words themselves among the candidates, and one of them is often the nearest. Leave all "
        "three out.",
        lambda E, a, b, c: _best(_cosines(E, E[a] - E[b] + E[c]), []),
        *[
            WrongAnswer(
                lambda E, a, b, c, out=out: _best(
                    _cosines(E, E[a] - E[b] + E[c]), [[a, b, c]["abc".index(x)] for x in out]
                ),
                f"You leave out only {' and '.join(out)}. None of the three words that were put in may come out, so "
                "leave out all of them.",
            )
            for out in ("a", "b", "c", "ab", "ac", "bc")
        ],
        *[
            WrongAnswer(
                lambda E, a, b, c, place=place: int(_cosines(E, E[a] - E[b] + E[c]).argsort()[-1 - place]),
                f"You take the word whose cosine is number {place + 1} of all. But a, b and c don't always come "
                "before it, so leave them out by their ids and take the nearest of the other words.",
            )
            for place in (1, 3)
        ],
        "You give the three words the cosine 0, which wins where all others point away. Give them a cosine that can't "
        "win, −∞.",
        _three_at_0,
        "You compare by the dot product, so a long row wins by its length. Divide by both lengths to get the cosine.",
        lambda E, a, b, c: _best(E @ (E[a] - E[b] + E[c]), [a, b, c]),
        "You take the smallest distance, which depends on lengths. Lengths shouldn't count here, so take the largest "
        "cosine instead.",
        lambda E, a, b, c: _best(-np.linalg.norm(E - (E[a] - E[b] + E[c]), axis=1), [a, b, c]),
        "You take the word with the smallest cosine, which is the least similar one. Take the largest, with argmax.",
        lambda E, a, b, c: _best(-_cosines(E, E[a] - E[b] + E[c]), [a, b, c]),
        "You return the word nearest to a, which is only a useful baseline. Return the word nearest to the sum.",
        lambda E, a, b, c: _best(_cosines(E, E[a]), [a, b, c]),
        "You deleted the three rows, so all later rows now have a different id. Keep the rows, and give these three a "
        "cosine that can't win, −∞.",
        lambda E, a, b, c: int(np.delete(_cosines(E, E[a] - E[b] + E[c]), [a, b, c]).argmax()),
        "You scale all rows to length 1 before you add. Here a − b + c is made of the rows as they are, so divide by "
        "the lengths only when you compare.",
        lambda E, a, b, c: _analogy(E / np.linalg.norm(E, axis=1, keepdims=True), a, b, c),
    ],
    is_id=True,
)

# --- many texts, compared with each other -------------------------------------------------------------------------


def _means(states: Array, ids: NDArray[np.intp], pad: int) -> Array:
    is_token = (ids != pad)[:, :, np.newaxis]
    return (states * is_token).sum(axis=1) / is_token.sum(axis=1)


def _dots(vectors: Array) -> Array:
    return vectors @ vectors.T


def _cosines_of(vectors: Array) -> Array:
    return _dots(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _similarities(states: Array, ids: NDArray[np.intp], pad: int) -> Array:
    return _cosines_of(_means(states, ids, pad))


def _texts(lengths: list[int], d: int, pad: int) -> tuple[Array, NDArray[np.intp], int]:
    """A batch of texts with so many tokens; what stands at padding is no zero."""
    n = max(lengths)
    ids = _random.integers(10, 60, size=(len(lengths), n))
    ids += ids >= pad if pad >= 10 else 0  # no token is padding
    ids[np.arange(n) >= np.array(lengths)[:, np.newaxis]] = pad
    return _random.normal(size=(len(lengths), n, d)) + _random.normal(size=d), ids, pad


# The last has ids on both sides of its padding: whoever asks for `ids > pad` is seen.
_LENGTHS_AND_PADS = ([3, 6, 1, 4], 5, 0), ([2, 7, 5], 4, 9), ([4, 2, 3, 4], 4, 0), ([5, 3, 6], 4, 35)
_TEXT_BATCHES = [_texts(*each) for each in _LENGTHS_AND_PADS]

_SIMILARITIES = Exercise(
    "15.similarities",
    "many texts, compared with each other",
    _similarities,
    _TEXT_BATCHES,
    [
        "You include the states at padding in your mean, but those states mean nothing. Leave them out of the sum and "
        "of the count.",
        lambda states, ids, pad: _cosines_of(states.mean(axis=1)),
        "You return dot products of the means. A cosine divides by both lengths, so scale each mean to length 1 first.",
        lambda states, ids, pad: _dots(_means(states, ids, pad)),
        "You put 0 on the diagonal. There each text meets itself, and its cosine with itself is 1, so leave the "
        "diagonal as it is.",
        lambda states, ids, pad: _similarities(states, ids, pad) * (1 - np.eye(len(ids))),
        "You compare the first token of each text, [CLS]. This model was trained with the mean of all tokens, so use "
        "the mean.",
        lambda states, ids, pad: _cosines_of(states[:, 0]),
        "You scale every token to length 1 before the mean. Take the mean of the states as they are, then scale the "
        "mean.",
        lambda states, ids, pad: _cosines_of(_means(states / np.linalg.norm(states, axis=2, keepdims=True), ids, pad)),
        "You kept the padding and left the tokens out. Reverse the condition, so that it is `ids != pad`.",
        lambda states, ids, pad: _cosines_of(
            np.array([row[here == pad].sum(axis=0) + 1e-300 for row, here in zip(states, ids, strict=True)])
        ),
        "You return the vectors of the texts, which are correct. Now take the cosine of each with each.",
        _means,
    ],
)

# --- hiding words -------------------------------------------------------------------------------------------------

Hidden = tuple[NDArray[np.intp], NDArray[np.intp]]


def _hide(
    ids: NDArray[np.intp], chosen: NDArray[np.bool_], kind: Array, others: NDArray[np.intp], mask_id: int
) -> Hidden:
    return _hidden_by(0.8, 0.1, ids, chosen, kind, others, mask_id)


def _hidden_by(
    masked: float,
    other: float,
    ids: NDArray[np.intp],
    chosen: NDArray[np.bool_],
    kind: Array,
    others: NDArray[np.intp],
    mask_id: int,
) -> Hidden:
    """Of the chosen words the share `masked` is read as [MASK], the share `other` as another word."""
    read = np.where(chosen & (kind < masked), mask_id, ids)
    read = np.where(chosen & (kind >= masked) & (kind < masked + other), others, read)
    return read, np.where(chosen, ids, -100)


def _guessed(asked: Callable[[Array], NDArray[np.bool_]]) -> Callable[..., Hidden]:
    """What is read is right; of the chosen words only those are guessed that `asked` says by their kind."""
    return lambda ids, chosen, kind, others, mask_id: (
        _hide(ids, chosen, kind, others, mask_id)[0],
        np.where(chosen & asked(kind), ids, -100),
    )


def _batch(rows: int, n: int, mask_id: int) -> tuple[NDArray[np.intp], NDArray[np.bool_], Array, NDArray[np.intp], int]:
    """A batch with every kind of word, the borders 0.8 and 0.9 too, among the chosen ones and among the others."""
    ids, others = _random.integers(5, 60, size=(2, rows, n))
    chosen, kind = _random.random((rows, n)) < 0.5, _random.random((rows, n))
    kinds = [0.4, 0.8, 0.85, 0.9, 0.95]
    kind.flat[: 2 * len(kinds)], chosen.flat[: 2 * len(kinds)] = 2 * kinds, [True] * 5 + [False] * 5
    return ids, chosen, kind, others, mask_id


_BATCHES = [_batch(4, 11, 3), _batch(7, 6, 4), _batch(10, 9, 103)]

_HIDE = Exercise(
    "15.hide",
    "hiding words",
    _hide,
    _BATCHES,
    [
        "You turn every chosen word into [MASK]. Out of ten chosen words, only eight become [MASK], so let one become "
        "another word and one stay.",
        lambda ids, chosen, kind, others, mask_id: _hidden_by(1.0, 0.0, ids, chosen, kind, others, mask_id),
        "You leave a chosen word as it is between 0.8 and 0.9. But there the model reads the word in `others`, so put "
        "that word in.",
        lambda ids, chosen, kind, others, mask_id: _hidden_by(0.8, 0.0, ids, chosen, kind, others, mask_id),
        "You turn a word whose kind is exactly 0.8 into [MASK]. Only *below* 0.8 does it become [MASK], so at 0.8 use "
        "the word in `others`. The rest is correct.",
        lambda ids, chosen, kind, others, mask_id: _hide(
            ids, chosen, np.where(kind == 0.8, 0.4, kind), others, mask_id
        ),
        "You have no [MASK] left in what is read. Does your second step start from `ids` again? Continue from the "
        "result of the first step instead.",
        lambda ids, chosen, kind, others, mask_id: _hidden_by(0.8, 0.1, ids, chosen, kind, others, ids),
        "You let the model predict only the [MASK]s, so it never has to doubt the words that it reads. Put in the ids "
        "of all chosen words.",
        _guessed(lambda kind: kind < 0.8),
        "You ask for the id that is read now, even for [MASK]. The model has to predict the id that was there before, "
        "so take it from `ids`.",
        lambda ids, chosen, kind, others, mask_id: (
            (read := _hide(ids, chosen, kind, others, mask_id)[0]),
            np.where(chosen, read, -100),
        ),
        "You change words that were not chosen. The model reads those words as they are, so change only chosen ones.",
        lambda ids, chosen, kind, others, mask_id: (
            _hide(ids, np.ones_like(chosen), kind, others, mask_id)[0],
            np.where(chosen, ids, -100),
        ),
        "You put 0 where there is nothing to predict, but 0 is an id that the model could predict. Put −100 there, "
        "which the loss leaves out.",
        lambda ids, chosen, kind, others, mask_id: (
            _hide(ids, chosen, kind, others, mask_id)[0],
            np.where(chosen, ids, 0),
        ),
    ],
)

EXERCISES = (_ANALOGY, _SINK, _SIMILARITIES, _HIDE)
