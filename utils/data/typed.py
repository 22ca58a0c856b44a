"""Read what a person has typed for a translator: sentences of tokens that a vocabulary has, or what is wrong with it.

Each function raises ValueError with one sentence for that person.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from utils.data.pieces import Pieces
from utils.data.vocabulary import Vocabulary, tokenize

_ENDS = (".", "!", "?", "؟", "…", ";", "؛")
_SENTENCE_END = re.compile(r"(?<=[.!?؟…])\s+")
_MOST_NAMED = 4  # unknown words in one complaint
_LONGEST_NAMED = 40  # letters of one of them
# What English writes together, and how the course's sentences say it. Longest first: can't is not ca not.
_CONTRACTIONS = {"can't": "can not", "won't": "will not", "n't": " not", "'m": " am", "'re": " are", "'ll": " will"}
_BEFORE_IS = ("it", "he", "she", "that", "where", "how")  # it's is "it is", but my mother's is no "mother is"
_ASKING = ("is", "are", "am", "was", "were", "do", "does", "did", "where", "how")  # what a question begins with


def read_words(text: str, source: Vocabulary, target: Vocabulary) -> list[list[str]]:
    """Read `text` as sentences of words of the vocabulary `source`.

    Capitals don't matter, marks that `source` doesn't have are left out, contractions are spelled out, and a sentence
    gets the mark at its end that those of `source` have: "Isn't it cold" is read as is, not, it, cold, ?.
    `target` tells a text that is in the other language already.
    """
    tokens = [part for token in tokenize(text) for part in _known_parts(token, source)]
    words = _words(tokens)
    _require_known(words, source, target)
    return [_completed(sentence, source) for sentence in _cut_into_sentences(tokens)]


def read_pieces(text: str, pieces: Pieces) -> list[list[str]]:
    """Read `text`, as it stands, as sentences of `pieces`: "It is... cold" is two."""
    _require_letters(_words(tokenize(text)), pieces)
    return [pieces.split(sentence) for sentence in _SENTENCE_END.split(text.strip())]


def _known_parts(token: str, source: Vocabulary) -> Iterator[str]:
    """Return the token, or what a contraction stands for; nothing for a mark that the vocabulary doesn't have."""
    if token in source or token in _ENDS:
        yield token
    elif _is_word(token):
        yield from _spelled_out(token).split()


def _spelled_out(word: str) -> str:
    for short, full in _CONTRACTIONS.items():
        if word.endswith(short):
            return word.removesuffix(short) + full
    stem = word.removesuffix("'s")
    return f"{stem} is" if stem in _BEFORE_IS and stem != word else word


def _cut_into_sentences(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Return sentences with the mark that ends them; marks that follow a mark are dropped."""
    sentence: list[str] = []
    for token in tokens:
        if token not in _ENDS:
            sentence.append(token)
        elif sentence:
            yield [*sentence, token]
            sentence = []
    if sentence:
        yield sentence


def _completed(sentence: list[str], source: Vocabulary) -> list[str]:
    """Return the sentence with the mark at its end that sentences of this vocabulary have."""
    body, end = (sentence[:-1], sentence[-1]) if sentence[-1] in _ENDS else (sentence, "")
    if end in source and end:
        return sentence
    asks = end in ("?", "؟") or (not end and body[0] in _ASKING and "not" not in body[1:2])
    wanted = [mark for mark in ("؟?" if asks else "") + "." if mark in source]
    return body + wanted[:1]


def _words(tokens: Sequence[str]) -> list[str]:
    """Return the tokens that are not punctuation. Raises ValueError if there are none."""
    words = [token for token in tokens if _is_word(token)]
    if not words:
        raise ValueError("there is nothing to translate: a sentence with at least one word is needed.")
    return words


def _require_known(words: Sequence[str], source: Vocabulary, target: Vocabulary) -> None:
    unknown = list(dict.fromkeys(word for word in words if word not in source))
    if not unknown:
        return
    if len(unknown) == len(set(words)) and 2 * sum(word in target for word in words) >= len(words):
        raise ValueError("this text is in the language that the translator writes, not in the one that it reads.")
    _require_letters(unknown, source)
    named = [_with_suggestion(word, source) for word in unknown[:_MOST_NAMED]]
    more = len(unknown) - len(named)
    if more:
        named.append(f"{more} more")
    raise ValueError(f"this translator has not learnt the word{'s' * (len(unknown) > 1)} {_listed(named)}.")


def _require_letters(words: Iterable[str], source: Vocabulary) -> None:
    scripts, read = _scripts(words), _scripts(filter(_is_word, source))
    if scripts and not scripts & read:
        raise ValueError(
            f"this text is in {_listed(sorted(scripts))} letters: the translator reads {_listed(sorted(read))} ones."
        )


def _scripts(words: Iterable[str]) -> set[str]:
    """Return the scripts of the letters of `words`, as Unicode names them: Latin, Arabic, Cyrillic, Cjk, …"""
    letters = {letter for word in words for letter in word if letter.isalpha()}
    return {unicodedata.name(letter, "unknown").split()[0].capitalize() for letter in letters}


def _with_suggestion(word: str, source: Vocabulary) -> str:
    close = difflib.get_close_matches(word, filter(_is_word, source), 2, 0.7)
    shown = word if len(word) <= _LONGEST_NAMED else word[:_LONGEST_NAMED] + "…"
    return f"“{shown}”" + (f" (is {' or '.join(f'“{known}”' for known in close)} meant?)" if close else "")


def _is_word(token: str) -> bool:
    return token[0].isalnum()


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + f" and {parts[-1]}" if len(parts) > 1 else parts[0]
