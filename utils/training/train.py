"""Train a translator from the command line: `make train`, or `python -m utils.training.train --help`.

Without a corpus of its own it makes the course's translator, utils/training/translator.safetensors, with

    python -m utils.training.train --half --out utils/training/translator.safetensors

and with `--german --seed 1 --steps 2500` one into German.

Stopped with Ctrl+C, or killed, it goes on where it was when the same command is given again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from utils.data.corpora import Corpus, Pair, counted, english_german, english_persian, read_pairs, split
from utils.data.pieces import Pieces
from utils.data.spelling import Spelling
from utils.data.vocabulary import Vocabulary, tokenize
from utils.files import forgive_output, path_of
from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.training.batches import bucketed_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import translation_loss
from utils.training.metrics import chrf, exact_match, signed_scores
from utils.training.translator import Translator, examples

OUT = Path("my-notebooks/my_translator.safetensors")  # where lessons 13 and 14 look for one's own translator
_TESTED = 400  # validation sentences that are asked while training; at the end the test sentences are
_EPOCHS = 10  # of a corpus of one's own, unless --steps says otherwise
_TESTS = 20  # of a corpus of one's own while training: from them comes the step that is kept
_SMOOTHING = 0.1  # of a corpus of one's own, unless --smoothing says otherwise: the paper's

Score = Callable[[Sequence[str], Sequence[str]], float]  # (outputs, references) -> the higher the better


def new_translator(
    corpus: Corpus,
    seed: int = 0,
    most_words: int | None = None,
    device: torch.device | str = "cpu",
    pieces: int | None = None,
    **changes: Any,
) -> Translator:
    """Return a translator for `corpus` that has learnt nothing yet: d_model 128, 4 heads, 2 + 2 layers, pre-norm.

    changes: other values for `TransformerConfig`. most_words: the size of each vocabulary at most; None for all
    words. pieces: the size of one vocabulary of pieces for both languages instead, with one matrix for the three
    places where it stands (Vaswani et al. 2017, sections 3.4 and 5.1). The seed decides on the first weights;
    PyTorch's own random numbers stay as they are.
    """
    sides = [[getattr(pair, side) for pair in corpus.train] for side in ("source", "target")]
    if pieces is None:  # a sentence at a time: the tokens of a large corpus take many times the room of its text
        vocabularies = [Vocabulary.from_texts(map(tokenize, side), max_size=most_words) for side in sides]
        vocabularies[1].spelling = Spelling.from_texts(sides[1])
    else:
        vocabularies = [Pieces.from_texts([*sides[0], *sides[1]], pieces)] * 2
        changes = {"tied": "all", **changes}
    lengths = [max(len(words.split(text)) for text in side) for words, side in zip(vocabularies, sides, strict=True)]
    sizes = {"d_model": 128, "n_heads": 4, "d_ff": 512, "n_encoder_layers": 2, "n_decoder_layers": 2}
    config = TransformerConfig(
        source_vocabulary=len(vocabularies[0]),
        target_vocabulary=len(vocabularies[1]),
        **{
            **sizes,
            "dropout": 0.0,
            "norm_first": True,
            "tied": "none",
            "max_length": max(128, 4 * max(lengths)),
            **changes,
        },
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Transformer(config).to(device)
    return Translator(model, *vocabularies, longest=lengths[0])


def recipe(**changes: Any) -> TrainingConfig:
    """Return how lesson 12 trains: with strong weight decay, so that it finds the grammar and remembers no sentences.

    changes: other values for `TrainingConfig`.
    """
    return TrainingConfig(**{"weight_decay": 1.0, **changes})


def trainer_of(
    translator: Translator,
    corpus: Corpus,
    config: TrainingConfig | None = None,
    batch_size: int = 32,
    tested: int = _TESTED,
    score: Score = exact_match,
    **options: Any,
) -> Trainer:
    """Return a `Trainer` for `translator` with batches by length; its score is `score` on validation sentences.

    The loss, unless `options` has another, is plain cross-entropy: where each sentence has one right translation,
    there is nothing to be unsure of, and a model with label smoothing of 0.1 is later to be exactly right.

    config: `recipe()` unless given. tested: how many of them are asked at most, spread over all; a corpus without any
    is watched by its test sentences. options: those of `Trainer`, such as the `score_name` of another score.
    """
    config = config or recipe()
    pairs = examples(corpus.train, translator.source_vocabulary, translator.target_vocabulary)
    watched = corpus.validation or corpus.held_out
    validate = score_on(translator, watched[:: -(-len(watched) // tested) or 1], score)
    return Trainer(
        translator.model, bucketed_batches(pairs, batch_size, config.seed), config, **{"validate": validate, **options}
    )


def score_on(translator: Translator, pairs: Sequence[Pair], score: Score = exact_match) -> Callable[[nn.Module], float]:
    """Return a function for `Trainer` that scores `translator`, whose model is being trained, on `pairs`."""
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    return lambda model: score(translator.translate_all(sources), targets)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; explain anything wrong with it, or with its files, in one sentence."""
    forgive_output()
    options = _options(arguments)
    try:
        _train(options)
    except (OSError, ValueError, FloatingPointError) as error:
        sys.exit(str(error))


