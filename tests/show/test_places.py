"""Names beside points: none on another, none on a point, however crowded the points are."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from utils.show.places import places


def overlap(boxes):
    """The area that every two of the boxes (left, bottom, right, top) share, all together."""
    return sum(
        max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
        for a, b in combinations(boxes, 2)
    )


@settings(deadline=None, max_examples=60)
@given(arrays(np.float64, st.tuples(st.integers(1, 12), st.just(2)), elements=st.floats(0, 60)))
def test_twelve_names_never_overlap(xy):
    sizes = np.full(xy.shape, [40.0, 10.0])
    boxes = places(xy, sizes)
    np.testing.assert_allclose(boxes[:, 2:] - boxes[:, :2], sizes)
    assert overlap(boxes) == 0


def test_names_cover_no_point():
    xy = np.array([[0, 0], [20, 0], [0, 15]])
    boxes = places(xy, np.full((3, 2), [30.0, 8.0]))
    assert all(overlap([[*(point - 4), *(point + 4)], box]) == 0 for point in xy for box in boxes)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="must both be"):
        places([[0, 0]], [[1, 1], [1, 1]])
    for wrong in (np.zeros(2), np.zeros((2, 3)), np.zeros((1, 2, 2))):
        with pytest.raises(ValueError, match="must both be"):
            places(wrong, wrong)
