"""Checkpoints: going on from one is as if nothing had happened, and no kill at any moment spoils one."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

from utils.models.config import TransformerConfig
from utils.models.files import save_tensors
from utils.models.transformer import Transformer
from utils.training.batches import bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import translation_loss

ROOT = Path(__file__).resolve().parents[2]
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
@pytest.mark.parametrize("stop", [17])
def test_training_resumed_from_its_checkpoint_is_bitwise_identical(path, optimizer, stop):
    whole = trained(optimizer)
    first = trainer(path, validate=lambda model: float(weights(model)[0]), optimizer=optimizer)
    first.train(stop)
    second = trainer(validate=lambda model: float(weights(model)[0]), optimizer=optimizer)
    second.load(path)
    assert second.step == stop and second.history == first.history
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


def test_training_that_has_not_started_can_be_saved(path):
    trainer().save(path)
    run = trainer()
    run.train(3)
    run.load(path)
    assert run.step == 0 and run.train().losses == trainer().train().losses


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
        ({"learning_rate": 1e-3}, "the learning_rate of its training is 0.002, and here it is 0.001."),
        (
            {
                "model": Transformer(
                    TransformerConfig(source_vocabulary=12, target_vocabulary=12, **{**SIZES, "d_model": 32})
                )
            },
            "the d_model of its model is 16, and here it is 32.",
        ),
        ({"loss_of": translation_loss(0.1)}, "the smoothing of its loss is 0.0, and here it is 0.1."),
        ({"model": nn.Linear(2, 2)}, "the class of its model is 'Transformer', and here it is 'Linear'."),
    ],
)
def test_checkpoint_of_another_training_is_refused(saved, changes, sentence):
    said = refused(trainer(**changes), saved)
    assert said == f"FILE is a checkpoint of another training: {sentence[:-1]}; to begin anew, delete that file."


def test_other_files_are_refused_as_checkpoints(path):
    run = trainer()
    assert "FILE" in refused(run, path, FileNotFoundError)
    save_tensors(path, {"a": torch.ones(2)})
    assert "FILE must be a checkpoint" in refused(run, path)


# --- killed -----------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys, time
sys.path.insert(0, {tests!r})
import torch._dynamo  # else each child imports it, for seconds
from test_checkpoints import trainer
from utils.models import files

path, ends = {path!r}, [signal.SIGKILL] * 8 + [signal.SIGINT]
for n, end in enumerate(ends):
    hear, tell = os.pipe()
    child = os.fork()
    if not child:
        write, say_so = files.write_whole, lambda *_: os.write(tell, b"!") * 0.0
        if end == signal.SIGKILL:
            files.write_whole = lambda *what: say_so() or write(*what)
            run = trainer(path, steps=400, checkpoint_every=1)
        else:
            run = trainer(path, steps=400, checkpoint_every=400, evaluate_every=1, validate=say_so)
        if os.path.exists(path):
            run.load(path)
        print("step", run.step, flush=True)
        run.train()
        print(end="", flush=True)
        os._exit(0)
    for _ in range(1 + n % 3):  # checkpoints that it begins to write, or steps, however long they take
        os.read(hear, 1)
    time.sleep(0.0005 * n * n)  # in the midst of writing, and later
    os.kill(child, end)
    print("ended", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    if os.path.exists(path):
        files.load_tensors(path)
"""


@pytest.mark.long
def test_killed_or_interrupted_training_resumes_with_the_same_losses(path):
    program = KILLED.format(tests=str(Path(__file__).parent), path=str(path))
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=1200)
    assert run.returncode == 0, run.stderr
    lines = run.stdout.splitlines()
    assert [line for line in lines if line.startswith("ended")] == ["ended -9"] * 8 + ["ended 0"]
    steps = [int(line.split()[1]) for line in lines if line.startswith("step")]
    assert len(steps) == 9 and steps == sorted(steps)  # each went on from where the last one was killed,
    assert len(set(steps)) > 4  # and many of them moved on
    settings = {"steps": 400, "checkpoint_every": 400, "evaluate_every": 400}
    resumed, whole = trainer(**settings), trainer(**settings)
    resumed.load(path)
    assert steps[-1] < resumed.step < 400 and len(resumed.history.losses) == resumed.step
    assert f"Stopped after step {resumed.step} of 400. Nothing is lost: train() goes on from here." in lines
    assert whole.train(resumed.step + 20).losses == resumed.train(20).losses
    assert torch.equal(weights(resumed.model), weights(whole.model))
