"""The opening figure of lesson 12 draws the losses of a run in proportion."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.opening_training import pair_and_loss


def test_curve_is_in_proportion_and_translation_has_its_gloss():
    figure = pair_and_loss("The weather is great.", "هوا عالی است.", [4.0, 1.0, 0.0], 10, 0.25)
    (base, foot), (x, curve) = (np.array(line.get_data()) for line in figure.axes[0].lines)
    assert (curve - foot[0]) / (curve[0] - foot[0]) == pytest.approx([1, 0.25, 0])
    assert x == pytest.approx([base[0], base.mean(), base[1]])
    assert {"loss 4.0", "0.0", "10 steps", "30 steps"} <= {text.get_text() for text in figure.axes[0].texts}
    assert "weather great is" in figure.alt and "1.00 after 20" in figure.alt and "25 %" in figure.alt


@pytest.mark.parametrize(("losses", "right"), [([1.0], 0.5), ([2.0, 1.0], 1.5)])
def test_run_without_curve_or_share_is_refused(losses, right):
    with pytest.raises(ValueError, match="two losses"):
        pair_and_loss("It is.", "است.", losses, 10, right)
