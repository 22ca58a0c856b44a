"""Trainings that are too long for a lesson's control, done once and kept: `python -m lessons.saved_runs`.

All on the course's corpus, each with the seeds below:

- `short_run`: RUN_STEPS steps for every size and highest learning rate below (some with one seed alone: `seeds_of`);
- `watched_run`: the short run of lesson 12's size and rate again, with what the model writes for WATCHED as it learns;
- `whole_run`: lesson 12's training from beginning to end, as it is, with less weight decay, and with a bolder rate:
  the mean loss of its last LAST steps, and the score at the end;
- `few_run`: the same model on the first FEW pairs only, again and again;
- `positions_run`: the same model with positions and without, for so many steps;
- `optimizer_run`: small models with Adam and with gradient descent, at several rates.

Scores and losses besides those of the training itself are of validation sentences; none is of the test. The curves
stand in saved_runs.json beside this file, three digits each. `--only whole` does again what begins so, and keeps the
rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch

from utils.data.corpora import Corpus, Pair, english_persian
from utils.data.kept import keep, read_run
from utils.data.vocabulary import PAD, Vocabulary, tokenize
from utils.training.batches import Batch, batch_of, bucketed_batches
from utils.training.loop import TrainingConfig
from utils.training.loss import translation_loss
from utils.training.train import new_translator, recipe, score_on, trainer_of
from utils.training.translator import Translator, examples

SEEDS = (0, 1, 2)
SIZES = (32, 64, 128)  # d_model
LEARNING_RATES = (1e-4, 5e-4, 2e-3, 1e-2, 5e-2)
CLOSE = (2e-3, 1e-2)  # the rates with all seeds; the others, far behind, have the first alone
RUN_STEPS = 300
EVERY = 30  # steps between two points of a curve
TESTED = 100  # validation sentences for each
WATCHED = "The weather is great."  # a sentence of the test, translated as the model learns
WATCHED_EVERY = 10  # steps
WHOLE = ((2e-3, 1.0), (2e-3, 0.01), (1e-2, 1.0))  # highest learning rate, weight decay: the first are the recipe's
LAST = 50  # steps
FEW = 250  # pairs
FEW_STEPS = 500
FEW_EVERY = 25
FEW_DECAYS = (0.01, 1.0)
POSITIONS = (("sinusoidal", 300), ("none", 300), ("none", 1000))  # and how many steps
OPTIMIZERS = (
    *(("SGD", rate) for rate in (0.1, 0.3, 0.6, 1.0)),
    *(("momentum", rate) for rate in (0.03, 0.1, 0.2)),
    *(("Adam", rate) for rate in (1e-3, 2e-3, 4e-3)),
)
OPTIMIZER_STEPS = 200
OPTIMIZER_LAST = 20  # steps, whose mean loss is kept
_FILE = Path(__file__).with_name("saved_runs.json")


# --- saved curves, with a point every few steps ---
#
# losses: training losses, the mean of the steps since the last point. scores: exact match on validation sentences.
# validation_losses, and right_words: the share of validation words that the model gives the highest probability.


def short_run(size: int, rate: float, seed: int = 0) -> Any:
    """RUN_STEPS steps of this size and highest learning rate. Raises ValueError, as all of these, for one not kept."""
    return read_run(_FILE, _name("short", size, rate, seed))


def watched_run(seed: int = 0) -> Any:
    """The short run of size 128 and rate 2e-3, with a point every WATCHED_EVERY steps; texts: WATCHED, translated."""
    return read_run(_FILE, _name("watched", seed))


def whole_run(rate: float, decay: float, seed: int = 0) -> Any:
    """Lesson 12's training with this highest learning rate and this weight decay."""
    return read_run(_FILE, _name("whole", rate, decay, seed))


def few_run(decay: float, seed: int = 0) -> Any:
    """FEW_STEPS steps on FEW pairs with this weight decay: loss in training and validation, and right words."""
    return read_run(_FILE, _name("few", decay, seed))


def positions_run(positions: str, steps: int, seed: int = 0) -> Any:
    """So many steps with these positions, or with none: the score at the end."""
    return read_run(_FILE, _name("positions", positions, steps, seed))


def optimizer_run(optimizer: str, rate: float, seed: int = 0) -> Any:
    """OPTIMIZER_STEPS steps of a small model with this optimizer at a constant rate: the mean of its last losses.

    It is NaN where the run has diverged.
    """
    return read_run(_FILE, _name("optimizer", optimizer, rate, seed))


def seeds_of(rate: float) -> tuple[int, ...]:
    """The seeds with which there are short runs at this rate."""
    return SEEDS if rate in CLOSE else SEEDS[:1]


def _name(kind: str, *settings: float | str) -> str:
    """Such as "whole 0.002 0.01 0"."""
    return " ".join([kind, *(word if isinstance(word, str) else f"{word:g}" for word in settings)])


# --- how it was done ---


def train_short(size: int, rate: float, seed: int) -> dict[str, list[float]]:
    """What `short_run` keeps; the others likewise. d_ff = 4 · d_model, and the schedule ends with it."""
    corpus = english_persian()
    translator = new_translator(corpus, seed, d_model=size, d_ff=4 * size)
    config = recipe(steps=RUN_STEPS, learning_rate=rate, evaluate_every=EVERY)
    history = trainer_of(translator, corpus, config, tested=TESTED, show=False).train()
    return {"losses": _means(history.losses, EVERY), "scores": [round(score, 4) for _, score in history.scores]}


