"""The interactive figure of lesson 18b: the keys of one query, taken in chunk by chunk."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array, Mask
from utils.by_hand.attention import scaled_dot_product_attention
from utils.by_hand.chunked import nothing_yet, shared_out, take_in
from utils.show.live import Matrix, Note, Panel
from utils.show.numbers import numbered

_CARRIED = ["largest", "factor", "sum s", "o₁", "o₂", "o₁ / s", "o₂ / s"]


def taken_in(scores: Array, allowed: Mask, values: Array, query: int, chunk: int, step: int) -> list[Panel]:
    """Show one row of scores (n, M), allowed (n, M), with values (M, 2), after `step` chunks of `chunk` keys.

    query counts from 1. The table has a line for each chunk: largest score, factor, sum, output, and the two divided.
    """
    z, may = scores[query - 1 : query], allowed[query - 1 : query]  # (1, M)
    M = scores.shape[1]
    whole, _ = scaled_dot_product_attention(z, np.eye(M), values, may, scale=1.0)  # (1, 2), all at once
    running, rows, starts = nothing_yet((1,), 2), [], range(0, M, chunk)[:step]
    for j in starts:
        top, keys = running.top, slice(j, j + chunk)
        running = take_in(running, z[:, keys], values[keys], may[:, keys])
        factor = np.exp(top - running.top)  # (1, 1)
        rows.append(np.hstack([running.top, factor, running.total, running.output, shared_out(running)])[0])
    done = min(M, starts[-1] + chunk) if rows else 0
    names = [numbered("k", i) + " masked" * (not may[0, i - 1]) for i in range(1, M + 1)]
    lit = [(0, i) for i in range(starts[-1], done)] if rows else []
    panels: list[Panel] = [
        Note(_in_words(rows, done, M, whole[0])),
        Matrix(z, f"scores of query {query}", column_names=names, lit_cells=lit, decimals=1),
    ]
    if rows:
        chunks = [f"chunk {i + 1}" for i in range(len(rows))]
        panels.append(Matrix(rows, "carried along", chunks, _CARRIED, lit_rows=[len(rows) - 1], decimals=4))
    return panels


def _in_words(rows: list[Array], done: int, M: int, whole: Array) -> str:
    so_far = "nothing summed yet"
    if rows and rows[-1][2]:
        largest, factor, total, _, _, *y = rows[-1]
        so_far = f"largest {largest:.1f}, factor {factor:.4f}, sum {total:.4f}, output so far ({y[0]:.4f}, {y[1]:.4f})"
    end = "that is the whole" if done == M else f"the whole is ({whole[0]:.4f}, {whole[1]:.4f})"
    return f"{done} of {M} keys: {so_far}; {end}"
