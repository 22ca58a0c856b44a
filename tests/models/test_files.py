"""Files of tensors and of models: whole or not at all, and refused in one sentence when something is wrong."""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import utils.files
from tests.refused import refused
from utils.models import files
from utils.models.files import (
    load_tensors,
    pack_model,
    save_tensors,
    unpack_model,
)

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
        st.text(max_size=8).filter(lambda name: name not in (files._ALIASES,)),
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

    monkeypatch.setattr(utils.files.os, step, fail)
    with pytest.raises(Interrupted):
        save_tensors(path, {"a": torch.zeros(3)})
    assert load_tensors(path)[0]["a"].tolist() == [1, 1, 1]
    assert os.listdir(path.parent) == [path.name]


# --- one sentence for everything that is wrong ------------------------------------------------------------------


def test_damaged_or_other_file_is_refused(path):
    save_tensors(path, {"a": torch.ones(40), "b": torch.zeros(2, 3)}, {"x": "y"})
    whole = path.read_bytes()
    for data in (b"", whole[:9], whole[:-1], b"hello", pickle.dumps({"a": 1})):
        path.write_bytes(data)
        assert "safetensors" in refused(load_tensors, path)


@pytest.mark.parametrize(
    ("tensors", "metadata", "word"),
    [
        ({}, {}, "those of a model"),
        ({}, {"model": "os", "config": "{}"}, "those of a model"),
        ({"embedding.weight": torch.ones(3, 3)}, {"model": "Toy", "config": "{}"}, "configuration"),
    ],
)
def test_other_tensors_than_a_models_are_refused(tensors, metadata, word):
    assert word in refused(unpack_model, tensors, metadata)
