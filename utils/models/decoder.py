"""The decoder: blocks of masked self-attention, cross-attention and feed-forward, stacked."""

from __future__ import annotations

from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention, require_vectors
from utils.models.cache import KeyValueCache, LayerCache
from utils.models.config import BlockConfig
from utils.models.layers import AddAndNorm, FeedForward, layer_norm
from utils.models.padding import RealTokens


class DecoderLayer(nn.Module):
    """One block of the decoder. Source: Vaswani et al. 2017, section 3.1, figure 1 right."""

    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(config.d_model, config.n_heads, config.dropout, config.bias)
        self.add_norm_self = AddAndNorm(config)
        self.cross_attention = MultiHeadAttention(config.d_model, config.n_heads, config.dropout, config.bias)
        self.add_norm_cross = AddAndNorm(config)
        self.feed_forward = FeedForward(config)
        self.add_norm_feed_forward = AddAndNorm(config)

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        caches: tuple[LayerCache, LayerCache] | None = None,
        maps: tuple[list[Tensor], list[Tensor]] | None = None,
        tokens: tuple[RealTokens | None, RealTokens | None] = (None, None),
    ) -> Tensor:
        """x (B, M, d_model) and the encoder's output `memory` (B, N, d_model) -> (B, M, d_model).

        mask: boolean, broadcast to (B, n_heads, M, M); memory_mask: to (B, n_heads, M, N). caches: of the self- and of
        the cross-attention. maps: two lists, to which their weights are added. tokens: of x and of the memory, given
        where these hold the real tokens only, see `RealTokens`.
        Raises TypeError when x or memory is no tensor, ValueError when one of them or of the masks has another shape.
        """
        self_cache, cross_cache = caches or (None, None)
        self_maps, cross_maps = maps or (None, None)
        x_tokens, memory_tokens = tokens
        require_vectors("x", x, self.self_attention.d_model, x_tokens)
        require_vectors("memory", memory, self.self_attention.d_model, memory_tokens)

        def self_attention(x: Tensor) -> Tensor:
            output, weights = self.self_attention(
                x, mask=mask, cache=self_cache, need_weights=self_maps is not None, tokens=x_tokens
            )
            if self_maps is not None:
                self_maps.append(weights)
            return output

        def cross_attention(x: Tensor) -> Tensor:  # queries from the decoder, keys and values from the encoder
            output, weights = self.cross_attention(
                x,
                memory,
                mask=memory_mask,
                cache=cross_cache,
                need_weights=cross_maps is not None,
                tokens=x_tokens,
                context_tokens=memory_tokens,
            )
            if cross_maps is not None:
                cross_maps.append(weights)
            return output

        x = self.add_norm_self(x, self_attention)
        x = self.add_norm_cross(x, cross_attention)
        return self.add_norm_feed_forward(x, self.feed_forward)


class Decoder(nn.Module):
    """n_layers blocks, and a last layer norm where asked for."""

    def __init__(self, config: BlockConfig, n_layers: int, final_norm: bool) -> None:
        super().__init__()
        self.layers = nn.ModuleList(DecoderLayer(config) for _ in range(n_layers))
        self.final_norm = layer_norm(config) if final_norm else nn.Identity()

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        cache: KeyValueCache | None = None,
        maps: tuple[list[Tensor], list[Tensor]] | None = None,
        tokens: tuple[RealTokens | None, RealTokens | None] = (None, None),
    ) -> Tensor:
        """x (B, M, d_model), memory (B, N, d_model) -> (B, M, d_model); see `DecoderLayer`."""
        for number, layer in enumerate(self.layers):
            caches = None if cache is None else (cache.self_attention[number], cache.cross_attention[number])
            x = layer(x, memory, mask, memory_mask, caches, maps, tokens)
        return self.final_norm(x)
