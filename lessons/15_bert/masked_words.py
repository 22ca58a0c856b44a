"""A small BERT that learns to fill in hidden words: `python -m lessons.masked_words` does again what is kept.

The corpus is the English side of the course's own. A training is done in two ways that differ in what a word may look
at: all words, or those to its left (a causal mask). The shares of hidden words of unseen sentences that are guessed
right stand in masked_words.json beside this file.
Source: Devlin et al. 2019, section 3.1, task 1 (15 % of the words, of these 80 % [MASK], 10 % another word, 10 % kept).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.data.corpora import english_persian
from utils.data.kept import keep, read_kept
from utils.data.vocabulary import END, PAD, START, Vocabulary, tokenize
from utils.models.bert import Bert, BertConfig
from utils.models.masks import causal_mask, padding_mask
from utils.training.batches import padded
from utils.training.loop import Trainer, TrainingConfig

SEEDS = (0, 1, 2)
WAYS = ("both sides", "left only")
STEPS, SHORT, BATCH, TESTED = 2000, 300, 64, 400  # SHORT: in the lesson itself
CHOSEN, MASKED, OTHER = 0.15, 0.8, 0.1  # of the words; of those chosen, [MASK] and another word; the rest are kept
NOT_COUNTED = -100  # where nothing is to be guessed; PyTorch's cross_entropy leaves these out
_FILE = Path(__file__).with_name("masked_words.json")


class WordGuesser(nn.Module):
    """Ids (B, N) -> logits over the words for every place, (B, N, vocabulary): Bert and an output layer.

    The output layer is the table of embeddings again, as in BERT; `way` is one of WAYS.
    """

    def __init__(self, vocabulary: int, way: str = WAYS[0]) -> None:
        super().__init__()
        sizes = {"d_model": 64, "n_heads": 4, "d_ff": 128, "n_layers": 2, "max_length": 16, "dropout": 0.0}
        self.bert = Bert(BertConfig(vocabulary=vocabulary, **sizes))
        nn.init.normal_(self.bert.tokens.weight, std=0.02)  # else the first logits, made with this table, are huge
        nn.init.normal_(self.bert.segments.weight, std=0.02)
        self.transform = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64))
        self.bias = nn.Parameter(torch.zeros(vocabulary))
        self.way = way

    def forward(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, PAD)  # (B, 1, 1, N)
        if self.way == "left only":
            mask = mask & causal_mask(ids.shape[1])  # (B, 1, N, N)
        x = self.bert.encoder(self.bert.embed(ids), mask)  # (B, N, d_model)
        return F.linear(self.transform(x), self.bert.tokens.weight, self.bias)  # (B, N, vocabulary)


class FilledIn:
    """A trained `WordGuesser` with its words."""

    def __init__(self, model: WordGuesser, losses: Sequence[float]) -> None:
        self.model, self.losses = model.eval(), list(losses)

    @torch.no_grad()
    def guess(self, sentence: str, most: int = 5) -> list[tuple[str, float]]:
        """The likeliest words for the one place of `sentence` that is written [MASK], each with its probability.

        Raises ValueError unless it is there once, and when the sentence is too long.
        """
        before, *after = sentence.split("[MASK]")
        if len(after) != 1:
            raise ValueError(f"write [MASK] for one word: it is there {len(after)} times.")
        left, right = ([*words().ids(tokenize(part))] for part in (before, after[0]))
        ids = torch.tensor([[START, *left, mask_id(), *right, END]])
        if ids.shape[1] > self.model.bert.config.max_length:
            raise ValueError(
                f"a sentence may have {self.model.bert.config.max_length - 2} words and marks: this one has "
                f"{ids.shape[1] - 2}."
            )
        likely = self.model(ids)[0, 1 + len(left)].softmax(-1).topk(most)
        names = [*words().tokens(range(len(words()))), "[MASK]"]
        return [(names[i], p) for i, p in zip(likely.indices.tolist(), likely.values.tolist(), strict=True)]

    @torch.no_grad()
    def right(self, sentences: Sequence[str]) -> float:
        """The share of tokens, full stops too, that are guessed when each one of each sentence is hidden in turn."""
        hits = []
        for sentence in sentences:
            ids = torch.tensor(_ids(sentence))  # (N,)
            places = torch.arange(1, len(ids) - 1)  # neither START nor END
            hidden = ids.repeat(len(places), 1)  # (N − 2, N)
            hidden[torch.arange(len(places)), places] = mask_id()
            hits.append(self.model(hidden)[torch.arange(len(places)), places].argmax(-1) == ids[places])
        return float(torch.cat(hits).float().mean())


def hide(ids: Tensor, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Ids (B, N) as they are read, and what is to be guessed, (B, N): NOT_COUNTED where nothing is.

    Of the words CHOSEN are chosen, at least one in a sentence; START, END and padding never are.
    """
    is_word = (ids != PAD) & (ids != START) & (ids != END)
    dice = torch.from_numpy(random.random(ids.shape)).masked_fill(~is_word, 1.0)
    chosen = (dice < CHOSEN) | (is_word & (dice == dice.min(dim=1, keepdim=True).values))
    kind = torch.from_numpy(random.random(ids.shape))
    others = torch.from_numpy(random.integers(END + 2, len(words()), ids.shape))
    read = torch.where(chosen & (kind < MASKED), mask_id(), ids)
    read = torch.where(chosen & (kind >= MASKED) & (kind < MASKED + OTHER), others, read)
    return read, ids.masked_fill(~chosen, NOT_COUNTED)


