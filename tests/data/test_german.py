"""German as it is written: gender, case, number, the order of the words, and what is not so."""

from __future__ import annotations

import pytest

from utils.data import german
from utils.data.corpora import Pair, english_german
from utils.data.grammar import NOUNS, PLACE_VERBS, VERBS, WEATHER_VERBS, Phrase

BY_NAME = {noun.english: noun for noun in NOUNS}


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    corpus = english_german(0)
    return corpus.train + corpus.held_out


def test_verb_has_a_german_past_where_it_has_an_english_one() -> None:
    for verb in (*VERBS, *PLACE_VERBS, *WEATHER_VERBS):
        words = german.VERBS[verb.english]
        assert bool(verb.past) == bool(words.participle or words.past), verb.english


def phrase(noun: str, article: str, word: str, adjective: str, plural: bool) -> Phrase:
    return Phrase("", "they" if plural else "he", article, word, BY_NAME[noun], plural, adjective)


# The whole declension, as a grammar prints it: nominative, accusative, dative; of one, of many, and of none.
DECLENSION = {
    "der große Hund, den großen Hund, dem großen Hund": ("dog", "the", "the", "big", ""),
    "die große Katze, die große Katze, der großen Katze": ("cat", "the", "the", "big", ""),
    "das alte Buch, das alte Buch, dem alten Buch": ("book", "the", "the", "old", ""),
    "dieses junge Mädchen, dieses junge Mädchen, diesem jungen Mädchen": ("girl", "this", "this", "young", ""),
    "jene Männer, jene Männer, jenen Männern": ("man", "this", "that", "", "plural"),
    "ein neuer Brief, einen neuen Brief, einem neuen Brief": ("letter", "a", "a", "new", ""),
    "ein weißes Hemd, ein weißes Hemd, einem weißen Hemd": ("shirt", "a", "a", "white", ""),
    "mein Student, meinen Studenten, meinem Studenten": ("student", "owned", "my", "", ""),
    "der Junge, den Jungen, dem Jungen": ("boy", "the", "the", "", ""),
    "zwei junge Jungen, zwei junge Jungen, zwei jungen Jungen": ("boy", "number", "two", "young", "plural"),
    "leckerer Reis, leckeren Reis, leckerem Reis": ("rice", "bare", "bare", "tasty", ""),
    "kein leckerer Reis, keinen leckeren Reis, keinem leckeren Reis": ("rice", "bare", "bare", "tasty", "not"),
    "keine heiße Suppe, keine heiße Suppe, keiner heißen Suppe": ("soup", "bare", "bare", "hot", "not"),
    "keine roten Äpfel, keine roten Äpfel, keinen roten Äpfeln": ("apple", "bare", "bare", "red", "plural not"),
    "eine Tasse Tee, eine Tasse Tee, einer Tasse Tee": ("tea", "measure", "cup", "", ""),
}


@pytest.mark.parametrize(("written", "words"), DECLENSION.items())
def test_declension_matches_german_grammar(written: str, words: tuple[str, ...]) -> None:
    *words, how = words
    said = phrase(*words, plural="plural" in how)
    cases = [german.phrase(said, case, negative="not" in how) for case in ("nom", "acc", "dat")]
    assert ", ".join(cases) == written


@pytest.mark.parametrize(
    ("verb", "tense", "forms"),
    [
        ("have", "present", "habe hast hat haben haben"),
        ("see", "present", "sehe siehst sieht sehen sehen"),
        ("like", "present", "mag magst mag mögen mögen"),
    ],
)
def test_conjugation_matches_german_grammar(verb: str, tense: str, forms: str) -> None:
    assert [german.VERBS[verb].form(tense, person) for person in ("I", "you", "he", "we", "they")] == forms.split()


# One sentence of the corpus, or of the grammar, for each rule.
@pytest.mark.parametrize(
    ("english", "translation"),
    [
        ("You eat bread on Monday.", "Du isst am Montag Brot."),
        ("On Friday I went to this kitchen.", "Am Freitag bin ich in diese Küche gegangen."),
        ("Does she come from the park every day?", "Kommt sie jeden Tag aus dem Park?"),
        ("We did not help those men.", "Wir haben jenen Männern nicht geholfen."),
        ("We did not have white cats last week.", "Wir hatten letzte Woche keine weißen Katzen."),
        ("The doctor is in the market.", "Der Arzt ist auf dem Markt."),
        ("Four young girls were doctors.", "Vier junge Mädchen waren Ärztinnen."),
        ("The child is not a student.", "Das Kind ist kein Student."),
        ("How were these doctors on Friday?", "Wie ging es diesen Ärzten am Freitag?"),
        ("It snowed in that garden last week.", "Es hat letzte Woche in jenem Garten geschneit."),
        ("The weather will be warm on Monday.", "Das Wetter wird am Montag warm sein."),
    ],
)
def test_sentences_match_expected_german(pairs: list[Pair], english: str, translation: str) -> None:
    assert Pair(english, translation) in pairs
