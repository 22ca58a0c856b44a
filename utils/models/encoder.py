"""The encoder: to `minimal.py` adds a configuration, a last norm, what it shows to `watching`, and what it refuses."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention
from utils.models.config import BlockConfig
from utils.models.layers import AddAndNorm, FeedForward, layer_norm
from utils.models.require import require_squares, require_vectors
from utils.models.watching import show


class EncoderLayer(nn.Module):
    """One block of the encoder. Source: Vaswani et al. 2017, section 3.1, figure 1 left."""

    shows: ClassVar = ("states",)
    attentions: ClassVar = {"self_attention": "encoder"}

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads, config.dropout, config.bias)
        self.add_norm_attention = AddAndNorm(config)
        self.feed_forward = FeedForward(config)
        self.add_norm_feed_forward = AddAndNorm(config)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Map x (B, N, d_model) -> (B, N, d_model). mask: boolean, broadcast to (B, n_heads, N, N).

        Raises TypeError when x is no tensor, ValueError when it or the mask has another shape.
        """
        require_vectors("x", x, self.add_norm_attention.norm.weight)
        x = self.add_norm_attention(x, lambda x: self.self_attention(x, mask=mask))
        x = self.add_norm_feed_forward(x, self.feed_forward)
        return show(self, "states", x)


class Encoder(nn.Module):
    """A stack of n_layers blocks, with a last layer norm if configured."""

    def __init__(self, config: BlockConfig, n_layers: int, final_norm: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(n_layers))
        self.final_norm = layer_norm(config) if final_norm else nn.Identity()

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Map x (B, N, d_model) -> (B, N, d_model); see `EncoderLayer`.

        Also raises ValueError when the squares of x overflow.
        """
        require_squares("x", x)
        for layer in self.layers:
            x = layer(x, mask)
        return self.final_norm(x)
