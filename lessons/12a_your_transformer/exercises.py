"""The ten parts of lesson 12a, and the mistakes that each of them knows.

PyTorch is imported where it is needed, since the lessons without it load this file, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from utils.course.exercises.exercise import Exercise, Mistakes
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
    "words and their places",
    _use_embedded,
    "embedded",
    "rows ids",
    [(_normal(9, 6), _ids(2, 5)), (_normal(9, 8), _ids(3, 4)), (_normal(7, 4), _ids(1, 7, words=7))],
    {
        "The positions are not added. Without them the "
        "sentence is a bag of words: who comes first is lost.": _embedding(add=lambda words, places: words),
        "The rows of the words are not multiplied by √d_model. They begin small, and the positions "
        "would drown them.": _embedding(factor=lambda d: 1),
        "These are the bare rows of the table: √d_model times them is missing, and so are the positions.": _embedding(
            factor=lambda d: 1, add=lambda words, places: words
        ),
        "You multiply the rows by d_model. It is its square root: `d_model**0.5`.": _embedding(factor=lambda d: d),
        "You divide the rows by √d_model. They are to become larger: multiply.": _embedding(factor=lambda d: d**-0.5),
        "You multiply the positions by √d_model, too. Only the rows of the words are: add "
        "the positions after it.": _embedding(
            lambda d: 1, add=lambda words, places: (words + places) * words.shape[-1] ** 0.5
        ),
        "You multiply the words by their positions. They are added.": _embedding(
            add=lambda words, places: words * places
        ),
        "Only the positions are there, and no words.": _embedding(add=lambda words, places: words * 0 + places),
        "You count positions from 1. The first word stands at position 0: sine 0, cosine 1.": _embedding(
            angle=lambda n, i, d: (n + 1) / 10000 ** (i / d)
        ),
        "The angles are made of the ids. They are made of the "
        "places, 0, 1, 2, …: `torch.arange(ids.shape[1])`.": _embedding(counted=lambda ids: ids),
        "Sine and cosine have changed places: the sine stands in columns 0, 2, 4, …": _embedding(
            join=lambda sin, cos: pytorch().stack([cos, sin], dim=-1).flatten(-2)
        ),
        "All sines stand first, then all cosines. They take turns: sine, cosine, sine, cosine, …": _embedding(
            join=lambda sin, cos: pytorch().cat([sin, cos], dim=-1)
        ),
        "The exponent is half of what it should be. In column 2i it is 2i / d_model: `torch.arange(0, d_model, 2)` "
        "counts 0, 2, 4, …": _embedding(angle=lambda n, i, d: n / 10000 ** (i / 2 / d)),
        "The angle grows with the column. It is divided by 10000^(2i/d_model), so later columns "
        "turn more slowly.": _embedding(angle=lambda n, i, d: n * 10000 ** (i / d)),
    },
)


# --- 2: attention ---


def _use_attention(attention: Any, query: Any, key: Any, value: Any, mask: Any) -> Array:
    return values_of(attention(query, key, value, mask))


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
    {
        "The scale is missing. Divide the scores by √d_k: without it they grow with d_k, and the softmax takes one "
        "word alone.": _attending(scale=lambda query, key: 1),
        "You divide by √d_model. A head is d_k wide, and its scores vary with d_k: divide by √d_k.": _attending(
            scale=lambda query, key: (query.shape[1] * query.shape[-1]) ** -0.5
        ),
        "You divide by d_k. It is its square root.": _attending(scale=lambda query, key: 1 / query.shape[-1]),
        "You multiply by √d_k, which makes the scores larger still. Divide.": _attending(
            scale=lambda query, key: query.shape[-1] ** 0.5
        ),
        "You divide by the root of how many words are asked. It is √d_k: the last axis of "
        "the query, `shape[-1]`.": _attending(scale=lambda query, key: key.shape[-2] ** -0.5),
        "You divide by the root of how many words ask. It is "
        "√d_k: the last axis of the query, `shape[-1]`.": _attending(scale=lambda query, key: query.shape[-2] ** -0.5),
        "Your softmax runs down the columns. Each row belongs to one who asks, and should sum to 1: `dim=-1`.": [
            _attending(weights=lambda scores, mask: scores.softmax(dim=-2)),
            _attending(weights=lambda scores, mask: scores.softmax(dim=-2).nan_to_num()),
            _attending(
                masked=lambda scores, mask: scores.masked_fill(~mask, -1e9),
                weights=lambda scores, mask: scores.softmax(dim=-2),
            ),
        ],
        "Your softmax runs along axis 1, over the heads. Each row of a head should sum to 1: `dim=-1`.": _attending(
            weights=lambda scores, mask: scores.softmax(dim=1)
        ),
        "The mask is upside down: it is True where attention is allowed, and you fill −∞ in there. Fill it in at "
        "`~mask`.": _attending(masked=lambda scores, mask: scores.masked_fill(mask, -np.inf)),
        "The mask is upside down: it is True where attention is allowed, "
        "and you fill in there. Use `~mask`.": _attending(masked=lambda scores, mask: scores.masked_fill(mask, -1e9)),
        "You add the mask as 0 and 1. One more or less forbids nothing: where it is False, "
        "the score becomes −∞.": _attending(masked=lambda scores, mask: scores + mask),
        "Where the mask forbids, your score is 0. It still gets its share, e⁰ = 1: it has to be −∞.": _attending(
            masked=lambda scores, mask: scores * mask
        ),
        "The mask is not used: everybody sees everything.": _attending(masked=lambda scores, mask: scores),
        "You mask after the softmax. The rows no longer sum to 1, and what is forbidden has had its say: mask the "
        "scores before it.": _attending(
            masked=lambda scores, mask: scores, weights=lambda s, mask: s.softmax(dim=-1) * mask
        ),
        "The softmax is missing: your weights are scores.": _attending(
            weights=lambda scores, mask: scores.masked_fill(~mask, 0.0)
        ),
        "You divide by √d_k after the softmax. Divide the scores, before it.": _attending(
            lambda query, key: 1, result=lambda weights, key, value: weights @ value * key.shape[-1] ** -0.5
        ),
        "You mix the keys. The keys are compared, the values are handed over: the weights times `value`.": _attending(
            result=lambda weights, key, value: weights @ key
        ),
    },
)


# --- 3: who may look at whom ---


def _use_mask(causal_mask: Any, n: int) -> Array:
    mask = causal_mask(n)
    values = values_of(mask)
    if mask.dtype is not pytorch().bool:
        raise FindingError(f"A mask holds True and False, `dtype=torch.bool`: yours is of the type {mask.dtype}.")
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
    {
        "Upside down: in yours a word may look at itself and at what comes after it. That is what it is to say.": _mask(
            lambda ones, n: ones.triu()
        ),
        "Yours is True where attention is forbidden. In this course True means allowed.": _mask(
            lambda ones, n: ones.triu(1)
        ),
        "A word may look at itself, too: in yours the diagonal is False, and the first word sees nothing.": _mask(
            lambda ones, n: ones.tril(-1)
        ),
        "Everything is allowed. Each word would see the one that it is to say next.": _mask(lambda ones, n: ones),
        "Each word sees one further than itself, and that one it is to say. The last that it may see is itself.": _mask(
            lambda ones, n: ones.tril(1)
        ),
    },
)


# --- 4 to 7: the classes ---


@functools.lru_cache(maxsize=20)
@fixed_state()  # what is kept must not depend on what a student has set
def _course_part(name: str, *sizes: int) -> Any:
    return getattr(_minimal(), name)(*sizes)


def _layer(name: str) -> Module:
    """How a layer is used that the course calls `name`: on x and masks; its last inputs are the heads and a seed."""

    def made(answer: Any, *inputs: Any) -> tuple[Any, tuple[Any, ...]]:
        *given, n_heads, seed = inputs
        sizes = given[0].shape[-1], n_heads
        return filled(answer(*sizes), _course_part(name, *sizes), seed), tuple(given)

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
    {
        "The heads are split without a transpose, so a head gets pieces of different "
        "words. First (B, N, h, d_k), then change axes 1 and 2: `unflatten(-1, "
        "(h, -1)).transpose(1, 2)`.": _heads_forward(split=lambda x, h: x.reshape(len(x), h, x.shape[1], -1)),
        "The heads are joined without a transpose, so a word gets the "
        "findings of others. First back to (B, N, h, d_k), `transpose(1, "
        "2)`, then `flatten(2)`.": _heads_forward(join=lambda found: found.reshape(len(found), found.shape[2], -1)),
        "Head 0 gets the columns 0, h, 2h, …. A head is d_k neighbouring columns: `unflatten(-1, "
        "(h, -1))`.": _heads_forward(split=lambda x, h: x.unflatten(-1, (-1, h)).movedim(-1, 1)),
        "Keys and values are made of x. They come from the context: it is the one that is asked.": _heads_forward(
            sides=lambda x, context: (x, x, x)
        ),
        "The values are made of x. They come from the context, as the keys do.": _heads_forward(
            sides=lambda x, context: (x, context, x)
        ),
        "The keys are made of x. They come from the context, as the values do.": _heads_forward(
            sides=lambda x, context: (x, x, context)
        ),
        "The sides have changed places. x asks, so the queries "
        "are made of x, keys and values of the context.": _heads_forward(sides=lambda x, context: (context, x, x)),
        "The values are made with `self.key`. They have a matrix of their own, `self.value`.": _heads_forward(
            made_by=("query", "key", "key")
        ),
        "The values are made with `self.query`. They have a matrix of their own, `self.value`.": _heads_forward(
            made_by=("query", "key", "query")
        ),
        "The keys are made with `self.query`. They have a matrix of their own, `self.key`.": _heads_forward(
            made_by=("query", "query", "value")
        ),
        "The queries are made with `self.key`. They have a matrix of their own, `self.query`.": _heads_forward(
            made_by=("key", "key", "value")
        ),
        "The mask is not handed on: everybody sees everything, padding too.": _heads_forward(
            seen=lambda mask: mask | True
        ),
        "The last linear layer is missing: `self.output` mixes what the heads have found.": _heads_forward(
            last=lambda self, joined: joined
        ),
        "Your scores are divided by √d_model, once more by √h. A head is d_k wide: √d_k.": _heads_forward(
            stretched=lambda self: self.n_heads**-0.5
        ),
        "Your scores are divided by √d_k twice: `attention` does it already.": _heads_forward(
            stretched=lambda self: (self.query.out_features / self.n_heads) ** -0.5
        ),
        "There is one head only, d_model wide. Split each of the three into h heads of d_k columns.": _heads_forward(
            split=lambda x, h: x[:, None]
        ),
    },
)


def _encoder_forward(make: Callable[[Any, Any, Any], Any]) -> Callable[[], Any]:
    return _instead("EncoderLayer", lambda self, x, mask: make(self, x, mask))


def _norm_a(self: Any, x: Any, found: Any) -> Any:
    return self.norm_attention(x + found)


def _norm_f(self: Any, x: Any, found: Any) -> Any:
    return self.norm_feed_forward(x + found)


def _encoder_layer(
    first: Callable[..., Any] = _norm_a,
    second: Callable[..., Any] = _norm_f,
    seen: Callable[[Any], Any] = lambda mask: mask,
    network: Callable[..., Any] = lambda self, x: self.feed_forward(x),
) -> Callable[[], Any]:
    """An encoder layer that makes of (self, x, what was found) something else than norm(x + found), or the like."""

    def forward(self: Any, x: Any, mask: Any) -> Any:
        x = first(self, x, self.attention(x, x, seen(mask)))
        return second(self, x, network(self, x))

    return _instead("EncoderLayer", forward)


def _pre_norm(self: Any, x: Any, mask: Any) -> Any:
    inside = self.norm_attention(x)
    x = x + self.attention(inside, inside, mask)
    return x + self.feed_forward(self.norm_feed_forward(x))


def _feed_forward_first(self: Any, x: Any, mask: Any) -> Any:
    x = self.norm_feed_forward(x + self.feed_forward(x))
    return self.norm_attention(x + self.attention(x, x, mask))


def _both_of_x(self: Any, x: Any, mask: Any, also: int = 0) -> Any:
    attended = self.norm_attention(x + self.attention(x, x, mask))
    return self.norm_feed_forward(x + also * attended + self.feed_forward(attended))


def _with_another_activation(self: Any, x: Any) -> Any:
    widen, _, narrow = self.feed_forward
    return narrow(pytorch().nn.functional.gelu(widen(x)))


_ENCODER = _part(
    "encoder",
    "the encoder's layer",
    _layer("EncoderLayer"),
    "EncoderLayer",
    "x mask n_heads seed",
    [
        (_normal(2, 4, 6), _padding([4, 2], 4), 2, 4),
        (_normal(3, 5, 8), _padding([5, 1, 3], 5), 4, 5),
        (_normal(1, 3, 12), _padding([2], 3), 3, 6),
    ],
    {
        "The residual connection around the attention is left out: norm(x + what was found), "
        "not the found alone.": _encoder_layer(first=lambda self, x, found: self.norm_attention(found)),
        "The residual connection around the feed-forward network is left out: norm(x + what it gives).": _encoder_layer(
            second=lambda self, x, found: self.norm_feed_forward(found)
        ),
        "The norm after the attention is left out.": _encoder_layer(first=lambda self, x, found: x + found),
        "The norm after the feed-forward network is left out.": _encoder_layer(second=lambda self, x, found: x + found),
        "After the attention you normalize what was found, and not the sum: norm(x + found).": _encoder_layer(
            first=lambda self, x, found: x + self.norm_attention(found)
        ),
        "After the feed-forward network you normalize what it gives, and not the sum: norm(x + it).": _encoder_layer(
            second=lambda self, x, found: x + self.norm_feed_forward(found)
        ),
        "One norm serves both places. Each has its own γ and β: `norm_attention`, `norm_feed_forward`.": [
            _encoder_layer(second=lambda self, x, found: self.norm_attention(x + found)),
            _encoder_layer(first=_norm_f),
        ],
        "The two norms have changed places.": _encoder_layer(_norm_f, _norm_a),
        "You normalize before each part: that is pre-norm, as in lesson 12. Here it is the paper's post-norm: norm(x + "
        "part(x)).": _encoder_forward(_pre_norm),
        "The feed-forward network stands first. Attention comes first.": _encoder_forward(_feed_forward_first),
        "The second residual takes the layer's input. It takes what the first half has given.": _encoder_forward(
            _both_of_x
        ),
        "The feed-forward network is left out.": _encoder_forward(
            lambda self, x, mask: _norm_a(self, x, self.attention(x, x, mask))
        ),
        "The attention is left out: no word hears of another.": _encoder_forward(
            lambda self, x, mask: _norm_f(self, x, self.feed_forward(x))
        ),
        "The mask is not handed on: the words look at padding.": _encoder_layer(seen=lambda mask: mask | True),
        "The mask is turned round: hand it on as it is.": _encoder_layer(seen=lambda mask: ~mask),
        "Between the two linear layers of the network stands `nn.ReLU()`: yours is another activation.": _encoder_layer(
            network=_with_another_activation
        ),
        "The layer's input is added once more in the second half. There it is what the first half has given, and what "
        "the network makes of it.": _encoder_forward(lambda self, x, mask: _both_of_x(self, x, mask, also=1)),
    },
)


_PARTS = ("self-attention", "cross-attention", "feed-forward network")
_NORMS = ("norm_attention", "norm_cross", "norm_feed_forward")


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
    "the decoder's layer",
    _layer("DecoderLayer"),
    "DecoderLayer",
    "x memory mask memory_mask n_heads seed",
    [
        (_normal(2, 4, 6), _normal(2, 4, 6), _tril(4), _padding([4, 2], 4), 2, 7),
        (_normal(3, 5, 8), _normal(3, 3, 8), _tril(5), _padding([1, 3, 2], 3), 4, 8),
        (_normal(1, 2, 12), _normal(1, 4, 12), _tril(2), _padding([3], 4), 3, 9),
    ],
    {
        "The cross-attention asks x itself, so the decoder never hears of the source. Keys and values come from the "
        "memory: `self.cross(x, memory, memory_mask)`.": _decoder_forward(cross="cross x x mask"),
        "In the cross-attention the memory asks. x asks, and the memory is asked: K and V are the "
        "encoder's.": _decoder_forward(cross="cross memory x memory_mask"),
        "The cross-attention has the look-ahead mask. The source is there as a whole: it needs "
        "`memory_mask`.": _decoder_forward(cross="cross x memory mask"),
        "The cross-attention looks at padding: hand it `memory_mask`.": _decoder_forward(
            cross="cross x memory no_mask"
        ),
        "The self-attention has no look-ahead mask: it sees the word that it is to say. Hand it "
        "`mask`.": _decoder_forward(own="attention x x no_mask"),
        "The self-attention has the mask of the memory. Its own is `mask`.": _decoder_forward(
            own="attention x x memory_mask"
        ),
        "The self-attention uses the cross-attention's weights. Each has its own: `self.attention`, "
        "`self.cross`.": _decoder_forward(own="cross x x mask"),
        "The cross-attention uses the self-attention's weights. Each has its own: `self.attention`, "
        "`self.cross`.": _decoder_forward(cross="attention x memory memory_mask"),
        **{
            f"The residual connection around the {part} is left out.": _decoder_forward(
                keep=(*(1,) * i, 0, *(1,) * (2 - i))
            )
            for i, part in enumerate(_PARTS)
        },
        **{
            f"The norm after the {part} is left out.": _decoder_forward(norms=(*_NORMS[:i], "", *_NORMS[i + 1 :]))
            for i, part in enumerate(_PARTS)
        },
        "The cross-attention has the self-attention's norm. Its own is `norm_cross`.": _decoder_forward(
            norms=("norm_attention", "norm_attention", "norm_feed_forward")
        ),
        "The feed-forward network has the cross-attention's norm. Its own is `norm_feed_forward`.": _decoder_forward(
            norms=("norm_attention", "norm_cross", "norm_cross")
        ),
        "All residual connections are left out: norm(x + what each part gives).": _decoder_forward(keep=(0, 0, 0)),
        "All norms are left out: norm(x + what each part gives).": _decoder_forward(norms=("", "", "")),
        "In the cross-attention the memory asks. x asks, and the memory is asked, with `memory_mask`: K and V are the "
        "encoder's.": _decoder_forward(cross="cross memory x mask"),
        "The cross-attention stands first. Self-attention comes first.": _decoder_forward(order="cross own feed"),
        "The feed-forward network stands before the cross-attention.": _decoder_forward(order="own feed cross"),
        "The cross-attention is left out: the decoder never hears of the source.": _decoder_forward(order="own feed"),
        "The self-attention is left out.": _decoder_forward(order="cross feed"),
        "The feed-forward network is left out.": _decoder_forward(order="own cross"),
    },
)


def _machine(
    padding: Callable[[Any], Any] = lambda source: (source != PAD)[:, None, None, :],
    causal: Callable[[Any], Any] = lambda target: _minimal().causal_mask(target.shape[1]),
    crossed: Callable[[Any], Any] = lambda memory_mask: memory_mask,
    inside: Callable[[Any, Any], Any] = lambda memory_mask, source: memory_mask,
    embed: Callable[[Any, Any], Any] = lambda table, ids: _minimal().embedded(table, ids),
    tables: Callable[[Any], tuple[Any, Any]] = lambda model: (model.source_table, model.target_table),
    encoder: Callable[[Any], Any] = lambda model: model.encoder,
    decoder: Callable[[Any], Any] = lambda model: model.decoder,
    last: Callable[[Any, Any], Any] = lambda model, x: model.output(x),
) -> Callable[[], Any]:
    def forward(self: Any, source: Any, target: Any) -> Any:
        source_table, target_table = tables(self)
        memory, x = embed(source_table, source), embed(target_table, target)
        memory_mask, mask = padding(source), causal(target)
        for layer in encoder(self):
            memory = layer(memory, inside(memory_mask, source))
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
    {
        "The decoder has no look-ahead mask: each word sees the one that it is to say. It needs "
        "`causal_mask(target.shape[1])`.": _machine(
            causal=lambda target: _minimal().causal_mask(target.shape[1]) | True
        ),
        "The decoder's mask hides padding alone: each word sees the one that it is to say. It needs "
        "`causal_mask(target.shape[1])`.": _machine(causal=lambda target: (target != PAD)[:, None, None, :]),
        "The encoder's words see only what stands before them. The "
        "look-ahead mask is the decoder's alone: the source is "
        "there from the start.": _machine(inside=lambda mask, source: mask & _minimal().causal_mask(source.shape[1])),
        "The decoder looks at the padding of the source: hand it the mask of the memory, too.": _machine(
            crossed=lambda memory_mask: memory_mask | True
        ),
        "The look-ahead mask is turned round: each word sees itself and what comes after it.": _machine(
            causal=lambda target: _minimal().causal_mask(target.shape[1]).T
        ),
        "All layers of a stack are one and the same. Make a new one for each: `nn.ModuleList(EncoderLayer(…) for _ in "
        "range(n_layers))`.": _machine(encoder=_last_again("encoder"), decoder=_last_again("decoder")),
        "All layers of the encoder are one and the same. Make a new one for each: `nn.ModuleList(EncoderLayer(…) for _ "
        "in range(n_layers))`.": _machine(encoder=_last_again("encoder")),
        "All layers of the decoder are one and the same. Make a new one for each: `nn.ModuleList(DecoderLayer(…) for _ "
        "in range(n_layers))`.": _machine(decoder=_last_again("decoder")),
        "Padding is looked at. The mask of the memory is True where `source != PAD`, with two axes more: `[:, None, "
        "None, :]`.": _machine(padding=lambda source: (source != PAD)[:, None, None, :] | True),
        "The mask of the memory is upside down: it allows the padding and forbids the words.": _machine(
            padding=lambda source: (source == PAD)[:, None, None, :]
        ),
        "The words come in as bare rows of the tables. Use `embedded(table, ids)`: it scales them and adds the "
        "positions.": _machine(embed=lambda table, ids: table(ids)),
        "The target is looked up in the source's table.": _machine(
            tables=lambda model: (model.source_table, model.source_table)
        ),
        "The source is looked up in the target's table.": _machine(
            tables=lambda model: (model.target_table, model.target_table)
        ),
        "The two tables have changed places.": _machine(tables=lambda model: (model.target_table, model.source_table)),
        "The decoder gets the embedded source, not what the encoder makes of it. Its layers run over the source, one "
        "by one, and the last result is the memory.": _machine(encoder=lambda model: ()),
        "The decoder is not used.": _machine(decoder=lambda model: ()),
        "Only the first layer of each stack runs.": _machine(
            encoder=lambda model: model.encoder[:1], decoder=lambda model: model.decoder[:1]
        ),
        "Only the last layer of each stack counts. Each takes what the one before has given: "
        "`x = layer(x, …)`.": _machine(
            encoder=lambda model: model.encoder[-1:], decoder=lambda model: model.decoder[-1:]
        ),
        "Only the last layer of the decoder counts. Each takes what the one before has given: "
        "`x = layer(x, …)`.": _machine(decoder=lambda model: model.decoder[-1:]),
        "Only the last layer of the encoder counts. Each takes what the one before has given: `memory = layer(memory, "
        "…)`.": _machine(encoder=lambda model: model.encoder[-1:]),
        "You return probabilities. Return the logits: the cross-entropy takes the softmax itself.": _machine(
            last=lambda model, x: model.output(x).softmax(dim=-1)
        ),
        "You return log-probabilities. Return the logits: the cross-entropy takes the softmax itself.": _machine(
            last=lambda model, x: model.output(x).log_softmax(dim=-1)
        ),
    },
)


# --- 8: the loss ---


class _Lookup:
    """A model without layers: what it says after a word stands in a row of a table, and the source moves it."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def __call__(self, source: Any, target: Any) -> Any:
        return self.rows[target] + self.rows[source[:, :1]].cumsum(dim=-1) / 4


