"""One variable moves every seed of the course."""

from __future__ import annotations

import pytest

from utils.seeds import VARIABLE, seed


def test_seed_variable_shifts_every_seed_which_is_otherwise_unchanged(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert [seed(), seed(3)] == [0, 3]
    monkeypatch.setenv(VARIABLE, "10")
    assert [seed(), seed(3)] == [10, 13]


@pytest.mark.parametrize("text", ["one", "-1", "1.5", ""])
def test_seed_variable_must_be_a_count(monkeypatch, text):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ValueError, match="COURSE_SEED must be a whole number of at"):
        seed()
