"""Masks, positions, embeddings, feed-forward and whole blocks, beside what lessons 04 to 10 compute by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refused import refused
from utils.by_hand import masks as masks_by_hand
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
)
from utils.models.masks import causal_mask, padding_mask
from utils.models.transformer import Transformer

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


# --- what came after 2017 ---------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(1, 5), st.sampled_from([1e-6, 1e-5, 0.1]), seeds)
def test_rms_norm_agrees_with_pytorchs(d_model, n, eps, seed):
    torch.manual_seed(seed)
    norm, theirs = RMSNorm(d_model, eps).double(), torch.nn.RMSNorm(d_model, eps).double()
    assert (norm.weight == 1).all()
    torch.nn.init.normal_(norm.weight)
    theirs.load_state_dict(norm.state_dict())
    x = torch.randn(2, n, d_model, dtype=torch.float64)
    np.testing.assert_allclose(numbers(norm(x)), numbers(theirs(x)), rtol=0, atol=1e-10)


@given(st.integers(1, 6), st.integers(1, 7), st.integers(1, 9), st.booleans(), seeds)
def test_swiglu_agrees_with_its_formula_and_pytorchs_silu(n, d_model, d_ff, bias, seed):
    torch.manual_seed(seed)
    layer = FeedForward(BlockConfig(d_model=d_model, n_heads=1, d_ff=d_ff, bias=bias, activation="swiglu")).double()
    x = torch.randn(2, n, d_model, dtype=torch.float64)
    theirs = layer.narrow(torch.nn.functional.silu(layer.gate(x)) * layer.widen(x))
    layer.eval()
    np.testing.assert_allclose(numbers(layer(x)), numbers(theirs), rtol=0, atol=1e-10)


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_each_matrix_of_a_network_starts_of_glorots_size(activation):
    torch.manual_seed(0)
    layer = FeedForward(BlockConfig(d_model=40, n_heads=1, d_ff=160, activation=activation))
    matrices = [parameter for parameter in layer.parameters() if parameter.ndim == 2]
    assert len(matrices) == {"relu": 2, "swiglu": 3}[activation]
    for W in matrices:
        assert W.abs().max().item() == pytest.approx((6 / 200) ** 0.5, rel=0.02)


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


@pytest.mark.parametrize("kind", [SinusoidalPositions, RotaryPositions])
def test_what_follows_from_two_numbers_is_not_in_a_file(kind):
    assert kind(6, 4).state_dict() == {}


# --- each by itself ---------------------------------------------------------------------------------------------


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


NO_IDS = {
    "ids must be from 0 to 6, the vocabulary has 7 entries: they go from 0 to 7.": torch.tensor([[0, 7], [3, 1]]),
    "ids must be from 0 to 6, the vocabulary has 7 entries: they go from -1 to 2.": torch.tensor([[2, -1]]),
    "TypeError: ids must be whole numbers (torch.long): their dtype is torch.float32.": torch.tensor([[0.5]]),
    "ids must be a batch of sequences, (batch, length), not empty: their shape is (2,).": torch.tensor([1, 2]),
    "ids must be a batch of sequences, (batch, length), not empty: their shape is (3, 0).": (
        torch.zeros(3, 0, dtype=torch.long)
    ),
}


@pytest.mark.parametrize(("sentence", "ids"), NO_IDS.items())
def test_what_are_no_ids_is_refused(ids, sentence):
    assert refused(TokenEmbedding(7, 4), ids) == sentence


NO_POSITIONS = {
    "sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is 5.": (10, 5),
    "max_length must be a whole number of at least 1: it is 0.": (0, 4),
    "TypeError: d_model must be a whole number of at least 1: it is 4.0.": (10, 4.0),
}


@pytest.mark.parametrize(("sentence", "sizes"), NO_POSITIONS.items())
def test_positions_that_cannot_be_built_are_refused(sizes, sentence):
    assert refused(SinusoidalPositions, *sizes) == sentence


NO_ROTARY_POSITIONS = {
    "rotary positions turn pairs of numbers, so d_k must be even: it is 3.": (10, 3),
    "max_length must be a whole number of at least 1: it is 0.": (0, 4),
    "TypeError: d_k must be a whole number of at least 1: it is 4.0.": (10, 4.0),
}


@pytest.mark.parametrize(("sentence", "sizes"), NO_ROTARY_POSITIONS.items())
def test_rotary_positions_that_cannot_be_built_are_refused(sizes, sentence):
    assert refused(RotaryPositions, *sizes) == sentence


def test_rotary_positions_past_the_maximum_are_refused():
    with pytest.raises(ValueError, match="the sequence has 7 tokens, and this model takes at most max_length = 6"):
        RotaryPositions(6, 4)(torch.ones(1, 4, 4), 3)


NO_VECTORS = {
    "{} must be vectors, (batch, tokens, d_model = 8): its shape is (2, 3, 6).": torch.ones(2, 3, 6),
    "TypeError: {} must be a tensor, torch.tensor(…) makes one: it is of type ndarray.": np.ones((2, 3, 8)),
    "TypeError: {} must be a tensor, torch.tensor(…) makes one: it is of type NoneType.": None,
}


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(("sentence", "x"), NO_VECTORS.items())
def test_layers_and_stacks_refuse_what_are_no_vectors(x, sentence, norm_first):
    config, good = BlockConfig(d_model=8, n_heads=2, d_ff=4, norm_first=norm_first), torch.ones(2, 3, 8)
    for name, run in (
        ("x", lambda: EncoderLayer(config)(x)),
        ("x", lambda: DecoderLayer(config)(x, good)),
        ("memory", lambda: DecoderLayer(config)(good, x)),
        ("x", lambda: Encoder(config, 1, False)(x)),
        ("memory", lambda: Decoder(config, 1, False)(good, x)),
    ):
        assert refused(run) == sentence.format(name)


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearntPositions])
def test_positions_past_the_maximum_are_refused(kind):
    positions = kind(6, 4)
    assert positions(4, 2).shape == (4, 4)
    with pytest.raises(ValueError) as caught:
        positions(4, 3)
    assert str(caught.value) == "the sequence has 7 tokens, and this model takes at most max_length = 6."
    assert positions(0).shape == positions(0, 6).shape == (0, 4)
    for n, offset in ((-1, 3), (2, -1)):
        assert refused(positions, n, offset) == (
            f"positions are counted from 0: n is {n} and offset {offset}, and neither can be below 0."
        )
