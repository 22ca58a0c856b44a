"""A small grammar that writes English sentences, each with what a translation must know of it.

The tables in `small/` have the words; functions build phrases from them, then kinds of sentences. A `Sentence` names
its words in English: who, does what, to whom, where, when. `persian.py` and `german.py` write it in their language;
they hold the rules of that language, so that nothing here has to be repeated for another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from random import Random
from typing import TypeVar

from utils.data.tables import read_table

_T = TypeVar("_T")


@dataclass(frozen=True)
class Noun:
    """A noun and the kinds of things that it is."""

    english: str
    kinds: str
    plural: str = ""  # none where it has no plural here

    def has(self, kind: str) -> bool:
        return kind in self.kinds.split()


@dataclass(frozen=True)
class Verb:
    """A verb. `objects` says what it can be done to, or where, and `articles` how that is said."""

    english: str
    singular: str  # she eats
    past: str  # "" where the grammar has no sentences in the past
    objects: str
    articles: str
    preposition: str


@dataclass(frozen=True)
class Phrase:
    """Somebody or something, in English, and what it is made of.

    `person` is who it is for the verb: I, you, he, we or they. `article` says how it is named: "pronoun", "the", "a",
    "this", "number", "bare", "owned" or "measure"; `word` is the English word of that, such as she, this or that, two,
    my, cup. `plural` is whether English has the plural. `place` is where it is: the weather in the city.
    """

    english: str
    person: str = "he"
    article: str = "pronoun"
    word: str = ""
    noun: Noun | None = None
    plural: bool = False
    adjective: str = ""
    place: Phrase | None = None


@dataclass(frozen=True)
class Sentence:
    """An English sentence, and what every language has to say in it.

    Without a `verb`, `who` is something: what `adjective` says, or at `place`, or a `what` by trade. With one, it does
    something to `what`, or at `place`. `preposition` stands before `place`; `degree` is "very" or "really"; `tense` is
    "present", "past" or "future"; `mood` is "plain", "not", "question", "where" or "how".
    """

    english: str
    who: Phrase
    verb: Verb | None = None
    what: Phrase | None = None
    preposition: str = ""
    place: Phrase | None = None
    adjective: str = ""
    degree: str = ""
    tense: str = "present"
    mood: str = "plain"
    time: str = ""
    time_first: bool = False

    @property
    def end(self) -> str:
        return self.english[-1]


NOUNS = tuple(Noun(row["english"], row["kinds"], row["plural"]) for row in read_table("small/nouns"))
# An adjective, and the kinds of nouns that it fits.
ADJECTIVES = tuple((row["english"], row["kinds"]) for row in read_table("small/adjectives"))
# What is true on any other day, too, is not said of today.
_LASTING = ("new", "old", "big", "small", "beautiful", "red", "green", "white", "black", "blue", "young", "kind")
_WITH_DEGREES = frozenset(word for word, _ in ADJECTIVES) - {"open", "closed"}  # nothing is "very closed"
_STATES = ("happy", "sad", "tired", "hungry", "thirsty", "sick")  # said of people, not put beside their noun

_VERBS = [Verb(*(row[field.name] for field in fields(Verb))) for row in read_table("small/verbs")]
VERBS = tuple(verb for verb in _VERBS if verb.objects and not verb.preposition)
PLACE_VERBS = tuple(verb for verb in _VERBS if verb.preposition)
WEATHER_VERBS = tuple(verb for verb in _VERBS if not verb.objects)

_PRONOUNS = (
    *[("i", "I")] * 2,
    *[("you", "you")] * 2,
    *[("we", "we")] * 2,
    ("he", "he"),
    ("she", "he"),
    ("they", "they"),
)
_OWNERS = {"my": "I", "your": "you", "his": "he", "her": "he", "our": "we", "their": "they"}
_NUMBERS = ("two", "three", "four", "five", "ten")
_SPOTS = ("near", "behind", "under")

TIMES = {
    "present": (
        *("today", "tonight", "every day", "every night", "on friday", "on monday"),
        *("in spring", "in summer", "in autumn", "in winter"),
    ),
    "past": ("yesterday", "last night", "last week", "on friday", "in winter"),
    "future": ("tomorrow", "next week", "on monday"),
}
_NOW = ("today", "tonight")  # how somebody feels has no season


class Dice:
    """A source of seeded choices that are the same in every version of Python: only `Random.random` is promised to."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, choices: Sequence[_T]) -> _T:
        return choices[int(self._random() * len(choices))]

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        left = list(items)
        return [left.pop(int(self._random() * len(left))) for _ in items]


