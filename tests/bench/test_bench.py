"""What is measured can still be imported: a name that has changed would else show only when somebody measures."""

from __future__ import annotations

from importlib import import_module

import pytest

from bench.__main__ import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_measurement_finds_all_that_it_measures(name: str) -> None:
    assert callable(import_module(f"bench.{name}").main)


def test_none_is_missing() -> None:
    assert {"control_latency", "decoding_time", "explorer", "step_time", "training_time"} <= set(NAMES)
