"""Text to tokens to ids and back."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refused import refused
from utils.data.vocabulary import END, PAD, START, UNKNOWN, Vocabulary, detokenize, tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The weather is great.", ["the", "weather", "is", "great", "."]),
        ("هوا واقعاً عالی است!", ["هوا", "واقعاً", "عالی", "است", "!"]),
        ("Don’t go, it's 10:30 (or 3.5)!", ["don't", "go", ",", "it's", "10:30", "(", "or", "3.5", ")", "!"]),
        ("نامه\u200c ها", ["نامه", "ها"]),  # a non-joiner at the end of a word joins nothing
        ("\u200fسلام\u200e \ufeffدنیا", ["سلام", "دنیا"]),
        ("İstanbul", [unicodedata.normalize("NFC", "i̇stanbul")]),
    ],
)
def test_tokenize_splits_words_and_punctuation(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@given(st.text(max_size=60))
def test_tokens_are_never_empty_contain_no_space_and_lose_no_letter(text: str) -> None:
    tokens = tokenize(text)
    assert all(token and not any(map(str.isspace, token)) for token in tokens)
    lowered = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())
    assert [c for c in "".join(tokens) if c.isalnum()] == [c for c in lowered if c.isalnum()]


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("The weather is really great!", "The weather is really great!"),
        ("", ""),
    ],
)
def test_detokenize_undoes_tokenize(text: str, back: str) -> None:
    assert detokenize(tokenize(text), capitalize=True) == back


@pytest.mark.parametrize(
    "text",
    ["Ewa i pies czytają.", "Vi bor i byen.", "Did I see the dog?", "¿Qué ves?", "„Ja“, sagte sie.", "“No,” he said."],
)
def test_vocabulary_without_spelling_recognizes_english_by_its_article(text: str) -> None:
    assert Vocabulary.from_texts([tokenize(text)]).join(tokenize(text)) == text


def test_special_tokens_have_the_first_ids() -> None:
    vocabulary = Vocabulary(["a", "b"])
    assert (PAD, START, END, UNKNOWN) == (0, 1, 2, 3)
    assert vocabulary.tokens(range(6)) == ["<pad>", "<start>", "<end>", "<unknown>", "a", "b"]
    assert vocabulary.ids(["b", "c", "a"]) == [5, 3, 4]
    assert len(vocabulary) == 6
    assert "a" in vocabulary
    assert "c" not in vocabulary


def test_frequent_words_come_first_and_ties_are_alphabetical() -> None:
    texts = [["b", "a"], ["c", "b"], ["c", "d", "<pad>"]]
    assert Vocabulary.from_texts(texts).to_list()[4:] == ["b", "c", "a", "d"]
    assert Vocabulary.from_texts(texts, max_size=7).to_list()[4:] == ["b", "c", "a"]


def test_vocabulary_is_saved_as_a_list() -> None:
    vocabulary = Vocabulary(["هوا", "می‌خورم"])
    assert Vocabulary.from_list(vocabulary.to_list()) == vocabulary
    assert hash(Vocabulary.from_list(vocabulary.to_list())) == hash(vocabulary)
    assert Vocabulary(["می‌خورم", "هوا"]) != vocabulary


NONSENSE = [
    ("each word stands in a vocabulary once", lambda: Vocabulary(["a", "a"])),
    ("max_size must be above 4", lambda: Vocabulary.from_texts([["a"]], max_size=4)),
    ("ids go from 0 to 4 in this vocabulary", lambda: Vocabulary(["a"]).tokens([5])),
]


@pytest.mark.parametrize(("sentence", "make"), NONSENSE)
def test_vocabulary_refuses_bad_input(make, sentence: str) -> None:
    assert sentence in refused(make)
