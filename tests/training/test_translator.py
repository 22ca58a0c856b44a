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
from utils.data.vocabulary import Vocabulary, detokenize, tokenize
from utils.models.config import TransformerConfig
from utils.models.files import load_tensors, save_tensors
from utils.models.seq2seq import Seq2Seq, Seq2SeqConfig
from utils.models.transformer import Transformer
from utils.training.batches import bucketed_batches
from utils.training.decoding import Decoded, Translating, greedy
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


def test_a_sentence_that_is_too_long(translator: Translator) -> None:
    for reader, typed, what in (
        (translator, "the " * 7, "8 words and marks is too long: this translator has learnt from sentences of up to 7"),
        (of_pieces(), "zzzzzzzzzz", "11 pieces is too long: this translator has learnt from sentences of up to 9"),
    ):
        with pytest.raises(ValueError, match=rf"^a sentence of {what}\.$"):
            reader.translate(typed)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=30), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_whatever_is_typed_gets_a_text_or_one_sentence(translator: Translator, typed: str) -> None:
    try:
        assert isinstance(translator.translate(typed), str)
    except ValueError as error:
        assert str(error).endswith(".")
        assert "\n" not in str(error).replace(typed, "")


# --- many at once ---


def test_many_at_once_are_as_one_by_one(translator: Translator) -> None:
    sources = [pair.source for pair in PAIRS]
    assert translator.translate_all(sources) == [pair.target for pair in PAIRS]
    assert translator.translate_all(sources[::-1]) == [pair.target for pair in PAIRS[::-1]]
    assert translator.translate_all(["", "It is cold."]) == ["", "سرد است."]


