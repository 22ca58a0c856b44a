"""How long a training step takes, ours beside PyTorch's own transformer: `python -m bench.step_time`.

Both have the same sizes (d_model 128, 4 heads, 2 + 2 layers, feed-forward 256, dropout 0.1), the same weights, the
same embeddings, positions, output layer and loss, and get the same batches: 64 sentences of 4 to 12 tokens, filled up
with padding. A step is the forward pass, the loss and the backward pass; the optimizer, which is the same for both,
is left out. The two take turns at every batch. "bucketed" batches hold sentences of about one length. It fails where
the goal, which is for one thread of a processor, is missed; `--device cuda` measures elsewhere, without a goal.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bench._torch_weights import transformer_from_torch
from utils.models.transformer import Transformer

D_MODEL, N_HEADS, N_LAYERS, D_FF, DROPOUT = 128, 4, 2, 256, 0.1
VOCABULARY, BATCH, SHORTEST, LONGEST = 1000, 64, 4, 12
PAD = 0
GOAL = 0.9  # of the time of torch.nn.Transformer, at most

Step = Callable[[], None]
Batch = tuple[Tensor, Tensor, Tensor]  # source (B, N), target (B, M) and what should come out (B, M), ids


class Theirs(nn.Module):
    """torch.nn.Transformer between the embeddings and the output layer of ours."""

    def __init__(self, stacks: nn.Transformer, ours: Transformer) -> None:
        super().__init__()
        self.stacks = stacks
        self.source_embedding, self.target_embedding = ours.source_embedding, ours.target_embedding
        self.positions, self.dropout, self.output = ours.positions, nn.Dropout(DROPOUT), ours.output

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        padding = source == PAD
        length = target.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=target.device).triu(diagonal=1)
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
    """The two, with the same weights. Raises AssertionError if they don't compute the same."""
    stacks = nn.Transformer(D_MODEL, N_HEADS, N_LAYERS, N_LAYERS, D_FF, DROPOUT, batch_first=True)
    embeddings = [nn.Embedding(VOCABULARY, D_MODEL) for _ in range(2)]
    for embedding in embeddings:
        nn.init.normal_(embedding.weight, std=D_MODEL**-0.5)
    output = nn.Linear(D_MODEL, VOCABULARY, bias=False)
    output.weight = embeddings[1].weight
    ours = transformer_from_torch(stacks, *embeddings, output)
    theirs = Theirs(stacks, ours)
    source, target, _ = batches(1, bucketed=False)[0]
    real = target != PAD
    # Not in eval mode with gradients off: there PyTorch takes a short cut that training can't.
    torch.testing.assert_close(ours.eval()(source, target)[real], theirs.eval()(source, target)[real])
    return {"ours": ours.train(), "torch.nn.Transformer": theirs.train()}


def batches(n: int, bucketed: bool) -> list[Batch]:
    """n batches of random sentences; a target is up to two tokens longer or shorter than its source."""
    lengths = torch.randint(SHORTEST, LONGEST + 1, (n * BATCH,))
    target_lengths = (lengths + torch.randint(-2, 3, lengths.shape)).clamp(SHORTEST, LONGEST)
    order = (lengths * 100 + target_lengths).argsort() if bucketed else torch.arange(len(lengths))
    return [
        (_sentences(lengths[rows]), *(_sentences(target_lengths[rows]) for _ in range(2)))
        for rows in order.split(BATCH)
    ]


def _sentences(lengths: Tensor) -> Tensor:
    ids = torch.randint(4, VOCABULARY, (len(lengths), int(lengths.max())))
    return ids.masked_fill(torch.arange(ids.shape[1]) >= lengths[:, None], PAD)


def step(model: nn.Module, batch: Batch) -> float:
    """Seconds for the forward pass, the loss and the backward pass."""
    source, target, wanted = batch
    model.zero_grad()
    start = _now(source.device)
    loss = F.cross_entropy(model(source, target).flatten(0, 1), wanted.flatten(), ignore_index=PAD)
    loss.backward()
    return _now(source.device) - start


def _now(device: torch.device) -> float:
    """The time at which `device` has done all that it was asked to do."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def compare(by_name: dict[str, nn.Module], some: list[Batch], rounds: int) -> float:
    """Prints how long each took, and the ratio of the two, batch by batch; returns the ratio of the medians."""
    times: dict[str, list[float]] = {name: [] for name in by_name}
    for turn in range(rounds + 1):
        for number, batch in enumerate(some):
            order = list(by_name) if (turn + number) % 2 else list(reversed(by_name))
            for name in order:
                seconds = step(by_name[name], batch)
                if turn:  # the first round warms up
                    times[name].append(seconds)
    for name, seconds in times.items():
        print(f"  {name:<22}{_spread([1000 * s for s in seconds], '.2f')} ms")
    ratio = statistics.median(times["ours"]) / statistics.median(times["torch.nn.Transformer"])
    each = [ours / theirs for ours, theirs in zip(*times.values(), strict=True)]
    print(f"  ratio of the medians  {ratio:.2f}; of single steps {_spread(each, '.2f')}")
    return ratio


def _spread(values: list[float], form: str) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"median {middle:{form}}, middle half {low:{form}} to {high:{form}}"


def main() -> int:
    """Measures, prints what came out; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20, help="how often each of the 8 batches is done")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--device", default="cpu", help="where to measure (cpu)")
    chosen = parser.parse_args()
    torch.manual_seed(0)
    by_name = {name: model.to(chosen.device) for name, model in models().items()}
    print("a training step without the optimizer; the goal is a ratio, at most, for one thread of a processor")
    missed = []
    for kind in ("padded", "bucketed"):
        some = [tuple(ids.to(chosen.device) for ids in batch) for batch in batches(8, kind == "bucketed")]
        filled = sum((source != PAD).sum().item() for source, _, _ in some) / sum(b[0].numel() for b in some)
        for threads in chosen.threads:
            torch.set_num_threads(threads)
            print(f"{kind} batches, {1 - filled:.0%} padding, threads: {threads}")
            ratio = compare(by_name, some, chosen.rounds)
            if chosen.device == "cpu" and threads == 1:
                missed.append(ratio > GOAL)
                print(f"  goal {GOAL:.2f}: {'missed' if missed[-1] else 'met'}")
    return 1 if any(missed) else 0


if __name__ == "__main__":
    sys.exit(main())
