"""Train the translator of the start page on `utils.data.everyday_sentences`:

    python -m utils.training.everyday German
    python -m utils.training.everyday Persian

Each writes `utils/training/everyday_german.safetensors` (or `_persian`), in 16 bits. The shipped translators
continue from earlier weights (`--start`), several times, for some 3,000 steps each. A quarter of the sentences are
those that the small translators learn from, so that a translator knows what they know. Both embedding tables start from
the tables of the corpus, so that words that translate each other begin near each other.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice, product
from pathlib import Path

import torch

from utils.data.corpora import english_german, english_persian
from utils.data.everyday import CARRIED, PERSONS, number, table, verbs
from utils.data.everyday_sentences import sentences
from utils.data.gloss import UNKNOWN, gloss
from utils.data.grammar import Dice
from utils.data.vocabulary import UNKNOWN as UNKNOWN_ID
from utils.data.vocabulary import Vocabulary, tokenize, written_tokens
from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.training.batches import bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.translator import Translator

Tokens = tuple[list[str], list[str]]  # of a sentence and of its translation
FOLDER = Path(__file__).parent
_SMALL_SHARE = 0.35  # sentences of the small corpus for each one of the everyday corpus
_HELD_OUT = 300
_FREQUENT = 500  # words at the beginning of a vocabulary that count as frequent


def pairs(language: str, count: int, seed: int = 0) -> list[Tokens]:
    """Return `count` sentences of the everyday corpus as tokens, with their translations."""
    made = islice(sentences(seed), count)
    return [(one.english.split(), getattr(one, language.lower()).split()) for one in made]


def small_pairs(language: str) -> list[Tokens]:
    """Return the training sentences of the small corpus as tokens; German nouns are capitalized."""
    corpus = english_german() if language == "German" else english_persian()
    return [(tokenize(pair.source), cased(pair.target)) for pair in corpus.train]


def cased(text: str) -> list[str]:
    """Return the tokens as they are written within a sentence: the first is capitalized only if it is a noun."""
    first, *others = (token for token, _ in written_tokens(text))
    return [first if first in _german_nouns() else first[0].lower() + first[1:], *others]


def _german_nouns() -> set[str]:
    return {row[name] for row in table("nouns") for name in ("german", "german_plural")}


def meanings(language: str) -> list[tuple[set[str], set[str]]]:
    """Return, for each row of the tables, its English words and the words of its translations."""
    german, rows = language == "German", []
    for row in table("nouns"):
        if german:
            forms = {row["german"], row["german_plural"], row["german_plural"] + "n"}
        else:
            forms = {row["persian"].split()[0], row["persian"] + "‌ها", row["persian"] + "ها"}
        rows.append(({row["english"], row["plural"]}, forms))
    for row in table("adjectives"):
        forms = {row["persian"], row["persian"] + "‌تر"}
        if german:
            stem = row["german"].removesuffix("e")
            forms = {
                row["german"],
                row["german_comparative"],
                *(stem + end for end in ("", "e", "en", "er", "es", "em")),
            }
        rows.append(({row["english"], row["comparative"]}, forms))
    for verb in verbs():
        english = {verb.base, verb.past, verb.participle, verb.inflected("s"), verb.inflected("ing")}
        if german:
            forms = {verb.present(person) for person in PERSONS} | {verb.infinitive, verb.german_participle}
        elif verb.light:
            forms = set(verb.light.split())
        else:
            said = product(("present", "past", "subjunctive", "perfect"), PERSONS, (False, True))
            forms = {word for form in said for word in verb.persian(*form).split()}
        rows.append(({form.split()[0] for form in english}, forms))
    for one in map(number, range(101)):
        rows.append(({one.english}, {one.german} if german else set(one.persian.split()[-1:])))
    for row in [*table("adverbs"), *table("names")]:
        words = [row["english"], row[language.lower()]]
        if all(len(word.split()) == 1 for word in words):
            rows.append(({words[0]}, {words[1]}))
    return [*rows, *(({word}, {word}) for word in CARRIED)]


def glosses(language: str, words: Iterable[str]) -> dict[str, str]:
    """Return the English of each word of the language that the small corpus or the tables have."""
    found: dict[str, str] = {}
    for english, translated in meanings(language):
        for word in translated:
            found.setdefault(word, min(sorted(english - {""}), key=len))
    told = {word: gloss(word) for word in words}
    told = {word: found.get(word, UNKNOWN) if meaning == UNKNOWN else meaning for word, meaning in told.items()}
    return {word: meaning for word, meaning in told.items() if meaning != UNKNOWN}


def new_translator(language: str, examples: Sequence[Tokens], d_model: int = 128, seed: int = 0) -> Translator:
    """Return an untrained translator of the words of `examples`; words that translate each other have near vectors."""
    vocabularies = [_vocabulary(side) for side in zip(*examples, strict=True)]
    config = TransformerConfig(
        source_vocabulary=len(vocabularies[0]), target_vocabulary=len(vocabularies[1]), d_model=d_model, n_heads=4,
        d_ff=4 * d_model, n_encoder_layers=2, n_decoder_layers=2, dropout=0.0, norm_first=True, max_length=128,
    )  # fmt: skip
    torch.manual_seed(seed)
    model = Transformer(config)
    found: list[dict[int, list[torch.Tensor]]] = [defaultdict(list), defaultdict(list)]
    for english, translated in meanings(language):
        vector = torch.randn(d_model) / d_model**0.5
        for side, words in enumerate((english, translated)):
            for word in words:
                if word in vocabularies[side]:
                    found[side][vocabularies[side].ids([word])[0]].append(vector)
    with torch.no_grad():
        for side, embedding in enumerate((model.source_embedding, model.target_embedding)):
            for row, vectors in found[side].items():
                shared = torch.stack(vectors).sum(0) / len(vectors) ** 0.5
                embedding.weight[row] = 0.75 * shared + 0.65 * embedding.weight[row]
    return Translator(model, *vocabularies, longest=max(len(source) for source, _ in examples))


def take_over(translator: Translator, earlier: Translator) -> None:
    """Begin with the weights of an earlier translator of the same size; words that it doesn't know keep theirs."""
    weights = earlier.model.state_dict()
    vocabularies = {
        "source_embedding": (translator.source_vocabulary, earlier.source_vocabulary),
        "target_embedding": (translator.target_vocabulary, earlier.target_vocabulary),
    }
    with torch.no_grad():
        for name, parameter in translator.model.named_parameters():
            part = name.partition(".")[0]
            if part in vocabularies:
                new, old = vocabularies[part]
                for word in set(new) & set(old):
                    parameter[new.ids([word])[0]] = weights[name][old.ids([word])[0]]
            elif parameter.shape == weights[name].shape:
                parameter.copy_(weights[name])
    lengthen(translator.model)


