"""Draw the whole transformer in one picture: a box for each module, with its name in the code.

`BOXES` and `FRAMES` contain the drawing as data. A test compares their names with the modules of a real model, so that
the picture can't show a name that the code no longer has.
Source: Vaswani et al. 2017, figure 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from utils.show import drawing
from utils.show.drawing import ACCENT, ATTENTION, GREY, INK, SAND, TEAL, Point, arrow, label, sheet, two_forms
from utils.show.figures import with_alt


@dataclass(frozen=True)
class Box:
    """A module: its path in the code (for a stack, in the first block), its position, and its second line `says`."""

    path: str
    column: int
    row: float
    says: Callable[[Any], str]
    colour: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return _last(self.path)


@dataclass(frozen=True)
class Frame:
    """A module that contains others, drawn as a frame around them from its lowest to its highest row."""

    path: str
    column: int
    rows: tuple[float, float]
    margin: float
    says: Callable[[Any], str]


@dataclass(frozen=True)
class _Layout:
    """Where the columns are: their middles in inches, and the number of rows by which the decoder is raised."""

    columns: tuple[float, float, float]
    raised: float = 0

    def at(self, column: int, row: float) -> Point:
        """Return the point of a row in a column."""
        return self.columns[column], (row + (self.raised if column == _DECODER else 0)) * _ROW

    def of(self, box: Box) -> Point:
        """Return the middle of a box."""
        return self.at(box.column, box.row)


_ENCODER, _MIDDLE, _DECODER = range(3)
_WIDE, _NARROW = _Layout((2.25, 4.7, 7.15)), _Layout((2.75, 4.5, 2.75))
_WIDTH, _HEIGHT, _ROW = 3.3, 0.54, 0.74  # inches: of a box, and from row to row
_POSITIONS = 1.8  # the width of the box of positions
_PLUS = 1.8  # the row of the sum with the positions
_ROWS = 13.0  # of both columns


def _attention(config: Any) -> str:
    return f"{config.n_heads} heads of {config.d_model // config.n_heads}"


def _feed_forward(config: Any) -> str:
    return f"{config.d_model} → {config.d_ff}, {config.activation}, → {config.d_model}"


def _add_norm(config: Any) -> str:
    return "x + F(norm(x))" if config.norm_first else "norm(x + F(x))"


def _final_norm(config: Any) -> str:
    return "layer norm" if config.has_final_norm else "none in this model"


def _output(config: Any) -> str:
    size = f"{config.d_model} → {config.target_vocabulary}"
    return size if config.tied == "none" else f"{size}, the embedding's matrix"


def _source_embedding(config: Any) -> str:
    size = "target_embedding's" if config.tied == "all" else f"{config.source_vocabulary} × {config.d_model}"
    return f"{size}, times √{config.d_model}"


BOXES = (
    Box("source_embedding", _ENCODER, 0.8, _source_embedding, GREY),
    Box(
        "target_embedding",
        _DECODER,
        0.8,
        lambda config: f"{config.target_vocabulary} × {config.d_model}, times √{config.d_model}",
        GREY,
    ),
    Box("positions", _MIDDLE, _PLUS, lambda config: config.positions, GREY),
    Box("encoder.layers.0.self_attention", _ENCODER, 3, _attention, ATTENTION),
    Box("encoder.layers.0.add_norm_attention", _ENCODER, 4, _add_norm, SAND),
    Box("encoder.layers.0.feed_forward", _ENCODER, 5, _feed_forward, TEAL),
    Box("encoder.layers.0.add_norm_feed_forward", _ENCODER, 6, _add_norm, SAND),
    Box("encoder.final_norm", _ENCODER, 7.4, _final_norm, SAND),
    Box("decoder.layers.0.self_attention", _DECODER, 3, lambda c: f"{_attention(c)}, look-ahead mask", ATTENTION),
    Box("decoder.layers.0.add_norm_self", _DECODER, 4, _add_norm, SAND),
    Box("decoder.layers.0.cross_attention", _DECODER, 5, lambda c: f"{_attention(c)}, queries from below", ATTENTION),
    Box("decoder.layers.0.add_norm_cross", _DECODER, 6, _add_norm, SAND),
    Box("decoder.layers.0.feed_forward", _DECODER, 7, _feed_forward, TEAL),
    Box("decoder.layers.0.add_norm_feed_forward", _DECODER, 8, _add_norm, SAND),
    Box("decoder.final_norm", _DECODER, 9.4, _final_norm, SAND),
    Box("output", _DECODER, 11.0, _output, GREY),
)
FRAMES = (
    Frame("encoder", _ENCODER, (3, 7.4), 0.48, lambda config: ""),
    Frame("decoder", _DECODER, (3, 9.4), 0.48, lambda config: ""),
    Frame("encoder.layers", _ENCODER, (3, 6), 0.28, lambda config: f"× {config.n_encoder_layers}"),
    Frame("decoder.layers", _DECODER, (3, 8), 0.28, lambda config: f"× {config.n_decoder_layers}"),
)
_SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")


@two_forms
def blueprint(config: Any, narrow: bool = False) -> Figure:
    """Return a picture of the transformer from the bottom up: encoder left, decoder right.

    Each box contains the module's name and its size. The alternative text lists them in the order of the data. config:
    a `TransformerConfig`. narrow: draw the decoder above the encoder.
    """
    layout = replace(_NARROW, raised=_ROWS - 2.7) if narrow else _WIDE
    figure, axes = sheet(drawing.NARROW if narrow else 9.4, (_ROWS + layout.raised) * _ROW)
    axes.set_ylim(-0.4 * _ROW, (_ROWS + layout.raised - 0.4) * _ROW)
    for frame in FRAMES:
        _draw_frame(axes, layout, frame, config)
    _draw_streams(axes, layout)
    for box in BOXES:
        if box.path != "positions":
            _draw_box(axes, layout.of(box), box, config)
            continue
        for column in (_ENCODER, _DECODER) if narrow else (_ENCODER,):
            at = (layout.columns[_MIDDLE], layout.at(column, box.row)[1])
            _draw_box(axes, at, box, config, _POSITIONS)
    _draw_ends(axes, layout, config)
    return with_alt(figure, _in_words(config))


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def _draw_box(axes: Axes, middle: Point, box: Box, config: Any, width: float = _WIDTH) -> None:
    drawing.box(axes, middle, "", width, _HEIGHT, box.colour)
    label(axes, (middle[0], middle[1] + 0.12), box.name, bold=True)
    label(axes, (middle[0], middle[1] - 0.13), box.says(config))


def _draw_frame(axes: Axes, layout: _Layout, frame: Frame, config: Any) -> None:
    low, high = frame.rows[0] - 0.62, frame.rows[1] + 0.5
    outer = frame.margin > 0.4
    if outer:
        low, high = low - 0.1, high + 0.12
    (x, bottom), (_, above) = layout.at(frame.column, low), layout.at(frame.column, high)
    left, width = x - _WIDTH / 2 - frame.margin, _WIDTH + 2 * frame.margin
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom),
            width,
            above - bottom,
            "round,pad=0,rounding_size=0.12",
            facecolor="none" if outer else "#F7F7F7",
            edgecolor=INK,
            linestyle="-" if outer else "--",
            linewidth=1.2,
            zorder=1,
        )
    )
    name = f"{_last(frame.path)} {frame.says(config)}".strip()
    at, side = (left + 0.05, "left") if outer else (left + width - 0.08, "right")
    label(axes, (at, above + 0.16), name, bold=outer, ha=side)


def _draw_streams(axes: Axes, layout: _Layout) -> None:
    """Draw the path of the data: up each column, around each sublayer, and from the encoder to the decoder."""
    half = _HEIGHT / 2
    for column in (_ENCODER, _DECODER):
        stops = sorted(layout.of(box)[1] for box in BOXES if box.column == column)
        x, plus = layout.at(column, _PLUS)
        _arrow(axes, [(x, layout.at(column, 0.08)[1]), (x, stops[0] - half)])
        for low, high in pairwise(stops):
            _arrow(axes, [(x, low + half), (x, high - half)])
        inward = 1 if layout.columns[_MIDDLE] > x else -1
        _arrow(axes, [(layout.columns[_MIDDLE] - inward * _POSITIONS / 2, plus), (x + inward * 0.17, plus)])
        axes.add_patch(Circle((x, plus), 0.13, facecolor="white", edgecolor=INK, zorder=3))
        label(axes, (x, plus), "+")
    for box in BOXES:
        if box.name in _SUBLAYERS:
            x, y = layout.of(box)
            side = -1 if box.column == _ENCODER else 1
            beside, edge = x + side * (_WIDTH / 2 + 0.16), x + side * _WIDTH / 2
            below, above = y - half - 0.1, y + _ROW
            _arrow(axes, [(x, below), (beside, below), (beside, above), (edge, above)])
    last, asked = _memory_rows(layout)
    x, edge = layout.columns[_ENCODER], layout.columns[_DECODER] - _WIDTH / 2
    turn, up = (layout.columns[_MIDDLE], 0.6) if asked[0] > x else (0.2, 0.45)
    _arrow(axes, [(x, last), (x, last + up), (turn, last + up), (turn, asked[1]), (edge, asked[1])], ACCENT)


def _memory_rows(layout: _Layout) -> tuple[float, Point]:
    """Return how high the memory leaves the encoder, and the box of the decoder that it enters."""
    last = max(layout.of(box)[1] for box in BOXES if box.column == _ENCODER) + _HEIGHT / 2
    return last, next(layout.of(box) for box in BOXES if box.name == "cross_attention")


def _arrow(axes: Axes, corners: list[Point], colour: str = INK) -> None:
    """Draw an arrow along `corners`."""
    x, y = zip(*corners[:-1], strict=True)
    if len(corners) > 2:
        axes.plot(x, y, color=colour, linewidth=1.4)
    arrow(axes, corners[-2], corners[-1], colour)


def _draw_ends(axes: Axes, layout: _Layout, config: Any) -> None:
    """Label the inputs below, the output above, and the encoder's output."""
    for column, text in ((_ENCODER, "source: ids (B, N)"), (_DECODER, "target, shifted right: ids (B, M)")):
        label(axes, layout.at(column, -0.13), text)
    x, y = layout.of(BOXES[-1])
    _arrow(axes, [(x, y + _HEIGHT / 2), (x, y + _HEIGHT / 2 + 0.3)])
    label(axes, (x, y + _HEIGHT / 2 + 0.6), f"logits (B, M, {config.target_vocabulary}),\nthen softmax and argmax")
    last, _ = _memory_rows(layout)
    text = f"memory (B, N, {config.d_model}):\nkeys and values"
    label(axes, (layout.columns[_ENCODER], last + 0.88), text, colour=ACCENT)


def _in_words(config: Any) -> str:
    listed = "; ".join(f"{box.path}: {box.says(config)}" for box in BOXES)
    return (
        f"The transformer, encoder left ({config.n_encoder_layers} blocks), decoder right "
        f"({config.n_decoder_layers} blocks), from the bottom up. {listed}. The encoder's output goes to "
        f"decoder.layers.*.cross_attention as keys and values. d_model is {config.d_model} all the way."
    )
