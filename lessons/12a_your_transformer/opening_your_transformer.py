"""The opening figure of lesson 12a: ten empty sockets, one for each exercise, and what they write together."""

from __future__ import annotations

from collections.abc import Collection

from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from utils.data.gloss import gloss
from utils.show.drawing import EDGE, INK, NARROW, OLIVE, OUTPUT, TEAL, WHITE, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

PARTS = (  # in the order of the exercises, with their names in the code
    "embedded",
    "attention",
    "causal_mask",
    "MultiHeadAttention",
    "EncoderLayer",
    "DecoderLayer",
    "Transformer",
    "loss_of",
    "train",
    "greedy",
)
_EMPTY = "#F5F5F5"
_DOES = {6: "with part 4 twice", 8: "how wrong?", 9: "learns", 10: "writes"}
_INSIDE = {2: 4, 4: 5, 1: 7, 3: 7, 5: 7, 6: 7}  # part -> the part that contains it
# number -> left, bottom, width and height in inches
_WIDE = {
    1: (0.2, 0.75, 1.6, 0.8), 2: (2.5, 0.42, 1.8, 0.55), 3: (5.4, 1.7, 1.8, 0.45), 4: (2.15, 0.3, 2.5, 1.25),
    5: (2.0, 0.2, 2.8, 1.9), 6: (5.15, 0.25, 2.3, 1.1), 7: (0.1, 0.1, 7.55, 2.5),
    8: (8.2, 0.1, 1.5, 0.7), 9: (8.2, 1.0, 1.5, 0.7), 10: (8.2, 1.9, 1.5, 0.7),
}  # fmt: skip
_NARROW = {
    1: (1.5, 5.75, 2.5, 0.55), 2: (1.85, 3.98, 1.8, 0.45), 3: (0.25, 2.67, 1.75, 0.5), 4: (1.3, 3.87, 2.9, 1.0),
    5: (0.85, 3.74, 3.8, 1.6), 6: (2.5, 2.5, 2.75, 0.85), 7: (0.1, 2.3, 5.3, 4.45),
    8: (0.1, 1.2, 1.6, 0.7), 9: (1.95, 1.2, 1.6, 0.7), 10: (3.8, 1.2, 1.6, 0.7),
}  # fmt: skip
_WAYS = (  # arrows: from the right or lower edge of a part to the left or upper edge of the next
    ((1.0, 2.9), (1.0, 1.55)), ((1.8, 1.15), (2.0, 1.15)), ((4.8, 0.8), (5.15, 0.8)), ((6.3, 1.7), (6.3, 1.35)),
    ((7.65, 0.45), (8.2, 0.45)), ((8.95, 0.8), (8.95, 1.0)), ((8.2, 1.35), (7.65, 1.35)), ((7.65, 2.25), (8.2, 2.25)),
    ((8.95, 2.6), (8.95, 2.82)),
), (
    ((1.85, 7.05), (1.85, 6.3)), ((2.75, 5.75), (2.75, 5.34)), ((3.9, 3.74), (3.9, 3.35)), ((2.0, 2.92), (2.5, 2.92)),
    ((0.9, 2.3), (0.9, 1.9)), ((1.7, 1.55), (1.95, 1.55)), ((2.75, 1.9), (2.75, 2.3)), ((4.6, 2.3), (4.6, 1.9)),
    ((4.6, 1.2), (4.6, 0.88)),
)  # fmt: skip


@two_forms
def ten_sockets(filled: Collection[int], read: str, written: str, narrow: bool = False) -> Figure:
    """Draw the parts that you write, numbered as their exercises, with those in `filled` in colour.

    read, written: a sentence, and what the finished machine makes of it. narrow: draw the parts below each other.

    Raise ValueError for a number that no exercise has.
    """
    if wrong := [number for number in filled if not 1 <= number <= len(PARTS)]:
        raise ValueError(f"filled must have numbers of exercises, 1 to {len(PARTS)}, but has {wrong}.")
    figure, axes = sheet(NARROW, 7.65) if narrow else sheet(9.8, 3.55)
    box(axes, (2.75, 7.3) if narrow else (1.25, 3.15), read, 2.2, 0.5, TEAL)
    box(
        axes,
        (4.3, 0.5) if narrow else (8.6, 3.15),
        f"{written}\N{RIGHT-TO-LEFT MARK}\n{gloss(written)}",
        2.2,
        0.66,
        OUTPUT,
    )
    says = "What the finished\nmachine writes:" if narrow else "What the finished machine writes:"
    label(axes, (3.1, 0.5) if narrow else (7.4, 3.15), says, ha="right")
    for number, (left, bottom, width, height) in sorted((_NARROW if narrow else _WIDE).items(), reverse=True):
        has = number in filled
        style = {
            "facecolor": OLIVE if has else WHITE if number in _INSIDE.values() else _EMPTY,
            "edgecolor": INK if has else EDGE,
            "linestyle": "-" if has else (0, (4, 3)),
        }
        axes.add_patch(
            FancyBboxPatch((left, bottom), width, height, "round,pad=0,rounding_size=0.08", zorder=3, **style)
        )
        holds = number in _INSIDE.values()
        name = f"{number}  {PARTS[number - 1]}" + (" × 2" if number in (5, 6) else "") + ("  ✓" if has else "")
        name += f"\n{_DOES[number]}" if number in _DOES else ""
        at = (left + width / 2, bottom + height - 0.25 if holds else bottom + height / 2)
        label(axes, at, name, bold=has)
    for start, end in _WAYS[narrow]:
        arrow(axes, start, end)
        axes.texts[-1].set_zorder(5)
    inside = "; ".join(f"{PARTS[whole - 1]} contains {PARTS[part - 1]}" for part, whole in sorted(_INSIDE.items()))
    return with_alt(
        figure,
        f"Drawing: ten sockets, one for each exercise: {', '.join(PARTS)}. {inside}. The loss, the training and the "
        f"writing are outside. The finished machine reads “{read}” and writes {written}, “{gloss(written)}” word for "
        f"word. Filled: {', '.join(PARTS[number - 1] for number in filled) or 'none'}.",
    )
