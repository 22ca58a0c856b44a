"""The exercises of lesson 02, tokens and embeddings, and the mistakes that they know.

Pieces are ids throughout, and every reference returns an array, so that lists and arrays both pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from utils.by_hand.tokenizers import look_up, word_pieces
from utils.course.exercises.exercise import Exercise, choice

Ids = NDArray[np.int64]
Vocabulary = Mapping[str, int]

_random = np.random.default_rng(2)


def _ids(values: Iterable[int]) -> Ids:
    return np.array(list(values), dtype=int)


# --- the most frequent pair ---


def _first_of_the_most(
    pairs: Iterable[tuple[int, int]], tied: Callable[[tuple[int, int]], Any] = lambda pair: 0
) -> Ids:
    """The most frequent pair; of those that are equally frequent that with the largest `tied`, or the first."""
    counts = Counter(pairs)
    return _ids(max(counts, key=lambda pair: (counts[pair], tied(pair))))


def _neighbours(ids: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise(ids))


def _without_overlaps(ids: Sequence[int]) -> Ids:
    counts: Counter[tuple[int, int]] = Counter()
    last: dict[tuple[int, int], int] = {}  # pair -> where it was counted last
    for i, pair in enumerate(_neighbours(ids)):
        if last.get(pair, -2) < i - 1:
            counts[pair] += 1
            last[pair] = i
    return _ids(max(counts, key=lambda pair: counts[pair]))


# The first is plain; the second has a tie, the third ends with what decides, in the fourth 1 2 and 2 1 add up; in the
# last 3 3 occurs twice in 3 3 3.
_SEQUENCES = [
    [7, 1, 2, 5, 1, 2, 9, 1, 2, 9, 4],
    [3, 8, 3, 5, 6, 1, 4, 6, 1, 4, 3, 8],
    [4, 6, 2, 7, 4, 6, 1, 7, 4],
    [1, 2, 0, 2, 1, 5, 2, 1, 3, 1, 2, 9, 4, 8, 0, 4, 8, 5, 4, 8],
    [2, 2, 5, 2, 2, 5, 2, 2, 6, 1, 3, 6, 1, 3, 0, 6, 1],
    [3, 3, 3, 1, 2, 4, 1, 2],
    [5, 6, 1, 5, 6, 4, 4, 4, 4],
]

_PAIR = Exercise(
    "02.most_frequent_pair",
    "the most frequent pair of neighbours",
    lambda ids: _first_of_the_most(_neighbours(ids)),
    [(ids,) for ids in _SEQUENCES],
    [
        "You cut the list into separate pairs, the 1st and 2nd, the 3rd and 4th. But the 2nd and 3rd pieces are "
        "neighbours as well, so count every pair of neighbours.",
        lambda ids: _first_of_the_most(zip(ids[::2], ids[1::2], strict=False)),
        "Correct, except in a tie, where you return the tied pair that comes last. Replace the best pair so far only "
        "if another pair occurs more often.",
        lambda ids: _first_of_the_most(_neighbours(ids), _neighbours(ids).index),
        lambda ids: _first_of_the_most(_neighbours(ids)[::-1]),
        "Correct, except in a tie, where you take the pair with the largest ids. Take the one that comes first in the "
        "list instead.",
        lambda ids: _first_of_the_most(_neighbours(ids), lambda pair: pair),
        "Correct, except in a tie, where you take the pair with the smallest ids. Take the one that comes first in "
        "the list instead.",
        lambda ids: _first_of_the_most(_neighbours(ids), lambda pair: (-pair[0], -pair[1])),
        "You count the pair (3, 3) once in 3, 3, 3. The 3 in the middle has a neighbour on either side, so count the "
        "pair twice, because counting uses nothing up.",
        _without_overlaps,
        "You return the rarest pair, but the exercise asks for the most frequent one, so take `max`, not `min`.",
        lambda ids: _ids(min(Counter(_neighbours(ids)), key=Counter(_neighbours(ids)).__getitem__)),
        "You count (1, 2) and (2, 1) as the same pair. The order matters, as in “on” and “no”, so keep the two apart.",
        lambda ids: _first_of_the_most(tuple(sorted(pair)) for pair in _neighbours(ids)),
        "You counted single pieces, but a pair is two neighbours. Count (ids[i], ids[i + 1]) for every i.",
        lambda ids: _ids([Counter(ids).most_common(1)[0][0]]),
        "You return the two most frequent pieces, which may not be neighbours at all. Count pairs of neighbours "
        "instead.",
        lambda ids: _ids(piece for piece, _ in Counter(ids).most_common(2)),
        "You return how often the pair occurs. Return the pair itself, which is two ids.",
        lambda ids: max(Counter(_neighbours(ids)).values()),
    ],
)


# --- one merge ---


def _merge_where(is_here: Callable[[Sequence[int], int, tuple[int, int]], bool]) -> Callable[..., Ids]:
    """A merge that finds the pair where is_here(ids, i, pair) says so."""

    def merge(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
        merged: list[int] = []
        i = 0
        while i < len(ids):
            here = is_here(ids, i, pair)
            merged.append(new if here else ids[i])
            i += 2 if here else 1
        return _ids(merged)

    return merge


_merge = _merge_where(lambda ids, i, pair: tuple(ids[i : i + 2]) == tuple(pair))


def _merge_one_by_one(keep: Callable[[list[int], int, bool], list[int]]) -> Callable[..., Ids]:
    """A merge that walks on by one piece also after a pair; `keep` says what it writes at a place."""

    def merge(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
        merged: list[int] = []
        for i in range(len(ids)):
            found = tuple(ids[i : i + 2]) == tuple(pair)
            merged += [new] if found else keep(list(ids), i, i > 0 and tuple(ids[i - 1 : i + 1]) == tuple(pair))
        return _ids(merged)

    return merge


def _merge_first_only(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    for i in range(len(ids) - 1):
        if tuple(ids[i : i + 2]) == tuple(pair):
            return _ids([*ids[:i], new, *ids[i + 2 :]])
    return _ids(ids)


_MERGES: list[tuple[list[int], tuple[int, int], int]] = [
    ([5, 1, 2, 7, 1, 2, 3], (1, 2), 10),
    ([4, 2, 1, 6, 1, 2, 2, 8, 9], (1, 2), 11),
    ([3, 3, 3, 6, 3, 3, 5], (3, 3), 12),
    ([6, 8, 4, 8, 6, 0, 8, 6], (8, 6), 13),
    ([7, 5, 9, 7], (7, 9), 14),
    ([2], (2, 4), 15),
    ([113, 2, 13, 21, 13, 2], (13, 2), 16),  # 13 2 also occurs in the text "113 21"
]

_MERGE = Exercise(
    "02.merge",
    "one merge",
    _merge,
    _MERGES,
    [
        "You leave the second piece of the pair after the new id. But both pieces are used up, so move on by two "
        "after a merge.",
        _merge_one_by_one(lambda ids, i, after_pair: [ids[i]]),
        "You merge the pair (3, 3) twice in 3, 3, 3. A piece that has been merged is used up, so move on by two.",
        _merge_one_by_one(lambda ids, i, after_pair: [] if after_pair else [ids[i]]),
        "You merge only the first occurrence. The pair may occur again, so continue to the end of the list.",
        _merge_first_only,
        "You merge from the right. In 3, 3, 3 the first two should be joined, so start from the left.",
        lambda ids, pair, new: _merge(list(ids)[::-1], tuple(pair)[::-1], new)[::-1],
        "You merge (2, 1) as well as (1, 2). The order matters, so compare left with left and right with right.",
        _merge_where(lambda ids, i, pair: sorted(ids[i : i + 2]) == sorted(pair)),
        "You replaced each of the two pieces wherever it occurs. Put the new id only where the two are neighbours, in "
        "place of both.",
        lambda ids, pair, new: _ids(new if id in pair else id for id in ids),
    ],
)


# --- undoing the merges ---


def unmerged(ids: Sequence[int], merges: Sequence[tuple[int, int]], first: int) -> Ids:
    """The ids with every merge undone, the last one first; merge number i made the id first + i."""
    small = list(ids)
    for new in range(first + len(merges) - 1, first - 1, -1):
        small = [part for id in small for part in (merges[new - first] if id == new else (id,))]
    return _ids(small)


_MERGED: list[tuple[list[int], list[tuple[int, int]], int]] = [
    ([4, 11, 10, 3], [(1, 2), (10, 3)], 10),
    ([22, 0, 23, 21], [(5, 6), (7, 20), (21, 20), (22, 22)], 20),
    ([9, 8, 7], [(8, 9)], 30),
    ([259], [(97, 112), (256, 112), (108, 101), (257, 258)], 256),
]

_UNMERGE = Exercise(
    "02.unmerge",
    "back from the ids of merges",
    unmerged,
    _MERGED,
    [
        "You undo each merge once, but one of its halves may be a merged piece itself. Continue until every id is "
        "below `first`; if you loop over the merges, begin with the last.",
        lambda ids, merges, first: _ids(part for id in ids for part in (merges[id - first] if id >= first else (id,))),
        "You swapped the two halves of each merge. Put the left one first, as in the pair (left, right).",
        lambda ids, merges, first: unmerged(ids, [pair[::-1] for pair in merges], first),
        "You dropped the merged ids. Replace each of them by its two parts, so that nothing of the text is lost.",
        lambda ids, merges, first: _ids(id for id in ids if id < first),
        "You keep only the left half of each merge. The right half also belongs to the text, so put it after the left.",
        lambda ids, merges, first: unmerged(ids, [(left,) for left, _ in merges], first),
        "You keep only the right half of each merge. The left half also belongs to the text, so put it before the "
        "right.",
        lambda ids, merges, first: unmerged(ids, [(right,) for _, right in merges], first),
    ],
)


# --- WordPiece ---


def _cut(
    word: str,
    vocabulary: Vocabulary,
    rank: Callable[[str], int] = len,
    stuck: Callable[[list[int], int], list[int]] = lambda ids, unknown: [unknown],
    skipped: Callable[[int], list[int]] | None = None,
    signs: tuple[str, str] = ("", "##"),
) -> Ids:
    """Greedy matching with one thing done differently: of the pieces that fit it takes that of the highest rank.

    stuck: what is returned where none fits; skipped: what is written there for a letter, before it goes on; signs: what
    is written before the first piece of a word, and before the others.
    """
    ids, start, unknown = [], 0, vocabulary["[UNK]"]
    while start < len(word):
        prefix = signs[start > 0]
        ends = {prefix + word[start:end]: end for end in range(start + 1, len(word) + 1)}
        if fitting := ends.keys() & vocabulary.keys():
            piece = max(fitting, key=rank)
            ids.append(vocabulary[piece])
            start = ends[piece]
        elif skipped is None:
            return _ids(stuck(ids, unknown))
        else:
            ids += skipped(unknown)
            start += 1
    return _ids(ids)


_PIECES = "[UNK] a ##a ap app apple ##pp ##le ##l ##e ##p ##s ##ple pine ##apple pie ##ie un ##t ##eat ##able s le eat"
_VOCABULARY = {piece: 3 * i + 2 for i, piece in enumerate(_PIECES.split())}
# An answer that backtracks, or begins at the end, finds a and ##bc; ab has the id 0; nothing is lowered.
_NO_WAY_BACK = {"[UNK]": 7, "ab": 0, "a": 1, "##bc": 2, "##b": 3}
_LETTERS_FIRST = "[UNK] u ##n ##a ##b ##l ##e un ##able ##ab n a b l e able"
_LETTERS = {piece: 40 - i for i, piece in enumerate(_LETTERS_FIRST.split())}

_WORDPIECE = Exercise(
    "02.wordpiece",
    "cutting into the longest pieces that fit",
    lambda word, vocabulary: _ids(vocabulary[piece] for piece in word_pieces(word, vocabulary)),
    [
        *((word, _VOCABULARY) for word in ("apple", "apples", "pineapples", "uneatable", "appxle", "xapple", "pie")),
        *((word, _LETTERS) for word in ("unable", "able", "unxable", "x")),
        *((word, _NO_WAY_BACK) for word in ("abc", "ab", "abbc", "AB")),
    ],
    [
        "You look up every piece without ##. Only the first piece of a word has none, so write ## before each later "
        "one.",
        lambda word, vocabulary: _cut(word, vocabulary, signs=("", "")),
        "You write ## before every piece, but the first piece of a word has none. Look that piece up as it is.",
        lambda word, vocabulary: _cut(word, vocabulary, signs=("##", "##")),
        "You take the shortest piece that fits, but the rule wants the longest. Try the ends from len(word) down.",
        lambda word, vocabulary: _cut(word, vocabulary, rank=lambda piece: -len(piece)),
        "You keep the pieces found so far and add [UNK]. If any part does not fit, the whole word becomes one [UNK], "
        "so return only [UNK].",
        lambda word, vocabulary: _cut(word, vocabulary, stuck=lambda ids, unknown: [*ids, unknown]),
        "You stop where nothing fits and keep the pieces so far. But then the whole word becomes one [UNK], so return "
        "only that id.",
        lambda word, vocabulary: _cut(word, vocabulary, stuck=lambda ids, unknown: ids),
        "You write [UNK] for a letter that does not fit and continue after it. BERT gives up on the word, so return "
        "one [UNK] for all of it.",
        lambda word, vocabulary: _cut(word, vocabulary, skipped=lambda unknown: [unknown]),
        "You skip a letter that does not fit, so your ids spell another word. Return one [UNK] for the whole word "
        "instead.",
        lambda word, vocabulary: _cut(word, vocabulary, skipped=lambda unknown: []),
        "You return 100, which is the id of [UNK] in BERT's own vocabulary. Look the id up in the vocabulary that "
        "your function is given: `vocabulary['[UNK]']`.",
        lambda word, vocabulary: _cut(word, vocabulary, stuck=lambda ids, unknown: [100]),
        # The last letter never fits.
        "Your pieces never reach the end of the word, because `len(word) - 1` is one letter too short. Begin with "
        "`len(word)`: `range(len(word), start, -1)`.",
        lambda word, vocabulary: _ids([vocabulary["[UNK]"]] if word else []),
        "You look up only whole words. Cut a word that is not in the vocabulary into pieces first, and look those up.",
        lambda word, vocabulary: _ids([vocabulary.get(word, vocabulary["[UNK]"])]),
    ],
)


# --- the lookup table ---


def _table(rows: int, d_model: int) -> NDArray[np.float64]:
    return _random.normal(size=(rows, d_model))


_EMBED = Exercise(
    "02.embed",
    "looking up a batch of ids",
    look_up,
    [
        (np.array([[1, 3, 0, 3], [5, 4, 4, 2]]), _table(6, 7)),
        (np.array([[2, 6, 1], [4, 4, 3], [0, 5, 2], [1, 2, 6]]), _table(7, 7)),
        (np.array([[1, 2, 3, 0, 1]]), _table(4, 6)),
    ],
    [
        "You take columns with `table[:, ids]`, but the ids choose rows. Write `table[ids]`.",
        lambda ids, table: table[:, ids],
        "You give id 0 a row of zeros, but id 0 has a row in the table like any other id. Look that row up, because "
        "padding is ignored only later.",
        lambda ids, table: table[ids] * (ids != 0)[..., np.newaxis],
        "You take the row above the correct one, and for id 0 the last row. Ids and rows both count from 0, so there "
        "is nothing to subtract.",
        lambda ids, table: table[ids - 1],
        "You looked up only the first sentence of the batch. Look up all of them, so that the shape is (batch, "
        "seq_len, d_model).",
        lambda ids, table: table[ids[0]],
        "You multiplied by the id. An id is a name, not an amount, so use it to choose a row of the table.",
        lambda ids, table: ids[..., None] * table[0],
    ],
)


_WHICH = choice(
    "02.which",
    "c",
    "the id chooses the row, so everything that it learns about one meaning reaches all the others.",
    {
        "a": "You gave each position a row of its own, but the table has one row for each id of the vocabulary. "
        "Which row do all three positions look up?",
        "b": (
            "You divided the step among the positions, but the step changes the table, and each position reads the "
            "whole change."
        ),
    },
)

EXERCISES: tuple[Exercise, ...] = (_PAIR, _MERGE, _UNMERGE, _WORDPIECE, _EMBED, _WHICH)
