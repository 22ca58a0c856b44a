"""GPT: it computes its formulas, the cache changes nothing, invalid inputs are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from tests.refused import refused
from utils.by_hand.attention import softmax
from utils.by_hand.positional import positional_encoding
from utils.models.gpt import Gpt, GptConfig

PAD = 0
VOCABULARY = 11
seeds = st.integers(0, 2**32 - 1)


def small(**changes) -> GptConfig:
    sizes = {"vocabulary": VOCABULARY, "d_model": 12, "n_heads": 3, "d_ff": 16, "n_layers": 2, "max_length": 24}
    return GptConfig(**(sizes | {"dropout": 0.0} | changes))


@st.composite
def configs(draw) -> GptConfig:
    n_heads = draw(st.sampled_from([1, 2, 4, 6]))
    return small(
        n_heads=n_heads,
        d_model=n_heads * draw(st.sampled_from([8, 10])),
        n_key_value_heads=draw(st.sampled_from([None, *(g for g in (1, 2, 3, 6) if n_heads % g == 0)])),
        norm=draw(st.sampled_from(["layer", "rms"])),
        d_ff=draw(st.integers(1, 12)),
        n_layers=draw(st.integers(1, 3)),
        norm_first=draw(st.booleans()),
        activation=draw(st.sampled_from(["relu", "gelu", "swiglu"])),
        bias=draw(st.booleans()),
        positions=draw(st.sampled_from(["learnt", "sinusoidal", "rotary", "none"])),
        tied=draw(st.booleans()),
        scaled_embedding=draw(st.booleans()),
        dropout=0.2,
    )


def shaken(config: GptConfig) -> Gpt:
    """A random Gpt in evaluation mode and float64, with every parameter moved from where it starts."""
    torch.set_default_dtype(torch.float64)
    try:
        model = Gpt(config).eval()
    finally:
        torch.set_default_dtype(torch.float32)
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=random, dtype=torch.float64))
    return model


@st.composite
def models(draw) -> Gpt:
    config = draw(configs())
    torch.manual_seed(draw(seeds))
    return shaken(config)


def test_default_sizes_match_the_smallest_gpt_2() -> None:
    """Words and places, then 12 blocks of four square matrices, two of 4 · 768² and two norms, and a last norm."""
    with torch.device("meta"):
        model = Gpt(GptConfig())
    block = 12 * 768**2 + (4 + 4 + 1) * 768 + 2 * 2 * 768
    expected = (50257 + 1024) * 768 + 12 * block + 2 * 768
    assert sum(parameter.numel() for parameter in model.parameters()) == expected == 124_439_808


# --- by hand ----------------------------------------------------------------------------------------------------


def by_hand(model: Gpt, ids: list[int]) -> np.ndarray:
    """The logits (N, vocabulary) of one text, written out in NumPy from the papers' formulas, token by token."""
    config, W = model.config, {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    n, d, h, d_k = len(ids), config.d_model, config.n_heads, config.d_k
    g = config.n_key_value_heads or h

    def linear(x, name):
        return x @ W[f"{name}.weight"].T + (W[f"{name}.bias"] if config.bias else 0)

    def norm(x, name):
        x = x if config.norm == "rms" else x - x.mean(axis=-1, keepdims=True)
        z = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + config.layer_norm_eps) * W[f"{name}.weight"]
        return z + W[f"{name}.bias"] if config.norm == "layer" and config.bias else z

    def turned(x, position):
        angles = position / 10000 ** (2 * np.arange(d_k // 2) / d_k)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * angles)
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def attention(x, name):
        Q, K, V = np.split(linear(x, f"{name}.project_in"), [h * d_k, h * d_k + g * d_k], axis=-1)
        found = np.zeros((n, d))
        for head in range(h):
            of, shared = slice(head * d_k, (head + 1) * d_k), head // (h // g)
            q, k, v = Q[:, of], *(X[:, shared * d_k : (shared + 1) * d_k] for X in (K, V))
            if config.positions == "rotary":
                q, k = (np.stack([turned(x[i], i) for i in range(n)]) for x in (q, k))
            for i in range(n):
                found[i, of] = softmax(q[i] @ k[: i + 1].T / np.sqrt(d_k)) @ v[: i + 1]
        return linear(found, f"{name}.project_out")

    def network(x, name):
        wide = linear(x, f"{name}.widen")
        if config.activation == "swiglu":
            gate = linear(x, f"{name}.gate")
            wide = gate / (1 + np.exp(-gate)) * wide
        elif config.activation == "gelu":
            wide = wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2))) / 2
        else:
            wide = np.maximum(wide, 0)
        return linear(wide, f"{name}.narrow")

    def around(x, sublayer, of, name):
        if config.norm_first:
            return x + sublayer(norm(x, f"{name}.norm"), of)
        return norm(x + sublayer(x, of), f"{name}.norm")

    x = W["tokens.weight"][ids] * (math.sqrt(d) if config.scaled_embedding else 1)
    if config.positions == "learnt":
        x = x + W["positions.table"][:n]
    if config.positions == "sinusoidal":
        x = x + positional_encoding(n, d, base=10000)
    for layer in (f"layers.{i}" for i in range(config.n_layers)):
        x = around(x, attention, f"{layer}.self_attention", f"{layer}.add_norm_attention")
        x = around(x, network, f"{layer}.feed_forward", f"{layer}.add_norm_feed_forward")
    return (norm(x, "final_norm") if config.norm_first else x) @ W["output.weight"].T


