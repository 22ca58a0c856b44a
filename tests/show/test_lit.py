"""Words lit by their weights."""

from __future__ import annotations

import re

from utils.show.lit import lit_words


def test_largest_weight_is_brightest_and_framed():
    card = lit_words(["a", "<b>", "c"], [0.1, 0.6, 0.3], "service:")
    assert [float(light) for light in re.findall(r"rgba\(230,159,0,([\d.]+)\)", card.html)] == [0.08, 0.5, 0.25]
    assert card.html.count("outline") == 1 and "&lt;b&gt; <small>0.60</small>" in card.html
    assert card.text == "service: heaviest: <b> 0.60, c 0.30, a 0.10"
    assert card.html.count("font-weight:700") == 1 and 'title="0.10">a</span>' in card.html
