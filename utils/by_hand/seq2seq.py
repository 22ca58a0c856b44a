"""From sequence to sequence: a gated recurrent unit that reads, and attention over all the states that it leaves.

Rows are words. The encoder has N words and states of d_h numbers; the decoder's state has d_s numbers.
Sources: Cho et al. 2014, section 2.3 (the unit); Bahdanau et al. 2015, section 3.1 (additive attention); Luong et al.
2015, section 3.1 (dot product); lecture note N3, "attention mechanism".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, as_matrix, as_numbers, finite, product
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
        W, U = as_matrix("W", self.W), as_matrix("U", self.U)
        b_W, b_U = as_numbers("b_W", self.b_W), as_numbers("b_U", self.b_U)
        three = 3 * len(U)
        if W.shape[1] != three or U.shape[1] != three or b_W.shape != (three,) or b_U.shape != (three,):
            raise ValueError(
                f"with U of {len(U)} rows, W and U need 3·{len(U)} columns and the biases 3·{len(U)} entries: "
                f"W {W.shape}, U {U.shape}, b_W {b_W.shape}, b_U {b_U.shape}."
            )
        for name, array in (("W", W), ("U", U), ("b_W", b_W), ("b_U", b_U)):
            object.__setattr__(self, name, array)

    @property
    def d_h(self) -> int:
        """How many numbers a state has."""
        return len(self.U)


def gru_step(x: ArrayLike, h: ArrayLike, gates: Gates) -> Array:
    """The state after the word x (d_x,), when it was h (d_h,) before; returns (d_h,).

    r = σ(xW_r + hU_r), z = σ(xW_z + hU_z), n = tanh(xW_n + r ⊙ (hU_n)), and h' = (1 − z) ⊙ n + z ⊙ h, each with its
    biases. Raises ValueError when the shapes don't fit, for NaN and infinity, and for overflow.
    Source: Cho et al. 2014, equations 5 to 8, with z for what is kept, and r after the product as in PyTorch.
    """
    x, h = _as_vector("x", x, len(gates.W), "rows of W"), _as_vector("h", h, gates.d_h, "rows of U")
    from_word = np.split(_affine("xW + b_W", x, gates.W, gates.b_W), 3)
    from_state = np.split(_affine("hU + b_U", h, gates.U, gates.b_U), 3)
    with np.errstate(over="ignore"):  # a gate of an infinite sum is 0 or 1
        r, z = (_sigmoid(a + b) for a, b in zip(from_word[:2], from_state[:2], strict=True))
        n = np.tanh(from_word[2] + r * from_state[2])
    return (1 - z) * n + z * h


def encode(X: ArrayLike, gates: Gates) -> Array:
    """Reads the words X (N, d_x) one after the other, from a state of zeros; returns the state after each, (N, d_h).

    The last row is the summary. Raises as `gru_step` does.
    """
    states = [np.zeros(gates.d_h)]
    for x in as_matrix("X", X):
        states.append(gru_step(x, states[-1], gates))
    return np.array(states[1:])


def dot_scores(s: ArrayLike, H: ArrayLike) -> Array:
    """How well each encoder state H (N, d_h) fits the decoder state s (d_h,): s · h_j, (N,).

    Raises ValueError when s and the states differ in width. Source: Luong et al. 2015, section 3.1, "dot".
    """
    H = as_matrix("H", H)
    s = as_numbers("s", s)
    if s.shape != (H.shape[1],):
        raise ValueError(
            f"a dot product needs states of one width: s has shape {s.shape}, a state in H has {H.shape[1]} numbers."
        )
    return product("H s", H, s)


def additive_scores(s: ArrayLike, H: ArrayLike, W_s: ArrayLike, W_h: ArrayLike, v: ArrayLike) -> Array:
    """v · tanh(s W_s + h_j W_h) for each encoder state h_j: (N,). The two states may differ in width.

    s (d_s,), H (N, d_h), W_s (d_s, d_a), W_h (d_h, d_a), v (d_a,). Raises ValueError naming the shapes that don't
    fit. Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2.
    """
    H, W_s, W_h = as_matrix("H", H), as_matrix("W_s", W_s), as_matrix("W_h", W_h)
    s, v = _as_vector("s", s, len(W_s), "rows of W_s"), _as_vector("v", v, W_s.shape[1], "columns of W_s")
    if H.shape[1] != len(W_h) or W_h.shape[1] != W_s.shape[1]:
        raise ValueError(
            "W_h needs a row for each number of a state and the columns of W_s: "
            f"H has shape {H.shape}, W_h {W_h.shape}, W_s {W_s.shape}."
        )
    with np.errstate(over="ignore"):  # the tanh of an infinite sum is ±1
        both = np.tanh(product("s W_s", s, W_s) + product("H W_h", H, W_h))
    return product("the scores", both, v)


@dataclass(frozen=True)
class StateAttention:
    """N3's steps over N encoder states of d_h numbers, to look at one by one."""

    states: Array  # (N, d_h)  step 1: all of them are there
    scores: Array  # (N,)      step 2: one for each state
    weights: Array  # (N,)     softmax of the scores
    weighted: Array  # (N, d_h) step 3: each state times its weight
    context: Array  # (d_h,)   their sum: what the decoder gets


def attend(H: ArrayLike, scores: ArrayLike) -> StateAttention:
    """Weighs the encoder states H (N, d_h) by the softmax of their scores (N,), and adds them up.

    Raises ValueError when there is not one score for each state. Source: Bahdanau et al. 2015, equations 5 and 6.
    """
    H = as_matrix("H", H)
    scores = _as_vector("scores", scores, len(H), "states in H")
    weights = softmax(scores)
    weighted = weights[:, np.newaxis] * H
    return StateAttention(H, scores, weights, weighted, weighted.sum(axis=0))


def _affine(name: str, row: Array, weights: Array, bias: Array) -> Array:
    with np.errstate(over="ignore"):
        return finite(name, product(name, row, weights) + bias)


def _sigmoid(z: Array) -> Array:
    """1 / (1 + e^−z), by way of tanh, which does not overflow."""
    return 0.5 * (1 + np.tanh(0.5 * z))


def _as_vector(name: str, value: ArrayLike, size: int, of_what: str) -> Array:
    vector = as_numbers(name, value)
    if vector.shape != (size,):
        raise ValueError(
            f"{name} must be one row of {size} numbers, as many as there are {of_what}: its shape is {vector.shape}."
        )
    return vector
