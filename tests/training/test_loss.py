"""The loss beside PyTorch's own and beside its definition; the schedule beside the paper's equation."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.training.loss import smoothed_cross_entropy, translation_loss
from utils.training.schedule import learning_rate, paper_peak


@settings(deadline=None, max_examples=100)
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


def test_the_loss_by_hand():
    """Shares 1/2, 1/4, 1/4 and the right id 1: ln 4 plain; smoothed by 0.3, 0.8 of ln 4, 0.1 each of ln 2 and ln 4."""
    logits = torch.log(torch.tensor([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]))
    plain, items = smoothed_cross_entropy(logits, torch.tensor([1, 0]))
    assert items == 1
    assert plain.item() == pytest.approx(math.log(4))
    smoothed, _ = smoothed_cross_entropy(logits, torch.tensor([1, 0]), smoothing=0.3)
    assert smoothed.item() == pytest.approx(0.9 * math.log(4) + 0.1 * math.log(2))


def test_another_id_can_be_ignored_and_all_of_them():
    logits = torch.randn(4, 5)
    assert smoothed_cross_entropy(logits, torch.tensor([0, 1, 2, 2]), ignore=2)[1] == 2
    nothing, items = smoothed_cross_entropy(logits.requires_grad_(), torch.zeros(4, dtype=torch.int64), 0.1)
    nothing.backward()
    assert (nothing.item(), items) == (0.0, 0)
    assert (logits.grad == 0).all()


def test_the_translation_loss_feeds_the_right_words_and_asks_for_the_next():
    from utils.training.batches import batch_of

    seen = []

    def model(source, target):
        seen.append((source.tolist(), target.tolist()))
        return torch.nn.functional.one_hot(torch.tensor([[5, 2]]), 6) * 100.0  # sure of 5, then of END

    total, items = translation_loss(smoothing=0.0)(model, batch_of([([4], [5])]))
    assert seen == [([[4]], [[1, 5]])]
    assert items == 2
    assert total.item() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    ("targets", "smoothing", "sentence"),
    [
        (
            [[1, 2]],
            0.0,
            "each target needs one row of logits: targets have shape (1, 2), logits have shape (1, 3, 5).",
        ),
        ([[1, 2, 3]], 1.0, "smoothing must be at least 0 and below 1: it is 1.0."),
        ([[1, 2, 3]], -0.1, "smoothing must be at least 0 and below 1: it is -0.1."),
        ([[1, 2, 3]], math.nan, "smoothing must be at least 0 and below 1: it is nan."),
        ([[1, 2, 5]], 0.0, "target id 5 is outside the vocabulary: the logits have 5 columns."),
        ([[1, -2, 3]], 0.0, "target id -2 is outside the vocabulary: the logits have 5 columns."),
    ],
)
def test_nonsense_is_refused_in_one_sentence(targets, smoothing, sentence):
    with pytest.raises(ValueError) as caught:
        smoothed_cross_entropy(torch.zeros(1, 3, 5), torch.tensor(targets), smoothing)
    assert str(caught.value) == sentence


# --- the schedule -----------------------------------------------------------------------------------------------


def test_the_linear_schedule_goes_up_and_down():
    rates = [learning_rate(step, peak=1.0, warmup=4, steps=10) for step in range(1, 11)]
    assert rates == pytest.approx([1 / 4, 2 / 4, 3 / 4, 1, 6 / 7, 5 / 7, 4 / 7, 3 / 7, 2 / 7, 1 / 7])


def test_the_constant_schedule_stays_at_its_peak():
    rates = [learning_rate(step, peak=5e-4, warmup=2, steps=5, shape="constant") for step in range(1, 6)]
    assert rates == pytest.approx([2.5e-4, 5e-4, 5e-4, 5e-4, 5e-4])


@given(st.integers(1, 5000), st.integers(1, 4000), st.sampled_from([64, 512, 1024]))
def test_the_inverse_square_root_is_the_papers_equation(step, warmup, d_model):
    rate = learning_rate(step, peak=paper_peak(d_model, warmup), warmup=warmup, steps=5000, shape="inverse square root")
    assert rate == pytest.approx(d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))


@given(st.sampled_from(["linear", "constant", "inverse square root"]), st.integers(0, 50), st.integers(50, 60))
def test_no_rate_is_above_the_peak_or_zero(shape, warmup, steps):
    rates = [learning_rate(step, peak=2.0, warmup=warmup, steps=steps, shape=shape) for step in range(1, steps + 1)]
    assert max(rates) == pytest.approx(2.0)
    assert min(rates) > 0


def test_the_paper_base_model_peaks_at_0_0007():
    assert paper_peak(512) == pytest.approx(0.00069877, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: learning_rate(0, peak=1, warmup=1, steps=5),
            "steps are counted from 1 to 5: there is no step 0.",
        ),
        (
            lambda: learning_rate(6, peak=1, warmup=1, steps=5),
            "steps are counted from 1 to 5: there is no step 6.",
        ),
        (
            lambda: learning_rate(1, peak=1, warmup=1, steps=5, shape="cosine"),
            "there is no schedule “cosine”: there are linear, constant, inverse square root.",
        ),
        (lambda: paper_peak(0, 10), "d_model and warmup must be at least 1: they are 0 and 10."),
    ],
)
def test_a_schedule_refuses_what_it_does_not_have(call, sentence):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == sentence
