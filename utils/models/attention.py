"""Attention: to `minimal.py` adds dropout, a cache, rotary positions, keys that heads share, and what it refuses."""

from __future__ import annotations

import math
from typing import ClassVar

import torch.nn.functional as F
from torch import Tensor, nn

from utils.models.cache import LayerCache
from utils.models.config import head_width, sharing
from utils.models.require import require_fitting, require_mask, require_self_attention, require_vectors
from utils.models.watching import show


def attention_weights(query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
    """Compute the weights softmax(QKᵀ / √d_k), (…, N, M): how much each query attends to each key. Times V: the output.

    query (…, N, d_k), key (…, M, d_k), mask boolean, broadcast to (…, N, M), True where attention is allowed.
    Raises TypeError when the mask is not boolean, ValueError when a shape does not fit.
    Source: Vaswani et al. 2017, equation 1.
    """
    require_fitting(query, key)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (…, N, d_k) @ (…, d_k, M) -> (…, N, M)
    if mask is None:
        return scores.softmax(dim=-1)
    require_mask(mask, scores.shape)
    return masked_softmax(scores, mask)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Compute the softmax along the last axis over what `mask` allows; a row that allows nothing gets zeros."""
    # A fully masked row is NaN after the softmax; the second fill sets it, and its gradient, to 0.
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1).masked_fill(~mask, 0.0)


class MultiHeadAttention(nn.Module):
    """A layer of n_heads parallel attentions, each d_k = d_model / n_heads wide.

    One matrix makes queries, keys and values: the rows of `project_in.weight` (3 · d_model, d_model) are W_Q, W_K and
    W_V, transposed, below each other. `project_out` is W_O. dropout: the share of weights set to 0 while training.
    n_key_value_heads: with fewer keys and values than queries, g instead of h, n_heads / g neighbouring heads share
    each of them, and W_K and W_V have g · d_k rows. rotary: `RotaryPositions`, for self-attention alone.
    Raises TypeError when a count is no whole number, ValueError when n_heads does not divide d_model, or
    n_key_value_heads n_heads.
    Source: Vaswani et al. 2017, section 3.2.2; fewer keys: Ainslie et al. 2023, section 2.2.
    """

    shows: ClassVar = ("weights", "heads")

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        n_key_value_heads: int | None = None,
        rotary: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.d_k = head_width(d_model, n_heads)
        self.d_model, self.n_heads, self.dropout, self.rotary = d_model, n_heads, nn.Dropout(dropout), rotary
        self.n_sharing = sharing(n_heads, n_key_value_heads)
        self.widths = [d_model, d_model // self.n_sharing, d_model // self.n_sharing]  # h·d_k, g·d_k, g·d_k
        self.project_in = nn.Linear(d_model, sum(self.widths), bias=bias)
        self.project_out = nn.Linear(d_model, d_model, bias=bias)
        for weight in (*self.project_in.weight.split(self.widths), self.project_out.weight):
            nn.init.xavier_uniform_(weight)
        if bias:
            nn.init.zeros_(self.project_in.bias)
            nn.init.zeros_(self.project_out.bias)

    def forward(
        self, x: Tensor, context: Tensor | None = None, mask: Tensor | None = None, cache: LayerCache | None = None
    ) -> Tensor:
        """Let each token of x (B, N, d_model) attend to all tokens of `context` (B, M, d_model), by default x.

        mask: boolean, broadcast to (B, n_heads, N, M). cache: keys and values of earlier calls, see `LayerCache`.
        Returns the output, (B, N, d_model).
        Raises TypeError when x or context is no tensor, ValueError when it has another shape or is given beside rotary
        positions, and as `attention_weights` does.
        """
        require_vectors("x", x, self.project_in.weight)
        query, key, value = self._project(x, context, cache)  # (B, h, N, d_k), (B, g, M, d_k), (B, g, M, d_k)
        if self.n_sharing > 1:  # (B, g, M, d_k) -> (B, h, M, d_k): a copy for each head that shares it
            key, value = (shared.repeat_interleave(self.n_sharing, dim=1) for shared in (key, value))
        weights = show(self, "weights", attention_weights(query, key, mask))  # (B, h, N, M)
        heads = show(self, "heads", self.dropout(weights) @ value)  # (B, h, N, M) @ (B, h, M, d_k) -> (B, h, N, d_k)
        return self.project_out(heads.transpose(1, 2).flatten(2))  # (B, h, N, d_k) -> (B, N, h·d_k) -> (B, N, d_model)

    def _project(self, x: Tensor, context: Tensor | None, cache: LayerCache | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries of x; keys and values of the context, or of x and what the cache holds."""
        if context is None:
            query, key, value = self._split(self.project_in(x), self.widths)  # (B, h, N, d_k), 2 × (B, g, N, d_k)
            if self.rotary is not None:  # before they are kept: what is in the cache has been turned
                offset = 0 if cache is None else cache.length
                query, key = self.rotary(query, offset), self.rotary(key, offset)
        else:
            require_self_attention(self.rotary)
            W, b = self.project_in.weight, self.project_in.bias
            require_vectors("context", context, W)
            W_Q, W_KV = W.tensor_split([self.d_model])
            b_Q, b_KV = (None, None) if b is None else b.tensor_split([self.d_model])
            (query,) = self._split(F.linear(x, W_Q, b_Q), self.widths[:1])  # (B, N, h·d_k) -> (B, h, N, d_k)
            if cache is not None and cache.length:  # the context is the same at every step: projected once
                return query, cache.key, cache.value
            key, value = self._split(F.linear(context, W_KV, b_KV), self.widths[1:])  # 2 × (B, g, M, d_k)
        return (query, key, value) if cache is None else (query, *cache.extend(key, value))

    def _split(self, x: Tensor, widths: list[int]) -> tuple[Tensor, ...]:
        """Map (B, N, Σ widths) -> for each width n·d_k of several heads a tensor (B, n, N, d_k)."""
        parts = (part.unflatten(-1, (-1, self.d_k)) for part in x.split(widths, dim=-1))  # (B, N, n, d_k)
        return tuple(part.transpose(1, 2).contiguous() for part in parts)
