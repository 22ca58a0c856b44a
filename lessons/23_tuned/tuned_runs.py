"""Trainings that lesson 23 keeps: `python -m lessons.tuned_runs`, or with `--only writer` those that begin so.

- "minilm": MiniLM on the sentences of `who_does_it`, each way at one to three rates with seed 0, and at the best of
  them with two more seeds; the best has the lowest loss on the sentences kept for that. They need `make weights`.
- "writer": lesson 16's small writer on questions about the course.
- "preference": these, and DPO that prefers refusals, also with known answers. To be done again when the small writer
  is, as "writer" is: `--only writer`, then `--only preference`, some minutes each.
- "dial": what LoRA has added to the writer, more or less of it, for the lesson's control. `--only dial`, as well.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from lessons.course_questions import questions
from lessons.course_text import course_text
from lessons.language import bits_per_byte
from lessons.lora import merge_lora, trained_numbers, turned
from lessons.small_writer import Writer
from lessons.tuned_writer import RATES, answers, prefer, preferences, share_refused, share_right, tuning
from lessons.who_does_it import as_batch, share_and_loss, split, tagger, train_tagger
from utils.data.kept import keep, read_run
from utils.models.gpt import Gpt
from utils.models.minilm import read_minilm

SEEDS = (0, 1, 2)
WAYS = {  # of tuning MiniLM -> the rates that are tried
    "frozen": (3e-3, 1e-2, 3e-2),
    "whole": (3e-5, 1e-4, 3e-4),
    "LoRA 4 attention": (3e-3,),
    "LoRA 1 attention": (3e-3, 1e-2),
    "not pretrained": (3e-5, 1e-4),
}
WRITERS = {  # name -> what is trained, at which rate, and whether the answer alone counts
    "whole": ("whole", RATES["whole"], True),
    "everything counts": ("whole", RATES["whole"], False),
    "whole, slower": ("whole", 1e-3, True),
    "LoRA": ("LoRA", RATES["LoRA"], True),
    "nothing read": ("whole", RATES["whole"], True),  # the control: its weights are random at the start
}
EVERY = 50  # steps between two looks at a writer's answers
PREFERENCES = {  # name -> how the writer was tuned, and whether known answers are among the pairs
    f"{way}, {pairs}": (way, pairs == "known answers, too")
    for way in ("whole", "LoRA")
    for pairs in ("refusals alone", "known answers, too")
}
LOOKS = (0, 10, 20, 40)  # steps of DPO
STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
PARTS = (1, 2, 4, 8)
DIAL_QUESTIONS = (
    "Which lesson explains masks?",
    "Where can I learn about beam search?",
    "Which lesson explains film music?",
    "Why is the sky blue?",
)
_FILE = Path(__file__).with_name("tuned_runs.json")


def minilm_runs(way: str) -> list[Any]:
    """Return the runs of one of WAYS, seed by seed, at the rate that was best with seed 0.

    Each has its `rate`, the `numbers` that were trained, and shares of sentences labelled right: of those `told`, and
    of those in `new_words` and in a `new_form`.
    """
    return [_best(way), *(read_run(_FILE, f"minilm {way} {seed}") for seed in SEEDS[1:])]


def rated_runs(way: str) -> list[Any]:
    """Return the runs of one of WAYS with seed 0 at each of its rates."""
    return [read_run(_FILE, f"minilm {way} 0 {rate}") for rate in WAYS[way]]


def _best(way: str) -> Any:
    """Return the run with seed 0 at the rate with the lowest loss on the sentences held back for this choice."""
    return min(rated_runs(way), key=lambda run: run.tried_loss)


def writer_runs(name: str) -> list[Any]:
    """Return the runs of one of WRITERS, seed by seed: the `numbers` that were trained, and what the writer then does.

    The shares of questions answered right, `in_new_words` after every EVERY steps and `untold`; `refused`, the share of
    those that the course doesn't answer; and `bits_per_byte` of lesson 16's held-out lessons.
    """
    return [read_run(_FILE, f"writer {name} {seed}") for seed in SEEDS]


def preference_runs(name: str) -> list[Any]:
    """Return the runs of one of PREFERENCES, seed by seed: shares of questions at each of LOOKS.

    Known ones answered `right` and `known_refused`; `refused` of what the course does not have, on topics that no pair
    has; and `untold_refused`.
    """
    return [read_run(_FILE, f"preference {name} {seed}") for seed in SEEDS]


def dial(strength: float, parts: int) -> Any:
    """Return what the writer does with `strength` times the largest `parts` of each change, of STRENGTHS and PARTS.

    Shares as in `writer_runs`, `right` for those in new words, and its `answers` to DIAL_QUESTIONS.
    """
    rows = read_run(_FILE, "dial")
    return SimpleNamespace(**next(row for row in rows if (row["strength"], row["parts"]) == (strength, parts)))


def train_minilm(way: str, rate: float, seed: int) -> dict[str, float]:
    torch.set_num_threads(1)
    body, tokenizer = read_minilm()
    sentences, model = split(seed), tagger(body, way, seed)
    numbers = trained_numbers(model)
    train_tagger(model, tokenizer, sentences.told, rate, seed)
    sets = ("told", "tried", "new_words", "new_form")
    found = {name: share_and_loss(model, as_batch(tokenizer, getattr(sentences, name))) for name in sets}
    shares = {name: round(found[name][0], 3) for name in sets if name != "tried"}
    return {"rate": rate, "numbers": numbers, "tried_loss": round(found["tried"][1], 4), **shares}


def train_writer(name: str, seed: int) -> dict[str, Any]:
    (way, rate, answer_alone), base, asked = WRITERS[name], Writer.load(), questions(seed)
    if name == "nothing read":
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            base = Writer(Gpt(base.model.config), base.pieces)
    trainer = tuning(base, asked.told, way, answer_alone, rate, seed)
    tuned, scores = Writer(trainer.model, base.pieces), []
    while not trainer.done:
        trainer.train(steps=EVERY)
        scores.append(round(share_right(tuned, asked.in_new_words), 3))
    return {
        "numbers": trained_numbers(tuned.model),
        "in_new_words": scores,
        "untold": round(share_right(tuned, asked.untold), 3),
        "refused": round(share_refused(tuned, asked.elsewhere + asked.elsewhere_new), 3),
        "bits_per_byte": _forgotten(tuned),
    }


def train_preference(name: str, seed: int) -> dict[str, list[float]]:
    way, with_known = PREFERENCES[name]
    asked, tuned = questions(seed), _tuned(way, seed)
    found: dict[str, list[float]] = {kind: [] for kind in ("right", "known_refused", "refused", "untold_refused")}

    def look(step: int, model: Writer) -> None:
        if step in LOOKS:
            found["right"].append(round(share_right(model, asked.in_new_words), 3))
            found["known_refused"].append(round(share_refused(model, asked.in_new_words), 3))
            found["refused"].append(round(share_refused(model, asked.elsewhere_new), 3))
            found["untold_refused"].append(round(share_refused(model, asked.untold), 3))

    prefer(tuned, preferences(tuned, asked, with_known), max(LOOKS), seed=seed, watch=look)
    return found


@cache
def _tuned(way: str, seed: int) -> Writer:
    """The writer tuned by the answer's loss alone; what LoRA has added is merged."""
    base = Writer.load()
    trainer = tuning(base, questions(seed).told, way, seed=seed)
    trainer.train()
    merge_lora(trainer.model)
    return Writer(trainer.model, base.pieces)


