"""Entries of lecture note N2: the matrix view."""

from __future__ import annotations

from itertools import product

import numpy as np

from lessons.notes.n1 import scores_are_all_pairs
from utils.by_hand.attention import attention_steps
from utils.by_hand.multi_head import split_heads
from utils.by_hand.positional import add_positions, frequencies, positional_encoding
from utils.course.ledger.compare import same, to_12_decimals
from utils.course.ledger.entry import Entry, Verdict
from utils.data import example

_A = np.array([[1, 3], [4, 5], [6, 0]])
_x = np.array([3, 2])


def _rows_of_the_product_are_sums() -> bool:
    """Whether (q_i·k_1)v_1 + … + (q_i·k_n)v_n is row i of (QKᵀ)V, and that has a row for each token."""
    steps = attention_steps(example.X, example.W_Q, example.W_K, example.W_V)
    Q, K, V = steps.Q, steps.K, steps.V
    sums = [sum((q @ k) * v for k, v in zip(K, V, strict=True)) for q in Q]
    return same((Q @ K.T) @ V, sums)


def exponents_of_four_columns(base: float) -> np.ndarray:
    """The exponents of the base in the four columns of d_model = 4, read off the frequencies."""
    return to_12_decimals(np.repeat(-np.log(frequencies(4, base)) / np.log(base), 2))


def _shape_of_the_scores() -> tuple[int, int]:
    """The shape of QKᵀ for N = 3 tokens of d_model = 4 numbers, projected to d_model numbers as N2 does."""
    square = np.eye(4)
    return attention_steps(example.X, square, square, square).scores.shape


def _x2_as_a_weighted_sum() -> bool:
    """Whether row 2 of the output is α_21 v_1 + α_22 v_2 + α_23 v_3."""
    steps = attention_steps(example.X, example.W_Q, example.W_K, example.W_V)
    by_hand = sum(alpha * v for alpha, v in zip(steps.weights[1], steps.V, strict=True))
    return same(steps.output[1], by_hand)


def _width_of_all_heads_together() -> int:
    """How many columns the queries of all 8 heads have, each 512/8 wide."""
    h, _, d_k = split_heads(np.eye(512), n_heads=8).shape
    return h * d_k


def _how_queen_is_reached() -> str:
    """Which signs lead from king, man and woman to queen, where one number says royal and one says female."""
    v1, v2, v3, v4 = np.array([[9, 0], [1, 0], [1, 8], [9, 8]])  # king, man, woman, queen: (4, 2)
    ways = product((("+", 1), ("−", -1)), repeat=2)
    return next(f"v₁ {a} v₂ {b} v₃" for (a, x), (b, y) in ways if (v1 + x * v2 + y * v3 == v4).all())


