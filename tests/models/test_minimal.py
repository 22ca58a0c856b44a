"""The smallest transformer gives what the full one gives, its loop does plain steps, and its decoder is greedy."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from utils.models import minimal
from utils.models.from_minimal import full_transformer
from utils.training.decoding import Translating, greedy

PAD, START, END = minimal.PAD, minimal.START, minimal.END


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = minimal.Transformer(source_words=13, target_words=11, d_model=24, n_heads=3, n_layers=2)
    with torch.no_grad():  # norms and biases away from 1 and 0, so that none can be left out unseen
        for parameter in model.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return model


def pairs(count, seed=0):
    """Batches of random sentences, three each, with padding in both languages."""
    dice = torch.Generator().manual_seed(seed)
    for _ in range(count):
        source, target = (torch.randint(3, 11, (3, n), generator=dice) for n in (6, 5))
        source[1, 4:], source[2, 1:] = PAD, PAD
        target[:, 0], target[0, -1], target[1, 3:], target[2, 2:] = START, END, PAD, PAD
        target[1, 2], target[2, 1] = END, END
        yield source, target


def test_minimal_transformer_agrees_with_the_full_one(model):
    full = full_transformer(model)
    for source, target in pairs(5):
        ours, theirs = model(source, target), full(source, target)
        real = target != PAD  # what stands at padding means nothing
        assert ours.std() > 0.3, "the logits must differ for the comparison to say something"
        assert torch.allclose(ours[real], theirs[real], atol=1e-5)


def test_model_with_other_names_is_refused(model):
    model.encoder[1].attention.keys = model.encoder[1].attention.key
    del model.encoder[1].attention.key
    with pytest.raises(ValueError, match=r"has no encoder\.1\.attention\.key\.weight"):
        full_transformer(model)
    with pytest.raises(ValueError, match="no source_table"):
        full_transformer(nn.Linear(2, 2))


def test_minimal_loss_is_the_mean_over_the_words(model):
    for source, target in pairs(3):
        log_p = model(source, target[:, :-1]).log_softmax(dim=-1)
        losses = [-log_p[b, m - 1, target[b, m]] for b in range(3) for m in range(1, 5) if target[b, m] != PAD]
        assert torch.allclose(minimal.loss_of(model, source, target), torch.stack(losses).mean(), atol=1e-6)


def test_minimal_training_takes_the_steps_written_out_here(model):
    other = minimal.Transformer(13, 11, 24, 3, 2)
    other.load_state_dict(model.state_dict())
    losses = minimal.train(model, pairs(4), torch.optim.SGD(model.parameters(), lr=0.1))
    for loss, (source, target) in zip(losses, pairs(4), strict=True):
        now = minimal.loss_of(other, source, target)
        assert loss == pytest.approx(now.item(), abs=1e-5)
        gradients = torch.autograd.grad(now, list(other.parameters()))
        with torch.no_grad():
            for parameter, gradient in zip(other.parameters(), gradients, strict=True):
                parameter -= 0.1 * gradient
    for ours, theirs in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_minimal_translate_agrees_with_the_full_decoder():
    compared = set()
    for seed in range(20):
        torch.manual_seed(seed)
        model = minimal.Transformer(source_words=13, target_words=11, d_model=24, n_heads=3, n_layers=1)
        full, ((source, _), *_) = full_transformer(model), pairs(1, seed)
        predictor = Translating(full, source)
        theirs = greedy(predictor, predictor.start, 8).tokens
        for our, their in zip(minimal.greedy(model, source, 8), theirs, strict=True):
            if not {PAD, START} & set(our):  # which the full one never writes
                assert our == their
                compared.add(tuple(our))
    assert len(compared) > 10 and len(set(map(len, compared))) > 2


def test_minimal_translate_uses_eval_mode_and_stops_at_the_end():
    class Counting(nn.Module):
        """Writes 5, 6, 7 … and END after as many words as the source has that are not padding."""

        def __init__(self):
            super().__init__()
            self.asked = 0

        def forward(self, source, target):
            assert not self.training
            self.asked += 1
            n = target.shape[1]
            following = torch.where((source != PAD).sum(1) < n, END, 4 + n)  # (B,)
            return nn.functional.one_hot(following, 30).float()[:, None, :].repeat(1, n, 1)

    counting = Counting()
    source = torch.tensor([[3, 3, 3], [3, PAD, PAD]])
    assert minimal.greedy(counting, source, 20) == [[5, 6, 7], [5]]
    assert counting.asked == 4
    assert minimal.greedy(counting, source, 2) == [[5, 6], [5]]
