"""What a drawing's arrows lead to, and whether its words stay on its sheet."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.text import Annotation

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


def off_the_sheet(figure: Figure) -> list[str]:
    """The words of a drawing of which a part lies beyond its edge."""
    figure.canvas.draw()
    (axes,) = figure.axes
    around = [(text.get_text(), text.get_window_extent()) for text in axes.texts if text.get_text()]
    return [word for word, box in around if not (figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max))]
