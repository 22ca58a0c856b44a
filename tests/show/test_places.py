"""Names beside points: none on another, none on a point, however crowded the points are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.backends.backend_agg import FigureCanvasAgg

from utils.show.figures import points
from utils.show.places import overlap, places


def test_a_name_alone_stands_to_the_right_of_its_point():
    left, bottom, right, top = places([[10, 20]], [[30, 8]])[0]
    assert (right - left, top - bottom) == (30, 8)
    assert 10 < left < 20 and (bottom + top) / 2 == 20


def test_overlap_is_the_area_that_two_boxes_share():
    assert overlap([[0, 0, 2, 2], [1, 1, 3, 3]]) == 1
    assert overlap([[0, 0, 1, 1], [1, 0, 2, 1], [5, 5, 6, 6]]) == 0


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.just(2)), elements=st.floats(0, 60)))
def test_a_dozen_names_never_lie_on_each_other(xy):
    sizes = np.full(xy.shape, [40.0, 10.0])
    boxes = places(xy, sizes)
    np.testing.assert_allclose(boxes[:, 2:] - boxes[:, :2], sizes)
    assert overlap(boxes) == 0


def test_points_in_one_spot_get_names_around_it():
    assert overlap(places(np.zeros((15, 2)), np.full((15, 2), [50.0, 12.0]))) == 0


def test_what_is_taken_stays_free():
    wall = [5, -100, 400, 100]
    box = places([[0, 0]], [[30, 8]], [wall])[0]
    assert box[2] <= 5 or overlap([box, wall]) == 0
    assert overlap([[-4, -4, 4, 4], box]) == 0


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"must both be \(n, 2\): their shapes are \(1, 2\) and \(2, 2\)"):
        places([[0, 0]], [[1, 1], [1, 1]])


def test_the_names_of_a_drawn_map_do_not_touch():
    xy = [[0, 0], [0.01, 0], [0, 0.01], [0.01, 0.01], [1, 1], [1.02, 0.99]]
    figure = points(xy, ["siemens", "philips", "nokia", "apple", "princess", "queen"], ["a"] * 4 + ["b"] * 2, "map")
    renderer = FigureCanvasAgg(figure).get_renderer()
    named = [text for text in figure.axes[0].texts if text.get_text()]
    boxes = [text.get_window_extent(renderer).extents for text in named]
    assert len(boxes) == 6 and overlap(boxes) == 0
