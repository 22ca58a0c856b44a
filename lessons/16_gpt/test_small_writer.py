"""The model that lesson 16 brings along: its file, and that it could be trained again."""

from __future__ import annotations

import torch

from lessons.course_text import course_text
from lessons.language import learn_pieces
from lessons.small_writer import VOCABULARY, Writer


def test_shipped_writer_has_pieces_of_the_frozen_text():
    writer = Writer.load()
    assert writer.pieces.get_vocab() == learn_pieces(course_text()[0], VOCABULARY).get_vocab()
    assert writer.model.config.vocabulary == VOCABULARY and not writer.model.training


def test_writer_is_restored_from_its_file(tmp_path):
    writer = Writer.load()
    writer.save(tmp_path / "w.safetensors")
    again = Writer.load(tmp_path / "w.safetensors")
    ids = torch.tensor([writer.pieces.encode("The decoder").ids])
    assert torch.equal(writer.model(ids), again.model(ids)) and again.pieces.to_str() == writer.pieces.to_str()


def test_text_of_pieces_is_restored_and_invalid_bytes_are_escaped():
    writer = Writer.load()
    ids = writer.pieces.encode("The decoder — “آب”.\n").ids
    assert writer.text(ids) == writer.pieces.decode(ids) == "The decoder — “آب”.\n"
    dash = next(i for i in range(len(ids)) if "\N{REPLACEMENT CHARACTER}" in writer.pieces.decode(ids[:i]))
    assert "\\x" in writer.text(ids[:dash])
    assert not any("\N{REPLACEMENT CHARACTER}" in piece for piece in writer.shown())
