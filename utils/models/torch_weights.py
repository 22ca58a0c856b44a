"""Convert weights from PyTorch's own transformer to ours: the same numbers in other tensors.

`torch.nn.Transformer` is the two stacks alone: it takes vectors, knows no words and has no output layer. So
`from_torch` makes of it an `EncoderDecoder`, which takes vectors too. PyTorch's modules take masks that are True where
attention is *forbidden*, ours where it is allowed, and ours always have the batch first: `mask` becomes `~mask`, and
(N, B, d_model) is transposed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.models.attention import MultiHeadAttention
from utils.models.config import BlockConfig
from utils.models.decoder import Decoder, DecoderLayer
from utils.models.encoder import Encoder, EncoderLayer

# A tensor of theirs and the one of ours; None twice where a layer has no bias.
Pairs = Iterator[tuple[Tensor | None, Tensor | None]]


class EncoderDecoder(nn.Module):
    """An encoder and a decoder that take vectors, as `torch.nn.Transformer` does."""

    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        source_mask: Tensor | None = None,
        target_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
    ) -> Tensor:
        """Map source (B, N, d_model) and target (B, M, d_model) -> (B, M, d_model).

        The masks are boolean, True where attention is allowed, and are broadcast to (B, n_heads, N, N),
        (B, n_heads, M, M) and (B, n_heads, M, N).
        """
        return self.decoder(target, self.encoder(source, source_mask), target_mask, memory_mask)


def from_torch(module: nn.Module) -> Any:
    """Return our module with the weights of PyTorch's, on its device, in its dtype and mode.

    MultiheadAttention gives MultiHeadAttention; TransformerEncoderLayer, TransformerDecoderLayer, TransformerEncoder
    and TransformerDecoder give EncoderLayer, DecoderLayer, Encoder and Decoder; Transformer gives an EncoderDecoder.
    Raises TypeError for any other module, ValueError for what ours can't do: keys or values of another width,
    add_bias_kv, add_zero_attn, activations other than relu and the exact gelu.
    """
    if type(module) not in _FROM_TORCH:  # one derived from these may compute something else
        names = ", ".join(kind.__name__ for kind in _FROM_TORCH)
        raise TypeError(f"the module must be one of {names}, but is a {type(module).__name__}.")
    ours = _FROM_TORCH[type(module)](module)
    weight = next(module.parameters())
    ours.to(device=weight.device, dtype=weight.dtype)
    with torch.no_grad():
        for their_tensor, our_tensor in pairs(module, ours):
            our_tensor.copy_(their_tensor)
    return ours.train(module.training)


# --- which tensor is which --------------------------------------------------------------------------------------


def pairs(theirs: Any, ours: Any) -> Iterator[tuple[Tensor, Tensor]]:
    """Return each PyTorch tensor with our tensor that holds the same numbers.

    Raises ValueError if only one of the two layers has a bias.
    """
    for their_tensor, our_tensor in _pairs(theirs, ours):
        if (their_tensor is None) != (our_tensor is None):
            raise ValueError("all layers must have a bias, or none of them: some have one here.")
        if their_tensor is not None:
            yield their_tensor, our_tensor


def _pairs(theirs: Any, ours: Any) -> Pairs:
    if isinstance(theirs, nn.MultiheadAttention):
        yield theirs.in_proj_weight, ours.project_in.weight
        yield theirs.in_proj_bias, ours.project_in.bias
        yield from _weight_and_bias(theirs.out_proj, ours.project_out)
    elif isinstance(theirs, nn.TransformerEncoderLayer):
        yield from _pairs(theirs.self_attn, ours.self_attention)
        yield from _weight_and_bias(theirs.norm1, ours.add_norm_attention.norm)
        yield from _feed_forward(theirs, ours, theirs.norm2)
    elif isinstance(theirs, nn.TransformerDecoderLayer):
        yield from _pairs(theirs.self_attn, ours.self_attention)
        yield from _weight_and_bias(theirs.norm1, ours.add_norm_self.norm)
        yield from _pairs(theirs.multihead_attn, ours.cross_attention)
        yield from _weight_and_bias(theirs.norm2, ours.add_norm_cross.norm)
        yield from _feed_forward(theirs, ours, theirs.norm3)
    elif isinstance(theirs, nn.Transformer):
        yield from _pairs(theirs.encoder, ours.encoder)
        yield from _pairs(theirs.decoder, ours.decoder)
    else:  # a stack
        for their_layer, our_layer in zip(theirs.layers, ours.layers, strict=True):
            yield from _pairs(their_layer, our_layer)
        if theirs.norm is not None:
            yield from _weight_and_bias(theirs.norm, ours.final_norm)


def _feed_forward(theirs: Any, ours: Any, norm: nn.LayerNorm) -> Pairs:
    yield from _weight_and_bias(theirs.linear1, ours.feed_forward.widen)
    yield from _weight_and_bias(theirs.linear2, ours.feed_forward.narrow)
    yield from _weight_and_bias(norm, ours.add_norm_feed_forward.norm)


def _weight_and_bias(theirs: Any, ours: Any) -> Pairs:
    yield theirs.weight, ours.weight
    yield theirs.bias, ours.bias


# --- what theirs are --------------------------------------------------------------------------------------------


def _our_attention(theirs: nn.MultiheadAttention) -> MultiHeadAttention:
    if theirs.in_proj_weight is None:
        raise ValueError(
            f"keys and values must be as wide as queries, one matrix makes all three: embed_dim is "
            f"{theirs.embed_dim}, kdim {theirs.kdim}, vdim {theirs.vdim}."
        )
    if theirs.bias_k is not None or theirs.add_zero_attn:
        raise ValueError("attention with add_bias_kv or add_zero_attn attends to tokens that ours does not have.")
    return MultiHeadAttention(theirs.embed_dim, theirs.num_heads, theirs.dropout, theirs.in_proj_bias is not None)


def layer_config(layer: Any) -> BlockConfig:
    """Return our configuration of a PyTorch layer."""
    _our_attention(layer.self_attn)
    return BlockConfig(
        d_model=layer.self_attn.embed_dim,
        n_heads=layer.self_attn.num_heads,
        d_ff=layer.linear1.out_features,
        dropout=layer.dropout.p,
        norm_first=layer.norm_first,
        activation=_activation(layer.activation),
        layer_norm_eps=layer.norm1.eps,
        bias=layer.linear1.bias is not None,
    )


def _activation(function: Any) -> str:
    if function is F.relu or isinstance(function, nn.ReLU):
        return "relu"
    if function is F.gelu or (isinstance(function, nn.GELU) and function.approximate == "none"):
        return "gelu"
    raise ValueError(f"the activation must be relu or gelu (the exact one): it is {function!r}.")


def _our_stack(theirs: nn.TransformerEncoder | nn.TransformerDecoder) -> Encoder | Decoder:
    kind = Encoder if isinstance(theirs, nn.TransformerEncoder) else Decoder
    return kind(layer_config(theirs.layers[0]), len(theirs.layers), theirs.norm is not None)


_FROM_TORCH = {
    nn.MultiheadAttention: _our_attention,
    nn.TransformerEncoderLayer: lambda theirs: EncoderLayer(layer_config(theirs)),
    nn.TransformerDecoderLayer: lambda theirs: DecoderLayer(layer_config(theirs)),
    nn.TransformerEncoder: _our_stack,
    nn.TransformerDecoder: _our_stack,
    nn.Transformer: lambda theirs: EncoderDecoder(_our_stack(theirs.encoder), _our_stack(theirs.decoder)),
}
