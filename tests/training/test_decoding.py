"""Decoding: every strategy beside its brute-force definition, batched beside one by one, cached beside uncached."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refused import refused
from utils.data.vocabulary import END, PAD, START
from utils.models.config import TransformerConfig
from utils.models.gpt import Gpt, GptConfig
from utils.models.transformer import Transformer
from utils.training.decoding import Continuing, Translating, beam, greedy, next_probabilities, sample

INF = math.inf
seeds = st.integers(0, 2**32 - 1)


class Table:
    """A model that is a table: what may come next follows from the last two tokens, drawn once."""

    def __init__(self, vocabulary, seed, sharpness=2.0, max_length=None):
        random = torch.Generator().manual_seed(seed)
        self.logits = sharpness * torch.randn(vocabulary, vocabulary, vocabulary, generator=random, dtype=torch.float64)
        self.max_length = max_length
        self.rows_asked = []

    def __call__(self, tokens):
        self.rows_asked.append(len(tokens))
        before = tokens[:, -2] if tokens.shape[1] > 1 else torch.zeros_like(tokens[:, 0])
        return self.logits[before, tokens[:, -1]].clone()

    def select(self, rows):
        pass

    def log_probability(self, start, tokens):
        """Of `tokens` after `start`, one factor at a time."""
        row, total = list(start), 0.0
        for token in tokens:
            total += float(self(torch.tensor([row]))[0].log_softmax(0)[token])
            row.append(token)
        return total


# --- from logits to probabilities ---------------------------------------------------------------------------------


def brute_force_shares(logits, temperature, top_k, top_p):
    """In plain Python: divide, rank, cut, share out anew."""
    if temperature == 0:
        best = max(range(len(logits)), key=lambda i: logits[i])
        return [float(i == best) for i in range(len(logits))]

    def shared(kept):
        top = max(logits[i] for i in kept)
        e = {i: math.exp((logits[i] - top) / temperature) for i in kept}
        return {i: e[i] / sum(e.values()) for i in kept}

    ranked = sorted(range(len(logits)), key=lambda i: (-logits[i], i))
    kept = ranked if top_k is None else ranked[:top_k]
    if top_p is not None:
        shares = shared(kept)
        enough = next((n for n in range(1, len(kept)) if sum(shares[i] for i in kept[:n]) >= top_p), len(kept))
        kept = kept[:enough]
    shares = shared(kept)
    return [shares.get(i, 0.0) for i in range(len(logits))]


@settings(max_examples=120)
@given(
    seeds,
    st.integers(1, 12),
    st.one_of(st.just(0), st.floats(0.05, 20)),
    st.one_of(st.none(), st.integers(1, 14)),
    st.one_of(st.none(), st.floats(0.01, 1)),
)
def test_probabilities_agree_with_the_definition(seed, vocabulary, temperature, top_k, top_p):
    logits = 3 * torch.randn(2, vocabulary, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    expected = [brute_force_shares(row, temperature, top_k, top_p) for row in logits.tolist()]
    got = next_probabilities(logits, temperature, top_k, top_p)
    torch.testing.assert_close(got, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=1e-9)


# --- greedy and sampling ------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(seeds, st.integers(2, 7), st.integers(1, 8))
def test_greedy_is_the_argmax_at_every_step(seed, vocabulary, longest):
    model = Table(vocabulary, seed)
    end = vocabulary - 1
    start = torch.tensor([[0], [1], [0]])
    got = greedy(model, start, longest, end=end, keep_probabilities=True)
    for first, tokens, score, finished, seen in zip(
        start.tolist(), got.tokens, got.scores, got.finished, got.probabilities, strict=True
    ):
        row, expected, shares = list(first), [], []
        while len(expected) < longest and end not in expected:
            shares.append(model(torch.tensor([row]))[0].softmax(0))
            expected.append(int(shares[-1].argmax()))
            row.append(expected[-1])
        assert finished == (end in expected)
        assert tokens == [token for token in expected if token != end]
        assert score == pytest.approx(sum(math.log(p[t]) for p, t in zip(shares, expected, strict=True)), abs=1e-4)
        torch.testing.assert_close(seen, torch.stack(shares))


@pytest.mark.parametrize("choice", [{}, {"temperature": 2.0, "top_k": 3}])
def test_words_are_drawn_as_often_as_their_probabilities_say(choice):
    model, n = Table(6, 11, sharpness=1.0), 40_000
    start = torch.full((n, 1), START)
    got = sample(model, start, 1, generator=torch.Generator().manual_seed(0), end=None, **choice)
    counts = torch.bincount(torch.tensor(got.tokens)[:, 0], minlength=6).double() / n
    expected = next_probabilities(model(start[:1])[0], **choice)
    assert (counts[expected == 0] == 0).all()
    assert (counts - expected).abs().max() < 4 * math.sqrt(0.25 / n)  # four standard deviations


# --- beam search --------------------------------------------------------------------------------------------------


def beam_step_by_step(model, start, longest, width, alpha, end):
    """Sutskever's beam in plain Python, without leaving early."""
    live, finished = [(0.0, [])], []
    for _ in range(longest):
        places = width - len(finished)
        candidates = [
            (total + float(shares[token]), [*tokens, token])
            for total, tokens in live
            for shares in [model(torch.tensor([[*start, *tokens]]))[0].log_softmax(0)]
            for token in range(len(shares))
        ]
        best = sorted(candidates, reverse=True)[:places]
        finished += [one for one in best if one[1][-1] == end]
        live = [one for one in best if one[1][-1] != end]
    pool = finished or live
    return max((total / len(tokens) ** alpha, tokens) for total, tokens in pool)


