"""The opening figure of lesson 22: one state is taken from a donor and put into a sentence, and the answer moves."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from lessons.patching import Patching
from utils.show.candidates import percent
from utils.show.live import Choice, Drawing, LiveControl, Note, Panel
from utils.show.shapes import arrows, bars, frames, words
from utils.training.translator import Translator

_SENTENCE = "They drink cold water."
DONORS = ("They buy cold water.", "They drink hot water.", "They drink cold tea.")
WORDS = ("they", "drink", "cold", "water", ".")
_LEFT, _STEP, _WIDE = 66, 59, 55  # pixels: where the words begin, from word to word, the width of a word
_DONOR, _OWN, _ANSWER = 4, 72, 143  # pixels from the top: the donor, the sentence, and the bars
_BAR, _FULL = 150, 150  # pixels: where the bars begin, and a bar of 100 %


def one_patch() -> LiveControl:
    """Return the figure: the reader chooses the donor, and the word whose state is replaced."""
    knobs = [Choice("donor", DONORS), Choice("state", WORDS, "drink", label="replace the state of")]
    return LiveControl(patched, knobs, alt="A state moves from a donor to a sentence, and changes two probabilities.")


def patched(donor: str, state: str) -> list[Panel]:
    """Return the sentence with one word's state, after the encoder's last layer, taken from the donor.

    The bars are the probabilities of the two words in which the two translations differ.
    """
    translator, patching = _translator()
    at, last, takes = WORDS.index(state), patching.levels - 1, patching.takes(_SENTENCE, donor)
    after, before = patching.translate(_SENTENCE, donor, at, last), patching.translate(_SENTENCE, _SENTENCE, 0, 0)
    shares = {takes.own: takes.keeps[last, at], takes.wanted: takes.shares[last, at]}
    (own, keeps), (wanted, gets) = ((word, percent(share)) for word, share in shares.items())
    told = f"{wanted} gets {gets} and {own} {keeps}."
    still, now = (f"{told} The translation is {verb} {text}" for verb, text in (("still", before), ("now", after)))
    drawing = _drawn(translator.one_sentence(donor), at, takes.before, shares)
    alt = f"With the state of “{state}” from “{donor}”, {told}"
    return [Drawing(drawing, (360, 214), alt), Note(still if after == before else now, max(still, now, key=len))]


@cache
def _translator() -> tuple[Translator, Patching]:
    translator = Translator.load(files("utils.training") / "translator.safetensors")
    return translator, Patching(translator)


def _drawn(donor: list[str], at: int, before: str, shares: dict[str, float]) -> str:
    made = ""
    for top, name, tokens in ((_DONOR, "donor", donor), (_OWN, "sentence", WORDS)):
        made += words("s", 2, top + 21, name, 14, at="start")
        for i, token in enumerate(tokens):
            box = (_LEFT + _STEP * i, top, _WIDE, 32)
            hue = "q45" if i == at else "q15" if top == _DONOR else "l25"
            made += bars(hue, [box], 6) + words("i", box[0] + _WIDE / 2, top + 21, token, 15, i == at)
            made += frames("q", [box]) if i == at else ""
    middle = _LEFT + _STEP * at + _WIDE / 2
    made += arrows("q", [(middle, _DONOR + 36, middle, _OWN - 4)], 4)
    made += words("s", 2, _ANSWER - 14, f"the next word after {before}", 14, at="start")
    for y, (word, share) in zip((_ANSWER, _ANSWER + 36), shares.items(), strict=True):
        made += words("i", 2, y + 21, word, 14, at="start")
        made += bars("l15", [(_BAR, y, _FULL, 30)], 3) + bars("a", [(_BAR, y, max(1.5, _FULL * share), 30)], 3)
        made += words("i", _BAR + _FULL + 8, y + 21, percent(share), 14, at="start")
    return made
