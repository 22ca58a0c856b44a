"""The ten parts of lesson 12a, and the mistakes that each of them knows.

PyTorch is imported where it is needed, since the lessons without it load this file, too.
"""

from __future__ import annotations

import functools
import inspect
import re
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Exercise, Mistakes, WrongAnswer, in_steps
from utils.course.exercises.own_state import fixed_state
from utils.course.exercises.tensors import FindingError, Module, filled, named, of_tensors, pytorch, values_of

Array = Any
_random = np.random.default_rng(121)
PAD, START, END = 0, 1, 2


def _minimal() -> Any:
    from utils.models import minimal

    return minimal


def _part(
    name: str,
    title: str,
    how: Callable[..., Any],
    part: str,
    arguments: str,
    inputs: Iterable[tuple[Any, ...]],
    mistakes: Mistakes,
    parts: tuple[str, ...] = (),
) -> Exercise:
    """An exercise of which the right answer is the `part` of `minimal.py`."""
    return of_tensors(f"12a.{name}", title, how, lambda: getattr(_minimal(), part), arguments, inputs, mistakes, parts)


def _ids(*shape: int, words: int = 9) -> Array:
    return _random.integers(3, words, size=shape)


def _normal(*shape: int) -> Array:
    return _random.normal(size=shape).astype(np.float32)


# --- 1: words and their places ---


def _use_embedded(embedded: Any, rows: Any, ids: Any) -> Array:
    return values_of(embedded(pytorch().nn.Embedding.from_pretrained(rows), ids))


@in_steps
def _embedding(
    factor: Callable[[int], float] = lambda d: d**0.5,
    angle: Callable[[Array, Array, int], Array] = lambda n, i, d: n / 10000 ** (i / d),
    join: Callable[[Array, Array], Array] = lambda sin, cos: pytorch().stack([sin, cos], dim=-1).flatten(-2),
    add: Callable[[Array, Array], Array] = lambda words, places: words + places,
    counted: Callable[[Any], Any] = lambda ids: pytorch().arange(ids.shape[1]),
) -> Callable[[], Any]:
    def make() -> Any:
        torch = pytorch()

        def embedded(table: Any, ids: Any) -> Any:
            d = table.weight.shape[1]
            angles = angle(counted(ids)[..., None], torch.arange(0, d, 2), d)
            return add(table(ids) * factor(d), join(angles.sin(), angles.cos()))

        return embedded

    return make


_EMBEDDED = _part(
    "embedded",
    "words and their positions",
    _use_embedded,
    "embedded",
    "rows ids",
    [(_normal(9, 6), _ids(2, 5)), (_normal(9, 8), _ids(3, 4)), (_normal(7, 4), _ids(1, 7, words=7))],
    [
        "You return the words without their positions, so the sentence is a bag of words without any order. Add the "
        "sines and cosines.",
        _embedding(add=lambda words, places: words),
        "You add the rows of the words as they are. These rows start out small, so the positions would drown them "
        "out. Multiply the rows by √d_model first.",
        _embedding(factor=lambda d: 1),
        "You multiply the rows by d_model, which makes them too large. Multiply by its square root instead: "
        "`d_model**0.5`.",
        _embedding(factor=lambda d: d),
        "You multiply the positions by √d_model as well, but only the rows of the words should grow. Add the "
        "positions afterwards.",
        _embedding(lambda d: 1, add=lambda words, places: (words + places) * words.shape[-1] ** 0.5),
        "You return only the positions, so every sentence looks the same. Add the positions to the rows of the words.",
        _embedding(add=lambda words, places: words * 0 + places),
        "You count the positions from 1, but the first word is at position 0, where the sine is 0 and the cosine 1.",
        _embedding(angle=lambda n, i, d: (n + 1) / 10000 ** (i / d)),
        "You compute the angles from the ids, but angles belong to the positions 0, 1, 2, … Use "
        "`torch.arange(ids.shape[1])`.",
        _embedding(counted=lambda ids: ids),
        "You have swapped sine and cosine. Put the sine into columns 0, 2, 4, …, and the cosine into the columns "
        "between.",
        _embedding(join=lambda sin, cos: pytorch().stack([cos, sin], dim=-1).flatten(-2)),
        "You put all sines first and then all cosines. Let them take turns instead: sine, cosine, sine, cosine, …",
        _embedding(join=lambda sin, cos: pytorch().cat([sin, cos], dim=-1)),
    ],
)


# --- 2: attention ---


def _use_attention(attention: Any, query: Any, key: Any, value: Any, mask: Any) -> Array:
    try:
        return values_of(attention(query, key, value, mask))
    except (RuntimeError, IndexError) as error:
        if re.search(r"[^*]\* *value\b", traceback.extract_tb(error.__traceback__)[-1].line or ""):
            raise FindingError(
                "You multiply by `value` entry by entry, but the weights should mix the rows of `value`. Use a "
                "matrix product: `@ value`."
            ) from None
        code = getattr(inspect.unwrap(attention), "__code__", None)
        if {"T", "mT"} & set(code.co_names if code else ()) == {"T"}:
            raise FindingError(
                "You use `.T`, which reverses all four axes. Swap only the last two: `key.transpose(-2, -1)`."
            ) from None
        raise


@in_steps
def _attending(
    scale: Callable[[Any, Any], float] = lambda query, key: query.shape[-1] ** -0.5,
    masked: Callable[[Any, Any], Any] = lambda scores, mask: scores.masked_fill(~mask, -np.inf),
    weights: Callable[[Any, Any], Any] = lambda scores, mask: scores.softmax(dim=-1),
    result: Callable[[Any, Any, Any], Any] = lambda weights, key, value: weights @ value,
) -> Callable[[], Any]:
    def attention(query: Any, key: Any, value: Any, mask: Any) -> Any:
        scores = query @ key.transpose(-2, -1) * scale(query, key)
        return result(weights(masked(scores, mask), mask), key, value)

    return lambda: attention


