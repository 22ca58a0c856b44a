"""The exercises of lesson 04, positional encoding, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.positional import add_positions, encode_positions, positional_encoding, rotation
from utils.course.exercises.exercise import Exercise, WrongAnswer, carried, choice

# Some widths are odd, only one base is the paper's, and position 0 (where most mistakes hide) is never the only one.
_TABLES = [(4, 4, 100.0), (6, 3, 10000.0), (5, 8, 1000.0), (3, 7, 20.0), (2, 1, 50.0)]
_ROTATIONS = [(1, 4, 100.0), (3, 6, 1000.0), (2, 2, 100.0), (-2, 8, 20.0)]

Angle = Callable[[int, int, float], float]


def _vector(angle: Angle) -> Callable[[int, int, float], Array]:
    """The vector of one position from a wrong rule for the angle in a column: angle(pos, column, d_model, base)."""

    def vector(pos: int, d_model: int, base: float) -> Array:
        angles = [angle(pos, column, d_model, base) for column in range(d_model)]
        return np.array([np.cos(a) if column % 2 else np.sin(a) for column, a in enumerate(angles)])

    return vector


def _right_angle(pos: int, column: int, d_model: int, base: float) -> float:
    return pos / base ** (2 * (column // 2) / d_model)


def _cosines_first(pos: int, d_model: int, base: float) -> Array:
    angles = [_right_angle(pos, column, d_model, base) for column in range(d_model)]
    return np.array([np.sin(a) if column % 2 else np.cos(a) for column, a in enumerate(angles)])


def _halves(pos: int, d_model: int, base: float) -> Array:
    row = encode_positions([pos], d_model, base)[0]
    return np.concatenate([row[0::2], row[1::2]])


def _odd_d_left_at_zero(pos: int, d_model: int, base: float) -> Array:
    row = encode_positions([pos], d_model, base)[0]
    row[d_model // 2 * 2 :] = 0
    return row


def _by_even_position(pos: int, d_model: int, base: float) -> Array:
    angles = np.array([_right_angle(pos, column, d_model, base) for column in range(d_model)])
    return np.cos(angles) if pos % 2 else np.sin(angles)


def _too_many_cosines(pos: int, d_model: int, base: float) -> Array:
    angles = pos / base ** (np.arange(0, d_model, 2) / d_model)
    row = np.zeros(d_model)
    row[0::2] = np.sin(angles)
    row[1::2] = np.cos(angles)
    return row


_WRONG_VECTORS = [
    "You read the angle as degrees, as a calculator set to DEG does. But the angle is in radians, which is what "
    "`np.sin` expects, so pass it on unchanged.",
    lambda pos, d_model, base: encode_positions([pos], d_model, base, degrees=True)[0],
    "You swapped sine and cosine. The row of position 0 should begin with 0, 1, so put the sines into the even "
    "columns and the cosines into the odd ones.",
    _cosines_first,
    "You gave the cosines the exponent (2i+1)/d. But a cosine shares the angle of the sine to its left, so use 2i/d "
    "for both.",
    _vector(lambda pos, column, d_model, base: pos / base ** (column / d_model)),
    "You used the exponent i/d, where i is the number of the pair, so the frequencies fall half as fast as they "
    "should. Use 2i/d.",
    _vector(lambda pos, column, d_model, base: pos / base ** ((column // 2) / d_model)),
    "You used the number of the column as i. But i numbers the pairs, so use 0 for columns 0 and 1, 1 for columns 2 "
    "and 3, and so on.",
    _vector(lambda pos, column, d_model, base: pos / base ** (2 * column / d_model)),
    "You made the exponent twice too large. If your loop runs over the columns 0, 2, 4, …, its number is already 2i, "
    "so don't double it.",
    _vector(lambda pos, column, d_model, base: pos / base ** (4 * (column // 2) / d_model)),
    "You put all sines first, then all cosines. The definition interleaves them, so write sine, cosine, sine, cosine.",
    _halves,
    "You leave the last column at 0 if d is odd. But this column is a sine like the other even columns, only without "
    "a cosine, so fill it in.",
    _odd_d_left_at_zero,
    "You divided 2i by d + 1 if d is odd, as for a table that is one column wider. Divide by the given d.",
    lambda pos, d_model, base: encode_positions([pos], d_model + d_model % 2, base)[0, :d_model],
    "Correct for even d. But if d is odd, there is one cosine fewer than there are sines, so use only the first d // "
    "2 angles for the cosines.",
    _too_many_cosines,
    "You divide by d after the power, as `base ** (2 * i) / d` does. The division belongs to the exponent: write base "
    "** (2 * i / d).",
    _vector(lambda pos, column, d_model, base: pos / (base ** (2 * (column // 2)) / d_model)),
    "You took the sine at even positions and the cosine at odd ones. But the column decides, so in every row fill "
    "even columns with sines and odd ones with cosines.",
    _by_even_position,
    "You return the angles, so the last step is missing. Take their sine in even columns and their cosine in odd ones.",
    lambda pos, d_model, base: np.array([_right_angle(pos, column, d_model, base) for column in range(d_model)]),
    "You made all columns sines. A pair needs both to fix the angle, so make the odd columns cosines.",
    lambda pos, d_model, base: np.sin([_right_angle(pos, column, d_model, base) for column in range(d_model)]),
]

_ODD_D_DROPPED = [
    "You leave out the last column if d is odd. Add it as a sine without a cosine, so that there is one more sine "
    "than there are cosines.",
    lambda pos, d_model, base: encode_positions([pos], d_model, base)[0, : d_model // 2 * 2],
]


def _rows(vector: Callable[[int, int, float], Array]) -> Callable[[int, int, float], Array]:
    """The table of all positions from a rule, right or wrong, for one."""
    return lambda n, d_model, base: np.array([vector(pos, d_model, base) for pos in range(n)])


_WRONG_TABLES = [
    "You counted the positions from 1 to n. Count from 0 to n − 1, so that the first row is 0, 1, 0, 1, …",
    lambda n, d_model, base: encode_positions(np.arange(1, n + 1), d_model, base),
    "You divided the positions by n, which makes a step smaller in a longer sentence. Use 0, 1, 2, … as they are.",
    lambda n, d_model, base: encode_positions(np.arange(n) / n, d_model, base),
    "You spread the positions from 0 to 1, which makes a step smaller in a longer sentence. Use 0, 1, 2, … as they "
    "are.",
    lambda n, d_model, base: encode_positions(np.linspace(0, 1, n), d_model, base),
    *carried(_WRONG_VECTORS, _rows),
]

_TABLE = Exercise(
    "04.table",
    "the encoding of all positions",
    lambda n, d_model, base: positional_encoding(n, d_model, base),
    _TABLES,
    [*_WRONG_TABLES, *carried(_ODD_D_DROPPED, _rows)],
)


def _rotation_of(turned: Callable[[float, int, int, float], float]) -> Callable[[int, int, float], Array]:
    """A block-diagonal matrix from a wrong rule for the angle of pair i: turned(k, i, d_model, base)."""

    def matrix(k: int, d_model: int, base: float) -> Array:
        M = np.zeros((d_model, d_model))
        for i in range(d_model // 2):
            c, s = np.cos(turned(k, i, d_model, base)), np.sin(turned(k, i, d_model, base))
            M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
        return M

    return matrix


def _for_halves(k: int, d_model: int, base: float) -> Array:
    order = np.concatenate([np.arange(0, d_model, 2), np.arange(1, d_model, 2)])
    return rotation(k, d_model, base)[np.ix_(order, order)]


def _cosine_pairs(k: int, d_model: int, base: float) -> Array:
    M = np.zeros((d_model, d_model))
    turned = encode_positions([k], d_model, base)[0]
    for i in range(0, d_model, 2):
        M[i : i + 2, i : i + 2] = [[turned[i], turned[i + 1]], [-turned[i + 1], turned[i]]]
    return M


def _frequency_for_each(which: str, factor: int) -> Callable[[int, int, float], Array]:
    """Row c, or column c, of the matrix turned by a frequency of its own, with the exponent factor · c / d."""

    def matrix(k: int, d_model: int, base: float) -> Array:
        angles = k / base ** (factor * np.arange(d_model) / d_model)
        each = angles if which == "column" else angles[:, np.newaxis]  # (d,): along the columns; (d, 1): down the rows
        cosines, sines = rotation(0, d_model), rotation(np.pi / 2, d_model, 1.0)  # where they stand, sines with sign
        return cosines * np.cos(each) + sines.round() * np.sin(each)

    return matrix


def _first_pair_only(k: int, d_model: int, base: float) -> Array:
    M = np.eye(d_model)
    M[:2, :2] = rotation(k, d_model, base)[:2, :2]
    return M


_WRONG_ROTATIONS = [
    # Without turning backwards, because `04.rope` has another sentence for it.
    "You used the exponent i/d, where i is the number of the pair. Use 2i/d, as in the encoding.",
    _rotation_of(lambda k, i, d_model, base: k / base ** (i / d_model)),
    "You made the exponent twice too large. If your loop runs over the columns 0, 2, 4, …, its number is already 2i, "
    "so don't double it.",
    _rotation_of(lambda k, i, d_model, base: k / base ** (4 * i / d_model)),
    *[
        WrongAnswer(
            _frequency_for_each(which, 1),
            f"You gave the second {which} of each block a frequency of its own, with the exponent (2i+1)/d. But a "
            "pair turns as one, so use 2i/d in all four entries.",
        )
        for which in ("column", "row")
    ],
    *[
        WrongAnswer(
            _frequency_for_each(which, 2),
            f"You used the number of the {which} as i. But i numbers the pairs: 0 and 1 are pair 0, 2 and 3 are pair "
            "1. Use one frequency in all four entries of a block.",
        )
        for which in ("column", "row")
    ],
    "You read the angle as degrees. But the angle is in radians, which is what `np.sin` expects, so pass it on "
    "unchanged.",
    _rotation_of(lambda k, i, d_model, base: np.deg2rad(k / base ** (2 * i / d_model))),
    "You return the matrix for an encoding with all sines first and all cosines after them. Ours has them in pairs, "
    "so put the 2 × 2 blocks along the diagonal.",
    _for_halves,
    "You swapped sine and cosine in the blocks. For k = 0 the matrix must change nothing, so put the cosines on the "
    "diagonal.",
    _cosine_pairs,
    "You turn only the first pair, so the other pairs stay where they are. Give every pair a block of its own.",
    _first_pair_only,
]

_ROTATION = Exercise(
    "04.rotation",
    "the rotation that moves k steps on",
    rotation,
    _ROTATIONS,
    [
        "You turn backwards, from p to p − k. With the sine first, a pair is turned by [[cos, sin], [−sin, cos]], so "
        "put the minus into the lower row.",
        lambda k, d_model, base: rotation(-k, d_model, base),
        *_WRONG_ROTATIONS,
    ],
)


def _each_row_turned(matrix: Callable[[int, int, float], Array]) -> Callable[[Array, float], Array]:
    """Row p of Q, (N, d_k), multiplied by matrix(p, d_k, base), for every p."""
    return lambda Q, base: np.array([matrix(p, Q.shape[1], base) @ q for p, q in enumerate(Q)])


_rope_random = np.random.default_rng(40)
_QUERIES = [(_rope_random.normal(size=s), base) for s, base in (((4, 4), 100.0), ((5, 6), 1000.0), ((3, 8), 10000.0))]

_ROPE = Exercise(
    "04.rope",
    "rotary positional encoding",
    _each_row_turned(rotation),
    _QUERIES,
    [
        "You turn backwards, by −p. Did you write `q @ M`, which multiplies by the transpose? Then write `M @ q`. Or "
        "is the minus of your block in the upper row? Then move it to the lower one.",
        _each_row_turned(lambda p, d_k, base: rotation(-p, d_k, base)),
        "You turn every row by one step. But row p has position p, so turn it by p steps.",
        _each_row_turned(lambda p, d_k, base: rotation(1, d_k, base)),
        "You turn every row by the last position. But row p has position p, so turn it by p steps.",
        lambda Q, base: Q @ rotation(len(Q) - 1, Q.shape[1], base).T,
        "You turn each row by one position too many. The first position is 0, so leave the first row as it is.",
        _each_row_turned(lambda p, d_k, base: rotation(p + 1, d_k, base)),
        "You added the encoding, as the paper of 2017 does. RoPE adds nothing, so multiply each row by the matrix of "
        "its position instead.",
        add_positions,
        "You multiplied by the encoding, entry by entry. But a rotation mixes the two entries of a pair, so multiply "
        "by the matrix M_p.",
        lambda Q, base: Q * positional_encoding(len(Q), Q.shape[1], base),
        *carried(_WRONG_ROTATIONS, _each_row_turned, "The mistake is in the rotation. "),
    ],
)

# --- which word, and where ---------------------------------------------------------------------------------------


def _misses(x: Array, table: Array, n: int, base: float) -> Array:
    """What is left of x when word v and position p are taken off, for all of them, (V, n, d_model)."""
    return x - table[:, np.newaxis] - positional_encoding(n, len(x), base)


def _nearest_pair(distances: Array) -> Array:
    """Word and position of the smallest entry of (V, n)."""
    return np.array(np.unravel_index(distances.argmin(), distances.shape))


def _word_and_place(x: Array, table: Array, n: int, base: float) -> Array:
    return _nearest_pair(np.linalg.norm(_misses(x, table, n, base), axis=2))


def _word_first(x: Array, table: Array, n: int, base: float) -> Array:
    word = np.linalg.norm(x - table, axis=1).argmin()
    return np.array([word, np.linalg.norm(_misses(x, table, n, base)[word], axis=1).argmin()])


def _places_from_1(x: Array, table: Array, n: int, base: float) -> Array:
    misses = x - table[:, np.newaxis] - encode_positions(np.arange(1, n + 1), len(x), base)
    return _nearest_pair(np.linalg.norm(misses, axis=2))


def _first_that_fits(x: Array, table: Array, n: int, base: float) -> Array | None:
    fits = np.abs(_misses(x, table, n, base)).max(axis=2) < 1e-9
    return np.argwhere(fits)[0] if fits.any() else None


_sum_random = np.random.default_rng(41)


def _sum(V: int, d_model: int, n: int, base: float, word: int, pos: int, off: float = 0.0) -> tuple[object, ...]:
    """The row of a word at a position, `off` by a little; the table; how many positions; the base."""
    table = _sum_random.normal(size=(V, d_model)) * _sum_random.uniform(0.3, 0.9, size=(V, 1))
    x = table[word] + positional_encoding(n, d_model, base)[pos] + off * _sum_random.normal(size=d_model)
    return x, table, n, base


def _two_of_one_sum() -> tuple[object, ...]:
    """A row that is off by a little, and beside its word another one whose numbers add up to exactly what is left."""
    x, table, n, base = _sum(6, 8, 5, 100.0, 4, 2, off=0.02)
    table[1, -1] += (x - positional_encoding(n, len(x), base)[2]).sum() - table[1].sum()
    return x, table, n, base


def _near_in_three_ways() -> tuple[object, ...]:
    """One word is nearest by the length of the difference, one by its largest entry, one by the sum of the sizes."""
    table = 9 * np.sign(_sum_random.normal(size=(6, 8)))
    x = table[4] + positional_encoding(5, 8, 100.0)[2] + np.repeat([0.5, 0.0], 4)
    table[1] = table[4] + np.repeat([0.5, 0.0], 4) - 0.4
    table[2] = table[4] + np.repeat([0.5, 0.0], 4) - 1.2 * (np.arange(8) == 0)
    return x, table, 5, 100.0


def _two_in_one_direction() -> tuple[object, ...]:
    """Beside the word another one that points exactly where x does, together with a position, and is twice as long."""
    x, table, n, base = _sum(5, 6, 4, 30.0, 2, 1, off=0.02)
    table[3] = 2 * x - positional_encoding(n, len(x), base)[1]
    return x, table, n, base


# No word has the number of its position; one has position 0, one the last position; d_model is odd once.
_SUMS = [
    _sum(6, 8, 5, 100.0, 4, 2),
    _sum(4, 5, 7, 10.0, 1, 6),
    _sum(7, 6, 4, 50.0, 2, 0),
    _sum(5, 6, 9, 5.0, 0, 8),
    _sum(3, 4, 8, 20.0, 1, 5),
    _two_in_one_direction(),
]

_WORD_AND_PLACE = Exercise(
    "04.word_and_place",
    "which word, and where",
    _word_and_place,
    _SUMS,
    [
        "You choose the word first, while the position is still in x, and look for the position afterwards. Try every "
        "word with every position instead.",
        _word_first,
        "You found the word, but your position is one too large. Positions count from 0, so there is nothing to add.",
        lambda x, table, n, base: np.add(_word_and_place(x, table, n, base), (0, 1)),
        "You used the encodings of the positions 1 to n, but the first position is 0. `positional_encoding(n, "
        "d_model, base)` begins there.",
        _places_from_1,
        "You return the index in the flattened table of all pairs. With n positions, index m is word m // n at "
        "position m % n, so return these two.",
        lambda x, table, n, base: np.linalg.norm(_misses(x, table, n, base), axis=2).argmin(),
        "You look for the largest dot product, which favours words with large entries. Take the pair at the smallest "
        "distance instead.",
        lambda x, table, n, base: _nearest_pair(-(table @ (x - positional_encoding(n, len(x), base)).T)),
        lambda x, table, n, base: _nearest_pair(-((table[:, np.newaxis] + positional_encoding(n, len(x), base)) @ x)),
        "Correct for exact rows. But you test for equality, which no pair passes if the row is a little off, so take "
        "the nearest pair.",
        _first_that_fits,
    ],
    extremes=[
        *(_sum(5, 8, 6, 100.0, 3, 1, off=0.02), _sum(6, 7, 5, 10000.0, 5, 4, off=0.02)),
        *(_two_of_one_sum(), _near_in_three_ways()),
    ],
)

_WHICH = choice(
    "04.which",
    "c",
    "the second hand has turned by 4.4 radians, so its two columns tell the positions apart.",
    {
        "a": "You chose the cosine, which tells positions apart only within one full turn. After several full turns, "
        "sine and cosine are both back where they were.",
        "b": "You chose the sum with the word's row, but adding one row can't make equal encodings different. Which "
        "columns of the encoding differ?",
    },
)

EXERCISES = (_TABLE, _ROTATION, _ROPE, _WORD_AND_PLACE, _WHICH)
