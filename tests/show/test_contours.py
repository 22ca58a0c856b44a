"""Maps with lines of equal height and arrows: what they say and what they refuse."""

from __future__ import annotations

from utils.show.contours import contours
from utils.show.figures import picture_html


def bowl(x, y):
    return x**2 + 3 * y**2


def test_alternative_text_names_levels_and_arrows():
    figure = contours(bowl, [1, 4], [((1, 1), (0.2, 0.6))], "a bowl")
    assert figure.alt == "Map, a bowl. Lines of the heights 1, 4; an arrow from (1, 1) to (1.2, 1.6)."
    assert "data:image/svg+xml" in picture_html(figure)
