"""Word vectors: k-mers against their definition, loss and gradients beside PyTorch, draws, training, maps, nonsense."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lessons.protein_maps import stored_map, trained_map
from tests.by_hand.checks import close, seeds
from tests.refused import refused
from utils.by_hand.word2vec import (
    cosines,
    count_words,
    draw_negatives,
    kmers,
    nearest,
    noise_distribution,
    readings,
    sgns_gradients,
    sgns_loss,
    sigmoid,
    train,
    training_pairs,
    vocabulary,
)
from utils.data.small_text import small_text

HUGE = st.floats(-1e300, 1e300)


# --- k-mers, counts, pairs --------------------------------------------------------------------------------------


@given(st.text("ACDE", min_size=1, max_size=40), st.integers(1, 6))
def test_three_readings_hold_each_kmer_once(sequence, k):
    if k > len(sequence):
        with pytest.raises(ValueError, match=f"^k must be at most {len(sequence)}: it is {k}"):
            readings(sequence, k)
        return
    assert len(readings(sequence, k)) == k
    assert all("".join(r) == sequence[i : i + k * len(r)] for i, r in enumerate(readings(sequence, k)))
    assert sorted(w for r in readings(sequence, k) for w in r) == sorted(kmers(sequence, k))


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=8), max_size=5), st.integers(1, 4))
def test_pairs_are_all_neighbours_within_the_window(sentences, window):
    expected = [
        ["abcd".index(s[i]), "abcd".index(s[j])]
        for s in sentences
        for i in range(len(s))
        for j in range(len(s))
        if 0 < abs(i - j) <= window
    ]
    if not expected:
        with pytest.raises(ValueError, match="there is not one pair"):
            training_pairs(sentences, "abcd", window)
    else:
        assert training_pairs(sentences, "abcd", window).tolist() == expected


# --- negatives --------------------------------------------------------------------------------------------------


def test_noise_distribution_raises_counts_to_three_quarters():
    close(noise_distribution([256, 81, 16, 1]), [0.64, 0.27, 0.08, 0.01], 1e-15)


def test_negatives_exclude_the_context_and_follow_their_probabilities():
    chances = noise_distribution([256, 81, 16, 1])
    for own in range(4):
        drawn = draw_negatives(chances, np.full(50_000, own), 2, np.random.default_rng(0))
        assert drawn.shape == (50_000, 2)
        expected = np.where(np.arange(4) == own, 0, chances)
        frequencies = np.bincount(drawn.ravel(), minlength=4) / drawn.size
        assert frequencies[own] == 0
        close(frequencies, expected / expected.sum(), 0.006)


# --- loss and gradients -----------------------------------------------------------------------------------------


@settings(max_examples=80)
@given(st.integers(1, 12), st.integers(0, 8), st.floats(0.01, 30), seeds)
def test_word2vec_agrees_with_pytorch(d, n, size, seed):
    random = np.random.default_rng(seed)
    given = [size * random.normal(size=shape) for shape in (d, d, (n, d))]
    v, positive, negatives = (torch.tensor(x, requires_grad=True) for x in given)
    log_sigmoid = torch.nn.functional.logsigmoid
    loss = -log_sigmoid(positive @ v) - log_sigmoid(-(negatives @ v)).sum()
    loss.backward()
    # A loss below 2e−308 has lost digits in either: d = 1, n = 0, size = 30, seed = 10 gives 2e−313.
    np.testing.assert_allclose(sgns_loss(*given), loss.item(), rtol=1e-12, atol=1e-300)
    for ours, theirs in zip(sgns_gradients(*given), (v, positive, negatives), strict=True):
        np.testing.assert_allclose(ours, theirs.grad.numpy(), rtol=1e-10, atol=1e-10)


@given(arrays(np.float64, 4, elements=HUGE))
def test_sigmoid_agrees_with_pytorch_at_any_size(x):
    close(sigmoid(x), torch.sigmoid(torch.tensor(x)).numpy(), 1e-15)


NONSENSE = [
    ("positive must have shape", ([1, 2], [1, 2, 3], [[1, 2]])),
    ("v'·v overflows", ([1e200], [1e200], [[0]])),
]


@pytest.mark.parametrize(("sentence", "arguments"), NONSENSE)
def test_word2vec_refuses_bad_input(arguments, sentence):
    for function in (sgns_loss, sgns_gradients):
        assert sentence in refused(function, *arguments)


# --- training ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def text():
    sentences = small_text()
    counts = count_words(sentences)
    words = vocabulary(counts)
    return words, training_pairs(sentences, words, 5), [counts[word] for word in words]


@pytest.fixture(scope="module")
def trained(text):
    _, pairs, counts = text
    return train(pairs, counts, epochs=80, batch=32)


def test_batch_step_follows_the_sum_of_gradients():
    """Without a second epoch the vectors are the start minus the step times the gradients, pair by pair."""
    pairs, counts = np.array([[0, 1], [1, 0], [1, 2]]), [1, 2, 1]
    before = train(pairs, counts, d=3, negatives=0, epochs=1, rate=0.0)
    after = train(pairs, counts, d=3, negatives=0, epochs=1, rate=0.5)
    W_in, W_out = before.W_in.copy(), before.W_out.copy()
    for middle, context in pairs:
        to_v, to_positive, _ = sgns_gradients(before.W_in[middle], before.W_out[context], [])
        W_in[middle] -= 0.5 * to_v
        W_out[context] -= 0.5 * to_positive
    close(after.W_in, W_in, 1e-14)
    close(after.W_out, W_out, 1e-14)
    losses = [sgns_loss(before.W_in[m], before.W_out[c], []) for m, c in pairs]
    close(after.losses, [np.mean(losses)], 1e-14)


def test_training_lowers_the_loss_and_follows_from_its_seed(text, trained):
    _, pairs, counts = text
    assert trained.losses[0] > 3.5 and trained.losses[-1] < 1.8
    few = [train(pairs, counts, epochs=2, seed=seed).W_in for seed in (1, 1, 2)]
    np.testing.assert_array_equal(few[0], few[1])
    assert not np.allclose(few[0], few[2])


# --- what is read off -------------------------------------------------------------------------------------------


@given(arrays(np.float64, (4, 3), elements=st.one_of(HUGE, st.floats(-1e-300, 1e-300))))
def test_cosines_stay_between_minus_one_and_one_at_any_size(W):
    C = cosines(W)
    assert np.isfinite(C).all() and (np.abs(C) <= 1).all()
    zero = ~W.any(axis=1)
    close(np.diag(C), np.where(zero, 0, 1), 1e-12)


# --- the maps of the control ------------------------------------------------------------------------------------


def test_stored_map_matches_training():
    stored, now = stored_map(2, 2, 1), trained_map(2, 2, 1)
    for name in ("names", "families", "words", "once"):
        assert getattr(stored, name) == now[name]
    close(stored.xy, now["xy"], 0.011)
    for number in ("loss", "cosine", "together", "chance"):
        close(getattr(stored, number), now[number], 0.01)


word_lists = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=6)


@given(word_lists)
def test_counts_and_vocabulary_agree_with_the_standard_library(sentences):
    counts = count_words(sentences)
    assert counts == Counter(word for sentence in sentences for word in sentence) and type(counts) is dict
    assert vocabulary(counts) == sorted(sorted(counts), key=counts.get, reverse=True)
    assert "list of words" in refused(count_words, [*sentences, "abc"])


@given(st.integers(2, 7), st.integers(1, 4), st.integers(1, 7), seeds)
def test_nearest_words_agree_with_sorting_by_angle(n_words, d, n, seed):
    random = np.random.default_rng(seed)
    W, vector = random.normal(size=(n_words, d + 1)), random.normal(size=d + 1)
    words = [f"w{i}" for i in range(n_words)]
    fit = {w: row @ vector / np.linalg.norm(row) for w, row in zip(words, W, strict=True) if w != "w0"}
    assert nearest(vector, W, words, n, without=["w0"]) == sorted(fit, key=fit.get, reverse=True)[:n]
