"""What is said of a value, or of an error, that no known mistake leads to; and when two values are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from utils.course.exercises import words
from utils.course.exercises.findings import Kind
from utils.course.exercises.values import as_array, close, same_value

MATRIX = np.arange(6).reshape(2, 3) / 4
VALUES: dict[str, Any] = {
    "None": None,
    "3": 3,
    "3.02": 3.02,
    "True": True,
    "nan": np.nan,
    "a text": "ab",
    "a Persian text": "آن‌ها",
    "two numbers": [3, 4],
    "nearly two numbers": [3.05, 4.0],
    "a tuple of two": (3, 4),
    "three numbers": (3, 4, 5),
    "a number and several": [3, [4, 5]],
    "rows of two lengths": [[3, 4], [5]],
    "rows of two lengths, with a text": [["a", 4], [5]],
    "an array and a number": (MATRIX[0], 3),
    "nearly an array and a number": (MATRIX[0] * 1.01, 3.0),
    "an array and another number": (MATRIX[0], 4),
    "two other things": (MATRIX, 4),
    "three things": (MATRIX, 3, "c"),
    "one thing": (MATRIX,),
    "a matrix": MATRIX,
    "nearly a matrix": MATRIX * 1.015,
    "another matrix": MATRIX + (MATRIX == 1),
    "a matrix turned": MATRIX.T,
    "a matrix with inf": np.where(MATRIX == 1, np.inf, MATRIX),
    "a matrix with nan": np.where(MATRIX == 1, np.nan, MATRIX),
    "a mask": MATRIX > 0.5,
    "words": ["a", "b"],
    "other words": ["a", "c"],
    "one word": ["a"],
    "words and a dot": ["a", ...],
    "an array of words": np.array(["a", "b"]),
    "a table": {"a": 1},
    "another table": {"a": 2},
    "complex numbers": MATRIX + 1j,
    "objects": np.array([..., ...]),
    "nothing": [],
    "a dot": ...,
}
ASKED = ("3", "a Persian text", "two numbers", "an array and a number", "a matrix", "a mask", "words", "a table")


@pytest.mark.parametrize(
    ("value", "asked", "kind", "word"),
    [
        ("None", "3", Kind.NOTHING, "return"),
        ("3.02", "3", Kind.NUMBER, "hint"),
        ("a text", "3", Kind.IS_KIND, "a str"),
        ("a matrix turned", "a matrix", Kind.SHAPE, "(3, 2)"),
        ("a matrix with inf", "a matrix", Kind.INF, "too large"),
        ("a matrix with nan", "a matrix", Kind.NAN, "0/0"),
        ("rows of two lengths", "a matrix", Kind.UNEVEN, "a list"),
        ("words and a dot", "a matrix", Kind.HOLDS, "'a'"),
        ("other words", "words", Kind.ENTRY, "'c'"),
    ],
)
def test_of_a_value_names_kind_and_shape(value: str, asked: str, kind: Kind, word: str) -> None:
    said = words.of_a_value(VALUES[value], VALUES[asked])
    assert said.kind is kind and word in said.sentence


@pytest.mark.parametrize("asked", ASKED)
def test_of_a_value_describes_any_value_briefly(asked: str) -> None:
    for name, value in {**VALUES, "a long text": "ab" * 9999, "a long list": ["x" * 5000]}.items():
        if not same_value(value, VALUES[asked]):
            sentence = words.of_a_value(value, VALUES[asked]).sentence
            assert 10 < len(sentence) < 500, (name, sentence)


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (UnreadableError(), "it has a message that can't be read"),
        (RuntimeError("Can't call numpy() on Tensor that requires grad."), "Call `.detach()`"),
        (TypeError("'float' object cannot be interpreted as an integer"), "must be an integer"),
        (
            TypeError("unsupported operand type(s) for @: 'MultiHead' and 'int'"),
            "returns several values",
        ),
    ],
)
def test_error_is_put_into_words(error: Exception, says: str) -> None:
    """Those that NumPy raises when it is called so are in test_exercises.py."""
    said = words.of_an_error(error).sentence
    assert said.startswith(f"Your function stops with {type(error).__name__}: ") and says in said


@pytest.mark.parametrize(
    ("value", "expected", "says"),
    [
        (999_999, 1_000_001, "your result is 999999; it should be 1,000,001"),
        (np.inf, 2.5, "your result is inf; it should be 2.5"),
        ([[1.0, 2.5], [4.5, 8.5]], [[1.0, 2.5], [3.5, 7.5]], "entry [1, 0] of your result is 4.5; it should be 3.5"),
        ([np.nan, 1.0], [np.nan, 2.0], "entry [1] of your result is 1; it should be 2"),
    ],
)
def test_different_numbers_are_shown_with_enough_digits(value: Any, expected: Any, says: str) -> None:
    assert words.difference(value, expected) == (f"On the input below, {says}." if says else "")


# --- when two values are the same ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "most"), [(np.float16, 1e-3), (np.float32, 1e-4), (np.float64, 1e-8)], ids=["half", "single", "double"]
)
def test_number_may_be_off_by_the_precision_of_its_type(kind: type, most: float) -> None:
    array = np.array([-98.7654321012]).astype(kind)
    exact = array.astype(float)
    assert close(array, exact + 0.9 * most * (1 + 98)) and not close(array, exact + 1.2 * most * 100)


@pytest.mark.parametrize("b", [[3, 4], np.array([3, 4], dtype=np.uint8)])
def test_same_value_takes_ids_and_counts_exactly(b: Any) -> None:
    assert same_value([3.0, 4.0], b) and not same_value([3.0, 4 + 1e-12], b)
    assert same_value(4 + 1e-12, 4.0) and same_value([3, 4 + 1e-9], [3.0, 4.0])


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ([[3]], 3, True),
        ([3, 3], 3, False),
        (["a", [1, 2]], ("a", np.array([1, 2])), True),
        ("ab", ["a", "b"], False),
        ({"a": [1]}, {"a": (1,)}, True),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, False),
        (np.nan, np.nan, True),
        ([1.0, np.nan], [1.0, np.inf], False),
        ([], [], True),
    ],
)
def test_same_value_requires_equal_values_of_like_structure(a: Any, b: Any, same: bool) -> None:
    assert same_value(a, b) is same


def test_tensor_with_gradient_is_read_as_an_array() -> None:
    torch = pytest.importorskip("torch")
    weight = torch.ones(2, requires_grad=True)
    assert as_array(weight).tolist() == [1, 1] and as_array([weight, weight]).shape == (2, 2)
    assert as_array(["a"]) is None and as_array([[1], [2, 3]]) is None
