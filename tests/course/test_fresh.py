"""Inputs made of those of an exercise: their sizes have names, and what is told as a law is tried on new ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from utils.course.exercises.fresh import fresh, of_size, sizes, tells

MATRIX = np.array([[0.5, -1.0, 2.0], [3.0, 0.0, -0.25]])
CASE: dict[str, Any] = {
    **{"X": MATRIX, "v": np.arange(5), "n": 4, "eps": 0.5, "zero": 0, "is_on": True},
    **{"words": ["a", "b", "c"], "text": "abcd", "table": {"a": 1, "b": 2}, "ids": [7, 8], "nothing": None},
}


def test_sizes_are_called_as_they_would_be_written() -> None:
    assert {called: size for called, (_, size) in sizes(CASE).items()} == {
        **{"`X.shape[0]`": 2, "`X.shape[1]`": 3, "`len(v)`": 5, "`n`": 4, "`eps`": 0.5, "`is_on`": 1},
        **{"`len(words)`": 3, "`len(text)`": 4, "`len(table)`": 2, "`len(ids)`": 2},
    }
    assert sizes(CASE)["`X.shape[1]`"][0] == ("X", 1) and sizes(CASE)["`len(words)`"][0] == ("words", 0)


def test_a_size_grows_with_all_that_are_as_large_in_every_case() -> None:
    cases = [{"X": np.ones((n, 3)), "w": ["a"] * n, "n": n, "m": 3.0} for n in (2, 3)]
    (made,) = of_size(cases, cases[0], "`X.shape[0]`", 4)
    assert made["X"].shape == (4, 3) and made["w"] == ["a"] * 4 and made["n"] == 4 and 1.5 < made["m"] < 4.5
    (made,) = of_size(cases, cases[1], "`m`", 5)
    assert made["X"].shape == (3, 5) and made["m"] == 5.0 and isinstance(made["m"], float) and len(made["w"]) == 3


def test_a_smaller_size_takes_the_first_of_what_there_is_and_a_larger_one_begins_again() -> None:
    case = {"v": np.array([4, 5, 6]), "w": "abc", "table": {"a": 1}}
    (made,) = of_size([case], case, "`len(v)`", 2)
    assert sorted(made["v"]) == [4, 5] and made["w"] == "ab"
    (made,) = of_size([case], case, "`len(v)`", 5)
    assert sorted(made["v"]) == [4, 4, 5, 5, 6] and made["w"] == "abcab"
    (made,) = of_size([case], case, "`len(table)`", 3)
    assert made["table"] == {"a": 1}


@pytest.mark.parametrize(("size", "there"), [(0, 0), (-1, 0), (1, 1), (40, 1), (41, 0)])
def test_no_size_is_nothing_and_none_is_waited_for(size: int, there: int) -> None:
    case = {"v": np.ones(3)}
    assert len(list(of_size([case], case, "`len(v)`", size))) == there
    large = {"n": 512}
    assert [made["n"] for n in (511, 512, 513) for made in of_size([large], large, "`n`", n)] == [511, 512]


def test_new_inputs_have_other_contents_of_the_same_kinds_and_signs() -> None:
    made, *larger = fresh([CASE])
    share = made["X"][MATRIX != 0] / MATRIX[MATRIX != 0]
    assert ((share > 0.5) & (share < 1.5)).all() and (share != 1).all() and len(set(share)) == 5
    assert made["X"][MATRIX == 0] == 0 and 0.25 < made["eps"] < 0.75 and made["eps"] != 0.5
    assert made["v"].tolist() == [4, 0, 1, 2, 3]
    assert all(made[name] is CASE[name] for name in ("n", "zero", "is_on", "words", "text", "table", "ids", "nothing"))
    assert [each["X"].shape for each in larger[:2]] == [(5, 3), (2, 6)] and len(larger) == len(sizes(CASE))
    assert larger[0]["ids"] == larger[0]["ids"][:2] * 2 + larger[0]["ids"][:1]  # as long as X, and so made longer, too


def test_a_law_is_told_only_where_new_inputs_confirm_it_both_ways() -> None:
    cases = [{"X": np.ones((n, d))} for n, d in ((2, 3), (4, 3), (3, 5))]
    n, d = "`X.shape[0]`", "`X.shape[1]`"
    small = lambda s: s[n] <= 3  # noqa: E731
    assert tells(small, [n], cases, lambda case: len(case["X"]) <= 3)
    assert not tells(small, [n], cases, lambda case: len(case["X"]) <= 2)
    assert not tells(small, [n], cases, lambda case: None)  # nothing is known of any
    assert not tells(lambda s: True, [n], cases, lambda case: True)  # and nothing is told apart
    assert not tells(lambda s: s[n] < 30, [n], cases, lambda case: case["X"].shape[0] < 30)
    assert tells(lambda s: s[n] == s[d], [n, d], cases, lambda case: len(set(case["X"].shape)) == 1)
    assert not tells(lambda s: s[n] == s[d], [n, d], cases, lambda case: case["X"].shape == (3, 3))


@pytest.mark.parametrize(("is_well", "told"), [({5, 6}, True), ({5, 6, 4}, False), ({5}, False)])
def test_a_law_is_tried_one_below_and_one_above_the_sizes_that_it_is_made_of(is_well: set[int], told: bool) -> None:
    cases = [{"X": np.ones((5, d))} for d in (2, 3)]
    law = lambda s: s["`X.shape[0]`"] >= 5  # noqa: E731
    assert tells(law, ["`X.shape[0]`"], cases, lambda case: len(case["X"]) in is_well) is told
