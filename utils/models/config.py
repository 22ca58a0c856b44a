"""What a model is made of: the sizes of `minimal.py` and many more choices, which refuse what cannot be built."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from utils.models.require import require_counts, require_even, require_flags, require_id, require_table
from utils.require import require_number, require_one_of, require_whole

Activation = Literal["relu", "gelu", "swiglu"]
Positions = Literal["sinusoidal", "learnt", "none"]
Tied = Literal["all", "output", "none"]


@dataclass(frozen=True, kw_only=True)
class BlockConfig:
    """One block: attention, feed-forward, and how they are added and normalized.

    d_model: numbers per token. n_heads: must divide d_model. d_ff: width between the two layers of the feed-forward
    network. dropout: the share of numbers set to 0 while training. norm_first: pre-norm, x + F(norm(x)), else the
    paper's post-norm, norm(x + F(x)). activation: in the feed-forward network; "swiglu" gives it a third layer.
    layer_norm_eps: ε under the root. bias: whether linear layers and norms add b.
    The defaults are the paper's base model. Raises ValueError naming the values that don't fit.
    Source: Vaswani et al. 2017, section 3 and table 3; pre-norm: Xiong et al. 2020.
    """

    d_model: int = 512
    n_heads: int = 8
    d_ff: int = 2048
    dropout: float = 0.1
    norm_first: bool = False
    activation: Activation = "relu"
    layer_norm_eps: float = 1e-5
    bias: bool = True

    def __post_init__(self) -> None:
        head_width(self.d_model, self.n_heads)
        require_counts(self, "d_ff")
        require_flags(self, "norm_first", "bias")
        require_number("dropout", self.dropout, "from 0 up to, not including, 1", lambda p: 0 <= p < 1)
        require_number("layer_norm_eps", self.layer_norm_eps, "above 0", lambda eps: 0 < eps < math.inf)
        require_one_of("activation", self.activation, ("relu", "gelu", "swiglu"))

    @property
    def d_k(self) -> int:
        """How wide a head is: d_model / n_heads."""
        return self.d_model // self.n_heads


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(BlockConfig):
    """An encoder and a decoder of such blocks, between two vocabularies.

    positions: added to the embeddings, sinusoidal as in the paper, learnt, or none. max_length: the longest sequence.
    pad_id: the id that fills short sentences up, never attended to. tied: which of the three vocabulary matrices are
    one and the same: the target embedding and the output layer ("output"), the source embedding too ("all", as in the
    paper: both languages then share one vocabulary), or none. final_norm: a layer norm after each stack; None means
    as norm_first, since a pre-norm stack ends without one.
    Raises ValueError naming the values that don't fit. Source: Vaswani et al. 2017, sections 3.1, 3.4 and 3.5.
    """

    vocabularies: ClassVar[tuple[str, str]] = ("source_vocabulary", "target_vocabulary")

    source_vocabulary: int
    target_vocabulary: int
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    positions: Positions = "sinusoidal"
    max_length: int = 512
    pad_id: int = 0
    tied: Tied = "output"
    final_norm: bool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_counts(self, *self.vocabularies, "n_encoder_layers", "n_decoder_layers", "max_length")
        require_one_of("positions", self.positions, ("sinusoidal", "learnt", "none"))
        require_one_of("tied", self.tied, ("all", "output", "none"))
        if self.positions == "sinusoidal":
            require_even(self.d_model)
        if self.positions != "none":
            require_table(self.max_length, self.d_model)
        require_id(self.pad_id, "both vocabularies", min(self.source_vocabulary, self.target_vocabulary))
        if self.tied == "all" and self.source_vocabulary != self.target_vocabulary:
            raise ValueError(
                f'tied="all" shares one matrix between both vocabularies, so they must be equally large: '
                f"{self.source_vocabulary} and {self.target_vocabulary} words."
            )
        require_one_of("final_norm", self.final_norm, (True, False, None))

    @property
    def has_final_norm(self) -> bool:
        """Whether each stack ends with a layer norm of its own."""
        return self.norm_first if self.final_norm is None else self.final_norm


def head_width(d_model: int, n_heads: int) -> int:
    """Compute d_k = d_model / n_heads. Raises TypeError unless both are whole, ValueError unless n_heads divides."""
    require_whole("d_model", d_model)
    require_whole("n_heads", n_heads)
    if d_model % n_heads:
        raise ValueError(f"d_model must be divisible by n_heads: {d_model} / {n_heads} leaves {d_model % n_heads}.")
    return d_model // n_heads


def sharing(n_heads: int, n_key_value_heads: int | None) -> int:
    """Return how many heads share one key and one value: n_heads / n_key_value_heads, and 1 for None.

    Raises TypeError unless it is a whole number, ValueError unless it divides n_heads.
    """
    if n_key_value_heads is None:
        return 1
    require_whole("n_key_value_heads", n_key_value_heads)
    if n_heads % n_key_value_heads:
        raise ValueError(
            "n_heads must be divisible by n_key_value_heads: "
            f"{n_heads} / {n_key_value_heads} leaves {n_heads % n_key_value_heads}."
        )
    return n_heads // n_key_value_heads
