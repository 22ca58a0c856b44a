"""BERT: the encoder by itself, over words whose places and segments are learnt, and the weights of a real one.

A checkpoint of the Hugging Face hub goes into the layers of this course: `bert_from_checkpoint`. Nothing is transposed,
since both keep a linear layer as (d_out, d_in). Two things of theirs have no place here: `position_ids`, which are 0,
1, 2, …, and the `pooler`, a layer behind the encoder that was trained for another task.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from utils.models.config import BlockConfig
from utils.models.encoder import Encoder
from utils.models.layers import LearntPositions, layer_norm
from utils.models.masks import padding_mask
from utils.models.require import require_counts, require_id, require_ids


@dataclass(frozen=True, kw_only=True)
class BertConfig(BlockConfig):
    """A stack of encoder blocks over one vocabulary.

    vocabulary: token ids. n_layers: blocks. max_length: the longest sequence, in tokens. n_segments: kinds of
    sentences; BERT was trained on pairs. pad_id: the id that fills short sequences up, never attended to.
    The defaults are BERT base. Raises ValueError naming the values that don't fit.
    Source: Devlin et al. 2019, section 3.
    """

    vocabulary: int = 30522
    n_layers: int = 12
    max_length: int = 512
    n_segments: int = 2
    pad_id: int = 0
    d_model: int = 768
    n_heads: int = 12
    d_ff: int = 3072
    activation: str = "gelu"
    layer_norm_eps: float = 1e-12

    def __post_init__(self) -> None:
        super().__post_init__()
        require_counts(self, "vocabulary", "n_layers", "max_length", "n_segments")
        require_id(self.pad_id, "the vocabulary", self.vocabulary)


class Bert(nn.Module):
    """Ids (B, N) -> a vector for each token (B, N, d_model), made of the whole sequence, to its left and to its right.

    Source: Devlin et al. 2019, section 3 and figure 2 (the input: token + segment + position).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.vocabulary, config.d_model)
        self.segments = nn.Embedding(config.n_segments, config.d_model)
        self.positions = LearntPositions(config.max_length, config.d_model)
        self.norm = layer_norm(config)
        self.encoder = Encoder(config, config.n_layers, final_norm=False)

    def forward(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Map ids (B, N), segments (B, N), 0 unless given, to (B, N, d_model); rows at padding have no meaning.

        Raises TypeError or ValueError if `ids` are not ids, or if there are more than max_length of them.
        """
        return self.encoder(self.embed(ids, segments), padding_mask(ids, self.config.pad_id))

    def embed(self, ids: Tensor, segments: Tensor | None = None) -> Tensor:
        """Make what the first block gets, (B, N, d_model): the three embeddings, added and normalized."""
        require_ids(ids, self.config.vocabulary)
        segments = torch.zeros_like(ids) if segments is None else segments
        require_ids(segments, self.config.n_segments)
        return self.norm(self.tokens(ids) + self.segments(segments) + self.positions(ids.shape[1]))


# --- a real one ---


def config_from_checkpoint(config: Mapping[str, Any]) -> BertConfig:
    """Return our configuration from the config.json of a checkpoint; dropout is 0, since it is for training.

    Raises ValueError when it is another architecture than BERT, or has what our layers can't do.
    """
    if config.get("architectures") != ["BertModel"] or config.get("model_type") != "bert":
        what = ", ".join(config.get("architectures") or []) or config.get("model_type", "nothing that is named")
        raise ValueError(f"the configuration must be of a BertModel: it is of {what}.")
    for name, ours in {"hidden_act": "gelu", "position_embedding_type": "absolute"}.items():
        if config.get(name, ours) != ours:
            raise ValueError(f"{name} must be {ours!r}: it is {config[name]!r}.")
    try:
        return BertConfig(dropout=0.0, **{ours: config[theirs] for ours, theirs in _SIZES.items()})
    except KeyError as missing:
        raise ValueError(f"the configuration must say {missing}.") from None


def bert_from_checkpoint(tensors: Mapping[str, Tensor], config: BertConfig) -> Bert:
    """Return the model whose weights are `tensors`, by their names in the checkpoint, ready to use (in `eval` mode).

    Raises ValueError when a tensor is missing, too many or of another shape than the configuration asks for. Nothing is
    copied before all of them are there.
    """
    with torch.random.fork_rng(devices=[]):  # random weights, replaced below; "meta" would import PyTorch's compiler
        bert = Bert(config)
    wanted = bert.state_dict()
    left = {name for name in tensors if name != "embeddings.position_ids" and not name.startswith("pooler.")}
    found = {}
    for ours, theirs in _names(config.n_layers).items():
        if missing := [name for name in theirs if name not in tensors]:
            raise ValueError(f"the tensor {missing[0]} is missing from the checkpoint.")
        found[ours] = torch.cat([tensors[name] for name in theirs])
        if found[ours].shape != wanted[ours].shape:
            raise ValueError(
                f"{' and '.join(theirs)} must make {tuple(wanted[ours].shape)}: they make {tuple(found[ours].shape)}."
            )
        left -= set(theirs)
    if left:
        raise ValueError(f"the tensor {min(left)} belongs to no part of the model.")
    bert.load_state_dict(found, assign=True)
    return bert.eval()


_SIZES = {
    "vocabulary": "vocab_size",
    "n_layers": "num_hidden_layers",
    "max_length": "max_position_embeddings",
    "n_segments": "type_vocab_size",
    "pad_id": "pad_token_id",
    "d_model": "hidden_size",
    "n_heads": "num_attention_heads",
    "d_ff": "intermediate_size",
    "layer_norm_eps": "layer_norm_eps",
}
_EMBEDDINGS = {
    "tokens.weight": "word_embeddings.weight",
    "segments.weight": "token_type_embeddings.weight",
    "positions.table": "position_embeddings.weight",
    "norm.weight": "LayerNorm.weight",
    "norm.bias": "LayerNorm.bias",
}
_BLOCK = {
    "self_attention.project_in": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "self_attention.project_out": ("attention.output.dense",),
    "add_norm_attention.norm": ("attention.output.LayerNorm",),
    "feed_forward.widen": ("intermediate.dense",),
    "feed_forward.narrow": ("output.dense",),
    "add_norm_feed_forward.norm": ("output.LayerNorm",),
}


def _names(n_layers: int) -> dict[str, tuple[str, ...]]:
    """Map our name of each tensor to theirs: several stand below each other in one of ours."""
    names = {ours: (f"embeddings.{theirs}",) for ours, theirs in _EMBEDDINGS.items()}
    for layer in range(n_layers):
        for ours, theirs in _BLOCK.items():
            for part in ("weight", "bias"):
                names[f"encoder.layers.{layer}.{ours}.{part}"] = tuple(
                    f"encoder.layer.{layer}.{name}.{part}" for name in theirs
                )
    return names
