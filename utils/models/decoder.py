"""The decoder: to `minimal.py` adds a cache, a configuration, a last norm, and what it shows and refuses."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention
from utils.models.cache import KeyValueCache, LayerCache
from utils.models.config import BlockConfig
from utils.models.layers import AddAndNorm, FeedForward, layer_norm
from utils.models.require import require_squares, require_vectors
from utils.models.watching import show


class DecoderLayer(nn.Module):
    """One block of the decoder. Source: Vaswani et al. 2017, section 3.1, figure 1 right."""

    shows: ClassVar = ("states",)
    attentions: ClassVar = {"self_attention": "decoder", "cross_attention": "cross"}

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
        caches: tuple[LayerCache, LayerCache] | tuple[None, None] = (None, None),
    ) -> Tensor:
        """Map x (B, M, d_model) and the encoder's output `memory` (B, N, d_model) -> (B, M, d_model).

        mask: boolean, broadcast to (B, n_heads, M, M); memory_mask: to (B, n_heads, M, N). caches: of the self- and of
        the cross-attention.
        Raises TypeError when x or memory is no tensor, ValueError when one of them or of the masks has another shape.
        """
        for name, vectors in (("x", x), ("memory", memory)):
            require_vectors(name, vectors, self.add_norm_cross.norm.weight)
        self_cache, cross_cache = caches
        x = self.add_norm_self(x, lambda x: self.self_attention(x, mask=mask, cache=self_cache))
        # Queries from the decoder, keys and values from the encoder.
        x = self.add_norm_cross(x, lambda x: self.cross_attention(x, memory, memory_mask, cross_cache))
        x = self.add_norm_feed_forward(x, self.feed_forward)
        return show(self, "states", x)


class Decoder(nn.Module):
    """A stack of n_layers blocks, with a last layer norm if configured."""

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
    ) -> Tensor:
        """Map x (B, M, d_model), memory (B, N, d_model) -> (B, M, d_model); see `DecoderLayer`.

        Also raises ValueError when the squares of x or memory overflow.
        """
        require_squares("x", x)
        require_squares("memory", memory)
        caches = [(None, None)] * len(self.layers) if cache is None else cache.layers
        for layer, layer_caches in zip(self.layers, caches, strict=True):
            x = layer(x, memory, mask, memory_mask, layer_caches)
        return self.final_norm(x)
