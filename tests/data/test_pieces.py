"""Pieces: what any text is cut into and put together from, how they are learnt, and what is refused."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.refused import refused
from utils.data.pieces import Pieces
from utils.data.vocabulary import SPECIAL_TOKENS, UNKNOWN

TEXTS = ["low lower lowest", "new newer newest", "wide wider widest, and so on", "هوا عالی است. می\u200cخورم؟"]
PIECES = Pieces.from_texts(TEXTS, 330)
LETTERS, MERGES = "▁abc", [("▁", "a"), ("▁a", "b")]


# --- cutting and joining ---


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("ab abc", ["▁ab", "▁ab", "c"]),
        ("  ab \n c ", ["▁ab", "▁", "c"]),
        ("é", ["▁", "<0xC3>", "<0xA9>"]),
        ("", []),
    ],
)
def test_merges_apply_within_words_and_unknown_letters_become_bytes(text: str, pieces: list[str]) -> None:
    assert Pieces(LETTERS, MERGES).split(text) == pieces


def test_punctuation_is_separated_from_words_and_capitals_from_lower_case() -> None:
    pieces = Pieces.from_texts(["a, a, a, (b) (b) (b), Ab% Ab%"] * 9, 400)
    assert pieces.split("a, (b) Ab% ab%") == ["▁a", ",", "▁(", "b", ")", "▁Ab", "%", "▁a", "b", "%"]


@given(st.one_of(st.text(), st.text(alphabet="▁▂ low\ue000\ue001")))
def test_join_undoes_split(text: str) -> None:
    for pieces in (PIECES, Pieces.from_json(Pieces(LETTERS, [("▁", "▁"), *MERGES]).to_json())):
        assert pieces.join(pieces.split(text)) == " ".join(unicodedata.normalize("NFC", text).split())


@given(st.one_of(st.text(), st.sampled_from([*SPECIAL_TOKENS, "<0x41>", "a <end> b"])))
def test_every_text_has_ids_and_none_is_special(text: str) -> None:
    ids = PIECES.ids(PIECES.split(text))
    assert all(UNKNOWN < number < len(PIECES) for number in ids)
    assert PIECES.tokens(ids) == PIECES.split(text)
    if "<0x41>" in text:
        assert "A" not in PIECES.join(PIECES.split(text))


# --- learning ---


def test_most_frequent_pair_is_joined_first() -> None:
    saved = json.loads(Pieces.from_texts(["ab ab ab ac"], 4 + 256 + 8).to_json())
    assert saved == {"letters": "▁abc", "merges": ["▁ a", "▁a b", "▁a c"]}


def test_size_is_kept_and_half_of_it_is_for_frequent_letters() -> None:
    text = "".join(chr(0x4E00 + i) * (60 - i) for i in range(50))
    pieces = Pieces.from_texts([text, "aaaa"], 4 + 256 + 20)
    assert len(pieces) == 4 + 256 + 20
    letters = json.loads(pieces.to_json())["letters"]
    assert letters == "▁" + "".join(chr(0x4E00 + i) for i in range(9))
    assert pieces.split(chr(0x4E00 + 49))[1].startswith("<0x")


@pytest.mark.parametrize(
    ("texts", "size", "sentence"),
    [
        (TEXTS, 261, "a vocabulary of pieces needs a size of at"),
        ([], 300, "there is nothing to learn pieces from"),
    ],
)
def test_from_texts_refuses_empty_texts(texts: list[str], size: int, sentence: str) -> None:
    assert sentence in refused(Pieces.from_texts, texts, size)


# --- files ---


@pytest.mark.parametrize(
    ("damaged", "sentence"),
    [
        (lambda text: text.replace("letters", "litters"), "letters and merges"),
        (lambda text: '{"letters": "ab", "merges": ["a b", "a b b"]}', "merge 2"),
        (
            lambda text: '{"letters": "<pad>", "merges": ["< p", "<p a", "<pa d", "<pad >"]}',
            "each word stands in a vocabulary once",
        ),
    ],
)
def test_from_json_refuses_damage(damaged: Callable[[str], str], sentence: str) -> None:
    assert sentence in refused(Pieces.from_json, damaged(PIECES.to_json()))
