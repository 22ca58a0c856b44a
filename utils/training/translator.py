"""A model with its vocabularies, of words or of pieces: text in, text out, and one file that holds all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from utils.data.corpora import Pair
from utils.data.pieces import Pieces
from utils.data.spelling import Spelling
from utils.data.typed import read_pieces, read_words
from utils.data.vocabulary import Vocabulary
from utils.models.files import load_tensors, pack_model, save_tensors, unpack_model
from utils.require import is_whole
from utils.training.batches import padded
from utils.training.decoding import Translating, greedy

_BATCH = 256  # sentences translated side by side


class Translator:
    """A translator of typed text with `model`, which reads and writes the ids of two vocabularies.

    The vocabularies hold words, or both are the same `Pieces`, of which every word can be made.
    longest: the number of tokens of the longest sentence that it has learnt from; None: what the model can read.
    Raises ValueError when a vocabulary is not as large as the model expects.
    """

    def __init__(
        self, model: nn.Module, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary, longest: int | None = None
    ) -> None:
        if Pieces in (type(source_vocabulary), type(target_vocabulary)) and source_vocabulary is not target_vocabulary:
            raise ValueError("a translator of pieces has one vocabulary for both languages: two were given.")
        for side, words in (("source", source_vocabulary), ("target", target_vocabulary)):
            expected = getattr(model.config, f"{side}_vocabulary")
            if len(words) != expected:
                raise ValueError(f"the model has {expected} {side} words, but its vocabulary has {len(words)}.")
        self.model = model
        self.source_vocabulary = source_vocabulary
        self.target_vocabulary = target_vocabulary
        self.longest = longest or getattr(model.config, "max_length", 512)

    # --- translating ---

    def translate(self, text: str) -> str:
        """Return the translation of `text`, sentence by sentence, always the most probable next word.

        Capitals don't matter, a full stop or question mark may be missing, punctuation that it doesn't know is left
        out. A translator of pieces reads the text as it stands. Raises ValueError with one sentence for the person who
        typed: nothing to translate, a sentence that is too long, words that it has not learnt (with the closest ones
        that it has), or another script.
        """
        return " ".join(self._written(self.sentences(text)))

    def translate_all(self, texts: Sequence[str]) -> list[str]:
        """Return the translation of each text, a sentence that is complete; words that are not known stay `<unknown>`.

        For held-out tests: it complains of nothing, reads a sentence as far as the model can, and computes many at
        once. An empty text stays empty.
        """
        most = getattr(self.model.config, "max_length", None)
        return self._written([self.source_vocabulary.split(text)[:most] for text in texts])

    def sentences(self, text: str) -> list[list[str]]:
        """Return the tokens of each sentence of `text`, all of them known. Raises as `translate` does."""
        of_pieces = isinstance(self.source_vocabulary, Pieces)
        if of_pieces:
            sentences = read_pieces(text, self.source_vocabulary)
        else:
            sentences = read_words(text, self.source_vocabulary, self.target_vocabulary)
        for sentence in sentences:
            if len(sentence) > self.longest:
                raise ValueError(
                    f"a sentence of {len(sentence)} {'pieces' if of_pieces else 'words and marks'} is too long: this "
                    f"translator has learnt from sentences of up to {self.longest}."
                )
        return sentences

    def one_sentence(self, text: str) -> list[str]:
        """Return the tokens of the one sentence `text`. Raises as `translate` does, and ValueError for several."""
        sentences = self.sentences(text)
        if len(sentences) > 1:
            raise ValueError(f"one sentence at a time: these are {len(sentences)}.")
        return sentences[0]

    def source_ids(self, text: str) -> list[int]:
        """Return the ids of the sentence `text`, as the model reads them. Raises as `one_sentence` does."""
        return self.source_vocabulary.ids(self.one_sentence(text))

    def longest_output(self, source: Tensor) -> int:
        """Return how many tokens a translation of source (B, N) may have at most."""
        return min(2 * source.shape[1] + 10, getattr(self.model.config, "max_length", self.longest))

    def _written(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        return [self.target_vocabulary.join(tokens) if tokens else "" for tokens in self.translate_tokens(sentences)]

    def translate_tokens(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the tokens of the translation of each sentence, given as tokens, in batches of like lengths."""
        order = sorted((i for i, sentence in enumerate(sentences) if sentence), key=lambda i: len(sentences[i]))
        texts: list[list[str]] = [[] for _ in sentences]
        device = next(self.model.parameters()).device
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            source = padded([self.source_vocabulary.ids(sentences[i]) for i in rows]).to(device)
            predictor = Translating(self.model, source, cached=hasattr(self.model, "new_cache"))
            written = greedy(predictor, predictor.start, self.longest_output(source))
            for i, ids in zip(rows, written.tokens, strict=True):
                texts[i] = self.target_vocabulary.tokens(ids)
        return texts

    # --- files ---

    def save(self, path: str | Path, dtype: torch.dtype | None = None) -> None:
        """Write model and vocabularies to one safetensors file, in one step. dtype: of the weights in the file.

        Raises as `utils.models.files.save_tensors` does.
        """
        # The whole model is cast, not tensor by tensor: weights that are tied stay one tensor in the file.
        model = self.model if dtype is None else deepcopy(self.model).to(dtype)
        tensors, metadata = pack_model(model)
        if isinstance(self.source_vocabulary, Pieces):
            metadata["pieces"] = self.source_vocabulary.to_json()
        else:
            metadata["source_words"] = json.dumps(self.source_vocabulary.to_list(), ensure_ascii=False)
            metadata["target_words"] = json.dumps(self.target_vocabulary.to_list(), ensure_ascii=False)
            if self.target_vocabulary.spelling is not None:
                metadata["target_spelling"] = self.target_vocabulary.spelling.to_json()
        metadata["longest"] = str(self.longest)
        save_tensors(path, tensors, metadata)

    @classmethod
    def load(cls, path: str | Path) -> Translator:
        """Return the translator that `save` wrote, with weights in float32.

        Raises FileNotFoundError when there is no file, ValueError when it is damaged or holds no translator.
        """
        if not Path(path).exists():
            raise FileNotFoundError(
                f"There is no {path} here: train and save one in lesson 12, or use the course's own."
            )
        tensors, metadata = load_tensors(path)
        try:
            model = unpack_model(tensors, metadata, dtype=torch.float32)
            return cls(model, *_saved_vocabularies(metadata), longest=_saved_longest(metadata))
        except ValueError as error:
            raise ValueError(f"{path} is no translator: {error}") from None


