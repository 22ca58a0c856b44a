"""Read the tables of words: rows of cells between tabs, below a line with the names of the columns."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files


@cache
def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table such as "everyday/nouns", each by the names of its columns."""
    text = (files("utils.data") / f"{name}.tsv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


def translations(name: str, language: str) -> dict[str, str]:
    """Return the words of a table in "german" or "persian", by their English."""
    return {row["english"]: row[language] for row in read_table(name)}
