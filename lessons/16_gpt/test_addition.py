"""Sums as text, and what a model makes of them."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from lessons.addition import SIGNS, all_sums, answers, as_ids, share_right, sum_batches, sum_text


def test_sum_is_written_with_its_last_digit_first():
    assert sum_text(345, 678) == "345+678=3201" and sum_text(7, 58) == "007+058=5600"
    assert sum_text(7, 58, backwards=False) == "007+058=0065"
    assert sum_text(1234, 8766, digits=4) == "1234+8766=00001"


def test_all_sums_hold_every_sum_once_in_seeded_order():
    sums = all_sums(0)
    assert sums.shape == (1_000_000, 2) and len(torch.unique(sums[:, 0] * 1000 + sums[:, 1])) == 1_000_000
    assert not torch.equal(sums, all_sums(1))
    batch = sum_batches(sums, rows=4)
    texts = ["".join(SIGNS[id] for id in row) for n in (0, 1) for row in batch(n).tolist()]
    assert texts == [sum_text(a, b) for a, b in sums[:8].tolist()]
    assert int(batch(0).min()) > 0, "padding is no sign"


class _Pupil(nn.Module):
    """Knows every sum, and forgets to carry if it is told to."""

    def __init__(self, carries: bool = True, backwards: bool = True) -> None:
        super().__init__()
        self.carries, self.backwards = carries, backwards
        self.config = type("Config", (), {"max_length": 32})()

    def new_cache(self):
        return type("Cache", (), {"length": 0, "select": lambda self, rows: None})()

    def forward(self, ids, cache=None):
        logits = torch.zeros(*ids.shape, len(SIGNS))
        for row, line in enumerate(ids.tolist()):
            text = "".join(SIGNS[id] for id in line)
            question, _, so_far = text.partition("=")
            a, b = question.split("+")
            total = int(a) + int(b) if self.carries else int(a[-1]) + int(b[-1])
            right = sum_text(int(a), int(b), len(a), self.backwards).split("=")[1]
            answer = right if self.carries else f"{total:0{len(right)}}"[::-1]
            logits[row, -1, as_ids(answer)[len(so_far)]] = 9.0
        return logits


def test_answers_are_compared_in_every_digit():
    pairs = [(345, 678), (1, 2), (10, 20)]
    assert answers(_Pupil(), pairs) == ["3201", "3000", "0300"]
    assert share_right(_Pupil(), pairs) == 1.0 and share_right(_Pupil(), [(1234, 1)], digits=4) == 1.0
    assert share_right(_Pupil(carries=False), pairs) == pytest.approx(1 / 3)
    assert share_right(_Pupil(backwards=False), pairs) == 0.0
    assert share_right(_Pupil(backwards=False), pairs, backwards=False) == 1.0