def _attention_case(n: int, m: int, heads: int, d_k: int, causal: bool) -> tuple[Array, ...]:
    mask = np.tril(np.ones((n, m), dtype=bool)) if causal else np.arange(m) < np.array([m, m - 1])[:, None, None, None]
    return _normal(2, heads, n, d_k), _normal(2, heads, m, d_k), _normal(2, heads, m, d_k), mask


_ATTENTION = _part(
    "attention",
    "attention",
    _use_attention,
    "attention",
    "query key value mask",
    [_attention_case(4, 4, 3, 5, True), _attention_case(3, 5, 2, 7, False), _attention_case(5, 5, 4, 3, True)],
    [
        "You don't scale the scores, so the scores grow with d_k and the weights get too sharp. Divide them by √d_k.",
        _attending(scale=lambda query, key: 1),
        "You divide by √d_model, but a head is only d_k wide and its scores vary with d_k. Divide by √d_k.",
        _attending(scale=lambda query, key: (query.shape[1] * query.shape[-1]) ** -0.5),
        "You divide by d_k, which makes the scores too small. Divide by its square root instead.",
        _attending(scale=lambda query, key: 1 / query.shape[-1]),
        "You divide by the square root of axis 1, but on four axes this axis counts the heads. Divide by √d_k, where "
        "d_k is the last axis.",
        _attending(scale=lambda query, key: query.shape[1] ** -0.5),
        "You divide by the square root of the number of words that are asked. Divide by √d_k, where d_k is the last "
        "axis of the query.",
        _attending(scale=lambda query, key: key.shape[-2] ** -0.5),
        "You apply the softmax down the columns, but each row belongs to a word that asks and should sum to 1. Use "
        "`dim=-1`.",
        _attending(weights=lambda scores, mask: scores.softmax(dim=-2)),
        _attending(weights=lambda scores, mask: scores.softmax(dim=-2).nan_to_num()),
        _attending(
            masked=lambda scores, mask: scores.masked_fill(~mask, -1e9),
            weights=lambda scores, mask: scores.softmax(dim=-2),
        ),
        "You apply the softmax along axis 1, over the heads. Each row within a head should sum to 1, so use `dim=-1`.",
        _attending(weights=lambda scores, mask: scores.softmax(dim=1)),
        "You write −∞ where the mask is True, but True means that attention is allowed. Write −∞ where the mask is "
        "False: `~mask`.",
        _attending(masked=lambda scores, mask: scores.masked_fill(mask, -np.inf)),
        "You forbid attention where the mask is True, but True means that attention is allowed. Fill in at `~mask` "
        "instead.",
        _attending(masked=lambda scores, mask: scores.masked_fill(mask, -1e9)),
        "You add the mask as 0 and 1, but adding 0 or 1 forbids nothing. Where the mask is False, make the score −∞.",
        _attending(masked=lambda scores, mask: scores + mask),
        "You set forbidden scores to 0, but they still get a share, since e⁰ = 1. Set them to −∞ instead.",
        _attending(masked=lambda scores, mask: scores * mask),
        "You don't use the mask, or you lose its effect: `masked_fill` returns a new tensor. Set scores to −∞ where "
        "the mask is False, and keep the result.",
        _attending(masked=lambda scores, mask: scores),
        "You mask after the softmax, so the rows no longer sum to 1 and forbidden words have taken weight from the "
        "others. Mask the scores before the softmax.",
        _attending(masked=lambda scores, mask: scores, weights=lambda s, mask: s.softmax(dim=-1) * mask),
        "You use the scores themselves as weights, but scores don't sum to 1. Apply the softmax along the last axis "
        "first.",
        _attending(weights=lambda scores, mask: scores.masked_fill(~mask, 0.0)),
        "You divide by √d_k after the softmax, so the weights no longer sum to 1. Divide the scores before the "
        "softmax.",
        _attending(lambda query, key: 1, result=lambda weights, key, value: weights @ value * key.shape[-1] ** -0.5),
        "You mix the keys, which are only for comparing. It is the values that are handed over, so multiply the "
        "weights by `value`.",
        _attending(result=lambda weights, key, value: weights @ key),
    ],
)


# --- 3: who may look at whom ---


def _use_mask(causal_mask: Any, n: int) -> Array:
    mask = causal_mask(n)
    values = values_of(mask)
    if mask.dtype is not pytorch().bool:
        raise FindingError(
            f"You return a mask of the type {mask.dtype}, but it should hold True and False. Make the mask with "
            f"`dtype=torch.bool`."
        )
    return values


def _mask(make: Callable[[Any, int], Any]) -> Callable[[], Any]:
    def built() -> Any:
        torch = pytorch()
        return lambda n: make(torch.ones(n, n, dtype=torch.bool), n)

    return built


_CAUSAL_MASK = _part(
    "causal_mask",
    "who may look at whom",
    _use_mask,
    "causal_mask",
    "n",
    [(4,), (6,), (3,)],
    [
        "You let a word look at itself and at the words after it, which it has to predict. Keep the other triangle.",
        _mask(lambda ones, n: ones.triu()),
        "You return True where attention is forbidden. In this course True means *allowed*, so invert the mask.",
        _mask(lambda ones, n: ones.triu(1)),
        "You forbid each word to look at itself, so the first word sees nothing. Make the diagonal True as well.",
        _mask(lambda ones, n: ones.tril(-1)),
        "You allow everything, so each word could see the one that it has to predict. Allow only itself and the words "
        "before it.",
        _mask(lambda ones, n: ones),
        "You let each word see the next one, which it has to predict. Let the word itself be the last one that it "
        "sees.",
        _mask(lambda ones, n: ones.tril(1)),
    ],
)


# --- 4 to 7: the classes ---


@functools.lru_cache(maxsize=20)
def _course_part(name: str, *sizes: int) -> Any:
    with fixed_state():  # what is kept must not depend on what a student has set
        return getattr(_minimal(), name)(*sizes)


