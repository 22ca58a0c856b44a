"""What a drawing's arrows lead to, and whether it is still the one that was looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text
from matplotlib.typing import ColorType
from numpy.typing import ArrayLike

from tests.recorded import AGAIN, recorded
from utils.show.figures import use_course_style

NEAR = 0.3  # inches: so far from a box or a word an arrow still leads to it


def loose_ends(figure: Figure) -> list[tuple[float, float]]:
    """The ends of a drawing's arrows that lie in a box or on a word, or lead to none and to no line; in inches."""
    figure.canvas.draw()
    (axes,) = figure.axes
    arrows = [note for note in axes.texts if isinstance(note, Annotation) and not note.get_text()]
    drawn = [*axes.patches, *axes.lines, *(text for text in axes.texts if text.get_text())]
    parts = [part.get_window_extent().transformed(figure.dpi_scale_trans.inverted()) for part in drawn]

    def is_loose(x: float, y: float) -> bool:
        # Half a line's height is let through: letters have air around them.
        inside = any(part.x0 + 0.01 < x < part.x1 - 0.01 and part.y0 + 0.1 < y < part.y1 - 0.1 for part in parts)
        near = any(part.x0 - NEAR <= x <= part.x1 + NEAR and part.y0 - NEAR <= y <= part.y1 + NEAR for part in parts)
        return inside or not near

    ends = [tuple(map(float, end)) for arrow in arrows for end in (arrow.xyann, arrow.xy)]
    return [end for end in ends if is_loose(*end)]


def changed(draw: Callable[[], Figure], path: Path) -> str:
    """How a drawing differs from the one that was looked at, whose parts are kept at `path`; "" where it does not."""
    with matplotlib.rc_context(), np.printoptions():
        matplotlib.rcdefaults()
        use_course_style()
        now = parts(draw())
    left, new = recorded(now, path), []
    in_order = len(left) == len(now) and all(map(_alike, left, now))
    for part in now:
        found = next((i for i, other in enumerate(left) if _alike(other, part)), None)
        if found is None:
            new.append(f"+ {part}")
        else:
            left.pop(found)
    gone = [f"- {part}" for part in left]
    if not in_order and not gone and not new:
        new = ["other parts lie on top"]
    return "\n".join([*gone, *new, AGAIN]) if gone or new else ""


def parts(figure: Figure) -> list[list[str | float]]:
    """What a drawing is made of: of each axes its frame, and from below to the top what each part is, its ink, and
    where, in the axes' units.
    """
    figure.canvas.draw()
    engine = figure.get_layout_engine()
    found = [["sheet", *([type(engine).__name__] if engine else []), *_numbers(figure.get_size_inches())]]
    for axes in figure.axes:
        drawn = [*axes.texts, *axes.lines, *axes.patches, *axes.images, *axes.collections]
        in_order = sorted((part for part in axes.get_children() if part in drawn), key=Artist.get_zorder)
        found += [*_frame(axes), *map(_part, in_order)]
    return found


def _frame(axes: Axes) -> list[list[str | float]]:
    frame = [["axes", *_numbers(axes.get_xlim(), axes.get_ylim())]]
    if axes.axison:
        ticks = [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
        titles = [axes.get_title(), axes.get_xlabel(), axes.get_ylabel()]
        frame.append(["named", *titles, *ticks])
        frame.append(["drawn", *_looks_of(axes)])
    legend = axes.get_legend()
    if legend is None:
        return frame
    said = [(text.get_text(), *_numbers(text.get_fontsize())) for text in legend.get_texts()]
    return [*frame, ["legend", str(legend._loc), *(part for each in said for part in each)]]


def _looks_of(axes: Axes) -> list[str | float]:
    """How a frame's words are set, where its ticks stand, and which of its lines are drawn."""
    words = [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels()[:1], *axes.get_yticklabels()[:1]]
    set_so = [f"{word.get_ha()} {word.get_fontsize():g} {word.get_rotation():g}" for word in words]
    sides = [side for side, spine in axes.spines.items() if spine.get_visible()]
    grid = [
        f"grid {line.get_linestyle()} {line.get_alpha()}" for line in axes.get_xgridlines()[:1] if line.get_visible()
    ]
    marks = [f"ticks {tick.tick1line.get_markersize():g}" for tick in axes.xaxis.get_major_ticks()[:1]]
    said = [axes.get_xscale(), axes.get_yscale(), str(axes.get_aspect()), *set_so, *sides, *grid, *marks]
    return [*said, *_numbers(axes.get_xticks(), axes.get_yticks())]


def _part(part: Artist) -> list[str | float]:
    if isinstance(part, Annotation) and not part.get_text():
        shown = part.arrow_patch
        head = [
            type(shown.get_arrowstyle()).__name__,
            *_numbers(shown.get_mutation_scale(), shown.shrinkA, shown.shrinkB),
        ]
        return ["arrow", *_ink(shown), *head, *_numbers(part.xyann, part.xy)]
    if isinstance(part, Text):
        around = part.get_bbox_patch()
        said = [
            part.get_text(),
            _hex(part.get_color()),
            part.get_ha(),
            part.get_va(),
            str(part.get_fontweight()),
        ]
        said += [] if around is None else [_hex(around.get_edgecolor()), _hex(around.get_facecolor())]
        said += _numbers(part.xy) if isinstance(part, Annotation) else []
        return ["text", *said, *_numbers(part.get_fontsize(), part.get_rotation(), part.get_position())]
    if isinstance(part, Line2D):
        said = [_hex(part.get_color()), part.get_linestyle(), str(part.get_marker())]
        return ["line", *said, *_numbers(part.get_linewidth(), part.get_xydata())]
    if isinstance(part, AxesImage):
        return ["image", part.get_cmap().name, *_numbers(part.get_extent(), part.get_clim(), part.get_array())]
    if isinstance(part, Collection):
        paths = [path.get_extents().extents for path in part.get_paths() if len(path.vertices)]
        inks = [_hex(colour) for colour in (*part.get_edgecolor(), *part.get_facecolor())]
        return ["group", *inks, *_numbers(part.get_linewidth(), part.get_offsets(), *paths)]
    outline = part.get_path().transformed(part.get_patch_transform()).get_extents()
    return ["box", *_ink(part), _hex(part.get_facecolor()), *_numbers(outline.extents)]


def _ink(patch: Patch) -> list[str | float]:
    return [
        _hex(patch.get_edgecolor()),
        str(patch.get_linestyle()),
        *_numbers(patch.get_linewidth()),
    ]


def _hex(colour: ColorType) -> str:
    return to_hex(colour, keep_alpha=True)


def _numbers(*values: ArrayLike) -> list[float]:
    return [round(float(number), 3) + 0.0 for value in values for number in np.ravel(value)]


def _alike(one: Sequence[str | float], other: Sequence[str | float]) -> bool:
    """Whether two parts are the same, but for what rounding does."""

    def is_same(a: str | float, b: str | float) -> bool:
        return a == b if isinstance(a, str) or isinstance(b, str) else abs(a - b) < 0.002

    return len(one) == len(other) and all(map(is_same, one, other))