def train_filled_in(seed: int = 0, way: str = WAYS[0], steps: int = SHORT, show: bool = False) -> FilledIn:
    """A model trained from nothing to fill in words, in some seconds. show: a progress bar, and curves."""
    corpus = padded([_ids(pair.source) for pair in english_persian().train])

    def batch(number: int) -> tuple[Tensor, Tensor]:
        random = np.random.default_rng([seed, number])
        return hide(corpus[torch.from_numpy(random.integers(len(corpus), size=BATCH))], random)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = WordGuesser(len(words()) + 1, way)
    config = TrainingConfig(steps=steps, learning_rate=3e-3, warmup=min(50, steps), seed=seed)
    history = Trainer(model, batch, config, loss_of=_loss_of, show=show).train()
    return FilledIn(model, history.losses)


def unseen_sentences() -> list[str]:
    """TESTED sentences that no training has read."""
    return [pair.source for pair in english_persian().test[:TESTED]]


def right_by_frequency() -> float:
    """What `right` is of the unseen sentences for whoever always says the most frequent token."""
    ids = [i for sentence in unseen_sentences() for i in _ids(sentence)[1:-1]]
    return ids.count(END + 2) / len(ids)  # a vocabulary begins with the most frequent one, after the special tokens


def saved_shares() -> dict[str, list[float]]:
    """For each of WAYS what `right` is of the unseen sentences after STEPS steps, one for each of SEEDS."""
    kept = read_kept(_FILE)
    return {way: [kept[f"{way} {seed}"] for seed in SEEDS] for way in WAYS}


@cache
def words() -> Vocabulary:
    """The words of the training sentences; [MASK] comes behind them, with the id `mask_id()`."""
    return Vocabulary.from_texts([tokenize(pair.source) for pair in english_persian().train])


def mask_id() -> int:
    return len(words())


def _ids(sentence: str) -> list[int]:
    return [START, *words().ids(tokenize(sentence)), END]


def _loss_of(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    ids, hidden = batch
    logits = model(ids).flatten(0, 1)  # (B · N, vocabulary)
    loss = F.cross_entropy(logits, hidden.flatten(), ignore_index=NOT_COUNTED, reduction="sum")
    return loss, int((hidden != NOT_COUNTED).sum())


def _share(seed: int, way: str) -> float:
    return round(train_filled_in(seed, way, STEPS).right(unseen_sentences()), 4)


if __name__ == "__main__":
    keep(_FILE, {f"{way} {seed}": partial(_share, seed, way) for seed, way in product(SEEDS, WAYS)})
