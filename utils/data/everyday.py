"""Sentences as people type them, with their German and Persian: the corpus of the translator on the start page.

The words are tables under `everyday/` that a reader can check; this file puts them into the patterns of everyday
speech. A sentence is three texts of tokens with spaces between them. German nouns are capitalized, and everything
else is in lower case, even the first word. CARRIED stand for names and words that are not in the tables: a
translation has the same ones, and the page, in `typed.js`, puts the words back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from utils.data.german import AFTER_A, AFTER_THE, MIXED, OF_THE, SHORT, STRONG, GermanNoun, ending
from utils.data.grammar import Dice, joined
from utils.data.persian import ENDINGS, IS, IS_NOT, NON_JOINING, PAST_ENDINGS, YE
from utils.data.tables import read_table
from utils.data.vocabulary import ZWNJ

CARRIED = ("x1", "x2", "x3", "x4")
PERSONS = ("I", "you", "he", "we", "they")
OWNERS = {
    "my": "mein من",
    "your": "dein شما",
    "his": "sein او",
    "her": "ihr او",
    "our": "unser ما",
    "their": "ihr آن‌ها",
}
REFLEXIVE = {"I": "mich", "you": "dich", "he": "sich", "we": "uns", "they": "sich"}
_SPOTS = {
    "in": "in در", "on": "auf روی", "under": "unter زیر", "behind": "hinter پشت", "over": "über بالای", "at": "an در",
    "near": "bei نزدیک", "next to": "neben کنار", "in front of": "vor جلوی",
}  # fmt: skip
ENCLITICS = {"I": "م", "you": "تان", "he": "ش", "we": "مان", "they": "شان"}
HAS_ENDINGS = {"I": "ام", "you": "اید", "he": "", "we": "ایم", "they": "اند"}  # of the perfect
_AMOUNTS = (("too", "zu viel", "بیش از حد"), ("enough", "genug", "به اندازه‌ی کافی"), ("more", "mehr", "بیشتر"))
_WAYS = (
    ("into", "acc", "in", "به داخل"), ("out of", "dat", "aus", "از"), ("through", "acc", "durch", "از میان"),
    ("around", "acc", "um", "دور"), ("across", "acc", "über", "از روی"), ("from", "dat", "von", "از"),
)  # fmt: skip
_SHORTENED = {"teuer": "teur", "dunkel": "dunkl", "sauer": "saur", "hoch": "hoh"}  # before an ending
_WITH = {"with": "mit dat با", "for": "für acc برای", "without": "ohne acc بدون", "about": "über acc درباره‌ی"}


@dataclass(frozen=True)
class Triple:
    """The same text in English, German and Persian."""

    english: str
    german: str
    persian: str


@dataclass(frozen=True)
class Named:
    """Somebody or something: English as subject and object, German by case (and denied, with kein), Persian."""

    english: str
    person: str
    german: dict[str, str]
    persian: str
    object: str = ""
    german_person: str = ""
    denied: dict[str, str] | None = None
    definite: bool = True
    pronoun: bool = False

    @property
    def in_german(self) -> str:
        return self.german_person or self.person


@dataclass(frozen=True)
class Verb:
    """A verb's forms in all three languages, as its row of `verbs.tsv` has them."""

    base: str
    past: str
    participle: str
    german: str
    he: str
    german_participle: str
    flags: str
    persian_present: str
    persian_past: str
    light: str
    marker: str
    objects: str

    # --- English ---

    def inflected(self, ending: str) -> str:
        """Return the verb with "s" or "ing" added to its first word."""
        first, _, rest = self.base.partition(" ")
        if first in CARRIED:
            return first
        irregular = {("have", "s"): "has", ("do", "s"): "does", ("go", "s"): "goes", ("lie", "ing"): "lying"}
        irregular |= {("die", "ing"): "dying", ("be", "ing"): "being", ("travel", "ing"): "travelling"}
        if (first, ending) in irregular:
            return joined(irregular[first, ending], rest)
        vowels = "aeiou"
        if ending == "s":
            if first[-1] == "y" and first[-2] not in vowels:
                first = first[:-1] + "ie"
            elif first.endswith(("s", "sh", "ch", "x")):
                first += "e"
            return joined(first + "s", rest)
        if first[-1] == "e" and first[-2] not in "ei":
            first = first[:-1]
        elif len(first) < 6 and first[-1] not in "wxy" + vowels and first[-2] in vowels and first[-3:-2] not in vowels:
            first += first[-1] if first not in ("open", "visit", "order", "enter", "happen", "answer", "listen") else ""
        elif first in ("begin", "forget"):
            first += first[-1]
        return joined(first + "ing", rest)

    # --- German ---

    @property
    def prefix(self) -> str:
        return self.german.split("|")[0] if "|" in self.german else ""

    @property
    def reflexive(self) -> bool:
        return self.german.startswith("sich:")

    @property
    def infinitive(self) -> str:
        return self.german.replace("|", "").removeprefix("sich:")

    def present(self, person: str) -> str:
        """Return the German present without its prefix: du and er may have a vowel of their own."""
        whole = self.german.split("|")[-1].removeprefix("sich:")
        if whole == "sein" or whole == "haben" or whole in CARRIED:
            return whole if whole in CARRIED else modal(whole, person)
        stem = whole[:-2] if whole.endswith("en") else whole[:-1]
        soft = "e" if stem[-1] in "td" or (stem[-1] in "mn" and stem[-2] not in "aeiouäöülrmnh") else ""
        he = self.he.partition("/")[0] or f"{stem}{soft}t"
        if person == "he":
            return he
        if person == "you":
            hissing = stem[-1] in "sßzx"
            return self.he.partition("/")[2] or (he if hissing else he[:-1] + "st")
        if person == "I":
            modal_like = {"wollen": "will", "mögen": "mag"}
            return modal_like.get(whole) or (stem[:-2] + "le" if whole.endswith("eln") else stem + "e")
        return whole

    @property
    def imperative(self) -> str:
        """Return the imperative for du, without the prefix."""
        whole = self.german.split("|")[-1]
        he = self.he.partition("/")[0]
        if he and "i" in he and "e" in whole[:-2]:
            return he[:-1]
        stem = self.present("I")[:-1]
        return stem + "e" * (stem[-1] in "td" or stem.endswith(("ffn", "chn")))

    # --- Persian ---

    def persian(self, kind: str, person: str, negative: bool = False) -> str:
        """Return the Persian form: present, past, perfect, imperfect, future, or the subjunctive after a modal."""
        stem, past, no = self.persian_present, self.persian_past, "ن" * negative
        if stem in CARRIED:
            return stem
        plain_have = stem == "دار" and self.light not in ("نگه", "بر")
        if stem == "باش" and kind in ("present", "past", "perfect", "imperfect"):
            word = (IS_NOT if negative else IS)["present" if kind == "present" else "past"][person]
        elif kind == "present":
            word = (no if plain_have else no + "می" + ZWNJ) + stem + ENDINGS[person]
        elif kind == "past" or (kind == "imperfect" and plain_have):
            word = _prefixed(no, past) + PAST_ENDINGS[person]
        elif kind == "imperfect":
            word = no + "می" + ZWNJ + past + PAST_ENDINGS[person]
        elif kind == "perfect":
            word = _prefixed(no, past) + "ه" + (ZWNJ + HAS_ENDINGS[person] if HAS_ENDINGS[person] else " است")
        elif kind == "future":
            word = f"{no}خواه{ENDINGS[person]} {past}"
        elif stem == "باش":
            word = no + "باش" + ENDINGS[person]
        elif plain_have:
            word = f"{no}داشته باش{ENDINGS[person]}"
        else:
            word = _prefixed(no or "ب" * (not self.light or stem not in ("کن", "شو")), stem) + ENDINGS[person]
        return joined(self.light, word)


