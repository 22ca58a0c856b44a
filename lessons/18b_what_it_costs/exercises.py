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


_MEETING = Exercise(
    "18b.meeting",
    "where the N² of a block begins to dominate",
    lambda d_model, d_ff: float(2 * d_model + d_ff),  # a float, so that a search that ends near it passes
    [(512, 2048), (128, 512), (100, 350), (64, 1000), (768, 3072)],
    [
        "You compared the two layers by themselves, which meet at N = d. A block has more to compute, so add its four "
        "projections and both matrices of the feed-forward network.",
        lambda d_model, d_ff: d_model,
        "You found where the N² meets the four projections. But the rest also includes the two matrices of the "
        "feed-forward network, so add them.",
        lambda d_model, d_ff: 2 * d_model,
        "You found where the N² meets the feed-forward network. But the rest also includes four projections, W_Q, "
        "W_K, W_V and W_O, so add them.",
        lambda d_model, d_ff: d_ff,
        "You counted only one projection. A block has four, W_Q, W_K, W_V and W_O, each d_model × d_model, so add the "
        "others.",
        _so_many_projections(1),
        "You counted only two projections. A block has four, W_Q, W_K, W_V and W_O, each d_model × d_model, so add the "
        "others.",
        _so_many_projections(2),
        "You counted three projections. After the heads there is a fourth, W_O, so add it to the rest.",
        _so_many_projections(3),
        "You counted only one product with N², so your N is twice too large. There are two, the scores and the "
        "weights times the values, so count both.",
        lambda d_model, d_ff: 2 * (2 * d_model + d_ff),
        "You took a root. The rest grows with N and the two products with N², so one N cancels and no root is left. "
        "Divide both sides by N.",
        lambda d_model, d_ff: float(np.sqrt(4 * d_model**2 + 2 * d_model * d_ff)),
        "You made the feed-forward network twice too expensive. Its two matrices together cost 2 N · d_model · d_ff, "
        "so take half.",
        lambda d_model, d_ff: 2 * d_model + 2 * d_ff,
        "You counted one matrix of the feed-forward network. The network has two, one up to d_ff and one back down to "
        "d_model, so count both.",
        lambda d_model, d_ff: 2 * d_model + d_ff / 2,
        "You returned the multiplications per token without N². Set N times that equal to the part with N², and solve "
        "for N.",
        lambda d_model, d_ff: 4 * d_model**2 + 2 * d_model * d_ff,
    ],
)

# --- bytes a token -------------------------------------------------------------------------------------------------


def _cache_bytes(n_layers: int, n_kv_heads: int, d_head: int, n_bytes: int) -> int:
    return 2 * n_layers * n_kv_heads * d_head * n_bytes


_CACHE = Exercise(
    "18b.cache",
    "the bytes that a token adds to the cache",
    _cache_bytes,
    [(12, 12, 64, 4), (32, 8, 128, 2), (80, 1, 96, 1), (5, 3, 7, 4), (6, 71, 64, 2)],
    [
        "You counted only the keys or only the values, but the cache keeps both. Multiply by 2.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: n_layers * n_kv_heads * d_head * n_bytes,
        "You counted the entries, but each entry takes n_bytes. Multiply by n_bytes.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * n_kv_heads * d_head,
        "You counted one layer, but each layer has its own keys and values. Multiply by n_layers.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_kv_heads * d_head * n_bytes,
        "You counted one key and one value in each layer, but there are n_kv_heads of them. Multiply by n_kv_heads.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * d_head * n_bytes,
        "You didn't use d_head, so you counted each key as a single entry. Multiply by d_head.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * n_kv_heads * n_bytes,
        "You counted bits, but n_bytes is already in bytes. Don't multiply by 8.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 8 * _cache_bytes(n_layers, n_kv_heads, d_head, n_bytes),
        "You counted three vectors for each head. The cache keeps only keys and values, because no later token needs "
        "an earlier query. Count two.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 3 * n_layers * n_kv_heads * d_head * n_bytes,
        "You squared d_head, as if a token had a matrix. It has one key and one value of d_head entries for each head "
        "and layer, so take d_head once.",
        lambda n_layers, n_kv_heads, d_head, n_bytes: 2 * n_layers * n_kv_heads * d_head**2 * n_bytes,
    ],
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
    [
        "You made a scale for each column, but each row should have one. Take the largest |w| along axis 1.",
        _quantize_with(largest=lambda W: np.abs(W).max(axis=0, keepdims=True)),
        _quantize_with(largest=lambda W: np.abs(W).max(axis=0)),
        _LARGEST_NOT_OF_ALL,
        _quantize_with(largest=lambda W: W.max(axis=1, keepdims=True)),
        _clipped,
        "You used one scale for the whole matrix, but each row should have its own. Take the largest |w| row by row.",
        _quantize_with(largest=lambda W: np.abs(W).max()),
        _quantize_with(largest=lambda W: np.full((len(W), 1), np.abs(W).max())),
        "You used numbers up to 2^bits − 1, but the sign needs a bit as well. Divide by 2^(bits − 1) − 1 instead.",
        _quantize_with(top=lambda bits: 2**bits - 1),
        "You divided by 2^(bits − 1), which is one too many: with 8 bits you get 128, which would need a ninth. "
        "Subtract 1.",
        _quantize_with(top=lambda bits: 2 ** (bits - 1)),
        _clipped_below_the_top,
        "You spread the steps from the smallest w to the largest. Here the steps are symmetric around 0, so take the "
        "largest |w| instead.",
        _quantize_with(largest=lambda W: np.ptp(W, axis=1, keepdims=True), top=lambda bits: 2**bits - 1),
        "You stored the whole numbers as int8, which has no room for numbers above 127, but 12 bits go up to 2047. "
        "Leave them as floats.",
        _quantize_with(whole=lambda numbers: np.round(numbers).astype(np.int8)),
        "You cut off the decimals, so the error can be nearly a whole step. Round to the nearest whole number, and "
        "the error is at most half a step.",
        _quantize_with(whole=np.trunc),
        _quantize_with(whole=np.floor),
        "You multiplied the whole numbers by the scales, which turns them back into weights. Return the two "
        "separately; the scales are correct.",
        _quantized(lambda Q, scales: (Q * scales, scales)),
        "You returned 1 divided by the scales, but whole number times scale should give about w. Invert the scales; "
        "the whole numbers are correct.",
        _quantized(lambda Q, scales: (Q, 1 / scales)),
        "You returned only the whole numbers, which are correct. Without the scales they can't be turned back into "
        "weights, so return both.",
        _quantized(lambda Q, scales: Q),
    ],
)

EXERCISES = [_MEETING, _CACHE, _QUANTIZE]
