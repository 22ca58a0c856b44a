"""Save and load models and tensors as safetensors files, written whole or not at all.

A safetensors file holds numbers, their shapes and some text, and nothing that could run; a pickle, which
`torch.save` writes, runs what it likes when it is read. So no pickle is read or written here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from utils.files import write_whole

# The models that a file may hold: where the class is, and which configuration it takes. Only these are ever
# imported on a file's word.
MODELS = {
    "Transformer": ("utils.models.transformer", "TransformerConfig"),
    "Gpt": ("utils.models.gpt", "GptConfig"),
    "Seq2Seq": ("utils.models.seq2seq", "Seq2SeqConfig"),
    "Vit": ("utils.models.vit", "VitConfig"),
}
_ALIASES = "same tensors"  # metadata: {name: the other name under which its numbers are stored}


def save_tensors(path: str | Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write `tensors`, any shapes, and `metadata`, text by name, to one safetensors file at `path`.

    Whenever the machine stops, `path` holds the old file or the new one, whole. A tensor that goes by several
    names (tied weights) is stored once. Raises OSError when the file can't be written.
    """
    stored, aliases = _each_once(tensors)
    texts = {**(metadata or {}), **({_ALIASES: json.dumps(aliases)} if aliases else {})}
    write_whole(Path(path), save(stored, texts or None))


def load_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the metadata of the safetensors file at `path`, on the CPU.

    Names that shared a tensor when it was saved share it again.
    Raises OSError when there is no such file, and ValueError when it is damaged or something else, such as a pickle.
    """
    data = Path(path).read_bytes()
    try:
        tensors = load(data)
    except SafetensorError:
        raise ValueError(f"{path} must be a safetensors file, but is damaged or something else.") from None
    length = int.from_bytes(data[:8], "little")  # of the header, in JSON
    metadata = json.loads(data[8 : 8 + length]).get("__metadata__", {})
    for alias, name in json.loads(metadata.pop(_ALIASES, "{}")).items():
        tensors[alias] = tensors[name]
    return tensors, metadata


def pack_model(model: nn.Module) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return `model`, one of `MODELS`, as tensors by name and two texts: its class, and its configuration in JSON."""
    config = json.dumps(asdict(model.config), default=int)
    return model.state_dict(), {"model": type(model).__name__, "config": config}


def unpack_model(tensors: Mapping[str, Tensor], metadata: Mapping[str, str], dtype: torch.dtype | None = None) -> Any:
    """Make the model that `pack_model` took apart, ready to use (in `eval` mode). dtype: of its weights, or theirs.

    Raises ValueError when these are no model of the course, or not the tensors that its configuration asks for.
    """
    if metadata.get("model") not in MODELS:
        raise ValueError(f"the tensors must be those of a model, {', '.join(MODELS)}, but are something else.")
    module_name, config_name = MODELS[metadata["model"]]
    module = import_module(module_name)
    stored = next((tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()), None)
    # The model draws its first weights, but the program's own random numbers stay as they are.
    with torch.random.fork_rng(devices=[]):
        model = getattr(module, metadata["model"])(getattr(module, config_name)(**json.loads(metadata["config"])))
    model.to(dtype=dtype or stored)
    try:
        model.load_state_dict(dict(tensors))
    except RuntimeError as error:
        raise ValueError(f"the tensors must fit the model's configuration: {' '.join(str(error).split())}") from None
    return model.eval()


def load_model(path: str | Path) -> tuple[Any, dict[str, str]]:
    """Return the model in the file at `path`, as `unpack_model` makes it, and the file's texts. Raises as both do."""
    tensors, metadata = load_tensors(path)
    return unpack_model(tensors, metadata), metadata


def _each_once(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return tensors that share no memory, and a map from each name left out to the name that has its numbers."""
    stored: dict[str, Tensor] = {}
    aliases: dict[str, str] = {}
    seen: dict[tuple[Any, ...], str] = {}
    for name, tensor in sorted(tensors.items()):
        place = (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if tensor.numel() and place in seen:
            aliases[name] = seen[place]
            continue
        seen[place] = name
        # Copied, since safetensors refuses tensors that share memory, and these may overlap.
        stored[name] = tensor.detach().to("cpu", copy=True, memory_format=torch.contiguous_format)
    return stored, aliases
