"""One variable moves every seed of the course."""

from __future__ import annotations

import pytest

from utils.seeds import VARIABLE, seed


def test_the_variable_moves_every_seed_which_else_is_itself(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert [seed(), seed(3)] == [0, 3]
    monkeypatch.setenv(VARIABLE, "10")
    assert [seed(), seed(3)] == [10, 13]


@pytest.mark.parametrize("text", ["one", "-1", "1.5", ""])
def test_anything_but_a_count_is_refused(monkeypatch, text):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(ValueError, match="COURSE_SEED must be a whole number of at"):
        seed()
