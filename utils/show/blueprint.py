"""Draw the whole transformer in one picture: a box for each module, with its name in the code.

`BOXES` and `FRAMES` contain the drawing as data. A test compares their names with the modules of a real model, so that
the picture can't show a name that the code no longer has.
Source: Vaswani et al. 2017, figure 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from utils.show.drawing import ACCENT, ATTENTION, GREY, INK, SAND, TEAL, Point, arrow, sheet
from utils.show.figures import with_alt


class Sizes(Protocol):
    """The part of a model's configuration that the picture shows."""

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
    """A module: its path in the code (for a stack, in the first block), its position, and its second line `says`."""

    path: str
    column: float
    row: float
    says: Callable[[Sizes], str]
    colour: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return _last(self.path)


@dataclass(frozen=True)
class Frame:
    """A module that contains others, drawn as a frame around them from its lowest to its highest row."""

    path: str
    column: float
    rows: tuple[float, float]
    margin: float
    says: Callable[[Sizes], str]


_ENCODER, _MIDDLE, _DECODER = 0.0, 5.2, 10.4
_WIDTH, _HEIGHT = 4.6, 0.72
_PLUS = 1.8  # the row of the sum with the positions
_UNITS = 13.2 / 10.5  # rows per inch
_PALE_INK, _PALE_FRAME, _PALE_TEXT = "#C4C4C4", "#FCFCFC", "#737373"  # the text is still readable on its frame


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
    Box("source_embedding", _ENCODER, 0.8, _source_embedding, GREY),
    Box(
        "target_embedding",
        _DECODER,
        0.8,
        lambda config: f"{config.target_vocabulary} × {config.d_model}, times √{config.d_model}",
        GREY,
    ),
    Box("positions", _MIDDLE, _PLUS, lambda config: f"{config.positions}, added to both", GREY),
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
    Frame("encoder", _ENCODER, (3, 7.4), 0.75, lambda config: ""),
    Frame("decoder", _DECODER, (3, 9.4), 0.75, lambda config: ""),
    Frame("encoder.layers", _ENCODER, (3, 6), 0.45, lambda config: f"× {config.n_encoder_layers}"),
    Frame("decoder.layers", _DECODER, (3, 8), 0.45, lambda config: f"× {config.n_decoder_layers}"),
)
_SUBLAYERS = ("self_attention", "cross_attention", "feed_forward")
# The names in the paper's figure 1, which has no final norm.
PAPER_NAMES = {
    "source_embedding": "input embedding",
    "target_embedding": "output embedding",
    "positions": "positional encoding",
    "encoder.layers.0.self_attention": "multi-head attention",
    "encoder.layers.0.add_norm_attention": "add & norm",
    "encoder.layers.0.feed_forward": "feed forward",
    "encoder.layers.0.add_norm_feed_forward": "add & norm",
    "decoder.layers.0.self_attention": "masked multi-head attention",
    "decoder.layers.0.add_norm_self": "add & norm",
    "decoder.layers.0.cross_attention": "multi-head attention",
    "decoder.layers.0.add_norm_cross": "add & norm",
    "decoder.layers.0.feed_forward": "feed forward",
    "decoder.layers.0.add_norm_feed_forward": "add & norm",
    "output": "linear",
}
# The names in `utils/models/minimal.py`, which students write in lesson 12a; it has no final norm.
MINIMAL_NAMES = {
    "source_embedding": "source_table",
    "target_embedding": "target_table",
    "positions": "embedded",  # the function that adds the positions
    "encoder.layers": "EncoderLayer",
    "encoder.layers.0.self_attention": "encoder.0.attention",
    "encoder.layers.0.add_norm_attention": "encoder.0.norm_attention",
    "encoder.layers.0.feed_forward": "encoder.0.feed_forward",
    "encoder.layers.0.add_norm_feed_forward": "encoder.0.norm_feed_forward",
    "decoder.layers": "DecoderLayer",
    "decoder.layers.0.self_attention": "decoder.0.attention",
    "decoder.layers.0.add_norm_self": "decoder.0.norm_attention",
    "decoder.layers.0.cross_attention": "decoder.0.cross",
    "decoder.layers.0.add_norm_cross": "decoder.0.norm_cross",
    "decoder.layers.0.feed_forward": "decoder.0.feed_forward",
    "decoder.layers.0.add_norm_feed_forward": "decoder.0.norm_feed_forward",
    "output": "output",
}


