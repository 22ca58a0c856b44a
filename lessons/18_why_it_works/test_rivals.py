"""The trainings that lesson 18 keeps: all are there and whole, and what is kept can be done again."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from lessons import rivals
from lessons.rival_results import (
    DEPTHS,
    EVERY,
    LENGTHS,
    LSTM,
    MODELS,
    RIVAL,
    SAVED,
    SEEDS,
    STEPS,
    Training,
    best_setting,
    chosen,
    pace,
    time_by_length,
    training,
    transformer_of,
)
from utils.data.corpora import Corpus, english_persian
from utils.data.kept import read_kept
from utils.training.loop import Trainer, TrainingConfig


def test_everything_of_the_plan_is_kept_and_nothing_else() -> None:
    assert set(rivals._all()) == set(read_kept(SAVED))
    assert transformer_of(2) == RIVAL and 2 in DEPTHS and len(SEEDS) == 3


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_training_is_whole_and_had_the_time_of_the_others(model: str, seed: int) -> None:
    run = training(model, seed)
    assert run.steps * pace()[model] == pytest.approx(STEPS * pace()[RIVAL], rel=0.01)
    assert len(run.scores) == -(-run.steps // EVERY) and run.scores[0] < run.right <= 1
    assert bool(run.inside) == (model == RIVAL) and bool(run.without_block) == (model not in (LSTM, transformer_of(1)))


def test_each_has_the_best_setting_that_was_tried() -> None:
    for model in (LSTM, RIVAL):
        rate, decay = best_setting(model)
        assert chosen(model)[f"{rate:g} {decay:g}"] == max(chosen(model).values())
        assert min(rivals.RATES[model]) < rate < max(rivals.RATES[model])
        assert len(chosen(model)) == len(rivals.RATES[model]) + len(rivals.DECAYS) - 1
    assert best_setting(transformer_of(4)) == best_setting(RIVAL)


def test_times_by_length_are_whole() -> None:
    assert all(len(times) == len(LENGTHS) and min(times) > 0 for times in time_by_length().values())


def test_what_was_not_kept() -> None:
    with pytest.raises(ValueError, match="nothing was kept under the name 'train LSTM"):
        training(LSTM, 7)


@pytest.mark.parametrize(
    ("scores", "target", "steps"),
    [
        ([0.2, 0.95, 0.9, 0.95, 0.96], 0.95, 100),
        ([0.2, 0.5, 0.9], 0.95, None),
        ([0.99, 0.98], 0.95, 25),
        ([0.2, 0.3, 0.95], 0.95, 60),
    ],
)
def test_a_target_is_reached_where_it_is_kept(scores: list[float], target: float, steps: int | None) -> None:
    run = Training(1, 60 if steps == 60 else 25 * len(scores), scores)
    assert run.steps_to(target) == steps and run.right == scores[-1]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings of a few steps, on a part of the corpus."""
    whole = english_persian()
    small = Corpus(whole.train[:200], whole.held_out[:60], (), whole.validation[:10])
    monkeypatch.setattr(rivals, "english_persian", lambda: small)
    monkeypatch.setattr(rivals, "pace", lambda: dict.fromkeys(MODELS, 10.0))
    for name, value in {
        "STEPS": 26,
        "RATES": {LSTM: (1e-3, 4e-3)},
        "_TURNS": 1,
        "LENGTHS": (3, 5),
        "_AT_ONCE": 1,
        "_AT_ONCE_BY_LENGTH": 1,
    }.items():
        monkeypatch.setattr(rivals, name, value)


@pytest.mark.usefixtures("quick")
def test_what_is_kept_can_be_done_again() -> None:
    run = Training(**rivals.run_training(RIVAL, 1))
    assert run.steps == 26 and len(run.scores) == 2 and {"probes", "lost"} <= set(run.inside)
    assert set(run.without_block) == {
        f"{stack} {order}" for stack in ("encoder", "decoder") for order in ("1", "2", "2 1")
    }
    other = Training(**rivals.run_training(LSTM, 1))
    assert not other.inside and other.steps == 26


