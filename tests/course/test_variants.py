"""What every exercise knows as a mistake: its reference, given other arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.recorded import AGAIN, recorded
from utils.course.exercises.variants import DoesNotApplyError, given_otherwise, variants

X, HEADS = np.array([[1.0, -2.0, 4.0], [8.0, 0.5, -1.0]]), np.arange(8.0).reshape(2, 2, 2)
KINDS: dict[str, tuple[list[str], tuple[Any, ...]]] = {
    "a matrix and a number": (["X", "eps"], (X, 0.25)),
    "maps and values": (["A", "V"], (HEADS, HEADS[:, 0])),
    "ids and a mask and a count": (["ids", "mask", "n"], (np.array([3, 1, 2]), X > 0, 5)),
    "words and a text": (["words", "text", "on"], (["b", "a", "c"], "ba", True)),
    "a list of numbers and one word": (["numbers", "word", "one"], ([0.5, 0.25, 4.0], ["a"], "x")),
    "what is of no kind": (["nothing", "table"], (None, {"a": 1})),
}


def as_lists(value: Any) -> Any:
    """What can be kept: of numbers six digits."""
    if isinstance(value, list | tuple):
        return [as_lists(part) for part in value]
    array = np.asarray(value)
    return array.astype(float).round(6).tolist() if array.dtype.kind in "biuf" else value


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_are_changed_as_it_is_said(kind: str) -> None:
    names, inputs = KINDS[kind]
    now = []
    for variant in variants(names, [inputs, inputs]):
        try:
            given = given_otherwise(lambda *others: others, variant.change, *inputs)
        except DoesNotApplyError:
            now.append([variant.sentence, "does not apply"])
            continue
        changed = [i for i, (a, b) in enumerate(zip(given, inputs, strict=True)) if a is not b]
        now.append([variant.sentence, *([names[i], type(given[i]).__name__, as_lists(given[i])] for i in changed)])
    assert now == recorded(now, Path(__file__).with_name("variants") / f"{kind.replace(' ', '_')}.json"), AGAIN


def test_a_loop_is_taken_to_run_over_what_is_equally_long_in_all_inputs() -> None:
    said = lambda cases: [v.sentence for v in variants(["a", "b"], cases) if "`a` and `b` were there" in v.sentence]  # noqa: E731
    assert len(said([([1, 2], [3, 4]), ([1], [2])])) == 2
    assert said([([1, 2], [3, 4]), ([1], [2, 3])]) == said([(3, [4])]) == []


def test_what_an_argument_does_not_allow_does_not_apply() -> None:
    divided = lambda inputs: (1 / inputs[0],)  # noqa: E731
    assert given_otherwise(lambda x: x + 1, divided, np.array([2.0])) == 1.5
    for function, value in ((lambda x: x, np.zeros(1)), (lambda x: x["a"], np.ones(1))):
        with pytest.raises(DoesNotApplyError):
            given_otherwise(function, divided, value)
    with_inf = np.array([np.inf])
    assert given_otherwise(lambda x: x, lambda inputs: inputs, with_inf) is with_inf
