"""Speculative decoding: a cheap model drafts, the large one reads the draft in one pass and keeps what it can.

A text is a list of ids. A distribution is (V,), a share for each of V tokens. Sources: Leviathan et al. 2023,
algorithm 1; Chen et al. 2023, algorithm 2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from utils.by_hand.arrays import Array

Choose = Callable[[Array], int]  # draws a token from a distribution
Result = TypeVar("Result", bound=Hashable)


def speculative(p: Array, q: Array, drafted: int) -> Array:
    """Return the distribution of the token written where `drafted` was drawn from q. Over all drafts it is p."""
    kept = np.eye(len(p))[drafted]
    accepted = min(1.0, p[drafted] / q[drafted])
    if accepted == 1:
        return kept
    rest = np.maximum(p - q, 0)
    return accepted * kept + (1 - accepted) * rest / rest.sum()


def written(
    large: Callable[[Sequence[int]], Array],
    draft: Callable[[Sequence[int]], Array],
    start: Sequence[int],
    new: int,
    k: int,
    choose: Choose,
) -> tuple[list[int], int]:
    """Return the `new` tokens after `start`, and the number of passes, each of which is one call of `large`.

    A pass drafts k tokens, or as many as are still missing.

    large: the distributions after each token of a text, (tokens, V). draft: the one after the last token, (V,).
    """
    text, passes = list(start), 0
    while len(text) < len(start) + new:
        missing = len(start) + new - len(text)
        text += _one_pass(large, draft, text, min(k, missing), choose)
        passes += 1
    return text[len(start) :][:new], passes


def _one_pass(
    large: Callable[[Sequence[int]], Array],
    draft: Callable[[Sequence[int]], Array],
    text: list[int],
    k: int,
    choose: Choose,
) -> list[int]:
    """Return the tokens that one pass writes, from 1 to k + 1."""
    read, guesses = list(text), []
    for _ in range(k):
        guesses.append(draft(read))
        read.append(choose(guesses[-1]))
    shares = large(read)[len(text) - 1 :]  # (k + 1, V)
    for place, q in enumerate(guesses, start=len(text)):
        token = choose(speculative(shares[place - len(text)], q, read[place]))
        if token != read[place]:
            return [*read[len(text) : place], token]
    return [*read[len(text) :], choose(shares[k])]


# --- what draws, and what needs no draw ---


def dice(seed: int) -> Choose:
    """Return a function that draws at random."""
    random = np.random.default_rng(seed)
    return lambda shares: int(random.choice(len(shares), p=shares))


class _OpenDrawError(Exception):
    """An undecided draw, with its distribution."""


def every_draw(program: Callable[[Choose], Result]) -> dict[Result, float]:
    """Run `program` with every possible outcome of its draws. Return each result with its probability."""
    found: defaultdict[Result, float] = defaultdict(float)
    waiting: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while waiting:
        decided, probability = waiting.pop()
        draws = iter(decided)

        def choose(shares: Array, draws: Iterator[int] = draws) -> int:
            for token in draws:
                return token
            raise _OpenDrawError(shares)

        try:
            found[program(choose)] += probability
        except _OpenDrawError as draw:
            shares = enumerate(draw.args[0].tolist())
            waiting += [((*decided, token), probability * share) for token, share in shares if share]
    return dict(found)


# --- a draft that counts ---


def pair_shares(ids: Sequence[int], vocabulary: int) -> Array:
    """Return the bigram of `n_gram_bits_per_byte` as a table, (V, V), whose row i follows token i."""
    alone = np.bincount(ids, minlength=vocabulary)  # (V,)
    kinds = np.count_nonzero(alone)
    alone = (alone + kinds / vocabulary) / (len(ids) + kinds)
    counts = np.zeros((vocabulary, vocabulary))
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    kinds = np.count_nonzero(counts, axis=1, keepdims=True).clip(min=1)  # (V, 1)
    return (counts + kinds * alone) / (counts.sum(axis=1, keepdims=True) + kinds)
