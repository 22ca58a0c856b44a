"""Find out why a model that runs does not learn, from what it does on one batch.

Nothing is read of its code. The batch is changed, and what that changes in the answers is measured; the gradients of
the last step are compared with those of one batch; and the losses are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from statistics import fmean as mean

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.data.vocabulary import END, PAD

_SEED = 0  # of the fresh weights by which it is seen what the model can do before any training
_MOVED = 1e-3  # share of the logits' spread: a smaller change counts as none
_SHARE = 0.5  # of the places at which a model must do something for it to be named
_TIMES = 6.0  # how much longer than one batch's gradient a gradient is that was never set to zero
_LEARNT = 0.5  # of the loss of a blind guess: a training below it has learnt something
_HARDLY = 0.1  # of a loss: a smaller fall counts as none
_LOWER = 0.9  # of the last loss: if a few steps of another size come below it, the size was wrong
_NEAR = 0.1  # of the last loss: so far off the loss on another batch may be
_FEWEST = 40  # steps: after fewer, nothing is said about their size


def why(model: nn.Module, losses: Sequence[float], source: Tensor, target: Tensor) -> str:
    """Return why `model` does not learn, in one sentence with the number that was seen; "" where nothing is found.

    model(source, target) gives logits (B, M, words). losses: of the steps so far, from the first. source (B, N) and
    target (B, M) ids: a batch of at least two pairs, as in training; a row of target is START, its words, END, padding.
    The model stays as it is. Raises ValueError for no losses, and for a batch of fewer than two pairs.
    """
    if not losses or len(source) < 2:
        raise ValueError(f"losses and a batch of two pairs are needed: these are {len(losses)} and {len(source)}.")
    if not all(map(math.isfinite, losses)):
        step = next(step for step, loss in enumerate(losses, 1) if not math.isfinite(loss))
        return f"The loss became {losses[step - 1]} at step {step}: the learning rate is too high."
    seen = _Seen(model, losses, source, target)
    checks = (
        seen.ahead, seen.without_the_source, seen.without_order, seen.padding, seen.copied, seen.added_up,
        seen.softmax_twice, seen.rate,
    )  # fmt: skip
    return next((found for check in checks if (found := check())), "")


class _Seen:
    """The output of a model for one batch, changed in several ways."""

    def __init__(self, model: nn.Module, losses: Sequence[float], source: Tensor, target: Tensor) -> None:
        self._trained, self._losses, self._source = model, losses, source
        self._read, self._said, self._whole = target[:, :-1], target[:, 1:], target
        self._real = self._said != PAD  # (B, M − 1)
        self._model = _still(model)
        self._redrawn = _redrawn(model)  # what it can do at all, whatever it has learnt

    def ahead(self) -> str:
        """Return a sentence if changing later words changes earlier predictions."""
        cut = max(1, self._read.shape[1] // 2)
        other = self._read.clone()
        other[:, cut:] = self._read.flip(1)[:, : other.shape[1] - cut]
        for model in (self._redrawn, self._model):
            moved = _moved(model, (self._source, self._read), (self._source, other), self._real[:, :cut], upto=cut)
            if moved > _MOVED:
                return (
                    f"It sees ahead: other words from position {cut + 1} on move its predictions before it by "
                    f"{moved:.0%}. The look-ahead mask is missing, or upside down."
                )
        return ""

    def without_the_source(self) -> str:
        """Return a sentence if the sources of other sentences change nothing."""
        others = self._source.roll(1, 0)
        moved = _moved(self._redrawn, (self._source, self._read), (others, self._read), self._real)
        if moved < _MOVED:
            return (
                f"It ignores the source: with the source of another sentence its answers move by {moved:.1%}. In "
                "the cross-attention keys and values come from the encoder's output."
            )
        return ""

    def without_order(self) -> str:
        """Return a sentence if reversing the source words changes nothing."""
        turned = torch.stack([_turned(row) for row in self._source])
        moved = _moved(self._redrawn, (self._source, self._read), (turned, self._read), self._real)
        if moved < _MOVED:
            return (
                f"It ignores the order of the words: with the source turned round its answers move by {moved:.1%}. The "
                "positions are missing."
            )
        return ""

    def padding(self) -> str:
        """Return a sentence if the model predicts padding after the end, which the loss should not count."""
        after = self._model(self._source, self._whole).softmax(dim=-1)[self._whole == END]  # (ends, words)
        share = after[:, PAD].mean().item() if len(after) else 0.0
        if share > _SHARE:
            return (
                f"The loss counts the padding: after the end it predicts padding, with a probability of {share:.0%}, "
                "so that is what it was taught. Leave it out of the loss: `ignore_index=PAD`."
            )
        return ""

    def copied(self) -> str:
        """Return a sentence if the model repeats the word that it has just read."""
        p = self._model(self._source, self._read).softmax(dim=-1)  # (B, M − 1, words)
        share = p.gather(-1, self._read[..., None])[..., 0][self._real].mean().item()
        if share > _SHARE:
            return (
                f"It copies: it predicts the word that it has just read, with a probability of {share:.0%}. The target "
                "is not shifted: it reads `target[:, :-1]` and should predict `target[:, 1:]`."
            )
        return ""

    def added_up(self) -> str:
        """Return a sentence if the last step's gradients, compared with those of one batch, were added up."""
        left = _length([p.grad for p in self._trained.parameters()])
        one = self._one_gradient()
        if left > _TIMES * one:
            return (
                f"The gradients add up: those that the last step has left are {left / one:.0f} times as long as those "
                "of one batch. `zero_grad` is missing."
            )
        return ""

    def _one_gradient(self) -> float:
        model = deepcopy(self._trained)
        model.zero_grad()
        with torch.enable_grad():
            _loss(model(self._source, self._read), self._said).backward()
        return _length([p.grad for p in model.parameters()])

    def softmax_twice(self) -> str:
        """Return a sentence if the model is certain, but its losses suggest a second softmax."""
        logits, last = self._model(self._source, self._read), mean(self._losses[-_FEWEST // 2 :])
        certain = logits.softmax(dim=-1).amax(dim=-1)[self._real].mean().item()
        twice = _loss(logits.softmax(dim=-1), self._said).item()
        lowest = math.log(math.e + logits.shape[-1] - 1) - 1  # of a loss with one softmax too many
        if certain > _SHARE and last > lowest and abs(twice - last) < _NEAR * last:
            return (
                f"There is a softmax before the cross-entropy: it gives its first choice {certain:.0%} on average, and "
                f"the loss stays at {last:.2f}. With one softmax too many it can't come below {lowest:.2f}."
            )
        return ""

    def rate(self) -> str:
        """Return a sentence if other step sizes would lower the loss better."""
        part = len(self._losses) // 8
        if part < _FEWEST // 8:
            return ""
        first, last = mean(self._losses[:part]), mean(self._losses[-part:])
        knows_nothing = math.log(self._model(self._source, self._read).shape[-1])
        if last < _LEARNT * min(first, knows_nothing):
            return ""
        n, on = len(self._losses), self._after_steps(self._trained, 10, 1e-3)
        helped = on[0] - on[1]
        if last - first > _HARDLY * first:
            return f"The learning rate is too high: in {n} steps the loss has risen from {first:.2f} to {last:.2f}."
        if first - last < _HARDLY * first and helped > max(3 * (first - last), _HARDLY * first / 2):
            return (
                f"The learning rate is too low, or no step is taken: in {n} steps the loss went from {first:.2f} to "
                f"{last:.2f}. Ten steps of Adam at 0.001 on this batch alone bring it from {on[0]:.2f} to {on[1]:.2f}."
            )
        afresh = self._after_steps(self._redrawn, 40, 3e-3)
        is_its_own = abs(on[0] - last) < 3 * _NEAR * last  # else it is another loss that the training makes small
        if is_its_own and helped < _HARDLY * on[0] and afresh[1] < _LOWER * last:
            return (
                f"The learning rate is too high: after {n} steps the loss is {last:.2f}, and ten small steps no longer "
                f"help. With new weights, forty steps of Adam at 0.003 on this batch alone bring it to {afresh[1]:.2f}."
            )
        return ""

    def _after_steps(self, model: nn.Module, steps: int, rate: float) -> tuple[float, float]:
        """Return the loss of the batch before and after `steps` steps of Adam on it."""
        model, losses = deepcopy(model).train().requires_grad_(True), []
        optimizer = torch.optim.Adam(model.parameters(), lr=rate)
        with torch.enable_grad():
            for _ in range(steps + 1):
                loss = _loss(model(self._source, self._read), self._said)
                losses.append(loss.item())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        return losses[0], losses[-1]


def _still(model: nn.Module) -> nn.Module:
    return deepcopy(model).eval().requires_grad_(False)


def _redrawn(model: nn.Module) -> nn.Module:
    """Return a copy of the model with new random weights, large enough that every connection shows."""
    model, dice = _still(model), torch.Generator().manual_seed(_SEED)
    for parameter in model.parameters():
        drawn = torch.randn(parameter.shape, generator=dice)
        parameter.copy_(drawn * (parameter.shape[-1] ** -0.5 if parameter.ndim > 1 else 0.5) + (parameter.ndim == 1))
    return model


def _moved(
    model: nn.Module, one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor], where: Tensor, upto: int | None = None
) -> float:
    """Return the largest change of the logits at the positions `where`, relative to their spread."""
    a, b = (model(*pair)[:, :upto][where] for pair in (one, other))
    return ((a - b).abs().max() / a.std()).item()


def _turned(row: Tensor) -> Tensor:
    real = row != PAD
    return torch.cat([row[real].flip(0), row[~real]])


def _loss(logits: Tensor, said: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), said.flatten(), ignore_index=PAD)


def _length(gradients: Sequence[Tensor | None]) -> float:
    return math.sqrt(sum((g.double() ** 2).sum().item() for g in gradients if g is not None))
