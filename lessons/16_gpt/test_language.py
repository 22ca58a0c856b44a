"""Pieces, repeated rows and bits per byte of lesson 16."""

from __future__ import annotations

import json
import math

import pytest
import torch
from torch import nn

from lessons.course_text import course_text
from lessons.language import (
    bits_per_byte,
    ids_of,
    kneser_ney_bits_per_byte,
    learn_pieces,
    n_gram_bits_per_byte,
    repeated_batches,
)
from utils.by_hand.tokenizers import learn_merges

TEXT = "low lower lowest, newer newest, wider widest: half of ½ is ¼. " * 3


def test_pieces_lose_nothing_and_leave_first_id_to_padding():
    pieces = learn_pieces(TEXT, 270)
    for text in (TEXT, "هوا عالی است", "  two  blanks\n\nand lines\t"):
        ids = ids_of(pieces, text)
        assert pieces.decode(ids.tolist()) == text and int(ids.min()) > 0
    assert pieces.get_vocab_size() == 270


def test_merges_match_those_of_lesson_02():
    text = course_text()[0][:30_000]
    theirs = json.loads(learn_pieces(text, 257 + 20).to_str())["model"]["merges"]
    ours = [[piece.decode().replace(" ", "Ġ") for piece in pair] for pair in learn_merges(text, 20)]
    assert sorted(theirs[:15]) == sorted(ours[:15])


def test_repeated_rows_repeat_from_first_to_last_id():
    ids = repeated_batches(50, rows=40, length=32)(3)
    assert ids.shape == (40, 33) and int(ids.min()) >= 1 and int(ids.max()) < 50
    periods = [next(n for n in range(1, 33) if torch.equal(row[n:], row[:-n])) for row in ids]
    assert min(periods) >= 8 and max(periods) <= 16 and len(set(periods)) > 4
    many = repeated_batches(9, rows=400, length=20)(0)
    assert set(many.flatten().tolist()) == set(range(1, 9)), "all ids but the padding's"
    periods = [next(n for n in range(1, 21) if torch.equal(row[n:], row[:-n])) for row in many]
    assert set(periods) == {8, 9, 10}, "eight to half of the length"
    assert torch.equal(ids, repeated_batches(50, 40, 32)(3)) and not torch.equal(ids, repeated_batches(50, 40, 32)(4))
    assert not torch.equal(ids, repeated_batches(50, 40, 32, seed=1)(3))


class _Even(nn.Module):
    """Finds all ids equally probable, and keeps the lengths that it was asked for."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.vocabulary, self.asked = vocabulary, []

    def forward(self, ids):
        self.asked.append(ids.shape)
        return torch.zeros(*ids.shape, self.vocabulary)


N_PIECES = len(ids_of(learn_pieces(TEXT, 270), TEXT))


@pytest.mark.parametrize("length", [1, 7, N_PIECES - 1, 1000])
def test_bits_per_byte_count_every_piece_but_the_first_once(length):
    pieces = learn_pieces(TEXT, 270)
    model, n = _Even(270), len(ids_of(pieces, TEXT))
    bits = bits_per_byte(model, pieces, TEXT, length)
    assert bits == pytest.approx((n - 1) * math.log2(270) / len(TEXT.encode()))
    assert sum(rows * columns for rows, columns in model.asked) == n - 1
    assert max(columns for _, columns in model.asked) == min(length, n - 1)
    assert len(model.asked) <= 2, "all whole passages are read together"


def test_n_grams_match_worked_example():
    pieces = learn_pieces("abab", 258)  # a, b and ab; "abab" is one word: ab, then ab
    assert [pieces.decode([id]) for id in pieces.encode("abab").ids] == ["ab", "ab"]
    # One kind of piece, seen twice; one more share for what is new, spread over all 258 ids.
    p = (2 + 1 / 258) / 3
    assert n_gram_bits_per_byte(pieces, "abab", "ababab", 1) == pytest.approx(-2 * math.log2(p) / 6)
    # After ab: ab once, and one more share for the unigram's.
    assert n_gram_bits_per_byte(pieces, "abab", "ababab", 2) == pytest.approx(-2 * math.log2((1 + p) / 2) / 6)


def test_kneser_ney_matches_worked_example():
    pieces = learn_pieces("ab", 257)  # all pieces are bytes
    # "aaab" has the pair aa twice and ab once, so the discount of pairs is 1 / (1 + 2 · 1). One kind of piece comes
    # before a, and one before b: both count 1, and all of that is taken away and spread over the 257 ids.
    p_a = 1 / 257
    p_aa, p_ab = ((count - 1 / 3 + 2 / 3 * p_a) / 3 for count in (2, 1))
    found = kneser_ney_bits_per_byte(pieces, "aaab", "aaba", 2)  # nothing was ever read after b
    assert found == pytest.approx(-(math.log2(p_aa) + math.log2(p_ab) + math.log2(p_a)) / 4)