@settings(max_examples=60)
@given(seeds, st.integers(2, 6), st.integers(1, 6), st.integers(1, 5), st.sampled_from([0.0, 0.6, 1.0, 3.0]))
def test_beam_agrees_with_its_definition_and_a_batch_with_single_sentences(seed, vocabulary, longest, width, alpha):
    model, end = Table(vocabulary, seed), vocabulary - 1
    start = torch.tensor([[0, 1], [1, 0], [1, 1]])
    got = beam(model, start, longest, width=width, alpha=alpha, end=end)
    for i, row in enumerate(start.tolist()):
        score, tokens = beam_step_by_step(model, row, longest, width, alpha, end)
        assert got.tokens[i] == [token for token in tokens if token != end]
        assert got.finished[i] == (end in tokens)
        assert got.hypotheses[i][0].score == pytest.approx(score, abs=1e-4)
        assert got.scores[i] == got.hypotheses[i][0].log_probability
        alone = beam(model, start[i : i + 1], longest, width=width, alpha=alpha, end=end)
        # Scores, not texts: two texts of the same transitions are equals, and which comes first is chance.
        scores = [h.score for h in got.hypotheses[i]]
        assert [h.score for h in alone.hypotheses[0]] == pytest.approx(scores, abs=1e-4)


def chain(*edges):
    """A model over 6 words given as (last token, {next token: probability}); what is not given is impossible."""
    model = Table(6, 0)
    model.logits = torch.full((6, 6, 6), -INF, dtype=torch.float64)
    for last, following in edges:
        for token, p in following.items():
            model.logits[:, last, token] = math.log(p)
    return model


def test_sentence_is_finished_as_soon_as_nothing_can_win():
    model = chain((START, {END: 0.9, 3: 0.1}), (3, {3: 1.0}))
    beam(model, torch.tensor([[START]]), 50, width=2, alpha=0)
    assert model.rows_asked == [1]


@settings(max_examples=40)
@given(seeds, st.integers(2, 6), st.integers(1, 5), st.integers(1, 4))
def test_tree_holds_kept_and_dropped_hypotheses(seed, vocabulary, longest, width):
    model, end = Table(vocabulary, seed), vocabulary - 1
    start = torch.tensor([[0], [1]])
    plain = beam(model, start, longest, width=width, end=end)
    got = beam(model, start, longest, width=width, end=end, keep_trees=True)
    assert plain.trees is None
    for ours, theirs in zip(plain.hypotheses, got.hypotheses, strict=True):  # scores: see the test above
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs])
    for row, tree, best in zip(start.tolist(), got.trees, got.hypotheses, strict=True):
        finished = 0
        for step in range(1, max(branch.step for branch in tree.branches) + 1):
            of_step = [branch for branch in tree.branches if branch.step == step]
            kept = [branch for branch in of_step if branch.kept]
            dropped = [branch for branch in of_step if not branch.kept]
            assert 1 <= len(kept) <= width - finished and len(of_step) <= 2 * width
            assert max((b.total for b in dropped), default=-INF) <= min(b.total for b in kept)
            finished += sum(branch.finished for branch in kept)
        for number, branch in enumerate(tree.branches):
            path = [tree.branches[i] for i in tree.path(number)]
            tokens = [b.token for b in path]
            assert [b.step for b in path] == list(range(1, branch.step + 1))
            assert all(b.kept and not b.finished for b in path[:-1])
            assert branch.finished == (branch.kept and branch.token == end)
            assert branch.total == pytest.approx(model.log_probability(row, tokens), abs=1e-4)
        written = [tree.branches[i].token for i in tree.path(tree.best)]
        assert [token for token in written if token != end] == best[0].tokens


