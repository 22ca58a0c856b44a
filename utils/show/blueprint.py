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
from matplotlib.patches import Circle, FancyBboxPatch

from utils.show import drawing
from utils.show.drawing import ACCENT, ATTENTION, EDGE, GREY, INK, SAND, TEAL, Point, arrow, label, sheet, two_forms
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
    column: int
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
    column: int
    rows: tuple[float, float]
    margin: float
    says: Callable[[Sizes], str]


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


@two_forms
def blueprint(
    config: Sizes,
    lit: Sequence[str] = (),
    paper: bool = False,
    narrow: bool = False,
) -> Figure:
    """Return a picture of the transformer with this configuration, from the bottom up: encoder left, decoder right.

    Each box contains the module's name and its size. The alternative text lists them in the order of the data. Raise
    ValueError if a path in `lit` is not in the drawing.

    lit: paths such as "encoder" or "decoder.layers.0.cross_attention"; they and their parts keep their colours, and all
        the rest is pale. If there are none, nothing is pale.
    paper: show the paper's names in place of the code's names and sizes, and no final norms.
    narrow: draw the decoder above the encoder.
    """
    drawn = [part.path for part in (*BOXES, *FRAMES)]
    unknown = [path for path in lit if path not in drawn]
    if unknown:
        raise ValueError(f"only what is drawn can be lit, such as {drawn[0]}: there is no {unknown[0]!r}.")
    names = PAPER_NAMES if paper else {box.path: box.path for box in BOXES}
    boxes = [box for box in BOXES if box.path in names]
    top = 13.0
    if "decoder.final_norm" not in names:  # leave no room for it
        top -= 1
        boxes[-1] = replace(boxes[-1], row=boxes[-1].row - 1)
    layout = replace(_NARROW, raised=top - 2.7) if narrow else _WIDE
    figure, axes = sheet(drawing.NARROW if narrow else 9.4, (top + layout.raised) * _ROW)
    axes.set_ylim(-0.4 * _ROW, (top + layout.raised - 0.4) * _ROW)
    for frame in FRAMES:
        _draw_frame(axes, layout, frame, _last(frame.path), config, boxes, lit)
    _draw_streams(axes, layout, boxes, lit)
    for box in boxes:
        says = "" if paper else box.says(config)
        if box.path != "positions":
            _draw_box(axes, layout.of(box), box, _last(names[box.path]), says, lit)
            continue
        for column in (_ENCODER, _DECODER) if narrow else (_ENCODER,):
            at = (layout.columns[_MIDDLE], layout.at(column, box.row)[1])
            _draw_box(axes, at, box, _last(names[box.path]), says, lit, _POSITIONS)
    _draw_ends(axes, layout, config, boxes, lit, paper)
    return with_alt(figure, _in_words(config, boxes, names, lit, paper))


def _last(path: str) -> str:
    return path.rsplit(".", 1)[-1]


def is_lit(path: str, lit: Sequence[str]) -> bool:
    """Return whether a part keeps its colours: `lit` is empty, or names this part or one that contains it."""
    return not lit or any(path == one or path.startswith(f"{one}.") for one in lit)


def _draw_box(
    axes: Axes, middle: Point, box: Box, name: str, says: str, lit: Sequence[str], width: float = _WIDTH
) -> None:
    face, edge = (box.colour, EDGE) if is_lit(box.path, lit) else ("white", _PALE_INK)
    drawing.box(axes, middle, "", width, _HEIGHT, face, edge=edge)
    colour = _text(box.path, lit)
    name = name if width == _WIDTH else name.replace(" ", "\n")
    label(axes, (middle[0], middle[1] + (0.12 if says else 0)), name, bold=True, colour=colour)
    label(axes, (middle[0], middle[1] - 0.13), says, colour=colour)


def _draw_frame(
    axes: Axes, layout: _Layout, frame: Frame, name: str, config: Sizes, boxes: Sequence[Box], lit: Sequence[str]
) -> None:
    bright = is_lit(frame.path, lit)
    ink, text = (INK, "black") if bright else (_PALE_INK, _PALE_TEXT)
    top = max(box.row for box in boxes if box.path.startswith(frame.path))
    low, high = frame.rows[0] - 0.62, min(frame.rows[1], top) + 0.5
    outer = frame.margin > 0.4
    if outer:
        low, high = low - 0.1, high + (0.12 if top == frame.rows[1] else 0.62)  # room for the inner frame's name
    (x, bottom), (_, above) = layout.at(frame.column, low), layout.at(frame.column, high)
    left, width = x - _WIDTH / 2 - frame.margin, _WIDTH + 2 * frame.margin
    axes.add_patch(
        FancyBboxPatch(
            (left, bottom),
            width,
            above - bottom,
            "round,pad=0,rounding_size=0.12",
            facecolor="none" if outer else "#F7F7F7" if bright else _PALE_FRAME,
            edgecolor=ink,
            linestyle="-" if outer else "--",
            linewidth=1.2,
            zorder=1,
        )
    )
    name = f"{name} {frame.says(config)}".strip()
    at, side = (left + 0.05, "left") if outer else (left + width - 0.08, "right")
    label(axes, (at, above + 0.16), name, bold=outer, ha=side, colour=text)


