"""The whole transformer: to `minimal.py` adds reading the source once, a cache, tied tables, and a configuration."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from utils.models.cache import KeyValueCache
from utils.models.config import TransformerConfig
from utils.models.decoder import Decoder
from utils.models.encoder import Encoder
from utils.models.layers import TokenEmbedding, added_positions
from utils.models.masks import padding_mask, target_mask
from utils.models.require import require_length


@dataclass(frozen=True)
class Memory:
    """The encoder's output for the decoder. Raises ValueError when the mask doesn't fit the states."""

    states: Tensor  # (B, N, d_model)
    mask: Tensor  # (B, 1, 1, N), False at padding

    def __post_init__(self) -> None:
        batch, n, _ = self.states.shape
        if self.mask.shape != (batch, 1, 1, n):
            raise ValueError(
                f"the padding mask of {batch} sentences with {n} tokens must have shape {(batch, 1, 1, n)}: "
                f"its shape is {tuple(self.mask.shape)}."
            )

    def select(self, rows: Tensor) -> Memory:
        """Make row i what row `rows[i]` was: to drop, reorder or repeat sentences."""
        return Memory(self.states.index_select(0, rows), self.mask.index_select(0, rows))


class Transformer(nn.Module):
    """Encoder, decoder, embeddings and output layer. Source: Vaswani et al. 2017, figure 1."""

    def __init__(self, config: TransformerConfig, device: torch.device | str | None = None) -> None:
        super().__init__()
        self.config = config
        with nullcontext() if device is None else torch.device(device):
            self._build(config)

    def _build(self, config: TransformerConfig) -> None:
        d_model = config.d_model
        self.target_embedding = TokenEmbedding(config.target_vocabulary, d_model)
        shared = config.tied == "all"
        self.source_embedding = self.target_embedding if shared else TokenEmbedding(config.source_vocabulary, d_model)
        self.positions = added_positions(config.positions, config.max_length, d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = Encoder(config, config.n_encoder_layers, config.has_final_norm)
        self.decoder = Decoder(config, config.n_decoder_layers, config.has_final_norm)
        self.output = nn.Linear(d_model, config.target_vocabulary, bias=False)
        if config.tied == "none":
            nn.init.normal_(self.output.weight, std=d_model**-0.5)
        else:
            self.output.weight = self.target_embedding.weight

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Map source (B, N) and target (B, M) ids -> logits (B, M, target_vocabulary).

        The logits at position i are those of the token after target[:, i]: the target is shifted right, it begins
        with the start token. Where target[:, i] is padding they mean nothing.
        Raises ValueError for ids outside their vocabulary, sequences past max_length, and batches of unequal size.
        """
        return self.decode(target, self.encode(source))

    def encode(self, source: Tensor) -> Memory:
        """Map source (B, N) ids -> the memory that the decoder attends to."""
        x = self._embed(source, self.source_embedding)  # (B, N, d_model)
        mask = padding_mask(source, self.config.pad_id)  # (B, 1, 1, N)
        return Memory(self.encoder(x, mask), mask)

    def decode(self, target: Tensor, memory: Memory, cache: KeyValueCache | None = None) -> Tensor:
        """Map target (B, M) ids -> logits (B, M, target_vocabulary).

        With a cache, `target` has only the tokens since the last call, and the rows of all sentences continue from the
        same position.
        """
        if len(target) != len(memory.states):
            raise ValueError(
                "source and target must be batches of one size: "
                f"{len(memory.states)} source and {len(target)} target rows."
            )
        offset = 0 if cache is None else cache.length
        x = self._embed(target, self.target_embedding, offset)  # (B, M, d_model)
        mask = target_mask(target, self.config.pad_id, cache)  # (B, 1, M, offset + M)
        return self.output(self.decoder(x, memory.states, mask, memory.mask, cache))

    def new_cache(self) -> KeyValueCache:
        """Return an empty cache for `decode`."""
        return KeyValueCache(self.config.n_decoder_layers)

    def _embed(self, ids: Tensor, embedding: TokenEmbedding, offset: int = 0) -> Tensor:
        x = embedding(ids)
        require_length(offset + ids.shape[1], self.config.max_length)
        return self.dropout(x if self.positions is None else x + self.positions(ids.shape[1], offset))
