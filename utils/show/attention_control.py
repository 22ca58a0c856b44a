"""The live control of lesson 05: change a number of X, W_Q, W_K or W_V and see attention follow.

The function that the lesson teaches is handed in and does all the computing; here its result is
turned into text (`attention_view`), and `attention_control.js` puts that text on the page. What only
selects, the query in question, is answered by the page alone, so it works in a saved notebook too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import anywidget
import numpy as np
import traitlets
from numpy.typing import ArrayLike

from utils.show.numbers import input_text, table_text, weight_texts
from utils.show.parts import page

_INPUTS = ("X", "W_Q", "W_K", "W_V")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

Rows = list[list[float]]


class Steps(Protocol):
    """What the handed-in function must return: the matrices of the eight steps, row i belonging to token i."""

    X: Any
    W_Q: Any
    W_K: Any
    W_V: Any
    Q: Any
    K: Any
    V: Any
    scores: Any
    scaled_scores: Any
    weights: Any
    output: Any


def parse_entry(text: str) -> float:
    """The number that a student typed, or ValueError with one sentence that names the text and says why not.

    Takes what float() takes (also Persian digits) and a real minus sign. Refuses NaN, infinity, what is
    too large or too small for float64, underscores, and a comma in the place of the point.
    """
    shown = f"“{text.strip()[:20]}{'…' if len(text.strip()) > 20 else ''}”"
    plain = text.strip().replace("\N{MINUS SIGN}", "-").replace("\N{ARABIC DECIMAL SEPARATOR}", ".")
    if not plain:
        raise ValueError("This entry is empty: type a number such as 2 or −0.5.")
    if "_" in plain:
        raise ValueError(f"{shown} has an underscore: write the digits without it.")
    try:
        value = float(plain)
    except ValueError:
        raise ValueError(f"{shown} {_why_no_number(plain)}") from None
    if math.isnan(value) or (math.isinf(value) and not any(sign.isdecimal() for sign in plain)):
        raise ValueError(f"{shown} is not a finite number: type one such as 2 or −0.5.")
    if math.isinf(value):
        raise ValueError(f"{shown} is too large: float64 holds numbers up to 1.8e308.")
    mantissa = plain.lower().partition("e")[0]
    if value == 0 and any(sign.isdecimal() and int(sign) for sign in mantissa):
        raise ValueError(f"{shown} is too small: float64 holds nothing between 0 and 4.9e−324.")
    return value + 0.0  # −0 + 0 is 0, and nobody wants to read −0


def attention_view(steps_value: Steps, tokens: Sequence[str] | None = None) -> dict[str, Any]:
    """Everything the page shows, as text and plain numbers that JSON can hold.

    "tables": for X, W_Q, W_K, W_V, Q, K, V, scores, weights and output the "shape" and the "entries"
    as strings; "scores" are the scaled ones, which are QKᵀ itself when nothing is scaled.
    "queries": for every query (so that the page can choose without asking) the rows that belong to it
    ("lit": name of the table -> row, counted from 0), its "weights" as numbers, for tints and bars,
    and the "sentence" that says them. Raises ValueError when a matrix holds NaN or infinity.
    """
    matrices = {name: np.asarray(getattr(steps_value, name), dtype=np.float64) for name in (*_INPUTS, "Q", "K", "V")}
    matrices["scores"] = np.asarray(steps_value.scaled_scores, dtype=np.float64)
    weights = matrices["weights"] = np.asarray(steps_value.weights, dtype=np.float64)
    matrices["output"] = np.asarray(steps_value.output, dtype=np.float64)
    for name, matrix in matrices.items():
        if not np.isfinite(matrix).all():
            raise ValueError(f"{name} would hold NaN or infinity, so the numbers before it stay.")
    tables = {
        name: {"shape": list(matrix.shape), "entries": _entries(name, matrix)} for name, matrix in matrices.items()
    }
    tokens = tuple(tokens) if tokens is not None else _names("x", len(weights))
    queries = [
        {
            "lit": {"X": i, "Q": i, "scores": i, "weights": i, "output": i},
            "weights": [float(weight) for weight in row],
            "sentence": _sentence(i, row, tokens),
        }
        for i, row in enumerate(weights)
    ]
    return {"tables": tables, "queries": queries}


class AttentionControl(anywidget.AnyWidget):
    """X, W_Q, W_K and W_V to edit; Q, K, V, scores, weights and output that follow, computed by `steps`.

    steps: a function like `attention_steps`, called as steps(X, W_Q, W_K, W_V, scale=1.0), or with
    scale=None where the scores are to be divided by √d_k. presets: name -> dict with X, W_Q, W_K, W_V,
    all of the same shapes; the first one is the start, and where `reset` goes back to. tokens: their
    names, x₁ x₂ … unless given.

    From Python as from the page: `query` (counted from 1, as x₁ is), `scaled`, `preset`, `edit`, `reset`.
    Raises ValueError when a preset is incomplete, has another shape than the first, or is refused by steps.
    """

    _esm = page("attention_control.js")
    _css = page("attention_control.css")

    inputs = traitlets.Dict().tag(sync=True)
    view = traitlets.Dict().tag(sync=True)
    query = traitlets.Int(1).tag(sync=True)
    scaled = traitlets.Bool(False).tag(sync=True)
    preset = traitlets.Unicode().tag(sync=True)  # empty as soon as a number differs from it
    preset_names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    refusals = traitlets.Dict().tag(sync=True)  # "W_K,0,1" -> what was typed and the sentence, latest last
    answer = traitlets.Unicode().tag(sync=True)  # the id of the request answered last

    def __init__(
        self,
        steps: Callable[..., Steps],
        presets: Mapping[str, Mapping[str, ArrayLike]],
        tokens: Sequence[str] | None = None,
    ) -> None:
        if not presets:
            raise ValueError("a control needs at least one preset to start from.")
        self._steps = steps
        self._presets = {name: _rows_of(name, preset) for name, preset in presets.items()}
        first, *others = self._presets
        for name in others:
            if _shapes(self._presets[name]) != _shapes(self._presets[first]):
                raise ValueError(f"preset “{name}” must have the shapes of “{first}”: {_shapes(self._presets[first])}.")
        start = self._presets[first]
        self._tokens = list(tokens) if tokens is not None else list(_names("x", len(start["X"])))
        if len(self._tokens) != len(start["X"]):
            raise ValueError(f"tokens must name the {len(start['X'])} rows of X: {len(self._tokens)} names were given.")
        for inputs in self._presets.values():
            self._view_of(inputs, scaled=True)
        super().__init__(
            inputs=start,
            view=self._view_of(start, scaled=False),
            preset=first,
            preset_names=list(self._presets),
            tokens=self._tokens,
        )
        self.observe(self._show_preset, "preset")
        self.observe(self._show_numbers, ["inputs", "scaled"])
        self.on_msg(self._serve)

    def edit(self, table: str, row: int, column: int, text: str) -> None:
        """Puts what was typed into an entry, row and column counted from 0 as NumPy does.

        What is no number, or what `steps` refuses, changes nothing but `refusals`; the next good entry clears them.
        """
        rows = self.inputs.get(table)
        if rows is None:
            raise ValueError(f"there is no table “{table}” to edit: there are {', '.join(_INPUTS)}.")
        if not (0 <= row < len(rows) and 0 <= column < len(rows[0])):
            raise ValueError(f"{table} has {len(rows)} rows and {len(rows[0])} columns: none at ({row}, {column}).")
        changed = [list(old) for old in rows]
        try:
            changed[row][column] = parse_entry(str(text))
            with self.hold_sync():
                self.inputs = {**self.inputs, table: changed}
                self.refusals = {}
        except (ValueError, traitlets.TraitError) as reason:
            cell = f"{table},{row},{column}"
            others = {key: refusal for key, refusal in self.refusals.items() if key != cell}
            self.refusals = {**others, cell: {"text": str(text), "sentence": str(reason)}}

    def reset(self) -> None:
        """Puts everything back to the start: the first preset, its first query, no scale."""
        with self.hold_sync():
            self.scaled = False
            self.query = 1
            self.preset = ""  # so that choosing the first preset is a change even after refusals only
            self.preset = self.preset_names[0]

    def __repr__(self) -> str:
        """The chosen query's numbers and no address: saved outputs are compared by this line."""
        row = self.query - 1
        weights, output = (" ".join(self.view["tables"][name]["entries"][row]) for name in ("weights", "output"))
        scale = "on" if self.scaled else "off"
        return f"AttentionControl(query {self.query}, scale {scale}: weights {weights}, output {output})"

    def notify_change(self, change: Any) -> None:
        """Tells observers first and the page afterwards, so that a change and what follows from it are one message."""
        with self.hold_sync():
            super().notify_change(change)

    def _serve(self, _: AttentionControl, request: dict[str, Any], __: Any) -> None:
        with self.hold_sync():
            try:
                match request:
                    case {"kind": "edit", "table": table, "row": row, "column": column, "text": text}:
                        self.edit(table, row, column, text)
                    case {"kind": "scaled", "value": value}:
                        self.scaled = value
                    case {"kind": "preset", "name": name}:
                        self.preset = name
                    case {"kind": "reset"}:
                        self.reset()
            finally:  # an answer that is a refusal, or an error in the log, is one too
                self.answer = str(request.get("id", ""))

    def _view_of(self, inputs: Mapping[str, Rows], scaled: bool) -> dict[str, Any]:
        try:
            steps_value = self._steps(*(inputs[name] for name in _INPUTS), scale=None if scaled else 1.0)
        except (ValueError, TypeError) as reason:
            raise ValueError(str(reason)) from reason
        except Exception as reason:  # `steps` may be a student's own: whatever it raises is a refusal, not a crash
            raise ValueError(f"{type(reason).__name__}: {reason}") from reason
        return attention_view(steps_value, self._tokens)

    @traitlets.validate("inputs")
    def _only_what_computes(self, proposal: Any) -> dict[str, Rows]:
        inputs = _rows_of("inputs", proposal["value"])
        start = next(iter(self._presets.values()))
        if _shapes(inputs) != _shapes(start):
            raise traitlets.TraitError(f"inputs must keep their shapes: {_shapes(start)}.")
        self._or_trait_error(inputs, self.scaled)
        return inputs

    @traitlets.validate("scaled")
    def _only_a_scale_that_computes(self, proposal: Any) -> bool:
        if self.inputs:
            self._or_trait_error(self.inputs, proposal["value"])
        return proposal["value"]

    @traitlets.validate("query")
    def _only_a_token(self, proposal: Any) -> int:
        if not 1 <= proposal["value"] <= len(self._tokens):
            raise traitlets.TraitError(f"query must be between 1 and {len(self._tokens)}: it is {proposal['value']}.")
        return proposal["value"]

    @traitlets.validate("preset")
    def _only_a_known_preset(self, proposal: Any) -> str:
        if proposal["value"] and proposal["value"] not in self._presets:
            raise traitlets.TraitError(
                f"there is no preset “{proposal['value']}”: there are {', '.join(map(repr, self._presets))}."
            )
        return proposal["value"]

    def _or_trait_error(self, inputs: Mapping[str, Rows], scaled: bool) -> None:
        try:
            self._view_of(inputs, scaled)
        except ValueError as reason:
            raise traitlets.TraitError(str(reason)) from reason

    def _show_preset(self, _: Any) -> None:
        if self.preset:
            self.inputs = self._presets[self.preset]
            self.refusals = {}

    def _show_numbers(self, _: Any) -> None:
        self.view = self._view_of(self.inputs, self.scaled)
        if self.preset and self.inputs != self._presets[self.preset]:
            self.preset = ""


