"""The German of the grammar's sentences. What a translator has to learn, beside the words:

- The verb stands second, and what belongs to it last: Wir haben gestern Brot gegessen, we have yesterday bread eaten.
- Nouns have a gender, and article and adjective show it together with case and number: ein kalter Tee, die kalte Suppe.
- The object of helfen, and what is somewhere, is in the dative: Sie hilft dem Mann im Garten. Who goes there needs the
  accusative: in den Garten.
- What is not definite is negated by kein, the rest by nicht: Ich esse kein Brot, ich esse das Brot nicht.
- "You" is du. A trade has no article, and a woman's name for it where a woman has it: Meine Schwester ist Ärztin.
"""

from __future__ import annotations

from dataclasses import dataclass

from utils.data import grammar
from utils.data.grammar import Phrase, Sentence, joined
from utils.data.tables import read_table, translations


@dataclass(frozen=True)
class GermanNoun:
    """A noun with its gender, "m", "f" or "n". `weak` nouns have a form of their own beside the nominative."""

    gender: str
    word: str
    plural: str = ""
    weak: bool = False

    def form(self, case: str, plural: bool = False) -> str:
        """Return the noun in the case "nom", "acc" or "dat"."""
        if plural:
            return self.plural + ("n" if case == "dat" and self.plural[-1] not in "ns" else "")
        return self.plural if self.weak and case != "nom" else self.word


_ROWS = {row["english"]: row for row in read_table("everyday/nouns")}
NOUNS = {
    noun.english: GermanNoun(
        row["gender"], row["german"], row["german_plural"] if noun.plural else "", bool(row["weak"])
    )
    for noun, row in ((noun, _ROWS[noun.english]) for noun in grammar.NOUNS)
}
HER_TRADE = {  # of a woman
    "teacher": GermanNoun("f", "Lehrerin", "Lehrerinnen"),
    "doctor": GermanNoun("f", "Ärztin", "Ärztinnen"),
    "student": GermanNoun("f", "Studentin", "Studentinnen"),
    "farmer": GermanNoun("f", "Bäuerin", "Bäuerinnen"),
}
_WOMEN = ("woman", "girl", "mother", "sister")
_ADJECTIVES = translations("everyday/adjectives", "german")
ADJECTIVES = {english: _ADJECTIVES[english] for english, _ in grammar.ADJECTIVES}
STEMS = {"teuer": "teur"}  # before an ending


@dataclass(frozen=True)
class GermanVerb:
    """The present for I, you (du), he, and we and they; the participle, and what the past is made of with it.

    `case` is that of the object. `past`, where it is given, is used instead of the participle.
    """

    present: str  # four forms
    participle: str = ""
    helper: str = "have"
    case: str = "acc"
    past: str = ""

    def form(self, tense: str, person: str) -> str:
        """Return the verb in second position; in the past the participle comes last, unless there is a `past`."""
        return dict(zip(_PERSONS, getattr(self, tense).split(), strict=True))["we" if person == "they" else person]


_PERSONS = ("I", "you", "he", "we")
_WILL = GermanVerb("werde wirst wird werden")
_BE = GermanVerb("bin bist ist sind", past="war warst war waren")
VERBS = {
    row["english"]: GermanVerb(row["german"], row["participle"], row["helper"], row["case"], row["german_past"])
    for row in read_table("small/verbs")
}

# Endings by case, for masculine, feminine, neuter and plural.
_GENDERS = ("m", "f", "n", "pl")
OF_THE = {"nom": "er ie as ie", "acc": "en ie as ie", "dat": "em er em en"}  # d-
STRONG = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en"}  # dies-, and an adjective with nothing before
MIXED = {"nom": "- e - e", "acc": "en e - e", "dat": "em er em en"}  # ein-, mein-, kein-
AFTER_THE = {"nom": "e e e en", "acc": "en e e en", "dat": "en en en en"}  # an adjective after der, dieser
AFTER_A = {"nom": "er e es en", "acc": "en e es en", "dat": "en en en en"}  # and after ein, mein, kein

_WORDS = {"": "", **translations("small/words", "german")}
_AT_THE_MARKET = {"in": "auf", "to": "auf", "from": "von"}
SHORT = {"in das": "ins", "in dem": "im", "von dem": "vom", "bei dem": "beim"}


