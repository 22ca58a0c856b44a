"""From text to words to ids, and back: what comes before a model and after it.

A token is a word or a punctuation mark. Lesson 02 shows tokens smaller than words; whole words keep the attention
maps of lesson 14 readable. Ids 0 to 3 are the same in every vocabulary: PAD, START, END, UNKNOWN.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby, pairwise
from operator import index
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from utils.data.spelling import Spelling

PAD, START, END, UNKNOWN = range(4)
SPECIAL_TOKENS = ("<pad>", "<start>", "<end>", "<unknown>")

ZWNJ = "\u200c"  # the zero-width non-joiner: in می‌خورم it parts می from خورم without a space
_JOINERS = (ZWNJ, "\u200d")
_INVISIBLE = str.maketrans("", "", "\ufeff\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_INSIDE_WORDS = "'’-"  # don't, well-known
_INSIDE_NUMBERS = ".,:٫٬"  # 3.5, 10:30
_NO_SPACE_BEFORE = frozenset(".,!?;:)]}؟،؛…。，！？、")
_NO_SPACE_AFTER = frozenset("([{¿¡")
# In some language or other each of them opens and closes: the first of a kind opens, the next one closes.
_QUOTES = {mark: kind for kind in ("„“”", "«»", '"', "‚‘'") for mark in kind}


def tokenize(text: str) -> list[str]:
    """Return the words and punctuation marks of `text`, in order; lower case, in Unicode's composed form (NFC).

    Punctuation is split off, except within a word or number (don't, 10:30). A zero-width non-joiner stays in its
    word, marks of direction and other invisible characters go, and ’ becomes '. Scripts that write no spaces are
    not split into words. Raises TypeError when `text` is no string.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text is needed to tokenize: this is {type(text).__name__}.")
    text = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).lower())  # İ in lower case is two letters
    text = text.translate(_INVISIBLE).replace("’", "'")
    return [token for chunk in text.split() for token in _pieces(chunk)]


def written_tokens(text: str) -> list[tuple[str, bool]]:
    """Return the tokens of `text` as they are written in it, each with whether there is a space before it."""
    chunks = unicodedata.normalize("NFC", text).translate(_INVISIBLE).split()
    return [(piece, i == 0) for chunk in chunks for i, piece in enumerate(_pieces(chunk))]


def detokenize(tokens: Sequence[str], capitalize: bool = False, english: bool = True) -> str:
    """Return `tokens` as one text: spaces between words, none before a full stop or within brackets and quotes.

    With capitalize=True the first word is written large, and in English the word "i". What else a language writes
    large, and where its spaces are, a `Spelling` learns.
    """
    words = list(tokens)
    if capitalize:
        words = [word.capitalize() if english and word.split("'")[0] == "i" else word for word in words]
        first = next((i for i, word in enumerate(words) if word not in _QUOTES and word not in "¿¡"), 0)
        words[first : first + 1] = [with_capital(word) for word in words[first : first + 1]]
    spaces = ["" if joined(*names) else " " for names in pairwise(mark_names(tokens))]
    return "".join(space + word for space, word in zip(["", *spaces], words, strict=False))


def mark_names(tokens: Iterable[str]) -> list[str]:
    """Return `tokens`, with a quotation mark that closes named twice: „“ for the two marks of „yes“ gives „ and ““."""
    is_open: dict[str, bool] = {}
    names = []
    for token in tokens:
        kind = _QUOTES.get(token, "")
        names.append(token * 2 if is_open.get(kind) else token)
        is_open[kind] = bool(kind) and not is_open.get(kind)
    return names


def joined(left: str, right: str) -> bool:
    """Return whether two neighbours, as `mark_names` calls them, are written without a space in most languages."""
    closes = right in _NO_SPACE_BEFORE or (right[:1] in _QUOTES and right[:1] * 2 == right)
    return closes or left in _NO_SPACE_AFTER or left in _QUOTES


@lru_cache(maxsize=1 << 16)
def is_word(token: str) -> bool:
    """Return whether `token` is a word or number, or <unknown>, and not a mark."""
    return any(map(str.isalnum, token))


def with_capital(word: str) -> str:
    """Return the word with its first letter as a capital and the others unchanged."""
    large = word[:1].upper()
    return large + word[1:] if large.lower() == word[:1] else word  # ß has none, and ı would become i


