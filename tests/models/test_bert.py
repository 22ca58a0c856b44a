"""BERT: our layers give what its formulas give, a checkpoint is taken whole or not at all, and the real one agrees."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.reference.agrees import hidden_states
from utils.models import minilm
from utils.models.bert import bert_from_checkpoint, config_from_checkpoint

EXPECTED = json.loads((Path(__file__).parents[1] / "reference" / "expected.json").read_text(encoding="utf-8"))
CONFIG = {
    "architectures": ["BertModel"],
    "model_type": "bert",
    "hidden_act": "gelu",
    "vocab_size": 23,
    "num_hidden_layers": 2,
    "max_position_embeddings": 9,
    "type_vocab_size": 2,
    "pad_token_id": 0,
    "hidden_size": 12,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "layer_norm_eps": 1e-12,
}


def checkpoint(config: dict = CONFIG) -> dict[str, Tensor]:
    """Random weights by the names of the hub, in float64."""
    d, d_ff = config["hidden_size"], config["intermediate_size"]
    shapes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], d),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], d),
        "embeddings.token_type_embeddings.weight": (config["type_vocab_size"], d),
        "embeddings.LayerNorm.weight": (d,),
        "embeddings.LayerNorm.bias": (d,),
        "pooler.dense.weight": (d, d),
    }
    for layer in range(config["num_hidden_layers"]):
        block = f"encoder.layer.{layer}"
        linear = {f"attention.self.{name}": (d, d) for name in ("query", "key", "value")}
        linear |= {"attention.output.dense": (d, d), "intermediate.dense": (d_ff, d), "output.dense": (d, d_ff)}
        for name, shape in linear.items():
            shapes |= {f"{block}.{name}.weight": shape, f"{block}.{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{block}.{name}.weight": (d,), f"{block}.{name}.bias": (d,)}
    random = torch.Generator().manual_seed(0)
    tensors = {name: torch.randn(shape, generator=random, dtype=torch.float64) for name, shape in shapes.items()}
    return {**tensors, "embeddings.position_ids": torch.arange(config["max_position_embeddings"])[None]}


def by_the_formulas(tensors: dict[str, Tensor], config: dict, ids: Tensor, segments: Tensor) -> Tensor:
    """Devlin et al. 2019 for one sequence (N,) without padding, head by head."""

    def linear(x: Tensor, name: str) -> Tensor:
        return x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def norm(x: Tensor, name: str) -> Tensor:
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        z = (x - mean) / (variance + config["layer_norm_eps"]).sqrt()
        return z * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]

    words, places, kinds = (
        tensors[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
    )
    x = norm(words[ids] + places[: len(ids)] + kinds[segments], "embeddings.LayerNorm")
    d_k = config["hidden_size"] // config["num_attention_heads"]
    for layer in range(config["num_hidden_layers"]):
        block = f"encoder.layer.{layer}"
        q, k, v = (linear(x, f"{block}.attention.self.{name}") for name in ("query", "key", "value"))
        heads = [slice(start, start + d_k) for start in range(0, config["hidden_size"], d_k)]
        found = torch.cat([(q[:, h] @ k[:, h].T / math.sqrt(d_k)).softmax(-1) @ v[:, h] for h in heads], dim=-1)
        x = norm(x + linear(found, f"{block}.attention.output.dense"), f"{block}.attention.output.LayerNorm")
        wide = linear(x, f"{block}.intermediate.dense")
        wide = wide * (1 + torch.erf(wide / math.sqrt(2))) / 2
        x = norm(x + linear(wide, f"{block}.output.dense"), f"{block}.output.LayerNorm")
    return x


@given(st.integers(1, 9), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_bert_computes_its_formulas_under_any_padding(n: int, padding: int, chance: int) -> None:
    tensors, random = checkpoint(), torch.Generator().manual_seed(chance)
    bert = bert_from_checkpoint(tensors, config_from_checkpoint(CONFIG))
    ids, segments = torch.randint(1, 23, (n,), generator=random), torch.randint(0, 2, (n,), generator=random)
    padding = min(padding, 9 - n)
    with torch.no_grad():
        found = bert(F.pad(ids, (0, padding))[None], F.pad(segments, (0, padding))[None])[0, :n]
        torch.testing.assert_close(found, by_the_formulas(tensors, CONFIG, ids, segments), atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.pop("encoder.layer.1.output.dense.bias"), r"encoder.layer.1.output.dense.bias is missing"),
        (lambda t: t.update({"embeddings.LayerNorm.bias": torch.zeros(5)}), r"must make \(12,\): they make \(5,\)"),
    ],
)
def test_checkpoint_that_does_not_fit_is_refused(change, sentence: str) -> None:
    tensors = checkpoint()
    change(tensors)
    with pytest.raises(ValueError, match=sentence):
        bert_from_checkpoint(tensors, config_from_checkpoint(CONFIG))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"architectures": ["GPT2LMHeadModel"]}, "must be of a BertModel: it is of GPT2LMHeadModel"),
        ({"hidden_act": "relu"}, "hidden_act must be 'gelu': it is 'relu'"),
    ],
)
def test_other_architecture_is_refused(change: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        config_from_checkpoint({**CONFIG, **change})


# --- the real one ---


@pytest.fixture(scope="module")
def real():
    return minilm.read_minilm()


needs_weights = pytest.mark.usefixtures("weights")


@needs_weights
def test_all_layers_agree_with_the_library_on_new_sentences(real) -> None:
    bert, tokenizer = real
    sentences = (Path(__file__).parents[1] / "reference" / "sentences.txt").read_text(encoding="utf-8").splitlines()
    assert [tokenizer.encode(sentence).ids for sentence in sentences] == [entry["ids"] for entry in EXPECTED]
    ids = torch.zeros(len(EXPECTED), max(len(entry["ids"]) for entry in EXPECTED), dtype=torch.long)
    for row, entry in zip(ids, EXPECTED, strict=True):
        row[: len(entry["ids"])] = torch.tensor(entry["ids"])
    states = hidden_states(bert.double(), ids)
    for row, entry in zip(states, EXPECTED, strict=True):
        for place, wanted in ((0, "first"), (len(entry["ids"]) - 1, "last")):
            torch.testing.assert_close(row[:, place, :4], torch.tensor(entry[wanted]).double(), atol=1e-6, rtol=0)
    bert.float()


# --- trusted by hash ---


def test_file_other_than_the_known_one_is_not_read(tmp_path: Path) -> None:
    for name in minilm.SHA256:
        (tmp_path / name).write_text(json.dumps(CONFIG))
    with pytest.raises(ValueError, match="config"):
        minilm.read_minilm(tmp_path)
