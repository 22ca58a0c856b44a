"""The control of lessons 02 to 09: what can be turned, what is shown, what is refused, what goes to the page."""

from __future__ import annotations

import json
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from traitlets import TraitError

from utils.show.live import (
    Bars,
    Choice,
    Drawing,
    Entries,
    Heatmap,
    Lines,
    LiveControl,
    Matrix,
    Note,
    Paint,
    Panel,
    Parameter,
    Points,
    Row,
    Slider,
    Text,
    Toggle,
    Tokens,
)
from utils.show.live.fields import Markup, markup
from utils.show.shapes import words

ALT = "What is to be seen."
STEPS = (1, 4, 16, 64, 256, 512)
PRESETS: dict[str, dict[str, Any]] = {
    "no scale at 512": {"d_k": 512, "scale": "none"},
    "all may": {"mask": np.ones((2, 2), dtype=bool)},
}


def picture(d_k: int, scale: str, degrees: bool, sentence: str, mask: np.ndarray, X: np.ndarray) -> list[Panel]:
    if not mask.any():
        raise ValueError("nobody may look at anybody.")
    if sentence == "crash":
        return {}["no such key"]
    factor = d_k**0.5 if scale == "√d_k" else 1.0
    return [Heatmap(mask * X / factor, title="weights"), Note(f"the sum is {(mask * X).sum() / factor:.3f}")]


def parameters() -> list[Parameter]:
    return [
        Slider("d_k", 1, 512, value=64, steps=STEPS),
        Choice("scale", ["none", "√d_k"], value="√d_k", label="divide by"),
        Toggle("degrees", label="degrees instead of radians"),
        Text("sentence", "the weather is great", max_length=30),
        Paint("mask", [[1, 0], [1, 1]], ["a", "b"], ["c", "d"]),
        Entries("X", [[1, 2], [3, -4]]),
    ]


@pytest.fixture
def control() -> LiveControl:
    return LiveControl(picture, parameters(), PRESETS, ALT)


def state_of(control: LiveControl) -> dict[str, Any]:
    names = ("values", "panels", "preset", "refusals")
    return deepcopy({name: getattr(control, name) for name in names} | {"repr": repr(control)})


def without_refusals(state: dict[str, Any]) -> dict[str, Any]:
    return state | {"refusals": {}}


def asked(control: LiveControl, **request: Any) -> list[dict[str, Any]]:
    """The messages that went to the page in answer to a request from it."""
    sent: list[dict[str, Any]] = []
    control._send = lambda msg, buffers=None: sent.append(msg)
    control._handle_custom_msg({"id": "page-1", **request}, [])
    return [message["state"] for message in sent]


def one(parameter: Parameter) -> LiveControl:
    """A control with one parameter, which notes down what its picture was given."""
    given_values: list[Any] = []

    def noting(**values: Any) -> Note:
        given_values.append(values[parameter.name])
        return Note("noted 1")

    made = LiveControl(noting, [parameter], alt=ALT)
    made.given = given_values
    return made


# --- sliders ---


@given(
    low=st.integers(-1000, 1000),
    width=st.integers(1, 500),
    step=st.one_of(st.none(), st.integers(1, 100), st.floats(0.5, 50)),
)
def test_every_slider_has_both_ends_and_rising_stops(low: int, width: int, step: float | None) -> None:
    stops = Slider("a", low, low + width, step=step).stops
    assert (stops[0], stops[-1]) == (low, low + width)
    assert all(a < b for a, b in pairwise(stops))


# --- the other parameters ---


def test_each_parameter_kind_accepts_its_values_and_refuses_others() -> None:
    mask, entries = [[True, False], [True, True]], [[1.0, 2.0], [3.0, 4.0]]
    for parameter, good, bad in [
        (Choice("a", ["x", "y", 3]), ["x", "y", 3], ["z", None, 4]),
        (Slider("a", 0, 3), [0, 3, np.int8(2), np.float32(1)], [-1, 4, True, np.inf]),
        (Toggle("a"), [True, False, np.True_], [1, "yes", None]),
        (Text("a", max_length=3), ["", "abc", "سلا"], ["abcd", 5, None]),
        (
            Paint("a", mask),
            [mask, np.zeros((2, 2), bool), [[1, 0], [0, 1]]],
            [[[1, 2]], [[2, 0], [0, 0]], "x", [[1], [1, 2]]],
        ),
        (
            Entries("a", entries),
            [entries, np.zeros((2, 2))],
            [[[1]], [[1, 2], [3, np.nan]], [[1, 2], [3, np.inf]], "x", [[1], [1, 2]]],
        ),
    ]:
        control = one(parameter)
        for value in good:
            control.set(a=value)
            assert control.refusal == ""
            assert np.array_equal(control.given[-1], value)
            json.dumps(control.values, allow_nan=False)
        before = state_of(control)
        for value in bad:
            control.set(a=value)
            assert control.refusal.startswith("a ")
            assert without_refusals(state_of(control)) == before
            json.dumps(control.get_state(), allow_nan=False)


