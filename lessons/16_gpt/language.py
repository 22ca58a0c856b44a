"""What lesson 16 needs to model a language: pieces, bits per byte, and simple models to compare with.

A sequence is a tensor of ids of pieces; id 0 is padding, which no text has. N is the length of a sequence in pieces.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor, nn

from utils.training.loss import next_token_loss

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


def repeated_batches(vocabulary: int, rows: int, length: int, seed: int = 0) -> Callable[[int], Tensor]:
    """Batch number n: `rows` of random ids, a sequence that begins anew until the row is full, (rows, length + 1).

    A sequence has from eight ids to half of `length`, drawn for each row, so that how far back its copy stands
    cannot be learnt by heart.
    """

    def batch(n: int) -> Tensor:
        random = torch.Generator().manual_seed(seed * 1_000_003 + n)
        ids = torch.randint(1, vocabulary, (rows, length), generator=random)
        period = torch.randint(8, length // 2 + 1, (rows, 1), generator=random)
        return ids.gather(1, torch.arange(length + 1) % period)  # (rows, length + 1)

    return batch


# --- bits per byte ---


@torch.inference_mode()
def bits_per_byte(model: nn.Module, pieces: Tokenizer, text: str, length: int) -> float:
    """−log₂ p(text), over its bytes in UTF-8: what a byte costs if this model writes the text down.

    The text is read in passages of `length` pieces, each without what stands before it. Its first piece is free.
    """
    ids = ids_of(pieces, text)
    *whole, last = (ids[start : start + length + 1] for start in range(0, len(ids) - 1, length))  # the last is shorter
    batches = [torch.stack(whole), last[None]] if whole else [last[None]]
    nats = sum(float(next_token_loss()(model, batch)[0]) for batch in batches)
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


def kneser_ney_bits_per_byte(pieces: Tokenizer, learnt: str, text: str, n: int) -> float:
    """Return the bits per byte of an n-gram with interpolated Kneser–Ney smoothing.

    Only the longest past counts how often a piece has followed it. Each shorter one counts before how many different
    pieces the two have come together. A discount, n₁ / (n₁ + 2 n₂) of the grams that have the counts 1 and 2, is taken
    from each count and given to the shorter past. Sources: Kneser and Ney 1995; Chen and Goodman 1998.
    """
    seen, asked = pieces.encode(learnt).ids, pieces.encode(text).ids
    counts = [Counter(zip(*(seen[i:] for i in range(n)), strict=False))]
    while len(counts) < n:
        counts.insert(0, Counter(gram[1:] for gram in counts[0]))
    totals: list[Counter[tuple[int, ...]]] = [Counter(gram[:-1] for gram in grams.elements()) for grams in counts]
    kinds = [Counter(gram[:-1] for gram in grams) for grams in counts]
    rare = [Counter(grams.values()) for grams in counts]
    discounts = [found[1] / (found[1] + 2 * found[2]) if found[1] else 0.0 for found in rare]

    def probability(gram: tuple[int, ...]) -> float:
        if not gram:
            return 1 / pieces.get_vocab_size()
        k, past, shorter = len(gram) - 1, gram[:-1], probability(gram[1:])
        if not totals[k][past]:
            return shorter
        taken = discounts[k] * kinds[k][past] * shorter
        return (max(counts[k][gram] - discounts[k], 0) + taken) / totals[k][past]

    bits = -sum(math.log2(probability(tuple(asked[max(0, i - n + 1) : i + 1]))) for i in range(1, len(asked)))
    return bits / len(text.encode())
