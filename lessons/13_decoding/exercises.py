"""The exercises of lesson 13, decoding, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.by_hand.decoder import log_softmax
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(13)


# --- which token comes next ------------------------------------------------------------------------------------

# Rows, places and vocabulary differ; in the last one all three are alike, where a wrong axis still fits.
_LOGITS = [(_random.normal(size=shape),) for shape in ((3, 5, 7), (2, 4, 6), (4, 3, 9), (4, 4, 4), (1, 6, 5))]


_NEXT_TOKEN = Exercise(
    "13.next_token",
    "which token comes next",
    lambda logits: logits[:, -1].argmax(axis=-1),
    _LOGITS,
    {
        "You looked at the first position: that is what follows START. What comes next is said by the last position, "
        "which has read all words so far.": lambda logits: logits[:, 0].argmax(axis=-1),
        "You looked at the last position but one. It predicts the word that is written already; the next one is said "
        "by the last position, -1.": lambda logits: logits[:, -2].argmax(axis=-1),
        "You answered for every position. The earlier ones predict words that are written already: only the last one "
        "is asked for, one token a row.": lambda logits: logits.argmax(axis=-1),
        "You added up the logits of all positions. Each position predicts another word: only "
        "the last one counts.": lambda logits: logits.sum(axis=1).argmax(axis=-1),
        "Your argmax runs over the positions. It should run over the vocabulary, the last axis, "
        "at the last position.": lambda logits: logits.argmax(axis=1)[:, -1],
        "That is how large the largest logit is. Asked for "
        "is where it stands, the id: argmax instead of max.": lambda logits: logits[:, -1].max(axis=-1),
        "Without an axis, argmax looks at all sentences at once and gives one number. Each row needs a token of its "
        "own.": [lambda logits, part=part: logits[part].argmax() for part in (np.s_[:, -1], ...)],
    },
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
    {
        "You multiplied by the temperature, so that hot becomes cold. Divide by it: a high temperature makes the "
        "logits, and so the shares, more alike.": lambda logits, temperature: softmax(logits * temperature),
        "The temperature has no effect. Divide the logits by it, before the softmax: if shares are divided and then "
        "shared out anew, it cancels out.": lambda logits, temperature: softmax(logits),
        "You divided the shares, and now they don't sum "
        "to 1. Divide the logits, before the softmax.": lambda logits, temperature: softmax(logits) / temperature,
        "Right for ordinary numbers. A low temperature makes the logits so large that e^z overflows: take the maximum "
        "of the *divided* logits off, before np.exp.": lambda logits, temperature: (
            np.exp(logits / temperature) / np.exp(logits / temperature).sum()
        ),
    },
    extremes=[
        (np.array([900.0, 899.0, -900.0]), 0.5),
        (np.array([3.0, 2.0, -4.0]), 1e-3),
        (np.array([3.0, 2.0, -4.0]), 1e-4),
    ],
)

# --- top-p -----------------------------------------------------------------------------------------------------


def _distribution(size: int) -> Array:
    """Shares in no order, none of them alike."""
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
    """The shares of `kept`, ids in any order, shared out anew; of nothing it makes 0/0, as NumPy does."""
    result = np.zeros_like(p)
    result[kept] = p[kept]
    return result / result.sum()


def _cut(p: Array, kept: Array) -> Array:
    """The same, but nothing stays nothing."""
    return np.nan_to_num(_undivided(p, kept))


def _ranked(p: Array) -> Array:
    return np.argsort(-p, kind="stable")


def _needed(p: Array, top_p: float) -> int:
    """How many of the most probable words it takes to reach top_p."""
    return int(np.searchsorted(np.cumsum(np.sort(p)[::-1]), top_p)) + 1


def _top_p(p: Array, top_p: float) -> Array:
    return _cut(p, _ranked(p)[: _needed(p, top_p)])


def _not_shared_out(p: Array, top_p: float) -> Array:
    kept = _top_p(p, top_p) > 0
    return np.where(kept, p, 0.0)


def _all_alike(p: Array, top_p: float) -> Array:
    kept = _top_p(p, top_p) > 0
    return kept / kept.sum()


def _from_the_left(p: Array, top_p: float) -> Array:
    reached_before = np.cumsum(p) - p
    return _cut(p, np.flatnonzero(reached_before < top_p))


def _share_of_the_words(whole: Callable[[float], float]) -> Callable[[Array, float], Array]:
    return lambda p, top_p: _cut(p, _ranked(p)[: max(int(whole(top_p * len(p))), 1)])


def _the_rest_to(p: Array, top_p: float, whom: Array | int) -> Array:
    kept = _not_shared_out(p, top_p)
    kept[whom] += (1 - kept.sum()) / np.size(kept[whom])
    return kept


def _word_by_word(bound: Callable[[float], float]) -> list[Callable[[Array, float], Array]]:
    """Each word compared with a bound: where none reaches it nothing is left, or 0/0, or the most probable word."""
    return [
        lambda p, top_p: _cut(p, np.flatnonzero(p >= bound(top_p))),
        lambda p, top_p: _undivided(p, np.flatnonzero(p >= bound(top_p))),
        lambda p, top_p: _cut(p, np.flatnonzero(p >= min(bound(top_p), p.max()))),
    ]


def _mask_in_the_wrong_order(p: Array, top_p: float) -> Array:
    mask = np.arange(len(p)) < _needed(p, top_p)
    return np.where(mask, p, 0.0) / p[mask].sum()


_TOP_P = Exercise(
    "13.top_p",
    "top-p",
    _top_p,
    _TOP_PS,
    {
        "The word with which the sum crosses p is missing. The smallest set that *reaches* p includes it; without it "
        "you stay below p, and may keep nothing at all.": lambda p, top_p: _cut(p, _ranked(p)[: _needed(p, top_p) - 1]),
        "The word with which the sum crosses p is missing, wherever it is not the first. The smallest set that "
        "*reaches* p includes it.": [
            lambda p, top_p, below=below: _cut(p, _ranked(p)[: max(below(p, top_p), 1)])
            for below in (
                lambda p, top_p: _needed(p, top_p) - 1,
                lambda p, top_p: int((np.cumsum(np.sort(p)[::-1]) <= top_p).sum()),
            )
        ],
        "You keep the word that crosses p alone. It is the last of those to keep: all that are more probable stay, "
        "too.": lambda p, top_p: _cut(p, _ranked(p)[_needed(p, top_p) - 1 :][:1]),
        "The word with which the sum crosses p is missing. Where the first word alone is "
        "more than p, you keep nothing, and divide by 0: the smallest set that *reaches* "
        "p includes the word that crosses it.": lambda p, top_p: _undivided(p, _ranked(p)[: _needed(p, top_p) - 1]),
        "You keep the words while the sum is at most p. Where it jumps "
        "over p, the word that does so is missing: count the sums *below* "
        "p, and keep one word more.": lambda p, top_p: _undivided(p, _ranked(p)[np.cumsum(p[_ranked(p)]) <= top_p]),
        "The right words are kept, but they all have the same share now. Each keeps its own, "
        "divided by their sum.": _all_alike,
        "You kept the words that have more than p each. p is for their sum: go down from the most probable, and add up "
        "until p is reached.": _word_by_word(lambda top_p: top_p),
        "You compare each word with 1 − p. It is the *sum* of the words left out "
        "that may be at most 1 − p.": _word_by_word(lambda top_p: 1 - top_p),
        "You keep the most probable word alone. Go on down until the sum of what is kept reaches p. (What is added for "
        "each word is its probability, not 1.)": lambda p, top_p: _cut(p, _ranked(p)[:1]),
        "You go down until one word reaches p by itself. Each probability is added to the sum of those before it: `+=` "
        "in place of `=`.": lambda p, top_p: _cut(p, _ranked(p)[: 1 if p.max() >= top_p else len(p)]),
        "You hand the rest out evenly, to the dropped words "
        "too. Divide the kept ones by their sum instead.": lambda p, top_p: _the_rest_to(p, top_p, np.arange(len(p))),
        "You give all the rest to the most probable word. The kept ones keep their proportions: "
        "divide by their sum.": lambda p, top_p: _the_rest_to(p, top_p, int(p.argmax())),
        "You compare each word with the largest: that is another rule, min-p. Top-p adds up, from the most probable "
        "down, until the sum reaches p.": lambda p, top_p: _cut(p, np.flatnonzero(p >= top_p * p.max())),
        "You keep the share p of the words, however probable they are. p is "
        "for the sum of their probabilities: go down from the most probable, "
        "and stop where it is reached.": [_share_of_the_words(whole) for whole in (np.floor, np.ceil, np.round)],
        "Two things. You added up in the order of the ids: sort first. And the word with which the sum crosses p "
        "belongs to those that are kept.": [
            lambda p, top_p, kept=kept: kept(p, np.flatnonzero(np.cumsum(p) <= top_p)) for kept in (_cut, _undivided)
        ],
        "You added up in the order of the ids. Sort first: the most probable word comes first.": _from_the_left,
        "The numbers are right, but they stand in the "
        "order of their size. Put each back to its own id.": lambda p, top_p: _top_p(p, top_p)[_ranked(p)],
        "You keep the right number of words, but your mask is in the order of their size, and p is in the order of the "
        "ids. `ranked[mask]` are the ids to keep.": _mask_in_the_wrong_order,
        "These are the kept shares alone. Each word keeps its place, and "
        "those that are dropped have 0 there.": lambda p, top_p: np.sort(_top_p(p, top_p))[::-1][: _needed(p, top_p)],
        "You took a softmax of probabilities, which gives every dropped word a share again. To share out anew, divide "
        "by the sum.": lambda p, top_p: softmax(_not_shared_out(p, top_p)),
    },
)

# --- one step of beam search -----------------------------------------------------------------------------------


def _beginnings(width: int, vocabulary: int) -> tuple[Array, Array, int]:
    totals = -3 * _random.random(width)
    return totals, log_softmax(2 * _random.normal(size=(width, vocabulary))), width


# No two sums are alike, so that whoever sorts otherwise is not told off for it.
# In the second, two of the best come from one beginning; in the third, a worse beginning is far surer of its word.
_STEPS = [
    _beginnings(3, 6),
    (
        np.log([0.6, 0.1, 0.05]),
        np.log([[0.5, 0.4, 0.06, 0.04], [0.7, 0.12, 0.1, 0.08], [0.29, 0.27, 0.23, 0.21]]) - 1e-3,
        2,
    ),
    (np.log([0.5, 0.4]), np.log([[0.35, 0.33, 0.2, 0.07, 0.05], [0.01, 0.02, 0.03, 0.9, 0.04]]), 2),
    _beginnings(4, 9),
    _beginnings(2, 7),
    _beginnings(5, 5),
]


def _best_of(values: Array, width: int) -> Array:
    """(parent, token) of the `width` largest of (beginnings, V), best first."""
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
    {
        "You added probabilities. The probability of a text is the *product* over its words; its logarithm is the sum "
        "of the log-probabilities.": lambda totals, log_p, width: _best_of(
            np.exp(totals)[:, np.newaxis] + np.exp(log_p), width
        ),
        "You took the best continuation of each beginning. They compete all together: two of the best may come from "
        "the same beginning, and none from another.": _best_of_each,
        "You kept `width` continuations of each beginning. `width` are left in all: they "
        "compete all together.": lambda totals, log_p, width: np.array(
            [(b, token) for b, row in enumerate(log_p) for token in np.argsort(-row)[:width]]
        ),
        "You went on with the best beginning alone. The "
        "others compete, too: that is what a beam is for.": lambda totals, log_p, width: np.stack(
            [np.full(width, totals.argmax()), np.argsort(-log_p[totals.argmax()], kind="stable")[:width]], axis=1
        ),
        "Your tokens are numbers in the flattened table. With V words, flat number n is beginning n // V and token n % "
        "V.": lambda totals, log_p, width: np.stack(
            [
                _beam_step(totals, log_p, width)[:, 0],
                np.argsort(-(totals[:, np.newaxis] + log_p).ravel(), kind="stable")[:width],
            ],
            axis=1,
        ),
        "You divided the flat number by the number of beginnings. A row of the table has V entries, one for each word: "
        "beginning n // V, word n % V.": lambda totals, log_p, width: np.stack(
            np.divmod(np.argsort(-(totals[:, np.newaxis] + log_p).ravel(), kind="stable")[:width], len(totals)),
            axis=1,
        ),
    },
)

# --- the log-probability of a text -----------------------------------------------------------------------------


def _case(places: int, vocabulary: int, high: float = 0.0) -> tuple[Array, Array]:
    return 2 * _random.normal(size=(places, vocabulary)) + high, _random.integers(vocabulary, size=places)


def _at(values: Array, ids: Array) -> Array:
    """The entry of each row that `ids` names."""
    return values[np.arange(len(ids)), ids]


_TEXTS_TO_SCORE = [_case(4, 7), _case(3, 9), _case(5, 5), _case(1, 6)]


_TEXT_LOG_P = Exercise(
    "13.text_log_p",
    "the log-probability of a text",
    lambda logits, ids: float(_at(log_softmax(logits), ids).sum()),
    _TEXTS_TO_SCORE,
    {
        "You added probabilities. They multiply; it is their logarithms that are added.": lambda logits, ids: float(
            np.exp(_at(log_softmax(logits), ids)).sum()
        ),
        "You added the logits as they are. They are no log-probabilities yet: take from each the log of the sum of all "
        "e^z in its row.": lambda logits, ids: float(_at(logits, ids).sum()),
        "Your softmax runs over the places of the text. At each place the probabilities of all words sum to 1: the "
        "last axis.": lambda logits, ids: float(_at(log_softmax(logits.T).T, ids).sum()),
        "Your softmax takes all places together. Each "
        "row of logits has its own, over the vocabulary.": lambda logits, ids: float(
            _at(log_softmax(logits.ravel()).reshape(logits.shape), ids).sum()
        ),
        "You took the largest of each row, whichever word it belongs to. Asked for is the text that stands there: pick "
        "the word `ids[m]` in row m.": lambda logits, ids: float(log_softmax(logits).max(axis=-1).sum()),
        "`log_p[:, ids]` takes every id in every row. Row m belongs to word m: `log_p[np.arange(len(ids)), "
        "ids]`.": lambda logits, ids: float(log_softmax(logits)[:, ids].sum()),
        "The first word is missing. Row 0 says what follows START: that is word 0.": lambda logits, ids: float(
            _at(log_softmax(logits), ids)[1:].sum()
        ),
        "Right for ordinary numbers. Large logits make e^z overflow: take the maximum of each "
        "row off first.": lambda logits, ids: float((_at(logits, ids) - np.log(np.exp(logits).sum(axis=-1))).sum()),
        "Right for ordinary numbers. But a word whose logit lies 800 below the "
        "largest gets the share 0 in the computer, and ln 0 is −∞. Don't go by way "
        "of the share: z minus the log of the sum.": lambda logits, ids: float(np.log(_at(softmax(logits), ids)).sum()),
    },
    extremes=[
        _case(3, 6, 900.0),
        (np.array([[900.0, 901, 902], [0.0, 1, 3]]), np.array([2, 1])),
        (np.array([[900.0, 100, 0], [1.0, 2, 3]]), np.array([1, 2])),  # a share too small for the computer
    ],
)

# --- from the share to the temperature ---------------------------------------------------------------------------


_FIND_TEMPERATURE = Exercise(
    "13.find_temperature",
    "from the share to the temperature",
    lambda gap, share: float(gap / np.log(share / (1 - share))),
    [(2.0, 0.9), (0.5, 0.6), (1.0, 0.75), (4.0, 0.99), (3.0, 0.55)],
    {
        "You have −ln(share), the cost of the better word: the exponential of gap / T is its share divided by that of "
        "the other word.": lambda gap, share: float(-gap / np.log(share)),
        "You have −ln(1 − share), the cost of the other word: divide its share into that of "
        "the better word first.": lambda gap, share: float(-gap / np.log(1 - share)),
        "That is the share at a temperature of 1: the share is given here, and the temperature "
        "is asked for.": lambda gap, share: float(1 / (1 + np.exp(-gap))),
    },
)

# --- no pair twice -------------------------------------------------------------------------------------------------


def _forbidding(p: Array, forbidden: set[int]) -> Array:
    left = p.copy()
    left[sorted(forbidden)] = 0
    return left / left.sum()


def _seconds(ids: list[int], first: int) -> list[int]:
    """The words that stand behind `first` in the text, in their order."""
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
    {
        "You forbid every word of the text: a word may come "
        "again, only not behind the same word as before.": lambda p, ids: _forbidding(p, set(ids)),
        "You forbid the last word itself: forbidden are the "
        "words that stand behind it earlier in the text.": lambda p, ids: _forbidding(p, {ids[-1]}),
        "You look at the first place alone where the last word stands: it may stand at several, with other words "
        "behind it.": lambda p, ids: _forbidding(p, set(_seconds(ids, ids[-1])[:1])),
        "You look at the latest place alone where the last word stood before: it may stand at several, with other "
        "words behind it.": lambda p, ids: _forbidding(p, set(_seconds(ids, ids[-1])[-1:])),
        "The last pair of the text is left out: where a word stands twice in a row at the end, "
        "that pair counts too.": lambda p, ids: _forbidding(p, set(_seconds(ids[:-1], ids[-1]))),
        "You forbid whatever stands second in any pair: only "
        "the pairs that begin with the last word matter.": lambda p, ids: _forbidding(p, set(ids[1:])),
        "You keep just the words that would repeat a pair: those get 0, and the others stay.": lambda p, ids: (
            _undivided(p, np.array(_seconds(ids, ids[-1]), dtype=int))
        ),
        "You took a softmax of probabilities, which gives the forbidden words a share again: "
        "divide by the sum.": lambda p, ids: softmax(np.where(_no_pair_twice(p, ids) > 0, p, 0.0)),
        "You go by the last two words, so threes are forbidden: here a pair must not come back, and it begins with the "
        "last word alone.": lambda p, ids: _forbidding(
            p, {ids[i] for i in range(2, len(ids)) if ids[i - 2 : i] == ids[-2:]}
        ),
        "You forbid what stood *before* the last word. The new pair begins with it: what stood behind it is not to "
        "come again.": lambda p, ids: _forbidding(p, set(_seconds(ids[::-1], ids[-1]))),
        "You go by the first word of the text: the new pair begins with the last one, `ids[-1]`.": lambda p, ids: (
            _forbidding(p, set(_seconds(ids, ids[0])))
        ),
    },
)

# --- what is written where a token was drafted -----------------------------------------------------------------------


_draft_random = np.random.default_rng(131)


def _drafted(size: int, token: int) -> tuple[Array, Array, int]:
    p, q = softmax(1.2 * _draft_random.normal(size=(2, size)))
    return p, q, token


# A token that may be rejected; one that never is; one that mostly is; and what comes by chance.
_DRAFTS = [
    (np.array([0.5, 0.3, 0.15, 0.05]), np.array([0.3, 0.2, 0.4, 0.1]), 2),
    (np.array([0.1, 0.6, 0.3]), np.array([0.5, 0.1, 0.4]), 1),
    (np.array([0.05, 0.25, 0.4, 0.2, 0.1]), np.array([0.35, 0.15, 0.1, 0.1, 0.3]), 0),
    *(_drafted(size, token) for size, token in ((6, 4), (7, 1), (9, 5))),
]


def _written(
    accepted: Callable[[float, float], float] = lambda p, q: min(1, p / q),
    rest: Callable[[Array, Array], Array] = lambda p, q: np.maximum(p - q, 0) / np.maximum(p - q, 0).sum(),
    rejected: Callable[[float], float] = lambda accepted: 1 - accepted,
) -> Callable[[Array, Array, int], Array]:
    """The token kept with the share `accepted`, another one drawn from `rest` with the share `rejected`."""

    def answer(p: Array, q: Array, drafted: int) -> Array:
        share = accepted(p[drafted], q[drafted])
        return share * np.eye(len(p))[drafted] + rejected(share) * rest(p, q)

    return answer


def _shared_out(p: Array) -> Array:
    return p / p.sum()


def _from_p_without(p: Array, q: Array, drafted: int) -> Array:
    others = _shared_out(np.where(np.arange(len(p)) == drafted, 0, p))
    return _written(rest=lambda p, q: others)(p, q, drafted)


_ACCEPT = Exercise(
    "13.accept",
    "what is written where a token was drafted",
    _written(),
    _DRAFTS,
    {
        "You accept whatever was drafted, so what stands here is the draft's. Accept with the "
        "probability min(1, p/q).": _written(accepted=lambda p, q: 1.0),
        "After a rejection you draw from p. What the draft likes too much would come too often: draw from what p has "
        "more than q.": _written(rest=lambda p, q: p),
        "After a rejection you draw from p without the drafted token. Other tokens that the draft likes too much would "
        "come too often: draw from what p has more than q.": _from_p_without,
        "max(0, p − q) is not divided by its sum: where the token is rejected, what you return "
        "does not sum to 1.": _written(rest=lambda p, q: np.maximum(p - q, 0)),
        "After a rejection you draw from the draft's q again: draw from what p has more than q.": _written(
            rest=lambda p, q: q
        ),
        "You took |p − q|, which gives a share to tokens that the draft likes too much already: where q is larger, 0 "
        "is left.": _written(rest=lambda p, q: _shared_out(np.abs(p - q))),
        "You draw from what q has more than p. It is the other way round: p has to get what the draft gives too "
        "rarely.": _written(rest=lambda p, q: _shared_out(np.maximum(q - p, 0))),
        "You took a softmax of p − q, which gives every token "
        "a share: cut off below 0, and divide by the sum.": _written(rest=lambda p, q: softmax(p - q)),
        "Your quotient is upside down: accept with min(1, p/q). Where p is larger, the token is kept.": _written(
            accepted=lambda p, q: min(1, q / p)
        ),
        "p/q may be more than 1, and no token is kept more often than always: min(1, p/q).": _written(
            accepted=lambda p, q: p / q
        ),
        "You accept with the probability p. The draft has drawn the token with q already: min(1, p/q).": _written(
            accepted=lambda p, q: p
        ),
        "min(p, q) is how often the token is drafted *and* accepted. Here it has been drafted: it is kept with min(1, "
        "p/q).": _written(accepted=min),
        "You divided all of it by its sum. Divide max(0, p "
        "− q) alone, and give it the share that is rejected.": lambda p, q, drafted: _shared_out(
            _written(rest=lambda p, q: np.maximum(p - q, 0), rejected=lambda _: 1)(p, q, drafted)
        ),
        "You reject the token wherever q is larger than p. Then it would never be written: "
        "it is kept with p/q.": _written(accepted=lambda p, q: float(p >= q)),
        "Where the token is rejected, another is drawn: your shares sum to less than 1.": _written(
            rejected=lambda accepted: 0.0
        ),
        "The rest counts in full. It is drawn only where the token is rejected, in 1 − min(1, "
        "p/q) of the cases.": _written(rejected=lambda accepted: 1.0),
        "The drafted token itself is missing: it is kept with the probability min(1, p/q).": lambda p, q, drafted: (
            _written()(p, q, drafted) - _written(rejected=lambda accepted: 0)(p, q, drafted)
        ),
        "That is p, which is right over all drafts together. Asked for is what is written "
        "where `drafted` stood.": lambda p, q, drafted: p,
    },
)

_WHICH = choice(
    "13.which",
    "c",
    "a text that stops early has a head start, so words are missing. Dividing by n takes it away.",
    {
        "a": (
            "The beam is as wide with α = 1, and there the words are not missing. What differs is how finished texts "
            "are compared."
        ),
        "b": "The model is the same in both, and gives the same probabilities. What differs is what is made of them.",
        "d": "That is greedy decoding, a beam of width 1. Here 16 beginnings are kept, whatever α is.",
    },
)

EXERCISES = (
    *(_NEXT_TOKEN, _TEMPERATURE, _FIND_TEMPERATURE, _TOP_P, _BEAM_STEP, _NO_PAIR_TWICE, _TEXT_LOG_P, _ACCEPT, _WHICH),
)
