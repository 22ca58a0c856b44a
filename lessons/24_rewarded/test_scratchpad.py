"""The adders with notes: what they write before their answers."""

from __future__ import annotations

import pytest
import torch

from lessons.rewarded_adder import text_of
from lessons.scratchpad import NOTES, noted_sums, share_right


@pytest.mark.parametrize(
    ("a", "b", "notes", "text"),
    [
        (345, 678, "nothing", "345+678=1023"),
        (345, 678, "3 carries", "345+678=1111023"),
        (307, 45, "1 carry", "307+045=10352"),
        (60, 50, "2 carries", "060+050=010110"),
        (999, 1, "3 plus signs", "999+001=+++1000"),
    ],
)
def test_noted_sums_write_carries_from_the_right_before_the_answer(a, b, notes, text):
    assert text_of(noted_sums(torch.tensor([[a, b]]), NOTES[notes])[0]) == text


def test_share_right_judges_what_the_model_writes_and_only_its_answer():
    right = noted_sums(torch.tensor([[345, 678], [1, 2]]), "+")

    def model(ids):  # always the same sum's signs, but with another note
        logits = torch.zeros(*ids.shape, 13)
        script = right[0].clone()
        script[8] = 1
        logits[:, -1, script[ids.shape[1]]] = 1
        return logits

    assert share_right(model, right) == 0.5
