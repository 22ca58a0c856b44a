"""A model with its vocabularies, of words or of pieces: text in, text out, and one file that holds all of it."""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from utils.data.corpora import Pair
from utils.data.pieces import Pieces
from utils.data.vocabulary import Vocabulary, tokenize
from utils.models.files import load_tensors, pack_model, read_json, save_tensors, unpack_model
from utils.require import is_whole
from utils.training.batches import padded
from utils.training.decoding import Translating, greedy

_ENDS = (".", "!", "?", "؟", "…", ";", "؛")
_SENTENCE_END = re.compile(r"(?<=[.!?؟…])\s+")
_BATCH = 256  # sentences translated side by side
_MOST_NAMED = 4  # unknown words in one complaint
_LONGEST_NAMED = 40  # letters of one of them
# What English writes together, and how the course's sentences say it. Longest first: can't is not ca not.
_CONTRACTIONS = {"can't": "can not", "won't": "will not", "n't": " not", "'m": " am", "'re": " are", "'ll": " will"}
_BEFORE_IS = ("it", "he", "she", "that", "where", "how")  # it's is "it is", but my mother's is no "mother is"
_ASKING = ("is", "are", "am", "was", "were", "do", "does", "did", "where", "how")  # what a question begins with


class Translator:
    """Translates what a person types with `model`, which reads and writes the ids of two vocabularies.

    The vocabularies hold words, or both are the same `Pieces`, of which every word can be made.
    longest: the number of tokens of the longest sentence that it has learnt from; None: what the model can read.
    Raises ValueError when a vocabulary is not as large as the model expects.
    """

    def __init__(
        self,
        model: nn.Module,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        longest: int | None = None,
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
        """The translation of `text`, sentence by sentence, always the most probable next word.

        Capitals don't matter, a full stop or question mark may be missing, punctuation that it doesn't know is left
        out. A translator of pieces reads the text as it stands. Raises ValueError with one sentence for the person who
        typed: nothing to translate, a sentence that is too long, words that it has not learnt (with the closest ones
        that it has), or another script.
        """
        return " ".join(self._written(self.sentences(text)))

    def translate_all(self, texts: Sequence[str]) -> list[str]:
        """The translation of each text, a sentence that is complete; words that are not known stay `<unknown>`.

        For held-out tests: it complains of nothing, reads a sentence as far as the model can, and computes many at
        once. An empty text stays empty.
        """
        most = getattr(self.model.config, "max_length", None)
        return self._written([self.source_vocabulary.split(text)[:most] for text in texts])

    def sentences(self, text: str) -> list[list[str]]:
        """The tokens of each sentence of `text`, all of them known. Raises as `translate` does."""
        of_pieces = isinstance(self.source_vocabulary, Pieces)
        sentences = self._as_it_stands(text) if of_pieces else self._of_known_words(text)
        for sentence in sentences:
            if len(sentence) > self.longest:
                raise ValueError(
                    f"a sentence of {len(sentence)} {'pieces' if of_pieces else 'words and marks'} is too long: this "
                    f"translator has learnt from sentences of up to {self.longest}."
                )
        return sentences

    def one_sentence(self, text: str) -> list[str]:
        """The tokens of the sentence `text`. Raises as `translate` does, and ValueError for more than one sentence."""
        sentences = self.sentences(text)
        if len(sentences) > 1:
            raise ValueError(f"one sentence at a time: these are {len(sentences)}.")
        return sentences[0]

    def source_ids(self, text: str) -> list[int]:
        """The ids of the sentence `text`, as the model reads them. Raises as `one_sentence` does."""
        return self.source_vocabulary.ids(self.one_sentence(text))

    def longest_output(self, source: Tensor) -> int:
        """How many tokens a translation of source (B, N) may have at most."""
        return min(2 * source.shape[1] + 10, getattr(self.model.config, "max_length", self.longest))

    def _written(self, sentences: Sequence[Sequence[str]]) -> list[str]:
        """The translation of each sentence, given as tokens, in batches of sentences of like lengths."""
        order = sorted((i for i, sentence in enumerate(sentences) if sentence), key=lambda i: len(sentences[i]))
        texts = [""] * len(sentences)
        device = next(self.model.parameters()).device
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            source = padded([self.source_vocabulary.ids(sentences[i]) for i in rows]).to(device)
            predictor = Translating(self.model, source, cached=hasattr(self.model, "new_cache"))
            written = greedy(predictor, predictor.start, self.longest_output(source))
            for i, ids in zip(rows, written.tokens, strict=True):
                texts[i] = self.target_vocabulary.join(self.target_vocabulary.tokens(ids))
        return texts

    def _as_it_stands(self, text: str) -> list[list[str]]:
        _require_word(tokenize(text))
        self._require_letters(tokenize(text))
        return [self.source_vocabulary.split(sentence) for sentence in _SENTENCE_END.split(text.strip())]

    def _of_known_words(self, text: str) -> list[list[str]]:
        tokens = [token for word in tokenize(text) for token in self._known_parts(word)]
        _require_word(tokens)
        self._require_known([token for token in tokens if _is_word(token)])
        return [self._completed(sentence) for sentence in _cut_into_sentences(tokens)]

    def _known_parts(self, token: str) -> Iterator[str]:
        """The token, or what a contraction stands for; nothing for a mark that the vocabulary doesn't have."""
        if token in self.source_vocabulary or token in _ENDS:
            yield token
        elif _is_word(token):
            yield from _spelled_out(token).split()

    def _completed(self, sentence: list[str]) -> list[str]:
        """With the mark at its end that sentences of this vocabulary have."""
        body, end = (sentence[:-1], sentence[-1]) if sentence[-1] in _ENDS else (sentence, "")
        if end in self.source_vocabulary and end:
            return sentence
        asks = end in ("?", "؟") or (not end and body[0] in _ASKING and "not" not in body[1:2])
        wanted = [mark for mark in ("؟?" if asks else "") + "." if mark in self.source_vocabulary]
        return body + wanted[:1]

    # --- what a person may have typed ---

    def _require_known(self, words: Sequence[str]) -> None:
        unknown = list(dict.fromkeys(word for word in words if word not in self.source_vocabulary))
        if not unknown:
            return
        if len(unknown) == len(set(words)) and 2 * sum(word in self.target_vocabulary for word in words) >= len(words):
            raise ValueError("this text is in the language that the translator writes, not in the one that it reads.")
        self._require_letters(unknown)
        named = [self._with_suggestion(word) for word in unknown[:_MOST_NAMED]]
        more = len(unknown) - len(named)
        if more:
            named.append(f"{more} more")
        raise ValueError(f"this translator has not learnt the word{'s' * (len(unknown) > 1)} {_listed(named)}.")

    def _require_letters(self, words: Sequence[str]) -> None:
        scripts, read = _scripts(words), _scripts(self.source_vocabulary)
        if scripts and not scripts & read:
            raise ValueError(
                f"this text is in {_listed(sorted(scripts))} letters: "
                f"the translator reads {_listed(sorted(read))} ones."
            )

    def _with_suggestion(self, word: str) -> str:
        close = difflib.get_close_matches(word, [known for known in self.source_vocabulary if _is_word(known)], 2, 0.7)
        shown = word if len(word) <= _LONGEST_NAMED else word[:_LONGEST_NAMED] + "…"
        return f"“{shown}”" + (f" (is {' or '.join(f'“{known}”' for known in close)} meant?)" if close else "")

    # --- files ---

    def save(self, path: str | Path, dtype: torch.dtype | None = None) -> None:
        """Model and vocabularies in one safetensors file, replaced in one step. dtype: of the weights in the file.

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
        metadata["longest"] = str(self.longest)
        save_tensors(path, tensors, metadata)

    @classmethod
    def load(cls, path: str | Path, device: torch.device | str = "cpu") -> Translator:
        """The translator that `save` wrote, with weights in float32.

        Raises FileNotFoundError when there is no file, ValueError when it is damaged or holds no translator.
        """
        if not Path(path).exists():
            raise FileNotFoundError(
                f"There is no {path} here: train and save one in lesson 12, or use the course's own."
            )
        tensors, metadata = load_tensors(path)
        try:
            model = unpack_model(tensors, metadata, dtype=torch.float32, device=device)
            return cls(model, *_saved_vocabularies(metadata), longest=_saved_longest(metadata))
        except ValueError as error:
            raise ValueError(f"{path} is no translator: {error}") from None


def examples(
    pairs: Sequence[Pair], source_vocabulary: Vocabulary, target_vocabulary: Vocabulary
) -> list[tuple[list[int], list[int]]]:
    """Each pair as two lists of ids, as `batches.bucketed_batches` takes them."""
    source, target = source_vocabulary, target_vocabulary
    return [(source.ids(source.split(pair.source)), target.ids(target.split(pair.target))) for pair in pairs]


def _saved_vocabularies(metadata: Mapping[str, str]) -> tuple[Vocabulary, Vocabulary]:
    if "pieces" in metadata:
        pieces = Pieces.from_json(metadata["pieces"])
        return pieces, pieces
    return _saved_words(metadata, "source"), _saved_words(metadata, "target")


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
    """What `text` holds in JSON; None where it holds none."""
    try:
        return read_json(text)
    except ValueError:
        return None


def _spelled_out(word: str) -> str:
    for short, full in _CONTRACTIONS.items():
        if word.endswith(short):
            return word.removesuffix(short) + full
    stem = word.removesuffix("'s")
    return f"{stem} is" if stem in _BEFORE_IS and stem != word else word


def _cut_into_sentences(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Sentences with the mark that ends them; marks that follow a mark are dropped."""
    sentence: list[str] = []
    for token in tokens:
        if token not in _ENDS:
            sentence.append(token)
        elif sentence:
            yield [*sentence, token]
            sentence = []
    if sentence:
        yield sentence


def _require_word(tokens: Sequence[str]) -> None:
    if not any(map(_is_word, tokens)):
        raise ValueError("there is nothing to translate: a sentence with at least one word is needed.")


def _is_word(token: str) -> bool:
    return token[0].isalnum()


def _scripts(words: Iterable[str]) -> set[str]:
    """The scripts of the letters of `words`, as Unicode names them: Latin, Arabic, Cyrillic, Cjk, …"""
    letters = {letter for word in words if _is_word(word) for letter in word if letter.isalpha()}
    return {unicodedata.name(letter, "unknown").split()[0].capitalize() for letter in letters}


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + f" and {parts[-1]}" if len(parts) > 1 else parts[0]
