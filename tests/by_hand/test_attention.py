"""The attention of lesson 05: its scale, agreement with PyTorch's function, and invalid inputs."""

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

from tests.by_hand.checks import any_floats, close, finite_or_refused, seeds
from tests.refused import refused
from utils.by_hand.attention import attention_steps, scaled_dot_product_attention, softmax
from utils.data import example

ROOT = Path(__file__).resolve().parents[2]
attention = scaled_dot_product_attention
EXAMPLE = (example.X, example.W_Q, example.W_K, example.W_V)


def test_scale_is_one_over_root_of_d_k_by_default():
    steps = attention_steps(*EXAMPLE)
    assert steps.scale == pytest.approx(1 / np.sqrt(3))
    close(steps.scaled_scores, steps.scores / np.sqrt(3))
    close(steps.output[0], [1.863874, 6.319371, 1.704189], 5e-7)
    X, W = np.eye(5), np.eye(5)[:, :2]
    assert attention_steps(X, W, W, X).scale == pytest.approx(1 / np.sqrt(2))  # d_k, not d_model


# --- beside PyTorch ---------------------------------------------------------------------------------------------

sizes = st.integers(1, 64)


@settings(max_examples=150)
@given(sizes, sizes, sizes, sizes, st.booleans(), st.one_of(st.none(), st.floats(-3, 3)), seeds)
def test_attention_agrees_with_pytorch(n, m, d_k, d_v, masked, scale, seed):
    random = np.random.default_rng(seed)
    Q, K, V = random.normal(size=(n, d_k)), random.normal(size=(m, d_k)), random.normal(size=(m, d_v))
    mask = None
    if masked:
        mask = random.random((n, m)) < 0.6
        mask[:, 0] = True  # PyTorch's own answer for a row without any True is not ours, zeros
    output, weights = attention(Q, K, V, mask, scale)
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


@given(arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=st.floats(-1e300, 1e300)))
def test_softmax_agrees_with_pytorch_up_to_the_largest_numbers(z):
    close(softmax(z), torch.softmax(torch.from_numpy(z), dim=-1).numpy())
    close(softmax(z, axis=-2), torch.softmax(torch.from_numpy(z), dim=0).numpy())


def test_masked_score_is_ignored_however_large():
    mask = np.array([[True, True, False]])
    _, weights = attention([[2000.0]], [[0.0], [0.0], [1.0]], [[1.0], [2.0], [3.0]], mask)
    close(weights, [[0.5, 0.5, 0.0]])


@given(
    arrays(np.float64, (3, 2), elements=any_floats),
    arrays(np.float64, (2, 4, 2), elements=any_floats),
    arrays(np.bool_, (3, 4)),
)
def test_attention_never_returns_silent_nan(Q, KV, mask):
    finite_or_refused(lambda: attention(Q, *KV, mask))


# --- one sentence for every kind of nonsense --------------------------------------------------------------------

I2 = [[1, 0], [0, 1]]
NONSENSE = [
    ("K[0, 1] is nan", lambda: attention(I2, [[1, float("nan")], [0, 1]], I2)),
    ("queries and keys must be equally wide", lambda: attention([[1, 2, 3]], I2, I2)),
    ("mask must have a row per query and a column", lambda: attention(I2, I2, I2, np.ones((2, 3), dtype=bool))),
    ("QKᵀ overflows", lambda: attention([[1e200]], [[1e200]], [[1]])),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_attention_refuses_bad_input(sentence, call):
    assert sentence in refused(call)


def test_by_hand_imports_only_numpy():
    rooms = sorted(path.stem for path in (ROOT / "utils" / "by_hand").glob("*.py"))
    program = (
        f"import sys, {', '.join(f'utils.by_hand.{room}' for room in rooms if room != '__init__')}\n"
        "assert not [m for m in sys.modules if m.startswith(('torch', 'matplotlib', 'utils.course', 'utils.show'))]"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)
