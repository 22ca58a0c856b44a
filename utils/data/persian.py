"""The Persian of the grammar's sentences. What a translator has to learn, beside the words:

- The verb stands last, and its ending says who does it: من نان می‌خورم is I – bread – eat.
- Adjectives and owners come after their noun: ماشین قرمز من is car – red – my. The sound that joins them, the ezafe,
  is written only where the noun ends in a vowel: خانه‌ی ما, هوای سرد.
- A definite object is followed by را. There is no word for "the".
- A noun after a number, or one that stands for its kind, is singular: دو سیب, two apples.
- "He" and "she" are one word, او; "you" is شما, the polite one; a question begins with آیا.
"""

from __future__ import annotations

from dataclasses import dataclass

from utils.data import grammar
from utils.data.grammar import Phrase, Sentence, joined
from utils.data.tables import read_table, translations
from utils.data.vocabulary import ZWNJ

NON_JOINING = "اآدذرزژو"  # letters that never join the next: the plural's ending needs no non-joiner after them
YE = ZWNJ + "ی"  # what joins after a silent ه

_NOUNS, _ADJECTIVES = (translations(f"everyday/{name}", "persian") for name in ("nouns", "adjectives"))
NOUNS = {noun.english: _NOUNS[noun.english] for noun in grammar.NOUNS}
ADJECTIVES = {english: _ADJECTIVES[english] for english, _ in grammar.ADJECTIVES}
# How a noun is spelled before an adjective or owner, where that is not as it stands alone.
JOINED = {
    **{noun: NOUNS[noun] + "ی" for noun in ("student", "village", "weather")},
    **{noun: NOUNS[noun] + YE for noun in ("child", "cat", "coffee", "letter", "window", "house", "kitchen")},
    **{noun: NOUNS[noun] + YE for noun in ("school", "library")},
}


@dataclass(frozen=True)
class PersianVerb:
    """Both stems of a verb; of a compound one the part that never changes (کار in کار می‌کند), `light`.

    `marker` is the preposition that stands before the object or place.
    """

    present_stem: str
    past_stem: str
    light: str = ""
    marker: str = ""

    def form(self, tense: str, person: str, negative: bool) -> str:
        """Return the verb, the last word or two of a sentence."""
        if tense == "past":
            stem = "یا" + self.past_stem[1:] if negative and self.past_stem[0] == "آ" else self.past_stem
            word = ("ن" if negative else "") + stem + PAST_ENDINGS[person]
        elif self.present_stem == "دار":  # "to have" takes no می
            word = ("ن" if negative else "") + "دار" + ENDINGS[person]
        else:
            word = ("نمی" if negative else "می") + ZWNJ + self.present_stem + ENDINGS[person]
        return f"{self.light} {word}".strip()


_WORDS = {"": "", **translations("small/words", "persian")}
_VERBS = {row["english"]: row for row in read_table("everyday/verbs")}
VERBS = {
    verb.english: PersianVerb(
        *(_VERBS[verb.english][f"persian_{part}"] for part in ("present", "past", "light")),
        _WORDS[verb.preposition] or _VERBS[verb.english]["persian_marker"],
    )
    for verb in (*grammar.VERBS, *grammar.PLACE_VERBS)
}
_RAIN = PersianVerb("بار", "بارید")  # what rain and snow do: they fall

ENDINGS = {"I": "م", "you": "ید", "he": "د", "we": "یم", "they": "ند"}
PAST_ENDINGS = ENDINGS | {"he": ""}
IS = {
    "present": {"I": "هستم", "you": "هستید", "he": "است", "we": "هستیم", "they": "هستند"},
    "past": {"I": "بودم", "you": "بودید", "he": "بود", "we": "بودیم", "they": "بودند"},
}
IS_NOT = {
    "present": {"I": "نیستم", "you": "نیستید", "he": "نیست", "we": "نیستیم", "they": "نیستند"},
    "past": {"I": "نبودم", "you": "نبودید", "he": "نبود", "we": "نبودیم", "they": "نبودند"},
}


def write(sentence: Sentence) -> str:
    """Return the Persian of a sentence."""
    who, time = phrase(sentence.who), _WORDS[sentence.time]
    if sentence.mood == "where":
        return f"{who} {'کجا هستند' if sentence.who.person == 'they' else 'کجاست'}؟"
    if sentence.mood == "how":
        return joined(who, time, "چطور", IS[sentence.tense][sentence.who.person]) + "؟"
    if sentence.who.word == "it":
        return joined(time, _spot(sentence), NOUNS[sentence.verb.english], _verb(_RAIN, sentence)) + "."
    if sentence.verb:
        verb = VERBS[sentence.verb.english]
        said = [_target(verb, sentence.what or sentence.place), _verb(verb, sentence)]
    else:
        trade = NOUNS[sentence.what.noun.english] if sentence.what else ""
        adjective = ADJECTIVES[sentence.adjective] if sentence.adjective else ""
        said = [_WORDS[sentence.degree], adjective, trade, _spot(sentence), _be(sentence)]
    if sentence.mood == "question":
        return joined("آیا", who, time, *said) + "؟"
    return joined(*((time, who) if sentence.time_first else (who, time)), *said) + sentence.end


def plural(noun: str) -> str:
    """Return the plural of an English noun's Persian."""
    word = NOUNS[noun]
    return word + ("" if word[-1] in NON_JOINING else ZWNJ) + "ها"


def phrase(said: Phrase) -> str:
    """Return the Persian of a phrase, as it is before را or after a preposition."""
    if said.noun is None:
        return _WORDS[said.word]
    if said.place:
        return joined(NOUNS[said.noun.english], "در", phrase(said.place))
    noun = said.noun.english
    followed = JOINED.get(noun, NOUNS[noun])
    if said.article == "owned":
        return f"{followed} {_WORDS[said.word]}"
    # After a number, and where it stands for its kind, a noun is singular.
    many = said.plural and said.article in ("the", "this")
    described = f"{followed} {ADJECTIVES[said.adjective]}" if said.adjective else plural(noun) if many else NOUNS[noun]
    return joined("" if said.article in ("the", "bare") else _WORDS[said.word], described)


def _spot(sentence: Sentence) -> str:
    """Return where it is, or where it rains."""
    return f"{_WORDS[sentence.preposition]} {phrase(sentence.place)}" if sentence.place else ""


def _target(verb: PersianVerb, target: Phrase) -> str:
    """Name what the verb is done to, with its preposition or, where it is definite, with را."""
    if verb.marker:
        return f"{verb.marker} {phrase(target)}"
    definite = target.article in ("the", "this", "owned")
    return phrase(target) + " را" * definite


def _verb(verb: PersianVerb, sentence: Sentence) -> str:
    negative = sentence.mood == "not"
    if sentence.tense == "future":
        return f"{'نخواهد' if negative else 'خواهد'} {verb.past_stem}"
    return verb.form(sentence.tense, sentence.who.person, negative)


def _be(sentence: Sentence) -> str:
    if sentence.tense == "future":
        return "نخواهد بود" if sentence.mood == "not" else "خواهد بود"
    return (IS_NOT if sentence.mood == "not" else IS)[sentence.tense][sentence.who.person]