def _prefixed(prefix: str, stem: str) -> str:
    if prefix and stem[0] == "آ":
        return prefix + "یا" + stem[1:]
    return prefix + ("ی" + stem[1:] if prefix and stem[0] == "ا" else stem)


def modal(word: str, person: str) -> str:
    """Return a German modal or helper for a person."""
    row = next(row for row in table("modals") if row["english"] == word)
    return row["we" if person == "they" else person]


def table(name: str) -> list[dict[str, str]]:
    """Return the rows of one of the tables."""
    return read_table(f"everyday/{name}")


def rows(name: str, words: str) -> list[dict[str, str]]:
    """Return the rows of these English words."""
    return [row for row in table(name) if row["english"] in words.split()]


@cache
def verbs(kind: str = "") -> list[Verb]:
    """Return the verbs: with an object, without one ("0"), or those of motion ("to")."""
    found = [Verb(*row.values()) for row in table("verbs")]
    if kind == "objects":
        return [verb for verb in found if verb.objects.split()[0] not in ("0", "to", "from", "in", "subject")]
    return [verb for verb in found if kind in verb.objects.split()] if kind else found


@cache
def nouns(kinds: str) -> list[dict[str, str]]:
    """Return the nouns of these kinds, or with these names."""
    wanted = kinds.split()
    return [row for row in table("nouns") if row["kind"] in wanted or row["english"] in wanted]


