"""Typed text for the translator of the start page: unknown words are carried over, and nothing is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.node import node
from utils.data.carried import CARRIED, put_back, read, unknown_words
from utils.show import page

KNOWS = {
    *["i", "a", "in", "the", "do", "not", "is", "my", "name", "live", "love", "have", "and", "but", "cat", "cats"],
    *["hello", "you", "it", "can", "we", ".", "?", "!", ",", "'s"],
}
TYPED = [
    "I live in New York",
    "My name is Zoë.",
    "i don't love the zebra, the yak and the gnu and the ibex and the oryx",
    "Is the zebra in the zoo",
    "can't we",
    "Zoë's cat; the cat's name",
    "it's a cat!! hello…",
    "10:30 «zebra» cats",
    "x1 is a zebra zebra",
    "I love " + "the cat and " * 12 + "the cat",
    "Hallo",
    "سلام",
]


def test_read_carries_a_name_of_two_words_as_one() -> None:
    (reading,) = read("I live in New York", KNOWS)
    assert reading.tokens == ["i", "live", "in", "x1", "."]
    assert reading.shown == ["i", "live", "in", "New York", "."]


def test_put_back_loses_no_word_and_drops_what_was_not_carried() -> None:
    assert put_back(["ich", "x1", "."], {"x1": ["Zoë"], "x2": ["yak"]}) == ["ich", "Zoë", "yak", "."]
    assert put_back(["ich", "x2", "."], {}) == ["ich", "."]


@pytest.mark.parametrize("text", TYPED)
def test_read_refuses_no_text_with_a_word(text: str) -> None:
    readings = read(text, KNOWS, 17)
    assert readings and all(len(reading.tokens) <= 17 for reading in readings)
    assert all(token in KNOWS or token in CARRIED for reading in readings for token in reading.tokens)


def test_read_refuses_text_without_a_word() -> None:
    with pytest.raises(ValueError, match="word"):
        read("… !", KNOWS)


def test_unknown_words_are_named_as_they_were_typed() -> None:
    assert unknown_words("My Zebra, my Zebra is in the zoo.", KNOWS) == ["Zebra", "zoo"]
    assert unknown_words("", KNOWS) == []


def test_page_reads_as_python_does() -> None:
    source = f"""
import {{ readingsOf }} from {(Path(page.__file__).parent / "typed.js").as_uri()!r};
const knows = new Set({json.dumps(sorted(KNOWS))});
console.log(JSON.stringify({json.dumps(TYPED)}.map((text) => readingsOf(text, knows, 17))));
"""
    for text, seen in zip(TYPED, json.loads(node("--input-type=module", "-", source=source)), strict=True):
        expected = [{"tokens": one.tokens, "carried": one.carried} for one in read(text, KNOWS, 17)]
        assert seen == expected, text
