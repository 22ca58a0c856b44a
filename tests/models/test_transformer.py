"""The whole transformer: the cache changes nothing, dropout is in place, invalid inputs are refused."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from tests.refused import refused
from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.models.watching import watching

PAD = 0
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)


@st.composite
def models(draw) -> Transformer:
    """A random Transformer, in evaluation mode, with every parameter moved from where it starts.

    d_model is 8 at least: layer norm of two or three numbers that are nearly equal makes much of a rounding error.
    """
    n_heads = draw(st.integers(1, 4))
    tied = draw(st.sampled_from(["all", "output", "none"]))
    config = TransformerConfig(
        d_model=n_heads * draw(st.sampled_from([8, 10, 12] if n_heads == 1 else [4, 6, 8])),
        n_heads=n_heads,
        d_ff=draw(st.integers(1, 12)),
        norm_first=draw(st.booleans()),
        activation=draw(st.sampled_from(["relu", "gelu", "swiglu"])),
        bias=draw(st.booleans()),
        source_vocabulary=11,
        target_vocabulary=11 if tied == "all" else 9,
        n_encoder_layers=draw(st.integers(1, 3)),
        n_decoder_layers=draw(st.integers(1, 3)),
        positions=draw(st.sampled_from(["sinusoidal", "learnt", "none"])),
        max_length=20,
        tied=tied,
        final_norm=draw(st.sampled_from([None, True, False])),
    )
    torch.manual_seed(draw(seeds))
    return shaken(Transformer(config).eval())


def shaken(module: nn.Module) -> nn.Module:
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return module


def sentences(batch: int, length: int, vocabulary: int, padded: bool = True) -> Tensor:
    """Random ids (batch, length) with padding at the end of some."""
    ids = torch.randint(1, vocabulary, (batch, length))
    if padded:
        ids[torch.arange(length) >= torch.randint(1, length + 1, (batch, 1))] = PAD
    return ids


def farthest(a: Tensor, b: Tensor) -> float:
    return (a - b).abs().max().item() if a.numel() else 0.0


# --- the cache --------------------------------------------------------------------------------------------------


@torch.no_grad()
@settings(max_examples=40)
@given(models(), st.integers(1, 4), sizes, st.data())
def test_cached_decoding_agrees_with_uncached(model, batch, n, data):
    """A few words at a time, rows reordered, dropped and repeated in between, some of them ended and padded."""
    memory = model.encode(sentences(batch, n, 11))
    cache, target = model.new_cache(), torch.empty(batch, 0, dtype=torch.long)
    for _ in range(data.draw(st.integers(1, 6))):
        new = torch.randint(1, model.config.target_vocabulary, (len(target), data.draw(st.integers(1, 3))))
        if target.shape[1]:
            ended = (target[:, -1] == PAD) | (torch.rand(len(target)) < 0.1)
            new[ended] = PAD
        target = torch.cat([target, new], dim=1)
        with watching(model) as maps:
            expected = model.decode(target, memory)[:, -new.shape[1] :]
        with watching(model) as cached_maps:
            found = model.decode(new, memory, cache)
        real = new != PAD
        assert found.shape == expected.shape
        assert farthest(found[real], expected[real]) <= 1e-4 * max(1.0, expected.abs().max().item())
        assert cache.length == target.shape[1]
        for kind in ("decoder", "cross"):
            for cached, whole in zip(getattr(cached_maps, kind), getattr(maps, kind), strict=True):
                rows = whole[:, :, -new.shape[1] :].transpose(1, 2)[real]
                assert farthest(cached.transpose(1, 2)[real], rows) <= 1e-5
        if data.draw(st.booleans()):
            rows = torch.randint(0, len(target), (data.draw(st.integers(1, 5)),))
            target, memory = target[rows], memory.select(rows)
            cache.select(rows)


def small(**changes) -> TransformerConfig:
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 12, "n_encoder_layers": 2, "n_decoder_layers": 2, "max_length": 6}
    return TransformerConfig(**({"source_vocabulary": 11, "target_vocabulary": 9} | sizes | changes))


# --- the rest ---------------------------------------------------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize("norm_first", [True, False])
def test_sentence_of_only_padding_gives_finite_numbers_and_affects_no_other(norm_first):
    torch.manual_seed(0)
    model = shaken(Transformer(small(norm_first=norm_first)).eval())
    source, target = sentences(3, 4, 11), sentences(3, 5, 9)
    alone = model(source[:1], target[:1])
    source[1] = target[2] = PAD
    together = model(source, target)
    assert torch.isfinite(together).all()
    assert farthest(together[:1], alone) <= 1e-5
    assert torch.isfinite(model(source[1:2], target[2:3])).all()  # nothing but padding


@torch.no_grad()
@pytest.mark.parametrize("norm_first", [True, False])
def test_each_dropout_has_an_effect(norm_first):
    """All of them off but one: what its stack gives varies still."""
    torch.manual_seed(0)
    model = shaken(Transformer(small(dropout=0.5, norm_first=norm_first, n_encoder_layers=1, n_decoder_layers=1)))
    source, target = sentences(3, 5, 11, padded=False), sentences(3, 6, 9, padded=False)
    memory = model.encode(source)

    def encode() -> Tensor:
        return model.encode(source).states

    def decode() -> Tensor:
        return model.decode(target, memory)

    # Three around the sublayers and in the feed-forward, more in the decoder; and that of each attention's weights.
    switches = {name: module for name, module in model.named_modules() if isinstance(module, nn.Dropout)}
    assert len(switches) == 1 + 4 + 6
    for module in switches.values():
        module.p = 0.0
    assert torch.equal(encode(), encode()) and torch.equal(decode(), decode())
    for name, module in switches.items():
        module.p = 0.5
        for run, here in ((encode, not name.startswith("decoder.")), (decode, not name.startswith("encoder."))):
            assert (farthest(run(), run()) > 1e-3) == here, name
        module.p = 0.0


def test_transformer_refuses_invalid_input():
    model = Transformer(small()).eval()
    ids = torch.ones(2, 6, dtype=torch.long)

    too_long = "the sequence has 7 tokens"
    assert too_long in refused(model, ids, torch.ones(2, 7, dtype=torch.long))
    assert "ids must be from 0 to 8" in refused(model, ids, ids * 9)
    assert "source and target must be batches of one" in refused(model, ids, ids[:1])
    cache, memory = model.new_cache(), model.encode(ids)
    with torch.no_grad():
        model.decode(ids, memory, cache)
        assert too_long in refused(model.decode, ids[:, :1], memory, cache)