def _must_have_three(part: str, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise FindingError where an attention isn't called with who asks, who is asked, and the mask."""
    if len(args) + len(kwargs) != 3:
        raise FindingError(
            f"You call `self.{part}` with {len(args) + len(kwargs)} inputs. Give it three: who asks, who is asked, "
            "and the mask."
        )


def _layer(name: str) -> Module:
    """How a layer is used that the course calls `name`: on x and masks; its last inputs are the heads and a seed."""

    def made(answer: Any, *inputs: Any) -> tuple[Any, tuple[Any, ...]]:
        *given, n_heads, seed = inputs
        sizes = given[0].shape[-1], n_heads
        layer = filled(answer(*sizes), _course_part(name, *sizes), seed)
        for part in ("attention", "cross"):
            if hasattr(layer, part):
                getattr(layer, part).register_forward_pre_hook(
                    functools.partial(_must_have_three, part), with_kwargs=True
                )
        return layer, tuple(given)

    return Module(made)


def _transformer_of(
    answer: Any, source: Any, target: Any, sizes: tuple[int, ...], seed: int
) -> tuple[Any, tuple[Any, ...]]:
    return filled(answer(*sizes), _course_part("Transformer", *sizes), seed), (source, target)


def _but_at_padding(logits: Array, source: Any, target: Any, *_: Any) -> Array:
    """At padding logits mean nothing."""
    fits = logits.shape[:2] == tuple(target.shape)
    return np.where((target != PAD)[:, :, None], logits, 0) if fits else logits


def _instead(part: str, forward: Callable[..., Any]) -> Callable[[], Any]:
    """The course's class with another `forward`."""
    return lambda: type(part, (getattr(_minimal(), part),), {"forward": forward})


@in_steps
def _heads_forward(
    split: Callable[[Any, int], Any] = lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2),
    join: Callable[[Any], Any] = lambda found: found.transpose(1, 2).flatten(2),
    sides: Callable[[Any, Any], tuple[Any, Any, Any]] = lambda x, context: (x, context, context),
    made_by: tuple[str, str, str] = ("query", "key", "value"),
    seen: Callable[[Any], Any] = lambda mask: mask,
    last: Callable[[Any, Any], Any] = lambda self, joined: self.output(joined),
    stretched: Callable[[Any], float] = lambda self: 1.0,
) -> Callable[[], Any]:
    def forward(self: Any, x: Any, context: Any, mask: Any) -> Any:
        made = zip((getattr(self, name) for name in made_by), sides(x, context), strict=True)
        query, key, value = (split(linear(side), self.n_heads) for linear, side in made)
        return last(self, join(_minimal().attention(query * stretched(self), key, value, seen(mask))))

    return _instead("MultiHeadAttention", forward)


def _padding(lengths: list[int], n: int) -> Array:
    return (np.arange(n) < np.array(lengths)[:, None])[:, None, None, :]


def _tril(n: int) -> Array:
    return np.tril(np.ones((n, n), dtype=bool))


_HEADS = _part(
    "heads",
    "several heads",
    _layer("MultiHeadAttention"),
    "MultiHeadAttention",
    "x context mask n_heads seed",
    [
        (_normal(2, 4, 6), _normal(2, 4, 6), _tril(4), 2, 1),
        (_normal(2, 3, 12), _normal(2, 5, 12), _padding([5, 3], 5), 3, 2),
        (_normal(3, 4, 8), _normal(3, 6, 8), _padding([6, 2, 4], 6), 4, 3),
    ],
    [
        "You split into heads without a transpose, so a head gets pieces of different words. Make (B, N, h, d_k) "
        "first, then swap axes 1 and 2.",
        _heads_forward(split=lambda x, h: x.reshape(len(x), h, x.shape[1], -1)),
        "You join the heads without a transpose, so a word gets the results of other words. Swap axes 1 and 2 first, "
        "then `flatten(2)`.",
        _heads_forward(join=lambda found: found.reshape(len(found), found.shape[2], -1)),
        "You deal the columns out to the heads in turn, but a head is a block of d_k neighbouring columns. Put the "
        "heads before d_k: `unflatten(-1, (self.n_heads, -1))`.",
        _heads_forward(split=lambda x, h: x.unflatten(-1, (-1, h)).movedim(-1, 1)),
        "You make keys and values from x, but it is the context that is asked. Make both from `context`.",
        _heads_forward(sides=lambda x, context: (x, x, x)),
        "You make the values from x, but values come from the words that are asked. Make them from `context`, like "
        "the keys.",
        _heads_forward(sides=lambda x, context: (x, context, x)),
        "You make the keys from x, but keys come from the words that are asked. Make them from `context`, like the "
        "values.",
        _heads_forward(sides=lambda x, context: (x, x, context)),
        "You have swapped the two sides. The words of x ask, so make queries from x, and keys and values from the "
        "context.",
        _heads_forward(sides=lambda x, context: (context, x, x)),
        "You make the values with `self.key`, but values have a matrix of their own. Use `self.value`.",
        _heads_forward(made_by=("query", "key", "key")),
        "You make the values with `self.query`, but values have a matrix of their own. Use `self.value`.",
        _heads_forward(made_by=("query", "key", "query")),
        "You make the keys with `self.query`, but keys have a matrix of their own. Use `self.key`.",
        _heads_forward(made_by=("query", "query", "value")),
        "You make the queries with `self.key`, but queries have a matrix of their own. Use `self.query`.",
        _heads_forward(made_by=("key", "key", "value")),
        "You don't pass on the mask, so every word sees all the others, and padding as well. Give the mask to "
        "`attention`.",
        _heads_forward(seen=lambda mask: mask | True),
        "You leave out the last linear layer, which mixes what the heads have found. Apply `self.output` after "
        "joining the heads.",
        _heads_forward(last=lambda self, joined: joined),
        "You divide the scores by √d_model, which is larger than √d_k by a factor of √h. A head is d_k wide, so "
        "divide by √d_k.",
        _heads_forward(stretched=lambda self: self.n_heads**-0.5),
        "You use a single head that is d_model wide. Split queries, keys and values into h heads of d_k columns each.",
        _heads_forward(split=lambda x, h: x[:, None]),
    ],
)


def _encoder_forward(make: Callable[[Any, Any, Any], Any]) -> Callable[[], Any]:
    return _instead("EncoderLayer", lambda self, x, mask: make(self, x, mask))


def _norm_a(self: Any, x: Any, found: Any) -> Any:
    return self.norm_attention(x + found)


