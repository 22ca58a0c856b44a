"""The loss beside PyTorch's own and beside its definition, and nonsense refused."""

from __future__ import annotations

from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refused import refused
from utils.training.loss import next_token_loss, smoothed_cross_entropy


@settings(max_examples=100)
@given(
    st.integers(1, 5),
    st.integers(1, 7),
    st.integers(3, 20),
    st.sampled_from([0.0, 0.1, 0.37, 0.9]),
    st.floats(0.1, 50),
    st.integers(0, 2**31),
)
def test_loss_and_gradient_agree_with_pytorch(rows, columns, vocabulary, smoothing, scale, seed):
    random = torch.Generator().manual_seed(seed)
    logits = (torch.randn(rows, columns, vocabulary, generator=random, dtype=torch.float64) * scale).requires_grad_()
    targets = torch.randint(0, vocabulary, (rows, columns), generator=random)
    total, items = smoothed_cross_entropy(logits, targets, smoothing)
    expected = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=0, label_smoothing=smoothing, reduction="sum"
    )
    torch.testing.assert_close(total, expected, rtol=1e-12, atol=1e-10)
    assert items == int((targets != 0).sum())
    (ours,), (theirs,) = (torch.autograd.grad(loss, logits) for loss in (total, expected))
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    assert (ours[targets == 0] == 0).all()


NONSENSE = [
    ("smoothing must be a number of at least 0", ([[1, 2, 3]], 1.0)),
    ("target id 5 is outside the vocabulary", ([[1, 2, 5]], 0.0)),
]


@pytest.mark.parametrize(("sentence", "given"), NONSENSE)
def test_loss_refuses_bad_input(given, sentence):
    targets, smoothing = given
    assert sentence in refused(smoothed_cross_entropy, torch.zeros(1, 3, 5), torch.tensor(targets), smoothing)


@pytest.mark.parametrize("begin", [1, 3])
def test_language_model_loss_predicts_each_next_token_from_the_left(begin):
    """What it is given and what it must answer, counted by hand; PAD is not asked for."""
    ids, table = torch.tensor([[5, 2, 3, 4, 6], [4, 4, 2, 3, 0]]), torch.randn(7, 7)
    read = []

    def model(tokens):
        read.append(tokens.tolist())
        return table[tokens]

    total, items = next_token_loss(begin)(model, ids)
    pairs = [pair for row in ids.tolist() for pair in list(pairwise(row))[begin - 1 :] if pair[1] != 0]
    assert read == [[[5, 2, 3, 4], [4, 4, 2, 3]]]
    assert items == len(pairs) == {1: 7, 3: 3}[begin]
    expected = -sum(table[before].log_softmax(0)[after] for before, after in pairs)
    torch.testing.assert_close(total, expected)
