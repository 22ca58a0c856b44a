"""What a person may type for a translator."""

from __future__ import annotations

import pytest

from tests.refused import refused
from utils.data.pieces import Pieces
from utils.data.typed import read_pieces, read_words
from utils.data.vocabulary import Vocabulary, tokenize

ENGLISH = "The weather is great. Is it cold? I am not cold! Do not go! Eat the apple."
PERSIAN = "هوا عالی است. آیا سرد است؟ من سرد نیستم! سیب را نخور."
SOURCE, TARGET = (Vocabulary.from_texts([tokenize(text)]) for text in (ENGLISH, PERSIAN))
PIECES = Pieces.from_texts([ENGLISH, PERSIAN], 330)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("the weather is great", ["the weather is great ."]),
        ("is the weather cold", ["is the weather cold ?"]),
        ("The weather, “is” great.", ["the weather is great ."]),
        ("It isn’t cold; I'm cold.", ["it is not cold .", "i am cold ."]),
        ("is it not cold", ["is it not cold ?"]),
    ],
)
def test_read_words_completes_sentences(typed: str, read: list[str]) -> None:
    assert [" ".join(sentence) for sentence in read_words(typed, SOURCE, TARGET)] == read


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "there is nothing to translate"),
        ("The wether is great.", "this translator has not learnt the word "),
        ("هوا عالی است.", "this text is in the language that the"),
        ("погода", "this text is in Cyrillic letters"),
    ],
)
def test_read_words_refuses_bad_input(typed: str, sentence: str) -> None:
    assert sentence in refused(read_words, typed, SOURCE, TARGET)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("The weather is great.", ["The weather is great."]),
        ("It is... cold? Cold! It is", ["It is...", "cold?", "Cold!", "It is"]),
        ("3.5 °C", ["3.5 °C"]),
    ],
)
def test_read_pieces_leaves_text_unchanged(typed: str, read: list[str]) -> None:
    assert [PIECES.join(sentence) for sentence in read_pieces(typed, PIECES)] == read


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "there is nothing to translate"),
        ("погода", "this text is in Cyrillic letters"),
    ],
)
def test_read_pieces_refuses_other_text(typed: str, sentence: str) -> None:
    assert sentence in refused(read_pieces, typed, PIECES)
