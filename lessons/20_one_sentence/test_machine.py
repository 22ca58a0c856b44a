"""Every box of the walk is opened: its numbers are the model's, and each entry's sum gives the number in the box."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

from lessons.machine import Machine
from utils.course.lessons import all_lessons
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


def test_walk_begins_with_the_ids_and_ends_with_the_models_logits(machine, translator):
    """The sums show that each box in between follows from others."""
    for walked in passes(machine):
        source = translator.source_ids(walked.text)
        target = translator.target_vocabulary.ids(["<start>", *walked.writes[: walked.step - 1]])
        with torch.no_grad():
            logits = translator.model.eval()(torch.tensor([source]), torch.tensor([target]))[0].numpy()
        assert walked["tokens"].values[:, 0].tolist() == source and walked["so_far"].values[:, 0].tolist() == target
        assert np.allclose(walked["logits"].values, logits, rtol=1e-5, atol=1e-5)
        assert walked["word"].values.tolist() == [[logits[-1].argmax()]]


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


def test_each_box_linked_from_a_lesson_opens_without_python(machine):
    places = {lesson.number: lesson.place.box for lesson in all_lessons() if lesson.place}
    walk = WalkExplorer(machine, SENTENCES, places, step=4, alt="the machine as boxes")
    assert set(places.values()) <= set(walk.saved) and len(set(places.values())) > 15
    assert {box["path"] for box in walk.saved[""]["inside"]} <= set(walk.saved), "the stations of the start page"
