"""The opening figure of lesson 22 names the state that moves."""

from __future__ import annotations

import pytest
from matplotlib.text import Annotation

from lessons.opening_inside import one_patch


def test_patch_shows_and_names_the_state_and_both_words():
    figure = one_patch(["we", "drink"], ["they", "eat"], 1, "eat(they)", "drink(they)?")
    shown = {text.get_text(): text.get_position()[0] for text in figure.axes[0].texts}
    assert {"we", "drink", "they", "eat", "eat(they)", "drink(they)?"} <= shown.keys()
    patch = next(text for text in figure.axes[0].texts if isinstance(text, Annotation))
    assert patch.xy[0] == patch.xyann[0] == shown["drink"] == shown["eat"]


def test_alternative_text_names_the_state_and_both_words():
    alt = one_patch(["we", "drink"], ["they", "drink"], 0, "drink(they)", "drink(we)?").alt
    assert "The state of we is taken" in alt and "writes drink(they)." in alt and alt.endswith("drink(we)?")


@pytest.mark.parametrize(("other", "at"), [(["they"], 0), (["they", "drink"], 2)])
def test_sentences_that_do_not_fit_are_refused(other, at):
    with pytest.raises(ValueError, match="one length"):
        one_patch(["we", "drink"], other, at, "x", "y")
