"""Lesson 18's trainings on the course's corpus, done once and kept: `python -m lessons.rivals`, some 12 minutes.

- `pace`: processor time of one step of each model, all of them in turns, in one run on one thread;
- `choose`: for the LSTM and the transformer, learning rates and weight decays, half as many steps, a seed of its own;
  the score is of validation sentences, and none is of the test;
- `train`: every model with each seed, the two rivals with some more, as many steps as `STEPS` steps of the two-layer
  transformer take time, scored on test sentences on the way; at the end, for transformers of several layers, what is
  left without one of their blocks;
- `length`: processor time of one step for sentences of several lengths, the two rivals in turns.

Times are processor time, so that other programs on the machine take little from anybody. What follows from a time is
said of a ratio of two that were taken in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, replace
from functools import partial
from statistics import median

import torch
from torch import nn

from lessons.lstm_translator import LstmConfig, LstmTranslator
from lessons.probing import findings
from lessons.right_sentences import batches_of, share_right
from lessons.rival_results import (
    DEPTHS,
    EVERY,
    LENGTHS,
    LSTM,
    MODELS,
    RACE_SEEDS,
    RIVAL,
    SAVED,
    SEEDS,
    STEPS,
    Training,
    best_setting,
    pace,
)
from utils.data.corpora import Pair, english_persian
from utils.data.kept import keep
from utils.models.transformer import Transformer
from utils.training.batches import Batch, bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.train import new_translator
from utils.training.translator import Translator, examples

# All with the first decay, the best of them with the other, too. Each goes up to one that did worse.
RATES = {LSTM: (1e-3, 2e-3, 4e-3, 8e-3, 1.6e-2, 3.2e-2), RIVAL: (1e-3, 2e-3, 4e-3, 8e-3)}
DECAYS = (1.0, 0.1)
TESTED_EVERY = 6  # of the test sentences, every sixth
_CHOOSING_SEED = 100  # none of those that train
_BATCH = 32
_TURNS = 12  # how often each model has its turn when times are taken
_AT_ONCE, _AT_ONCE_BY_LENGTH = 10, 5  # steps of a turn


def build(model: str, seed: int) -> Translator:
    """The model of this name, which has learnt nothing yet, with the vocabularies of the corpus."""
    if model != LSTM:
        depth = DEPTHS[MODELS[1:].index(model)]
        return new_translator(english_persian(), seed, n_encoder_layers=depth, n_decoder_layers=depth)
    words = new_translator(english_persian(), seed)
    sizes = {"source_vocabulary": len(words.source_vocabulary), "target_vocabulary": len(words.target_vocabulary)}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Translator(
            LstmTranslator(LstmConfig(**sizes)), words.source_vocabulary, words.target_vocabulary, words.longest
        )


def rearranged(model: Transformer, stack: str, order: Sequence[int]) -> Transformer:
    """A copy whose encoder or decoder (`stack`) has its blocks in this order; what is not named is left out."""
    other = deepcopy(model)
    layers = getattr(other, stack).layers
    getattr(other, stack).layers = nn.ModuleList([layers[i] for i in order])
    return other


def without_blocks(model: Transformer, batches: Sequence[Batch]) -> dict[str, float]:
    """What is left without one block, and with two neighbours swapped: such as "encoder 2 1" -> share right."""
    found = {}
    for stack in ("encoder", "decoder"):
        n = len(getattr(model, stack).layers)
        orders = [[j for j in range(n) if j != i] for i in range(n)]
        orders += [[*range(i), i + 1, i, *range(i + 2, n)] for i in range(n - 1)]
        for order in orders:
            name = " ".join([stack, *(str(i + 1) for i in order)])
            found[name] = round(share_right(rearranged(model, stack, order), batches), 3)
    return found


def train(
    model: str, seed: int, steps: int, rate: float, decay: float, pairs: Sequence[Pair], every: int = EVERY
) -> tuple[Translator, list[float]]:
    """Trains it anew; with it, the share of `pairs` exactly right after each `every` steps and at the end."""
    translator, corpus = build(model, seed), english_persian()
    tested = batches_of(translator, pairs)
    made = examples(corpus.train, translator.source_vocabulary, translator.target_vocabulary)
    config = TrainingConfig(
        steps=steps, learning_rate=rate, weight_decay=decay, seed=seed, evaluate_every=every, warmup=min(60, steps)
    )
    batches, held_out = bucketed_batches(made, _BATCH, seed), lambda network: share_right(network, tested)
    history = Trainer(translator.model, batches, config, validate=held_out, show=False).train()
    return translator, [round(score, 3) for _, score in history.scores]


def run_training(model: str, seed: int) -> dict:
    """What `training` reads."""
    rate, decay = best_setting(model)
    paces = pace()
    steps = round(STEPS * paces[RIVAL] / paces[model])
    tested = english_persian().test[::TESTED_EVERY]
    translator, scores = train(model, seed, steps, rate, decay, tested)
    found = Training(sum(p.numel() for p in translator.model.parameters()), steps, scores)
    if seed not in SEEDS:  # only the race is asked of it
        return asdict(found)
    if isinstance(translator.model, Transformer) and translator.model.config.n_encoder_layers > 1:
        found = replace(found, without_block=without_blocks(translator.model, batches_of(translator, tested)))
    if model == RIVAL:
        found = replace(found, inside=findings(translator, english_persian()))
    return asdict(found)


def choose(model: str) -> dict[str, float]:
    """What `chosen` reads."""
    validation = english_persian().validation[::2]

    def score(rate: float, decay: float) -> float:
        return train(model, _CHOOSING_SEED, STEPS // 2, rate, decay, validation, every=STEPS)[1][-1]

    by_rate = {rate: score(rate, DECAYS[0]) for rate in RATES[model]}
    best = max(by_rate, key=by_rate.get)
    found = {f"{rate:g} {DECAYS[0]:g}": share for rate, share in by_rate.items()}
    return found | {f"{best:g} {decay:g}": score(best, decay) for decay in DECAYS[1:]}


def in_turns(steps: dict[str, Callable[[int], object]], turns: int, each: int) -> dict[str, float]:
    """Milliseconds of processor time of a step of each: the median over turns of `each` steps, the first left out."""
    taken: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(turns + 1):
        for name, step in steps.items():
            start = time.process_time()
            for number in range(turn * each, (turn + 1) * each):
                step(number)
            taken[name].append(1000 * (time.process_time() - start) / each)
    return {name: round(median(times[1:]), 2) for name, times in taken.items()}


def take_pace() -> dict[str, float]:
    """What `pace` reads: whole steps of training, as they are done, on the corpus."""
    trainers = {}
    for model in MODELS:
        translator, corpus = build(model, _CHOOSING_SEED), english_persian()
        made = examples(corpus.train, translator.source_vocabulary, translator.target_vocabulary)
        trainers[model] = Trainer(translator.model, bucketed_batches(made, _BATCH, 0), TrainingConfig(), show=False)
    return in_turns(
        {model: lambda _, trainer=trainer: trainer.train(1) for model, trainer in trainers.items()}, _TURNS, _AT_ONCE
    )


def take_time_by_length() -> dict[str, list[float]]:
    """What `time_by_length` reads: sentences of random words, as long on both sides, 32 to a batch."""
    found: dict[str, list[float]] = {LSTM: [], RIVAL: []}
    for length in LENGTHS:
        steps = {}
        for model in found:
            translator = build(model, _CHOOSING_SEED)
            random = torch.Generator().manual_seed(length)
            words = min(len(translator.source_vocabulary), len(translator.target_vocabulary))
            ids = torch.randint(5, words, (_BATCH, length + 1), generator=random)
            batch = Batch(ids[:, 1:], ids[:, :-1], ids[:, 1:])
            trainer = Trainer(translator.model, lambda _, batch=batch: batch, TrainingConfig(), show=False)
            steps[model] = lambda _, trainer=trainer: trainer.train(1)
        for model, milliseconds in in_turns(steps, _TURNS, _AT_ONCE_BY_LENGTH).items():
            found[model].append(milliseconds)
    return found


def _all() -> dict[str, Callable[[], dict]]:
    """Everything that is kept, in the order in which it is needed: name -> what does it."""
    return {
        "pace": take_pace,
        **{f"choose {model}": partial(choose, model) for model in (LSTM, RIVAL)},
        **{f"train {model} {seed}": partial(run_training, model, seed) for seed in SEEDS for model in MODELS},
        **{
            f"train {model} {seed}": partial(run_training, model, seed)
            for seed in RACE_SEEDS[len(SEEDS) :]
            for model in (LSTM, RIVAL)
        },
        "length": take_time_by_length,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(SAVED, _all())
