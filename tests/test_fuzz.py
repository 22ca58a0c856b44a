"""A short run of `make fuzz`, and what longer ones have found: each call stays here."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from tests.fuzz import Failure, Target, finite, numbers, run
from tests.fuzz_targets import TARGETS
from utils.by_hand.attention import softmax
from utils.by_hand.decoder import shift_right
from utils.by_hand.encoder import random_encoder_weights
from utils.by_hand.masks import MOST_TOKENS, look_ahead_mask, padding_mask
from utils.by_hand.positional import encode_positions, positional_encoding, rotation
from utils.by_hand.residual import random_stack
from utils.by_hand.slopes import one_sided, two_sided
from utils.by_hand.tokenizers import byte_pair_ids, byte_pair_pieces
from utils.by_hand.word2vec import nearest, noise_distribution, train, vocabulary
from utils.models.attention import MultiHeadAttention, attention_weights
from utils.models.config import BlockConfig
from utils.models.decoder import Decoder
from utils.models.encoder import Encoder
from utils.models.layers import SinusoidalPositions
from utils.models.masks import causal_mask
from utils.show.lit import lit_words
from utils.show.live import Heatmap, Slider
from utils.show.numbers import parse_entry
from utils.show.tables import matrices, table
from utils.training.batches import bucketed_batches, padded, random_batches
from utils.training.decoding import next_probabilities
from utils.training.loss import smoothed_cross_entropy
from utils.training.metrics import chrf
from utils.training.schedule import learning_rate

ROOM = ", which is more than a gigabyte of numbers."
HUGE = 10**30
ONES = torch.ones(1, 2, 4)
BLOCK = BlockConfig(d_model=4, n_heads=2, d_ff=4, dropout=0.0)
POSITIONS = SinusoidalPositions(9, 4)
ENCODER, DECODER = Encoder(BLOCK, 1, False), Decoder(BLOCK, 1, False)
TOKENS = torch.tensor([[[1.0, 2, 3, 4], [4, 3, 2, 1]]])


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_comes_of_a_call_but_what_may(name):
    run(TARGETS[name], cases=20)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: random_encoder_weights(2, 2, seed=[["a"]]), TypeError, "seed must be a whole number"),
        (lambda: random_encoder_weights(HUGE, 1), ValueError, f"a matrix would have the shape ({HUGE}, {HUGE}){ROOM}"),
        (lambda: random_encoder_weights(1, HUGE), ValueError, f"a matrix would have the shape (1, {HUGE}){ROOM}"),
        (lambda: random_stack(1, 1, seed=-1), ValueError, "seed must be a whole number of at least 0: it is -1."),
        (lambda: random_stack(HUGE, 1), ValueError, f"the stack would have the shape ({HUGE}, 1, 1){ROOM}"),
        (lambda: padding_mask([1], HUGE), ValueError, f"the mask would have the shape (1, {HUGE}){ROOM}"),
        (lambda: positional_encoding(HUGE, 2), ValueError, f"PE would have the shape ({HUGE}, 2){ROOM}"),
        (lambda: encode_positions([0], HUGE), ValueError, f"PE would have the shape (1, {HUGE}){ROOM}"),
        (lambda: rotation(1, 10**5), ValueError, f"M would have the shape (100000, 100000){ROOM}"),
        (lambda: train([[0, 1]], [1, 1], seed=-1), ValueError, "seed must be a whole number of at least 0: it is -1."),
        (lambda: train([[0, 1]], [1, 1], d=HUGE), ValueError, f"W_in would have the shape (2, {HUGE}){ROOM}"),
        (lambda: train([[0, 1]], [1, 1], 2, HUGE), ValueError, f"the negatives would have the shape (1, {HUGE}, "),
        (lambda: matrices(A=[[1.5]], decimals=3.0), TypeError, "least 0: it is 3.0."),
        (lambda: one_sided(np.sin, 1, 0), ValueError, "h must not be 0: a slope is taken between two points."),
        (lambda: two_sided(np.sin, 1, 0.0), ValueError, "h must not be 0: a slope is taken between two points."),
        (lambda: vocabulary(b"bytes"), AttributeError, "'bytes' object has no attribute 'items'"),
        *(
            (call, TypeError, f"{name} must hold numbers as the weights do, torch.float32: its dtype is {kind}.")
            for kind in (torch.float64, torch.int64)
            for name, call in {
                "x": lambda kind=kind: Encoder(BLOCK, 1, False)(ONES.to(kind)),
                "memory": lambda kind=kind: Decoder(BLOCK, 1, False)(ONES, ONES.to(kind)),
                "context": lambda kind=kind: MultiHeadAttention(4, 2)(ONES, ONES.to(kind)),
            }.items()
        ),
        (lambda: learning_rate(1, peak=-1, warmup=1, steps=2), ValueError, "peak must be a number above 0: it is -1."),
        (lambda: bucketed_batches("text"), ValueError, "example 0, counted from 0, must be a pair: it has 1 parts."),
        (lambda: random_batches([([1], [2])], 1, -1), ValueError, "seed must be a whole number of at least 0"),
        (lambda: table(["a"], [["b", "c"]], ""), ValueError, "has 2 cells: ['b', 'c']."),
        (lambda: Slider("n", 1, 9, step=5e-324), ValueError, "n would stop at more than 2001 numbers: give it a"),
        (lambda: Heatmap([[1]], low="a"), ValueError, "low of Heatmap must be a finite number: it would be a."),
        (lambda: attention_weights([[1.0]], ONES), TypeError, "query and key must be tensors: they are of types"),
        (lambda: attention_weights(ONES.int(), ONES), TypeError, "with a point: torch.int32 and torch.float32."),
        (lambda: attention_weights(ONES, ONES.double()), TypeError, "with a point: torch.float32 and torch.float64."),
        (lambda: smoothed_cross_entropy(ONES.int(), ONES.long()), TypeError, "are torch.int32 and torch.int64."),
        (lambda: smoothed_cross_entropy(ONES, ONES[..., 0].byte()), TypeError, "are torch.float32 and torch.uint8."),
        (lambda: nearest([1.0], [[1.0]], ["a"], n=-1), ValueError, "n must be a whole number of at least 0: it is -1."),
        (lambda: lit_words(["a"], "text", ""), TypeError, "weights must hold real numbers: their dtype is <U4."),
        (lambda: chrf(["a b c"], [None]), TypeError, "references must be texts, every one of them."),
        (lambda: causal_mask(-1), ValueError, "an n and an offset from 0, and a gigabyte at most: they are -1 and 0."),
        (lambda: causal_mask(2, -1), ValueError, "and a gigabyte at most: they are 2 and -1."),
        (lambda: causal_mask(2**16), ValueError, "and a gigabyte at most: they are 65536 and 0."),
        (lambda: smoothed_cross_entropy([[1.0]], ONES), TypeError, "logits and targets must be tensors: they are <cl"),
        (lambda: padded([[2.7]]), TypeError, "rows must hold ids, which are whole numbers: their dtype is float64."),
        (lambda: padded("text"), TypeError, "rows must hold ids, which are whole numbers: their dtype is <U1."),
        (lambda: parse_entry("0\n1"), ValueError, "“0 1” is not a number: type one such as 2 or −0.5."),
        (lambda: matrices(x=[[1], [1, 2]]), ValueError, "x must have rows of one length, to be shown as a table."),
        (lambda: matrices(x=None), TypeError, "x must hold real numbers, to be shown as a table."),
        (lambda: matrices(x=[0.5], decimals=-1), ValueError, "least 0: it is -1."),
        # Each of these once gave an answer, a wrong one, without a word.
        (lambda: shift_right([1e300]), TypeError, "words must be whole numbers: their dtype is float64."),
        (lambda: noise_distribution([2, 1, math.nan]), ValueError, "counts[2] is nan: every entry must be"),
        (lambda: random_encoder_weights(4, 6, decimals=10**5), ValueError, "decimals must be at most 15"),
        (lambda: POSITIONS(-3), ValueError, "n is -3 and offset 0, and neither can be below 0."),
        (lambda: POSITIONS(2, offset=-1), ValueError, "n is 2 and offset -1, and neither can be below 0."),
        (lambda: byte_pair_ids("ab", [("a", "b")]), TypeError, "merges[0] is ('a', 'b'): a merge is a pair of bytes"),
        (lambda: byte_pair_pieces("ab", [(b"a",)]), TypeError, "merges[0] is (b'a',): a merge is a pair of bytes"),
        (lambda: ENCODER(TOKENS * 1e38), ValueError, "x must hold numbers whose squares can be added up in torch"),
        (lambda: ENCODER(TOKENS * math.inf), ValueError, "at most 3e+15: the largest is inf."),
        (lambda: DECODER(TOKENS, TOKENS * -1e38), ValueError, "memory must hold numbers whose squares can be added up"),
        (lambda: look_ahead_mask(100_000), ValueError, "the mask for 100000 would take 9.3 GiB."),
    ],
)  # fmt: skip
def test_it_is_refused_in_one_sentence(call, error, sentence):
    with pytest.raises(error) as caught:
        call()
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_what_is_just_right_is_taken():
    assert look_ahead_mask(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert MOST_TOKENS**2 == 2**30  # bytes of the largest
    assert byte_pair_ids("ab", [(b"a", b"b")]) == [256]
    assert POSITIONS(0).shape == (0, 4)
    assert torch.allclose(ENCODER(TOKENS * 1e14), ENCODER(TOKENS * 5e14), atol=1e-5)
    assert torch.isfinite(DECODER(TOKENS * 5e14, TOKENS * 5e14)).all()
    assert torch.isnan(ENCODER(TOKENS * math.nan)).all()


def test_numbers_of_the_weights_own_kind_are_taken():
    x = ONES.double()
    assert MultiHeadAttention(4, 2).double()(x).dtype == torch.float64
    encoder, decoder = Encoder(BLOCK, 1, False), Decoder(BLOCK, 1, False)
    assert encoder.double()(x).dtype == decoder.double()(x, x).dtype == torch.float64
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert MultiHeadAttention(4, 2)(ONES.bfloat16()).dtype == torch.bfloat16
        assert torch.isfinite(Encoder(BLOCK, 1, False)(ONES.bfloat16())).all()


def test_what_is_forbidden_can_be_shown():
    assert matrices(x=[0.5, -math.inf, math.inf]).text == "x (1 × 3): 0.500 −∞ ∞"


def test_a_temperature_may_be_huge():
    assert next_probabilities(torch.tensor([1.0, 2.0]), 10**30).tolist() == [0.5, 0.5]


def test_words_may_be_any_collection():
    assert "a 1.00" in lit_words({"a": 1}, [1.0], "").text


# --- the instrument itself --------------------------------------------------------------------------------------


def fails(call, right=finite):
    with pytest.raises(Failure) as caught:
        run(Target(call, numbers("N d"), right, name="it"), cases=60)
    return str(caught.value)


def test_every_failure_is_one():
    assert "a wrong answer: nan" in fails(lambda x: math.nan)
    assert "a wrong answer: 3" in fails(lambda x: 3, lambda answer, x: answer == 4)
    assert "ZeroDivisionError" in fails(lambda x: 1 / 0)
    assert "ValueError, 'not by us.'" in fails(lambda x: raised(ValueError("not by us.")))
    assert "TypeError" in fails(lambda x: raised(TypeError("of numbers")))  # they were not foreign
    assert "MemoryError" in fails(lambda x: np.zeros(2**40))


def test_what_does_not_end_is_a_failure(monkeypatch):
    monkeypatch.setattr("tests.fuzz.SECONDS", 0.1)

    def endless(x):
        while True:
            pass

    assert "more than 0.1 seconds" in fails(endless)


def test_outcomes_are_counted():
    counts = run(Target(softmax, numbers("N d"), finite), cases=100)
    assert counts.total() == 100 and set(counts) == {"right", "sentence"}


def raised(error):
    raise error
