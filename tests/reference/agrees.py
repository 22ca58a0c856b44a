"""Whether all hidden states of our BERT are those that `make_expected.py` has written: `agrees.py FILE`."""

from __future__ import annotations

import sys

import torch
from safetensors.torch import load_file

from utils.models.bert import Bert
from utils.models.minilm import read_minilm
from utils.models.watching import watching


def hidden_states(bert: Bert, ids: torch.Tensor) -> torch.Tensor:
    """What goes into the first block and what each gives, (B, n_layers + 1, N, d_model)."""
    with torch.no_grad(), watching(bert) as maps:
        first = bert.embed(ids)
        bert(ids)
    return torch.stack([first, *(maps["encoder", i, "states"] for i in range(bert.config.n_layers))], dim=1)


def main() -> int:
    """Prints the largest difference in each layer; 1 where one is above 1e−5 in float64.

    In float32, which is printed too, what is rounded depends on the processor.
    """
    expected = load_file(sys.argv[1])
    largest: dict[torch.dtype, float] = {}
    for dtype in (torch.float32, torch.float64):
        bert = read_minilm()[0].to(dtype)
        for name in ("sentences", "random"):
            ids = expected[f"{name}.ids"]
            differences = (
                (hidden_states(bert, ids) - expected[name]).abs().amax(-1).transpose(0, 1)[:, ids != 0].amax(-1)
            )
            print(f"{dtype}, {name} {tuple(ids.shape)}:", " ".join(f"{d:.1e}" for d in differences.tolist()))
            largest[dtype] = max(largest.get(dtype, 0.0), differences.max().item())
    print(f"largest in float64: {largest[torch.float64]:.1e}; limit 1e-5")
    return int(largest[torch.float64] > 1e-5)


if __name__ == "__main__":
    sys.exit(main())
