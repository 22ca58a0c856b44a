"""Models and tensors in files: safetensors, written whole or not at all.

A safetensors file holds numbers, their shapes and some text, and nothing that could run; a pickle, which
`torch.save` writes, runs what it likes when it is read. So no pickle is read or written here.
Source: the safetensors format (huggingface.co/docs/safetensors): eight bytes that tell how long the header
is, the header in JSON with everybody's place, then the numbers.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, fields
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

# The models that a file may hold: where the class is, and which configuration it takes. Only these are ever
# imported on a file's word.
MODELS = {
    "Transformer": ("utils.models.transformer", "TransformerConfig"),
    "Seq2Seq": ("utils.models.seq2seq", "Seq2SeqConfig"),
}
_ALIASES = "same tensors"  # metadata: {name: the other name under which its numbers are stored}


# --- tensors ----------------------------------------------------------------------------------------------------


def save_tensors(path: str | Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write `tensors`, any shapes, and `metadata`, text by name, to one safetensors file at `path`.

    Whenever the machine stops, `path` holds the old file or the new one, whole. A tensor that goes by several
    names (tied weights) is stored once.
    Raises TypeError when something is no tensor or no text, ValueError for a name that the file needs for itself,
    FileNotFoundError or NotADirectoryError when there is no such folder, IsADirectoryError when `path` is one.
    """
    metadata = dict(metadata or {})
    for name, tensor in tensors.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise TypeError(f"tensors must hold tensors by name: {name!r} is of type {type(tensor).__name__}.")
    for name, text in metadata.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(f"metadata must hold text by name: {name!r} is of type {type(text).__name__}.")
    if "__metadata__" in tensors:
        raise ValueError("tensors must not use the name '__metadata__': the file keeps its texts under it.")
    if _ALIASES in metadata:
        raise ValueError(f"metadata must not use the name {_ALIASES!r}: tied tensors are noted under it.")
    stored, aliases = _each_once(tensors)
    if aliases:
        metadata[_ALIASES] = json.dumps(aliases, ensure_ascii=False)
    _write_whole(Path(path), save(stored, metadata or None))


def load_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors and the metadata of the safetensors file at `path`, on the CPU.

    Names that shared a tensor when it was saved share it again.
    Raises FileNotFoundError, IsADirectoryError, and ValueError when the file is cut off, damaged or something
    else, a pickle for instance.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: a safetensors file was expected.")
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"{path} does not exist: a safetensors file was expected there.") from None
    try:
        tensors = load(data)
        header, _ = _header_and_body(data)
        metadata = dict(header.get("__metadata__", {}))
        for alias, name in json.loads(metadata.pop(_ALIASES, "{}")).items():
            tensors[alias] = tensors[name]
    # Whatever is wrong with the bytes shows as one of these; what it is, _fault says in words.
    except (SafetensorError, ValueError, KeyError, AttributeError, TypeError):
        raise ValueError(f"{path} {_fault(data)}.") from None
    return tensors, metadata


# --- models -----------------------------------------------------------------------------------------------------


def pack_model(model: nn.Module) -> tuple[dict[str, Tensor], dict[str, str]]:
    """`model` as tensors by name and as a description of two texts: its class, and its configuration in JSON.

    Raises TypeError when it is none of `MODELS`, ValueError when a weight is NaN or infinite, so that a good file is
    never replaced by a spoilt one.
    """
    name = type(model).__name__
    if name not in MODELS:
        raise TypeError(f"a {name} can't be saved: the models that can are {', '.join(MODELS)}.")
    tensors = model.state_dict()
    _require_finite(tensors)
    return tensors, {"model": name, "config": json.dumps(asdict(model.config), ensure_ascii=False)}


def unpack_model(
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str],
    dtype: torch.dtype | None = None,
    device: torch.device | str = "cpu",
) -> Any:
    """The model that `pack_model` took apart, ready to use (in `eval` mode). dtype: of its weights; None keeps theirs.

    Raises ValueError when these are no model, one that is not known here, and when a tensor is missing, too many, of
    another shape than the configuration asks for, or holds NaN or infinity.
    """
    model_class, config = _description(metadata)
    # A fresh model draws its first weights: the program's own random numbers shall not notice.
    with torch.random.fork_rng(devices=[]):
        model = model_class(config)
    _require_fitting(tensors, model.state_dict())
    _require_finite(tensors)
    numbers = [tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()]
    model.to(device=device, dtype=dtype or (numbers[0] if numbers else None))
    model.load_state_dict(dict(tensors))
    return model.eval()