class Vocabulary:
    """A frozen list of words; a word's id is its place in the list, after the four special tokens.

    spelling: how its language writes them, where that was learnt.
    Raises ValueError when a word comes twice, is empty, or is the name of a special token.
    """

    spelling: Spelling | None = None

    def __init__(self, words: Iterable[str]) -> None:
        self._words = (*SPECIAL_TOKENS, *words)
        for word, count in Counter(self._words).items():
            if count > 1:
                raise ValueError(f"each word stands in a vocabulary once: {word!r} stands in it {count} times.")
            if not isinstance(word, str) or not word:
                raise ValueError(f"the words of a vocabulary are texts that are not empty: one is {word!r}.")
        self._id_of = {word: number for number, word in enumerate(self._words)}

    @classmethod
    def from_texts(cls, texts: Iterable[Sequence[str]], max_size: int | None = None) -> Vocabulary:
        """Return the words of `texts` (lists of tokens), the most frequent first, ties in the order of the alphabet.

        The rarest are left out where there are more than `max_size`, the special tokens counted. Raises ValueError for
        a limit that leaves no word and for texts without any, and TypeError for texts that are not yet lists of tokens.
        """
        if max_size is not None and max_size <= len(SPECIAL_TOKENS):
            raise ValueError(
                f"max_size must be above {len(SPECIAL_TOKENS)}, the number of special tokens: it is {max_size}."
            )
        counts: Counter[str] = Counter()
        for text in texts:
            if isinstance(text, str):
                raise TypeError(f"from_texts takes lists of tokens, not texts: tokenize({text!r}) first.")
            counts.update(text)
        words = sorted(counts.keys() - set(SPECIAL_TOKENS), key=lambda word: (-counts[word], word))
        if not words:
            raise ValueError("there is no word in these texts, so there is no vocabulary.")
        return cls(words if max_size is None else words[: max_size - len(SPECIAL_TOKENS)])

    @classmethod
    def from_list(cls, tokens: Sequence[str]) -> Vocabulary:
        """Return the vocabulary that `to_list` wrote. Raises ValueError when `tokens` begins as none does."""
        if tuple(tokens[: len(SPECIAL_TOKENS)]) != SPECIAL_TOKENS:
            raise ValueError(
                f"a saved vocabulary begins with {', '.join(SPECIAL_TOKENS)}: "
                f"this one begins with {', '.join(map(str, tokens[: len(SPECIAL_TOKENS)])) or 'nothing'}."
            )
        return cls(tokens[len(SPECIAL_TOKENS) :])

    def to_list(self) -> list[str]:
        """Return all tokens in the order of their ids, the special ones first."""
        return list(self._words)

    def split(self, text: str) -> list[str]:
        """Return `text` as tokens, whether they are in the vocabulary or not: see `tokenize`."""
        return tokenize(text)

    def join(self, tokens: Sequence[str]) -> str:
        """Return `tokens` as a text as its language writes it, where that was learnt, or else by `detokenize`.

        Then the word "i" is taken for English where the vocabulary has "the".
        """
        if self.spelling is not None:
            return self.spelling.write(tokens)
        return detokenize(tokens, capitalize=True, english="the" in self)

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the id of each token; UNKNOWN for one that isn't in the vocabulary. START and END are not added."""
        if isinstance(tokens, str):
            raise TypeError(f"ids takes a list of tokens, not a text: tokenize({tokens!r}) first.")
        return [self._id_of.get(token, UNKNOWN) for token in tokens]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the token of each id. Raises ValueError for an id outside the vocabulary."""
        numbers = [index(number) for number in ids]
        for number in numbers:
            if not 0 <= number < len(self):
                raise ValueError(f"ids go from 0 to {len(self) - 1} in this vocabulary: {number} is none.")
        return [self._words[number] for number in numbers]

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, token: object) -> bool:
        return token in self._id_of

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)

    def __repr__(self) -> str:
        first = self._words[len(SPECIAL_TOKENS) :][:3]
        return f"Vocabulary({len(self)} tokens: {', '.join((*SPECIAL_TOKENS, *first))}, …)"


@lru_cache(maxsize=1 << 16)  # most of a text is words that came before
def _pieces(chunk: str) -> tuple[str, ...]:
    """Return the words and marks of a chunk that holds no space."""
    pieces: list[str] = []
    for inside, places in groupby(range(len(chunk)), partial(_in_word, chunk)):
        run = "".join(chunk[i] for i in places)
        pieces += [run] if inside else run  # every mark is a piece of its own
    # A joiner at the end of a word joins nothing.
    return tuple(filter(None, (piece.strip("".join(_JOINERS)) for piece in pieces)))


def _in_word(chunk: str, i: int) -> bool:
    if _is_letter(chunk[i]):
        return True
    before, after = chunk[i - 1 : i], chunk[i + 1 : i + 2]
    if chunk[i] in _INSIDE_WORDS:
        return bool(before and after) and _is_letter(before) and _is_letter(after)
    return chunk[i] in _INSIDE_NUMBERS and before.isdecimal() and after.isdecimal()


def _is_letter(character: str) -> bool:
    # Vowel signs (category M) belong to the letter before them, as in واقعاً and in Hindi.
    return character.isalnum() or character in _JOINERS or unicodedata.category(character).startswith("M")
