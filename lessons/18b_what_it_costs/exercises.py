"""The exercises of lesson 18b, what attention costs, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(18)

# --- where N² begins to dominate -------------------------------------------------------------------------------


def _so_many_projections(number: int) -> Callable[[int, int], float]:
    return lambda d_model, d_ff: number / 2 * d_model + d_ff


def _without_d_ff(factor: int) -> Callable[[int, int], int]:
    return lambda d_model, d_ff: factor * d_model


_MEETING = Exercise(
    "18b.meeting",
    "where the N² of a block begins to dominate",
    lambda d_model, d_ff: float(2 * d_model + d_ff),  # a float, so that a search that ends near it passes
    [(512, 2048), (128, 512), (100, 350), (64, 1000), (768, 3072)],
    {
        "You compared the two layers by themselves, which meet at N = d. A block has more to compute, so add its "
        "four projections and both matrices of the feed-forward network.": lambda d_model, d_ff: d_model,
        "You get the correct N only if d_ff is 4 · d_model, as in the paper. Otherwise N is wrong, so use the d_ff "
        "that your function is given.": _without_d_ff(6),
        "You didn't use d_ff, although the two matrices of the feed-forward network are as large as d_ff makes them. "
        "Add them to the rest.": _without_d_ff(3),
        "You found where the N² meets the four projections. But the rest also includes the two matrices of the "
        "feed-forward network, so add them.": lambda d_model, d_ff: 2 * d_model,
        "You found where the N² meets the feed-forward network. But the rest also includes four projections, W_Q, "
        "W_K, W_V and W_O, so add them.": lambda d_model, d_ff: d_ff,
        **{
            f"You counted only {word}. A block has four, W_Q, W_K, W_V and W_O, each d_model × d_model, so "
            "add the others.": _so_many_projections(number)
            for number, word in ((1, "one projection"), (2, "two projections"))
        },
        "You counted three projections. After the heads there is "
        "a fourth, W_O, so add it to the rest.": _so_many_projections(3),
        "You counted only one product with N², so your N is twice too large. There are two, the scores and the "
        "weights times the values, so count both.": lambda d_model, d_ff: 2 * (2 * d_model + d_ff),
        "You divided by d_model once too often. The two products with N² cost 2 N² · d_model, so divide both sides by "
        "2 N · d_model.": lambda d_model, d_ff: 2 + d_ff // d_model,
        "You took a root. The rest grows with N and the two products with N², so one N cancels and no root is left. "
        "Divide both sides by N.": lambda d_model, d_ff: float(np.sqrt(4 * d_model**2 + 2 * d_model * d_ff)),
        "You made the feed-forward network twice too expensive. Its two matrices together cost 2 N · d_model · d_ff, "
        "so take half.": lambda d_model, d_ff: 2 * d_model + 2 * d_ff,
        "You counted one matrix of the feed-forward network. The network has two, one up to d_ff and one back down "
        "to d_model, so count both.": lambda d_model, d_ff: 2 * d_model + d_ff / 2,
        "You used a matrix of d_ff × d_ff, which the feed-forward network doesn't have. Its two matrices are d_model "
        "× d_ff and d_ff × d_model, so count those.": lambda d_model, d_ff: 2 * d_model + d_ff**2 / d_model,
        "You divided by twice the width of one head, 64. All heads together are as wide as d_model, so divide by 2 · "
        "d_model instead.": lambda d_model, d_ff: (4 * d_model**2 + 2 * d_model * d_ff) / (2 * 64),
        "You returned the multiplications per token without N². Set N times that equal to the part with N², and solve "
        "for N.": lambda d_model, d_ff: 4 * d_model**2 + 2 * d_model * d_ff,
    },
)

# --- two results into one --------------------------------------------------------------------------------------


def _part(n: int, d_v: int, level: float = 0.0) -> tuple[float, float, Array]:
    """Return the largest score, the sum and the divided output of one query's attention over n keys."""
    z, V = level + 2 * _random.normal(size=n), _random.normal(size=(n, d_v))
    e = np.exp(z - z.max())
    return float(z.max()), float(e.sum()), e @ V / e.sum()


