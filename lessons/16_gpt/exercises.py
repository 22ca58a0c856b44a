"""The exercises of lesson 16, GPT, and the mistakes that they know."""

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
    {
        **{
            sentence: lambda log_p, pieces, unit=unit, size=size: float(-log_p.sum() / unit / size(pieces))
            for unit, size, sentence in (
                (1, _n_bytes, "Those are nats: `log_p` has natural logarithms. In bits: divide by ln 2."),
                (1, _n_letters, "Those are nats per letter. In bits: divide by ln 2. And divide by the bytes."),
                (np.log(2), lambda _: 1, "Those are the bits of the whole text: divide by its bytes."),
                (np.log(2), _n_letters, "You divided by the letters. Not every letter is one byte: encode the text."),
            )
        },
        "That is 2 to the power of the bits, a perplexity. Asked for are the bits themselves.": lambda log_p, pieces: (
            float(np.exp(-log_p.sum() / _n_bytes(pieces)))
        ),
        "You multiplied by ln 2. log₂ p = ln p / ln 2: a nat is more "
        "than a bit, so there are more bits.": lambda log_p, pieces: float(-log_p.sum() * np.log(2) / _n_bytes(pieces)),
        "Those are bits per piece. Pieces differ from tokenizer "
        "to tokenizer; divide by the bytes of the text.": lambda log_p, pieces: float(-log_p.mean() / np.log(2)),
        "You left out the blanks. They are bytes of "
        "the text too, and the model has to say them.": lambda log_p, pieces: float(
            -log_p.sum() / np.log(2) / _n_bytes([piece.strip() for piece in pieces])
        ),
        "You divided piece by piece and took the mean, so that a short piece counts as much as a long one. Add up all "
        "bits, then divide by all bytes.": lambda log_p, pieces: float(
            np.mean([-x / np.log(2) / _n_bytes([piece]) for x, piece in zip(log_p, pieces, strict=True)])
        ),
        "You took the mean over the pieces and divided by the bytes then, so you divided "
        "twice. Add the bits up.": lambda log_p, pieces: float(-log_p.mean() / np.log(2) / _n_bytes(pieces)),
        "You put blanks between the pieces. They have their own already: join them by nothing, "
        '`"".join(pieces)`.': lambda log_p, pieces: float(-log_p.sum() / np.log(2) / len(" ".join(pieces).encode())),
        "You added the probabilities. The text's is their product, and its logarithm "
        "is the sum of `log_p`.": lambda log_p, pieces: float(-np.log2(np.exp(log_p).sum()) / _n_bytes(pieces)),
        "Right for a short text. For a long one the product of the probabilities is too small for the computer and "
        "becomes 0; the sum of `log_p` says the same at any length.": _by_product,
    },
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
    {
        "What stands at place 0 is not found in yours. Does the search stop before it, or "
        "a test take 0 for False?": lambda ids: _followed(ids, [place for place in _places(ids) if place > 0]),
        "What stands at the last place but one is not found in yours: an id may come twice in a row.": lambda ids: (
            _followed(ids, [place for place in _places(ids) if place < len(ids) - 2])
        ),
        "You return None whatever the ids are. Is the `return` missing? Or does your search meet the last id itself, "
        "which nothing follows? It begins one place before it.": lambda ids: None,
        "You took what followed the *first* time. Where an id has come more than once, take the "
        "last time before now.": lambda ids: _followed(ids, _places(ids)[:1]),
        "You found the place, and returned what stands there: the last id once more. Asked "
        "for is the one after.": lambda ids: ids[_places(ids)[-1]] if _places(ids) else None,
        "You went one place to the left. What *followed* stands one place to the right.": [
            lambda ids, first=first: ids[_places(ids)[-1] - 1] if any(_places(ids)[first:]) else None
            for first in (0, 1)
        ],
        "That is the place, and it is right. Return the id that stands there.": lambda ids: (
            _places(ids)[-1] + 1 if _places(ids) else None
        ),
        "An id may be 0, which counts as False: `or None` loses it. Return None only where "
        "the last id is new.": lambda ids: _look_back(ids) or None,
        "Where the last id has not been there before, you return it. There is nothing to "
        "go on with: return None.": lambda ids: ids[-1] if not _places(ids) else _look_back(ids),
        "You give up at the first place that differs. Look at the next one: `return None` "
        "comes after the loop.": lambda ids: ids[-1] if ids[-2:-1] == ids[-1:] else None,
        "You return all that has followed it. Only the last of them is asked for, and None "
        "where there is none.": lambda ids: [ids[place + 1] for place in _places(ids)],
        "You took what followed most often. Asked for is what followed the last time.": lambda ids: max(
            (followed := [ids[place + 1] for place in _places(ids)]), key=followed.count, default=None
        ),
    },
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
    {
        "You look at the earlier copy of the token that asks, n places back. An induction head looks at what "
        "*followed* it: one place further to the right, n − 1 back.": lambda A, n: _rows(A, n, n, 2 * n).mean(axis=1),
        "You look one place before the earlier copy. What followed it stands one place after: n − 1 back.": [
            lambda A, n, first=first: _rows(A, n + 1, n + first, 2 * n).mean(axis=1) for first in (0, 1)
        ],  # the first row has no such place, and −1 is the last one
        "That is the score of a head that looks one token back. Here the question is what followed the earlier copy of "
        "the token that asks: n − 1 back.": lambda A, n: _rows(A, 1, n, 2 * n).mean(axis=1),
        "One of your rows belongs to the first copy: nothing has come back there yet. The second copy is the rows from "
        "n to 2n − 1.": lambda A, n: _rows(A, n - 1, n - 1, 2 * n).mean(axis=1),
        "Those are the rows of the first copy: nothing has come back there yet. The second copy is the rows from n to "
        "2n − 1.": lambda A, n: _rows(A, n - 1, 0, n).mean(axis=1),
        "You took the mean of a block, every row with every column. Each row has one column of its own: `A[:, rows, "
        "columns]` takes them in pairs.": lambda A, n: A[:, n:, 1 : n + 1].mean(axis=(1, 2)),
        "You divided by all 2n rows. Only the n of the second copy can look back to a first one.": lambda A, n: (
            _rows(A, n - 1, n, 2 * n).sum(axis=1) / (2 * n)
        ),
        "You left out the first token of the second copy, row n. Its earlier copy stands at "
        "0, what followed at 1.": lambda A, n: _rows(A, n - 1, n + 1, 2 * n).mean(axis=1),
        "You left out the last row, 2n − 1. Its earlier copy stands at n − 1, and what followed at n.": lambda A, n: (
            _rows(A, n - 1, n, 2 * n - 1).mean(axis=1)
        ),
        "You read the map the wrong way round: rows ask, "
        "columns are asked. `A[head, i, j]` is what i pays to j.": lambda A, n: _score(A.swapaxes(1, 2), n),
        "You took each row's largest weight, wherever it stands. Asked for is the weight "
        "n − 1 places back.": lambda A, n: A[:, n:].max(axis=2).mean(axis=1),
    },
)

