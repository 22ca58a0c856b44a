"""What `make fuzz` calls, and how often: `python -m tests.fuzz_targets --seconds 300`, or `--cases 25000`.

See tests/fuzz.py.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

from tests.fuzz import Failure, Target, as_json, finite, numbers, run, shares, small, texts, with_more, words
from utils.by_hand import (
    attention,
    backward,
    chunked,
    decoder,
    encoder,
    masks,
    multi_head,
    normalization,
    positional,
    residual,
    slopes,
)
from utils.by_hand import tokenizers as pieces
from utils.by_hand import word2vec as vectors
from utils.course import progress
from utils.course.desk import pencil
from utils.data.corpora import read_pairs
from utils.data.pieces import Pieces
from utils.data.vocabulary import Vocabulary, detokenize, tokenize
from utils.models.attention import MultiHeadAttention, attention_weights
from utils.models.config import TransformerConfig
from utils.models.files import pack_model
from utils.models.gpt import Gpt, GptConfig, cache_bytes
from utils.models.masks import causal_mask
from utils.models.parameters import parameters_by_formula
from utils.models.transformer import Transformer
from utils.models.vit import Vit, VitConfig, patches
from utils.show import live
from utils.show.attention_control import AttentionControl
from utils.show.bilingual import bilingual_table
from utils.show.cards import folded
from utils.show.explorer import AttentionExplorer, Pass
from utils.show.lit import lit_words
from utils.show.numbers import parse_entry
from utils.show.tables import matrices, table
from utils.training import decoding, metrics, schedule
from utils.training.batches import Windows, bucketed_batches, padded, random_batches
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import smoothed_cross_entropy
from utils.training.translator import Translator

torch.set_num_threads(1)
_TEMPORARY = tempfile.TemporaryDirectory()  # gone when Python ends
FOLDER = Path(_TEMPORARY.name)
SHIPPED = Path(decoding.__file__).with_name("translator.safetensors")
SIZES = {"source_vocabulary": 12, "target_vocabulary": 12, "d_model": 8, "n_heads": 2, "d_ff": 8, "max_length": 16}
CONFIG = {**SIZES, "n_encoder_layers": 1, "n_decoder_layers": 1, "dropout": 0.0}
GPT = {"vocabulary": 12, "d_model": 8, "n_heads": 4, "d_ff": 8, "n_layers": 2, "n_key_value_heads": 2}
TRAINING = {"steps": 9, "learning_rate": 1e-3, "warmup": 3, "schedule": "linear", "optimizer": "adam"}
TRAINING |= {"weight_decay": 0.1, "clip": 1.0}
GPT |= {"positions": "rotary", "norm": "rms", "activation": "swiglu", "bias": False, "max_length": 16, "dropout": 0.0}
just = st.just
flag = st.booleans()
unit = st.floats(0, 1)


def table_of(*targets: Target) -> dict[str, Target]:
    return {str(target): target for target in targets}


# --- by hand ----------------------------------------------------------------------------------------------------

base = st.sampled_from([10000.0, 2, 1.5, 1e300, 1e-3])
places = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5)
arrangement = st.sampled_from(residual.ARRANGEMENTS)
merges = texts.map(lambda text: pieces.learn_merges(text, 5))
KNOWN = pieces.bert_excerpt()
sentences = st.lists(st.lists(st.sampled_from("abcd"), min_size=2, max_size=5), min_size=1, max_size=4)
ids = st.lists(st.integers(3, 11), min_size=1, max_size=6)


def masked(shapes: str, mask: str) -> st.SearchStrategy[list[Any]]:
    """Matrices, and a mask over the last of them or none."""
    return numbers(f"{shapes}, {mask}").flatmap(lambda a: st.sampled_from([[*a[:-1], None], [*a[:-1], a[-1] > 0]]))


def block(d: int, width: int, start: int, norm_first: bool, X: Any = None) -> Any:
    weights = encoder.random_encoder_weights(d, width, start)
    X = np.random.default_rng(start).normal(size=(3, d)) if X is None else X
    return encoder.encoder_block(X, weights, 1, norm_first=norm_first).output


def between(low: float, high: float) -> Callable[..., bool]:
    return lambda answer, *_: bool(
        finite(answer) and (np.asarray(answer) >= low - 1e-9).all() and (np.asarray(answer) <= high + 1e-9).all()
    )


def is_text(answer: Any, *_: Any) -> bool:
    return isinstance(answer, str)


def is_no_less_than_0(answer: Any, *_: Any) -> bool:
    return finite(answer) and answer >= 0


def as_long(answer: Any, rows: Any) -> bool:
    return len(answer) == len(rows)


def with_known(split: Callable[..., Any], right: Callable[..., bool]) -> Target:
    return Target(lambda text: split(text, KNOWN), st.tuples(texts), right, name=split.__name__)


BY_HAND = table_of(
    Target(attention.softmax, with_more("N d"), shares),
    Target(attention.softmax, with_more("N d", st.integers(-2, 1)), between(0, 1), name="softmax along"),
    Target(attention.scaled_dot_product_attention, masked("N k, M k, M v", "N M"), shares),
    Target(
        chunked.chunked_attention,
        masked("N k, M k, M v", "N M").flatmap(lambda a: st.integers(1, 7).map(lambda chunk: [*a, None, chunk])),
        lambda out, Q, K, V, *_: np.shape(out) == (len(Q), len(V[0])) and finite(out),
    ),
    Target(attention.attention_steps, with_more("N d, d k, d k, d v"), shares),
    Target(attention.entropy, numbers("N d").map(lambda z: [attention.softmax(z[0])]), between(0, math.log(6))),
    Target(decoder.shift_right, ids.map(lambda row: [row]), lambda a, row: len(a[0]) == len(row) + 1),
    Target(
        decoder.cross_entropy, with_more("N V", just(0)).map(lambda a: [a[0], [0] * len(a[0]), 1]), is_no_less_than_0
    ),
    Target(block, st.tuples(small, small, small, flag), finite, name="encoder_block"),
    Target(
        lambda X, norm_first: block(3, 3, 0, norm_first, X),
        numbers("N d").map(lambda a: [np.resize(a[0], (len(a[0]), 3)), False]),
        finite,
        name="encoder_block of",
    ),
    Target(encoder.random_encoder_weights, st.tuples(small, small, small, small), finite),
    Target(masks.look_ahead_mask, st.tuples(st.integers(1, 99)), lambda m, n: m.sum() == n * (n + 1) / 2),
    Target(
        masks.padding_mask,
        st.lists(small, min_size=1, max_size=4).map(lambda n: [n, max(n)]),
        lambda m, n, _: m.sum(axis=1).tolist() == list(np.ravel(n)),
    ),
    Target(
        multi_head.head_width,
        st.tuples(small, small).map(lambda n: [n[0] * n[1], n[1]]),
        lambda d, whole, heads: d * heads == whole,
    ),
    Target(
        multi_head.multi_head_attention,
        with_more("N d, d k, d k, d v, v o", just(1)),
        lambda answer, *_: finite(answer) and shares(answer.weights.reshape(-1, answer.weights.shape[-1])),
    ),
    Target(normalization.layer_norm, numbers("N d, d, d"), finite),
    Target(normalization.batch_norm, numbers("N d, d, d"), finite),
    Target(normalization.z_score, with_more("N d", st.integers(-2, 1), unit, flag, flag), finite),
    Target(positional.positional_encoding, st.tuples(st.integers(1, 50), small, base), between(-1, 1)),
    Target(positional.encode_positions, st.tuples(places, small, base, flag), between(-1, 1)),
    Target(
        positional.rotation,
        st.tuples(st.floats(-99, 99), small.map(lambda n: 2 * n), base),
        lambda R, *_: np.allclose(R @ R.T, np.eye(len(R))),
    ),
    Target(residual.random_stack, st.tuples(small, small, unit, small), finite),
    Target(residual.run_stack, with_more("N d, L d d", arrangement), finite),
    Target(
        lambda X, weights, kind, g: residual.stack_gradients(X, weights, kind, g),
        with_more("N d, L d d, N d", arrangement).map(lambda a: [a[0], a[1], a[3], a[2]]),
        finite,
        name="stack_gradients",
    ),
    Target(backward.softmax_backward, numbers("N M, N M"), finite),
    Target(backward.attention_backward, numbers("N v, N k, M k, M v, N M"), finite),
    Target(backward.look_up_backward, numbers("N d").map(lambda a: [*a, [0] * len(a[0]), 2]), finite),
    Target(backward.random_writer, st.tuples(small, small, small, small), finite),
    Target(backward.adam, numbers("d, L d"), finite),
    Target(slopes.one_sided, st.tuples(just(np.sin), st.floats(-9, 9), st.floats(1e-9, 1)), finite),
    Target(slopes.two_sided, st.tuples(just(np.sin), st.floats(-9, 9), st.floats(1e-9, 1)), finite),
    Target(slopes.bowl_cuts, st.tuples(st.floats(-3, 3), st.floats(-3, 3))),
    Target(pieces.learn_merges, st.tuples(texts, st.integers(0, 9)), lambda m, _, n: len(m) <= n),
    Target(pieces.byte_pair_pieces, st.tuples(texts, merges), lambda p, text, _: b"".join(p) == text.encode()),
    Target(pieces.byte_pair_ids, st.tuples(texts, merges), lambda i, text, m: pieces.byte_pair_text(i, m) == text),
    Target(pieces.byte_pair_text, st.tuples(st.lists(st.integers(0, 255), max_size=9), merges), is_text),
    Target(pieces.piece_text, st.tuples(st.binary(max_size=6)), is_text),
    Target(pieces.bert_words, st.tuples(texts), lambda found, text: all(found) and isinstance(text, str)),
    with_known(pieces.bert_pieces, lambda found, _: set(found) <= set(KNOWN)),
    with_known(pieces.bert_ids, lambda found, _: set(found) <= set(KNOWN.values())),
    Target(vectors.kmers, st.tuples(just("MKVLAAG"), small), lambda a, text, k: len(a) == len(text) - k + 1),
    Target(vectors.readings, st.tuples(just("MKVLAAG"), small), lambda a, _, k: len(a) == k),
    Target(vectors.count_words, st.tuples(sentences), lambda a, rows: sum(a.values()) == sum(map(len, rows))),
    Target(vectors.vocabulary, st.tuples(st.dictionaries(texts, small)), lambda a, counts: set(a) == set(counts)),
    Target(vectors.training_pairs, st.tuples(sentences, just(list("abcd")), small), lambda a, *_: a.shape[1] == 2),
    Target(
        lambda *a: vectors.train(*a, 3),
        st.tuples(st.sampled_from([[[0, 1], [1, 2]]]), just([3, 2, 1]), small, small),
        finite,
        name="train",
    ),
    Target(vectors.sgns_gradients, numbers("d, d, n d"), finite),
    Target(vectors.cosines, numbers("N d"), between(-1, 1)),
    Target(vectors.mean_cosine, numbers("N d"), between(-1, 1)),
    Target(
        vectors.nearest,
        with_more("d, N d", small).map(lambda a: [a[0], a[1], list("abcdef")[: len(a[1])], a[2]]),
        lambda a, _, W, names, n: len(a) == min(n, len(names)),
    ),
)

# --- models and training ----------------------------------------------------------------------------------------


def seeded(kind: type[torch.nn.Module], config: Any) -> Callable[[], Any]:
    @cache
    def made() -> torch.nn.Module:
        with torch.random.fork_rng():
            torch.manual_seed(0)
            return kind(config).eval()

    return made


model = seeded(Transformer, TransformerConfig(**CONFIG))
gpt = seeded(Gpt, GptConfig(**GPT))
SMALL_IMAGES = VitConfig(image_size=4, patch_size=2, channels=1, classes=3, n_layers=1, d_model=8, n_heads=2, d_ff=8)
vit = seeded(Vit, SMALL_IMAGES)


@cache
def shipped() -> Translator:
    return Translator.load(SHIPPED)


def tensors(shapes: str) -> st.SearchStrategy[list[torch.Tensor]]:
    return numbers(shapes).map(lambda arrays: [torch.from_numpy(array) for array in arrays])


def batch(rows: int = 2) -> st.SearchStrategy[torch.Tensor]:
    row = st.lists(st.integers(3, 11), min_size=4, max_size=4)
    return st.lists(row, min_size=rows, max_size=rows).map(torch.tensor)


def decoded(kind: str) -> Callable[..., Any]:
    def call(source: Any, start: Any, most: Any, *more: Any) -> Any:
        predictor = decoding.Translating(model(), source)
        options = {"greedy": (), "sample": ("temperature", "top_k", "top_p"), "beam": ("width", "alpha")}[kind]
        generator = {"generator": torch.Generator().manual_seed(0)} if kind == "sample" else {}
        return getattr(decoding, kind)(predictor, start, most, **dict(zip(options, more, strict=False)), **generator)

    return call


def by_fields(kind: type, fields: dict[str, Any], use: Callable[[Any], Any], right: Callable[..., bool]) -> Target:
    return Target(
        lambda *values: use(kind(**dict(zip(fields, values, strict=True)))),
        just(tuple(fields.values())),
        right,
        name=kind.__name__,
    )


def first_batch(
    kind: Callable[..., Any], arguments: st.SearchStrategy[Sequence[Any]], right: Callable[..., bool]
) -> Target:
    return Target(lambda *given: kind(*given)(0), arguments, right, name=kind.__name__)


starts = just(torch.tensor([[decoding.START], [decoding.START]]))
pairs = st.lists(st.tuples(ids, ids), min_size=1, max_size=5)
sides = st.lists(st.sampled_from(["a b c", "a b", "هوا", "x ."]), min_size=1, max_size=4).map(lambda rows: [rows, rows])

MODELS = table_of(
    by_fields(TransformerConfig, CONFIG, parameters_by_formula, lambda a, *_: all(n >= 0 for n in a.values())),
    Target(lambda s, t: model()(s, t), st.tuples(batch(), batch()), finite, name="Transformer"),
    Target(lambda x: vit()(x), just([torch.ones(2, 1, 4, 4)]), finite, name="Vit"),
    Target(patches, just([torch.ones(2, 3, 4, 6), 2]), lambda a, x, P: a.shape[2] == 3 * P * P and a.all()),
    by_fields(GptConfig, GPT, cache_bytes, lambda a, *_: a > 0),
    Target(lambda ids: gpt()(ids), st.tuples(batch()), finite, name="Gpt"),
    Target(
        lambda x, y: MultiHeadAttention(4, 2)(x, y),
        just([torch.ones(2, 3, 4), torch.zeros(2, 5, 4)]),
        finite,
        name="MultiHeadAttention",
    ),
    Target(
        attention_weights,
        tensors("B N d, B M d").map(lambda z: [x.clamp(-1e100, 1e100) for x in z]),
        lambda a, *z: bool((a.sum(-1) - 1).abs().max() < 1e-5) or any(x.abs().max() > 1e100 for x in z),
    ),
    Target(causal_mask, st.tuples(small, small), lambda m, n, offset: m.shape[-2:] == (n, n + offset)),
    Target(
        lambda n, peak, warmup, steps, shape: schedule.learning_rate(
            n, peak=peak, warmup=warmup, steps=steps, shape=shape
        ),
        st.tuples(small, st.floats(1e-9, 1), small, just(9), st.sampled_from(schedule.SHAPES)),
        is_no_less_than_0,
        name="learning_rate",
    ),
    Target(schedule.paper_peak, st.tuples(small, small), lambda a, *_: finite(a) and a > 0),
    Target(
        smoothed_cross_entropy,
        tensors("B N V").map(lambda z: [z[0].clamp(-1e30, 1e30), torch.full(z[0].shape[:2], z[0].shape[2] - 1), 0.1]),
        lambda a, z, *_: finite(a) or z.abs().max() > 1e100,
    ),
    Target(
        decoding.next_probabilities,
        st.tuples(tensors("B V"), st.floats(0, 9), small, st.floats(0.01, 1)).map(lambda a: [a[0][0], *a[1:]]),
        shares,
    ),
    Target(decoded("greedy"), st.tuples(batch(), starts, small), finite, name="greedy"),
    Target(
        decoded("sample"),
        st.tuples(batch(), starts, small, st.floats(0, 9), small, st.floats(0.01, 1)),
        finite,
        name="sample",
    ),
    Target(decoded("beam"), st.tuples(batch(), starts, small, small, unit), finite, name="beam"),
    Target(padded, pairs.map(lambda rows: [[row for row, _ in rows]]), as_long),
    first_batch(bucketed_batches, st.tuples(pairs, small, small), lambda a, *_: a.n_tokens > 0),
    first_batch(random_batches, st.tuples(pairs, small, small), lambda a, *_: a.n_tokens > 0),
    first_batch(
        Windows, st.tuples(small, small).map(lambda n: [torch.arange(n[0] + 9), n[0], n[1]]), lambda a, *_: a.ndim == 2
    ),
    Target(metrics.exact_match, sides, between(0, 1)),
    Target(metrics.bleu, sides, between(0, 100)),
    Target(metrics.chrf, sides, between(0, 100)),
    by_fields(TrainingConfig, TRAINING, lambda made: made, finite),
    Target(
        lambda text: shipped().translate(text),
        st.tuples(texts | st.sampled_from(["the cat is here", "is the cat here", "I see a cat."])),
        is_text,
        name="translate",
    ),
    Target(tokenize, st.tuples(texts), lambda a, _: all(a)),
    Target(detokenize, st.tuples(words, flag), is_text),
    Target(
        Vocabulary,
        st.tuples(st.lists(st.sampled_from("abcdefg"), unique=True, min_size=1)),
        lambda a, rows: len(a) == 4 + len(rows),
    ),
    Target(
        Vocabulary.from_texts,
        st.tuples(sentences, small),
        lambda a, *_: len(a) > 4,
        name="Vocabulary.from_texts",
    ),
    Target(Vocabulary("abc").ids, st.tuples(words), as_long, name="Vocabulary.ids"),
    Target(Vocabulary("abc").tokens, st.tuples(st.lists(st.integers(0, 6))), as_long, name="Vocabulary.tokens"),
)

# --- what is shown ----------------------------------------------------------------------------------------------


def shown(
    kind: type, arguments: st.SearchStrategy[Sequence[Any]], placed: Callable[..., Sequence[Any]] = lambda *given: given
) -> Target:
    """What a part of a control tells its page; `placed` makes of the arguments all that `kind` takes."""

    def call(*given: Any) -> Any:
        made = kind(*placed(*given))
        return [made.state(), made.text(made.start()) if isinstance(made, live.Parameter) else made.text()]

    return Target(call, arguments, as_json, name=kind.__name__)


def table_by(show: Callable[..., Any]) -> Target:
    rows = st.tuples(st.lists(st.tuples(texts, texts), min_size=1, max_size=3))
    return Target(lambda rows: show(["a", "b"], rows, "what"), rows, lambda a, _: "<" in a.html, name=show.__name__)


def card(answer: Any, *_: Any) -> bool:
    return "nan" not in answer.html.lower().replace("anan", "") and "<" in answer.html


SHOWN = table_of(
    table_by(table),
    table_by(bilingual_table),
    Target(lambda x, y: matrices(x=x, y=y), numbers("N d, d M"), card, name="matrices"),
    Target(pencil, st.tuples(st.sampled_from(["04", "05", "08", "09"]), st.integers(0, 10**9))),
    Target(folded, st.tuples(texts, st.floats()), lambda a, *_: "<" in a.html),
    Target(lit_words, numbers("N").map(lambda z: [list("abcdef")[: len(z[0])], attention.softmax(z[0]), "t"]), card),
    Target(
        parse_entry,
        st.tuples(texts | st.floats().map(str) | st.from_regex(r"-?[0-9]+([.,/][0-9]+)?(e-?[0-9]+)?", fullmatch=True)),
        finite,
    ),
    shown(live.Slider, just((1, 9, 3, 1)), lambda low, high, value, step: ("n", low, high, value, "", step)),
    shown(live.Choice, just((["a", "b"], "a")), lambda options, value: ("n", options, value)),
    shown(live.Toggle, st.tuples(flag), lambda value: ("n", value)),
    shown(live.Text, just(("abc", 1)), lambda value, rows: ("n", value, "", 9, rows)),
    shown(live.Paint, numbers("N d").map(lambda a: [a[0] > 0]), lambda value: ("n", value)),
    shown(live.Entries, numbers("N d"), lambda value: ("n", value)),
    shown(
        live.Heatmap,
        with_more("N d", just(0.0), just(1.0), just(2)),
        lambda x, low, high, decimals: (x, (), (), "t", low, high, decimals),
    ),
    shown(
        live.Matrix,
        with_more("N d", just([0]), just(3)),
        lambda x, lit, decimals: (x, "W_Q", (), (), lit, (), decimals),
    ),
    shown(
        live.Lines,
        with_more("N, N", just((0.0, 1.0))).map(lambda a: [np.arange(len(a[0])), *a[1:]]),
        lambda x, y, ends: (x, {"y": y}, "", "", "", ends),
    ),
    shown(
        live.Bars,
        with_more("N", just((0.0, 1.0)), just([0])).map(lambda a: [list("abcdef")[: len(a[0])], *a]),
        lambda names, y, ends, lit: (names, y, "", ends, lit),
    ),
    shown(
        live.Points,
        just((np.eye(2), ["a", "b"], [1, 2], [0])),
        lambda xy, names, groups, lit: (xy, names, "", groups, lit),
    ),
    shown(live.Tokens, just((["a", "b"], [1, 2], [0, 1]))),
    shown(live.Note, st.tuples(texts)),
)

# --- messages from the page -------------------------------------------------------------------------------------

anything = st.recursive(
    st.sampled_from([None, True, 0, 1, -1, 2.5, "X", "n", "0", "1e400", "½", math.nan, 10**30]) | texts,
    lambda parts: st.lists(parts, max_size=3) | st.dictionaries(texts, parts, max_size=3),
    max_leaves=6,
)


def message(*kinds: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """What a page may send, and what it never should."""
    known = {"kind": st.sampled_from(kinds), "id": st.text(max_size=3), **fields}
    fitting = st.fixed_dictionaries({}, optional=known)
    wild = st.fixed_dictionaries({"kind": known["kind"]}, optional=dict.fromkeys([*fields, "id"], anything))
    return st.fixed_dictionaries(known) | fitting | wild | st.dictionaries(texts, anything, max_size=3)


@cache
def control() -> live.LiveControl:
    def picture(n: float, how: str, words: str, on: bool, X: Any) -> list[live.Panel]:
        return [live.Heatmap(np.exp(n * X), title=how), live.Note(f"{words} {on}")]

    knobs = [live.Slider("n", 0.0, 9.0), live.Choice("how", ["a", "b"]), live.Text("words"), live.Toggle("on")]
    return live.LiveControl(picture, [*knobs, live.Entries("X", np.eye(2))], {"other": {"n": 9.0}}, "a heatmap")


@cache
def attention_control() -> AttentionControl:
    eye = np.eye(2)
    return AttentionControl(attention.attention_steps, {"start": dict.fromkeys(("X", "W_Q", "W_K", "W_V"), eye)})


@cache
def explorer() -> AttentionExplorer:
    weights = np.full((1, 2, 3, 3), 1 / 3)
    seen = Pass({"encoder": list(weights)}, list("abc"), output="x")
    return AttentionExplorer({"one": seen}, lambda text, off: seen)


def told(widget: Callable[[], Any], messages: st.SearchStrategy[dict[str, Any]], name: str, *traits: str) -> Target:
    def tell(request: dict[str, Any]) -> list[Any]:
        widget()._serve(widget(), request, None)
        return [widget().answer, *(getattr(widget(), trait) for trait in traits)]

    return Target(tell, st.tuples(messages), answered, spoils=False, name=name)


def answered(answer: list[Any], request: dict[str, Any]) -> bool:
    return as_json(answer) and answer[0] == str(request.get("id", ""))


change = {
    "name": st.sampled_from(["n", "how", "words", "on", "X", "other", "start", "scaled", "?"]),
    "value": anything | st.floats(0, 9),
    "table": st.sampled_from(["X", "W_Q", "n", "?"]), "row": st.integers(-1, 2), "column": st.integers(-1, 2),
    "text": texts | st.floats().map(str),
}  # fmt: skip
heads = st.lists(st.tuples(st.sampled_from(["encoder", "?"]), small, small).map(list) | anything, max_size=2)
requests = message("set", "edit", "preset", "reset", **change)
MESSAGES = table_of(
    told(control, requests, "LiveControl", "values", "panels", "entries", "refusals"),
    told(attention_control, requests, "AttentionControl", "values", "panels", "entries", "refusals"),
    told(
        explorer,
        message("show", text=texts | just("one"), off=heads),
        "AttentionExplorer",
        *("result", "chosen", "refusal"),
    ),
)

# --- files ------------------------------------------------------------------------------------------------------


def harmed(data: bytes, harm: str, place: int, more: int) -> bytes:
    """`data` cut off, with a bit turned, with a number changed, with zeros or other bytes in it, or as it is."""
    place %= len(data)
    match harm:
        case "cut":
            return data[:place]
        case "bit":
            return data[:place] + bytes([data[place] ^ 1 << more % 8]) + data[place + 1 :]
        case "zeros":
            return data[:place] + bytes(min(64, len(data) - place)) + data[place + 64 :]
        case "twice":
            return data[:place] + data[: place + more]
        case "lie":  # another number, where the file says one
            found = list(re.finditer(rb"\d+", data[:4000]))
            number = found[place % len(found)]
            lies = (b"0", b"-1", b"1e9", b"20000", b"1" * 30, b"2.5", b"NaN", b"null", b"[" * 9999, b'"a"')
            lied = data[: number.start()] + lies[more % len(lies)] + data[number.end() :]
            head = int.from_bytes(data[:8], "little") + len(lied) - len(data)
            return head.to_bytes(8, "little") + lied[8:] if data[8:9] == b"{" else lied
    return data


HARMS = st.tuples(
    st.sampled_from(["none", "cut", "bit", "bit", "zeros", "twice", "lie", "lie"]),
    st.integers(0, 10**6),
    st.integers(0, 99),
)


@cache
def trainer() -> Trainer:
    torch.manual_seed(0)
    untrained, batches = Transformer(TransformerConfig(**CONFIG)), bucketed_batches([([4, 5], [6])], 1)
    run = Trainer(untrained, batches, TrainingConfig(steps=9, warmup=1), show=False)
    run.train(2)
    return run


@cache
def good(kind: str) -> bytes:
    path = FOLDER / f"good {kind}"
    if kind == "checkpoint":
        trainer().save(path)
    elif kind == "translator":
        words = Vocabulary("abcdefgh")
        Translator(model(), words, words).save(path)
    elif kind == "pieces":  # in a file of their own, without the checksum that guards them in a translator's
        path.write_text(Pieces.from_texts(["low lower lowest, 10 wider widest"], 300).to_json(), encoding="utf-8")
    elif kind == "unchecked":  # a file as others write it
        from safetensors.torch import save

        stored, texts = pack_model(model())
        more = {"longest": "5", "source_words": "[]", "target_words": "[]"}
        path.write_bytes(save({name: tensor.clone() for name, tensor in stored.items()}, texts | more))
    elif kind == "pairs":
        path.write_text("".join(f"a sentence {i}.\tein Satz {i}.\tCC-BY\n" for i in range(20)), encoding="utf-8")
    else:
        path.write_text('{"05.softmax": {"tries": 3, "passed": true}, "06.scale": {"tries": 1, "passed": false}}')
    return path.read_bytes()


def loading(kind: str, load: Callable[[Path], Any]) -> Target:
    """`right` looks at the weights: those of a file with a checksum are the good ones, or none."""

    def call(harm: tuple[str, int, int]) -> Any:
        path = FOLDER / f"harmed {kind}"
        path.write_bytes(harmed(good(kind), *harm))
        return load(path)

    return Target(
        call,
        st.tuples(HARMS),
        finite if kind in ("unchecked", "pairs") else lambda answer, _: bool(answer),
        spoils=False,
        name=f"file: {kind}",
    )


def same_weights(other: torch.nn.Module, weights: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(tensor, weights[name]) for name, tensor in other.state_dict().items())


def checkpoint_is_right(path: Path) -> bool:
    good_weights = {name: tensor.clone() for name, tensor in trainer().model.state_dict().items()}
    trainer().load(path)
    return same_weights(trainer().model, good_weights) and trainer().step == 2


def progress_is_right(path: Path) -> bool:
    os.environ["COURSE_PROGRESS"] = str(path)
    try:
        said = progress.record("07.masks", True)
        found = progress.read_progress()
    finally:
        del os.environ["COURSE_PROGRESS"]
    for aside in FOLDER.glob("*.broken-*"):
        aside.unlink()
    return found["07.masks"].passed and (said is None or len(found) == 1)


def pairs_are_right(path: Path) -> bool:
    try:
        return all(pair.source and pair.target for pair in read_pairs(path)[0])
    except ValueError as error:  # the first broken lines stand below the sentence
        _, *lines = str(error).split("\n")
        if lines and all(line.startswith("  line ") for line in lines):
            return True
        raise


FILES = table_of(
    loading("checkpoint", checkpoint_is_right),
    loading("translator", lambda path: same_weights(Translator.load(path).model, model().state_dict())),
    loading("pieces", lambda path: Pieces.from_json(path.read_text(encoding="utf-8", errors="replace")).split("low")),
    loading("unchecked", lambda path: Translator.load(path).longest),
    loading("pairs", pairs_are_right),
    loading("progress", progress_is_right),
)
TARGETS = BY_HAND | MODELS | SHOWN | MESSAGES | FILES


def main(arguments: Sequence[str] | None = None) -> None:
    """Rounds over all targets, each with a seed of its own, until the time is up or the cases are done."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_targets", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="targets with this in their name")
    options = parser.parse_args(arguments)
    end, counts, failures = time.monotonic() + options.seconds, Counter[str](), {}
    number = options.seed
    chosen = [target for name, target in TARGETS.items() if options.only in name]
    while time.monotonic() < end and counts.total() < options.cases and len(failures) < len(chosen):
        for target in chosen:
            if str(target) in failures or time.monotonic() > end or counts.total() >= options.cases:
                continue
            try:
                counts += run(target, 100, number)
            except Failure as failure:
                failures[str(target)] = failure
                print(f"seed {number}: {failure}", flush=True)
        number += 1
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    print(f"{counts.total()} cases of {len(chosen)} targets: {told}; {len(failures)} targets failed.")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
