"""The patterns of everyday speech: clauses, questions and requests, with the words of `everyday.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from utils.data.everyday import (
    BE,
    CARRIED,
    NOT_IT,
    PRONOUNS,
    REFLEXIVE,
    Named,
    Triple,
    Verb,
    adjectives,
    adverb,
    called,
    company,
    goal,
    modal,
    moment,
    noun_phrase,
    nouns,
    number,
    pronoun,
    pronouns,
    somebody,
    spot,
    table,
    thing,
    verbs,
)
from utils.data.grammar import Dice, joined
from utils.data.persian import ENDINGS, PAST_ENDINGS

_LONGEST = 17  # tokens of a sentence in any of the languages
NOTHING = Triple("", "", "")
_PERSIAN_MODALS = {  # what the Persian says before the subjunctive, by the stem of the present or past
    "can": "توان present", "could": "توان present", "want to": "خواه present", "would like to": "خواه present",
    "wanted to": "خواست imperfect", "may": "توان present", "might": "ممکن است",
    **dict.fromkeys(("like to", "love to", "like doing", "love doing"), "دوست دار have"),
}  # fmt: skip
_LIKING = ("like to", "love to", "like doing", "love doing")
_MUST = ("must", "have to", "need to", "should", "had to")
_BEFORE_THE_VERB = ("always", "often", "never", "sometimes", "usually", "ever", "already", "just")
_GIVING = ("give", "show", "tell", "send", "bring", "write")
_HER_TRADES = {"Arzt": "Ärztin", "Zahnarzt": "Zahnärztin", "Koch": "Köchin", "Anwalt": "Anwältin", "Bauer": "Bäuerin"}
_HER_TRADES |= {"Kunde": "Kundin", "Kollege": "Kollegin", "Chef": "Chefin", "Teenager": "Teenager"}
_WH = {"where": "wo کجا", "when": "wann کی", "why": "warum چرا", "how": "wie چطور"}
_FEELING = {"base": "feel", "past": "felt", "participle": "felt", "german": "sich:fühlen"}
_SEEMING = (
    replace(BE, **_FEELING, he="", german_participle="gefühlt", flags=""),
    Verb("look", "looked", "looked", "aus|sehen", "sieht", "ausgesehen", "", "رس", "رسید", "به نظر", "", ""),
    Verb("become", "became", "become", "werden", "wird/wirst", "geworden", "sein", "شو", "شد", "", "", ""),
    Verb("get", "got", "got", "werden", "wird/wirst", "geworden", "sein", "شو", "شد", "", "", ""),
)
_SAYING = {"think": "denken فکر:کن", "know": "wissen دان", "hope": "hoffen امیدوار:هست", "believe": "glauben باور:کن"}


@dataclass(frozen=True)
class Clause:
    """Who does what, where, when, how: enough to say it in each language, in any order of its words."""

    who: Named
    verb: Verb
    tense: str = "present"
    mood: str = "plain"  # or "not" or "question"
    what: Named | None = None
    whom: Named | None = None  # of giving
    rest: Triple = NOTHING  # an adjective, a place, a manner
    time: Triple = NOTHING
    degree: Triple = NOTHING
    asks: str = ""  # "where", "what", ...
    to_whom: bool = False  # "gives the book to me" rather than "gives me the book"

    # --- English ---

    def english(self, order: str = "main") -> str:
        """Return the English words. order: "main", "question" or "base", which has no subject."""
        person, verb, denied = self.who.person, self.verb, self.mood == "not"
        asked = order == "question"
        aux, main = self._english_verb(person, denied or asked)
        target = (self.what.object or self.what.english) if self.what and self.asks != "what" else ""
        whom = (self.whom.object or self.whom.english) if self.whom else ""
        whom, to = ("", f"to {whom}") if self.to_whom and whom else (whom, "")
        tail = joined(whom, target, to, self.degree.english, self.rest.english, self.time.english)
        if verb is BE:
            tail = joined(target, self.degree.english, self.rest.english, self.time.english)
        no = "not" if denied else ""
        often = ""
        if self.time.english in _BEFORE_THE_VERB:
            often, tail = self.time.english, tail.removesuffix(self.time.english).strip()
        if order == "base":
            return joined(verb.base, tail)
        if asked:
            return joined(aux, self.who.english, no, often, main, tail)
        if not aux:
            return joined(self.who.english, often, main, tail)
        return joined(self.who.english, aux, no, often, main, tail)

    def _english_verb(self, person: str, helped: bool) -> tuple[str, str]:
        verb, tense = self.verb, self.tense
        be = {"I": "am", "he": "is"}.get(person, "are")
        was = "was" if person in ("I", "he") else "were"
        if verb is BE and tense in ("present", "past"):
            return (be if tense == "present" else was), ""
        if tense in ("present", "past"):
            if helped:
                return ("did" if tense == "past" else "does" if person == "he" else "do"), verb.base
            return "", (verb.past if tense == "past" else verb.inflected("s") if person == "he" else verb.base)
        if tense in ("continuous", "was doing"):
            return (be if tense == "continuous" else was), verb.inflected("ing")
        if tense == "been doing":
            return ("has" if person == "he" else "have"), f"been {verb.inflected('ing')}"
        if tense == "perfect":
            return ("has" if person == "he" else "have"), verb.participle
        if tense == "going to":
            return be, f"going to {verb.base}"
        if tense == "would like to":
            return "would", f"like to {verb.base}"
        if tense in ("want to", "have to", "need to", "like to", "love to"):
            first = tense.split()[0]
            if helped:
                return ("does" if person == "he" else "do"), f"{tense} {verb.base}"
            return "", f"{('has' if first == 'have' else first + 's') if person == 'he' else first} to {verb.base}"
        if tense in ("like doing", "love doing"):
            first, doing = tense.split()[0], verb.inflected("ing")
            if helped:
                return ("does" if person == "he" else "do"), f"{first} {doing}"
            return "", f"{first + 's' * (person == 'he')} {doing}"
        if tense in ("wanted to", "had to"):
            base = {"wanted to": "want to", "had to": "have to"}[tense]
            return ("did", f"{base} {verb.base}") if helped else ("", f"{tense} {verb.base}")
        return tense, verb.base

    # --- German ---

    def german(self, order: str = "main", front: str = "") -> str:
        """Return the German words. order: "main", "question" (the verb first, or after `front`), "end" or "zu"."""
        person = self.who.in_german
        finite, last = self._german_verb(person)
        if self.tense == "could" and (order != "question" or front):
            finite = modal("was able to", person)
        subject = self.who.german["nom"]
        time, middle = self.time.german, self._german_middle(person)
        early = ""
        if (
            self.what
            and self.what.pronoun
            and self.verb is not BE
            and self.asks != "what"
            and ":" not in self.verb.flags
        ):
            early, middle = middle[0], middle[1:]
        if self.whom and self.whom.pronoun:
            early, middle = joined(early, middle[0]), middle[1:]
        if self.verb.reflexive:
            early = REFLEXIVE[person]
        if order in ("zu", "bare"):
            prefix, infinitive = self.verb.prefix, self.verb.infinitive
            zu = f"{prefix}zu{infinitive.removeprefix(prefix)}" if prefix else f"zu {infinitive}"
            return joined(early, time, *middle, zu if order == "zu" else infinitive)
        if order == "end":
            whole = joined(last, finite) if not last or last != self.verb.prefix else last + finite
            return joined(subject, early, time, *middle, whole)
        if order == "question":
            return joined(front, finite, subject, early, time, *middle, last)
        return joined(subject, finite, early, time, *middle, last)

    def _german_verb(self, person: str) -> tuple[str, str]:
        verb, tense = self.verb, self.tense
        if tense in ("past", "perfect", "was doing"):
            if verb.german in ("sein", "haben"):
                return modal("war" if verb.german == "sein" else "hatte", person), ""
            return modal("sein" if "sein" in verb.flags else "haben", person), verb.german_participle
        if tense in ("present", "continuous", "been doing") or tense in _LIKING:
            return verb.present(person), verb.prefix
        if tense == "must" and self.mood == "not":
            tense = "may"
        return modal(tense, person), verb.infinitive

    def _german_middle(self, person: str) -> list[str]:
        verb, denied = self.verb, self.mood == "not"
        no = "nicht" if denied else ""
        if self.tense in _LIKING:
            no = joined(no, "gern")
        parts = [self.whom.german["dat"]] if self.whom else []
        rest = joined(self.degree.german, self.rest.german)
        if self.what and self.asks != "what":
            if verb is BE:
                none = denied and self.what.denied
                return [joined("" if none else no, (self.what.denied if none else self.what.german)["nom"]), rest]
            case = "dat" if "dat" in verb.flags.split() else "acc"
            if ":" in verb.flags:
                preposition, case = next(flag for flag in verb.flags.split() if ":" in flag).split(":")
                return [joined(no, preposition, self.what.german[case]), rest]
            if denied and self.what.denied:
                said = self.what.denied[case]
                return [*parts, said, no.removeprefix("nicht"), rest]
            return [*parts, self.what.german[case], no, rest]
        return [*parts, no, rest]

    # --- Persian ---

    def persian(self, asked: bool = False, if_clause: bool = False) -> str:
        """Return the Persian words, with a wh-word before the verb where it asks for something."""
        person, denied, tense, verb = self.who.person, self.mood == "not", self.tense, self.verb
        before = ""
        if (
            any(text.startswith("هیچ") for text in (self.who.persian, self.what.persian if self.what else ""))
            or self.time.persian == "هرگز"
        ):
            denied = True
        if tense == "had to":
            before, said = (
                ("لازم نبود", verb.persian("subjunctive", person))
                if denied
                else ("باید", verb.persian("imperfect", person))
            )
        elif tense in _MUST:
            no = "نباید" if tense in ("must", "should") else "لازم نیست"
            before, said = (no if denied else "باید"), verb.persian("subjunctive", person)
        elif tense == "might":
            before, said = ("ممکن نیست" if denied else "ممکن است"), verb.persian("subjunctive", person)
        elif tense in _PERSIAN_MODALS:
            stem, kind = _PERSIAN_MODALS[tense].rsplit(" ", 1)
            if tense == "could" and not asked:
                stem, kind = "توانست", "imperfect"
            helper = {
                "present": lambda: _HELPER(stem, "").persian("present", person, denied),
                "imperfect": lambda: _HELPER("", stem).persian("imperfect", person, denied),
                "have": lambda: replace(_HELPER("دار", "داشت"), light="دوست").persian("present", person, denied),
            }[kind]
            before, said = helper(), verb.persian("subjunctive", person)
        else:
            kinds = {"continuous": "present", "been doing": "present", "would": "imperfect", "was doing": "imperfect", "will": "future", "going to": "future"}
            kind = "subjunctive" if if_clause and tense == "present" else kinds.get(tense, tense)
            said = verb.persian(kind, person, denied)
        target = ""
        if self.what and self.asks != "what":
            target = joined(
                verb.marker,
                self.what.persian,
                "را" if self.what.definite and not verb.marker and verb is not BE else "",
            )
        whom = f"به {self.whom.persian}" if self.whom else ""
        wh = {"what": "چه چیزی را" if not verb.marker else f"{verb.marker} چه"}.get(self.asks) or (
            _WH[self.asks].split()[1] if self.asks else ""
        )
        why, wh = (wh, "") if self.asks == "why" else ("", wh)
        said_of = [_own(self.who, text) for text in (whom, target, self.rest.persian)]
        return joined(
            "آیا" if asked and not self.asks else "",
            self.who.persian,
            self.time.persian,
            why,
            before,
            *said_of[:2],
            self.degree.persian,
            said_of[2],
            wh,
            said,
        )


def _own(who: Named, text: str) -> str:
    """Return the Persian with خودم for my own, where the owner is who does it."""
    if not who.pronoun:
        return text
    self = "خود" + {"I": "م", "you": "تان", "he": "ش", "we": "مان", "they": "شان"}[who.person]
    return " ".join(self if i and word == who.persian else word for i, word in enumerate(text.split()))


def _HELPER(present: str, past: str) -> Verb:
    return Verb("", "", "", "", "", "", "", present, past, "", "", "")


_TENSES = (
    *["present"] * 6, *["past"] * 5, *["continuous"] * 4, "was doing", "perfect", "perfect", "will", "will", "going to",
    "can", "can", "could", "want to", "want to", "would like to", "have to", "need to", "must", "should", *_LIKING,
    "wanted to", "had to", "might", "would", "been doing",
)  # fmt: skip
_ASKED = (
    *["present"] * 5, "past", "past", "continuous", "continuous", "can", "can", "could", "want to", "perfect", "will",
    "would like to", "have to", "should", "may",
)  # fmt: skip
_STATIVE = (
    "have like love hate know need want understand believe see hear forget find prefer trust exist remember lose".split()
)


def clause(dice: Dice, tense: str = "", who: Named | None = None, short: bool = False) -> Clause:
    """Return a clause of somebody who does or is something."""
    tense = tense or dice.pick(_TENSES)
    given, who = who, who or (somebody(dice) if dice.chance(0.96) else _indefinite(dice, "person"))
    if dice.chance(0.26) and tense not in ("continuous", "was doing", "can", "could", "been doing", *_LIKING):
        return _being(dice, tense, who)
    what, whom, to_whom = None, None, False
    rest = time = NOTHING
    kind = dice.pick(("objects",) * 11 + ("0",) * 6 + ("to",) * 3 + ("in", "from", "subject"))
    if dice.chance(0.04):
        word = dice.pick(CARRIED)
        verb = Verb(word, word, word, word, word, word, "", word, word, "", "", dice.pick(("0", "thing", "person")))
        kind = "0" if verb.objects == "0" else "objects"
    else:
        verb = dice.pick(verbs(kind))
        if kind == "subject" and given:
            verb = dice.pick(verbs("0"))
        elif kind == "subject":
            who = thing(dice, verb.objects.removeprefix("subject "), "the the the own this a bare")
    if verb.base in _STATIVE and tense in ("continuous", "was doing", "perfect", "been doing"):
        tense = "present"
    if kind == "objects":
        people = {"person", "kin"} & set(verb.objects.split())
        if dice.chance(0.45 if people else 0.1) and verb.base != "read":
            others = [
                row
                for row in PRONOUNS
                if not {row[1], who.person} <= {"I", "we"}
                and row[1] != who.person
                and (people or row[0] in ("it", "they"))
            ]
            others += pronouns("this") * (not people)
            if (people and who.english in ("he", "she", "they")) or who.person == "he":
                others = [row for row in others if row[1] != "he" or row[0] == "it"] or others
            what = pronoun(dice.pick(others or PRONOUNS[6:]))
        elif dice.chance(0.04):
            what = _indefinite(dice, "person" if people else "thing")
        elif people and dice.chance(0.2):
            what = called(dice)
        else:
            what = thing(dice, verb.objects, "the the a a own this bare number some many much no")
        if verb.base in _GIVING and dice.chance(0.6):
            whom = (
                pronoun(dice.pick([row for row in PRONOUNS if row[1] != who.person and row[0] != "it"]))
                if dice.chance(0.6)
                else thing(dice, "kin person", "own the")
            )
            if whom.english in ("he", "she") and who.person == "he":
                whom = None
            if what and what.pronoun:
                what = thing(dice, verb.objects, "the a own")
            to_whom = whom is not None and dice.chance(0.4)
    elif kind == "to":
        rest = goal(dice)
        if dice.chance(0.2):
            ride = adverb(dice, "ride")
            if verb.base == "go":
                verb = replace(verb, german="fahren", he="fährt", german_participle="gefahren")
            rest = Triple(
                joined(rest.english, ride.english), joined(ride.german, rest.german), joined(ride.persian, rest.persian)
            )
    elif kind == "from":
        city = called(dice, "city")
        place = thing(dice, "place", "the", plain=True)
        german = f"aus {place.german['dat']}".replace("aus dem Markt", "vom Markt")
        rest = (
            Triple(f"from {city.english}", f"aus {city.german['dat']}", f"از {city.persian}")
            if dice.chance(0.5)
            else Triple(f"from {place.english}", german, f"از {place.persian}")
        )
    elif kind == "in":
        rest = spot(dice)
    chosen = dice.pick(range(12)) if not short else 11
    if rest is NOTHING and chosen < 5:
        rest = (spot, company, lambda d: adverb(d, "manner"), spot, company)[chosen](dice)
    eating = verb.base in ("eat", "have", "cook", "make") and what and not what.pronoun and rest is NOTHING
    if eating and "food" in verb.objects and dice.chance(0.25):
        rest = adverb(dice, "meal")
    if dice.chance(0.3) and not short:
        times = {
            "past": "past any", "perfect": "never perfect", "was doing": "past", "will": "future any",
            "going to": "future", "continuous": "now", "present": "now any never", "wanted to": "past", "had to": "past",
        }  # fmt: skip
        time = adverb(dice, times.get(tense, "future any now"))
        if dice.chance(0.3):
            time = moment(dice, tense)
        elif tense == "continuous" and time.english not in ("now", "today", "tonight"):
            time = Triple("now", "jetzt", "الان")
    if tense == "been doing":
        time = moment(dice, tense)
    mood = "not" if dice.chance(0.2) and time.english != "never" else "plain"
    if mood == "not" and what and what.denied and not what.english.startswith(("a ", "an ")) and dice.chance(0.5):
        what = replace(what, english=f"any {what.english}")
    return Clause(who, verb, tense, mood, what, whom, rest, time, to_whom=to_whom)


def _indefinite(dice: Dice, kind: str) -> Named:
    """Return somebody or something that is not named."""
    named = pronoun(dice.pick(pronouns("somebody" if kind == "person" else "something")))
    german_person = "they" if named.german["nom"] == "alle" else "he"
    return replace(named, object="", pronoun=False, german_person=german_person, definite=kind == "person")


def _being(dice: Dice, tense: str, who: Named) -> Clause:
    """Return that somebody or something is old, a doctor, or in the garden."""
    mood, chosen = ("not" if dice.chance(0.2) else "plain"), dice.pick(range(10))
    time = (
        adverb(dice, "past" if tense == "past" else "now" if tense == "present" else "future")
        if dice.chance(0.15) and tense in ("past", "present", "will")
        else NOTHING
    )
    if time.english == "never" or (time.german in ("nie",)):
        mood = "plain"
    if chosen < 3:
        return Clause(who, BE, tense, mood, rest=spot(dice), time=time)
    if chosen < 5 and who.person != "they" and who.person != "we":
        what = thing(dice, "person", "a" if dice.chance(0.8) else "own")
        if what.english.startswith(("a ", "an ")) and len(what.english.split()) == 2:  # a trade has no article
            bare = {case: said.partition(" ")[2] for case, said in what.german.items()}
            if who.english == "she":
                bare = {case: _her_trade(said) for case, said in bare.items()}
            none = {case: "kein" + "e" * bare["nom"].endswith("in") + " " + said for case, said in bare.items()}
            what = replace(what, german=bare, denied=none, persian=what.persian.removeprefix("یک "))
        return Clause(who, BE, tense, mood, what=what)
    degree = adverb(dice, "degree") if dice.chance(0.3) else NOTHING
    if chosen < 7:
        who = (
            thing(
                dice,
                "thing food drink clothes vehicle place placezu abstract animal nature body",
                "the the own own this",
            )
            if dice.chance(0.75)
            else pronoun(dice.pick((PRONOUNS[4], *pronouns("this"))))
        )
        return Clause(who, BE, tense, mood, rest=_adjective(dice, "ptlxwf"), degree=degree, time=time)
    verb = dice.pick(_SEEMING) if dice.chance(0.2) else BE
    return Clause(who, verb, tense, mood, rest=_adjective(dice, "ps"), degree=degree, time=time)


def _her_trade(word: str) -> str:
    if word in _HER_TRADES:
        return _HER_TRADES[word]
    return word + "in" * word.endswith(("er", "ist", "ent", "eur", "or", "ot", "at"))


def _adjective(dice: Dice, fits: str) -> Triple:
    if dice.chance(0.05):
        word = dice.pick(CARRIED)
        return Triple(word, word, word)
    row = dice.pick(adjectives(fits) if dice.chance(0.9) else table("adjectives"))
    return Triple(row["english"], row["german"], row["persian"])


# --- patterns ---


def _statement(dice: Dice) -> Triple:
    said = clause(dice)
    german = said.german()
    if said.time.german and said.time.english not in _BEFORE_THE_VERB and dice.chance(0.25):
        front = replace(said, time=NOTHING)
        english = joined(said.time.english, "," if dice.chance(0.3) else "", front.english())
        return Triple(english + " .", front.german("question", said.time.german) + " .", said.persian() + " .")
    return Triple(said.english() + " .", german + " .", said.persian() + " .")


def _question(dice: Dice) -> Triple:
    said = clause(dice, dice.pick(_ASKED))
    if dice.chance(0.4):
        said = replace(
            said,
            who=pronoun(PRONOUNS[1])
            if not (said.what and said.what.english == "you") and not (said.whom and said.whom.english == "you")
            else said.who,
        )
    if dice.chance(0.12):
        said = replace(said, who=Named("who", "he", {"nom": "wer"}, "چه کسی"), mood="plain")
        if not (said.what and said.what.english == "he"):
            return Triple(said.english() + " ?", said.german() + " ?", said.persian() + " ؟")
    if said.tense == "perfect" and dice.chance(0.7):
        said = replace(said, time=Triple("ever", "schon einmal", "تا به حال"), mood="plain")
        if dice.chance(0.4):
            city = called(dice, "city")
            said = replace(
                said,
                verb=BE,
                what=None,
                whom=None,
                degree=NOTHING,
                rest=Triple(f"to {city.english}", f"in {city.german['dat']}", f"در {city.persian}"),
            )
    please = dice.chance(0.15) and said.tense in ("can", "could")
    said = replace(said, mood="plain") if dice.chance(0.9) else said
    return Triple(
        said.english("question") + (" , please ?" if please else " ?"),
        said.german("question").replace(said.who.german["nom"], said.who.german["nom"] + " bitte", 1) + " ?"
        if please
        else said.german("question") + " ?",
        joined("لطفاً" if please else "", said.persian(asked=True)) + " ؟",
    )


def _asked(dice: Dice) -> Triple:
    wh = dice.pick(("where", "when", "why", "how", "what", "what", "why", "where"))
    tense = dice.pick(("present", "present", "past", "continuous", "can", "will", "should"))
    said = replace(clause(dice, tense), mood="plain")
    if dice.chance(0.15):
        return _how(dice)
    while ((wh == "what") != (said.what is not None) and wh == "what") or (said.verb is BE and wh != "why"):
        said = replace(clause(dice, tense), mood="plain")
    if wh == "where":
        said = replace(said, rest=NOTHING)
    if wh == "when":
        said = replace(said, time=NOTHING)
    if wh == "how":
        said = replace(said, rest=NOTHING)
    said = replace(said, asks=wh)
    if said.verb is not BE:
        said = replace(said, degree=NOTHING)
    front = "was" if wh == "what" else _WH[wh].split()[0]
    if wh == "where" and said.verb.base in ("go", "travel", "walk", "run", "fly", "drive"):
        front = "wohin"
    if wh == "what" and ":" in said.verb.flags:
        front = {"auf": "worauf", "mit": "womit", "an": "woran", "über": "worüber"}[said.verb.flags.partition(":")[0]]
    return Triple(
        f"{wh} {said.english('question')} ?", said.german("question", front) + " ?", said.persian(asked=True) + " ؟"
    )


def _how(dice: Dice) -> Triple:
    """How is the film; how many dogs do you have."""
    if dice.chance(0.5):
        what = thing(dice, "kin abstract food place drink", "the own own this", plain=True)
        past = dice.chance(0.4)
        be = {(False, "he"): "is", (False, "they"): "are", (True, "he"): "was", (True, "they"): "were"}[
            past, what.person
        ]
        return Triple(
            f"how {be} {what.english} ?",
            f"wie {modal('war' if past else 'sein', what.in_german)} {what.german['nom']} ?",
            f"{what.persian} چطور {BE.persian('past' if past else 'present', what.person)} ؟",
        )
    said = clause(dice, dice.pick(("present", "past")), who=pronoun(PRONOUNS[1]))
    row = dice.pick(
        [
            row
            for row in nouns("animal thing food clothes kin time person")
            if row["plural"] and row["plural"] != row["english"]
        ]
    )
    verb = dice.pick(
        [verb for verb in verbs("objects") if verb.base in ("have", "see", "need", "buy", "eat", "want", "find")]
    )
    said = replace(
        said,
        verb=verb,
        what=noun_phrase(dice, row, "bare", None, True),
        whom=None,
        rest=NOTHING,
        time=NOTHING,
        mood="plain",
        asks="what",
    )
    plural = said.what.german["acc"] if said.what else ""
    persian = replace(said, asks="", what=replace(said.what, persian=f"چند {row['persian']}")).persian()
    return Triple(
        f"how many {row['plural']} {said.english('question')} ?",
        said.german("question", f"wie viele {plural}") + " ?",
        persian + " ؟",
    )


def _where(dice: Dice) -> Triple:
    what = (
        thing(dice, "place placezu thing animal kin food clothes person vehicle", "the the own own a")
        if dice.chance(0.8)
        else called(dice, "he she city")
    )
    many = what.person == "they"
    here, nah, inja = dice.pick((("", "", ""), ("near here", "in der Nähe", "این نزدیکی")))
    if dice.chance(0.6) or not what.denied:
        return Triple(
            f"where {'are' if many else 'is'} {what.english} ?",
            f"wo {modal('sein', what.in_german)} {what.german['nom']} ?",
            f"{what.persian} {'کجا هستند' if many else 'کجاست'} ؟",
        )
    return Triple(
        f"is there {joined(what.english, here)} ?",
        f"gibt es {joined(what.german['acc'], nah)} ?",
        f"آیا {joined(inja, what.persian)} هست ؟",
    )


def _there_is(dice: Dice) -> Triple:
    what = thing(dice, "thing animal person food place nature abstract vehicle", "a a number many some bare")
    place = spot(dice) if dice.chance(0.6) else NOTHING
    past, denied = dice.chance(0.2), dice.chance(0.15)
    be = {(False, False): "is", (False, True): "are", (True, False): "was", (True, True): "were"}[
        past, what.person == "they"
    ]
    none = denied and what.denied
    english = what.english
    if none:
        english = joined(
            "no", what.english.partition(" ")[2] if what.english.startswith(("a ", "an ")) else what.english
        )
    elif denied:
        denied = False
    persian = {(False, False): "هست", (True, False): "بود", (False, True): "نیست", (True, True): "نبود"}[
        past, bool(denied)
    ]
    fa = what.persian.removeprefix("یک ") if none else what.persian
    german = (what.denied if none else what.german)["acc"]
    return Triple(
        joined("there", be, english, place.english, "."),
        joined("es", "gab" if past else "gibt", german, place.german, "."),
        joined("هیچ" if none else "", fa, place.persian, persian, "."),
    )


def _name(dice: Dice) -> Triple:
    who = called(dice)
    chosen = dice.pick(range(6))
    if chosen < 2:
        return Triple(f"my name is {who.english} .", f"ich heiße {who.german['nom']} .", f"اسم من {who.persian} است .")
    if chosen == 2:
        owner, person = dice.pick((("his", "er"), ("her", "sie")))
        return Triple(
            f"{owner} name is {who.english} .", f"{person} heißt {who.german['nom']} .", f"اسم او {who.persian} است ."
        )
    if chosen == 3:
        return Triple(f"i am {who.english} .", f"ich bin {who.german['nom']} .", f"من {who.persian} هستم .")
    if chosen == 4:
        hello, hallo, salam = dice.pick(
            (("hello", "hallo", "سلام"), ("hi", "hallo", "سلام"), ("good morning", "guten Morgen", "صبح بخیر"))
        )
        return Triple(f"{hello} , {who.english} !", f"{hallo} , {who.german['nom']} !", f"{salam} ، {who.persian} !")
    other = called(dice)
    return Triple(f"this is {other.english} .", f"das ist {other.german['nom']} .", f"این {other.persian} است .")


def _this_is(dice: Dice) -> Triple:
    what = thing(dice, "thing kin person place food clothes animal vehicle abstract", "a a own own the")
    while what.person == "they":
        what = thing(dice, "thing kin person place food clothes animal vehicle abstract", "a a own own the")
    near = dice.chance(0.65)
    denied, asked = dice.chance(0.15), dice.chance(0.2)
    it = "این" if near else "آن"
    this, das = ("this" if near else "that", "das") if dice.chance(0.7) else ("it", "es")
    if dice.chance(0.15):
        who, wer, ki = dice.pick((("who", "wer", "کیست"), ("what", "was", "چیست")))
        seen = noun_phrase(dice, dice.pick(nouns("person" if who == "who" else "thing animal nature")), "this", None, False)
        return Triple(f"{who} is {seen.english} ?", f"{wer} ist {seen.german['nom']} ?", f"{seen.persian} {ki} ؟")
    german = what.denied if denied and what.denied else what.german
    no = "nicht" if denied and not what.denied else ""
    ist = modal("sein", what.in_german)
    if asked:
        return Triple(
            f"is {this} {what.english} ?", f"{ist} {das} {what.german['nom']} ?", f"آیا {it} {what.persian} است ؟"
        )
    return Triple(
        joined(this, "is", "not" if denied else "", what.english, "."),
        joined(das, ist, no, german["nom"], "."),
        joined(it, what.persian, "نیست" if denied else "است", "."),
    )


def _age(dice: Dice) -> Triple:
    who, n = somebody(dice), number(dice.pick(range(1, 101)))
    if dice.chance(0.3):
        word = dice.pick(CARRIED)
        n = Triple(word, word, word)
    be = {"I": "am", "he": "is"}.get(who.person, "are")
    chosen = dice.pick(range(5))
    if chosen == 0:
        have = {"I": "دارم", "you": "دارید", "he": "دارد", "we": "داریم", "they": "دارند"}[who.person]
        return Triple(
            f"how old {be} {who.english} ?",
            f"wie alt {modal('sein', who.in_german)} {who.german['nom']} ?",
            f"{who.persian} چند سال {have} ؟",
        )
    if chosen == 1:
        hour = n if n.english in CARRIED else number(dice.pick(range(1, 13)))
        german = "ein" if hour.german == "eins" else hour.german
        return Triple(f"it is {hour.english} o'clock .", f"es ist {german} Uhr .", f"ساعت {hour.persian} است .")
    if chosen == 2:
        said = clause(dice, dice.pick(("present", "will", "past")), short=True)
        hour = n if n.english in CARRIED else number(dice.pick(range(2, 13)))
        at = Triple(
            dice.pick((f"at {hour.english}", f"at {hour.english} o'clock")),
            f"um {hour.german} Uhr",
            f"ساعت {hour.persian}",
        )
        said = replace(said, time=at, mood="plain")
        return Triple(said.english() + " .", said.german() + " .", said.persian() + " .")
    have = {"I": "دارم", "you": "دارید", "he": "دارد", "we": "داریم", "they": "دارند"}[who.person]
    years = "year" if n.english == "one" else "years"
    german = "ein Jahr" if n.english == "one" else f"{n.german} Jahre"
    return Triple(
        joined(who.english, be, n.english, f"{years} old" if chosen == 3 else dice.pick((f"{years} old", "")), "."),
        f"{who.german['nom']} {modal('sein', who.in_german)} {german} alt .",
        f"{who.persian} {n.persian} سال {have} .",
    )


def _weather(dice: Dice) -> Triple:
    chosen = dice.pick(range(4))
    rain, regnen, baran = dice.pick((("rain", "regnet", "باران"), ("snow", "schneit", "برف")))
    time = adverb(dice, "now future any") if dice.chance(0.4) else NOTHING
    if chosen == 0:
        english = dice.pick((f"it is {rain}ing", f"it {rain}s"))
        return Triple(
            joined(english, time.english, "."),
            joined("es", regnen, time.german, "."),
            joined(time.persian, baran, "می‌بارد", "."),
        )
    if chosen == 1:
        past = adverb(dice, "past") if dice.chance(0.5) else NOTHING
        return Triple(
            joined(f"it {rain}ed", past.english, "."),
            joined("es hat", past.german, "geregnet" if rain == "rain" else "geschneit", "."),
            joined(past.persian, baran, "بارید", "."),
        )
    row = dice.pick(adjectives("w"))
    degree = adverb(dice, "degree") if dice.chance(0.4) else NOTHING
    was = dice.chance(0.25)
    it = "it" if dice.chance(0.6) else "the weather"
    place = dice.pick(
        (
            NOTHING,
            Triple("outside", "draußen", "بیرون"),
            Triple("here", "hier", "اینجا"),
            Triple("today", "heute", "امروز"),
        )
    )
    subject = "es" if it == "it" else "das Wetter"
    return Triple(
        joined(it, "was" if was else "is", degree.english, row["english"], place.english, "."),
        joined(subject, "war" if was else "ist", place.german, degree.german, row["german"], "."),
        joined(place.persian, "هوا", degree.persian, row["persian"], "بود" if was else "است", "."),
    )


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
    denied = said.mood == "not"
    verb = said.verb
    tail = said.english().removeprefix("you ").removeprefix("do not ")
    early = "dich" if verb.reflexive else ""
    please, bitte, lotfan = ("please", "bitte", "لطفاً") if dice.chance(0.5) else ("", "", "")
    german = joined(verb.imperative, early, *said._german_middle("you"), verb.prefix)
    persian = joined(
        said.persian().removeprefix("شما ").removesuffix(verb.persian("present", "you", denied)).strip(),
        verb.persian("subjunctive", "you", denied),
    )
    if dice.chance(0.25) and not denied:
        we = replace(said, who=pronoun(PRONOUNS[5]))
        persian = joined(
            we.persian().removeprefix("ما ").removesuffix(verb.persian("present", "we")).strip(),
            verb.persian("subjunctive", "we"),
        )
        return Triple(
            f"let us {tail} .", joined("lass uns", *said._german_middle("we"), verb.infinitive, "."), persian + " ."
        )
    if please and dice.chance(0.3):
        return Triple(
            joined("do not" if denied else "", tail, ", please ."), joined(german, ", bitte ."), f"{lotfan} {persian} ."
        )
    return Triple(
        joined(please, "do not" if denied else "", tail, "."), joined(bitte, german, "."), joined(lotfan, persian, ".")
    )


def _two(dice: Dice) -> Triple:
    joint = dice.pick(("and", "but", "because", "because", "when", "if", "or"))
    tense = {"when": dice.pick(("present", "past")), "if": "present"}.get(joint, "")
    second_tense = {
        "when": "past" if tense == "past" else dice.pick(("present", "will")),
        "if": dice.pick(("will", "present", "can", "should")),
    }.get(joint, "")
    first, second = clause(dice, tense, short=True), clause(dice, second_tense, short=True)
    if (joint in ("when", "if", "because") and dice.chance(0.5)) or joint in ("when", "if"):
        first = (
            first
            if dice.chance(0.7)
            else Clause(replace(pronoun(PRONOUNS[4]), persian=""), _RAINS, tense or "present")
        )
    comma = "," if dice.chance(0.3) else ""
    if joint in ("and", "but", "or"):
        german, persian = {"and": ("und", "و"), "but": (", aber", "، اما"), "or": ("oder", "یا")}[joint]
        return Triple(
            joined(first.english(), comma, joint, second.english(), "."),
            joined(first.german(), german, second.german(), "."),
            joined(first.persian(), persian, second.persian(), "."),
        )
    german = {"because": "weil", "if": "wenn", "when": "als" if tense == "past" else "wenn"}[joint]
    persian = {"because": "چون", "if": "اگر", "when": "وقتی"}[joint]
    persian_first = joined(persian, first.persian(if_clause=joint == "if"))
    if joint != "because" and dice.chance(0.6):
        return Triple(
            joined(joint, first.english(), comma or dice.pick((",", ",", "")), second.english(), "."),
            joined(german, first.german("end"), ",", second.german("question"), "."),
            joined(persian_first, "،", second.persian(), "."),
        )
    return Triple(
        joined(second.english(), joint, first.english(), "."),
        joined(second.german(), ",", german, first.german("end"), "."),
        joined(second.persian(), *((persian_first,) if joint != "because" else ("چون", first.persian())), "."),
    )


_RAINS = Verb("rain", "rained", "rained", "regnen", "", "geregnet", "", "بار", "بارید", "باران", "", "0")


def _thought(dice: Dice) -> Triple:
    word = dice.pick(tuple(_SAYING))
    who, said = pronoun(dice.pick(NOT_IT)), clause(dice, short=True)
    infinitive, stem = _SAYING[word].split()
    he = {"wissen": "weiß/weißt"}.get(infinitive, "")
    light, _, stem = stem.rpartition(":")
    verb = Verb(word, "", "", infinitive, he, "", "", stem, "", light, "", "0")
    denied = dice.chance(0.25)
    main = Clause(who, verb, "present", "not" if denied else "plain")
    german = main.german().replace("ich wisse", "ich weiß")
    persian = (
        main.persian()
        if stem != "هست"
        else joined(who.persian, "امیدوار", ("نیست" if denied else "هست") + PAST_ENDINGS[who.person])
    )
    return Triple(
        joined(main.english(), "that" if dice.chance(0.4) else "", said.english(), "."),
        joined(german, ", dass", said.german("end"), "."),
        joined(persian, "که", said.persian(), "."),
    )


def _compared(dice: Dice) -> Triple:
    who = somebody(dice) if dice.chance(0.6) else thing(dice, "thing animal vehicle place", "the own this", plain=True)
    other = (
        pronoun(dice.pick(NOT_IT))
        if dice.chance(0.4)
        else thing(dice, "kin person animal thing", "the own this", plain=True)
    )
    row = dice.pick([row for row in table("adjectives") if row["comparative"]])
    be = {"I": "am", "he": "is"}.get(who.person, "are")
    return Triple(
        f"{who.english} {be} {row['comparative']} than {other.object or other.english} .",
        f"{who.german['nom']} {modal('sein', who.in_german)} {row['german_comparative']} als {other.german['nom']} .",
        f"{who.persian} از {other.persian} {row['persian']}‌تر {BE.persian('present', who.person)} .",
    )


def _favourite(dice: Dice) -> Triple:
    row = dice.pick(nouns("colour color food film movie song animal book sport game word city football"))
    word = dice.pick(("favourite", "favorite"))
    owner = dice.pick(("my", "your", "his", "her"))
    compound = row | {"german": "Lieblings" + row["german"].lower(), "german_plural": "", "weak": ""}
    what = noun_phrase(dice, compound, "own", None, False, owner)
    english = f"{owner} {word} {row['english']}"
    persian = what.persian.replace(row["persian"], joined(row["persian"], "موردعلاقه"), 1).replace(
        "‌ی موردعلاقه", " موردعلاقه"
    )
    if dice.chance(0.4):
        return Triple(f"what is {english} ?", f"was ist {what.german['nom']} ?", f"{persian} چیست ؟")
    if row["english"].startswith("colo"):
        adjective = dice.pick(
            [
                one
                for one in table("adjectives")
                if one["english"] in ("red", "green", "blue", "black", "white", "yellow", "pink", "brown")
            ]
        )
        value = Triple(adjective["english"], adjective["german"].capitalize(), adjective["persian"])
    else:
        name = called(dice)
        value = Triple(name.english, name.german["nom"], name.persian)
    return Triple(
        f"{english} is {value.english} .",
        f"{what.german['nom']} ist {value.german} .",
        f"{persian} {value.persian} است .",
    )


def _wish(dice: Dice) -> Triple:
    """I would like a cup of coffee; i want a dog; i need a new phone."""
    who = pronoun(dice.pick(NOT_IT))
    what = thing(dice, "food drink thing clothes", "a a the this number bare")
    if dice.chance(0.4):
        row = dice.pick([row for row in nouns("drink")])
        measure, maß, andaze, gender = dice.pick(
            (("cup", "Tasse", "فنجان", "f"), ("glass", "Glas", "لیوان", "n"), ("bottle", "Flasche", "بطری", "f"))
        )
        ein = {"f": "eine", "n": "ein"}[gender]
        german = {"acc": f"{ein} {maß} {row['german']}", "nom": f"{ein} {maß} {row['german']}", "dat": f"{ein}"}
        what = Named(f"a {measure} of {row['english']}", "he", german, f"یک {andaze} {row['persian']}", definite=False)
    ra = "را" if what.definite else ""
    persian = joined(who.persian, what.persian, ra, _HELPER("خواه", "").persian("present", who.person))
    please, bitte = (", please", ", bitte") if dice.chance(0.25) else ("", "")
    if dice.chance(0.25):
        return Triple(
            joined(f"can {who.english} have {what.english}", please, "?"),
            joined(f"{modal('can', who.person)} {who.german['nom']} {what.german['acc']} haben", bitte, "?"),
            joined(
                "آیا",
                who.persian,
                _HELPER("توان", "").persian("present", who.person),
                what.persian,
                ra,
                "داشته باش" + ENDINGS[who.person],
                "؟",
            ),
        )
    return Triple(
        joined(f"{who.english} would like {what.english}", please, "."),
        joined(
            f"{modal('would like to', who.person)}".join((f"{who.german['nom']} ", f" {what.german['acc']}")),
            bitte,
            ".",
        ),
        persian + " .",
    )


def _phrase_of_the_book(dice: Dice) -> Triple:
    english, german, persian = dice.pick(table("phrases")).values()
    if dice.chance(0.3):
        english = english.replace(" ,", "").replace("!", ".")
    return Triple(english, german, persian)


def _lone(dice: Dice) -> Triple:
    """A noun phrase, or a word, alone, as people try a translator."""
    what = thing(
        dice,
        "person kin animal food drink thing clothes body vehicle place placezu nature abstract time language",
        "the the a own bare this number",
    )
    if dice.chance(0.25):
        row = dice.pick(table(dice.pick(("adjectives", "adverbs"))))
        return Triple(row["english"] + " .", row["german"] + " .", joined(row["persian"], "."))
    return Triple(what.english + " .", what.german["nom"] + " .", what.persian + " .")


_PATTERNS: tuple[tuple[int, Callable[[Dice], Triple]], ...] = (
    (26, _statement), (11, _question), (8, _asked), (4, _where), (4, _there_is), (3, _name), (4, _this_is), (4, _age),
    (3, _weather), (5, _request), (12, _two), (3, _thought), (2, _compared), (1, _favourite), (3, _wish),
    (10, _phrase_of_the_book), (7, _lone),
)  # fmt: skip
def sentences(seed: int = 0) -> Iterator[Triple]:
    """Yield sentences without end; the same seed gives the same ones."""
    from utils.data.everyday_longer import LONGER, opened

    dice = Dice(seed)
    drawn = [pattern for times, pattern in (*_PATTERNS, *LONGER) for _ in range(times)]
    while True:
        made = dice.pick(drawn)(dice)
        if dice.chance(0.08):
            made = opened(dice, made)
        if max(len(text.split()) for text in (made.english, made.german, made.persian)) <= _LONGEST:
            yield _renumbered(made)


def _renumbered(made: Triple) -> Triple:
    """Return the sentence with the words that are carried over in the order of the English."""
    order = list(dict.fromkeys(word for word in made.english.split() if word in CARRIED))
    names = {word: CARRIED[i] for i, word in enumerate(order)}
    return Triple(
        *(
            " ".join(names.get(word, word) for word in text.split())
            for text in (made.english, made.german, made.persian)
        )
    )
