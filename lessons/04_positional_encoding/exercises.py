"""The exercises of lesson 04, positional encoding, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.positional import add_positions, encode_positions, positional_encoding, rotation
from utils.course.exercises.exercise import Exercise, carried, choice

_random = np.random.default_rng(4)

# Some widths are odd, no base is the paper's but one, and position 0 (where most mistakes hide) never stands alone.
_TABLES = [(4, 4, 100.0), (6, 3, 10000.0), (5, 8, 1000.0), (3, 7, 20.0), (2, 1, 50.0)]
_ROTATIONS = [(1, 4, 100.0), (3, 6, 1000.0), (2, 2, 100.0), (-2, 8, 20.0)]
_TOKENS = [(_random.normal(size=shape), base) for shape, base in (((4, 4), 100.0), ((6, 3), 50.0), ((2, 8), 10000.0))]

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


_WRONG_VECTORS = {
    "You took the angle as degrees, as a calculator set to DEG "
    "does. The angle is in radians, and `np.sin` takes radians: "
    "hand it over as it is.": lambda pos, d_model, base: encode_positions([pos], d_model, base, degrees=True)[0],
    "Sine and cosine have changed places: column 0 and every even column is a sine, every odd column a cosine. "
    "Position 0 begins 0, 1.": _cosines_first,
    "Your cosines have the exponent (2i+1)/d, as on the page of N4. A cosine shares the frequency of the sine to its "
    "left: 2i/d for both.": _vector(lambda pos, column, d_model, base: pos / base ** (column / d_model)),
    "Your exponent is i/d, with i the number of the pair. It is 2i/d: with i/d the frequencies "
    "fall half as fast.": _vector(lambda pos, column, d_model, base: pos / base ** ((column // 2) / d_model)),
    "You took the number of the column for i, as N2 does in its 4/3. i numbers the pairs: columns 0 and 1 are pair 0, "
    "columns 2 and 3 pair 1.": _vector(lambda pos, column, d_model, base: pos / base ** (2 * column / d_model)),
    "Your exponent is twice too large. If your loop runs over the columns 0, 2, 4, …, its number already is 2i: do not "
    "double it again.": _vector(lambda pos, column, d_model, base: pos / base ** (4 * (column // 2) / d_model)),
    "Base and exponent have changed places: you raised 2i/d to the power of the base. It is base ** (2i/d).": _vector(
        lambda pos, column, d_model, base: np.float64(pos) / (2 * (column // 2) / d_model) ** base
    ),
    "All your sines come first, then all the cosines. The definition interleaves them: sine, "
    "cosine, sine, cosine.": _halves,
    "For an odd d your last column stays 0. It is a sine "
    "like the other even columns, only without a cosine.": _odd_d_left_at_zero,
    "For an odd d you divided 2i by d + 1, as for a table that is one column wider. The exponent is 2i/d with the d "
    "that is given.": lambda pos, d_model, base: encode_positions([pos], d_model + d_model % 2, base)[0, :d_model],
    "Right for even d. For an odd d there is one cosine fewer than sines: use the first "
    "d // 2 angles for them.": _too_many_cosines,
    "You divided by the base and multiplied with 2i/d. It is a power: base ** (2i/d), brackets included.": _vector(
        lambda pos, column, d_model, base: pos / base * 2 * (column // 2) / d_model
    ),
    "Brackets: `base ** 2 * i / d` and `base ** (2 * i) / d` divide after the power. Write "
    "base ** (2 * i / d).": _vector(lambda pos, column, d_model, base: pos / (base ** (2 * (column // 2)) / d_model)),
    "Brackets: `pos / base ** 2 * i / d_model` divides by base², multiplies "
    "by i and divides by d_model. The whole exponent belongs in them: pos "
    "/ base ** (2 * i / d_model).": _vector(lambda pos, column, d_model, base: pos / base**2 * (column // 2) / d_model),
    "Brackets: `pos / base ** (2 * i) / d_model` divides the angle by d, not the exponent. Write pos / base ** (2 * i "
    "/ d_model).": _vector(lambda pos, column, d_model, base: pos / base ** (2 * (column // 2)) / d_model),
    "You took the sine at even positions and the cosine at odd ones. It goes by the column: in every row, even columns "
    "are sines and odd ones cosines.": _by_even_position,
    "These are the angles. The last step is missing: the "
    "sine of them in even columns, the cosine in odd ones.": lambda pos, d_model, base: np.array(
        [_right_angle(pos, column, d_model, base) for column in range(d_model)]
    ),
    "All your columns are sines. Odd columns are cosines, so that each pair can turn.": lambda pos, d_model, base: (
        np.sin([_right_angle(pos, column, d_model, base) for column in range(d_model)])
    ),
}

_ODD_D_DROPPED = {
    "For an odd d your last column is missing. It is a sine without a partner: one sine "
    "more than cosines.": lambda pos, d_model, base: encode_positions([pos], d_model, base)[0, : d_model // 2 * 2],
}


def _rows(vector: Callable[[int, int, float], Array]) -> Callable[[int, int, float], Array]:
    """The table of all positions from a rule, right or wrong, for one."""
    return lambda n, d_model, base: np.array([vector(pos, d_model, base) for pos in range(n)])


_WRONG_TABLES = {
    "Your positions run from 1 to n. They count from 0 to n − 1, "
    "so the first row is 0, 1, 0, 1, …": lambda n, d_model, base: encode_positions(np.arange(1, n + 1), d_model, base),
    "You divided the positions by n. Then a step is smaller in a longer sentence, the fault that N5 shows with its "
    "fractions. Use 0, 1, 2, …": lambda n, d_model, base: encode_positions(np.arange(n) / n, d_model, base),
    "You spread the positions from 0 to 1. Then a step is smaller in a longer sentence, the fault that N5 shows with "
    "its fractions. Use 0, 1, 2, …": lambda n, d_model, base: encode_positions(np.linspace(0, 1, n), d_model, base),
    **carried(_WRONG_VECTORS, _rows),
}

_TABLE = Exercise(
    "04.table",
    "the encoding of all positions",
    lambda n, d_model, base: positional_encoding(n, d_model, base),
    _TABLES,
    {**_WRONG_TABLES, **carried(_ODD_D_DROPPED, _rows)},
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


_WRONG_ROTATIONS = {  # but to turn backwards, of which `04.rope` has a sentence of its own
    "Your exponent is i/d, with i the number of the pair. It is 2i/d.": _rotation_of(
        lambda k, i, d_model, base: k / base ** (i / d_model)
    ),
    "Your exponent is twice too large. If your loop runs over the columns 0, 2, 4, …, its number already is 2i: do "
    "not double it again.": _rotation_of(lambda k, i, d_model, base: k / base ** (4 * i / d_model)),
    **{
        f"The second {which} of each block has a frequency of its own, with the exponent (2i+1)/d, as on the "
        "page of N4. A pair turns as one: 2i/d in all four entries.": _frequency_for_each(which, 1)
        for which in ("column", "row")
    },
    **{
        f"You took the number of the {which} for i. i numbers the pairs: 0 and 1 are pair 0, 2 and 3 pair 1. "
        "All four entries of a block have the same frequency.": _frequency_for_each(which, 2)
        for which in ("column", "row")
    },
    "You took the angle as degrees. It is in radians, and `np.sin` takes radians.": _rotation_of(
        lambda k, i, d_model, base: np.deg2rad(k / base ** (2 * i / d_model))
    ),
    "This fits an encoding with all sines first and all cosines after them. Ours has them in pairs: the 2 × 2 "
    "blocks stand along the diagonal.": _for_halves,
    "Sine and cosine have changed places in the blocks. For k = 0 the matrix must change nothing: cosines on the "
    "diagonal.": _cosine_pairs,
    "Only the first pair is turned, the others stand still. Every pair gets its own block.": _first_pair_only,
}

_ROTATION = Exercise(
    "04.rotation",
    "the rotation that goes k steps on",
    rotation,
    _ROTATIONS,
    {
        "You turn backwards, from p to p − k. With the sine first, a pair is turned by [[cos, sin], [−sin, cos]]: the "
        "minus stands below.": lambda k, d_model, base: rotation(-k, d_model, base),
        **_WRONG_ROTATIONS,
    },
)


def _with_rows(table: Callable[[int, int, float], Array]) -> Callable[[Array, float], Array]:
    """X + PE by another table."""
    return lambda X, base: X + table(len(X), X.shape[1], base)


_ADD = Exercise(
    "04.add",
    "tokens with their positions",
    add_positions,
    _TOKENS,
    {
        "You wrote the position beside the token: twice "
        "as many columns. Add the two, entry by entry.": lambda X, base: np.concatenate(
            [X, positional_encoding(len(X), X.shape[1], base)], axis=1
        ),
        "You put the positions below the tokens: twice as many rows. Add the two, entry by entry.": lambda X, base: (
            np.concatenate([X, positional_encoding(len(X), X.shape[1], base)])
        ),
        "You added the vector of position 0 to every token. Row p of X gets row p of PE.": lambda X, base: (
            X + positional_encoding(1, X.shape[1], base)
        ),
        "You added the vector of the last position to every token. Row p of X gets row p of PE.": lambda X, base: (
            X + positional_encoding(len(X), X.shape[1], base)[-1]
        ),
        "You counted the positions along the columns. A row is a token, so positions count down the rows: len(X) of "
        "them.": lambda X, base: X + positional_encoding(X.shape[1], len(X), base).T,
        "The positions run backwards: the first token got the last one.": lambda X, base: (
            X + positional_encoding(len(X), X.shape[1], base)[::-1]
        ),
        "You multiplied the tokens by √d_model first. The paper does that in its embedding layer; here X is taken as "
        "it is.": lambda X, base: X * np.sqrt(X.shape[1]) + positional_encoding(len(X), X.shape[1], base),
        "You added the plain number of the position. Add "
        "the row of sines and cosines that belongs to it.": lambda X, base: X + np.arange(len(X))[:, np.newaxis],
        **carried(_WRONG_TABLES, _with_rows, "The mistake is in the encoding. "),  # without what is too narrow for X
    },
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
    {
        "You turn backwards, by −p. Did you write `q @ M`? That multiplies "
        "with M's transpose: write `M @ q`. Or has your block the minus above, "
        "as RoFormer has it? Here it stands below.": _each_row_turned(lambda p, d_k, base: rotation(-p, d_k, base)),
        "You turn every row by one step. Row p stands at position p: turn it by p steps.": _each_row_turned(
            lambda p, d_k, base: rotation(1, d_k, base)
        ),
        "You turn every row by the last position. Row p stands at position p: turn it by p steps.": lambda Q, base: (
            Q @ rotation(len(Q) - 1, Q.shape[1], base).T
        ),
        "You are one position too far. Positions count from 0: the first row is not turned at all.": _each_row_turned(
            lambda p, d_k, base: rotation(p + 1, d_k, base)
        ),
        "You added the encoding, as the paper of 2017 does. Here nothing is added: each row is multiplied by the "
        "matrix of its position.": add_positions,
        "You multiplied by the encoding, entry by entry. A rotation mixes the two numbers of a pair: multiply by the "
        "matrix M_p.": lambda Q, base: Q * positional_encoding(len(Q), Q.shape[1], base),
        **carried(_WRONG_ROTATIONS, _each_row_turned, "The mistake is in the rotation. "),
    },
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


def _cosines(x: Array, table: Array, n: int, base: float) -> Array:
    pairs = x - _misses(x, table, n, base)
    return pairs @ x / np.linalg.norm(pairs, axis=2)


def _word_first(x: Array, table: Array, n: int, base: float) -> Array:
    word = np.linalg.norm(x - table, axis=1).argmin()
    return np.array([word, np.linalg.norm(_misses(x, table, n, base)[word], axis=1).argmin()])


def _place_first(x: Array, table: Array, n: int, base: float) -> Array:
    pos = np.linalg.norm(x - positional_encoding(n, len(x), base), axis=1).argmin()
    return np.array([np.linalg.norm(_misses(x, table, n, base)[:, pos], axis=1).argmin(), pos])


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


# No word has the number of its position; one stands at 0, one at the last position; d_model is odd once.
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
    {
        "You settle on the word first, with the position still in x, and look for the position afterwards: try every "
        "word with every position.": _word_first,
        "You settle on the position first, with the word still in x, and look for the word afterwards: try every word "
        "with every position.": _place_first,
        "The word is right, and its position is one too large: positions count from 0.": lambda x, table, n, base: (
            np.add(_word_and_place(x, table, n, base), (0, 1))
        ),
        "Your encodings are those of the positions 1 to n, and the first position is 0: `positional_encoding(n, "
        "d_model, base)` begins there.": _places_from_1,
        "That is the place in the flattened table of all pairs: with n positions, flat number m is word m // n at "
        "position m % n.": lambda x, table, n, base: np.linalg.norm(_misses(x, table, n, base), axis=2).argmin(),
        "You add up the differences with their signs, so those above 0 and those below it "
        "cancel, and a pair far away may have a sum near 0: square them first, or take "
        "`np.linalg.norm`.": lambda x, table, n, base: _nearest_pair(np.abs(_misses(x, table, n, base).sum(axis=2))),
        "Right where the row is hardly off. But you measure a difference by its largest entry, or by the sum of the "
        "sizes: asked for is its length, `np.linalg.norm`.": [
            lambda x, table, n, base, total=total: _nearest_pair(total(np.abs(_misses(x, table, n, base)), axis=2))
            for total in (np.max, np.sum)
        ],
        "You look for the pair that points most in the direction of x, and leave lengths out. Nearest is the pair at "
        "the smallest distance.": lambda x, table, n, base: _nearest_pair(-_cosines(x, table, n, base)),
        "You look for the largest dot product, and that favours words with large numbers: nearest is the pair at the "
        "smallest distance.": [
            lambda x, table, n, base, dots=dots: _nearest_pair(-dots(x, table, positional_encoding(n, len(x), base)))
            for dots in (lambda x, table, P: table @ (x - P).T, lambda x, table, P: (table[:, np.newaxis] + P) @ x)
        ],
        "Right for rows that are exact, but you ask for equality, and for a row that is a little off no pair has that: "
        "take the nearest one.": _first_that_fits,
    },
    extremes=[
        *(_sum(5, 8, 6, 100.0, 3, 1, off=0.02), _sum(6, 7, 5, 10000.0, 5, 4, off=0.02)),
        *(_two_of_one_sum(), _near_in_three_ways()),
    ],
)

_WHICH = choice(
    "04.which",
    "c",
    "the second hand has turned by 4.4 radians, and its two columns tell the places apart.",
    {
        "a": "The cosine tells apart two places of one round. After whole rounds both are back.",
        "b": "So it is, but equal encodings would stay equal. Which columns of the encoding differ?",
    },
)

EXERCISES = (_TABLE, _ROTATION, _ROPE, _ADD, _WORD_AND_PLACE, _WHICH)
