"""Hotel reviews made for this course: short clauses about location, cleanliness, service and price, and small talk.

Every review says of each task whether it is praised, complained about or not mentioned, and where. Some pairs of a
thing and a judgement never occur in the training reviews; the held-out reviews are made of just these pairs.
The idea of a review read by task follows the slides of lecture note N5; the slide's own review is `SLIDE`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from utils.data.vocabulary import Vocabulary

TASKS = ("location", "cleanliness", "service")
NOT_MENTIONED, GOOD, BAD = range(3)
JUDGEMENTS = ("not mentioned", "good", "bad")

SLIDE = (
    "you get what you pay for , not the cleanest rooms but bed was clean and so was bathroom . bring your own towels "
    "though as very thin . service was excellent , let us book in at 8:30am ! for location and price , this ca n't be "
    "beaten , but it is cheap for a reason . if you come expecting the hilton , then book the hilton ! for uk "
    "travellers , think of a blackpool b&b ."
)

# What can be judged, and how. Each kind of thing has judgements of its own, and shares the general ones.
_THINGS = {
    "location": ["location", "area", "street", "neighbourhood", "spot", "walk", "beach", "station", "view"],
    "cleanliness": ["room", "rooms", "bed", "bathroom", "sheets", "carpet", "towels", "floor", "windows"],
    "service": ["service", "staff", "waiter", "receptionist", "reception", "manager", "porter", "desk"],
    "price": ["price", "rate", "bill", "deal", "offer", "discount"],
}
_OWN = {
    "location": (["central", "handy", "quiet", "convenient"], ["remote", "noisy", "inconvenient", "faraway"]),
    "cleanliness": (["clean", "spotless", "fresh", "tidy"], ["dirty", "filthy", "dusty", "stained"]),
    "service": (["friendly", "helpful", "polite", "attentive"], ["rude", "slow", "unhelpful", "careless"]),
    "price": (["cheap", "fair", "low"], ["expensive", "unfair", "steep"]),
}
_GENERAL = (["excellent", "great", "lovely", "perfect", "good"], ["terrible", "awful", "poor", "disappointing", "bad"])
_BEST = {"clean": "cleanest", "quiet": "quietest", "friendly": "friendliest", "good": "best"}

_FRAMES = (
    "the {thing} {was} {judgement}",
    "{thing} {was} {judgement}",
    "we found the {thing} very {judgement}",
    "{judgement} {thing}",
    "the {thing} {is_} really {judgement}",
    "so {judgement} {was} the {thing}",
    "as for the {thing} {it} {was} {judgement}",
)
_DENIED = ("the {thing} {was} not {judgement}", "{not_a} {judgement} {thing}", "{thing} {was} not very {judgement}")
_PLURAL = {"rooms", "sheets", "towels", "windows"}
_ONE = {"was": "was", "is_": "is", "it": "it", "not_a": "not a"}
_MANY = {"was": "were", "is_": "are", "it": "they", "not_a": "not very"}
_MOST = "the {judgement} {thing}"  # with "the cleanest"
_LEAST = "not the {judgement} {thing}"
_UNBEATEN = ("for {thing} this can't be beaten", "for {thing} and value , this can't be beaten")

_SMALL_TALK = (
    "you get what you pay for",
    "bring your own though as very thin",
    "they let us book in at 8:30am",
    "it is so for a reason",
    "if you come expecting the hilton then book the hilton",
    "for uk travellers think of a blackpool b&b",
    "we stayed for two nights",
    "we came by train in may",
    "it was our second time here",
    "my wife had a cold",
    "our children are five and eight",
    "the hotel has forty beds and a lift",
    "we had booked this long ago",
)
_JOINTS = (",", ".", "!", ", but", ", and", "but", "and so", "and")


@dataclass(frozen=True)
class Review:
    """A review in words, with what it says of each task, and where."""

    words: tuple[str, ...]
    labels: tuple[int, ...]  # for each of TASKS: NOT_MENTIONED, GOOD or BAD
    clauses: dict[str, range]  # task (or "price") -> the places of the words of its clause, counted from 0


def words_of(text: str) -> list[str]:
    """A review as somebody types it, cut into lower-case words and marks; "can't", "8:30am" and "b&b" stay whole."""
    text = re.sub(r"\s+n't\b", "n't", text.lower().replace("’", "'"))  # the slide writes "ca n't"
    return re.findall(r"\w+(?:['&:-]\w+)*|[.,!?]", text)


def training_reviews(count: int, seed: int = 0) -> list[Review]:
    """`count` reviews of up to four clauses, each on something else, and up to two of small talk, in any order."""
    rng = np.random.default_rng([seed, 0])
    return [_training_review(rng) for _ in range(count)]


def held_out_reviews(count: int, seed: int = 0) -> list[Review]:
    """`count` reviews of three clauses, one for each task, of pairs that no training review has."""
    rng = np.random.default_rng([seed, 1])
    return [_review(rng, rng.permutation(TASKS).tolist(), held_out=True) for _ in range(count)]


def vocabulary() -> Vocabulary:
    """Every word that a review can have, and those of the slide."""
    judgements = [word for kinds in (*_OWN.values(), _GENERAL) for words in kinds for word in words]
    texts = [*_FRAMES, *_DENIED, _MOST, _LEAST, *_UNBEATEN, *_SMALL_TALK, *_JOINTS, SLIDE, *judgements, *_BEST.values()]
    texts += [thing for things in _THINGS.values() for thing in things] + [*_ONE.values(), *_MANY.values()]
    return Vocabulary.from_texts([words_of(re.sub(r"{\w+}", "", text)) for text in texts])


def is_held_out(thing: str, judgement: str) -> bool:
    """Whether this pair, about one in five, is kept out of the training reviews."""
    return zlib.crc32(f"{thing} {judgement}".encode()) % 5 == 0


def _training_review(rng: np.random.Generator) -> Review:
    subjects = rng.permutation(list(_THINGS)).tolist()[: rng.integers(0, 5)]
    small_talk = rng.choice(_SMALL_TALK, size=rng.integers(0 if subjects else 1, 3), replace=False).tolist()
    return _review(rng, subjects, small_talk)


def _review(
    rng: np.random.Generator, subjects: Sequence[str], small_talk: Sequence[str] = (), held_out: bool = False
) -> Review:
    """A review with a clause for each of `subjects`, and the small talk among them."""
    clauses = {subject: _clause(rng, subject, held_out) for subject in subjects}
    parts = [(subject, words.split()) for subject, (words, _) in clauses.items()]
    parts += [("", words.split()) for words in small_talk]
    words: list[str] = []
    places = {}
    for number in rng.permutation(len(parts)):
        if words:
            words += _one_of(rng, _JOINTS).split()
        subject, part = parts[number]
        if subject:
            places[subject] = range(len(words), len(words) + len(part))
        words += part
    labels = tuple(clauses[task][1] if task in clauses else NOT_MENTIONED for task in TASKS)
    return Review((*words, "."), labels, places)


def _one_of(rng: np.random.Generator, choices: Sequence[Any]) -> Any:
    """What `rng.choice` would draw of them; it makes an array of them first, which takes much longer."""
    return choices[rng.integers(len(choices))]


def _clause(rng: np.random.Generator, subject: str, held_out: bool) -> tuple[str, int]:
    """A clause about `subject`, and whether it is GOOD or BAD."""
    label = _one_of(rng, [GOOD, BAD])
    while True:
        thing = _one_of(rng, _THINGS[subject])
        frame, meant = _frame(rng, label)
        judgement = _one_of(rng, [*_OWN[subject][meant - 1], *_GENERAL[meant - 1]])
        if frame in (_MOST, _LEAST):
            judgement = _BEST.get(judgement, "")
        if frame in _UNBEATEN:
            judgement = "beaten"
        if judgement and is_held_out(thing, judgement) == held_out:
            return frame.format(thing=thing, judgement=judgement, **(_MANY if thing in _PLURAL else _ONE)), label


def _frame(rng: np.random.Generator, label: int) -> tuple[str, int]:
    """A frame for a clause that means `label`, and what the judgement in it must mean by itself."""
    kind = rng.random()
    if kind < 0.15:
        return _one_of(rng, _DENIED), BAD if label == GOOD else GOOD
    if kind < 0.25:
        return (_MOST, GOOD) if label == GOOD else (_LEAST, GOOD)
    if kind < 0.35 and label == GOOD:
        return _one_of(rng, _UNBEATEN), GOOD
    return _one_of(rng, _FRAMES), label
