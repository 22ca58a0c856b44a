"""Make live controls for any lesson: parameters, and a pure function that draws pictures for their values.

The function takes one argument for each parameter, does all the computing, and returns panels. `LiveControl` calls it
whenever the reader changes a parameter, and `live.js` puts the panels on the page. The page itself handles everything
that only looks closer (pointing at a cell, moving along a curve, choosing a row), so that works in a saved notebook,
too.

    def picture(d_k, scale):
        ...
        return [Heatmap(weights, words, words, "weights"), Note(f"the largest weight is {weights.max():.3f}")]

    LiveControl(
        picture,
        [Slider("d_k", 1, 512, value=64, steps=[1, 4, 16, 64, 256, 512]), Choice("scale", ["none", "√d_k"])],
        presets={"no scale at 512": {"d_k": 512, "scale": "none"}},
        alt="A heatmap of attention weights: the larger d_k without the scale, the closer each row is to one word.",
    )
"""

from __future__ import annotations

from utils.show.live.control import LiveControl
from utils.show.live.knobs import Choice, Entries, Paint, Parameter, Row, Slider, Text, Toggle
from utils.show.live.panels import Bars, Drawing, Heatmap, Lines, Matrix, Note, Panel, Points, Tokens
