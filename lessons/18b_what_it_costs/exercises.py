"""The exercises of lesson 18b, what attention costs, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(18)

# --- where N² begins to dominate -------------------------------------------------------------------------------


def _so_many_projections(number: int) -> Callable[[int, int], float]:
    return lambda d_model, d_ff: number / 2 * d_model + d_ff


def _without_d_ff(factor: int) -> Callable[[int, int], int]:
    return lambda d_model, d_ff: factor * d_model


_MEETING = Exercise(
    "18b.meeting",
    "where the N² of a block begins to dominate",
    lambda d_model, d_ff: 2 * d_model + d_ff,
    [(512, 2048), (128, 512), (100, 350), (64, 1000), (768, 3072)],
    {
        "N = d is where n²d meets nd², one of each. A block has more of the second kind: four projections and two "
        "matrices of the feed-forward part.": lambda d_model, d_ff: d_model,
        "Right where d_ff is 4 · d_model, as in the paper. Your function does not use the "
        "d_ff that it is given.": _without_d_ff(6),
        "Your function does not use d_ff. The two matrices of the feed-forward part belong to the rest too, as large "
        "as d_ff makes them.": _without_d_ff(3),
        "That is where the N² meets the four projections. The two matrices of the feed-forward "
        "part are missing.": lambda d_model, d_ff: 2 * d_model,
        "That is where the N² meets the feed-forward part. The four projections are missing: "
        "W_Q, W_K, W_V and W_O.": lambda d_model, d_ff: d_ff,
        **{
            f"That would be right for {word}. There are four: W_Q, W_K, W_V and W_O, each d_model "
            "× d_model.": _so_many_projections(number)
            for number, word in ((1, "one projection"), (2, "two projections"))
        },
        "You counted three projections. The fourth is W_O, after the heads.": _so_many_projections(3),
        "Twice too long: two products have N² in them, "
        "the scores and the weights times the values.": lambda d_model, d_ff: 2 * (2 * d_model + d_ff),
        "You divided by d_model once too often: the two products with N² cost 2 N² · d_model.": lambda d_model, d_ff: (
            2 + d_ff // d_model
        ),
        "You took a root. The rest grows with N, the two products with N²: one N cancels, "
        "and no root is left.": lambda d_model, d_ff: float(np.sqrt(4 * d_model**2 + 2 * d_model * d_ff)),
        "Your feed-forward part is twice as large: its "
        "two matrices together cost 2 N · d_model · d_ff.": lambda d_model, d_ff: 2 * d_model + 2 * d_ff,
        "The feed-forward part has two matrices: one up to d_ff, one back down to d_model.": lambda d_model, d_ff: (
            2 * d_model + d_ff / 2
        ),
        "The matrices of the feed-forward part are d_model "
        "× d_ff and d_ff × d_model: none is d_ff × d_ff.": lambda d_model, d_ff: 2 * d_model + d_ff**2 / d_model,
        "You divide by twice the width of one head, 64. All heads together are as wide as d_model: the two products "
        "with N² cost 2 N² · d_model.": lambda d_model, d_ff: (4 * d_model**2 + 2 * d_model * d_ff) / (2 * 64),
        "These are the multiplications per token without N². Set N times that equal to the part with N², and solve for "
        "N.": lambda d_model, d_ff: 4 * d_model**2 + 2 * d_model * d_ff,
    },
)

# --- two results into one --------------------------------------------------------------------------------------


def _part(n: int, d_v: int, level: float = 0.0) -> tuple[float, float, Array]:
    """What attention of one query over n keys leaves: the largest score, the sum, and the output, divided already."""
    z, V = level + 2 * _random.normal(size=n), _random.normal(size=(n, d_v))
    e = np.exp(z - z.max())
    return float(z.max()), float(e.sum()), e @ V / e.sum()


def _merged_with(
    factor: Callable[[float, float], float] = lambda own, common: np.exp(own - common),
    weight: Callable[[float, float], float] = lambda s, c: s * c,
) -> Callable[..., tuple[float, float, Array]]:
    """The merge, with another factor for a part of that maximum, or another weight for an output of sum and factor."""

    def merged(m_1: float, s_1: float, o_1: Array, m_2: float, s_2: float, o_2: Array) -> tuple[float, float, Array]:
        m = max(m_1, m_2)
        c_1, c_2 = factor(m_1, m), factor(m_2, m)
        a, b = weight(s_1, c_1), weight(s_2, c_2)
        return m, s_1 * c_1 + s_2 * c_2, (a * o_1 + b * o_2) / (a + b)

    return merged


_merged = _merged_with()


def _outputs_taken_as_undivided(m_1, s_1, o_1, m_2, s_2, o_2):
    m = max(m_1, m_2)
    a, b = np.exp(m_1 - m), np.exp(m_2 - m)
    return m, s_1 * a + s_2 * b, (a * o_1 + b * o_2) / (s_1 * a + s_2 * b)


def _changed(change: Callable[[float, float, Array], Any]) -> Callable[..., Any]:
    """What `change` makes of a right merge: of maximum, sum and output."""
    return lambda *parts: change(*_merged(*parts))


def _only_the_first_rescaled(m_1, s_1, o_1, m_2, s_2, o_2):
    m = max(m_1, m_2)
    a = s_1 * np.exp(m_1 - m)
    return m, a + s_2, (a * o_1 + s_2 * o_2) / (a + s_2)


def _without_maximum(m_1, s_1, o_1, m_2, s_2, o_2):
    a, b = s_1 * np.exp(m_1), s_2 * np.exp(m_2)
    m = max(m_1, m_2)
    return m, (a + b) / np.exp(m), (a * o_1 + b * o_2) / (a + b)


_MERGE = Exercise(
    "18b.merge",
    "two results into one",
    _merged,
    [(*_part(3, 2), *_part(4, 2, 1.5)), (*_part(5, 4, 2.0), *_part(2, 4)), (*_part(1, 3), *_part(6, 3, 0.5))],
    {
        "You return one array, the output, and it is right. Return the largest score and the sum before it: who merges "
        "a third part needs all three.": _changed(lambda m, s, o: o),
        "The two sums were made with different maxima, so they can't be added as they are. Bring each to the common "
        "maximum first: times e^(its own − common).": _merged_with(factor=lambda own, common: 1),
        "The sum is right. The outputs are weighed with the "
        "sums as they came: take the rescaled ones there too.": _merged_with(weight=lambda s, c: s),
        "Maximum and sum are right. The output is no plain average: each part counts as much "
        "as its rescaled sum.": _merged_with(weight=lambda s, c: 1),
        "The outputs that come in are divided already. Multiply each by its sum before adding, so that it counts as "
        "much as its keys weigh.": _outputs_taken_as_undivided,
        "Maximum and sum are right. You weigh the outputs by e^(own − common) alone; a part whose sum is larger counts "
        "for more: times its sum.": _merged_with(weight=lambda s, c: c),
        "Maximum and sum are right. Do not add the outputs as they are: each counts as much "
        "as its rescaled sum.": lambda m_1, s_1, o_1, m_2, s_2, o_2: (
            *_merged(m_1, s_1, o_1, m_2, s_2, o_2)[:2],
            o_1 + o_2,
        ),
        "Your sum is brought to the maximum of part 2, whichever "
        "is larger. Bring both parts to the larger one.": lambda m_1, s_1, o_1, m_2, s_2, o_2: (
            max(m_1, m_2),
            s_1 * np.exp(m_1 - m_2) + s_2,
            _merged(m_1, s_1, o_1, m_2, s_2, o_2)[2],
        ),
        "The output should be divided, like those that come in: by the common sum.": _changed(
            lambda m, s, o: (m, s, o * s)
        ),
        "Your factor is e^(common − own), 1 or more. Taking off a larger maximum makes every term smaller: e^(own − "
        "common).": _merged_with(factor=lambda own, common: np.exp(common - own)),
        "You rescale the first part only. Either of the two may have the smaller maximum.": _only_the_first_rescaled,
        "Maximum and output are right. Your sum is that of e^score; the one asked for is of e^(score − m), like those "
        "that come in.": _changed(lambda m, s, o: (m, s * np.exp(m), o)),
        "Right for small scores, but e^m itself overflows for large ones: use differences "
        "of maxima only.": _without_maximum,
    },
    extremes=[
        (1000.0, 1.5, np.array([1.0, 2.0]), 999.0, 2.5, np.array([3.0, -1.0])),
        (-900.0, 1.5, np.array([1.0, 2.0]), 900.0, 2.5, np.array([3.0, -1.0])),
    ],
)

# --- chunks that a look-ahead mask makes needless ----------------------------------------------------------------


def _cut(N: int, chunk: int) -> list[tuple[int, int]]:
    """Where each chunk starts and ends."""
    return [(start, min(start + chunk, N)) for start in range(0, N, chunk)]


def _scores_made(N: int, chunk: int) -> int:
    """Every row makes scores up to the end of the chunk that it stands in."""
    return sum((end - start) * end for start, end in _cut(N, chunk))


def _tiles(N: int, chunk: int) -> int:
    return -(-N // chunk)


_SKIPPED = Exercise(
    "18b.skipped",
    "scores under a look-ahead mask",
    _scores_made,
    [(8, 2), (12, 4), (7, 3), (10, 4), (6, 1), (5, 5), (9, 21)],
    {
        "These are all scores. A chunk in which nothing is allowed need not be computed at all.": lambda N, chunk: (
            N * N
        ),
        "These are the scores that are allowed. A chunk on the diagonal is computed whole, the forbidden ones in it "
        "too.": lambda N, chunk: N * (N + 1) // 2,
        "These are the scores below the diagonal. Those on it are allowed, too, and a chunk on the diagonal is "
        "computed whole, the forbidden ones in it too.": lambda N, chunk: N * (N - 1) // 2,
        "These are the scores of the chunks on the diagonal. Those in "
        "the chunks below it are made, too.": lambda N, chunk: sum((end - start) ** 2 for start, end in _cut(N, chunk)),
        "Half of all is too few: the chunks on the diagonal are computed whole.": lambda N, chunk: N * N / 2,
        "So many are skipped: those in the chunks above the diagonal. "
        "Asked is how many are made: as many below it, and those "
        "in the chunks on it, more than half of which are allowed.": lambda N, chunk: N * N - _scores_made(N, chunk),
        "Right where the chunks divide N. Otherwise the last rows count columns that are not there: none lies beyond "
        "N.": lambda N, chunk: sum((end - start) * (start + chunk) for start, end in _cut(N, chunk)),
        "Right where the chunks divide N. Otherwise the last chunk has fewer rows: as many "
        "as from its start to N.": lambda N, chunk: sum(chunk * end for _, end in _cut(N, chunk)),
        "Right where the chunks divide N. Otherwise the last "
        "chunk on the diagonal is smaller than the others.": lambda N, chunk: N * (N + chunk) // 2,
        "Right where the chunks divide N. Otherwise the last rows and columns "
        "of your chunks lie beyond N.": lambda N, chunk: _tiles(N, chunk) * (_tiles(N, chunk) + 1) // 2 * chunk**2,
        "Right where the chunks divide N. Otherwise a smaller chunk "
        "is left at the end, and it has rows too.": lambda N, chunk: (N // chunk) * (N // chunk + 1) // 2 * chunk**2,
        "You counted chunks. Each has rows times columns scores.": lambda N, chunk: (
            _tiles(N, chunk) * (_tiles(N, chunk) + 1) // 2
        ),
    },
)

_WHICH = choice(
    "18b.which",
    "d",
    "the maximum rises in each chunk, so what was summed with the old one has to shrink, and does not.",
    {
        "a": (
            "The largest score stands in the first chunk. The maximum never rises, the factor is e⁰ = 1, and nobody "
            "misses it."
        ),
        "b": "The maximum is the same in every chunk, so the factor is e⁰ = 1, and nobody misses it.",
        "c": "Go through the scores 2, 2, 2, 2 in two chunks: the sum comes out right without the factor.",
    },
)

# --- whole numbers and scales ------------------------------------------------------------------------------------


def _quantize_with(
    largest: Callable[[Array], Array] = lambda W: np.abs(W).max(axis=1, keepdims=True),
    whole: Callable[[Array], Array] = np.round,
    top: Callable[[int], float] = lambda bits: 2 ** (bits - 1) - 1,
) -> Callable[[Array, int], tuple[Array, Array]]:
    """Whole numbers and scales, with another largest of a matrix, another way to make it whole, or another top."""

    def quantize(W: Array, bits: int) -> tuple[Array, Array]:
        scales = largest(W) / top(bits)
        return whole(W / scales), scales

    return quantize


_quantize = _quantize_with()


def _clipped(W: Array, bits: int) -> tuple[Array, Array]:
    top = 2 ** (bits - 1) - 1
    scales = W.max(axis=1, keepdims=True) / top
    return np.clip(np.round(W / scales), -top, top), scales


def _clipped_below_the_top(W: Array, bits: int) -> tuple[Array, Array]:
    top = 2 ** (bits - 1)
    scales = np.abs(W).max(axis=1, keepdims=True) / top
    return np.clip(np.round(W / scales), -top, top - 1), scales


def _quantized(change: Callable[[Array, Array], Any]) -> Callable[[Array, int], Any]:
    """What `change` makes of the right whole numbers and scales."""
    return lambda W, bits: change(*_quantize(W, bits))


_LARGEST_NOT_OF_ALL = (
    "You take the largest w of a row. A negative one may be longer: take the largest |w|, or it becomes a number that "
    "so few bits do not have."
)

_QUANTIZE = Exercise(
    "18b.quantize",
    "whole numbers, and a scale for each row",
    _quantize,
    [(_random.normal(size=shape) * [[1.0], [3.0], [0.2]] - 0.3, bits) for shape, bits in (((3, 5), 8), ((3, 4), 4))]
    + [(_random.normal(size=(2, 6)), 3)],
    {
        "Your scales belong to the columns. Asked is one for each row: the largest |w| along axis 1.": [
            _quantize_with(largest=lambda W, keepdims=keepdims: np.abs(W).max(axis=0, keepdims=keepdims))
            for keepdims in (True, False)
        ],
        _LARGEST_NOT_OF_ALL: [_quantize_with(largest=lambda W: W.max(axis=1, keepdims=True)), _clipped],
        "You have one scale for the whole matrix. Each row has its own, from its own largest |w|.": [
            _quantize_with(largest=largest)
            for largest in (lambda W: np.abs(W).max(), lambda W: np.full((len(W), 1), np.abs(W).max()))
        ],
        "Your numbers go up to 2^bits − 1. The sign needs a bit, too: the largest is 2^(bits − 1) − 1.": _quantize_with(
            top=lambda bits: 2**bits - 1
        ),
        "Your scales are made for 2^(bits − 1). That is one too many: with 8 bits the largest is 127, and 128 needs a "
        "ninth.": [_quantize_with(top=lambda bits: 2 ** (bits - 1)), _clipped_below_the_top],
        "Your steps span from the smallest w to the largest. Here 0 stays 0: take the largest |w|.": _quantize_with(
            largest=lambda W: np.ptp(W, axis=1, keepdims=True), top=lambda bits: 2**bits - 1
        ),
        "You cut off what stands behind the point. Rounded "
        "to the nearest, the largest error is half of that.": _quantize_with(whole=np.trunc),
        "The scales are right. You have multiplied the whole numbers by them already: hand "
        "over both as they are.": _quantized(lambda Q, scales: (Q * scales, scales)),
        "The whole numbers are right. Your scales are upside "
        "down: numbers times scales should give W again.": _quantized(lambda Q, scales: (Q, 1 / scales)),
        "The whole numbers are right. Without the scales nobody can make weights of them: return both.": _quantized(
            lambda Q, scales: Q
        ),
    },
)

EXERCISES = [_MEETING, _MERGE, _SKIPPED, _WHICH, _QUANTIZE]
