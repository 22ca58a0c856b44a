"""The exercises of lesson 17, images as patches, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(17)

# --- from patches back to the image -----------------------------------------------------------------------------


def _image(patches: Array, columns: int) -> Array:
    P = _edge(patches)
    return patches.reshape(-1, columns, P, P).transpose(0, 2, 1, 3).reshape(-1, columns * P)


def _edge(patches: Array) -> int:
    return round(patches.shape[1] ** 0.5)


def _with_patches(change: Callable[[Array], Array]) -> Callable[[Array, int], Array]:
    """The image of patches (N, P, P) that were changed before they were laid."""
    return lambda patches, columns: _image(
        change(patches.reshape(len(patches), _edge(patches), -1)).reshape(patches.shape), columns
    )


def _in_a_square(patches: Array, edge: int) -> Array:
    """As if there were `edge` rows and `edge` columns of patches."""
    P = _edge(patches)
    return patches.reshape(edge, edge, P, P).swapaxes(1, 2).reshape(edge * P, edge * P)


_NO_SQUARE = "You took the grid for a square, but the image doesn't have to be square. {}"
# Rows, columns and P all differ, but in the third all are equal, where a wrong order still runs. In the fourth there
# are as many patches as in a square; in the fifth, patches as wide as `columns` would fit the entries.
_GRIDS = [
    (_random.integers(0, 17, (rows * columns, P * P)), columns)
    for rows, columns, P in ((2, 4, 3), (5, 3, 2), (2, 2, 2), (2, 8, 3), (4, 2, 3))
]

_BACK = Exercise(
    "17.image",
    "from patches back to the image",
    _image,
    _GRIDS,
    [
        "You reshaped in a single step, so each patch became part of one row of pixels, although it is a square. Give "
        "rows, columns and both edges an axis each, then swap two.",
        lambda patches, columns: patches.reshape(-1, columns * _edge(patches)),
        "You put the first pixel rows of all patches before all the second ones. The P pixel rows of one row of "
        "patches belong together: order the axes as (rows, P, columns, P).",
        lambda patches, columns: (
            patches.reshape(-1, columns, _edge(patches), _edge(patches))
            .transpose(2, 0, 1, 3)
            .reshape(-1, columns * _edge(patches))
        ),
        "You put the patches where they belong, but transposed each of them, so that its rows became columns. Fill "
        "each patch row by row.",
        _with_patches(lambda squares: squares.swapaxes(1, 2)),
        _NO_SQUARE.format("There are `columns` columns of patches: work out the rows from len(patches)."),
        lambda patches, columns: _in_a_square(patches, int(len(patches) ** 0.5)),
        _NO_SQUARE.format("Use `columns`, the number of patches side by side."),
        lambda patches, columns: _image(patches, int(len(patches) ** 0.5)),
        _NO_SQUARE.format("There are `columns` columns of patches, but len(patches) // columns rows."),
        lambda patches, columns: _in_a_square(patches, columns),
        "You took `columns` for the edge of a patch in pixels, but it counts patches side by side. Get the edge from "
        "`patches.shape[1]`, which is its square.",
        lambda patches, columns: (
            patches.reshape(-1, columns, columns, columns).swapaxes(1, 2).reshape(-1, columns * columns)
        ),
        "You took `columns` for the width of the image in pixels, but it counts patches. A single reshape also leaves "
        "each patch in one row, so give its two edges an axis each.",
        lambda patches, columns: patches.reshape(-1, columns),
        "You placed the rows of patches from the bottom up, but the first patch belongs in the upper left corner. "
        "Begin at the top.",
        lambda patches, columns: _image(
            patches.reshape(-1, columns, patches.shape[1])[::-1].reshape(patches.shape), columns
        ),
        "You have the correct four axes (rows, columns, P, P), but the image has only two axes. Swap the two in the "
        "middle, then reshape to the image.",
        lambda patches, columns: patches.reshape(-1, columns, _edge(patches), _edge(patches)),
    ],
)

_WHICH = choice(
    "17.which",
    "c",
    "its filters take it for granted that neighbours belong together, but now they run over edges between patches "
    "that were not neighbours.",
    {
        "a": (
            "It gives each pixel a weight of its own, wherever the pixel is. If the order is different, it only "
            "learns its weights in that order."
        ),
        "b": (
            "It learns a vector for each position, so any positions will do, as long as a patch is always at the "
            "same one."
        ),
        "d": (
            "The models differ in what they take for granted about neighbours, before they have learnt anything from "
            "the images."
        ),
    },
)

EXERCISES = (_BACK, _WHICH)
