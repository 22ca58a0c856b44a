"""What is measured can still be imported: a name that has changed would else show only when somebody measures."""

from __future__ import annotations

from importlib import import_module

import pytest

from bench.__main__ import NAMES
from bench.control_latency import EDITS, LIMIT_MS, report


@pytest.mark.parametrize("name", NAMES)
def test_measurement_finds_everything_it_measures(name: str) -> None:
    assert callable(import_module(f"bench.{name}").main)


@pytest.mark.parametrize(
    ("times", "shown", "kept"),
    [
        ([20.0] * 48 + [LIMIT_MS + 400.0] * 2, EDITS, True),  # 95 of 100 are quick enough
        ([20.0] * 45 + [LIMIT_MS + 1.0] * 5, EDITS, False),
        ([], 0, False),
    ],
)
def test_measurement_fails_for_slow_control_and_missing_redraw(times, shown, kept) -> None:
    assert report("edits", times, shown) is kept
