"""What the models of this room refuse besides `utils.require`: sizes that don't fit, and tensors.

What is no tensor, or one of another kind of numbers, is a TypeError, any other that can't be used a ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utils.require import is_whole, require_whole

if TYPE_CHECKING:  # configurations and formulas do without PyTorch: it is imported where a tensor is looked at
    from torch import Tensor

# --- configurations ---------------------------------------------------------------------------------------------


def require_counts(config: object, *names: str) -> None:
    """Ask for a whole number of at least 1 in each of these fields."""
    for name in names:
        require_whole(name, getattr(config, name))


def require_even(d_model: int) -> None:
    """Ask for a d_model that sinusoidal positions can fill."""
    if d_model % 2:
        raise ValueError(
            f"sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is {d_model}."
        )


def require_pairs(d_k: int) -> None:
    """Ask for a d_k that rotary positions can turn."""
    if d_k % 2:
        raise ValueError(f"rotary positions turn pairs of numbers, so d_k must be even: it is {d_k}.")


def require_table(max_length: int, d_model: int) -> None:
    """Ask for a table of positions that fits into memory: 2**28 numbers are 1 GiB."""
    if max_length * d_model > 2**28:
        raise ValueError(
            f"max_length × d_model must be at most 2**28 where positions are added: it is {max_length} × {d_model}."
        )


def require_id(pad_id: object, owner: str, vocabulary: int) -> None:
    """Ask for a pad_id of `owner`, which knows as many words as `vocabulary` says."""
    if not is_whole(pad_id) or not 0 <= pad_id < vocabulary:
        error = ValueError if is_whole(pad_id) else TypeError
        raise error(f"pad_id must be an id of {owner}, from 0 to {vocabulary - 1}: it is {pad_id!r}.")


def require_flags(config: object, *names: str) -> None:
    """Ask for True or False in each of these fields."""
    for name in names:
        if not isinstance(getattr(config, name), bool):
            raise ValueError(f"{name} must be True or False: it is {getattr(config, name)!r}.")


# --- tensors ----------------------------------------------------------------------------------------------------


def require_ids(ids: Tensor, vocabulary: int, name: str = "ids") -> None:
    """Ask for whole numbers from 0 to vocabulary − 1, (B, N)."""
    import torch

    if not isinstance(ids, torch.Tensor):
        raise TypeError(
            f"{name} must be a tensor of whole numbers (torch.long): they are of type {type(ids).__name__}."
        )
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must be whole numbers (torch.long): their dtype is {ids.dtype}.")
    if ids.ndim != 2 or ids.numel() == 0:
        raise ValueError(
            f"{name} must be a batch of sequences, (batch, length), not empty: their shape is {tuple(ids.shape)}."
        )
    low, high = (int(end) for end in ids.aminmax())
    if low < 0 or high >= vocabulary:
        raise ValueError(
            f"{name} must be from 0 to {vocabulary - 1}, the vocabulary has {vocabulary} entries: "
            f"they go from {low} to {high}."
        )


def require_length(length: int, max_length: int) -> None:
    """Ask for no more tokens than a model can read."""
    if length > max_length:
        raise ValueError(f"the sequence has {length} tokens, and this model takes at most max_length = {max_length}.")


def require_vectors(name: str, x: Tensor, weight: Tensor) -> None:
    """Ask for a tensor (B, N, d_model) that `weight` (…, d_model) can be multiplied with; autocast may convert it."""
    import torch

    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, torch.tensor(…) makes one: it is of type {type(x).__name__}.")
    d_model, kinds = weight.shape[-1], (x.dtype, weight.dtype)
    if not x.is_floating_point() or (torch.float64 in kinds and x.dtype != weight.dtype):
        raise TypeError(f"{name} must hold numbers as the weights do, {weight.dtype}: its dtype is {x.dtype}.")
    if x.ndim != 3 or x.shape[-1] != d_model:
        raise ValueError(
            f"{name} must be vectors, (batch, tokens, d_model = {d_model}): its shape is {tuple(x.shape)}."
        )


def require_squares(name: str, x: Tensor) -> None:
    """Ask for numbers whose squares can be added up, as a variance and a score do. NaN goes through, and shows.

    Of a training that is not asked. What are no vectors, `require_vectors` refuses.
    """
    import torch

    asked = isinstance(x, torch.Tensor) and x.is_floating_point() and x.numel() and not x.requires_grad
    if not asked or torch.compiler.is_compiling():
        return
    most = torch.finfo(torch.promote_types(x.dtype, torch.float32)).max ** 0.4  # room for sums and for the weights
    if (largest := x.detach().abs().max().item()) > most:
        raise ValueError(
            f"{name} must hold numbers whose squares can be added up in {x.dtype}, at most {most:.0e}: "
            f"the largest is {largest:.0e}."
        )


def require_self_attention(rotary: object) -> None:
    """Refuse rotary positions where another sequence is looked at: its places are not those of this one."""
    if rotary is not None:
        raise ValueError("rotary positions are for self-attention: a context, which has places of its own, was given.")


def require_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Ask for a boolean tensor that can be broadcast to the scores' shape."""
    import torch

    if mask.dtype != torch.bool:
        raise TypeError(f"the mask must be boolean, True where attention is allowed: its dtype is {mask.dtype}.")
    fits = mask.ndim <= len(shape) and all(
        have in (1, wanted) for have, wanted in zip(reversed(mask.shape), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(
            f"the mask must fit the scores (batch, n_heads, queries, keys) = {tuple(shape)}, "
            f"or have 1 where all are alike: its shape is {tuple(mask.shape)}."
        )


def require_fitting(query: Tensor, key: Tensor) -> None:
    """Ask for queries (…, N, d_k) and keys (…, M, d_k) that can be multiplied, M being at least 1."""
    import torch

    if not (isinstance(query, torch.Tensor) and isinstance(key, torch.Tensor)):
        raise TypeError(f"query and key must be tensors: they are of types {type(query)} and {type(key)}.")
    if not query.is_floating_point() or query.dtype != key.dtype:
        raise TypeError(f"query and key must hold numbers of one kind with a point: {query.dtype} and {key.dtype}.")
    if (*key.shape[:-2], key.shape[-1]) != (*query.shape[:-2], query.shape[-1]) or not key.shape[-2]:
        raise ValueError(
            "query (…, N, d_k) and key (…, M, d_k) must fit, with M of at least 1: "
            f"their shapes are {tuple(query.shape)} and {tuple(key.shape)}."
        )


def require_rows(held: int, came: int) -> None:
    """Ask for as many rows as the cache holds."""
    if held != came:
        raise ValueError(f"the cache holds {held} rows, and {came} came: they must be as many.")
