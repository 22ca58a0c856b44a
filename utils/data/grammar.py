"""A small grammar that writes English sentences and their Persian translations side by side.

Tables of words, then functions that build phrases from them, then kinds of sentences. Both sides of a sentence are
built at once, so each English sentence has one translation. What differs between the two languages is what a
translator has to learn:

- The Persian verb stands last, and its ending says who does it: من نان می‌خورم is I – bread – eat.
- Adjectives and owners come after their noun: ماشین قرمز من is car – red – my. The sound that joins them, the ezafe,
  is written only where the noun ends in a vowel: خانه‌ی ما, هوای سرد.
- A definite object is followed by را. There is no word for "the".
- A noun after a number, or one that stands for its kind, is singular: دو سیب, two apples.
- "He" and "she" are one word, او, and a question begins with آیا.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import TypeVar

from utils.data.vocabulary import ZWNJ

_T = TypeVar("_T")
LONGEST = 9  # tokens in a sentence, the full stop counted


@dataclass(frozen=True)
class Noun:
    """`joined`: how it is spelled before an adjective or owner, where that is not as it stands alone."""

    english: str
    persian: str
    kinds: str
    plural: str = ""  # English; none where it has no plural here
    joined: str = ""
    # Persian spells the plural with a non-joiner, save after a letter that never joins the next.
    NON_JOINING = "اآدذرزژو"

    @property
    def persian_plural(self) -> str:
        return self.persian + ("" if self.persian[-1] in self.NON_JOINING else ZWNJ) + "ها"

    def has(self, kind: str) -> bool:
        return kind in self.kinds.split()


@dataclass(frozen=True)
class Verb:
    """A verb with both English forms and both Persian stems.

    `light` is the part of a compound verb that never changes (کار in کار می‌کند); `marker` is the preposition that
    Persian wants before the object or place; `objects` says what it can be done to, and `articles` how that is said.
    """

    english: str
    singular: str  # she eats
    past: str  # "" where the grammar has no sentences in the past
    present_stem: str
    past_stem: str
    objects: str
    articles: str = "the a this number bare"
    light: str = ""
    marker: str = ""
    preposition: str = ""  # English

    def form(self, tense: str, person: str, negative: bool) -> str:
        """The Persian verb, the last word or two of its sentence."""
        if tense == "past":
            stem = "یا" + self.past_stem[1:] if negative and self.past_stem[0] == "آ" else self.past_stem
            word = ("ن" if negative else "") + stem + _PAST_ENDINGS[person]
        elif self.present_stem == "دار":  # "to have" takes no می
            word = ("ن" if negative else "") + "دار" + _ENDINGS[person]
        else:
            word = ("نمی" if negative else "می") + ZWNJ + self.present_stem + _ENDINGS[person]
        return f"{self.light} {word}".strip()


_ENDINGS = {"I": "م", "you": "ید", "he": "د", "we": "یم", "they": "ند"}
_PAST_ENDINGS = _ENDINGS | {"he": ""}
_IS = {
    "present": {"I": "هستم", "you": "هستید", "he": "است", "we": "هستیم", "they": "هستند"},
    "past": {"I": "بودم", "you": "بودید", "he": "بود", "we": "بودیم", "they": "بودند"},
}
_IS_NOT = {
    "present": {"I": "نیستم", "you": "نیستید", "he": "نیست", "we": "نیستیم", "they": "نیستند"},
    "past": {"I": "نبودم", "you": "نبودید", "he": "نبود", "we": "نبودیم", "they": "نبودند"},
}
_BE = {
    "present": {"I": "am", "you": "are", "he": "is", "we": "are", "they": "are"},
    "past": {"I": "was", "you": "were", "he": "was", "we": "were", "they": "were"},
}

_YE = ZWNJ + "ی"  # what joins after a silent ه
NOUNS = (
    Noun("teacher", "معلم", "person job", "teachers"),
    Noun("doctor", "پزشک", "person job", "doctors"),
    Noun("student", "دانشجو", "person job", "students", "دانشجوی"),
    Noun("farmer", "کشاورز", "person job", "farmers"),
    Noun("friend", "دوست", "kin", "friends"),
    Noun("man", "مرد", "person", "men"),
    Noun("woman", "زن", "person", "women"),
    Noun("child", "بچه", "person", "children", "بچه" + _YE),
    Noun("girl", "دختر", "person", "girls"),
    Noun("boy", "پسر", "person", "boys"),
    Noun("mother", "مادر", "kin"),
    Noun("father", "پدر", "kin"),
    Noun("brother", "برادر", "kin", "brothers"),
    Noun("sister", "خواهر", "kin", "sisters"),
    Noun("cat", "گربه", "animal", "cats", "گربه" + _YE),
    Noun("dog", "سگ", "animal", "dogs"),
    Noun("apple", "سیب", "food coloured", "apples"),
    Noun("banana", "موز", "food", "bananas"),
    Noun("cake", "کیک", "food", "cakes"),
    Noun("bread", "نان", "food warm"),
    Noun("rice", "برنج", "food warm"),
    Noun("soup", "سوپ", "food hot"),
    Noun("fish", "ماهی", "food"),
    Noun("meat", "گوشت", "food"),
    Noun("tea", "چای", "drink hot cup"),
    Noun("coffee", "قهوه", "drink hot cup", joined="قهوه" + _YE),
    Noun("milk", "شیر", "drink hot glass"),
    Noun("water", "آب", "drink glass"),
    Noun("book", "کتاب", "thing readable", "books"),
    Noun("letter", "نامه", "thing readable", "letters", "نامه" + _YE),
    Noun("car", "ماشین", "thing coloured large", "cars"),
    Noun("flower", "گل", "thing coloured", "flowers"),
    Noun("chair", "صندلی", "thing coloured furniture", "chairs"),
    Noun("table", "میز", "thing coloured furniture large", "tables"),
    Noun("bag", "کیف", "thing coloured", "bags"),
    Noun("shirt", "پیراهن", "thing coloured", "shirts"),
    Noun("tree", "درخت", "tree large"),
    Noun("window", "پنجره", "opening large", joined="پنجره" + _YE),
    Noun("house", "خانه", "place home large", "houses", "خانه" + _YE),
    Noun("room", "اتاق", "place home", "rooms"),
    Noun("kitchen", "آشپزخانه", "place home", joined="آشپزخانه" + _YE),
    Noun("garden", "باغ", "place outdoors"),
    Noun("park", "پارک", "place outdoors"),
    Noun("school", "مدرسه", "place public", joined="مدرسه" + _YE),
    Noun("library", "کتابخانه", "place public", joined="کتابخانه" + _YE),
    Noun("market", "بازار", "place public"),
    Noun("restaurant", "رستوران", "place public"),
    Noun("city", "شهر", "place region"),
    Noun("village", "روستا", "place region", joined="روستای"),
    Noun("weather", "هوا", "weather", joined="هوای"),
    Noun("sky", "آسمان", "sky"),
    Noun("sun", "خورشید", "sun"),
    Noun("rain", "باران", "rain"),
    Noun("snow", "برف", "rain"),
    Noun("night", "شب", "night"),
)

# Adjective, its Persian, and the kinds of nouns that it fits.
ADJECTIVES = (
    ("great", "عالی", "weather food drink"),
    ("good", "خوب", "weather food drink readable job"),
    ("bad", "بد", "weather food"),
    ("cold", "سرد", "weather drink rain night room"),
    ("warm", "گرم", "weather warm sun home"),
    ("hot", "داغ", "hot"),
    ("sunny", "آفتابی", "weather"),
    ("cloudy", "ابری", "weather sky"),
    ("rainy", "بارانی", "weather"),
    ("tasty", "خوشمزه", "food drink"),
    ("fresh", "تازه", "food drink"),
    ("cheap", "ارزان", "food thing"),
    ("expensive", "گران", "food thing"),
    ("new", "جدید", "thing public home job"),
    ("old", "قدیمی", "thing public home region"),
    ("big", "بزرگ", "large public region animal"),
    ("small", "کوچک", "thing home region animal opening"),
    ("beautiful", "زیبا", "thing tree region sky sun home night"),
    ("quiet", "آرام", "place night"),
    ("crowded", "شلوغ", "public region"),
    ("open", "باز", "opening public"),
    ("closed", "بسته", "opening public"),
    ("red", "قرمز", "coloured"),
    ("green", "سبز", "coloured tree"),
    ("white", "سفید", "coloured animal"),
    ("black", "سیاه", "coloured animal"),
    ("blue", "آبی", "coloured sky"),
    ("young", "جوان", "person"),
    ("kind", "مهربان", "person kin"),
    ("happy", "خوشحال", "person kin"),
    ("sad", "غمگین", "person kin"),
    ("tired", "خسته", "person kin"),
    ("hungry", "گرسنه", "person kin animal"),
    ("thirsty", "تشنه", "person kin animal"),
    ("sick", "بیمار", "person kin animal"),
)
# What is true on any other day, too, is not said of today.
_LASTING = ("new", "old", "big", "small", "beautiful", "red", "green", "white", "black", "blue", "young", "kind")
_WITH_DEGREES = frozenset(en for en, *_ in ADJECTIVES) - {"open", "closed"}  # nothing is "very closed"
_STATES = ("happy", "sad", "tired", "hungry", "thirsty", "sick")  # said of people, not put beside their noun

VERBS = (
    Verb("eat", "eats", "ate", "خور", "خورد", "food"),
    Verb("drink", "drinks", "", "نوش", "نوشید", "drink", "bare the this measure"),
    Verb("buy", "buys", "bought", "خر", "خرید", "food drink thing", "the a this number bare measure"),
    Verb("have", "has", "had", "دار", "داشت", "food thing animal home", "a number bare"),
    Verb("see", "sees", "saw", "بین", "دید", "person thing animal tree", "the this number owned"),
    Verb("read", "reads", "", "خوان", "خواند", "readable", "the a this number owned bare"),
    Verb("like", "likes", "", "دار", "داشت", "food drink thing animal place kin rain", "the this bare owned", "دوست"),
    Verb("clean", "cleans", "cleaned", "کن", "کرد", "home furniture opening", "the this owned", "تمیز"),
    Verb("help", "helps", "helped", "کن", "کرد", "person kin", "the this owned", "کمک", "به"),
)
PLACE_VERBS = (
    Verb("go", "goes", "went", "رو", "رفت", "place", "the this", "", "به", "to"),
    Verb("come", "comes", "", "آی", "آمد", "place", "the this", "", "از", "from"),
    Verb("live", "lives", "", "کن", "کرد", "home region", "the this", "زندگی", "در", "in"),
    Verb("work", "works", "worked", "کن", "کرد", "public home region", "the this", "کار", "در", "in"),
    Verb("play", "plays", "played", "کن", "کرد", "place", "the this", "بازی", "در", "in"),
)

_PRONOUNS = (
    *[("i", "من", "I")] * 2,
    *[("you", "شما", "you")] * 2,
    *[("we", "ما", "we")] * 2,
    ("he", "او", "he"),
    ("she", "او", "he"),
    ("they", "آن‌ها", "they"),
)
_OWNERS = (
    ("my", "من", "I"),
    ("your", "شما", "you"),
    ("his", "او", "he"),
    ("her", "او", "he"),
    ("our", "ما", "we"),
    ("their", "آن‌ها", "they"),
)
_NUMBERS = (("two", "دو"), ("three", "سه"), ("four", "چهار"), ("five", "پنج"), ("ten", "ده"))
_SPOTS = (("near", "نزدیک"), ("behind", "پشت"), ("under", "زیر"))

# Time as English says it at the end of a sentence, and as Persian says it after who or at the front.
_TIMES = {
    "present": (
        ("today", "امروز"),
        ("tonight", "امشب"),
        ("every day", "هر روز"),
        ("every night", "هر شب"),
        ("on friday", "روز جمعه"),
        ("on monday", "روز دوشنبه"),
        ("in spring", "در بهار"),
        ("in summer", "در تابستان"),
        ("in autumn", "در پاییز"),
        ("in winter", "در زمستان"),
    ),
    "past": (
        ("yesterday", "دیروز"),
        ("last night", "دیشب"),
        ("last week", "هفته‌ی گذشته"),
        ("on friday", "روز جمعه"),
        ("in winter", "در زمستان"),
    ),
    "future": (("tomorrow", "فردا"), ("next week", "هفته‌ی آینده"), ("on monday", "روز دوشنبه")),
}
_NOW = (("today", "امروز"), ("tonight", "امشب"))  # how somebody feels has no season


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence in both languages; `person` is who it is for the verb, `definite` whether it takes را."""

    english: str
    persian: str
    person: str = "he"
    definite: bool = False