def test_mask_that_is_not_a_matrix_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="must be a matrix"):
        Paint("a", [1, 0])


# --- entries ---


def test_entry_is_edited_as_in_the_attention_control(control: LiveControl) -> None:
    control.edit("X", 1, 1, -2.5)
    assert control.values["X"] == [[1.0, 2.0], [3.0, -2.5]]
    before = state_of(control)
    asked(control, kind="edit", table="X", row=0, column=0, text="0,5", sentence="It has a comma.")
    assert control.refusals["X,0,0"] == {"text": "0,5", "sentence": "It has a comma."}
    assert without_refusals(state_of(control)) == before
    control.edit("X", 0, 0, -0.0)
    assert control.refusal == "" and "-0.0" not in f"{control.values} {Entries('a', [[-0.0]]).value}"


def test_unknown_entry_or_name_raises_for_the_caller(control: LiveControl) -> None:
    for call, reason in [
        (lambda: control.edit("X", 2, 0, 1), "2 rows and 2 columns"),
        (lambda: control.set(d_q=1), "no parameter “d_q”"),
        (lambda: control.choose("nobody's"), "no preset “nobody's”"),
    ]:
        with pytest.raises(ValueError, match=reason):
            call()


# --- choosing a row ---


def rowed(*panels: Panel, names: tuple[str, ...] = ("x₁", "the", "x₂")) -> LiveControl:
    made = [*panels, Note(["the first", "the second", "the third"])]
    return LiveControl(lambda on: made, [Toggle("on"), Row("who", names, "Who asks?")], alt=ALT)


def test_row_is_chosen_without_a_new_picture_and_reset_with_the_rest() -> None:
    calls = []
    control = LiveControl(
        lambda on: calls.append(on) or Note(["first", "second"]), [Toggle("on"), Row("who", ["a", "b"])], alt=ALT
    )
    shown = control.panels
    control.set_state({"row": 1})
    assert control.row == 1 and control.panels is shown and calls == [False]
    control.set(on=True)
    assert control.row == 1
    control.reset()
    assert control.row == 0 and control.values == {"on": False}
    for row in (-1, 2):
        with pytest.raises(TraitError, match="row must be between 0 and 1"):
            control.row = row


def test_row_starts_where_it_is_told_and_returns_there() -> None:
    control = LiveControl(lambda: Note(["first", "second"]), [Row("who", ["a", "b"], value=1)], alt=ALT)
    assert control.row == 1
    control.row = 0
    control.reset()
    assert control.row == 1


def test_panel_has_a_sentence_for_each_row() -> None:
    weights = [[0.5, 0.25, 0.25], [0, 1, 0], [1, 0, 0]]
    matrix = Matrix(weights, "A", shares=True, chosen=True)
    control = rowed(matrix, Matrix(np.eye(3), "V", tints=weights))
    shown, tinted, note = control.panels
    assert shown["chosen"] and shown["shares"] and shown["values"] == weights
    assert tinted["tints"] == weights and not tinted["chosen"] and not tinted["shares"]
    assert note["sentences"] == ["the first", "the second", "the third"]
    assert control.parameters[1]["names"] == ["<i>x</i><sub>1</sub>", "the", "<i>x</i><sub>2</sub>"]
    assert set(control.values) == {"on"}


