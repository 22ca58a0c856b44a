"""The attention of lesson 05: the notes' numbers, PyTorch's own function, and every way to hand it nonsense."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from utils.by_hand.attention import attention_steps, scaled_dot_product_attention, softmax
from utils.data import example

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = (example.X, example.W_Q, example.W_K, example.W_V)


def close(a, b, tolerance=1e-10):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance)


def test_the_eight_steps_on_the_notes_numbers():
    steps = attention_steps(*EXAMPLE, scale=1.0)
    close(steps.K, [[0, 1, 2], [4, 2, 4], [2, 2, 4]])
    close(steps.V, [[1, 2, 3], [2, 8, 0], [2, 6, 3]])
    close(steps.scores[0], [2, 4, 4])
    close(steps.weights[0], [0.063379, 0.468311, 0.468311], 5e-7)
    close(steps.weighted_values.sum(axis=1), steps.output)
    close(steps.output[0], [1.936621, 6.683105, 1.595068], 5e-7)
    close(np.array([0, 0.5, 0.5]) @ steps.V, [2.0, 7.0, 1.5])


def test_the_scale_is_one_over_the_root_of_d_k_unless_given():
    steps = attention_steps(*EXAMPLE)
    assert steps.scale == pytest.approx(1 / np.sqrt(3))
    close(steps.scaled_scores, steps.scores / np.sqrt(3))
    close(steps.output[0], [1.863874, 6.319371, 1.704189], 5e-7)


def test_the_scale_uses_d_k_and_not_d_model():
    X, W = np.eye(5), np.eye(5)[:, :2]
    assert attention_steps(X, W, W, np.eye(5)).scale == pytest.approx(1 / np.sqrt(2))


def test_lists_of_integers_are_welcome():
    output, weights = scaled_dot_product_attention([[1, 0]], [[1, 0], [0, 1]], [[1, 2, 3], [4, 5, 6]])
    assert output.dtype == weights.dtype == np.float64
    assert output.shape == (1, 3)


def test_nothing_that_is_passed_in_is_changed():
    copies = [m.copy() for m in EXAMPLE]
    attention_steps(*EXAMPLE)
    for before, after in zip(copies, EXAMPLE, strict=True):
        np.testing.assert_array_equal(before, after)


# --- beside PyTorch ---------------------------------------------------------------------------------------------

sizes = st.integers(1, 64)


@settings(deadline=None, max_examples=150)
@given(sizes, sizes, sizes, sizes, st.booleans(), st.one_of(st.none(), st.floats(-3, 3)), st.integers(0, 2**32 - 1))
def test_agrees_with_pytorch(n, m, d_k, d_v, masked, scale, seed):
    random = np.random.default_rng(seed)
    Q, K, V = random.normal(size=(n, d_k)), random.normal(size=(m, d_k)), random.normal(size=(m, d_v))
    mask = None
    if masked:
        mask = random.random((n, m)) < 0.6
        mask[:, 0] = True  # PyTorch's own answer for a row without any True is not ours; see below
    output, weights = scaled_dot_product_attention(Q, K, V, mask, scale)
    expected = torch.nn.functional.scaled_dot_product_attention(
        *(torch.from_numpy(t)[None] for t in (Q, K, V)),
        attn_mask=None if mask is None else torch.from_numpy(mask),
        scale=scale,
    )[0].numpy()
    close(output, expected)
    close(weights.sum(axis=1), 1)
    assert (weights >= 0).all()
    if mask is not None:
        assert (weights[~mask] == 0).all()


@settings(deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.floats(-1e300, 1e300)))
def test_softmax_agrees_with_pytorch_up_to_the_largest_numbers(z):
    close(softmax(z), torch.softmax(torch.from_numpy(z), dim=-1).numpy())
    close(softmax(z, axis=0), torch.softmax(torch.from_numpy(z), dim=0).numpy())


@given(st.floats(-300, 300))
def test_softmax_does_not_change_when_all_scores_move_together(shift):
    z = np.array([2.0, 4.0, 4.0])
    close(softmax(z + shift), softmax(z), 1e-12)


def test_the_mask_counts_before_the_softmax():
    """The rest shares out 1: masking after the softmax would leave less."""
    mask = np.array([[True, True, False]])
    _, weights = scaled_dot_product_attention([[1.0]], [[0.0], [0.0], [5.0]], [[1.0], [2.0], [3.0]], mask)
    close(weights, [[0.5, 0.5, 0.0]])


def test_a_forbidden_score_counts_for_nothing_however_large_it_is():
    mask = np.array([[True, True, False]])
    _, weights = scaled_dot_product_attention([[2000.0]], [[0.0], [0.0], [1.0]], [[1.0], [2.0], [3.0]], mask)
    close(weights, [[0.5, 0.5, 0.0]])


def test_a_row_masked_throughout_yields_zeros():
    mask = np.array([[False, False], [True, False]])
    output, weights = scaled_dot_product_attention(np.eye(2), np.eye(2), np.ones((2, 3)), mask)
    np.testing.assert_array_equal(weights[0], [0, 0])
    np.testing.assert_array_equal(output, [[0, 0, 0], [1, 1, 1]])


@settings(deadline=None)
@given(
    arrays(np.float64, (3, 2), elements=st.floats(allow_nan=True, allow_infinity=True)),
    arrays(np.float64, (4, 2), elements=st.floats(allow_nan=True, allow_infinity=True)),
    arrays(np.float64, (4, 2), elements=st.floats(allow_nan=True, allow_infinity=True)),
    arrays(np.bool_, (3, 4)),
)
def test_never_a_silent_nan(Q, K, V, mask):
    """Whatever numbers come in, NaN and infinity included: a finite answer or a sentence."""
    try:
        output, weights = scaled_dot_product_attention(Q, K, V, mask)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        assert np.isfinite(output).all() and np.isfinite(weights).all()


# --- one sentence for every kind of nonsense --------------------------------------------------------------------

I2 = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ((I2, [[1, float("nan")], [0, 1]], I2), ValueError, "K[0, 1] is nan: every entry must be a finite number."),
        ((I2, I2, [[1, 2], [float("-inf"), 0]]), ValueError, "V[1, 0] is -inf: every entry must be a finite number."),
        (
            (np.zeros((0, 2)), I2, I2),
            ValueError,
            "Q is empty: its shape is (0, 2), and attention needs at least one token.",
        ),
        ((np.zeros((1, 2, 2)), I2, I2), ValueError, "Q must be a matrix, one row per token: its shape is (1, 2, 2)."),
        (([["a", "b"]], I2, I2), TypeError, "Q must hold real numbers: it holds text."),
        (([[1j, 2]], I2, I2), TypeError, "Q must hold real numbers: it holds complex numbers."),
        (
            ([[1, 2, 3]], I2, I2),
            ValueError,
            "queries and keys must be equally wide: Q has shape (1, 3), K has shape (2, 2).",
        ),
        ((I2, I2, [[1, 2]]), ValueError, "each key needs one value: K has shape (2, 2), V has shape (1, 2)."),
        (
            (I2, I2, I2, [[1, 0], [0, 1]]),
            TypeError,
            "mask must be boolean, True where attention is allowed: its dtype is int64.",
        ),
        (
            (I2, I2, I2, np.ones((2, 3), dtype=bool)),
            ValueError,
            "mask must have a row per query and a column per key, (2, 2): its shape is (2, 3).",
        ),
        ((I2, I2, I2, None, float("inf")), ValueError, "scale is inf: every entry must be a finite number."),
        ((I2, I2, I2, None, [1, 2]), ValueError, "scale must have shape (): its shape is (2,)."),
        (
            ([[1e10]], [[1e10]], [[1]], None, 1e300),
            ValueError,
            "scale · QKᵀ overflows: some entry is beyond 1.8e308, the largest number that float64 holds.",
        ),
        (
            ([[1e200]], [[1e200]], [[1]]),
            ValueError,
            "QKᵀ overflows: some entry is beyond 1.8e308, the largest number that float64 holds.",
        ),
    ],
)
def test_nonsense_is_refused_in_one_sentence(arguments, error, sentence):
    with pytest.raises(error) as caught:
        scaled_dot_product_attention(*arguments)
    assert str(caught.value) == sentence


def test_the_eight_steps_name_the_matrices_that_do_not_fit():
    with pytest.raises(
        ValueError, match=r"as many columns in X as rows in W_K: X has shape \(3, 4\), W_K has shape \(3, 3\)"
    ):
        attention_steps(example.X, example.W_Q, np.eye(3), example.W_V)
    with pytest.raises(ValueError, match=r"equally wide: Q has shape \(3, 2\), K has shape \(3, 3\)"):
        attention_steps(example.X, example.W_Q[:, :2], example.W_K, example.W_V)
    with pytest.raises(ValueError, match="X W_V overflows"):
        attention_steps([[1e300]], [[1]], [[1]], [[1e300]])


@pytest.mark.parametrize("z", [[], [[], []], np.zeros((2, 0))])
def test_softmax_of_nothing_is_refused(z):
    with pytest.raises(ValueError, match=r"^z has shape \(.*0,?\), which is empty along axis -1\.$"):
        softmax(z)


def test_an_axis_may_be_counted_from_the_end():
    z = np.arange(6.0).reshape(2, 3) ** 2
    np.testing.assert_array_equal(softmax(z, axis=-2), softmax(z, axis=0))
    with pytest.raises(ValueError, match="which has no axis -3"):
        softmax(z, axis=-3)


def test_softmax_without_such_an_axis_is_refused():
    with pytest.raises(ValueError, match="which has no axis 1"):
        softmax([1, 2], axis=1)
    with pytest.raises(ValueError, match="has shape"):
        softmax(3)


def test_by_hand_stands_on_numpy_alone():
    rooms = sorted(path.stem for path in (ROOT / "utils" / "by_hand").glob("*.py"))
    program = (
        f"import sys, {', '.join(f'utils.by_hand.{room}' for room in rooms if room != '__init__')}\n"
        "assert not [m for m in sys.modules if m.startswith(('torch', 'matplotlib', 'utils.course', 'utils.show'))]"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