class _Seen(Exception):
    """What a training was to be done with."""


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("steps", [50, 70])
def test_a_training_is_done_as_its_settings_say(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(model, batches, config, **options):
        raise _Seen(config, options["show"], options["validate"](model), batches(0))

    monkeypatch.setattr(rivals, "Trainer", seen)
    monkeypatch.setattr(rivals, "share_right", lambda network, tested: sum(len(batch.source) for batch in tested))
    with pytest.raises(_Seen) as found:
        rivals.train(RIVAL, 3, steps, 4e-3, 0.1, rivals.english_persian().test[:7], every=9)
    config, show, held_out, batch = found.value.args
    assert config == TrainingConfig(
        steps=steps, learning_rate=4e-3, weight_decay=0.1, seed=3, evaluate_every=9, warmup=min(60, steps)
    )
    assert not show and held_out == 7 and len(batch.source) == 32


@pytest.mark.usefixtures("quick")
def test_the_best_rate_is_tried_with_the_other_decay(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def train(model, seed, steps, rate, decay, pairs, every):
        asked.append((model, seed, steps, rate, decay, every))
        return None, [0.0, {1e-3: 0.25, 4e-3: 0.75}[rate] * (2 - decay)]

    monkeypatch.setattr(rivals, "train", train)
    assert rivals.choose(LSTM) == {"0.001 1": 0.25, "0.004 1": 0.75, "0.004 0.1": 0.75 * 1.9}
    settings = [(1e-3, 1.0), (4e-3, 1.0), (4e-3, 0.1)]
    assert asked == [(LSTM, rivals._CHOOSING_SEED, 13, *setting, 26) for setting in settings]


@pytest.mark.usefixtures("quick")
def test_a_slower_model_has_fewer_steps_and_all_the_same_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def train(model, seed, steps, rate, decay, pairs):
        asked.append((seed, steps, rate, decay, [*pairs]))
        return rivals.build(model, seed), [0.5]

    monkeypatch.setattr(rivals, "train", train)
    monkeypatch.setattr(rivals, "pace", lambda: {LSTM: 25.0, RIVAL: 10.0, transformer_of(1): 4.0})
    for model in (LSTM, transformer_of(1)):
        run = Training(**rivals.run_training(model, 2))
        assert run.parameters == sum(p.numel() for p in rivals.build(model, 2).model.parameters())
        assert run.scores == [0.5] and not run.without_block and not run.inside
    tested = rivals.english_persian().test[::6]
    assert asked == [(2, 10, *best_setting(LSTM), tested), (2, 65, *best_setting(RIVAL), tested)]


def test_without_a_block_the_others_stay_in_their_order_and_neighbours_are_swapped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = rivals.build(transformer_of(4), 0).model
    monkeypatch.setattr(rivals, "rearranged", lambda model, stack, order: order)
    monkeypatch.setattr(rivals, "share_right", lambda order, batches: int("".join(map(str, order))) / 3)
    found = rivals.without_blocks(model, [])
    orders = ["2 3 4", "1 3 4", "1 2 4", "1 2 3", "2 1 3 4", "1 3 2 4", "1 2 4 3"]
    assert list(found) == [f"{stack} {order}" for stack in ("encoder", "decoder") for order in orders]
    for name, share in found.items():
        digits = [str(int(number) - 1) for number in name.split()[1:]]
        assert share == round(int("".join(digits)) / 3, 3)


def test_the_time_of_a_step_is_the_median_of_the_turns_but_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = [0.0], []

    def step(name: str, seconds: list[float], number: int) -> None:
        asked.append((name, number))
        now[0] += seconds[number // 2] / 2

    monkeypatch.setattr(rivals.time, "process_time", lambda: now[0])
    steps = {"a": partial(step, "a", [9.0, 1.0, 7.0, 2.0]), "b": partial(step, "b", [0.0, 4.0, 0.5, 8.0])}
    assert rivals.in_turns(steps, turns=3, each=2) == {"a": 1000.0, "b": 2000.0}
    assert asked == [(name, 2 * turn + i) for turn in range(4) for name in "ab" for i in range(2)]


@pytest.mark.usefixtures("quick")
def test_times_are_taken_of_whole_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(rivals.take_pace()) == set(MODELS)
    assert [len(times) for times in rivals.take_time_by_length().values()] == [2, 2]
    shapes = []

    class Seen(Trainer):
        def train(self, steps):
            batch = self.batches(0)
            shapes.append((steps, *(tuple(ids.shape) for ids in (batch.source, batch.target_in, batch.target_out))))
            assert torch.equal(batch.source, batch.target_out) and int(batch.source.min()) >= 5
            assert torch.equal(batch.target_in[:, 1:], batch.target_out[:, :-1])

    monkeypatch.setattr(rivals, "Trainer", Seen)
    rivals.take_time_by_length()
    assert set(shapes) == {(1, *[(32, length)] * 3) for length in (3, 5)}
