"""Persian word for word: every word of the corpus is told, and in the order in which it stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from utils.data.corpora import Corpus, english_german, english_persian
from utils.data.gloss import gloss, glossed, with_gloss
from utils.data.vocabulary import tokenize


@pytest.mark.parametrize(
    ("persian", "english"),
    [
        ("هوا عالی است.", "weather great is ."),
        ("ما یک فنجان چای می‌نوشیم.", "we a cup tea drink(we) ."),
        ("آیا او این کتاب را می‌خواند؟", "Q he/she this book OBJ reads ?"),
        ("شما به مدرسه‌ی جدید نرفتید.", "you to school-of new didn't-go(you) ."),
        ("آن‌ها در باغ بازی کردند.", "they in garden play did(they) ."),
        ("Gestern haben wir das kalte Brot nicht gegessen.", "yesterday have we the cold bread not eaten ."),
        ("Sein Bruder hilft den Kindern im Garten.", "his brother helps the children in-the garden ."),
        ("شیر تراکتور", "milk ?"),
    ],
)
def test_gloss_is_word_for_word(persian: str, english: str) -> None:
    assert gloss(persian) == english


@pytest.mark.parametrize("corpus_of", [english_persian, english_german])
def test_gloss_knows_every_word_of_a_corpus(corpus_of: Callable[[], Corpus]) -> None:
    corpus = corpus_of()
    for pair in corpus.train + corpus.held_out:
        told = gloss(pair.target).split()
        assert len(told) == len(tokenize(pair.target))
        assert told.count("?") == pair.target.count("؟") + pair.target.count("?"), pair


def test_gloss_keeps_its_order_beside_its_text() -> None:
    assert glossed("هوا عالی است.") == "\u2068هوا عالی است.\u2069 \u2066(weather great is.)\u2069"
    assert "(weather ? is.)" in glossed("هوا xyz است."), "an unknown word is no mark"


def test_gloss_in_pictures_puts_the_english_first() -> None:
    assert with_gloss("ماهی") == "fish ماهی\N{LEFT-TO-RIGHT MARK}"
    assert [with_gloss(token) for token in (".", "؟", "<end>", "xyz")] == [".", "؟", "<end>", "xyz"]
