"""Byte-pair pieces: tokens between a letter and a word, for texts with more words than a vocabulary can hold.

What lesson 02 does by hand, done by the `tokenizers` library, which is fast enough for a million sentences.
Sources: Sennrich et al. 2016; one vocabulary for both languages: Vaswani et al. 2017, section 5.1; a word's beginning
marked with ▁: Kudo and Richardson 2018.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from utils.data.vocabulary import SPECIAL_TOKENS, Vocabulary

_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))  # so the library calls them
_SPACE = "▁"  # stands before each word
_MARK = rf"{_SPACE}?[\p{{P}}\p{{S}}&&[^{_SPACE}]]"  # punctuation and symbols
_LEAST = len(SPECIAL_TOKENS) + len(_BYTES) + 2  # one letter and the mark for a space
_MOST_TEXT = 2**24  # letters of JSON: some hundred times what 8000 pieces take


class Pieces(Vocabulary):
    """A vocabulary of pieces of words: any text can be cut into them and put together again, with single spaces.

    letters: the letters it knows. merges: pairs of pieces to be joined into one, the earliest learnt first; each part
    is a letter or the result of a merge before it. A letter that it doesn't know is written as its bytes in UTF-8,
    for which there are 256 tokens; so UNKNOWN is not needed. Large letters stay large.
    Raises ValueError when these are no letters, or a merge joins what is not there.
    """

    def __init__(self, letters: Sequence[str], merges: Iterable[tuple[str, str]]) -> None:
        known = dict.fromkeys(letters)
        if len(known) != len(letters) or not all(isinstance(letter, str) and len(letter) == 1 for letter in letters):
            raise ValueError("letters must be single letters, each of them once.")
        self._letters, self._merges = list(letters), list(merges)
        for number, merge in enumerate(self._merges, 1):
            if not isinstance(merge, tuple) or len(merge) != 2 or any(part not in known for part in merge):
                raise ValueError(f"merge {number} must join two pieces that are there before it: it is {merge!r}.")
            known["".join(merge)] = None
        super().__init__([*_BYTES, *known])
        bpe = models.BPE(vocab=self._id_of, merges=self._merges, byte_fallback=True)
        self._tokenizer = _cutting(bpe)
        self._decoder = decoders.Sequence(
            # Spaces before bytes, which may say ▁ itself.
            [decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        )

    @classmethod
    def from_texts(cls, texts: Iterable[str], size: int) -> Pieces:
        """Learn at most `size` tokens from `texts`: pairs that stand side by side most often become one piece.

        Half of the room, at most, is for letters, the most frequent ones. The same texts give the same pieces.
        Raises ValueError when `size` has no room for a letter beside the special tokens and the 256 bytes, or the texts
        hold none, and TypeError for one text in place of many.
        """
        if isinstance(texts, str):
            raise TypeError("from_texts takes many texts, such as the sentences of a corpus: this is one.")
        texts = [text.replace(_SPACE, " ") for text in texts]  # they are gone through twice
        if size < _LEAST:
            raise ValueError(f"a vocabulary of pieces needs a size of at least {_LEAST}: {size} is too small.")
        counts = Counter(chain.from_iterable(map(_normalized, texts)))
        frequent = sorted(set(counts) - {" "}, key=lambda letter: (-counts[letter], letter))
        if not frequent:
            raise ValueError("there is nothing to learn pieces from: the texts hold no letter.")
        room = size - len(SPECIAL_TOKENS) - len(_BYTES)
        letters = list(dict.fromkeys([_SPACE, *frequent]))[: max(2, room // 2)]
        learner = _cutting(models.BPE())
        trainer = trainers.BpeTrainer(
            vocab_size=room, initial_alphabet=letters, limit_alphabet=len(letters), show_progress=False
        )
        learner.train_from_iterator(map(_normalized, texts), trainer)
        merges = json.loads(learner.to_str())["model"]["merges"]
        return cls(letters, [tuple(merge) for merge in merges])

    @classmethod
    def from_json(cls, text: str) -> Pieces:
        """Read what `to_json` wrote. Raises ValueError when `text` is damaged, or longer than any of them."""
        if len(text) > _MOST_TEXT:
            raise ValueError(f"pieces take at most {_MOST_TEXT} letters of JSON: these are {len(text)}.")
        try:
            saved = json.loads(text)
        except (ValueError, RecursionError):
            saved = None
        if not isinstance(saved, dict) or set(saved) != {"letters", "merges"}:
            raise ValueError("pieces are saved as JSON with letters and merges, and nothing else.")
        if not isinstance(saved["letters"], str) or not isinstance(saved["merges"], list):
            raise ValueError("the letters of saved pieces are a text, the merges a list.")
        merges = [merge.split(" ") if isinstance(merge, str) else [] for merge in saved["merges"]]
        return cls(saved["letters"], [tuple(merge) for merge in merges])

    def to_json(self) -> str:
        """Return the letters and merges, which define the pieces, as JSON."""
        merges = [" ".join(merge) for merge in self._merges]  # no piece holds a space: that is ▁
        return json.dumps({"letters": "".join(self._letters), "merges": merges}, ensure_ascii=False)

    def split(self, text: str) -> list[str]:
        """Return the pieces of `text`, in order; none for an empty one. Raises TypeError when `text` is no string."""
        if not isinstance(text, str):
            raise TypeError(f"a text is needed to cut into pieces: this is {type(text).__name__}.")
        text = _normalized(text)
        if _SPACE not in text:
            return self._tokenizer.encode(text).tokens
        # To the library every ▁ is a space. So it cuts a letter that neither the text has nor a piece, and is bytes.
        other = next(letter for letter in map(chr, range(0xE000, 0xF8FF)) if letter not in text and letter not in self)
        tokens = " ".join(self._tokenizer.encode(text.replace(_SPACE, other)).tokens)
        return tokens.replace(
            *(" ".join(_BYTES[byte] for byte in letter.encode()) for letter in (other, _SPACE))
        ).split()

    def join(self, tokens: Sequence[str]) -> str:
        """Return the text from which `tokens` were cut."""
        return self._decoder.decode(list(tokens))


def _normalized(text: str) -> str:
    """Return composed letters (NFC), single spaces, and ? for what is no letter: half of a pair of surrogates."""
    return " ".join(unicodedata.normalize("NFC", text).encode("utf-8", "replace").decode("utf-8").split())


def _cutting(model: models.BPE) -> Tokenizer:
    """Return a tokenizer around `model` that keeps a space with what follows, and never joins a mark to a word."""
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(_SPACE), pre_tokenizers.Split(Regex(_MARK), "isolated")]
    )
    return tokenizer
