"""Persian word for word in English, for readers who read no Persian: what each word of the course's corpus means.

    gloss("روز جمعه بزرگ نیست.")  # 'day Friday big is-not .'

No translation: the words stand in the order of the Persian sentence, one English word for each. A verb says in
brackets who it is for, "eat(we)", unless that is he, she or it; a noun spelled so that an adjective or owner must
follow has "-of". OBJ is را, which follows a definite object, and Q is آیا, which begins a question.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from utils.data.grammar import ADJECTIVES, NOUNS, PLACE_VERBS, VERBS, Verb
from utils.data.vocabulary import tokenize

UNKNOWN = "?"
_LEFT_TO_RIGHT = "\N{LEFT-TO-RIGHT MARK}"  # keeps what follows behind the Persian word
_SMALL = {
    **{mark: mark for mark in ".!"},
    "؟": "?",
    **{"من": "I", "شما": "you", "ما": "we", "او": "he/she", "آن‌ها": "they", "این": "this", "آن": "that", "یک": "a"},
    **{"را": "OBJ", "آیا": "Q", "در": "in", "به": "to", "از": "from", "روی": "on", "نزدیک": "near", "پشت": "behind"},
    **{"زیر": "under", "خیلی": "very", "واقعاً": "really", "هر": "every", "کجا": "where", "کجاست": "where-is"},
    **{"چطور": "how", "دو": "two", "سه": "three", "چهار": "four", "پنج": "five", "ده": "ten"},
    **{"فنجان": "cup", "لیوان": "glass", "روز": "day", "شب": "night", "جمعه": "Friday", "دوشنبه": "Monday"},
    **{"امروز": "today", "امشب": "tonight", "دیروز": "yesterday", "دیشب": "last-night", "فردا": "tomorrow"},
    **{"هفته‌ی": "week-of", "گذشته": "past", "آینده": "coming", "بهار": "spring", "تابستان": "summer"},
    **{"پاییز": "autumn", "زمستان": "winter", "خواهد": "will", "نخواهد": "will-not", "می‌بارد": "falls"},
    **{"نمی‌بارد": "doesn't-fall", "بارید": "fell", "نبارید": "didn't-fall"},
    **{"هستم": "am", "هستید": "are(you)", "است": "is", "هستیم": "are(we)", "هستند": "are(they)"},
    **{"نیستم": "am-not", "نیستید": "are-not(you)", "نیست": "is-not"},
    **{"نیستیم": "are-not(we)", "نیستند": "are-not(they)"},
    **{"بودم": "was(I)", "بودید": "were(you)", "بود": "was", "بودیم": "were(we)", "بودند": "were(they)"},
    **{"نبودم": "was-not(I)", "نبودید": "were-not(you)", "نبود": "was-not"},
    **{"نبودیم": "were-not(we)", "نبودند": "were-not(they)"},
    **{"کار": "work", "کمک": "help", "تمیز": "clean", "بازی": "play", "زندگی": "life"},
}
_AFTER_WILL = {"بود": "be", "بارید": "fall"}
_LIGHT = {"کن": ("do", "does", "did"), "دار": ("have", "has", "had")}  # of compound verbs: what کار کردن does with کار


def with_gloss(token: str) -> str:
    """A Persian word with its English in front of it, for pictures; a mark or a special token as it is."""
    told = _words().get(token, token)
    return f"{told} {token}{_LEFT_TO_RIGHT}" if told[0].isalpha() and told != token else token


def gloss(text: str) -> str:
    """`text` word for word in English; a word that the corpus does not have becomes "?"."""
    tokens = tokenize(text)
    known = _words()
    told = [known.get(token, UNKNOWN) for token in tokens]
    for i, token in enumerate(tokens[1:], 1):
        if tokens[i - 1] in ("خواهد", "نخواهد"):
            told[i] = _AFTER_WILL.get(token, told[i])
    return " ".join(told)


@cache
def _words() -> dict[str, str]:
    words = dict(_SMALL)
    for noun in NOUNS:
        words.setdefault(noun.persian, noun.english)
        if noun.joined:
            words.setdefault(noun.joined, f"{noun.english}-of")
        if noun.plural:
            words.setdefault(noun.persian_plural, noun.plural)
    for english, persian, _ in ADJECTIVES:
        words.setdefault(persian, english)
    for verb, tense, person, negative in product(
        (*VERBS, *PLACE_VERBS), ("present", "past"), ("I", "you", "he", "we", "they"), (False, True)
    ):
        form = verb.form(tense, person, negative).split()[-1]
        words.setdefault(form, _verb(verb, tense, person, negative))
    return words


def _verb(verb: Verb, tense: str, person: str, negative: bool) -> str:
    plain, singular, past = (verb.english, verb.singular, verb.past or verb.english)
    if verb.light or verb.present_stem in _LIGHT:
        plain, singular, past = _LIGHT[verb.present_stem]
    if negative:
        helper = "didn't" if tense == "past" else "doesn't" if person == "he" else "don't"
        told = f"{helper}-{plain}"
    else:
        told = past if tense == "past" else singular if person == "he" else plain
    return told if person == "he" else f"{told}({person})"
