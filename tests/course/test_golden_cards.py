"""Forty answers as students write them, with what their cards say: `golden_cards.md`, to be read by a person.

Another wording passes, as long as it has the same names, numbers, signs and words that turn its meaning.
`RECORD=new make test ARGS=tests/course/test_golden_cards.py` writes anew what the cards say. Read it: is it true, and
does it help whoever wrote the code above it?
"""

from __future__ import annotations

import functools
import os
import re
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest

from utils.by_hand.attention import softmax
from utils.by_hand.normalization import layer_norm
from utils.by_hand.positional import positional_encoding
from utils.course.exercises import EXERCISES, Diagnosis, Verdict, judged

FILE = Path(__file__).with_name("golden_cards.md")
CARD = re.compile(r"^## (\S+)\n\n```python\n(.*?)```\n\n> (.*?)\n", flags=re.M | re.S)
CARDS = [match.groups() for match in CARD.finditer(FILE.read_text("utf-8"))]
MEANT = re.compile(
    r"`[^`]*`|\d+(?:\.\d+)?|[−+·/σ]|\b(?:not|none?|never|always|should|rows?|columns?|times|divided|before|after|first|last"
    r"|more|less|missing|True|False)\b"
)


def feed_forward(x, W_1, b_1, W_2, b_2):
    return np.maximum(0, x @ W_1 + b_1) @ W_2 + b_2


@functools.lru_cache
def diagnosed(name: str, code: str) -> Diagnosis:
    """What is found of `code`, a cell of the lesson, of which the last function is the answer."""
    names = {"np": np, "softmax": softmax, "positional_encoding": positional_encoding, "layer_norm": layer_norm}
    names |= {"feed_forward": feed_forward, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}
    exec(compile(code, name, "exec"), names)
    return judged(EXERCISES[name], names[re.findall(r"^def (\w+)", code, flags=re.M)[-1]])


@pytest.mark.parametrize(("name", "code", "says"), CARDS, ids=[name for name, _, _ in CARDS])
def test_feedback_matches_the_reviewed_text(name: str, code: str, says: str) -> None:
    told = diagnosed(name, code)
    if os.environ.get("RECORD") == "new":
        FILE.write_text(
            FILE.read_text("utf-8").replace(f"{code}```\n\n> {says}\n", f"{code}```\n\n> {told.sentence}\n"), "utf-8"
        )
    else:
        assert told.verdict is Verdict.MISTAKE and says_the_same(told.sentence, says), (
            f"said now: {told.sentence} If that is better, run this test once with RECORD=new."
        )


def says_the_same(one: str, other: str) -> bool:
    """Tell whether two sentences share what is meant in its order, and at least half of their words."""
    alike = SequenceMatcher(None, one.split(), other.split()).ratio()
    return MEANT.findall(one) == MEANT.findall(other) and alike >= 0.5
