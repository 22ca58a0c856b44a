"""What a student has built goes on being used where it passes; else the course's own stands in, and a line says so."""

from __future__ import annotations

import pytest
import torch

from utils.course.exercises import EXERCISES, Verdict, judged
from utils.course.parts import best_of, stand_ins
from utils.models import minimal

pytestmark = pytest.mark.usefixtures("progress")
PARTS = {
    "12a.embedded": minimal.embedded,
    "12a.attention": minimal.attention,
    "12a.causal_mask": minimal.causal_mask,
    "12a.heads": minimal.MultiHeadAttention,
    "12a.encoder": minimal.EncoderLayer,
    "12a.decoder": minimal.DecoderLayer,
    "12a.transformer": minimal.Transformer,
    "12a.loss": minimal.loss_of,
    "12a.train": minimal.train,
    "12a.greedy": minimal.greedy,
}


def test_every_part_of_the_minimal_transformer_passes_its_exercise():
    assert list(PARTS) == [name for name in EXERCISES if name.startswith("12a.")]
    for name, part in PARTS.items():
        assert judged(EXERCISES[name], part).verdict is Verdict.PASSED, name


def causal_mask(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def not_written(n):
    raise NotImplementedError("your turn")


@pytest.mark.parametrize(
    ("own", "stays"), [(causal_mask, True), (lambda n: ~causal_mask(n), False), (not_written, False)]
)
def test_best_of_keeps_what_passes(own, stays, capsys):
    own.__name__ = "causal_mask"
    courses = stand_ins(minimal)
    best = best_of("12a.causal_mask", own, courses)
    assert best is courses.causal_mask and (best is own) == stays
    said = capsys.readouterr().out
    assert ("yours\n" in said) == stays and ("stands in, until yours passes" in said) != stays


def test_substitute_parts_call_the_students_parts():
    calls = []

    def attention(query, key, value, mask):
        calls.append("attention")
        return minimal.attention(query, key, value, mask)

    class MultiHeadAttention(minimal.MultiHeadAttention):
        def forward(self, x, context, mask):
            calls.append("heads")
            return super().forward(x, context, mask)

    courses = stand_ins(minimal)
    best_of("12a.attention", attention, courses)
    calls.clear()
    ids = torch.tensor([[4, 5]])
    courses.Transformer(9, 9)(ids, ids)
    assert calls == ["attention"] * 6  # two layers of the encoder, and two of the decoder with two each
    best_of("12a.heads", MultiHeadAttention, courses)
    calls.clear()
    courses.Transformer(9, 9)(ids, ids)
    assert calls == ["heads"] * 6  # which calls the course's attention, as it is written here
    assert minimal.attention is not attention and minimal.MultiHeadAttention is not MultiHeadAttention


def test_unknown_exercise_is_refused():
    with pytest.raises(ValueError, match=r"no exercise '12a\.masks'"):
        best_of("12a.masks", causal_mask, stand_ins(minimal))
    with pytest.raises(ValueError, match="hand over your function or class itself"):
        best_of("12a.causal_mask", 3, stand_ins(minimal))
