"""GPT: nothing leaks from the right, the cache changes nothing, files keep it whole, nonsense is refused."""

from __future__ import annotations

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from utils.models.files import load_tensors, pack_model, save_tensors, unpack_model
from utils.models.gpt import Gpt, GptConfig
from utils.models.watching import watching

PAD = 0
VOCABULARY = 11
seeds = st.integers(0, 2**32 - 1)


def small(**changes) -> GptConfig:
    sizes = {"vocabulary": VOCABULARY, "d_model": 12, "n_heads": 3, "d_ff": 16, "n_layers": 2, "max_length": 24}
    return GptConfig(**(sizes | {"dropout": 0.0} | changes))


@st.composite
def configs(draw) -> GptConfig:
    n_heads = draw(st.integers(1, 4))
    return small(
        n_heads=n_heads,
        d_model=n_heads * draw(st.sampled_from([8, 10])),
        d_ff=draw(st.integers(1, 12)),
        n_layers=draw(st.integers(1, 3)),
        norm_first=draw(st.booleans()),
        activation=draw(st.sampled_from(["relu", "gelu"])),
        bias=draw(st.booleans()),
        positions=draw(st.sampled_from(["learnt", "sinusoidal", "none"])),
        tied=draw(st.booleans()),
        dropout=0.2,
    )


