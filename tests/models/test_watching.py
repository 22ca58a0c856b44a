"""Watching a model: what is shown is of the very pass, what is changed goes on, and nothing stays behind."""

from __future__ import annotations

import pytest
import torch

from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.models.watching import AttentionKind, watching

SOURCE, TARGET = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]]), torch.tensor([[1, 4, 5], [1, 6, 7]])
PLACES: tuple[AttentionKind, ...] = ("encoder", "decoder", "cross")


@pytest.fixture(autouse=True)
def no_gradients():
    with torch.no_grad():
        yield


@pytest.fixture
def model() -> Transformer:
    torch.manual_seed(0)
    sizes = {"source_vocabulary": 11, "target_vocabulary": 9, "n_encoder_layers": 2, "n_decoder_layers": 3}
    model = Transformer(TransformerConfig(d_model=8, n_heads=2, d_ff=12, max_length=6, **sizes)).eval()
    for parameter in model.parameters():
        parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def attention(model: Transformer, place: AttentionKind, layer: int) -> torch.nn.Module:
    block = (model.encoder if place == "encoder" else model.decoder).layers[layer]
    return block.cross_attention if place == "cross" else block.self_attention


# --- what is shown ----------------------------------------------------------------------------------------------


def test_each_layer_is_found_at_its_place(model):
    """The first of the decoder's blocks is made to look evenly: its map alone is even."""
    changed = attention(model, "cross", 1)
    changed.project_in.weight[:8] = 0
    changed.project_in.bias[:8] = 0
    with watching(model) as maps:
        model(SOURCE, TARGET)
    assert [len(maps.encoder), len(maps.decoder), len(maps.cross)] == [2, 3, 3]
    even = [torch.allclose(weights[0], torch.full((2, 3, 4), 0.25)) for weights in maps.cross]
    assert even == [False, True, False]


def test_states_are_the_residual_stream_after_each_block(model):
    with watching(model) as maps:
        memory = model.encode(SOURCE)
        model.decode(TARGET, memory)
    assert torch.equal(maps["encoder", 1, "states"], memory.states)
    again = model.encoder.layers[1](maps["encoder", 0, "states"], memory.mask)
    assert torch.equal(again, maps["encoder", 1, "states"])
    assert torch.equal(model.output(maps["decoder", 2, "states"]), model(SOURCE, TARGET))


# --- what is changed --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", PLACES)
def test_switched_off_head_equals_zero_rows_of_w_o(model, place):
    before = model(SOURCE, TARGET)
    with watching(model, off=[(place, 1, 0)]) as maps:
        found = model(SOURCE, TARGET)
    assert (maps[place, 1, "heads"][:, 0] == 0).all() and (maps[place, 1, "heads"][:, 1] != 0).any()
    assert torch.equal(model(SOURCE, TARGET), before)
    attention(model, place, 1).project_out.weight[:, :4] = 0
    torch.testing.assert_close(found, model(SOURCE, TARGET))
    assert not torch.allclose(found, before, atol=1e-3)


def test_patched_state_determines_the_output(model):
    """Patched in behind the last block of the encoder, the states of one source give the logits of that source."""
    other = SOURCE.flip(0)
    with watching(model) as clean:
        expected = model(other, TARGET)
    memory_mask = model.encode(other).mask
    with watching(model, changes={("encoder", 1, "states"): lambda _: clean["encoder", 1, "states"]}):
        memory = model.encode(SOURCE)
    memory = type(memory)(memory.states, memory_mask)
    assert torch.equal(model.decode(TARGET, memory), expected)


# --- nothing stays behind ---------------------------------------------------------------------------------------


def test_watching_is_undone_after_an_error(model):
    before = model(SOURCE, TARGET)
    with pytest.raises(RuntimeError), watching(model, off=[("cross", 0, 0)]) as maps:
        model(SOURCE, TARGET)
        kept = maps.cross[0]
        raise RuntimeError  # a lesson's cell may fail inside
    assert torch.equal(model(SOURCE[:, :2], TARGET), model(SOURCE[:, :2], TARGET))
    assert maps.cross[0] is kept  # what is asked afterwards is not shown any more
    assert torch.equal(model(SOURCE, TARGET), before)


# --- refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (("cross", 3, 0), "there is no layer 3 in cross"),
        (("encoder", 0, 2), "there is no head 2 to switch off"),
    ],
)
def test_missing_head_is_refused(model, head, sentence):
    before = model(SOURCE, TARGET)
    with pytest.raises(ValueError) as caught, watching(model, off=[("encoder", 0, 0), head]):
        pass
    assert sentence in str(caught.value)
    assert torch.equal(model(SOURCE, TARGET), before)
