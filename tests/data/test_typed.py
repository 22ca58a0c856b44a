"""What a person may type for a translator."""

from __future__ import annotations

import pytest

from tests.refused import refused
from utils.data import typed as room
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
        ("THE WEATHER IS GREAT", ["the weather is great ."]),
        ("  The   weather\tis great…", ["the weather is great ."]),
        ("The weather is great!!!", ["the weather is great !"]),
        ("is the weather cold", ["is the weather cold ?"]),
        ("Is the weather cold.", ["is the weather cold ."]),
        ("The weather, “is” great.", ["the weather is great ."]),
        ("It's cold.", ["it is cold ."]),
        ("It isn’t cold; I'm cold.", ["it is not cold .", "i am cold ."]),
        ("The weather is great. It is cold", ["the weather is great .", "it is cold ."]),
        ("... Don't go", ["do not go ."]),
        ("is it not cold", ["is it not cold ?"]),
    ],
)
def test_what_is_read(typed: str, read: list[str]) -> None:
    assert [" ".join(sentence) for sentence in read_words(typed, SOURCE, TARGET)] == read


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "there is nothing to translate: a sentence with at least one word is needed."),
        (" \n", "there is nothing to translate: a sentence with at least one word is needed."),
        ("?! … --", "there is nothing to translate: a sentence with at least one word is needed."),
        (f"the {'x' * 41} {'y' * 40}", f"this translator has not learnt the words “{'x' * 40}…” and “{'y' * 40}”."),
        ("The wether is great.", "this translator has not learnt the word “wether” (is “weather” meant?)."),
        ("The pizza is greet.", "this translator has not learnt the words “pizza” and “greet” (is “great” meant?)."),
        ("qa qb qc qd qe the weather", "this translator has not learnt the words “qa”, “qb”, “qc”, “qd” and 1 more."),
        ("the apple's cold", "this translator has not learnt the word “apple's” (is “apple” meant?)."),
        ("2 apple", "this translator has not learnt the word “2”."),
        ("هوا عالی است.", "this text is in the language that the translator writes, not in the one that it reads."),
        ("هوا pizza", "this text is in the language that the translator writes, not in the one that it reads."),
        ("هوا pizza qa", "this translator has not learnt the words “هوا”, “pizza” and “qa”."),
        ("مدرسه بزرگ", "this text is in Arabic letters: the translator reads Latin ones."),
        ("погода", "this text is in Cyrillic letters: the translator reads Latin ones."),
    ],
)
def test_one_clear_sentence(typed: str, sentence: str) -> None:
    assert refused(read_words, typed, SOURCE, TARGET) == sentence


def test_a_word_that_is_like_many_is_said_to_be_like_two() -> None:
    with pytest.raises(ValueError, match=r"^this .* not learnt the word “coldx” \(is “cold.” or “cold.” meant\?\)\.$"):
        read_words("coldx", Vocabulary(f"cold{letter}" for letter in "abcdefgh"), TARGET)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("The weather is great.", ["The weather is great."]),
        ("  the   WEATHER\n", ["the WEATHER"]),
        ("It is... cold? Cold! It is", ["It is...", "cold?", "Cold!", "It is"]),
        ("3.5 °C", ["3.5 °C"]),
    ],
)
def test_pieces_are_read_as_they_stand(typed: str, read: list[str]) -> None:
    assert [PIECES.join(sentence) for sentence in read_pieces(typed, PIECES)] == read


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "there is nothing to translate: a sentence with at least one word is needed."),
        ("?! …", "there is nothing to translate: a sentence with at least one word is needed."),
        ("погода", "this text is in Cyrillic letters: the translator reads Arabic and Latin ones."),
    ],
)
def test_what_pieces_cannot_read(typed: str, sentence: str) -> None:
    assert refused(read_pieces, typed, PIECES) == sentence


def test_a_text_is_cut_into_tokens_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[str] = []
    monkeypatch.setattr(room, "tokenize", lambda text: cut.append(text) or tokenize(text))
    read_words("It's cold. It's great", SOURCE, TARGET)
    read_pieces("It is cold", PIECES)
    assert cut == ["It's cold. It's great", "It is cold"]
