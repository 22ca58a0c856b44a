"""The exercises of lesson 15. They need NumPy alone, not the weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise, choice

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
    {
        "You average first and share out afterwards. Then a head that pays nearly all to the sink hardly counts. Share "
        "out each head's rows, and then average.": lambda A, sinks: _shared_out(_without(A, sinks).mean(axis=0)),
        "Right but for a row that pays everything to the sink: nothing is left of it, and 0 is divided by 0. Such a "
        "row stays zeros.": lambda A, sinks: (_without(A, sinks) / _without(A, sinks).sum(axis=-1, keepdims=True)).mean(
            axis=0
        ),
        "Right but for a row of which nothing is left in one head: it leaves your mean. It counts as zeros, and the "
        "mean is over all heads.": lambda A, sinks: _shared_out(_without_sinks(A, sinks)),
        "You divide each head's map by the sum of all of it. Each row has a "
        "sum of its own: axis=-1.": lambda A, sinks: np.mean([B / (B.sum() or 1) for B in _without(A, sinks)], axis=0),
        "You put zeros where the sinks stood. Take their rows and columns out, so that the "
        "words alone are left.": lambda A, sinks: _zeroed(A, sinks),
        "Without the sinks your rows no longer sum to 1: divide each row of each head by what is left of "
        "it.": lambda A, sinks: _without(A, sinks).mean(axis=0),
        "You take out the first token, whatever `sinks` says.": lambda A, sinks: _without_sinks(A, np.array([0])),
        "You take out the first and the last token, whatever `sinks` says.": lambda A, sinks: _without_sinks(
            A, np.array([0, A.shape[1] - 1])
        ),
        "You take a softmax of weights. They are shares already: divide each row by its sum, and their proportions "
        "stay.": lambda A, sinks: softmax(_without(A, sinks)).mean(axis=0),
    },
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
    {
        "The three words themselves are among your candidates, and one of them is often the "
        "nearest. Leave them out.": lambda E, a, b, c: _best(_cosines(E, E[a] - E[b] + E[c]), []),
        **{
            f"You leave out {' and '.join(out)} alone. All three that were put "
            "in must not come out.": lambda E, a, b, c, out=out: _best(
                _cosines(E, E[a] - E[b] + E[c]), [[a, b, c]["abc".index(x)] for x in out]
            )
            for out in ("a", "b", "c", "ab", "ac", "bc")
        },
        **{
            f"You take number {place + 1} of all words in their order. None says that a, b and c are those before "
            "it: leave them out by their ids, and take the nearest that is left.": lambda E, a, b, c, place=place: int(
                _cosines(E, E[a] - E[b] + E[c]).argsort()[-1 - place]
            )
            for place in (1, 3)
        },
        "You give the three the cosine 0. Where all others "
        "point away, 0 wins: give them one that can't, −∞.": _three_at_0,
        "You compare by the dot product, and a long row wins by "
        "its length. Divide by the lengths: the cosine.": lambda E, a, b, c: _best(E @ (E[a] - E[b] + E[c]), [a, b, c]),
        "You take the smallest distance. Asked for is the largest cosine: lengths must not count.": lambda E, a, b, c: (
            _best(-np.linalg.norm(E - (E[a] - E[b] + E[c]), axis=1), [a, b, c])
        ),
        "That is the word with the smallest cosine, the least like it. Take the largest: argmax.": lambda E, a, b, c: (
            _best(-_cosines(E, E[a] - E[b] + E[c]), [a, b, c])
        ),
        "That is the word nearest to a. It is a baseline worth having, but the sum is asked for.": lambda E, a, b, c: (
            _best(_cosines(E, E[a]), [a, b, c])
        ),
        "You deleted the three rows, so all rows behind them have "
        "another number now. Keep the rows, and give the three a cosine "
        "that can't win: −∞.": lambda E, a, b, c: int(np.delete(_cosines(E, E[a] - E[b] + E[c]), [a, b, c]).argmax()),
        "You bring all rows to length 1 before you add. Some do so, but here "
        "a − b + c is made of the rows as they are; lengths are divided "
        "out when you compare.": lambda E, a, b, c: _analogy(E / np.linalg.norm(E, axis=1, keepdims=True), a, b, c),
    },
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
    {
        "The states at padding are in your mean, and they mean nothing: leave them out.": lambda states, ids, pad: (
            _cosines_of(states.mean(axis=1))
        ),
        "Those are dot products of the means. A cosine divides by both lengths: bring each "
        "mean to length 1 first.": lambda states, ids, pad: _dots(_means(states, ids, pad)),
        "Your diagonal is 0. There each text stands with itself, and its "
        "cosine with itself is 1.": lambda states, ids, pad: _similarities(states, ids, pad) * (1 - np.eye(len(ids))),
        "You compare the first token of each text, [CLS]. "
        "This model was trained with the mean of all tokens.": lambda states, ids, pad: _cosines_of(states[:, 0]),
        "You compare the last token of each text. This "
        "model was trained with the mean of all tokens.": lambda states, ids, pad: _cosines_of(
            np.array([row[here != pad][-1] for row, here in zip(states, ids, strict=True)])
        ),
        "You bring every token to length 1 before the mean. Take the mean of the states as they are, and bring that to "
        "length 1.": lambda states, ids, pad: _cosines_of(
            _means(states / np.linalg.norm(states, axis=2, keepdims=True), ids, pad)
        ),
        "You take the largest number of each column over the tokens. Asked for is the mean.": lambda states, ids, pad: (
            _cosines_of(np.where((ids != pad)[:, :, np.newaxis], states, -np.inf).max(axis=1))
        ),
        "You kept what stands at padding and left the tokens out: `ids != pad`.": lambda states, ids, pad: _cosines_of(
            np.array([row[here == pad].sum(axis=0) + 1e-300 for row, here in zip(states, ids, strict=True)])
        ),
        "Those are the vectors of the texts, and they are right. Now the cosine of each with each.": _means,
    },
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
    {
        "Every chosen word became [MASK]. Of ten chosen "
        "ones eight do; one becomes another word, one stays.": lambda ids, chosen, kind, others, mask_id: _hidden_by(
            1.0, 0.0, ids, chosen, kind, others, mask_id
        ),
        "Between 0.8 and 0.9 the chosen word "
        "is read as the one in `others`.": lambda ids, chosen, kind, others, mask_id: _hidden_by(
            0.8, 0.0, ids, chosen, kind, others, mask_id
        ),
        "Right but for 0.8 itself: *below* 0.8 a word becomes [MASK], at 0.8 it is already "
        "the one in `others`.": lambda ids, chosen, kind, others, mask_id: _hide(
            ids, chosen, np.where(kind == 0.8, 0.4, kind), others, mask_id
        ),
        "No word is read as [MASK] in yours. Does your second step begin from `ids` again? It should go on from what "
        "the first has made.": lambda ids, chosen, kind, others, mask_id: _hidden_by(
            0.8, 0.1, ids, chosen, kind, others, ids
        ),
        "Your borders are 0.1 and 0.2. They are 0.8 and 0.9: "
        "below 0.8 a chosen word becomes [MASK], from there to "
        "below 0.9 the word in `others`, and from 0.9 on it stays.": [
            lambda ids, chosen, kind, others, mask_id, as_if=as_if: _hide(
                ids, chosen, np.array(as_if)[np.digitize(kind, [0.1, 0.2])], others, mask_id
            )
            for as_if in ((0.4, 0.85, 0.95), (0.95, 0.85, 0.4), (0.85, 0.95, 0.4))
        ],
        "What is read is right. But the chosen words that stay are to be guessed, too.": _guessed(
            lambda kind: kind < 0.9
        ),
        "What is read is right. But what became [MASK] is to be guessed, too: all chosen words are.": _guessed(
            lambda kind: kind >= 0.8
        ),
        "Only what is read as [MASK] is to be guessed in yours. All chosen words are: or the model need never doubt a "
        "word that it reads.": _guessed(lambda kind: kind < 0.8),
        "To be guessed is what stood there before, `ids`. You ask for what is read there now, [MASK] "
        "too.": lambda ids, chosen, kind, others, mask_id: (
            (read := _hide(ids, chosen, kind, others, mask_id)[0]),
            np.where(chosen, read, -100),
        ),
        "You ask for every word. Those that were not chosen "
        "stand there to be copied: −100 in their places.": lambda ids, chosen, kind, others, mask_id: (
            _hide(ids, chosen, kind, others, mask_id)[0],
            ids,
        ),
        "You change words that were not "
        "chosen. They are read as they are.": lambda ids, chosen, kind, others, mask_id: (
            _hide(ids, np.ones_like(chosen), kind, others, mask_id)[0],
            np.where(chosen, ids, -100),
        ),
        "That is what is read, and it is right. Return what is to be guessed with "
        "it: `read, hidden`.": lambda ids, chosen, kind, others, mask_id: _hide(ids, chosen, kind, others, mask_id)[0],
        "Where nothing is to be guessed yours "
        "has 0, which is an id. It is −100 there.": lambda ids, chosen, kind, others, mask_id: (
            _hide(ids, chosen, kind, others, mask_id)[0],
            np.where(chosen, ids, 0),
        ),
        "The two results have changed places: first what is read, then "
        "what is to be guessed.": lambda ids, chosen, kind, others, mask_id: _hide(ids, chosen, kind, others, mask_id)[
            ::-1
        ],
    },
)

_WHICH = choice(
    "15.which",
    "c",
    "the rest stays, so what changes is the minus. If rome comes as often with any other word, it was not france.",
    {
        "a": (
            "That tests whether the three had to be left out. It changes the words to choose from, not what is taken "
            "away."
        ),
        "b": (
            "A cosine alone says little: king and queen have 0.63 before anything is computed. And it does not change "
            "what is taken away."
        ),
        "d": (
            "That says how often the sum is right, and not what in it makes it right. a + c alone is right in 8 of the "
            "twenty."
        ),
    },
)

EXERCISES = (_ANALOGY, _SINK, _SIMILARITIES, _HIDE, _WHICH)
