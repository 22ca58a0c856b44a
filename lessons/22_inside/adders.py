"""The adders that lesson 22 looks into: lesson 16's, trained from three seeds and kept, with 16-bit weights.

    python -m lessons.adders                  # all of SEEDS, about a minute each
    python -m lessons.adders 7 --d-model 32   # another seed, another size: adder_7.safetensors

Their tokens and positions start as GPT-2's do (Radford et al. 2019), with a standard deviation of 0.02.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from lessons.addition import DIGITS, SIGNS, all_sums, share_right, sum_batches
from utils.models.files import load_tensors
from utils.models.gpt import Gpt, GptConfig
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import next_token_loss

SEEDS = (0, 1, 2)
TESTED, TRIED, ROWS = 1000, 500, 128
ENOUGH = 0.995  # of the sums tried: then the training ends


def new_adder(d_model: int = 64) -> Gpt:
    """A GPT of two layers and four heads that has learnt nothing, its token table without a factor, and tied."""
    model = Gpt(
        GptConfig(
            **{"vocabulary": len(SIGNS), "n_layers": 2, "max_length": 16, "n_heads": 4, "dropout": 0.0},
            d_model=d_model,
            d_ff=4 * d_model,
        )
    )
    model.tokens = nn.Embedding(len(SIGNS), d_model)
    model.output.weight = model.tokens.weight
    for table in (model.tokens.weight, model.positions.table):
        nn.init.normal_(table, std=0.02)
    return model


def trained_adder(seed: int, d_model: int = 64, steps: int = 1000) -> Gpt:
    """An adder trained on three-digit sums, each of which it meets once, until ENOUGH of some others are right."""
    torch.manual_seed(seed)
    sums, model = all_sums(seed), new_adder(d_model)
    tried = sums[TESTED : TESTED + TRIED].tolist()
    trainer = Trainer(
        model,
        sum_batches(sums[TESTED + TRIED :], ROWS),
        TrainingConfig(steps=steps, learning_rate=2e-3, seed=seed),
        loss_of=next_token_loss(begin=2 * DIGITS + 2),
        held_out=lambda model: share_right(model, tried),
        show=False,
    )
    trainer.train(until=ENOUGH)
    return trainer.model.eval()


def file_of(seed: int) -> Path:
    """Where the adder of a seed is kept."""
    return Path(__file__).with_name(f"adder_{seed}.safetensors")


def save_adder(model: Gpt, seed: int) -> None:
    """Keeps its weights; the output's are the tokens' own."""
    tensors = {name: weight.half() for name, weight in model.state_dict().items() if name != "output.weight"}
    save_file(tensors, file_of(seed), metadata={"d_model": str(model.config.d_model)})


def saved_adder(seed: int) -> Gpt:
    """The adder of a seed, as it was kept. Raises FileNotFoundError or, for a damaged file, ValueError."""
    tensors, _ = load_tensors(file_of(seed))
    model = new_adder(tensors["tokens.weight"].shape[1])
    model.load_state_dict({**tensors, "output.weight": tensors["tokens.weight"]})
    return model.eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int, default=SEEDS)
    parser.add_argument("--d-model", type=int, default=64)
    options = parser.parse_args()
    for seed in options.seeds:
        save_adder(trained_adder(seed, options.d_model), seed)
        right = share_right(saved_adder(seed), all_sums(seed)[:TESTED].tolist())
        print(f"seed {seed}: {right:.1%} of the sums kept for the test are right", flush=True)
