"""Numbers in tables: aligned, and never saying what is not so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.show.numbers import number_text, parse_entry, table_text

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


@pytest.mark.parametrize(
    ("text", "value"),
    [("2.5", 2.5), (" 3 ", 3.0), ("-1", -1.0), ("−1", -1.0), ("1e3", 1000.0), (".5", 0.5), ("۲٫۵", 2.5), ("۱۲", 12.0)],
)
def test_parse_entry_keeps_typed_value(text: str, value: float) -> None:
    assert parse_entry(text) == value
    assert str(parse_entry("-0")) == "0.0"  # there is no minus zero


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        ("abc", "“abc” is not a number"),
        ("0,5", "has a comma"),
    ],
)
def test_parse_entry_refuses_text_that_is_not_a_number(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as refusal:
        parse_entry(text)
    assert reason in str(refusal.value)


@given(st.floats(-1e300, 1e300))
def test_table_text_is_close_and_keeps_the_sign(value: float) -> None:
    assert parse_entry(repr(value)) == value
    for text in (number_text(value), table_text([[value]])[0][0], table_text([[value, 0.5]])[0][0]):
        read = float(text.replace("−", "-"))
        assert "-" not in text
        assert read == pytest.approx(value, rel=0.06, abs=0.0005)
        assert (read > 0, read < 0) == (value > 0, value < 0)
