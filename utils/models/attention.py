"""Attention: the formula of the paper, and several heads of it side by side."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.models.cache import LayerCache
from utils.models.config import head_width
from utils.models.dropout import dropout
from utils.models.padding import RealTokens


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    dropped: float = 0.0,
    need_weights: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """softmax(QKᵀ / √d_k) V: the output (…, N, d_v) and the weights (…, N, M), None unless needed.

    query (…, N, d_k), key (…, M, d_k), value (…, M, d_v), mask boolean, broadcast to (…, N, M), True where attention
    is allowed; a row that allows nothing yields zeros. dropped: the share of weights that dropout sets to 0; those
    returned are the weights before that. When they are not needed, PyTorch's fused kernel never stores them.
    NaN in a query is NaN in its row of the output.
    Raises TypeError when the mask is not boolean, ValueError when a shape does not fit.
    Source: Vaswani et al. 2017, equation 1.
    """
    _require_fitting(query, key, value)
    if mask is not None:
        _require_mask(mask, (*query.shape[:-1], key.shape[-2]))
        mask = torch.atleast_2d(mask)  # the fused kernel wants rows, be it one for all
        lost = ~mask.any(dim=-1, keepdim=True)  # rows that allow nothing: their softmax would be 0/0
        if lost.any():
            # They look everywhere instead, and what they saw is then set to zero.
            output, weights = attend(query, key, value, mask | lost, dropped, need_weights)
            return output.masked_fill(lost, 0.0), None if weights is None else weights.masked_fill(lost, 0.0)
    if need_weights or (dropped and query.device.type == "cpu"):  # the processor's fused kernel has no dropout
        return _attend_in_steps(query, key, value, mask, dropped)
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropped)
    if mask is None and not output[..., 0].all():
        # The processor's fused kernel, unmasked, gives zeros to a row whose weights are NaN: none may vanish.
        _, weights = _attend_in_steps(query, key, value, None, 0.0)
        output = output.masked_fill(weights.isnan().any(dim=-1, keepdim=True), math.nan)
    return output, None


def _require_fitting(query: Tensor, key: Tensor, value: Tensor) -> None:
    *batch, _, d_k = query.shape
    m = key.shape[-2]
    if (*key.shape,) != (*batch, m, d_k) or value.shape[:-1] != key.shape[:-1] or not m:
        raise ValueError(
            "query (…, N, d_k), key (…, M, d_k) and value (…, M, d_v) must fit, with M of at least 1: their shapes are "
            f"{tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}."
        )


def _require_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    if mask.dtype != torch.bool:
        raise TypeError(f"the mask must be boolean, True where attention is allowed: its dtype is {mask.dtype}.")
    fits = mask.ndim <= len(shape) and all(
        have in (1, wanted) for have, wanted in zip(reversed(mask.shape), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(
            f"the mask must fit the scores (batch, n_heads, queries, keys) = {shape}, or have 1 where all are alike: "
            f"its shape is {tuple(mask.shape)}."
        )


def _attend_in_steps(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropped: float
) -> tuple[Tensor, Tensor]:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])  # (…, N, M)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return dropout(weights, dropped) @ value, weights


def require_vectors(name: str, x: Tensor, d_model: int, tokens: RealTokens | None = None) -> None:
    """Raises TypeError when x is no tensor, ValueError when not (B, N, d_model), or (T, d_model) with `tokens`."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a tensor, torch.tensor(…) makes one: it is of type {type(x).__name__}.")
    if x.ndim != (3 if tokens is None else 2) or x.shape[-1] != d_model:
        raise ValueError(
            f"{name} must be vectors, (batch, tokens, d_model = {d_model}): its shape is {tuple(x.shape)}."
        )


