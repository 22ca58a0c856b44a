"""Save and load everything that a training needs to resume, in one safetensors file.

The weights, the optimizer's moments and the history are in it. The learning rate, the order of the batches and the
dropout follow from the configuration and the step, so the step is all that is kept of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from utils.models.files import load_tensors, read_json, save_tensors
from utils.require import is_finite, is_whole

_KIND = "training checkpoint"
_TEXTS = ("description", "step", "history")
_MOMENTS = {"step", "exp_avg", "exp_avg_sq"}  # what Adam and AdamW keep of a parameter


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

    Raises what `load_tensors` raises, and ValueError when the file is no checkpoint, a damaged one, or one with
    another `description` (naming the first entry that differs); model and optimizer are then untouched.
    """
    tensors, texts = load_tensors(path)
    if texts.get("kind") != _KIND:
        raise ValueError(f"{path} is a safetensors file, but not a checkpoint of a training.")
    try:
        there, step, history = _parsed(texts)
        weights, moments = _sorted_out(tensors)
    except ValueError as error:
        raise ValueError(f"{path} is a damaged checkpoint: {error}.") from None
    _require_same(path, there, json.loads(json.dumps(description, default=int)))
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    if not _fit(weights, model.state_dict()) or not _moments_fit(moments, parameters):
        raise ValueError(f"{path} was written for a {type(model).__name__} of other sizes than this one.")
    model.load_state_dict(weights)
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    return step, history


def _parsed(texts: Mapping[str, str]) -> tuple[dict[str, dict[str, Any]], int, dict[str, Any]]:
    """Return description, step and history. Raises ValueError, without a full stop, for invalid texts."""
    found = []
    for name in texts:  # a checksum whose name is damaged shows here
        if name not in ("kind", *_TEXTS):
            raise ValueError(f"no text {name!r} belongs there")
    for name in _TEXTS:
        try:
            found.append(read_json(texts[name]))
        except (KeyError, ValueError):
            raise ValueError(f"its {name} can't be read") from None
    description, step, history = found
    if not isinstance(description, dict) or not all(isinstance(part, dict) for part in description.values()):
        raise ValueError("its description does not say which training it is of")
    if not is_whole(step) or step < 0:
        raise ValueError(f"its step is {step!r}, where a whole number of at least 0 is expected")
    if not isinstance(history, dict) or set(history) != {"losses", "seconds", "scores"}:
        raise ValueError("its history has not losses, seconds and scores")
    for name in ("losses", "seconds"):
        values = history[name]
        if not isinstance(values, list) or len(values) != step or not all(map(is_finite, values)):
            raise ValueError(f"its history has not {step} numbers as {name}, one for each step")
    if not isinstance(history["scores"], list) or not all(map(_is_score, history["scores"])):
        raise ValueError("the scores in its history are not pairs of a step and a number")
    return description, step, history


def _is_score(value: object) -> bool:
    """Return whether `value` is a step and a score, which may be NaN, since nothing is computed from it."""
    return isinstance(value, list) and len(value) == 2 and is_whole(value[0]) and isinstance(value[1], int | float)


def _sorted_out(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[int, dict[str, Tensor]]]:
    """Return the weights by name, and the optimizer's moments by parameter number. Raises as `_parsed` does."""
    weights: dict[str, Tensor] = {}
    moments: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        owner, _, rest = name.partition(".")
        number, _, moment = rest.partition(".")
        if torch.isnan(tensor).any():
            raise ValueError(f"the tensor {name} holds NaN")
        if owner == "model":
            weights[rest] = tensor
        elif owner == "optimizer" and number.isdecimal():
            moments.setdefault(int(number), {})[moment] = tensor
        else:
            raise ValueError(f"the tensor {name} is neither of a model nor of an optimizer")
    return weights, moments


def _fit(tensors: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> bool:
    return {name: tensor.shape for name, tensor in tensors.items()} == {name: t.shape for name, t in wanted.items()}


def _moments_fit(moments: Mapping[int, Mapping[str, Tensor]], parameters: list[nn.Parameter]) -> bool:
    """Return whether `moments` fit the parameters, some of which may have none."""
    return all(
        number < len(parameters)
        and set(found) == _MOMENTS
        and not found["step"].shape
        and found["exp_avg"].shape == found["exp_avg_sq"].shape == parameters[number].shape
        for number, found in moments.items()
    )


def _require_same(path: str | Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    for part, entries in wanted.items():
        there = found.get(part, {})
        for name in [*entries, *(name for name in there if name not in entries)]:
            if there.get(name) != entries.get(name):
                raise ValueError(
                    f"{path} is a checkpoint of another training: the {name} of its {part} is {there.get(name)!r}, "
                    f"and here it is {entries.get(name)!r}; to begin anew, delete that file."
                )
