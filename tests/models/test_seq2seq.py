"""The GRU encoder and decoder: beside NumPy written out, with and without a cache, padding, and nonsense."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refused import refused
from utils.by_hand.seq2seq import Gates, additive_scores, attend, encode, gru_step
from utils.models.seq2seq import Seq2Seq, Seq2SeqConfig
from utils.models.watching import watching

KINDS = {"summary": {"attention": "none"}, "short summary": {"attention": "none", "d_summary": 3}, "additive": {}}
each_kind = pytest.mark.parametrize("changes", KINDS.values(), ids=KINDS)


def model_of(seed=0, **changes):
    torch.manual_seed(seed)
    sizes = {"source_vocabulary": 9, "target_vocabulary": 7, "d_model": 5, "d_hidden": 6}
    return Seq2Seq(Seq2SeqConfig(**(sizes | changes))).double().eval()


def numbers(parameter):
    return parameter.detach().numpy()


def gates_of(gru):
    return Gates(
        numbers(gru.weight_ih_l0).T, numbers(gru.weight_hh_l0).T, numbers(gru.bias_ih_l0), numbers(gru.bias_hh_l0)
    )


def written_out(model, source, target):
    """Logits (M, target_vocabulary) and weights (M, N) of one pair of ids, word by word in NumPy."""
    states = encode(numbers(model.source_embedding.weight)[source], gates_of(model.encoder))
    summary = states[-1]
    if model.config.d_summary:
        summary = numbers(model.shrink.weight) @ summary + numbers(model.shrink.bias)
    s = np.tanh(numbers(model.start.weight) @ summary + numbers(model.start.bias))
    logits, weights = [], []
    for word in numbers(model.target_embedding.weight)[target]:
        context = summary
        if model.attention is not None:
            W_s, W_h, v = (numbers(p.weight) for p in (model.attention.W_s, model.attention.W_h, model.attention.v))
            # The bias of W_h goes in as one more number of every state that is always 1.
            widened = np.hstack([states, np.ones((len(states), 1))])
            with_bias = np.vstack([W_h.T, numbers(model.attention.W_h.bias)])
            steps = attend(states, additive_scores(s, widened, W_s.T, with_bias, v[0]))
            context = steps.context
            weights.append(steps.weights)
        s = gru_step(np.concatenate([word, context]), s, gates_of(model.decoder))
        logits.append(numbers(model.output.weight) @ np.concatenate([s, context]) + numbers(model.output.bias))
    return np.array(logits), np.array(weights)


@each_kind
@settings(max_examples=20)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 999))
def test_seq2seq_agrees_with_numpy_word_by_word(changes, n, m, seed):
    model, random = model_of(seed, **changes), np.random.default_rng(seed)
    source, target = random.integers(1, 9, size=n), random.integers(0, 7, size=m)
    with torch.no_grad(), watching(model) as maps:
        logits = model(torch.tensor(source)[None], torch.tensor(target)[None])
    expected, weights = written_out(model, source, target)
    np.testing.assert_allclose(logits[0], expected, rtol=0, atol=1e-12)
    if model.attention is None:
        assert maps.cross == []
    else:
        assert maps.cross[0].shape == (1, 1, m, n)
        np.testing.assert_allclose(maps.cross[0][0, 0], weights, rtol=0, atol=1e-12)


@each_kind
def test_padding_changes_nothing_and_gets_no_weight(changes):
    model = model_of(**changes)
    source, target = torch.randint(1, 9, (2, 4)), torch.randint(0, 7, (2, 3))
    padded = torch.cat([source, torch.zeros(2, 3, dtype=torch.long)], dim=1)
    with torch.no_grad():
        with watching(model) as maps:
            found = model(padded, target)
        torch.testing.assert_close(found, model(source, target), rtol=0, atol=1e-12)
    for weights in maps.cross:
        assert (weights[..., 4:] == 0).all()
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 1, 3, dtype=torch.double))


@each_kind
def test_memory_and_cache_rows_can_be_repeated_and_reordered(changes):
    model, source, target = model_of(**changes), torch.randint(1, 9, (2, 4)), torch.randint(0, 7, (2, 3))
    rows = torch.tensor([1, 0, 1])
    with torch.no_grad():
        memory, cache = model.encode(source), model.new_cache()
        model.decode(target[:, :2], memory, cache=cache)
        cache.select(rows)
        last = model.decode(target[rows, 2:], memory.select(rows), cache=cache)
        torch.testing.assert_close(last, model(source, target)[rows, 2:], rtol=0, atol=1e-12)


NO_IDS = [
    ("source ids must be from 0 to 8", ([[1, 9]], [[1]])),
    ("padding (id 0) must come at", ([[0, 2]], [[1]])),
    ("target has 2 rows", ([[1, 2]], [[1], [1]])),
]


@pytest.mark.parametrize(("sentence", "ids"), NO_IDS)
def test_invalid_ids_are_refused(ids, sentence):
    assert sentence in refused(model_of(), *map(torch.tensor, ids))
