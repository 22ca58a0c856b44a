"""An encoder and a decoder of gated recurrent units: one reads a sequence, the other writes one.

Between them stands what the decoder may look at: one summary vector (Cho et al. 2014), or a fresh mixture of all
encoder states before every word (Bahdanau et al. 2015). Everything else is the same in both.
Shapes: batch B, source length N, target length M.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from utils.models.attention import masked_softmax
from utils.models.require import require_counts, require_id, require_ids
from utils.models.watching import show
from utils.require import require_one_of


@dataclass(frozen=True, kw_only=True)
class Seq2SeqConfig:
    """The configuration of a `Seq2Seq`.

    attention: "none", the decoder gets the last encoder state; "additive", a mixture of all of them. d_model: numbers
    in an embedding, d_hidden: in a state of encoder or decoder, d_summary: in what the encoder hands over when there
    is no attention (None: the whole last state). pad_id: the source id that means nothing; it comes at the end.
    Raises ValueError, naming the value, for sizes that are no counts, another attention, a d_summary beside attention,
    and a pad_id outside the source vocabulary.
    """

    source_vocabulary: int
    target_vocabulary: int
    d_model: int = 64
    d_hidden: int = 128
    attention: str = "additive"
    d_summary: int | None = None
    pad_id: int = 0

    def __post_init__(self) -> None:
        require_counts(self, "source_vocabulary", "target_vocabulary", "d_model", "d_hidden")
        if self.d_summary is not None:
            require_counts(self, "d_summary")
        require_one_of("attention", self.attention, ("none", "additive"))
        if self.attention != "none" and self.d_summary is not None:
            raise ValueError(f"d_summary={self.d_summary} needs attention='none': attention sees every state whole.")
        require_id(self.pad_id, "the source vocabulary", self.source_vocabulary)


@dataclass(frozen=True)
class EncoderStates:
    """What the encoder hands over: its state after every token, and the one after the last token."""

    states: Tensor  # (B, N, d_hidden)
    mask: Tensor  # (B, 1, 1, N), True at real tokens
    summary: Tensor  # (B, d_summary), or d_hidden wide
    keys: Tensor | None  # (B, N, d_hidden): states @ W_h, the same for every word that is written

    def select(self, rows: Tensor) -> EncoderStates:
        """Return the same for `rows` of the batch, in that order; a row may come more than once."""
        keys = None if self.keys is None else self.keys[rows]
        return EncoderStates(self.states[rows], self.mask[rows], self.summary[rows], keys)


class DecoderState:
    """What the decoder remembers between two calls of `Seq2Seq.decode`."""

    def __init__(self) -> None:
        self.length = 0  # words read so far
        self.state: Tensor | None = None  # (B, d_hidden)

    def select(self, rows: Tensor) -> None:
        """Keep `rows` of the batch, in that order; a row may come more than once."""
        if self.state is not None:
            self.state = self.state[rows]


class AdditiveAttention(nn.Module):
    """v · tanh(s W_s + h_j W_h): a score for each state h_j, softmaxed, then the states weighed and added up.

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.1.2; lecture note N3, the two extra steps.
    """

    shows: ClassVar = ("weights",)

    def __init__(self, d_query: int, d_state: int, d_attention: int) -> None:
        super().__init__()
        self.W_s = nn.Linear(d_query, d_attention, bias=False)
        self.W_h = nn.Linear(d_state, d_attention)
        self.v = nn.Linear(d_attention, 1, bias=False)

    def forward(self, query: Tensor, states: Tensor, mask: Tensor, keys: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return the context (B, d_state) and the weights (B, N), zeros where nothing is allowed.

        query (B, d_query), states (B, N, d_state), mask (B, N), True where allowed; keys: W_h(states), if at hand.
        """
        keys = self.W_h(states) if keys is None else keys
        scores = self.v(torch.tanh(self.W_s(query)[:, None] + keys)).squeeze(-1)  # (B, N)
        weights = masked_softmax(scores, mask)
        return (weights[:, None] @ states).squeeze(1), weights


