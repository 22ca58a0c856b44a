"""Pairs of sentences to learn to translate from: the course's own English–Persian ones, and files of real ones."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import BinaryIO

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
_MOST_TOKENS = 40  # of a sentence of a file
_MOST_LETTERS = 800  # of both sentences: where no spaces are written, a whole text is one token
_SHOWN_LINES = 5
_FIRST_LETTERS = 100  # of a line that is quoted
_TELLING = 1000  # lines after which one knows what a file is; Tatoeba's largest have millions
_NUMBER = re.compile(r"[-+#]?[\d.,:/%-]*\d[\d.,:/%-]*([eE][-+]?\d+)?")  # an id, a score, a date
_QUOTED = re.compile(r'"(?:[^"]|"")*"')  # a cell as the csv module writes one with quotes in it
_UNPACKERS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "lzma"}  # not every Python has all

WordPair = tuple[frozenset[str], frozenset[str]]  # all forms of one English word, and of another


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and its translation."""

    source: str
    target: str


@dataclass(frozen=True)
class Corpus:
    """A set of sentence pairs for training, validation and testing.

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
        """Return the held-out pairs that are not for validation, in the order of `held_out`."""
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
    """A report of what `read_pairs` took from a file, what it left out, and why."""

    path: str
    lines: int = 0
    pairs: int = 0
    too_long: int = 0
    repeated: int = 0
    beyond_limit: bool = False  # it stopped at max_pairs: the rest of the file is unread
    broken: int = 0
    encoding: str = "utf-8"  # or "cp1252", where UTF-8 failed
    not_utf8: int = 0
    beyond_ascii: int = 0  # lines with other letters that are UTF-8
    quoted: bool = False  # whether a spreadsheet's quotes around sentences were undone
    numbered: list[int] = field(default_factory=lambda: [0, 0])  # lines with an id or a score for the sentence
    first_line: str = ""
    first_broken: list[tuple[int, str]] = field(default_factory=list)  # line number from 1, and what is wrong with it

    def __str__(self) -> str:
        parts = [f"{counted(self.pairs, 'sentence pair')} from {counted(self.lines, 'line')} of {self.path}"]
        parts += [f"{self.too_long} too long"] if self.too_long else []
        parts += [f"{self.repeated} repeated"] if self.repeated else []
        parts += [f"{self.broken} broken"] if self.broken else []
        parts += ["stopped at the limit"] if self.beyond_limit else []
        parts += ["a spreadsheet's quotes undone"] if self.quoted else []
        if self.encoding != "utf-8":
            parts += ["read as Windows-1252, for it is not UTF-8 (if letters are wrong, save it as UTF-8)"]
        details = [f"  line {number}: {reason}" for number, reason in self.first_broken]
        details += ["  …"] if self.broken > len(self.first_broken) else []
        return "\n".join([", ".join(parts) + ".", *details])


def read_pairs(path: str | Path, max_pairs: int | None = None, swap: bool = False) -> tuple[list[Pair], Report]:
    """Return the sentence pairs of a tab-separated UTF-8 file, any two languages, and a report of what was left out.

    A line is as ManyThings exports it (sentence, translation, and perhaps an attribution, which is dropped) or as
    Tatoeba does (number, sentence, number, translation). The file may be packed: .gz, .bz2, .xz, or a .zip with one
    such text. Where most lines with other letters than ASCII's are not UTF-8, it is read as Windows-1252; where a
    spreadsheet has put quotes around sentences, they are undone. swap=True: the second sentence is the source. Texts
    are brought into Unicode's composed form (NFC). Left out: pairs with more than 40 tokens on a side, or 800
    letters on both together, pairs that came before, and broken lines; after `max_pairs` pairs reading stops. Blank
    lines don't count.

    Raises FileNotFoundError when there is no such file, and ValueError when it holds no pair at all, is no text, has
    ids or scores for sentences as Tatoeba's other lists do, or `max_pairs` is below 1.
    """
    if max_pairs is not None and max_pairs < 1:
        raise ValueError(f"max_pairs must be at least 1, or None for no limit, but is {max_pairs}.")
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} to read sentence pairs from.")
    report = Report(path.name)
    found = _read(path, report, max_pairs, swap)
    if report.not_utf8 > max(1, report.beyond_ascii) or report.quoted:  # now it is known what it is
        encoding = "cp1252" if report.not_utf8 > max(1, report.beyond_ascii) else "utf-8"
        report = Report(path.name, encoding=encoding, quoted=report.quoted)
        found = _read(path, report, max_pairs, swap)
    report.pairs = len(found)
    _require_sentences(path, report)
    if not found:
        raise ValueError(f"{path} is empty." if not report.lines else f"there is nothing to train on: {report}")
    return list(found), report


def _read(path: Path, report: Report, max_pairs: int | None, swap: bool) -> dict[Pair, None]:
    """Return the pairs of `path` in their order, read as `report` says, and note there what was left out and seen."""
    found: dict[Pair, None] = {}
    undone, contrary = report.quoted, False
    for number, line in _lines(path):
        if max_pairs is not None and len(found) == max_pairs:
            report.beyond_limit = True
            break
        report.lines += 1
        try:
            columns = _columns(line, report, undone)
            longest = _longest(columns)
        except (ValueError, csv.Error) as error:
            report.broken += 1
            if report.broken <= _SHOWN_LINES:
                report.first_broken.append((number, str(error)))
            continue
        report.first_line = report.first_line or "\t".join(columns)[:_FIRST_LETTERS]
        numbers = [_NUMBER.fullmatch(column) is not None for column in columns[:2]]
        for i, is_number in enumerate(numbers):  # of two columns, one may be numbers to be put into words
            report.numbered[i] += is_number and (len(columns) == 3 or all(numbers) or not columns[i].isdecimal())
            if not undone and columns[i].startswith('"'):
                cell = _QUOTED.fullmatch(columns[i])
                contrary |= cell is None
                report.quoted |= cell is not None and '""' in columns[i][1:-1]
        if report.lines == _TELLING:
            _require_sentences(path, report)
        source, target = columns[1::-1] if swap else columns[:2]
        pair = Pair(source, target)
        if longest > _MOST_TOKENS or len(source + target) > _MOST_LETTERS:
            report.too_long += 1
        elif pair in found:
            report.repeated += 1
        else:
            found[pair] = None
    report.quoted &= not contrary
    return found


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open the text that `path` is or has packed. Raises ValueError for a damaged archive."""
    with path.open("rb") as file:
        start = file.read(6)
    unpacker = next((name for magic, name in _UNPACKERS.items() if start.startswith(magic)), None)
    try:
        if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            with zipfile.ZipFile(path) as archive, archive.open(_only_text(path, archive)) as file:
                yield file
        else:
            with import_module(unpacker).open(path) if unpacker else path.open("rb") as file:
                yield file
    except ValueError:
        raise
    except Exception as error:  # each module has errors of its own
        raise ValueError(f"{path} can't be unpacked: {error}.") from None