ENTRIES = (
    Entry(
        id="N2.matrix_vector",
        topic="a matrix times a vector",
        printed="[[1, 3], [4, 5], [6, 0]] · [3, 2] = [5, 22, 18]",
        compute=lambda: _A @ _x,
        verdict=Verdict.UNCLEAR,
        doubt="a 9 by hand can look like a 5.",
        explanation="The first entry is 1·3 + 3·2 = 9; 22 and 18 are right. (One also gets 5 from 1·3 + 2.)",
    ),
    Entry(
        id="N2.matrix_shape",
        topic="shape of that matrix",
        printed="∈ R^(3×2)",
        claims=(3, 2),
        compute=lambda: _A.shape,
        computed_text="3 × 2",
        verdict=Verdict.RIGHT,
        explanation="Rows first, then columns. The vector has as many numbers as the matrix has columns.",
    ),
    Entry(
        id="N2.projection_shapes",
        topic="shapes of X, Q_W and Q",
        printed="X ∈ R^(N×d), Q_W ∈ R^(d×d_model), Q = X Q_W ∈ R^(N×d_model)",
        claims=((3, 4), (4, 3), (3, 3)),
        compute=lambda: (example.X.shape, example.W_Q.shape, (example.X @ example.W_Q).shape),
        computed_text="(3 × 4)(4 × 3) = 3 × 3 here: N = 3, d = 4, and 3 for the note's d_model",
        verdict=Verdict.RIGHT,
        explanation="N2 calls d what a token has, and d_model what a query has. The paper calls these d_model and d_k.",
    ),
    Entry(
        id="N2.scores_shape",
        topic="shape of QKᵀ",
        printed="QKᵀ ∈ R^(d_model × d_model)",
        claims=(4, 4),
        compute=_shape_of_the_scores,
        computed_text="N × N (here 3 × 3)",
        verdict=Verdict.WRONG,
        slip=lambda: (example.X.T @ example.X).shape,
        explanation="(N × d)(d × N) gives N × N, a score for every pair of tokens; further down the same page has it "
        "right. QᵀK would be d × d.",
        takeaway="QKᵀ has a number for each pair of tokens, however wide the tokens are.",
    ),
    Entry(
        id="N2.scores_entries",
        topic="the entries of QKᵀ",
        printed="q_1·k_1, q_1·k_2, …, q_n·k_n: row i has query i, column j has key j",
        claims=True,
        compute=scores_are_all_pairs,
        computed_text="equal for each of the 9 pairs",
        verdict=Verdict.RIGHT,
        explanation="Below the multiplied rows the page calls the first query q_i. In the large matrix it is q_1.",
        paraphrase=True,
    ),
    Entry(
        id="N2.softmax_missing",
        topic="attention without a softmax",
        printed="(QKᵀ/√d_model) V",
        claims=(1.0, 1.0, 1.0),
        # the sums of the rows: as weights they would have to be 1
        compute=lambda: attention_steps(example.X, example.W_Q, example.W_K, example.W_V).scaled_scores.sum(axis=1),
        computed_text="softmax(QKᵀ/√d_k) V: before the softmax rows neither stay positive in general nor sum to 1",
        verdict=Verdict.WRONG,
        explanation="The softmax is missing. Without it a row is not a set of weights: its entries need not be "
        "positive, nor need they sum to 1. Where the note writes the product out, √d_model is missing, too.",
        takeaway="between the scores and the values stands a softmax along each row. Only then is an output a mixture "
        "of values.",
    ),
    Entry(
        id="N2.attention_on_x2",
        topic="what is the attention on x₂",
        printed="x′₂ = α₁v₁ + α₂v₂ + α₃v₃ + … + α_N v_N",
        claims=True,
        compute=_x2_as_a_weighted_sum,
        computed_text="x′₂ = α₂₁v₁ + α₂₂v₂ + α₂₃v₃",
        verdict=Verdict.RIGHT,
        explanation="The note leaves out the first index: these are the weights of row 2, α₂₁, α₂₂, …",
    ),
    Entry(
        id="N2.rows_of_the_product",
        topic="the rows of (QKᵀ)V",
        printed="(q_i·k_1)v_1 + (q_i·k_2)v_2 + … + (q_i·k_n)v_n is a row of the product, N × d_model in all",
        claims=True,
        compute=_rows_of_the_product_are_sums,
        computed_text="equal for each of the three rows, to 1e−12",
        verdict=Verdict.RIGHT,
        paraphrase=True,
        explanation="A row of a matrix times V is a sum of the rows of V. It stays so with the softmax, and then the "
        "sum is a mixture.",
    ),
    Entry(
        id="N2.pe_formula",
        topic="the exponents of sine and cosine",
        printed="PE(pos, 2i) = sin(pos/10000^(2i/d_model)), PE(pos, 2i+1) = cos(pos/10000^(2i/d_model))",
        claims=(0.0, 0.0, 0.5, 0.5),
        compute=lambda: exponents_of_four_columns(10000),
        computed_text="0, 0, 1/2, 1/2 for d_model = 4",
        verdict=Verdict.RIGHT,
        paraphrase=True,
        explanation="Our copy has z for 2, and the exponents stand on the line. Read so, the cosine has the sine's "
        "exponent, as it must: N4 has another one there.",
    ),
    Entry(
        id="N2.pe_columns",
        topic="the numbers 0, 1, 2 beside i",
        printed="i: 0, 1, 2, dimension = 3",
        claims=(0, 1, 2),
        compute=lambda: tuple(column // 2 for column in range(3)),
        computed_text="the pairs i are 0, 0, 1",
        verdict=Verdict.UNCLEAR,
        explanation="As numbers of the columns they are right. As the i of the formula they are 0, 0, 1: a sine and "
        "its cosine share one. Whoever takes i = 2 in the third column gets the exponent 2·2/3 = 4/3, "
        "and a 4/3 stands there on the page.",
        doubt="whether the column of three numbers counts columns, pairs or positions.",
        takeaway="i counts the pairs, not the columns.",
    ),
    Entry(
        id="N2.pe_half_distance",
        topic="a first formula for positions",
        printed="sin(position/(10000 ½ distance))",
        claims=10000 ** (2 / 4),
        compute=lambda: 10000 * 0.5 * 4,
        computed_text="as it stands, with position 1 and distance 4: 0.00005, where the encoding has 0.01",
        verdict=Verdict.UNCLEAR,
        doubt="what ½ belongs to, and what “distance” stands for.",
        explanation="An exponent seems to have slipped down beside the 10000. Below it the note has the formula "
        "itself.",
    ),
    Entry(
        id="N2.pe_row_0",
        topic="positional encoding, d = 3, position 0",
        printed="x₁ = [0, 1, 0]",
        compute=lambda: positional_encoding(1, 3)[0],
        verdict=Verdict.RIGHT,
        explanation="sin 0, cos 0, sin 0: at position 0 base, exponent and unit of the angle do not matter.",
    ),
    Entry(
        id="N2.pe_row_1_pair",
        topic="positional encoding, d = 3, position 1, first two numbers",
        printed="[sin(1/10000), cos(1/10000)] = [0.0174, 0.99]",
        compute=lambda: positional_encoding(2, 3)[1, :2],
        verdict=Verdict.WRONG,
        slip=lambda: positional_encoding(2, 3, degrees=True)[1, :2],
        explanation="The calculator was set to degrees: 0.0174… is sin 1° and 0.999… is cos 1°, both cut off. The "
        "angle is 1 radian, 1/10000⁰; our copy does not show the exponent 0.",
        takeaway="the angles are radians, as in NumPy. A calculator set to degrees gives 0.0174 for the sine of 1, and "
        "the right number is 0.841471.",
    ),
    Entry(
        id="N2.pe_row_1_third",
        topic="positional encoding, d = 3, position 1, third number",
        printed="sin(1/10000 · 4/3) = 0.0013",
        compute=lambda: positional_encoding(2, 3)[1, 2:],
        verdict=Verdict.WRONG,
        slip=lambda: 10 * np.sin(1 / 10000 * 4 / 3),
        explanation="The exponent is 2i/d = 2/3: the third column belongs to pair i = 1. In our copy 4/3 stands as a "
        "factor. Taken so, the sine is 0.000133, and 0.0013 if a zero gets lost: the one way that we found, and a "
        "guess.",
    ),
    Entry(
        id="N2.token_plus_position",
        topic="three tokens with their positions",
        printed="X₁ = [2, 3, 4], [7, 0, 3], [4, 1, 4] and positions 0, 1, 2, not added up",
        filled_in="[[2, 4, 4], [7.841471, 0.540302, 3.002154], [4.909297, 0.583853, 4.004309]]",
        compute=lambda: add_positions([[2, 3, 4], [7, 0, 3], [4, 1, 4]]),
        verdict=Verdict.BLANK,
        explanation="The note puts tokens and positions side by side and stops there. Added, entry by entry, they are "
        "what goes into the first layer.",
        paraphrase=True,
    ),
    Entry(
        id="N2.scale",
        topic="the scale",
        printed="QKᵀ/√d_model, with Q and K in R^(N×d_model)",
        claims=2.0,
        compute=lambda: np.sqrt((example.X @ np.eye(4)).shape[1]),
        computed_text="its keys are d_model wide: √d_model is √d_k",
        verdict=Verdict.RIGHT,
        explanation="d_model is what a key has in N2, and there is one head. With several heads it is √d_k that "
        "counts.",
    ),
    Entry(
        id="N2.all_heads_together",
        topic="shape of Q, K and V",
        printed="Q = X Q_W ∈ R^(N×d_model)",
        claims=512,
        compute=_width_of_all_heads_together,
        computed_text="8 heads × 64 columns = 512 = d_model",
        verdict=Verdict.RIGHT,
        explanation="Right for all heads together. One head gets d_model/h of the columns: N × 64, as N1 has it.",
    ),
    Entry(
        id="N2.king_queen",
        topic="king, man, woman, queen as v₁, v₂, v₃, v₄",
        printed="v₁ − v₂ + v₃ = v₄",
        claims="v₁ − v₂ + v₃",
        compute=_how_queen_is_reached,
        computed_text="king − man + woman = queen in a table made for it",
        verdict=Verdict.RIGHT,
        explanation="The order of the note is king, man, woman, queen. Exact equality is made by hand here; vectors "
        "that were learnt come near it at best.",
    ),
)
