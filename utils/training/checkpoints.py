"""Save and load everything that a training needs to resume, in one safetensors file.

The weights, the optimizer's moments and the history are in it. The learning rate, the order of the batches and the
dropout follow from the configuration and the step, so the step is all that is kept of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from utils.models.files import load_tensors, save_tensors

_KIND = "training checkpoint"


def save_checkpoint(
    path: str | Path,
    model: nn.Module,
    optimizer: Optimizer,
    step: int,
    history: dict[str, Any],
    description: dict[str, Any],
) -> None:
    """Write a checkpoint to `path`, whole or not at all: whenever the machine stops, the old file or the new is there.

    history, description: what JSON can hold. Raises what `save_tensors` raises.
    """
    moments = optimizer.state_dict()["state"]
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    tensors |= {f"optimizer.{i}.{name}": tensor for i, state in moments.items() for name, tensor in state.items()}
    texts = {"step": step, "history": history, "description": description}
    texts = {name: json.dumps(value, default=int) for name, value in texts.items()}
    save_tensors(path, tensors, {"kind": _KIND, **texts})


def load_checkpoint(
    path: str | Path, model: nn.Module, optimizer: Optimizer, description: dict[str, Any]
) -> tuple[int, dict[str, Any]]:
    """Load the checkpoint at `path` into `model` and `optimizer`; return the step and the history.

    Raises what `load_tensors` raises, and ValueError when the file is no checkpoint or one with another `description`
    (naming the first entry that differs); model and optimizer are then untouched.
    """
    tensors, texts = load_tensors(path)
    if texts.get("kind") != _KIND:
        raise ValueError(f"{path} must be a checkpoint of a training, but is another safetensors file.")
    _require_same(path, json.loads(texts["description"]), json.loads(json.dumps(description, default=int)))
    weights: dict[str, Tensor] = {}
    moments: dict[int, dict[str, Tensor]] = defaultdict(dict)
    for name, tensor in tensors.items():
        owner, rest = name.split(".", 1)
        if owner == "model":
            weights[rest] = tensor
        else:
            number, moment = rest.split(".")
            moments[int(number)][moment] = tensor
    model.load_state_dict(weights)
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    return json.loads(texts["step"]), json.loads(texts["history"])


def _require_same(path: str | Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    for part, entries in wanted.items():
        there = found.get(part, {})
        for name in [*entries, *(name for name in there if name not in entries)]:
            if there.get(name) != entries.get(name):
                raise ValueError(
                    f"{path} is a checkpoint of another training: the {name} of its {part} is {there.get(name)!r}, "
                    f"and here it is {entries.get(name)!r}; to begin anew, delete that file."
                )
