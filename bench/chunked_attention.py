"""Compare the cost of chunked attention with that of plain attention: `python -m bench.chunked_attention`.

One head, N = 8192 queries and keys, d = 64, NumPy with its default threads. Memory is the peak that each holds beyond
its inputs, as NumPy reports to tracemalloc; time is the fastest of a few runs. It needs 3 GB.
"""

from __future__ import annotations

import sys
import timeit
import tracemalloc
from collections.abc import Callable

import numpy as np

from bench._goal import met
from utils.by_hand.attention import scaled_dot_product_attention
from utils.by_hand.chunked import chunked_attention

N, D, REPEATS = 8192, 64, 3
MEMORY, TIME = 0.05, 1.5  # of the plain one's, at most


def main() -> int:
    Q, K, V = np.random.default_rng(0).normal(size=(3, N, D))
    ways = {
        "plain": lambda: scaled_dot_product_attention(Q, K, V)[0],
        "in chunks": lambda: chunked_attention(Q, K, V),
    }
    seconds, mebibytes = {}, {}
    for name, way in ways.items():
        seconds[name] = min(timeit.repeat(way, number=1, repeat=REPEATS))
        mebibytes[name] = most_held(way) / 2**20
    print(f"N = {N}, d = {D}")
    for name in ways:
        print(f"  {name:10} {seconds[name]:7.2f} s {mebibytes[name]:9.1f} MiB")
    goals = [
        met("memory in chunks, of the plain one's", mebibytes["in chunks"] / mebibytes["plain"], MEMORY),
        met("time in chunks, of the plain one's", seconds["in chunks"] / seconds["plain"], TIME),
    ]
    return 0 if all(goals) else 1


def most_held(compute: Callable[[], object]) -> int:
    """Return the peak number of bytes that `compute` holds beyond what was held before."""
    tracemalloc.start()
    compute()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    sys.exit(main())
