"""Pairs of sentences to learn to translate from: the course's own English–Persian ones, and files of real ones."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from utils.data import german, persian
from utils.data.grammar import ADJECTIVES, NOUNS, PLACE_VERBS, VERBS, Dice, Sentence, adjectives_for, sentence
from utils.data.vocabulary import tokenize

_SENTENCES = 25_000  # written by the grammar; a few with rare words are left out
_LONGEST = 9  # tokens of one of them, in English and in Persian, the full stop counted
_RARE = 10  # a word in fewer sentences than this would hardly be learnt
_HELD_OUT_WORD_PAIRS = 40
_VALIDATION_EVERY = 3  # of the pairs of words that are held out
_FEW_PARTNERS = 4  # a word with fewer would hardly be met any more
_ALWAYS_HELD_OUT = ("great", "weather")  # so that the sentence of note N5 is one that no model has read
_LETTERS = 20  # of both sentences, for each token allowed: where no spaces are written, a whole text is one token
_SHOWN_LINES = 5
_TELLING = 1000  # lines after which one knows what a file is; Tatoeba's largest have millions

WordPair = tuple[frozenset[str], frozenset[str]]  # all forms of one English word, and of another


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs to train on, to choose by and to test with.

    `held_out`: all that no training may see. `validation`: those of them by which choices are made, such as the
    learning rate; none where a corpus is too small. The rest is `test`, asked at the end.
    `held_out_words`: the pairs of English words (each as the set of its forms) of which no training sentence has both
    and each held-out sentence has at least one; `validation_words`: those of them that no test sentence has, and each
    validation sentence has one. Both empty where the corpus was split by sentences.
    """

    train: list[Pair]
    held_out: list[Pair]
    held_out_words: tuple[WordPair, ...] = ()
    validation: list[Pair] = field(default_factory=list)
    validation_words: tuple[WordPair, ...] = ()

    @property
    def test(self) -> list[Pair]:
        """What is held out and not for validation, in the order of `held_out`."""
        for_choices = set(self.validation)
        return [pair for pair in self.held_out if pair not in for_choices]

    def __repr__(self) -> str:
        held_out = f"{len(self.validation)} to validate, {len(self.held_out) - len(self.validation)} to test"
        return f"Corpus({len(self.train)} pairs to train on, {held_out})"


@cache
def english_persian(seed: int = 0) -> Corpus:
    """Return about 25,000 English sentences of `grammar.py` with their Persian translations.

    The same seed gives the same corpus. Split by *combination*: about 40 pairs of an adjective and a noun, or of a
    verb and a noun, are held out. A sentence with both words of such a pair, in whatever form and wherever they
    stand, is held out; no other is. Every word of a held-out sentence is in training sentences too, with others.
    A third of the pairs of words is for validation, the others for the test. No word is in two of them, so that what
    was chosen by the first has not been chosen for the second; a sentence with words of both is in the test.
    """
    return _corpus(persian.write, seed)


@cache
def english_german(seed: int = 0) -> Corpus:
    """Return the same English sentences with German translations, and the same pairs of words held out.

    "You" is du. A translator writes "Junge" (boy) and "junge" (young) by the word before, not always rightly.
    """
    return _corpus(german.write, seed)


def _corpus(write: Callable[[Sentence], str], seed: int) -> Corpus:
    sentences, words = _sentences(seed)
    pairs = [Pair(sentence.english, write(sentence)) for sentence in sentences]
    tokens = {pair: (frozenset(tokenize(pair.source)), frozenset(tokenize(pair.target))) for pair in pairs}
    train, held_out = [], []
    for pair in _without_rare_words(tokens):
        (held_out if _has_any(words, tokens[pair][0]) else train).append(pair)
    known = frozenset().union(*(side for pair in train for side in tokens[pair]))
    held_out = [pair for pair in held_out if known.issuperset(frozenset().union(*tokens[pair]))]
    for_choices = words[2::_VALIDATION_EVERY]  # the first of all is that of note N5's sentence
    for_test = [pair for pair in words if pair not in for_choices]
    validation = [pair for pair in held_out if not _has_any(for_test, tokens[pair][0])]
    return Corpus(train, held_out, words, validation, for_choices)


@cache
def _sentences(seed: int) -> tuple[list[Sentence], tuple[WordPair, ...]]:
    """Return sentences whose English no other has, and the pairs of words to hold out: those of every language."""
    dice = Dice(seed)
    found: dict[str, Sentence] = {}
    while len(found) < _SENTENCES:
        one = sentence(dice)
        if max(len(one.english.split()), len(persian.write(one).split())) < _LONGEST:  # the full stop is a token, too
            found[one.english] = one
    return list(found.values()), _word_pairs_to_hold_out(dice)


