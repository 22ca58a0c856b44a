"""Measure the cost of decoding with and without the key–value cache: `python -m bench.decoding_time`.

A translator with random weights writes 256 tokens for each of 32 sentences of 16 words, on one thread: greedily and
with a beam of 4, cached and uncached. No token ends a row, so all of them do the same work. The texts must agree from
first to last token.
"""

from __future__ import annotations

import sys
import time

import torch

from bench._goal import met
from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.training.decoding import Decoded, Translating, beam, greedy

BATCH, LENGTH, SOURCE_LENGTH, WIDTH = 32, 256, 16, 4
SHAPE = {"d_model": 128, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_ff": 512, "dropout": 0.0}
CONFIG = TransformerConfig(source_vocabulary=300, target_vocabulary=300, max_length=LENGTH, tied="none", **SHAPE)
OPINION = 8.0  # what the output weights are multiplied by: a fresh model finds all words nearly alike
TARGETS = {"uncached": 10.0, "beam": 5.0}


def main() -> int:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Transformer(CONFIG).eval()
    with torch.no_grad():
        model.output.weight.mul_(OPINION)
    source = torch.randint(4, CONFIG.source_vocabulary, (BATCH, SOURCE_LENGTH))

    ways = {
        "greedy, cached": lambda: _greedy(Translating(model, source)),
        f"beam {WIDTH}, cached": lambda: _beam(Translating(model, source)),
        "greedy, uncached": lambda: _greedy(Translating(model, source, cached=False)),
    }
    _greedy(Translating(model, source), 16)  # whatever is set up at the first call
    seconds, texts = {}, {}
    for name, decode in ways.items():
        start = time.perf_counter()
        texts[name] = decode().tokens
        seconds[name] = time.perf_counter() - start
    texts[f"beam {WIDTH}, uncached"] = _beam(Translating(model, source[:2], cached=False)).tokens  # two will do

    cached, beam_cached, uncached = seconds.values()
    print(f"{BATCH} sentences, {LENGTH} tokens each; d_model {CONFIG.d_model}, 2 + 2 layers, one thread")
    for name, value in seconds.items():
        print(f"  {name:30} {value:8.2f} s   {BATCH * LENGTH / value:9.0f} tokens/s")
    same = (
        texts["greedy, cached"] == texts["greedy, uncached"]
        and texts[f"beam {WIDTH}, cached"][:2] == texts[f"beam {WIDTH}, uncached"]
    )
    different = len({token for row in texts["greedy, cached"] for token in row})
    goals = [
        met("cached greedy is faster than uncached by", uncached / cached, TARGETS["uncached"], at_least=True),
        met("cached beam costs, of cached greedy", beam_cached / cached, TARGETS["beam"]),
    ]
    print(f"  the same tokens in all cases ({different} different words): {'yes' if same else 'NO'}")
    return 0 if same and all(goals) else 1


def _greedy(predictor: Translating, length: int = LENGTH) -> Decoded:
    return greedy(predictor, predictor.start, length, end=None)


def _beam(predictor: Translating) -> Decoded:
    return beam(predictor, predictor.start, LENGTH, width=WIDTH, end=None)


if __name__ == "__main__":
    sys.exit(main())