# --- a real model -------------------------------------------------------------------------------------------------


def translator(seed=0, **changes):
    torch.manual_seed(seed)
    config = {"source_vocabulary": 15, "target_vocabulary": 12, "d_model": 16, "n_heads": 2, "d_ff": 32}
    layers = {"n_encoder_layers": 2, "n_decoder_layers": 2, "max_length": 24, "tied": "none"}
    model = Transformer(TransformerConfig(**(config | layers | changes))).double()
    with torch.no_grad():
        model.output.weight.mul_(12.0)  # a fresh model is nearly indifferent; this one has opinions
    return model


SOURCE = torch.tensor([[4, 5, 6, 7, 8], [9, 4, 0, 0, 0], [5, 5, 14, 0, 0], [10, 11, 12, 13, 0]])

STRATEGIES = {
    "greedy": greedy,
    "sample": lambda *a, **k: sample(
        *a, temperature=1.5, top_k=8, top_p=0.95, generator=torch.Generator().manual_seed(0), **k
    ),
    "beam": lambda *a, **k: beam(*a, width=4, **k),
}


def test_forbidden_tokens_are_never_written():
    model = translator()
    predictor = Translating(model, SOURCE)
    assert predictor(predictor.start)[:, [PAD, START]].tolist() == [[-INF, -INF]] * 4
    predictor = Translating(model, SOURCE, never=[END, *range(4, 12)])
    written = greedy(predictor, predictor.start, 20, end=None).tokens
    assert {token for tokens in written for token in tokens} <= {PAD, START, 3}


def test_ids_outside_the_vocabulary_are_refused():
    predictor = Translating(translator(), SOURCE, never=[START, 99])
    assert "never must be among" in refused(greedy, predictor, predictor.start, 5)
    for decode in (greedy, beam, sample):
        assert "end must be among" in refused(decode, Table(5, 0), ONE, 5, end=5)


def test_model_in_training_mode_decodes_without_dropout_and_stays_in_it():
    model = translator(dropout=0.5).train()
    predictor = Translating(model, SOURCE)
    once = greedy(predictor, predictor.start, 15)
    assert model.training
    model.eval()
    predictor = Translating(model, SOURCE)
    assert greedy(predictor, predictor.start, 15) == once
    assert not model.training


# --- a model that goes on with a text -------------------------------------------------------------------------------


def gpt(seed=0, **changes):
    torch.manual_seed(seed)
    sizes = {"vocabulary": 12, "d_model": 16, "n_heads": 4, "d_ff": 32, "n_layers": 2, "max_length": 24}
    model = Gpt(GptConfig(**(sizes | {"tied": False} | changes))).double()
    with torch.no_grad():
        model.output.weight.mul_(12.0)
    return model


PROMPTS = torch.tensor([[4, 5, 6], [9, 4, 1], [5, 5, 3]])


def translating(seed, cached):
    return Translating(translator(seed), SOURCE, cached=cached), torch.full((4, 1), START)


def continuing(seed, cached):
    return Continuing(gpt(seed), cached=cached), PROMPTS


@pytest.mark.parametrize("end", [END, None])
@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)
@pytest.mark.parametrize("going_on", [translating, continuing])
def test_cached_and_uncached_decoding_agree(going_on, strategy, end):
    cached, whole = (strategy(*going_on(0, cached), 20, end=end) for cached in (True, False))
    assert cached.tokens == whole.tokens and cached.finished == whole.finished
    assert cached.scores == pytest.approx(whole.scores, abs=1e-4 if going_on is translating else 1e-9)
    if end is None:
        assert {len(tokens) for tokens in cached.tokens} == {20}


# --- one sentence for every kind of nonsense ----------------------------------------------------------------------

ONE = torch.tensor([[START]])


NONSENSE = [
    ("temperature must be a number of at least 0", lambda m: sample(m, ONE, 5, temperature=-1)),
    ("max_new must be at most 8 here", lambda m: greedy(m, torch.zeros(2, 3, dtype=torch.long), 9)),
]


@pytest.mark.parametrize(("sentence", "decode"), NONSENSE)
def test_decoding_refuses_bad_input(decode, sentence):
    model = Table(5, 0, max_length=10)
    assert sentence in refused(decode, model)
    assert not model.rows_asked