@pytest.mark.parametrize(
    "panel", [Matrix(np.eye(2), "Q", chosen=True), Matrix(np.eye(3), "V", tints=[[0, 0, 1]] * 2), Note(["one", "two"])]
)
def test_panel_with_other_rows_than_the_choices_is_refused(panel: Panel) -> None:
    with pytest.raises(ValueError, match="made for 2 rows to choose among"):
        rowed(panel)
    with pytest.raises(ValueError, match="the control has no Row"):
        LiveControl(lambda on: panel, [Toggle("on")], alt=ALT)


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("W_Q", "<i>W</i><sub>Q</sub>"),
        ("x₁₂", "<i>x</i><sub>12</sub>"),
        ("<a>_<b>", "<i>&lt;a&gt;</i><sub>&lt;b&gt;</sub>"),
        (Markup("<b>X</b>"), "<b>X</b>"),
    ],
)
def test_names_are_set_as_mathematics_and_escaped(name: str, html: str) -> None:
    assert markup(name) == html
    assert Matrix([[1]], "A", [name], title=name).state()["title"] == html
    assert Entries("a", [[1]], label=name).state()["label"] == html


# --- changes, refusals, presets ---


def test_set_leaves_all_else_where_the_picture_refuses(control: LiveControl) -> None:
    before = state_of(control)
    control.set(mask=[[False, False], [False, False]])
    assert control.refusal == "nobody may look at anybody."
    assert control.refusals["mask"]["value"] == [[False, False], [False, False]]  # it stays in the field, marked
    assert without_refusals(state_of(control)) == before
    control.set(sentence="crash")
    assert control.refusal == "KeyError: 'no such key'"
    control.set(d_k=1)
    assert control.refusals == {}


@pytest.mark.parametrize(
    "panel",
    [
        lambda v: Heatmap([[1, v]], title="T"),
        lambda v: Lines([1, 2], {"y": [1, v]}, title="T"),
        lambda v: Bars(["x", "y"], [1, v], "T"),
    ],
)
def test_nan_is_refused_with_a_sentence(panel: Any) -> None:
    control = LiveControl(lambda a: panel([0.0, 3.0, np.nan][a]), [Slider("a", 1, 2)], alt=ALT)
    before = state_of(control)
    control.set(a=2)
    assert "would hold NaN or infinity" in control.refusal
    assert without_refusals(state_of(control)) == before


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_starts_from_the_initial_values(control: LiveControl, name: str) -> None:
    start = deepcopy(control.values)
    control.set(d_k=16, degrees=True, sentence="x")
    control.choose(name)
    named = {key: np.asarray(value).tolist() for key, value in PRESETS[name].items()}
    assert control.values == {**start, **named}
    assert control.preset == name
    control.set(d_k=256)
    assert control.preset == ""


def test_reset_restores_the_initial_values(control: LiveControl) -> None:
    start = state_of(control)
    control.choose("no scale at 512")
    control.edit("X", 0, 0, np.nan)
    control.reset()
    assert state_of(control) == start


@settings(max_examples=40)  # a new control for each
@example(d_k=3, text="crash", entry=float("inf"), cells=[False] * 4)
@given(
    d_k=st.one_of(st.sampled_from(STEPS), st.integers()),
    text=st.text(max_size=40),
    entry=st.floats(),
    cells=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_change_is_applied_or_refused_as_a_whole(d_k: int, text: str, entry: float, cells: list[bool]) -> None:
    control = LiveControl(picture, parameters(), alt=ALT)
    for change in (
        lambda: control.set(d_k=d_k, sentence=text),
        lambda: control.set(mask=[cells[:2], cells[2:]]),
        lambda: control.edit("X", 0, 1, entry),
    ):
        before = state_of(control)
        change()
        if control.refusal:
            assert without_refusals(state_of(control)) == without_refusals(before)
        arguments = {name: control._parameters[name].argument(value) for name, value in control.values.items()}
        assert control.panels == [panel.state() for panel in picture(**arguments)]
        json.dumps(control.get_state(), allow_nan=False)


# --- panels ---


PANELS = [
    Matrix(np.eye(2), "W_Q", lit_rows=[np.int64(0)], lit_cells=[(np.int64(1), 1)]),
    Lines(
        np.arange(3), {"y": np.ones(3, np.float32), "z": ([1, 2, 3], [0, 1, 2], [2, 3, 4])}, marks={"here": np.int64(1)}
    ),
    Tokens(["a", " b"], np.array([1, 2]), [0, 1], "T"),
    Note("one sentence"),
    Note("a {}, b {}", values=[np.float64(1), [("row 1", 0.5)]]),
    Heatmap([[-1, 3], [0, 2]], ["a", "b"], ["c", "d"], low=-2, decimals=1),
    Points([[1, 0], [0.1234567, 1e8]], ["a", "b"], "T", [2, 1], [1], [(0, 1)], "x", "y", True, (0, 1), (-2, 1e9)),
]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: type(panel).__name__)
def test_every_panel_is_plain_json_and_has_a_text(panel: Panel) -> None:
    state = panel.state()
    assert json.loads(json.dumps(state, allow_nan=False)) == state
    assert state["kind"] == type(panel).__name__.lower()
    assert "0x" not in panel.text() and "array" not in panel.text()
    control = LiveControl(lambda a: panel, [Toggle("a")], alt=ALT)
    assert control.panels == [state]