@torch.no_grad()
@settings(max_examples=60)
@given(models(), st.lists(st.integers(1, VOCABULARY - 1), min_size=1, max_size=8))
@example(shaken(small(n_heads=4, d_model=16, n_key_value_heads=2, positions="rotary", norm="rms")), [1, 2, 3, 4])
def test_gpt_computes_its_formulas(model, ids) -> None:
    np.testing.assert_allclose(model(torch.tensor([ids]))[0].numpy(), by_hand(model, ids), rtol=1e-10, atol=1e-10)


def test_dropout_applies_only_in_training() -> None:
    torch.manual_seed(0)
    model, ids = Gpt(small(dropout=0.3)), torch.ones(2, 5, dtype=torch.long)
    assert not torch.allclose(model(ids), model(ids))
    assert (model.embed(ids) == 0).any() and (model.embed(ids) != 0).any()  # of what the first block gets, too
    model.eval()
    assert torch.equal(model(ids), model(ids))


@torch.no_grad()
@pytest.mark.parametrize(("positions", "tied"), [("learnt", True), ("none", False)])
def test_new_gpt_has_gpts_initialization_and_near_uniform_predictions(positions, tied) -> None:
    """Tokens and positions have a deviation of 0.02, with no factor; the loss is that of a guess among 400."""
    torch.manual_seed(0)
    sizes = {"vocabulary": 400, "d_model": 64, "n_heads": 4, "d_ff": 256, "n_layers": 2, "max_length": 400}
    model, ids = Gpt(GptConfig(**sizes, dropout=0.0, positions=positions, tied=tied)).eval(), torch.arange(400)[None]
    if positions == "learnt":
        assert model.positions(400).std().item() == pytest.approx(0.02, rel=0.05)
    scaled = Gpt(GptConfig(**sizes, positions=positions, tied=tied, scaled_embedding=True)).tokens
    assert scaled(ids).std().item() == pytest.approx(1, rel=0.05), "as in the paper of 2017"
    assert torch.equal(model.tokens(ids), model.tokens.weight[ids])
    assert [W.std().item() for W in (model.tokens.weight, model.output.weight)] == pytest.approx([0.02] * 2, rel=0.05)
    texts = torch.randint(1, 400, (20, 51))
    loss = nn.functional.cross_entropy(model(texts[:, :-1]).flatten(0, 1), texts[:, 1:].flatten())
    assert loss.item() == pytest.approx(math.log(400), abs=0.1)


# --- the cache --------------------------------------------------------------------------------------------------


@torch.no_grad()
@settings(max_examples=40)
@given(models(), st.integers(1, 4), st.data())
def test_cached_reading_agrees_with_uncached(model, batch, data) -> None:
    """A few tokens at a time, rows reordered, dropped and repeated in between, some of them ended and padded."""
    cache, ids = model.new_cache(), torch.empty(batch, 0, dtype=torch.long)
    for _ in range(data.draw(st.integers(1, 6))):
        new = torch.randint(1, VOCABULARY, (len(ids), data.draw(st.integers(1, 3))))
        if ids.shape[1]:
            new[(ids[:, -1] == PAD) | (torch.rand(len(ids)) < 0.1)] = PAD
        ids = torch.cat([ids, new], dim=1)
        expected, found = model(ids)[:, -new.shape[1] :], model(new, cache)
        torch.testing.assert_close(found[new != PAD], expected[new != PAD], rtol=0, atol=1e-9)
        assert cache.length == ids.shape[1]
        if data.draw(st.booleans()):
            rows = torch.randint(0, len(ids), (data.draw(st.integers(1, 5)),))
            ids = ids[rows]
            cache.select(rows)


# --- refused ----------------------------------------------------------------------------------------------------


NOT_TO_BE_BUILT = [
    ("positions must be one of learnt", {"positions": "fixed"}),
    ("n_heads must be divisible by", {"n_key_value_heads": 2}),
    ("rotary positions turn pairs of numbers", {"positions": "rotary", "d_model": 9}),
    ("max_length × d_model must be at most 2**28", {"max_length": 2**28}),
]


@pytest.mark.parametrize(("sentence", "changes"), NOT_TO_BE_BUILT)
def test_gpt_config_refuses_invalid_sizes(changes, sentence) -> None:
    assert sentence in refused(small, **changes)


def test_gpt_refuses_invalid_input() -> None:
    model = Gpt(small(positions="rotary", max_length=4)).eval()
    assert "ids must be from 0 to 10" in refused(model, torch.full((1, 2), 11))
    cache = model.new_cache()
    with torch.no_grad():
        model(torch.ones(2, 3, dtype=torch.long), cache)
        assert "the sequence has 5 tokens" in refused(model, torch.ones(2, 2, dtype=torch.long), cache)
        assert "the cache holds 2 rows" in refused(model, torch.ones(1, 1, dtype=torch.long), cache)
