"""The attention explorer: what the page gets is what the arrays hold, and what can't be shown is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from utils.show.explorer import ALMOST_ALL, TINY, AttentionExplorer, Pass, Text, codes, pack

ENGLISH = ["the", "weather", "is", "great"]
PERSIAN = Text(["<start>", "هوا", "عالی"], "fa", writes=["هوا", "عالی", "است"])


def maps(layers: int, heads: int, rows: int, columns: int, seed: int = 0) -> list[np.ndarray]:
    """One array (heads, rows, columns) a layer, each row summing to 1."""
    shares = np.random.default_rng(seed).dirichlet(np.ones(columns), size=(layers, heads, rows))
    return list(shares)


def translation(seed: int = 0, output: str = "هوا عالی است") -> Pass:
    return Pass(
        {"encoder": maps(2, 3, 4, 4, seed), "decoder": maps(1, 2, 3, 3, seed), "cross": maps(1, 2, 3, 4, seed)},
        source=Text(ENGLISH, "en"),
        target=PERSIAN,
        output=output,
    )


@pytest.fixture
def explorer() -> AttentionExplorer:
    return AttentionExplorer({"": translation()})


def asked(explorer: AttentionExplorer, **request: Any) -> list[dict[str, Any]]:
    """What goes back to the page when it asks."""
    sent: list[dict[str, Any]] = []
    explorer._send = lambda msg, buffers=None: sent.append(msg["state"])
    explorer._handle_custom_msg({"id": "page-1", **request}, [])
    return sent


# --- the numbers ---


@given(
    hnp.arrays(np.float64, st.integers(1, 8), elements=st.floats(0, 1e6, allow_subnormal=True)).filter(
        lambda row: row.sum() > 0
    )
)
def test_weight_code_is_within_half_a_thousandth_and_never_hides_a_small_weight(row: np.ndarray) -> None:
    row = row / row.sum()
    for weight, code, others in zip(row, codes(row).tolist(), (row > 0).sum() - (row > 0), strict=True):
        if code == TINY:
            assert 0 < weight <= 0.0005
        elif code == ALMOST_ALL:
            assert weight >= 0.9995 and (weight < 1 or others)
        else:
            assert abs(code / 1000 - weight) <= 0.0005 + 1e-12
            assert (code > 0 or weight == 0) and (code < 1000 or (weight == 1 and not others))


def test_every_example_keeps_its_own_numbers() -> None:
    named = {"first": translation(0), "second": translation(1)}
    explorer = AttentionExplorer(named)
    name = "second"
    explorer.show(name)
    assert explorer.text == name
    for group, layers in named[name].maps.items():
        for layer, array in enumerate(layers):
            for head, expected in enumerate(array):
                np.testing.assert_allclose(explorer.weights_of(group, layer, head), expected, atol=0.00051)


def test_state_is_small_and_can_be_saved(explorer: AttentionExplorer) -> None:
    big = AttentionExplorer({"": Pass({"encoder": maps(6, 12, 64, 64)}, Text([f"word {i}" for i in range(64)]))})
    assert len(big.weights) == 2 * 6 * 12 * 64 * 64
    state = explorer.get_state()
    assert isinstance(state.pop("weights"), bytes) and isinstance(state.pop("result_weights"), bytes)
    json.dumps(state, allow_nan=False)
    assert "export default" in state["_esm"] and ".attention-explorer" in state["_css"]
    assert "http" not in state["_esm"] + state["_css"]  # it works where nothing can be fetched


# --- refusals ---


def test_direction_follows_the_letters() -> None:
    described, _ = pack(translation())
    assert described["source"]["direction"] == "ltr" and described["target"]["direction"] == "rtl"
    assert described["target"]["writes"] == ["هوا", "عالی", "است"]
    # special tokens, though they have more letters, don't count
    short = Pass({"encoder": maps(1, 1, 3, 3)}, Text(["<start>", "او", "[SEP]"]))
    assert pack(short)[0]["source"]["direction"] == "rtl"


def seen_with(change: Any, at: tuple[int, ...] = (1, 2, 3)) -> Pass:
    """The encoder's maps with one number (layer, head, row) changed in its first column."""
    layers = maps(2, 3, 4, 4)
    layer, head, row = at
    layers[layer][head, row, 0] = change
    return Pass({"encoder": layers}, Text(ENGLISH))


