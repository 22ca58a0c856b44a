"""What attention in chunks costs beside the plain one: `python -m bench.chunked_attention`.

One head, N = 8192 queries and keys, d = 64, NumPy on its threads as they are. Memory is what each holds at once beyond
its inputs, as NumPy tells tracemalloc; time is the fastest of a few runs, in turn. It needs 3 GB.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

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
    seconds = {name: float("inf") for name in ways}
    for _ in range(REPEATS):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    mebibytes = {name: most_held(way) / 2**20 for name, way in ways.items()}
    print(f"N = {N}, d = {D}")
    for name in ways:
        print(f"  {name:10} {seconds[name]:7.2f} s {mebibytes[name]:9.1f} MiB")
    met = [
        _line("memory in chunks, of the plain one's", mebibytes["in chunks"] / mebibytes["plain"], MEMORY),
        _line("time in chunks, of the plain one's", seconds["in chunks"] / seconds["plain"], TIME),
    ]
    return 0 if all(met) else 1


def most_held(compute: Callable[[], object]) -> int:
    """Bytes that `compute` holds at once, at most, beyond what there was before."""
    tracemalloc.start()
    compute()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def _line(what: str, measured: float, limit: float) -> bool:
    met = measured <= limit
    print(f"  {what:38} {measured:6.3f} ×   at most {limit:g}: {'yes' if met else 'NO'}")
    return met


if __name__ == "__main__":
    sys.exit(main())
