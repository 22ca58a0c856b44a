"""What is measured can still be imported: a name that has changed would else show only when somebody measures."""

from __future__ import annotations

from importlib import import_module

import pytest

from bench.__main__ import NAMES
from bench.control_latency import EDITS, LIMIT_MS, report
from bench.training_time import GOAL, LIMIT, verdict


@pytest.mark.parametrize("name", NAMES)
def test_a_measurement_finds_all_that_it_measures(name: str) -> None:
    assert callable(import_module(f"bench.{name}").main)


def test_none_is_missing() -> None:
    assert {"control_latency", "decoding_time", "explorer", "real_text", "step_time", "training_time"} <= set(NAMES)


@pytest.mark.parametrize(
    ("times", "shown", "kept"),
    [
        ([20.0] * 48 + [LIMIT_MS + 400.0] * 2, EDITS, True),  # 95 of 100 are quick enough
        ([20.0] * 45 + [LIMIT_MS + 1.0] * 5, EDITS, False),
        ([20.0] * EDITS, EDITS - 1, False),
        ([], 0, False),
    ],
)
def test_a_slow_control_and_a_change_that_is_not_shown_fail_the_measurement(times, shown, kept) -> None:
    assert report("edits", times, shown) is kept


@pytest.mark.parametrize(
    ("shares", "seconds", "kept"),
    [
        ([GOAL, 1.0], [LIMIT, 30.0], True),
        ([GOAL - 0.001, 1.0], [30.0, 30.0], False),
        ([1.0, 1.0], [30.0, LIMIT + 0.1], False),
    ],
)
def test_a_training_that_is_too_bad_or_too_slow_fails(
    shares: list[float], seconds: list[float], kept: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verdict(shares, seconds) is kept
    assert ("missed" in capsys.readouterr().out) is not kept
