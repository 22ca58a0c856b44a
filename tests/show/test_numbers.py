"""Numbers in tables: aligned, and never saying what is not so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.show.numbers import number_text, table_text

EXAMPLES = json.loads(Path(__file__).with_name("numbers.json").read_text(encoding="utf-8"))  # page/texts.test.js, too


def test_numbers_and_tables_are_written_as_on_the_page() -> None:
    for value, digits, text in EXAMPLES["number"]:
        assert number_text(value, digits) == text
    for values, decimals, texts in EXAMPLES["table"]:
        assert table_text(values, decimals) == texts


def test_table_text_writes_infinity() -> None:
    assert table_text([[float("inf"), -float("inf"), 0.5]]) == [["∞", "−∞", "0.500"]]


def test_table_text_refuses_negative_decimals() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        table_text([[1]], -1)


@given(st.floats(-1e300, 1e300))
def test_table_text_is_close_and_keeps_the_sign(value: float) -> None:
    for text in (number_text(value), table_text([[value]])[0][0], table_text([[value, 0.5]])[0][0]):
        read = float(text.replace("−", "-"))
        assert "-" not in text
        assert read == pytest.approx(value, rel=0.06, abs=0.0005)
        assert (read > 0, read < 0) == (value > 0, value < 0)