def _only_text(path: Path, archive: zipfile.ZipFile) -> str:
    """Return the name of the one file in a zip that may be a corpus: not ManyThings' _about.txt nor hidden files."""
    names = [name for name in archive.namelist() if not name.endswith("/")]
    shown = [name for name in names if not any(part[0] in "._" for part in PurePosixPath(name).parts)]
    texts = [name for name in shown if PurePosixPath(name).suffix.lower() in (".txt", ".tsv", ".csv")] or shown
    if len(texts) != 1:
        held = ", ".join(texts[:_SHOWN_LINES]) or "none"
        raise ValueError(f"{path} must hold one text with sentence pairs: unpack it and name one ({held}).")
    return texts[0]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Return the lines of `path` that aren't blank, without their line ends, with their numbers from 1."""
    # Read as Latin-1 every byte is a letter, and a line ends with a bare \r too, as in old files.
    with _unpacked(path) as unpacked, io.TextIOWrapper(unpacked, encoding="latin-1") as file:
        for number, line in enumerate((line.removesuffix("\n").encode("latin-1") for line in file), 1):
            if number == 1:
                if line.startswith((b"\xff\xfe", b"\xfe\xff")):
                    raise ValueError(f"{path} is written in UTF-16: save it as UTF-8 to read it here.")
                line = line.removeprefix(b"\xef\xbb\xbf")
            if line.strip():
                yield number, line


def _columns(line: bytes, report: Report, quoted: bool) -> list[str]:
    """Return the columns of one line, the pair first. Raises ValueError that says what is wrong with it."""
    if b"\0" in line:
        raise ValueError("a NUL byte, as in UTF-16: UTF-8 is expected")
    try:
        text = line.decode(report.encoding)
        report.beyond_ascii += not line.isascii()
    except UnicodeDecodeError as error:
        report.not_utf8 += 1
        raise ValueError(
            f"byte {error.start + 1} is not {'UTF-8' if report.encoding == 'utf-8' else 'Windows-1252'}"
        ) from None
    cells = next(csv.reader([text], delimiter="\t"), []) if quoted else text.split("\t")
    columns = [unicodedata.normalize("NFC", " ".join(cell.split())) for cell in cells]
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
    if max(report.numbered) > 0.9 * report.lines:
        raise ValueError(
            f"{path} has ids or scores for sentences. Its first line is “{report.first_line}”: a sentence, "
            "a tab and its translation are needed; of Tatoeba's files, the one with sentence pairs."
        )


def counted(number: int, what: str) -> str:
    """Return the number with what it counts, in the plural unless it is 1."""
    return f"{number} {what}{'s' * (number != 1)}"


# --- the split by combination ---


def _without_rare_words(tokens: Mapping[Pair, tuple[frozenset[str], ...]]) -> list[Pair]:
    """Return the pairs without those that have a word which occurs in fewer than _RARE of them."""
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