def _merged_with(
    factor: Callable[[float, float], float] = lambda own, common: np.exp(own - common),
    weight: Callable[[float, float], float] = lambda s, c: s * c,
) -> Callable[..., tuple[float, float, Array]]:
    """Merge with another factor for a part, or with another weight for its output."""

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
    """Apply `change` to the maximum, sum and output of a correct merge."""
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
        "You returned only the output, which is correct. To merge a third part you would need all three results, so "
        "return the largest score, the sum and the output.": _changed(lambda m, s, o: o),
        "You added the two sums as they are, although they were computed with different maxima. Multiply each by "
        "e^(its own maximum − the common one) first.": _merged_with(factor=lambda own, common: 1),
        "You weighted the outputs with the sums as they came, which have different maxima. Your own sum is correct, "
        "so use its two rescaled parts as the weights.": _merged_with(weight=lambda s, c: s),
        "You averaged the two outputs equally, but each part should count as much as its keys weigh. Weight each "
        "output with its rescaled sum.": _merged_with(weight=lambda s, c: 1),
        "You added the outputs as if they weren't divided yet, but they are. Multiply each by its sum first, so that "
        "it counts as much as its keys weigh.": _outputs_taken_as_undivided,
        "You weighted the outputs only with e^(own maximum − common one), but a part with a larger sum counts more. "
        "Multiply each weight by its sum.": _merged_with(weight=lambda s, c: c),
        "You added the outputs as they are, but each is already divided by its own sum. Weight each output with its "
        "rescaled sum, then divide by the common sum.": lambda m_1, s_1, o_1, m_2, s_2, o_2: (
            *_merged(m_1, s_1, o_1, m_2, s_2, o_2)[:2],
            o_1 + o_2,
        ),
        "You brought the sum to the maximum of part 2, even where part 1 has the larger one. Bring both parts to the "
        "larger maximum.": lambda m_1, s_1, o_1, m_2, s_2, o_2: (
            max(m_1, m_2),
            s_1 * np.exp(m_1 - m_2) + s_2,
            _merged(m_1, s_1, o_1, m_2, s_2, o_2)[2],
        ),
        "You returned an output that isn't divided, unlike the two that you were given. Divide it "
        "by the common sum.": _changed(lambda m, s, o: (m, s, o * s)),
        "You multiplied by e^(common maximum − own), which is 1 or more. Subtracting a larger maximum should make "
        "every term smaller, so swap the two.": _merged_with(factor=lambda own, common: np.exp(common - own)),
        "You rescaled only the first part, but either of the two may have the smaller maximum. Rescale both, since one "
        "of the factors will be 1.": _only_the_first_rescaled,
        "You returned the sum of e^score. Return the sum of e^(score − m) instead, like the two that you were given; "
        "your maximum and output are correct.": _changed(lambda m, s, o: (m, s * np.exp(m), o)),
        "You computed e^m itself, which overflows for large scores. Put only differences of "
        "maxima into the exponent.": _without_maximum,
    },
    extremes=[
        (1000.0, 1.5, np.array([1.0, 2.0]), 999.0, 2.5, np.array([3.0, -1.0])),
        (-900.0, 1.5, np.array([1.0, 2.0]), 900.0, 2.5, np.array([3.0, -1.0])),
    ],
)

# --- chunks that a look-ahead mask lets us skip ------------------------------------------------------------------


def _cut(N: int, chunk: int) -> list[tuple[int, int]]:
    """Return where each chunk starts and ends."""
    return [(start, min(start + chunk, N)) for start in range(0, N, chunk)]


def _scores_made(N: int, chunk: int) -> int:
    """Count the scores: every row has them up to the end of its own chunk."""
    return sum((end - start) * end for start, end in _cut(N, chunk))