# --- writing ----------------------------------------------------------------------------------------------------


def _each_once(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Tensors that share no memory, and for each name that was left out the name that has its numbers."""
    stored: dict[str, Tensor] = {}
    aliases: dict[str, str] = {}
    seen: dict[tuple[Any, ...], str] = {}
    for name, tensor in sorted(tensors.items()):
        place = (tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if tensor.numel() and place in seen:
            aliases[name] = seen[place]
            continue
        seen[place] = name
        # A copy of its own: two views that merely overlap may then stand side by side.
        stored[name] = tensor.detach().to("cpu", copy=True, memory_format=torch.contiguous_format)
    return stored, aliases


def _write_whole(path: Path, data: bytes) -> None:
    """Put `data` at `path` in one step: into a file beside it first, which then takes its name."""
    path = Path(os.path.realpath(path))  # a link stays a link: what it points to is replaced
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: a file can't be written in its place.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} into.")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with open(unfinished, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # on the disk, before the name is: else a power cut could leave it empty
        os.replace(unfinished, path)
    except BaseException:  # an interrupted lesson too
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system can (Windows can't open a folder)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# --- reading ----------------------------------------------------------------------------------------------------


def _header_and_body(data: bytes) -> tuple[dict[str, Any], bytes]:
    """What a safetensors file says of its tensors, and their numbers. Raises ValueError when it says nothing."""
    end = 8 + int.from_bytes(data[:8], "little")
    if len(data) < max(end, 10):
        raise ValueError("the header is not whole.")
    return json.loads(data[8:end]), data[end:]


def _fault(data: bytes) -> str:
    """What is wrong with `data`, which are no safetensors."""
    if not data:
        return "is empty: a safetensors file was expected"
    if data[8:9] != b"{":
        if data.startswith((b"\x80", b"PK\x03\x04")):
            return "looks like a pickle, as torch.save writes it: a pickle can run code, so none is read here"
        return "is not a safetensors file"
    try:
        header, body = _header_and_body(data)
        promised = max(place["data_offsets"][1] for name, place in header.items() if name != "__metadata__")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        promised, body = 0, b""
        if len(data) < 8 + int.from_bytes(data[:8], "little"):
            return f"is cut off: it ends after {len(data)} bytes, within its header"
    if len(body) < promised:
        return f"is cut off: its header promises {promised} bytes of numbers, and {len(body)} are there"
    return "is a damaged safetensors file"


def _description(metadata: Mapping[str, str]) -> tuple[Any, Any]:
    """The class of the model that `metadata` describes, and its configuration."""
    if "model" not in metadata or "config" not in metadata:
        raise ValueError("these tensors are no model: the metadata does not name a model and its configuration.")
    name = metadata["model"]
    if name not in MODELS:
        raise ValueError(f"the file holds a {name}; the models known here are {', '.join(MODELS)}.")
    module_name, config_name = MODELS[name]
    module = import_module(module_name)
    config_class = getattr(module, config_name)
    try:
        values = json.loads(metadata["config"])
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"the configuration in the metadata is no JSON object: {metadata['config'][:60]!r}.")
    known = [field.name for field in fields(config_class)]
    for field in values:
        if field not in known:
            raise ValueError(f"the configuration has a field {field!r}, which {config_name} does not know.")
    for field in known:
        if field not in values:  # no default steps in: it may have been another one when the file was written
            raise ValueError(f"the configuration has no field {field!r}, which {config_name} needs.")
    try:
        return getattr(module, name), config_class(**values)
    except TypeError as error:
        raise ValueError(f"the configuration does not make a {config_name}: {str(error).rstrip('.')}.") from None


def _require_fitting(tensors: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> None:
    for name, tensor in wanted.items():
        if name not in tensors:
            raise ValueError(f"the tensor {name} is missing.")
        if tensors[name].shape != tensor.shape:
            raise ValueError(
                f"the tensor {name} has shape {tuple(tensors[name].shape)}; "
                f"the configuration asks for {tuple(tensor.shape)}."
            )
    for name in tensors:
        if name not in wanted:
            raise ValueError(f"the tensor {name} belongs to no part of the model.")


def _require_finite(tensors: Mapping[str, Tensor]) -> None:
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise ValueError(f"the tensor {name} holds NaN or infinity.")
