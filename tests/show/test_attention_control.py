"""The control of lesson 05 on the numbers of lecture note N3, with the function that the lesson teaches."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import traitlets
from hypothesis import example, given
from hypothesis import strategies as st

from utils.by_hand.attention import attention_steps
from utils.data import example as n3
from utils.show import page as control_page
from utils.show.attention_control import AttentionControl, attention_panels
from utils.show.numbers import parse_entry

# As lists, since the control's state is compared with them.
N3: dict[str, Any] = {name: getattr(n3, name).tolist() for name in ("X", "W_Q", "W_K", "W_V")}
PRESETS = {
    "the lecture's numbers": N3,
    "one token shouts": {**N3, "X": [[1, 0, 1, 0], [0, 6, 0, 6], [1, 1, 1, 1]]},
    "all alike": {**N3, "X": [[1, 1, 1, 1]] * 3},
}


@pytest.fixture
def control() -> AttentionControl:
    return AttentionControl(attention_steps, PRESETS)


def state_of(control: AttentionControl) -> dict[str, Any]:
    names = ("values", "entries", "panels", "row", "preset", "refusals")
    return deepcopy({name: getattr(control, name) for name in names})


def inputs_of(control: AttentionControl) -> dict[str, Any]:
    return {name: value for name, value in control.values.items() if name != "scaled"}


def panel(control: AttentionControl, name: str) -> dict[str, Any]:
    return next(panel for panel in control.panels if panel.get("name") == name)


def entries(control: AttentionControl, name: str) -> list[list[str]]:
    return control.entries[name] if name in control.entries else panel(control, name)["texts"]


def sentence(control: AttentionControl) -> str:
    return control.panels[-1]["texts"][control.row]


def expected_panels(inputs: dict[str, Any], scaled: bool) -> list[dict[str, Any]]:
    names = ("X", "W_Q", "W_K", "W_V")
    steps = attention_steps(*(inputs[name] for name in names), scale=None if scaled else 1.0)
    return [panel.state() for panel in attention_panels(steps, scaled=scaled)]


def asked(control: AttentionControl, **request: Any) -> list[dict[str, Any]]:
    """The messages that went to the page in answer to a request from it."""
    sent: list[dict[str, Any]] = []
    control._send = lambda msg, buffers=None: sent.append(msg)
    control._handle_custom_msg({"id": "page-1", **request}, [])
    return [message["state"] for message in sent]


# --- what was typed ---


@pytest.mark.parametrize(
    ("text", "value"),
    [("2.5", 2.5), (" 3 ", 3.0), ("-1", -1.0), ("−1", -1.0), ("1e3", 1000.0), (".5", 0.5), ("۲٫۵", 2.5), ("۱۲", 12.0)],
)
def test_a_number_is_taken_as_typed(text: str, value: float) -> None:
    assert parse_entry(text) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "This entry is empty: type a number such as 2 or −0.5."),
        ("  ", "This entry is empty: type a number such as 2 or −0.5."),
        ("abc", "“abc” is not a number: type one such as 2 or −0.5."),
        ("1 2", "“1 2” is not a number: type one such as 2 or −0.5."),
        ("1e400", "“1e400” is too large: float64 holds numbers up to 1.8e308."),
        ("-1e400", "“-1e400” is too large: float64 holds numbers up to 1.8e308."),
        ("1e-400", "“1e-400” is too small: float64 holds nothing between 0 and 4.9e−324."),
        ("nan", "“nan” is not a finite number: type one such as 2 or −0.5."),
        ("-inf", "“-inf” is not a finite number: type one such as 2 or −0.5."),
        ("1_000", "“1_000” has an underscore: write the digits without it."),
        ("0,5", "“0,5” has a comma: write a point, 0.5."),
        ("1,2,3", "“1,2,3” is not a number: type one such as 2 or −0.5."),
        ("a,b", "“a,b” is not a number: type one such as 2 or −0.5."),
        ("x" * 50, f"“{'x' * 20}…” is not a number: type one such as 2 or −0.5."),
    ],
)
def test_what_is_no_number_is_refused_in_one_sentence(text: str, reason: str) -> None:
    with pytest.raises(ValueError) as refusal:
        parse_entry(text)
    assert str(refusal.value) == reason


def test_there_is_no_minus_zero(control: AttentionControl) -> None:
    assert str(parse_entry("-0")) == "0.0"
    control.edit("X", 0, 0, "-0.0")
    assert "-0.0" not in json.dumps(control.values)
    assert entries(control, "X")[0] == ["0", "0", "1", "0"]
    assert str(AttentionControl(attention_steps, {"start": {**N3, "X": [[-0.0] * 4] * 3}}).values["X"][0][0]) == "0.0"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_survives_being_written_and_read(value: float) -> None:
    assert parse_entry(repr(value)) == value


# --- the numbers of the note ---


def test_the_start_shows_the_numbers_of_the_note(control: AttentionControl) -> None:
    assert entries(control, "Q")[0] == ["0", "0", "1"]
    assert entries(control, "scores")[0] == ["2", "4", "4"]
    weights = pytest.approx([0.063379, 0.468311, 0.468311], abs=1e-6)
    assert panel(control, "weights")["shares"][0] == weights
    assert panel(control, "V")["tints"][0] == weights
    assert entries(control, "weights")[0] == ["0.063", "0.468", "0.468"]
    assert entries(control, "output")[0] == ["1.937", "6.683", "1.595"]
    assert entries(control, "weights")[1] == ["<0.001", "0.982", "0.018"]
    assert [parameter["shape"] for parameter in control.parameters[:2]] == [[3, 4], [4, 3]]
    assert sentence(control) == "x₁ asks: it takes 6.3 % of v₁, 46.8 % of v₂, 46.8 % of v₃."


def test_every_query_is_in_the_panels_so_that_the_page_can_choose(control: AttentionControl) -> None:
    chosen = [panel["name"] for panel in control.panels[:-1] if panel["chosen"]]
    assert chosen == ["Q", "scores", "weights", "output"]
    assert [parameter["name"] for parameter in control.parameters if parameter.get("chosen")] == ["X"]
    for row, weights in enumerate(panel(control, "V")["tints"]):
        control.row = row
        assert sum(weights) == pytest.approx(1)
        assert sentence(control).startswith(f"x{'₁₂₃'[row]} asks: ")


def test_tokens_may_have_names() -> None:
    control = AttentionControl(attention_steps, {"start": N3}, tokens=("the", "cat", "sat"))
    control.row = 1
    assert sentence(control) == ("cat asks: it takes <0.1 % of v₁ (the), 98.2 % of v₂ (cat), 1.8 % of v₃ (sat).")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("scaled", [False, True])
def test_each_preset_shows_what_the_lesson_computes(control: AttentionControl, name: str, scaled: bool) -> None:
    control.set(scaled=scaled)
    control.choose(name)
    assert control.preset == name
    assert control.values["scaled"] is scaled  # a preset leaves it alone
    assert inputs_of(control) == PRESETS[name]
    assert control.panels == expected_panels(PRESETS[name], scaled)


def test_the_scale_divides_the_scores_by_the_root_of_d_k(control: AttentionControl) -> None:
    assert "root" not in panel(control, "scores")["title"]
    control.set(scaled=True)
    assert control.preset == "the lecture's numbers"
    assert "root" in panel(control, "scores")["title"]
    assert entries(control, "scores")[0] == ["1.155", "2.309", "2.309"]
    assert entries(control, "weights")[1] == ["0.003", "0.907", "0.090"]
    control.row = 1
    assert sentence(control) == "x₂ asks: it takes 0.3 % of v₁, 90.7 % of v₂, 9.0 % of v₃."
    control.set(scaled=False)
    assert control.panels == expected_panels(N3, scaled=False)


def test_no_weight_is_all_while_another_takes_something(control: AttentionControl) -> None:
    control.edit("X", 1, 1, "12")  # the scores are so far apart that float64 makes the largest weight 1.0
    for row, weights in enumerate(panel(control, "weights")["shares"]):
        if max(weights) == 1.0 and sorted(weights)[1] > 0:
            control.row = row
            assert ">0.999" in entries(control, "weights")[row] and ">99.9 %" in sentence(control)
            break
    else:
        raise AssertionError("no row of the example has a weight that float64 rounds to 1")


# --- edits ---


def test_an_edit_is_followed_by_every_table(control: AttentionControl) -> None:
    control.edit("W_K", 0, 2, "2.5")
    changed = deepcopy(N3)
    changed["W_K"][0][2] = 2.5
    assert inputs_of(control) == changed
    assert control.panels == expected_panels(changed, scaled=False)
    assert control.preset == ""
    assert control.refusals == {}
    assert PRESETS["the lecture's numbers"]["W_K"][0][2] == 1


def test_an_edit_that_changes_nothing_keeps_the_preset(control: AttentionControl) -> None:
    control.edit("X", 0, 0, "1.0")
    assert control.preset == "the lecture's numbers"


@pytest.mark.parametrize("text", ["", "abc", "1e400", "nan", "1_000", "0,5"])
def test_a_refused_entry_changes_nothing_else(control: AttentionControl, text: str) -> None:
    control.edit("W_V", 0, 0, "2")
    before = state_of(control)
    control.edit("X", 1, 2, text)
    assert control.refusals["X,1,2"]["text"] == text
    assert control.refusals["X,1,2"]["sentence"].startswith(f"“{text}” " if text else "This entry is empty: ")
    assert state_of(control) | {"refusals": {}} == before


def test_a_number_that_the_computation_refuses_is_refused_with_its_sentence(control: AttentionControl) -> None:
    before = state_of(control)
    control.edit("X", 0, 0, "1e300")
    sentence = control.refusals["X,0,0"]["sentence"]
    assert "overflows" in sentence and "1.8e308" in sentence
    assert state_of(control) | {"refusals": {}} == before


def test_refusals_stay_in_the_order_of_typing_until_the_next_good_entry(control: AttentionControl) -> None:
    control.edit("X", 0, 0, "a")
    control.edit("W_Q", 0, 0, "b")
    control.edit("X", 0, 0, "c")
    assert list(control.refusals) == ["W_Q,0,0", "X,0,0"]
    assert control.refusals["X,0,0"]["text"] == "c"
    control.edit("W_V", 0, 0, "1")
    assert control.refusals == {}


def test_no_such_entry_is_a_mistake_of_the_caller(control: AttentionControl) -> None:
    with pytest.raises(ValueError, match="no parameter “W_O”"):
        control.edit("W_O", 0, 0, "1")
    for row, column in ((3, 0), (0, 4), (-1, 0)):
        with pytest.raises(ValueError, match="X has 3 rows and 4 columns"):
            control.edit("X", row, column, "1")


def test_reset_brings_back_the_start(control: AttentionControl) -> None:
    start = state_of(control)
    control.edit("X", 0, 0, "5")
    control.edit("X", 0, 1, "no")
    control.row = 2
    control.set(scaled=True)
    control.reset()
    assert state_of(control) == start
    control.edit("X", 0, 1, "no")  # a refusal only: the numbers are the start's already
    control.reset()
    assert state_of(control) == start


@example(table="X", row=0, column=0, value=1e300, scaled=False)
@example(table="W_V", row=3, column=2, value=-0.0, scaled=True)
@given(
    table=st.sampled_from(["X", "W_Q", "W_K", "W_V"]),
    row=st.integers(0, 2),
    column=st.integers(0, 2),
    value=st.floats(allow_nan=False, allow_infinity=False),
    scaled=st.booleans(),
)
def test_any_number_is_either_followed_or_refused_whole(
    table: str, row: int, column: int, value: float, scaled: bool
) -> None:
    control = AttentionControl(attention_steps, PRESETS)
    control.set(scaled=scaled)
    before = state_of(control)
    changed = deepcopy(N3)
    changed[table][row][column] = value + 0.0
    try:
        panels = expected_panels(changed, scaled)
    except ValueError as reason:
        panels, said = None, str(reason)
    control.edit(table, row, column, repr(value))
    if panels is None:
        assert control.refusals == {f"{table},{row},{column}": {"text": repr(value), "sentence": said}}
        assert state_of(control) | {"refusals": {}} == before
    else:
        assert (inputs_of(control), control.panels, control.refusals) == (changed, panels, {})
    json.dumps(control.get_state(), allow_nan=False)


# --- set from Python ---


def test_only_what_can_be_shown_is_taken(control: AttentionControl) -> None:
    before = state_of(control)
    for row in (-1, 3):
        with pytest.raises(traitlets.TraitError, match="row must be between 0 and 2"):
            control.row = row
    with pytest.raises(ValueError, match="no preset “nobody's”"):
        control.choose("nobody's")
    for value, reason in (([[1, 2]], "X must keep its shape (3, 4)"), ([[1e300] * 4] * 3, "overflows")):
        control.set(X=value)
        assert reason in control.refusal
        assert state_of(control) | {"refusals": {}} == before


def test_inputs_set_whole_are_followed(control: AttentionControl) -> None:
    control.set(X=[[1, 1, 1, 2]] * 3)
    assert control.panels == expected_panels({**N3, "X": [[1, 1, 1, 2]] * 3}, scaled=False)
    assert control.preset == ""
    control.set(**PRESETS["all alike"])
    assert control.preset == "all alike"


def test_a_student_s_own_function_may_fail_in_any_way() -> None:
    def careless(X: Any, W_Q: Any, W_K: Any, W_V: Any, scale: float | None = None) -> Any:
        if X[0][0] == 7:
            return {}["no such key"]
        steps = attention_steps(X, W_Q, W_K, W_V, scale=scale)
        if X[0][0] == 8:
            return SimpleNamespace(**{**vars(steps), "weights": np.full((3, 3), np.nan)})
        return steps

    control = AttentionControl(careless, PRESETS)
    before = state_of(control)
    control.edit("X", 0, 0, "7")
    assert control.refusals["X,0,0"]["sentence"] == "KeyError: 'no such key'"
    control.edit("X", 0, 0, "8")
    assert control.refusals["X,0,0"]["sentence"].startswith("weights would hold NaN")
    assert state_of(control) | {"refusals": {}} == before


@pytest.mark.parametrize(
    ("presets", "tokens", "reason"),
    [
        ({}, None, "at least one preset"),
        ({"a": {"X": [[1]]}}, None, "“a” needs X, W_Q, W_K and W_V"),
        ({"a": N3, "b": {**N3, "X": [[1, 2, 3, 4]]}}, None, r"preset “b” is refused: X must keep its shape \(3, 4\)"),
        ({"a": {**N3, "X": [[1, 2, 3]]}}, None, "as many columns in X as rows"),
        ({"a": N3}, ("one", "two"), "2 row names"),
    ],
)
def test_what_cannot_be_shown_is_said_at_once(presets: Any, tokens: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        AttentionControl(attention_steps, presets, tokens)


# --- the page ---


def test_a_request_gets_one_message_that_answers_it(control: AttentionControl) -> None:
    (state,) = asked(control, kind="edit", table="W_K", row=0, column=2, text="2.5")
    assert state["answer"] == "page-1"
    assert state["panels"] == control.panels and state["values"] == control.values and state["preset"] == ""
    (state,) = asked(control, kind="edit", id="page-2", table="W_K", row=0, column=2, text="abc")
    assert state["answer"] == "page-2"
    assert set(state) == {"answer", "refusals"}
    (state,) = asked(control, kind="set", name="scaled", value=True, id="page-3")
    assert state["values"]["scaled"] is True and state["panels"] == control.panels
    (state,) = asked(control, kind="preset", name="all alike", id="page-4")
    assert state["preset"] == "all alike" and control.refusals == {}
    (state,) = asked(control, kind="reset", id="page-5")
    assert state["values"]["scaled"] is False and state["panels"] == expected_panels(N3, scaled=False)
    (state,) = asked(control, kind="edit", table="X", row=0, column=0, text="1", id="page-6")
    assert state == {"answer": "page-6"}


def test_a_change_from_python_is_one_message_too(control: AttentionControl) -> None:
    sent: list[dict[str, Any]] = []
    control._send = lambda msg, buffers=None: sent.append(msg["state"])
    control.edit("X", 0, 0, "2")
    control.set(scaled=True)
    control.choose("one token shouts")
    control.row = 1
    control.reset()
    assert [sorted(state) for state in sent] == [
        ["entries", "panels", "preset", "values"],
        ["panels", "values"],
        ["entries", "panels", "preset", "values"],
        ["row"],
        ["entries", "panels", "preset", "row", "values"],
    ]


def test_choosing_a_query_needs_no_new_panels(control: AttentionControl) -> None:
    panels = control.panels
    control.set_state({"row": 2})
    assert control.row == 2
    assert control.panels is panels


def test_the_state_is_plain_json_and_the_page_comes_with_it(control: AttentionControl) -> None:
    state = json.loads(json.dumps(control.get_state(), allow_nan=False))
    assert state["panels"] == control.panels
    assert "export default" in state["_esm"] and ".attention-control" in state["_css"]
    assert "http" not in state["_esm"] + state["_css"]  # it works where nothing can be fetched


def test_the_repr_says_the_numbers_and_nothing_that_varies(control: AttentionControl) -> None:
    start = "AttentionControl(query 1, scale off: weights 0.063 0.468 0.468, output 1.937 6.683 1.595)"
    assert repr(control) == start == repr(AttentionControl(attention_steps, PRESETS))
    assert control._repr_mimebundle_()[0]["text/plain"] == start
    control.row = 1
    control.set(scaled=True)
    assert repr(control) == "AttentionControl(query 2, scale on: weights 0.003 0.907 0.090, output 1.997 7.803 0.279)"


def test_a_preset_that_cannot_be_computed_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="overflows"):
        AttentionControl(attention_steps, {**PRESETS, "far too loud": {**N3, "X": [[1e300] * 4] * 3}})


def test_a_scale_that_cannot_be_computed_is_refused_and_nothing_changes() -> None:
    def without_a_scale_for_loud_tokens(X: Any, *weights: Any, scale: float | None) -> Any:
        if scale is None and np.max(X) > 5:
            raise ValueError("too loud to be scaled.")
        return attention_steps(X, *weights, scale=scale)

    control = AttentionControl(without_a_scale_for_loud_tokens, {"N3": N3})
    control.edit("X", 0, 0, "9")
    before = state_of(control)
    control.set(scaled=True)
    assert control.refusals["scaled"]["sentence"] == "too loud to be scaled."
    assert state_of(control) | {"refusals": {}} == before


def test_its_style_stands_above_that_of_a_live_control_whichever_a_page_loads_last() -> None:
    sheet = Path(control_page.__file__).with_name("attention_control.css").read_text("utf-8")
    selectors = [line for line in sheet.splitlines() if ".attention-control" in line]
    assert selectors and all(".live-control.attention-control" in line for line in selectors)