def pronouns(kind: str) -> list[tuple[str, ...]]:
    """Return the pronouns of a kind: English, person, object; German nominative, accusative, dative; Persian."""
    return [tuple(row.values())[:-1] for row in table("pronouns") if row["kind"] == kind]


PRONOUNS = pronouns("person")
NOT_IT = [row for row in PRONOUNS if row[0] != "it"]
BE = Verb("be", "was", "been", "sein", "ist", "gewesen", "sein", "باش", "بود", "", "", "")


# --- phrases ---


def number(n: int) -> Triple:
    """Return a number from 0 to 100 in words."""
    words = {int(number): Triple(*of) for number, *of in (row.values() for row in table("numbers"))}
    if n in words:
        return words[n]
    ten, one = words[n - n % 10], words[n % 10]
    first = "ein" if n % 10 == 1 else one.german
    return Triple(f"{ten.english}-{one.english}", f"{first}und{ten.german}", f"{ten.persian} و {one.persian}")


def linked(word: str) -> str:
    """Return a Persian word as it is before an adjective or owner."""
    if word[-1] == "ه" and word[-2:-1] not in ("ا", "و"):
        return word + YE
    return word + "ی" if word[-1] in "او" and word != "گاو" else word


def declined(row: dict[str, str], article: str, adjective: dict[str, str] | None, plural: bool) -> dict[str, str]:
    """Return a German noun phrase in all three cases. article: the, a, kein, none, or a stem such as mein or dies."""
    noun = GermanNoun(row["gender"], row["german"], row["german_plural"] or row["german"], bool(row["weak"]))
    many = plural or row["gender"] == "pl"
    like_the = article in ("dies", "jen", "jed", "welch")
    stem, own, after = {"the": ("d", OF_THE, AFTER_THE), "a": ("ein", MIXED, AFTER_A), "": ("", None, STRONG)}.get(
        article, (article, STRONG, AFTER_THE) if like_the else (article, MIXED, AFTER_A)
    )
    gender = "m" if row["gender"] == "pl" else row["gender"]
    cases = {}
    for case in ("nom", "acc", "dat"):
        before = "" if own is None else stem + ending(own, case, gender, many)
        described = ""
        if adjective:
            word = adjective["german"]
            short = _SHORTENED.get(word, word).removesuffix("e")
            described = short + ending(after, case, gender, many)
        cases[case] = joined("" if article == "a" and many else before, described, noun.form(case, many))
    return cases


