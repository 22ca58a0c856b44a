"""Save and load models and tensors as safetensors files, written whole or not at all.

A safetensors file holds numbers, their shapes and some text, and nothing that could run; a pickle, which
`torch.save` writes, runs what it likes when it is read. So no pickle is read or written here.
Source: the safetensors format (huggingface.co/docs/safetensors): eight bytes that tell how long the header
is, the header in JSON with everybody's place, then the numbers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields
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
ROOT = Path(__file__).resolve().parents[2]
SHIPPED = Path(__file__).with_name("shipped.sha256")  # what `sha256sum` says of the files that the course brings along
_ALIASES = "same tensors"  # metadata: {name: the other name under which its numbers are stored}
_CHECKSUM = "checksum"  # metadata: the `_checksum` of everything else in the file


# --- tensors ----------------------------------------------------------------------------------------------------


def save_tensors(path: str | Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write `tensors`, any shapes, and `metadata`, text by name, to one safetensors file at `path`.

    Whenever the machine stops, `path` holds the old file or the new one, whole. A tensor that goes by several
    names (tied weights) is stored once. A checksum tells `load_tensors` of damage that happens to the file later.
    Raises TypeError when something is no tensor or no text, ValueError for a name that the file needs for itself,
    FileNotFoundError or NotADirectoryError when there is no such folder, IsADirectoryError when `path` is one, and
    another OSError, naming `path`, when it can't be written, as on a full disk.
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
    for name, what in ((_ALIASES, "tied tensors are"), (_CHECKSUM, "the file's checksum is")):
        if name in metadata:
            raise ValueError(f"metadata must not use the name {name!r}: {what} noted under it.")
    stored, aliases = _each_once(tensors)
    if aliases:
        metadata[_ALIASES] = json.dumps(aliases)
    metadata[_CHECKSUM] = _checksum(*_header_and_body(save(stored, metadata or None)))
    _write_whole(Path(path), save(stored, metadata))


def require_writable(path: str | Path, size: int = 1) -> None:
    """Check that `size` bytes can be written to `path`, which is unchanged. Raises OSError as `save_tensors` does."""
    _write_whole(Path(path), bytes(size), keep=False)


def load_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the tensors and the metadata of the safetensors file at `path`, on the CPU.

    Names that shared a tensor when it was saved share it again.
    Raises FileNotFoundError, IsADirectoryError, and ValueError when the file is cut off, damaged or something
    else, a pickle for instance, and when it is one of the course's own files, but not byte for byte as it was shipped.
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
        header, body = _header_and_body(data)
        metadata = header.get("__metadata__", {})
        if _CHECKSUM in metadata and metadata.pop(_CHECKSUM) != _checksum(header, body):
            raise ValueError("something was changed after the file was written.")
        for alias, name in read_json(metadata.pop(_ALIASES, "{}")).items():
            tensors[alias] = tensors[name]
    # Whatever is wrong with the bytes shows as one of these; what it is, _fault says in words.
    except (SafetensorError, ValueError, KeyError, AttributeError, TypeError):
        raise ValueError(f"{path} {_fault(data)}.") from None
    _require_as_shipped(path, data)
    return tensors, metadata


def note_shipped(path: str | Path) -> None:
    """Record the SHA-256 of the file at `path` if it is a shipped file that was made again."""
    hashes = _shipped_hashes()
    if (name := _name_in_course(path)) in hashes:
        hashes[name] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        SHIPPED.write_text("".join(f"{digest}  {name}\n" for name, digest in hashes.items()), encoding="utf-8")


# --- models -----------------------------------------------------------------------------------------------------


def pack_model(model: nn.Module) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return `model` as tensors by name and a description of two texts: its class, and its configuration in JSON.

    Raises TypeError when it is none of `MODELS`, ValueError when a weight is NaN or infinite, so that a good file is
    never replaced by a spoilt one.
    """
    name = type(model).__name__
    if name not in MODELS:
        raise TypeError(f"a {name} can't be saved: the models that can are {', '.join(MODELS)}.")
    tensors = model.state_dict()
    _require_finite(tensors)
    return tensors, {"model": name, "config": json.dumps(asdict(model.config), default=int)}


def unpack_model(
    tensors: Mapping[str, Tensor],
    metadata: Mapping[str, str],
    dtype: torch.dtype | None = None,
    device: torch.device | str = "cpu",
) -> Any:
    """Make the model that `pack_model` took apart, ready to use (in `eval` mode). dtype: of its weights, or theirs.

    Raises ValueError when these are no model, one that is not known here, and when a tensor is missing, too many, of
    another shape than the configuration asks for, or holds NaN or infinity: all this before there is a model.
    """
    model_class, config = _description(metadata)
    _require_sizes(tensors, config)
    with torch.device("meta"):  # shapes without numbers: a file that lies about its sizes takes no memory
        _require_fitting(tensors, model_class(config).state_dict())
    _require_finite(tensors)
    # The model draws its first weights, but the program's own random numbers stay as they are.
    with torch.random.fork_rng(devices=[]):
        model = model_class(config)
    stored = next((tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()), None)
    model.to(device=device, dtype=dtype or stored)
    model.load_state_dict(dict(tensors))
    return model.eval()


