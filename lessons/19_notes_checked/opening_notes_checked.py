"""The opening figure of lesson 19: how a printed number gets its verdict, from the page to the likely mistake."""

from __future__ import annotations

from matplotlib.figure import Figure

from utils.show.drawing import OLIVE, ROSE, SAND, TEAL, WHITE, arrow, box, label, sheet
from utils.show.figures import with_alt

_WIDTH, _HEIGHT = 2.7, 0.75


def how_a_number_is_judged(printed: str, computed: str, off: str, mistake: str, verdict: str) -> Figure:
    """Draw five boxes: what the page prints, what comes out now, how far apart they are, what mistake gives the printed
    number, and the verdict. The texts are the example's own.
    """
    figure, axes = sheet(10.6, 3.4)
    places = {
        "printed": (1.7, 2.4),
        "computed": (1.7, 0.75),
        "off": (5.3, 1.9),
        "mistake": (5.3, 0.75),
        "verdict": (8.9, 1.6),
    }
    texts = {"printed": printed, "computed": computed, "off": off, "mistake": mistake, "verdict": verdict}
    colours = {"printed": TEAL, "computed": OLIVE, "off": WHITE, "mistake": SAND, "verdict": ROSE}
    for name, place in places.items():
        box(axes, place, texts[name], width=_WIDTH, height=_HEIGHT, colour=colours[name], bold=name == "verdict")
    for words, at in (("on the page", "printed"), ("computed now", "computed"), ("how far off", "off")):
        label(axes, (places[at][0], places[at][1] + 0.55), words)
    label(axes, (5.3, 0.17), "what gives the printed number?")
    label(axes, (8.9, 2.15), "the verdict")
    edge = _WIDTH / 2
    for name in ("printed", "computed"):
        arrow(axes, (places[name][0] + edge, places[name][1]), (places["off"][0] - edge, places["off"][1]))
    for name in ("off", "mistake"):
        arrow(axes, (places[name][0] + edge, places[name][1]), (places["verdict"][0] - edge, places["verdict"][1]))
    return with_alt(
        figure,
        f"Drawing: the page prints {printed}. Computed now, it is {computed}. So it is {off}. "
        f"The printed number is what this gives: {mistake}. The verdict: {verdict}.",
    )