def _norm_f(self: Any, x: Any, found: Any) -> Any:
    return self.norm_feed_forward(x + found)


@in_steps
def _encoder_layer(
    first: Callable[..., Any] = _norm_a,
    second: Callable[..., Any] = _norm_f,
    seen: Callable[[Any], Any] = lambda mask: mask,
) -> Callable[[], Any]:
    """Make an encoder layer. first, second: what follows each half, by default norm(x + found); seen: the mask."""

    def forward(self: Any, x: Any, mask: Any) -> Any:
        x = first(self, x, self.attention(x, x, seen(mask)))
        return second(self, x, self.feed_forward(x))

    return _instead("EncoderLayer", forward)


def _pre_norm(self: Any, x: Any, mask: Any) -> Any:
    inside = self.norm_attention(x)
    x = x + self.attention(inside, inside, mask)
    return x + self.feed_forward(self.norm_feed_forward(x))


def _feed_forward_first(self: Any, x: Any, mask: Any) -> Any:
    x = self.norm_feed_forward(x + self.feed_forward(x))
    return self.norm_attention(x + self.attention(x, x, mask))


def _both_of_x(self: Any, x: Any, mask: Any) -> Any:
    attended = self.norm_attention(x + self.attention(x, x, mask))
    return self.norm_feed_forward(x + self.feed_forward(attended))


_ENCODER = _part(
    "encoder",
    "the encoder layer",
    _layer("EncoderLayer"),
    "EncoderLayer",
    "x mask n_heads seed",
    [
        (_normal(2, 4, 6), _padding([4, 2], 4), 2, 4),
        (_normal(3, 5, 8), _padding([5, 1, 3], 5), 4, 5),
        (_normal(1, 3, 12), _padding([2], 3), 3, 6),
    ],
    [
        "You leave out the residual connection around the attention. Add x to its result before the norm: norm(x + "
        "result).",
        _encoder_layer(first=lambda self, x, found: self.norm_attention(found)),
        "You leave out the residual connection around the feed-forward network. Add its input to its result before "
        "the norm.",
        _encoder_layer(second=lambda self, x, found: self.norm_feed_forward(found)),
        "You leave out the norm after the attention. Apply `self.norm_attention` to the sum.",
        _encoder_layer(first=lambda self, x, found: x + found),
        "You leave out the norm after the feed-forward network. Apply `self.norm_feed_forward` to the sum.",
        _encoder_layer(second=lambda self, x, found: x + found),
        "You normalize only the result of the attention and add x afterwards. Normalize the sum: norm(x + result).",
        _encoder_layer(first=lambda self, x, found: x + self.norm_attention(found)),
        "You normalize only the result of the feed-forward network and add its input afterwards. Normalize the sum "
        "instead.",
        _encoder_layer(second=lambda self, x, found: x + self.norm_feed_forward(found)),
        "You use the same norm twice, but each half has its own γ and β. Use `norm_attention` first, then "
        "`norm_feed_forward`.",
        _encoder_layer(second=lambda self, x, found: self.norm_attention(x + found)),
        _encoder_layer(first=_norm_f),
        "You have swapped the two norms. `norm_attention` follows the attention, and `norm_feed_forward` follows the "
        "network.",
        _encoder_layer(_norm_f, _norm_a),
        "You normalize before each part, which is pre-norm. Use the paper's post-norm in this exercise: norm(x + "
        "part(x)).",
        _encoder_forward(_pre_norm),
        "You apply the feed-forward network first, but attention comes first. Swap the two halves.",
        _encoder_forward(_feed_forward_first),
        "You add the layer's input in the second half. Add the result of the first half instead.",
        _encoder_forward(_both_of_x),
        "You leave out the feed-forward network. Add it after the attention, with its own residual connection and "
        "norm.",
        _encoder_forward(lambda self, x, mask: _norm_a(self, x, self.attention(x, x, mask))),
        "You leave out the attention, so no word learns anything from another. Put the attention before the "
        "feed-forward network.",
        _encoder_forward(lambda self, x, mask: _norm_f(self, x, self.feed_forward(x))),
        "You don't pass on the mask, so the words look at padding. Give the mask to `self.attention`.",
        _encoder_layer(seen=lambda mask: mask | True),
        "You invert the mask, which is already True where attention is allowed. Pass it on as it is.",
        _encoder_layer(seen=lambda mask: ~mask),
    ],
)


_PARTS = ("self-attention", "cross-attention", "feed-forward network")
_NORMS = ("norm_attention", "norm_cross", "norm_feed_forward")


@in_steps
def _decoder_forward(
    own: str = "attention x x mask",
    cross: str = "cross x memory memory_mask",
    norms: tuple[str, ...] = _NORMS,
    keep: tuple[int, ...] = (1, 1, 1),
    order: str = "own cross feed",
) -> Callable[[], Any]:
    """Make a decoder layer. own, cross: which attention, who asks, who is asked, which mask; norms: "" for none; keep:
    0 leaves a residual out; order: the parts that run.
    """

    def forward(self: Any, x: Any, memory: Any, mask: Any, memory_mask: Any) -> Any:
        given = {"memory": memory, "mask": mask, "memory_mask": memory_mask}
        given["no_mask"] = pytorch().ones(1, 1, dtype=pytorch().bool)

        def attended(how: str, x: Any) -> Any:
            attention, *names = how.split()
            return getattr(self, attention)(*({**given, "x": x}[name] for name in names))

        after = dict(zip(("own", "cross", "feed"), zip(norms, keep, strict=True), strict=True))
        parts = {"own": lambda x: attended(own, x), "cross": lambda x: attended(cross, x), "feed": self.feed_forward}
        for step in order.split():
            norm, kept = after[step]
            x = x * kept + parts[step](x)
            x = getattr(self, norm)(x) if norm else x
        return x

    return _instead("DecoderLayer", forward)


