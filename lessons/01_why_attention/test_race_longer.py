"""The race gone on with: short ones run to the end, and the saved ones show what lesson 01 says."""

from __future__ import annotations

import torch

from lessons import race_longer
from lessons.race_longer import POSITIONS, TRAINED, ShiftedPositions, run_longer, steps_of
from lessons.race_results import LongRun, saved_longer, saved_race
from utils.models.layers import SinusoidalPositions


def test_race_counts_steps():
    steps = [run.steps for run in saved_race().of("GRU")]
    assert steps_of("GRU", 1) == round(sum(steps) / 3) and steps_of("GRU", 5) == round(5 * sum(steps) / 3)
    assert all(run.steps == steps_of(run.model, run.times) for run in saved_longer())


def test_positions_shift_only_in_training_and_equally_for_source_and_target():
    torch.manual_seed(0)
    plain, starts = SinusoidalPositions(64, 8), []
    shifted = ShiftedPositions(plain)
    for _ in range(200):
        source, target = shifted(20), shifted(21)
        starts.append(int((plain.table == source[0]).all(dim=1).nonzero()))
        assert torch.equal(source, plain(20, starts[-1])) and torch.equal(target, plain(21, starts[-1]))
    assert min(starts) == 0 and max(starts) == POSITIONS - max(TRAINED) - 1 == 20
    shifted.eval()
    assert torch.equal(shifted(40), plain(40)) and torch.equal(shifted(1, 7), plain(1, 7))


def test_short_run_goes_from_start_to_end(monkeypatch):
    tested = []
    monkeypatch.setattr(race_longer, "LENGTHS", (5, 8))
    monkeypatch.setattr(race_longer, "exact_match", lambda model, length: tested.append(model) or length / 30)
    assert run_longer("GRU", 0, 5, steps=3) == LongRun("GRU", 0, 5, 3, (0.167, 0.267))
    shifted, plain = (run_longer("transformer", 2, 1, steps=3, **more) for more in ({"shifted": True}, {}))
    assert (shifted, plain) == tuple(LongRun("transformer", 2, 1, 3, (0.167, 0.267), way) for way in (True, False))
    _, _, shifted, _, plain, _ = tested
    assert isinstance(shifted.positions, ShiftedPositions) and not isinstance(plain.positions, ShiftedPositions)
    monkeypatch.setattr(race_longer, "steps_of", lambda model, times: 2)
    assert run_longer("GRU", 0, 5).steps == 2
