"""The ten lines that lesson 12 trains with, taken from its page: `Trainer` does the same, to the last bit."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from utils.data.corpora import english_persian
from utils.data.vocabulary import PAD
from utils.models.transformer import Transformer
from utils.training.batches import Batches, bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.train import new_translator
from utils.training.translator import examples

PAGE = Path(__file__).with_name("lesson.md").read_text(encoding="utf-8")
CELLS = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
(TEN_LINES,) = (cell for cell in CELLS if "for n in trange(300" in cell)
STEPS, RATE = 8, 0.001
PLAIN = TrainingConfig(steps=300, learning_rate=RATE, optimizer="adam", warmup=0, schedule="constant", clip=None)


@pytest.fixture(scope="module")
def fresh() -> tuple[Transformer, Batches]:
    """A small model in 64 bits that has learnt nothing, and batches of the corpus for it."""
    corpus = english_persian()
    translator = new_translator(corpus, d_model=16, d_ff=32)
    pairs = examples(corpus.train[:600], translator.source_vocabulary, translator.target_vocabulary)
    return translator.model.double(), bucketed_batches(pairs, 32)


def by_the_page(model: nn.Module, batches: Batches, adam: Callable[..., torch.optim.Optimizer]) -> list[float]:
    """Runs the lines of the page for STEPS steps. adam: what stands for `torch.optim.Adam`."""
    lines = TEN_LINES.replace("range(300", f"range({STEPS}").replace("torch.optim.Adam", "adam")
    names: dict[str, Any] = {"model": model, "batches": batches, "adam": adam, "nn": nn, "PAD": PAD}
    exec(lines, names | {"trange": lambda n, leave: range(n)}, names)
    return names["losses"]


def mean_loss(model: nn.Module, batch: Any) -> tuple[torch.Tensor, int]:
    """The page's loss as `Trainer` takes one: a sum, and what it is a sum of."""
    logits = model(batch.source, batch.target_in)
    return nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD), 1


def test_trainer_takes_bitwise_identical_steps(fresh: tuple[Transformer, Batches]) -> None:
    ours, theirs = deepcopy(fresh[0]), deepcopy(fresh[0])
    trainer = Trainer(theirs, fresh[1], PLAIN, loss_of=mean_loss, show=False)

    losses = by_the_page(ours, fresh[1], partial(torch.optim.Adam, fused=True))
    assert losses == trainer.train(steps=STEPS).losses
    for name, weights in theirs.state_dict().items():
        assert torch.equal(weights, ours.state_dict()[name]), name