def _train(options: argparse.Namespace) -> None:
    _require_possible(options)
    corpus = _corpus(options)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    sizes = {"d_model": options.d_model, "d_ff": 4 * options.d_model}
    translator = new_translator(corpus, options.seed, options.most_words, device, options.pieces, **sizes)
    steps = _usual_steps(options, corpus) if options.steps is None else options.steps
    changes = {"steps": steps, "warmup": min(60, steps), "learning_rate": options.learning_rate, "seed": options.seed}
    config = recipe(**changes)
    scored: dict[str, Any] = {}
    if options.corpus is not None:  # whose sentences are seldom translated exactly as they are there
        config = TrainingConfig(**changes, evaluate_every=max(20, steps // _TESTS))
        scored = {"score": chrf, "score_name": "chrF"}
    checkpoint = options.out.with_suffix(".checkpoint.safetensors")
    best = options.out.with_suffix(".best.safetensors")
    smoothing = (_SMOOTHING if options.corpus else 0.0) if options.smoothing is None else options.smoothing

    def keep() -> None:
        translator.save(best, torch.float16 if options.half else None)

    trainer = trainer_of(
        *(translator, corpus, config, options.batch_size),
        **scored,
        on_best=keep if corpus.validation else lambda: None,  # the test sentences choose nothing
        checkpoint=checkpoint,
        loss_of=translation_loss(smoothing),
        going_on="the same command",
    )
    corpus = replace(corpus, train=[])  # its text has become ids
    if checkpoint.exists():
        trainer.load(checkpoint)
        print(f"Going on from step {trainer.step}, as {checkpoint} has it: delete that file to begin anew.")
    trainer.train()
    if trainer.done:
        if not corpus.validation:
            keep()
        _finish(trainer, best, corpus, options)
        checkpoint.unlink()


def _require_possible(options: argparse.Namespace) -> None:
    """Refuse at once any option that would otherwise fail after minutes of reading and training."""
    if options.corpus is None:
        given = {"swap": options.swap or None, "max-pairs": options.max_pairs, "pieces": options.pieces}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"--{name} is for sentence pairs of your own: name their file with --corpus.")
    if options.out.is_dir():
        raise IsADirectoryError(f"--out must be a file to write: {options.out} is a folder.")
    if options.out == OUT:
        OUT.parent.mkdir(exist_ok=True)  # the student may not have opened the course yet
    if not options.out.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {options.out.parent} to write {options.out.name} into.")


def _corpus(options: argparse.Namespace) -> Corpus:
    if options.corpus is None:
        corpus = english_german() if options.german else english_persian()
    else:
        pairs, report = read_pairs(options.corpus, options.max_pairs, swap=options.swap)
        print(report)
        corpus = split(pairs, seed=options.seed)
    train, rest = counted(len(corpus.train), "pair"), (len(corpus.validation), len(corpus.test))
    print(f"{train} to train on, {rest[0]} to validate, {rest[1]} to test.")
    return corpus


def _usual_steps(options: argparse.Namespace, corpus: Corpus) -> int:
    if options.corpus is None:
        return TrainingConfig().steps
    return max(TrainingConfig().steps, _EPOCHS * len(corpus.train) // options.batch_size)


def _finish(trainer: Trainer, best: Path, corpus: Corpus, options: argparse.Namespace) -> None:
    """Save the best weights under the requested name, then test them."""
    if best.exists():  # else this is where it was killed the last time
        os.replace(best, options.out)
    outputs = Translator.load(options.out).translate_all([pair.source for pair in corpus.test])
    references = [pair.target for pair in corpus.test]
    print(f"Saved in {options.out} ({options.out.stat().st_size / 2**20:.1f} MB).")
    if corpus.validation:
        score, step = max((score, step) for step, score in trainer.history.scores)
        print(f"Chosen by the validation sentences: step {step}, {trainer.score_name} {score:.3g}.")
    print(f"On the test sentences: {exact_match(outputs, references):.1%} exactly right.")
    print(signed_scores(outputs, references))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m utils.training.train", description="Train a translator.")
    add = parser.add_argument
    add("--corpus", type=path_of, help="sentence pairs between tabs, as Tatoeba and ManyThings export them")
    add("--german", action="store_true", help="into German, where no corpus of your own is named")
    add("--swap", action="store_true", help="translate from the second sentence of each line to the first")
    add("--max-pairs", type=int, help="read so many pairs at most")
    add("--most-words", type=int, default=8000, help="of each vocabulary; rarer ones are <unknown> (8000)")
    add("--pieces", type=int, help="so many pieces of words, the same for both languages, instead of whole words")
    add("--out", type=path_of, default=OUT, help=f"the file to write ({OUT})")
    add(
        "--steps",
        type=int,
        help=f"({TrainingConfig().steps}; with a corpus of your own {_EPOCHS} times through it, if that is more)",
    )
    add("--batch-size", type=int, default=32, help="sentences in a step (32)")
    add("--learning-rate", type=float, default=TrainingConfig().learning_rate, help="at its highest (0.002)")
    add("--smoothing", type=float, help=f"label smoothing (0; with a corpus of your own {_SMOOTHING}, the paper's)")
    add("--d-model", type=int, default=128, help="numbers per token (128)")
    add("--seed", type=int, default=0, help="of weights and batches (0)")
    add("--half", action="store_true", help="save the weights in 16 bits")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
