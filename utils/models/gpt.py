"""GPT: blocks of causal self-attention over one sequence, trained to say at each token which one comes next.

What is new against the encoder is the mask alone: a token sees itself and those to its left. What is new against the
decoder is what it lacks, cross-attention: there is no second sequence to look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention
from utils.models.cache import KeyValueCache, LayerCache
from utils.models.config import BlockConfig, sharing
from utils.models.layers import (
    AddAndNorm,
    FeedForward,
    RMSNorm,
    RotaryPositions,
    TokenEmbedding,
    added_positions,
    layer_norm,
)
from utils.models.masks import target_mask
from utils.models.require import (
    require_counts,
    require_even,
    require_flags,
    require_id,
    require_length,
    require_pairs,
    require_table,
)
from utils.models.watching import show
from utils.require import require_one_of


@dataclass(frozen=True, kw_only=True)
class GptConfig(BlockConfig):
    """A stack of causal blocks over one vocabulary.

    vocabulary: token ids. n_layers: blocks. max_length: the longest sequence, in tokens. positions: added to the
    embeddings, learnt as in GPT, or sinusoidal; "rotary" turns queries and keys instead, and "none" does neither.
    norm: layer normalization, or RMSNorm ("rms"). n_key_value_heads: how many keys and values a token has for its
    n_heads queries, which they must divide; None for as many. pad_id: the id that fills short sequences up on the
    right, never attended to. tied: whether the output layer is the embedding's matrix. scaled_embedding: whether tokens
    are taken times √d_model, as in Vaswani et al. 2017, section 3.4, and start so much smaller; GPT has no such factor.
    A block as in LLaMA (Touvron et al. 2023): rotary positions, "rms", activation "swiglu" and bias False.
    The defaults have the sizes of GPT-2's smallest model. Raises ValueError naming the values that don't fit.
    Source: Radford et al. 2018, section 3.1 and 4.1; Radford et al. 2019, section 2.3 (pre-norm and a last norm).
    """

    vocabulary: int = 50257
    n_layers: int = 12
    max_length: int = 1024
    positions: Literal["learnt", "sinusoidal", "rotary", "none"] = "learnt"
    norm: Literal["layer", "rms"] = "layer"
    n_key_value_heads: int | None = None
    pad_id: int = 0
    tied: bool = True
    scaled_embedding: bool = False
    d_model: int = 768
    n_heads: int = 12
    d_ff: int = 3072
    norm_first: bool = True
    activation: str = "gelu"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_counts(self, "vocabulary", "n_layers", "max_length")
        require_one_of("positions", self.positions, ("learnt", "sinusoidal", "rotary", "none"))
        require_one_of("norm", self.norm, ("layer", "rms"))
        sharing(self.n_heads, self.n_key_value_heads)
        require_flags(self, "tied", "scaled_embedding")
        require_id(self.pad_id, "the vocabulary", self.vocabulary)
        if self.positions == "sinusoidal":
            require_even(self.d_model)
        if self.positions == "rotary":
            require_pairs(self.d_k)
        if self.positions != "none":
            require_table(self.max_length, self.d_model)


class GptLayer(nn.Module):
    """One block: causal self-attention and feed-forward. Source: Radford et al. 2018, figure 1 left."""

    shows: ClassVar = ("states",)
    attentions: ClassVar = {"self_attention": "decoder"}

    def __init__(self, config: GptConfig, rotary: RotaryPositions | None = None) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(
            config.d_model, config.n_heads, config.dropout, config.bias, config.n_key_value_heads, rotary
        )
        self.add_norm_attention = AddAndNorm(config, _norm(config))
        self.feed_forward = FeedForward(config)
        self.add_norm_feed_forward = AddAndNorm(config, _norm(config))

    def forward(self, x: Tensor, mask: Tensor | None = None, cache: LayerCache | None = None) -> Tensor:
        """Map x (B, N, d_model) -> (B, N, d_model). mask: boolean, broadcast to (B, n_heads, N, cached + N)."""
        x = self.add_norm_attention(x, lambda x: self.self_attention(x, mask=mask, cache=cache))
        x = self.add_norm_feed_forward(x, self.feed_forward)
        return show(self, "states", x)


class Gpt(nn.Module):
    """Ids (B, N) -> for each token the logits of the one after it, (B, N, vocabulary).

    Embeddings, learnt positions and output start with a deviation of 0.02, as all weights of GPT; those of the blocks
    as in our other models.
    Source: Radford et al. 2018, equation 2 and section 4.1.
    """

    def __init__(self, config: GptConfig) -> None:
        super().__init__()
        self.config = config
        self.tokens = TokenEmbedding(config.vocabulary, config.d_model, config.scaled_embedding)
        self.positions = added_positions(config.positions, config.max_length, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        rotary = RotaryPositions(config.max_length, config.d_k) if config.positions == "rotary" else None
        self.layers = nn.ModuleList(GptLayer(config, rotary) for _ in range(config.n_layers))
        self.final_norm = _norm(config) if config.norm_first else nn.Identity()
        self.output = nn.Linear(config.d_model, config.vocabulary, bias=False)
        if config.tied:
            self.output.weight = self.tokens.weight
        else:
            nn.init.normal_(self.output.weight, std=0.02)

    def forward(self, ids: Tensor, cache: KeyValueCache | None = None) -> Tensor:
        """Map ids (B, N) -> logits (B, N, vocabulary): at place i those of the token after ids[:, i].

        With a cache, `ids` are only what is new since the last call. At padding the logits mean nothing.
        Raises TypeError or ValueError when these are no ids, more than max_length of them, or another batch than the
        cache's.
        """
        x = self.embed(ids, 0 if cache is None else cache.length)  # (B, N, d_model)
        mask = target_mask(ids, self.config.pad_id, cache)  # (B, 1, N, offset + N)
        for i, layer in enumerate(self.layers):
            x = layer(x, mask, None if cache is None else cache.self_attention[i])  # (B, N, d_model)
        return self.output(self.final_norm(x))  # (B, N, d_model) @ (d_model, vocabulary) -> (B, N, vocabulary)

    def embed(self, ids: Tensor, offset: int = 0) -> Tensor:
        """Return the input of the first block, (B, N, d_model), for ids (B, N) at the positions from `offset` on."""
        x = self.tokens(ids)
        require_length(offset + ids.shape[1], self.config.max_length)
        return self.dropout(x if self.positions is None else x + self.positions(ids.shape[1], offset))

    def new_cache(self) -> KeyValueCache:
        """Return an empty cache for `forward`: it is for decoding without gradients."""
        return KeyValueCache(self.config.n_layers)


def cache_bytes(config: GptConfig, n_tokens: int = 1, bytes_of_a_number: int = 4) -> int:
    """Return the bytes in a cache of a text of `n_tokens`: a key and a value for each of its heads, in every layer."""
    g = config.n_heads // sharing(config.n_heads, config.n_key_value_heads)
    return 2 * config.n_layers * g * config.d_k * bytes_of_a_number * n_tokens


def _norm(config: GptConfig) -> nn.Module:
    return RMSNorm(config.d_model, config.layer_norm_eps) if config.norm == "rms" else layer_norm(config)
