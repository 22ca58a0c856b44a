"""From text to ids and from ids to vectors: three tokenizers and the lookup table.

Word level: a word is a token. Byte pair: pieces grow from bytes by merging the most frequent pair. WordPiece:
the longest piece of a given vocabulary, again and again. A tokenizer here is plain data (a dictionary from
piece to id, a list of merges) and functions over it.
Sources: lecture notes N4 (tokenizers) and N5 (word ids); Sennrich et al. 2016 (byte-pair encoding), with bytes
as in Radford et al. 2019; Devlin et al. 2019 (BERT's WordPiece).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from numpy.typing import ArrayLike

from utils.by_hand.arrays import Array, require_matrix, require_whole, require_wholes

PAD, UNKNOWN, BEGIN, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"
LONGEST_WORD = 100  # letters; BERT does not try to cut longer ones

_EXCERPT = Path(__file__).with_name("bert_vocabulary_excerpt.txt")
# As in BERT's own tokenizer; Hugging Face leaves out 2B820 to 2B91F.
_CHINESE = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))
# Where Unicode has added accents and format characters since 2015: the library's tables are older, so it keeps them.
_NEWER = """5c8-5c9 7fd-7fd 890-8e2 9fe-9fe afa-aff b53-b55 c04-c3c d00-d00 d3b-d3c d81-d81 eba-eba ece-ece 180f-1886
    1abf-1af0 1df6-1dfb a82c-a82c a8c5-a8c5 a8ff-a8ff a9bd-a9bd 10d24-10f85 11070-11074 110c2-110cd 111c9-111c9
    111cf-111cf 1123e-11241 1133b-1133b 113bb-1145e 1182f-1612f 16f4f-16f4f 16fe4-16fe4 1cf00-1d128 1d25b-1d25c
    1e000-1e6f5 1e944-1e94a"""
_NEWER_RANGES = [tuple(int(end, 16) for end in ends.split("-")) for ends in _NEWER.split()]

Pair = tuple[bytes, bytes]


# --- word level ---


def word_vocabulary(text: str) -> dict[str, int]:
    """Return an id for each word of `text` (split at blanks), 0 for the first, in the order in which they occur.

    >>> word_vocabulary("to be or not to be")
    {'to': 0, 'be': 1, 'or': 2, 'not': 3}
    """
    vocabulary: dict[str, int] = {}
    for word in _require_text("text", text).split():
        vocabulary.setdefault(word, len(vocabulary))
    return vocabulary


def word_ids(text: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Return the id of each word of `text`; a word that the vocabulary lacks gets the id of [UNK].

    Raises ValueError, naming the word, when there is no [UNK] either.
    >>> word_ids("be to us", {"[UNK]": 0, "to": 1, "be": 2})
    [2, 1, 0]
    """
    ids = []
    for word in _require_text("text", text).split():
        if word not in vocabulary and UNKNOWN not in vocabulary:
            raise ValueError(f"the vocabulary has neither {word!r} nor {UNKNOWN}.")
        ids.append(vocabulary.get(word, vocabulary.get(UNKNOWN)))
    return ids


# --- byte pair ---


def words_with_blanks(text: str) -> list[str]:
    """Cut `text` before its words, each with the blank in front of it; joined together they are `text` again.

    >>> words_with_blanks("low lower")
    ['low', ' lower']
    """
    return re.findall(r" ?\S+|\s", _require_text("text", text))


def as_bytes(word: str) -> list[bytes]:
    """Return the bytes of a text in UTF-8, each by itself: one for a letter of English, two for one of Persian.

    >>> len(as_bytes("e")), len(as_bytes("é"))
    (1, 2)
    """
    return [bytes([byte]) for byte in word.encode("utf-8", "surrogatepass")]


def most_frequent_pair(words: Mapping[tuple[bytes, ...], int]) -> tuple[Pair, int] | None:
    """Return the pair of neighbours that occurs most often, and how often; on a tie the one that is met first.

    words: a word, cut into pieces, -> how often it occurs. None when no word has two pieces.
    >>> most_frequent_pair({(b"l", b"o", b"w"): 5, (b"l", b"o", b"t"): 2})
    ((b'l', b'o'), 7)
    """
    counts: Counter[Pair] = Counter()
    for pieces, times in words.items():
        for pair in pairwise(pieces):
            counts[pair] += times
    return max(counts.items(), key=lambda entry: entry[1]) if counts else None


def merge_pair(pieces: Sequence[bytes], pair: Pair) -> list[bytes]:
    """Join each occurrence of `pair` in `pieces` into one piece, from the left; a piece is used once.

    >>> merge_pair([b"b", b"a", b"b", b"a"], (b"b", b"a"))
    [b'ba', b'ba']
    """
    merged: list[bytes] = []
    i = 0
    while i < len(pieces):
        if tuple(pieces[i : i + 2]) == pair:
            merged.append(pieces[i] + pieces[i + 1])
            i += 2
        else:
            merged.append(pieces[i])
            i += 1
    return merged


