"""The opening of lesson 17 shows the image, [CLS], every patch with its position, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.opening_vit import image_as_tokens

IMAGE = np.arange(64.0).reshape(8, 8) / 63


def test_alternative_text_describes_the_steps():
    alt = image_as_tokens(IMAGE, 4, "3").alt
    assert (
        "a handwritten 3 of 8 × 8 pixels is cut into 4 patches of 4 × 4" in alt
        and "its position is added, 0 to 4" in alt
    )


@pytest.mark.parametrize(
    ("image", "size", "sentence"),
    [(IMAGE, 3, r"3 × 3 can't fill an image of the shape \(8, 8\)"), (IMAGE[0], 2, r"the shape \(8,\)"),
     (IMAGE, 1, "room for 16 patches: the image has 64")],
)  # fmt: skip
def test_drawing_refuses_invalid_arguments(image, size, sentence):
    with pytest.raises(ValueError, match=sentence):
        image_as_tokens(image, size, "7")