def blueprint(
    config: Sizes, lit: Sequence[str] = (), paper: bool = False, names: Mapping[str, str] | None = None
) -> Figure:
    """Return a picture of the transformer with this configuration, from the bottom up: encoder left, decoder right.

    Each box contains the module's name and its size. The alternative text lists them in the order of the data. Raise
    ValueError if a path in `lit` is not in the drawing.

    lit: paths such as "encoder" or "decoder.layers.0.cross_attention"; they and their parts keep their colours, and all
        the rest is pale. If there are none, nothing is pale.
    paper: show the paper's names in place of the code's names and sizes, and no final norms.
    names: other names for the paths, such as `MINIMAL_NAMES`; a box without a name is not drawn.
    """
    drawn = [part.path for part in (*BOXES, *FRAMES)]
    unknown = [path for path in lit if path not in drawn]
    if unknown:
        raise ValueError(f"only what is drawn can be lit, such as {drawn[0]}: there is no {unknown[0]!r}.")
    names = PAPER_NAMES if paper else names or {box.path: box.path for box in BOXES}
    boxes = [box for box in BOXES if box.path in names]
    high = 10.5
    if "decoder.final_norm" not in names:  # leave no room for it
        high -= 1 / _UNITS
        boxes[-1] = replace(boxes[-1], row=boxes[-1].row - 1)
    figure, axes = sheet(12.5, high)
    axes.set_xlim(_ENCODER - 3.5, _DECODER + 3.5)
    axes.set_ylim(-0.4, high * _UNITS - 0.4)
    for frame in FRAMES:
        _draw_frame(axes, frame, _last(names.get(frame.path, frame.path)), config, boxes, lit)
    _draw_streams(axes, boxes, lit)
    for box in boxes:
        _draw_box(axes, box, _last(names[box.path]), "" if paper else box.says(config), lit)
    _draw_ends(axes, config, boxes, lit, paper)
    return with_alt(figure, _in_words(config, boxes, names, lit, paper))


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def is_lit(path: str, lit: Sequence[str]) -> bool:
    """Return whether a part keeps its colours: `lit` is empty, or names this part or one that contains it."""
    return not lit or any(path == one or path.startswith(f"{one}.") for one in lit)


def _draw_box(axes: Axes, box: Box, name: str, says: str, lit: Sequence[str]) -> None:
    corner = (box.column - _WIDTH / 2, box.row - _HEIGHT / 2)
    bright = is_lit(box.path, lit)
    face, edge = (box.colour, INK) if bright else ("white", _PALE_INK)
    axes.add_patch(
        FancyBboxPatch(
            corner, _WIDTH, _HEIGHT, "round,pad=0,rounding_size=0.12", facecolor=face, edgecolor=edge, zorder=3
        )
    )
    style = {"ha": "center", "va": "center", "zorder": 4, "color": "black" if bright else _PALE_TEXT}
    if not says:
        axes.text(box.column, box.row, name, fontsize=13, fontweight="bold", **style)
        return
    axes.text(box.column, box.row + 0.15, name, fontsize=13, fontweight="bold", **style)
    axes.text(box.column, box.row - 0.17, says, fontsize=11.5, **style)


def _draw_frame(axes: Axes, frame: Frame, name: str, config: Sizes, boxes: Sequence[Box], lit: Sequence[str]) -> None:
    bright = is_lit(frame.path, lit)
    ink, text = (INK, "black") if bright else (_PALE_INK, _PALE_TEXT)
    top = max(box.row for box in boxes if box.path.startswith(frame.path))
    low, high = frame.rows[0] - 0.62, min(frame.rows[1], top) + 0.5
    left, width = frame.column - _WIDTH / 2 - frame.margin, _WIDTH + 2 * frame.margin
    outer = frame.margin > 0.5
    if outer:
        low, high = low - 0.1, high + (0.12 if top == frame.rows[1] else 0.62)  # room for the inner frame's name
    axes.add_patch(
        FancyBboxPatch(
            (left, low),
            width,
            high - low,
            "round,pad=0,rounding_size=0.2",
            facecolor="none" if outer else "#F7F7F7" if bright else _PALE_FRAME,
            edgecolor=ink,
            linestyle="-" if outer else "--",
            linewidth=1.6 if outer else 1.1,
            zorder=1,
        )
    )
    name = f"{name} {frame.says(config)}".strip()
    if outer:
        axes.text(left + 0.05, high + 0.1, name, fontsize=15, fontweight="bold", ha="left", va="bottom", color=text)
    else:
        axes.text(left + width - 0.1, high + 0.06, name, fontsize=13, ha="right", va="bottom", color=text)


