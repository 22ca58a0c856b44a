"""Patterns of everyday speech that join what `everyday_clauses` makes: to do something, where somebody is, how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from utils.data.everyday import (
    BE,
    CARRIED,
    ENCLITICS,
    HAS_ENDINGS,
    NOT_IT,
    OWNERS,
    PRONOUNS,
    REFLEXIVE,
    Named,
    Triple,
    Verb,
    adjectives,
    called,
    declined,
    modal,
    noun_phrase,
    nouns,
    pronoun,
    rows,
    somebody,
    table,
    thing,
    verbs,
)
from utils.data.everyday_clauses import NOTHING, Clause, clause, sentence
from utils.data.grammar import Dice, be, joined
from utils.data.persian import ENDINGS
from utils.data.vocabulary import ZWNJ

_HEADS = (  # English, German finite verb's row, Persian light verb and stems; each is followed by something to do
    Verb("try", "tried", "tried", "versuchen", "", "versucht", "", "کن", "کرد", "سعی", "", "0"),
    Verb("plan", "planned", "planned", "planen", "", "geplant", "", "دار", "داشت", "قصد", "", "0"),
    Verb("decide", "decided", "decided", "beschließen", "", "beschlossen", "", "گیر", "گرفت", "تصمیم", "", "0"),
    Verb("forget", "forgot", "forgotten", "vergessen", "vergisst", "vergessen", "", "کن", "کرد", "فراموش", "", "0"),
    Verb("promise", "promised", "promised", "versprechen", "verspricht", "versprochen", "", "ده", "داد", "قول", "", ""),
    Verb("hope", "hoped", "hoped", "hoffen", "", "gehofft", "", "باش", "بود", "امیدوار", "", "0"),
)
_WHS = (("where", "wo"), ("when", "wann"), ("why", "warum"), ("how", "wie"), ("what", "was"), ("if", "ob"))
_JOINTS = {  # what opens a clause whose German verb is last
    "before": ("bevor", "قبل از اینکه"), "after": ("nachdem", "بعد از اینکه"), "while": ("während", "در حالی که"),
    "although": ("obwohl", "اگرچه"), "until": ("bis", "تا"),
}  # fmt: skip


def _deed(dice: Dice, who: Named, tense: str = "present") -> Clause:
    """Return a short clause with a verb of action."""
    while True:
        made = replace(clause(dice, tense, who, short=dice.chance(0.7)), mood="plain")
        if made.who is who and made.verb is not BE and made.tense == tense and not made.time.english.startswith("nev"):
            return made


def _asking_what(dice: Dice, *tenses: str) -> Clause:
    """Return a clause of which what, or which, can ask for the object."""
    while True:
        said = _deed(dice, somebody(dice), dice.pick(tenses))
        if said.what and ":" not in said.verb.flags and not said.whom:
            return said


def _wished(said: Clause) -> str:
    """Return the Persian in the subjunctive without its subject, such as بروم."""
    return said.persian(if_clause=True).removeprefix(said.who.persian).strip()


def _doing(said: Clause) -> str:
    """Return the Persian infinitive with what belongs to it, such as به خانه رفتن."""
    form = said.verb.persian("present", said.who.person)
    stem = said.verb.persian_past
    infinitive = stem if stem in CARRIED else joined(said.verb.light, stem + "ن")
    return joined(said.persian().removeprefix(said.who.persian).strip().removesuffix(form).strip(), infinitive)


def to_do(dice: Dice) -> Triple:
    """Return a sentence such as: i try to sleep; it is hard to learn German; i want you to help me; let me go."""
    who = pronoun(dice.pick(NOT_IT))
    chosen = dice.pick(range(9))
    if chosen < 2:
        head = Clause(who, dice.pick(_HEADS), dice.pick(("present", "past")), "not" if dice.chance(0.15) else "plain")
        said = _deed(dice, who)
        return sentence(
            f"{head.english()} to {said.english('base')}",
            f"{head.german()} , {said.german('zu')}",
            f"{head.persian()} که {_wished(said)}",
        )
    if chosen < 4:
        said = _deed(dice, pronoun(PRONOUNS[1]))
        fits = "good nice easy difficult hard important possible impossible dangerous great interesting necessary bad"
        row = dice.pick(rows("adjectives", f"{fits} expensive"))
        to, zu = f"to {said.english('base')}", said.german("zu")
        if dice.chance(0.3):
            return sentence(f"it is time {to}", f"es ist Zeit , {zu}", f"وقت {_doing(said)} است")
        no, nicht, nist = ("not", "nicht", "نیست") if dice.chance(0.2) else ("", "", "است")
        return sentence(
            joined("it is", no, row["english"], to),
            joined("es ist", nicht, row["german"], ",", zu),
            f"{_doing(said)} {row['persian']} {nist}",
        )
    other = pronoun(dice.pick([row for row in NOT_IT if row[0] != who.english]))
    said = _deed(dice, other)
    if chosen < 6:
        want = next(verb for verb in verbs() if verb.base == "want")
        head = Clause(who, want, mood="not" if dice.chance(0.2) else "plain")
        return sentence(
            f"{head.english()} {other.object} to {said.english('base')}",
            f"{head.german()} , dass {said.german('end')}",
            f"{head.persian()} که {said.persian(if_clause=True)}",
        )
    if chosen == 6 and other.person != "you":
        return sentence(
            f"let {other.object} {said.english('base')}",
            f"lass {other.german['acc']} {said.german('bare')}",
            f"بگذارید {said.persian(if_clause=True)}",
        )
    if chosen == 7 and other.person != "you":
        return sentence(
            f"help {other.object} to {said.english('base')}",
            f"hilf {other.german['dat']} , {said.german('zu')}",
            f"به {other.persian} کمک کنید تا {_wished(said)}",
        )
    going = replace(_deed(dice, who, dice.pick(("past", "present", "want to"))), time=NOTHING)
    said = replace(_deed(dice, who), rest=NOTHING, time=NOTHING)
    return sentence(
        f"{going.english()} to {said.english('base')}",
        f"{going.german()} , um {said.german('zu')}",
        f"{going.persian()} تا {_wished(said)}",
    )


def about(dice: Dice) -> Triple:
    """Return a sentence such as: i am proud of you; she is afraid of dogs; thank you for the gift."""
    who, what = somebody(dice), thing(dice, "person kin thing food animal place abstract", "the own own this bare a")
    if dice.chance(0.4):
        what = pronoun(dice.pick([row for row in PRONOUNS if row[1] != who.person]))
    named = what.object or what.english
    chosen = dice.pick(range(9))
    if chosen == 0:
        return sentence(f"thank you for {named}", f"danke für {what.german['acc']}", f"برای {what.persian} متشکرم")
    tense, mood = dice.pick(("present", "present", "past")), dice.pick(("plain", "plain", "plain", "not", "question"))
    if chosen == 1:
        adjective = dice.pick(("afraid", "scared"))
        verb = Verb("", "", "", "haben", "", "", "", "ترس", "ترسید", "", "", "")
        angst = "keine Angst" if mood == "not" else "Angst"
        english = Clause(who, BE, tense, mood, rest=Triple(f"{adjective} of {named}", "", ""))
        german = Clause(who, verb, tense, rest=Triple("", f"{angst} vor {what.german['dat']}", f"از {what.persian}"))
        persian = replace(german, mood=mood)
    else:
        adjective, german, case, before, after = dice.pick(table("about")).values()
        rest = Triple(f"{adjective} {named}", f"{german} {what.german[case]}", joined(before, what.persian, after))
        english = german = persian = Clause(who, BE, tense, mood, rest=rest)
    if mood == "question":
        return sentence(english.english("question"), german.german("question"), persian.persian(asked=True), "?")
    return sentence(english.english(), german.german(), persian.persian())


def lasting(dice: Dice) -> Triple:
    """Return a sentence that German says in its own way, such as: i am lost; we are cold; he was in love."""
    row = dice.pick(NOT_IT)
    who, (english, german, persian) = pronoun(row), dice.pick(table("lasting")).values()
    english = english.replace("my", dict(zip((one[0] for one in NOT_IT), OWNERS, strict=True))[row[0]])
    joint = dice.pick(("", "", "so", "very")) if english in ("scared", "afraid", "cold", "hot", "late") else ""
    mich, own = REFLEXIVE[row[1]], ENCLITICS[row[1]]
    mir = row[5]
    asked = dice.chance(0.25)
    verb, *rest = german.split()
    if verb == "MIR":
        says = ["ist", mir] if asked else [mir, "ist"]
        rest = rest[1:]
    else:
        finite = modal("sein" if verb == "BIN" else "haben", row[1])
        says = [finite, row[3]] if asked else [row[3], finite]
    so = {"": "", "so": "so", "very": "sehr"}[joint]
    rest = [mich if word == "MICH" else word for word in rest]
    stem, dash, tail = persian.partition("-")
    if not dash:
        fa = joined(who.persian, persian, BE.persian("present", row[1]))
    elif tail.startswith("م "):
        fa = joined(who.persian, f"{stem}{own}" + tail.removeprefix("م"))
    elif tail == "ام":
        fa = joined(who.persian, stem + HAS_ENDINGS[row[1]])
        fa = fa.rstrip(ZWNJ) + " است" * (row[1] == "he")
    else:
        fa = joined(who.persian, stem + ENDINGS[row[1]])
    if asked:
        return sentence(joined(be(row[1]), row[0], joint, english), joined(*says, so, *rest), f"آیا {fa}", "?")
    return sentence(joined(row[0], be(row[1]), joint, english), joined(*says, so, *rest), fa)


def told(dice: Dice) -> Triple:
    """Return a sentence such as: i do not know where he lives; do you know what time it is."""
    know, weiß, dan, mark = dice.pick(table("knowing")).values()
    wh, wo = dice.pick(_WHS)
    if wh == "where" and dice.chance(0.5):
        what = thing(dice, "thing place placezu kin animal person", "the own own the")
        ist, hast = modal("sein", what.in_german), "کجا هستند" if what.person == "they" else "کجاست"
        german = f"{weiß} , wo {what.german['nom']} {ist}"
        return sentence(f"{know} where {what.english} {be(what.person)}", german, f"{dan} {what.persian} {hast}", mark)
    tenses = ("present", "past", "can", "should", "will")
    said = _asking_what(dice, *tenses) if wh == "what" else _deed(dice, somebody(dice), dice.pick(tenses))
    said = replace(said, time=NOTHING, rest=NOTHING if wh in ("where", "how") else said.rest)
    if wh != "if":
        said = replace(said, asks=wh)
    else:
        dan = f"{dan} آیا"
    return sentence(
        f"{know} {wh} {said.english()}", f"{weiß} , {wo} {said.german('end')}", f"{dan} {said.persian()}", mark
    )


def measured(dice: Dice) -> Triple:
    """Return one of: what time does the shop open; how long did you stay; how tall is he; which book do you read."""
    chosen = dice.pick(range(5))
    if chosen < 2:
        time = ("what time", "um wie viel Uhr", "ساعت چند")
        long, often = ("how long", "wie lange", "چه مدت"), ("how often", "wie oft", "هر چند وقت یک بار")
        front, german, persian = dice.pick((time, time, long, often))
        tense = dice.pick(("present", "present", "past", "will", "can", "should"))
        said = _deed(dice, somebody(dice), tense)
        if dice.chance(0.5) and front == "what time":
            begins = ("open", "close", "start", "begin", "end")
            verb = dice.pick([verb for verb in verbs("subject") if verb.base in begins])
            said = Clause(thing(dice, verb.objects.removeprefix("subject "), "the the the own"), verb, tense)
        said = replace(said, time=Triple("", "", persian), asks="")
        return sentence(f"{front} {said.english('question')}", said.german("question", german), said.persian(), "?")
    if chosen < 4:
        who = somebody(dice)
        if dice.chance(0.6):
            who = thing(dice, "thing place animal vehicle nature food", "the own this")
        fits = "tall long big old expensive far heavy high fast good cold difficult important small hot deep"
        row = dice.pick(rows("adjectives", fits))
        return sentence(
            f"how {row['english']} {be(who.person)} {who.english}",
            f"wie {row['german']} {modal('sein', who.in_german)} {who.german['nom']}",
            f"{who.persian} چقدر {row['persian']} {BE.persian('present', who.person)}",
            "?",
        )
    said = _asking_what(dice, "present", "past", "can", "want to")
    kinds = "thing food animal place language person"
    row = dice.pick([row for row in nouns(kinds) if row["plural"] not in ("", row["english"])])
    cases = declined(row, "welch", None, False)
    which = cases["dat" if "dat" in said.verb.flags.split() else "acc"]
    persian = replace(said, what=Named("", "he", cases, f"کدام {row['persian']}")).persian()
    said = replace(said, asks="what")
    front = dice.pick(("which", "which", "what"))
    english = f"{front} {row['english']} {said.english('question')}"
    return sentence(english, said.german("question", which), persian, "?")


def what_a(dice: Dice) -> Triple:
    """Return a sentence such as: what a long day!"""
    row = dice.pick(nouns("day story house dog picture movie idea car city song weekend party trip"))
    said = noun_phrase(dice, row, "a", dice.pick(adjectives("tlx")), False)
    while not said.english.startswith(("a ", "an ")):
        said = noun_phrase(dice, row, "a", dice.pick(adjectives("tlx")), False)
    return sentence(
        f"what {said.english}", f"was für {said.german['nom']}", f"چه {said.persian.removeprefix('یک ')}", "!"
    )


def joint(dice: Dice) -> Triple:
    """Return two clauses joined by before, after, while, although, until or so."""
    tense = dice.pick(("past", "present"))
    first, second = clause(dice, tense, short=True), clause(dice, tense, short=True)
    if dice.chance(0.3):
        comma = ", " if dice.chance(0.6) else ""
        return sentence(
            f"{first.english()} {comma}so {second.english()}",
            f"{first.german()} , {second.german('question', 'deshalb')}",
            f"{first.persian()} ، بنابراین {second.persian()}",
        )
    word, (german, persian) = dice.pick(tuple(_JOINTS.items()))
    wish = word in ("before", "until") and tense == "present"
    said = f"{persian} {second.persian(if_clause=wish)}"
    if dice.chance(0.3):
        comma = " ," if dice.chance(0.6) else ""
        return sentence(
            f"{word} {second.english()}{comma} {first.english()}",
            f"{german} {second.german('end')} , {first.german('question')}",
            f"{said} ، {first.persian()}",
        )
    return sentence(
        f"{first.english()} {word} {second.english()}",
        f"{first.german()} , {german} {second.german('end')}",
        f"{first.persian()} {said}",
    )


def named(dice: Dice) -> Triple:
    """Return a sentence like: my dog is called Max; what is the name of your dog; do not be late; please be quiet."""
    chosen = dice.pick(range(4))
    what, name = thing(dice, "animal kin kin place person", "own own the this", plain=True), called(dice)
    is_, heißt = be(what.person), "heißen" if what.in_german == "they" else "heißt"
    if chosen == 0:
        german = f"{what.german['nom']} {heißt} {name.german['nom']}"
        return sentence(f"{what.english} {is_} called {name.english}", german, f"اسم {what.persian} {name.persian} است")
    if chosen == 1:
        english = dice.pick((f"what is the name of {what.object or what.english}", f"what {is_} {what.english} called"))
        return sentence(english, f"wie {heißt} {what.german['nom']}", f"اسم {what.persian} چیست", "?")
    row = dice.pick([*adjectives("p"), *([{"english": "late", "german": "zu spät", "persian": "دیر"}] * 8)])
    no, nicht, bash = ("do not", "nicht", "نباشید") if dice.chance(0.5) else ("", "", "باشید")
    please, bitte, lotfan = ("please", "bitte", "لطفاً") if dice.chance(0.4) else ("", "", "")
    so, sehr, kheili = ("so", "so", "خیلی") if no and dice.chance(0.3) else ("", "", "")
    return sentence(
        joined(please, no, "be", so, row["english"]),
        joined(bitte, "sei", nicht, sehr, row["german"]),
        joined(lotfan, kheili, row["persian"], bash),
    )


def opened(dice: Dice, made: Triple) -> Triple:
    """Return the sentence with an opening word, as in a chat, or with the name of the person addressed at its end."""
    if made.english.split()[0] in [row["english"] for row in table("openings")] or dice.chance(0.25):
        name, mark = called(dice), made.english[-1]
        parts = [text[:-1].rstrip() for text in (made.english, made.german, made.persian)]
        return Triple(
            f"{parts[0]} , {name.english} {mark}",
            f"{parts[1]} , {name.german['nom']} {mark}",
            f"{parts[2]} ، {name.persian} {made.persian[-1]}",
        )
    word, german, persian = dice.pick(table("openings")).values()
    comma = "" if word in ("and", "but", "so") or dice.chance(0.3) else ","
    german_comma = "" if word in ("and", "but") else ","
    return Triple(
        joined(word, comma, made.english),
        joined(german, german_comma, made.german),
        joined(persian, "،" if german_comma else "", made.persian),
    )


LONGER: tuple[tuple[int, Callable[[Dice], Triple]], ...] = (
    (9, to_do), (6, about), (1, lasting), (4, told), (5, measured), (1, what_a), (5, joint), (4, named),
)  # fmt: skip