def _draw_streams(axes: Axes, layout: _Layout, boxes: Sequence[Box], lit: Sequence[str]) -> None:
    """Draw the path of the data: up each column, around each sublayer, and from the encoder to the decoder.

    An arrow has its colour if the box that it leads to is lit.
    """
    positions, half = _ink("positions", lit), _HEIGHT / 2
    for column in (_ENCODER, _DECODER):
        stops = sorted((layout.of(box)[1], box.path) for box in boxes if box.column == column)
        x, plus = layout.at(column, _PLUS)
        _arrow(axes, [(x, layout.at(column, 0.08)[1]), (x, stops[0][0] - half)], _ink(stops[0][1], lit))
        for (low, _), (high, path) in pairwise(stops):
            _arrow(axes, [(x, low + half), (x, high - half)], _ink(path, lit))
        inward = 1 if layout.columns[_MIDDLE] > x else -1
        _arrow(axes, [(layout.columns[_MIDDLE] - inward * _POSITIONS / 2, plus), (x + inward * 0.17, plus)], positions)
        axes.add_patch(Circle((x, plus), 0.13, facecolor="white", edgecolor=positions, zorder=3))
        label(axes, (x, plus), "+", colour=_text("positions", lit))
    for box in boxes:
        if box.name in _SUBLAYERS:
            x, y = layout.of(box)
            side = -1 if box.column == _ENCODER else 1
            beside, edge = x + side * (_WIDTH / 2 + 0.16), x + side * _WIDTH / 2
            below, above = y - half - 0.1, y + _ROW
            _arrow(axes, [(x, below), (beside, below), (beside, above), (edge, above)], _ink(box.path, lit))
    last, asked = _memory_rows(layout, boxes)
    x, edge = layout.columns[_ENCODER], layout.columns[_DECODER] - _WIDTH / 2
    turn, up = (layout.columns[_MIDDLE], 0.6) if asked[0] > x else (0.2, 0.45)
    path = [(x, last), (x, last + up), (turn, last + up), (turn, asked[1]), (edge, asked[1])]
    _arrow(axes, path, ACCENT if is_lit("decoder.layers.0.cross_attention", lit) else _PALE_INK)


def _memory_rows(layout: _Layout, boxes: Sequence[Box]) -> tuple[float, Point]:
    """Return how high the memory leaves the encoder, and the box of the decoder that it enters."""
    last = max(layout.of(box)[1] for box in boxes if box.column == _ENCODER) + _HEIGHT / 2
    return last, next(layout.of(box) for box in boxes if box.name == "cross_attention")


def _ink(path: str, lit: Sequence[str]) -> str:
    return INK if is_lit(path, lit) else _PALE_INK


def _arrow(axes: Axes, corners: Sequence[Point], colour: str = INK) -> None:
    """Draw an arrow along `corners`."""
    x, y = zip(*corners[:-1], strict=True)
    if len(corners) > 2:
        axes.plot(x, y, color=colour, linewidth=1.4)
    arrow(axes, corners[-2], corners[-1], colour)


def _draw_ends(
    axes: Axes, layout: _Layout, config: Sizes, boxes: Sequence[Box], lit: Sequence[str], paper: bool
) -> None:
    """Label the inputs below, the output above, and the encoder's output."""
    inputs, outputs = ("inputs", "outputs (shifted right)") if paper else _ENDS
    for column, text, path in ((_ENCODER, inputs, "source_embedding"), (_DECODER, outputs, "target_embedding")):
        label(axes, layout.at(column, -0.13), text, colour=_text(path, lit))
    x, y = layout.of(boxes[-1])
    _arrow(axes, [(x, y + _HEIGHT / 2), (x, y + _HEIGHT / 2 + 0.3)], _ink("output", lit))
    logits = f"logits (B, M, {config.target_vocabulary}),\nthen softmax and argmax"
    text = "softmax: output\nprobabilities" if paper else logits
    label(axes, (x, y + _HEIGHT / 2 + 0.6), text, colour=_text("output", lit))
    colour = ACCENT if is_lit("decoder.layers.0.cross_attention", lit) else _PALE_TEXT
    text = "the encoder's output" if paper else f"memory (B, N, {config.d_model})"
    last, _ = _memory_rows(layout, boxes)
    label(axes, (layout.columns[_ENCODER], last + 0.88), f"{text}:\nkeys and values", colour=colour)


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
