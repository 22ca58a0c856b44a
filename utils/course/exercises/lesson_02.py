"""The exercises of lesson 02, tokens and embeddings, and the mistakes that they know.

Pieces are ids throughout, and every reference returns an array, so that lists and arrays both pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from utils.by_hand.tokenizers import look_up, word_pieces
from utils.course.exercises.exercise import Exercise, WrongAnswer

Ids = NDArray[np.int64]
Vocabulary = Mapping[str, int]

_random = np.random.default_rng(2)


def _ids(values: Iterable[int]) -> Ids:
    return np.array(list(values), dtype=int)


# --- the most frequent pair ---


def _first_of_the_most(pairs: Iterable[tuple[int, int]]) -> Ids:
    counts = Counter(pairs)
    return _ids(max(counts, key=lambda pair: counts[pair]))


def _neighbours(ids: Sequence[int]) -> list[tuple[int, int]]:
    return list(pairwise(ids))


def _most_frequent_pair(ids: Sequence[int]) -> Ids:
    return _first_of_the_most(_neighbours(ids))


def _last_of_the_most(ids: Sequence[int]) -> Ids:
    counts = Counter(_neighbours(ids))
    return _ids(max(reversed(counts), key=lambda pair: counts[pair]))


def _largest_of_the_most(ids: Sequence[int]) -> Ids:
    counts = Counter(_neighbours(ids))
    return _ids(max(counts, key=lambda pair: (counts[pair], pair)))


# The first is plain; the second has a tie, the third ends with what decides, in the fourth 1 2 and 2 1 add up.
_SEQUENCES = [
    [7, 1, 2, 5, 1, 2, 9, 1, 2, 9, 4],
    [3, 8, 3, 5, 6, 1, 4, 6, 1, 4, 3, 8],
    [4, 6, 2, 7, 4, 6, 1, 7, 4],
    [1, 2, 0, 2, 1, 5, 2, 1, 3, 1, 2, 9, 4, 8, 0, 4, 8, 5, 4, 8],
    [2, 2, 5, 2, 2, 5, 2, 2, 6, 1, 3, 6, 1, 3, 0, 6, 1],
]

_PAIR = Exercise(
    "02.most_frequent_pair",
    "the most frequent pair of neighbours",
    _most_frequent_pair,
    [(ids,) for ids in _SEQUENCES],
    (
        WrongAnswer(
            "pairs that do not overlap",
            lambda ids: _first_of_the_most(zip(ids[::2], ids[1::2], strict=False)),
            "You cut the list into twos: 1st and 2nd, 3rd and 4th. Every piece has a neighbour on its right: "
            "2nd and 3rd are a pair as well.",
        ),
        WrongAnswer(
            "last pair dropped",
            lambda ids: _first_of_the_most(_neighbours(ids)[:-1]),
            "The last pair is not counted. N pieces have N − 1 pairs: the loop should run to len(ids) − 1.",
        ),
        WrongAnswer(
            "tie: the last one",
            _last_of_the_most,
            "Right, except on a tie: of pairs that are equally frequent the one that comes first in the list is asked "
            "for. Is there a `>=` that should be a `>`?",
        ),
        WrongAnswer(
            "tie: the largest ids",
            _largest_of_the_most,
            "Right, except on a tie: you take the pair with the largest ids. The one that comes first in the list is "
            "asked for. `max` over (count, pair) compares the pairs as well.",
        ),
        WrongAnswer(
            "the rarest",
            lambda ids: _ids(min(Counter(_neighbours(ids)), key=Counter(_neighbours(ids)).__getitem__)),
            "This is the rarest pair. The most frequent one is asked for: `max`, not `min`.",
        ),
        WrongAnswer(
            "order within the pair ignored",
            lambda ids: _first_of_the_most(tuple(sorted(pair)) for pair in _neighbours(ids)),
            "You count (1, 2) and (2, 1) as the same pair. The order matters: “on” is not “no”.",
        ),
        WrongAnswer(
            "pair turned round",
            lambda ids: _most_frequent_pair(ids)[::-1],
            "The right pair, the wrong way round: the piece on the left comes first.",
        ),
        WrongAnswer(
            "single pieces",
            lambda ids: _ids([Counter(ids).most_common(1)[0][0]]),
            "You counted single pieces. A pair is two neighbours: ids[i] and ids[i + 1].",
        ),
        WrongAnswer(
            "the two most frequent pieces",
            lambda ids: _ids(piece for piece, _ in Counter(ids).most_common(2)),
            "These are the two most frequent pieces, but they need not be neighbours. Count pairs of neighbours.",
        ),
        WrongAnswer(
            "how often, not which",
            lambda ids: max(Counter(_neighbours(ids)).values()),
            "This is how often the pair occurs. The pair itself is asked for: two ids.",
        ),
    ),
)


# --- one merge ---


def _merge(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    merged: list[int] = []
    i = 0
    while i < len(ids):
        here = tuple(ids[i : i + 2]) == tuple(pair)
        merged.append(new if here else ids[i])
        i += 2 if here else 1
    return _ids(merged)


def _merge_one_by_one(keep: Callable[[list[int], int, bool], list[int]]) -> Callable[..., Ids]:
    """A merge that walks on by one piece also after a pair; `keep` says what it writes at a place."""

    def merge(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
        merged: list[int] = []
        for i in range(len(ids)):
            found = tuple(ids[i : i + 2]) == tuple(pair)
            merged += [new] if found else keep(list(ids), i, i > 0 and tuple(ids[i - 1 : i + 1]) == tuple(pair))
        return _ids(merged)

    return merge


def _merge_to_the_last_but_one(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    if tuple(ids[-2:]) == tuple(pair):
        return _merge(ids, pair, new)
    return _merge(ids, pair, new)[:-1]


def _merge_first_only(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    for i in range(len(ids) - 1):
        if tuple(ids[i : i + 2]) == tuple(pair):
            return _ids([*ids[:i], new, *ids[i + 2 :]])
    return _ids(ids)


def _merge_from_the_right(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    return _merge(list(ids)[::-1], tuple(pair)[::-1], new)[::-1]


def _merge_both_orders(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    merged: list[int] = []
    i = 0
    while i < len(ids):
        here = sorted(ids[i : i + 2]) == sorted(pair)
        merged.append(new if here else ids[i])
        i += 2 if here else 1
    return _ids(merged)


def _merge_past_the_end(ids: Sequence[int], pair: tuple[int, int], new: int) -> Ids:
    merged: list[int] = []
    i = 0
    while i < len(ids):
        here = ids[i] == pair[0] and ids[i + 1] == pair[1]
        merged.append(new if here else ids[i])
        i += 2 if here else 1
    return _ids(merged)


_MERGES: list[tuple[list[int], tuple[int, int], int]] = [
    ([5, 1, 2, 7, 1, 2, 3], (1, 2), 10),
    ([4, 2, 1, 6, 1, 2, 2, 8, 9], (1, 2), 11),
    ([3, 3, 3, 6, 3, 3, 5], (3, 3), 12),
    ([6, 8, 4, 8, 6, 0, 8, 6], (8, 6), 13),
    ([7, 5, 9, 7], (7, 9), 14),
    ([2], (2, 4), 15),
]

_MERGE = Exercise(
    "02.merge",
    "one merge",
    _merge,
    _MERGES,
    (
        WrongAnswer(
            "second piece left standing",
            _merge_one_by_one(lambda ids, i, after_pair: [ids[i]]),
            "The second piece of the pair is still there behind the new one. After a merge, walk on by two.",
        ),
        WrongAnswer(
            "a piece used twice",
            _merge_one_by_one(lambda ids, i, after_pair: [] if after_pair else [ids[i]]),
            "In 3, 3, 3 you found the pair (3, 3) twice. A piece that has been merged is gone: walk on by two.",
        ),
        WrongAnswer(
            "last piece dropped",
            _merge_to_the_last_but_one,
            "The last piece gets lost where no pair ends the list. It has no neighbour, but it must be kept.",
        ),
        WrongAnswer(
            "looks past the end",
            _merge_past_the_end,
            "Your function looks at ids[i + 1] where i is the last place, and there is nothing. Ask first whether "
            "i + 1 < len(ids).",
        ),
        WrongAnswer(
            "only the first occurrence",
            _merge_first_only,
            "Only the first occurrence is merged. Go on to the end of the list.",
        ),
        WrongAnswer(
            "from the right",
            _merge_from_the_right,
            "You merge from the right. In 3, 3, 3 the first two are joined: walk from the left.",
        ),
        WrongAnswer(
            "both orders",
            _merge_both_orders,
            "You merge (2, 1) as well as (1, 2). The order matters.",
        ),
        WrongAnswer(
            "each piece by itself",
            lambda ids, pair, new: _ids(new if id in pair else id for id in ids),
            "You replaced each of the two pieces wherever it stands. Both together, as neighbours, become one new "
            "piece.",
        ),
        WrongAnswer(
            "the pair removed",
            lambda ids, pair, new: _ids(id for id in _merge(ids, pair, new) if id != new),
            "The pairs are gone, but nothing stands in their place: put `new` there.",
        ),
    ),
)


# --- WordPiece ---


def _wordpiece(word: str, vocabulary: Vocabulary) -> Ids:
    return _ids(vocabulary[piece] for piece in word_pieces(word, vocabulary))


def _cut(
    word: str,
    vocabulary: Vocabulary,
    inside: str = "##",
    at_the_start: str = "",
    shortest: bool = False,
    stuck: Callable[[list[int], int], list[int]] = lambda ids, unknown: [unknown],
) -> Ids:
    """Greedy matching with one thing done differently; `stuck` says what is returned where no piece fits."""
    ids: list[int] = []
    start = 0
    while start < len(word):
        prefix = inside if start else at_the_start
        ends = range(start + 1, len(word) + 1) if shortest else range(len(word), start, -1)
        end = next((end for end in ends if prefix + word[start:end] in vocabulary), None)
        if end is None:
            return _ids(stuck(ids, vocabulary["[UNK]"]))
        ids.append(vocabulary[prefix + word[start:end]])
        start = end
    return _ids(ids)


def _first_in_the_vocabulary(word: str, vocabulary: Vocabulary) -> Ids:
    ids: list[int] = []
    start = 0
    while start < len(word):
        for piece, id in vocabulary.items():
            plain = piece.removeprefix("##")
            if piece.startswith("##") == (start > 0) and word.startswith(plain, start):
                ids.append(id)
                start += len(plain)
                break
        else:
            return _ids([vocabulary["[UNK]"]])
    return _ids(ids)


def _skipping_what_does_not_fit(word: str, vocabulary: Vocabulary, write_unknown: bool) -> Ids:
    ids: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        end = next((end for end in range(len(word), start, -1) if prefix + word[start:end] in vocabulary), None)
        if end is not None:
            ids.append(vocabulary[prefix + word[start:end]])
        elif write_unknown:
            ids.append(vocabulary["[UNK]"])
        start = end if end is not None else start + 1
    return _ids(ids)


_PIECES = "[UNK] a ##a ap app apple ##pp ##le ##l ##e ##p ##s ##ple pine ##apple pie ##ie un ##t ##eat ##able s le eat"
_VOCABULARY = {piece: 3 * i + 2 for i, piece in enumerate(_PIECES.split())}
_LETTERS_FIRST = "[UNK] u ##n ##a ##b ##l ##e un ##able ##ab n a b l e able"
_LETTERS = {piece: 40 - i for i, piece in enumerate(_LETTERS_FIRST.split())}

_WORDPIECE = Exercise(
    "02.wordpiece",
    "the longest piece that fits, again and again",
    _wordpiece,
    [
        *((word, _VOCABULARY) for word in ("apple", "apples", "pineapples", "uneatable", "appxle", "xapple", "pie")),
        *((word, _LETTERS) for word in ("unable", "able", "unxable", "x")),
    ],
    (
        WrongAnswer(
            "shortest piece",
            lambda word, vocabulary: _cut(word, vocabulary, shortest=True),
            "You take the shortest piece that fits. Try the longest end first: from len(word) down.",
        ),
        WrongAnswer(
            "no ##",
            lambda word, vocabulary: _cut(word, vocabulary, inside=""),
            "Inside a word you look for pieces without ##. After the first piece, look for `'##' + word[start:end]`.",
        ),
        WrongAnswer(
            "## everywhere",
            lambda word, vocabulary: _cut(word, vocabulary, at_the_start="##"),
            "You put ## before the first piece as well. It belongs only to pieces inside the word: start > 0.",
        ),
        WrongAnswer(
            "first in the vocabulary",
            _first_in_the_vocabulary,
            "You take the first piece of the vocabulary that fits. The order of the vocabulary plays no part: the "
            "longest piece wins.",
        ),
        WrongAnswer(
            "[UNK] behind the pieces",
            lambda word, vocabulary: _cut(word, vocabulary, stuck=lambda ids, unknown: [*ids, unknown]),
            "You keep the pieces found so far and add [UNK]. If any part does not fit, the whole word becomes one "
            "[UNK].",
        ),
        WrongAnswer(
            "the rest dropped",
            lambda word, vocabulary: _cut(word, vocabulary, stuck=lambda ids, unknown: ids),
            "Where nothing fits you stop and keep what you have. The whole word becomes one [UNK] then.",
        ),
        WrongAnswer(
            "[UNK] for a letter",
            lambda word, vocabulary: _skipping_what_does_not_fit(word, vocabulary, write_unknown=True),
            "You write [UNK] for a letter that does not fit and go on behind it. BERT gives up on the word: one [UNK] "
            "for the whole of it.",
        ),
        WrongAnswer(
            "letter skipped",
            lambda word, vocabulary: _skipping_what_does_not_fit(word, vocabulary, write_unknown=False),
            "You skip a letter that does not fit. Then the ids belong to another word. The whole word becomes one "
            "[UNK].",
        ),
        WrongAnswer(
            "whole words only",
            lambda word, vocabulary: _ids([vocabulary.get(word, vocabulary["[UNK]"])]),
            "You look up whole words only. A word that is not in the vocabulary is cut into pieces first.",
        ),
    ),
)


# --- the lookup table ---


def _embed(ids: Ids, table: NDArray[np.float64]) -> NDArray[np.float64]:
    return look_up(ids, table)


def _table(rows: int, d_model: int) -> NDArray[np.float64]:
    return _random.normal(size=(rows, d_model))


_EMBED = Exercise(
    "02.embed",
    "from a batch of ids to vectors",
    _embed,
    [
        (np.array([[1, 3, 0, 3], [5, 4, 4, 2]]), _table(6, 7)),
        (np.array([[2, 6, 1], [4, 4, 3], [0, 5, 2], [1, 2, 6]]), _table(7, 7)),
        (np.array([[1, 2, 3, 0, 1]]), _table(4, 6)),
    ],
    (
        WrongAnswer(
            "columns",
            lambda ids, table: np.moveaxis(table[:, ids], 0, -1),
            "You took columns of the table. Row `id` is the vector of a token: `table[ids]`.",
        ),
        WrongAnswer(
            "columns in front",
            lambda ids, table: table[:, ids],
            "`table[:, ids]` takes columns. The ids choose rows: `table[ids]`.",
        ),
        WrongAnswer(
            "one long list",
            lambda ids, table: table[ids.ravel()],
            "The sentences have run together: (batch · seq_len, d_model). Keep them apart: (batch, seq_len, d_model).",
        ),
        WrongAnswer(
            "mean over the words",
            lambda ids, table: table[ids].mean(axis=1),
            "You averaged over the words: one vector for each sentence. Each token keeps its own.",
        ),
        WrongAnswer(
            "sum over the words",
            lambda ids, table: table[ids].sum(axis=1),
            "You added up the words: one vector for each sentence. Each token keeps its own.",
        ),
        WrongAnswer(
            "counted from 1",
            lambda ids, table: table[ids - 1],
            "Every vector is one row too high. Ids count from 0, and so do the rows: no − 1.",
        ),
        WrongAnswer(
            "seq_len before batch",
            lambda ids, table: table[ids].swapaxes(0, 1),
            "Batch and seq_len have changed places: the shape should be (batch, seq_len, d_model).",
        ),
        WrongAnswer(
            "only the first sentence",
            lambda ids, table: table[ids[0]],
            "Only the first sentence of the batch is looked up. All of them: (batch, seq_len, d_model).",
        ),
        WrongAnswer(
            "id times vector",
            lambda ids, table: ids[..., None] * table[0],
            "You multiplied by the id. An id is a name, not an amount: it chooses a row of the table.",
        ),
    ),
)

EXERCISES: tuple[Exercise, ...] = (_PAIR, _MERGE, _WORDPIECE, _EMBED)
