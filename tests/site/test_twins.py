"""The twins' texts: number by number what Python writes and reads, where the two languages round differently too."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tests.node import node
from tests.show.test_page import TWINS
from utils.show.numbers import input_text, parse_entry, table_text, weight_texts

# exactly half way, on the edge of a format, without an end, and far out
ODD = "0 -0.0 0.125 0.375 -0.0625 0.5 2.5 1.5 0.0005 0.00049 0.9996 9.9995 99.95 1e-5 4.9e-324 1e21 1e22 12345.6785"
ODD += " 99999.99996 1e5 1e7 9999999 1.235e7 1.245e7 -1.005e9 1e300 -1e-20"
ODD = [*map(float, ODD.split()), 1 / 3, 2 / 3, 0.1 + 0.2]


def numbers(count: int) -> list[float]:
    draw = random.Random(0)
    return [*ODD, *(draw.choice([-1, 1]) * draw.random() * 10 ** draw.randint(-12, 14) for _ in range(count))]


def twin_s(module: str, name: str, calls: Sequence[Sequence[Any]]) -> list[Any]:
    """What a twin's function gives for each list of arguments; what it refuses as [sentence]."""
    source = f"""
import {{ {name} }} from {(TWINS / module).as_uri()!r};
const said = (call) => {{
  try {{ return {name}(...call); }} catch (refused) {{ return [refused.message]; }}
}};
const sign = (_, value) => (Object.is(value, -0) ? "-0" : value);
console.log(JSON.stringify({json.dumps(calls)}.map(said), sign));
"""
    return json.loads(node("--input-type=module", "-", source=source))


def read(text: str) -> float | list[str]:
    try:
        return parse_entry(text)
    except ValueError as refused:
        return [str(refused)]


@pytest.mark.parametrize(
    ("name", "python"),
    [
        ("inputText", input_text),
        ("general", lambda value: f"{value:g}"),
        ("fixed", lambda value, decimals: f"{value:.{decimals}f}"),
        ("round", lambda value, decimals: float(np.round(value, decimals)) + 0.0),
        ("tableText", lambda rows, decimals: table_text(rows, decimals)),
        ("weightTexts", lambda row, percent: weight_texts(row, percent)),
    ],
)
def test_numbers_are_written_as_in_python(name: str, python: Callable[..., Any]) -> None:
    some = numbers(300)
    calls = {
        "fixed": [[value, decimals] for value in some for decimals in (0, 1, 3, 6)],
        "round": [[value, decimals] for value in some if abs(value) < 1e9 for decimals in (3, 12)],
        "tableText": [[[[a, b], [b, 0.0]], d] for a, b in pairwise(some) for d in (2, 3, 4)],
        "weightTexts": [[[w, 1 - w, 0.0], p] for w in map(lambda v: abs(v) % 1, some) for p in (False, True)],
    }.get(name, [[value] for value in some])
    assert twin_s("texts.js", name, calls) == [python(*call) for call in calls]


def test_twin_reads_or_refuses_as_python_does() -> None:
    typed = " 2 |−0.5|-0|+3|1.|.5|.|1e3|1E-3|1e|۱۲٫۵|१.5|𝟗|1,5|1,000,5|a,5||  |1_0|nan|-Infinity|inf|1e309|1e-400"
    typed = [*f"{typed}|0e-400|0.000|0x10|two words|𝟚|1 2|٣".split("|"), "x" * 30, "𝟗x" * 12]
    assert twin_s("texts.js", "parseEntry", [[text] for text in typed]) == [read(text) for text in typed]
