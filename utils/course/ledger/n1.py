"""Entries of lecture note N1: self-attention with dimensions, and the norms."""

from __future__ import annotations

import numpy as np

from utils.by_hand import example
from utils.by_hand.attention import attention_steps, scaled_dot_product_attention, softmax
from utils.course.ledger.entry import Entry, Verdict

_random = np.random.default_rng(1)


def _width_of_a_head() -> float:
    return 512 / 8


def _shapes_of_the_projections() -> tuple[tuple[int, int], ...]:
    """Of 512 × 64 and 64 × 512, what self-attention of a token of 512 numbers accepts as W^Q, W^K and W^V."""
    return tuple(shape for shape in ((512, 64), (64, 512)) if _accepts(shape)) * 3


def _accepts(shape: tuple[int, int]) -> bool:
    try:
        attention_steps(np.ones((1, 512)), np.ones(shape), np.ones(shape), np.ones(shape))
    except ValueError:
        return False
    return True


def _sum_equals_matrix_product() -> bool:
    """Whether Σ_j α_ij v_j, row by row, is what softmax(QKᵀ/√d_k) V gives."""
    Q, K, V = (_random.normal(size=shape) for shape in ((5, 3), (5, 3), (5, 2)))
    output, A = scaled_dot_product_attention(Q, K, V)
    by_row = [sum(A[i, j] * V[j] for j in range(5)) for i in range(5)]
    return bool(np.allclose(output, by_row, rtol=0, atol=1e-12))


def _who_pays() -> str:
    """Whose attention the first index of α names: the token whose weights sum to 1 is the one that pays."""
    A = attention_steps(example.X, example.W_Q, example.W_K, example.W_V).weights
    rows_sum_to_one = np.allclose(A.sum(axis=1), 1)
    return "x_i pays to x_j" if rows_sum_to_one else "x_j pays to x_i"


def _growth_when_n_doubles() -> float:
    """How many times as many scores there are for twice as many tokens."""
    small, large = (attention_steps(np.eye(n), np.eye(n), np.eye(n), np.eye(n)).scores.size for n in (8, 16))
    return large / small


ENTRIES = (
    Entry(
        id="N1.head_width",
        note="N1",
        topic="width of a query, a key and a value",
        printed="d_k = 512/p = 64 for q, 64 for k, 64 for v",
        claims=64.0,
        compute=_width_of_a_head,
        verdict=Verdict.RIGHT,
        explanation="p is 8, the number of heads (a later lesson): they share the 512 numbers of a token.",
        lessons=("05", "07"),
    ),
    Entry(
        id="N1.projection_shapes",
        note="N1",
        topic="shapes of W^Q, W^K and W^V",
        printed="d_model × d_k, d_model × d_k, d_model × d_v",
        claims=((512, 64), (512, 64), (512, 64)),
        compute=_shapes_of_the_projections,
        computed_text="512 × 64, each",
        verdict=Verdict.RIGHT,
        explanation="A token is a row of d_model numbers and multiplies from the left.",
        lessons=("05",),
    ),
    Entry(
        id="N1.alpha_direction",
        note="N1",
        topic="how to read α_ij",
        printed="α_ij: attention x_j pays to x_i",
        claims="x_j pays to x_i",
        compute=_who_pays,
        computed_text="x_i pays to x_j",
        verdict=Verdict.WRONG,
        slip=lambda: _who_pays().translate(str.maketrans("ij", "ji")),
        explanation="Row i belongs to query i, and row i sums to 1: α_ij is the attention that token i pays to "
        "token j. "
        "The note's own labels, k_j and q_i, say so too.",
        lessons=("05",),
    ),
    Entry(
        id="N1.weighted_sum",
        note="N1",
        topic="update as a sum, and as a matrix product",
        printed="Σ_j α_ij v_j is row i of softmax(QKᵀ/√d_k) V",
        claims=True,
        compute=_sum_equals_matrix_product,
        computed_text="equal to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="The note writes v_i for the new vector too. With another letter, as in N3, the two cannot "
        "be confused.",
        lessons=("05",),
    ),
    Entry(
        id="N1.rowwise",
        note="N1",
        topic="the softmax runs along the rows",
        printed="softmax (rowwise)",
        claims=True,
        compute=lambda: bool(np.allclose(softmax(example.X @ example.X.T, axis=-1).sum(axis=1), 1)),
        computed_text="each row sums to 1",
        verdict=Verdict.RIGHT,
        explanation="Each query hands out exactly 1 in all.",
        lessons=("05", "06"),
    ),
    Entry(
        id="N1.quadratic",
        note="N1",
        topic="cost of all pairs",
        printed="O(N²): twice the tokens, 4 times the scores",
        claims=4.0,
        compute=_growth_when_n_doubles,
        verdict=Verdict.RIGHT,
        explanation="The cost of one score does not depend on N: it takes d_k multiplications.",
        lessons=("05", "06"),
    ),
)