def learn_merges(text: str, n_merges: int) -> list[Pair]:
    """Return the first `n_merges` merges of byte-pair encoding on `text`; fewer when nothing is left to merge.

    Raises ValueError when `n_merges` is below 0, TypeError when it is no whole number.
    >>> learn_merges("low lower", 2)
    [(b'l', b'o'), (b'lo', b'w')]
    """
    require_whole("n_merges", n_merges, 0)
    words = Counter(tuple(as_bytes(word)) for word in words_with_blanks(text))
    merges: list[Pair] = []
    while len(merges) < n_merges and (best := most_frequent_pair(words)) is not None:
        merges.append(best[0])
        merged: Counter[tuple[bytes, ...]] = Counter()
        for pieces, times in words.items():
            merged[tuple(merge_pair(pieces, best[0]))] += times
        words = merged
    return merges


def byte_pair_pieces(text: str, merges: Sequence[Pair]) -> list[bytes]:
    """Cut `text` into pieces: word for word, every merge in the order in which it was learnt.

    Joined together, the pieces are the bytes of `text`, whatever it holds. Raises TypeError for a merge that is no pair
    of bytes.
    >>> byte_pair_pieces("slow", [(b"l", b"o"), (b"lo", b"w")])
    [b's', b'low']
    """
    _require_merges(merges)
    pieces: list[bytes] = []
    for word in words_with_blanks(text):
        of_word = as_bytes(word)
        for pair in merges:
            of_word = merge_pair(of_word, pair)
        pieces += of_word
    return pieces


def byte_pair_vocabulary(merges: Sequence[Pair]) -> dict[bytes, int]:
    """Return the 256 bytes with the ids 0 to 255, then what each merge makes, in the order of the merges.

    Raises TypeError for a merge that is no pair of bytes.
    >>> byte_pair_vocabulary([(b"l", b"o")])[b"lo"]
    256
    """
    _require_merges(merges)
    vocabulary = {bytes([byte]): byte for byte in range(256)}
    for left, right in merges:
        vocabulary.setdefault(left + right, len(vocabulary))
    return vocabulary


def _require_merges(merges: Sequence[Pair]) -> None:
    for i, pair in enumerate(merges):
        if len(pair) != 2 or not all(isinstance(piece, bytes) for piece in pair):
            raise TypeError(f"merges[{i}] is {pair!r}: a merge is a pair of bytes, such as (b'a', b'p').")


def byte_pair_ids(text: str, merges: Sequence[Pair]) -> list[int]:
    """Return the ids of the pieces of `text`, in the vocabulary that the merges make.

    >>> byte_pair_ids("slow", [(b"l", b"o")])
    [115, 256, 119]
    """
    vocabulary = byte_pair_vocabulary(merges)
    return [vocabulary[piece] for piece in byte_pair_pieces(text, merges)]


def byte_pair_text(ids: Sequence[int], merges: Sequence[Pair]) -> str:
    """Return the text that these ids stand for: what `byte_pair_ids` got, exactly.

    Ids that cut a letter in half give � where it would be. Raises ValueError, naming the id and its place, for
    one that is not in the vocabulary.
    >>> byte_pair_text([115, 256, 119], [(b"l", b"o")])
    'slow'
    """
    pieces = list(byte_pair_vocabulary(merges))
    joined = b"".join(pieces[id] for id in require_wholes("ids", ids, (None,), most=len(pieces) - 1))
    try:
        return joined.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return joined.decode("utf-8", "replace")


def piece_text(piece: bytes) -> str:
    """Return a piece for reading: its letters, or ⟨d9⟩ for bytes that are no whole letter.

    >>> piece_text(b"lo"), piece_text("é".encode()[:1])
    ('lo', '⟨c3⟩')
    """
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError:
        return f"⟨{piece.hex()}⟩"


# --- WordPiece ---


@cache
def _read_excerpt() -> tuple[tuple[str, int], ...]:
    lines = _EXCERPT.read_text(encoding="utf-8").splitlines()
    entries = (line.split("\t") for line in lines if not line.startswith("# "))
    return tuple((piece, int(id)) for id, piece in entries)


def bert_excerpt() -> dict[str, int]:
    """Return some hundred pieces of BERT's uncased vocabulary with their original ids; the whole has 30 522.

    >>> bert_excerpt()["[CLS]"]
    101
    """
    return dict(_read_excerpt())