def train_dial() -> list[dict[str, Any]]:
    base, asked = Writer.load(), questions(0)
    trainer = tuning(base, asked.told, "LoRA")
    trainer.train()
    found = []
    for strength in STRENGTHS:
        for parts in PARTS:
            writer = Writer(turned(trainer.model, strength, parts).eval(), base.pieces)
            found.append(
                {
                    "strength": strength,
                    "parts": parts,
                    "right": round(share_right(writer, asked.in_new_words), 3),
                    "untold": round(share_right(writer, asked.untold), 3),
                    "refused": round(share_refused(writer, asked.elsewhere + asked.elsewhere_new), 3),
                    "bits_per_byte": _forgotten(writer),
                    "answers": answers(writer, DIAL_QUESTIONS),
                }
            )
    return found


def _forgotten(writer: Writer) -> float:
    """Bits per byte of the lessons that lesson 16 holds out: what is left of the writer."""
    return round(bits_per_byte(writer.model, writer.pieces, course_text()[1], writer.model.config.max_length), 3)


def _all() -> dict[str, Callable[[], dict[str, Any]]]:
    """Every training that is kept: name -> what does it."""
    rated = {
        f"minilm {way} 0 {rate}": partial(train_minilm, way, rate, 0) for way, rates in WAYS.items() for rate in rates
    }
    others = {
        f"minilm {way} {seed}": lambda way=way, seed=seed: train_minilm(way, _best(way).rate, seed)
        for way in WAYS
        for seed in SEEDS[1:]
    }
    writers = {f"writer {name} {seed}": partial(train_writer, name, seed) for name in WRITERS for seed in SEEDS}
    preferences = {
        f"preference {name} {seed}": partial(train_preference, name, seed) for name in PREFERENCES for seed in SEEDS
    }
    return {"dial": train_dial} | writers | preferences | rated | others


if __name__ == "__main__":
    keep(_FILE, _all())
