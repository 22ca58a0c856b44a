"""Sentences as people type them, in English, German and Persian: the corpus of the translator on the start page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, replace

from utils.data.everyday import (
    BE,
    CARRIED,
    NOT_IT,
    PRONOUNS,
    Named,
    Triple,
    Verb,
    adjectives,
    adverb,
    at_hour,
    called,
    carried,
    city,
    hour,
    modal,
    noun_phrase,
    nouns,
    number,
    pronoun,
    somebody,
    spot,
    table,
    thing,
    triple,
    verbs,
)
from utils.data.everyday_clauses import (
    BEFORE_THE_VERB,
    NOTHING,
    WH,
    Clause,
    clause,
    helping,
    questioned,
    sentence,
    somebody_else,
    stated,
    where_is,
)
from utils.data.everyday_longer import LONGER, opened
from utils.data.grammar import Dice, be, joined
from utils.data.persian import ENDINGS, PAST_ENDINGS

_LONGEST = 17  # tokens of a sentence in any of the languages
_SAYING = {"think": "denken فکر:کن", "know": "wissen دان", "hope": "hoffen امیدوار:هست", "believe": "glauben باور:کن"}
_RAINS = Verb("rain", "rained", "rained", "regnen", "", "geregnet", "", "بار", "بارید", "باران", "", "0")
_SNOWS = Verb("snow", "snowed", "snowed", "schneien", "", "geschneit", "", "بار", "بارید", "برف", "", "0")
_IT = replace(pronoun(PRONOUNS[4]), persian="")
_ASKED = (
    *["present"] * 5, "past", "past", "continuous", "continuous", "can", "can", "could", "want to", "perfect", "will",
    "would like to", "have to", "should", "may",
)  # fmt: skip


def _statement(dice: Dice) -> Triple:
    said = clause(dice)
    if said.time.german and said.time.english not in BEFORE_THE_VERB and dice.chance(0.25):
        front = replace(said, time=NOTHING)
        english = joined(said.time.english, "," if dice.chance(0.3) else "", front.english())
        return sentence(english, front.german("question", said.time.german), said.persian())
    return stated(said)


def _question(dice: Dice) -> Triple:
    said = clause(dice, dice.pick(_ASKED))
    if dice.chance(0.4) and "you" not in [one.english for one in (said.what, said.whom) if one]:
        said = replace(said, who=pronoun(PRONOUNS[1]))
    if dice.chance(0.12):
        said = replace(said, who=Named("who", "he", {"nom": "wer"}, "چه کسی"), mood="plain")
        if not (said.what and said.what.english == "he"):
            return sentence(said.english(), said.german(), said.persian(), "?")
    if said.tense == "perfect" and dice.chance(0.7):
        said = replace(said, time=Triple("ever", "schon einmal", "تا به حال"), mood="plain")
        if dice.chance(0.4):
            rest = city(dice, "to in در")
            said = replace(said, verb=BE, what=None, whom=None, degree=NOTHING, rest=rest)
    please = dice.chance(0.15) and said.tense in ("can", "could")
    said = replace(said, mood="plain") if dice.chance(0.9) else said
    if not please:
        return questioned(said)
    who = said.who.german["nom"]
    german = said.german("question").replace(who, f"{who} bitte", 1)
    return sentence(said.english("question") + " , please", german, f"لطفاً {said.persian(asked=True)}", "?")


def _simple(dice: Dice) -> Triple:
    """Return a short sentence, with each verb and person equally often: i learn German; do you speak English."""
    who = pronoun(dice.pick(NOT_IT)) if dice.chance(0.8) else somebody(dice)
    verb = dice.pick([verb for verb in verbs() if verb.objects.split()[0] not in ("to", "from", "in", "subject")])
    what = None
    if verb.objects.split()[0] != "0":
        what = thing(dice, verb.objects, "the a bare bare bare own this", described=0.6)
    mood = dice.pick(("plain", "plain", "plain", "not"))
    tense = dice.pick(("present", "present", "present", "past"))
    time = adverb(dice, "now any") if tense == "present" and dice.chance(0.15) else NOTHING
    said = Clause(who, verb, tense, mood, what, time=time)
    return questioned(replace(said, mood="plain")) if dice.chance(0.25) else stated(said)


def _asked(dice: Dice) -> Triple:
    wh = dice.pick(("where", "when", "why", "how", "what", "what", "why", "where"))
    tense = dice.pick(("present", "present", "past", "continuous", "can", "will", "should"))
    said = replace(clause(dice, tense), mood="plain")
    if dice.chance(0.15):
        return _how(dice)
    while (wh == "what" and said.what is None) or (said.verb is BE and wh != "why"):
        said = replace(clause(dice, tense), mood="plain")
    said = replace(said, asks=wh, rest=NOTHING if wh in ("where", "how") else said.rest)
    said = replace(said, time=NOTHING if wh == "when" else said.time)
    if said.verb is not BE:
        said = replace(said, degree=NOTHING)
    front = "was" if wh == "what" else WH[wh].split()[0]
    if wh == "where" and said.verb.base in ("go", "travel", "walk", "run", "fly", "drive"):
        front = "wohin"
    if wh == "what" and ":" in said.verb.flags:
        front = {"auf": "worauf", "mit": "womit", "an": "woran", "über": "worüber"}[said.verb.flags.partition(":")[0]]
    return questioned(said, wh, front)


def _how(dice: Dice) -> Triple:
    """Return a question such as: how is the film; how many dogs do you have."""
    if dice.chance(0.5):
        what = thing(dice, "kin abstract food place drink", "the own own this", plain=True)
        past = dice.chance(0.4)
        return sentence(
            f"how {be(what.person, past)} {what.english}",
            f"wie {modal('war' if past else 'sein', what.in_german)} {what.german['nom']}",
            f"{what.persian} چطور {BE.persian('past' if past else 'present', what.person)}", "?",
        )  # fmt: skip
    said = clause(dice, dice.pick(("present", "past")), who=pronoun(PRONOUNS[1]))
    row = dice.pick(
        [row for row in nouns("animal thing food clothes kin time person") if row["plural"] not in ("", row["english"])]
    )
    wanted = ("have", "see", "need", "buy", "eat", "want", "find")
    verb = dice.pick([verb for verb in verbs("objects") if verb.base in wanted])
    what = noun_phrase(dice, row, "bare", None, True)
    said = replace(said, verb=verb, what=what, whom=None, rest=NOTHING, time=NOTHING, mood="plain")
    persian = replace(said, what=replace(what, persian=f"چند {row['persian']}")).persian()
    said = replace(said, asks="what")
    german = said.german("question", f"wie viele {what.german['acc']}")
    return sentence(f"how many {row['plural']} {said.english('question')}", german, persian, "?")


def _where(dice: Dice) -> Triple:
    if dice.chance(0.8):
        what = thing(dice, "place placezu thing animal kin food clothes person vehicle", "the the own own a")
    else:
        what = called(dice, "he she city")
    here, nah, inja = dice.pick((("", "", ""), ("near here", "in der Nähe", "این نزدیکی")))
    if dice.chance(0.6) or not what.denied:
        return where_is(what)
    there = joined("gibt es", what.german["acc"], nah)
    return sentence(joined("is there", what.english, here), there, joined("آیا", inja, what.persian, "هست"), "?")


def _there_is(dice: Dice) -> Triple:
    what = thing(dice, "thing animal person food place nature abstract vehicle", "a a number many some bare")
    place = spot(dice) if dice.chance(0.6) else NOTHING
    past = dice.chance(0.2)
    none = what.denied if dice.chance(0.15) else None
    english, german, persian, no = what.english, what.german["acc"], what.persian, ""
    if none:
        english = "no " + (english.partition(" ")[2] if english.startswith(("a ", "an ")) else english)
        german, persian, no = none["acc"], persian.removeprefix("یک "), "هیچ"
    is_there = ("نبود" if past else "نیست") if none else ("بود" if past else "هست")
    return sentence(
        joined("there", be(what.person, past), english, place.english),
        joined("es", "gab" if past else "gibt", german, place.german),
        joined(no, persian, place.persian, is_there),
    )


def _name(dice: Dice) -> Triple:
    """Return a sentence such as: my name is Peter; this is Anna."""
    name = called(dice)
    english, german, persian = dice.pick(table("naming")).values()
    return Triple(
        english.replace("NAME", name.english),
        german.replace("NAME", name.german["nom"]),
        persian.replace("NAME", name.persian),
    )


def _this_is(dice: Dice) -> Triple:
    kinds = "thing kin person place food clothes animal vehicle abstract"
    what = thing(dice, kinds, "a a own own the")
    while what.person == "they":
        what = thing(dice, kinds, "a a own own the")
    near = dice.chance(0.65)
    denied, asked = dice.chance(0.15), dice.chance(0.2)
    it = "این" if near else "آن"
    this, das = ("this" if near else "that", "das") if dice.chance(0.7) else ("it", "es")
    if dice.chance(0.15):
        who, wer, ki = dice.pick((("who", "wer", "کیست"), ("what", "was", "چیست")))
        row = dice.pick(nouns("person" if who == "who" else "thing animal nature"))
        seen = noun_phrase(dice, row, "this", None, False)
        return sentence(f"{who} is {seen.english}", f"{wer} ist {seen.german['nom']}", f"{seen.persian} {ki}", "?")
    said = Clause(Named(this, "he", {"nom": das}, it, german_person=what.in_german), BE, what=what)
    return questioned(said) if asked else stated(replace(said, mood="not" if denied else "plain"))


def _age(dice: Dice) -> Triple:
    who, n = somebody(dice), number(dice.pick(range(1, 101)))
    if dice.chance(0.3):
        n = carried(dice)
    chosen = dice.pick(range(5))
    bin_, have = modal("sein", who.in_german), "دار" + ENDINGS[who.person]
    if chosen == 0:
        return sentence(f"how old {be(who.person)} {who.english}", f"wie alt {bin_} {who.german['nom']}",
                        f"{who.persian} چند سال {have}", "?")  # fmt: skip
    if chosen == 1:
        at = hour(dice, n)
        return sentence(f"it is {at.english} o'clock", f"es ist {at.german} Uhr", f"ساعت {at.persian} است")
    if chosen == 2:
        said = clause(dice, dice.pick(("present", "will", "past")), short=True)
        return stated(replace(said, time=at_hour(dice, n), mood="plain"))
    years, jahre = ("year", "ein Jahr") if n.english == "one" else ("years", f"{n.german} Jahre")
    old = f"{years} old" if chosen == 3 else dice.pick((f"{years} old", ""))
    return sentence(
        joined(who.english, be(who.person), n.english, old), f"{who.german['nom']} {bin_} {jahre} alt",
        f"{who.persian} {n.persian} سال {have}",
    )  # fmt: skip


def _weather(dice: Dice) -> Triple:
    """Return a sentence such as: it is raining; it snowed yesterday; it is very cold outside."""
    if dice.chance(0.5):
        tense = dice.pick(("continuous", "present", "past", "past"))
        time = adverb(dice, "past" if tense == "past" else "now future any") if dice.chance(0.45) else NOTHING
        return stated(Clause(_IT, dice.pick((_RAINS, _SNOWS)), tense, time=time))
    it = replace(_IT, persian="هوا")
    if dice.chance(0.4):
        it = Named("the weather", "he", {"nom": "das Wetter"}, "هوا")
    degree = adverb(dice, "degree") if dice.chance(0.4) else NOTHING
    here = (("", "", ""), ("outside", "draußen", "بیرون"), ("here", "hier", "اینجا"), ("today", "heute", "امروز"))
    tense, time = "past" if dice.chance(0.25) else "present", Triple(*dice.pick(here))
    return stated(Clause(it, BE, tense, rest=triple(dice.pick(adjectives("w"))), time=time, degree=degree))


def _request(dice: Dice) -> Triple:
    said = clause(dice, "present", pronoun(PRONOUNS[1]), short=dice.chance(0.6))
    while (
        said.verb is BE
        or said.verb.german in ("wollen", "mögen", "sich:ändern")
        or said.verb.base in CARRIED
        or said.verb.objects.startswith("subject")
        or said.time.english
    ):
        said = clause(dice, "present", pronoun(PRONOUNS[1]), short=True)
    denied, verb = said.mood == "not", said.verb
    please, bitte, lotfan = ("please", "bitte", "لطفاً") if dice.chance(0.5) else ("", "", "")
    german = joined(verb.imperative, "dich" if verb.reflexive else "", *said.german_middle("you"), verb.prefix)
    if dice.chance(0.25) and not denied:
        we = replace(said, who=pronoun(PRONOUNS[5]))
        german = joined("lass uns", *said.german_middle("we"), verb.infinitive)
        return sentence(f"let us {said.english('base')}", german, _asked_of(we))
    english = joined("do not" if denied else "", said.english("base"))
    if please and dice.chance(0.3):
        return sentence(english + " , please", german + " , bitte", joined(lotfan, _asked_of(said)))
    return sentence(joined(please, english), joined(bitte, german), joined(lotfan, _asked_of(said)))


def _asked_of(said: Clause) -> str:
    """Return the Persian of a request: the verb in the subjunctive, and no subject."""
    person, denied = said.who.person, said.mood == "not"
    body = (
        said.persian().removeprefix(f"{said.who.persian} ").removesuffix(said.verb.persian("present", person, denied))
    )
    return joined(body.strip(), said.verb.persian("subjunctive", person, denied))


def _two(dice: Dice) -> Triple:
    joint = dice.pick(("and", "but", "because", "because", "when", "if", "or"))
    tense = {"when": dice.pick(("present", "past")), "if": "present"}.get(joint, "")
    second_tense = {
        "when": "past" if tense == "past" else dice.pick(("present", "will")),
        "if": dice.pick(("will", "present", "can", "should")),
    }.get(joint, "")
    first, second = clause(dice, tense, short=True), clause(dice, second_tense, short=True)
    if joint in ("when", "if", "because") and dice.chance(0.3):
        first = Clause(_IT, _RAINS, tense or "present")
    comma = "," if dice.chance(0.3) else ""
    if joint in ("and", "but", "or"):
        german, persian = {"and": ("und", "و"), "but": (", aber", "، اما"), "or": ("oder", "یا")}[joint]
        return sentence(
            joined(first.english(), comma, joint, second.english()), f"{first.german()} {german} {second.german()}",
            f"{first.persian()} {persian} {second.persian()}",
        )  # fmt: skip
    german = {"because": "weil", "if": "wenn", "when": "als" if tense == "past" else "wenn"}[joint]
    persian = {"because": "چون", "if": "اگر", "when": "وقتی"}[joint]
    persian_first = joined(persian, first.persian(if_clause=joint == "if"))
    if joint != "because" and dice.chance(0.6):
        return sentence(
            joined(joint, first.english(), comma or dice.pick((",", ",", "")), second.english()),
            f"{german} {first.german('end')} , {second.german('question')}", f"{persian_first} ، {second.persian()}",
        )  # fmt: skip
    return sentence(
        f"{second.english()} {joint} {first.english()}", f"{second.german()} , {german} {first.german('end')}",
        f"{second.persian()} {persian_first}",
    )  # fmt: skip


def _thought(dice: Dice) -> Triple:
    word = dice.pick(tuple(_SAYING))
    who, said = pronoun(dice.pick(NOT_IT)), clause(dice, short=True)
    infinitive, stem = _SAYING[word].split()
    light, _, stem = stem.rpartition(":")
    verb = Verb(word, "", "", infinitive, "weiß/weißt" * (word == "know"), "", "", stem, "", light, "", "0")
    denied = dice.chance(0.25)
    main = Clause(who, verb, "present", "not" if denied else "plain")
    persian = main.persian()
    if stem == "هست":
        persian = joined(who.persian, "امیدوار", ("نیست" if denied else "هست") + PAST_ENDINGS[who.person])
    return sentence(
        joined(main.english(), "that" if dice.chance(0.4) else "", said.english()),
        f"{main.german().replace('ich wisse', 'ich weiß')} , dass {said.german('end')}",
        f"{persian} که {said.persian()}",
    )


def _compared(dice: Dice) -> Triple:
    """Return a sentence such as: he is older than you; my car is not as fast as yours."""
    who = somebody(dice) if dice.chance(0.6) else thing(dice, "thing animal vehicle place", "the own this", plain=True)
    other, row = somebody_else(dice), dice.pick([row for row in table("adjectives") if row["comparative"]])
    mood, rest = "plain", Triple(f"{row['comparative']} than", f"{row['german_comparative']} als", "از")
    more = "‌تر"
    if dice.chance(0.25):
        mood, more = dice.pick(("plain", "plain", "not")), ""
        rest = Triple(f"as {row['english']} as", f"so {row['german']} wie", "به اندازه‌ی")
    rest = Triple(
        f"{rest.english} {other.object or other.english}", f"{rest.german} {other.german['nom']}",
        f"{rest.persian} {other.persian} {row['persian']}{more}",
    )  # fmt: skip
    return stated(Clause(who, BE, mood=mood, rest=rest))


def _favourite(dice: Dice) -> Triple:
    row = dice.pick(nouns("colour color food film movie song animal book sport game word city football"))
    word = dice.pick(("favourite", "favorite"))
    owner = dice.pick(("my", "your", "his", "her"))
    compound = row | {"german": "Lieblings" + row["german"].lower(), "german_plural": "", "weak": ""}
    what = noun_phrase(dice, compound, "own", None, False, owner)
    english, german = f"{owner} {word} {row['english']}", what.german["nom"]
    persian = what.persian.replace(row["persian"], joined(row["persian"], "موردعلاقه"), 1)
    persian = persian.replace("‌ی موردعلاقه", " موردعلاقه")
    if dice.chance(0.4):
        return sentence(f"what is {english}", f"was ist {german}", f"{persian} چیست", "?")
    if row["english"].startswith("colo"):
        colours = ("red", "green", "blue", "black", "white", "yellow", "pink", "brown")
        one = dice.pick([one for one in table("adjectives") if one["english"] in colours])
        value = replace(triple(one), german=one["german"].capitalize())
    else:
        name = called(dice)
        value = Triple(name.english, name.german["nom"], name.persian)
    return sentence(f"{english} is {value.english}", f"{german} ist {value.german}", f"{persian} {value.persian} است")


def _wish(dice: Dice) -> Triple:
    """Return a wish such as: i would like a cup of coffee; can i have a glass of water."""
    who = pronoun(dice.pick(NOT_IT))
    what = thing(dice, "food drink thing clothes", "a a the this number bare")
    if dice.chance(0.4):
        row = dice.pick(nouns("drink"))
        cups = (("cup", "eine Tasse", "فنجان"), ("glass", "ein Glas", "لیوان"), ("bottle", "eine Flasche", "بطری"))
        cup, tasse, fenjan = dice.pick(cups)
        german = {"acc": f"{tasse} {row['german']}"}
        what = Named(f"a {cup} of {row['english']}", "he", german, f"یک {fenjan} {row['persian']}", definite=False)
    please, bitte = (", please", ", bitte") if dice.chance(0.25) else ("", "")
    if dice.chance(0.25):
        said = Clause(who, next(verb for verb in verbs() if verb.base == "have"), "can", what=what)
        english, german = joined(said.english("question"), please), joined(said.german("question"), bitte)
        return sentence(english, german, said.persian(asked=True), "?")
    return sentence(
        joined(f"{who.english} would like {what.english}", please),
        joined(who.german["nom"], modal("would like to", who.person), what.german["acc"], bitte),
        joined(
            who.persian, what.persian, "را" if what.definite else "", helping("خواه").persian("present", who.person)
        ),
    )


def _phrase_of_the_book(dice: Dice) -> Triple:
    english, german, persian = dice.pick(table("phrases")).values()
    if dice.chance(0.3):
        english = english.replace(" ,", "").replace("!", ".")
    return Triple(english, german, persian)


def _lone(dice: Dice) -> Triple:
    """Return a noun phrase or a word on its own, as people type to try out a translator."""
    kinds = "person kin animal food drink thing clothes body vehicle place placezu nature abstract time language"
    what = thing(dice, kinds, "the the a own bare this number")
    if dice.chance(0.25):
        what = triple(dice.pick(table(dice.pick(("adjectives", "adverbs")))))
        return sentence(what.english, what.german, what.persian)
    return sentence(what.english, what.german["nom"], what.persian)


_DRAWN = [
    pattern
    for times, pattern in (
        (26, _statement), (35, _simple), (11, _question), (8, _asked), (4, _where), (4, _there_is), (3, _name),
        (4, _this_is), (4, _age), (3, _weather), (5, _request), (12, _two), (3, _thought), (3, _compared),
        (1, _favourite), (3, _wish), (15, _phrase_of_the_book), (7, _lone), *LONGER,
    )
    for _ in range(times)
]  # fmt: skip


def sentences(seed: int = 0) -> Iterator[Triple]:
    """Yield sentences without end; the same seed gives the same ones."""
    dice = Dice(seed)
    while True:
        made = dice.pick(_DRAWN)(dice)
        if dice.chance(0.08):
            made = opened(dice, made)
        if max(len(text.split()) for text in (made.english, made.german, made.persian)) <= _LONGEST:
            yield _renumbered(made)


def _renumbered(made: Triple) -> Triple:
    """Return the sentence with its placeholders numbered in the order of the English."""
    names = dict(zip(dict.fromkeys(word for word in made.english.split() if word in CARRIED), CARRIED, strict=False))
    return Triple(*(" ".join(names.get(word, word) for word in text.split()) for text in astuple(made)))
