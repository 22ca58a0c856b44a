"""The exercises of lesson 16, GPT, with their known mistakes."""

from __future__ import annotations

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import softmax
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(16)

# --- bits per byte ------------------------------------------------------------------------------------------------

_PIECES = (
    ["The", " weather", " is", " great"],
    ["هوا", " عالی", " است"],
    ["½", " of", " it"],
    ["a", "b"],
    ["λ"],
)
_SCORED = [(-_random.uniform(0.1, 5, size=len(pieces)), pieces) for pieces in _PIECES]
_LONG = [(-_random.uniform(0.1, 5, size=2000), [" is", " great", "λ", " it"] * 500)]


def _n_bytes(pieces: list[str]) -> int:
    return len("".join(pieces).encode())


def _n_letters(pieces: list[str]) -> int:
    return len("".join(pieces))


def _by_product(log_p: Array, pieces: list[str]) -> float:
    with np.errstate(divide="ignore"):  # at 2000 pieces it is 0
        return float(-np.log2(np.exp(log_p).prod()) / _n_bytes(pieces))


_BITS = Exercise(
    "16.bits_per_byte",
    "bits per byte",
    lambda log_p, pieces: float(-log_p.sum() / np.log(2) / _n_bytes(pieces)),
    _SCORED,
    [
        "You return nats, because `log_p` has natural logarithms. To get bits, divide by ln 2.",
        lambda log_p, pieces: float(-log_p.sum() / _n_bytes(pieces)),
        "You return nats per letter. To get bits, divide by ln 2. Then divide by the bytes, not by the letters.",
        lambda log_p, pieces: float(-log_p.sum() / _n_letters(pieces)),
        "You return the bits of the whole text, so a longer text always looks worse. Divide by the number of its "
        "bytes.",
        lambda log_p, pieces: float(-log_p.sum() / np.log(2)),
        "You divided by the letters, but not every letter is one byte. Encode the text, then count its bytes.",
        lambda log_p, pieces: float(-log_p.sum() / np.log(2) / _n_letters(pieces)),
        "You return 2 to the power of the bits, which is a perplexity. Leave the power out and return the bits.",
        lambda log_p, pieces: float(np.exp(-log_p.sum() / _n_bytes(pieces))),
        "You multiplied by ln 2, but log₂ p = ln p / ln 2. A nat is more than a bit, so there are more bits: divide "
        "by ln 2.",
        lambda log_p, pieces: float(-log_p.sum() * np.log(2) / _n_bytes(pieces)),
        "You return bits per piece, which depend on the tokenizer's pieces. Add up the bits of all pieces and divide "
        "by the bytes of the text.",
        lambda log_p, pieces: float(-log_p.mean() / np.log(2)),
        "You left out the spaces. Spaces are bytes of the text as well, and the model has to predict them, so count "
        "them.",
        lambda log_p, pieces: float(-log_p.sum() / np.log(2) / _n_bytes([piece.strip() for piece in pieces])),
        "You divided piece by piece and took the mean, so a short piece counts as much as a long one. Add up all "
        "bits, then divide by all bytes.",
        lambda log_p, pieces: float(
            np.mean([-x / np.log(2) / _n_bytes([piece]) for x, piece in zip(log_p, pieces, strict=True)])
        ),
        "You added the probabilities. But the text's probability is their product, whose logarithm is the sum of "
        "`log_p`, so add those.",
        lambda log_p, pieces: float(-np.log2(np.exp(log_p).sum()) / _n_bytes(pieces)),
        "Your result is correct for a short text. For a long one the product of the probabilities is too small for "
        "the computer and becomes 0, so add up `log_p` instead.",
        _by_product,
    ],
    extremes=_LONG,
)

# --- an induction head by hand -------------------------------------------------------------------------------------


def _places(ids: list[int]) -> list[int]:
    """Where the last id has stood before."""
    return [place for place, id in enumerate(ids[:-1]) if id == ids[-1]]


def _followed(ids: list[int], places: list[int]) -> int | None:
    """What stands after the last of `places`."""
    return ids[places[-1] + 1] if places else None


def _look_back(ids: list[int]) -> int | None:
    return _followed(ids, _places(ids))


_ROWS = [
    ([7, 4, 9, 2, 7],),
    ([3, 8, 1, 3, 5, 6, 3],),
    ([5, 1, 2, 4],),
    ([6, 2, 2],),
    ([1, 4, 1, 9, 1, 9, 1, 3, 1],),
    ([2, 9, 4, 2, 6, 1, 2, 4, 2],),
    ([4],),
    ([5, 0, 5],),
]

