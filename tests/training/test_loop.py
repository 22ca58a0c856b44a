"""The loop: the steps it takes, where it stops, and that nothing is lost when it does."""

from __future__ import annotations

import math
import os
import signal
from copy import deepcopy
from itertools import count

import pytest
import torch
from torch import nn

from tests.refused import refused
from utils.models.gpt import Gpt, GptConfig
from utils.training.batches import Windows, bucketed_batches
from utils.training.decoding import Continuing, greedy
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import next_token_loss, translation_loss
from utils.training.schedule import learning_rate

QUICK = {"steps": 30, "warmup": 3, "learning_rate": 1e-2, "evaluate_every": 10}


class Copier(nn.Module):
    """Says at each place what it believes comes after one word of the source and one of the target; with dropout."""

    def __init__(self, dropout=0.2):
        super().__init__()
        torch.manual_seed(0)
        self.source, self.target = nn.Embedding(20, 8), nn.Embedding(20, 8)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(8)
        self.output = nn.Linear(8, 20)

    def forward(self, source, target):
        states = self.source(source[:, :1]) + self.target(target)
        return self.output(self.norm(self.dropout(states)))


EXAMPLES = [([4 + i % 13, 5], [4 + i % 13, *[6] * (i % 4)]) for i in range(100)]


def trainer(model=None, *, loss_of=None, batches=None, **changes):
    names = ("validate", "on_best", "checkpoint", "clock", "show")
    outside = {name: changes.pop(name) for name in names if name in changes}
    return Trainer(
        model or Copier(),
        batches or bucketed_batches(EXAMPLES, 8),
        TrainingConfig(**{**QUICK, **changes}),
        loss_of=loss_of,
        **{"show": False, **outside},
    )


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def nan_at(step):
    """A loss that is the usual one until the call number `step`, counted from 1."""
    usual, calls = translation_loss(), count(1)

    def loss_of(model, batch):
        total, items = usual(model, batch)
        return total * math.nan if next(calls) == step else total, items

    loss_of.smoothing = usual.smoothing
    return loss_of


# --- what it does -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("optimizer", "schedule", "clip"), [("adamw", "linear", 0.5), ("adam", "constant", None)])
def test_trainer_steps_match_those_of_a_written_out_loop(optimizer, schedule, clip):
    model = Copier(dropout=0.0)
    twin = deepcopy(model)
    changes = {"optimizer": optimizer, "schedule": schedule, "clip": clip, "weight_decay": 0.1}
    run = trainer(model, loss_of=translation_loss(smoothing=0.1), **changes)
    losses = run.train().losses
    options = {"betas": (0.9, 0.98), "eps": 1e-9}
    if optimizer == "adamw":
        groups = [
            {"params": [p for p in twin.parameters() if p.ndim == dims], "weight_decay": decay}
            for dims, decay in ((2, 0.1), (1, 0.0))
        ]
        plain = torch.optim.AdamW(groups, **options)
    else:
        plain = torch.optim.Adam(twin.parameters(), **options)
    batches = bucketed_batches(EXAMPLES, 8)
    for step in range(30):
        for group in plain.param_groups:
            group["lr"] = learning_rate(step + 1, peak=1e-2, warmup=3, steps=30, shape=schedule)
        batch = batches(step)
        loss = nn.functional.cross_entropy(
            twin(batch.source, batch.target_in).flatten(0, 1),
            batch.target_out.flatten(),
            ignore_index=0,
            label_smoothing=0.1,
        )
        plain.zero_grad()
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(twin.parameters(), clip)
        plain.step()
        assert losses[step] == pytest.approx(loss.item(), abs=1e-5)
    torch.testing.assert_close(weights(model), weights(twin), rtol=0, atol=1e-5)


def test_best_score_is_reported_again_when_equalled_later(tmp_path):
    def one(told, **more):
        scores = {10: 2.0, 20: 3.0, 30: 1.0, 40: 3.0, 50: 2.0, 60: 4.0}
        run = trainer(steps=60, checkpoint=tmp_path / "c", checkpoint_every=10, **more)
        run._validate = lambda model: scores[run.step]
        run._on_best = lambda: told.append(run.step)
        return run

    told = []
    one(told).train()
    assert told == [10, 20, 40, 60]
    (tmp_path / "c").unlink()
    told = []
    one(told).train(25)
    again = one(told)  # after a kill
    again.load(tmp_path / "c")
    again.train()
    assert told == [10, 20, 40, 60]


def test_dropout_differs_at_every_step_and_process(monkeypatch):
    def drawn_by(rank):
        drawn, usual = [], translation_loss()
        monkeypatch.setattr("utils.training.distributed.rank", lambda: rank)
        trainer(loss_of=lambda model, batch: drawn.append(torch.rand(1).item()) or usual(model, batch)).train()
        return drawn

    first, second = drawn_by(0), drawn_by(1)
    assert len({*first, *second}) == len(first) + len(second) == 2 * QUICK["steps"]


def test_validation_score_is_computed_when_due_in_eval_mode_without_gradients():
    asked = []

    def validate(model):
        asked.append((run.step, model.training, torch.is_grad_enabled()))
        return run.step / 100

    run = trainer(steps=25, validate=validate)
    history = run.train()
    assert asked == [(10, False, False), (20, False, False), (25, False, False)]
    assert history.scores == [(10, 0.1), (20, 0.2), (25, 0.25)]
    assert history.best == 0.25
    assert math.isnan(trainer().history.best)


