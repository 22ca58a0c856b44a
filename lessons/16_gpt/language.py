"""What lesson 16 needs to model a language: pieces, batches, the loss, bits per byte, and simple models to compare with.

A sequence is a tensor of ids of pieces; id 0 is padding, which no text has. N is the length of a sequence in pieces.
"""

from __future__ import annotations

import gzip
import math
from collections import Counter
from collections.abc import Callable, Sequence

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

PADDING = "<pad>"
_WORD_WITH_BLANK = r" ?\S+|\s"  # the cut before words of lesson 02


# --- pieces ---


def learn_pieces(text: str, vocabulary: int) -> Tokenizer:
    """Byte-pair pieces of `text`: padding, the 256 bytes, and as many merges as make `vocabulary` ids.

    The algorithm is that of lesson 02, on the same words with their blanks. Raises ValueError for a vocabulary without
    room for the bytes. Source: Sennrich et al. 2016, with bytes as in Radford et al. 2019.
    """
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    if vocabulary <= len(alphabet):
        raise ValueError(f"the vocabulary must have room for padding and {len(alphabet)} bytes: it is {vocabulary}.")
    pieces = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(_WORD_WITH_BLANK), "isolated")
    in_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    pieces.pre_tokenizer = pre_tokenizers.Sequence([cut, in_bytes])
    pieces.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=[PADDING], initial_alphabet=alphabet, show_progress=False
    )
    pieces.train_from_iterator([text], trainer)
    return pieces


def ids_of(pieces: Tokenizer, text: str) -> Tensor:
    """The ids of the pieces of `text`, (N,)."""
    return torch.tensor(pieces.encode(text).ids)


# --- training ---


def text_batches(ids: Tensor, rows: int, length: int, seed: int) -> Callable[[int], Tensor]:
    """Batch number n: `rows` passages of a text, (rows, length + 1) ids, from places that seed and n decide.

    Raises ValueError when the text `ids` (N,) is too short for one.
    """
    if len(ids) <= length:
        raise ValueError(f"a passage has {length} + 1 pieces: the text has {len(ids)} only.")

    def batch(n: int) -> Tensor:
        starts = torch.randint(len(ids) - length, (rows, 1), generator=_random(seed, n))
        return ids[starts + torch.arange(length + 1)]

    return batch


def repeated_batches(vocabulary: int, rows: int, length: int, seed: int) -> Callable[[int], Tensor]:
    """Batch number n: `rows` of random ids, each a sequence that begins anew until the row is full, (rows, length + 1).

    A sequence has from a quarter of `length` to half of it, drawn for each row: how far back the copy stands cannot be
    learnt by heart.
    """

    def batch(n: int) -> Tensor:
        random = _random(seed, n)
        ids = torch.randint(1, vocabulary, (rows, length), generator=random)
        period = torch.randint(length // 4, length // 2 + 1, (rows, 1), generator=random)
        return ids.gather(1, torch.arange(length + 1) % period)

    return batch


def next_token_loss(model: nn.Module, batch: Tensor) -> tuple[Tensor, int]:
    """The summed −log p of every id after the first, given those to its left, and their number. batch (B, N + 1).

    Source: Radford et al. 2018, equation 1.
    """
    logits = model(batch[:, :-1])  # (B, N, vocabulary): at each place those of the id after it
    after = batch[:, 1:].flatten()
    return cross_entropy(logits.flatten(0, 1), after, reduction="sum"), len(after)


def _random(seed: int, n: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed * 1_000_003 + n)


# --- bits per byte ---


@torch.inference_mode()
def bits_per_byte(model: nn.Module, pieces: Tokenizer, text: str, length: int) -> float:
    """−log₂ p(text), over its bytes in UTF-8: what a byte costs if this model writes the text down.

    The text is read in passages of `length` pieces, each without what stands before it. Its first piece is free.
    """
    ids = ids_of(pieces, text)
    whole = (len(ids) - 1) // length * length
    passages = [ids[: whole + 1].unfold(0, length + 1, length), ids[whole:][None]]  # the last one is shorter
    nats = sum(float(next_token_loss(model, batch)[0]) for batch in passages if batch.shape[1] > 1)
    return nats / math.log(2) / len(text.encode())


def n_gram_bits_per_byte(pieces: Tokenizer, learnt: str, text: str, n: int) -> float:
    """The same for a model that counts in `learnt` what follows the last n − 1 pieces.

    Counts of shorter pasts step in where longer ones are rare: p(w | h) = (c(hw) + t(h) p(w | h')) / (c(h) + t(h)),
    where c counts, t(h) is how many different pieces have followed h, and h' is h without its first piece; below the
    shortest, all pieces are equally probable. Source: Witten and Bell 1991, as in Chen and Goodman 1996, section 2.4.
    """
    seen, asked = pieces.encode(learnt).ids, pieces.encode(text).ids
    grams = [Counter(zip(*(seen[i:] for i in range(k)), strict=False)) for k in range(1, n + 1)]
    pasts = [Counter(gram[:-1] for gram in grams[k].elements()) for k in range(n)]
    kinds = [Counter(gram[:-1] for gram in grams[k]) for k in range(n)]

    def probability(gram: tuple[int, ...]) -> float:
        if not gram:
            return 1 / pieces.get_vocab_size()
        k, past = len(gram) - 1, gram[:-1]
        count, different = pasts[k][past], kinds[k][past]
        shorter = probability(gram[1:])
        return (grams[k][gram] + different * shorter) / (count + different) if count else shorter

    bits = -sum(math.log2(probability(tuple(asked[max(0, i - n + 1) : i + 1]))) for i in range(1, len(asked)))
    return bits / len(text.encode())


def gzip_bits_per_byte(learnt: str, text: str) -> float:
    """By how many bits a byte of `text` makes the compressed file longer that has `learnt` before it."""
    before, both = (len(gzip.compress(part.encode(), 9)) for part in (learnt, learnt + text))
    return 8 * (both - before) / len(text.encode())
