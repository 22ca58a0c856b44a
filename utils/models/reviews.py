"""A reader of reviews: one additive-attention head for each task, over words that know their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from utils.models.require import require_counts, require_id, require_ids
from utils.models.seq2seq import AdditiveAttention


@dataclass(frozen=True, kw_only=True)
class ReaderConfig:
    """vocabulary: words known. n_tasks: heads, each with a question of its own. n_labels: answers to each.

    d_model: numbers per word. window: how many words a word sees, itself in the middle, so an odd number.
    Raises ValueError, naming the value, for sizes that are no counts, an even window, and a pad_id outside the
    vocabulary.
    """

    vocabulary: int
    n_tasks: int = 3
    n_labels: int = 3
    d_model: int = 32
    window: int = 7
    pad_id: int = 0

    def __post_init__(self) -> None:
        require_counts(self, "vocabulary", "n_tasks", "n_labels", "d_model", "window")
        if self.window % 2 == 0:
            raise ValueError(f"window must be odd, with the word in the middle: it is {self.window}.")
        require_id(self.pad_id, "the vocabulary", self.vocabulary)


class ReviewReader(nn.Module):
    """A model that predicts an answer to each task from a review, and shows how it weighted the words.

    Words (B, N) -> embeddings -> states (B, N, d_model), each of a word and its neighbours -> for each task the
    weights of its head (B, N), the weighted sum of the states, and from it the answer.
    Source: additive attention as in Bahdanau et al. 2015, with a learnt vector per task in place of a decoder state.
    """

    def __init__(self, config: ReaderConfig) -> None:
        super().__init__()
        self.config = config
        d = config.d_model
        self.embedding = nn.Embedding(config.vocabulary, d, padding_idx=config.pad_id)
        self.neighbours = nn.Conv1d(d, d, config.window, padding=config.window // 2)
        self.questions = nn.Parameter(torch.randn(config.n_tasks, d))
        self.attention = AdditiveAttention(d, d, d)
        self.answers = nn.ModuleList(nn.Linear(d, config.n_labels) for _ in range(config.n_tasks))

    def forward(self, ids: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (B, n_tasks, n_labels) and weights (B, n_tasks, N) for the word ids (B, N).

        allowed (B, N), boolean: words that a head may look at, all but the padding unless given.
        Raises ValueError or TypeError when they are no ids of this vocabulary.
        """
        states = self.states(ids)
        real = ids != self.config.pad_id
        mask = real if allowed is None else real & allowed
        keys = self.attention.W_h(states)
        heads = [self.attention(q.expand(len(ids), -1), states, mask, keys) for q in self.questions]
        logits = [answer(context) for answer, (context, _) in zip(self.answers, heads, strict=True)]
        return torch.stack(logits, dim=1), torch.stack([weights for _, weights in heads], dim=1)

    def states(self, ids: Tensor) -> Tensor:
        """Map ids (B, N) -> states (B, N, d_model), each of a word and its neighbours."""
        require_ids(ids, self.config.vocabulary)
        x = self.embedding(ids)
        return torch.relu(self.neighbours(x.transpose(1, 2))).transpose(1, 2) + x
