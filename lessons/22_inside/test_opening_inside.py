"""The opening figure of lesson 22 names the state that moves."""

from __future__ import annotations

import pytest

from lessons.opening_inside import one_patch


def test_patch_names_the_state_and_both_words():
    alt = one_patch(["we", "drink"], ["they", "drink"], 0, "drink(they)", "drink(we)?").alt
    assert "The state of we is taken" in alt and "writes drink(they)." in alt and alt.endswith("drink(we)?")


@pytest.mark.parametrize(("other", "at"), [(["they"], 0), (["they", "drink"], 2)])
def test_sentences_that_do_not_fit_are_refused(other, at):
    with pytest.raises(ValueError, match="one length"):
        one_patch(["we", "drink"], other, at, "x", "y")