_LOOK_BACK = Exercise(
    "16.look_back",
    "an induction head by hand",
    _look_back,
    _ROWS,
    [
        "You never find an id at position 0. Does your search stop before it, or does a test take 0 for False? Include "
        "position 0.",
        lambda ids: _followed(ids, [place for place in _places(ids) if place > 0]),
        "You never find an id at the last position but one, although an id may occur twice in a row. Begin the search "
        "there.",
        lambda ids: _followed(ids, [place for place in _places(ids) if place < len(ids) - 2]),
        "You return None whatever the ids are. Is a `return` missing, or does your search meet the last id itself? "
        "Begin one position before the last.",
        lambda ids: None,
        "You took the id that followed the *first* occurrence. But an id may have occurred several times, so take its "
        "latest occurrence before the end.",
        lambda ids: _followed(ids, _places(ids)[:1]),
        "You found the position, but you return the id at that position, which is the last id once more. Return the "
        "next id.",
        lambda ids: ids[_places(ids)[-1]] if _places(ids) else None,
        "You went one position to the left, but the id that *followed* is one position to the right. Add 1 instead of "
        "subtracting it.",
        lambda ids: ids[_places(ids)[-1] - 1] if any(_places(ids)) else None,
        lambda ids: ids[_places(ids)[-1] - 1] if any(_places(ids)[1:]) else None,
        "You return the position, which is correct. The exercise needs the id at that position, so index `ids` with "
        "it.",
        lambda ids: _places(ids)[-1] + 1 if _places(ids) else None,
        "You lose the id 0, because Python counts 0 as False, as in `or None`. Return None only where the last id is "
        "new.",
        lambda ids: _look_back(ids) or None,
        "You return the last id if it has not occurred before. In that case there is nothing to continue with, so "
        "return None.",
        lambda ids: ids[-1] if not _places(ids) else _look_back(ids),
        "You give up at the first position with a different id. Look at the next positions as well, and put `return "
        "None` after the loop.",
        lambda ids: ids[-1] if ids[-2:-1] == ids[-1:] else None,
        "You return every id that has followed the last one. Return only the latest of them, or None if there are "
        "none.",
        lambda ids: [ids[place + 1] for place in _places(ids)],
        "You took the id that followed most often, but an induction head as defined here copies the id that followed "
        "last time. Take the latest occurrence.",
        lambda ids: max((followed := [ids[place + 1] for place in _places(ids)]), key=followed.count, default=None),
    ],
)

# --- the score of an induction head -------------------------------------------------------------------------------


def _rows(A: Array, back: int, begin: int, end: int) -> Array:
    """A (n_heads, N, N): of the rows from `begin` to before `end` the weight `back` places to the left."""
    rows = np.arange(begin, end)
    return A[:, rows, rows - back]


def _score(A: Array, n: int) -> Array:
    return _rows(A, n - 1, n, 2 * n).mean(axis=1)


def _causal(n_heads: int, length: int) -> Array:
    weights = np.tril(softmax(2 * _random.normal(size=(n_heads, length, length))))
    return weights / weights.sum(axis=-1, keepdims=True)


# Every head count differs from the length; n = 2 has the fewest rows that still tell the places apart.
_REPEATED = [(_causal(heads, 2 * n), n) for heads, n in ((3, 4), (2, 5), (5, 3), (4, 6))]

_INDUCTION = Exercise(
    "16.induction_score",
    "the score of an induction head",
    _score,
    _REPEATED,
    [
        "You look at the earlier copy of the asking token, n positions back. An induction head looks at what "
        "*followed* this copy, so look n − 1 positions back.",
        lambda A, n: _rows(A, n, n, 2 * n).mean(axis=1),
        "You look one position before the earlier copy, but the token that followed it is one position after. Look n "
        "− 1 positions back.",
        # The first row has no such position, and −1 is the last one.
        lambda A, n: _rows(A, n + 1, n, 2 * n).mean(axis=1),
        lambda A, n: _rows(A, n + 1, n + 1, 2 * n).mean(axis=1),
        "You begin one row too early, in the first copy, where no id has occurred before. Take the rows of the second "
        "copy, from n to 2n − 1.",
        *[lambda A, n, end=end: _rows(A, n - 1, n - 1, 2 * n + end).mean(axis=1) for end in (-1, 0)],
        "You took the rows of the first copy, where no id has occurred before. Take the rows of the second copy, from "
        "n to 2n − 1.",
        lambda A, n: _rows(A, n - 1, 0, n).mean(axis=1),
        "You left out the first token of the second copy, row n. Its earlier copy is at position 0 and what followed "
        "is at 1, so include this row.",
        lambda A, n: _rows(A, n - 1, n + 1, 2 * n).mean(axis=1),
        "You left out the last row, 2n − 1. Its earlier copy is at position n − 1 and what followed is at n, so "
        "include this row.",
        lambda A, n: _rows(A, n - 1, n, 2 * n - 1).mean(axis=1),
        "You swapped rows and columns. The rows ask and the columns are asked, so use `A[head, i, j]`, the weight "
        "that token i gives to token j.",
        lambda A, n: _score(A.swapaxes(1, 2), n),
    ],
)

_WHICH = choice(
    "16.which",
    "c",
    "the weights stay the same between the copies, so the model can only look into the text "
    "itself, which is what attention does.",
    {
        "a": (
            "You chose training, but each text has new random ids, so what followed 38 there says nothing about this "
            "text. Which answer uses only this text?"
        ),
        "b": "You chose the position, but each text has a different id at position 30, so positions say nothing "
        "about ids. What do both copies have in common?",
        "d": "You chose the frequency, but all ids are about equally frequent, so the frequency doesn't predict the "
        "next id. What does?",
    },
)

EXERCISES = (_BITS, _LOOK_BACK, _INDUCTION, _WHICH)