def write(sentence: Sentence) -> str:
    """Return the German of a sentence."""
    time, subject = _WORDS[sentence.time], phrase(sentence.who, "nom")
    if sentence.mood == "where":
        words = ["wo", _BE.form("present", sentence.who.person), subject]
    elif sentence.mood == "how" and {"person", "kin"} & set(sentence.who.noun.kinds.split()):
        words = ["wie", "geht" if sentence.tense == "present" else "ging", "es", phrase(sentence.who, "dat"), time]
    elif sentence.mood == "how":
        words = ["wie", _BE.form(sentence.tense, sentence.who.person), subject, time]
    else:
        second, middle, last = _predicate(sentence)
        if sentence.mood == "question":
            words = [second, subject, time, *middle, last]
        elif sentence.time_first:
            words = [time, second, subject, *middle, last]
        else:
            words = [subject, second, time, *middle, last]
    text = joined(*words)
    return text[0].upper() + text[1:] + sentence.end


def _predicate(sentence: Sentence) -> tuple[str, list[str], str]:
    """Return the verb in second position, the words in between, and the last words."""
    person, tense = sentence.who.person, sentence.tense
    verb = VERBS[sentence.verb.english] if sentence.verb else _BE
    if tense == "future":
        second, last = _WILL.form("present", person), verb.form("present", "we") if sentence.verb else "sein"
    elif tense == "past" and not verb.past:
        second, last = (_BE if verb.helper == "be" else VERBS["have"]).form("present", person), verb.participle
    else:
        second, last = verb.form(tense, person), ""
    return second, _middle(sentence, verb), last


def _middle(sentence: Sentence, verb: GermanVerb) -> list[str]:
    """Return object, place or what is said of somebody, with nicht where it belongs."""
    negation = "nicht" if sentence.mood == "not" else ""
    if sentence.place:
        return [negation, _at(sentence.preposition, sentence.place)]
    if sentence.adjective:
        return [negation, _WORDS[sentence.degree], ADJECTIVES[sentence.adjective]]
    if not sentence.what:
        return [negation]
    if not sentence.verb:
        return [_trade(sentence)]
    if negation and sentence.what.article == "bare":
        return [phrase(sentence.what, verb.case, negative=True)]
    return [phrase(sentence.what, verb.case), negation]


def _trade(sentence: Sentence) -> str:
    who, what = sentence.who, sentence.what
    of_a_woman = who.word == "she" or (who.noun is not None and who.noun.english in _WOMEN)
    noun = (HER_TRADE if of_a_woman else NOUNS)[what.noun.english]
    none = "kein" + ending(MIXED, "nom", noun.gender, what.plural) if sentence.mood == "not" else ""
    return joined(none, noun.form("nom", what.plural))


def _at(preposition: str, place: Phrase) -> str:
    """Return a place with its preposition: to go to one takes the accusative, to be there the dative."""
    german = _WORDS[preposition]
    if place.noun.english == "market":
        german = _AT_THE_MARKET.get(preposition, german)
    text = f"{german} {phrase(place, 'acc' if preposition == 'to' else 'dat')}"
    for long, short in SHORT.items():
        if text.startswith(f"{long} "):
            return short + text.removeprefix(long)
    return text


def phrase(said: Phrase, case: str, negative: bool = False) -> str:
    """Name somebody or something in the case "nom", "acc" or "dat"; negative: with kein, unless something is before."""
    if said.noun is None:
        return _WORDS[said.word]
    noun = NOUNS[said.noun.english]
    if said.article == "measure":
        gender = "f" if said.word == "cup" else "n"
        return f"ein{ending(MIXED, case, gender)} {_WORDS[said.word]} {noun.word}"
    before, endings = _before(said, case, noun, negative)
    adjective = ADJECTIVES[said.adjective] if said.adjective else ""
    if adjective:
        adjective = STEMS.get(adjective, adjective) + ending(endings, case, noun.gender, said.plural)
    place = _at("in", said.place) if said.place else ""
    return joined(before, adjective, noun.form(case, said.plural), place)


def _before(said: Phrase, case: str, noun: GermanNoun, negative: bool) -> tuple[str, dict[str, str]]:
    """Return the words before noun and adjective, and the endings that an adjective has after them."""
    word = _WORDS.get(said.word, "")
    stem, own, after = {
        "the": ("d", OF_THE, AFTER_THE),
        "this": (word, STRONG, AFTER_THE),
        "a": (word, MIXED, AFTER_A),
        "owned": (word, MIXED, AFTER_A),
        "number": (word, {}, STRONG),
        "bare": ("kein", MIXED, AFTER_A) if negative else ("", {}, STRONG),
    }[said.article]
    return stem + (ending(own, case, noun.gender, said.plural) if own else ""), after


def ending(endings: dict[str, str], case: str, gender: str, plural: bool = False) -> str:
    letters = endings[case].split()[_GENDERS.index("pl" if plural else gender)]
    return "" if letters == "-" else letters
