"""The adders that lesson 22 looks into: lesson 16's, trained from six seeds and kept, with 16-bit weights.

    python -m lessons.adders                  # those of MORE again, about a minute each
    python -m lessons.adders 7 --d-model 32   # another seed, another size: adder_7.safetensors

Those of SEEDS drew the same start in another order, so that a training from these seeds now gives others.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from safetensors.torch import save_file

from lessons.addition import adder_config, all_sums, share_right
from lessons.block_runs import ENOUGH, TESTED, adder
from utils.models.files import load_tensors
from utils.models.gpt import Gpt

SEEDS = (0, 1, 2)  # looked into
MORE = (3, 4, 5)  # to compare


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
    model = Gpt(adder_config(tensors["tokens.weight"].shape[1]))
    model.load_state_dict({**tensors, "output.weight": tensors["tokens.weight"]})
    return model.eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="*", type=int, default=MORE)
    parser.add_argument("--d-model", type=int, default=64)
    options = parser.parse_args()
    for seed in options.seeds:
        trainer = adder(seed, d_model=options.d_model)
        trainer.train(until=ENOUGH)
        save_adder(trainer.model.eval(), seed)
        right = share_right(saved_adder(seed), all_sums(seed)[:TESTED].tolist())
        print(f"seed {seed}: {right:.1%} of the sums kept for the test are right", flush=True)