class Seq2Seq(nn.Module):
    """GRU encoder and GRU decoder, without attention or with additive attention.

    Used like `Transformer`: `model(source, target)` for training, `encode` and `decode` for writing word by word.
    Source: Cho et al. 2014, section 2.2 (the summary goes into every step of the decoder); Bahdanau et al. 2015.
    """

    attentions: ClassVar = {"attention": "cross"}

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        self.config = config
        hidden = config.d_hidden
        summary = config.d_summary or hidden
        self.source_embedding = nn.Embedding(config.source_vocabulary, config.d_model)
        self.target_embedding = nn.Embedding(config.target_vocabulary, config.d_model)
        self.encoder = nn.GRU(config.d_model, hidden, batch_first=True)
        self.shrink = nn.Linear(hidden, summary) if config.d_summary else nn.Identity()
        self.start = nn.Linear(summary, hidden)
        self.attention = AdditiveAttention(hidden, hidden, hidden) if config.attention == "additive" else None
        self.decoder = nn.GRU(config.d_model + summary, hidden, batch_first=True)
        self.output = nn.Linear(hidden + summary, config.target_vocabulary)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return logits (B, M, target_vocabulary): position i is what comes after target[:, : i + 1].

        source (B, N) and target (B, M) are ids. The attention shows its weights as one head would: (B, 1, M, N).
        Raises TypeError for ids that are no integers, ValueError for ids out of range and for padding in front of a
        real token.
        """
        return self.decode(target, self.encode(source))

    def encode(self, source: Tensor) -> EncoderStates:
        """Return the encoder states of the source ids (B, N), which are read one after the other."""
        require_ids(source, self.config.source_vocabulary, "source ids")
        real = source != self.config.pad_id  # (B, N)
        if (real[:, 1:] & ~real[:, :-1]).any():
            raise ValueError(f"padding (id {self.config.pad_id}) must come at the end of every source.")
        states, _ = self.encoder(self.source_embedding(source))
        # A state that stands before the padding has not seen it, so the last real one is the summary.
        last = real.sum(dim=1).clamp(min=1) - 1
        summary = states[torch.arange(len(states), device=source.device), last] * real[:, :1]
        keys = None if self.attention is None else self.attention.W_h(states)
        return EncoderStates(states, real[:, None, None], self.shrink(summary), keys)

    def new_cache(self) -> DecoderState:
        """Return an empty memory for `decode`, to be passed at every call."""
        return DecoderState()

    def decode(self, target: Tensor, memory: EncoderStates, cache: DecoderState | None = None) -> Tensor:
        """Return logits (B, M, target_vocabulary) for the target ids (B, M); with a cache, for the new ids alone."""
        require_ids(target, self.config.target_vocabulary, "target ids")
        if len(target) != len(memory.states):
            raise ValueError(f"target has {len(target)} rows, but the memory is of {len(memory.states)} sources.")
        state = torch.tanh(self.start(memory.summary)) if cache is None or cache.state is None else cache.state
        words = self.target_embedding(target)  # (B, M, d_model)
        run = self._with_summary if self.attention is None else self._with_attention
        states, contexts = run(words, memory, state)
        if cache is not None:
            cache.state, cache.length = states[:, -1], cache.length + target.shape[1]
        return self.output(torch.cat([states, contexts], dim=-1))

    def _with_summary(self, words: Tensor, memory: EncoderStates, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return decoder states (B, M, d_hidden) and contexts (B, M, d_summary): at every step the same summary."""
        contexts = memory.summary[:, None].expand(-1, words.shape[1], -1)
        states, _ = self.decoder(torch.cat([words, contexts], dim=-1), state[None].contiguous())
        return states, contexts

    def _with_attention(self, words: Tensor, memory: EncoderStates, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the same with a context of its own for every step, which the state before it asks for."""
        gru, mask = self.decoder, memory.mask[:, 0, 0]
        states, contexts, weights = [], [], []
        for word in words.unbind(dim=1):
            context, shares = self.attention(state, memory.states, mask, memory.keys)
            asked = torch.cat([word, context], dim=-1)
            state = torch.gru_cell(asked, state, gru.weight_ih_l0, gru.weight_hh_l0, gru.bias_ih_l0, gru.bias_hh_l0)
            states.append(state)
            contexts.append(context)
            weights.append(shares)
        show(self.attention, "weights", torch.stack(weights, dim=1)[:, None])  # (B, 1, M, N)
        return torch.stack(states, dim=1), torch.stack(contexts, dim=1)
