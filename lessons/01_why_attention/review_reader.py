"""Training a reader of reviews in some seconds, and asking it: what is said, and which words were weighed for it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from lessons.reviews import JUDGEMENTS, TASKS, Review, held_out_reviews, training_reviews, vocabulary, words_of
from utils.data.vocabulary import PAD, UNKNOWN, Vocabulary
from utils.models.reviews import ReviewReader
from utils.training.batches import padded
from utils.training.loop import Trainer, TrainingConfig

_REVIEWS, _BATCH = 10_000, 32
_HIDDEN = 0.06  # the share of words that training replaces by UNKNOWN, so that a new word is nothing new
_WATCHED = 100  # held-out reviews by which the training can be watched; others than those that are tested later
_MOST_WORDS = 400


@dataclass(frozen=True)
class Reading:
    """What the head of one task makes of one review of N words."""

    words: tuple[str, ...]
    weights: NDArray[np.float64]  # (N,)
    shares: NDArray[np.float64]  # (3,) how sure it is of each of JUDGEMENTS

    @property
    def judgement(self) -> str:
        """The likeliest of JUDGEMENTS."""
        return JUDGEMENTS[int(self.shares.argmax())]

    @property
    def heaviest(self) -> int:
        """The place of the word with the largest weight, counted from 0."""
        return int(self.weights.argmax())


class Reader:
    """A trained `ReviewReader` with the words that it knows."""

    def __init__(self, model: ReviewReader, words: Vocabulary) -> None:
        self.model, self.vocabulary = model.eval(), words

    def read(self, review: str | Sequence[str], task: str) -> Reading:
        """`review`, typed or already in words, as the head of `task` reads it.

        Words that it does not know are read as one unknown word. Raises ValueError for a task that there is not, for
        a review without a word, and for one of more than 400.
        """
        if task not in TASKS:
            raise ValueError(f"the tasks are {', '.join(TASKS)}: {task!r} is none.")
        words = words_of(review) if isinstance(review, str) else list(review)
        if not words:
            raise ValueError("there is no word to read: write a review.")
        if len(words) > _MOST_WORDS:
            raise ValueError(f"a review may have {_MOST_WORDS} words: this one has {len(words)}.")
        shares, weights = self.read_all([words])
        number = TASKS.index(task)
        return Reading(tuple(words), weights[0, number], shares[0, number])

    @torch.no_grad()
    def read_all(self, reviews: Sequence[Sequence[str]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Shares (B, n_tasks, 3) and weights (B, n_tasks, N) of B reviews in words, N the most words of one."""
        logits, weights = self.model(padded([self.vocabulary.ids(words) for words in reviews]))
        return logits.double().softmax(dim=-1).numpy(), weights.double().numpy()


def train_reader(seed: int = 0, steps: int = 1000, show: bool = False) -> Reader:
    """A reader, trained from nothing on reviews made for it, in ten to twenty seconds.

    show: a progress bar, and curves. The same seed gives the same reader on the same machine.
    """
    words = vocabulary()
    ids, labels = _material()

    def batch(number: int) -> tuple[Tensor, Tensor]:
        rng = np.random.default_rng([seed, number])
        rows = torch.from_numpy(rng.integers(len(ids), size=_BATCH))
        hidden = torch.from_numpy(rng.random((_BATCH, ids.shape[1])) < _HIDDEN)
        return ids[rows].masked_fill(hidden & (ids[rows] != PAD), UNKNOWN), labels[rows]

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = ReviewReader(len(words))
    config = TrainingConfig(
        steps=steps, learning_rate=5e-3, warmup=min(20, steps), optimizer="adam", evaluate_every=100, seed=seed
    )
    watched = held_out_reviews(_WATCHED, seed=_WATCHED)

    def right(model: ReviewReader) -> float:
        return float(np.mean(list(share_right(Reader(model, words), watched).values())))

    Trainer(model, batch, config, loss_of=_loss_of, validate=right, score_name="right", show=show).train()
    return Reader(model, words)


@cache  # making the reviews takes as long as a fifth of the training, and they are the same for every seed
def _material() -> tuple[Tensor, Tensor]:
    """The training reviews: word ids (_REVIEWS, N) and labels (_REVIEWS, n_tasks)."""
    words, reviews = vocabulary(), training_reviews(_REVIEWS)
    return padded([words.ids(review.words) for review in reviews]), torch.tensor([r.labels for r in reviews])


def _loss_of(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    ids, labels = batch
    logits, _ = model(ids)
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum"), labels.numel()


def share_right(reader: Reader, reviews: Sequence[Review]) -> dict[str, float]:
    """For each task, the share of `reviews` that `reader` judges as they are labelled."""
    shares, _ = reader.read_all([review.words for review in reviews])
    right = shares.argmax(axis=-1) == [review.labels for review in reviews]
    return dict(zip(TASKS, right.mean(axis=0).tolist(), strict=True))


def share_in_clause(reader: Reader, reviews: Sequence[Review]) -> dict[str, float]:
    """For each task, how often the heaviest word lies in the clause about it; every review must have one for each."""
    _, weights = reader.read_all([review.words for review in reviews])
    heaviest = weights.argmax(axis=-1)  # (B, n_tasks)
    return {
        task: float(np.mean([heaviest[i, t] in review.clauses[task] for i, review in enumerate(reviews)]))
        for t, task in enumerate(TASKS)
    }


def share_changed(reader: Reader, reviews: Sequence[Review], places: NDArray[np.intp]) -> float:
    """How often a judgement changes when a word is struck out: places (B, n_tasks), one for each review and task."""
    before, _ = reader.read_all([review.words for review in reviews])
    changed = []
    for t in range(len(TASKS)):
        struck = [_without(review.words, places[i, t]) for i, review in enumerate(reviews)]
        after, _ = reader.read_all(struck)
        changed.append(after[:, t].argmax(axis=-1) != before[:, t].argmax(axis=-1))
    return float(np.mean(changed))


def _without(words: Sequence[str], place: int) -> list[str]:
    return [word for i, word in enumerate(words) if i != place]
