"""Calls that once gave an answer, a wrong one, without a word. Each stays here."""

from __future__ import annotations

import math

import pytest
import torch

from utils.by_hand.decoder import shift_right
from utils.by_hand.encoder import random_encoder_weights
from utils.by_hand.masks import MOST_TOKENS, look_ahead_mask
from utils.by_hand.tokenizers import byte_pair_ids, byte_pair_pieces
from utils.by_hand.word2vec import noise_distribution
from utils.models.config import BlockConfig
from utils.models.decoder import Decoder
from utils.models.encoder import Encoder
from utils.models.layers import SinusoidalPositions

POSITIONS = SinusoidalPositions(9, 4)
BLOCK = BlockConfig(d_model=4, n_heads=2, d_ff=8, dropout=0.0)
ENCODER, DECODER = Encoder(BLOCK, 1, False), Decoder(BLOCK, 1, False)
TOKENS = torch.tensor([[[1.0, 2, 3, 4], [4, 3, 2, 1]]])


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
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
