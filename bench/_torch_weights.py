"""A whole Transformer of ours and a `torch.nn.Transformer` with the same weights, one made from the other."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from utils.models.config import TransformerConfig
from utils.models.torch_weights import from_torch, layer_config, pairs
from utils.models.transformer import Transformer


def transformer_from_torch(
    module: nn.Transformer,
    source_embedding: nn.Embedding,
    target_embedding: nn.Embedding,
    output: nn.Linear,
    **settings: Any,
) -> Transformer:
    """Our whole Transformer, with the weights of a `torch.nn.Transformer` and of the layers used around it.

    Rows of the embeddings are multiplied by √d_model before the positions are added, as in the paper's section 3.4.
    Where two of the three layers share one weight, ours do. settings: positions, max_length and pad_id, as in
    `TransformerConfig`. Raises as `from_torch` does.
    """
    stacks = from_torch(module)
    tied = "output" if output.weight is target_embedding.weight else "none"
    if tied == "output" and source_embedding.weight is target_embedding.weight:
        tied = "all"
    config = TransformerConfig(
        **vars(layer_config(module.encoder.layers[0])),
        source_vocabulary=source_embedding.num_embeddings,
        target_vocabulary=target_embedding.num_embeddings,
        n_encoder_layers=len(stacks.encoder.layers),
        n_decoder_layers=len(stacks.decoder.layers),
        final_norm=module.encoder.norm is not None,
        tied=tied,
        **settings,
    )
    model = Transformer(config, device=output.weight.device, dtype=output.weight.dtype)
    model.encoder, model.decoder = stacks.encoder, stacks.decoder
    with torch.no_grad():
        model.source_embedding.weight.copy_(source_embedding.weight)
        model.target_embedding.weight.copy_(target_embedding.weight)
        model.output.weight.copy_(output.weight)
    return model.train(module.training)


def to_torch(model: Transformer) -> nn.Transformer:
    """`torch.nn.Transformer` with the weights of our two stacks; it has no place for embeddings and output layer."""
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