@pytest.mark.parametrize(
    ("seen", "sentence"),
    [
        (seen_with(np.nan), "encoder, layer 2, head 3: row 4"),
        (seen_with(5.0, (0, 1, 2)), "sums to 5."),
    ],
)
def test_explorer_refuses_bad_input(seen: Pass, sentence: str) -> None:
    with pytest.raises(ValueError) as refusal:
        AttentionExplorer({"": seen})
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("head", [("encoder", 2, 0), ("encoder", 0, 3), ("self", 0, 0)])
def test_missing_head_is_refused(explorer: AttentionExplorer, head: tuple[str, int, int]) -> None:
    with pytest.raises(ValueError, match="counted from 0"):
        explorer.choose(*head)
    explorer.choose("encoder", 1, 2)
    assert explorer.chosen == ["encoder", 1, 2]


# --- what is computed again ---


def test_head_is_switched_off_by_the_given_function() -> None:
    calls = []

    def translate(text: str, off: tuple) -> Pass:
        calls.append((text, off))
        return translation(seed=len(off), output=f"{text} without {len(off)}")

    explorer = AttentionExplorer({"a sentence": translation()}, translate)
    explorer.show(switched_off=[("encoder", 1, 2), ("cross", 0, 1), ("cross", 0, 1)])
    assert calls == [("a sentence", (("cross", 0, 1), ("encoder", 1, 2)))]
    assert explorer.shown["output"] == "a sentence without 2"
    assert explorer.whole_output == "هوا عالی است"
    np.testing.assert_allclose(explorer.weights_of("cross", 0, 0), translation(2).maps["cross"][0][0], atol=0.00051)
    explorer.show()  # all on again: the saved example, nothing to compute
    assert len(calls) == 1 and explorer.result == {} and explorer.shown["output"] == "هوا عالی است"


def test_explorer_without_a_function_computes_nothing(explorer: AttentionExplorer) -> None:
    assert not explorer.can_translate and AttentionExplorer({"": translation()}, lambda *_: None).can_translate
    for turn in (lambda: explorer.show("mine"), lambda: explorer.show(switched_off=[("cross", 0, 0)])):
        with pytest.raises(ValueError, match="shows saved maps"):
            turn()


def test_explorer_shows_a_refusal_and_changes_nothing() -> None:
    def translate(text: str, off: tuple) -> Pass:
        if text == "crash":
            raise KeyError("no such word")
        raise ValueError("I don't know the word “dragon”.")

    explorer = AttentionExplorer({"": translation()}, translate)
    before = {k: v for k, v in explorer.get_state().items() if k not in ("refusal", "answer")}
    assert asked(explorer, kind="show", text="dragon", off=[]) == [
        {"refusal": "I don't know the word “dragon”.", "answer": "page-1"}
    ]
    asked(explorer, kind="show", text="crash", off=[], id="page-2")
    assert (explorer.refusal, explorer.answer) == ("KeyError: 'no such word'", "page-2")
    assert {k: v for k, v in explorer.get_state().items() if k not in ("refusal", "answer")} == before
    with pytest.raises(ValueError, match="dragon"):
        explorer.show("dragon")


# --- tasks ---


def test_task_is_done_where_its_function_says_so_and_stays_done() -> None:
    kept = []

    class Asked:
        texts = ("Find a head that looks at itself.", "Find none.")

        def met(self, at: dict[str, Any], shown: list[np.ndarray]) -> list[int]:
            return [0] if at["group"] != "cross" and shown[0].argmax(axis=1).tolist() == [*range(len(shown[0]))] else []

        def kept(self) -> list[int]:
            return []

        def keep(self, ticked: list[int]) -> None:
            kept.extend(ticked)

    seen = {name: translation(seed) for seed, name in enumerate(("one", "two"))}
    seen["two"].maps["encoder"][1][2] = np.eye(4)
    explorer = AttentionExplorer(seen, tasks=Asked())
    assert explorer.done_at == [[["two", "encoder", 1, 2]], []]
    explorer.ticked = [0]
    assert kept == [0]