@st.composite
def models(draw) -> Gpt:
    """A random Gpt in evaluation mode and float64, with every parameter moved from where it starts."""
    config = draw(configs())
    torch.manual_seed(draw(seeds))
    model = Gpt(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def sentences(batch: int, length: int) -> Tensor:
    """Random ids (batch, length), padded at the end of some rows."""
    ids = torch.randint(1, VOCABULARY, (batch, length))
    ids[torch.arange(length) >= torch.randint(1, length + 1, (batch, 1))] = PAD
    return ids


def test_the_defaults_are_the_smallest_gpt_2() -> None:
    """124,439,808 numbers, counted from the published weights."""
    with torch.device("meta"):
        model = Gpt(GptConfig())
    assert sum(parameter.numel() for parameter in model.parameters()) == 124_439_808


# --- what a token may know --------------------------------------------------------------------------------------


@torch.no_grad()
@settings(max_examples=40)
@given(models(), st.integers(1, 3), st.integers(2, 8), st.data())
def test_no_logit_knows_what_comes_after(model, batch, n, data) -> None:
    ids = sentences(batch, n)
    now = data.draw(st.integers(1, n - 1))
    other = ids.clone()
    other[:, now:] = torch.where(ids[:, now:] == PAD, PAD, ids[:, now:] % (VOCABULARY - 1) + 1)
    before, after = model(ids), model(other)
    torch.testing.assert_close(after[:, :now], before[:, :now], rtol=0, atol=1e-10)
    changed = (ids != other).any(dim=1)
    assert ((before - after)[changed].abs().amax(dim=(1, 2)) > 1e-6).all()


@torch.no_grad()
@settings(max_examples=40)
@given(models(), st.integers(1, 3), st.integers(1, 8), st.integers(0, 4))
def test_padding_changes_nothing_for_the_others(model, batch, n, more) -> None:
    ids = sentences(batch, n)
    found = model(nn.functional.pad(ids, (0, more)))[:, :n]
    for row, logits in zip(ids, found, strict=True):
        length = int((row != PAD).sum())
        torch.testing.assert_close(logits[:length], model(row[None, :length])[0], rtol=0, atol=1e-10)


def test_padding_in_the_middle_is_not_attended_to() -> None:
    torch.manual_seed(0)
    model, ids = Gpt(small()).eval(), torch.tensor([[3, PAD, 5]])
    with watching(model) as maps:
        model(ids)
    for weights in maps.decoder:
        assert (weights[0, :, 2, 1] == 0).all() and (weights[0, :, 2, [0, 2]] > 0).all()


@torch.no_grad()
def test_order_tells_by_the_mask_alone_and_by_positions_too() -> None:
    """Without positions the last token of one layer sees a bag of words; with them it sees their order."""
    for positions, alike in (("none", True), ("learnt", False), ("sinusoidal", False)):
        torch.manual_seed(0)
        model = Gpt(small(positions=positions, n_layers=1)).eval()
        one, other = (model(torch.tensor([ids]))[0, -1] for ids in ([3, 4, 5, 6], [5, 3, 4, 6]))
        assert torch.allclose(one, other, atol=1e-6) == alike, positions


def test_dropout_is_for_training_only() -> None:
    torch.manual_seed(0)
    model, ids = Gpt(small(dropout=0.3)), torch.ones(2, 5, dtype=torch.long)
    assert not torch.allclose(model(ids), model(ids))
    model.eval()
    assert torch.equal(model(ids), model(ids))


def test_what_is_tied_is_one_matrix_and_post_norm_has_no_last_norm() -> None:
    for tied in (True, False):
        model = Gpt(small(tied=tied))
        assert (model.output.weight is model.tokens.weight) == tied
        assert model.output.weight.std().item() == pytest.approx(12**-0.5, rel=0.3)
    assert isinstance(Gpt(small(norm_first=False)).final_norm, nn.Identity)
    assert isinstance(Gpt(small(norm_first=True)).final_norm, nn.LayerNorm)


# --- the cache --------------------------------------------------------------------------------------------------


@torch.no_grad()
@settings(max_examples=60)
@given(models(), st.integers(1, 4), st.data())
def test_reading_with_a_cache_is_reading_without(model, batch, data) -> None:
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


# --- looking inside, files --------------------------------------------------------------------------------------


@torch.no_grad()
@settings(max_examples=20)
@given(models(), st.integers(1, 3), st.integers(1, 6))
def test_its_maps_are_those_of_a_decoder_and_keep_the_mask(model, batch, n) -> None:
    ids = sentences(batch, n)
    with watching(model) as maps:
        assert torch.equal(model(ids), model(ids))
    allowed = torch.ones(n, n, dtype=torch.bool).tril() & (ids != PAD)[:, None, None, :]
    assert len(maps.decoder) == model.config.n_layers and not maps.encoder and not maps.cross
    for layer, weights in enumerate(maps.decoder):
        assert weights.shape == (batch, model.config.n_heads, n, n)
        assert (weights[~allowed.expand_as(weights)] == 0).all()
        assert maps["decoder", layer, "states"].shape == (batch, n, model.config.d_model)


@torch.no_grad()
def test_a_head_that_is_switched_off_gives_zeros() -> None:
    torch.manual_seed(0)
    model, ids = Gpt(small()).eval(), torch.tensor([[3, 1, 5]])
    with watching(model, off=[("decoder", 1, 2)]) as maps:
        changed = model(ids)
    assert (maps["decoder", 1, "heads"][:, 2] == 0).all() and (maps["decoder", 1, "heads"][:, :2] != 0).any()
    assert not torch.allclose(changed, model(ids))


@torch.no_grad()
@settings(max_examples=15)
@given(models(), st.sampled_from([torch.float32, torch.float64, torch.bfloat16]))
def test_it_comes_back_from_its_file(tmp_path_factory, model, dtype) -> None:
    path = tmp_path_factory.getbasetemp() / "gpt.safetensors"
    save_tensors(path, *pack_model(model.to(dtype)))
    back, ids = unpack_model(*load_tensors(path)), sentences(2, 4)
    assert back.config == model.config and torch.equal(back(ids), model(ids))
    assert (back.output.weight is back.tokens.weight) == model.config.tied


@pytest.mark.parametrize("name", ["n_layers", "d_ff", "vocabulary"])
def test_a_file_that_lies_about_a_size_is_refused_before_anything_is_built(name, monkeypatch) -> None:
    tensors, metadata = pack_model(Gpt(small()))
    metadata["config"] = json.dumps(json.loads(metadata["config"]) | {name: 12 * 10**6})
    monkeypatch.setattr(Gpt, "__init__", lambda *_: pytest.fail("it was built"))
    with pytest.raises(ValueError, match=f"asks for {name} = 12000000, and there are"):
        unpack_model(tensors, metadata)


# --- refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"vocabulary": 0}, "vocabulary must be a whole number of at least 1: it is 0."),
        ({"n_layers": 1.0}, "n_layers must be a whole number of at least 1: it is 1.0."),
        ({"positions": "fixed"}, "positions must be one of learnt, sinusoidal, none: it is 'fixed'."),
        ({"tied": 1}, "tied must be True or False: it is 1."),
        ({"pad_id": 11}, "pad_id must be an id of the vocabulary, from 0 to 10: it is 11."),
        (
            {"positions": "sinusoidal", "d_model": 9},
            "sinusoidal positions come in pairs of sine and cosine, so d_model must be even: it is 9.",
        ),
        (
            {"max_length": 2**28},
            "max_length × d_model must be at most 2**28 where positions are added: it is 268435456 × 12.",
        ),
    ],
)
def test_what_cannot_be_built_is_refused(changes, sentence) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        small(**changes)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("positions", ["learnt", "sinusoidal", "none"])
def test_what_cannot_be_read_is_refused(positions) -> None:
    model = Gpt(small(positions=positions, max_length=4)).eval()
    for ids, error, sentence in (
        (torch.ones(1, 5, dtype=torch.long), ValueError, "the sequence has 5 tokens, and this model takes at most"),
        (torch.full((1, 2), 11), ValueError, "ids must be from 0 to 10"),
        (torch.ones(1, 2), TypeError, r"ids must be whole numbers \(torch.long\)"),
    ):
        with pytest.raises(error, match=sentence):
            model(ids)
    cache = model.new_cache()
    with torch.no_grad():
        model(torch.ones(2, 3, dtype=torch.long), cache)
        with pytest.raises(ValueError, match="the sequence has 5 tokens"):
            model(torch.ones(2, 2, dtype=torch.long), cache)
        with pytest.raises(ValueError, match="the cache holds 2 rows, and 1 came"):
            model(torch.ones(1, 1, dtype=torch.long), cache)