_DECODER = _part(
    "decoder",
    "the decoder layer",
    _layer("DecoderLayer"),
    "DecoderLayer",
    "x memory mask memory_mask n_heads seed",
    [
        (_normal(2, 4, 6), _normal(2, 4, 6), _tril(4), _padding([4, 2], 4), 2, 7),
        (_normal(3, 5, 8), _normal(3, 3, 8), _tril(5), _padding([1, 3, 2], 3), 4, 8),
        (_normal(1, 2, 12), _normal(1, 4, 12), _tril(2), _padding([3], 4), 3, 9),
    ],
    [
        "You let x ask itself in the cross-attention, so the decoder never learns about the source. Ask the memory: "
        "`self.cross(x, memory, memory_mask)`.",
        _decoder_forward(cross="cross x x mask"),
        "You let the memory ask in the cross-attention. It is x that asks, so pass x, memory and `memory_mask`, in "
        "this order.",
        _decoder_forward(cross="cross memory x memory_mask"),
        _decoder_forward(cross="cross memory x mask"),
        "You give the look-ahead mask to the cross-attention, but the whole source is known from the start. Give it "
        "`memory_mask`.",
        _decoder_forward(cross="cross x memory mask"),
        "You let the cross-attention look at padding in the source. Give it `memory_mask`.",
        _decoder_forward(cross="cross x memory no_mask"),
        "You give the self-attention no look-ahead mask, so it sees the word that it has to predict. Give it `mask`.",
        _decoder_forward(own="attention x x no_mask"),
        "You use the self-attention's weights in the cross-attention, but each has its own. Use `self.cross` there.",
        _decoder_forward(cross="attention x memory memory_mask"),
        *[
            WrongAnswer(
                _decoder_forward(keep=(*(1,) * i, 0, *(1,) * (2 - i))),
                f"You leave out the residual connection around the {part}. Add the input of this part to its result "
                "before the norm.",
            )
            for i, part in enumerate(_PARTS)
        ],
        *[
            WrongAnswer(
                _decoder_forward(norms=(*_NORMS[:i], "", *_NORMS[i + 1 :])),
                f"You leave out the norm after the {part}. Apply it to the sum of input and result.",
            )
            for i, part in enumerate(_PARTS)
        ],
        "You use the self-attention's norm after the cross-attention, which has a norm of its own. Use `norm_cross`.",
        _decoder_forward(norms=("norm_attention", "norm_attention", "norm_feed_forward")),
        "You use the cross-attention's norm after the feed-forward network, which has a norm of its own. Use "
        "`norm_feed_forward`.",
        _decoder_forward(norms=("norm_attention", "norm_cross", "norm_cross")),
        "You leave out all residual connections. Add the input of each part to its result before the norm.",
        _decoder_forward(keep=(0, 0, 0)),
        "You leave out all norms. Apply the norm of each part to the sum of its input and its result.",
        _decoder_forward(norms=("", "", "")),
        "You apply the cross-attention first, but self-attention comes before it. Swap the two.",
        _decoder_forward(order="cross own feed"),
        "You apply the feed-forward network before the cross-attention, but the network comes last. Swap the two.",
        _decoder_forward(order="own feed cross"),
        "You leave out the cross-attention, so the decoder never learns about the source. Add it after the "
        "self-attention.",
        _decoder_forward(order="own feed"),
        "You leave out the self-attention, so no target word sees the words before it. Begin with `self.attention(x, "
        "x, mask)`.",
        _decoder_forward(order="cross feed"),
        "You leave out the feed-forward network. Add it at the end, with its residual connection and its norm.",
        _decoder_forward(order="own cross"),
    ],
)


@in_steps
def _machine(
    padding: Callable[[Any], Any] = lambda source: (source != PAD)[:, None, None, :],
    causal: Callable[[Any], Any] = lambda target: _minimal().causal_mask(target.shape[1]),
    crossed: Callable[[Any], Any] = lambda memory_mask: memory_mask,
    tables: Callable[[Any], tuple[Any, Any]] = lambda model: (model.source_table, model.target_table),
    encoder: Callable[[Any], Any] = lambda model: model.encoder,
    decoder: Callable[[Any], Any] = lambda model: model.decoder,
    last: Callable[[Any, Any], Any] = lambda model, x: model.output(x),
) -> Callable[[], Any]:
    def forward(self: Any, source: Any, target: Any) -> Any:
        memory, x = map(_minimal().embedded, tables(self), (source, target))
        memory_mask, mask = padding(source), causal(target)
        for layer in encoder(self):
            memory = layer(memory, memory_mask)
        for layer in decoder(self):
            x = layer(x, memory, mask, crossed(memory_mask))
        return last(self, x)

    return _instead("Transformer", forward)


def _last_again(stack: str) -> Callable[[Any], Any]:
    """Of a stack its last layer, as often as there are layers."""
    return lambda model: [getattr(model, stack)[-1]] * len(getattr(model, stack))


def _pairs(*lengths: tuple[int, int]) -> tuple[Array, Array]:
    """Sentences of these lengths, source and target, in one batch."""
    source, target = (np.zeros((len(lengths), max(sizes)), dtype=int) for sizes in zip(*lengths, strict=True))
    for row, (n, m) in enumerate(lengths):
        source[row, :n], target[row, :m] = _ids(n), [START, *_ids(m - 1)]
    return source, target


