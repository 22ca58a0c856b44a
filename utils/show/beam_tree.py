"""Draw the tree of a beam search: the branches that were kept at each step, and those that were dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from utils.show.drawing import FONT, NARROW, two_forms
from utils.show.figures import COLOURS, with_alt
from utils.show.live import Points

_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"  # keeps a number after a Persian word on its right
BEST, KEPT, DROPPED = "the best", "kept", "dropped"
_LOOKS = {BEST: (COLOURS[1], "D"), KEPT: (COLOURS[0], "o"), DROPPED: ("#767676", "x")}
_PANEL_LOOKS = {BEST: ("vermilion", "diamond"), KEPT: ("blue", "circle"), DROPPED: ("grey", "cross")}  # the same


class Branch(Protocol):
    """The facts about one branch of the tree."""

    step: int  # counted from 1
    parent: int  # index of the branch that this one continues, −1 at the first step
    total: float  # log-probability of the whole text up to this step
    kept: bool


def tree_places(branches: Sequence[Branch]) -> NDArray[np.float64]:
    """Return the position of each branch, (n, 2): x is its step, −y its rank in that step, kept branches first."""
    places = np.zeros((len(branches), 2))
    for step in {branch.step for branch in branches}:
        own = [i for i, branch in enumerate(branches) if branch.step == step]
        own.sort(key=lambda i: (not branches[i].kept, -branches[i].total))
        places[own] = [(step, -rank) for rank in range(len(own))]
    return places


@two_forms
def beam_tree(branches: Sequence[Branch], words: Sequence[str], best: int, title: str, narrow: bool = False) -> Figure:
    """Return a picture of the tree. Below each word is the log-probability of the whole text up to it.

    words: the last word of each branch. best: the index of the branch that ends the best text; the path to it is thick,
    and dropped branches are grey with a cross. narrow: write a word and its gloss in two lines. The alternative text
    lists each step. Raise ValueError if there is no branch or no branch `best`, or if the number of words is wrong.
    """
    kinds = _kinds(branches, words, best)
    places = tree_places(branches)
    steps = branches[-1].step
    most = int(-places[:, 1].min()) + 1
    size = (NARROW, 1.4 + most) if narrow else (2.4 + 1.65 * steps, 1.4 + 0.75 * most)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.add_subplot()
    for i, branch in enumerate(branches):
        start = places[branch.parent] if branch.parent >= 0 else (0.0, 0.0)
        colour, _ = _LOOKS[kinds[i]]
        style = {"color": colour, "linewidth": 3 if kinds[i] == BEST else 1.2, "zorder": 1 + (kinds[i] == BEST)}
        axes.plot(*zip(start, places[i], strict=True), linestyle=":" if kinds[i] == DROPPED else "-", **style)
    for kind, (colour, marker) in _LOOKS.items():
        own = [i for i, other in enumerate(kinds) if other == kind]
        if own:
            axes.scatter(*places[own].T, color=colour, marker=marker, label=kind, zorder=3)
    for place, word, branch in zip(places, words, branches, strict=True):
        lines = word.split(" ", 1)[::-1] if narrow else [word]
        for text, above in ((_number(branch), -18), *((line, 6 + 16 * i) for i, line in enumerate(lines))):
            label = axes.annotate(text, place, (0, above), textcoords="offset points", ha="center", fontsize=FONT)
            label.set_bbox({"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.3})
    axes.scatter([0], [0], color="black", zorder=3)
    axes.set_xlim(-0.3, steps + 0.6)
    axes.set_ylim(-most + 0.35, 0.8)
    axes.set_xticks(range(steps + 1), ["start", *map(str, range(1, steps + 1))])
    axes.set_xlabel("step")
    axes.set_yticks([])
    axes.set_title(title)
    figure.legend(loc="outside lower center", ncols=3)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    return with_alt(figure, f"Tree, {title}. {_in_words(branches, words, kinds)}")


def beam_tree_panel(branches: Sequence[Branch], words: Sequence[str], best: int, title: str = "") -> Points:
    """Return the tree as a panel of a `LiveControl`, with less ink: dropped branches have no line.

    Only branches at which a kept text ends have a number, so that there is room for every word. Raise ValueError in the
    same cases as `beam_tree`.
    """
    kinds = _kinds(branches, words, best)
    places = np.vstack([tree_places(branches), [[0.0, 0.0]]])  # the last one is the start
    lines = [(b.parent if b.parent >= 0 else len(branches), i) for i, b in enumerate(branches) if b.kept]
    continued = {branch.parent for branch in branches if branch.kept}
    ends = [branch.kept and i not in continued for i, branch in enumerate(branches)]
    labels = zip(_labels(branches, words), words, ends, strict=True)
    return Points(
        places,
        [*(label if end else word for label, word, end in labels), "start"],
        title,
        groups=[*kinds, BEST],
        lit=[i for i, kind in enumerate(kinds) if kind == BEST],
        lines=lines,
        x_label="step",
        y_label="rank in the step",
        looks=_PANEL_LOOKS,
        y_ticks=False,
    )


def _kinds(branches: Sequence[Branch], words: Sequence[str], best: int) -> list[str]:
    if not branches or len(words) != len(branches):
        raise ValueError(f"a tree needs branches, and a word for each: {len(branches)} branches, {len(words)} words.")
    if not 0 <= best < len(branches):
        raise ValueError(f"the tree has {len(branches)} branches, counted from 0: there is no branch {best}.")
    on_the_way = set()
    while best >= 0:
        on_the_way.add(best)
        best = branches[best].parent
    return [BEST if i in on_the_way else KEPT if b.kept else DROPPED for i, b in enumerate(branches)]


def _labels(branches: Sequence[Branch], words: Sequence[str]) -> list[str]:
    return [f"{word}{_LEFT_TO_RIGHT} {_number(branch)}" for branch, word in zip(branches, words, strict=True)]


def _number(branch: Branch) -> str:
    return f"{branch.total:.1f}".replace("-", "\N{MINUS SIGN}")


def _in_words(branches: Sequence[Branch], words: Sequence[str], kinds: Sequence[str]) -> str:
    labels = _labels(branches, words)
    order = sorted(range(len(branches)), key=lambda i: (not branches[i].kept, -branches[i].total))
    sentences = []
    for step in range(1, branches[-1].step + 1):
        own = [i for i in order if branches[i].step == step]
        parts = [
            f"{labels[i]} after {words[branches[i].parent] + _LEFT_TO_RIGHT if step > 1 else 'start'} ({kinds[i]})"
            for i in own
        ]
        sentences.append(f"Step {step}: " + ", ".join(parts) + ".")
    return " ".join(sentences)