def _draw_streams(axes: Axes, boxes: Sequence[Box], lit: Sequence[str]) -> None:
    """Draw the path of the data: up each column, around each sublayer, and from the encoder to the decoder.

    An arrow has its colour if the box that it leads to is lit.
    """
    positions = _ink("positions", lit)
    for column in (_ENCODER, _DECODER):
        stops = sorted((box.row, box.path) for box in boxes if box.column == column)
        _arrow(axes, [(column, 0.05), (column, stops[0][0] - _HEIGHT / 2)], _ink(stops[0][1], lit))
        for (low, _), (high, path) in pairwise(stops):
            _arrow(axes, [(column, low + _HEIGHT / 2), (column, high - _HEIGHT / 2)], _ink(path, lit))
        inward = 1 if column == _ENCODER else -1
        _arrow(axes, [(_MIDDLE - inward * _WIDTH / 2, _PLUS), (column + inward * 0.22, _PLUS)], positions)
        axes.text(
            column,
            _PLUS,
            "+",
            fontsize=17,
            ha="center",
            va="center",
            color="black" if positions == INK else _PALE_TEXT,
            bbox={"boxstyle": "circle,pad=0.12", "facecolor": "white", "edgecolor": positions},
        )
    for box in boxes:
        if box.name in _SUBLAYERS:
            side = -1 if box.column == _ENCODER else 1
            beside, edge = box.column + side * (_WIDTH / 2 + 0.22), box.column + side * _WIDTH / 2
            below, above = box.row - _HEIGHT / 2 - 0.14, box.row + 1
            _arrow(axes, [(box.column, below), (beside, below), (beside, above), (edge, above)], _ink(box.path, lit))
    last, asked = _memory_rows(boxes)
    bright = is_lit("decoder.layers.0.cross_attention", lit)
    path = [(_ENCODER, last), (_ENCODER, last + 0.8), (_MIDDLE, last + 0.8), (_MIDDLE, asked)]
    _arrow(axes, [*path, (_DECODER - _WIDTH / 2, asked)], ACCENT if bright else _PALE_INK, 2.4)
    text = ACCENT if bright else _PALE_TEXT
    axes.text(_MIDDLE + 0.12, last - 0.1, "keys\nand values", fontsize=13, color=text, va="top")


def _memory_rows(boxes: Sequence[Box]) -> tuple[float, float]:
    """Return the row where the memory leaves the encoder, and the row where it enters the decoder."""
    last = max(box.row for box in boxes if box.column == _ENCODER) + _HEIGHT / 2
    return last, next(box.row for box in boxes if box.name == "cross_attention")


def _ink(path: str, lit: Sequence[str]) -> str:
    return INK if is_lit(path, lit) else _PALE_INK


def _arrow(axes: Axes, corners: Sequence[Point], colour: str = INK, width: float = 1.3) -> None:
    """Draw an arrow along `corners`."""
    x, y = zip(*corners[:-1], strict=True)
    if len(corners) > 2:
        axes.plot(x, y, color=colour, linewidth=width)
    arrow(axes, corners[-2], corners[-1], colour, width)


def _draw_ends(axes: Axes, config: Sizes, boxes: Sequence[Box], lit: Sequence[str], paper: bool) -> None:
    """Label the inputs below, the output above, and the encoder's output."""
    inputs, outputs = ("inputs", "outputs (shifted right)") if paper else _ENDS
    for column, text, path in ((_ENCODER, inputs, "source_embedding"), (_DECODER, outputs, "target_embedding")):
        axes.text(column, -0.15, text, fontsize=13, ha="center", va="center", color=_text(path, lit))
    top = max(box.row for box in boxes) + _HEIGHT / 2
    _arrow(axes, [(_DECODER, top), (_DECODER, top + 0.55)], _ink("output", lit))
    text = f"logits (B, M, {config.target_vocabulary}), then softmax and argmax"
    place, side = (_DECODER, "center") if paper else (_DECODER + 2.9, "right")
    text = "softmax: output probabilities" if paper else text
    axes.text(place, top + 0.75, text, fontsize=13, ha=side, va="center", color=_text("output", lit))
    colour = ACCENT if is_lit("decoder.layers.0.cross_attention", lit) else _PALE_TEXT
    text = "the encoder's output" if paper else f"memory (B, N, {config.d_model})"
    axes.text(_ENCODER + 0.1, _memory_rows(boxes)[0] + 1.02, text, fontsize=13, color=colour, va="center")


_ENDS = ("source: ids (B, N)", "target, shifted right: ids (B, M)")


def _text(path: str, lit: Sequence[str]) -> str:
    return "black" if is_lit(path, lit) else _PALE_TEXT


def _in_words(config: Sizes, boxes: Sequence[Box], names: Mapping[str, str], lit: Sequence[str], paper: bool) -> str:
    if paper:
        parts = [
            f"{side}: "
            + ", ".join(names[box.path] for box in sorted(boxes, key=lambda box: box.row) if box.column == column)
            for side, column in (("encoder, left", _ENCODER), ("decoder, right", _DECODER))
        ]
        text = (
            f"Figure 1 of the paper, from the bottom up. The {parts[0]}. The {parts[1]}, softmax. In each attention "
            "and each feed forward an arrow leads around it to its add & norm. The positional encoding is added to "
            f"both embeddings. The frames repeat {config.n_encoder_layers} and {config.n_decoder_layers} times. The "
            "encoder's output goes to the second attention of the decoder as keys and values."
        )
    else:
        listed = "; ".join(f"{names[box.path]}: {box.says(config)}" for box in boxes)
        asked = names["decoder.layers.0.cross_attention"].replace(".0.", ".*.")
        text = (
            f"The transformer, encoder left ({config.n_encoder_layers} blocks), decoder right "
            f"({config.n_decoder_layers} blocks), from the bottom up. {listed}. The encoder's output goes to "
            f"{asked} as keys and values. d_model is {config.d_model} all the way."
        )
    return f"{text} Lit: {', '.join(lit)}; the rest is pale." if lit else text