_TRANSFORMER = _part(
    "transformer",
    "the whole transformer",
    Module(_transformer_of, _but_at_padding),
    "Transformer",
    "source target sizes seed",
    [
        (*_pairs((4, 3), (2, 4)), (9, 9, 6, 2, 2), 10),
        (*_pairs((3, 5), (5, 2), (4, 4)), (9, 11, 8, 4, 3), 11),
        (*_pairs((3, 3), (5, 2)), (9, 9, 12, 3, 1), 12),
    ],
    [
        "You give the decoder no look-ahead mask, so each word sees the one that it has to predict. Use "
        "`causal_mask(target.shape[1])`.",
        _machine(causal=lambda target: _minimal().causal_mask(target.shape[1]) | True),
        "You hide only the padding of the target, so each word sees the one that it has to predict. Use "
        "`causal_mask(target.shape[1])`.",
        _machine(causal=lambda target: (target != PAD)[:, None, None, :]),
        "You let the decoder look at the padding of the source. Give its layers the mask of the memory as well.",
        _machine(crossed=lambda memory_mask: memory_mask | True),
        "You invert the look-ahead mask, so each word sees itself and the words after it. Pass the mask on as it is.",
        _machine(causal=lambda target: _minimal().causal_mask(target.shape[1]).T),
        "You use one and the same layer throughout the encoder. Make a new one each time: "
        "`nn.ModuleList(EncoderLayer(…) for _ in range(n_layers))`.",
        _machine(encoder=_last_again("encoder")),
        "You use one and the same layer throughout the decoder. Make a new one each time: "
        "`nn.ModuleList(DecoderLayer(…) for _ in range(n_layers))`.",
        _machine(decoder=_last_again("decoder")),
        "You let the words look at padding. Make the mask of the memory True where `source != PAD`, with two more "
        "axes: `[:, None, None, :]`.",
        _machine(padding=lambda source: (source != PAD)[:, None, None, :] | True),
        "You look up the target in the source's table. Look its words up in `self.target_table`.",
        _machine(tables=lambda model: (model.source_table, model.source_table)),
        "You look up the source in the target's table. Look its words up in `self.source_table`.",
        _machine(tables=lambda model: (model.target_table, model.target_table)),
        "You have swapped the two tables. Look up the source in `self.source_table` and the target in "
        "`self.target_table`.",
        _machine(tables=lambda model: (model.target_table, model.source_table)),
        "You give the decoder the embedded source. Run it through the encoder's layers first, one after another; the "
        "last result is the memory.",
        _machine(encoder=lambda model: ()),
        "You keep only the result of the decoder's last layer. Give every layer the result of the previous one: `x = "
        "layer(x, …)`.",
        _machine(decoder=lambda model: model.decoder[-1:]),
        "You keep only the result of the encoder's last layer. Give every layer the result of the previous one: "
        "`memory = layer(memory, …)`.",
        _machine(encoder=lambda model: model.encoder[-1:]),
        "You return probabilities, but the cross-entropy applies the softmax itself. Return the logits as they are.",
        _machine(last=lambda model, x: model.output(x).softmax(dim=-1)),
        "You return log-probabilities, but the cross-entropy applies the softmax itself. Return the logits as they "
        "are.",
        _machine(last=lambda model, x: model.output(x).log_softmax(dim=-1)),
    ],
)


# --- 8: the loss ---


