"""The tokenizers of lesson 02: agreement with Hugging Face's, and invalid inputs."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, ByteLevel
from tokenizers.trainers import BpeTrainer

from tests.refused import refused
from utils.by_hand.tokenizers import (
    as_bytes,
    bert_excerpt,
    bert_pieces,
    byte_pair_ids,
    byte_pair_text,
    byte_pair_vocabulary,
    learn_merges,
    look_up,
    merge_pair,
    most_frequent_pair,
    word_ids,
    word_pieces,
    word_vocabulary,
    words_with_blanks,
)

APPLES = (
    "I had two apples 1 orange apple and another 1 red apple where the second one was slightly faster it comes from "
    "Apple Inc."
)
MERGES = learn_merges(APPLES, 60)
BERT = bert_excerpt()

# Letters that tokenizers trip over: accents apart and together, Persian with a half-space, Chinese, an emoji that
# is a family, blanks of several kinds, control characters, what is not a character at all.
TRICKY = (
    "aA apple##s!$^_'’éÉe\u0301ßİıسیب\u200cهوا日本界한글🍎👨\u200d👩\u200d👧\t\n\r\u00a0\u3000\0\ufffd\x1b\u0600\u0345"
)
tricky_texts = st.text(alphabet=st.sampled_from(TRICKY), max_size=40)


# --- word level ---


@given(st.text())
def test_word_ids_decode_to_the_text(text):
    vocabulary = word_vocabulary(text)
    back = {id: word for word, id in vocabulary.items()}
    assert [back[id] for id in word_ids(text, vocabulary)] == text.split()
    assert list(vocabulary.values()) == list(range(len(vocabulary)))


# --- byte pair ---


@given(st.one_of(st.text(), tricky_texts, st.text(alphabet=st.characters(categories=["Cs"]))))
def test_byte_level_round_trip_keeps_every_text(text):
    """Lone surrogates too, which are no characters."""
    assert byte_pair_text(byte_pair_ids(text, MERGES), MERGES) == text
    assert "".join(words_with_blanks(text)) == text


def test_most_frequent_pair_breaks_ties_by_order():
    assert most_frequent_pair({(b"b", b"c"): 2, (b"a", b"b"): 2}) == ((b"b", b"c"), 2)
    assert most_frequent_pair({(b"b",): 5}) is None


def _byte_level_letters():
    """What Hugging Face writes for each byte: its own letter for every one of the 256."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + i) for i, byte in enumerate(others)}


LETTERS = _byte_level_letters()


def _written(piece):
    return "".join(LETTERS[byte] for byte in piece)


def _hugging_face_bpe(merges):
    vocabulary = {_written(piece): id for piece, id in byte_pair_vocabulary(merges).items()}
    model = BPE(vocabulary, [(_written(left), _written(right)) for left, right in merges])
    tokenizer = Tokenizer(model)
    # Its own way of cutting words keeps punctuation apart; ours is given instead, word by word.
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False, use_regex=False)
    return tokenizer


HUGGING_FACE = _hugging_face_bpe(MERGES)


@given(st.one_of(st.text(), tricky_texts, st.text(alphabet="aples ndhrt1AI.o")))
def test_bpe_splits_as_hugging_face_with_same_merges(text):
    theirs = [id for word in words_with_blanks(text) for id in HUGGING_FACE.encode(word).ids]
    assert byte_pair_ids(text, MERGES) == theirs


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=9), min_size=1, max_size=12))
def test_bpe_learns_merges_of_hugging_face_up_to_the_first_tie(words):
    """It decides ties by the ids, we by the place in the text; both are right."""
    trained = Tokenizer(BPE())
    trained.train_from_iterator(words, BpeTrainer(vocab_size=100, show_progress=False))
    theirs = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
    cut = Counter(tuple(as_bytes(word)) for word in words)
    for pair in theirs:
        best, times = most_frequent_pair(cut)
        counts = Counter(p for pieces, count in cut.items() for p in list(pairwise(pieces)) * count)
        if list(counts.values()).count(times) > 1:
            return
        assert (best[0].decode(), best[1].decode()) == pair
        cut = Counter({tuple(merge_pair(pieces, best)): times for pieces, times in cut.items()})


# --- WordPiece ---

ours_in_theirs = Tokenizer(WordPiece(BERT, unk_token="[UNK]", max_input_chars_per_word=100))
ours_in_theirs.normalizer = BertNormalizer(lowercase=True)
ours_in_theirs.pre_tokenizer = BertPreTokenizer()


@settings(max_examples=200)
@given(st.one_of(tricky_texts, st.text(alphabet=st.characters(max_codepoint=0x2FF))))
def test_wordpiece_splits_as_hugging_face_with_same_vocabulary(text):
    assert bert_pieces(text, BERT) == ours_in_theirs.encode(text).tokens


def test_word_with_an_unknown_part_becomes_unknown():
    vocabulary = {"[UNK]": 0, "un": 1, "##able": 2, "##a": 3, "a": 4}
    assert word_pieces("unable", vocabulary) == ["un", "##able"]
    assert word_pieces("unxable", vocabulary) == ["[UNK]"]
    assert word_pieces("", vocabulary) == []
    assert word_pieces("a" * 100, vocabulary) == ["a"] + ["##a"] * 99
    assert word_pieces("a" * 101, vocabulary) == ["[UNK]"]


def test_vocabulary_excerpt_has_original_ids():
    """Where the list goes on without a gap, so do the ids; the specials and a few others are known from examples."""
    known = {"[PAD]": 0, "[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, "!": 999, "#": 1001, "0": 1014}
    known |= {"a": 1037, "z": 1062, "the": 1996, "##s": 2015, "world": 2088, "king": 2332, "queen": 3035}
    known |= {"apple": 6207, "hello": 7592, "##ization": 3989, "##ا": 25573, "##و": 29836, "##ے": 29846}
    assert {piece: BERT[piece] for piece in known} == known
    assert len(set(BERT.values())) == len(BERT) and max(BERT.values()) < 30522
    assert sorted(BERT.values())[5:73] == list(range(999, 1067))
    assert set(range(1996, 2333)) <= set(BERT.values())


# --- from ids to vectors ---


@given(st.lists(st.integers(1, 4), max_size=3), st.integers(1, 9), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_embedding_lookup_agrees_with_pytorch_and_one_hot_rows(shape, rows, d_model, seed):
    random = np.random.default_rng(seed)
    ids, table = random.integers(0, rows, size=tuple(shape)), random.normal(size=(rows, d_model)) * 1e300
    vectors = look_up(ids, table)
    theirs = torch.nn.functional.embedding(torch.from_numpy(np.asarray(ids)), torch.from_numpy(table))
    np.testing.assert_array_equal(vectors, theirs.numpy())
    np.testing.assert_array_equal(vectors, np.eye(rows)[ids] @ table)
    assert vectors.shape == (*shape, d_model)


# --- one sentence for every kind of nonsense ---


NONSENSE = [
    ("the vocabulary has neither 'b' nor [UNK]", lambda: word_ids("a b", {"a": 0})),
    ("n_merges must be a whole number of at least", lambda: learn_merges("a", -1)),
    ("ids[0, 1] must be from 0 to 2", lambda: look_up([[0, 3]], np.ones((3, 2)))),
]


@pytest.mark.parametrize(("sentence", "call"), NONSENSE)
def test_tokenizers_refuse_bad_input(call, sentence):
    assert sentence in refused(call)
