"""A small labelled task for a large encoder: in a sentence with a person and an animal, is it the animal that acts?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor, nn

from lessons.lora import add_lora
from utils.models.bert import Bert
from utils.training.batches import padded
from utils.training.loop import Trainer, TrainingConfig

PERSONS = (
    *("teacher", "doctor", "student", "farmer", "man", "woman", "child", "girl", "boy", "mother", "father", "brother"),
    *("sister", "king", "queen", "soldier", "nurse", "lawyer", "singer", "painter", "writer", "driver", "baker"),
    "priest",
)
ANIMALS = (
    *("cat", "dog", "horse", "cow", "goat", "sheep", "pig", "bear", "wolf", "fox", "lion", "tiger", "elephant"),
    *("mouse", "rabbit", "snake", "bird", "eagle", "duck", "chicken", "monkey", "deer", "frog", "bull"),
)
VERBS = ("watched", "followed", "chased", "found", "heard", "saw", "liked", "feared")
PASSIVE = {"saw": "seen"}  # the others are the same
TOLD, TRIED = 8, 12  # of each list: in the training; those up to here choose the rate; the others are asked at the end
SENTENCES = 64  # to learn from
STEPS, ROWS, WARMUP = 40, 16, 5
WHERE = {  # the linear layers of a block, by their names
    "attention": ("project_in", "project_out"),
    "feed-forward": ("widen", "narrow"),
}


@dataclass(frozen=True)
class Labelled:
    """A sentence, and whether its animal acts (1) or its person (0)."""

    text: str
    label: int


def sentence(animal: str, person: str, verb: str, animal_acts: bool, form: str) -> Labelled:
    """Such as "The bear chased the nurse." (active), or passive, or cleft: "It was the nurse that the bear chased." """
    one, other = (animal, person) if animal_acts else (person, animal)
    texts = {
        "active": f"The {one} {verb} the {other}.",
        "passive": f"The {other} was {PASSIVE.get(verb, verb)} by the {one}.",
        "cleft": f"It was the {other} that the {one} {verb}.",
    }
    return Labelled(texts[form], int(animal_acts))


@dataclass(frozen=True)
class Split:
    """Sentences to learn from, to choose a rate by, and two sets to be asked at the end, which alone share words."""

    told: list[Labelled]
    tried: list[Labelled]
    new_words: list[Labelled]
    new_form: list[Labelled]  # a form that is in none of the others


def split(seed: int, asked: int = 128) -> Split:
    """The draw with this seed. In each set as many animals act as persons, in the active and in the passive alike."""
    random = np.random.default_rng([23, seed])
    animals, persons = (random.permutation(words) for words in (ANIMALS, PERSONS))

    def drawn(words: slice, count: int, forms: Sequence[str]) -> list[Labelled]:
        return [
            sentence(
                random.choice(animals[words]),
                random.choice(persons[words]),
                random.choice(VERBS),
                n % 2 == 0,
                forms[n // 2 % len(forms)],
            )
            for n in range(count)
        ]

    both = ("active", "passive")
    return Split(
        drawn(slice(TOLD), SENTENCES, both),
        drawn(slice(TOLD, TRIED), asked, both),
        drawn(slice(TRIED, None), asked, both),
        drawn(slice(TRIED, None), asked, ("cleft",)),
    )


class Tagger(nn.Module):
    """A body, and on the mean of its states a head with one number, the logit of "the animal acts"."""

    def __init__(self, body: Bert) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(body.config.d_model, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor) -> Tensor:
        """Ids (B, N) -> logits (B, 1)."""
        return self.head(self.means(ids))

    def means(self, ids: Tensor) -> Tensor:
        """Ids (B, N) -> the mean of the states of each sentence, (B, d_model)."""
        real = (ids != self.body.config.pad_id)[:, :, None]  # (B, N, 1)
        return (self.body(ids) * real).sum(dim=1) / real.sum(dim=1)


def as_batch(tokenizer: Tokenizer, sentences: Sequence[Labelled]) -> tuple[Tensor, Tensor]:
    """Ids (B, N) and labels (B, 1)."""
    ids = [encoding.ids for encoding in tokenizer.encode_batch([one.text for one in sentences])]
    return padded(ids), torch.tensor([[float(one.label)] for one in sentences])


def label_loss(model: Callable[[Tensor], Tensor], batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    """The summed cross-entropy of the labels, and their number."""
    ids, labels = batch
    return F.binary_cross_entropy_with_logits(model(ids), labels, reduction="sum"), len(labels)


@torch.no_grad()
def share_and_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[float, float]:
    """The share of the labels that is guessed right, and the mean loss."""
    logits = model.eval()(batch[0])
    right = (logits > 0) == (batch[1] > 0)
    return float(right.float().mean()), float(F.binary_cross_entropy_with_logits(logits, batch[1]))


def tagger(body: Bert, way: str, seed: int) -> Tagger:
    """A model on `body`, of which `way` may be trained: "frozen", "whole", "not pretrained" or "LoRA 4 attention".

    `body` is changed in place, but for "not pretrained", where one of its shape is drawn.
    """
    if way == "not pretrained":
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            body = Bert(body.config)
    model = Tagger(body)
    body.requires_grad_(way in ("whole", "not pretrained"))
    if way.startswith("LoRA"):
        _, rank, where = way.split()
        add_lora(body, WHERE[where], int(rank), seed)
    return model


def train_tagger(model: Tagger, tokenizer: Tokenizer, told: Sequence[Labelled], rate: float, seed: int) -> None:
    """STEPS steps of ROWS sentences each, in place. What a frozen body makes of the sentences is computed once."""
    ids, labels = as_batch(tokenizer, told)
    frozen = not any(p.requires_grad for p in model.body.parameters())
    trained = model.head if frozen else model
    with torch.no_grad():
        read = model.means(ids) if frozen else ids

    def batch(n: int) -> tuple[Tensor, Tensor]:
        drawn = torch.from_numpy(np.random.default_rng([seed, n]).integers(len(labels), size=ROWS))
        return read[drawn], labels[drawn]

    config = TrainingConfig(steps=STEPS, learning_rate=rate, warmup=WARMUP, seed=seed)
    Trainer(trained, batch, config, loss_of=label_loss, show=False).train()