def test_trainer_trains_a_language_model_and_resumes_from_its_checkpoint(tmp_path):
    """Of a text in which every word has one successor, a Gpt learns all but what nothing tells: the first one."""
    text = torch.arange(200) % 7 + 1

    def run(begin=1):
        torch.manual_seed(0)
        model = Gpt(GptConfig(vocabulary=8, d_model=16, n_heads=2, d_ff=32, n_layers=1, max_length=12, dropout=0.1))
        windows = Windows(text, length=12, batch_size=8)
        return trainer(model, batches=windows, loss_of=next_token_loss(begin), steps=60)

    whole, first, second = run(), run(), run()
    whole.train()
    assert whole.history.losses[-1] < 0.3 < 1.5 < whole.history.losses[0]
    first.train(25)
    first.save(tmp_path / "c.safetensors")
    second.load(tmp_path / "c.safetensors")
    second.train()
    assert second.history.losses == whole.history.losses
    with pytest.raises(ValueError, match="the begin of its loss is 1"):
        run(begin=3).load(tmp_path / "c.safetensors")
    written = greedy(Continuing(whole.model), torch.tensor([[3, 4]]), 6, end=None).tokens
    assert written == [[5, 6, 7, 1, 2, 3]]


# --- stopping and going on --------------------------------------------------------------------------------------


def test_training_in_parts_takes_the_same_steps():
    whole = trainer()
    whole.train()
    parts = trainer()
    for steps in (1, 7, 12, 1000):
        parts.train(steps)
    assert parts.history.losses == whole.history.losses
    assert torch.equal(weights(parts.model), weights(whole.model))
    assert len(parts.train().losses) == 30  # nothing is left to do


def test_stop_button_ends_after_the_current_step(capsys):
    whole = trainer().train().losses
    run = trainer(show=False)
    usual = run._loss_of

    def press_once(model, batch):
        if run.step == 11 and not capsys.readouterr().out:
            os.kill(os.getpid(), signal.SIGINT)
        return usual(model, batch)

    run._loss_of = press_once
    handler = signal.getsignal(signal.SIGINT)
    assert len(run.train().losses) == 12
    assert signal.getsignal(signal.SIGINT) is handler
    assert "Stopped after step 12 of 30" in capsys.readouterr().out
    assert run.step == 12 and not run.model.training
    run._loss_of = usual
    assert run.train().losses == whole


def test_second_interrupt_within_a_step_leaves_whole_steps():
    whole = trainer().train().losses
    run = trainer()
    step = run.optimizer.step

    def half_a_step():
        with torch.no_grad():
            run.model.output.weight.add_(1.0)
        run.optimizer.step = step
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    run.train(11)
    run.optimizer.step = half_a_step
    history = run.train()
    assert len(history.losses) == run.step < 12
    assert run.train().losses == whole


def test_trainer_stops_at_its_target_score_or_time_limit():
    run = trainer(validate=lambda model: run.step / 100)
    assert len(run.train(until=0.2).losses) == 20
    hours = iter(range(10**6))
    timed = trainer(clock=lambda: float(next(hours)))
    assert len(timed.train(max_seconds=5).losses) == 5
    assert len(timed.train(max_seconds=6.5).losses) == 12
    assert len(timed.train(max_seconds=0.5).losses) == 13


# --- when the loss is no number ---------------------------------------------------------------------------------


def test_nan_loss_stops_with_the_last_good_state(tmp_path):
    good = trainer(steps=80)
    good.train(50)
    run = trainer(steps=80, loss_of=nan_at(62), checkpoint=tmp_path / "c.safetensors", checkpoint_every=60)
    assert "FloatingPointError" in refused(run.train)
    assert run.step == 50 and run.history.losses == good.history.losses
    assert torch.equal(weights(run.model), weights(good.model)) and not run.model.training
    again = trainer(steps=80)
    again.load(tmp_path / "c.safetensors")  # and no bad state stays in the file
    assert again.step == 50 and torch.equal(weights(again.model), weights(good.model))
    assert run.train().losses == trainer(steps=80).train().losses


def test_nan_gradient_is_never_applied():
    class Kink(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x.clone()

        @staticmethod
        def backward(context, gradient):
            return gradient * math.nan

    def loss_of(model, batch):
        total, items = translation_loss()(model, batch)
        return Kink.apply(total), items

    run = trainer(loss_of=loss_of)
    before = weights(run.model).clone()
    with pytest.raises(FloatingPointError, match="the gradient became nan at step 1"):
        run.train()
    assert torch.equal(weights(run.model), before)


# --- nonsense ---------------------------------------------------------------------------------------------------


NO_CONFIGURATION = [
    ("warmup can't last longer than the training", {"warmup": 31}),
    ("clip must be a number above 0", {"clip": 0}),
]


@pytest.mark.parametrize(("sentence", "changes"), NO_CONFIGURATION)
def test_invalid_configuration_is_refused_in_one_sentence(changes, sentence):
    assert sentence in refused(TrainingConfig, **{**QUICK, **changes})


NO_TRAINING = [
    ("steps must be a whole number of at least 1", lambda: trainer().train(0)),
    ("batch 0 has nothing to predict", lambda: trainer(loss_of=lambda model, batch: (weights(model).sum(), 0)).train()),
]


@pytest.mark.parametrize(("sentence", "call"), NO_TRAINING)
def test_trainer_refuses_invalid_arguments(call, sentence):
    assert sentence in refused(call)