def sentence(dice: Dice) -> Sentence:
    """Return an English sentence with what it says."""
    return dice.pick(_KINDS)(dice)


def be(person: str, past: bool = False) -> str:
    """Return the form of the English be for a person."""
    return {"I": "was" if past else "am", "he": "was" if past else "is"}.get(person, "were" if past else "are")


def joined(*parts: str) -> str:
    """Return the parts that are not empty, with single spaces between the words."""
    return " ".join(" ".join(parts).split())


# --- phrases ---


def noun_phrase(noun: Noun, article: str, dice: Dice, adjective: bool = False, plural: bool = False) -> Phrase:
    """Put an article ("the", "a", "this", "number", "bare", "owned", "measure") before `noun`, perhaps an adjective."""
    plural = bool(noun.plural) and (plural or article in ("number", "bare")) and article not in ("a", "owned")
    adjective = adjective and not (plural and article in ("the", "this")) and article not in ("owned", "measure")
    words = [word for word in adjectives_for(noun) if word in _WITH_DEGREES and word not in _STATES]
    described = dice.pick(words) if adjective and words else ""
    english = f"{described} {noun.plural if plural else noun.english}".strip()
    before, word = _article(noun, article, english, plural, dice)
    return Phrase(joined(before, english), "they" if plural else "he", article, word, noun, plural, described)


def _article(noun: Noun, article: str, english: str, plural: bool, dice: Dice) -> tuple[str, str]:
    """Return the English words before the noun, and the one of them by which other languages know it."""
    if article == "owned":
        owner = dice.pick(tuple(_OWNERS))
        return owner, owner
    if article == "this":
        word = "this" if dice.chance(0.6) else "that"
        return {"this": "these", "that": "those"}[word] if plural else word, word
    if article == "number":
        number = dice.pick(_NUMBERS)
        return number, number
    if article == "measure":
        measure = "cup" if noun.has("cup") else "glass"
        return f"a {measure} of", measure
    if article == "a":
        return "an" if english[0] in "aeio" else "a", "a"
    return "" if article == "bare" else "the", article


@cache
def adjectives_for(noun: Noun) -> list[str]:
    """Return the adjectives that can be said of `noun`."""
    return [word for word, kinds in ADJECTIVES if set(kinds.split()) & set(noun.kinds.split())]


@cache
def _nouns(kinds: str) -> list[Noun]:
    return [noun for noun in NOUNS if set(kinds.split()) & set(noun.kinds.split())]


def _actor(dice: Dice) -> Phrase:
    """Choose somebody who does something."""
    if dice.chance(0.65):
        english, person = dice.pick(_PRONOUNS)
        return Phrase(english, person, word=english)
    if dice.chance(0.25):
        return noun_phrase(dice.pick(_nouns("kin")), "owned", dice, plural=dice.chance(0.3))
    noun = dice.pick(_nouns("person"))
    return noun_phrase(noun, dice.pick(("the", "the", "this", "number")), dice, dice.chance(0.3), dice.chance(0.4))


def _object(verb: Verb, actor: Phrase, negative: bool, dice: Dice) -> Phrase:
    """Choose what the verb is done to, in a form that says it naturally."""
    while True:
        noun = dice.pick(_nouns(verb.objects))
        article = dice.pick(verb.articles.split())
        if article == "measure" and not noun.has("cup") and not noun.has("glass"):
            continue
        if article in ("a", "number") and not noun.plural:
            continue
        if article == "bare" and (noun.has("place") or noun.has("thing")):  # "I like parks" would speak of them all
            article = "the"
        if negative and article in ("a", "number", "measure"):  # "I do not have a car": Persian leaves the "a" out
            article = "bare" if "bare" in verb.articles else "the"
        if noun.has("kin"):
            article = "owned"
        elif article == "owned" and noun.has("person") and not noun.has("job"):  # nobody has "her woman"
            article = "the"
        phrase = noun_phrase(noun, article, dice, dice.chance(0.3), dice.chance(0.35))
        # Other languages say "my own" in "I like my house": what is owned here is owned by somebody else.
        if article == "owned" and {_OWNERS[phrase.word], actor.person} <= _SHARED[actor.person]:
            continue
        return phrase


_SHARED = {who: set(group) for group in (("I", "we"), ("you",), ("he", "they")) for who in group}


