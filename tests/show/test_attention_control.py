"""The control of lesson 05 on the numbers of lecture note N3, with the function that the lesson teaches.

What it has of every `LiveControl` is tested in `test_live.py`.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from utils.by_hand.attention import attention_steps
from utils.data import example as n3
from utils.show.attention_control import AttentionControl, attention_panels

# As lists, since the control's state is compared with them.
N3: dict[str, Any] = {name: getattr(n3, name).tolist() for name in ("X", "W_Q", "W_K", "W_V")}
PRESETS = {
    "the lecture's numbers": N3,
    "all alike": {**N3, "X": [[1, 1, 1, 1]] * 3},
}


@pytest.fixture
def control() -> AttentionControl:
    return AttentionControl(attention_steps, PRESETS)


def state_of(control: AttentionControl) -> dict[str, Any]:
    names = ("values", "panels", "row", "preset", "refusals")
    return deepcopy({name: getattr(control, name) for name in names})


def inputs_of(control: AttentionControl) -> dict[str, Any]:
    return {name: value for name, value in control.values.items() if name != "scaled"}


def panel(control: AttentionControl, name: str) -> dict[str, Any]:
    return next(panel for panel in control.panels if panel.get("name") == name)


def expected_panels(inputs: dict[str, Any], scaled: bool) -> list[dict[str, Any]]:
    names = ("X", "W_Q", "W_K", "W_V")
    steps = attention_steps(*(inputs[name] for name in names), scale=None if scaled else 1.0)
    return [panel.state() for panel in attention_panels(steps, scaled=scaled)]


def test_control_starts_with_the_numbers_of_the_note(control: AttentionControl) -> None:
    assert panel(control, "Q")["values"][0] == [0, 0, 1]
    assert panel(control, "scores")["values"][0] == [2, 4, 4]
    weights = pytest.approx([0.063379, 0.468311, 0.468311], abs=1e-6)
    assert panel(control, "weights")["values"][0] == weights
    assert panel(control, "V")["tints"][0] == weights
    assert panel(control, "output")["values"][0] == pytest.approx([1.937, 6.683, 1.595], abs=1e-3)
    assert [parameter["shape"] for parameter in control.parameters[:2]] == [[3, 4], [4, 3]]
    note = control.panels[-1]
    assert note["sentences"][0] == "x₁ asks: it takes {} of v₁, {} of v₂, {} of v₃." and note["shares"]
    assert note["values"] == panel(control, "weights")["values"]


def test_scale_divides_the_scores_by_root_of_d_k(control: AttentionControl) -> None:
    assert "root" not in panel(control, "scores")["title"]
    control.set(scaled=True)
    assert control.preset == "the lecture's numbers"
    assert "root" in panel(control, "scores")["title"]
    assert panel(control, "scores")["values"][0] == pytest.approx([1.155, 2.309, 2.309], abs=1e-3)
    assert panel(control, "weights")["values"][1] == pytest.approx([0.003, 0.907, 0.090], abs=1e-3)
    control.set(scaled=False)
    assert control.panels == expected_panels(N3, scaled=False)


@settings(max_examples=40)  # a new control for each
@example(table="X", row=0, column=0, value=1e300, scaled=False)
@example(table="W_V", row=3, column=2, value=-0.0, scaled=True)
@given(
    table=st.sampled_from(["X", "W_Q", "W_K", "W_V"]),
    row=st.integers(0, 2),
    column=st.integers(0, 2),
    value=st.floats(allow_nan=False, allow_infinity=False),
    scaled=st.booleans(),
)
def test_edit_is_applied_or_refused_as_a_whole(table: str, row: int, column: int, value: float, scaled: bool) -> None:
    control = AttentionControl(attention_steps, PRESETS)
    control.set(scaled=scaled)
    before = state_of(control)
    changed = deepcopy(N3)
    changed[table][row][column] = value + 0.0
    try:
        panels = expected_panels(changed, scaled)
    except ValueError as reason:
        panels, said = None, str(reason)
    control.edit(table, row, column, value)
    if panels is None:
        assert control.refusals == {f"{table},{row},{column}": {"text": repr(value), "sentence": said}}
        assert state_of(control) | {"refusals": {}} == before
    else:
        assert (inputs_of(control), control.panels, control.refusals) == (changed, panels, {})
    json.dumps(control.get_state(), allow_nan=False)
