"""What is folded away until the reader has guessed, and the guess beside it."""

from __future__ import annotations

import re

from utils.show.cards import folded


def test_guess_is_entered_above_the_fold_and_stays_beside_the_answer():
    one, three = folded("8", guess=1).html, folded("8", guess=3).html
    assert one.index("<input") < one.index("<details") and three.count("<input ") == 3 and "number 3" in three
    picked = folded("8", guess=("a < b", "c")).html
    assert picked.count('type="radio"') == 2 and "a &lt; b" in picked
    names = [re.search(r'name="(guess-\w+)"', folded(said, guess=("a", "b")).html)[1] for said in ("8", "9", "8")]
    assert names[0] == names[2] != names[1]  # two folds of one page are told apart, and a rebuilt notebook is the same
    assert "<input" not in folded("8").html and folded("8", guess=2).text == folded("8").text
