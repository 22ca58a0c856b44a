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


def _laid_down_the_columns(patches: Array, columns: int) -> Array:
    order = np.arange(len(patches)).reshape(columns, -1).T.ravel()
    return _image(patches[order], columns)


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
    {
        "You reshaped in a single step, so each patch became part of one row of pixels, although it is a square. "
        "Give rows, columns and both edges an axis each, then swap two.": lambda patches, columns: patches.reshape(
            -1, columns * _edge(patches)
        ),
        "You put the first pixel rows of all patches before all the second ones. The P pixel rows of one row of "
        "patches belong together: order the axes as (rows, P, columns, P).": lambda patches, columns: (
            patches.reshape(-1, columns, _edge(patches), _edge(patches))
            .transpose(2, 0, 1, 3)
            .reshape(-1, columns * _edge(patches))
        ),
        "You put the patches where they belong, but transposed each of them, so that its rows became columns. Fill "
        "each patch row by row.": _with_patches(lambda squares: squares.swapaxes(1, 2)),
        "You placed the patches column after column, but they were cut row by row. "
        "Place them from left to right, then go one row down.": _laid_down_the_columns,
        "You put all patches into one row, so the image has only P rows of pixels. "
        "Begin a new row after `columns` patches.": lambda patches, columns: np.hstack(
            [*patches.reshape(len(patches), _edge(patches), -1)]
        ),
        "You used `columns` as the number of rows of patches, but it is the number of patches side by side. Make "
        "len(patches) // columns rows of patches.": lambda patches, columns: _image(patches, len(patches) // columns),
        _NO_SQUARE.format(
            "There are `columns` columns of patches: work out the rows from len(patches)."
        ): lambda patches, columns: _in_a_square(patches, int(len(patches) ** 0.5)),
        _NO_SQUARE.format("Use `columns`, the number of patches side by side."): lambda patches, columns: _image(
            patches, int(len(patches) ** 0.5)
        ),
        _NO_SQUARE.format(
            "There are `columns` columns of patches, but len(patches) // columns rows."
        ): lambda patches, columns: _in_a_square(patches, columns),
        "You took `columns` for the edge of a patch in pixels, but it counts patches side by side. "
        "Get the edge from `patches.shape[1]`, which is its square.": lambda patches, columns: (
            patches.reshape(-1, columns, columns, columns).swapaxes(1, 2).reshape(-1, columns * columns)
        ),
        "You took `columns` for the width of the image in pixels, but it counts patches. A single reshape also "
        "leaves each patch in one row, so give its two edges an axis each.": lambda patches, columns: patches.reshape(
            -1, columns
        ),
        "You placed the rows of patches from the bottom up, but the first patch belongs in the upper left corner. "
        "Begin at the top.": lambda patches, columns: _image(
            patches.reshape(-1, columns, patches.shape[1])[::-1].reshape(patches.shape), columns
        ),
        "You have the correct four axes (rows, columns, P, P), but the image has only two axes. Swap the two in the "
        "middle, then reshape to the image.": lambda patches, columns: patches.reshape(
            -1, columns, _edge(patches), _edge(patches)
        ),
    },
)

# --- positions for a finer grid ---------------------------------------------------------------------------------


def _finer(positions: Array) -> Array:
    grid = _grid(positions)
    return np.vstack([positions[:1], grid.repeat(2, axis=0).repeat(2, axis=1).reshape(-1, positions.shape[1])])


def _grid(positions: Array) -> Array:
    """(1 + g², d) -> (g, g, d), without [CLS]."""
    g = round((len(positions) - 1) ** 0.5)
    return positions[1:].reshape(g, g, -1)


def _from_cls_on(positions: Array) -> Array:
    """The finer grid of what begins with [CLS], and [CLS] before it."""
    return _finer(np.vstack([positions[:1], positions[:-1]]))


