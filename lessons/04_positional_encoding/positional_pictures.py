"""The pictures of lesson 04: sines and cosines over the position, the map of all encodings, the interactive figure."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.by_hand.positional import encode_positions, frequencies, positional_encoding
from utils.show.drawing import NARROW
from utils.show.figures import COLOURS, DASHES, SIGNED, with_alt
from utils.show.live import Heatmap, Lines, Note, Panel

_WAVES = (("sine", "o"), ("cosine", "s"))


def waves(d_model: int, base: float, last: int, dots: int = 4) -> Figure:
    """Draw the sine and the cosine of each pair of columns over the positions 0 to `last`, one pair below the other.

    The first `dots` positions are marked. Raises ValueError for an odd d_model, whose last sine has no cosine.
    """
    if d_model % 2:
        raise ValueError(f"a pair has a sine and a cosine, so d_model must be even: it is {d_model}.")
    positions = np.linspace(0, last, 10 * last + 1)
    curves, marked = (encode_positions(x, d_model, base) for x in (positions, np.arange(dots)))
    figure = Figure(figsize=(NARROW, d_model + 1.0), layout="constrained")
    below = figure.subplots(d_model // 2, 1, sharex=True, squeeze=False)[:, 0]
    said = []
    for i, (axes, frequency) in enumerate(zip(below, frequencies(d_model, base), strict=True)):
        for column, (name, marker) in enumerate(_WAVES, start=2 * i):
            style = {"color": COLOURS[column % 2], "linestyle": DASHES[column % 2]}
            axes.plot(positions, curves[:, column], label=name, **style)
            axes.plot(marked[:, column], linestyle="", marker=marker, color=style["color"], clip_on=False, zorder=3)
            said.append(f"{name} of pair {i}: " + ", ".join(f"{x:.3f}" for x in marked[:, column]))
        axes.set_title(f"pair {i}: a full turn in {2 * np.pi / frequency:.1f} positions")
        axes.set(xlim=(0, last), ylim=(-1.1, 1.1))
        axes.grid(alpha=0.3)
    below[-1].set_xlabel("position")
    figure.legend(*below[0].get_legend_handles_labels(), loc="outside upper left", ncols=2)
    return with_alt(
        figure,
        f"Curves over the positions 0 to {last}, a sine and a cosine for each pair, all between −1 and 1; the fastest "
        f"pair on top. At the positions 0 to {dots - 1}: {'; '.join(said)}.",
    )


def position_map(encodings: ArrayLike, title: str) -> Figure:
    """Draw the encodings (positions, columns) as a map: 0 is white, blue is below it and orange above."""
    encodings = np.asarray(encodings, dtype=float)
    n, d_model = encodings.shape
    figure = Figure(figsize=(NARROW, 4.6))
    axes = figure.add_subplot()
    figure.colorbar(axes.imshow(encodings, cmap=SIGNED, vmin=-1, vmax=1))
    axes.set(xlabel="column", ylabel="position", title=title)
    rows, columns = sorted({0, min(1, n - 1), n - 1}), sorted({0, d_model // 3, max(0, d_model - 2)})
    some = "; ".join(f"row {p}: " + ", ".join(f"{encodings[p, c]:.2f}" for c in columns) for p in rows)
    return with_alt(
        figure,
        f"Heatmap of {n} positions by {d_model} columns. On the left fast stripes, slower from pair to pair. On the "
        f"right hardly any change: sines near 0, cosines near 1. Columns {', '.join(map(str, columns))}: {some}.",
    )


def picture(position: int, d_model: int, base: int, unit: str, rows: int) -> list[Panel]:
    """Return what the interactive figure shows: the first `rows` encodings, and the distance of each from `position`.

    unit: "radians" or "degrees", what the angle is taken for.
    """
    degrees, names = unit == "degrees", [str(p) for p in range(rows)]
    PE = positional_encoding(rows, d_model, base, degrees)  # (rows, d_model)
    here = encode_positions([position], d_model, base, degrees)[0]  # (d_model,)
    begins = ", ".join(f"{x:.6f}" for x in here[:4]).replace("-", "−")
    distances, marks = np.linalg.norm(PE - here, axis=1), {"here": position} if position < rows else {}
    far = f"distance from position {position}"
    return [
        Note(f"Position {position} is {begins}{', …' if d_model > 4 else ''}"),
        Heatmap(PE, names, [str(c) for c in range(d_model)], "encodings", -1, 1, decimals=3, diverging=True),
        Lines(range(rows), {"distance": distances}, "position", "distance", far, marks=marks),
    ]
