"""What is shown of a translation is of the very pass that wrote it, masks included; a head off is off."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from utils.data.vocabulary import END, Vocabulary
from utils.models.attention import MultiHeadAttention
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
ALL_HEADS = [(place, layer, head) for place in ("encoder", "decoder", "cross") for layer in (0, 1) for head in (0, 1)]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Models as small as these are faster so."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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


def weights_by_definition(attention: MultiHeadAttention, asking: Any, asked: Any, causal: bool) -> np.ndarray:
    """softmax(QKᵀ/√d_k) of every head, in NumPy, from the tensors that went into the layer."""
    W = attention.project_in.weight.detach().double().numpy()
    b = attention.project_in.bias.detach().double().numpy()
    d_model = W.shape[1]
    x, y = (tensor.double().numpy().reshape(-1, d_model) for tensor in (asking, asked))  # one sentence, no padding
    Q = x @ W[:d_model].T + b[:d_model]
    K = y @ W[d_model : 2 * d_model].T + b[d_model : 2 * d_model]
    maps = []
    for head in range(attention.n_heads):
        part = slice(head * attention.d_k, (head + 1) * attention.d_k)
        scores = Q[:, part] @ K[:, part].T / math.sqrt(attention.d_k)
        if causal:
            scores = np.where(np.tril(np.ones_like(scores, dtype=bool)), scores, -np.inf)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        maps.append(e / e.sum(axis=1, keepdims=True))
    return np.array(maps)


def test_the_maps_are_those_of_the_pass_that_chose_the_words(translator: Translator) -> None:
    """Every layer's input is caught in that pass, and its weights are computed again by the definition."""
    caught: dict[MultiHeadAttention, tuple[Any, Any]] = {}

    def catch(module: MultiHeadAttention, args: tuple, kwargs: dict, result: Any) -> None:
        x = args[0]
        context = args[1] if len(args) > 1 else None
        caught[module] = (x.clone(), (x if context is None else context).clone())

    attentions = [m for m in translator.model.modules() if isinstance(m, MultiHeadAttention)]
    hooks = [module.register_forward_hook(catch, with_kwargs=True) for module in attentions]
    logits: list[torch.Tensor] = []
    hooks.append(translator.model.output.register_forward_hook(lambda _, __, out: logits.append(out.clone())))
    inside = look_inside(translator, SENTENCE)
    for hook in hooks:
        hook.remove()

    encoder, decoder = translator.model.encoder.layers, translator.model.decoder.layers
    for place, modules in (
        ("encoder", [layer.self_attention for layer in encoder]),
        ("decoder", [layer.self_attention for layer in decoder]),
        ("cross", [layer.cross_attention for layer in decoder]),
    ):
        assert len(inside.maps[place]) == len(modules) == 2
        for shown, module in zip(inside.maps[place], modules, strict=True):
            x, context = caught[module]
            expected = weights_by_definition(module, x, context, causal=place == "decoder")
            np.testing.assert_allclose(shown, expected, atol=1e-5)
    last = logits[-1].reshape(-1, len(translator.target_vocabulary))
    chosen = last[:, END:].argmax(dim=-1) + END  # padding and start are never written
    assert translator.target_vocabulary.tokens(chosen.tolist()) == inside.writes
    assert inside.writes[: len(inside.target) - 1] == inside.target[1:]


def test_the_decoder_s_maps_have_nothing_above_the_diagonal(translator: Translator) -> None:
    inside = look_inside(translator, SENTENCE)
    assert len(inside.target) > 2
    for layer in inside.maps["decoder"]:
        assert not np.triu(layer, 1).any() and (layer[:, -1] > 0).all()


def test_it_writes_what_the_translator_writes(translator: Translator) -> None:
    inside = look_inside(translator, SENTENCE)
    assert inside.source == ["the", "weather", "is", "great", "."]
    assert inside.output == translator.translate(SENTENCE)
    assert inside.map("cross", 1, 0).shape == (len(inside.target), 5)


def test_an_end_token_ends_it_and_is_not_in_the_output() -> None:
    ended = [inside for seed in range(40) if (inside := look_inside(untrained(seed), SENTENCE)).writes[-1] == "<end>"]
    assert ended
    for inside in ended:
        assert "<end>" not in inside.output and len(inside.writes) == len(inside.target)


