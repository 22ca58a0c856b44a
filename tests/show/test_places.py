"""Names beside points: none on another, none on a point, however crowded the points are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.backends.backend_agg import FigureCanvasAgg

from utils.show.figures import points
from utils.show.places import places


def overlap(boxes):
    """The area that every two of the boxes (left, bottom, right, top) share, all together."""
    return sum(
        max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
        for a, b in combinations(boxes, 2)
    )


def test_a_name_alone_stands_to_the_right_of_its_point():
    left, bottom, right, top = places([[10, 20]], [[30, 8]])[0]
    assert (left, bottom, right, top) == (17, 16, 47, 24)  # half a marker and 3 points beside it


def test_names_in_one_spot_stand_right_left_above_and_below_and_then_further_off():
    four = [[7, -6, 57, 6], [-57, -6, -7, 6], [-25, 7, 25, 19], [-25, -19, 25, -7]]
    boxes = places(np.zeros((5, 2)), np.full((5, 2), [50.0, 12.0]))
    np.testing.assert_allclose(boxes[:4], four)
    np.testing.assert_allclose(boxes[4], [-25, 28, 25, 40])  # above the one above, the nearest that is free


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.just(2)), elements=st.floats(0, 60)))
def test_a_dozen_names_never_lie_on_each_other(xy):
    sizes = np.full(xy.shape, [40.0, 10.0])
    boxes = places(xy, sizes)
    np.testing.assert_allclose(boxes[:, 2:] - boxes[:, :2], sizes)
    assert overlap(boxes) == 0


def test_a_name_lies_on_no_point():
    xy = np.array([[0, 0], [20, 0], [0, 15]])
    boxes = places(xy, np.full((3, 2), [30.0, 8.0]))
    assert all(overlap([[*(point - 4), *(point + 4)], box]) == 0 for point in xy for box in boxes)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"must both be \(n, 2\): their shapes are \(1, 2\) and \(2, 2\)"):
        places([[0, 0]], [[1, 1], [1, 1]])
    for wrong in (np.zeros(2), np.zeros((2, 3)), np.zeros((1, 2, 2))):
        with pytest.raises(ValueError, match="must both be"):
            places(wrong, wrong)


def test_the_names_of_a_drawn_map_do_not_touch():
    xy = [[0, 0], [0.01, 0], [0, 0.01], [0.01, 0.01], [1, 1], [1.02, 0.99]]
    figure = points(xy, ["siemens", "philips", "nokia", "apple", "princess", "queen"], ["a"] * 4 + ["b"] * 2, "map")
    renderer = FigureCanvasAgg(figure).get_renderer()
    named = [text for text in figure.axes[0].texts if text.get_text()]
    boxes = [text.get_window_extent(renderer).extents for text in named]
    assert len(boxes) == 6 and overlap(boxes) == 0
