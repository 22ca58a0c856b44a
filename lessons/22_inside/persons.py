"""Which state brings the ending of a verb, in the course's translator and in others: `python -m lessons.persons`."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import torch

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
SEEDS = (1, 2)
_FILE = Path(__file__).with_name("persons.json")


def last_word(text: str) -> str:
    """The last word before the full stop."""
    return text.rstrip(".").split()[-1]


def endings_taken(translator: Translator, place: int) -> int:
    """How many of PAIRS have the donor's last word when the state of `place` behind the encoder's last layer is its."""
    model = translator.model.eval()
    point = ("encoder", model.config.n_encoder_layers - 1, "states")
    taken = 0
    for sentence, donor in PAIRS:
        with torch.no_grad(), watching(model) as maps:
            model.encode(torch.tensor([translator.source_ids(donor)]))
        state = maps[point][:, place : place + 1]
        with watching(model, changes={point: lambda x, state=state: x.index_copy(1, torch.tensor([place]), state)}):
            put = translator.translate(sentence)
        taken += last_word(put) == last_word(translator.translate(donor))
    return taken


def _counts(translator: Translator) -> dict[str, int]:
    return {name: endings_taken(translator, place) for name, place in (("pronoun", PRONOUN), ("verb", VERB))}


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
