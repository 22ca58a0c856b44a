"""Around attention: to `minimal.py` adds learnt and rotary positions, pre-norm, dropout, SwiGLU, RMSNorm."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from utils.models.config import BlockConfig
from utils.models.require import require_even, require_ids, require_length, require_pairs
from utils.require import require_whole


class TokenEmbedding(nn.Module):
    """A row of numbers for every id; `scaled`, times √d_model, so that sinusoidal positions don't drown it.

    Source: Vaswani et al. 2017, section 3.4; not scaled: Radford et al. 2018, equation 2 and section 4.1 (its start).
    """

    def __init__(self, vocabulary: int, d_model: int, scaled: bool = True) -> None:
        super().__init__()
        self.scale = math.sqrt(d_model) if scaled else 1.0
        self.weight = nn.Parameter(torch.empty(vocabulary, d_model))
        nn.init.normal_(self.weight, std=1 / self.scale if scaled else 0.02)

    def forward(self, ids: Tensor) -> Tensor:
        """Map ids (B, N) -> (B, N, d_model). Raises ValueError or TypeError when they are no ids of this vocabulary."""
        require_ids(ids, len(self.weight))
        return nn.functional.embedding(ids, self.weight) * self.scale


class SinusoidalPositions(nn.Module):
    """Sine and cosine of every position, computed once. Source: Vaswani et al. 2017, section 3.5.

    Raises TypeError when max_length or d_model is no whole number, ValueError below 1, or when d_model is odd.
    """

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        require_whole("max_length", max_length)
        require_whole("d_model", d_model)
        require_even(d_model)
        angle = _angles(max_length, d_model)  # (max_length, d_model / 2)
        table = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # sine, cosine, sine, cosine, …
        # Computed from two numbers, so no model file has to carry it.
        self.register_buffer("table", table.to(torch.get_default_dtype()), persistent=False)

    def forward(self, n: int, offset: int = 0) -> Tensor:
        """Return the rows of positions offset … offset + n − 1, (n, d_model). Raises ValueError beyond either end."""
        return _rows(self.table, n, offset)


class RotaryPositions(nn.Module):
    """Turns the pairs of numbers in each query and key, pair i of position m by the angle m · 10000^(−2i / d_k).

    (x₂ᵢ, x₂ᵢ₊₁) becomes (x₂ᵢ cos − x₂ᵢ₊₁ sin, x₂ᵢ sin + x₂ᵢ₊₁ cos). The product of a query and a key turned by
    their positions' angles is that of the same two turned by the difference: scores depend on the distance alone.
    Raises TypeError when max_length or d_k is no whole number, ValueError below 1, or when d_k is odd.
    Source: Su et al. 2021, equations 15 and 34.
    """

    def __init__(self, max_length: int, d_k: int) -> None:
        super().__init__()
        require_whole("max_length", max_length)
        require_whole("d_k", d_k)
        require_pairs(d_k)
        angle = _angles(max_length, d_k)  # (max_length, d_k / 2)
        for name, table in (("cos", angle.cos()), ("sin", angle.sin())):
            self.register_buffer(name, table.to(torch.get_default_dtype()), persistent=False)

    def forward(self, x: Tensor, offset: int) -> Tensor:
        """Map x (…, N, d_k), of positions from `offset` on -> the same, turned. Raises ValueError beyond either end."""
        cos, sin = (_rows(table, x.shape[-2], offset) for table in (self.cos, self.sin))  # (N, d_k / 2)
        even, odd = x[..., 0::2], x[..., 1::2]  # (…, N, d_k / 2)
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)  # (…, N, d_k)


def _angles(max_length: int, d: int) -> Tensor:
    """Compute position · 10000^(−2i / d), (max_length, d / 2)."""
    position = torch.arange(max_length, dtype=torch.float64)[:, None]  # (max_length, 1)
    return position * 10000.0 ** -(torch.arange(0, d, 2, dtype=torch.float64) / d)


class LearntPositions(nn.Module):
    """A learnt row for every position. Source: Gehring et al. 2017; Vaswani et al. 2017, table 3, row (E)."""

    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.table, std=0.02)

    def forward(self, n: int, offset: int = 0) -> Tensor:
        """Return the rows of positions offset … offset + n − 1, (n, d_model). Raises ValueError past the maximum."""
        return _rows(self.table, n, offset)


def added_positions(kind: str, max_length: int, d_model: int) -> nn.Module | None:
    """Return the module added to embeddings: sinusoidal or learnt positions, and None for any other kind."""
    makers = {"sinusoidal": SinusoidalPositions, "learnt": LearntPositions}
    return makers[kind](max_length, d_model) if kind in makers else None


def _rows(table: Tensor, n: int, offset: int) -> Tensor:
    if n < 0 or offset < 0:
        raise ValueError(f"positions are counted from 0: n is {n} and offset {offset}, and neither can be below 0.")
    require_length(offset + n, len(table))
    return table[offset : offset + n]


class FeedForward(nn.Module):
    """Two linear layers with an activation between them, for each token separately: d_model → d_ff → d_model.

    "swiglu" has a third one, the gate, beside the first: narrow(silu(gate(x)) · widen(x)), silu(z) = z / (1 + e^−z).
    Source: Vaswani et al. 2017, equation 2; Shazeer 2020, equation 6.
    """

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.widen = nn.Linear(config.d_model, config.d_ff, bias=config.bias)
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=config.bias) if config.activation == "swiglu" else None
        self.activation = {"relu": nn.ReLU, "gelu": nn.GELU, "swiglu": nn.SiLU}[config.activation]()
        self.dropout = nn.Dropout(config.dropout)
        self.narrow = nn.Linear(config.d_ff, config.d_model, bias=config.bias)
        for layer in filter(None, (self.widen, self.gate, self.narrow)):
            nn.init.xavier_uniform_(layer.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Map (…, d_model) -> (…, d_model)."""
        wide = self.widen(x)  # (…, d_model) -> (…, d_ff)
        wide = self.activation(wide) if self.gate is None else self.activation(self.gate(x)) * wide
        return self.narrow(self.dropout(wide))  # (…, d_ff) -> (…, d_model)


class AddAndNorm(nn.Module):
    """The residual connection around a sublayer, and layer normalization, or another `norm`.

    Post-norm, as in the paper: norm(x + F(x)). Pre-norm: x + F(norm(x)).
    Source: Vaswani et al. 2017, section 3.1 and 5.4 (dropout); Xiong et al. 2020.
    """

    def __init__(self, config: BlockConfig, norm: nn.Module | None = None) -> None:
        super().__init__()
        self.norm = layer_norm(config) if norm is None else norm
        self.norm_first = config.norm_first
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """Map x (B, N, d_model) -> (B, N, d_model)."""
        if self.norm_first:
            return x + self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


def layer_norm(config: BlockConfig) -> nn.LayerNorm:
    """Make the layer normalization over d_model, with the configuration's ε."""
    return nn.LayerNorm(config.d_model, eps=config.layer_norm_eps, bias=config.bias)


class RMSNorm(nn.Module):
    """Layer normalization without the mean and without β: γ · x / √(mean of x² + ε).

    Source: Zhang and Sennrich 2019, equation 4; ε under the root as in LLaMA (Touvron et al. 2023).
    """

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Map (…, d_model) -> (…, d_model)."""
        return self.weight * x * (x.square().mean(dim=-1, keepdim=True) + self.eps).rsqrt()