def _mixed(at: Callable[[int], Array]) -> Callable[[Array], Array]:
    """The new rows and columns lie at the places at(g) of the old ones, and what lies between two is mixed of them."""

    def finer(positions: Array) -> Array:
        grid = _grid(positions)
        g = len(grid)
        share = np.maximum(0, 1 - np.abs(at(g)[:, None] - np.arange(g)))  # (2g, g)
        new = np.einsum("ai,bj,ijd->abd", share, share, grid)
        return np.vstack([positions[:1], new.reshape(4 * g * g, -1)])

    return finer


_MIXED = (
    "You mixed the positions of neighbouring patches, as an interpolation does. In this exercise each new patch "
    "takes over the position of one old patch, so repeat that position."
)
_FINER = Exercise(
    "17.finer_grid",
    "positions for an image twice as large",
    _finer,
    [(_random.normal(size=(1 + g * g, d)).round(2),) for g, d in ((2, 3), (3, 4), (4, 2))],
    {
        "You repeated each position four times in a row, as if the patches were in one line. The four patches that "
        "replace one form a square, so repeat along both axes of the grid.": lambda positions: np.vstack(
            [positions[:1], positions[1:].repeat(4, axis=0)]
        ),
        "You put four copies of the whole grid together, so patches far apart share a position. Each old patch "
        "becomes four neighbours, so repeat every row and every column.": lambda positions: np.vstack(
            [positions[:1], np.tile(_grid(positions), (2, 2, 1)).reshape(-1, positions.shape[1])]
        ),
        "You wrote the whole sequence four times, but each old patch becomes four neighbours in two rows. "
        "Make a grid of the positions first, then repeat along both axes.": lambda positions: np.vstack(
            [positions[:1], np.tile(positions[1:], (4, 1))]
        ),
        "You doubled only the columns, but the image is also twice as high. "
        "Double the rows of the grid as well.": lambda positions: np.vstack(
            [positions[:1], _grid(positions).repeat(2, axis=1).reshape(-1, positions.shape[1])]
        ),
        "You doubled only the rows, but the image is also twice as wide. "
        "Double the columns of the grid as well.": lambda positions: np.vstack(
            [positions[:1], _grid(positions).repeat(2, axis=0).reshape(-1, positions.shape[1])]
        ),
        "You repeated the position of [CLS] four times, but [CLS] isn't a patch. Keep its position as one "
        "row.": lambda positions: np.vstack([positions[:1].repeat(4, axis=0), _finer(positions)[1:]]),
        "You began the grid with [CLS], so each patch got the position of the previous one. [CLS] isn't on the grid, "
        "so begin with row 1.": _from_cls_on,
        "You began the grid with [CLS], so each patch got a wrong position. Set row 0 aside, make the grid of the "
        "other "
        "rows, and put row 0 in front again.": lambda positions: _from_cls_on(positions)[1:],
        _MIXED: [
            _mixed(lambda g: np.clip((np.arange(2 * g) + 0.5) / 2 - 0.5, 0, g - 1)),
            _mixed(lambda g: np.linspace(0, g - 1, 2 * g)),
        ],
        **{
            f"You repeated every row {said}, including [CLS], as if the patches were in one line. Set row 0 aside, "
            "then repeat the rows and columns of a grid.": lambda positions, times=times: positions.repeat(
                times, axis=0
            )
            for times, said in ((2, "twice"), (4, "four times"))
        },
        "You swapped the rows and the columns of the grid, but patches are counted row by row. Leave the grid's axes "
        "in order.": lambda positions: np.vstack(
            [
                positions[:1],
                _finer(positions)[1:]
                .reshape(*[2 * len(_grid(positions))] * 2, -1)
                .swapaxes(0, 1)
                .reshape(-1, positions.shape[1]),
            ]
        ),
        "You have the correct grid, but the encoder needs a sequence. Reshape the grid to rows, and put the position "
        "of [CLS] in front.": lambda positions: _grid(positions).repeat(2, axis=0).repeat(2, axis=1),
        "You filled the end with zeros, so the new patches don't have a position. Give each of them the position of "
        "the old patch that it is a quarter of.": lambda positions: np.vstack(
            [positions, np.zeros((3 * (len(positions) - 1), positions.shape[1]))]
        ),
    },
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

EXERCISES = (_BACK, _FINER, _WHICH)
