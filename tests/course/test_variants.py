"""What every exercise knows as a mistake: its reference, given other arguments."""

from __future__ import annotations

import numpy as np
import pytest

from utils.course.exercises.variants import variants

X = np.array([[1.0, -2.0, 4.0], [8.0, 0.5, -1.0]])
INPUTS = (X, np.array([3, 1, 2]), X > 0, 5, ["b", "a", "c"], "ba", None)
NAMES = ["X", "ids", "mask", "n", "words", "text", "nothing"]


def changed() -> dict[str, dict[str, object]]:
    """By what is said of it, the arguments that a variant changes."""
    found = {}
    for clause, change in variants(NAMES, [INPUTS, INPUTS]):
        try:
            with np.errstate(all="ignore"):
                given = change(INPUTS)
        except (ValueError, TypeError, AttributeError):
            continue
        found[clause] = {n: a for n, a, b in zip(NAMES, given, INPUTS, strict=True) if a is not b}
    return found


def test_arguments_are_changed_as_it_is_said() -> None:
    found = changed()
    np.testing.assert_array_equal(found["`X` were transposed"]["X"], X.T)
    np.testing.assert_array_equal(found["`mask` were inverted"]["mask"], X <= 0)
    assert found["`n` were smaller by 1"] == {"n": 4} and found["`n` were always 512"] == {"n": 512}
    assert found["the first of `words` were missing"] == {"words": ["a", "c"]}
    assert found["`text` ran backwards"] == {"text": "ab"}
    assert list(found["`X` stood for `mask`"]) == ["mask"]
    assert set(found["`words` and `text` had changed places"]) == {"words", "text"}


def test_a_sentence_is_about_the_argument_that_is_changed() -> None:
    for clause, arguments in changed().items():
        assert arguments and all(f"`{name}`" in clause for name in arguments), clause
        assert "nothing" not in arguments or "stood for" in clause or "changed places" in clause, clause


def test_what_an_argument_does_not_allow_does_not_apply() -> None:
    known = dict(variants(["x"], [(np.zeros(2),)]))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="not of this kind"):
        known["1/`x` stood for `x`"]((np.zeros(2),))
    assert known["`x` were larger by 1"]((np.zeros(2),))[0].tolist() == [1, 1]
