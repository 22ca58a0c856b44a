"""Two real processes, started as `make train HOSTS=2` starts them on two hosts, make the steps that one would make.

Both hosts are this machine: what a network between them adds was not tried.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.training.test_train import command, weights, weights_at_the_start, written
from utils.models.config import TransformerConfig
from utils.models.files import load_tensors, save_tensors
from utils.models.transformer import Transformer
from utils.training import distributed, train
from utils.training.batches import random_batches
from utils.training.loop import Trainer, TrainingConfig

ROOT = Path(__file__).resolve().parents[2]
# Lengths of all kinds, so that the shares differ in their number of tokens; 41 pairs, so that batches of 8 end with
# one of a single row, of which the second process gets nothing.
EXAMPLES = [([4 + i % 7] * (1 + i % 5), [4 + i % 5] * (1 + i % 9)) for i in range(41)]
STEPS = 12


def trainer(path=None):
    torch.set_num_threads(1)
    torch.manual_seed(distributed.rank())  # processes that start apart are brought together
    model = Transformer(
        TransformerConfig(
            **{"source_vocabulary": 12, "target_vocabulary": 12, "d_model": 16, "n_heads": 2, "d_ff": 32},
            **{"n_encoder_layers": 1, "n_decoder_layers": 2, "max_length": 16, "dropout": 0.0},
        )
    ).double()
    config = TrainingConfig(steps=STEPS, warmup=2, evaluate_every=5, clip=None)
    score = lambda model: float(next(model.parameters()).sum()) + 100 * distributed.rank()  # noqa: E731
    return Trainer(model, random_batches(EXAMPLES, 8), config, validate=score, checkpoint=path, show=False)


def train_and_write(folder: str) -> None:
    """What each of the processes does, beside the command."""
    run = trainer(Path(folder) / "checkpoint.safetensors")
    gradients = []
    update = run.optimizer.step
    run.optimizer.step = lambda: (gradients.append([p.grad.clone() for p in run.model.parameters()]), update())
    run.train()
    tensors = {f"{step}.{i}": g for step, grads in enumerate(gradients) for i, g in enumerate(grads)}
    tensors["losses"] = torch.tensor(run.history.losses, dtype=torch.float64)
    tensors["scores"] = torch.tensor(run.history.scores, dtype=torch.float64)
    save_tensors(Path(folder) / f"{distributed.count()}-{distributed.rank()}.safetensors", tensors)


def run_processes(count, folder, pairs):
    program = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_distributed import train, train_and_write\n"
        "translate = train._train\n"
        f"train._train = lambda options: (train_and_write({str(folder)!r}), translate(options))\n"
        f"train.main({command(pairs, folder / 'translator.safetensors')})\n"
    )
    script = folder / "program.py"
    script.write_text(program)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    together = re.search(r"together = \$\(if \$\(HOSTS\),(.+),--standalone\)", makefile)[1]
    with socket.create_server(("127.0.0.1", 0)) as free:
        first = f"127.0.0.1:{free.getsockname()[1]}"
    together = together.replace("$(HOSTS)", str(count)).replace("$(FIRST)", first).split()
    line = [sys.executable, "-m", "torch.distributed.run", *together, "--nproc-per-node=1", str(script)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    options = {"cwd": ROOT, "env": environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    hosts = [subprocess.Popen(line, **options) for _ in range(count)]
    said = ""
    try:
        for host in hosts:
            out, errors = host.communicate(timeout=1200)
            assert host.returncode == 0, errors
            said += out
    finally:
        for host in hosts:
            host.terminate()  # where another has failed, it would wait for that one
    return [load_tensors(folder / f"{count}-{rank}.safetensors")[0] for rank in range(count)], said


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two")
    return folder, *run_processes(2, folder, written(folder / "pairs.tsv"))


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    train_and_write(str(folder))
    return load_tensors(folder / "1-0.safetensors")[0]


@pytest.mark.long
def test_gradient_of_two_processes_equals_that_of_the_joined_batch(one, two):
    for process in two[1]:
        for name, gradient in one.items():
            torch.testing.assert_close(process[name], gradient, rtol=0, atol=1e-6)


@pytest.mark.long
def test_both_processes_have_the_same_state(two):
    first, second = two[1]
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert [score[0] for score in first["scores"].tolist()] == [5, 10, 12]


@pytest.mark.long
def test_distributed_checkpoint_works_for_a_single_process(one, two):
    run = trainer()
    run.load(two[0] / "checkpoint.safetensors")
    assert run.step == STEPS
    torch.testing.assert_close(torch.tensor(run.history.losses, dtype=torch.float64), one["losses"], rtol=0, atol=1e-6)


@pytest.mark.long
def test_distributed_training_gives_the_same_translator_and_one_report(two, tmp_path):
    folder, _, said = two
    train.main(command(folder / "pairs.tsv", tmp_path / "one.safetensors"))
    assert said.count("Saved in") == said.count("34 pairs to train on") == 1
    together, one = weights(folder / "translator.safetensors"), weights(tmp_path / "one.safetensors")
    # Adam makes a whole step even of a gradient of 1e−9, whose sign is chance: hence no bound on every single weight.
    assert (together - one).abs().mean() < 1e-5 < (one - weights_at_the_start(folder / "pairs.tsv")).abs().mean()


def test_single_process_has_nothing_to_sum():
    with distributed.processes():
        assert (distributed.rank(), distributed.count()) == (0, 1)
        assert distributed.sums(1.5, 2.5) == [1.5, 2.5]
        assert distributed.from_first(3.0) == 3.0
