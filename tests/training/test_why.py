"""Every mistake in a training that `why` knows is made; of sound trainings it says nothing."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from utils.models import minimal
from utils.models.from_minimal import full_transformer
from utils.training.why import why

PAD, START, END = minimal.PAD, minimal.START, minimal.END
WORDS, LONGEST, ROWS = 14, 6, 16


def turned_and_counted_up(count, seed):
    """Batches of a language in which each sentence is turned round, and each word is the next number."""
    dice = torch.Generator().manual_seed(seed)
    for _ in range(count):
        lengths = torch.randint(3, LONGEST + 1, (ROWS, 1), generator=dice)
        source = torch.randint(3, WORDS - 1, (ROWS, LONGEST), generator=dice)
        source[torch.arange(LONGEST) >= lengths] = PAD
        target = torch.zeros(ROWS, LONGEST + 2, dtype=torch.long)
        for row, n in enumerate(lengths[:, 0].tolist()):
            target[row, : n + 2] = torch.tensor([START, *(source[row, :n].flip(0) + 1).tolist(), END])
        yield source, target


def trained(seed, steps, rate=3e-3, loop=minimal.train, optimizer=torch.optim.Adam, **sizes):
    torch.manual_seed(seed)
    model = minimal.Transformer(WORDS, WORDS, **{"d_model": 32, "n_layers": 1} | sizes)
    losses = loop(model, turned_and_counted_up(steps, seed), optimizer(model.parameters(), lr=rate, foreach=True))
    return model, losses, *next(turned_and_counted_up(1, 999))


# --- mistakes ---


def everything(n):
    return torch.ones(n, n, dtype=torch.bool)


def without_positions(table, ids):
    return table(ids) * table.weight.shape[1] ** 0.5


class WithoutSource(minimal.DecoderLayer):
    def forward(self, x, memory, mask, memory_mask):
        x = self.norm_attention(x + self.attention(x, x, mask))
        x = self.norm_cross(x + self.cross(x, x, mask))
        return self.norm_feed_forward(x + self.feed_forward(x))


def a_loss(said=lambda target: target[:, 1:], made=lambda logits: logits, ignored=PAD):
    def loss_of(model, source, target):
        logits = made(model(source, target[:, :-1]))
        return nn.functional.cross_entropy(logits.flatten(0, 1), said(target).flatten(), ignore_index=ignored)

    return loss_of


def without_zero_grad(model, batches, optimizer):
    losses = []
    for source, target in batches:
        loss = minimal.loss_of(model, source, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


MISTAKES = {
    "no mask": ("It sees ahead", 10, {"causal_mask": everything}, {}),
    "no source": ("It ignores the source", 10, {"DecoderLayer": WithoutSource}, {}),
    "no positions": ("It ignores the order", 10, {"embedded": without_positions}, {}),
    "no shift": ("It copies", 20, {"loss_of": a_loss(said=lambda target: target[:, :-1])}, {}),
    "padding counted": ("The loss counts the padding", 30, {"loss_of": a_loss(ignored=-100)}, {}),
    "two softmaxes": ("There is a softmax", 40, {"loss_of": a_loss(made=lambda z: z.softmax(dim=-1))}, {"rate": 0.01}),
    "no zero_grad": ("The gradients add up", 30, {}, {"loop": without_zero_grad}),
    "far too bold": ("The learning rate is too high", 41, {}, {"rate": 0.3}),
    "too timid": ("The learning rate is too low", 41, {}, {"rate": 1e-5}),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_why_names_the_mistake(mistake, monkeypatch):
    begins, steps, others, how = MISTAKES[mistake]
    for name, other in others.items():
        monkeypatch.setattr(minimal, name, other)
    said = why(*trained(0, steps, **how))
    assert said.startswith(begins) and any(letter.isdigit() for letter in said), said or "nothing"


@pytest.mark.parametrize(
    ("seed", "steps", "how"),
    [
        (0, 120, {}),
        (3, 60, {"optimizer": torch.optim.AdamW, "d_model": 48}),
    ],
)
def test_why_says_nothing_of_a_sound_training(seed, steps, how):
    assert why(*trained(seed, steps, **how)) == ""


def test_why_accepts_the_full_transformer(monkeypatch):
    model, losses, source, target = trained(0, 20)
    assert why(full_transformer(model), losses, source, target) == ""
    monkeypatch.setattr(minimal, "loss_of", a_loss(said=lambda target: target[:, :-1]))
    model, losses, source, target = trained(0, 20)
    assert why(full_transformer(model), losses, source, target).startswith("It copies")


def test_why_blames_the_learning_rate_for_a_nan_loss_and_gives_the_step():
    model, losses, source, target = trained(0, 10)
    assert why(model, [*losses, math.nan, 1.0], source, target).startswith("The loss became nan at step 11")


def test_why_leaves_the_model_unchanged():
    model, losses, source, target = trained(0, 10)
    model.train()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    gradients = [p.grad.clone() for p in model.parameters()]
    state = torch.get_rng_state()
    why(model, losses, source, target)
    assert model.training and all(torch.equal(before[name], tensor) for name, tensor in model.state_dict().items())
    assert all(map(torch.equal, gradients, (p.grad for p in model.parameters())))
    assert torch.equal(torch.get_rng_state(), state) and all(p.requires_grad for p in model.parameters())
