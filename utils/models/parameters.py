"""Count the parameters of a transformer, part by part, by formula from its configuration.

A matrix that several modules share counts once.
Source: Vaswani et al. 2017, sections 3.1 to 3.4; table 3, column "params".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from utils.models.config import BlockConfig, TransformerConfig
from utils.require import require_whole


def attention_parameters(config: BlockConfig) -> int:
    """Count W_Q, W_K, W_V and W_O, each d_model × d_model with a bias. The heads share them: no n_heads in it."""
    return 4 * (config.d_model**2 + config.bias * config.d_model)


def feed_forward_parameters(config: BlockConfig) -> int:
    """Count W_1 (d_model × d_ff), W_2 (d_ff × d_model) and their biases; "swiglu" has W_1 and b_1 twice."""
    n_wide = 2 if config.activation == "swiglu" else 1
    return (n_wide + 1) * config.d_model * config.d_ff + config.bias * (n_wide * config.d_ff + config.d_model)


def gated_width(d_ff: int) -> int:
    """Return the d_ff with which "swiglu" has as many weights as others with `d_ff`: two thirds of it, rounded.

    Three matrices of 2/3 are two. Raises TypeError or ValueError when d_ff is no count.
    Source: Shazeer 2020, section 2.
    """
    require_whole("d_ff", d_ff)
    return round(2 * d_ff / 3)


def norm_parameters(config: BlockConfig) -> int:
    """Count γ and β of one layer norm; no β without biases."""
    return (1 + config.bias) * config.d_model


def encoder_layer_parameters(config: BlockConfig) -> int:
    """Count one block of the encoder: an attention, a feed-forward network, two norms."""
    return attention_parameters(config) + feed_forward_parameters(config) + 2 * norm_parameters(config)


def parameters_by_formula(config: TransformerConfig) -> dict[str, int]:
    """Count what each part of `Transformer(config)` learns, without building it; their sum is the model's."""
    attention, feed_forward, norm = (
        count(config) for count in (attention_parameters, feed_forward_parameters, norm_parameters)
    )
    encoder, decoder = config.n_encoder_layers, config.n_decoder_layers
    # The target embedding, the output layer and the source embedding, those that are not one and the same.
    words = {
        "all": config.target_vocabulary,
        "output": config.target_vocabulary + config.source_vocabulary,
        "none": 2 * config.target_vocabulary + config.source_vocabulary,
    }[config.tied]
    return {
        "encoder self-attention": encoder * attention,
        "encoder feed-forward": encoder * feed_forward,
        "encoder norms": (2 * encoder + config.has_final_norm) * norm,
        "decoder self-attention": decoder * attention,
        "decoder cross-attention": decoder * attention,
        "decoder feed-forward": decoder * feed_forward,
        "decoder norms": (3 * decoder + config.has_final_norm) * norm,
        "positions": config.max_length * config.d_model if config.positions == "learnt" else 0,
        "words": words * config.d_model,
    }


@dataclass(frozen=True, kw_only=True)
class PaperModel:
    """A row of the paper's table 3 that prints how many parameters it has; what is not given is as in the base model.

    Counted as the paper's formulas say: no biases in the attention, b_1 and b_2 in the feed-forward network, γ and β
    in each norm, and one matrix for the words of both languages, `vocabulary` rows of d_model numbers.
    """

    row: str  # its letter in the table, and what is different from the base model
    millions: int  # as printed
    n_layers: int = 6  # in the encoder, and as many in the decoder
    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    d_k: int = 64
    d_v: int = 64

    @property
    def blocks(self) -> int:
        """Count the parameters of both stacks, without the words."""
        attention = self.n_heads * self.d_model * 2 * (self.d_k + self.d_v)  # W_Q and W_K; W_V and W_O
        network = 2 * self.d_model * self.d_ff + self.d_ff + self.d_model
        norm = 2 * self.d_model
        return self.n_layers * (3 * attention + 2 * network + 5 * norm)

    def total(self, vocabulary: int) -> int:
        """Count the parameters for a `vocabulary` of this size."""
        return self.blocks + vocabulary * self.d_model

    @property
    def vocabularies(self) -> range:
        """Return all vocabulary sizes for which the total rounds to the printed millions."""
        least, most = ((self.millions + half) * 1e6 - self.blocks for half in (-0.5, 0.5))
        return range(math.ceil(least / self.d_model), math.ceil(most / self.d_model))


# All rows of Vaswani et al. 2017, table 3, whose column "params" is filled.
TABLE_3 = (
    PaperModel(row="base", millions=65),
    PaperModel(row="(B) d_k = 16", millions=58, d_k=16),
    PaperModel(row="(B) d_k = 32", millions=60, d_k=32),
    PaperModel(row="(C) N = 2", millions=36, n_layers=2),
    PaperModel(row="(C) N = 4", millions=50, n_layers=4),
    PaperModel(row="(C) N = 8", millions=80, n_layers=8),
    PaperModel(row="(C) d_model = 256, d_k = d_v = 32", millions=28, d_model=256, d_k=32, d_v=32),
    PaperModel(row="(C) d_model = 1024, d_k = d_v = 128", millions=168, d_model=1024, d_k=128, d_v=128),
    PaperModel(row="(C) d_ff = 1024", millions=53, d_ff=1024),
    PaperModel(row="(C) d_ff = 4096", millions=90, d_ff=4096),
    PaperModel(row="big", millions=213, d_model=1024, d_ff=4096, n_heads=16),
)