def _place(verb: Verb, dice: Dice) -> Phrase:
    noun = dice.pick(_nouns(verb.objects))
    return noun_phrase(noun, dice.pick(verb.articles.split()), dice, dice.chance(0.3))


def _timed(dice: Dice, times: Sequence[str], often: float) -> tuple[str, bool]:
    """Choose when, or "" where it is not said; and whether the sentence begins with it."""
    if not dice.chance(often):
        return "", False
    return dice.pick(times), dice.chance(0.3)


# --- kinds of sentences ---


def _action(dice: Dice) -> Sentence:
    """Draw a sentence such as: The teacher buys two apples. / Did they go to the market yesterday?"""
    verb = dice.pick(VERBS if dice.chance(0.64) else PLACE_VERBS)
    who = _actor(dice)
    tense = "past" if verb.past and dice.chance(0.4) else "present"
    mood = dice.pick(("plain", "plain", "plain", "not", "not", "question"))
    place = _place(verb, dice) if verb.preposition else None
    what = None if place else _object(verb, who, mood == "not", dice)
    target = place or what
    do = "did" if tense == "past" else "does" if who.person == "he" else "do"
    if mood == "question":
        time, first = dice.pick(TIMES[tense]) if dice.chance(0.3) else "", False
        words = [do, who.english, verb.english]
    else:
        time, first = _timed(dice, TIMES[tense], 0.35)
        plain = verb.past if tense == "past" else verb.singular if who.person == "he" else verb.english
        words = [who.english, f"{do} not {verb.english}" if mood == "not" else plain]
    english = _written([*words, verb.preposition, target.english], time, first, "?" if mood == "question" else ".")
    said = {"verb": verb, "what": what, "preposition": verb.preposition, "place": place}
    return Sentence(english, who, **said, tense=tense, mood=mood, time=time, time_first=first)


def _description(dice: Dice) -> Sentence:
    """Draw a sentence such as: The apples are tasty. / Was the weather cold yesterday?"""
    if dice.chance(0.3):
        who = _actor(dice)
        return _said_of(who, dice.pick([word for word, _ in ADJECTIVES if word in _STATES]), _NOW, dice)
    if dice.chance(0.3):
        noun = dice.pick(_nouns("weather weather sky sun rain night"))
        article = "the"
    else:
        noun = dice.pick(_nouns("food drink thing place opening tree animal person"))
        article = dice.pick(("the", "the", "this", "owned") if noun.has("thing") else ("the", "this"))
    who = noun_phrase(noun, article, dice, plural=dice.chance(0.3))
    adjective = dice.pick(adjectives_for(noun))
    return _said_of(who, adjective, () if adjective in _LASTING else _NOW, dice)


def _weather(dice: Dice) -> Sentence:
    """Draw a sentence such as: The weather will be cold tomorrow. / It rains in spring."""
    if dice.chance(0.3):
        return _rain(dice)
    (noun,) = _nouns("weather")
    adjective = dice.pick(adjectives_for(noun))
    who = noun_phrase(noun, "the", dice)
    if dice.chance(0.25):
        place = noun_phrase(dice.pick(_nouns("region outdoors")), dice.pick(("the", "this")), dice)
        return _said_of(replace(who, english=f"the weather in {place.english}", place=place), adjective, _NOW, dice)
    if dice.chance(0.3):
        time, first = _timed(dice, TIMES["future"], 1.0)
        negative = dice.chance(0.3)
        be = "will not be" if negative else "will be"
        english = _written([who.english, be, adjective], time, first, ".")
        mood = "not" if negative else "plain"
        return Sentence(english, who, adjective=adjective, tense="future", mood=mood, time=time, time_first=first)
    return _said_of(who, adjective, (*_NOW, *TIMES["present"][-4:]), dice)


def _rain(dice: Dice) -> Sentence:
    """Draw a sentence such as: It rains in the village. / It did not snow last night."""
    verb = dice.pick(WEATHER_VERBS)
    tense = dice.pick(("present", "past", "future"))
    negative = dice.chance(0.3)
    if negative:
        said = {"present": "does not", "past": "did not", "future": "will not"}[tense] + f" {verb.english}"
    else:
        said = {"present": verb.singular, "past": verb.past, "future": f"will {verb.english}"}[tense]
    place = None
    if dice.chance(0.5):
        place = noun_phrase(dice.pick(_nouns("region outdoors")), dice.pick(("the", "this")), dice)
    time = dice.pick(TIMES[tense])
    english = _written(["it", said, f"in {place.english}" if place else ""], time, False, ".")
    mood = "not" if negative else "plain"
    it = Phrase("it", word="it")
    return Sentence(english, it, verb, preposition="in", place=place, tense=tense, mood=mood, time=time)


