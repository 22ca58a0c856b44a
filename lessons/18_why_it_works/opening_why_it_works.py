"""The opening figure of lesson 18: a translator of blocks, the four questions asked of it, and its rival."""

from __future__ import annotations

from matplotlib.figure import Figure

from utils.show.drawing import ACCENT, GREY, OLIVE, ROSE, SAND, TEAL, arrow, box, label, sheet
from utils.show.figures import with_alt

_RISE, _BOTTOM = 1.15, 0.75  # inches from level to level, and below the first
_ENCODER, _DECODER, _RIVAL = 3.6, 6.5, 10.6


def four_questions(blocks: int) -> Figure:
    """Draw an encoder and a decoder of `blocks` blocks each with the four questions, beside an LSTM's chain of states.

    Raise ValueError for fewer than two blocks, because a single one can't change places.
    """
    if blocks < 2:
        raise ValueError(f"the drawing needs at least two blocks on each side: there would be {blocks}.")
    top = _BOTTOM + blocks * _RISE
    figure, axes = sheet(13.2, top + 1.35)
    heights = [_BOTTOM + i * _RISE for i in range(blocks + 1)]
    for x, name in ((_ENCODER, "encoder"), (_DECODER, "decoder")):
        label(axes, (x, top + 0.8), name, bold=True)
        for level, y in enumerate(heights):
            text = f"block {level}" if level else "looked up"
            box(axes, (x, y), text, width=1.7, colour=(TEAL if x == _ENCODER else OLIVE) if level else GREY)
            if level:
                arrow(axes, (x, y - _RISE + 0.3), (x, y - 0.3))
    for y in heights[1:]:
        arrow(axes, (_ENCODER + 0.88, top), (_DECODER - 0.88, y))
    label(axes, (1.2, heights[-1]), "1  Is it spread out?\nTake some away.", colour=ACCENT)
    label(axes, (1.2, heights[1]), "2  Another sentence:\nanother vector?", colour=ACCENT)
    label(axes, ((_ENCODER + _DECODER) / 2, top + 0.8), "3  How many?", colour=ACCENT)
    label(axes, (1.2, heights[0]), "4  What can be read\nat each level?", colour=ACCENT)
    label(axes, (_RIVAL, top + 0.8), "the rival: LSTM", bold=True)
    spots = [_RIVAL - 1.65 + 1.1 * i for i in range(4)]
    for row, (y, colour) in enumerate(((heights[0], SAND), (heights[-1], ROSE))):
        for i, x in enumerate(spots):
            box(axes, (x, y), f"{'hs'[row]}{i + 1}", width=0.75, colour=colour)
            if i:
                arrow(axes, (spots[i - 1] + 0.4, y), (x - 0.4, y))
    for x in spots:
        arrow(axes, (x, heights[0] + 0.3), (spots[2], heights[-1] - 0.3), width=0.8)
    arrow(axes, (spots[3] - 0.1, heights[0] + 0.3), (spots[0], heights[-1] - 0.3), dashed=True)
    label(axes, (_RIVAL, heights[0] - 0.5), "one word after the other", colour=ACCENT)
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