def bert_words(text: str) -> list[str]:
    """Prepare `text` as BERT's uncased tokenizer does: small letters without accents, in words.

    Punctuation marks and Chinese characters stand alone; control characters are dropped, and so are blanks.
    >>> bert_words("Café, no?")
    ['cafe', ',', 'no', '?']
    """
    letters: list[str] = []
    for letter in _require_text("text", text):
        if letter in "\t\n\r" or unicodedata.category(letter) == "Zs":
            letters.append(" ")
        elif letter != "\ufffd" and not _is_dropped(letter, ("Cc", "Cf", "Co", "Cs")):  # Cn: newer than Python's tables
            letters.append(f" {letter} " if _is_in(_CHINESE, letter) else letter)
    apart = unicodedata.normalize("NFD", "".join(letters))  # é becomes e and an accent of its own
    plain = "".join(letter.lower() for letter in apart if not _is_dropped(letter, ("Mn",)))
    return "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in plain).split()


def word_pieces(word: str, vocabulary: Mapping[str, int]) -> list[str]:
    """Cut one word from the left into the longest pieces that the vocabulary has.

    A piece inside the word has ## in front. Where no piece fits, the whole word becomes [UNK]; so does a word
    of more than 100 letters. No pieces for an empty word.
    >>> word_pieces("walked", {"walk": 7, "##ed": 8})
    ['walk', '##ed']
    """
    if len(_require_text("word", word)) > LONGEST_WORD:
        return [UNKNOWN]
    pieces: list[str] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = range(len(word), start, -1)  # the longest first
        end = next((end for end in ends if prefix + word[start:end] in vocabulary), None)
        if end is None:
            return [UNKNOWN]
        pieces.append(prefix + word[start:end])
        start = end
    return pieces


def bert_pieces(text: str, vocabulary: Mapping[str, int]) -> list[str]:
    """Cut `text` into WordPieces, without [CLS] and [SEP].

    >>> bert_pieces("Walked!", {"walk": 7, "##ed": 8, "!": 9})
    ['walk', '##ed', '!']
    """
    return [piece for word in bert_words(text) for piece in word_pieces(word, vocabulary)]


def bert_ids(text: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Turn `text` into what BERT gets: the ids of its pieces, between those of [CLS] and [SEP].

    Raises ValueError when the vocabulary lacks [CLS], [SEP] or [UNK].
    >>> bert_ids("walked", {"[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "walk": 7, "##ed": 8})
    [1, 7, 8, 2]
    """
    for special in (BEGIN, END, UNKNOWN):
        if special not in vocabulary:
            raise ValueError(f"the vocabulary lacks {special}.")
    return [vocabulary[piece] for piece in (BEGIN, *bert_pieces(text, vocabulary), END)]


def bert_text(ids: Sequence[int], vocabulary: Mapping[str, int]) -> str:
    """Return the words that ids stand for, with blanks between them; [CLS], [SEP] and [PAD] are left out.

    Capitals, accents and blanks of the original are gone. Raises ValueError for an id without a piece.
    >>> bert_text([1, 7, 8, 2], {"[CLS]": 1, "[SEP]": 2, "walk": 7, "##ed": 8})
    'walked'
    """
    pieces = {id: piece for piece, id in vocabulary.items()}
    for place, id in enumerate(ids):
        if id not in pieces:
            raise ValueError(f"ids[{place}] is {id}: the vocabulary has no piece with that id.")
    shown = [pieces[id] for id in ids if pieces[id] not in (PAD, BEGIN, END)]
    return " ".join(shown).replace(" ##", "")


# --- from ids to vectors ---


def look_up(ids: ArrayLike, table: ArrayLike) -> Array:
    """Look up row `id` of the table for each id: ids (…,) and table (V, d_model) give (…, d_model).

    Raises TypeError for ids that are no whole numbers, ValueError for one that the table has no row for, with its
    place, and for sentences of several lengths: pad them to one first.
    >>> look_up([1, 1], [[1, 2], [3, 4]]).tolist()
    [[3.0, 4.0], [3.0, 4.0]]
    """
    table = require_matrix("table", table)
    return table[require_wholes("ids", ids, most=len(table) - 1)]


def _require_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text: it is of type {type(value).__name__}.")
    return value


def _is_dropped(letter: str, categories: Sequence[str]) -> bool:
    return unicodedata.category(letter) in categories and not _is_in(_NEWER_RANGES, letter)


def _is_in(ranges: Sequence[tuple[int, ...]], letter: str) -> bool:
    return any(first <= ord(letter) <= last for first, last in ranges)


def _is_punctuation(letter: str) -> bool:
    # BERT counts every ASCII sign as punctuation, $, + and ^ too.
    ascii_sign = "!" <= letter <= "~" and not letter.isalnum()
    return ascii_sign or unicodedata.category(letter).startswith("P")