def _entries(name: str, matrix: Any) -> list[list[str]]:
    if name in _INPUTS:
        return [[input_text(float(value)) for value in row] for row in matrix]
    if name == "weights":
        return [weight_texts(row) for row in matrix]
    return table_text(matrix)


def _sentence(i: int, weights: Any, tokens: Sequence[str]) -> str:
    named = tuple(tokens) != _names("x", len(tokens))
    shares = [
        f"{share} of {value}" + (f" ({token})" if named else "")
        for share, value, token in zip(
            weight_texts(weights, percent=True), _names("v", len(weights)), tokens, strict=True
        )
    ]
    return f"{tokens[i]} asks: it takes {', '.join(shares)}."


def _names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(letter + str(i).translate(_SUBSCRIPTS) for i in range(1, count + 1))


def _rows_of(name: str, matrices: Mapping[str, ArrayLike]) -> dict[str, Rows]:
    missing = [table for table in _INPUTS if table not in matrices]
    if missing:
        raise ValueError(f"“{name}” needs X, W_Q, W_K and W_V: {', '.join(missing)} is missing.")
    return {table: (np.asarray(matrices[table], dtype=np.float64) + 0.0).tolist() for table in _INPUTS}


def _shapes(inputs: Mapping[str, Rows]) -> str:
    return ", ".join(f"{name} {np.shape(inputs[name])}" for name in _INPUTS)


def _why_no_number(plain: str) -> str:
    with_point = plain.replace(",", ".")
    if plain.count(",") == 1:
        try:
            float(with_point)
        except ValueError:
            pass
        else:
            return f"has a comma: write a point, {with_point}."
    return "is not a number: type one such as 2 or −0.5."