def _use_loss(loss_of: Any, rows: Any, source: Any, target: Any) -> Array:
    return values_of(loss_of(_Lookup(rows), source, target))


def _with_ends(*lengths: tuple[int, int]) -> tuple[Array, Array]:
    source, target = _pairs(*lengths)
    ended = np.concatenate([target, np.zeros((len(target), 1), dtype=int)], axis=1)
    ended[np.arange(len(target)), (target != PAD).sum(axis=1)] = END
    return source, ended


def _loss(
    read: Callable[[Any], Any] = lambda target: target[:, :-1],
    said: Callable[[Any], Any] = lambda target: target[:, 1:],
    made: Callable[[Any], Any] = lambda logits: logits,
    flat: Callable[[Any], Any] = lambda ids: ids.flatten(),
    mean: Callable[[Any, Any], Any] = lambda losses, ids: losses[ids != PAD].mean(),
) -> Callable[[], Any]:
    def loss_of(model: Any, source: Any, target: Any) -> Any:
        ids = flat(said(target))
        logits = made(model(source, read(target))).flatten(0, 1)
        return mean(pytorch().nn.functional.cross_entropy(logits, ids, reduction="none"), ids)

    return lambda: loss_of


def _mean_of_means(model: Any, source: Any, target: Any) -> Any:
    each = [_minimal().loss_of(model, one[None], other[None]) for one, other in zip(source, target, strict=True)]
    return pytorch().stack(each).mean()


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
    {
        "The target is not shifted: at each place the model has just read the very word that it is to say, and learns "
        "to copy. It reads `target[:, :-1]` and says `target[:, 1:]`.": _loss(said=lambda target: target[:, :-1]),
        "The target is not shifted: the model reads all of it, and is to say the same. It reads `target[:, :-1]` and "
        "says `target[:, 1:]`.": _loss(read=lambda target: target, said=lambda target: target),
        "The model reads what it is to say, and learns to copy. It reads `target[:, :-1]`.": _loss(
            read=lambda target: target[:, 1:]
        ),
        "Shifted to the wrong side: each place is to say the word before. It reads `target[:, :-1]` and says "
        "`target[:, 1:]`.": _loss(read=lambda target: target[:, 1:], said=lambda target: target[:, :-1]),
        "The padding is counted: nobody should be asked to say it. `ignore_index=PAD` leaves it out.": _loss(
            mean=lambda losses, ids: losses.mean()
        ),
        "The padding is left out of the sum, but you divide by all places. `ignore_index=PAD` does both.": _loss(
            mean=lambda losses, ids: losses[ids != PAD].sum() / len(losses)
        ),
        "That is the sum. The mean is wanted: else a long batch takes a longer step.": _loss(
            mean=lambda losses, ids: losses[ids != PAD].sum()
        ),
        "You take the mean of each sentence, then the mean of these: a word of a short sentence counts more. Take one "
        "mean over all words of the batch.": lambda: _mean_of_means,
        "END is left out, too. It has to be learnt like a word.": _loss(
            mean=lambda losses, ids: losses[ids > END].mean()
        ),
        "You take the softmax before the cross-entropy, which takes it again. It wants the logits as they are.": _loss(
            made=lambda logits: logits.softmax(dim=-1)
        ),
        "The logits are flattened in another order than the targets: rows of the batch first, no transpose.": _loss(
            made=lambda logits: logits.transpose(0, 1)
        ),
        "The targets are flattened in another order than the logits: rows of the batch first.": _loss(
            flat=lambda ids: ids.T.flatten()
        ),
        "Minus the loss: the step would make it larger.": _loss(mean=lambda losses, ids: -losses[ids != PAD].mean()),
    },
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
    losses = _plain_numbers(train(model, [*zip(sources, targets, strict=True)], Descent()))
    rounds = next(ran[:n] for n in range(len(ran) + 1) if not ran or (n and ran[:n] * (len(ran) // n) == ran))
    return losses, values_of(model.rows), ", ".join(rounds)


def _plain_numbers(losses: Any) -> list[float]:
    """The losses that a training has returned, where they are as they should be."""
    if losses is None:
        raise FindingError(
            "Your function returns nothing: is the `return` missing? It should return the list of losses."
        )
    if not isinstance(losses, list | tuple):
        raise FindingError(f"Your function returns {named(type(losses))}, where the list of all losses is expected.")
    if any(getattr(loss, "requires_grad", False) for loss in losses):
        raise FindingError(
            "Your list holds the losses as tensors, and each keeps all that was computed for its batch. "
            "`loss.item()` is the plain number."
        )
    try:
        return [float(loss) for loss in losses]
    except (TypeError, ValueError, RuntimeError):
        said = "Your list holds something that is no single number. One loss for each batch is expected."
        raise FindingError(said) from None


def _loop(
    steps: str = "zero loss backward step",
    training: bool = True,
    kept: Callable[[list], list] = lambda losses: losses,
    over: Callable[[list], list] = lambda batches: batches,
) -> Callable[[], Any]:
    def train(model: Any, batches: Any, optimizer: Any) -> list[float]:
        model.train(training)
        losses = []
        for source, target in over(batches):
            loss = _minimal().loss_of(model, source, target)
            losses.append(loss.item())
            for step in steps.split():
                if step == "zero":
                    optimizer.zero_grad()
                elif step == "backward":
                    loss.backward(retain_graph=True)
                elif step == "step":
                    optimizer.step()
        return kept(losses)

    return lambda: train


def _one_step_at_the_end(model: Any, batches: Any, optimizer: Any) -> list[float]:
    model.train()
    optimizer.zero_grad()
    losses = []
    for source, target in batches:
        loss = _minimal().loss_of(model, source, target)
        loss.backward()
        losses.append(loss.item())
    optimizer.step()
    return losses


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
    {
        "The gradients of all earlier batches are still there, because each `backward` adds to them. Call "
        "`optimizer.zero_grad()` inside the loop, once for each batch.": _loop("loss backward step"),
        "`zero_grad` stands between `backward` and `step`: the step finds gradients of 0, and nothing moves. Put it "
        "before `backward`.": _loop("loss backward zero step"),
        "`backward` is forgotten: without it there are no gradients, and nothing moves.": _loop("zero loss step"),
        "`step` is forgotten: the gradients are there, and nothing moves.": _loop("zero loss backward"),
        "`step` stands before `backward`, so each step takes the gradients of the batch before.": _loop(
            "loss step zero backward"
        ),
        "`step` stands before `backward`, and `zero_grad` before both: the step finds no gradients, and nothing moves. "
        "First `backward`, then `step`.": _loop("zero loss step backward"),
        "`step` is before `backward`, and the gradients of all earlier batches add up. Call `optimizer.zero_grad()` in "
        "each round of the loop, then `backward`, then `step`.": _loop("loss step backward"),
        "It ends after the first batch. Does the `return` stand inside the loop? It belongs after it.": _loop(
            over=lambda batches: batches[:1]
        ),
        "You go through the batches twice. Each of them is for one step.": _loop(
            over=lambda batches: [*batches, *batches]
        ),
        "`backward` runs twice for each step, so the gradients are doubled.": _loop("zero loss backward backward step"),
        "`step` runs twice for each batch.": _loop("zero loss backward step step"),
        "There is one step, after all batches. The step belongs into the loop, and `zero_grad`, too.": lambda: (
            _one_step_at_the_end
        ),
        "The model is left as it was, at rest. `model.train()` before the loop: dropout, where there is some, works in "
        "training alone.": _loop(training=False),
        "Only the last loss comes back. Collect all of them, and return the list after the loop.": _loop(
            kept=lambda losses: losses[-1:]
        ),
        "Only the first loss comes back. Does the list begin anew, or the `return` stand where it should not?": _loop(
            kept=lambda losses: losses[:1]
        ),
    },
    parts=("the losses that you return", "the weights after the steps", "the order of `backward` and `step`"),
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
                raise FindingError("The model was asked 50 times: does your loop ever end?")
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
        raise FindingError("What you return is no list with a list of ids for each sentence.") from None


def _each_by_itself(model: Any, source: Any, most: int) -> list[list[int]]:
    return [row for sentence in source for row in _minimal().greedy(model, sentence[None], most)]


def _writing(
    place: int = -1,
    choose: str = "argmax",
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
            written = torch.cat([written, getattr(logits, choose)(dim=-1, keepdim=True)], dim=1)
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
    {
        "The model is still in training: `model.eval()` first, or dropout, where there is some, "
        "changes what it says.": _writing(rest=False),
        "The whole batch is written to its longest sentence: a short one goes on behind its END. Cut each row where "
        "its first END stands.": _writing(cut=lambda row: row[1:]),
        "END is taken out, but what was written behind it stays. Cut each row where its first END stands.": _writing(
            cut=lambda row: [word for word in row[1:] if word != END]
        ),
        "START is no word: leave it out.": _writing(cut=lambda row: row[: [*row, END].index(END)]),
        "END is no word: cut before it.": _writing(cut=lambda row: row[1 : [*row, END].index(END) + 1]),
        "It goes on though every sentence has its END. Stop when all rows have one: `(written == "
        "END).any(dim=1).all()`.": _writing(stops=lambda written: False),
        "It stops at the first END of the batch, and the others are cut off. Stop when all rows have one.": _writing(
            stops=lambda written: bool((written == END).any())
        ),
        "You ask what comes after START, every time. The last place has read everything: `[:, -1]`.": _writing(place=0),
        "You take the least probable word.": _writing(choose="argmin"),
        "It writes one word too few: `most` words, and START is none of them.": _writing(more=-1),
        "It writes one word too many: `most` words, START not counted.": _writing(more=1),
        "What is written is right, but each sentence is written by itself. Write the whole batch side by side: then "
        "the model is asked once for each place, and not once for each word of each sentence.": lambda: _each_by_itself,
    },
    parts=("what is written", "how often the model is asked"),
)

EXERCISES = (_EMBEDDED, _ATTENTION, _CAUSAL_MASK, _HEADS, _ENCODER, _DECODER, _TRANSFORMER, _LOSS, _TRAIN, _GREEDY)
