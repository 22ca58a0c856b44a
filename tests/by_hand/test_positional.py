"""The positions of lesson 04: the definition entry by entry, and invalid inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.by_hand.checks import any_floats, close
from tests.refused import refused
from utils.by_hand.positional import encode_positions, rotation


def by_definition(pos, d_model, base):
    """PE(pos, 2i) = sin(pos / base^(2i/d)), PE(pos, 2i+1) = cos(pos / base^(2i/d)), one column after the other."""
    row = []
    for column in range(d_model):
        angle = pos / math.pow(base, 2 * (column // 2) / d_model)
        row.append(math.cos(angle) if column % 2 else math.sin(angle))
    return row


# --- beside the definition and PyTorch ---

widths, bases = st.integers(1, 40), st.floats(1, 1e6)


@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=20), widths, bases)
def test_encoding_agrees_with_its_definition(positions, d_model, base):
    close(encode_positions(positions, d_model, base), [by_definition(p, d_model, base) for p in positions])


@given(st.integers(-50, 50), st.integers(1, 20), bases)
def test_rotation_moves_any_position_forward_by_k(k, half, base):
    positions = np.arange(-5, 60)
    M = rotation(k, 2 * half, base)
    close(encode_positions(positions, 2 * half, base) @ M.T, encode_positions(positions + k, 2 * half, base))
    close(M @ M.T, np.eye(2 * half))


# --- extremes and nonsense ---


@given(st.lists(any_floats, min_size=1, max_size=4), st.integers(-2, 9), any_floats, st.booleans())
def test_encoding_never_returns_silent_nan(positions, d_model, base, degrees):
    """Whatever numbers come in: vectors within [−1, 1] or a sentence."""
    try:
        PE = encode_positions(positions, d_model, base, degrees)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        assert PE.shape == (len(positions), d_model)
        assert (np.abs(PE) <= 1).all()


NONSENSE = [
    ("a rotation turns pairs of columns", lambda: rotation(1, 3)),
    ("pos / base^(2i/d_model) overflows", lambda: encode_positions([1e300], 64, 1e-300)),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_positional_refuses_bad_input(call, sentence):
    assert sentence in refused(call)