def split(pairs: Sequence[Pair], held_out: float = 0.05, seed: int = 0) -> Corpus:
    """Split `pairs` in two: a share of the sentences is held out with all their translations.

    A sentence is held out on both sides: a training pair shares neither its source nor its target with a held-out
    pair. Of the held-out sentences half are for validation, none where there is only one.
    Raises ValueError when `held_out` is no share between 0 and 1, and when a side would be empty.
    """
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must be a share between 0 and 1: it is {held_out}.")
    sources = Dice(seed).shuffled(sorted({pair.source for pair in pairs}))
    chosen = set(sources[: max(1, round(held_out * len(sources)))])
    test = [pair for pair in pairs if pair.source in chosen]
    targets = {pair.target for pair in test}
    train = [pair for pair in pairs if pair.source not in chosen and pair.target not in targets]
    if not train or not test:
        raise ValueError(f"too few sentences to hold some out: {len(pairs)} pairs leave {len(train)} to train on.")
    for_choices = set(sources[: len(chosen) // 2])
    return Corpus(train, test, validation=[pair for pair in test if pair.source in for_choices])


# --- files ---


@dataclass
class Report:
    """What `read_pairs` took from a file and what it left, and why."""

    path: str
    lines: int = 0
    pairs: int = 0
    too_long: int = 0
    repeated: int = 0
    beyond_limit: bool = False  # it stopped at max_pairs: the rest of the file is unread
    broken: int = 0
    numbered: int = 0  # lines with a bare number where the first of three columns should be a sentence
    first_broken: list[tuple[int, str]] = field(default_factory=list)  # line number from 1, and what is wrong with it

    def __str__(self) -> str:
        parts = [f"{_counted(self.pairs, 'sentence pair')} from {_counted(self.lines, 'line')} of {self.path}"]
        parts += [f"{self.too_long} too long"] if self.too_long else []
        parts += [f"{self.repeated} repeated"] if self.repeated else []
        parts += [f"{self.broken} broken"] if self.broken else []
        parts += ["stopped at the limit"] if self.beyond_limit else []
        details = [f"  line {number}: {reason}" for number, reason in self.first_broken]
        details += ["  …"] if self.broken > len(self.first_broken) else []
        return "\n".join([", ".join(parts) + ".", *details])


def read_pairs(
    path: str | Path, max_pairs: int | None = None, max_tokens: int | None = 40, swap: bool = False
) -> tuple[list[Pair], Report]:
    """Return the sentence pairs of a tab-separated UTF-8 file, any two languages, and a report of what was left out.

    A line is as ManyThings exports it (sentence, translation, and perhaps an attribution, which is dropped) or as
    Tatoeba does (number, sentence, number, translation). swap=True: the second sentence is the source. Texts are
    brought into Unicode's composed form (NFC). Left out: pairs with more than `max_tokens` tokens on a side, or
    20 · `max_tokens` letters on both together, pairs that came before, and broken lines; after `max_pairs` pairs
    reading stops. Blank lines don't count.

    Raises FileNotFoundError when there is no such file, and ValueError when it holds no pair at all, is no UTF-8
    text, has numbers for sentences as Tatoeba's lists of single ones do, or a limit is below 1.
    """
    for name, limit in (("max_pairs", max_pairs), ("max_tokens", max_tokens)):
        if limit is not None and limit < 1:
            raise ValueError(f"{name} must be at least 1, or None for no limit: it is {limit}.")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} to read sentence pairs from.")
    report = Report(path.name)
    found: dict[Pair, None] = {}
    for number, line in _lines(path):
        if max_pairs is not None and len(found) == max_pairs:
            report.beyond_limit = True
            break
        report.lines += 1
        try:
            columns = _columns(line)
            longest = _longest(columns)
        except ValueError as error:
            report.broken += 1
            if report.broken <= _SHOWN_LINES:
                report.first_broken.append((number, str(error)))
            continue
        report.numbered += len(columns) == 3 and columns[0].isdecimal()
        if report.lines == _TELLING:
            _require_sentences(path, report)
        source, target = columns[1::-1] if swap else columns[:2]
        pair = Pair(source, target)
        if max_tokens is not None and (longest > max_tokens or len(source + target) > _LETTERS * max_tokens):
            report.too_long += 1
        elif pair in found:
            report.repeated += 1
        else:
            found[pair] = None
    report.pairs = len(found)
    _require_sentences(path, report)
    if not found:
        raise ValueError(f"{path} is empty." if not report.lines else f"there is nothing to train on: {report}")
    return list(found), report


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Return the lines of `path` that aren't blank, without their line ends, with their numbers from 1."""
    # Read as Latin-1 every byte is a letter, and a line ends with a bare \r too, as in old files.
    with path.open(encoding="latin-1") as file:
        for number, line in enumerate((line.removesuffix("\n").encode("latin-1") for line in file), 1):
            if number == 1:
                if line.startswith((b"\xff\xfe", b"\xfe\xff")):
                    raise ValueError(f"{path} is written in UTF-16: save it as UTF-8 to read it here.")
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield number, line


def _columns(line: bytes) -> list[str]:
    """Return the columns of one line, the pair first. Raises ValueError that says what is wrong with it."""
    if b"\0" in line:
        raise ValueError("a NUL byte, as in UTF-16: UTF-8 is expected")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from None
    columns = [unicodedata.normalize("NFC", " ".join(column.split())) for column in text.split("\t")]
    if len(columns) == 4 and columns[0].isdecimal() and columns[2].isdecimal():
        columns = [columns[1], columns[3]]
    if len(columns) not in (2, 3):
        raise ValueError(f"{len(columns)} column{'s' * (len(columns) > 1)} between tabs, where 2 or 3 are expected")
    return columns


def _longest(columns: Sequence[str]) -> int:
    """Return the tokens of the longer sentence. Raises ValueError where one of the two has none."""
    lengths = [len(tokenize(sentence)) for sentence in columns[:2]]
    if not all(lengths):
        raise ValueError(f"the {'second' if lengths[0] else 'first'} sentence is empty")
    return max(lengths)


def _require_sentences(path: Path, report: Report) -> None:
    if report.numbered > 0.9 * report.lines:
        raise ValueError(
            f"{path} has numbers where the first sentence of a pair is expected: of Tatoeba's files, the one with "
            "sentence pairs is needed."
        )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


# --- the split by combination ---


def _without_rare_words(tokens: Mapping[Pair, tuple[frozenset[str], ...]]) -> list[Pair]:
    """Return the pairs without those that have a word which stands in fewer than _RARE of them."""
    pairs = list(tokens)
    while True:
        counts = [Counter(token for pair in pairs for token in tokens[pair][side]) for side in (0, 1)]
        kept = [pair for pair in pairs if all(counts[side][t] >= _RARE for side in (0, 1) for t in tokens[pair][side])]
        if len(kept) == len(pairs):
            return pairs
        pairs = kept  # what was left out may have made other words rare


def _has_any(words: Iterable[WordPair], tokens: frozenset[str]) -> bool:
    return any(not tokens.isdisjoint(one) and not tokens.isdisjoint(other) for one, other in words)


def _word_pairs_to_hold_out(dice: Dice) -> tuple[WordPair, ...]:
    """Pair adjectives or verbs with nouns that they fit; no word in two pairs, nor one with few partners."""
    forms: dict[str, frozenset[str]] = {english: frozenset([english]) for english, _ in ADJECTIVES}
    nouns = {noun.english: frozenset(filter(None, (noun.english, noun.plural))) for noun in NOUNS}
    # A noun that Persian spells otherwise before adjectives (خانه‌ی) has few sentences to learn that from.
    plain = [noun for noun in NOUNS if noun.english not in persian.JOINED]
    fitting = [(english, noun.english) for noun in plain for english in adjectives_for(noun)]
    for verb in (*VERBS, *PLACE_VERBS):
        # "clean" and "open" are verbs and adjectives: one word, as far as the split is concerned.
        forms[verb.english] = forms.get(verb.english, frozenset()) | {verb.english, verb.singular, verb.past} - {""}
        objects = set(verb.objects.split())
        fitting += [(verb.english, noun.english) for noun in NOUNS if objects & set(noun.kinds.split())]
    fitting = list(dict.fromkeys(fitting))
    partners = Counter(word for pair in [*fitting, _ALWAYS_HELD_OUT] for word in pair)
    chosen: list[tuple[str, str]] = [_ALWAYS_HELD_OUT]
    used = set(_ALWAYS_HELD_OUT)
    for pair in dice.shuffled(fitting):
        if len(chosen) == _HELD_OUT_WORD_PAIRS:
            break
        if not used.intersection(pair) and all(partners[word] >= _FEW_PARTNERS for word in pair):
            chosen.append(pair)
            used.update(pair)
    return tuple((forms[one], nouns[other]) for one, other in chosen)
