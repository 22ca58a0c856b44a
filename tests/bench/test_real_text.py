"""Pairs from gettext's catalogues, and the measurement that is made with them."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from bench import real_text
from bench._catalogues import FOLDER, catalogue_pairs, write_pairs
from utils.data.corpora import Pair, read_pairs


def write_catalogue(path: Path, messages: dict[str, bytes]) -> None:
    """A gettext catalogue: seven numbers, the places of the messages and of their translations, then all texts."""
    texts = [[text.encode() for text in sorted(messages)], [messages[text] for text in sorted(messages)]]
    place, places = 28 + 16 * len(messages), []
    for text in [*texts[0], *texts[1]]:
        places += [len(text), place]
        place += len(text) + 1
    head = [0x950412DE, 0, len(messages), 28, 28 + 8 * len(messages), 0, place]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        struct.pack(f"<{7 + len(places)}I", *head, *places) + b"".join(t + b"\0" for side in texts for t in side)
    )


def catalogue(folder: Path, name: str, messages: dict[str, str], encoding: str = "utf-8") -> None:
    head = f"Content-Type: text/plain; charset={encoding}\n"
    translated = {text: translation.encode() for text, translation in {"": head, **messages}.items()}
    write_catalogue(folder / "xx" / "LC_MESSAGES" / f"{name}.mo", translated)


def test_each_message_comes_once_with_its_translation(tmp_path: Path) -> None:
    catalogue(tmp_path, "a", {"Open": "Ouvrir", "two\nlines": "deux\t lignes", "OK": "OK", "menu\x04File": "Fichier"})
    catalogue(tmp_path, "b", {"Open": "Ouvert", "one\0many": "un\0plusieurs", "Close": "Fermer"})
    catalogue(tmp_path, "c", {"Wrong": "é"}, encoding="ascii")  # not in the encoding that it names
    (tmp_path / "xx" / "LC_MESSAGES" / "d.mo").write_bytes(b"no catalogue")
    pairs = catalogue_pairs("xx", tmp_path)
    expected = [("File", "Fichier"), ("Open", "Ouvrir"), ("two lines", "deux lignes"), ("Close", "Fermer")]
    assert sorted(pairs, key=str) == sorted((Pair(*pair) for pair in expected), key=str)
    write_pairs(pairs, tmp_path / "pairs.tsv")
    assert read_pairs(tmp_path / "pairs.tsv")[0] == pairs
    assert catalogue_pairs("yy", tmp_path) == []


def test_without_catalogues_there_is_nothing_to_measure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["real_text", "--language", "xx"])
    assert real_text.main() == 0
    assert capsys.readouterr().out == "There is nothing to measure with: this system has too few catalogues for xx.\n"


@pytest.mark.parametrize(("pieces", "verdict"), [(2.0, 0), (1.0, 1), (0.5, 1)])
def test_it_fails_where_words_are_as_good(monkeypatch: pytest.MonkeyPatch, pieces: float, verdict: int) -> None:
    monkeypatch.setattr("sys.argv", ["real_text"])
    monkeypatch.setattr("bench.real_text.corpus_of", lambda language: "a corpus")
    asked = []

    def score(corpus: str, kind: str, seed: int, seconds: float) -> float:
        asked.append((kind, seed))
        return pieces if (kind, seed) == ("pieces", 1) else {"words": 1.0, "pieces": 2.0}[kind]

    monkeypatch.setattr("bench.real_text.score", score)
    assert real_text.main() == verdict
    assert asked == [(kind, seed) for seed in (0, 1, 2) for kind in ("words", "pieces")]


def test_the_messages_of_this_system_are_measured_with(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if len(catalogue_pairs("fr")) < 5000:
        pytest.skip(f"this system has too few French catalogues in {FOLDER}")
    monkeypatch.setattr("bench.real_text.PAIRS", 2000)
    monkeypatch.setattr("bench.real_text.TESTED", 3)
    corpus = real_text.corpus_of("fr")
    assert len(corpus.validation) == 50 and 50 <= len(corpus.test) < 100 and 1800 <= len(corpus.train) <= 1900
    for kind in real_text.KINDS:
        assert 0 <= real_text.score(corpus, kind, 0, 0.1) <= 100
    said = capsys.readouterr().out
    assert "seed 0, words: " in said and "seed 0, pieces: " in said and "|tok:13a|" in said