def thing(
    dice: Dice,
    kinds: str,
    articles: str = "the the a a own own this number bare",
    plain: bool = False,
    described: float = 0.28,
) -> Named:
    """Return a noun of these kinds with an article, perhaps an adjective; sometimes a word that is carried over."""
    if dice.chance(0.07):
        word = dice.pick(CARRIED)
        keys = ("english", "plural", "kind", "gender", "german", "german_plural", "weak", "persian")
        row = dict(zip(keys, (word, "", kinds.split()[0], "m", word, "", "", word), strict=True))
    else:
        row = dice.pick(nouns(kinds))
    article = dice.pick(articles.split())
    pair = _is_pair(row)
    if row["kind"] == "kin" and dice.chance(0.85):
        article = "own"
    countable = bool(row["plural"] and row["german_plural"]) and not pair
    if not countable and article in ("a", "number"):
        article = "the" if row["kind"] in ("place", "placezu", "nature", "time", "body") else "bare"
        article = "a" if row["english"] in CARRIED else article
    if article == "bare" and countable and row["kind"] == "place":
        article = "the"
    plural = pair or (
        countable and (article in ("number", "bare", "some", "many", "much") or (article != "a" and dice.chance(0.15)))
    )
    fits = {"person": "p", "kin": "p", "animal": "p", "place": "l", "placezu": "l", "abstract": "x", "food": "tf"}
    adjective = None
    if not plain and dice.chance(described):
        adjective = dice.pick(adjectives(fits.get(row["kind"], "t") + "A" * dice.chance(0.2)))
        if dice.chance(0.1) and "A" not in adjective["fits"] and adjective["german"] not in _SHORTENED:
            very = {"english": "very", "german": "sehr", "persian": "خیلی"}
            adjective = adjective | {name: joined(very[name], adjective[name]) for name in very}
    if article == "own" and row["kind"] != "person" and not plain and dice.chance(0.12):
        owner = (
            called(dice) if dice.chance(0.4) else noun_phrase(dice, dice.pick(nouns("kin person")), "own", None, False)
        )
        said = noun_phrase(dice, row, "the", adjective, plural)
        cases = {case: f"{said.german[case]} von {owner.german['dat']}" for case in said.german}
        english = f"{owner.english} 's {said.english.removeprefix('the ')}"
        persian = joined(linked(said.persian), owner.persian)
        return Named(english, said.person, cases, persian, german_person=said.german_person)
    return noun_phrase(dice, row, article, adjective, plural)


@cache
def adjectives(fits: str) -> list[dict[str, str]]:
    """Return the adjectives for one of these kinds of things."""
    return [row for row in table("adjectives") if set(fits) & set(row["fits"])]


def noun_phrase(
    dice: Dice, row: dict[str, str], article: str, adjective: dict[str, str] | None, plural: bool, owner: str = ""
) -> Named:
    """Return a noun with the, a, own, this, every, number, no, much, some, many or nothing (bare) before it."""
    described = joined(adjective["english"] if adjective else "", row["plural" if plural else "english"])
    person, mass = "they" if plural else "he", not row["plural"]
    many = plural and not _is_pair(row)
    german_many = many or row["gender"] == "pl"
    persian = row["persian"]
    them = persian + ("" if persian[-1] in NON_JOINING else ZWNJ) + "ها"
    core = them if many and article not in ("number", "some", "many") else persian
    if adjective:
        best = adjective["persian"] == "بهترین"
        core = joined(adjective["persian"], core) if best else joined(linked(core), adjective["persian"])
    before, stem, word, text = "", "", "", core  # English; German that is declined, and that isn't; Persian
    if article == "the":
        before = stem = "the"
    elif article == "a":
        an = described[0] in "aeiou" and described[:3] != "uni" and described[:2] != "us"
        before, stem, text = "an" if an else "a", "a", joined("یک", core)
        if not plural and described not in CARRIED and dice.chance(0.08):
            before = "one"
        elif not plural and dice.chance(0.07):
            before, word, text = "another", "noch", joined(text, "دیگر")
    elif article == "own":
        before = owner or dice.pick(tuple(OWNERS))
        stem, after = OWNERS[before].split()
        text = joined(linked(core), after)
    elif article == "this":
        near = dice.chance(0.6)
        before = ("these" if plural else "this") if near else ("those" if plural else "that")
        stem, text = ("dies" if near else "jen"), joined("این" if near else "آن", core)
    elif article == "every":
        before, stem, text = dice.pick(("every", "every", "each")), "jed", joined("هر", core)
    elif article == "no":
        before, stem, text = "no", "kein", joined("هیچ", core)
    elif article == "number":
        amount = number(
            int(2 + 98 * (0.0 if dice.chance(0.3) else 1) * (dice.pick(range(1, 100)) / 100))
            if dice.chance(0.4)
            else dice.pick(range(2, 13))
        )
        before, word, text, german_many = amount.english, amount.german, joined(amount.persian, core), True
    elif article == "much":
        before, word, much = dice.pick(_AMOUNTS)
        if before == "too":
            before, word = ("too much", "zu viel") if mass else ("too many", "zu viele")
        text, german_many = joined(much, persian), not mass
    elif article == "some":
        before, word = "some", "etwas" if mass else "einige"
        text, german_many = joined("مقداری" if mass else "چند", core), not mass
    elif article == "many":
        before = ("much" if mass else "many") if dice.chance(0.5) else "a lot of"
        word, german_many = "viel" if mass else "viele", not mass
        of = adjective["persian"] if adjective else ""
        text = joined("خیلی", core) if mass else joined(linked(them), of, "زیادی")
    cases = {
        case: joined(word + "n" * (case == "dat" and word in ("einige", "viele", "zu viele")), said)
        for case, said in declined(row, stem, adjective, german_many).items()
    }
    denied = declined(row, "kein", adjective, german_many) if article in ("a", "bare") and before != "another" else None
    german_person = "they" if german_many else "he"
    definite = article in ("the", "own", "this", "every")
    return Named(
        joined(before, described), person, cases, text, german_person=german_person, denied=denied, definite=definite
    )


