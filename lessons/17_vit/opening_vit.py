"""The opening figure of lesson 17: an image is cut into patches, and the encoder reads them like words."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from utils.show.drawing import OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import SIGNED, with_alt

_WIDTH, _HEIGHT = 12.6, 3.9
_LEFT, _TOKEN, _PATCH = 3.75, 0.52, 0.4  # inches: the first token, from one to the next, and how large a patch is
_TOP, _PLACES, _ENCODER, _OUTPUT = 3.05, 2.5, 1.5, 0.35


def image_as_tokens(image: ArrayLike, patch_size: int, says: str) -> Figure:
    """Draw an image (H, W) from 0 (paper) to 1 (ink), its patches in a row after [CLS], the encoder and its answer.

    Raise ValueError if patches can't fill the image, or if there are more than 16 of them.
    """
    image = np.asarray(image, dtype=float)
    if image.ndim != 2 or any(edge % patch_size for edge in image.shape):
        raise ValueError(f"patches of {patch_size} × {patch_size} can't fill an image of the shape {image.shape}.")
    rows, columns = image.shape[0] // patch_size, image.shape[1] // patch_size
    n = rows * columns
    if n > 16:
        raise ValueError(f"there is room for 16 patches: the image has {n}.")
    squares = image.reshape(rows, patch_size, columns, patch_size).swapaxes(1, 2).reshape(n, patch_size, patch_size)
    figure, axes = sheet(_WIDTH, _HEIGHT)
    _picture(axes, image, (1.4, 2.25), 2.2, (rows, columns))
    label(axes, (1.4, 3.65), "image", bold=True)
    label(axes, (_LEFT + _TOKEN * n / 2, 3.65), f"[CLS] and {n} patches, in reading order", bold=True)
    arrow(axes, (2.65, _TOP), (3.3, _TOP))
    middle = _LEFT + _TOKEN * n / 2
    for i in range(n + 1):
        x = _LEFT + _TOKEN * i
        if i:
            _picture(axes, squares[i - 1], (x, _TOP), _PATCH)
        else:
            box(axes, (x, _TOP), "CLS", width=0.55, height=_PATCH, colour=ROSE, font=13)
        label(axes, (x, _PLACES), str(i))
        arrow(axes, (x, _PLACES - 0.25), (x, _ENCODER + 0.33))
    label(axes, (3.3, _PLACES), "+", bold=True)
    box(
        axes,
        (middle, _ENCODER),
        "encoder: every token asks every token",
        width=_TOKEN * n + 1.0,
        height=0.6,
        colour=TEAL,
    )
    arrow(axes, (_LEFT, _ENCODER - 0.33), (_LEFT, _OUTPUT + 0.32))
    box(axes, (_LEFT, _OUTPUT), "[CLS]", width=0.95, height=0.6, colour=ROSE)
    arrow(axes, (_LEFT + 0.5, _OUTPUT), (_LEFT + 1.1, _OUTPUT))
    box(axes, (_LEFT + 2.15, _OUTPUT), "linear, softmax", width=2.05, height=0.6, colour=SAND)
    arrow(axes, (_LEFT + 3.2, _OUTPUT), (_LEFT + 3.8, _OUTPUT))
    box(axes, (_LEFT + 4.25, _OUTPUT), says, width=0.85, height=0.6, colour=OLIVE, bold=True)
    label(axes, (_LEFT + 4.95, _OUTPUT), "the rows of the patches are not read", ha="left")
    return with_alt(
        figure,
        f"Drawing: a handwritten {says} of {image.shape[0]} × {image.shape[1]} pixels is cut into {n} patches of "
        f"{patch_size} × {patch_size}, row by row from the upper left. A token [CLS] is put in front of them, and to "
        f"each of the {n + 1} tokens its position is added, 0 to {n}. All go into an encoder, where every token asks "
        f"every "
        f"token. Only the row of [CLS] is read at the end: a linear layer and a softmax turn it into the answer, "
        f"{says}.",
    )


def _picture(
    axes: Axes, image: NDArray[np.float64], middle: tuple[float, float], width: float, grid: tuple[int, int] = (1, 1)
) -> None:
    """Draw an image (H, W) in the colours of the lesson's heatmaps, `width` inches wide, with the lines of its grid."""
    height = width * image.shape[0] / image.shape[1]
    left, bottom = middle[0] - width / 2, middle[1] - height / 2
    extent = (left, left + width, bottom, bottom + height)
    axes.imshow(image, cmap=SIGNED, vmin=-1, vmax=1, extent=extent, aspect="auto", zorder=3, interpolation="nearest")
    axes.set_xlim(0, _WIDTH)  # imshow has moved them
    axes.set_ylim(0, _HEIGHT)
    rows, columns = grid
    for i in range(rows):
        for j in range(columns):
            corner = (left + j * width / columns, bottom + i * height / rows)
            size = (width / columns, height / rows)
            axes.add_patch(Rectangle(corner, *size, fill=False, edgecolor="#0072B2", linewidth=1.5, zorder=4))