def train_watched(seed: int) -> dict[str, list[Any]]:
    corpus = english_persian()
    translator = new_translator(corpus, seed)
    config = recipe(steps=RUN_STEPS, learning_rate=2e-3, evaluate_every=WATCHED_EVERY)
    trainer = trainer_of(translator, corpus, config, tested=TESTED, show=False)
    texts = []
    while not trainer.done:
        trainer.train(steps=WATCHED_EVERY)
        texts.append(translator.translate(WATCHED))
    losses, scores = trainer.history.losses, trainer.history.scores
    return {"losses": _means(losses, WATCHED_EVERY), "scores": [round(score, 4) for _, score in scores], "texts": texts}


def train_whole(rate: float, decay: float, seed: int) -> dict[str, list[float]]:
    corpus = english_persian()
    translator = new_translator(corpus, seed)
    config = recipe(learning_rate=rate, weight_decay=decay)
    losses = trainer_of(translator, corpus, config, validate=None, show=False).train().losses[-LAST:]
    score = score_on(translator, corpus.validation)(translator.model)
    return {"losses": _means(losses, LAST), "scores": [round(score, 4)]}


def train_few(decay: float, seed: int) -> dict[str, list[float]]:
    """At a constant rate, so that a loss that stops falling has not been stopped by the schedule."""
    corpus = english_persian()
    few = Corpus(corpus.train[:FEW], corpus.validation)
    translator = new_translator(few, seed)
    batch, loss_of = _batch_of_known(translator, corpus.validation), translation_loss()
    config = TrainingConfig(steps=FEW_STEPS, weight_decay=decay, schedule="constant")
    trainer = trainer_of(translator, few, config, validate=None, show=False)
    validation, right = [], []
    while not trainer.done:
        trainer.train(steps=FEW_EVERY)
        with torch.inference_mode():
            total, words = loss_of(translator.model, batch)
            said = translator.model(batch.source, batch.target_in).argmax(dim=-1)
        real = batch.target_out != PAD
        validation.append(round(float(total) / words, 3))
        right.append(round(float((said == batch.target_out)[real].float().mean()), 4))
    return {"losses": _means(trainer.history.losses, FEW_EVERY), "validation_losses": validation, "right_words": right}


def train_positions(positions: str, steps: int, seed: int) -> dict[str, list[float]]:
    """With the usual weight decay of 0.01, as in the lesson's cell."""
    corpus = english_persian()
    translator = new_translator(corpus, seed, positions=positions)
    history = trainer_of(translator, corpus, TrainingConfig(steps=steps), validate=None, show=False).train()
    score = score_on(translator, corpus.validation[::6])(translator.model)
    return {"losses": _means(history.losses, steps), "scores": [round(score, 4)]}


def train_optimizer(optimizer: str, rate: float, seed: int) -> dict[str, list[float]]:
    """The lesson's ten lines, with another optimizer; “momentum” is SGD with a momentum of 0.9."""
    corpus = english_persian()
    translator = new_translator(corpus, seed, d_model=64, d_ff=128)
    pairs = examples(corpus.train, translator.source_vocabulary, translator.target_vocabulary)
    model, batches = translator.model.train(), bucketed_batches(pairs, 32, seed)
    kinds = {
        "SGD": torch.optim.SGD,
        "momentum": partial(torch.optim.SGD, momentum=0.9),
        "Adam": partial(torch.optim.Adam, betas=(0.9, 0.98), eps=1e-9),
    }
    moves = kinds[optimizer](model.parameters(), lr=rate)
    losses = []
    for n in range(OPTIMIZER_STEPS):
        batch = batches(n)
        logits = model(batch.source, batch.target_in)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), ignore_index=PAD)
        moves.zero_grad()
        loss.backward()
        moves.step()
        losses.append(loss.item())
    return {"losses": _means(losses[-OPTIMIZER_LAST:], OPTIMIZER_LAST)}


def _means(losses: list[float], every: int) -> list[float]:
    return [round(sum(losses[start : start + every]) / every, 3) for start in range(0, len(losses), every)]


def _batch_of_known(translator: Translator, pairs: list[Pair]) -> Batch:
    """Those of `pairs` of which the translator knows all words, in one batch."""

    def known(text: str, words: Vocabulary) -> bool:
        return all(token in words for token in tokenize(text))

    source, target = translator.source_vocabulary, translator.target_vocabulary
    kept = [pair for pair in pairs if known(pair.source, source) and known(pair.target, target)]
    return batch_of(examples(kept, source, target))


def _all() -> dict[str, Callable[[], dict[str, list[Any]]]]:
    """Every training that is kept: name -> what does it."""
    wanted = [("few", train_few, setting) for setting in product(FEW_DECAYS, SEEDS)]
    wanted += [("positions", train_positions, (*kind, seed)) for kind, seed in product(POSITIONS, SEEDS)]
    wanted += [("watched", train_watched, (seed,)) for seed in SEEDS[:1]]
    wanted += [("whole", train_whole, (*setting, seed)) for setting, seed in product(WHOLE, SEEDS)]
    wanted += [("optimizer", train_optimizer, (*kind, seed)) for kind, seed in product(OPTIMIZERS, SEEDS)]
    short = product(SEEDS, SIZES, LEARNING_RATES)
    wanted += [("short", train_short, (size, rate, seed)) for seed, size, rate in short if seed in seeds_of(rate)]
    return {_name(kind, *setting): partial(train, *setting) for kind, train, setting in wanted}


if __name__ == "__main__":
    keep(_FILE, _all())
