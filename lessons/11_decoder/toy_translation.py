"""A language small enough to learn in seconds: short English sentences and their Persian translations.

About two thousand sentences from fifty words, each with one translation. What a translator has to find out: the verb
stands last, "the" has no word, the owner follows what is owned (کتاب من, my book), and "is not" is one word.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from utils.data.corpora import Pair
from utils.data.persian import ADJECTIVES
from utils.data.vocabulary import END, START, Vocabulary, tokenize
from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.models.watching import watching
from utils.training.batches import padded, random_batches
from utils.training.decoding import Translating, greedy
from utils.training.loop import Trainer, TrainingConfig
from utils.training.translator import examples

_SKY = ("great", "good", "bad", "beautiful", "cold", "warm")
_FOOD = ("great", "good", "bad", "cold", "warm")
_THING = ("great", "good", "bad", "beautiful", "new", "old", "big", "small")
_NOUNS = {
    "weather": ("هوا", _SKY),
    "sun": ("خورشید", _SKY),
    "tree": ("درخت", _THING),
    "book": ("کتاب", _THING),
    "car": ("ماشین", _THING),
    "city": ("شهر", _THING),
    "garden": ("باغ", _THING),
    "picture": ("عکس", _THING),
    "bread": ("نان", _FOOD),
    "soup": ("سوپ", _FOOD),
    "tea": ("چای", _FOOD),
    "water": ("آب", _FOOD),
}
_FRAMES = {"the": "{}", "this": "این {}", "that": "آن {}", "my": "{} من", "our": "{} ما"}
_OWNERS = ("my", "our")  # nobody owns the weather or the sun
# English before the adjective; Persian before and after it, with the verb's ending for I, we, they, and he or it.
_FORMS = (
    ("{is}", "", ("هستم", "هستیم", "هستند", "است")),
    ("{is} very", "خیلی ", ("هستم", "هستیم", "هستند", "است")),
    ("{is} not", "", ("نیستم", "نیستیم", "نیستند", "نیست")),
    ("{was}", "", ("بودم", "بودیم", "بودند", "بود")),
    ("{was} very", "خیلی ", ("بودم", "بودیم", "بودند", "بود")),
    ("{was} not", "", ("نبودم", "نبودیم", "نبودند", "نبود")),
)
_PERSONS = (("I", "من", "am", "was", "م"), ("we", "ما", "are", "were", "یم"), ("they", "آنها", "are", "were", "ند"))
_STATES = {"happy": "خوشحال", "tired": "خسته", "hungry": "گرسنه"}
_VERBS = {"eat": ("خور", ("bread", "soup")), "drink": ("نوش", ("tea", "water")), "want": ("خواه", tuple(_NOUNS)[2:])}
STEPS, BATCH = 250, 64  # of its training
_HELD_OUT_EVERY = 7  # of the pairs of a noun and an adjective


@dataclass(frozen=True)
class ToyCorpus:
    """Pairs (English, Persian) to train on and to test with, and both vocabularies.

    No training sentence has the noun and the adjective of a held-out one together; "the weather is great" is held out.
    """

    train: tuple[tuple[str, str], ...]
    held_out: tuple[tuple[str, str], ...]
    source: Vocabulary
    target: Vocabulary

    def source_ids(self, sentences: Sequence[str]) -> Tensor:
        """English sentences as a batch of ids (B, N), filled up with PAD at the end."""
        return padded([self.source.ids(tokenize(text)) for text in sentences])

    def target_ids(self, sentences: Sequence[str]) -> Tensor:
        """Persian sentences as a batch of ids (B, M), each between START and END, filled up with PAD at the end."""
        return padded([[START, *self.target.ids(tokenize(text)), END] for text in sentences])

    def config(self) -> TransformerConfig:
        """A transformer small enough for these sentences: one block on each side, two heads, post-norm."""
        sizes = {"d_model": 64, "n_heads": 2, "d_ff": 128, "n_encoder_layers": 1, "n_decoder_layers": 1}
        vocabularies = {"source_vocabulary": len(self.source), "target_vocabulary": len(self.target)}
        return TransformerConfig(**vocabularies, **sizes, dropout=0.0, max_length=16)


@cache
def toy_corpus() -> ToyCorpus:
    """All the sentences; always the same."""
    train, held_out = list(_about_persons()), []
    combinations = [(noun, adjective) for noun, (_, fitting) in _NOUNS.items() for adjective in fitting]
    for number, (noun, adjective) in enumerate(combinations):  # the first is the weather, great
        (train if number % _HELD_OUT_EVERY else held_out).extend(_about_things(noun, adjective))
    sides = zip(*train, strict=True)
    source, target = (Vocabulary.from_texts([tokenize(text) for text in side]) for side in sides)
    return ToyCorpus(tuple(train), tuple(held_out), source, target)


def words_of_kind(kind: str) -> dict[str, tuple[str, ...]]:
    """Persian word -> the English words that it may come from, of one kind: noun or adjective."""
    if kind == "noun":
        return {persian: (english,) for english, (persian, _) in _NOUNS.items()}
    return {ADJECTIVES[english]: (english,) for _, fitting in _NOUNS.values() for english in fitting}


def trained_translators(stops: Sequence[int], seed: int = 0) -> dict[int, Transformer]:
    """One transformer as it was after each of these numbers of training steps, 0 to 250; a few seconds of training.

    The stops share one training of 250 steps, always the same one for a seed. Raises ValueError for a stop outside it.
    """
    for stop in stops:
        if not 0 <= stop <= STEPS:
            raise ValueError(f"the training has {STEPS} steps, so a stop is from 0 to {STEPS}: one is {stop}.")
    corpus = toy_corpus()
    with torch.random.fork_rng(devices=[]):  # whoever draws random numbers afterwards draws the same as without this
        torch.manual_seed(seed)
        model = Transformer(corpus.config())
    pairs = examples([Pair(*pair) for pair in corpus.train], corpus.source, corpus.target)
    config = TrainingConfig(steps=STEPS, learning_rate=3e-3, warmup=20, optimizer="adam", seed=seed)
    trainer = Trainer(model, random_batches(pairs, BATCH, seed), config, show=False)
    kept = {}
    for stop in sorted(stops):
        if stop > trainer.step:
            trainer.train(stop - trainer.step)
        kept[stop] = copy.deepcopy(model).eval()
    return kept


@dataclass(frozen=True)
class DecoderStep:
    """What the decoder read, where it looked, and what it says next, at one step of a translation.

    M tokens read, N of the source, V words in the target vocabulary.
    """

    source: tuple[str, ...]  # N
    read: tuple[str, ...]  # M, the start token first
    self_attention: Tensor  # (n_heads, M, M), of the last layer
    cross_attention: Tensor  # (n_heads, M, N)
    probabilities: Tensor  # (V,)


def decoder_steps(model: Transformer, corpus: ToyCorpus, sentence: str) -> list[DecoderStep]:
    """Return the steps of a translation, at most eight, each of which writes the most probable word.

    Raises ValueError for a sentence with a word that the corpus doesn't have.
    """
    source = tuple(tokenize(sentence))
    unknown = [word for word in source if word not in corpus.source]
    if unknown or not source:
        raise ValueError(
            f"this small language has no word {unknown[0]!r}." if unknown else "there is nothing to translate."
        )
    with watching(model) as maps:
        # Without a cache every step is a whole pass, and the last one has the rows of all.
        predictor = Translating(model, corpus.source_ids([sentence]), cached=False, never=())
        written = greedy(predictor, predictor.start, 8, keep_probabilities=True)
    read = corpus.target.tokens([START, *written.tokens[0]])
    own, cross = maps.decoder[-1][0], maps.cross[-1][0]  # (n_heads, M, M), (n_heads, M, N)
    return [
        DecoderStep(source, tuple(read[:m]), own[:, :m, :m], cross[:, :m], probabilities)
        for m, probabilities in enumerate(written.probabilities[0], 1)
    ]


def _about_things(noun: str, adjective: str) -> Iterator[tuple[str, str]]:
    persian, fitting = _NOUNS[noun]
    for determiner, frame in _FRAMES.items():
        if fitting is _SKY and determiner in _OWNERS:
            continue
        for english, very, endings in _FORMS:
            verb = english.format_map({"is": "is", "was": "was"})
            yield (
                f"{determiner} {noun} {verb} {adjective}.".capitalize(),
                f"{frame.format(persian)} {very}{ADJECTIVES[adjective]} {endings[-1]}.",
            )


def _about_persons() -> Iterator[tuple[str, str]]:
    for number, (person, persian, present, past, ending) in enumerate(_PERSONS):
        who = person[0].upper() + person[1:]
        for state, state_persian in _STATES.items():
            for english, very, endings in _FORMS:
                verb = english.format_map({"is": present, "was": past})
                yield f"{who} {verb} {state}.", f"{persian} {very}{state_persian} {endings[number]}."
        for verb, (stem, objects) in _VERBS.items():
            for noun in objects:
                what = _NOUNS[noun][0]
                a, one = ("a ", "یک ") if _NOUNS[noun][1] is _THING else ("", "")
                yield f"{who} {verb} {a}{noun}.", f"{persian} {one}{what} می\u200c{stem}{ending}."
                yield f"{who} do not {verb} {a}{noun}.", f"{persian} {one}{what} نمی\u200c{stem}{ending}."
