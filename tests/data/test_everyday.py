"""The everyday corpus: gender, case and the place of the verb in German, endings in Persian, and its tables."""

from __future__ import annotations

from itertools import islice

import pytest

from utils.data.everyday import (
    CARRIED,
    PRONOUNS,
    Verb,
    declined,
    linked,
    noun_phrase,
    nouns,
    number,
    pronoun,
    table,
    verbs,
)
from utils.data.everyday_sentences import Clause, sentences
from utils.data.grammar import Dice


def noun(english: str) -> dict[str, str]:
    return next(row for row in table("nouns") if row["english"] == english)


def verb(english: str) -> Verb:
    return next(one for one in verbs() if one.base == english)


@pytest.mark.parametrize(
    ("english", "article", "adjective", "plural", "expected"),
    [
        ("dog", "the", "old", False, "der alte Hund, den alten Hund, dem alten Hund"),
        ("cat", "a", "old", False, "eine alte Katze, eine alte Katze, einer alten Katze"),
        ("book", "a", "expensive", False, "ein teures Buch, ein teures Buch, einem teuren Buch"),
        ("lion", "kein", "", False, "kein Löwe, keinen Löwen, keinem Löwen"),
        ("house", "the", "", True, "die Häuser, die Häuser, den Häusern"),
        ("hair", "mein", "long", False, "meine langen Haare, meine langen Haare, meinen langen Haaren"),
    ],
)
def test_german_noun_phrase_agrees(english: str, article: str, adjective: str, plural: bool, expected: str) -> None:
    described = next((row for row in table("adjectives") if row["english"] == adjective), None)
    assert ", ".join(declined(noun(english), article, described, plural).values()) == expected


@pytest.mark.parametrize(
    ("english", "expected"),
    [
        ("sleep", "schlafe schläfst schläft schlafen schlaf"),
        ("find", "finde findest findet finden finde"),
        ("give", "gebe gibst gibt geben gib"),
        ("hate", "hasse hasst hasst hassen hass"),
        ("collect", "sammle sammelst sammelt sammeln samml"),
    ],
)
def test_german_verb_agrees(english: str, expected: str) -> None:
    one = verb(english)
    assert [one.present(person) for person in ("I", "you", "he", "we")] == expected.split()[:4]
    if english != "collect":
        assert one.imperative == expected.split()[4]


def test_persian_verb_agrees() -> None:
    assert verb("go").persian("present", "I") == "می‌روم"
    assert verb("come").persian("past", "he", negative=True) == "نیامد"
    assert verb("work").persian("subjunctive", "we") == "کار کنیم"
    assert verb("have").persian("present", "they", negative=True) == "ندارند"
    assert [linked(word) for word in ("خانه", "هوا", "راه", "کتاب")] == ["خانه‌ی", "هوای", "راه", "کتاب"]


def test_verb_has_its_place_in_german() -> None:
    i = pronoun(PRONOUNS[0])
    book = noun_phrase(Dice(0), noun("book"), "the", None, False)
    past = Clause(i, verb("read"), "past", what=book)
    assert past.german() == "ich habe das Buch gelesen"
    assert past.german("end") == "ich das Buch gelesen habe"
    assert Clause(i, verb("call"), "present", what=pronoun(PRONOUNS[1])).german("end") == "ich dich anrufe"
    assert Clause(i, verb("wait for"), mood="not", what=pronoun(PRONOUNS[1])).german() == "ich warte nicht auf dich"
    a_book = noun_phrase(Dice(0), noun("book"), "a", None, False)
    assert Clause(i, verb("have"), mood="not", what=a_book).german() == "ich habe kein Buch"


def test_numbers_to_a_hundred() -> None:
    assert [number(n).german for n in (0, 12, 21, 99, 100)] == [
        "null",
        "zwölf",
        "einundzwanzig",
        "neunundneunzig",
        "hundert",
    ]
    assert number(25).english == "twenty-five" and number(25).persian == "بیست و پنج"


def test_words_that_are_carried_over_are_the_same_in_all_languages() -> None:
    for made in islice(sentences(3), 2000):
        carried = [
            sorted({word for word in text.split() if word in CARRIED})
            for text in (made.english, made.german, made.persian)
        ]
        assert carried[0] == carried[1] == carried[2], made


def test_tables_hold_each_noun_once() -> None:
    assert len({row["english"] for row in table("nouns")}) == len(table("nouns"))
    assert all(row["gender"] in ("m", "f", "n", "pl") for row in table("nouns")) and nouns("kin")
