"""What controls answer without Python: every setting in its table is what the control itself shows there."""

from __future__ import annotations

import base64
import gzip
import itertools
import json

import numpy as np
import pytest

from utils.show.live import Choice, Entries, LiveControl, Matrix, Note, Row, Slider, Text, Toggle
from utils.site import tables
from utils.site.tables import packed_table, stored_places, table

ALT = "What is to be seen."


def small() -> LiveControl:
    """Twelve settings, one of each two of which is the same picture, and some of which are refused."""

    def picture(n: int, sign: str, loud: bool) -> list[Note]:
        if n == 3 and sign == "−":
            raise ValueError("3 has no minus here.")
        return [Note(f"{sign}{n * n}"), Note("loud" if loud else "quiet")]

    turns = [Slider("n", 1, 3, 2), Choice("sign", ["+", "−"]), Toggle("loud")]
    return LiveControl(picture, turns, {"three": {"n": 3}}, ALT)


def typed() -> LiveControl:
    return LiveControl(
        lambda X, word, on: [Matrix(X * (2 if on else 1), "Y", chosen=True), Note(word)],
        [Entries("X", [[1, 2.5], [0, 1]]), Text("word", "a"), Toggle("on"), Row("row", ["x", "y"])],
        {"other": {"X": [[0, 0], [0, 1 / 3]]}, "b": {"word": "b"}},
        ALT,
    )


def looked_up(made: dict, values: dict) -> object:
    """What the host would find: the panels, or the sentence; None where there is nothing."""
    number = 0
    for name, all_values in made["axes"]:
        number = number * len(all_values) + all_values.index(values[name])
    if number not in made["places"]:
        return None
    shown = made["shown"][made["places"].index(number)]
    return shown if isinstance(shown, str) else [made["panels"][i] for i in shown]


@pytest.mark.parametrize("make", [small, typed])
def test_table_has_every_setting_with_pythons_own_answer(make) -> None:
    control = make()
    made = json.loads(json.dumps(table(control, 1000)))
    names = [name for name, _ in made["axes"]]
    settings = list(itertools.product(*(values for _, values in made["axes"])))
    assert len(settings) == len(made["places"]) == 12 if make is small else 8
    for values in settings:
        fresh = make()
        fresh.set(**dict(zip(names, values, strict=True)))
        assert looked_up(made, dict(zip(names, values, strict=True))) == (fresh.refusal or fresh.panels)


def test_table_knows_the_presets_of_typed_entries() -> None:
    made = table(typed(), 1000)
    assert dict(made["axes"])["word"] == ["a", "b"]
    assert "row" not in dict(made["axes"])  # the page answers it alone
    control = typed()
    control.choose("other")
    assert dict(made["axes"])["X"][1] == control.values["X"]
    assert made["presets"]["b"]["word"] == "b" and made["start"]["word"] == "a"


def test_longest_parameters_of_a_large_table_move_one_at_a_time() -> None:
    axes = {"a": [0, 1], "long": list(range(50)), "b": [0, 1, 2]}
    start = {"a": 0, "long": 7, "b": 1}
    assert len(stored_places(axes, [start], 300)) == 300
    some = stored_places(axes, [start], 299)
    every_a_and_b = {(a, 7, b) for a in (0, 1) for b in (0, 1, 2)}
    along = {(0, at, 1) for at in range(50)}
    assert some == every_a_and_b | along
    two = stored_places(axes, [start, {"a": 1, "long": 0, "b": 0}], 299)
    assert some < two and (1, 49, 0) in two


def unpacked(data: str) -> dict:
    return json.loads(gzip.decompress(base64.b64decode(data)))


def test_too_large_table_gets_fewer_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    computed = []

    def noise(seed: int, turn: int) -> Matrix:
        computed.append((seed, turn))
        return Matrix(np.random.default_rng([seed, turn]).normal(size=(8, 8)), "noise", decimals=6)

    control = LiveControl(noise, [Slider("seed", 0, 20), Slider("turn", 0, 20)], {"last": {"seed": 20}}, ALT)
    whole = packed_table(control)
    assert packed_table(control, 20).held == 21 + 2 * 20 and (whole.held, whole.of) == (21 * 21, 21 * 21)
    monkeypatch.setattr(tables, "MOST_BYTES", len(whole.data))
    assert packed_table(control) == whole
    monkeypatch.setattr(tables, "MOST_BYTES", len(whole.data) // 3)
    computed.clear()
    less = packed_table(control).data
    assert 0 < len(less) <= len(whole.data) // 3
    assert len(computed) < 1.2 * 21 * 21  # what is known is not computed again
    made = unpacked(less)
    assert looked_up(made, {"seed": 20, "turn": 20}) and looked_up(made, {"seed": 3, "turn": 0})
    assert looked_up(made, {"seed": 3, "turn": 7}) is None
