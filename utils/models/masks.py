"""Who may attend to whom: to `minimal.py` adds masks that begin further on, for a cache. True where it is allowed.

They combine with &.
"""

from __future__ import annotations

import torch
from torch import Tensor

from utils.models.cache import KeyValueCache


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Let every token attend to only the real ones: (B, 1, 1, N) for ids (B, N). Source: N4, "padding mask"."""
    return (ids != pad_id)[:, None, None, :]


def causal_mask(n: int, offset: int = 0, device: torch.device | str | None = None) -> Tensor:
    """Let token i of the n new ones attend to all `offset` earlier ones and up to itself: (n, offset + n).

    Raises ValueError if n or offset is below 0, or if the mask would exceed a gigabyte.
    Source: Vaswani et al. 2017, section 3.2.3; N4, "look ahead mask".
    """
    if n < 0 or offset < 0 or n * (offset + n) > 2**30:
        raise ValueError(f"a mask needs an n and an offset from 0, and a gigabyte at most: they are {n} and {offset}.")
    return torch.ones(n, offset + n, dtype=torch.bool, device=device).tril(diagonal=offset)


def target_mask(ids: Tensor, pad_id: int, cache: KeyValueCache | None = None) -> Tensor:
    """Return the mask that lets new tokens (B, M) look left but not at padding: (B, 1, M, cached + M)."""
    offset, real = (0, ids != pad_id) if cache is None else (cache.length, cache.see(ids != pad_id))
    return causal_mask(ids.shape[1], offset, ids.device) & real[:, None, None, :]