def _is_pair(row: dict[str, str]) -> bool:
    return row["plural"] == row["english"] and row["english"] not in ("fish", "sheep")  # trousers


def carried(dice: Dice) -> Triple:
    """Return a word that is carried over."""
    word = dice.pick(CARRIED)
    return Triple(word, word, word)


def triple(row: dict[str, str]) -> Triple:
    """Return what a row of a table says in the three languages."""
    return Triple(row["english"], row["german"], row["persian"])


def pronoun(row: Sequence[str]) -> Named:
    """Return a pronoun."""
    english, person, object_, *cases, persian = row
    return Named(english, person, dict(zip(("nom", "acc", "dat"), cases, strict=True)), persian, object_, pronoun=True)


def called(dice: Dice, kind: str = "he she") -> Named:
    """Return the name of a person or a place, more often one that is carried over than one from the table."""
    names = [row for row in table("names") if row["kind"] in kind.split()]
    name = carried(dice) if dice.chance(0.6) else triple(dice.pick(names))
    return Named(name.english, "he", dict.fromkeys(("nom", "acc", "dat"), name.german), name.persian)


def both(dice: Dice) -> Named:
    """Return two people as one subject, such as my brother and i."""
    one = called(dice) if dice.chance(0.3) else thing(dice, "kin person", "own own the")
    other = (
        pronoun(PRONOUNS[0]) if dice.chance(0.3) else called(dice) if dice.chance(0.4) else thing(dice, "kin", "own")
    )
    person = "we" if other.english == "i" else "they"
    cases = {case: f"{one.german[case]} und {other.german[case]}" for case in one.german}
    object_ = f"{one.english} and {other.object or other.english}"
    return Named(f"{one.english} and {other.english}", person, cases, f"{one.persian} و {other.persian}", object_)


def somebody(dice: Dice) -> Named:
    """Return who does something."""
    if dice.chance(0.68):
        return pronoun(dice.pick(NOT_IT))
    if dice.chance(0.2):
        return called(dice)
    if dice.chance(0.12):
        return both(dice)
    return thing(dice, "person kin kin" if dice.chance(0.85) else "animal", "the the a own own number this")


def city(dice: Dice, prepositions: str) -> Triple:
    """Return a city after a preposition of each language."""
    found, (english, german, persian) = called(dice, "city"), prepositions.split()
    return Triple(f"{english} {found.english}", f"{german} {found.german['nom']}", f"{persian} {found.persian}")


def spot(dice: Dice) -> Triple:
    """Return where something is."""
    if dice.chance(0.25):
        return adverb(dice, "place")
    if dice.chance(0.2):
        return city(dice, "in in در")
    preposition = "in" if dice.chance(0.55) else dice.pick(tuple(_SPOTS))
    german, persian = _SPOTS[preposition].split()
    kinds = {"in": "place nature", "on": "thing", "at": "placezu"}.get(preposition, "place placezu thing nature animal")
    place = thing(dice, kinds, "the the own this a")
    return Triple(
        joined(preposition, place.english), _short(german, place.german["dat"]), joined(persian, place.persian)
    )


