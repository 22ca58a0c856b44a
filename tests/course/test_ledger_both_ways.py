"""Each entry of the ledger computes something: there is an input for which its verdict comes out the other way.

An entry is fed: one of the arrays, numbers or functions that it computes with is replaced. Most are found by trying;
BY_HAND has those for which trying finds none. For the rest, NOTHING_GOES_IN says why none can be found; that their
verdicts follow what is computed, `test_ledger.py` shows by another value in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from types import CodeType, FunctionType, ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from lessons.notes import n4, n5
from lessons.rival_results import RIVAL
from utils.by_hand.attention import attention_steps
from utils.by_hand.residual import layer_norm
from utils.course.ledger import LEDGER, Entry, Verdict, recomputed_verdict
from utils.data import example

REMEMBERED = n4.trained_losses
AGREES = {Verdict.RIGHT, Verdict.ROUNDED, Verdict.LOOSE, Verdict.BLANK}
NOTES = "lessons.notes."
YARDSTICKS = ("utils.course.ledger.compare", "utils.course.ledger.entry")  # they stay as they are
Variable = tuple[dict[str, Any] | ModuleType, str]  # the globals of a module or the module, and a name in it

_OF_THE_NOTE = "It computes with the note's own numbers and words, and with nothing else."
NOTHING_GOES_IN = {
    **dict.fromkeys(
        (
            *("N1.head_width", "N2.pe_columns", "N2.pe_half_distance", "N2.king_queen", "N3.dot_products"),
            *("N4.handwriting_row", "N4.handwriting_scale", "N4.pe_base", "N4.sin_cos_of_0", "N4.positions_of_four"),
            *("N4.lost_exponents", "N4.fractions", "N4.word_numbers", "N5.fractions", "N5.fractions_step"),
            *("N5.persian_ye", "N5.one_more_word"),
        ),
        _OF_THE_NOTE,
    ),
    "N2.scale": "Whatever X is, it is as wide as the note says: 4.",
    "N2.rows_of_the_product": "It is a law of matrix products: it holds for all Q, K and V.",
    "N4.angle_at_0": "Position 0 times any frequency is 0.",
    "N4.named_gamma": "A table has one axis more than its first row, whatever stands in it.",
}

_race = SimpleNamespace(trained=(5, 20), exact=lambda *_: [0.0])
_won = SimpleNamespace(right=1.0, steps=1000, steps_to=lambda _: 50)
_lost = SimpleNamespace(right=0.5, steps=1000, steps_to=lambda _: 1000)
_the_transformer_wins = {"n3.training": lambda model, _: _won if model == RIVAL else _lost}

# What is replaced, by the entry: the module and the name, "example" for N3's example, and what stands there instead.
BY_HAND: dict[str, dict[str, Any]] = {
    "N1.projection_shapes": {"n1.accepted": lambda X, W, *_: W.shape == (64, 512)},
    "N1.x_as_columns": {"example.X": np.eye(4)},
    "N1.quadratic": {"n1.attention_steps": lambda X, *_: SimpleNamespace(scores=X[:, :1])},
    "N1.output_projection": {
        "n1.multi_head_attention": lambda X, *_, n_heads: SimpleNamespace(joined=X[:, :64], output=X)
    },
    "N2.matrix_vector": {"n2._A": np.array([[1, 1], [4, 5], [6, 0]])},
    "N2.softmax_missing": {"n2.attention_steps": lambda *_: SimpleNamespace(scaled_scores=np.eye(3))},
    "N2.all_heads_together": {"n2.split_heads": lambda X, n_heads: np.ones((n_heads, 1, X.shape[1]))},
    "N3.number_of_keys": {"example.X": np.eye(4)},
    "N3.first_key": {"example.W_K": example.W_K[:, [0, 2]]},
    "N3.better_accuracy": _the_transformer_wins,
    "N3.training_cost": _the_transformer_wins,
    "N3.replacing_cnns": {**_the_transformer_wins, "n3.shares_right": lambda name: [float(name == "ViT")]},
    "N4.variance": {"n4.np.random.default_rng": lambda _: SimpleNamespace(normal=lambda size: np.ones(size))},
    "N4.four_by_four": {"n4.attention_steps": lambda X, *W: attention_steps(X[:3], *W)},
    "N4.length_use": {"n4.attention_steps": lambda *_: SimpleNamespace(scores=np.ones(1))},
    "N4.pe_second_cosine": {"n4.exponents_of_four_columns": lambda _: np.array([0, 0.25, 0.5, 0.75])},
    "N4.pe_omega": {"n4.frequencies": lambda _: np.array([1.0, 100.0])},
    "N4.pe_row_1": {"n4.positional_encoding": lambda *_, base: np.full((2, 4), 0.098)},
    "N4.pe_row_1_cosine": {"n4.positional_encoding": lambda *_, base: np.full((2, 4), 0.51)},
    "N4.skip_decides": {
        "n4.run_stack": lambda X, Ws, _: [X, np.tanh(X @ Ws[0]) if Ws[0] is n4._HELP_NOTHING_HARM[0] else X]
    },
    "N4.longer_training": {"n4.trained_losses": lambda *_, **__: [1.0, 2.0]},
    "N4.within_three": {"n4.layer_norm": lambda x, eps: layer_norm(np.eye(10), eps=eps)},
    "N4.epsilon": {"n4.layer_norm": lambda x, **_: np.full(3, np.nan)},
    "N4.second_sum": {"n4._n4_table": np.array([[0.1, 0.2, 0.3], [0.1, 0.1, 0.0]])},
    "N4.apple_place": {"n4._APPLES": "apple orange"},
    "N4.apples_place": {"n4._APPLES": "I " * 11 + "apples"},
    "N4.context_and_question": {"n4.cross_attention": lambda question, context, *_: (context, np.ones((8, 5)))},
    "N4.handles_long": {"n4.saved_race": lambda: _race},
    "N5.softmax_denominator": {"n5.softmax": lambda z: z},
    "N5.first_step": {"n5._can_be_looked_up": lambda _: True},
    "N5.why_blocks": {"n5.OTHER_WEIGHTS": n5.WEIGHTS},
}


def agrees(entry: Entry) -> bool:
    """Whether the note is right by what the entry computes now; a computation that stops says nothing: it raises."""
    return recomputed_verdict(entry) in AGREES


@pytest.mark.parametrize("id", [id for id in LEDGER if id not in NOTHING_GOES_IN])
def test_something_makes_the_verdict_come_out_the_other_way(id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = LEDGER[id]
    now = agrees(entry)
    if id in BY_HAND:
        for place, value in BY_HAND[id].items():
            monkeypatch.setattr(f"utils.data.{place}" if place.startswith("example") else NOTES + place, value)
        _forget()
        assert agrees(entry) != now
    else:
        assert any(_is_turned(entry, now, place, other) for place, other in _feeds(entry)) or (
            any(agrees(replace(entry, compute=other)) for other in (entry.slip, entry.completed) if other)
        ), "nothing that was tried turns it: feed it by hand, or say why nothing can"


def test_what_cannot_be_fed_is_in_the_ledger_and_has_no_feed() -> None:
    assert NOTHING_GOES_IN.keys() <= LEDGER.keys() and BY_HAND.keys() <= LEDGER.keys()
    assert not NOTHING_GOES_IN.keys() & BY_HAND.keys()


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """What an entry has computed with other inputs is not remembered."""
    yield
    _forget()


def _forget() -> None:
    REMEMBERED.cache_clear()


def _is_turned(entry: Entry, now: bool, place: Variable, other: Any) -> bool:
    _forget()
    with _in_place(place, other), np.errstate(all="ignore"):
        try:
            return agrees(entry) != now
        except Exception:  # it does not take this one
            return False


@contextmanager
def _in_place(place: Variable, other: Any) -> Iterator[None]:
    owner, name = place
    with patch.dict(owner, {name: other}) if isinstance(owner, dict) else patch.object(owner, name, other):
        yield


# --- what is tried ------------------------------------------------------------------------------------------------


def _feeds(entry: Entry) -> Iterator[tuple[Variable, Any]]:
    """What the entry computes with, a place at a time, and other things to stand there."""
    for function, code in _codes(entry.compute, set()):
        known = function.__globals__
        for name in code.co_names:
            thing = known.get(name)
            if isinstance(thing, ModuleType):
                for place in ((thing, inner) for inner in code.co_names):
                    if isinstance(getattr(*place, None), np.ndarray):
                        yield from ((place, other) for other in _others(getattr(*place)))
            elif isinstance(thing, FunctionType) and thing.__module__ not in YARDSTICKS:
                by_argument = [_other_argument(thing, n) for n in range(16)]
                by_result = [] if thing.__module__.startswith(NOTES) else [_other_result(thing, n) for n in range(48)]
                yield from (((known, name), other) for other in (*by_argument, *by_result))
            else:
                yield from (((known, name), other) for other in _others(thing))


def _codes(function: Any, seen: set[Any]) -> Iterator[tuple[FunctionType, CodeType]]:
    """The code of the function and of the functions of the ledger that it calls, inner functions too."""
    function = getattr(function, "__wrapped__", function)
    if function in seen:
        return
    seen.add(function)
    inner = [function.__code__]
    while inner:
        code = inner.pop()
        inner += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        yield function, code
        for name in code.co_names:
            called = getattr(function.__globals__.get(name), "__wrapped__", function.__globals__.get(name))
            module = called.__module__ if isinstance(called, FunctionType) else ""
            if module.startswith(NOTES):
                yield from _codes(called, seen)


def _other_argument(function: Callable[..., Any], n: int) -> Callable[..., Any]:
    """The function, but the n-th way to change one of its arguments is taken."""

    def other(*given: Any, **named: Any) -> Any:
        few = lambda x: islice(_others(x), 4)  # noqa: E731
        by_place = [((*given[:i], y, *given[i + 1 :]), named) for i, x in enumerate(given) for y in few(x)]
        by_name = [(given, {**named, name: y}) for name, x in named.items() for y in few(x)]
        arguments, keywords = [*by_place, *by_name][n]
        return function(*arguments, **keywords)

    return other


def _other_result(function: Callable[..., Any], n: int) -> Callable[..., Any]:
    """The function, but the n-th way to change its result is taken."""

    def other(*given: Any, **named: Any) -> Any:
        result = function(*given, **named)
        if not is_dataclass(result):
            return list(_others(result))[n]
        ways = [(f.name, y) for f in fields(result) for y in islice(_others(getattr(result, f.name)), 4)]
        return replace(result, **dict([ways[n]]))

    return other


def _others(thing: Any) -> Iterator[Any]:
    """Other things of the same kind: numbers, texts, arrays and lists of them."""
    if isinstance(thing, bool | np.bool_):
        yield not thing
    elif isinstance(thing, int | np.integer):
        yield from (thing + 1, 0, 1, 2 * thing, thing - 1)
    elif isinstance(thing, float | np.floating):
        yield from (thing + 0.1, 0.0, 1.0, 2 * thing, -thing)
    elif isinstance(thing, str):
        yield from (thing[::-1], thing[:1] * len(thing))
    elif isinstance(thing, np.ndarray) and thing.ndim and thing.dtype.kind in "biuf":
        noise = np.random.default_rng(0).normal(size=thing.shape)
        yield from (thing[::-1].copy(), np.zeros_like(thing), np.ones_like(thing), thing + noise, 2 * thing, -thing)
        yield from (np.repeat(thing[:1], len(thing), axis=0), thing[:-1], thing[..., :-1], np.swapaxes(thing, 0, -1))
    elif isinstance(thing, list | tuple) and thing:
        yield from (type(thing)(reversed(thing)), type(thing)([thing[0]] * len(thing)), thing[:-1])
        for place, item in enumerate(thing):
            yield from (type(thing)([*thing[:place], y, *thing[place + 1 :]]) for y in islice(_others(item), 3))
    elif isinstance(thing, dict):
        yield from ({**thing, key: other} for key, item in thing.items() for other in islice(_others(item), 3))
