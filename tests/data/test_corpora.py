"""The course's own corpus, and the files of others."""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import lzma
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from tests.refused import refused
from utils.data.corpora import Corpus, Pair, english_german, english_persian, read_pairs, split
from utils.data.vocabulary import tokenize


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return english_persian(0)


# --- size and kind ---


def test_corpus_matches_its_recorded_digest(corpus: Corpus) -> None:
    """Another one asks for new trainings: of the shipped translator, and of all that the lessons keep."""
    pairs = [f"{pair.source}\t{pair.target}" for pair in (*corpus.train, *corpus.held_out, *corpus.validation)]
    assert hashlib.sha256("\n".join(pairs).encode()).hexdigest()[:16] == "352b2e125047c577"


# --- nothing leaks ---


def test_held_out_sentences_are_not_in_training_on_either_side(corpus: Corpus) -> None:
    for side in ("source", "target"):
        train = {tuple(tokenize(getattr(pair, side))) for pair in corpus.train}
        assert train.isdisjoint(tuple(tokenize(getattr(pair, side))) for pair in corpus.held_out)


def test_validation_and_test_share_no_sentence_and_no_held_out_word(corpus: Corpus) -> None:
    assert len(corpus.validation) + len(corpus.test) == len(corpus.held_out) == len({*corpus.validation, *corpus.test})
    assert min(len(corpus.validation), len(corpus.test)) > 500
    for_test = [pair for pair in corpus.held_out_words if pair not in corpus.validation_words]
    assert set(corpus.validation_words) < set(corpus.held_out_words)
    words = [
        frozenset().union(*(forms for pair in pairs for forms in pair)) for pairs in (corpus.validation_words, for_test)
    ]
    assert words[0].isdisjoint(words[1])
    for sentences, wanted, others in (
        (corpus.validation, corpus.validation_words, for_test),
        (corpus.test, for_test, ()),
    ):
        for pair in sentences:
            tokens = set(tokenize(pair.source))
            assert any(tokens & one and tokens & other for one, other in wanted), pair
            assert not any(tokens & one and tokens & other for one, other in others), pair


def test_note_sentences_are_in_the_test_set(corpus: Corpus) -> None:
    assert Pair("The weather is great.", "هوا عالی است.") in corpus.test
    assert Pair("The weather is really great!", "هوا واقعاً عالی است!") in corpus.held_out
    assert corpus.test == [pair for pair in corpus.held_out if pair in corpus.test]  # in its order
    assert repr(corpus) == "Corpus(22786 pairs to train on, 841 to validate, 1373 to test)"


def test_german_corpus_has_the_same_english_and_held_out_words(corpus: Corpus) -> None:
    german = english_german(0)
    assert (german.held_out_words, german.validation_words) == (corpus.held_out_words, corpus.validation_words)
    sources, theirs = ({pair.source for pair in part.train + part.held_out} for part in (corpus, german))
    assert len(sources & theirs) > 0.97 * max(len(sources), len(theirs))  # others have a word too rare in one language
    for part in ("train", "validation", "test"):
        ours = {pair.source for pair in getattr(corpus, part)} & theirs
        assert ours <= {pair.source for pair in getattr(german, part)}, part
    assert Pair("The weather is great.", "Das Wetter ist großartig.") in german.test


# --- splitting what was read ---


def test_split_keeps_sentences_apart_on_both_sides() -> None:
    pairs = [Pair(f"s{i % 40}", f"t{i % 30}") for i in range(200)]
    corpus = split(pairs, 0.1, seed=3)
    assert len({pair.source for pair in corpus.held_out}) == 4
    assert {pair.source for pair in corpus.train}.isdisjoint(pair.source for pair in corpus.held_out)
    assert {pair.target for pair in corpus.train}.isdisjoint(pair.target for pair in corpus.held_out)
    assert split(pairs, 0.1, seed=3) == corpus != split(pairs, 0.1, seed=4)
    assert len({pair.source for pair in corpus.validation}) == len({pair.source for pair in corpus.test}) == 2
    assert {pair.source for pair in corpus.validation}.isdisjoint(pair.source for pair in corpus.test)
    assert split(pairs, 0.02).validation == []  # one sentence: it is for the test


def test_split_refuses_unsuitable_pairs() -> None:
    for share in (0, 1):
        assert "held_out must be" in refused(split, [Pair("a", "b"), Pair("c", "d")], share)
    assert "too few sentences to hold some out" in refused(split, [Pair("a", "b")])


# --- files ---


def written(folder: Path, data: bytes) -> Path:
    path = folder / "pairs.tsv"
    path.write_bytes(data)
    return path


def test_read_pairs_reads_manythings_with_two_and_three_columns(tmp_path: Path) -> None:
    lines = (
        "Go.\tبرو.\tCC-BY 2.0 (France) Attribution: tatoeba.org #2877272 (CM) & #1234567 (a)\r\n"
        "Hi.\tسلام.\r\n\r\n"
        "Cafe\u0301.\tکافه.\r\n"
    )
    pairs, report = read_pairs(written(tmp_path, b"\xef\xbb\xbf" + lines.encode()))
    assert pairs == [Pair("Go.", "برو."), Pair("Hi.", "سلام."), Pair("Caf\u00e9.", "کافه.")]
    assert (report.lines, report.pairs, report.broken) == (3, 3, 0)


