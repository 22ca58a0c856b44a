"""Checkpoints: going on from one is as if nothing had happened, and no kill at any moment spoils one."""

from __future__ import annotations

from functools import cache

import pytest
import torch
from torch import nn

from utils.models.config import TransformerConfig
from utils.models.files import load_tensors, save_tensors
from utils.models.transformer import Transformer
from utils.training.batches import bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import translation_loss

SIZES = {"d_model": 16, "n_heads": 2, "d_ff": 16, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 16}
EXAMPLES = [([4 + i % 7, 4 + i % 5, 4], [4 + i % 5, 4 + i % 7]) for i in range(60)]


def trainer(path=None, model=None, batches=None, validate=None, loss_of=None, **changes):
    torch.manual_seed(0)
    config = TransformerConfig(source_vocabulary=12, target_vocabulary=12, dropout=0.1, **SIZES)
    return Trainer(
        model or Transformer(config),
        batches or bucketed_batches(EXAMPLES, 8),
        TrainingConfig(**{"steps": 40, "warmup": 5, "checkpoint_every": 10, "evaluate_every": 5, **changes}),
        loss_of=loss_of,
        validate=validate,
        checkpoint=path,
        show=False,
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "c.safetensors"


@pytest.fixture
def saved(path):
    """The file of a checkpoint after two steps."""
    trainer(path).train(2)
    return path


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


@cache
def trained(optimizer):
    whole = trainer(validate=lambda model: float(weights(model)[0]), optimizer=optimizer)
    whole.train()
    return whole


@pytest.mark.parametrize("optimizer", ["adamw", "adam"])
def test_training_resumed_from_its_checkpoint_is_bitwise_identical(path, optimizer):
    whole = trained(optimizer)
    first = trainer(path, validate=lambda model: float(weights(model)[0]), optimizer=optimizer)
    first.train(17)
    second = trainer(validate=lambda model: float(weights(model)[0]), optimizer=optimizer)
    second.load(path)
    assert second.step == 17 and second.history == first.history
    second.train()
    assert second.history.losses == whole.history.losses
    assert second.history.scores == whole.history.scores
    assert torch.equal(weights(second.model), weights(whole.model))


def test_checkpoints_are_saved_as_often_as_requested_and_at_the_end(tmp_path, monkeypatch):
    steps = []
    monkeypatch.setattr(Trainer, "save", lambda run, path: steps.append(run.step))
    run = trainer(tmp_path / "c.safetensors", steps=35)
    run.train(12)
    run.train()
    assert steps == [10, 12, 20, 30, 35]


# --- files that are no help -------------------------------------------------------------------------------------


def refused(run, path, error=ValueError):
    before, step = weights(run.model).clone(), run.step
    with pytest.raises(error) as caught:
        run.load(path)
    assert torch.equal(weights(run.model), before) and run.step == step
    return str(caught.value).replace(str(path), "FILE")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"learning_rate": 1e-3}, "the learning_rate of its training is 0.002"),
        ({"loss_of": translation_loss(0.1)}, "the smoothing of its loss"),
        ({"model": nn.Linear(2, 2)}, "the class of its model"),
    ],
)
def test_checkpoint_of_another_training_is_refused(saved, changes, sentence):
    assert sentence in refused(trainer(**changes), saved)


def test_other_files_are_refused_as_checkpoints(path):
    run = trainer()
    assert "FILE does not exist" in refused(run, path, FileNotFoundError)
    save_tensors(path, {"a": torch.ones(2)})
    assert "FILE is a safetensors file" in refused(run, path)


@pytest.mark.parametrize("text", ["{", '{"losses": [1.0, NaN], "seconds": [0.1, 0.2], "scores": []}'])
def test_checkpoint_with_damaged_history_is_refused_before_loading(saved, text):
    tensors, texts = load_tensors(saved)
    save_tensors(saved, tensors, texts | {"history": text})
    run = trainer()
    assert "FILE is a damaged checkpoint" in refused(run, saved)
    assert not run.history.losses and not run.optimizer.state
