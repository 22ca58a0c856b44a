"""From sequence to sequence: a gated recurrent unit that reads, and attention over all the states that it leaves.

Rows are words. The encoder has N words and states of d_h numbers; the decoder's state has d_s numbers.
Sources: Cho et al. 2014, section 2.3 (the unit); Bahdanau et al. 2015, section 3.1 (additive attention); Luong et al.
2015, section 3.1 (dot product); lecture note N3, "attention mechanism".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, finite, product, quietly, require_matrices, require_matrix, require_shape
from utils.by_hand.attention import softmax


@dataclass(frozen=True)
class Gates:
    """The weights of a gated recurrent unit, in three blocks of d_h columns: reset, update, candidate.

    They are the rows of PyTorch's weight_ih and weight_hh, transposed. Raises ValueError with the shapes when they
    don't fit.
    """

    W: ArrayLike  # (d_x, 3·d_h): from the word
    U: ArrayLike  # (d_h, 3·d_h): from the state before
    b_W: ArrayLike  # (3·d_h,)
    b_U: ArrayLike  # (3·d_h,)

    def __post_init__(self) -> None:
        U = require_matrix("U", self.U)
        three = 3 * len(U)
        for name, shape in (("W", (None, three)), ("U", (None, three)), ("b_W", (three,)), ("b_U", (three,))):
            array = require_shape(name, getattr(self, name), shape, f"U has {len(U)} rows")
            object.__setattr__(self, name, array)

    @property
    def d_h(self) -> int:
        """Return the number of entries of a state."""
        return len(self.U)


@quietly
def gru_step(x: ArrayLike, h: ArrayLike, gates: Gates) -> Array:
    """Return the state after the word x (d_x,), when it was h (d_h,) before; returns (d_h,).

    r = σ(xW_r + hU_r), z = σ(xW_z + hU_z), n = tanh(xW_n + r ⊙ (hU_n)), and h' = (1 − z) ⊙ n + z ⊙ h, each with its
    biases. Raises ValueError when the shapes don't fit, for NaN and infinity, and for overflow.
    Source: Cho et al. 2014, equations 5 to 8, with z for what is kept, and r after the product as in PyTorch.
    >>> gru_step([1], [4], Gates(np.zeros((1, 3)), np.zeros((1, 3)), np.zeros(3), np.zeros(3)))
    array([2.])
    """
    x = require_shape("x", x, (len(gates.W),), f"W has {len(gates.W)} rows")
    h = require_shape("h", h, (gates.d_h,), f"U has {gates.d_h} rows")
    x_r, x_z, x_n = np.split(finite("xW + b_W", x @ gates.W + gates.b_W), 3)  # (d_x,) (d_x, 3·d_h) -> three of (d_h,)
    h_r, h_z, h_n = np.split(finite("hU + b_U", h @ gates.U + gates.b_U), 3)
    r, z = _sigmoid(x_r + h_r), _sigmoid(x_z + h_z)  # of an infinite sum, a gate is 0 or 1
    n = np.tanh(x_n + r * h_n)
    return (1 - z) * n + z * h


def encode(X: ArrayLike, gates: Gates) -> Array:
    """Read the words X (N, d_x) one after the other, from a state of zeros; return the state after each, (N, d_h).

    The last row is the summary. Raises as `gru_step` does.
    >>> encode(np.ones((4, 2)), Gates(np.zeros((2, 9)), np.zeros((3, 9)), np.zeros(9), np.zeros(9))).shape
    (4, 3)
    """
    states = [np.zeros(gates.d_h)]
    for x in require_matrix("X", X):
        states.append(gru_step(x, states[-1], gates))
    return np.array(states[1:])


@quietly
def dot_scores(s: ArrayLike, H: ArrayLike) -> Array:
    """Score how well each encoder state H (N, d_h) fits the decoder state s (d_h,): s · h_j, (N,).

    Raises ValueError when s and the states differ in width. Source: Luong et al. 2015, section 3.1, "dot".
    >>> dot_scores([1, 2], [[1, 0], [0, 1]])
    array([1., 2.])
    """
    H = require_matrix("H", H)
    s = require_shape("s", s, H.shape[1:], f"a state in H has {H.shape[1]} numbers")
    return finite("H s", H @ s)


@quietly
def additive_scores(s: ArrayLike, H: ArrayLike, W_s: ArrayLike, W_h: ArrayLike, v: ArrayLike) -> Array:
    """Compute v · tanh(s W_s + h_j W_h) for each encoder state h_j: (N,). The two states may differ in width.

    s (d_s,), H (N, d_h), W_s (d_s, d_a), W_h (d_h, d_a), v (d_a,). Raises ValueError naming the shapes that don't
    fit. Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.
    >>> additive_scores([1], [[-1], [0]], [[1]], [[1]], [2]).round(2)
    array([0.  , 1.52])
    """
    H, W_s, W_h = require_matrices(H=H, W_s=W_s, W_h=W_h)
    s = require_shape("s", s, W_s.shape[:1], f"W_s has {len(W_s)} rows")
    v = require_shape("v", v, W_s.shape[1:], f"W_s has {W_s.shape[1]} columns")
    require_shape("W_h", W_h, (H.shape[1], len(v)), f"H has {H.shape[1]} columns and W_s {len(v)}")
    both = np.tanh(finite("s W_s", s @ W_s) + product(H=H, W_h=W_h))  # (N, d_a); of an infinite sum it is ±1
    return finite("the scores", both @ v)


@dataclass(frozen=True)
class StateAttention:
    """The results of N3's steps over N encoder states of d_h numbers, to look at one by one."""

    states: Array  # (N, d_h)  step 1: all of them are there
    scores: Array  # (N,)      step 2: one for each state
    weights: Array  # (N,)     softmax of the scores
    weighted: Array  # (N, d_h) step 3: each state times its weight
    context: Array  # (d_h,)   their sum: what the decoder gets


def attend(H: ArrayLike, scores: ArrayLike) -> StateAttention:
    """Weigh the encoder states H (N, d_h) by the softmax of their scores (N,), and add them up.

    Raises ValueError when there is not one score for each state. Source: Bahdanau et al. 2015, equations 5 and 6.
    >>> attend([[1, 0], [3, 2]], [0, 0]).context
    array([2., 1.])
    """
    H = require_matrix("H", H)
    scores = require_shape("scores", scores, H.shape[:1], f"there are {len(H)} states in H")
    weights = softmax(scores)
    weighted = weights[:, np.newaxis] * H
    return StateAttention(H, scores, weights, weighted, weighted.sum(axis=0))


def _sigmoid(z: Array) -> Array:
    """Compute 1 / (1 + e^−z), by way of tanh, which does not overflow."""
    return 0.5 * (1 + np.tanh(0.5 * z))
