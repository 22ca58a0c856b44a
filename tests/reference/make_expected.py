"""What `transformers` computes, to be compared with our BERT: `make test-reference` runs this in its own environment.

Writes all hidden states, in float64, of the sentences and of random ids up to 400 tokens, padded to batches, into the
file that is named; with --keep a few numbers of the sentences, as JSON: expected.json, which every `make test` checks.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer
from transformers import BertModel

HERE = Path(__file__).parent
LENGTHS = (1, 2, 7, 64, 400)


def batches(folder: Path) -> dict[str, torch.Tensor]:
    """Padded batches of ids (B, N) by name."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.enable_padding()
    sentences = (HERE / "sentences.txt").read_text(encoding="utf-8").splitlines()
    random = torch.Generator().manual_seed(0)
    ids = torch.randint(1000, 30000, (len(LENGTHS), max(LENGTHS)), generator=random)
    ids[torch.arange(max(LENGTHS)) >= torch.tensor(LENGTHS)[:, None]] = 0
    return {"sentences": torch.tensor([e.ids for e in tokenizer.encode_batch(sentences)]), "random": ids}


def main() -> None:
    """Computes and writes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="of the checkpoint")
    parser.add_argument("out", type=Path)
    parser.add_argument("--keep", action="store_true", help="a few numbers, as JSON")
    options = parser.parse_args()
    bert = (
        BertModel.from_pretrained(options.folder, add_pooling_layer=False, attn_implementation="eager").eval().double()
    )
    found = {}
    for name, ids in batches(options.folder).items():
        with torch.no_grad():
            states = bert(ids, attention_mask=(ids != 0).long(), output_hidden_states=True).hidden_states
        found[name] = torch.stack(states, dim=1)  # (B, n_layers + 1, N, d_model)
        found[f"{name}.ids"] = ids
    if not options.keep:
        save_file({name: tensor.contiguous() for name, tensor in found.items()}, options.out)
        return
    ids, states = found["sentences.ids"], found["sentences"]
    kept = [
        # Of the first and the last real token, in each layer, the first four numbers, computed in float64.
        {"ids": row[: int(n)].tolist(), "first": s[:, 0, :4].tolist(), "last": s[:, int(n) - 1, :4].tolist()}
        for row, s, n in zip(ids, states, (ids != 0).sum(1), strict=True)
    ]
    options.out.write_text("[\n" + ",\n".join(json.dumps(entry) for entry in kept) + "\n]\n")


if __name__ == "__main__":
    main()
