"""Words lit by their weights."""

from __future__ import annotations

import re

import pytest

from utils.show.lit import lit_words


def test_the_heaviest_is_the_brightest_and_framed():
    card = lit_words(["a", "<b>", "c"], [0.1, 0.6, 0.3], "service:")
    assert [float(light) for light in re.findall(r"rgba\(230,159,0,([\d.]+)\)", card.html)] == [0.08, 0.5, 0.25]
    assert card.html.count("outline") == 1 and "&lt;b&gt; <small>0.60</small>" in card.html
    assert card.text == "service: heaviest: <b> 0.60, c 0.30, a 0.10"
    assert card.html.count("font-weight:700") == 1 and 'title="0.10">a</span>' in card.html


def test_three_words_are_named_of_equals_those_that_come_first():
    words = [str(i) for i in range(200)]
    assert lit_words(words, [1, 2] * 100, "t").text == "t heaviest: 1 2.00, 3 2.00, 5 2.00"


def test_weights_of_nothing_light_nothing():
    assert "rgba(230,159,0,0.00)" in lit_words(["a"], [0.0], "x").html


@pytest.mark.parametrize("weights", [[0.5], [0.5, -0.1], [0.5, float("nan")], [[0.5, 0.5]]])
def test_weights_that_do_not_fit_are_refused(weights):
    with pytest.raises(ValueError, match="weight"):
        lit_words(["a", "b"], weights, "x")


def test_no_words_and_weights_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match=r"each word needs one weight: 0 words, weights of shape \(0,\)"):
        lit_words([], [], "x")
    with pytest.raises(TypeError, match="weights must hold real numbers: their dtype is complex128"):
        lit_words(["a"], [1j], "x")
