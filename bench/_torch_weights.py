"""A `torch.nn.Transformer` with the weights of a whole Transformer of ours."""

from __future__ import annotations

import torch
from torch import nn

from utils.models.torch_weights import pairs
from utils.models.transformer import Transformer


def to_torch(model: Transformer) -> nn.Transformer:
    """Return a `torch.nn.Transformer` with the weights of our two stacks; it has no embeddings and no output layer."""
    config, weight = model.config, model.output.weight
    size = {"d_model": config.d_model, "nhead": config.n_heads, "dim_feedforward": config.d_ff}
    more = {"dropout": config.dropout, "activation": config.activation, "layer_norm_eps": config.layer_norm_eps}
    layer = {**size, **more, "norm_first": config.norm_first, "bias": config.bias, "batch_first": True}
    norms = [nn.LayerNorm(config.d_model, config.layer_norm_eps, bias=config.bias) for _ in range(2)]
    encoder_norm, decoder_norm = norms if config.has_final_norm else (None, None)
    # Nested tensors are a short cut of theirs that pre-norm layers can't take, and they warn of it.
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(**layer), config.n_encoder_layers, encoder_norm, enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**layer), config.n_decoder_layers, decoder_norm)
    theirs = nn.Transformer(
        config.d_model, config.n_heads, custom_encoder=encoder, custom_decoder=decoder, batch_first=True
    ).to(weight.device, weight.dtype)
    with torch.no_grad():
        for their_tensor, our_tensor in pairs(theirs, model):
            their_tensor.copy_(our_tensor)
    return theirs.train(model.training)
