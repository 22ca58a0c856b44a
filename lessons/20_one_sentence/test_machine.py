"""Every box of the walk is opened: its numbers are the model's, and each entry's sum gives the number in the box."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from lessons.machine import Machine
from utils.course.lessons import all_lessons
from utils.models.watching import watching
from utils.show.walk import WalkExplorer

SENTENCES = ("They drink cold water.", "Is the weather in this city good today?")
ENTRIES = 12  # of each box, beside its corners


@pytest.fixture(scope="module")
def machine(translator):
    return Machine(translator)


def passes(machine):
    """The first, a middle and the last word of each sentence."""
    for text in SENTENCES:
        last = len(machine(text, 1).writes)
        yield from (machine(text, step) for step in (1, 4, last))


def places_of(box, rng):
    rows, columns = box.values.shape
    corners = [(0, 0), (0, columns - 1), (rows - 1, 0), (rows - 1, columns - 1)]
    return corners + [(int(rng.integers(rows)), int(rng.integers(columns))) for _ in range(ENTRIES)]


def test_sum_of_each_entry_gives_the_number_in_its_box(machine):
    rng = np.random.default_rng(0)
    for walked in passes(machine):
        for box in walked.root.all_boxes():
            assert box.values.shape == (len(box.rows), len(box.columns)), box.path
            for i, j in places_of(box, rng):
                work, value = box.entry(i, j), box.values[i, j]
                size = np.abs(work.numbers[:, -1]).sum() if box.products else abs(value)
                if np.isfinite(value):
                    assert abs(work.value - value) <= 1e-5 * max(size, 1.0), (box.path, i, j)
                else:
                    assert work.value == value == -np.inf, (box.path, i, j)
                if box.products:
                    left, right, product = work.numbers.T
                    assert len(left) == box.products and np.array_equal(left * right, product)
                    assert np.isclose(work.lines[0][1], product.sum(), rtol=1e-12)
                assert work.numbers.shape == (len(work.names), len(work.columns))


def test_column_of_a_weight_matches_the_numbers_shown(machine, translator):
    walked, get = machine(SENTENCES[0], 4), translator.model.get_parameter
    attention, d_model, d_k = "encoder.layers.0.self_attention.project_in.weight", 128, 32
    for part, letter in enumerate("QKV"):
        W = get(attention).detach().numpy()[part * d_model : (part + 1) * d_model].T  # (d_model, d_model)
        for head in range(4):
            work = walked[f"encoder.layer1.attention.head{head + 1}.{letter}"].entry(1, 2)
            column = int(re.search(rf"column (\d+) of W_{letter}", work.says)[1])
            assert np.array_equal(work.numbers[:, 1], W[:, column - 1].astype(float)), work.says
            assert column == head * d_k + 3 and ("(column 3 of this head)" in work.says) == (head > 0)
    work = walked["logits"].entry(3, 218)
    assert work.says == "Row “سرد” of y, times the column of W for “می‌نوشند” (id 218)."
    assert np.array_equal(work.numbers[:, 1], get("output.weight")[218].detach().numpy().astype(float))


def hooked(model, source, target):
    """What each module gives in a pass of its own, by other means than the walk's: name -> output."""
    outputs, hooks = {}, []
    for name, module in model.named_modules():
        hooks.append(
            module.register_forward_hook(
                lambda _, __, output, name=name: outputs.__setitem__(
                    name, output[0].numpy() if isinstance(output, torch.Tensor) and output.dim() == 3 else output
                )
            )
        )
    with torch.no_grad(), watching(model) as maps:
        logits = model(torch.tensor([source]), torch.tensor([target]))[0].numpy()
    for hook in hooks:
        hook.remove()
    return outputs, maps, logits


