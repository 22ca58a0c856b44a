"""The positions of lesson 04: the notes' numbers, the definition entry by entry, and every way to hand in nonsense."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.by_hand.positional import add_positions, encode_positions, frequencies, positional_encoding, rotation


def close(a, b, tolerance=1e-10):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


def by_definition(pos, d_model, base):
    """PE(pos, 2i) = sin(pos / base^(2i/d)), PE(pos, 2i+1) = cos(pos / base^(2i/d)), one column after the other."""
    row = []
    for column in range(d_model):
        angle = pos / math.pow(base, 2 * (column // 2) / d_model)
        row.append(math.cos(angle) if column % 2 else math.sin(angle))
    return row


# --- the notes' numbers ---


def test_the_table_of_n4():
    table = [
        [0, 1, 0, 1],
        [0.841471, 0.540302, 0.099833, 0.995004],
        [0.909297, -0.416147, 0.198669, 0.980067],
        [0.141120, -0.989992, 0.295520, 0.955336],
    ]
    close(positional_encoding(4, 4, base=100), table, 5e-7)


def test_the_vectors_of_n2_in_radians_and_in_degrees():
    close(positional_encoding(2, 3), [[0, 1, 0], [0.841471, 0.540302, 0.002154]], 5e-7)
    close(positional_encoding(2, 3, degrees=True)[1], [0.017452, 0.999848, 0.000038], 5e-7)


def test_n2_tokens_with_their_positions():
    X = [[2, 3, 4], [7, 0, 3], [4, 1, 4]]
    close(add_positions(X), [[2, 4, 4], [7.841471, 0.540302, 3.002154], [4.909297, 0.583853, 4.004309]], 5e-7)


def test_the_base_is_10000_unless_given_and_is_handed_on():
    X = np.zeros((5, 6))
    close(add_positions(X), positional_encoding(5, 6, 10000))
    close(add_positions(X, base=100), positional_encoding(5, 6, 100))


def test_frequencies_of_the_paper():
    close(frequencies(512)[[0, -1]], [1, 10000 ** (-510 / 512)])
    close(frequencies(4, 100), [1, 0.1])
    assert frequencies(3).shape == (2,)  # the last sine has a frequency too


# --- beside the definition and PyTorch ---

widths, bases = st.integers(1, 40), st.floats(1, 1e6)


@settings(deadline=None)
@given(st.lists(st.floats(-1000, 1000), min_size=1, max_size=20), widths, bases)
def test_agrees_with_the_definition(positions, d_model, base):
    close(encode_positions(positions, d_model, base), [by_definition(p, d_model, base) for p in positions])


@settings(deadline=None)
@given(st.integers(1, 64), st.integers(1, 32), st.floats(2, 1e5))
def test_agrees_with_the_table_as_it_is_written_in_pytorch(n, half, base):
    """exp(−2i · log(base)/d), as most PyTorch code has it; d_model even."""
    turn = torch.exp(torch.arange(0, 2 * half, 2, dtype=torch.float64) * (-math.log(base) / (2 * half)))
    angles = torch.arange(n, dtype=torch.float64)[:, None] * turn
    expected = torch.stack([torch.sin(angles), torch.cos(angles)], dim=2).reshape(n, 2 * half)
    close(positional_encoding(n, 2 * half, base), expected.numpy())


@settings(deadline=None)
@given(st.integers(-50, 50), st.integers(1, 20), bases)
def test_the_rotation_goes_k_positions_on_from_anywhere(k, half, base):
    positions = np.arange(-5, 60)
    M = rotation(k, 2 * half, base)
    close(encode_positions(positions, 2 * half, base) @ M.T, encode_positions(positions + k, 2 * half, base))
    close(M @ M.T, np.eye(2 * half))


def test_the_distance_depends_on_the_number_of_steps_alone():
    PE = positional_encoding(200, 64)
    for k in (1, 7, 60):
        lengths = np.linalg.norm(PE[k:] - PE[:-k], axis=1)
        close(lengths, np.sqrt((2 * (1 - np.cos(k * frequencies(64)))).sum()))


def test_every_vector_of_even_width_is_as_long_as_any_other():
    close(np.linalg.norm(positional_encoding(100, 10), axis=1), np.sqrt(5))


def test_nothing_that_is_passed_in_is_changed():
    X, positions = np.ones((3, 4)), np.arange(3.0)
    add_positions(X)
    encode_positions(positions, 4)
    np.testing.assert_array_equal(X, np.ones((3, 4)))
    np.testing.assert_array_equal(positions, [0, 1, 2])


# --- extremes and nonsense ---

anything = st.floats(allow_nan=True, allow_infinity=True)


@settings(deadline=None)
@given(st.lists(anything, min_size=1, max_size=4), st.integers(-2, 9), anything, st.booleans())
def test_never_a_silent_nan(positions, d_model, base, degrees):
    """Whatever numbers come in: vectors within [−1, 1] or a sentence."""
    try:
        PE = encode_positions(positions, d_model, base, degrees)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        assert PE.shape == (len(positions), d_model)
        assert (np.abs(PE) <= 1).all()


@given(st.integers(1, 9), anything)
def test_frequencies_are_finite_or_refused(d_model, base):
    try:
        numbers = frequencies(d_model, base)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        assert np.isfinite(numbers).all()


def test_large_and_tiny_numbers():
    close(encode_positions([1e300, 5e-324], 2), [[math.sin(1e300), math.cos(1e300)], [0, 1]])
    close(encode_positions([3], 4, base=1e300), [[math.sin(3), math.cos(3), 0, 1]])


OVERFLOW = "beyond 1.8e308, the largest"


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: encode_positions([], 4), ValueError, "positions has shape (0,), which is empty along axis 0."),
        (lambda: encode_positions([[0, 1]], 4), ValueError, "positions must have shape (any,): its shape is (1, 2)."),
        (lambda: positional_encoding(0, 4), ValueError, "n_positions must be a whole number of at least 1: it is 0."),
        (lambda: positional_encoding(4, 0), ValueError, "d_model must be a whole number of at least 1: it is 0."),
        (lambda: rotation(1, 6.0), TypeError, "d_model must be a whole number of at least 1: it is 6.0."),
        (lambda: positional_encoding(4, 4, 0), ValueError, "base must be above 0: it is 0."),
        (lambda: frequencies(4, [1, 2]), ValueError, "base must have shape (): its shape is (2,)."),
        (lambda: rotation(1, 3), ValueError, "a rotation turns pairs of columns, so d_model must be even: it is 3."),
        (lambda: rotation([1, 2], 4), ValueError, "k must have shape (): its shape is (2,)."),
        (
            lambda: encode_positions([1e300], 64, 1e-300),
            ValueError,
            f"pos / base^(2i/d_model) overflows: some entry is {OVERFLOW} number that float64 holds.",
        ),
        (
            lambda: frequencies(64, 5e-324),
            ValueError,
            f"a frequency overflows: some entry is {OVERFLOW} number that float64 holds.",
        ),
        (lambda: add_positions([1, 2]), ValueError, "X must be a matrix, one row per token: its shape is (2,)."),
    ],
)
def test_nonsense_is_refused_in_one_sentence(call, error, sentence):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == sentence


@given(st.integers(1, 65), st.floats(1.5, 1e6))
def test_frequencies_are_what_the_definition_says(d_model, base):
    pairs = range((d_model + 1) // 2)
    close(frequencies(d_model, base), [base ** (-2 * i / d_model) for i in pairs])


@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 9), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e-300, 1e300]))
def test_tokens_with_positions_are_the_sum_entry_by_entry(n, d_model, seed, size):
    X = np.random.default_rng(seed).normal(size=(n, d_model)) * size
    expected = [[X[p, c] + by_definition(p, d_model, 100.0)[c] for c in range(d_model)] for p in range(n)]
    np.testing.assert_allclose(add_positions(X, base=100.0), expected, rtol=1e-12, atol=1e-12)
