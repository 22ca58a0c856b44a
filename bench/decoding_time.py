"""What decoding costs with and without the key–value cache: `python -m bench.decoding_time`.

A translator with random weights writes 256 tokens for each of 32 sentences of 16 words, on one thread: greedily and
with a beam of 4, cached and uncached; and so does `torch.nn.Transformer` with the same weights, which has no cache.
No token ends a row, so all of them do the same work. The texts must agree from first to last token.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from bench._torch_weights import to_torch
from utils.data.vocabulary import PAD, START
from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer
from utils.training.decoding import Decoded, Translating, beam, greedy

BATCH, LENGTH, SOURCE_LENGTH, WIDTH = 32, 256, 16, 4
CONFIG = TransformerConfig(
    source_vocabulary=300,
    target_vocabulary=300,
    d_model=128,
    n_heads=4,
    d_ff=512,
    dropout=0.0,
    n_encoder_layers=2,
    n_decoder_layers=2,
    max_length=LENGTH,
    tied="none",
)
OPINION = 8.0  # what the output weights are multiplied by: a fresh model finds all words nearly alike
REPEATS = 3  # of the fast ones; the uncached are measured once, the shortest of them takes seconds
TARGETS = {"uncached": 10.0, "torch.nn.Transformer": 15.0, "beam": 5.0}


def main() -> int:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Transformer(CONFIG).eval()
    with torch.no_grad():
        model.output.weight.mul_(OPINION)
    source = torch.randint(4, CONFIG.source_vocabulary, (BATCH, SOURCE_LENGTH))
    theirs = TorchTranslating(model, source)

    ways: dict[str, tuple[Callable[[], Decoded], int]] = {
        "greedy, cached": (lambda: _greedy(Translating(model, source)), REPEATS),
        f"beam {WIDTH}, cached": (lambda: _beam(Translating(model, source)), REPEATS),
        "greedy, uncached": (lambda: _greedy(Translating(model, source, cached=False)), 1),
        "greedy, torch.nn.Transformer": (lambda: _greedy(theirs), 1),
    }
    _greedy(Translating(model, source), 16)  # whatever is set up at the first call
    seconds, texts = {}, {}
    for name, (decode, repeats) in ways.items():
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            texts[name] = decode().tokens
            times.append(time.perf_counter() - start)
        seconds[name] = statistics.median(times)
    texts[f"beam {WIDTH}, uncached"] = _beam(Translating(model, source[:2], cached=False)).tokens  # two will do

    cached, beam_cached, uncached, torch_s = seconds.values()
    print(f"{BATCH} sentences, {LENGTH} tokens each; d_model {CONFIG.d_model}, 2 + 2 layers, one thread")
    for name, value in seconds.items():
        print(f"  {name:30} {value:8.2f} s   {BATCH * LENGTH / value:9.0f} tokens/s")
    same = (
        texts["greedy, cached"] == texts["greedy, uncached"] == texts["greedy, torch.nn.Transformer"]
        and texts[f"beam {WIDTH}, cached"][:2] == texts[f"beam {WIDTH}, uncached"]
    )
    different = len({token for row in texts["greedy, cached"] for token in row})
    met = [
        _line("cached greedy is faster than uncached by", uncached / cached, TARGETS["uncached"], at_least=True),
        _line("… than torch.nn.Transformer by", torch_s / cached, TARGETS["torch.nn.Transformer"], at_least=True),
        _line("cached beam costs, of cached greedy", beam_cached / cached, TARGETS["beam"], at_least=False),
    ]
    print(f"  the same tokens in all cases ({different} different words): {'yes' if same else 'NO'}")
    return 0 if same and all(met) else 1


class TorchTranslating:
    """`torch.nn.Transformer` with the weights of `model`, reading all tokens anew at each step: it has no cache."""

    max_length = CONFIG.max_length

    def __init__(self, model: Transformer, source: Tensor) -> None:
        self._model = model  # for embeddings, positions and output layer, which nn.Transformer does not have
        self._blocks = to_torch(model).eval()
        self._padding = source == PAD
        self.start = source.new_full((len(source), 1), START)
        with torch.inference_mode():
            self._memory = self._blocks.encoder(
                self._embed(source, model.source_embedding), src_key_padding_mask=self._padding
            )

    def __call__(self, tokens: Tensor) -> Tensor:
        states = self._blocks.decoder(
            self._embed(tokens, self._model.target_embedding),
            self._memory,
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(tokens.shape[1]),
            tgt_is_causal=True,
            memory_key_padding_mask=self._padding,
        )
        logits = self._model.output(states)[:, -1]
        logits[:, [PAD, START]] = -math.inf
        return logits

    def select(self, rows: Tensor) -> None:
        self._memory, self._padding = self._memory[rows], self._padding[rows]

    def _embed(self, ids: Tensor, embedding: nn.Module) -> Tensor:
        return embedding(ids) + self._model.positions(ids.shape[1])


def _greedy(predictor: Translating | TorchTranslating, length: int = LENGTH) -> Decoded:
    return greedy(predictor, predictor.start, length, end=None)


def _beam(predictor: Translating) -> Decoded:
    return beam(predictor, predictor.start, LENGTH, width=WIDTH, end=None)


def _line(what: str, measured: float, target: float, at_least: bool) -> bool:
    met = measured >= target if at_least else measured <= target
    wanted = f"at {'least' if at_least else 'most'} {target:g}"
    print(f"  {what:42} {measured:6.1f} ×   {wanted}: {'yes' if met else 'NO'}")
    return met


if __name__ == "__main__":
    sys.exit(main())