def test_read_pairs_reads_tatoeba_with_numbers(tmp_path: Path) -> None:
    data = b"1276\tLet's try something.\t77\tLass uns etwas versuchen!\n1277\t12\t78\t12\n"
    assert read_pairs(written(tmp_path, data))[0] == [
        Pair("Let's try something.", "Lass uns etwas versuchen!"),
        Pair("12", "12"),
    ]


def test_read_pairs_counts_broken_lines_and_names_the_first_ones(tmp_path: Path) -> None:
    data = b"only one column\nGood.\tGut.\n\tempty\nsource\t \nbad \xff byte\tx\na\tb\tc\td\te\none more\n"
    pairs, report = read_pairs(written(tmp_path, data))
    assert pairs == [Pair("Good.", "Gut.")]
    assert report.broken == 6
    assert [line for line, _ in report.first_broken] == [1, 3, 4, 5, 6]
    assert "6 broken" in str(report) and "line 5: byte 5 is not UTF-8" in str(report)


@pytest.mark.parametrize("line", ["{i}\teng\tSentence {i}.", "{i}\t7{i}", "The dog.\t-1.5e-3\tDer Hund."])
def test_read_pairs_refuses_a_column_of_ids_or_scores_with_the_first_line(tmp_path: Path, line: str) -> None:
    path = written(tmp_path, "\n".join(line.format(i=i) for i in range(10, 50)).encode())
    assert line.format(i=10) in refused(read_pairs, path)


# --- packed, in other encodings, from spreadsheets ---

TEXT = "Good.\tGut.\nThe fox.\tDer Füchs.\nGo!\tÜbrigens!\nBread\tBröt\n".encode()


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_read_pairs_reads_packed_files_under_any_name(tmp_path: Path) -> None:
    paths = [
        zipped(tmp_path / "a.zip", **{"x/deu.txt": TEXT, "x/_about.txt": b"?", "__MACOSX/x": b"?", "LICENSE": b"?"})
    ]
    for module in (gzip, bz2, lzma):
        paths.append(written(tmp_path, module.compress(TEXT)).rename(tmp_path / module.__name__))
    expected = read_pairs(written(tmp_path, TEXT))[0]
    assert len(expected) == 4
    for path in paths:
        assert read_pairs(path)[0] == expected
        path.write_bytes(path.read_bytes()[:-30])
        assert path.name in refused(read_pairs, path)


def test_read_pairs_falls_back_to_windows_1252_and_says_so(tmp_path: Path) -> None:
    pairs, report = read_pairs(written(tmp_path, (TEXT.decode() + "“It’s”\t„Ja“ – 5 €").encode("cp1252")))
    assert pairs[:4] == read_pairs(written(tmp_path, TEXT))[0] and pairs[4] == Pair("“It’s”", "„Ja“ – 5 €")
    assert "Windows-1252" in str(report) and report.broken == 0
    pairs, report = read_pairs(written(tmp_path, TEXT + b"sp\xe4t\tx\nsp\xe4ter\tx"))
    assert len(pairs) == 4 and report.broken == 2 and "Windows" not in str(report)


def test_read_pairs_removes_only_the_quotes_of_a_spreadsheet(tmp_path: Path) -> None:
    cells = [['He said "no".', 'Er sagte "nein".'], ["Yes, of course.", "Ja."], ['"Go!"', '"Geh!"']]
    lines = io.StringIO()
    csv.writer(lines, delimiter="\t", quoting=csv.QUOTE_ALL).writerows(cells)
    pairs, report = read_pairs(written(tmp_path, lines.getvalue().encode()))
    assert [[pair.source, pair.target] for pair in pairs] == cells and "quotes" in str(report)
    own = ['"Go," he said. "Now."\tx', '"Go!"\ty', '"The ""best""."\tz']
    pairs, report = read_pairs(written(tmp_path, "\n".join(own).encode()))
    assert ["\t".join((pair.source, pair.target)) for pair in pairs] == own and "quotes" not in str(report)


def test_read_pairs_limits_length_and_count(tmp_path: Path) -> None:
    long = b"a " * 41 + b"\tx\nb\t" + b"x " * 41 + b"\n" + b"z" * 800 + b"\tz\n"
    path = written(tmp_path, b"a\tx\na\tx\n" + long + b"c\ty\nd\tz\n")
    pairs, report = read_pairs(path, max_pairs=2)
    assert pairs == [Pair("a", "x"), Pair("c", "y")]
    assert (report.too_long, report.repeated, report.beyond_limit) == (3, 1, True)
    assert not read_pairs(path, max_pairs=3)[1].beyond_limit


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        ("a\tb\n".encode("utf-16"), "UTF-16"),
        (b"nothing\n", "nothing to train on"),
    ],
)
def test_read_pairs_refuses_files_without_pairs(tmp_path: Path, data: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_pairs(written(tmp_path, data))


def test_read_pairs_never_holds_a_whole_file_in_memory(tmp_path: Path) -> None:
    """Nearly all of its lines come again and again: what is kept of it is little."""
    lines = [f"sentence number {i % 50} " + "and so on " * 10 + "\tno" for i in range(4_000)]
    path = written(tmp_path, "\r".join(lines).encode())
    read_pairs(path)  # whatever is made once is made now
    tracemalloc.start()
    try:
        assert len(read_pairs(path)[0]) == 50
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 4


def test_read_pairs_refuses_missing_file_and_invalid_limit(tmp_path: Path) -> None:
    assert "there is no file" in refused(read_pairs, tmp_path / "nowhere.tsv")
    assert "max_pairs must be" in refused(read_pairs, written(tmp_path, b"a\tb"), max_pairs=0)
