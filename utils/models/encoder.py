"""The encoder: blocks of self-attention and feed-forward, stacked."""

from __future__ import annotations

from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention, require_vectors
from utils.models.cache import LayerCache
from utils.models.config import BlockConfig
from utils.models.layers import AddAndNorm, FeedForward, layer_norm
from utils.models.padding import RealTokens


class EncoderLayer(nn.Module):
    """One block of the encoder. Source: Vaswani et al. 2017, section 3.1, figure 1 left."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads, config.dropout, config.bias)
        self.add_norm_attention = AddAndNorm(config)
        self.feed_forward = FeedForward(config)
        self.add_norm_feed_forward = AddAndNorm(config)

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        cache: LayerCache | None = None,
        maps: list[Tensor] | None = None,
        tokens: RealTokens | None = None,
    ) -> Tensor:
        """x (B, N, d_model) -> (B, N, d_model). mask: boolean, broadcast to (B, n_heads, N, N).

        maps: a list to which the attention weights (B, n_heads, N, N) are added. tokens: given where x holds the real
        tokens only, see `RealTokens`. cache: keys and values of earlier calls, see `LayerCache`.
        Raises TypeError when x is no tensor, ValueError when it or the mask has another shape.
        """
        require_vectors("x", x, self.self_attention.d_model, tokens)

        def self_attention(x: Tensor) -> Tensor:
            output, weights = self.self_attention(
                x, mask=mask, cache=cache, need_weights=maps is not None, tokens=tokens
            )
            if maps is not None:
                maps.append(weights)
            return output

        x = self.add_norm_attention(x, self_attention)
        return self.add_norm_feed_forward(x, self.feed_forward)


class Encoder(nn.Module):
    """n_layers blocks, and a last layer norm where asked for."""

    def __init__(self, config: BlockConfig, n_layers: int, final_norm: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(n_layers))
        self.final_norm = layer_norm(config) if final_norm else nn.Identity()

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        maps: list[Tensor] | None = None,
        tokens: RealTokens | None = None,
    ) -> Tensor:
        """x (B, N, d_model) -> (B, N, d_model); see `EncoderLayer`."""
        for layer in self.layers:
            x = layer(x, mask, maps=maps, tokens=tokens)
        return self.final_norm(x)
