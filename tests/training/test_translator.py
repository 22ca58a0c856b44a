"""What a person may type, and what is saved."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.refused import refused
from utils.data.corpora import Pair
from utils.data.pieces import Pieces
from utils.data.spelling import Spelling
from utils.data.vocabulary import Vocabulary, tokenize
from utils.models.config import TransformerConfig
from utils.models.files import load_tensors, save_tensors
from utils.models.transformer import Transformer
from utils.training.batches import bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.translator import Translator, examples

PAIRS = [
    Pair("The weather is great.", "هوا عالی است."),
    Pair("Is the weather cold?", "آیا هوا سرد است؟"),
    Pair("The weather is not cold.", "هوا سرد نیست."),
    Pair("It is cold.", "سرد است."),
    Pair("I am cold.", "من سرد هستم."),
    Pair("The apple is great.", "سیب عالی است."),
    Pair("Do not go!", "نرو!"),
    Pair("I do not eat the apple.", "من سیب را نمی‌خورم."),
]
WORDS = tokenize(" ".join(pair.source for pair in PAIRS))


def untrained(**changes: object) -> Translator:
    words = [Vocabulary.from_texts(tokenize(getattr(pair, side)) for pair in PAIRS) for side in ("source", "target")]
    sizes = {"d_model": 32, "n_heads": 2, "d_ff": 64, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 64}
    config = TransformerConfig(
        source_vocabulary=len(words[0]),
        target_vocabulary=len(words[1]),
        **{**sizes, "dropout": 0.0, "norm_first": True, **changes},
    )
    torch.manual_seed(0)
    return Translator(Transformer(config).eval(), *words, longest=7)


@pytest.fixture(scope="module")
def translator() -> Translator:
    """One that knows its eight sentences by heart."""
    made = untrained()
    batches = bucketed_batches(examples(PAIRS, made.source_vocabulary, made.target_vocabulary), 8)
    Trainer(made.model, batches, TrainingConfig(steps=120, warmup=10, learning_rate=1e-2), show=False).train()
    return made


# --- what a person types ---


def test_sentences_are_translated_one_by_one(translator: Translator) -> None:
    assert translator.translate("it is cold. THE APPLE IS GREAT") == "سرد است. سیب عالی است."
    many = translator.translate("It is cold. " * 100)  # 300 words in short sentences
    assert many == " ".join(["سرد است."] * 100)


def test_too_long_sentence_is_refused(translator: Translator) -> None:
    for reader, typed, what in ((translator, "the " * 7, "8 words"), (of_pieces(), "zzzzzzzzzz", "11 pieces")):
        assert what in refused(reader.translate, typed)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_translate_gives_a_text_or_one_sentence(translator: Translator, typed: str) -> None:
    try:
        assert isinstance(translator.translate(typed), str)
    except ValueError as error:
        assert str(error).endswith(".")
        assert "\n" not in str(error).replace(typed, "")


# --- many at once ---


def test_batch_of_sentences_agrees_with_single_ones(translator: Translator) -> None:
    sources = [pair.source for pair in PAIRS]
    assert translator.translate_all(sources) == [pair.target for pair in PAIRS]
    assert translator.translate_all(sources[::-1]) == [pair.target for pair in PAIRS[::-1]]
    assert translator.translate_all(["", "It is cold."]) == ["", "سرد است."]


# --- files ---


def test_translator_is_restored_from_its_file(translator: Translator, tmp_path: Path) -> None:
    path = tmp_path / "translator.safetensors"
    translator.save(path, torch.float16)
    assert "هوا".encode() in path.read_bytes(), "words can be read in the file, and take little room"
    loaded = Translator.load(path)
    assert loaded.source_vocabulary == translator.source_vocabulary
    assert loaded.target_vocabulary == translator.target_vocabulary
    assert loaded.longest == 7
    assert loaded.model.config == translator.model.config
    assert not loaded.model.training
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.float32}
    assert [loaded.translate(pair.source) for pair in PAIRS] == [pair.target for pair in PAIRS]


def test_spelling_is_saved_with_the_translator(tmp_path: Path) -> None:
    made = untrained()
    assert made.target_vocabulary.spelling is None
    made.save(tmp_path / "without.safetensors")
    assert Translator.load(tmp_path / "without.safetensors").target_vocabulary.spelling is None
    made.target_vocabulary.spelling = Spelling({"i": "I"}, {"^": True}, {"« ": False})
    made.save(tmp_path / "with.safetensors")
    assert Translator.load(tmp_path / "with.safetensors").target_vocabulary.spelling == made.target_vocabulary.spelling
    tensors, metadata = load_tensors(tmp_path / "with.safetensors")
    save_tensors(tmp_path / "with.safetensors", tensors, {**metadata, "target_spelling": "{}"})
    with pytest.raises(ValueError, match="spelling"):
        Translator.load(tmp_path / "with.safetensors")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"target_words": None}, "no vocabularies"),
        ({"target_words": '["<pad>", ["a"]]'}, "target vocabulary"),
    ],
)
def test_translator_with_damaged_texts_is_refused(translator, tmp_path, changes, sentence) -> None:
    path = tmp_path / "translator.safetensors"
    translator.save(path)
    tensors, texts = load_tensors(path)
    save_tensors(path, tensors, {name: text for name, text in (texts | changes).items() if text is not None})
    assert sentence in refused(Translator.load, path)


# --- pieces ---


def of_pieces() -> Translator:
    """One that has learnt nothing, with pieces of its eight sentences."""
    pieces = Pieces.from_texts([text for pair in PAIRS for text in (pair.source, pair.target)], 330)
    sizes = {"d_model": 32, "n_heads": 2, "d_ff": 64, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 64}
    config = TransformerConfig(source_vocabulary=len(pieces), target_vocabulary=len(pieces), tied="all", **sizes)
    torch.manual_seed(0)
    return Translator(Transformer(config).eval(), pieces, pieces, longest=9)


def test_pieces_are_saved_with_the_model_and_restored(tmp_path: Path) -> None:
    made, path = of_pieces(), tmp_path / "translator.safetensors"
    made.save(path)
    loaded = Translator.load(path)
    assert isinstance(loaded.source_vocabulary, Pieces) and loaded.source_vocabulary is loaded.target_vocabulary
    assert loaded.source_vocabulary.to_json() == made.source_vocabulary.to_json()
    texts = [pair.source for pair in PAIRS]
    assert loaded.translate_all(texts) == made.translate_all(texts)
    assert loaded.longest == 9
