"""Convert the weights of `minimal.py` to the full `Transformer`, with which every tool of the course works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn

from utils.models.config import TransformerConfig
from utils.models.transformer import Transformer

# What a part is called in the full model, and in the minimal one.
_IN_A_LAYER = {
    "feed_forward.widen": "feed_forward.0",
    "feed_forward.narrow": "feed_forward.2",
    "add_norm_feed_forward.norm": "norm_feed_forward",
}
_NORM_OF_ATTENTION = {"encoder": "add_norm_attention.norm", "decoder": "add_norm_self.norm"}


def full_transformer(model: nn.Module) -> Transformer:
    """Return a full `Transformer` with copies of the weights of `model`, a `minimal.Transformer`, and the same output.

    The parts of `model` must have the names and the shapes that they have there.
    Raises ValueError naming the parts that are missing, or have another shape.
    """
    theirs = model.state_dict()
    required = ("source_table.weight", "target_table.weight", "output.weight")
    if missing := [name for name in required if name not in theirs]:
        raise ValueError(f"this model has no {', '.join(missing)}: its parts must be called as in minimal.py.")
    source_words, d_model = theirs["source_table.weight"].shape
    config = TransformerConfig(
        source_vocabulary=source_words,
        target_vocabulary=len(theirs["target_table.weight"]),
        d_model=d_model,
        n_heads=model.encoder[0].attention.n_heads,
        d_ff=4 * d_model,
        n_encoder_layers=len(model.encoder),
        n_decoder_layers=len(model.decoder),
        tied="none",
        dropout=0.0,
    )
    ours = Transformer(config)
    weights = dict(_renamed(theirs, config))
    wrong = [name for name, tensor in ours.state_dict().items() if weights[name].shape != tensor.shape]
    if wrong:
        raise ValueError(f"in this model {', '.join(wrong)} would have another shape than in minimal.py.")
    ours.load_state_dict(weights)
    return ours.eval()


def _renamed(theirs: Mapping[str, Tensor], config: TransformerConfig) -> Iterator[tuple[str, Tensor]]:
    """Return the weights of a minimal model under their names in the full one. Raises ValueError for a missing one."""

    def of(name: str) -> Tensor:
        if name not in theirs:
            raise ValueError(f"this model has no {name}: its parts must be called as in minimal.py.")
        return theirs[name]

    yield "source_embedding.weight", of("source_table.weight")
    yield "target_embedding.weight", of("target_table.weight")
    yield "output.weight", of("output.weight")
    for stack, count in (("encoder", config.n_encoder_layers), ("decoder", config.n_decoder_layers)):
        for number in range(count):
            here, there = f"{stack}.layers.{number}", f"{stack}.{number}"
            names = _IN_A_LAYER | {_NORM_OF_ATTENTION[stack]: "norm_attention"}
            attentions = {"self_attention": "attention"}
            if stack == "decoder":
                names, attentions = (
                    names | {"add_norm_cross.norm": "norm_cross"},
                    attentions | {"cross_attention": "cross"},
                )
            for kind in ("weight", "bias"):
                for name, their in names.items():
                    yield f"{here}.{name}.{kind}", of(f"{there}.{their}.{kind}")
                for name, their in attentions.items():
                    asked = [of(f"{there}.{their}.{part}.{kind}") for part in ("query", "key", "value")]
                    yield f"{here}.{name}.project_in.{kind}", torch.cat(asked)  # W_Q, W_K, W_V below each other
                    yield f"{here}.{name}.project_out.{kind}", of(f"{there}.{their}.output.{kind}")
