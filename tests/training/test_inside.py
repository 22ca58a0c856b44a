"""What is shown of a translation is of the very pass that wrote it, masks included; a head off is off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from tests.refused import refused
from utils.data.vocabulary import END, Vocabulary
from utils.models.config import TransformerConfig
from utils.models.seq2seq import Seq2Seq, Seq2SeqConfig
from utils.models.transformer import Transformer
from utils.models.watching import watching
from utils.show.explorer import AttentionExplorer, Pass, Text
from utils.training.inside import Translation, look_inside
from utils.training.translator import Translator

ENGLISH = ["the", "weather", "is", "great", "food", "good", "."]
PERSIAN = ["هوا", "عالی", "است", "غذا", "خوب", "."]
SENTENCE = "The weather is great."
HEADS = [("encoder", 0, 1), ("decoder", 1, 0), ("cross", 1, 1)]


def untrained(seed: int = 0) -> Translator:
    torch.manual_seed(seed)
    source, target = Vocabulary(ENGLISH), Vocabulary(PERSIAN)
    config = TransformerConfig(
        d_model=16,
        n_heads=2,
        d_ff=32,
        dropout=0.1,
        source_vocabulary=len(source),
        target_vocabulary=len(target),
        n_encoder_layers=2,
        n_decoder_layers=2,
        max_length=32,
        tied="none",
    )
    model = Transformer(config)
    with torch.no_grad():  # larger than at the start of a training, so that maps are uneven and words differ
        for parameter in model.parameters():
            parameter.mul_(1.6)
    return Translator(model.eval(), source, target)


@pytest.fixture(params=[0, 3, 4])
def translator(request: pytest.FixtureRequest) -> Translator:
    return untrained(request.param)


def test_look_inside_writes_the_translators_output(translator: Translator) -> None:
    inside = look_inside(translator, SENTENCE)
    assert inside.source == ["the", "weather", "is", "great", "."]
    assert inside.output == translator.translate(SENTENCE)
    assert inside.map("cross", 1, 0).shape == (len(inside.target), 5)
    assert inside.writes[: len(inside.target) - 1] == inside.target[1:] and len(inside.target) > 2


@pytest.mark.parametrize("head", HEADS, ids=lambda head: f"{head[0]}-{head[1]}-{head[2]}")
def test_head_off_in_the_explorer_equals_head_removed_from_the_model(head: tuple[str, int, int]) -> None:
    """Switched off on the page, inside `watching`, and with its columns of W_O set to zero: all the same."""
    translator = untrained(3)

    def look(text: str, off: Any = ()) -> Pass:
        return as_seen(look_inside(translator, text, off))

    explorer = AttentionExplorer({SENTENCE: look(SENTENCE)}, look)
    whole = explorer.shown["output"]
    explorer._handle_custom_msg({"id": "1", "kind": "show", "text": SENTENCE, "off": [list(head)]}, [])
    assert (explorer.refusal, explorer.whole_output) == ("", whole)

    with watching(translator.model, off=[head]):
        assert translator.translate(SENTENCE) == explorer.shown["output"]
    place, layer, number = head
    stack = translator.model.encoder if place == "encoder" else translator.model.decoder
    attention = stack.layers[layer].cross_attention if place == "cross" else stack.layers[layer].self_attention
    width = attention.d_k
    with torch.no_grad():
        attention.project_out.weight[:, number * width : (number + 1) * width] = 0
    changed = look(SENTENCE)
    assert changed.output == explorer.shown["output"]
    for name, layers in changed.maps.items():
        for i, array in enumerate(layers):
            for h in range(2):
                np.testing.assert_allclose(explorer.weights_of(name, i, h), array[h], atol=0.00051)


def test_maps_match_one_pass_over_the_sentence_and_ignore_padding(translator: Translator) -> None:
    """In a batch with a longer sentence: the columns of the padding hold 0, and the others what they held."""
    inside = look_inside(translator, SENTENCE)
    ids = translator.source_vocabulary.ids(inside.source)
    target = torch.tensor([translator.target_vocabulary.ids(inside.target)] * 2)
    with torch.inference_mode(), watching(translator.model) as maps:
        logits = translator.model(torch.tensor([[*ids, 0, 0], [*ids, 4, 4]]), target)
    chosen = logits[0, :, END:].argmax(dim=-1) + END  # padding and start are never written
    assert translator.target_vocabulary.tokens(chosen.tolist()) == inside.writes
    for layer in (0, 1):
        assert not maps.encoder[layer][0, :, :, 5:].any() and not maps.cross[layer][0, :, :, 5:].any()
        np.testing.assert_allclose(maps.cross[layer][0, :, :, :5], inside.maps["cross"][layer], atol=1e-5)
        np.testing.assert_allclose(maps.encoder[layer][0, :, :5, :5], inside.maps["encoder"][layer], atol=1e-5)
        np.testing.assert_allclose(maps.decoder[layer][0], inside.maps["decoder"][layer], atol=1e-5)


def without_transformer(attention: str) -> Translator:
    torch.manual_seed(0)
    source, target = Vocabulary(ENGLISH), Vocabulary(PERSIAN)
    sizes = {"d_model": 8, "d_hidden": 8, "source_vocabulary": len(source), "target_vocabulary": len(target)}
    return Translator(Seq2Seq(Seq2SeqConfig(attention=attention, **sizes)).eval(), source, target, longest=20)


def test_look_inside_works_for_a_gru_with_attention() -> None:
    gru = without_transformer("additive")
    inside = look_inside(gru, SENTENCE)
    assert inside.output == gru.translate(SENTENCE) and len(inside.target) == len(inside.writes) == 20
    assert list(inside.maps) == ["cross"]
    (weights,) = inside.maps["cross"]
    assert weights.shape == (1, 20, 5)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    AttentionExplorer({"": as_seen(inside)})
    assert "a Seq2Seq has no heads to switch off" in refused(look_inside, gru, SENTENCE, [("cross", 0, 0)])
    with pytest.raises(ValueError, match="there is nothing to look into"):
        look_inside(without_transformer("none"), SENTENCE)


def as_seen(inside: Translation) -> Pass:
    return Pass(inside.maps, Text(inside.source, "en"), Text(inside.target, "fa", writes=inside.writes), inside.output)