class MultiHeadAttention(nn.Module):
    """n_heads attentions side by side, each d_model / n_heads wide.

    One matrix makes queries, keys and values: the rows of `project_in.weight` (3 · d_model, d_model) are W_Q, W_K and
    W_V, transposed, below each other. `project_out` is W_O. `switched_off` holds the heads whose output is replaced
    by zeros, to see what they are good for.
    Raises ValueError when n_heads does not divide d_model, or either is no count.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    def __init__(self, d_model: int, n_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.d_k = head_width(d_model, n_heads)
        self.d_model, self.n_heads, self.dropout = d_model, n_heads, dropout
        self.project_in = nn.Linear(d_model, 3 * d_model, bias=bias)
        self.project_out = nn.Linear(d_model, d_model, bias=bias)
        self.switched_off: set[int] = set()
        for weight in (*self.project_in.weight.chunk(3), self.project_out.weight):
            nn.init.xavier_uniform_(weight)
        if bias:
            nn.init.zeros_(self.project_in.bias)
            nn.init.zeros_(self.project_out.bias)

    def forward(
        self,
        x: Tensor,
        context: Tensor | None = None,
        mask: Tensor | None = None,
        cache: LayerCache | None = None,
        need_weights: bool = False,
        tokens: RealTokens | None = None,
        context_tokens: RealTokens | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        """Each token of x (B, N, d_model) asks all tokens of `context` (B, M, d_model), which is x itself unless given.

        mask: boolean, broadcast to (B, n_heads, N, M). cache: keys and values of earlier calls, see `LayerCache`.
        tokens, context_tokens: given where x or context holds the real tokens only, see `RealTokens`.
        Returns the output, of the shape of x, and the weights (B, n_heads, N, M), None unless needed.
        Raises TypeError when x or context is no tensor, ValueError when its width is another, and as `attend` does.
        """
        require_vectors("x", x, self.d_model, tokens)
        if context is not None:
            require_vectors("context", context, self.d_model, context_tokens)
        query, key, value = self._project(x, context, cache, tokens, context_tokens)  # (B, n_heads, N or M, d_k)
        dropped = self.dropout if self.training else 0.0
        heads, weights = attend(query, key, value, mask, dropped, need_weights)  # (B, n_heads, N, d_k)
        if self.switched_off:
            heads = heads * self._switched_on(heads)
        return self.project_out(_join(heads, tokens)), weights

    def _project(
        self,
        x: Tensor,
        context: Tensor | None,
        cache: LayerCache | None,
        tokens: RealTokens | None,
        context_tokens: RealTokens | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        if context is None:
            query, key, value = self._split(self.project_in(x), tokens)
            return (query, key, value) if cache is None else (query, *cache.extend(key, value))
        W_Q, W_KV = self.project_in.weight.split([self.d_model, 2 * self.d_model])
        b_Q, b_KV = None, None
        if self.project_in.bias is not None:
            b_Q, b_KV = self.project_in.bias.split([self.d_model, 2 * self.d_model])
        (query,) = self._split(F.linear(x, W_Q, b_Q), tokens)
        if cache is not None and cache.length:  # the context is the same at every step: projected once
            return query, cache.key, cache.value
        key, value = self._split(F.linear(context, W_KV, b_KV), context_tokens)
        return (query, key, value) if cache is None else (query, *cache.extend(key, value))

    def _split(self, x: Tensor, tokens: RealTokens | None) -> tuple[Tensor, ...]:
        """(B, N, c · d_model) -> c tensors (B, n_heads, N, d_k)."""
        x = x if tokens is None else tokens.spread(x)
        return x.unflatten(-1, (-1, self.n_heads, self.d_k)).permute(2, 0, 3, 1, 4).unbind()

    def switch_off(self, head: int) -> None:
        """From now on, `head`, counted from 0, gives zeros. Raises ValueError when there is no such head."""
        if not 0 <= head < self.n_heads:
            raise ValueError(f"there is no head {head} to switch off: the heads are 0 to {self.n_heads - 1}.")
        self.switched_off.add(head)

    def _switched_on(self, heads: Tensor) -> Tensor:
        """1 for a head that works, 0 for one switched off: (n_heads, 1, 1)."""
        on = heads.new_ones(self.n_heads, 1, 1)
        on[list(self.switched_off)] = 0.0
        return on


def _join(heads: Tensor, tokens: RealTokens | None) -> Tensor:
    """(B, n_heads, N, d_k) -> (B, N, n_heads · d_k)."""
    x = heads.transpose(1, 2).flatten(2)
    return x if tokens is None else tokens.only(x)
