"""The whole transformer in one picture: a box for each module, under the name that it has in the code.

What is drawn stands in `BOXES` and `FRAMES` as data. A test compares their names with the modules of a real model, so
the picture can't go on showing a name that the code has given up.
Source: Vaswani et al. 2017, figure 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from utils.show.figures import with_alt


class Sizes(Protocol):
    """What the picture needs to know of a model: its configuration."""

    d_model: int
    n_heads: int
    d_ff: int
    norm_first: bool
    activation: str
    source_vocabulary: int
    target_vocabulary: int
    n_encoder_layers: int
    n_decoder_layers: int
    positions: str
    tied: str

    @property
    def has_final_norm(self) -> bool: ...


@dataclass(frozen=True)
class Box:
    """A module: its name in the code (of a block, the first of its stack), where it stands, and what it says."""

    path: str
    column: float
    row: float
    says: Callable[[Sizes], str]
    colour: str

    @property
    def name(self) -> str:
        """The last part of the path, which is what is written in the box."""
        return self.path.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Frame:
    """A module that holds others: drawn around them, from its lowest to its highest row."""

    path: str
    column: float
    rows: tuple[float, float]
    margin: float
    says: Callable[[Sizes], str]


_ENCODER, _MIDDLE, _DECODER = 0.0, 5.2, 10.4
_WIDTH, _HEIGHT = 4.6, 0.72
_PLUS = 1.8  # the row where positions are added
_BLUE, _ORANGE, _GREEN, _YELLOW, _GREY = "#CFE5F3", "#FBE0CC", "#CDEBE1", "#FAECC8", "#ECECEC"  # Okabe and Ito, pale
_INK, _MEMORY = "#333333", "#B04A00"


def _attention(config: Sizes) -> str:
    return f"{config.n_heads} heads of {config.d_model // config.n_heads}"


def _feed_forward(config: Sizes) -> str:
    return f"{config.d_model} → {config.d_ff}, {config.activation}, → {config.d_model}"


def _add_norm(config: Sizes) -> str:
    return "x + F(norm(x))" if config.norm_first else "norm(x + F(x))"


def _final_norm(config: Sizes) -> str:
    return "layer norm" if config.has_final_norm else "none in this model"


def _output(config: Sizes) -> str:
    size = f"{config.d_model} → {config.target_vocabulary}"
    return size if config.tied == "none" else f"{size}, the embedding's matrix"


def _source_embedding(config: Sizes) -> str:
    size = "target_embedding's" if config.tied == "all" else f"{config.source_vocabulary} × {config.d_model}"
    return f"{size}, times √{config.d_model}"


BOXES = (
    Box("source_embedding", _ENCODER, 0.8, _source_embedding, _GREY),
    Box(
        "target_embedding",
        _DECODER,
        0.8,
        lambda config: f"{config.target_vocabulary} × {config.d_model}, times √{config.d_model}",
        _GREY,
    ),
    Box("positions", _MIDDLE, _PLUS, lambda config: f"{config.positions}, added to both", _GREY),
    Box("encoder.layers.0.self_attention", _ENCODER, 3, _attention, _BLUE),
    Box("encoder.layers.0.add_norm_attention", _ENCODER, 4, _add_norm, _YELLOW),
    Box("encoder.layers.0.feed_forward", _ENCODER, 5, _feed_forward, _GREEN),
    Box("encoder.layers.0.add_norm_feed_forward", _ENCODER, 6, _add_norm, _YELLOW),
    Box("encoder.final_norm", _ENCODER, 7.4, _final_norm, _YELLOW),
    Box("decoder.layers.0.self_attention", _DECODER, 3, lambda c: f"{_attention(c)}, look-ahead mask", _BLUE),
    Box("decoder.layers.0.add_norm_self", _DECODER, 4, _add_norm, _YELLOW),
    Box("decoder.layers.0.cross_attention", _DECODER, 5, lambda c: f"{_attention(c)}, queries from below", _ORANGE),
    Box("decoder.layers.0.add_norm_cross", _DECODER, 6, _add_norm, _YELLOW),
    Box("decoder.layers.0.feed_forward", _DECODER, 7, _feed_forward, _GREEN),
    Box("decoder.layers.0.add_norm_feed_forward", _DECODER, 8, _add_norm, _YELLOW),
    Box("decoder.final_norm", _DECODER, 9.4, _final_norm, _YELLOW),
    Box("output", _DECODER, 11.0, _output, _GREY),
)
FRAMES = (
    Frame("encoder", _ENCODER, (3, 7.4), 0.75, lambda config: ""),
    Frame("decoder", _DECODER, (3, 9.4), 0.75, lambda config: ""),
    Frame("encoder.layers", _ENCODER, (3, 6), 0.45, lambda config: f"× {config.n_encoder_layers}"),
    Frame("decoder.layers", _DECODER, (3, 8), 0.45, lambda config: f"× {config.n_decoder_layers}"),
)
_SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")


def blueprint(config: Sizes) -> Figure:
    """The transformer of a configuration, drawn from the bottom up: encoder left, decoder right.

    Each box holds the module's name and its size. The alternative text lists them in the order of the data.
    """
    figure = Figure(figsize=(12.5, 10.5))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(_ENCODER - 3.5, _DECODER + 3.5)
    axes.set_ylim(-0.4, 12.8)
    axes.set_axis_off()
    for frame in FRAMES:
        _draw_frame(axes, frame, config)
    _draw_streams(axes)
    for box in BOXES:
        _draw_box(axes, box, config)
    _draw_ends(axes, config)
    return with_alt(figure, _in_words(config))


def _draw_box(axes: Axes, box: Box, config: Sizes) -> None:
    corner = (box.column - _WIDTH / 2, box.row - _HEIGHT / 2)
    axes.add_patch(
        FancyBboxPatch(
            corner, _WIDTH, _HEIGHT, "round,pad=0,rounding_size=0.12", facecolor=box.colour, edgecolor=_INK, zorder=3
        )
    )
    style = {"ha": "center", "va": "center", "zorder": 4, "color": "black"}
    axes.text(box.column, box.row + 0.15, box.name, fontsize=13, fontweight="bold", **style)
    axes.text(box.column, box.row - 0.17, box.says(config), fontsize=11.5, **style)


def _draw_frame(axes: Axes, frame: Frame, config: Sizes) -> None:
    low, high = frame.rows[0] - 0.62, frame.rows[1] + 0.5
    left, width = frame.column - _WIDTH / 2 - frame.margin, _WIDTH + 2 * frame.margin
    outer = frame.margin > 0.5
    if outer:
        low, high = low - 0.1, high + 0.12
    axes.add_patch(
        FancyBboxPatch(
            (left, low),
            width,
            high - low,
            "round,pad=0,rounding_size=0.2",
            facecolor="none" if outer else "#F7F7F7",
            edgecolor=_INK,
            linestyle="-" if outer else "--",
            linewidth=1.6 if outer else 1.1,
            zorder=1,
        )
    )
    name = f"{frame.path.rsplit('.', 1)[-1]} {frame.says(config)}".strip()
    if outer:
        axes.text(left + 0.05, high + 0.1, name, fontsize=15, fontweight="bold", ha="left", va="bottom")
    else:
        axes.text(left + width - 0.1, high + 0.06, name, fontsize=12.5, ha="right", va="bottom")


def _draw_streams(axes: Axes) -> None:
    """The way of the data: up each column, around each sublayer, and from the encoder to the decoder."""
    for column in (_ENCODER, _DECODER):
        stops = sorted(box.row for box in BOXES if box.column == column)
        _arrow(axes, [(column, 0.05), (column, stops[0] - _HEIGHT / 2)])
        for low, high in pairwise(stops):
            _arrow(axes, [(column, low + _HEIGHT / 2), (column, high - _HEIGHT / 2)])
        inward = 1 if column == _ENCODER else -1
        _arrow(axes, [(_MIDDLE - inward * _WIDTH / 2, _PLUS), (column + inward * 0.22, _PLUS)])
        axes.text(
            column,
            _PLUS,
            "+",
            fontsize=17,
            ha="center",
            va="center",
            zorder=5,
            bbox={"boxstyle": "circle,pad=0.12", "facecolor": "white", "edgecolor": _INK},
        )
    for box in BOXES:
        if box.name in _SUBLAYERS:
            side = -1 if box.column == _ENCODER else 1
            beside, edge = box.column + side * (_WIDTH / 2 + 0.22), box.column + side * _WIDTH / 2
            below, above = box.row - _HEIGHT / 2 - 0.14, box.row + 1
            _arrow(axes, [(box.column, below), (beside, below), (beside, above), (edge, above)])
    last = max(box.row for box in BOXES if box.column == _ENCODER) + _HEIGHT / 2
    asked = next(box.row for box in BOXES if box.name == "cross_attention")
    path = [(_ENCODER, last), (_ENCODER, last + 0.62), (_MIDDLE, last + 0.62), (_MIDDLE, asked)]
    _arrow(axes, [*path, (_DECODER - _WIDTH / 2, asked)], _MEMORY, 2.4)
    axes.text(_MIDDLE + 0.12, last - 0.1, "keys\nand values", fontsize=12.5, color=_MEMORY, va="top")


def _arrow(axes: Axes, corners: Sequence[tuple[float, float]], colour: str = _INK, width: float = 1.3) -> None:
    x, y = zip(*corners[:-1], strict=True)
    if len(corners) > 2:
        axes.plot(x, y, color=colour, linewidth=width, zorder=2, solid_joinstyle="round")
    line = {"arrowstyle": "-|>", "color": colour, "linewidth": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", corners[-1], corners[-2], arrowprops=line, zorder=2)


def _draw_ends(axes: Axes, config: Sizes) -> None:
    """What goes in below, what comes out above."""
    axes.text(_ENCODER, -0.15, "source: ids (B, N)", fontsize=13, ha="center", va="center")
    axes.text(_DECODER, -0.15, "target, shifted right: ids (B, M)", fontsize=13, ha="center", va="center")
    top = max(box.row for box in BOXES) + _HEIGHT / 2
    _arrow(axes, [(_DECODER, top), (_DECODER, top + 0.55)])
    text = f"logits (B, M, {config.target_vocabulary}), then softmax and argmax"
    axes.text(_DECODER + 2.9, top + 0.75, text, fontsize=13, ha="right", va="center")
    axes.text(_ENCODER + 0.1, 8.65, f"memory (B, N, {config.d_model})", fontsize=12.5, color=_MEMORY, va="center")


def _in_words(config: Sizes) -> str:
    boxes = "; ".join(f"{box.path}: {box.says(config)}" for box in BOXES)
    return (
        f"The transformer, encoder left ({config.n_encoder_layers} blocks), decoder right "
        f"({config.n_decoder_layers} blocks), from the bottom up. {boxes}. The encoder's output goes to "
        f"decoder.layers.*.cross_attention as keys and values. d_model is {config.d_model} all the way."
    )