class Dice:
    """Seeded choices that come out alike in every version of Python: only `Random.random` is promised to."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def pick(self, choices: Sequence[_T]) -> _T:
        return choices[int(self._random() * len(choices))]

    def shuffled(self, items: Sequence[_T]) -> list[_T]:
        left = list(items)
        return [left.pop(int(self._random() * len(left))) for _ in items]


def sentence(dice: Dice) -> tuple[str, str]:
    """An English sentence and its Persian translation, at most LONGEST tokens a side."""
    while True:
        kind = dice.pick(_KINDS)
        english, persian = kind(dice)
        if max(len(english.split()), len(persian.split())) < LONGEST:  # the full stop is a token, too
            return english, persian


# --- phrases ---


def noun_phrase(noun: Noun, article: str, dice: Dice, adjective: bool = False, plural: bool = False) -> Phrase:
    """`noun` with an article ("the", "a", "this", "number", "bare", "owned" or "measure"), and perhaps an adjective."""
    plural = bool(noun.plural) and (plural or article in ("number", "bare")) and article not in ("a", "owned")
    # After a number, and where it stands for its kind, a Persian noun is singular.
    many = plural and article in ("the", "this")
    adjective = adjective and not many and article not in ("owned", "measure")
    words = (
        [(en, fa) for en, fa in adjectives_for(noun) if en not in _STATES and en in _WITH_DEGREES] if adjective else []
    )
    adjective_en, adjective_fa = dice.pick(words) if words else ("", "")
    noun_en = noun.plural if plural else noun.english
    joined = noun.joined or noun.persian
    described_en = f"{adjective_en} {noun_en}".strip()
    described_fa = f"{joined} {adjective_fa}" if adjective_fa else noun.persian_plural if many else noun.persian
    person = "they" if plural else "he"
    if article == "owned":
        owner_en, owner_fa, _ = dice.pick(_OWNERS)
        return Phrase(f"{owner_en} {described_en}", f"{joined} {owner_fa}", person, True)
    if article == "this":
        near = dice.chance(0.6)
        english = ("these" if near else "those") if plural else ("this" if near else "that")
        return Phrase(f"{english} {described_en}", f"{'این' if near else 'آن'} {described_fa}", person, True)
    if article == "number":
        number_en, number_fa = dice.pick(_NUMBERS)
        return Phrase(f"{number_en} {described_en}", f"{number_fa} {described_fa}", person)
    if article == "measure":
        measure_en, measure_fa = ("a cup of", "یک فنجان") if noun.has("cup") else ("a glass of", "یک لیوان")
        return Phrase(f"{measure_en} {noun_en}", f"{measure_fa} {noun.persian}", person)
    if article == "a":
        return Phrase(f"{'an' if described_en[0] in 'aeio' else 'a'} {described_en}", f"یک {described_fa}", person)
    if article == "bare":
        return Phrase(described_en, described_fa, person)
    return Phrase(f"the {described_en}", described_fa, person, True)


@cache
def adjectives_for(noun: Noun) -> list[tuple[str, str]]:
    """The adjectives that can be said of `noun`, English and Persian."""
    return [(en, fa) for en, fa, kinds in ADJECTIVES if set(kinds.split()) & set(noun.kinds.split())]


@cache
def _nouns(kinds: str) -> list[Noun]:
    return [noun for noun in NOUNS if set(kinds.split()) & set(noun.kinds.split())]


def _actor(dice: Dice) -> Phrase:
    """Somebody who does something."""
    if dice.chance(0.65):
        english, persian, person = dice.pick(_PRONOUNS)
        return Phrase(english, persian, person, True)
    if dice.chance(0.25):
        return noun_phrase(dice.pick(_nouns("kin")), "owned", dice, plural=dice.chance(0.3))
    noun = dice.pick(_nouns("person"))
    return noun_phrase(noun, dice.pick(("the", "the", "this", "number")), dice, dice.chance(0.3), dice.chance(0.4))


def _object(verb: Verb, actor: Phrase, negative: bool, dice: Dice) -> Phrase:
    """What the verb is done to, in a form that says it naturally."""
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
        # Persian has other words for "I like my house" (خانه‌ی خودم): what is owned here is owned by somebody else.
        if article == "owned" and {_owner_of(phrase), actor.person} <= _SHARED[actor.person]:
            continue
        return phrase


_SHARED = {who: set(group) for group in (("I", "we"), ("you",), ("he", "they")) for who in group}


def _owner_of(phrase: Phrase) -> str:
    return next(person for english, _, person in _OWNERS if phrase.english.startswith(f"{english} "))


def _place(verb: Verb, dice: Dice) -> Phrase:
    noun = dice.pick(_nouns(verb.objects))
    return noun_phrase(noun, dice.pick(verb.articles.split()), dice, dice.chance(0.3))


def _timed(
    actor: Phrase, dice: Dice, times: Sequence[tuple[str, str]], often: float = 0.5
) -> tuple[str, str, str, str]:
    """English before and after the sentence, Persian at the front and after who; each "" where it says no time."""
    if not dice.chance(often):
        return "", "", actor.persian, ""
    time_en, time_fa = dice.pick(times)
    if dice.chance(0.3):
        return f"{time_en} ", "", f"{time_fa} {actor.persian}", ""
    return "", f" {time_en}", actor.persian, f" {time_fa}"


# --- kinds of sentences ---


def _action(dice: Dice) -> tuple[str, str]:
    """The teacher buys two apples. / Did they go to the market yesterday?"""
    verb = dice.pick(VERBS if dice.chance(0.64) else PLACE_VERBS)
    actor = _actor(dice)
    tense = "past" if verb.past and dice.chance(0.4) else "present"
    mood = dice.pick(("plain", "plain", "plain", "not", "not", "question"))
    if verb.preposition:
        target = _place(verb, dice)
        target_en, target_fa = f"{verb.preposition} {target.english}", f"{verb.marker} {target.persian}"
    else:
        target = _object(verb, actor, mood == "not", dice)
        target_en = target.english
        # What takes a preposition takes no را.
        target_fa = f"{verb.marker} {target.persian}" if verb.marker else target.persian + " را" * target.definite
    verb_fa = verb.form(tense, actor.person, mood == "not")
    do = "did" if tense == "past" else "does" if actor.person == "he" else "do"
    if mood == "question":
        time_en, time_fa = dice.pick(_TIMES[tense]) if dice.chance(0.3) else ("", "")
        english = _joined("", do, actor.english, verb.english, target_en, time_en)
        return _written(english, "?"), _joined("آیا", actor.persian, time_fa, target_fa, verb_fa) + "؟"
    before, after, who_fa, time_fa = _timed(actor, dice, _TIMES[tense], 0.35)
    if mood == "not":
        verb_en = f"{do} not {verb.english}"
    else:
        verb_en = verb.past if tense == "past" else verb.singular if actor.person == "he" else verb.english
    english = _joined(before, actor.english, verb_en, target_en, after)
    return _written(english, "."), _joined(who_fa, time_fa, target_fa, verb_fa) + "."


def _description(dice: Dice) -> tuple[str, str]:
    """The apples are tasty. / Was the weather cold yesterday?"""
    feels = dice.chance(0.3)
    if feels:
        who = _actor(dice)
        adjective_en, adjective_fa = dice.pick([(en, fa) for en, fa, _ in ADJECTIVES if en in _STATES])
        return _said_of(who, adjective_en, adjective_fa, _NOW, dice)
    if dice.chance(0.3):
        noun = dice.pick(_nouns("weather weather sky sun rain night"))
        article = "the"
    else:
        noun = dice.pick(_nouns("food drink thing place opening tree animal person"))
        article = dice.pick(("the", "the", "this", "owned") if noun.has("thing") else ("the", "this"))
    who = noun_phrase(noun, article, dice, plural=dice.chance(0.3))
    adjective_en, adjective_fa = dice.pick(adjectives_for(noun))
    return _said_of(who, adjective_en, adjective_fa, () if adjective_en in _LASTING else _NOW, dice)


def _weather(dice: Dice) -> tuple[str, str]:
    """The weather will be cold tomorrow. / It rains in spring."""
    if dice.chance(0.3):
        return _rain(dice)
    (noun,) = _nouns("weather")
    adjective_en, adjective_fa = dice.pick(adjectives_for(noun))
    who = noun_phrase(noun, "the", dice)
    if dice.chance(0.25):
        place = noun_phrase(dice.pick(_nouns("region outdoors")), dice.pick(("the", "this")), dice)
        who = Phrase(f"the weather in {place.english}", f"هوا در {place.persian}")
        return _said_of(who, adjective_en, adjective_fa, _NOW, dice)
    if dice.chance(0.3):
        before, after, who_fa, time_fa = _timed(who, dice, _TIMES["future"], 1.0)
        negative = dice.chance(0.3)
        be_en, be_fa = ("will not be", "نخواهد بود") if negative else ("will be", "خواهد بود")
        english = _joined(before, who.english, be_en, adjective_en, after)
        return _written(english, "."), _joined(who_fa, time_fa, adjective_fa, be_fa) + "."
    return _said_of(who, adjective_en, adjective_fa, (*_NOW, *_TIMES["present"][-4:]), dice)


def _rain(dice: Dice) -> tuple[str, str]:
    """It rains in the village. / It did not snow last night."""
    what_en, what_fa = dice.pick((("rain", "باران"), ("snow", "برف")))
    tense = dice.pick(("present", "past", "future"))
    negative = dice.chance(0.3)
    if tense == "future":
        verb_en = f"will not {what_en}" if negative else f"will {what_en}"
        verb_fa = "نخواهد بارید" if negative else "خواهد بارید"
    elif tense == "past":
        verb_en = f"did not {what_en}" if negative else f"{what_en}ed"
        verb_fa = "نبارید" if negative else "بارید"
    else:
        verb_en = f"does not {what_en}" if negative else f"{what_en}s"
        verb_fa = ("نمی" if negative else "می") + ZWNJ + "بارد"
    place = Phrase("", "")
    if dice.chance(0.5):
        inner = noun_phrase(dice.pick(_nouns("region outdoors")), dice.pick(("the", "this")), dice)
        place = Phrase(f"in {inner.english}", f"در {inner.persian}")
    time_en, time_fa = dice.pick(_TIMES[tense])
    english = _joined("it", verb_en, place.english, time_en)
    return _written(english, "."), _joined(time_fa, place.persian, what_fa, verb_fa) + "."


def _job(dice: Dice) -> tuple[str, str]:
    """My sister is a doctor. / They are not farmers."""
    who = _actor(dice)
    job = dice.pick(_nouns("job"))
    many = who.person in ("we", "they")
    what = noun_phrase(job, "bare" if many else "a", dice)
    return _said_of(who, what.english, job.persian, (), dice)


def _location(dice: Dice) -> tuple[str, str]:
    """The cat is under the table. / Where are the books?"""
    noun = dice.pick(_nouns("person animal thing food"))
    what = noun_phrase(noun, dice.pick(("the", "the", "this")), dice, dice.chance(0.2), dice.chance(0.25))
    if dice.chance(0.2):
        be = _BE["present"][what.person]
        where = "کجا هستند" if what.person == "they" else "کجاست"
        return _written(f"where {be} {what.english}", "?"), f"{what.persian} {where}؟"
    if dice.chance(0.45):
        place_en, place_fa, there = "in", "در", _nouns("home" if noun.has("food") else "place")
    elif dice.chance(0.5) and not noun.has("person") and not noun.has("large"):
        place_en, place_fa, there = "on", "روی", _nouns("furniture")
    else:
        place_en, place_fa = dice.pick(_SPOTS)
        there = _nouns("furniture tree" if place_en == "under" else "furniture tree opening")
    spot = noun_phrase(dice.pick([other for other in there if other is not noun]), "the", dice)
    return _said_of(what, f"{place_en} {spot.english}", f"{place_fa} {spot.persian}", _NOW[:1], dice)


def _how(dice: Dice) -> tuple[str, str]:
    """How was the soup? / How is the weather in the city today?"""
    noun = dice.pick(_nouns("weather food drink person kin place readable"))
    article = "owned" if noun.has("kin") else dice.pick(("the", "this")) if not noun.has("weather") else "the"
    what = noun_phrase(noun, article, dice, plural=dice.chance(0.25))
    tense = dice.pick(("present", "past"))
    time_en, time_fa = dice.pick(_NOW if tense == "present" else _TIMES["past"]) if dice.chance(0.5) else ("", "")
    english = _joined("how", _BE[tense][what.person], what.english, time_en)
    return _written(english, "?"), _joined(what.persian, time_fa, "چطور", _IS[tense][what.person]) + "؟"


def _said_of(who: Phrase, said_en: str, said_fa: str, times: Sequence[tuple[str, str]], dice: Dice) -> tuple[str, str]:
    """`who` is, was, is not … what is said; `times` are those that fit the present."""
    tense = "past" if dice.chance(0.35) else "present"
    times = _TIMES["past"][:3] if tense == "past" and times else times
    be_en, be_fa = _BE[tense][who.person], _IS[tense][who.person]
    mood = dice.pick(("plain", "plain", "very", "really", "not", "question"))
    if mood in ("very", "really") and said_en not in _WITH_DEGREES:
        mood = "plain"
    if mood == "very" and said_en == "great":
        mood = "really"
    if mood == "question":
        time_en, time_fa = dice.pick(times) if times and dice.chance(0.4) else ("", "")
        english = _joined(be_en, who.english, said_en, time_en)
        return _written(english, "?"), _joined("آیا", who.persian, time_fa, said_fa, be_fa) + "؟"
    if mood == "very":
        said_en, said_fa = f"very {said_en}", f"خیلی {said_fa}"
    if mood == "really":
        said_en, said_fa = f"really {said_en}", f"واقعاً {said_fa}"
    if mood == "not":
        be_en, be_fa = f"{be_en} not", _IS_NOT[tense][who.person]
    before, after, who_fa, time_fa = _timed(who, dice, times, 0.4 if times else 0.0)
    end = "!" if mood == "really" and dice.chance(0.6) else "."
    english = _joined(before, who.english, be_en, said_en, after)
    return _written(english, end), _joined(who_fa, time_fa, said_fa, be_fa) + end


_KINDS: tuple[Callable[[Dice], tuple[str, str]], ...] = (
    *[_action] * 12,
    *[_description] * 6,
    *[_weather] * 2,
    _job,
    *[_location] * 3,
    _how,
)


def _joined(*parts: str) -> str:
    return " ".join(" ".join(parts).split())


def _written(english: str, end: str) -> str:
    """With a capital letter in front, and for the words that always have one."""
    words = [word.capitalize() if word in ("i", "friday", "monday") else word for word in english.split()]
    text = " ".join(words)
    return text[0].upper() + text[1:] + end