def lengthen(model: Transformer) -> None:
    """Make the vectors of rare words as long as those of frequent ones: too short a vector can't win against them."""
    with torch.no_grad():
        for embedding in (model.source_embedding, model.target_embedding):
            norms = embedding.weight.norm(dim=1, keepdim=True)
            embedding.weight.mul_((norms[:_FREQUENT].median() / norms.clamp(min=1e-6)).clamp(min=1))


def _vocabulary(texts: Iterable[Sequence[str]]) -> Vocabulary:
    return Vocabulary.from_texts([*texts, CARRIED])


def shorten(model: Transformer) -> None:
    """Round each weight to 6 significant bits: packed for a page, it is a fifth smaller and translates the same."""
    with torch.no_grad():
        for parameter in model.parameters():
            bits = parameter.half().view(torch.int16).int()
            parameter.copy_(((bits + 16) & ~31).short().view(torch.float16).float())


def exact(translator: Translator, held_out: Sequence[Tokens]) -> float:
    """Return the share of sentences that are translated word for word as the corpus does."""
    written = translator.translate_tokens([source for source, _ in held_out])
    return sum(got == target for got, (_, target) in zip(written, held_out, strict=True)) / len(held_out)


def train(language: str, out: Path, steps: int, count: int, seed: int = 0, start: Path | None = None) -> None:
    """Train a translator, which may begin with the weights in the file `start`; write its weights to `out`."""
    dice = Dice(seed)
    every = pairs(language, count, seed)
    small = small_pairs(language)
    examples = [*every, *(dice.pick(small) for _ in range(int(_SMALL_SHARE * count)))]
    translator = new_translator(language, examples, seed=seed)
    if start:
        take_over(translator, Translator.load(start))
    known = set(map(" ".join, (source for source, _ in every)))
    source, target = translator.source_vocabulary, translator.target_vocabulary
    held_out = [pair for pair in pairs(language, 4 * _HELD_OUT, seed + 1) if " ".join(pair[0]) not in known]
    held_out = [pair for pair in held_out if all(word in source for word in pair[0])][:_HELD_OUT]
    print(f"{len(source)} words to read, {len(target)} to write, {len(examples)} sentences.", flush=True)
    ids = [(source.ids(one), target.ids(other)) for one, other in examples]
    ids = [pair for pair in ids if UNKNOWN_ID not in pair[0] + pair[1]]
    config = TrainingConfig(
        steps=steps,
        warmup=min(100, steps),
        learning_rate=2e-3 if start is None else 1e-3,
        weight_decay=0.0,  # it would shorten the vectors of rare words until none is written
        evaluate_every=1000,
        seed=seed,
    )

    def validate(_: object) -> float:
        score = exact(translator, held_out)
        print(f"step {trainer.step}: loss {sum(trainer.history.losses[-50:]) / 50:.3f}, exact {score:.3f}", flush=True)
        translator.save(out, torch.float16)
        return score

    trainer = Trainer(translator.model, bucketed_batches(ids, 32, seed), config, validate=validate, show=False)
    trainer.train()
    lengthen(translator.model)
    shorten(translator.model)
    translator.save(out, torch.float16)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=("German", "Persian"))
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--count", type=int, default=110_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="begin with the weights in this file")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    file = options.out or FOLDER / f"everyday_{options.language.lower()}.safetensors"
    train(options.language, file, options.steps, options.count, options.seed, options.start)