# --- bytes of the cache -------------------------------------------------------------------------------------------


def _cache_bytes(n_tokens: int, n_layers: int, n_key_value_heads: int, d_k: int, bytes_of_a_number: int) -> int:
    return 2 * n_tokens * n_layers * n_key_value_heads * d_k * bytes_of_a_number


_SIZES = [(100, 2, 3, 16, 4), (7, 5, 1, 64, 2), (2048, 32, 8, 128, 2)]

_CACHE = Exercise(
    "16.cache_bytes",
    "bytes of the cache",
    _cache_bytes,
    _SIZES,
    {
        "That is half of it: a token leaves a key *and* a value.": lambda *sizes: _cache_bytes(*sizes) // 2,
        "You keep three vectors for a token. Queries need "
        "not be kept: nobody asks for an old query again.": lambda *sizes: _cache_bytes(*sizes) // 2 * 3,
        "Yours grows with the square of the tokens. Keys and values are kept, one of each a "
        "token, and no weights.": lambda tokens, layers, heads, d_k, size: 2 * tokens**2 * layers * heads * d_k * size,
    },
)

_WHICH = choice(
    "16.which",
    "c",
    "nothing has been learnt between the copies. The text itself is asked, and attention can look there.",
    {
        "a": (
            "The ids are drawn anew for each text. What followed 38 in training says nothing of what follows it here."
        ),
        "b": "In another text another id stands at place 30. Places alone tell nothing of the ids.",
        "d": "All ids are about as frequent. That 38 is in the text does not say where it comes.",
    },
)

EXERCISES = (_BITS, _LOOK_BACK, _INDUCTION, _CACHE, _WHICH)
