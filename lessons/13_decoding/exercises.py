"""The exercises of lesson 13, decoding, with their known mistakes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.decoder import log_softmax
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(13)


# --- which token comes next ------------------------------------------------------------------------------------

# Rows, places and vocabulary differ; in the last one all three are alike, where a wrong axis still fits.
_LOGITS = [(_random.normal(size=shape),) for shape in ((3, 5, 7), (2, 4, 6), (4, 3, 9), (4, 4, 4), (1, 6, 5))]


_NEXT_TOKEN = Exercise(
    "13.next_token",
    "which token comes next",
    lambda logits: logits[:, -1].argmax(axis=-1),
    _LOGITS,
    [
        "You looked at the first position, which predicts what follows START. The last position has read all words so "
        "far, so take that one.",
        lambda logits: logits[:, 0].argmax(axis=-1),
        "You looked at the last position but one, which predicts a word that is already written. Take the last "
        "position, -1, which predicts the next word.",
        lambda logits: logits[:, -2].argmax(axis=-1),
        "You answered for every position, but the earlier ones predict words that are already written. Take only the "
        "last one, one token per row.",
        lambda logits: logits.argmax(axis=-1),
        "You added up the logits of all positions, although each position predicts a different word. Use only the "
        "last one.",
        lambda logits: logits.sum(axis=1).argmax(axis=-1),
        "You took the largest logit over all positions, but the earlier ones predict words that are already written. "
        "Use only the last position.",
        lambda logits: logits.max(axis=1).argmax(axis=-1),
        "You took the argmax over the positions. Take it over the vocabulary, the last axis, at the last position.",
        lambda logits: logits.argmax(axis=1)[:, -1],
        "You return the size of the largest logit, but the exercise needs its id. Use argmax instead of max.",
        lambda logits: logits[:, -1].max(axis=-1),
        "You took the argmax without an axis, which looks at all sentences at once and gives one number. Give each "
        "row its own token.",
        *[lambda logits, part=part: logits[part].argmax() for part in (np.s_[:, -1], ...)],
    ],
)

# --- temperature -----------------------------------------------------------------------------------------------

_TEMPERATURES = [
    (2 * _random.normal(size=7), 0.5),
    (2 * _random.normal(size=5), 2.0),
    (_random.normal(size=9), 1.3),
    (3 * _random.normal(size=4), 0.25),
    (_random.normal(size=6), 1.0),
]


_TEMPERATURE = Exercise(
    "13.temperature",
    "softmax with a temperature",
    lambda logits, temperature: softmax(logits / temperature),
    _TEMPERATURES,
    [
        "You multiplied by the temperature, so hot becomes cold. A high temperature should make the shares more "
        "alike, so divide the logits by the temperature.",
        lambda logits, temperature: softmax(logits * temperature),
        "Your temperature has no effect. If you divide the shares by it and then by their sum, it cancels out. Divide "
        "the logits, before the softmax.",
        lambda logits, temperature: softmax(logits),
        "You divided the shares, so they no longer sum to 1. Divide the logits instead, before the softmax.",
        lambda logits, temperature: softmax(logits) / temperature,
        "Your result is correct for ordinary numbers, but a low temperature makes e^z overflow. Subtract the maximum "
        "of the *divided* logits before np.exp.",
        lambda logits, temperature: np.exp(logits / temperature) / np.exp(logits / temperature).sum(),
    ],
    extremes=[
        (np.array([900.0, 899.0, -900.0]), 0.5),
        (np.array([3.0, 2.0, -4.0]), 1e-3),
        (np.array([3.0, 2.0, -4.0]), 1e-4),
    ],
)

# --- top-p -----------------------------------------------------------------------------------------------------


def _distribution(size: int) -> Array:
    """Return distinct shares in random order."""
    return softmax(1.2 * _random.normal(size=size))


_TOP_PS = [
    (np.array([0.1, 0.45, 0.05, 0.3, 0.07, 0.03]), 0.6),
    (np.array([0.05, 0.15, 0.55, 0.25]), 0.9),
    (np.array([0.125, 0.5, 0.25, 0.125]), 0.75),  # reached exactly: nothing more is needed
    (_distribution(9), 0.8),
    (_distribution(12), 0.5),
    (np.array([0.7, 0.2, 0.1]), 0.3),  # the first word alone is more than enough
    (np.array([0.25, 0.4, 0.35]), 0.3),  # so it is here, where another one would be enough as well
]


def _undivided(p: Array, kept: Array) -> Array:
    """Return the shares of the ids `kept`, divided by their sum, which is 0/0 if there are none."""
    result = np.zeros_like(p)
    result[kept] = p[kept]
    return result / result.sum()


def _cut(p: Array, kept: Array) -> Array:
    """Return the same, but with 0 instead of NaN."""
    return np.nan_to_num(_undivided(p, kept))


def _ranked(p: Array) -> Array:
    return np.argsort(-p, kind="stable")


def _needed(p: Array, top_p: float) -> int:
    """Return how many of the most probable words it takes to reach top_p."""
    return int(np.searchsorted(np.cumsum(np.sort(p)[::-1]), top_p)) + 1


def _top_p(p: Array, top_p: float) -> Array:
    return _cut(p, _ranked(p)[: _needed(p, top_p)])


def _not_shared_out(p: Array, top_p: float) -> Array:
    kept = _top_p(p, top_p) > 0
    return np.where(kept, p, 0.0)


def _from_the_left(p: Array, top_p: float) -> Array:
    reached_before = np.cumsum(p) - p
    return _cut(p, np.flatnonzero(reached_before < top_p))


def _share_of_the_words(whole: Callable[[float], float]) -> Callable[[Array, float], Array]:
    return lambda p, top_p: _cut(p, _ranked(p)[: max(int(whole(top_p * len(p))), 1)])


def _word_by_word(bound: Callable[[float], float]) -> list[Callable[[Array, float], Array]]:
    """Compare each word with a bound. If none reaches it, nothing is left, or 0/0, or the most probable word."""
    return [
        lambda p, top_p: _cut(p, np.flatnonzero(p >= bound(top_p))),
        lambda p, top_p: _undivided(p, np.flatnonzero(p >= bound(top_p))),
        lambda p, top_p: _cut(p, np.flatnonzero(p >= min(bound(top_p), p.max()))),
    ]


_TOP_P = Exercise(
    "13.top_p",
    "top-p",
    _top_p,
    _TOP_PS,
    [
        "You drop the word with which the sum crosses p. Without this word you stay below p, and may keep nothing at "
        "all, so include it.",
        lambda p, top_p: _cut(p, _ranked(p)[: _needed(p, top_p) - 1]),
        "You drop the word with which the sum crosses p, unless it is the first. The smallest set that *reaches* p "
        "includes this word, so keep it.",
        lambda p, top_p: _cut(p, _ranked(p)[: max(_needed(p, top_p) - 1, 1)]),
        lambda p, top_p: _cut(p, _ranked(p)[: max((np.cumsum(np.sort(p)[::-1]) <= top_p).sum(), 1)]),
        "You drop the word with which the sum crosses p. If the first word has more than p, you then keep nothing and "
        "divide by 0. Include the word that crosses p.",
        lambda p, top_p: _undivided(p, _ranked(p)[: _needed(p, top_p) - 1]),
        "You keep words while the sum is at most p, so the word with which it crosses p is missing. Count the sums "
        "*below* p, and keep one more word than that.",
        lambda p, top_p: _undivided(p, _ranked(p)[np.cumsum(p[_ranked(p)]) <= top_p]),
        "You kept the words that each have more than p, but p applies to their sum. Go down from the most probable, "
        "and add up until p is reached.",
        *_word_by_word(lambda top_p: top_p),
        "You compare each word with 1 − p, but only the *sum* of the words left out may be at most 1 − p. Add up from "
        "the most probable down.",
        *_word_by_word(lambda top_p: 1 - top_p),
        "You keep only the most probable word. Continue downwards until the sum of the kept probabilities reaches p. "
        "(Add each word's probability, not 1.)",
        lambda p, top_p: _cut(p, _ranked(p)[:1]),
        "You keep the fraction p of the words, however probable they are. But p applies to their probabilities, so "
        "add up from the most probable down, and stop where the sum reaches p.",
        *[_share_of_the_words(whole) for whole in (np.floor, np.ceil, np.round)],
        "You made two mistakes: you added up in the order of the ids, and you dropped the word that crosses p. Sort "
        "first, and keep that word.",
        *[lambda p, top_p, kept=kept: kept(p, np.flatnonzero(np.cumsum(p) <= top_p)) for kept in (_cut, _undivided)],
        "You added up in the order of the ids. Sort first, so that the most probable word comes first.",
        _from_the_left,
        "Your numbers are correct, but sorted by size. Put each back at its own id.",
        lambda p, top_p: _top_p(p, top_p)[_ranked(p)],
        "You keep the correct number of words, but your mask is in the order of the sorted words, whereas the "
        "probabilities are in the order of the ids. Sort the ids as well, and apply the mask to the sorted ids.",
        lambda p, top_p: _cut(p, np.arange(_needed(p, top_p))),
        "You took a softmax of the probabilities that you kept, which gives the dropped words a share again. Divide "
        "by the sum instead.",
        lambda p, top_p: softmax(_not_shared_out(p, top_p)),
    ],
)

# --- one step of beam search -----------------------------------------------------------------------------------


def _hypotheses(width: int, vocabulary: int) -> tuple[Array, Array, int]:
    totals = -3 * _random.random(width)
    return totals, log_softmax(2 * _random.normal(size=(width, vocabulary))), width


# No two sums are equal, so any way of sorting is correct.
# In the second, two of the best come from one hypothesis; in the third, a worse hypothesis is far surer of its word.
_STEPS = [
    _hypotheses(3, 6),
    (
        np.log([0.6, 0.1, 0.05]),
        np.log([[0.5, 0.4, 0.06, 0.04], [0.7, 0.12, 0.1, 0.08], [0.29, 0.27, 0.23, 0.21]]) - 1e-3,
        2,
    ),
    (np.log([0.5, 0.4]), np.log([[0.35, 0.33, 0.2, 0.07, 0.05], [0.01, 0.02, 0.03, 0.9, 0.04]]), 2),
    _hypotheses(4, 9),
    _hypotheses(2, 7),
    _hypotheses(5, 5),
]


def _best_of(values: Array, width: int) -> Array:
    """Return (parent, token) of the `width` largest of (hypotheses, V), best first."""
    flat = np.argsort(-values.ravel(), kind="stable")[:width]
    return np.stack(np.unravel_index(flat, values.shape), axis=1)


def _beam_step(totals: Array, log_p: Array, width: int) -> Array:
    return _best_of(totals[:, np.newaxis] + log_p, width)


def _best_of_each(totals: Array, log_p: Array, width: int) -> Array:
    tokens = log_p.argmax(axis=1)
    values = totals + log_p.max(axis=1)
    order = np.argsort(-values, kind="stable")[:width]
    return np.stack([order, tokens[order]], axis=1)


_BEAM_STEP = Exercise(
    "13.beam_step",
    "one step of beam search",
    _beam_step,
    _STEPS,
    [
        "You added probabilities, but a text's probability is the *product* over its words. Its logarithm is the sum, "
        "so add log-probabilities.",
        lambda totals, log_p, width: _best_of(np.exp(totals)[:, np.newaxis] + np.exp(log_p), width),
        "You took the best word for each hypothesis. But all results compete together, so two of the best may come "
        "from one hypothesis and none from another. Choose among all of them.",
        _best_of_each,
        "You kept `width` words for each hypothesis. All results compete together, so keep only `width` of them in "
        "total.",
        lambda totals, log_p, width: np.array(
            [(b, token) for b, row in enumerate(log_p) for token in np.argsort(-row)[:width]]
        ),
        "You extended only the best hypothesis. The other hypotheses also compete, which is the point of a beam, so "
        "extend all of them.",
        lambda totals, log_p, width: np.stack(
            [np.full(width, totals.argmax()), np.argsort(-log_p[totals.argmax()], kind="stable")[:width]], axis=1
        ),
        "You return indices of the flattened table as tokens. With V words, flat index n belongs to hypothesis n // V "
        "and token n % V.",
        lambda totals, log_p, width: np.stack(
            [
                _beam_step(totals, log_p, width)[:, 0],
                np.argsort(-(totals[:, np.newaxis] + log_p).ravel(), kind="stable")[:width],
            ],
            axis=1,
        ),
        "You divided the flat index by the number of hypotheses. But a row has V entries, one for each word, so take "
        "hypothesis n // V and word n % V.",
        lambda totals, log_p, width: np.stack(
            np.divmod(np.argsort(-(totals[:, np.newaxis] + log_p).ravel(), kind="stable")[:width], len(totals)),
            axis=1,
        ),
    ],
)

# --- no pair twice -------------------------------------------------------------------------------------------------


def _forbidding(p: Array, forbidden: set[int]) -> Array:
    left = p.copy()
    left[sorted(forbidden)] = 0
    return left / left.sum()


def _seconds(ids: list[int], first: int) -> list[int]:
    """Return the words that follow `first` in the text, in their order."""
    return [b for a, b in pairwise(ids) if a == first]


def _no_pair_twice(p: Array, ids: list[int]) -> Array:
    return _forbidding(p, set(_seconds(ids, ids[-1])))


_pair_random = np.random.default_rng(130)


def _likely(size: int) -> Array:
    return softmax(1.2 * _pair_random.normal(size=size))


# The last word stood there once, twice, never; twice in a row; alone; the last two words stood there as a pair, too.
_WRITTEN = [
    (_likely(7), [2, 5, 1, 2]),
    (_likely(6), [4, 3, 0, 4, 1, 5, 4]),
    (_likely(8), [3, 6, 0, 6, 3, 3]),
    (_likely(5), [1, 0, 3, 2]),
    (_likely(4), [2]),
    (_likely(9), [0, 7, 0, 8, 5, 8, 0]),
    (_likely(6), [1, 4, 2, 0, 1, 4]),
]

_NO_PAIR_TWICE = Exercise(
    "13.no_pair_twice",
    "no pair twice",
    _no_pair_twice,
    _WRITTEN,
    [
        "You forbid every word of the text. A word may occur again, just not after the same word as before.",
        lambda p, ids: _forbidding(p, set(ids)),
        "You forbid the last word itself. Instead, forbid the words that followed it earlier in the text.",
        lambda p, ids: _forbidding(p, {ids[-1]}),
        "You look only at the first occurrence of the last word. It may occur several times, followed by different "
        "words, so forbid all of them.",
        lambda p, ids: _forbidding(p, set(_seconds(ids, ids[-1])[:1])),
        "You left out the last pair of the text. If the same word is written twice at the end, this is a pair as "
        "well, so include it.",
        lambda p, ids: _forbidding(p, set(_seconds(ids[:-1], ids[-1]))),
        "You go by the last two words, so you forbid triples. Here no pair may occur twice, and the new pair begins "
        "with the last word.",
        lambda p, ids: _forbidding(p, {ids[i] for i in range(2, len(ids)) if ids[i - 2 : i] == ids[-2:]}),
        "You forbid what came *before* the last word. The new pair begins with that word, so forbid what followed it.",
        lambda p, ids: _forbidding(p, set(_seconds(ids[::-1], ids[-1]))),
        "You go by the first word of the text, but the new pair begins with the last word. Use `ids[-1]`.",
        lambda p, ids: _forbidding(p, set(_seconds(ids, ids[0]))),
    ],
)


EXERCISES = (_NEXT_TOKEN, _TEMPERATURE, _TOP_P, _BEAM_STEP, _NO_PAIR_TWICE)
