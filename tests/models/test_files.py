"""Files of tensors and of models: whole or not at all, and refused in one sentence when something is wrong."""

from __future__ import annotations

import errno
import json
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save
from torch import nn

from tests.refused import refused
from utils.models import files
from utils.models.config import TransformerConfig
from utils.models.files import (
    load_tensors,
    note_shipped,
    pack_model,
    require_writable,
    save_tensors,
    unpack_model,
)
from utils.models.transformer import Transformer

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class ToyConfig:
    width: int = 3
    rate: float = 0.1
    kind: str = "a"


class Toy(nn.Module):
    """Two layers with tied weights, one with its own."""

    def __init__(self, config: ToyConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)
        self.output.weight = self.embedding.weight
        self.register_buffer("steps", torch.tensor(7))


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    monkeypatch.setitem(files.MODELS, "Toy", (__name__, "ToyConfig"))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Toy.__module__])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a model.safetensors"


# --- there and back ---------------------------------------------------------------------------------------------

KINDS = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8, torch.bool)


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.text(min_size=1, max_size=8).filter(lambda name: name != "__metadata__"),
        st.tuples(st.sampled_from(KINDS), st.lists(st.integers(0, 4), max_size=3)),
        max_size=5,
    ),
    st.dictionaries(
        st.text(max_size=8).filter(lambda name: name not in (files._CHECKSUM, files._ALIASES)),
        st.text(max_size=20),
        max_size=4,
    ),
)
def test_tensors_and_texts_are_restored_unchanged(tmp_path_factory, kinds, metadata):
    path = tmp_path_factory.getbasetemp() / "any.safetensors"
    tensors = {name: (torch.randn(shape) * 50).to(dtype) for name, (dtype, shape) in kinds.items()}
    save_tensors(path, tensors, metadata)
    back, texts = load_tensors(path)
    assert texts == metadata
    assert back.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert back[name].dtype == tensor.dtype
        assert torch.equal(back[name], tensor)


def test_tied_tensors_are_stored_once_and_tied_again(path):
    weight = torch.randn(100, 10)
    save_tensors(path, {"embedding": weight, "output": weight, "view": weight.view(10, 100)})
    assert 8000 < path.stat().st_size < 9000  # 4000 bytes for the weight, 4000 for the view of another shape
    tensors, metadata = load_tensors(path)
    assert tensors["embedding"] is tensors["output"]
    assert torch.equal(tensors["embedding"], weight) and torch.equal(tensors["view"], weight.view(10, 100))
    assert metadata == {}


def test_loaded_model_is_ready_to_use(path):
    torch.manual_seed(0)
    model = Toy(ToyConfig(width=5, kind="b"))
    tensors, metadata = pack_model(model)
    save_tensors(path, tensors, metadata | {"words": "سلام hello"})
    before = torch.random.get_rng_state()
    assert "سلام".encode() in path.read_bytes(), "texts can be read in the file, and take little room"
    back = unpack_model(*load_tensors(path))
    assert torch.equal(torch.random.get_rng_state(), before)  # the program's random numbers go on as if nothing was
    assert back.config == model.config
    assert not back.training
    assert back.output.weight is back.embedding.weight
    for name, tensor in model.state_dict().items():
        assert torch.equal(back.state_dict()[name], tensor)
    assert load_tensors(path)[1]["words"] == "سلام hello"


@pytest.mark.parametrize("stored", [torch.float16, torch.float32, torch.float64])
def test_loaded_model_keeps_its_dtype_by_default(stored):
    packed = pack_model(Toy(ToyConfig()).to(stored))
    assert unpack_model(*packed).output.weight.dtype == stored
    wanted = unpack_model(*packed, dtype=torch.float32)
    assert wanted.output.weight.dtype == torch.float32
    assert wanted.steps.dtype == torch.int64


# --- whole or not at all ----------------------------------------------------------------------------------------


class Interrupted(BaseException):
    """Not an Exception: like KeyboardInterrupt, which a student's stop button raises."""


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_save_leaves_only_the_old_file(path, monkeypatch, step):
    save_tensors(path, {"a": torch.ones(3)})

    def fail(*_):
        raise Interrupted

    monkeypatch.setattr(files.os, step, fail)
    with pytest.raises(Interrupted):
        save_tensors(path, {"a": torch.zeros(3)})
    assert load_tensors(path)[0]["a"].tolist() == [1, 1, 1]
    assert os.listdir(path.parent) == [path.name]


def test_full_disk_error_names_the_file_and_leaves_nothing(path, monkeypatch):
    save_tensors(path, {"a": torch.ones(3)})

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, "fsync", full)
    for write in (lambda: save_tensors(path, {"a": torch.zeros(3)}), lambda: require_writable(path)):
        assert refused(write) == f"OSError: {path} can't be written: No space left on device."
    assert os.listdir(path.parent) == [path.name]


# --- one sentence for everything that is wrong ------------------------------------------------------------------


def test_truncated_file_is_refused(path):
    save_tensors(path, {"a": torch.ones(40), "b": torch.zeros(2, 3)}, {"x": "y"})
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        refused(load_tensors, path)
    for length in (50, len(whole) - 10):
        path.write_bytes(whole[:length])
        assert "cut off" in refused(load_tensors, path)


