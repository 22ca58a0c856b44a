"""The opening figure of lesson 18: a translator of blocks, the four questions asked of it, and its rival."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from utils.show.drawing import ACCENT, GREY, OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_RISE, _BOTTOM = 0.85, 0.7  # inches from level to level, and below the first
_NAMES, _ENCODER, _DECODER = 0.05, 2.95, 4.7
_PALE = "#8C8C8C"


@two_forms
def four_questions(blocks: int, narrow: bool = False) -> Figure:
    """Draw an encoder and a decoder of `blocks` blocks each with the four questions, beside an LSTM's chain of states.

    narrow: draw the LSTM below. Raise ValueError for fewer than two blocks, because a single one can't change places.
    """
    if blocks < 2:
        raise ValueError(f"the drawing needs at least two blocks on each side: there would be {blocks}.")
    rise = _BOTTOM + blocks * _RISE + 1.0
    foot, rival = (rise + 0.1, 2.85) if narrow else (0.0, 8.4)
    top = foot + _BOTTOM + blocks * _RISE
    figure, axes = sheet(5.5 if narrow else 10.6, foot + rise)
    heights = [foot + _BOTTOM + i * _RISE for i in range(blocks + 1)]
    for x, name in ((_ENCODER, "encoder"), (_DECODER, "decoder")):
        label(axes, (x, top + 0.5), name, bold=True)
        for level, y in enumerate(heights):
            text = f"block {level}" if level else "looked up"
            box(axes, (x, y), text, width=1.2, colour=(TEAL if x == _ENCODER else OLIVE) if level else GREY)
            if level:
                arrow(axes, (x, y - _RISE + 0.3), (x, y - 0.3))
    frame = ((_ENCODER - 0.72, heights[1] - 0.36), _DECODER - _ENCODER + 1.44, top - heights[1] + 0.72)
    axes.add_patch(Rectangle(*frame, facecolor="none", edgecolor=ACCENT, linestyle=(0, (4, 3)), zorder=1))
    label(axes, (_ENCODER, heights[0] - 0.5), "all words at once", colour=ACCENT)
    for y in heights[1:]:
        arrow(axes, (_ENCODER + 0.62, top), (_DECODER - 0.62, y))
    for y, text in (
        (heights[-1], "1  Is it spread out?\nTake some away."), (heights[1], "2  Another sentence:\nanother vector?"),
        (top + 0.85, "3  How many blocks?"), (heights[0], "4  What can be read\nat each level?"),
    ):  # fmt: skip
        x = _ENCODER - 0.72 if y > top else _NAMES
        label(axes, (x, y), text, colour=ACCENT, ha="left")
    low, high = heights[0] - foot, heights[-1] - foot
    label(axes, (rival, high + 0.5), "the rival: LSTM", bold=True)
    spots = [rival - 1.65 + 1.1 * i for i in range(4)]
    for row, (y, colour) in enumerate(((low, SAND), (high, ROSE))):
        for i, x in enumerate(spots):
            box(axes, (x, y), f"{'hs'[row]}{i + 1}", width=0.75, colour=colour)
            if i:
                arrow(axes, (spots[i - 1] + 0.4, y), (x - 0.4, y), ACCENT, 3)
    for x in spots:
        arrow(axes, (x, low + 0.3), (spots[2], high - 0.3), _PALE)
    arrow(axes, (spots[3] - 0.1, low + 0.3), (spots[0], high - 0.3), colour=ACCENT, dashed=True)
    label(axes, (rival, low - 0.5), "one word after the other", colour=ACCENT)
    return with_alt(
        figure,
        f"Drawing: on the left a translator, an encoder and a decoder of {blocks} blocks each above what is looked up; "
        "the top of the encoder goes to each block of the decoder. Around it are four questions: 1, is the information "
        "that a block hands over spread out, if we take some away? 2, does a word have another vector in another "
        "sentence? 3, how many blocks are needed? 4, what can be read at each level? On the right is the rival: the "
        "states h1 to h4 of an LSTM that reads, each made from the one before, the states s1 to s4 of an LSTM that "
        "writes, and attention from a writing state to all reading states. A dashed arrow from h4 to s1 shows that the "
        "writer begins with the reader's last state.",
    )
