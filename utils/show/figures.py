"""Draw static pictures: matplotlib figures with an alternative text that contains their numbers."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO
from textwrap import fill

import matplotlib
import numpy as np
from IPython import get_ipython
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from utils.show.colours import AMBER, ATTENTION, SIGNED, light_and_dark, written_on
from utils.show.drawing import FONT, LETTER, NARROW, two_forms
from utils.show.numbers import table_text
from utils.show.places import places

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#56B4E9", "#CC79A7")  # Okabe and Ito
DASHES = ("-", "--", "-.", ":", (0, (8, 1.5)), (0, (5, 1.5, 1, 1.5, 1, 1.5)))  # of curves, distinct without colour
MARKS = "os^Pvx"  # of curves and groups; no diamond, which looks like a square of the same hue
ROOM = 6  # typographic points between two names side by side
LONGEST_WITHOUT_A_LINE = 10  # the most typographic points between a point and its name without a line
_BROADEST = 11.5  # inches: the broadest figure on a page or in a notebook
_EDGE, _TITLE = "#767676", 0.27  # the lines of axes; inches from line to line of a title
PX = 100  # pixels on the page per inch of a figure
_LEFT_OUT = re.compile(r"^.*?(?=<svg)|<metadata>.*?</metadata>|<!--.*?-->|\s*\n\s*(?=<)", re.DOTALL)
_FAMILY = re.compile(r" ?font-family: [^;\"]*;?")
_SIZE = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')
# A picture turns dark with the theme of the site, JupyterLab or Visual Studio Code.
_THEMES = (
    "<style>[data-jp-theme-light=true] .drawn,.vscode-light .drawn{color-scheme:light}"
    "[data-jp-theme-light=false] .drawn,.vscode-dark .drawn{color-scheme:dark}</style>"
)


def use_course_style() -> None:
    """Set how this notebook shows numbers and pictures. Call it once, in the first cell.

    Arrays print with six decimals. Figures are shown as pictures with an alternative text; a figure without one raises
    ValueError, so that no reader is left out.
    """
    np.set_printoptions(precision=6, suppress=True)
    matplotlib.use("agg")
    matplotlib.rcParams.update(
        {
            "figure.dpi": 100,
            "font.size": FONT,
            **dict.fromkeys(("axes.titlesize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"), FONT),
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.edgecolor": _EDGE,
            "legend.frameon": False,
            **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
        }
    )
    shell = get_ipython()
    if shell is not None:
        shell.display_formatter.formatters["text/html"].for_type(Figure, picture_html)


def with_alt(figure: Figure, text: str) -> Figure:
    """Give `figure` the alternative text `text` and return it. Raise ValueError if the text is empty."""
    if not text.strip():
        raise ValueError(
            "a figure needs an alternative text that says what is to be seen, with the numbers that matter"
        )
    figure.alt = text
    return figure


def picture_html(figure: Figure) -> str:
    """Return an <img> with the picture and its alternative text, and for a heatmap also a folded table of its numbers.

    Raise ValueError if the figure has no alternative text.
    """
    text = getattr(figure, "alt", "")
    if not text:
        raise ValueError("this figure has no alternative text: pass it through utils.show.figures.with_alt")
    picture = f'<img alt="{escape(text, quote=True)}" class="drawn" src="{_address(figure)}">'
    if narrow := getattr(figure, "narrow", None):
        small = f'<source media="(max-width: 45rem)" srcset="{_address(narrow)}">'
        picture = f"<picture>{small}{picture}</picture>"
    tables = "".join(getattr(figure, "tables", []))
    more = f"<details><summary>The numbers as a table</summary>{tables}</details>" if tables else ""
    return f"{picture}{_THEMES}{more}"


def _address(figure: Figure) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(_svg(figure).encode()).decode('ascii')}"


def _svg(figure: Figure) -> str:
    """Return the figure as SVG, the same on each call, with no background and in the font of the page."""
    buffer = BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "course", "svg.fonttype": "none"}):
        figure.savefig(
            buffer, format="svg", bbox_inches="tight", pad_inches=0.05, transparent=True, metadata={"Date": None}
        )
    drawn = _FAMILY.sub("", _LEFT_OUT.sub("", buffer.getvalue().decode()))
    width, height = (float(size) / 72 * PX for size in _SIZE.search(drawn).groups())
    return light_and_dark(_SIZE.sub(f'width="{width:.0f}" height="{height:.0f}"', drawn, count=1))


@two_forms
def heatmap(
    matrix: ArrayLike,
    row_names: Sequence[str],
    column_names: Sequence[str],
    title: str,
    decimals: int = 3,
    row_axis: str = "",
    column_axis: str = "",
    narrow: bool = False,
) -> Figure:
    """Return a matrix (rows, columns) as coloured cells with numbers; the alternative text lists them row by row.

    If there are numbers below and above 0, 0 is white, smaller numbers are blue and larger ones orange. Otherwise large
    numbers are dark. On a dark page, light and dark are exchanged. `row_axis` and `column_axis` are the labels of the
    axes. narrow: leave out numbers that a phone has no room for. Raise ValueError if the names do not fit the shape.
    """
    matrix = np.asarray(matrix, dtype=float)
    _require_names_for("the matrix", matrix, row_names, column_names)
    figure, (reading,) = _maps({title: matrix}, row_names, column_names, decimals, (row_axis, column_axis), narrow)
    return with_alt(figure, f"Heatmap, {title}. {_axes_in_words(row_axis, column_axis)}{reading}.")


@two_forms
def heatmaps(
    named: Mapping[str, ArrayLike],
    row_names: Sequence[str],
    column_names: Sequence[str],
    decimals: int = 2,
    row_axis: str = "",
    column_axis: str = "",
    diverging: bool = False,
    narrow: bool = False,
) -> Figure:
    """Return matrices of the same shape side by side, each below its name, drawn as by `heatmap` with shared colours.

    named: name -> matrix (rows, columns). diverging: let 0 be white even if no number is below it. narrow: put them
    below each other. Raise ValueError if there is no matrix, or if the names do not fit a shape.
    """
    shown = {name: np.asarray(matrix, dtype=float) for name, matrix in named.items()}
    if not shown:
        raise ValueError("heatmaps needs at least one matrix.")
    for name, matrix in shown.items():
        _require_names_for(name, matrix, row_names, column_names)
    everything = np.stack(list(shown.values()))
    low, high = float(everything.min()), float(everything.max())
    reach = max(abs(low), abs(high))
    ends = (-reach, reach) if diverging else (low, high)
    figure, readings = _maps(shown, row_names, column_names, decimals, (row_axis, column_axis), narrow, ends)
    told = " ".join(f"{name}: {reading}." for name, reading in zip(shown, readings, strict=True))
    return with_alt(figure, f"Heatmaps. {_axes_in_words(row_axis, column_axis)}{told}")


def lines(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    title: str,
    x_label: str,
    y_label: str,
    log: bool = False,
    measured: Sequence[str] = (),
    shares: bool = False,
) -> Figure:
    """Return curves over x (n,), `series` name -> y (n,), each with its own colour and dashes, on one pair of axes.

    log: make both axes logarithmic, the x-axis in powers of two if all x are, and otherwise in powers of ten. Curves
    named in `measured` are points without a line. shares: the numbers are shares, so that all curves are amber, and
    only their dashes and marks differ. The alternative text lists every curve's numbers with three digits.
    Raise ValueError if a curve has another shape than x, or if there are more than six.
    """
    x = np.asarray(x, dtype=float)
    if len(series) > len(COLOURS):
        raise ValueError(f"lines has colours for {len(COLOURS)} curves: {len(series)} are given.")
    called = {name: fill(name, 14) for name in series}
    right = NARROW - 0.4 - LETTER * max(len(line) for name in called.values() for line in name.split("\n"))
    title = fill(title, int(NARROW / LETTER))
    high = 3.3 + _TITLE * (title.count("\n") + 1)
    figure = Figure(figsize=(NARROW, high))
    axes = figure.add_axes((0.9 / NARROW, 0.65 / high, (right - 0.9) / NARROW, 2.5 / high))
    ends = []
    readings = []
    styles = zip([AMBER] * len(COLOURS) if shares else COLOURS, DASHES, MARKS, strict=True)
    for (name, values), (colour, dashes, marker) in zip(series.items(), styles, strict=False):
        y = np.asarray(values, dtype=float)
        if y.shape != x.shape:
            raise ValueError(f"x has shape {x.shape}, but the curve {name} has shape {y.shape}.")
        points = name in measured
        marker = marker if points or (not measured and len(x) <= 12) else ""
        axes.plot(x, y, color=colour, linestyle="" if points else dashes, marker=marker, zorder=2 + points)
        ends.append((y[-1], called[name], {"color": colour, "linestyle": "" if points else dashes, "marker": marker}))
        readings.append(f"{name}: " + ", ".join(f"{a:.4g} {b:.3g}" for a, b in zip(x, y, strict=True)))
    if log:
        doubling = bool((np.log2(x) % 1 == 0).all())
        axes.set_xscale("log", base=2 if doubling else 10)
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):  # no small exponents, which a phone can't show
            axis.set_major_formatter(lambda x, _: f"{x:g}" if 1e-4 < x < 1e5 else f"1e{np.log10(x):.0f}")
    axes.set_title(title, x=-0.9 / (right - 0.9))
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(alpha=0.3)
    _name_ends(axes, x[-1], ends)
    return with_alt(figure, f"Curves, {title}. Across: {x_label}; up: {y_label}. " + "; ".join(readings) + ".")


def _name_ends(axes: Axes, x: float, ends: Sequence[tuple[float, str, dict[str, str]]]) -> None:
    """Write the name of each curve, (y at its end x, name, look), at the right of the axes, without overlaps."""
    axes.autoscale_view()
    at = axes.transAxes.inverted().transform(axes.transData.transform([(x, y) for y, _, _ in ends]))[:, 1]
    size = axes.get_window_extent().size / axes.figure.dpi
    lines = np.array([name.count("\n") + 1 for _, name, _ in ends]) * 0.23 / size[1]
    order, level, placed = np.argsort(at), -np.inf, at.copy()
    for i in order:
        placed[i] = max(at[i], level + lines[i] / 2)
        level = placed[i] + lines[i] / 2
    placed -= max(0.0, level - 1.05) / 2
    for (_, name, look), start, end in zip(ends, at, placed, strict=True):
        axes.plot([1, 1 + 0.25 / size[0]], [start, end], transform=axes.transAxes, clip_on=False, markevery=[1], **look)
        axes.text(1 + 0.33 / size[0], end, name, transform=axes.transAxes, va="center")


def points(xy: ArrayLike, names: Sequence[str], groups: Sequence[str], title: str) -> Figure:
    """Return named points xy (n, 2) in the plane; each group has its own colour and marker.

    groups: the name of the group for each point, of six at most. The alternative text lists the points of each group,
    with one decimal.
    """
    xy = np.asarray(xy, dtype=float)
    kinds = list(dict.fromkeys(groups))
    figure = Figure(figsize=(NARROW, 5.6), layout="constrained")
    axes = figure.add_subplot()
    readings = []
    for kind, colour, marker in zip(kinds, COLOURS, MARKS, strict=False):
        own = [i for i, group in enumerate(groups) if group == kind]
        axes.scatter(*xy[own].T, s=70, color=colour, marker=marker, label=kind)
        readings.append(f"{kind}: " + ", ".join(f"{names[i]} ({xy[i, 0]:.1f}, {xy[i, 1]:.1f})" for i in own))
    axes.set_title(title)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.12)  # room for the names
    figure.legend(loc="outside lower center", ncols=3, columnspacing=1.0, handletextpad=0.2)
    _name_points(axes, xy, names)
    return with_alt(figure, f"Map, {title}. " + "; ".join(readings).replace("-0.0", "0.0") + ".")


def _name_points(axes: Axes, xy: np.ndarray, names: Sequence[str]) -> None:
    """Write each name beside its point without overlaps, with a thin line to a name that is further away."""
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()  # sizes are known only after drawing
    unit = axes.figure.dpi / 72  # dots per typographic point
    anchors = axes.transData.transform(xy) / unit
    style = {"fontsize": FONT, "ha": "center", "va": "center", "textcoords": "offset points"}
    written = [axes.annotate(name, at, xytext=(0, 0), **style) for name, at in zip(names, xy, strict=True)]
    boxes = [text.get_window_extent(canvas.get_renderer()) for text in written]
    sizes = [(box.width / unit + ROOM, box.height / unit) for box in boxes]
    for text, anchor, box in zip(written, anchors, places(anchors, sizes), strict=True):
        centre = (box[:2] + box[2:]) / 2
        text.set_position(tuple(centre - anchor))
        gap = np.maximum(np.maximum(box[:2] - anchor, anchor - box[2:]), 0)
        if np.hypot(*gap) > LONGEST_WITHOUT_A_LINE:
            end = np.clip(anchor, box[:2], box[2:])
            line = {"arrowstyle": "-", "color": "0.5", "linewidth": 0.8, "shrinkA": 0, "shrinkB": 3}
            start = {"xytext": tuple(end - anchor), "textcoords": "offset points"}
            axes.annotate("", axes.transData.inverted().transform(anchor * unit), arrowprops=line, **start)


def _maps(
    named: Mapping[str, np.ndarray],
    row_names: Sequence[str],
    column_names: Sequence[str],
    decimals: int,
    axis_names: tuple[str, str],
    narrow: bool,
    ends: tuple[float, float] | None = None,
) -> tuple[Figure, list[str]]:
    """Return a figure of maps, as many beside each other as there is room for, and each map's numbers in words.

    ends: the numbers with the palest and the darkest colour, if not each map's own smallest and largest.
    """
    texts = {name: table_text(matrix, decimals) for name, matrix in named.items()}
    rows, columns = len(row_names), len(column_names)
    longest = LETTER * max(map(len, column_names))
    left = LETTER * max(map(len, row_names)) + (0.45 if axis_names[0] else 0.15)
    needed = 0.11 * max(len(text) for table in texts.values() for row in table for text in row) + 0.01
    room = NARROW if narrow else min(NARROW, _BROADEST / len(named) - 0.2)
    fitting = (room - left) / columns
    roomy = min(1.0, max(0.42, needed + 0.15, longest + 0.1))
    wide = fitting if narrow and fitting < needed else max(needed, min(fitting, roomy))
    high = min(wide, 0.42 if narrow and len(named) > 2 else 0.55)  # three maps fit a phone's first screen
    turn = 0 if longest < wide + 0.05 else 30 if longest < 2.2 and wide > 0.45 else 90
    below = {0: 0.35, 30: 0.3 + longest / 2, 90: longest + 0.15}[turn] + (0.3 if axis_names[1] else 0)
    whole = left + wide * columns
    across = min(len(named), max(1, int((NARROW if narrow else _BROADEST) / (whole + 0.2))))
    titles = {name: fill(name, max(8, int(whole / LETTER))) for name in named}
    above = 0.15 + _TITLE * max(title.count("\n") + 1 for title in titles.values())
    tall = above + high * rows + below
    size = (across * (whole + 0.2) - 0.2, -(-len(named) // across) * tall)
    figure, readings = Figure(figsize=size), []
    for at, (name, matrix) in enumerate(named.items()):
        corner = (at % across * (whole + 0.2) + left, size[1] - (at // across + 1) * tall + below)
        axes = figure.add_axes(
            (corner[0] / size[0], corner[1] / size[1], wide * columns / size[0], high * rows / size[1])
        )
        axes.set_title(titles[name], x=-left / (wide * columns))
        has_room = at % across == 0 and LETTER * len(axis_names[0]) < high * rows + 0.2
        axes.set_ylabel(axis_names[0] if has_room else "")
        axes.set_xlabel(axis_names[1])
        readings.append(
            _draw_map(axes, matrix, row_names, column_names, texts[name], ends, turn, numbers=wide >= needed)
        )
    figure.tables = [_table_html(row_names, column_names, texts[name], name) for name in named]
    return figure, readings


def _draw_map(
    axes: Axes,
    matrix: np.ndarray,
    row_names: Sequence[str],
    column_names: Sequence[str],
    texts: list[list[str]],
    ends: tuple[float, float] | None,
    turn: int,
    numbers: bool,
) -> str:
    """Draw one map into `axes`, with its `numbers` or without them, and return them in words, row by row."""
    low, high = ends or (matrix.min(), matrix.max())
    if low < 0 < high:
        high = max(-low, high)
        low, scale = -high, SIGNED
    else:
        low, scale = (0 if 0 <= low < high / 2 else low), ATTENTION
    edges = [np.arange(count + 1) - 0.5 for count in reversed(matrix.shape)]
    squares = axes.pcolormesh(*edges, matrix, cmap=scale, vmin=low, vmax=high)
    axes.invert_yaxis()
    axes.set_xticks(range(len(column_names)), column_names, rotation=turn, ha="right" if turn == 30 else "center")
    axes.set_yticks(range(len(row_names)), row_names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(matrix):
        if numbers:
            axes.text(j, i, texts[i][j], ha="center", va="center", color=written_on(squares.to_rgba(value)))
    return "; ".join(
        f"{name}: " + ", ".join(f"{column} {text}" for column, text in zip(column_names, row, strict=True))
        for name, row in zip(row_names, texts, strict=True)
    )


def _table_html(row_names: Sequence[str], column_names: Sequence[str], texts: list[list[str]], title: str) -> str:
    """Return a heatmap's numbers as an HTML table with row and column headers, which a screen reader reads out.

    A single row becomes a column, which a phone has room for.
    """
    if len(row_names) == 1:
        row_names, column_names, texts = column_names, row_names, [[text] for text in texts[0]]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in column_names)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>' + "".join(f"<td>{text}</td>" for text in row) + "</tr>"
        for name, row in zip(row_names, texts, strict=True)
    )
    caption = f"<caption>{escape(title)}</caption>"
    return f"<table>{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _axes_in_words(row_axis: str, column_axis: str) -> str:
    if not row_axis:
        return f"Columns: {column_axis}. " if column_axis else ""
    return f"Rows: {row_axis}; columns: {column_axis}. " if column_axis else f"Rows: {row_axis}. "


def _require_names_for(called: str, matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> None:
    if matrix.shape != (len(rows), len(columns)):
        raise ValueError(f"{called} has shape {matrix.shape}, the names are for {(len(rows), len(columns))}")
