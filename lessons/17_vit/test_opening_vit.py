"""The opening of lesson 17 shows the image, [CLS], every patch with its position, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.opening_vit import image_as_tokens

IMAGE = np.arange(64.0).reshape(8, 8) / 63


def texts_of(figure):
    return [text for text in figure.axes[0].texts if text.get_text()]


def test_every_patch_is_there_in_reading_order_with_its_position():
    figure = image_as_tokens(IMAGE, 2, "7")
    whole, *squares = figure.axes[0].images
    np.testing.assert_allclose(whole.get_array(), IMAGE)
    wanted = [IMAGE[i : i + 2, j : j + 2] for i in range(0, 8, 2) for j in range(0, 8, 2)]
    np.testing.assert_allclose([square.get_array() for square in squares], wanted)
    paper, ink = (np.mean(whole.to_rgba(value)[:3]) for value in (0, 1))
    assert paper > 0.9 and ink < 0.5
    lefts = [square.get_extent()[0] for square in squares]
    assert lefts == sorted(lefts)
    texts = [text.get_text() for text in texts_of(figure)]
    assert {"CLS", "[CLS]", "7", *map(str, range(17))} <= set(texts)


def test_the_alternative_text_says_what_is_done():
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
def test_what_cannot_be_drawn_is_refused(image, size, sentence):
    with pytest.raises(ValueError, match=sentence):
        image_as_tokens(image, size, "7")