def test_every_box_holds_what_the_model_computes(machine, translator):
    model, heads = translator.model.eval(), translator.model.config.n_heads
    for walked in passes(machine):
        source = translator.source_ids(walked.text)
        words = ["<start>", *walked.writes[: walked.step - 1]]
        target = translator.target_vocabulary.ids(words)
        outputs, maps, logits = hooked(model, source, target)
        expected = {
            "tokens": np.array(source)[:, None],
            "so_far": np.array(target)[:, None],
            "logits": logits,
            "probabilities": torch.tensor(logits).softmax(-1).numpy(),
            "word": np.array([[logits[-1].argmax()]]),
            "encoder.final_norm": outputs["encoder.final_norm"],
            "decoder.final_norm": outputs["decoder.final_norm"],
        }
        for side, name in (("input", "source"), ("target_input", "target")):
            embedded = outputs[f"{name}_embedding"]
            expected[f"{side}.embedding"] = embedded
            expected[f"{side}.positions"] = model.positions(len(embedded)).numpy()
            expected[f"{side}.sum"] = embedded + model.positions(len(embedded)).numpy()
        kinds = {
            "encoder": (("attention", "encoder", "self_attention", "add_norm_attention"),),
            "decoder": (
                ("attention", "decoder", "self_attention", "add_norm_self"),
                ("cross", "cross", "cross_attention", "add_norm_cross"),
            ),
        }
        for stack, attentions in kinds.items():
            for layer in range(2):
                at, module = f"{stack}.layer{layer + 1}", f"{stack}.layers.{layer}"
                for box, place, attention, add in attentions:
                    expected[f"{at}.{box}.norm"] = outputs[f"{module}.{add}.norm"]
                    expected[f"{at}.{box}.projected"] = outputs[f"{module}.{attention}.project_out"]
                    expected[f"{at}.{box}_add"] = outputs[f"{module}.{add}"]
                    expected[f"{at}.{box}.joined"] = np.concatenate(list(maps[place, layer, "heads"][0].numpy()), 1)
                    for h in range(heads):
                        head, A = f"{at}.{box}.head{h + 1}", maps[place, layer, "weights"][0, h].numpy()
                        expected[f"{head}.weights"] = A
                        expected[f"{head}.output"] = maps[place, layer, "heads"][0, h].numpy()
                        Q, K, V = (walked[f"{head}.{letter}"].values for letter in "QKV")
                        asks = outputs[f"{module}.{add}.norm"]
                        asked = outputs["encoder.final_norm"] if place == "cross" else asks
                        W, b = (model.get_parameter(f"{module}.{attention}.project_in.{n}") for n in ("weight", "bias"))
                        projected = [x @ w.T + c for x, w, c in zip(
                            (asks, asked, asked), W.detach().numpy().reshape(3, -1, W.shape[1]),
                            b.detach().numpy().reshape(3, -1), strict=True)]  # fmt: skip
                        for letter, whole in zip("QKV", projected, strict=True):
                            expected[f"{head}.{letter}"] = whole[:, h * 32 : (h + 1) * 32]
                        S = Q @ K.T / np.sqrt(32)
                        expected[f"{head}.scores"] = S
                        if place == "decoder":
                            expected[f"{head}.mask"] = np.where(np.tril(np.ones_like(S)) > 0, S, -np.inf)
                        assert np.allclose(A @ V, expected[f"{head}.output"], atol=1e-5)
                expected[f"{at}.feed_forward.norm"] = outputs[f"{module}.add_norm_feed_forward.norm"]
                expected[f"{at}.feed_forward.widened"] = outputs[f"{module}.feed_forward.widen"]
                expected[f"{at}.feed_forward.relu"] = outputs[f"{module}.feed_forward.activation"]
                expected[f"{at}.feed_forward.narrowed"] = outputs[f"{module}.feed_forward.narrow"]
                expected[f"{at}.feed_forward_add"] = outputs[f"{module}.add_norm_feed_forward"]
        leaves = [box for box in walked.root.all_boxes() if not box.inside]
        assert {box.path for box in leaves} - {"letters", "sentence"} == set(expected)
        for box in leaves:
            if box.path in expected:
                assert np.allclose(box.values, expected[box.path], rtol=1e-5, atol=1e-5), box.path


def test_outer_boxes_hold_the_letters_and_the_translation(machine, translator):
    for text in SENTENCES:
        walked = machine(text, 99)  # beyond the last: the last
        assert walked.step == len(walked.writes) and walked.writes[-1] == "<end>"
        assert walked["sentence"].text == translator.translate(text)
        letters = walked["letters"].values[0].astype(int)
        assert "".join(map(chr, letters)) == text and walked["word"].text == "<end>"


@pytest.mark.parametrize(
    ("text", "step", "sentence"),
    [
        ("They drink xyzzy.", 1, "has not learnt the word “xyzzy”"),
        ("They drink water.", 0, "step must be 1 or more, but is 0"),
    ],
)
def test_machine_refuses_unsuitable_sentences(machine, text, step, sentence):
    with pytest.raises(ValueError, match=sentence):
        machine(text, step)


def test_each_lessons_place_is_a_box(machine):
    walked = machine(SENTENCES[0], 1)
    for place in filter(None, (lesson.place for lesson in all_lessons())):
        assert walked[place.box].path == place.box


def test_each_box_linked_from_a_lesson_opens_without_python(machine):
    places = {lesson.number: lesson.place.box for lesson in all_lessons() if lesson.place}
    walk = WalkExplorer(machine, SENTENCES, places, step=4, alt="the machine as boxes")
    assert set(places.values()) <= set(walk.saved) and len(set(places.values())) > 15
    assert {box["path"] for box in walk.saved[""]["inside"]} <= set(walk.saved), "the stations of the start page"
