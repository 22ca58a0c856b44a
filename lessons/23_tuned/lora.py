"""LoRA: what is learnt is added to a frozen matrix as the product of two narrow ones (Hu et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import torch
from torch import Tensor, nn


class Lora(nn.Module):
    """A linear layer that stays as it is, and B A beside it, rank numbers wide: x -> W x + b + B A x.

    A (rank, d_in) is drawn at random and B (d_out, rank) is 0, so that at first nothing has changed. The paper's
    factor α / r, the same for all of B A, is 1 here.
    Source: Hu et al. 2021, equation 3.
    """

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear.requires_grad_(False)
        d_out, d_in = linear.weight.shape
        self.A = nn.Parameter(torch.randn(rank, d_in) * d_in**-0.5)
        self.B = nn.Parameter(torch.zeros(d_out, rank))

    @property
    def weight(self) -> Tensor:
        """The matrix that it amounts to, (d_out, d_in)."""
        return self.linear.weight + self.B @ self.A

    @property
    def bias(self) -> Tensor | None:
        return self.linear.bias

    def forward(self, x: Tensor) -> Tensor:
        """(…, d_in) -> (…, d_out)."""
        return self.linear(x) + (x @ self.A.T) @ self.B.T  # (…, d_in) -> (…, rank) -> (…, d_out)

    def merged(self) -> nn.Linear:
        """One linear layer that does the same."""
        linear = deepcopy(self.linear)
        linear.weight.data = self.weight.detach().clone()
        return linear


def add_lora(model: nn.Module, ends: Sequence[str], rank: int, seed: int = 0) -> None:
    """Freezes `model` in place, and puts a `Lora` over each of its linear layers whose name ends with one of `ends`."""
    model.requires_grad_(False)
    names = [name for name, part in model.named_modules() if isinstance(part, nn.Linear) and name.endswith(tuple(ends))]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for name in names:
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, Lora(model.get_submodule(name), rank))


def merge_lora(model: nn.Module) -> None:
    """Puts one linear layer in place of each `Lora` of `model`, in place."""
    for name, part in [*model.named_modules()]:
        if isinstance(part, Lora):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, part.merged())


def turned(model: nn.Module, strength: float, parts: int) -> nn.Module:
    """A copy without Lora: of each change B A the `parts` largest of its parts of rank one, `strength` times.

    At strength 1, with as many parts as the rank, it is the model that `merge_lora` makes.
    """
    model = deepcopy(model)
    with torch.no_grad():
        for part in [part for part in model.modules() if isinstance(part, Lora)]:
            U, sizes, V = torch.linalg.svd(part.B @ part.A, full_matrices=False)  # from the largest part down
            sizes = sizes[:parts]
            part.A.data, part.B.data = V[:parts], strength * U[:, :parts] * sizes
    merge_lora(model)
    return model


def trained_numbers(model: nn.Module) -> int:
    """Count the numbers of `model` that a training changes."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
