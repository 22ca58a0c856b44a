"""Leaving the padding out of the work: only attention needs sentences side by side, the rest takes token by token."""

from __future__ import annotations

from torch import Tensor


class RealTokens:
    """Which tokens of a padded batch are real, from a boolean tensor (B, N), True where they are.

    T is how many there are. In a batch of short sentences of unequal length a third of the tokens may be padding,
    and with it a third of the work.
    """

    def __init__(self, real: Tensor) -> None:
        self.shape = real.shape  # (B, N)
        self.places = real.flatten().nonzero().squeeze(1)  # (T,)
        self.all = len(self.places) == real.numel()

    def only(self, x: Tensor) -> Tensor:
        """The real tokens of x (B, N, d), below each other: (T, d)."""
        x = x.flatten(0, 1)
        return x if self.all else x.index_select(0, self.places)

    def spread(self, x: Tensor) -> Tensor:
        """The inverse: x (T, d) back in its places, zeros at the padding, (B, N, d)."""
        if not self.all:
            x = x.new_zeros(self.shape.numel(), x.shape[-1]).index_copy(0, self.places, x)
        return x.unflatten(0, self.shape)