def _tiles(N: int, chunk: int) -> int:
    return -(-N // chunk)


_SKIPPED = Exercise(
    "18b.skipped",
    "scores under a look-ahead mask",
    _scores_made,
    [(8, 2), (12, 4), (7, 3), (10, 4), (6, 1), (5, 5), (9, 21)],
    {
        "You counted all scores. A chunk in which nothing is allowed doesn't have to be computed, so leave out the "
        "chunks above the diagonal.": lambda N, chunk: N * N,
        "You counted only the allowed scores. A chunk on the diagonal is computed whole, so add the forbidden scores "
        "in it.": lambda N, chunk: N * (N + 1) // 2,
        "You counted the scores below the diagonal. The scores on the diagonal are allowed as well, and a chunk on "
        "the diagonal is computed whole, so add all of its scores.": lambda N, chunk: N * (N - 1) // 2,
        "You counted only the chunks on the diagonal. The chunks below it are computed as well, "
        "so add their scores.": lambda N, chunk: sum((end - start) ** 2 for start, end in _cut(N, chunk)),
        "You took half of all scores, which is too few, because the chunks on the diagonal are computed whole. Count "
        "chunk by chunk.": lambda N, chunk: N * N / 2,
        "You counted the scores that are skipped, in the chunks above the diagonal. Return the number of scores that "
        "are computed, which are all the others.": lambda N, chunk: N * N - _scores_made(N, chunk),
        "Your count is correct if the chunk divides N. Otherwise your last rows count columns beyond N, which don't "
        "exist, so stop at N.": lambda N, chunk: sum((end - start) * (start + chunk) for start, end in _cut(N, chunk)),
        "Your count is correct if the chunk divides N. Otherwise the last chunk has fewer rows, so count only those "
        "from its start to N.": lambda N, chunk: sum(chunk * end for _, end in _cut(N, chunk)),
        "Your count is correct if the chunk divides N. Otherwise the last chunk on the diagonal is smaller than the "
        "others, so count it by its own size.": lambda N, chunk: N * (N + chunk) // 2,
        "Your count is correct if the chunk divides N. Otherwise the last rows and columns of your chunks are beyond "
        "N, so cut them off there.": lambda N, chunk: _tiles(N, chunk) * (_tiles(N, chunk) + 1) // 2 * chunk**2,
        "Your count is correct if the chunk divides N. Otherwise you left out a smaller chunk at the end, so add the "
        "scores of its rows.": lambda N, chunk: (N // chunk) * (N // chunk + 1) // 2 * chunk**2,
        "You counted chunks instead of scores. Multiply the rows of each chunk by its columns, and add up these "
        "products.": lambda N, chunk: _tiles(N, chunk) * (_tiles(N, chunk) + 1) // 2,
    },
)

# --- bytes a token -------------------------------------------------------------------------------------------------


def _cache_bytes(n_layers: int, n_kv_heads: int, d_head: int, n_bytes: int) -> int:
    return 2 * n_layers * n_kv_heads * d_head * n_bytes


_CACHE = Exercise(
    "18b.cache",
    "the bytes that a token adds to the cache",
    _cache_bytes,
    [(12, 12, 64, 4), (32, 8, 128, 2), (80, 1, 96, 1), (5, 3, 7, 4), (6, 71, 64, 2)],
    {
        "You counted only the keys or only the values, but the cache keeps both. Multiply "
        "by 2.": lambda n_layers, n_kv_heads, d_head, n_bytes: n_layers * n_kv_heads * d_head * n_bytes,
        "You counted the entries, but each entry takes n_bytes. Multiply by "
        "n_bytes.": lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * n_kv_heads * d_head,
        "You counted one layer, but each layer has its own keys and values. Multiply by "
        "n_layers.": lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_kv_heads * d_head * n_bytes,
        "You counted one key and one value in each layer, but there are n_kv_heads of them. Multiply by "
        "n_kv_heads.": lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * d_head * n_bytes,
        "You didn't use d_head, so you counted each key as a single entry. Multiply by "
        "d_head.": lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * n_kv_heads * n_bytes,
        "You counted bits, but n_bytes is already in bytes. Don't multiply by "
        "8.": lambda n_layers, n_kv_heads, d_head, n_bytes: 8 * _cache_bytes(n_layers, n_kv_heads, d_head, n_bytes),
        "You counted three vectors for each head. The cache keeps only keys and values, because no later token needs "
        "an earlier query. Count "
        "two.": lambda n_layers, n_kv_heads, d_head, n_bytes: 3 * n_layers * n_kv_heads * d_head * n_bytes,
        "You squared d_head, as if a token had a matrix. It has one key and one value of d_head entries for each head "
        "and layer, so take d_head once.": lambda n_layers, n_kv_heads, d_head, n_bytes: (
            2 * n_layers * n_kv_heads * d_head**2 * n_bytes
        ),
    },
)

# --- whole numbers and scales ------------------------------------------------------------------------------------


def _quantize_with(
    largest: Callable[[Array], Array] = lambda W: np.abs(W).max(axis=1, keepdims=True),
    whole: Callable[[Array], Array] = np.round,
    top: Callable[[int], float] = lambda bits: 2 ** (bits - 1) - 1,
) -> Callable[[Array, int], tuple[Array, Array]]:
    """Quantize with another largest entry, another rounding, or another largest whole number."""

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
    """Apply `change` to the correct whole numbers and scales."""
    return lambda W, bits: change(*_quantize(W, bits))


_LARGEST_NOT_OF_ALL = (
    "You took the largest w of each row. A negative w may be further from 0 and wouldn't fit into so few bits, so "
    "take the largest |w|."
)

_QUANTIZE = Exercise(
    "18b.quantize",
    "whole numbers, and a scale for each row",
    _quantize,
    [(_random.normal(size=shape) * [[1.0], [3.0], [0.2]] - 0.3, bits) for shape, bits in (((3, 5), 8), ((3, 4), 4))]
    + [(_random.normal(size=(2, 6)), 3), (_random.normal(size=(2, 3)), 12)],
    {
        "You made a scale for each column, but each row should have one. Take the largest |w| along axis 1.": [
            _quantize_with(largest=lambda W, keepdims=keepdims: np.abs(W).max(axis=0, keepdims=keepdims))
            for keepdims in (True, False)
        ],
        _LARGEST_NOT_OF_ALL: [_quantize_with(largest=lambda W: W.max(axis=1, keepdims=True)), _clipped],
        "You used one scale for the whole matrix, but each row should have its own. Take the largest |w| row by row.": [
            _quantize_with(largest=largest)
            for largest in (lambda W: np.abs(W).max(), lambda W: np.full((len(W), 1), np.abs(W).max()))
        ],
        "You used numbers up to 2^bits − 1, but the sign needs a bit as well. Divide by 2^(bits − "
        "1) − 1 instead.": _quantize_with(top=lambda bits: 2**bits - 1),
        "You divided by 2^(bits − 1), which is one too many: with 8 bits you get 128, which would need a ninth. "
        "Subtract 1.": [_quantize_with(top=lambda bits: 2 ** (bits - 1)), _clipped_below_the_top],
        "You spread the steps from the smallest w to the largest. Here the steps are symmetric around 0, so take the "
        "largest |w| instead.": _quantize_with(
            largest=lambda W: np.ptp(W, axis=1, keepdims=True), top=lambda bits: 2**bits - 1
        ),
        "You stored the whole numbers as int8, which has no room for numbers above 127, but 12 bits go up to 2047. "
        "Leave them as floats.": _quantize_with(whole=lambda numbers: np.round(numbers).astype(np.int8)),
        "You cut off the decimals, so the error can be nearly a whole step. Round to the nearest whole number, and "
        "the error is at most half a step.": _quantize_with(whole=np.trunc),
        "You multiplied the whole numbers by the scales, which turns them back into weights. Return the two "
        "separately; the scales are correct.": _quantized(lambda Q, scales: (Q * scales, scales)),
        "You returned 1 divided by the scales, but whole number times scale should give about w. Invert the scales; "
        "the whole numbers are correct.": _quantized(lambda Q, scales: (Q, 1 / scales)),
        "You returned only the whole numbers, which are correct. Without the scales they can't be turned back into "
        "weights, so return both.": _quantized(lambda Q, scales: Q),
    },
)

EXERCISES = [_MEETING, _MERGE, _SKIPPED, _CACHE, _QUANTIZE]
