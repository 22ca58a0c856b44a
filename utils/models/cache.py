"""A cache, which `minimal.py` lacks: keys and values of the tokens already seen, so that a new one costs one step."""

from __future__ import annotations

import torch
from torch import Tensor

from utils.models.require import require_rows


class LayerCache:
    """The keys and values of one attention layer, each (B, n_heads, length, d_k)."""

    def __init__(self) -> None:
        self.length = 0
        self._key: Tensor | None = None  # room for more than `length`, so that a new token is written, not copied
        self._value: Tensor | None = None

    @property
    def key(self) -> Tensor:
        return self._key[:, :, : self.length]

    @property
    def value(self) -> Tensor:
        return self._value[:, :, : self.length]

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Add the new tokens' keys and values (B, n_heads, n, d_k); returns those of all tokens so far.

        Raises ValueError when the batch has a different number of rows than before.
        """
        if self._key is not None:
            require_rows(len(self._key), len(key))
        start, self.length = self.length, self.length + key.shape[2]
        if self._key is None:
            self._key, self._value = key, value
        else:
            if self.length > self._key.shape[2]:
                self._key, self._value = (_with_room(old, 2 * self.length) for old in (self._key, self._value))
            self._key[:, :, start : self.length] = key
            self._value[:, :, start : self.length] = value
        return self.key, self.value

    def select(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was: to drop, reorder or repeat sentences of the batch."""
        if self._key is not None:
            self._key, self._value = self._key.index_select(0, rows), self._value.index_select(0, rows)


class KeyValueCache:
    """The caches of a decoder: one for self-attention and one for cross-attention, which a GPT lacks, in every layer.

    It is for decoding without gradients: what is stored is written in place.
    """

    def __init__(self, n_layers: int) -> None:
        self.self_attention = [LayerCache() for _ in range(n_layers)]
        self.cross_attention = [LayerCache() for _ in range(n_layers)]
        self.real: Tensor | None = None  # (B, length), False where a token so far is padding

    @property
    def layers(self) -> list[tuple[LayerCache, LayerCache]]:
        """Of each layer the caches of its self- and of its cross-attention."""
        return list(zip(self.self_attention, self.cross_attention, strict=True))

    @property
    def length(self) -> int:
        """How many tokens have been seen: the position of the next one."""
        return self.self_attention[0].length

    def see(self, real: Tensor) -> Tensor:
        """Note which of the new tokens (B, n) are no padding; returns that for all tokens so far, (B, length + n).

        Raises ValueError when the batch is not the one before.
        """
        if self.real is not None:
            require_rows(len(self.real), len(real))
        self.real = real if self.real is None else torch.cat([self.real, real], dim=1)
        return self.real

    def select(self, rows: Tensor) -> None:
        """Make row i what row `rows[i]` was: to drop, reorder or repeat sentences of the batch."""
        for layer in (*self.self_attention, *self.cross_attention):
            layer.select(rows)
        if self.real is not None:
            self.real = self.real.index_select(0, rows)


def _with_room(old: Tensor, length: int) -> Tensor:
    new = old.new_empty(*old.shape[:2], length, old.shape[3])
    new[:, :, : old.shape[2]] = old
    return new
