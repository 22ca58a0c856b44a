"""A translation word for word in English, for readers who don't read its language: the words of the course's corpora.

    gloss("روز جمعه بزرگ نیست.")  # 'day Friday big is-not .'
    gloss("Wir haben das Brot gegessen.")  # 'we have the bread eaten .'

No translation: the words stand in the order in which they are read, one English word for each. A Persian verb says in
brackets who it is for, "eat(we)", unless that is he, she or it; a noun spelled so that an adjective or owner must
follow has "-of". OBJ is را, which follows a definite object, and Q is آیا, which begins a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product

from utils.data import german, persian
from utils.data.grammar import NOUNS, PLACE_VERBS, VERBS, WEATHER_VERBS, Verb
from utils.data.tables import read_table
from utils.data.vocabulary import SPECIAL_TOKENS, joined, mark_names, tokenize

UNKNOWN = "?"
_ISOLATED = "\N{LEFT-TO-RIGHT ISOLATE}({})\N{POP DIRECTIONAL ISOLATE}"
_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"  # keeps what follows behind the Persian word
_SMALL = {row["word"]: row["english"] for row in read_table("small/glosses")}  # lesson 11's small language too
_WITH_ENDINGS = {
    **{"dies": "this", "jen": "that", "ein": "a", "kein": "no", "mein": "my", "dein": "your", "sein": "his"},
    **{"ihr": "her/their", "unser": "our"},
}
_PARTICIPLES = {"eat": "eaten", "see": "seen", "go": "gone"}  # the others are as the past
_ENDS = (".", "!", "?")
_AFTER_WILL = {"بود": "be", "بارید": "fall"}
_OWNERS = {"من": "my", "شما": "your", "ما": "our", "او": "his/her", "آن‌ها": "their"}  # behind a noun
_LIGHT = {"کن": ("do", "does", "did"), "دار": ("have", "has", "had")}  # of compound verbs: what کار کردن does with کار


def with_gloss(token: str) -> str:
    """Return a Persian word with its English in front of it, for pictures; a mark or a special token as it is."""
    told = _words().get(token, token)
    return f"{told} {token}{_LEFT_TO_RIGHT}" if told[0].isalpha() and told != token else token


def gloss(text: str) -> str:
    """Return `text` word for word in English; a word that the corpus does not have becomes "?"."""
    return " ".join(glosses(tokenize(text)))


def gloss_of_sentence(text: str) -> str:
    """Return `text` word for word in English, but each mark without a space before it: no line begins with a stop."""
    tokens = tokenize(text)
    spaces = ["", *("" if joined(*names) else " " for names in pairwise(mark_names(tokens)))]
    return "".join(space + word for space, word in zip(spaces, glosses(tokens), strict=False))


def glossed(text: str) -> str:
    """Return `text` and its gloss in one line, even if one of the two runs from right to left."""
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE} {_ISOLATED.format(gloss_of_sentence(text))}"


def glosses(tokens: Sequence[str]) -> list[str]:
    """Return the English of each token: "?" for one that the corpus does not have; <start> and the like stay."""
    known = _words()
    told = [token if token in SPECIAL_TOKENS else known.get(token, UNKNOWN) for token in tokens]
    for i, (before, token) in enumerate(pairwise(tokens), 1):
        if before in _owned():
            told[i] = _OWNERS.get(token, told[i])
        if before in ("خواهد", "نخواهد"):
            told[i] = _AFTER_WILL.get(token, told[i])
        if before == "sein" and token in _ENDS:  # elsewhere it is "his"
            told[i - 1] = "be"
    return told


@cache
def _words() -> dict[str, str]:
    """Return token -> English. The first meaning counts, and the letters of the two languages are not the same."""
    words: dict[str, str] = {}
    for token, english in (*_SMALL.items(), *_persian(), *_german()):
        words.setdefault(token, english)
    return words


# --- Persian ---


@cache
def _owned() -> frozenset[str]:
    """Return the nouns after which a pronoun is an owner; in "every night I" it isn't."""
    nouns = {persian.JOINED.get(noun, word) for noun, word in persian.NOUNS.items()}
    return frozenset(nouns - _SMALL.keys() | {"عکس"})


def _persian() -> Iterator[tuple[str, str]]:
    for noun in NOUNS:
        word = persian.NOUNS[noun.english]
        yield word, noun.english
        yield persian.JOINED.get(noun.english, word), f"{noun.english}-of"
        if noun.plural:
            yield persian.plural(noun.english), noun.plural
    yield from ((word, english) for english, word in persian.ADJECTIVES.items())
    for verb, tense, person, negative in product(
        (*VERBS, *PLACE_VERBS), ("present", "past"), ("I", "you", "he", "we", "they"), (False, True)
    ):
        form = persian.VERBS[verb.english].form(tense, person, negative).split()[-1]
        yield form, _persian_verb(verb, tense, person, negative)


def _persian_verb(verb: Verb, tense: str, person: str, negative: bool) -> str:
    plain, singular, past = (verb.english, verb.singular, verb.past or verb.english)
    words = persian.VERBS[verb.english]
    if words.light or words.present_stem in _LIGHT:
        plain, singular, past = _LIGHT[words.present_stem]
    if negative:
        helper = "didn't" if tense == "past" else "doesn't" if person == "he" else "don't"
        told = f"{helper}-{plain}"
    else:
        told = past if tense == "past" else singular if person == "he" else plain
    return told if person == "he" else f"{told}({person})"


# --- German ---


def _german() -> Iterator[tuple[str, str]]:
    for noun in NOUNS:
        words = german.NOUNS[noun.english]
        yield words.word.lower(), noun.english
        for case in ("nom", "dat") if noun.plural else ():
            yield words.form(case, plural=True).lower(), noun.plural
    for english, words in german.HER_TRADE.items():
        yield words.word.lower(), f"{english}(f)"
        yield words.plural.lower(), f"{english}s(f)"
    for english, word in german.ADJECTIVES.items():
        stem = german.STEMS.get(word, word)
        yield from ((form, english) for form in (word, *(stem + ending for ending in ("e", "er", "es", "en", "em"))))
    for verb in (*VERBS, *PLACE_VERBS, *WEATHER_VERBS):
        words = german.VERBS[verb.english]
        for person in ("he", "you", "I", "we"):
            yield words.form("present", person), verb.singular if person == "he" else verb.english
            if words.past:
                yield words.form("past", person), verb.past
        if words.participle:
            yield words.participle, _PARTICIPLES.get(verb.english, verb.past)
    for stem, english in _WITH_ENDINGS.items():
        yield from ((stem + ending, english) for ending in ("", "e", "er", "es", "en", "em"))
