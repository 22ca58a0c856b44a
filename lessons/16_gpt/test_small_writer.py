"""The model that lesson 16 brings along: its file, and that it could be trained again."""

from __future__ import annotations

import pytest
import torch

from lessons.course_text import course_text
from lessons.language import learn_pieces
from lessons.small_writer import FILE, LENGTH, ROWS, VOCABULARY, Writer, trainer_of_small_writer


def test_shipped_writer_has_pieces_of_the_frozen_text():
    writer = Writer.load()
    assert writer.pieces.get_vocab() == learn_pieces(course_text()[0], VOCABULARY).get_vocab()
    assert writer.model.config.vocabulary == VOCABULARY and not writer.model.training


def test_damaged_file_is_refused(tmp_path):
    data = bytearray(FILE.read_bytes())
    data[-5] ^= 1
    (tmp_path / "w.safetensors").write_bytes(data)
    with pytest.raises(ValueError, match="is cut off or damaged"):
        Writer.load(tmp_path / "w.safetensors")


def test_writer_is_restored_from_its_file(tmp_path):
    writer = Writer.load()
    writer.save(tmp_path / "w.safetensors")
    again = Writer.load(tmp_path / "w.safetensors")
    ids = torch.tensor([writer.pieces.encode("The decoder").ids])
    assert torch.equal(writer.model(ids), again.model(ids)) and again.pieces.to_str() == writer.pieces.to_str()


def test_writer_can_be_trained_again():
    trainer, _ = trainer_of_small_writer()
    assert trainer.model.config == Writer.load().model.config
    assert trainer.batches(0).shape == (ROWS, LENGTH + 1)
    trainer.train(steps=2)
    assert trainer.step == 2


def test_text_of_pieces_is_restored_and_invalid_bytes_are_escaped():
    writer = Writer.load()
    ids = writer.pieces.encode("The decoder — “آب”.\n").ids
    assert writer.text(ids) == writer.pieces.decode(ids) == "The decoder — “آب”.\n"
    dash = next(i for i in range(len(ids)) if "\N{REPLACEMENT CHARACTER}" in writer.pieces.decode(ids[:i]))
    assert "\\x" in writer.text(ids[:dash])
    assert not any("\N{REPLACEMENT CHARACTER}" in piece for piece in writer.shown())
