"""What is typed into a figure is read on the page as Python reads it."""

from __future__ import annotations

import json

from tests.node import node
from tests.show.test_page import TWINS
from utils.show.numbers import parse_entry


def read(text: str) -> float | list[str]:
    try:
        return parse_entry(text)
    except ValueError as refused:
        return [str(refused)]


def test_twin_reads_or_refuses_as_python_does() -> None:
    typed = " 2 |−0.5|-0|+3|1.|.5|.|1e3|1E-3|1e|۱۲٫۵|१.5|𝟗|1,5|1,000,5|a,5||  |1_0|nan|-Infinity|inf|1e309|1e-400"
    typed = [*f"{typed}|0e-400|0.000|0x10|two words|𝟚|1 2|٣".split("|"), "x" * 30, "𝟗x" * 12]
    source = f"""
import {{ parseEntry }} from {(TWINS / "entry.js").as_uri()!r};
const said = (text) => {{
  try {{ return parseEntry(text); }} catch (refused) {{ return [refused.message]; }}
}};
console.log(JSON.stringify({json.dumps(typed)}.map(said)));
"""
    assert json.loads(node("--input-type=module", "-", source=source)) == [read(text) for text in typed]
