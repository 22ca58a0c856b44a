"""Clauses of everyday speech: who does or is what, in three languages and in any order of the words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from utils.data.everyday import (
    BE,
    CARRIED,
    ENCLITICS,
    NOT_IT,
    PRONOUNS,
    REFLEXIVE,
    Named,
    Triple,
    Verb,
    adjectives,
    adverb,
    called,
    carried,
    city,
    company,
    goal,
    modal,
    moment,
    pronoun,
    pronouns,
    somebody,
    spot,
    table,
    thing,
    triple,
    verbs,
)
from utils.data.grammar import Dice, be, joined

NOTHING = Triple("", "", "")
_LIKING = ("like to", "love to", "like doing", "love doing")
_PERSIAN_MODALS = {  # what the Persian says before the subjunctive, by the stem of the present or past
    "can": "توان present", "could": "توان present", "want to": "خواه present", "would like to": "خواه present",
    "wanted to": "خواست imperfect", "may": "توان present", **dict.fromkeys(_LIKING, "دوست دار present"),
}  # fmt: skip
_MUST = ("must", "have to", "need to", "should", "had to")
_ENGLISH = {
    "continuous": ("be", "{doing}"), "was doing": ("was", "{doing}"), "been doing": ("have", "been {doing}"),
    "perfect": ("have", "{participle}"), "going to": ("be", "going to {base}"),
    "would like to": ("would", "like to {base}"),
}  # fmt: skip
BEFORE_THE_VERB = ("always", "often", "never", "sometimes", "usually", "ever", "already", "just")
_GIVING = ("give", "show", "tell", "send", "bring", "write")
_HER_TRADES = {"Arzt": "Ärztin", "Zahnarzt": "Zahnärztin", "Koch": "Köchin", "Anwalt": "Anwältin", "Bauer": "Bäuerin"}
_HER_TRADES |= {"Kunde": "Kundin", "Kollege": "Kollegin", "Chef": "Chefin", "Teenager": "Teenager"}
WH = {"where": "wo کجا", "when": "wann کی", "why": "warum چرا", "how": "wie چطور"}
_FEELING = {"base": "feel", "past": "felt", "participle": "felt", "german": "sich:fühlen"}
_SEEMING = (
    replace(BE, **_FEELING, he="", german_participle="gefühlt", flags=""),
    Verb("look", "looked", "looked", "aus|sehen", "sieht", "ausgesehen", "", "رس", "رسید", "به نظر", "", ""),
    Verb("become", "became", "become", "werden", "wird/wirst", "geworden", "sein", "شو", "شد", "", "", ""),
    Verb("get", "got", "got", "werden", "wird/wirst", "geworden", "sein", "شو", "شد", "", "", ""),
)


@dataclass(frozen=True)
class Clause:
    """Who does what, where, when and how: enough to say it in each language, in any word order."""

    who: Named
    verb: Verb
    tense: str = "present"
    mood: str = "plain"  # or "not" or "question"
    what: Named | None = None
    whom: Named | None = None  # who is given something
    rest: Triple = NOTHING  # an adjective, a place, a manner
    time: Triple = NOTHING
    degree: Triple = NOTHING
    asks: str = ""  # "where", "what", ...
    to_whom: bool = False  # "gives the book to me" rather than "gives me the book"

    @property
    def target(self) -> Named | None:
        """Return the object of the verb, or None if the question asks for it."""
        return self.what if self.asks != "what" else None

    # --- English ---

    def english(self, order: str = "main") -> str:
        """Return the English words. order: "main", "question" or "base", which has no subject."""
        person, verb, denied = self.who.person, self.verb, self.mood == "not"
        asked = order == "question"
        aux, main = self._english_verb(person, denied or asked)
        target = (self.target.object or self.target.english) if self.target else ""
        whom = (self.whom.object or self.whom.english) if self.whom else ""
        whom, to = ("", f"to {whom}") if self.to_whom and whom else (whom, "")
        tail = joined(whom, target, to, self.degree.english, self.rest.english, self.time.english)
        if verb is BE:
            tail = joined(target, self.degree.english, self.rest.english, self.time.english)
        no = "not" if denied else ""
        often = ""
        if self.time.english in BEFORE_THE_VERB:
            often, tail = self.time.english, tail.removesuffix(self.time.english).strip()
        if order == "base":
            return joined(verb.base, tail)
        if asked:
            return joined(aux, self.who.english, no, often, main, tail)
        if not aux:
            return joined(self.who.english, often, main, tail)
        return joined(self.who.english, aux, no, often, main, tail)

    def _english_verb(self, person: str, helped: bool) -> tuple[str, str]:
        verb, tense, he = self.verb, self.tense, person == "he"
        if verb is BE and tense in ("present", "past"):
            return be(person, tense == "past"), ""
        do, has, doing = "does" if he else "do", "has" if he else "have", verb.inflected("ing")
        if tense in ("present", "past"):
            if helped:
                return ("did" if tense == "past" else do), verb.base
            return "", (verb.past if tense == "past" else verb.inflected("s") if he else verb.base)
        if tense in _ENGLISH:
            aux, main = _ENGLISH[tense]
            aux = {"be": be(person), "was": be(person, True), "have": has}.get(aux, aux)
            return aux, main.format(base=verb.base, doing=doing, participle=verb.participle)
        first, _, to = tense.partition(" ")
        if not to:
            return tense, verb.base
        base = {"wanted": "want", "had": "have"}.get(first, first)
        last = doing if to == "doing" else f"to {verb.base}"
        if helped:
            return (do if base == first else "did"), f"{base} {last}"
        return "", f"{(has if first == 'have' else f'{first}s') if he and base == first else first} {last}"

    # --- German ---

    def german(self, order: str = "main", front: str = "") -> str:
        """Return the German words. order: "main", "question" (the verb first, or after `front`), "end" or "zu"."""
        person = self.who.in_german
        finite, last = self._german_verb(person)
        if self.tense == "could" and (order != "question" or front):
            finite = modal("was able to", person)
        subject = self.who.german["nom"]
        time, middle = self.time.german, self.german_middle(person)
        early, target = "", self.target
        if target and target.pronoun and self.verb is not BE and ":" not in self.verb.flags:
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

    def german_middle(self, person: str) -> list[str]:
        """Return what is between the German verb and its end: to whom, what, where, with nicht in its place."""
        verb, denied, target = self.verb, self.mood == "not", self.target
        no = "nicht" if denied else ""
        if self.tense in _LIKING:
            no = joined(no, "gern")
        parts = [self.whom.german["dat"]] if self.whom else []
        rest = joined(self.degree.german, self.rest.german)
        if not target:
            return [*parts, no, rest]
        none = target.denied if denied else None
        if verb is BE:
            return [joined("" if none else no, (none or target.german)["nom"]), rest]
        case = "dat" if "dat" in verb.flags.split() else "acc"
        if ":" in verb.flags:
            preposition, case = next(flag for flag in verb.flags.split() if ":" in flag).split(":")
            return [joined(no, preposition, target.german[case]), rest]
        return [*parts, (none or target.german)[case], no.removeprefix("nicht") if none else no, rest]

    # --- Persian ---

    def persian(self, asked: bool = False, if_clause: bool = False) -> str:
        """Return the Persian words, with a wh-word before the verb where it asks for something."""
        person, denied, tense, verb = self.who.person, self.mood == "not", self.tense, self.verb
        target, before = self.target, ""
        nobody = any(text.startswith("هیچ") for text in (self.who.persian, self.what.persian if self.what else ""))
        denied = denied or nobody or self.time.persian == "هرگز"
        said = verb.persian("subjunctive", person)
        if tense == "had to":
            before = "لازم نبود" if denied else "باید"
            said = said if denied else verb.persian("imperfect", person)
        elif tense in _MUST:
            before = ("نباید" if tense in ("must", "should") else "لازم نیست") if denied else "باید"
        elif tense == "might":
            before = "ممکن نیست" if denied else "ممکن است"
        elif tense == "could" and not asked:
            before = helping("توانست").persian("imperfect", person, denied)
        elif tense in _PERSIAN_MODALS:
            *light, stem, kind = _PERSIAN_MODALS[tense].split()
            before = helping(stem, *light).persian(kind, person, denied)
        else:
            kinds = {"continuous": "present", "been doing": "present", "would": "imperfect", "was doing": "imperfect"}
            kinds |= {"will": "future", "going to": "future"}
            kind = "subjunctive" if if_clause and tense == "present" else kinds.get(tense, tense)
            said = verb.persian(kind, person, denied)
        ra = "را" if target and target.definite and not verb.marker and verb is not BE else ""
        what = joined(verb.marker, target.persian, ra) if target else ""
        whom = f"به {self.whom.persian}" if self.whom else ""
        wh = WH[self.asks].split()[1] if self.asks in WH else ""
        if self.asks == "what":
            wh = f"{verb.marker} چه" if verb.marker else "چه چیزی را"
        why, wh = (wh, "") if self.asks == "why" else ("", wh)
        whom, what, rest = (_own(self.who, text) for text in (whom, what, self.rest.persian))
        return joined(
            "آیا" if asked and not self.asks else "", self.who.persian, self.time.persian, why, before, whom, what,
            self.degree.persian, rest, wh, said,
        )  # fmt: skip


def _own(who: Named, text: str) -> str:
    """Return the Persian with خودم for my own, if the owner is the one who does it."""
    if not who.pronoun:
        return text
    self = "خود" + ENCLITICS[who.person]
    return " ".join(self if i and word == who.persian else word for i, word in enumerate(text.split()))


def helping(stem: str, light: str = "") -> Verb:
    """Return a verb that is used only in Persian, from its present or past stem."""
    return Verb("", "", "", "", "", "", "", stem, stem, light, "", "")


_TENSES = (
    *["present"] * 6, *["past"] * 5, *["continuous"] * 4, "was doing", "perfect", "perfect", "will", "will", "going to",
    "can", "can", "could", "want to", "want to", "would like to", "have to", "need to", "must", "should", *_LIKING,
    "wanted to", "had to", "might", "would", "been doing",
)  # fmt: skip
_STATIVE = (
    *("have", "like", "love", "hate", "know", "need", "want", "understand", "believe", "see", "hear", "forget"),
    *("find", "prefer", "trust", "exist", "remember", "lose"),
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
            others = [row for row in PRONOUNS if row[1] != who.person and row[0] != "it"]
            whom = pronoun(dice.pick(others)) if dice.chance(0.6) else thing(dice, "kin person", "own the")
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
            german = joined(ride.german, rest.german)
            rest = Triple(joined(rest.english, ride.english), german, joined(ride.persian, rest.persian))
    elif kind == "from":
        there, place = city(dice, "from aus از"), thing(dice, "place", "the", plain=True)
        german = f"aus {place.german['dat']}".replace("aus dem Markt", "vom Markt")
        rest = there if dice.chance(0.5) else Triple(f"from {place.english}", german, f"از {place.persian}")
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
            "going to": "future", "continuous": "now", "present": "now any never", "wanted to": "past",
            "had to": "past",
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
    """Return a clause that says that somebody or something is old, a doctor, or in the garden."""
    mood, chosen = ("not" if dice.chance(0.2) else "plain"), dice.pick(range(10))
    when, time = {"past": "past", "present": "now", "will": "future"}.get(tense), NOTHING
    if dice.chance(0.15) and when:
        time = adverb(dice, when)
    if chosen < 3:
        return Clause(who, BE, tense, mood, rest=spot(dice), time=time)
    if chosen < 5 and who.person != "they" and who.person != "we":
        what = thing(dice, "person", "a" if dice.chance(0.8) else "own")
        if what.english.startswith(("a ", "an ")) and len(what.english.split()) == 2:  # German: a trade has no article
            bare = {case: said.partition(" ")[2] for case, said in what.german.items()}
            if who.english == "she":
                bare = {case: _her_trade(said) for case, said in bare.items()}
            none = {case: "kein" + "e" * bare["nom"].endswith("in") + " " + said for case, said in bare.items()}
            what = replace(what, german=bare, denied=none, persian=what.persian.removeprefix("یک "))
        return Clause(who, BE, tense, mood, what=what)
    degree = adverb(dice, "degree") if dice.chance(0.3) else NOTHING
    if chosen < 7:
        if dice.chance(0.75):
            kinds = "thing food drink clothes vehicle place placezu abstract animal nature body"
            who = thing(dice, kinds, "the the own own this")
        else:
            who = pronoun(dice.pick((PRONOUNS[4], *pronouns("this"))))
        return Clause(who, BE, tense, mood, rest=_adjective(dice, "ptlxwf"), degree=degree, time=time)
    verb = dice.pick(_SEEMING) if dice.chance(0.2) else BE
    return Clause(who, verb, tense, mood, rest=_adjective(dice, "ps"), degree=degree, time=time)


def _her_trade(word: str) -> str:
    if word in _HER_TRADES:
        return _HER_TRADES[word]
    return word + "in" * word.endswith(("er", "ist", "ent", "eur", "or", "ot", "at"))


def _adjective(dice: Dice, fits: str) -> Triple:
    if dice.chance(0.05):
        return carried(dice)
    return triple(dice.pick(adjectives(fits) if dice.chance(0.9) else table("adjectives")))


# --- sentences ---


def sentence(english: str, german: str, persian: str, mark: str = ".") -> Triple:
    """Return a sentence in three languages with its punctuation mark."""
    return Triple(f"{english} {mark}", f"{german} {mark}", f"{persian} {'؟' if mark == '?' else mark}")


def stated(said: Clause) -> Triple:
    """Return a clause as a statement."""
    return sentence(said.english(), said.german(), said.persian())


def questioned(said: Clause, wh: str = "", front: str = "") -> Triple:
    """Return a clause as a question, which may begin with a wh-word and its German."""
    english = joined(wh, said.english("question"))
    return sentence(english, said.german("question", front), said.persian(asked=True), "?")


def where_is(what: Named) -> Triple:
    """Ask where somebody or something is."""
    german = f"wo {modal('sein', what.in_german)} {what.german['nom']}"
    persian = f"{what.persian} {'کجا هستند' if what.person == 'they' else 'کجاست'}"
    return sentence(f"where {be(what.person)} {what.english}", german, persian, "?")


def somebody_else(dice: Dice) -> Named:
    """Return who or what somebody is compared with."""
    if dice.chance(0.4):
        return pronoun(dice.pick(NOT_IT))
    return thing(dice, "kin person animal thing", "the own this", plain=True)