def goal(dice: Dice) -> Triple:
    """Return where somebody goes."""
    if dice.chance(0.3):
        return adverb(dice, "goal")
    if dice.chance(0.25):
        return city(dice, "to nach به")
    if dice.chance(0.25):
        way, case, german, persian = dice.pick(_WAYS)
        where = thing(dice, "place nature water city river", "the the the own a", plain=True)
        return Triple(f"{way} {where.english}", _short(german, where.german[case]), f"{persian} {where.persian}")
    kind = dice.pick(("place", "placezu", "person"))
    place = thing(dice, kind, "the the the own", plain=True)
    german = _short("in", place.german["acc"]) if kind == "place" else _short("zu", place.german["dat"])
    german = german.replace("in den Markt", "auf den Markt")
    return Triple(f"to {place.english}", german, f"به {place.persian}")


def moment(dice: Dice, tense: str) -> Triple:
    """Return when, or for how long, with a number."""
    row = dice.pick(nouns("minute hour day week month year"))
    amount = number(dice.pick(range(2, 13)) if dice.chance(0.8) else dice.pick(range(2, 61)))
    units, plural = declined(row, "", None, True), row["plural"]
    if dice.chance(0.2):
        amount = carried(dice)
    elif dice.chance(0.2):
        amount = Triple("a few", "ein paar", "چند")
    elif dice.chance(0.15):
        one = "eine" if row["gender"] == "f" else "ein"
        units = {"acc": row["german"], "dat": row["german"]}
        german = {"acc": one + "en" * (row["gender"] == "m"), "dat": one + ("r" if one == "eine" else "em")}
        amount, plural = Triple("an" if row["english"] == "hour" else "a", "", "یک"), row["english"]
        units = {case: f"{german[case]} {units[case]}" for case in units}
    acc, dat = joined(amount.german, units["acc"]), joined(amount.german, units["dat"])
    english, persian = f"{amount.english} {plural}", f"{amount.persian} {row['persian']}"
    if tense in ("been doing",):
        return Triple(f"for {english}", f"seit {dat}", f"{persian} است که")
    if tense in ("past", "wanted to", "had to") and dice.chance(0.6):
        return Triple(f"{english} ago", f"vor {dat}", f"{persian} پیش")
    if tense in ("will", "going to", "can", "should", "must", "have to") and dice.chance(0.6):
        return Triple(f"in {english}", f"in {dat}", f"{persian} دیگر")
    if dice.chance(0.4):
        return at_hour(dice, amount)
    return Triple(f"for {english}", f"{acc} lang", f"به مدت {persian}")


def hour(dice: Dice, said: Triple | None = None) -> Triple:
    """Return a number of the clock: what was `said`, where that is carried over."""
    found = said if said and said.english in CARRIED else number(dice.pick(range(1, 13)))
    return replace(found, german="ein") if found.german == "eins" else found


def at_hour(dice: Dice, said: Triple | None = None) -> Triple:
    """Return at five, or at five o'clock."""
    at, clock = hour(dice, said), dice.pick(("", " o'clock"))
    return Triple(f"at {at.english}{clock}", f"um {at.german} Uhr", f"ساعت {at.persian}")


def company(dice: Dice) -> Triple:
    """Return a phrase such as with my brother, for her, or about the dog."""
    preposition = dice.pick(("with", "with", "for", "without", "about"))
    german, case, persian = _WITH[preposition].split()
    who = pronoun(dice.pick(PRONOUNS)) if dice.chance(0.3) else thing(dice, "person kin animal", "the own own a")
    return Triple(
        joined(preposition, who.object or who.english), f"{german} {who.german[case]}", f"{persian} {who.persian}"
    )


def _short(preposition: str, phrase: str) -> str:
    short = {**SHORT, "an dem": "am", "zu dem": "zum", "zu der": "zur", "in dem": "im"}
    first, _, rest = phrase.partition(" ")
    return joined(short.get(f"{preposition} {first}", f"{preposition} {first}"), rest)


def adverb(dice: Dice, kinds: str) -> Triple:
    return triple(dice.pick([row for row in table("adverbs") if row["kind"] in kinds.split()]))