def examples(
    pairs: Sequence[Pair], source_vocabulary: Vocabulary, target_vocabulary: Vocabulary
) -> list[tuple[list[int], list[int]]]:
    """Return each pair as two lists of ids, as `batches.bucketed_batches` takes them."""
    source, target = source_vocabulary, target_vocabulary
    return [(source.ids(source.split(pair.source)), target.ids(target.split(pair.target))) for pair in pairs]


def _saved_vocabularies(metadata: Mapping[str, str]) -> tuple[Vocabulary, Vocabulary]:
    if "pieces" in metadata:
        pieces = Pieces.from_json(metadata["pieces"])
        return pieces, pieces
    source, target = _saved_words(metadata, "source"), _saved_words(metadata, "target")
    if "target_spelling" in metadata:
        target.spelling = Spelling.from_json(metadata["target_spelling"])
    return source, target


def _saved_words(metadata: Mapping[str, str], side: str) -> Vocabulary:
    if f"{side}_words" not in metadata:
        raise ValueError("it holds a model, but no vocabularies to translate with.")
    words = _parsed(metadata[f"{side}_words"])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"its {side} vocabulary is no list of words.")
    return Vocabulary.from_list(words)


def _saved_longest(metadata: Mapping[str, str]) -> int:
    longest = _parsed(metadata.get("longest", ""))
    if not is_whole(longest) or longest < 1:
        raise ValueError("it does not say how long the sentences were that it has learnt from.")
    return longest


def _parsed(text: str) -> Any:
    """Return the value that `text` holds as JSON, or None if it isn't JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None
