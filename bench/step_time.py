"""How long a training step takes, ours beside PyTorch's own transformer: `python -m bench.step_time`.

Both have the same sizes (d_model 128, 4 heads, 2 + 2 layers, feed-forward 256, dropout 0.1), the same weights, the
same embeddings, positions, output layer and loss, and get the same batches: 64 sentences of 4 to 12 tokens, filled up
with padding. A step is the forward pass, the loss and the backward pass; the optimizer, which is the same for both,
is left out. The two take turns at every batch, on one thread. It fails where the goal is missed.
"""

from __future__ import annotations

import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bench._goal import met
from bench._torch_weights import to_torch
from utils.models.config import TransformerConfig
from utils.models.masks import causal_mask
from utils.models.transformer import Transformer

VOCABULARY, BATCH, SHORTEST, LONGEST, ROUNDS = 1000, 64, 4, 12, 20
SHAPE = {"d_model": 128, "n_heads": 4, "n_encoder_layers": 2, "n_decoder_layers": 2, "d_ff": 256, "dropout": 0.1}
CONFIG = TransformerConfig(source_vocabulary=VOCABULARY, target_vocabulary=VOCABULARY, final_norm=True, **SHAPE)
PAD = 0
GOAL = 0.9  # of the time of torch.nn.Transformer, at most

Batch = tuple[Tensor, Tensor, Tensor]  # source (B, N), target (B, M) and what should come out (B, M), ids


class Theirs(nn.Module):
    """A `torch.nn.Transformer` between our embeddings and our output layer."""

    def __init__(self, stacks: nn.Transformer, ours: Transformer) -> None:
        super().__init__()
        self.stacks = stacks
        self.source_embedding, self.target_embedding = ours.source_embedding, ours.target_embedding
        self.positions, self.dropout, self.output = ours.positions, nn.Dropout(CONFIG.dropout), ours.output

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        padding, future = source == PAD, ~causal_mask(target.shape[1])
        states = self.stacks(
            self.dropout(self.source_embedding(source) + self.positions(source.shape[1])),
            self.dropout(self.target_embedding(target) + self.positions(target.shape[1])),
            tgt_mask=future,  # padding is at the end, so the future covers it
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        return self.output(states)


def models() -> dict[str, nn.Module]:
    """Return both models with the same weights. Raises AssertionError if they don't compute the same."""
    ours = Transformer(CONFIG)
    theirs = Theirs(to_torch(ours), ours)
    source, target, _ = batches(1)[0]
    real = target != PAD
    # Not in eval mode with gradients off: there PyTorch takes a short cut that training can't.
    torch.testing.assert_close(ours.eval()(source, target)[real], theirs.eval()(source, target)[real])
    return {"ours": ours.train(), "torch.nn.Transformer": theirs.train()}


def batches(n: int) -> list[Batch]:
    """Return n batches of random sentences; a target is up to two tokens longer or shorter than its source."""
    lengths = torch.randint(SHORTEST, LONGEST + 1, (n, BATCH))
    target_lengths = (lengths + torch.randint(-2, 3, lengths.shape)).clamp(SHORTEST, LONGEST)
    return [(_sentences(a), _sentences(b), _sentences(b)) for a, b in zip(lengths, target_lengths, strict=True)]


def _sentences(lengths: Tensor) -> Tensor:
    ids = torch.randint(4, VOCABULARY, (len(lengths), int(lengths.max())))
    return ids.masked_fill(torch.arange(ids.shape[1]) >= lengths[:, None], PAD)


def step(model: nn.Module, batch: Batch) -> float:
    """Return the seconds that the forward pass, the loss and the backward pass take."""
    source, target, wanted = batch
    model.zero_grad()
    start = time.perf_counter()
    F.cross_entropy(model(source, target).flatten(0, 1), wanted.flatten(), ignore_index=PAD).backward()
    return time.perf_counter() - start


def main() -> int:
    """Run the measurement and print the results; return 1 if the goal is missed."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    by_name, some = models(), batches(8)
    times: dict[str, list[float]] = {name: [] for name in by_name}
    for turn in range(ROUNDS + 1):
        for number, batch in enumerate(some):
            for name in list(by_name) if (turn + number) % 2 else list(reversed(by_name)):
                seconds = step(by_name[name], batch)
                if turn:  # the first round warms up
                    times[name].append(seconds)
    print("a training step without the optimizer, one thread")
    for name, seconds in times.items():
        low, middle, high = (1000 * value for value in statistics.quantiles(seconds, n=4))
        print(f"  {name:<22}median {middle:.2f} ms, middle half {low:.2f} to {high:.2f} ms")
    ratio = statistics.median(times["ours"]) / statistics.median(times["torch.nn.Transformer"])
    return 0 if met("ours takes, of torch.nn.Transformer", ratio, GOAL) else 1


if __name__ == "__main__":
    sys.exit(main())