@pytest.mark.parametrize("head", ALL_HEADS, ids=lambda head: f"{head[0]}-{head[1]}-{head[2]}")
def test_a_head_off_in_the_explorer_is_the_head_taken_out_of_the_model(head: tuple[str, int, int]) -> None:
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


def test_some_head_makes_a_difference() -> None:
    """Or the test above would show nothing."""
    translator = untrained(3)
    outputs = {look_inside(translator, SENTENCE, [head]).output for head in ALL_HEADS}
    assert len(outputs) > 1


def test_padding_is_not_asked_and_changes_no_map(translator: Translator) -> None:
    """In a batch with a longer sentence: the columns of the padding hold 0, and the others what they held."""
    inside = look_inside(translator, SENTENCE)
    ids = translator.source_vocabulary.ids(inside.source)
    target = torch.tensor([translator.target_vocabulary.ids(inside.target)] * 2)
    with torch.inference_mode(), watching(translator.model) as maps:
        translator.model(torch.tensor([[*ids, 0, 0], [*ids, 4, 4]]), target)
    for layer in (0, 1):
        assert not maps.encoder[layer][0, :, :, 5:].any() and not maps.cross[layer][0, :, :, 5:].any()
        np.testing.assert_allclose(maps.cross[layer][0, :, :, :5], inside.maps["cross"][layer], atol=1e-5)
        np.testing.assert_allclose(maps.encoder[layer][0, :, :5, :5], inside.maps["encoder"][layer], atol=1e-5)


def test_a_model_in_training_is_looked_into_without_dropout_and_stays_in_training(translator: Translator) -> None:
    expected = look_inside(translator, SENTENCE)
    translator.model.train()
    inside = look_inside(translator, SENTENCE)
    assert translator.model.training
    np.testing.assert_array_equal(inside.maps["encoder"][0], expected.maps["encoder"][0])


@pytest.mark.parametrize(
    ("text", "off", "sentence"),
    [
        ("The weather is great. The food is good.", [], "one sentence at a time: these are 2."),
        ("", [], "there is nothing to translate"),
        ("The dragon is great.", [], "dragon"),
        (SENTENCE, [("cross", 2, 0)], "there is no layer 2 in cross: the layers are 0 to 1."),
        (SENTENCE, [("cross", 0, 2)], "there is no head 2 to switch off: the heads are 0 to 1."),
        (SENTENCE, [("self", 0, 0)], "'self' was asked for."),
    ],
)
def test_what_cannot_be_looked_into_is_refused(text: str, off: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refusal:
        look_inside(untrained(), text, off)
    assert sentence in str(refusal.value)


def without_transformer(attention: str) -> Translator:
    torch.manual_seed(0)
    source, target = Vocabulary(ENGLISH), Vocabulary(PERSIAN)
    sizes = {"d_model": 8, "d_hidden": 8, "source_vocabulary": len(source), "target_vocabulary": len(target)}
    return Translator(Seq2Seq(Seq2SeqConfig(attention=attention, **sizes)).eval(), source, target, longest=20)


def test_a_gru_with_attention_is_looked_into_too() -> None:
    gru = without_transformer("additive")
    inside = look_inside(gru, SENTENCE)
    assert inside.output == gru.translate(SENTENCE) and len(inside.target) == len(inside.writes) == 20
    assert list(inside.maps) == ["cross"]
    (weights,) = inside.maps["cross"]
    assert weights.shape == (1, 20, 5)
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    AttentionExplorer(as_seen(inside))
    with pytest.raises(ValueError, match=r"^a Seq2Seq has no heads to switch off\.$"):
        look_inside(gru, SENTENCE, [("cross", 0, 0)])
    with pytest.raises(ValueError, match=r"^there is nothing to look into: this Seq2Seq has no attention\.$"):
        look_inside(without_transformer("none"), SENTENCE)


def test_padding_and_start_are_never_written_however_probable(translator: Translator) -> None:
    hook = translator.model.output.register_forward_hook(lambda _, __, out: out + 1e4 * (torch.arange(10) < END))
    inside = look_inside(translator, SENTENCE)
    assert not {"<pad>", "<start>"} & set(inside.writes)
    assert inside.output == translator.translate(SENTENCE)
    hook.remove()


def as_seen(inside: Translation) -> Pass:
    return Pass(inside.maps, Text(inside.source, "en"), Text(inside.target, "fa", writes=inside.writes), inside.output)
