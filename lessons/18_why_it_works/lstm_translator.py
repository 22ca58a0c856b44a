"""The rival of lesson 18: an LSTM reads, an LSTM writes, and dot-product attention stands between them.

The kind of model that the transformer has replaced in translation, as plain as it gets: one layer on each side. Its
attention asks all encoder states for all words at once, as a matrix product, and what it finds does not go into the
next step. So while training nothing but the two recurrences goes word by word.
Sources: Hochreiter and Schmidhuber 1997 (the LSTM); Luong, Pham and Manning 2015, sections 3 and 3.1, score "dot".
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from utils.data.vocabulary import PAD
from utils.models.attention import masked_softmax
from utils.models.require import require_ids


@dataclass(frozen=True, kw_only=True)
class LstmConfig:
    """d_model: numbers in an embedding and in a state."""

    source_vocabulary: int
    target_vocabulary: int
    d_model: int = 216


class LstmTranslator(nn.Module):
    """Used like `Transformer` while training: `model(source, target)` gives logits. Batch B, lengths N and M."""

    def __init__(self, config: LstmConfig) -> None:
        super().__init__()
        self.config = config
        d = config.d_model
        self.source_embedding = nn.Embedding(config.source_vocabulary, d)
        self.target_embedding = nn.Embedding(config.target_vocabulary, d)
        self.encoder = nn.LSTM(d, d, batch_first=True)
        self.decoder = nn.LSTM(d, d, batch_first=True)
        self.mix = nn.Linear(2 * d, d, bias=False)  # Luong's W_c
        self.output = nn.Linear(d, config.target_vocabulary, bias=False)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits (B, M, target_vocabulary): position i is what comes after target[:, : i + 1].

        source (B, N), padded on the right with PAD, and target (B, M) are ids. Raises TypeError for ids that are no
        integers, ValueError for ids outside their vocabulary and for a source without any token.
        """
        require_ids(source, self.config.source_vocabulary, "source ids")
        require_ids(target, self.config.target_vocabulary, "target ids")
        real = source != PAD  # (B, N)
        if not real.any(dim=1).all():
            raise ValueError("each source needs at least one token: one of them is nothing but padding.")
        H, last = self._read(self.source_embedding(source), real)  # (B, N, d)
        S, _ = self.decoder(self.target_embedding(target), last)  # (B, M, d)
        weights = masked_softmax(S @ H.transpose(1, 2), real[:, None])  # (B, M, N)
        mixed = torch.tanh(self.mix(torch.cat([weights @ H, S], dim=-1)))  # (B, M, d)
        return self.output(mixed)

    def _read(self, words: Tensor, real: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The encoder's states (B, N, d), and the two that it ends with at the last real token of each row."""
        if real.all():  # packing costs time, and most batches have no padding
            return self.encoder(words)
        packed = pack_padded_sequence(words, real.sum(dim=1), batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        return pad_packed_sequence(states, batch_first=True, total_length=words.shape[1])[0], last
