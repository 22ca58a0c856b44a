"""Words or pieces, on real text and in the same time: `python -m bench.real_text`.

The text is what the programs of this system say in English and in French: up to 40,000 messages from gettext's
catalogues, which differ from system to system. Two translators with layers of the same sizes are trained on it, one
thread each: one with the 8000 most frequent words of each language, one with 8000 pieces for both. Each trains for the
same processor time; what it takes to learn the vocabulary is not counted. Both are then asked for the same test
messages. chrF and BLEU are sacrebleu's own; the second chrF leaves capitals out, which only pieces can tell apart.

It fails where words are better for one of the seeds, and says so and passes where there are too few catalogues.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import torch

from bench._catalogues import catalogue_pairs, write_pairs
from utils.data.corpora import Corpus, read_pairs, split
from utils.training.loop import TrainingConfig
from utils.training.loss import translation_loss
from utils.training.metrics import chrf, signed_scores
from utils.training.train import new_translator, trainer_of

PAIRS, SIZE, TESTED = 40_000, 8000, 1000
SECONDS = 150.0  # of processor time for each training
SEEDS = (0, 1, 2)
KINDS = {"words": {"most_words": SIZE}, "pieces": {"pieces": SIZE}}


def corpus_of(language: str) -> Corpus | None:
    """Messages to train on and to test with; None where this system has fewer than 5000."""
    pairs = catalogue_pairs(language)
    if len(pairs) < 5000:
        return None
    with tempfile.TemporaryDirectory() as folder:  # by way of a file, as a corpus of one's own comes
        path = Path(folder) / "messages.tsv"
        write_pairs(pairs, path)
        return split(read_pairs(path, PAIRS)[0])


def score(corpus: Corpus, kind: str, seed: int, seconds: float) -> float:
    """Trains a translator, prints how good it is, and returns its chrF without capitals."""
    translator = new_translator(corpus, seed, **KINDS[kind])
    # The paper's schedule: it need not know how many steps there will be.
    config = TrainingConfig(steps=10**6, warmup=400, schedule="inverse square root", seed=seed)
    trainer = trainer_of(
        *(translator, corpus, config),
        **{"validate": None, "loss_of": translation_loss(0.1), "clock": time.process_time, "show": False},
    )
    trainer.train(max_seconds=seconds)
    test = corpus.test[:: -(-len(corpus.test) // TESTED)]
    outputs, right = translator.translate_all([pair.source for pair in test]), [pair.target for pair in test]
    lower = chrf([text.lower() for text in outputs], [text.lower() for text in right])
    unknown = sum("<unknown>" in text for text in outputs) / len(outputs)
    print(f"  seed {seed}, {kind}: {trainer.step} steps, <unknown> in {unknown:.1%} of the translations")
    print(textwrap.indent(f"{signed_scores(outputs, right)}\nchrF without capitals {lower:.1f}", " " * 4), flush=True)
    return lower


def main() -> int:
    """Trains all of them; 1 where words were better."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--language", default="fr")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of processor time for each training")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    corpus = corpus_of(options.language)
    if corpus is None:
        print(f"There is nothing to measure with: this system has too few catalogues for {options.language}.")
        return 0
    print(f"{corpus}, {options.seconds:g} s of processor time for each training:")
    lost = 0
    for seed in options.seeds:
        words, pieces = (score(corpus, kind, seed, options.seconds) for kind in KINDS)
        lost += words >= pieces
    print(f"  pieces are better for {len(options.seeds) - lost} of {len(options.seeds)} seeds (goal: for all)")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
