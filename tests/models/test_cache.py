"""The keys and values of tokens already seen: what went in comes out, in the order that was asked for."""

from __future__ import annotations

import pytest
import torch

from utils.models.cache import LayerCache


def filled(steps: int) -> tuple[LayerCache, torch.Tensor, torch.Tensor]:
    """A cache of three rows, two heads and d_k = 4, a token at a time, and all that it was given."""
    key, value = torch.arange(2 * 3 * 2 * steps * 4.0).reshape(2, 3, 2, steps, 4)
    cache = LayerCache()
    for step in range(steps):
        cache.extend(key[:, :, step : step + 1], value[:, :, step : step + 1])
    return cache, key, value


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_cache_returns_what_was_seen(steps: int) -> None:
    cache, key, value = filled(steps)
    assert cache.length == steps and torch.equal(cache.key, key) and torch.equal(cache.value, value)


@pytest.mark.parametrize("rows", [[2, 0, 1], [2], [2, 2, 1, 0]])
def test_cache_continues_after_rows_are_dropped_reordered_or_repeated(rows: list[int]) -> None:
    cache, key, value = filled(3)
    cache.select(torch.tensor(rows))
    assert torch.equal(cache.key, key[rows]) and torch.equal(cache.value, value[rows])
    new = torch.full((len(rows), 2, 1, 4), -1.0)
    keys, values = cache.extend(new, new)
    assert torch.equal(keys, torch.cat([key[rows], new], dim=2))
    assert torch.equal(values, torch.cat([value[rows], new], dim=2))
