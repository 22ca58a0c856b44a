"""Which state brings the ending of a verb, in the course's translator and in others: `python -m lessons.persons`."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import torch
from torch import Tensor

from lessons.ablations import COURSE, course_translator
from utils.data.corpora import english_persian
from utils.data.kept import keep, read_kept
from utils.models.watching import watching
from utils.training.train import new_translator, recipe, trainer_of
from utils.training.translator import Translator

PRONOUNS, VERBS, RESTS = ("I", "you", "we", "they"), ("buy", "see", "like", "eat", "read"), ("the bread.", "this book.")
PAIRS = [
    (f"{p} {verb} {rest}", f"{q} {verb} {rest}")
    for p, q in permutations(PRONOUNS, 2)
    for verb in VERBS
    for rest in RESTS
]
PRONOUN, VERB = 0, 1  # places
POINT = ("encoder", 1, "states")  # after the last layer
SEEDS = (1, 2)
_FILE = Path(__file__).with_name("persons.json")


def last_word(text: str) -> str:
    """The last word before the full stop."""
    return text.rstrip(".").split()[-1]


def states_at(translator: Translator, place: int = PRONOUN) -> tuple[Tensor, Tensor]:
    """Return the states at a place of the sentences of PAIRS and of their donors, (120, d) each."""
    found = []
    for sentences in zip(*PAIRS, strict=True):
        source = torch.tensor([translator.source_ids(sentence) for sentence in sentences])
        with torch.no_grad(), watching(translator.model.eval()) as maps:
            translator.model.encode(source)
        found.append(maps[POINT][:, place])
    return tuple(found)


def endings_taken(translator: Translator, states: Tensor, place: int = PRONOUN) -> int:
    """Count the PAIRS whose translation ends like the donor's with these states (120, d) at `place`."""
    sentences, donors = zip(*PAIRS, strict=True)
    with watching(translator.model, changes={POINT: lambda x: x.index_copy(1, torch.tensor([place]), states[:, None])}):
        written = translator.translate_all(sentences)
    wanted = translator.translate_all(donors)
    return sum(
        text.strip(" .") != "" and last_word(text) == last_word(other)
        for text, other in zip(written, wanted, strict=True)
    )


def _counts(translator: Translator) -> dict[str, int]:
    places = {"pronoun": PRONOUN, "verb": VERB}
    return {name: endings_taken(translator, states_at(translator, at)[1], at) for name, at in places.items()}


def _trained(seed: int) -> dict[str, int]:
    corpus = english_persian()
    translator = new_translator(corpus, seed)
    trainer_of(translator, corpus, recipe(seed=seed), tested=1, show=False).train()
    return _counts(translator)


def saved_persons() -> dict[str, dict[str, int]]:
    """What was kept: by the translator's name, how many of PAIRS took the ending, by the place that was put."""
    return read_kept(_FILE)


if __name__ == "__main__":
    torch.set_num_threads(1)
    runs = {COURSE: lambda: _counts(course_translator()), **{f"seed {s}": lambda s=s: _trained(s) for s in SEEDS}}
    keep(_FILE, runs)
