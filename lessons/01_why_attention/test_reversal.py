"""Letters backwards: what the batches hold, and how an answer is judged."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from lessons.reversal import LETTERS, exact_match, reversal_batch, reversal_batches, write_backwards
from utils.data.vocabulary import END, START
from utils.models.seq2seq import Seq2Seq, Seq2SeqConfig


class Perfect:
    """Writes the letters backwards, but makes a mistake in the last one of the rows in `wrong`."""

    config, training = None, False

    def __init__(self, wrong=()):
        self.wrong = list(wrong)

    def encode(self, source):
        return source.flip(dims=[1])

    def new_cache(self):
        return SimpleNamespace(length=0)

    def decode(self, target, memory, cache):
        word = memory[:, cache.length].clone()
        if cache.length == memory.shape[1] - 1:
            word[self.wrong] = word[self.wrong] % (len(LETTERS) - 1) + 1
        cache.length += 1
        return torch.nn.functional.one_hot(word, len(LETTERS))[:, None].double()


def test_batch_matches_worked_example():
    batch = reversal_batch(torch.tensor([LETTERS.ids(list("abc"))]))
    assert LETTERS.tokens(batch.target_in[0]) == ["<start>", "c", "b", "a"]
    assert LETTERS.tokens(batch.target_out[0]) == ["c", "b", "a", "<end>"]


def test_batches_follow_from_seed_and_number_and_have_every_length():
    batches, again, other = (reversal_batches([3, 5], 4, seed) for seed in (1, 1, 2))
    for number in range(12):
        assert torch.equal(batches(number).source, again(number).source)
    assert {batches(number).source.shape for number in range(12)} == {(4, 3), (4, 5)}
    assert not all(torch.equal(batches(n).source, other(n).source) for n in range(3))
    ids = torch.cat([batches(number).source.flatten() for number in range(200)])
    assert sorted(set(ids.tolist())) == LETTERS.ids(list("abcdefghijklmnopqrstuvwxyz"))
    assert START not in ids and END not in ids


def test_exact_match_does_not_count_row_with_one_wrong_letter():
    assert exact_match(Perfect(), 6, count=10) == 1.0
    assert exact_match(Perfect(wrong=[0, 3, 4]), 6, count=10) == pytest.approx(0.7)


def test_test_rows_are_not_in_training():
    tested = []

    class Spy(Perfect):
        def encode(self, source):
            tested.append(source)
            return super().encode(source)

    exact_match(Spy(), 5, count=200)
    rows = {tuple(row) for number in range(100) for row in reversal_batches([5], 32)(number).source.tolist()}
    assert len(rows & {tuple(row) for row in tested[0].tolist()}) <= 1  # chance: 200 · 3200 / 26⁵ is 0.05


def test_writing_takes_most_likely_letter_at_each_step():
    torch.manual_seed(0)
    model = Seq2Seq(Seq2SeqConfig(source_vocabulary=len(LETTERS), target_vocabulary=len(LETTERS), d_hidden=8)).eval()
    source = torch.tensor([LETTERS.ids(list("hello")), LETTERS.ids(list("world"))])
    written = write_backwards(model, source)
    before = torch.cat([torch.full((2, 1), START), written[:, :-1]], dim=1)
    assert torch.equal(model(source, before)[..., START:].argmax(dim=-1) + START, written)  # padding is never written