def _job(dice: Dice) -> Sentence:
    """Draw a sentence such as: My sister is a doctor. / They are not farmers."""
    who = _actor(dice)
    job = dice.pick(_nouns("job"))
    return _said_of(who, noun_phrase(job, "bare" if who.person in ("we", "they") else "a", dice), (), dice)


def _location(dice: Dice) -> Sentence:
    """Draw a sentence such as: The cat is under the table. / Where are the books?"""
    noun = dice.pick(_nouns("person animal thing food"))
    who = noun_phrase(noun, dice.pick(("the", "the", "this")), dice, dice.chance(0.2), dice.chance(0.25))
    if dice.chance(0.2):
        return Sentence(_written(["where", be(who.person), who.english], "", False, "?"), who, mood="where")
    if dice.chance(0.45):
        preposition, there = "in", _nouns("home" if noun.has("food") else "place")
    elif dice.chance(0.5) and not noun.has("person") and not noun.has("large"):
        preposition, there = "on", _nouns("furniture")
    else:
        preposition = dice.pick(_SPOTS)
        there = _nouns("furniture tree" if preposition == "under" else "furniture tree opening")
    spot = noun_phrase(dice.pick([other for other in there if other is not noun]), "the", dice)
    return _said_of(who, (preposition, spot), _NOW[:1], dice)


def _how(dice: Dice) -> Sentence:
    """Draw a question such as: How was the soup? / How is the weather today?"""
    noun = dice.pick(_nouns("weather food drink person kin place readable"))
    article = "owned" if noun.has("kin") else dice.pick(("the", "this")) if not noun.has("weather") else "the"
    who = noun_phrase(noun, article, dice, plural=dice.chance(0.25))
    tense = dice.pick(("present", "past"))
    time = dice.pick(_NOW if tense == "present" else TIMES["past"]) if dice.chance(0.5) else ""
    english = _written(["how", be(who.person, tense == "past"), who.english], time, False, "?")
    return Sentence(english, who, tense=tense, mood="how", time=time)


def _said_of(who: Phrase, said: str | Phrase | tuple[str, Phrase], times: Sequence[str], dice: Dice) -> Sentence:
    """Say what `who` is, was, is not …: an adjective, a trade or at a place; `times` are those that fit the present."""
    tense = "past" if dice.chance(0.35) else "present"
    times = TIMES["past"][:3] if tense == "past" and times else times
    is_ = be(who.person, tense == "past")
    mood = dice.pick(("plain", "plain", "very", "really", "not", "question"))
    if mood in ("very", "really") and said not in _WITH_DEGREES:
        mood = "plain"
    if mood == "very" and said == "great":
        mood = "really"
    degree = mood if mood in ("very", "really") else ""
    if mood == "question":
        time, first = dice.pick(times) if times and dice.chance(0.4) else "", False
    else:
        time, first = _timed(dice, times, 0.4 if times else 0.0)
    end = "?" if mood == "question" else "!" if mood == "really" and dice.chance(0.6) else "."
    preposition, place = said if isinstance(said, tuple) else ("", None)
    what = said if isinstance(said, Phrase) else None
    adjective = said if isinstance(said, str) else ""
    told = joined(degree, adjective, what.english if what else "", preposition, place.english if place else "")
    words = [who.english, is_, "not" if mood == "not" else "", told]
    words = [is_, who.english, told] if mood == "question" else words
    return Sentence(
        _written(words, time, first, end),
        who,
        what=what,
        preposition=preposition,
        place=place,
        adjective=adjective,
        degree=degree,
        tense=tense,
        mood="plain" if degree else mood,
        time=time,
        time_first=first,
    )


_KINDS: tuple[Callable[[Dice], Sentence], ...] = (
    *[_action] * 12,
    *[_description] * 6,
    *[_weather] * 2,
    _job,
    *[_location] * 3,
    _how,
)


def _written(words: Sequence[str], time: str, first: bool, end: str) -> str:
    """Return the sentence with a capital letter in front, and for the words that always have one."""
    text = joined(time, *words) if first else joined(*words, time)
    text = " ".join(word.capitalize() if word in ("i", "friday", "monday") else word for word in text.split())
    return text[0].upper() + text[1:] + end
