"""Check sizes and tensors for the models, in addition to `utils.require`.

A value that is no tensor, or a tensor of the wrong dtype, raises TypeError; any other unusable value, ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from utils.require import is_whole, require_whole

if TYPE_CHECKING:  # configurations and formulas do without PyTorch: it is imported where a tensor is looked at
    from torch import Tensor

# --- configurations ---------------------------------------------------------------------------------------------


def require_counts(config: object, *names: str) -> None:
    """Raise TypeError or ValueError unless each named field is a whole number of at least 1."""
    for name in names:
        require_whole(name, getattr(config, name))


def require_even(d_model: int) -> None:
    """Raise ValueError if d_model is odd, which sinusoidal positions can't fill."""
    if d_model % 2:
        raise ValueError(
            f"sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is {d_model}."
        )


def require_pairs(d_k: int) -> None:
    """Raise ValueError if d_k is odd, which rotary positions can't turn."""
    if d_k % 2:
        raise ValueError(f"rotary positions turn pairs of numbers, so d_k must be even: it is {d_k}.")


def require_table(max_length: int, d_model: int) -> None:
    """Raise ValueError if the position table doesn't fit into memory: 2**28 numbers are 1 GiB."""
    if max_length * d_model > 2**28:
        raise ValueError(
            f"max_length × d_model must be at most 2**28 where positions are added: it is {max_length} × {d_model}."
        )


def require_id(pad_id: object, owner: str, vocabulary: int) -> None:
    """Raise an error unless pad_id is an id of `owner`, whose vocabulary has `vocabulary` words."""
    if not is_whole(pad_id) or not 0 <= pad_id < vocabulary:
        error = ValueError if is_whole(pad_id) else TypeError
        raise error(f"pad_id must be an id of {owner}, from 0 to {vocabulary - 1}: it is {pad_id!r}.")


def require_flags(config: object, *names: str) -> None:
    """Raise ValueError unless each named field is True or False."""
    for name in names:
        if not isinstance(getattr(config, name), bool):
            raise ValueError(f"{name} must be True or False: it is {getattr(config, name)!r}.")


# --- tensors ----------------------------------------------------------------------------------------------------


def require_ids(ids: Tensor, vocabulary: int, name: str = "ids") -> None:
    """Raise TypeError or ValueError unless ids (B, N) are whole numbers from 0 to vocabulary − 1."""
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
    """Raise ValueError if the sequence is too long."""
    if length > max_length:
        raise ValueError(f"the sequence has {length} tokens, and this model takes at most max_length = {max_length}.")


def require_vectors(name: str, x: Tensor, weight: Tensor) -> None:
    """Raise an error unless x (B, N, d_model) can be multiplied with `weight` (…, d_model); autocast may convert it."""
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
    """Raise ValueError if the squares of x could overflow when summed, as in a variance or score. NaN passes.

    Not checked during training. `require_vectors` refuses values that are no vectors.
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
    """Raise ValueError for rotary positions with another sequence, whose positions are not those of this one."""
    if rotary is not None:
        raise ValueError("rotary positions are for self-attention: a context, which has places of its own, was given.")


def require_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raise an error unless mask is a boolean tensor that can be broadcast to the scores' shape."""
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
    """Raise an error unless queries (…, N, d_k) and keys (…, M, d_k) can be multiplied and M is at least 1."""
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
    """Raise ValueError unless the batch has as many rows as the cache."""
    if held != came:
        raise ValueError(f"the cache holds {held} rows, and {came} came: they must be as many.")
