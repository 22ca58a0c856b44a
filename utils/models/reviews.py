"""A reader of reviews: one additive-attention head for each task, over words that know their neighbours."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from utils.models.require import require_ids
from utils.models.seq2seq import AdditiveAttention

_TASKS, _LABELS = 3, 3  # heads, each with a question of its own, and answers to each
_WIDTH, _WINDOW = 32, 7  # numbers per word, and how many words a word sees, itself in the middle
_PAD = 0  # the id that fills short reviews up


class ReviewReader(nn.Module):
    """A model that predicts an answer to each task from a review, and shows how it weighted the words.

    Words (B, N) -> embeddings -> states (B, N, 32), each of a word and its neighbours -> for each task the weights of
    its head (B, N), the weighted sum of the states, and from it the answer. vocabulary: how many words are known.
    Source: additive attention as in Bahdanau et al. 2015, with a learnt vector per task in place of a decoder state.
    """

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, _WIDTH, padding_idx=_PAD)
        self.neighbours = nn.Conv1d(_WIDTH, _WIDTH, _WINDOW, padding=_WINDOW // 2)
        self.questions = nn.Parameter(torch.randn(_TASKS, _WIDTH))
        self.attention = AdditiveAttention(_WIDTH, _WIDTH, _WIDTH)
        self.answers = nn.ModuleList(nn.Linear(_WIDTH, _LABELS) for _ in range(_TASKS))

    def forward(self, ids: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (B, tasks, labels) and weights (B, tasks, N) for the word ids (B, N).

        allowed (B, N), boolean: words that a head may look at, all but the padding unless given.
        Raises ValueError or TypeError when they are no ids of this vocabulary.
        """
        states = self.states(ids)
        real = ids != _PAD
        mask = real if allowed is None else real & allowed
        keys = self.attention.W_h(states)
        heads = [self.attention(q.expand(len(ids), -1), states, mask, keys) for q in self.questions]
        logits = [answer(context) for answer, (context, _) in zip(self.answers, heads, strict=True)]
        return torch.stack(logits, dim=1), torch.stack([weights for _, weights in heads], dim=1)

    def states(self, ids: Tensor) -> Tensor:
        """Map ids (B, N) -> states (B, N, 32), each of a word and its neighbours."""
        require_ids(ids, self.embedding.num_embeddings)
        x = self.embedding(ids)
        return torch.relu(self.neighbours(x.transpose(1, 2))).transpose(1, 2) + x
