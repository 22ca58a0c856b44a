"""What PyTorch holds at once is counted to the byte, freed memory too."""

from __future__ import annotations

import torch

from lessons.held_by_torch import most_held_by_torch

MEBIBYTE = 2**20


def test_tensor_is_counted_to_the_byte():
    assert most_held_by_torch(lambda: torch.empty(MEBIBYTE, dtype=torch.uint8)) == MEBIBYTE


def test_standard_error_is_restored(capfd):
    most_held_by_torch(lambda: torch.empty(4))
    import sys

    print("still heard", file=sys.stderr)
    assert capfd.readouterr().err == "still heard\n"
