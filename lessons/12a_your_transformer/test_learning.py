"""What is seen while a student's own loop runs, and the way in which one part is replaced for a while."""

from __future__ import annotations

import pytest

from lessons.learning import Learning, replaced
from utils.models import minimal


def test_training_is_redrawn_in_one_place(monkeypatch):
    pictures = []

    class Place:
        def update(self, picture):
            pictures.append(picture)

    monkeypatch.setattr("lessons.learning.display", lambda picture, display_id: pictures.append(picture) or Place())
    learning = Learning(20, ["The weather is great."], lambda text: ["هوا"])
    learning.show([3.0] * 10, 0.1)
    learning.show([3.0] * 10 + [1.0] * 10, 0.5)
    assert len(pictures) == 2 and "step 20 of 20, loss 2.00, 50% right" in pictures[1].html
    assert repr(pictures[0]) == repr(pictures[1]), "the same in every run"


def test_replaced_part_is_restored_even_after_an_error():
    kept = minimal.causal_mask
    with replaced(minimal.Transformer, causal_mask=len):
        assert minimal.causal_mask is len
    with pytest.raises(ZeroDivisionError), replaced(minimal.train, causal_mask=len):
        raise ZeroDivisionError
    assert minimal.causal_mask is kept
