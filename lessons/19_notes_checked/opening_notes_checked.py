"""The opening figure of lesson 19: how a printed number gets its verdict, from the page to the likely mistake."""

from __future__ import annotations

from matplotlib.figure import Figure

from utils.show.drawing import OLIVE, ROSE, SAND, TEAL, WHITE, arrow, box, label, sheet, two_forms
from utils.show.figures import with_alt

_WIDTH, _HEIGHT = 2.5, 0.75


@two_forms
def how_a_number_is_judged(
    printed: str, computed: str, off: str, mistake: str, verdict: str, narrow: bool = False
) -> Figure:
    """Draw five boxes: what the page prints, what comes out now, how far apart they are, what mistake gives the printed
    number, and the verdict. The texts are the example's own.
    """
    spots = [(1.35, 4.2), (4.1, 4.2), (1.35, 2.45), (4.1, 2.45), (2.75, 0.55)]  # below each other
    if not narrow:
        spots = [(1.4, 2.4), (1.4, 0.75), (4.8, 1.9), (4.8, 0.75), (8.2, 1.6)]
    figure, axes = sheet(5.5, 5.0) if narrow else sheet(9.65, 3.3)
    places = dict(zip(("printed", "computed", "off", "mistake", "verdict"), spots, strict=True))
    texts = {"printed": printed, "computed": computed, "off": off, "mistake": mistake, "verdict": verdict}
    colours = {"printed": TEAL, "computed": OLIVE, "off": WHITE, "mistake": SAND, "verdict": ROSE}
    for name, place in places.items():
        box(axes, place, texts[name], width=_WIDTH, height=_HEIGHT, colour=colours[name], bold=name == "verdict")
    asked = "what gives it?" if narrow else "what gives the printed number?"
    for words, at in (
        ("on the page", "printed"), ("computed now", "computed"), ("how far off", "off"), (asked, "mistake"),
        ("the verdict", "verdict"),
    ):  # fmt: skip
        x, y = places[at]
        below = at == "mistake" and not narrow  # above it is no room
        label(axes, (x - 0.5 if narrow else x, y - 0.55 if below else y + 0.55), words)
    for start, end in (("printed", "off"), ("computed", "off"), ("off", "verdict"), ("mistake", "verdict")):
        (x, y), (to, up) = places[start], places[end]
        if narrow:
            arrow(axes, (x + 0.6, y - _HEIGHT / 2), (to + 0.6, up + _HEIGHT / 2))
        else:
            arrow(axes, (x + _WIDTH / 2, y), (to - _WIDTH / 2, up))
    return with_alt(
        figure,
        f"Drawing: the page prints {printed}. Computed now, it is {computed}. So it is {off}. "
        f"The printed number is what this gives: {mistake}. The verdict: {verdict}.",
    )
