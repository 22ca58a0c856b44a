"""Read what is typed for a translator that carries over the words it doesn't know; `page/carried.js` does the same.

A word that the vocabulary doesn't have, such as a name, is read as x1, x2, ..., and stands in the translation as it
was typed. So nothing is refused but a text without a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from utils.data.vocabulary import written_tokens

CARRIED = ("x1", "x2", "x3", "x4")
_ENDS = (".", "!", "?")
_SAME_END = {"…": ".", ";": ".", "؟": "?"}
_ASKING = (
    *("is", "are", "am", "was", "were", "do", "does", "did", "have", "has", "can", "could", "will", "would", "should"),
    *("may", "must", "where", "when", "why", "who", "what", "how", "which", "whose"),
)
_CONTRACTIONS = {
    **{"can't": "can not", "cannot": "can not", "won't": "will not", "let's": "let us", "gonna": "going to"},
    **{"wanna": "want to", "ok": "okay", "ain't": "is not"},
}
_ENDINGS = {"n't": "not", "'m": "am", "'re": "are", "'ll": "will", "'ve": "have", "'d": "would"}
_BEFORE_IS = ("it", "he", "she", "that", "there", "here", "what", "where", "who", "how", "when", "everything")
_JOINED = {
    **{"ice cream": "ice-cream", "post office": "post-office", "train station": "station", "t shirt": "t-shirt"},
    **{"credit card": "credit-card", "phone number": "phone-number"},
}
_JOINED_WORDS = re.compile(r"\b(?:" + "|".join(_JOINED) + r")\b", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """A typed sentence: the tokens that a model reads, and the words as typed that stand in for CARRIED."""

    tokens: list[str]
    carried: dict[str, list[str]]  # x1 -> the words that it stands for, in their order

    @property
    def shown(self) -> list[str]:
        """Return the tokens with the carried words as they were typed."""
        return put_back(self.tokens, self.carried)


def read(text: str, vocabulary: Container[str], longest: int = 17) -> list[Reading]:
    """Return the sentences of `text` as tokens of the vocabulary, at most `longest` each; longer ones are cut.

    Raises ValueError if there is no word in `text`.
    """
    plain = unicodedata.normalize("NFC", text).replace("’", "'")
    tokens = [
        part
        for token, _ in written_tokens(_JOINED_WORDS.sub(lambda m: _JOINED[m[0].lower()], plain))
        for part in _parts(token, vocabulary)
    ]
    if not any(_is_word(token) for token in tokens):
        raise ValueError("there is nothing to translate: a sentence with at least one word is needed.")
    sentences: list[list[str]] = [[]]
    for token in tokens:
        token = _SAME_END.get(token, token)
        last = sentences[-1]
        if token in _ENDS:
            if last:
                last.append(token)
                sentences.append([])
        elif _is_word(token) or token == "'s" or (token == "," and last and token in vocabulary):
            last.append(token)
    return [
        _reading(piece, vocabulary) for sentence in sentences if sentence for piece in _cut(_ended(sentence), longest)
    ]


def put_back(tokens: Sequence[str], carried: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the tokens with the carried words in place of CARRIED; one that is missing comes before the last mark."""
    used: Counter[str] = Counter()
    found = []
    for token in tokens:
        if token in carried:
            found.append(carried[token][min(used[token], len(carried[token]) - 1)])
            used[token] += 1
        elif token not in CARRIED:
            found.append(token)
    missing = [word for name, words in carried.items() for word in words[used[name] :]]
    at = len(found) - 1 if found and found[-1] in (*_ENDS, "؟") else len(found)
    return [*found[:at], *missing, *found[at:]]


def unknown_words(text: str, vocabulary: Container[str]) -> list[str]:
    """Return the words of `text` that would be carried over, each once, as they were typed."""
    try:
        readings = read(text, vocabulary, 10_000)
    except ValueError:
        return []
    return list(dict.fromkeys(word for reading in readings for words in reading.carried.values() for word in words))


def _parts(token: str, vocabulary: Container[str]) -> list[str]:
    small = token.lower()
    if small in vocabulary:
        return [token]
    if small in _CONTRACTIONS:
        return _CONTRACTIONS[small].split()
    for ending, word in _ENDINGS.items():
        if small.endswith(ending) and len(small) > len(ending):
            return [token[: -len(ending)], word]
    stem = small.removesuffix("'s")
    if stem == small:
        return [token]
    return [token[:-2], "is" if stem in _BEFORE_IS else "'s"]


def _ended(sentence: list[str]) -> list[str]:
    """Return the sentence without commas at its end, and with a mark."""
    end = sentence[-1] if sentence[-1] in _ENDS else "?" if sentence[0].lower() in _ASKING else "."
    body = sentence[:-1] if sentence[-1] in _ENDS else list(sentence)
    while body and body[-1] == ",":
        body.pop()
    return [*body, end]


def _cut(sentence: list[str], longest: int) -> list[list[str]]:
    """Return the sentence in pieces, cut at commas and conjunctions where there are any."""
    pieces = []
    while len(sentence) > longest:
        places = [
            i
            for i in range(3, longest - 1)
            if sentence[i] == "," or sentence[i].lower() in ("and", "but", "because", "or")
        ]
        at = places[-1] if places else longest - 1
        pieces.append(_ended([*sentence[:at], "."]))
        sentence = sentence[at + (sentence[at] == ",") :]
    return [*pieces, sentence] if len(sentence) > 1 else pieces


def _reading(sentence: list[str], vocabulary: Container[str]) -> Reading:
    tokens: list[str] = []
    names: dict[str, str] = {}  # a word as typed -> what it is read as
    carried: dict[str, list[str]] = {}
    before = ""  # the carried words directly before, with which the next one makes one name
    for word in sentence:
        small = word.lower()
        if not _is_word(word) or (small in vocabulary and small not in CARRIED):
            tokens.append(small)
            before = ""
            continue
        if before and word[:1].isupper() and tokens[-1] in CARRIED:
            name = tokens[-1]
            carried[name][-1] = f"{before} {word}"
            names[carried[name][-1]] = name
        elif word in names:
            name = names[word]
            tokens.append(name)
        else:
            name = CARRIED[len(names) % len(CARRIED)]
            tokens.append(name)
            names[word] = name
            carried.setdefault(name, []).append(word)
        before = carried[name][-1]
    return Reading(tokens, carried)


def _is_word(token: str) -> bool:
    return token[:1].isalnum()
