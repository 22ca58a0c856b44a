"""What training makes small: to `minimal.loss_of` adds label smoothing, and sums that can be joined over batches.

Sources: Vaswani et al. 2017, section 5.4 (smoothing of 0.1); Szegedy et al. 2016, section 7; N4, "training".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from utils.data.vocabulary import PAD
from utils.require import require_number, require_whole


def smoothed_cross_entropy(logits: Tensor, targets: Tensor, smoothing: float = 0.0) -> tuple[Tensor, int]:
    """Return the summed loss of all targets other than PAD, and their number.

    logits (…, vocabulary), targets (…) of ids. The right id is given 1 − smoothing, and the rest is spread evenly
    over the whole vocabulary, the right id included: −Σ_v q_v ln p_v with q = (1 − ε) · one-hot + ε / vocabulary.
    Sum and count are separate so that batches, and processes, can be joined before dividing.
    Raises ValueError when the shapes do not fit, for a smoothing outside [0, 1), and for ids past the vocabulary.
    """
    if not (isinstance(logits, Tensor) and isinstance(targets, Tensor)):
        raise TypeError(f"logits and targets must be tensors: they are {type(logits)} and {type(targets)}.")
    if not logits.is_floating_point() or targets.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            "logits must be numbers with a point, targets ids (torch.long): "
            f"their dtypes are {logits.dtype} and {targets.dtype}."
        )
    if logits.shape[:-1] != targets.shape:
        raise ValueError(
            f"each target needs one row of logits: targets have shape {tuple(targets.shape)}, "
            f"logits have shape {tuple(logits.shape)}."
        )
    require_number("smoothing", smoothing, "of at least 0 and below 1", lambda s: 0 <= s < 1)
    wanted = targets != PAD
    targets, logits = targets[wanted], logits[wanted]  # (K,), (K, vocabulary)
    _require_ids(targets, logits.shape[-1])
    # A sum of thousands in 16 bits would keep two digits of it.
    log_p = logits.log_softmax(dim=-1, dtype=torch.promote_types(logits.dtype, torch.float32))  # (K, vocabulary)
    surprise = -log_p.gather(-1, targets.unsqueeze(-1)).sum()
    if smoothing == 0:  # the other sum, over all the vocabulary, would take as long again
        return surprise, len(targets)
    evenly = -log_p.mean(dim=-1).sum()
    return (1 - smoothing) * surprise + smoothing * evenly, len(targets)


def translation_loss(smoothing: float = 0.0) -> Callable[[nn.Module, Any], tuple[Tensor, int]]:
    """Return `loss_of(model, batch)` for a `Trainer` of any model(source, target) -> logits: teacher forcing.

    The model reads target_in, the correct words shifted by one, and has to predict target_out at each position.
    Raises ValueError for a smoothing outside [0, 1).
    """
    require_number("smoothing", smoothing, "of at least 0 and below 1", lambda s: 0 <= s < 1)

    def loss_of(model: nn.Module, batch: Any) -> tuple[Tensor, int]:
        return smoothed_cross_entropy(model(batch.source, batch.target_in), batch.target_out, smoothing)

    loss_of.smoothing = smoothing  # for checkpoints: a training run continues with the loss that it began with
    return loss_of


def next_token_loss(begin: int = 1) -> Callable[[nn.Module, Tensor], tuple[Tensor, int]]:
    """Return `loss_of(model, batch)` for a `Trainer` of any model(ids) -> logits of the next token; batch: ids (B, N).

    The model reads all tokens but the last, and should say all but the first. Those at the places from `begin` on
    count, so that an answer can be learnt without the question before it; PAD never does.
    Raises TypeError or ValueError when begin is no whole number from 1.
    Source: Radford et al. 2018, equation 1.
    """
    require_whole("begin", begin)

    def loss_of(model: nn.Module, batch: Tensor) -> tuple[Tensor, int]:
        logits = model(batch[:, :-1])  # (B, N − 1, vocabulary)
        return smoothed_cross_entropy(logits[:, begin - 1 :], batch[:, begin:])

    loss_of.begin = begin  # for checkpoints, as above
    return loss_of


def _require_ids(ids: Tensor, vocabulary: int) -> None:
    if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < vocabulary:
        wrong = ids[(ids < 0) | (ids >= vocabulary)][0]
        raise ValueError(f"target id {int(wrong)} is outside the vocabulary: the logits have {vocabulary} columns.")
