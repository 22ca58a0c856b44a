"""How a language writes its words and marks: capitals, apostrophes and spaces, learnt from sentences.

A translator of words writes tokens in lower case. Which of them are large, and which marks stand close to a word, no
rule says for every language: Polish has a small i, German large nouns, Danish »quotes« and French « quotes ». So each
token gets the spelling and the spaces that it has most often, and where the token before it decides, those it has
there.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from utils.data.vocabulary import is_word, joined, mark_names, tokenize, with_capital, written_tokens

_START = "^"  # of a sentence, before its first token
_BEFORE_A_SENTENCE = frozenset([_START, *".!?…؟"])


@dataclass(frozen=True)
class Spelling:
    """Capitals and spaces by token, and by neighbours where these decide.

    words: how a token is written within a sentence; after "x ": directly after x, which is a word, or all marks since
    the last word. large: whether words begin large after such marks. gaps: whether a mark (named by `mark_names`) is
    joined to what follows it ("x "), to what is before it (" x"), or two neighbours to each other ("x y").
    Without any of it, spaces are those of most languages, and sentences begin large.
    """

    words: dict[str, str] = field(default_factory=dict)
    large: dict[str, bool] = field(default_factory=dict)
    gaps: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> Spelling:
        """Learn from sentences as their language writes them, in three passes."""
        learnt = cls()
        learnt._learn_tokens(texts)
        learnt._learn_sentence_starts(texts)
        learnt._learn_exceptions(texts)
        return learnt

    @classmethod
    def from_json(cls, text: str) -> Spelling:
        """Read what `to_json` wrote. Raises ValueError when `text` is damaged."""
        try:
            saved = json.loads(text)
        except (ValueError, RecursionError):
            saved = None
        kinds = {"words": str, "large": bool, "gaps": bool}
        if not isinstance(saved, dict) or saved.keys() != kinds.keys():
            raise ValueError("a spelling is saved as JSON with words, large and gaps, and nothing else.")
        for name, kind in kinds.items():
            if not isinstance(saved[name], dict) or not all(isinstance(value, kind) for value in saved[name].values()):
                raise ValueError(f"the {name} of a saved spelling must be {kind.__name__} by token.")
        return cls(**saved)

    def to_json(self) -> str:
        """Return all that was learnt, as JSON."""
        return json.dumps({"words": self.words, "large": self.large, "gaps": self.gaps}, ensure_ascii=False)

    def write(self, tokens: Sequence[str]) -> str:
        """Return `tokens` as one text."""
        words = [self.words.get(f"{before} {token}") or self._usual(before, token) for before, token in _places(tokens)]
        spaces = ["" if self._joined(*names) else " " for names in pairwise(mark_names(tokens))]
        return "".join(space + word for space, word in zip(["", *spaces], words, strict=False))

    # --- by rule ---

    def _usual(self, before: str, token: str) -> str:
        word = self.words.get(token, token)
        large = self.large.get(before, not _BEFORE_A_SENTENCE.isdisjoint(before))
        return with_capital(word) if large and not is_word(before) and is_word(token) else word

    def _joined(self, left: str, right: str) -> bool:
        return self.gaps.get(f"{left} {right}", self._usually_joined(left, right))

    def _usually_joined(self, left: str, right: str) -> bool:
        after, before = self.gaps.get(f"{left} "), self.gaps.get(f" {right}")
        return joined(left, right) if after is None and before is None else bool(after or before)

    # --- learning ---

    def _learn_tokens(self, texts: Iterable[str]) -> None:
        """Learn how a token is written within a sentence, and on which side a mark is joined to words."""
        inside: dict[str, Counter[str]] = defaultdict(Counter)
        first: dict[str, Counter[str]] = defaultdict(Counter)  # where a capital may be that of the sentence
        gaps: dict[str, Counter[bool]] = defaultdict(Counter)
        for tokens, written, close in _read(texts):
            for (before, token), word in zip(_places(tokens), written, strict=True):
                if is_word(before) or before == "," or word[:1] == word[:1].lower() or word[1:] != word[1:].lower():
                    inside[token][word] += 1
                else:
                    first[token][word[:1].lower() + word[1:]] += 1
            for (left, right), together in zip(pairwise(mark_names(tokens)), close, strict=True):
                if is_word(right) and not is_word(left):
                    gaps[f"{left} "][together] += 1
                if is_word(left) and not is_word(right):
                    gaps[f" {right}"][together] += 1
        self.words.update(_most({**first, **inside}))
        self.gaps.update(_most(gaps))
        for token in [token for token, word in self.words.items() if token == word]:
            del self.words[token]

    def _learn_sentence_starts(self, texts: Iterable[str]) -> None:
        """Learn after which marks a word begins large that is small elsewhere."""
        large: dict[str, Counter[bool]] = defaultdict(Counter)
        for tokens, written, _ in _read(texts):
            for (before, token), word in zip(_places(tokens), written, strict=True):
                small = self.words.get(token, token)
                if not is_word(before) and is_word(token) and small != with_capital(small):
                    large[before][word[:1] != small[:1]] += 1
        self.large.update(_most(large))

    def _learn_exceptions(self, texts: Iterable[str]) -> None:
        """Learn what else the token before decides. Only what was an exception once is counted from then on."""
        words: dict[str, Counter[str]] = {}
        gaps: dict[str, Counter[bool]] = {}
        for tokens, written, close in _read(texts):
            for (before, token), word in zip(_places(tokens), written, strict=True):
                _count(words, f"{before} {token}", word, self._usual(before, token))
            for (left, right), together in zip(pairwise(mark_names(tokens)), close, strict=True):
                if not (is_word(left) and is_word(right)):
                    _count(gaps, f"{left} {right}", together, self._usually_joined(left, right))
        self.words.update(_most(words))
        self.gaps.update(_most(gaps))


def _places(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return each token with what decides on its capital: the word before it, or all marks since the last word."""
    before = _START
    for token in tokens:
        yield before, token
        before = token if is_word(token) or is_word(before) else before + token


def _read(texts: Iterable[str]) -> Iterator[tuple[list[str], list[str], list[bool]]]:
    """Return for each sentence the tokens, their spelling, and whether each is joined to the next one."""
    for text in texts:
        parts = written_tokens(text)
        tokens = tokenize(text)
        if [unicodedata.normalize("NFC", word.lower()).replace("’", "'") for word, _ in parts] == tokens:
            yield tokens, [word for word, _ in parts], [not apart for _, apart in parts[1:]]


def _count(counts: dict[str, Counter], key: str, found: str | bool, usual: str | bool) -> None:
    if found != usual or key in counts:
        counts.setdefault(key, Counter())[found] += 1


def _most(counts: dict[str, Counter]) -> dict[str, str | bool]:
    return {key: counter.most_common(1)[0][0] for key, counter in counts.items()}