def test_note_text_has_every_value_in_its_place() -> None:
    assert Note("a {}, b {}, so c", values=[-1.5, [("row 1", 0.25), 2]]).text() == "a −1.5, b row 1 0.25, 2, so c"
    assert Note(["x {}", "y {}"], values=[[1], [2]]).text() == "x 1 y 2"
    assert Note("a model wrote {}").text() == "a model wrote {}"


@pytest.mark.parametrize(
    "given",
    [
        ("a {}, b {}, so c", [1]),
        ("a {}", [1, 2]),
        ("a", [1]),
        (["x {}", "y {}"], [[1], [2, 3]]),
        (["x {}"], [[1], [2]]),
    ],
)
def test_note_without_a_value_for_each_place_is_refused(given: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="value"):
        Note(given[0], values=given[1])


def test_drawing_without_alternative_text_is_refused() -> None:
    with pytest.raises(ValueError, match="alternative"):
        Drawing("<path/>", (10, 10), " ")


def test_list_of_drawings_has_one_for_each_row() -> None:
    control = rowed(Drawing(["<path/>", "<g/>", "<rect/>"], (10, 10), ["a path", "a group", "a box"]))
    assert control.panels[0]["shapes"][2] == "<rect/>" and "a box" in Drawing([""], (10, 10), ["a box"]).text()
    with pytest.raises(ValueError, match="2 rows"):
        rowed(Drawing(["<path/>", "<g/>"], (10, 10), ["a path", "a group"]))
    with pytest.raises(ValueError, match="alternative"):
        Drawing(["<path/>", "<g/>"], (10, 10), ["a path"])


def test_words_in_a_drawing_are_escaped() -> None:
    assert "a &lt; b &amp; c" in words("i", 0, 0, "a < b & c")


def test_diverging_heatmap_has_zero_in_the_middle() -> None:
    assert (Heatmap([[-1, 3]], diverging=True).low, Heatmap([[-1, 3]], diverging=True).high) == (-3, 3)
    assert Heatmap([[0]], diverging=True).state()["high"] == 1
    assert Heatmap([[-1, 3]]).state()["diverging"] and Heatmap([[-1, 3]]).low == -3
    assert not Heatmap([[0, 3]]).state()["diverging"] and not Heatmap([[-3, 0]]).state()["diverging"]


# --- the page ---


def test_request_gets_a_single_message_in_reply(control: LiveControl) -> None:
    (state,) = asked(control, kind="set", name="d_k", value=4)
    assert state["answer"] == "page-1"
    assert state["values"] == control.values and state["panels"] == control.panels
    (state,) = asked(control, kind="set", name="d_k", value=5, id="page-2")
    assert set(state) == {"answer", "refusals"}
    (state,) = asked(control, kind="edit", table="X", row=0, column=0, text="7", value=7, id="page-3")
    assert state["values"]["X"][0][0] == 7 and state["refusals"] == {}
    (state,) = asked(control, kind="reset", id="page-4")
    assert state["values"]["d_k"] == 64


def test_state_is_plain_json_and_includes_the_page(control: LiveControl) -> None:
    state = json.loads(json.dumps(control.get_state(), allow_nan=False))
    assert state["panels"] == control.panels
    assert (state["alt"], state["preset_names"], state["preset"]) == (ALT, list(PRESETS), "")
    assert [parameter["name"] for parameter in state["parameters"]] == list(control.values)
    assert control.presets["no scale at 512"] == control.values | {"d_k": 512, "scale": "none"}
    assert "export default" in state["_esm"] and ".live-control" in state["_css"]
    assert "http" not in state["_esm"] + state["_css"]  # it works where nothing can be fetched


def test_curves_of_one_quantity_have_one_hue():
    curves = {"seed 0": [0.1, 0.2], "seed 1": [0.2, 0.3]}
    assert Lines([1, 2], curves, shares=True).state()["hue"] == "amber"
    assert Lines([1, 2], curves, one_hue=True).state()["hue"] == "blue"
    assert "hue" not in Lines([1, 2], curves).state()
