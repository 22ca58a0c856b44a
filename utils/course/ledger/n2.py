"""Entries of lecture note N2: the matrix view."""

from __future__ import annotations

import numpy as np

from utils.by_hand import example
from utils.by_hand.attention import attention_steps
from utils.course.ledger.entry import Entry, Verdict

_A = np.array([[1, 3], [4, 5], [6, 0]])
_x = np.array([3, 2])


def _times_with_the_slip() -> np.ndarray:
    """The printed product: in the first row the 2 is added as it stands, not multiplied by 3."""
    product = _A @ _x
    product[0] = 1 * 3 + 2
    return product


def _shape_of_the_scores() -> tuple[int, int]:
    """The shape of QKᵀ for N = 3 tokens of d_model = 4 numbers, projected to d_model numbers as N2 does."""
    square = np.eye(4)
    return attention_steps(example.X, square, square, square).scores.shape


def _rows_are_weights_without_softmax() -> bool:
    """Whether the rows of QKᵀ/√d are weights (positive, sum 1) before any softmax."""
    steps = attention_steps(example.X, example.W_Q, example.W_K, example.W_V)
    return bool((steps.scaled_scores >= 0).all() and np.allclose(steps.scaled_scores.sum(axis=1), 1))


def _x2_as_a_weighted_sum() -> bool:
    """Whether row 2 of the output is α_21 v_1 + α_22 v_2 + α_23 v_3."""
    steps = attention_steps(example.X, example.W_Q, example.W_K, example.W_V)
    by_hand = sum(steps.weights[1, j] * steps.V[j] for j in range(3))
    return bool(np.allclose(steps.output[1], by_hand, rtol=0, atol=1e-12))


ENTRIES = (
    Entry(
        id="N2.matrix_vector",
        note="N2",
        topic="a matrix times a vector",
        printed="[[1, 3], [4, 5], [6, 0]] · [3, 2] = [5, 22, 18]",
        compute=lambda: _A @ _x,
        verdict=Verdict.WRONG,
        slip=_times_with_the_slip,
        explanation="The first entry is 1·3 + 3·2 = 9. One gets 5 from 1·3 + 2: the 2 was added, not multiplied by 3.",
        lessons=("05",),
    ),
    Entry(
        id="N2.scores_shape",
        note="N2",
        topic="shape of QKᵀ",
        printed="QKᵀ ∈ R^(d_model × d_model)",
        claims=(4, 4),
        compute=_shape_of_the_scores,
        computed_text="N × N (here 3 × 3)",
        verdict=Verdict.WRONG,
        slip=lambda: (example.X.T @ example.X).shape,
        explanation="(N × d)(d × N) gives N × N, a score for every pair of tokens; further down the same page "
        "has it right. "
        "QᵀK would be d × d.",
        lessons=("05",),
    ),
    Entry(
        id="N2.softmax_missing",
        note="N2",
        topic="attention without a softmax",
        printed="(QKᵀ/√d_model) V",
        claims=True,
        compute=_rows_are_weights_without_softmax,
        computed_text="softmax(QKᵀ/√d_k) V: before the softmax rows neither stay positive in general nor sum to 1",
        verdict=Verdict.WRONG,
        explanation="The softmax is missing. Without it a row is not a set of weights: its entries need not be "
        "positive, "
        "and they do not sum to 1.",
        lessons=("05",),
    ),
    Entry(
        id="N2.attention_on_x2",
        note="N2",
        topic="what is the attention on x₂",
        printed="x′₂ = α₁v₁ + α₂v₂ + … + α_N v_N",
        claims=True,
        compute=_x2_as_a_weighted_sum,
        computed_text="x′₂ = α₂₁v₁ + α₂₂v₂ + α₂₃v₃",
        verdict=Verdict.RIGHT,
        explanation="The note leaves out the first index: these are the weights of row 2, α₂₁, α₂₂, …",
        lessons=("05",),
    ),
)
