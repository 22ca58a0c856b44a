"""Numbers in tables: aligned, and never saying what is not so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.show.numbers import input_text, parse_entry, table_text, weight_texts


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ([2, 4, 4], ["2", "4", "4"]),
        ([0.5, 4, -1], ["0.500", "4.000", "−1.000"]),
        ([1234.5678, 0.004], ["1234.6", "4e−3"]),
        ([1e12, 3], ["1e12", "3"]),
        ([1e-7, -4.567e-5], ["1e−7", "−4.6e−5"]),
        ([float("inf"), -float("inf"), 0.5], ["∞", "−∞", "0.500"]),
    ],
)
def test_table_uses_the_same_decimals_throughout(row: list[float], shown: list[str]) -> None:
    assert table_text([row]) == [shown]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2.0, "2"),
        (-0.0, "0"),
        (1 / 3, "0.333"),
        (0.0004, "4e−4"),
        (200000.246, "2.00e5"),
        (-1e-7, "−1e−7"),
        (1e7, "1e7"),
    ],
)
def test_entry_is_written_as_by_hand(value: float, shown: str) -> None:
    assert input_text(value) == shown


@pytest.mark.parametrize(
    ("weight", "shown", "percent"),
    [
        (0.0, "0.000", "0.0 %"),
        (1.0, "1.000", "100.0 %"),
        (1e-9, "<0.001", "<0.1 %"),
        (1 - 1e-9, ">0.999", ">99.9 %"),
        (0.0006, "0.001", "0.1 %"),
        (0.9996, ">0.999", ">99.9 %"),
    ],
)
def test_rounded_weight_never_looks_like_0_or_1(weight: float, shown: str, percent: str) -> None:
    assert weight_texts([weight]) + weight_texts([weight], percent=True) == [shown, percent]


@pytest.mark.parametrize(
    ("decimals", "kind", "sentence"),
    [
        (-1, ValueError, "decimals must be a whole number of at least 0: it is -1."),
        (1.0, TypeError, "decimals must be a whole number of at least 0: it is 1.0."),
    ],
)
def test_decimals_must_be_a_whole_number(decimals: int, kind: type, sentence: str) -> None:
    assert [table_text([[0.75]], decimals) for decimals in (0, 1, 5)] == [[["1"]], [["0.8"]], [["0.7500"]]]
    with pytest.raises(kind) as refusal:
        table_text([[1]], decimals)
    assert str(refusal.value) == sentence


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
        ("", "This entry is empty: type a number such as 2 or −0.5."),
        ("abc", "“abc” is not a number: type one such as 2 or −0.5."),
        ("1e400", "“1e400” is too large: float64 holds numbers up to 1.8e308."),
        ("nan", "“nan” is not a finite number: type one such as 2 or −0.5."),
        ("0,5", "“0,5” has a comma: write a point, 0.5."),
    ],
)
def test_parse_entry_refuses_text_that_is_not_a_number(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as refusal:
        parse_entry(text)
    assert str(refusal.value) == reason


@given(st.floats(-1e300, 1e300))
def test_table_text_is_close_and_keeps_the_sign(value: float) -> None:
    assert parse_entry(repr(value)) == value
    for text in (input_text(value), table_text([[value]])[0][0], table_text([[value, 0.5]])[0][0]):
        read = float(text.replace("−", "-"))
        assert "-" not in text
        assert read == pytest.approx(value, rel=0.06, abs=0.0005)
        assert (read > 0, read < 0) == (value > 0, value < 0)


@given(st.floats(0, 1))
def test_weight_is_shown_as_zero_or_one_only_when_exact(weight: float) -> None:
    assert (weight_texts([weight]) == ["0.000"]) == (weight == 0)
    assert (weight_texts([weight]) == ["1.000"]) == (weight == 1)
    assert (weight_texts([weight], percent=True) == ["0.0 %"]) == (weight == 0)
    assert (weight_texts([weight], percent=True) == ["100.0 %"]) == (weight == 1)
