"""Persian word for word: every word of the corpus is told, and in the order in which it stands."""

from __future__ import annotations

import pytest

from lessons.gloss import gloss, with_gloss
from utils.data.corpora import english_persian
from utils.data.vocabulary import tokenize


@pytest.mark.parametrize(
    ("persian", "english"),
    [
        ("هوا عالی است.", "weather great is ."),
        ("ما یک فنجان چای می‌نوشیم.", "we a cup tea drink(we) ."),
        ("آیا او این کتاب را می‌خواند؟", "Q he/she this book OBJ reads ?"),
        ("هوا فردا سرد نخواهد بود.", "weather tomorrow cold will-not be ."),
        ("هوا سرد بود.", "weather cold was ."),
        ("شما به مدرسه‌ی جدید نرفتید.", "you to school-of new didn't-go(you) ."),
        ("آن‌ها در باغ بازی کردند.", "they in garden play did(they) ."),
        ("سگ‌ها زیر میز هستند.", "dogs under table are(they) ."),
        ("شیر تراکتور", "milk ?"),
        ("", ""),
    ],
)
def test_word_for_word(persian: str, english: str) -> None:
    assert gloss(persian) == english


def test_no_word_of_the_corpus_is_missing() -> None:
    corpus = english_persian()
    for pair in corpus.train + corpus.held_out:
        told = gloss(pair.target).split()
        assert len(told) == len(tokenize(pair.target))
        assert told.count("?") == pair.target.count("؟"), pair


def test_in_pictures_the_english_stands_in_front() -> None:
    assert with_gloss("ماهی") == "fish ماهی\N{LEFT-TO-RIGHT MARK}"
    assert [with_gloss(token) for token in (".", "؟", "<end>", "xyz")] == [".", "؟", "<end>", "xyz"]