def load_model(path: str | Path, dtype: torch.dtype | None = None) -> tuple[Any, dict[str, str]]:
    """Return the model in the file at `path`, as `unpack_model` makes it, and the file's other texts.

    Raises as `load_tensors` does, and ValueError, naming the file, if it holds no model.
    """
    tensors, metadata = load_tensors(path)
    try:
        return unpack_model(tensors, metadata, dtype=dtype), metadata
    except ValueError as error:
        raise ValueError(f"{path} holds no model that can be used: {error}") from None


# --- writing ----------------------------------------------------------------------------------------------------


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


def _checksum(header: Mapping[str, Any], body: bytes) -> str:
    texts = {"__metadata__": {}, **header}  # a file without metadata counts as one with empty metadata
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode() + body).hexdigest()


def _write_whole(path: Path, data: bytes, keep: bool = True) -> None:
    """Write `data` to `path` in one step if `keep`, else only check that it could be written."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: a file can't be written in its place.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} into.")
    try:
        if write_whole(path, data, still=lambda: keep):
            _sync_folder(path.parent)
    except OSError as error:
        raise type(error)(f"{path} can't be written: {error.strerror}.") from error


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut, where the system can (Windows can't open a folder)."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# --- reading ----------------------------------------------------------------------------------------------------


def read_json(text: str | bytes) -> Any:
    """Read `text` as JSON. Raises ValueError if it isn't JSON, or nests deeper than Python can follow."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it nests too deep.") from None


def _shipped_hashes() -> dict[str, str]:
    """Return the SHA-256 of each shipped file, by its path in the course."""
    lines = SHIPPED.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}


def _name_in_course(path: str | Path) -> str:
    """Return the path from the course's folder, with slashes; "" for a file elsewhere."""
    real = Path(os.path.realpath(path))
    return real.relative_to(ROOT).as_posix() if real.is_relative_to(ROOT) else ""


def _require_as_shipped(path: Path, data: bytes) -> None:
    known = _shipped_hashes().get(_name_in_course(path))
    if known not in (None, hashlib.sha256(data).hexdigest()):
        raise ValueError(
            f"{path} is not the file that the course brings along: something in it was changed. "
            f"`git checkout -- {_name_in_course(path)}` brings the right one back."
        )


def _header_and_body(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header of a safetensors file, and its numbers. Raises ValueError if the header is incomplete."""
    end = 8 + int.from_bytes(data[:8], "little")
    if len(data) < max(end, 10):
        raise ValueError("the header is not whole.")
    return read_json(data[8:end]), data[end:]


def _fault(data: bytes) -> str:
    """Describe what is wrong with `data`, which isn't in the safetensors format."""
    if not data:
        return "is empty: a safetensors file was expected"
    if data.startswith((b"\x80", b"PK\x03\x04")) and data[8:9] != b"{":
        return "looks like a pickle, as torch.save writes it: a pickle can run code, so none is read here"
    return "is cut off or damaged" if data[8:9] == b"{" else "is not a safetensors file"


def _description(metadata: Mapping[str, str]) -> tuple[Any, Any]:
    """Return the class of the model that `metadata` describes, and its configuration."""
    if "model" not in metadata or "config" not in metadata:
        raise ValueError("these tensors are no model: the metadata does not name a model and its configuration.")
    name = metadata["model"]
    if name not in MODELS:
        raise ValueError(f"the file holds a {name}; the models known here are {', '.join(MODELS)}.")
    module_name, config_name = MODELS[name]
    module = import_module(module_name)
    config_class = getattr(module, config_name)
    try:
        values = read_json(metadata["config"])
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise ValueError(f"the configuration in the metadata is no JSON object: {metadata['config'][:60]!r}.")
    known = [field.name for field in fields(config_class)]
    for field in values:
        if field not in known:
            raise ValueError(f"the configuration has a field {field!r}, which {config_name} does not know.")
    for field in known:
        if field not in values:  # the default may have changed since the file was written
            raise ValueError(f"the configuration has no field {field!r}, which {config_name} needs.")
    try:
        return getattr(module, name), config_class(**values)
    except TypeError as error:
        raise ValueError(f"the configuration does not make a {config_name}: {str(error).rstrip('.')}.") from None


def _require_sizes(tensors: Mapping[str, Tensor], config: Any) -> None:
    """Require a tensor per layer, and a number for everything else that is counted, except positions of sinusoids."""
    numbers = sum(tensor.numel() for tensor in tensors.values())
    for name, value in vars(config).items():
        most, what = (len(tensors), "tensors") if name.endswith("_layers") else (numbers, "numbers")
        if isinstance(value, int) and value > most and name != "max_length":
            raise ValueError(f"the configuration asks for {name} = {value}, and there are {most} {what} for all of it.")


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
