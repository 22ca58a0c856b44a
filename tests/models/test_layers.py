"""Masks, positions, embeddings, feed-forward and whole blocks, beside what lessons 04 to 10 compute by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from utils.by_hand import masks as masks_by_hand
from utils.by_hand.encoder import EncoderWeights, encoder_block
from utils.by_hand.normalization import layer_norm as layer_norm_by_hand
from utils.by_hand.positional import positional_encoding
from utils.models.config import BlockConfig, TransformerConfig
from utils.models.decoder import Decoder, DecoderLayer
from utils.models.encoder import Encoder, EncoderLayer
from utils.models.layers import (
    FeedForward,
    LearntPositions,
    RMSNorm,
    RotaryPositions,
    SinusoidalPositions,
    TokenEmbedding,
    layer_norm,
)
from utils.models.masks import causal_mask, padding_mask
from utils.models.transformer import Transformer
from utils.models.watching import watching

seeds = st.integers(0, 2**32 - 1)


@pytest.fixture
def float64():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def numbers(tensor: torch.Tensor | None) -> np.ndarray | None:
    return None if tensor is None else tensor.detach().numpy()


# --- by hand ----------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(1, 6), st.integers(0, 5))
def test_masks_agree_with_those_by_hand(lengths, n, pad_id):
    n = max(n, *lengths, 1)
    ids = torch.full((len(lengths), n), pad_id)
    for row, length in enumerate(lengths):
        ids[row, :length] = pad_id + 1 + torch.arange(length)
    real = padding_mask(ids, pad_id)
    assert real.shape == (len(lengths), 1, 1, n)
    np.testing.assert_array_equal(real[:, 0, 0], masks_by_hand.padding_mask(lengths, n))
    np.testing.assert_array_equal(causal_mask(n), masks_by_hand.look_ahead_mask(n))
    np.testing.assert_array_equal((real & causal_mask(n))[:, 0], masks_by_hand.decoder_mask(lengths, n))


@given(st.integers(1, 6), st.integers(0, 6))
def test_new_tokens_see_the_old_ones(n, offset):
    np.testing.assert_array_equal(causal_mask(n, offset), masks_by_hand.look_ahead_mask(offset + n)[offset:])


@pytest.mark.parametrize("d_model", [2, 4, 64, 512])
def test_positions_agree_with_those_by_hand(float64, d_model):
    by_hand = positional_encoding(600, d_model, base=10000)
    positions = SinusoidalPositions(600, d_model)
    np.testing.assert_allclose(positions(600), by_hand, rtol=0, atol=1e-10)
    np.testing.assert_allclose(positions(7, 500), by_hand[500:507], rtol=0, atol=1e-10)


def test_positions_in_float32_are_as_exact_as_float32_can_be():
    np.testing.assert_allclose(SinusoidalPositions(5000, 64)(5000), positional_encoding(5000, 64), rtol=0, atol=6e-8)


@given(st.integers(1, 12), st.integers(1, 5), st.sampled_from([1e-6, 1e-5, 0.1]), st.booleans(), seeds)
def test_layer_norm_agrees_with_that_by_hand(d_model, n, eps, bias, seed):
    torch.manual_seed(seed)
    norm = layer_norm(BlockConfig(d_model=d_model, n_heads=1, layer_norm_eps=eps, bias=bias)).double()
    torch.nn.init.normal_(norm.weight)
    if bias:
        torch.nn.init.normal_(norm.bias)
    x = torch.randn(n, d_model, dtype=torch.float64)
    expected = layer_norm_by_hand(x, numbers(norm.weight), numbers(norm.bias), eps)
    np.testing.assert_allclose(numbers(norm(x)), expected, rtol=0, atol=1e-10)


@settings(max_examples=40)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(1, 9), st.integers(1, 7), st.booleans(), st.booleans(), seeds)
def test_the_block_agrees_with_the_block_by_hand(n_heads, d_k, d_ff, n, norm_first, bias, seed):
    torch.manual_seed(seed)
    config = BlockConfig(
        d_model=n_heads * d_k, n_heads=n_heads, d_ff=d_ff, dropout=0.0, norm_first=norm_first, bias=bias
    )
    layer = EncoderLayer(config).double()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    attention, feed_forward = layer.self_attention, layer.feed_forward
    norms = (layer.add_norm_attention.norm, layer.add_norm_feed_forward.norm)
    W_Q, W_K, W_V = (numbers(W).T for W in attention.project_in.weight.chunk(3))
    b_Q, b_K, b_V = (numbers(b) for b in attention.project_in.bias.chunk(3)) if bias else (None,) * 3
    weights = EncoderWeights(
        W_Q=W_Q,
        W_K=W_K,
        W_V=W_V,
        W_O=numbers(attention.project_out.weight).T,
        W_1=numbers(feed_forward.widen.weight).T,
        b_1=numbers(feed_forward.widen.bias) if bias else np.zeros(d_ff),
        W_2=numbers(feed_forward.narrow.weight).T,
        b_2=numbers(feed_forward.narrow.bias) if bias else np.zeros(config.d_model),
        gamma_1=numbers(norms[0].weight),
        beta_1=numbers(norms[0].bias),
        gamma_2=numbers(norms[1].weight),
        beta_2=numbers(norms[1].bias),
        b_Q=b_Q,
        b_K=b_K,
        b_V=b_V,
        b_O=numbers(attention.project_out.bias),
    )
    x, mask = torch.randn(1, n, config.d_model, dtype=torch.float64), torch.rand(n, n) < 0.7
    with watching(layer) as maps:
        output = layer(x, mask)
    by_hand = encoder_block(x[0].numpy(), weights, n_heads, mask.numpy(), norm_first)
    np.testing.assert_allclose(numbers(output[0]), by_hand.output, rtol=0, atol=1e-10)
    np.testing.assert_allclose(numbers(maps.encoder[0][0]), by_hand.weights, rtol=0, atol=1e-10)


# --- what came after 2017 ---------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 5), st.sampled_from([1e-6, 1e-5, 0.1]), seeds)
def test_rms_norm_agrees_with_its_formula_and_with_pytorchs(d_model, n, eps, seed):
    torch.manual_seed(seed)
    norm, theirs = RMSNorm(d_model, eps).double(), torch.nn.RMSNorm(d_model, eps).double()
    assert (norm.weight == 1).all()
    torch.nn.init.normal_(norm.weight)
    theirs.load_state_dict(norm.state_dict())
    x = torch.randn(2, n, d_model, dtype=torch.float64)
    by_hand = numbers(norm.weight) * x.numpy() / np.sqrt(np.mean(x.numpy() ** 2, axis=-1, keepdims=True) + eps)
    np.testing.assert_allclose(numbers(norm(x)), by_hand, rtol=0, atol=1e-10)
    np.testing.assert_allclose(numbers(norm(x)), numbers(theirs(x)), rtol=0, atol=1e-10)


@given(st.integers(1, 6), st.integers(1, 7), st.integers(1, 9), st.booleans(), seeds)
def test_swiglu_agrees_with_its_formula_and_with_pytorchs_silu(n, d_model, d_ff, bias, seed):
    torch.manual_seed(seed)
    layer = FeedForward(BlockConfig(d_model=d_model, n_heads=1, d_ff=d_ff, bias=bias, activation="swiglu")).double()
    x = torch.randn(2, n, d_model, dtype=torch.float64)

    def linear(part, y):
        return y @ numbers(part.weight).T + (numbers(part.bias) if bias else 0)

    gate = linear(layer.gate, x.numpy())
    by_hand = linear(layer.narrow, gate / (1 + np.exp(-gate)) * linear(layer.widen, x.numpy()))
    theirs = layer.narrow(torch.nn.functional.silu(layer.gate(x)) * layer.widen(x))
    layer.eval()
    np.testing.assert_allclose(numbers(layer(x)), by_hand, rtol=0, atol=1e-10)
    np.testing.assert_allclose(numbers(layer(x)), numbers(theirs), rtol=0, atol=1e-10)


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_each_matrix_of_a_network_starts_of_glorots_size(activation):
    torch.manual_seed(0)
    layer = FeedForward(BlockConfig(d_model=40, n_heads=1, d_ff=160, activation=activation))
    matrices = [parameter for parameter in layer.parameters() if parameter.ndim == 2]
    assert len(matrices) == {"relu": 2, "swiglu": 3}[activation]
    for W in matrices:
        assert W.abs().max().item() == pytest.approx((6 / 200) ** 0.5, rel=0.02)


def test_no_other_activation_has_a_gate():
    assert [name for name, _ in FeedForward(BlockConfig(d_model=4, n_heads=1, d_ff=6)).named_children()] == [
        "widen",
        "activation",
        "dropout",
        "narrow",
    ]


@settings(max_examples=50)
@given(st.integers(1, 8), st.integers(1, 9), st.integers(0, 40), seeds)
def test_rotary_positions_turn_each_pair_as_complex_numbers_do(pairs, n, offset, seed):
    torch.manual_seed(seed)
    torch.set_default_dtype(torch.float64)
    try:
        rotary = RotaryPositions(50, 2 * pairs)
    finally:
        torch.set_default_dtype(torch.float32)
    x = torch.randn(2, 3, n, 2 * pairs, dtype=torch.float64)
    turned = numbers(rotary(x, offset))
    for m in range(n):
        for i in range(pairs):
            angle = (offset + m) / 10000 ** (2 * i / (2 * pairs))
            pair = (x[..., m, 2 * i] + 1j * x[..., m, 2 * i + 1]).numpy() * np.exp(1j * angle)
            np.testing.assert_allclose(turned[..., m, 2 * i], pair.real, rtol=0, atol=1e-10)
            np.testing.assert_allclose(turned[..., m, 2 * i + 1], pair.imag, rtol=0, atol=1e-10)


@given(st.integers(1, 8), st.integers(0, 60), st.integers(0, 60), st.integers(-60, 60), seeds)
def test_turned_scores_depend_on_the_distance_only(pairs, one, other, shift, seed):
    shift = max(shift, -min(one, other))
    torch.manual_seed(seed)
    rotary = RotaryPositions(121, 2 * pairs)
    query, key = torch.randn(2, 1, 2 * pairs, dtype=torch.float64).unbind()
    here, there = (float(rotary(query, one + s) @ rotary(key, other + s).T) for s in (0, shift))
    size = float(query.norm() * key.norm())
    assert abs(here - there) <= 1e-6 * size  # the tables are in single precision
    torch.testing.assert_close(rotary(query, one).norm(), query.norm(), rtol=1e-6, atol=0)


@pytest.mark.parametrize("kind", [SinusoidalPositions, RotaryPositions])
def test_what_follows_from_two_numbers_is_not_in_a_file(kind):
    assert kind(6, 4).state_dict() == {}


def test_another_distance_is_another_score():
    torch.manual_seed(0)
    rotary, (query, key) = RotaryPositions(10, 8), torch.randn(2, 1, 8)
    scores = [float(rotary(query, m) @ rotary(key, 0).T) for m in range(10)]
    assert len({round(score, 4) for score in scores}) == 10
    assert float(rotary(query, 1) @ rotary(key, 0).T) != pytest.approx(float(rotary(query, 0) @ rotary(key, 1).T))


# --- each by itself ---------------------------------------------------------------------------------------------


def test_an_embedding_is_its_row_times_the_root_of_d_model():
    embedding = TokenEmbedding(5, 9)
    ids = torch.tensor([[4, 0], [1, 1]])
    assert torch.equal(embedding(ids), embedding.weight[ids] * 3)


def test_learnt_positions_are_rows_that_learn():
    positions = LearntPositions(6, 4)
    assert torch.equal(positions(2, 3), positions.table[3:5])
    positions(2, 3).sum().backward()
    assert positions.table.grad.sum(dim=1).tolist() == [0, 0, 0, 4, 4, 0]


@pytest.mark.parametrize("d_model", [16, 256])
def test_what_is_embedded_starts_about_as_large_as_the_positions(d_model):
    """A deviation of d_model to the power of −½, which √d_model makes 1; positions that are learnt start smaller."""
    torch.manual_seed(0)
    ids = torch.arange(400)[None]
    assert TokenEmbedding(400, d_model)(ids).std().item() == pytest.approx(1, rel=0.05)
    assert LearntPositions(400, d_model)(400).std().item() == pytest.approx(0.02, rel=0.05)
    sizes = {"n_heads": 1, "d_ff": 1, "n_encoder_layers": 1, "n_decoder_layers": 1}
    for tied in ("all", "output", "none"):
        model = Transformer(
            TransformerConfig(d_model=d_model, source_vocabulary=400, target_vocabulary=400, tied=tied, **sizes)
        )
        assert model.output.weight.std().item() == pytest.approx(d_model**-0.5, rel=0.05)


# --- refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "error", "sentence"),
    [
        (
            torch.tensor([[0, 7], [3, 1]]),
            ValueError,
            "ids must be from 0 to 6, the vocabulary has 7 entries: they go from 0 to 7.",
        ),
        (
            torch.tensor([[2, -1]]),
            ValueError,
            "ids must be from 0 to 6, the vocabulary has 7 entries: they go from -1 to 2.",
        ),
        (torch.tensor([[0.5]]), TypeError, "ids must be whole numbers (torch.long): their dtype is torch.float32."),
        (
            torch.tensor([1, 2]),
            ValueError,
            "ids must be a batch of sequences, (batch, length), not empty: their shape is (2,).",
        ),
        (
            torch.zeros(3, 0, dtype=torch.long),
            ValueError,
            "ids must be a batch of sequences, (batch, length), not empty: their shape is (3, 0).",
        ),
    ],
)
def test_what_are_no_ids_is_refused(ids, error, sentence):
    with pytest.raises(error) as caught:
        TokenEmbedding(7, 4)(ids)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ((10, 5), "sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is 5."),
        ((0, 4), "max_length must be a whole number of at least 1: it is 0."),
        ((10, 4.0), "d_model must be a whole number of at least 1: it is 4.0."),
    ],
)
def test_positions_that_cannot_be_built_are_refused(sizes, sentence):
    with pytest.raises((TypeError, ValueError)) as caught:
        SinusoidalPositions(*sizes)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ((10, 3), "rotary positions turn pairs of numbers, so d_k must be even: it is 3."),
        ((0, 4), "max_length must be a whole number of at least 1: it is 0."),
        ((10, 4.0), "d_k must be a whole number of at least 1: it is 4.0."),
    ],
)
def test_rotary_positions_that_cannot_be_built_are_refused(sizes, sentence):
    with pytest.raises((TypeError, ValueError)) as caught:
        RotaryPositions(*sizes)
    assert str(caught.value) == sentence


def test_rotary_positions_past_the_maximum_are_refused():
    with pytest.raises(ValueError, match="the sequence has 7 tokens, and this model takes at most max_length = 6"):
        RotaryPositions(6, 4)(torch.ones(1, 4, 4), 3)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(
    ("x", "error", "sentence"),
    [
        (torch.ones(2, 3, 6), ValueError, "must be vectors, (batch, tokens, d_model = 8): its shape is (2, 3, 6)."),
        (np.ones((2, 3, 8)), TypeError, "must be a tensor, torch.tensor(…) makes one: it is of type ndarray."),
        (None, TypeError, "must be a tensor, torch.tensor(…) makes one: it is of type NoneType."),
    ],
)
def test_layers_and_stacks_refuse_what_are_no_vectors(x, error, sentence, norm_first):
    config, good = BlockConfig(d_model=8, n_heads=2, d_ff=4, norm_first=norm_first), torch.ones(2, 3, 8)
    for name, run in (
        ("x", lambda: EncoderLayer(config)(x)),
        ("x", lambda: DecoderLayer(config)(x, good)),
        ("memory", lambda: DecoderLayer(config)(good, x)),
        ("x", lambda: Encoder(config, 1, False)(x)),
        ("memory", lambda: Decoder(config, 1, False)(good, x)),
    ):
        with pytest.raises(error) as caught:
            run()
        assert str(caught.value) == f"{name} {sentence}"


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearntPositions])
def test_positions_past_the_maximum_are_refused(kind):
    positions = kind(6, 4)
    assert positions(4, 2).shape == (4, 4)
    with pytest.raises(ValueError) as caught:
        positions(4, 3)
    assert str(caught.value) == "the sequence has 7 tokens, and this model takes at most max_length = 6."
    assert positions(0).shape == positions(0, 6).shape == (0, 4)
    for n, offset in ((-1, 3), (2, -1)):
        with pytest.raises(ValueError) as caught:
            positions(n, offset)
        assert str(caught.value) == (
            f"positions are counted from 0: n is {n} and offset {offset}, and neither can be below 0."
        )
