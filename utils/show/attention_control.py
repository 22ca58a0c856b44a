"""Show the live control of lesson 05: change a number of X, W_Q, W_K or W_V and see how the attention changes.

The function that the lesson teaches is passed in and does all the computing. `attention_panels` turns its matrices into
panels, and `attention_control.css` arranges them. The page itself selects the query, so that works in a saved notebook,
too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from utils.show.control import ControlTasks
from utils.show.live import Entries, LiveControl, Matrix, Note, Panel, Row, Toggle
from utils.show.live.fields import Markup
from utils.show.numbers import numbered, table_text
from utils.show.page import style

_INPUTS = ("X", "W_Q", "W_K", "W_V")
_X = Markup("<i>X</i>")
_W = {letter: Markup(f"<i>W</i><sub><i>{letter}</i></sub>") for letter in "QKV"}
_ROOT = "<span class='root'>√<span><i>d</i><sub><i>k</i></sub></span></span>"
_SCALE = Markup(
    f"<span class='unseen'>divide the scores by the root of d k</span><span aria-hidden='true'>scores ÷ {_ROOT}</span>"
)
_SCORES = "scores <i>QK</i><sup>⊤</sup>"
_WEIGHTS = Markup("weights = softmax<span class='small'> of each row</span>")


class Steps(Protocol):
    """The matrices that the function passed in must return; row i of each belongs to token i."""

    Q: ArrayLike
    K: ArrayLike
    V: ArrayLike
    scaled_scores: ArrayLike
    weights: ArrayLike
    output: ArrayLike


def attention_panels(steps: Steps, scaled: bool = False) -> list[Panel]:
    """Return the computed matrices of `steps` as panels, and a note with one sentence for each query.

    The scores are the scaled ones, which equal QKᵀ without a scale. Raise ValueError if a matrix contains NaN or
    infinity.
    """
    count = len(steps.Q)
    q, k, v, y = (_names(letter, count) for letter in "qkvy")
    by_root = f"<span class='by'>/</span>{_ROOT}" if scaled else ""
    q_k_v = {
        letter: {
            "title": Markup(f"<i>{letter}</i> = <i>XW</i><sub><i>{letter}</i></sub>"),
            "made": f"X[i,:] · W_{letter}[:,j]",
        }
        for letter in "QKV"
    }
    score = "Q[i,:] · K[j,:]"
    score = f"({score}) / √{np.shape(steps.K)[-1]}" if scaled else score
    weights = Matrix(
        steps.weights, "weights", q, v, title=_WEIGHTS, shares=True, chosen=True, made="softmax(scores[i,:])"
    )
    output = Markup("output = weights · <i>V</i>")
    return [
        Matrix(steps.Q, "Q", q, chosen=True, **q_k_v["Q"]),
        Matrix(steps.K, "K", k, **q_k_v["K"]),
        Matrix(steps.V, "V", v, tints=weights.values, **q_k_v["V"]),
        Matrix(steps.scaled_scores, "scores", q, k, title=Markup(_SCORES + by_root), chosen=True, made=score),
        weights,
        Matrix(steps.output, "output", y, title=output, chosen=True, made="weights[i,:] · V[:,j]"),
        Note([_sentence(numbered("x", i + 1), v) for i in range(count)], values=weights.values, shares=True),
    ]


class AttentionControl(LiveControl):
    """A control with X, W_Q, W_K and W_V to edit, and the Q, K, V, scores, weights and output that `steps` computes.

    steps: a function like `attention_steps`, called as steps(X, W_Q, W_K, W_V, scale=1.0), or with scale=None to divide
        the scores by √d_k.
    presets: name -> dict with X, W_Q, W_K, W_V, all of the same shapes. The first is the start, to which `reset`
        returns. No preset changes the scale.
    tasks: the tasks for the reader.

    Python can use the control as any LiveControl; `row` is the query, and `scaled` is a parameter. The constructor
    raises ValueError if a preset is incomplete, differs in shape from the first, or is refused by steps.
    """

    _css = style("live-control", "live.css", "attention_control.css")

    arrangement = traitlets.Unicode("attention-control").tag(sync=True)
    help = traitlets.Unicode(
        "Change a number: type it and press Enter (Esc takes it back) · drag it sideways, or press its − and + · "
        "↑ ↓ step by 1, with Shift by 0.1 · Tab goes from matrix to matrix, Ctrl or Alt with an arrow moves inside "
        "one. Rows and columns count from 1."
    ).tag(sync=True)

    def __init__(
        self,
        steps: Callable[..., Steps],
        presets: Mapping[str, Mapping[str, ArrayLike]],
        tasks: ControlTasks | None = None,
    ) -> None:
        if not presets:
            raise ValueError("a control needs at least one preset to start from.")
        for name, preset in presets.items():
            if missing := [table for table in _INPUTS if table not in preset]:
                raise ValueError(f"“{name}” needs X, W_Q, W_K and W_V: {', '.join(missing)} is missing.")
        start = next(iter(presets.values()))
        names = _names("x", len(start["X"]))

        def picture(X: Any, W_Q: Any, W_K: Any, W_V: Any, scaled: bool) -> list[Panel]:
            return attention_panels(steps(X, W_Q, W_K, W_V, scale=None if scaled else 1.0), scaled)

        parameters = [
            Entries("X", start["X"], _X, names, counted=False, chosen=True),
            *(Entries(f"W_{letter}", start[f"W_{letter}"], label, counted=False) for letter, label in _W.items()),
            Row("query", names, "Who asks?"),
            Toggle("scaled", label=_SCALE),
        ]
        inputs = {name: {table: preset[table] for table in _INPUTS} for name, preset in presets.items()}
        alt = "Self-attention in numbers: X and three weight matrices, then Q, K, V, scores, weights and output."
        super().__init__(picture, parameters, inputs, alt, apart=["scaled"], tasks=tasks)

    def __repr__(self) -> str:
        """Return the chosen query's numbers, but no address, because tests compare saved outputs by this line."""
        values = {panel["name"]: panel["values"] for panel in self.panels if "name" in panel}
        weights, output = (" ".join(table_text(values[name])[self.row]) for name in ("weights", "output"))
        scale = "on" if self.values["scaled"] else "off"
        return f"AttentionControl(query {self.row + 1}, scale {scale}: weights {weights}, output {output})"


def _sentence(x: str, values: Sequence[str]) -> str:
    """Return a sentence with places for the shares that token x takes of each value."""
    return f"{x} asks: it takes {', '.join(f'{{}} of {v}' for v in values)}."


def _names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(numbered(letter, i) for i in range(1, count + 1))
