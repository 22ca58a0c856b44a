"""What PyTorch holds at once is counted to the byte, freed memory too."""

from __future__ import annotations

import torch

from lessons.held_by_torch import most_held_by_torch

MEBIBYTE = 2**20


def test_a_tensor_is_counted_to_the_byte():
    assert most_held_by_torch(lambda: torch.empty(MEBIBYTE, dtype=torch.uint8)) == MEBIBYTE


def test_what_is_given_back_is_not_counted_twice():
    def one_after_the_other():
        for _ in range(3):
            torch.empty(MEBIBYTE, dtype=torch.uint8)

    def together():
        return [torch.empty(MEBIBYTE, dtype=torch.uint8) for _ in range(3)]

    assert most_held_by_torch(one_after_the_other) == MEBIBYTE
    assert most_held_by_torch(together) == 3 * MEBIBYTE


def test_standard_error_is_as_it_was_afterwards(capfd):
    most_held_by_torch(lambda: torch.empty(4))
    import sys

    print("still heard", file=sys.stderr)
    assert capfd.readouterr().err == "still heard\n"