@settings(max_examples=150)
@given(st.integers(0, 10_000), st.integers(0, 255), st.booleans())
def test_file_with_a_changed_byte_loads_or_is_refused_in_a_sentence(tmp_path_factory, where, byte, checked):
    path = tmp_path_factory.getbasetemp() / "changed.safetensors"
    a = torch.ones(3)
    save_tensors(path, {"a": a, "b": torch.zeros(2, 2), "c": a}, {"x": "y"})
    if not checked:  # as others write them, and this course once did
        path.write_bytes(save({"a": a, "b": torch.zeros(2, 2)}, {"x": "y", "same tensors": '{"c": "a"}'}))
    data = bytearray(path.read_bytes())
    data[where % len(data)] = byte
    path.write_bytes(data)
    try:
        tensors, texts = load_tensors(path)
    except ValueError as error:
        assert str(error).endswith(".")
    else:
        there = {name: tensor.tolist() for name, tensor in tensors.items()}
        right = there == {"a": [1.0] * 3, "b": [[0.0] * 2] * 2, "c": [1.0] * 3}
        assert not checked or (right and texts.get("x") == "y")


def test_load_tensors_refuses_other_files_by_name(path):
    assert "does not exist" in refused(load_tensors, path)
    path.write_bytes(b"")
    assert f"{path} is empty" in refused(load_tensors, path)
    path.write_text("weights: 1, 2, 3")
    assert "is not a safetensors file" in refused(load_tensors, path)


def test_pickle_is_never_read_as_a_model(path, tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    path.write_bytes(pickle.dumps(Trap()))
    assert "pickle" in refused(load_tensors, path)
    assert not (tmp_path / "sprung").exists()


def described(**changes) -> dict[str, str]:
    values = {"width": 3, "rate": 0.1, "kind": "a"} | changes
    return {"model": "Toy", "config": json.dumps(values)}


def test_tensors_without_a_known_model_are_refused():
    assert "these tensors are no model" in refused(unpack_model, {}, {})
    assert "holds a os" in refused(unpack_model, {}, described() | {"model": "os"})
    for config in ("{", "[1]", "[" * 100_000):
        assert "the configuration in the metadata is no" in refused(unpack_model, {}, described() | {"config": config})
    assert "the configuration has a field 'depth'" in refused(unpack_model, {}, described(depth=3))
    no_rate = {"model": "Toy", "config": '{"width": 3, "kind": "a"}'}
    assert "no field 'rate'" in refused(unpack_model, {}, no_rate)


def test_tensors_that_do_not_fit_the_configuration_are_refused():
    tensors, _ = pack_model(Toy(ToyConfig()))

    for sentence, changed in {
        "steps is missing": {n: t for n, t in tensors.items() if n != "steps"},
        "output.bias has shape (4,)": tensors | {"output.bias": torch.ones(4)},
    }.items():
        assert sentence in refused(unpack_model, changed, described())


SIZES = {"source_vocabulary": 5, "target_vocabulary": 6, "d_model": 4}
TRANSFORMER = {"n_heads": 2, "d_ff": 3, "n_encoder_layers": 1, "n_decoder_layers": 1, "max_length": 7, **SIZES}


@pytest.mark.parametrize(
    ("lie", "sentence"),
    [
        ({"n_encoder_layers": 10**9}, "n_encoder_layers = 1000000000"),
        ({"max_length": 10**9}, "max_length × d_model must be at most"),
    ],
)
def test_model_with_false_sizes_is_refused_before_it_is_built(lie, sentence, monkeypatch):
    tensors, texts = pack_model(Transformer(TransformerConfig(**TRANSFORMER)))
    texts = texts | {"config": json.dumps(json.loads(texts["config"]) | lie)}
    monkeypatch.setattr(torch.random, "fork_rng", lambda **_: pytest.fail("a model was built"))
    assert sentence in refused(unpack_model, tensors, texts)


def test_corrupt_weights_are_neither_packed_nor_unpacked():
    model = Toy(ToyConfig())
    nn.init.constant_(model.output.bias[1:2], float("nan"))
    sentence = "the tensor output.bias holds NaN or infinity."
    assert sentence in refused(pack_model, model)
    assert sentence in refused(unpack_model, model.state_dict(), described())


# --- the files that the course brings along ---------------------------------------------------------------------


def shipped_files() -> list[str]:
    return [line.split("  ", 1)[1] for line in files.SHIPPED.read_text().splitlines()]


def test_every_shipped_file_is_known():
    found = [path for room in ("lessons", "utils") for path in (ROOT / room).rglob("*.safetensors")]
    assert sorted(path.relative_to(ROOT).as_posix() for path in found) == sorted(shipped_files())
    for path in found:
        load_tensors(path)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of its own with one file that it brings along."""
    monkeypatch.setattr(files, "ROOT", tmp_path)
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "shipped.sha256")
    file = tmp_path / "lessons" / "toy.safetensors"
    file.parent.mkdir()
    save_tensors(file, *pack_model(Toy(ToyConfig())))
    files.SHIPPED.write_text(f"{'0' * 64}  lessons/toy.safetensors\n")
    note_shipped(file)
    return file


def test_shipped_file_without_its_checksum_is_refused(course):
    tensors, metadata = load_tensors(course)
    course.write_bytes(save({name: tensor + 1 for name, tensor in tensors.items()}, metadata))
    with pytest.raises(ValueError, match="is not the file that the course brings along"):
        load_tensors(course)
    note_shipped(course)  # as after a new training
    load_tensors(course)
