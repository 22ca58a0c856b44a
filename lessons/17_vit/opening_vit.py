"""The opening figure of lesson 17: an image is cut into patches, and the encoder reads them like words."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from utils.show.colours import ROLES, SIGNED
from utils.show.drawing import OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_TOKEN, _PATCH, _ROW = 0.52, 0.4, 1.0  # inches: from token to token, of a patch, from row to row in the narrow form
_TOP, _PLACES, _ENCODER, _OUTPUT = 3.05, 2.5, 1.5, 0.35


@two_forms
def image_as_tokens(image: ArrayLike, patch_size: int, says: str, narrow: bool = False) -> Figure:
    """Draw an image (H, W) from 0 (paper) to 1 (ink), its patches in a row after [CLS], the encoder and its answer.

    narrow: put the image above, and the tokens in two rows. Raise ValueError if patches can't fill the image,
    or if there are more than 16 of them.
    """
    image = np.asarray(image, dtype=float)
    if image.ndim != 2 or any(edge % patch_size for edge in image.shape):
        raise ValueError(f"patches of {patch_size} × {patch_size} can't fill an image of the shape {image.shape}.")
    rows, columns = image.shape[0] // patch_size, image.shape[1] // patch_size
    n = rows * columns
    if n > 16:
        raise ValueError(f"there is room for 16 patches: the image has {n}.")
    squares = image.reshape(rows, patch_size, columns, patch_size).swapaxes(1, 2).reshape(n, patch_size, patch_size)
    across = -(-(n + 1) // 2) if narrow else n + 1
    first, raised = (0.45, _ROW) if narrow else (3.1, 0.0)
    size = (first + _TOKEN * (across - 1) + 0.4, 3.7 + (raised and raised + 2.8))
    figure, axes = sheet(*size)
    named = size[1] - 0.2
    at = (1.25, named - 1.3) if narrow else (1.2, 2.25)
    _picture(axes, image, at, 2.0 if narrow else 2.1, (rows, columns))
    label(axes, (at[0], named), "image", bold=True)
    text, spot = f"[CLS] and {n} patches, in reading order", (first + _TOKEN * n / 2, named)
    if narrow:
        text, spot = text.replace(", ", ",\n"), (3.75, named - 1.3)
        arrow(axes, (at[0], named - 2.35), (at[0], _TOP + raised + 0.28))
    else:
        arrow(axes, (2.35, _TOP), (first - 0.4, _TOP))
    label(axes, spot, text, bold=True)
    middle = first + _TOKEN * (across - 1) / 2
    for i in range(n + 1):
        x, up = first + _TOKEN * (i % across), raised if i < across else 0.0
        if i:
            _picture(axes, squares[i - 1], (x, _TOP + up), _PATCH)
        else:
            box(axes, (x, _TOP + up), "CLS", width=0.48, height=_PATCH, colour=ROSE)
        label(axes, (x, _PLACES + up), f"+ {i}" if not narrow and not i else str(i))
        if not up:
            arrow(axes, (x, _PLACES - 0.25), (x, _ENCODER + 0.33))
    text = "encoder: every token asks every token"
    box(axes, (middle, _ENCODER), text, width=_TOKEN * across + 0.2, height=0.6, colour=TEAL)
    x = first + 0.05
    arrow(axes, (x, _ENCODER - 0.33), (x, _OUTPUT + 0.3))
    box(axes, (x, _OUTPUT), "[CLS]", width=0.75, colour=ROSE)
    arrow(axes, (x + 0.4, _OUTPUT), (x + 0.7, _OUTPUT))
    box(axes, (x + 1.6, _OUTPUT), "linear, softmax", width=1.75, colour=SAND)
    arrow(axes, (x + 2.5, _OUTPUT), (x + 2.8, _OUTPUT))
    box(axes, (x + 3.15, _OUTPUT), says, width=0.65, colour=OLIVE, bold=True)
    if not narrow:
        label(axes, (x + 3.7, _OUTPUT), "the rows of the patches are not read", ha="left")
    axes.set(xlim=(0, size[0]), ylim=(0, size[1]))  # the images have moved these limits
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
    rows, columns = grid
    for i in range(rows):
        for j in range(columns):
            corner = (left + j * width / columns, bottom + i * height / rows)
            size = (width / columns, height / rows)
            axes.add_patch(Rectangle(corner, *size, fill=False, edgecolor=ROLES["query"], linewidth=1.5, zorder=4))
