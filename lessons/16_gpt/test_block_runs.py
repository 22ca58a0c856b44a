"""The trainings that lesson 16 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

import itertools
import time
from dataclasses import asdict, fields
from types import SimpleNamespace

import pytest
import torch

from lessons import block_runs
from lessons.addition import all_sums, sum_batches
from lessons.block_runs import (
    ADDITION_ROWS,
    ADDITION_STEPS,
    ADDITIONS,
    BLOCKS,
    COPIED,
    COPIER_EVERY,
    COPIERS,
    DIFFERENCES,
    ENOUGH,
    LONGER,
    RATED,
    RATES,
    SECONDS,
    SEEDS,
    TESTED,
    TODAY,
    TRIED,
    UNPLACED,
    UNPLACED_RATE,
    VALIDATION,
    WARMUP,
    AdditionRun,
    CopyingRun,
    RatedRun,
    TwoDigitsRun,
    adder,
    addition_run,
    block_run,
    copying_run,
    gpt_config,
    rated_run,
    train_adder,
    train_blocks,
    train_copier,
    train_rated,
    train_two_digits,
)
from lessons.course_text import course_lessons, course_text
from lessons.language import learn_pieces
from utils.data.kept import read_kept
from utils.models.gpt import Gpt
from utils.training.loop import Trainer, TrainingConfig


def test_every_training_of_the_plan_is_kept_and_no_other():
    assert list(read_kept(block_runs._FILE)) == list(block_runs._all())


@pytest.mark.parametrize("name", BLOCKS)
def test_every_block_has_its_runs(name):
    runs = [block_run(name, seed) for seed in SEEDS]
    assert all(run.steps > 100 and 1.5 < run.bits_per_byte < 3.2 for run in runs)


@pytest.mark.parametrize("kind", ADDITIONS)
def test_shares_of_right_sums(kind):
    for run in (addition_run(kind, seed) for seed in SEEDS):
        assert 0 <= run.three_digits <= 1 and 0 <= run.four_digits <= 1 and 100 <= run.steps <= ADDITION_STEPS
        assert run.steps == ADDITION_STEPS or run.three_digits > 0.98


def test_a_copier_can_be_trained_again(monkeypatch):
    found = CopyingRun(**train_copier(COPIERS[0], steps=2 * COPIER_EVERY))
    assert found.losses == pytest.approx(copying_run(COPIERS[0]).losses[:2], abs=0.03)
    assert len(found.longer) == len(LONGER) and min(found.longer) > 3 and min(LONGER) > COPIED


def test_two_digits_are_asked_plainly_and_with_a_zero_in_front(monkeypatch):
    done, asked = SimpleNamespace(model="it", train=lambda until: asked.append(until)), []
    monkeypatch.setattr(block_runs, "adder", lambda seed: done)
    monkeypatch.setattr(
        block_runs, "share_right", lambda model, pairs, digits: asked.append((len(pairs), digits)) or digits
    )
    assert TwoDigitsRun(**train_two_digits(1)) == TwoDigitsRun(plain=2, padded=3)
    assert asked == [ENOUGH, (TESTED, 2), (TESTED, 3)]


def test_each_difference_is_one_and_today_has_all_of_them():
    paper = asdict(gpt_config("2017"))
    changed = {name: {f for f, value in asdict(gpt_config(name)).items() if value != paper[f]} for name in BLOCKS}
    assert changed["2017"] == set() and all(changed[name] == set(DIFFERENCES[name]) for name in DIFFERENCES)
    assert changed["today"] == set().union(*DIFFERENCES.values()) == set(TODAY)
    assert gpt_config("today, no positions").positions == "none"


def test_swiglu_has_as_many_weights_as_relu():
    def feed_forward(name):
        return sum(p.numel() for p in Gpt(gpt_config(name)).layers[0].feed_forward.parameters() if p.ndim == 2)

    assert feed_forward("SwiGLU") == pytest.approx(feed_forward("2017"), rel=0.01)


def test_blocks_can_be_trained_again_for_the_same_time(monkeypatch):
    learnt, held_out = course_text()
    monkeypatch.setattr(block_runs, "course_text", lambda: (learnt[:20_000], held_out[:500]))
    used = []

    class Turns(block_runs._Turns):
        def step(self):
            super().step()
            used.append((self, self._used, self._optimizer.param_groups[0]["lr"]))

    monkeypatch.setattr(block_runs, "_Turns", Turns)
    ticks, threads = itertools.count(), torch.get_num_threads()
    monkeypatch.setattr(time, "process_time", lambda: next(ticks) / 8)  # so every step takes an eighth
    torch.set_num_threads(2)
    runs = train_blocks(0, seconds=0.375)
    assert torch.get_num_threads() == 1 < SECONDS
    torch.set_num_threads(threads)
    assert list(runs) == list(BLOCKS) and all(run["steps"] == 3 for run in runs.values())
    assert all(run["bits_per_byte"] == round(run["bits_per_byte"], 3) > 1 for run in runs.values())
    order = [run for run, *_ in used]
    assert len({*order}) == len(BLOCKS) and order == 3 * order[: len(BLOCKS)], "they take turns"
    assert [seconds for _, seconds, _ in used[:: len(BLOCKS)]] == [0.125, 0.25, 0.375]
    # It rises over WARMUP steps, and falls to 0 with the time that is left.
    expected = [block_runs.RATE / WARMUP * share for share in (1, 2 * 2 / 3, 3 * 1 / 3)]
    assert [rate for *_, rate in used[:: len(BLOCKS)]] == pytest.approx(expected)
    monkeypatch.setattr(block_runs, "WARMUP", 2)
    turns = Turns(Gpt(gpt_config("2017")), lambda n: torch.full((2, 9), n + 1), 1.0)
    while not turns.done:
        turns.step()
    expected = [block_runs.RATE * min(1, (n + 1) / 2) * (1 - n / 8) for n in range(8)]
    assert [rate for *_, rate in used[-8:]] == pytest.approx(expected)


def test_every_rate_has_its_runs():
    for rate, seeds in RATES.items():
        names = (*RATED, UNPLACED) if rate == UNPLACED_RATE else RATED
        runs = [rated_run(name, seed, rate) for seed in seeds for name in names]
        assert all(1.5 < run.validation < 2.4 and 1.5 < run.bits_per_byte < 2.4 for run in runs)


def test_a_block_is_trained_again_at_a_rate_without_what_chooses_it(monkeypatch):
    learnt, held_out = course_text()
    validation = course_lessons()[VALIDATION]
    assert len(validation) > 10_000 and learnt.endswith(validation) and validation not in held_out
    read, trained = [], []

    class Short(Trainer):
        def train(self):
            trained.append(self.config)
            super().train(steps=1)

    monkeypatch.setattr(block_runs, "Trainer", Short)
    monkeypatch.setattr(block_runs, "course_text", lambda: (learnt[-len(validation) - 3000 :], held_out[:500]))
    monkeypatch.setattr(block_runs, "learn_pieces", lambda text, size: read.append(text) or learn_pieces(text, 300))
    found = RatedRun(**train_rated("RoPE", 1, 8e-3))
    assert read == [learnt[-len(validation) - 3000 : -len(validation)]]
    assert trained == [TrainingConfig(steps=900, learning_rate=8e-3, weight_decay=0.1, seed=1)]
    assert found.validation > 2 < found.bits_per_byte != found.validation
    assert (found.validation, found.bits_per_byte) == (round(found.validation, 3), round(found.bits_per_byte, 3))


@pytest.mark.parametrize("kind", ADDITIONS)
def test_held_out_sums_are_answered_as_they_are_learnt(kind, monkeypatch):
    monkeypatch.setattr(block_runs, "share_right", lambda model, pairs, backwards: float(backwards))
    assert adder(0, kind)._validate(None) == float(kind != "forwards")


@pytest.mark.parametrize("kind", ADDITIONS)
def test_no_sum_is_in_two_of_the_training_what_ends_it_and_the_test(kind, monkeypatch):
    trainer, sums, asked = adder(1, kind, steps=60), all_sums(1), []
    assert trainer.config == TrainingConfig(steps=60, learning_rate=2e-3, seed=1)
    batch, backwards = trainer.batches(0), kind != "forwards"
    assert torch.equal(batch, sum_batches(sums[TESTED + TRIED :], ADDITION_ROWS, backwards)(0))
    assert batch.shape == (ADDITION_ROWS, 12)

    def share(model, pairs, digits=3, backwards=True):
        asked.append((model, pairs, digits, backwards))
        return len(asked) / 10

    monkeypatch.setattr(block_runs, "share_right", share)
    trainer._validate("it")
    done = SimpleNamespace(step=7, model="it", train=lambda until: asked.append(until))
    monkeypatch.setattr(block_runs, "adder", lambda seed, kind: done)
    assert train_adder(kind, 1) == {"steps": 7, "three_digits": 0.3, "four_digits": 0.4}
    tried, until, tested, (_, larger, digits, _) = asked
    assert tried[1] == sums[TESTED : TESTED + TRIED].tolist() and until == ENOUGH
    assert tested == ("it", sums[:TESTED].tolist(), 3, backwards)
    assert len(larger) == TESTED and digits == 4 and asked[-1][3] == backwards
    numbers = torch.tensor(larger)
    assert numbers.shape == (TESTED, 2) and 1000 <= int(numbers.min()) < 1100 and 9900 < int(numbers.max()) < 10_000


@pytest.mark.parametrize("kind", ADDITIONS)
def test_sums_can_be_learnt_again(kind, monkeypatch):
    monkeypatch.setattr(block_runs, "TESTED", 20)
    monkeypatch.setattr(block_runs, "TRIED", 20)
    monkeypatch.setattr(block_runs, "ADDITION_ROWS", 8)
    monkeypatch.setattr(block_runs, "adder", lambda seed, kind: adder(seed, kind, steps=60))
    assert set(train_adder(kind, 0)) == {field.name for field in fields(AdditionRun)}
    assert adder(0, kind).model.config.positions == ("none" if kind == "without positions" else "learnt")
