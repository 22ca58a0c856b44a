"""Questions about the course and their answers: what lesson 23 tunes the small writer of lesson 16 on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from tokenizers import Tokenizer
from torch import Tensor

from utils.training.batches import padded

TOPICS = {
    "02 Tokens and embeddings": "tokens, embeddings, unknown words, vocabularies",
    "02b Mathematics": "slopes, the chain rule, matrix products, gradients",
    "03 Word vectors": "word vectors, protein vectors, negative samples, analogies",
    "04 Positions": "positions, sinusoids, rotary positions, word order",
    "05 Self-attention": "queries, keys, values, attention weights",
    "06 Scaled dot product": "dot products, the factor of the scores, large scores, temperatures",
    "07 Multi-head attention": "several heads, head splitting, shared keys, output projections",
    "08 Masks": "masks, padding, hidden futures, causal attention",
    "09 Residuals": "residuals, layer norms, deep stacks, means and variances",
    "10 The encoder": "encoders, encoder blocks, feed-forward layers, activations",
    "11 The decoder": "decoders, cross-attention, target words, memory",
    "12 Training": "training, losses, learning rates, label smoothing",
    "13 Decoding": "beam search, greedy decoding, sampling, caches",
    "14 Attention maps": "attention maps, explanations, alignments, translations",
}  # fmt: skip
FORMS = (
    "Which lesson explains {}?",
    "Where do I read about {}?",
    "Which lesson is about {}?",
    "Where can I learn about {}?",
    "What should I open for {}?",
    "Which lesson has {}?",
)
ELSEWHERE = (  # what the course says nothing about
    *("football", "cooking rice", "the French revolution", "tax law", "growing roses", "old cars", "piano music"),
    *("wild birds", "the moon", "sailing boats", "baking bread", "cheap hotels", "back pain", "chess openings"),
    *("winter coats", "guitar chords", "coral reefs", "garden tools", "train tickets", "mountain huts", "cat food"),
    *("house prices", "Roman roads", "film music"),
)
REFUSAL = "I do not know."
END = "\n"  # ends an answer
REFUSED, PREFERRED = 4, 14  # of ELSEWHERE: refused in the tuning; those up to here are asked in the preference step


@dataclass(frozen=True)
class Asked:
    """A question and the answer that is wanted."""

    question: str
    answer: str

    @property
    def prompt(self) -> str:
        return f"Q: {self.question}\nA:"

    @property
    def text(self) -> str:
        return f"{self.prompt} {self.answer}{END}"


def asked(topic: str, form: int, lesson: str | None) -> Asked:
    """A topic in one of FORMS, and its lesson; None for what the course does not have."""
    return Asked(FORMS[form].format(topic), REFUSAL if lesson is None else f"Lesson {lesson}.")


@dataclass(frozen=True)
class Questions:
    """What is told in the tuning, and what is asked afterwards."""

    told: list[Asked]
    in_new_words: list[Asked]  # of topics that were told, in a form in which they were not
    untold: list[Asked]  # one topic of each lesson was never told
    elsewhere: list[Asked]  # topics that the course does not have, asked in the preference step
    elsewhere_new: list[Asked]  # others of these


def questions(seed: int) -> Questions:
    """The draw with this seed: which topic of a lesson is not told, and in which two forms a topic is held out."""
    random = np.random.default_rng([23, seed])
    told, in_new_words, untold = [], [], []
    for lesson, topics in TOPICS.items():
        names = topics.split(", ")
        missing = random.integers(len(names))
        for i, topic in enumerate(names):
            order = random.permutation(len(FORMS))
            if i == missing:
                untold += [asked(topic, form, lesson) for form in order[:2]]
            else:
                told += [asked(topic, form, lesson) for form in order[:4]]
                in_new_words += [asked(topic, form, lesson) for form in order[4:]]
    others = [str(topic) for topic in random.permutation(ELSEWHERE)]
    forms = range(len(FORMS))
    told += [asked(topic, form, None) for topic in others[:REFUSED] for form in forms]
    return Questions(
        told,
        in_new_words,
        untold,
        [asked(topic, form, None) for topic in others[REFUSED:PREFERRED] for form in forms],
        [asked(topic, form, None) for topic in others[PREFERRED:] for form in forms],
    )


def encoded(pieces: Tokenizer, asked: Sequence[Asked], answer_alone: bool) -> tuple[Tensor, Tensor]:
    """What is read, and what is to be said then, (B, N) each; what does not count in the loss is 0, as padding is."""
    read, said = [], []
    for one in asked:
        ids = pieces.encode(one.text).ids
        first = len(pieces.encode(one.prompt).ids) if answer_alone else 1  # the first piece that counts
        read.append(ids[:-1])
        said.append([0] * (first - 1) + ids[first:])
    return padded(read), padded(said)


def question_batches(
    pieces: Tokenizer, asked: Sequence[Asked], rows: int, seed: int, answer_alone: bool
) -> Callable[[int], tuple[Tensor, Tensor]]:
    """Batch number n: `rows` of the questions, drawn at random, as `encoded` has them."""

    def batch(n: int) -> tuple[Tensor, Tensor]:
        drawn = np.random.default_rng([seed, n]).integers(len(asked), size=rows)
        return encoded(pieces, [asked[i] for i in drawn], answer_alone)

    return batch