class _Lookup:
    """A model without layers: what it says after a word stands in a row of a table, and the source moves it."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def __call__(self, source: Any, target: Any) -> Any:
        self.read = target
        if len(source) != len(target):
            raise FindingError(
                "You cut along the first axis, which holds the sentences, so a whole sentence is gone. Cut along the "
                "second: `target[:, :-1]`."
            )
        return self.rows[target] + self.rows[source[:, :1]].cumsum(dim=-1) / 4


def _use_loss(loss_of: Any, rows: Any, source: Any, target: Any) -> Array:
    model = _Lookup(rows)
    try:
        return values_of(loss_of(model, source, target))
    except (RuntimeError, ValueError) as error:
        sizes = [int(n) for n in re.findall(r"(?:batch_size \(|have size |target size: )(\d+)", str(error))]
        if len(sizes) != 2:
            raise
        logits, ids = sizes
        why = {
            "You have swapped source and target, so the model has to translate in the wrong direction. Call `model` "
            "with the source first.": model.read is source,
            "You flatten the logits completely, but each position needs a row of logits of its own. Merge only the "
            "first two axes: `.flatten(0, 1)`.": logits == 1,
            "There is a row of logits for each position, but there are only as many ids as sentences. Flatten all of "
            "the ids, `target[:, 1:].flatten()`.": ids == len(target),
            "There is an id for each position, but the logits still have an axis of sentences. Merge their first two "
            "axes: `.flatten(0, 1)`.": logits == len(target) < ids,
            "You compare with the whole target, which is one word longer than the prediction. Leave out the first "
            "word of the target: `target[:, 1:]`.": ids == target.numel(),
            "You let the model read the whole target, but nothing follows its last word. Let it read "
            "`target[:, :-1]`.": logits == target.numel(),
        }
        if said := next((sentence for sentence, holds in why.items() if holds), ""):
            raise FindingError(said) from None
        raise


def _with_ends(*lengths: tuple[int, int]) -> tuple[Array, Array]:
    source, target = _pairs(*lengths)
    ended = np.concatenate([target, np.zeros((len(target), 1), dtype=int)], axis=1)
    ended[np.arange(len(target)), (target != PAD).sum(axis=1)] = END
    return source, ended


@in_steps
def _loss(
    read: Callable[[Any], Any] = lambda target: target[:, :-1],
    said: Callable[[Any], Any] = lambda target: target[:, 1:],
    made: Callable[[Any], Any] = lambda logits: logits,
    mean: Callable[[Any, Any], Any] = lambda losses, ids: losses[ids != PAD].mean(),
) -> Callable[[], Any]:
    def loss_of(model: Any, source: Any, target: Any) -> Any:
        ids = said(target).flatten()
        logits = made(model(source, read(target))).flatten(0, 1)
        return mean(pytorch().nn.functional.cross_entropy(logits, ids, reduction="none"), ids)

    return lambda: loss_of


_LOSS = _part(
    "loss",
    "the loss",
    _use_loss,
    "loss_of",
    "rows source target",
    [
        (2 * _normal(9, 9), *_with_ends((3, 4), (4, 2), (2, 3))),
        (2 * _normal(9, 9), *_with_ends((2, 5), (3, 2))),
        (2 * _normal(9, 9), *_with_ends((4, 3), (2, 3), (3, 1))),
    ],
    [
        "You don't shift the target, so each position has just read the word that it has to predict. Read `target[:, "
        ":-1]` and predict `target[:, 1:]`.",
        _loss(said=lambda target: target[:, :-1]),
        "You let the model read the whole target and predict all of it. Let it read `target[:, :-1]` and predict "
        "`target[:, 1:]`.",
        _loss(read=lambda target: target, said=lambda target: target),
        "You let the model read the words that it has to predict, so that it learns to copy. Let it read `target[:, "
        ":-1]`.",
        _loss(read=lambda target: target[:, 1:]),
        "You shift in the wrong direction, so each position has to predict the previous word. Read `target[:, :-1]` "
        "and predict `target[:, 1:]`.",
        _loss(read=lambda target: target[:, 1:], said=lambda target: target[:, :-1]),
        "You count the padding, which the model doesn't have to predict. Leave it out with `ignore_index=PAD`.",
        _loss(mean=lambda losses, ids: losses.mean()),
        "You leave the padding out of the sum but still divide by all positions. `ignore_index=PAD` fixes both.",
        _loss(mean=lambda losses, ids: losses[ids != PAD].sum() / len(losses)),
        "You return the sum of the losses, so a long batch would take a longer step. Return their mean.",
        _loss(mean=lambda losses, ids: losses[ids != PAD].sum()),
        "You also leave out END, but the model has to learn where a sentence ends. Leave out only the padding.",
        _loss(mean=lambda losses, ids: losses[ids > END].mean()),
        "You apply a softmax before the cross-entropy, which applies its own. Give the cross-entropy the logits as "
        "they are.",
        _loss(made=lambda logits: logits.softmax(dim=-1)),
        "You flatten the logits in a different order from the targets. Keep the rows of the batch first, without a "
        "transpose.",
        _loss(made=lambda logits: logits.transpose(0, 1)),
    ],
)


# --- 9: the loop ---


def _use_train(train: Any, rows: Any, sources: Any, targets: Any, rate: float) -> Any:
    torch, ran = pytorch(), []

    class Small(torch.nn.Module):
        """One table; while it is not trained, it says half of what it says else."""

        def __init__(self) -> None:
            super().__init__()
            self.rows = torch.nn.Parameter(rows.clone())

        def forward(self, source: Any, target: Any) -> Any:
            return (self.rows[target] + self.rows[source[:, :1]]) * (1 if self.training else 0.5)

    class Descent:
        """Gradient descent as `torch.optim.SGD` does it, without the seconds that importing it takes."""

        def zero_grad(self, set_to_none: bool = True) -> None:
            model.rows.grad = None if set_to_none or model.rows.grad is None else 0 * model.rows.grad

        def step(self) -> None:
            ran.append("step")
            if model.rows.grad is not None:
                with torch.no_grad():
                    model.rows -= rate * model.rows.grad

    model = Small().eval()
    model.rows.register_hook(lambda gradient: ran.append("backward"))
    batches = ((source, target) for source, target in zip(sources, targets, strict=True))  # as in the lesson
    try:
        losses = _plain_numbers(train(model, batches, Descent()))
    except TypeError as error:
        if "'generator' object" in str(error) or "'generator' has no len" in str(error):
            raise FindingError(
                "You ask `batches` for its length or for an entry by its number, but batches come one after another. "
                "Write `for source, target in batches:`."
            ) from None
        if "loss_of()" in str(error) and "missing" in str(error):
            raise FindingError(
                "You call `loss_of` without all of its inputs. Give it the model first, then source and target."
            ) from None
        raise
    rounds = next(ran[:n] for n in range(len(ran) + 1) if not ran or (n and ran[:n] * (len(ran) // n) == ran))
    return losses, values_of(model.rows), ", ".join(rounds)


def _plain_numbers(losses: Any) -> list[float]:
    """The losses that a training has returned, where they are as they should be."""
    if losses is None:
        raise FindingError(
            "Your function returns nothing: is the `return` missing? It should return the list of losses."
        )
    if not isinstance(losses, list | tuple):
        raise FindingError(f"Your function returns {named(type(losses))}, but it should return the list of all losses.")
    if any(getattr(loss, "requires_grad", False) for loss in losses):
        raise FindingError(
            "You collect the losses as tensors, each of which keeps everything that was computed for its batch. "
            "Collect `loss.item()`, the plain number."
        )
    try:
        return [float(loss) for loss in losses]
    except (TypeError, ValueError, RuntimeError):
        said = "Your list holds something that isn't a single number. Append one loss for each batch."
        raise FindingError(said) from None


@in_steps
def _loop(
    steps: str = "zero loss backward step",
    training: bool = True,
    over: Callable[[list], list] = lambda batches: batches,
) -> Callable[[], Any]:
    def train(model: Any, batches: Any, optimizer: Any) -> list[float]:
        model.train(training)
        losses = []
        for source, target in over(list(batches)):
            loss = _minimal().loss_of(model, source, target)
            losses.append(loss.item())
            for step in steps.split():
                if step == "zero":
                    optimizer.zero_grad()
                elif step == "backward":
                    loss.backward(retain_graph=True)
                elif step == "step":
                    optimizer.step()
        return losses

    return lambda: train


def _one_step_at_the_end(zero_inside: bool) -> Callable[[], Any]:
    def train(model: Any, batches: Any, optimizer: Any) -> list[float]:
        model.train()
        losses = []
        for source, target in batches:
            if zero_inside:
                optimizer.zero_grad()
            loss = _minimal().loss_of(model, source, target)
            loss.backward()
            losses.append(loss.item())
        optimizer.step()
        return losses

    return lambda: train


def _batches(count: int, *lengths: tuple[int, int]) -> tuple[Array, Array]:
    made = [_with_ends(*lengths) for _ in range(count)]
    return np.stack([source for source, _ in made]), np.stack([target for _, target in made])


_TRAIN = _part(
    "train",
    "the loop",
    _use_train,
    "train",
    "rows sources targets rate",
    [
        (_normal(9, 9), *_batches(3, (3, 4), (4, 2)), 0.5),
        (_normal(9, 9), *_batches(4, (2, 3), (3, 2), (2, 2)), 0.3),
        (_normal(9, 9), *_batches(2, (3, 3)), 1.0),
    ],
    [
        "You don't clear the gradients for every batch, so each `backward` adds to the gradients of all earlier "
        "batches. Call `zero_grad` inside the loop.",
        _loop("loss backward step"),
        "You call `zero_grad` between `backward` and `step`, so the step finds only zeros and nothing moves. Call "
        "`zero_grad` before `backward`.",
        _loop("loss backward zero step"),
        "You never call `backward`, so there are no gradients and nothing moves. Call it on the loss, before `step`.",
        _loop("zero loss step"),
        "You never call `step`, so the gradients are there but nothing moves. Call it after `backward`.",
        _loop("zero loss backward"),
        "You call `step` before `backward`, so each step uses the gradients of the previous batch. Swap the two.",
        _loop("loss step zero backward"),
        "You call `zero_grad` and then `step` before `backward`, so the step finds no gradients and nothing moves. "
        "Put `step` after `backward`.",
        _loop("zero loss step backward"),
        "You stop after the first batch. Is the `return` inside the loop? Move it after the loop.",
        _loop(over=lambda batches: batches[:1]),
        "You call `backward` twice for each step, so the gradients are doubled. Call it once.",
        _loop("zero loss backward backward step"),
        "You call `step` twice for each batch, so the model moves twice as far. Call it once.",
        _loop("zero loss backward step step"),
        "You call `step` only once, after the loop. Every batch needs a step of its own, so move `step` into the "
        "loop, after `backward`.",
        _one_step_at_the_end(False),
        _one_step_at_the_end(True),
        "You leave the model in evaluation mode, which is for using a model and not for training it. Call "
        "`model.train()` before the loop.",
        _loop(training=False),
    ],
    parts=("the losses that you return", "the parameters after the steps", "the order of `backward` and `step`"),
)


# --- 10: writing ---


def _use_greedy(greedy: Any, rows: Any, source: Any, most: int) -> Any:
    torch = pytorch()

    class Writer(torch.nn.Module):
        """Says what stands in a table, and END when a sentence is as long as its source; counts how often it is asked.

        While it is trained it says something else, as a model with dropout does.
        """

        def __init__(self) -> None:
            super().__init__()
            self.asked = 0

        def forward(self, source: Any, target: Any) -> Any:
            self.asked += 1
            if self.asked > 50:
                raise FindingError(
                    "You have called the model 50 times, so your loop may never end. Stop when every "
                    "row has its END or has `most` words."
                )
            logits = rows[target]  # (B, M, words)
            places = torch.arange(target.shape[1])
            logits[:, :, :3] = -9.0
            logits[(source != PAD).sum(dim=1)[:, None] == places, END] = 99.0
            return logits.roll(1, dims=-1) if self.training else logits

    model = Writer().train()
    with torch.enable_grad():
        written = greedy(model, source, most)
    if written is None:
        raise FindingError("Your function returns nothing: is the `return` missing?")
    try:
        return [[int(word) for word in row] for row in written], model.asked
    except (TypeError, ValueError, RuntimeError):
        raise FindingError(
            "You don't return a list of ids for each sentence. Keep the last line as it was given."
        ) from None


def _each_by_itself(model: Any, source: Any, most: int) -> list[list[int]]:
    return [row for sentence in source for row in _minimal().greedy(model, sentence[None], most)]


@in_steps
def _writing(
    place: int = -1,
    rest: bool = True,
    stops: Callable[[Any], bool] = lambda written: bool((written == END).any(dim=1).all()),
    cut: Callable[[list[int]], list[int]] = lambda row: row[1 : [*row, END].index(END)],
    more: int = 0,
) -> Callable[[], Any]:
    def greedy(model: Any, source: Any, most: int) -> list[list[int]]:
        torch = pytorch()
        model.train(not rest)
        written = torch.full((len(source), 1), START)
        while written.shape[1] <= most + more and not stops(written):
            logits = model(source, written)[:, place]
            written = torch.cat([written, logits.argmax(dim=-1, keepdim=True)], dim=1)
        return [cut(row) for row in written.tolist()]

    return lambda: greedy


def _source(*lengths: int) -> Array:
    source = np.zeros((len(lengths), max(lengths)), dtype=int)
    for row, n in enumerate(lengths):
        source[row, :n] = _ids(n)
    return source


_GREEDY = _part(
    "greedy",
    "writing, word by word",
    _use_greedy,
    "greedy",
    "rows source most",
    [(_normal(9, 9), _source(3, 1, 4), 10), (_normal(9, 9), _source(2, 5), 3), (_normal(9, 9), _source(4, 2, 2), 9)],
    [
        "You leave the model in training mode, in which dropout, where there is some, changes its predictions. Call "
        "`model.eval()` first.",
        _writing(rest=False),
        "You return every row as long as the longest one, so short rows continue after their END. Cut each row at its "
        "first END.",
        _writing(cut=lambda row: row[1:]),
        "You remove END but keep the words written after it. Cut each row at its first END.",
        _writing(cut=lambda row: [word for word in row[1:] if word != END]),
        "You also return START, which isn't a word of the translation. Leave it out.",
        _writing(cut=lambda row: row[: [*row, END].index(END)]),
        "You also return END, which isn't a word of the translation. Cut each row before its END.",
        _writing(cut=lambda row: row[1 : [*row, END].index(END) + 1]),
        "You keep writing although every sentence has its END. Stop when all rows have an END: `(written == "
        "END).any(dim=1).all()`.",
        _writing(stops=lambda written: False),
        "You stop at the first END of the batch, which cuts off the other sentences. Stop only when all rows have an "
        "END.",
        _writing(stops=lambda written: bool((written == END).any())),
        "Every time, you ask what comes after START. The last position has read everything so far, so use `[:, -1]`.",
        _writing(place=0),
        "You write one word too few: START doesn't count among the `most` words. Check where your loop stops.",
        _writing(more=-1),
        "You write one word too many: START doesn't count among the `most` words. Check where your loop stops.",
        _writing(more=1),
        "You write the correct words, but one sentence at a time. Write all sentences of the batch together, so that "
        "you call the model only once for each position.",
        lambda: _each_by_itself,
    ],
    parts=("what is written", "how often the model is asked"),
)

EXERCISES = (_EMBEDDED, _ATTENTION, _CAUSAL_MASK, _HEADS, _ENCODER, _DECODER, _TRANSFORMER, _LOSS, _TRAIN, _GREEDY)