def test_there_is_room_for_twice_the_words_and_ten(translator: Translator, monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = []
    monkeypatch.setattr(
        "utils.training.translator.greedy",
        lambda predictor, start, room: rooms.append(room) or greedy(predictor, start, room),
    )
    translator.translate_all(["The weather is great."])
    translator.translate_all(["the " * 30])
    assert rooms == [2 * 5 + 10, 64], "and no further than the model can read"


def test_sentences_of_like_lengths_are_translated_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a long one makes few others wait, and the order in which they came is kept."""
    made, sizes = untrained(), []

    def one_word(predictor: Translating, start: torch.Tensor, room: int) -> Decoded:
        sizes.append((len(start), room))
        return greedy(predictor, start, 1)

    monkeypatch.setattr("utils.training.translator.greedy", one_word)
    written = made.translate_all(["the " * 20, *["cold"] * 300, "", "the " * 19])
    assert sizes == [(256, 2 * 1 + 10), (46, 2 * 20 + 10)]
    assert [number for number, text in enumerate(written) if not text] == [301]


def test_a_model_without_a_limit_reads_512_tokens_unless_told_otherwise() -> None:
    words = [Vocabulary(["a"]), Vocabulary(["b"])]
    model = Seq2Seq(Seq2SeqConfig(source_vocabulary=5, target_vocabulary=5, d_model=2, d_hidden=2))
    assert Translator(model, *words).longest == 512 and Translator(model, *words, longest=7).longest == 7


def test_the_ids_are_those_of_one_sentence(translator: Translator) -> None:
    read = translator.sentences("the apple")
    assert translator.source_ids("the apple") == translator.source_vocabulary.ids(read[0])
    assert refused(translator.source_ids, "The apple. The apple.") == "one sentence at a time: these are 2."


def test_examples_are_ids(translator: Translator) -> None:
    (source, target), *_ = examples(PAIRS, translator.source_vocabulary, translator.target_vocabulary)
    assert detokenize(translator.source_vocabulary.tokens(source), capitalize=True) == PAIRS[0].source
    assert detokenize(translator.target_vocabulary.tokens(target)) == PAIRS[0].target


# --- files ---


@pytest.mark.parametrize("dtype", [None, torch.float16])
def test_saved_and_loaded(translator: Translator, tmp_path: Path, dtype: torch.dtype | None) -> None:
    path = tmp_path / "translator.safetensors"
    translator.save(path, dtype)
    assert "هوا".encode() in path.read_bytes(), "words can be read in the file, and take little room"
    loaded = Translator.load(path)
    assert loaded.source_vocabulary == translator.source_vocabulary
    assert loaded.target_vocabulary == translator.target_vocabulary
    assert loaded.longest == 7
    assert loaded.model.config == translator.model.config
    assert not loaded.model.training
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.float32}
    assert [loaded.translate(pair.source) for pair in PAIRS] == [pair.target for pair in PAIRS]
    numbers = sum(parameter.numel() for parameter in translator.model.parameters())
    room = 16_000  # for names, configuration and vocabularies
    assert path.stat().st_size < numbers * (4 if dtype is None else 2) + room


def test_how_its_language_is_written_is_saved_with_it(tmp_path: Path) -> None:
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


def test_where_there_is_no_file_it_is_said_where_one_comes_from() -> None:
    assert refused(Translator.load, "nowhere.st") == (
        "FileNotFoundError: There is no nowhere.st here: train and save one in lesson 12, or use the course's own."
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"target_words": None}, "it holds a model, but no vocabularies to translate with."),
        ({"source_words": "[1"}, "its source vocabulary is no list of words."),
        ({"source_words": "5"}, "its source vocabulary is no list of words."),
        ({"target_words": '["<pad>", ["a"]]'}, "its target vocabulary is no list of words."),
        *(
            ({"longest": longest}, "it does not say how long the sentences were that it has learnt from.")
            for longest in (None, "x", "0", "-3", "2.5", "true")
        ),
    ],
)
def test_a_translator_whose_texts_are_damaged(translator, tmp_path, changes, sentence) -> None:
    path = tmp_path / "translator.safetensors"
    translator.save(path)
    tensors, texts = load_tensors(path)
    save_tensors(path, tensors, {name: text for name, text in (texts | changes).items() if text is not None})
    assert refused(Translator.load, path) == f"{path} is no translator: {sentence}"


# --- pieces ---


def of_pieces() -> Translator:
    """One that has learnt nothing, with pieces of its eight sentences."""
    pieces = Pieces.from_texts([text for pair in PAIRS for text in (pair.source, pair.target)], 330)
    sizes = {"d_model": 32, "n_heads": 2, "d_ff": 64, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 64}
    config = TransformerConfig(source_vocabulary=len(pieces), target_vocabulary=len(pieces), tied="all", **sizes)
    torch.manual_seed(0)
    return Translator(Transformer(config).eval(), pieces, pieces, longest=9)


def test_a_held_out_sentence_is_read_as_far_as_the_model_can() -> None:
    made = of_pieces()
    assert made.translate_all(["z " * 500]) == made.translate_all(["z " * 32])


def test_pieces_are_saved_with_the_model_and_read_again(tmp_path: Path) -> None:
    made, path = of_pieces(), tmp_path / "translator.safetensors"
    made.save(path)
    loaded = Translator.load(path)
    assert isinstance(loaded.source_vocabulary, Pieces) and loaded.source_vocabulary is loaded.target_vocabulary
    assert loaded.source_vocabulary.to_json() == made.source_vocabulary.to_json()
    texts = [pair.source for pair in PAIRS]
    assert loaded.translate_all(texts) == made.translate_all(texts)
    assert loaded.longest == 9


DAMAGED_PIECES = {
    "pieces are saved as JSON with letters and merges, and nothing else.": "{",
    "the model has 330 source words, but its vocabulary has 262.": '{"letters": "ab", "merges": []}',
}


@pytest.mark.parametrize(("sentence", "pieces"), DAMAGED_PIECES.items())
def test_damaged_pieces_are_refused(tmp_path: Path, pieces: str, sentence: str) -> None:
    made, path = of_pieces(), tmp_path / "translator.safetensors"
    made.save(path)
    tensors, texts = load_tensors(path)
    save_tensors(path, tensors, texts | {"pieces": pieces})
    assert refused(Translator.load, path) == f"{path} is no translator: {sentence}"


def test_pieces_are_the_same_for_both_languages() -> None:
    made = of_pieces()
    other = Vocabulary(f"w{i}" for i in range(len(made.source_vocabulary) - 4))
    for both in ((made.source_vocabulary, other), (other, made.source_vocabulary)):
        assert refused(Translator, made.model, *both) == (
            "a translator of pieces has one vocabulary for both languages: two were given."
        )


def test_vocabularies_must_fit_the_model(translator: Translator) -> None:
    wrong = Vocabulary(["one"])
    expected = len(translator.source_vocabulary)
    assert refused(Translator, translator.model, wrong, translator.target_vocabulary) == (
        f"the model has {expected} source words, but its vocabulary has 5."
    )
