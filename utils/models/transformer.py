"""The whole transformer: text ids in, logits of the next word out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention
from utils.models.cache import KeyValueCache
from utils.models.config import TransformerConfig
from utils.models.decoder import Decoder
from utils.models.dropout import Dropout
from utils.models.encoder import Encoder
from utils.models.layers import LearntPositions, SinusoidalPositions, TokenEmbedding
from utils.models.masks import causal_mask, padding_mask
from utils.models.padding import RealTokens

Place = Literal["encoder", "decoder", "cross"]


@dataclass(frozen=True)
class Memory:
    """What the encoder hands to the decoder. Raises ValueError when the mask is not one for these states."""

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
        """Row i is what row `rows[i]` was: to drop, reorder or repeat sentences."""
        return Memory(self.states.index_select(0, rows), self.mask.index_select(0, rows))


@dataclass
class AttentionMaps:
    """The weights of a forward pass that it was handed to, one tensor per layer, masks included.

    encoder: (B, n_heads, N, N). decoder: (B, n_heads, M, M). cross: (B, n_heads, M, N), rows are target tokens.
    """

    encoder: list[Tensor] = field(default_factory=list)
    decoder: list[Tensor] = field(default_factory=list)
    cross: list[Tensor] = field(default_factory=list)


class Transformer(nn.Module):
    """Encoder, decoder, embeddings and output layer. Source: Vaswani et al. 2017, figure 1."""

    def __init__(
        self,
        config: TransformerConfig,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.config = config
        with nullcontext() if device is None else torch.device(device):
            self._build(config)
        self.to(dtype=dtype)

    def _build(self, config: TransformerConfig) -> None:
        d_model = config.d_model
        self.target_embedding = TokenEmbedding(config.target_vocabulary, d_model)
        shared = config.tied == "all"
        self.source_embedding = self.target_embedding if shared else TokenEmbedding(config.source_vocabulary, d_model)
        self.positions = _positions(config)
        self.dropout = Dropout(config.dropout)
        self.encoder = Encoder(config, config.n_encoder_layers, config.has_final_norm)
        self.decoder = Decoder(config, config.n_decoder_layers, config.has_final_norm)
        self.output = nn.Linear(d_model, config.target_vocabulary, bias=False)
        if config.tied == "none":
            nn.init.normal_(self.output.weight, std=d_model**-0.5)
        else:
            self.output.weight = self.target_embedding.weight

    def forward(self, source: Tensor, target: Tensor, maps: AttentionMaps | None = None) -> Tensor:
        """source (B, N) and target (B, M) ids -> logits (B, M, target_vocabulary).

        The logits at position i are those of the token after target[:, i]: the target is shifted right, it begins
        with the start token. Where target[:, i] is padding they are zeros. maps: filled with the attention weights of
        this very pass.
        Raises ValueError for ids outside their vocabulary, sequences past max_length, and batches of unequal size.
        """
        return self.decode(target, self.encode(source, maps), maps=maps)

    def encode(self, source: Tensor, maps: AttentionMaps | None = None) -> Memory:
        """source (B, N) ids -> what the decoder looks at."""
        x = self._embed(source, self.source_embedding)
        mask = padding_mask(source, self.config.pad_id)
        tokens = RealTokens(mask[:, 0, 0])
        states = self.encoder(tokens.only(x), mask, None if maps is None else maps.encoder, tokens)
        return Memory(tokens.spread(states), mask)

    def decode(
        self,
        target: Tensor,
        memory: Memory,
        cache: KeyValueCache | None = None,
        maps: AttentionMaps | None = None,
    ) -> Tensor:
        """target (B, M) ids -> logits (B, M, target_vocabulary).

        With a cache, `target` is only what is new since the last call, and the rows of all sentences go on at the
        same position.
        """
        if len(target) != len(memory.states):
            raise ValueError(
                "source and target must be batches of one size: "
                f"{len(memory.states)} source and {len(target)} target rows."
            )
        offset = 0 if cache is None else cache.length
        x = self._embed(target, self.target_embedding, offset)
        mask = self._target_mask(target, offset, cache)
        both = None if maps is None else (maps.decoder, maps.cross)
        if cache is not None:
            return self.output(self.decoder(x, memory.states, mask, memory.mask, cache, both))
        tokens, memory_tokens = RealTokens(target != self.config.pad_id), RealTokens(memory.mask[:, 0, 0])
        x, states = tokens.only(x), memory_tokens.only(memory.states)
        x = self.decoder(x, states, mask, memory.mask, None, both, (tokens, memory_tokens))
        return tokens.spread(self.output(x))

    def new_cache(self) -> KeyValueCache:
        """An empty cache for `decode`."""
        return KeyValueCache(self.config.n_decoder_layers)

    @contextmanager
    def without_heads(self, heads: Iterable[tuple[Place, int, int]]) -> Iterator[None]:
        """Inside the with block, these heads (place, layer, head), counted from 0, give zeros.

        Raises ValueError when there is no such head.
        """
        attentions = [(self._attention(place, layer), head) for place, layer, head in heads]
        before = [(attention, set(attention.switched_off)) for attention, _ in attentions]
        try:
            for attention, head in attentions:
                attention.switch_off(head)
            yield
        finally:
            for attention, switched_off in before:
                attention.switched_off = switched_off

    def _attention(self, place: Place, layer: int) -> MultiHeadAttention:
        stacks = {"encoder": self.encoder, "decoder": self.decoder, "cross": self.decoder}
        if place not in stacks:
            raise ValueError(f"heads are in {', '.join(stacks)}: {place!r} was asked for.")
        layers = stacks[place].layers
        if not 0 <= layer < len(layers):
            raise ValueError(f"there is no layer {layer} in {place}: the layers are 0 to {len(layers) - 1}.")
        return layers[layer].cross_attention if place == "cross" else layers[layer].self_attention

    def _embed(self, ids: Tensor, embedding: TokenEmbedding, offset: int = 0) -> Tensor:
        x = embedding(ids)
        if self.positions is not None:
            x = x + self.positions(ids.shape[1], offset)
        elif offset + ids.shape[1] > self.config.max_length:
            raise ValueError(
                f"the sequence has {offset + ids.shape[1]} tokens, "
                f"and this model takes at most max_length = {self.config.max_length}."
            )
        return self.dropout(x)

    def _target_mask(self, target: Tensor, offset: int, cache: KeyValueCache | None) -> Tensor:
        real = target != self.config.pad_id
        if cache is not None:
            real = cache.see(real)
        return causal_mask(target.shape[1], offset, target.device) & real[:, None, None, :]  # (B, 1, M, offset + M)


def _positions(config: TransformerConfig) -> nn.Module | None:
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.max_length, config.d_model)
    if config.positions == "learnt":
        return LearntPositions(config.max_length, config.d_model)
    return None
