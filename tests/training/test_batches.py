"""Batches: what stands in them, in which order, and that none of it depends on what was asked before."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refused import refused
from utils.training.batches import Batch, Windows, bucketed_batches, random_batches

KINDS = [bucketed_batches, random_batches]
each_kind = pytest.mark.parametrize("kind", KINDS)
sentences = st.lists(st.integers(4, 30), min_size=1, max_size=9)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=40)


def numbered(count, longest=9):
    """Examples of many lengths, each with its number (from 4 on) in front of its source."""
    random = np.random.default_rng(0)
    lengths = random.integers(1, longest, size=(count, 2))
    return [([i + 4, *[4] * (n - 1)], [5] * m) for i, (n, m) in enumerate(lengths.tolist())]


def numbers_in(batches):
    return [int(number) - 4 for batch in batches for number in batch.source[:, 0]]


def padding(batches):
    sides = [side for batch in batches for side in (batch.source, batch.target_out)]
    return sum(int((side == 0).sum()) for side in sides) / sum(side.numel() for side in sides)


def same(a: Batch, b: Batch):
    return all(torch.equal(x, y) for x, y in zip(vars(a).values(), vars(b).values(), strict=True))


@each_kind
@settings(max_examples=50)
@given(corpora, st.integers(1, 12), st.integers(0, 99))
def test_epoch_holds_every_example_once(kind, examples, batch_size, seed):
    batches = kind(examples, batch_size, seed)
    seen = []
    for batch in batches:
        assert 1 <= len(batch.source) <= batch_size
        for source, target_in, target_out in zip(batch.source, batch.target_in, batch.target_out, strict=True):
            assert target_in[0] == 1
            assert target_out[(target_out != 0).sum() - 1] == 2
            assert target_in[1:].tolist() == [0 if i == 2 else i for i in target_out[:-1].tolist()]
            seen.append((source[source != 0].tolist(), target_out[(target_out != 0) & (target_out != 2)].tolist()))
    assert sorted(seen) == sorted((list(s), list(t)) for s, t in examples)
    assert sum(batch.n_tokens for batch in batches) == sum(len(target) + 1 for _, target in examples)
    assert len(batches) == len(list(batches)) == -(-len(examples) // batch_size)


@each_kind
def test_each_epoch_and_each_seed_has_its_own_order(kind):
    batches = kind(numbered(100), 8, seed=3)
    first, second = numbers_in(batches), numbers_in(batches(n) for n in range(13, 26))
    other = numbers_in(kind(numbered(100), 8, seed=4))
    assert sorted(first) == sorted(second) == list(range(100))
    assert first != second and first != other and first != sorted(first)


def test_buckets_need_little_padding():
    examples = numbered(1000)
    assert padding(bucketed_batches(examples, 32)) < 0.15
    assert padding(random_batches(examples, 32)) > 0.35


NONSENSE = [
    ("there is nothing to train on", ([], 8)),
    ("batch_size must be a whole number of at", ([([4], [5])], 0)),
]


@each_kind
@pytest.mark.parametrize(("sentence", "arguments"), NONSENSE)
def test_batches_refuse_bad_input(kind, arguments, sentence):
    assert sentence in refused(kind, *arguments)


# --- windows of a text ------------------------------------------------------------------------------------------


@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 5), st.integers(0, 3), st.integers(0, 2**31))
def test_each_row_is_a_window_of_the_text_and_follows_from_seed_and_number(length, more, size, seed, number):
    text = 100 + torch.arange(length + 1 + more)
    windows = Windows(text, length, size, seed)
    batch = windows(number)
    assert batch.shape == (size, length + 1)
    assert torch.equal(batch, batch[:, :1] + torch.arange(length + 1))  # neighbours in the text
    assert batch.min() >= 100 and batch.max() < 101 + length + more
    windows(number + 1)
    assert torch.equal(windows(number), batch)


def test_every_window_can_be_drawn_and_no_two_batches_are_equal():
    windows = Windows(torch.arange(12), length=4, batch_size=16)
    batches = [windows(n) for n in range(20)]
    assert {int(begin) for batch in batches for begin in batch[:, 0]} == set(range(8))
    assert len({tuple(batch[:, 0].tolist()) for batch in batches}) == 20
    assert not torch.equal(Windows(torch.arange(12), 4, 16, seed=1)(0), batches[0])


def test_text_without_windows_is_refused():
    with pytest.raises(ValueError, match="more than length = 5"):
        Windows(torch.arange(5), 5)
