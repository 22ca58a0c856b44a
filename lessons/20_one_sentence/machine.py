"""The translator as a tree of boxes: what each holds for one sentence and one step, and how each number is made.

The numbers of a box are those of the very pass that wrote the word: hooks and `watching` keep them. How an entry is
made is computed apart from it, in float64, from the weights and from the numbers of the boxes that go into it; a test
compares the two for every box. Source: Vaswani et al. 2017, sections 3.1 to 3.5; pre-norm: Xiong et al. 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from utils.data.vocabulary import END
from utils.models.transformer import Transformer
from utils.models.watching import watching
from utils.show.walk import Box, OpenedPass, Work
from utils.training.inside import Translation, look_inside
from utils.training.translator import Translator

Array = np.ndarray


class Machine:
    """A translator that can be opened: `machine(text, step)` is the tree of boxes that writes word `step` of `text`.

    Raises ValueError for a model whose boxes are others: it must be a `Transformer` with pre-norm, ReLU, sinusoidal
    positions and biases, as the course's is.
    """

    def __init__(self, translator: Translator) -> None:
        model = translator.model
        config = getattr(model, "config", None)
        expected = {"norm_first": True, "activation": "relu", "positions": "sinusoidal", "bias": True}
        if not isinstance(model, Transformer) or any(getattr(config, k) != v for k, v in expected.items()):
            raise ValueError(
                "the walkthrough needs a Transformer with pre-norm, ReLU, sinusoidal positions and biases, "
                f"but this is a {type(model).__name__} with {config}."
            )
        self.translator = translator
        self._inside = lru_cache(maxsize=8)(partial(look_inside, translator))
        self._open = lru_cache(maxsize=32)(self._opened)

    def __call__(self, text: str, step: int) -> OpenedPass:
        """Return the boxes of the pass that writes word `step`, counted from 1, or else the last word.

        Raises ValueError for what the translator refuses, and for a step below 1.
        """
        if step < 1:
            raise ValueError(f"step must be 1 or more, but is {step}.")
        inside = self._inside(text)
        return self._open(text, min(step, len(inside.writes)))

    def _opened(self, text: str, step: int) -> OpenedPass:
        inside = self._inside(text)
        return OpenedPass(text, step, tuple(inside.writes), _machine(_Pass(self.translator, text, inside, step)))


class _Pass:
    """One pass through the model, kept: what went into each module and what came out."""

    def __init__(self, translator: Translator, text: str, inside: Translation, step: int) -> None:
        self.translator, self.text, self.step = translator, text, step
        self.model: Any = translator.model
        self.config = self.model.config
        self.source, self.target = tuple(inside.source), tuple(inside.target[:step])
        self.writes = tuple(inside.writes[:step])
        self.source_ids = translator.source_vocabulary.ids(inside.source)
        self.target_ids = translator.target_vocabulary.ids(inside.target[:step])
        self.kept: dict[str, tuple[tuple, Tensor]] = {}
        modules = [(name, module) for name, module in self.model.named_modules() if name]
        hooks = [module.register_forward_hook(partial(self._keep, name)) for name, module in modules]
        device = next(self.model.parameters()).device
        training = self.model.training
        self.model.eval()
        try:
            with torch.inference_mode(), watching(self.model) as self.maps:
                self.model(*(torch.tensor([ids], device=device) for ids in (self.source_ids, self.target_ids)))
        finally:
            self.model.train(training)
            for hook in hooks:
                hook.remove()

    def _keep(self, name: str, module: nn.Module, inputs: tuple, output: Any) -> None:
        if name and isinstance(output, Tensor):
            self.kept[name] = inputs, output

    def out(self, name: str) -> Array:
        """Return the module's output without the batch: (N, …)."""
        output = self.kept[name][1]
        return _numpy(output[0] if output.dim() == 3 else output)

    def into(self, name: str) -> Array:
        """Return the module's first argument without the batch: (N, …)."""
        return _numpy(self.kept[name][0][0][0])

    def linear(self, name: str) -> tuple[Array, Array | None, Array]:
        """Return W (in, out) and b, if it has any, of a linear layer, and what came out of it."""
        b = None if self.model.get_submodule(name).bias is None else self.parameter(f"{name}.bias")
        return self.parameter(f"{name}.weight").T, b, self.out(name)

    def parameter(self, name: str) -> Array:
        """Return a weight or bias as float64, with PyTorch's rows."""
        return _numpy(self.model.get_parameter(name)).astype(np.float64)


def _numpy(tensor: Tensor) -> Array:
    return tensor.detach().float().cpu().numpy()


# --- how one entry is made ---


def _product(
    says: str,
    names: Sequence[str],
    pairs: tuple[str, str],
    left: Array,
    right: Array,
    then: Sequence[tuple[str, float]],
    result: Callable[[float], float],
    called: str,
) -> Work:
    """Σ left · right, and what is done to the sum: `then` are the numbers that `result` uses, as they are shown."""
    left, right = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    numbers = np.stack([left, right, left * right], axis=1)  # (terms, 3)
    total = float(numbers[:, 2].sum())
    lines = [("sum of the products", total), *then, (called, result(total))]
    return Work(says, tuple(names), (*pairs, f"{pairs[0]} · {pairs[1]}"), numbers, tuple(lines))


def _plain(says: str, *lines: tuple[str, float]) -> Work:
    """Return the work of an entry that is made of a few numbers, the last of which is the entry."""
    return Work(says, (), (), np.zeros((0, 0)), lines)


def _softmax_entry(says: str, names: Sequence[str], scores: Array, j: int) -> Work:
    """Show e^s over the sum of all e^s, with the largest score subtracted first; −∞ gives 0."""
    scores = np.asarray(scores, dtype=np.float64)
    largest = scores.max()
    powers = np.exp(scores - largest)
    lines = (
        ("largest score", float(largest)),
        ("sum of the powers", float(powers.sum())),
        ("the power of this one", float(powers[j])),
        ("this power / their sum", float(powers[j] / powers.sum())),
    )
    return Work(says, tuple(names), ("score", "e^(score − largest)"), np.stack([scores, powers], axis=1), lines)


def _norm_entry(says: str, x: Array, gamma: float, beta: float, eps: float, j: int) -> Work:
    x = np.asarray(x, dtype=np.float64)
    mean = float(x.mean())
    squares = (x - mean) ** 2
    variance = float(squares.mean())
    lines = (
        ("μ, the mean of x", mean),
        ("σ², the mean of the squares", variance),
        ("ε", eps),
        ("x of this entry", float(x[j])),
        ("γ", gamma),
        ("β", beta),
        ("γ (x − μ) / √(σ² + ε) + β", float(gamma * (x[j] - mean) / np.sqrt(variance + eps) + beta)),
    )
    numbers = np.stack([x, x - mean, squares], axis=1)
    return Work(says, _features(len(x)), ("x", "x − μ", "(x − μ)²"), numbers, lines)


def _features(n: int) -> tuple[str, ...]:
    """Name the columns of a vector by their numbers, counted from 1."""
    return tuple(str(i + 1) for i in range(n))


# --- boxes of one kind ---


def _box_from(x: Box, path: str, title: str, equation: str, says: str, **rest: Any) -> Box:
    """Return a box that is made of `x`, with the same rows and columns unless given others."""
    return Box(path, title, equation, says, **{"rows": x.rows, "columns": x.columns, "inputs": (x.path,)} | rest)


def _linear(
    path: str,
    title: str,
    says: str,
    letters: tuple[str, str, str],
    x: Box,
    W: Array,
    b: Array | None,
    values: Array,
    column: Callable[[int, str], str] = lambda j, weight: f"column {j + 1} of {weight}",
) -> Box:
    """Return the box of values = x W + b, with W (in, out). letters: of x, W and the values in the equation.

    column(j, weight) names column j of W, from 0.
    """
    letter, weight, result = letters

    def entry(i: int, j: int) -> Work:
        return _product(
            f"Row “{x.rows[i]}” of {letter}, times {column(j, weight)}.",
            _features(len(W)),
            (letter, weight),
            x.values[i],
            W[:, j],
            [] if b is None else [("b", float(b[j]))],
            lambda total: total + (0.0 if b is None else float(b[j])),
            result if b is None else f"{result} = sum + b",
        )

    equation = f"{result} = {letter} {weight}" + ("" if b is None else " + b")
    columns = _features(values.shape[1])
    return _box_from(
        x,
        path,
        title,
        equation,
        says,
        values=values,
        columns=columns,
        entry=entry,
        products=len(W),
        then="" if b is None else "plus b",
        letter=result,
    )


def _norm(p: _Pass, path: str, module: str, x: Box, letter: str = "x̂", title: str = "Layer norm") -> Box:
    gamma, beta = p.parameter(f"{module}.weight"), p.parameter(f"{module}.bias")
    eps = p.config.layer_norm_eps

    def entry(i: int, j: int) -> Work:
        says = f"Row “{x.rows[i]}” gets mean 0 and deviation 1, then is multiplied by γ and shifted by β."
        return _norm_entry(says, x.values[i], float(gamma[j]), float(beta[j]), eps, j)

    says = "Each row separately gets mean 0 and deviation 1, then γ and β of each column."
    equation = f"{letter} = γ (x − μ) / √(σ² + ε) + β"
    return _box_from(x, path, title, equation, says, values=p.out(module), entry=entry, letter=letter)


def _add(p: _Pass, path: str, module: str, x: Box, sublayer: Box) -> Box:
    def entry(i: int, j: int) -> Work:
        a, b = float(x.values[i, j]), float(sublayer.values[i, j])
        return _plain("The input, plus what the sublayer adds.", ("x", a), ("F(x̂)", b), ("x + F(x̂)", a + b))

    says = "The residual connection: the input stays, and the sublayer's output is added to it."
    inputs = (x.path, sublayer.path)
    return _box_from(x, path, "Add", "x + F(x̂)", says, values=p.out(module), inputs=inputs, entry=entry)


def _holding(path: str, title: str, says: str, inside: Sequence[Box]) -> Box:
    """Return a box with others in it; it shows the numbers of the last of them, which contains no others."""
    last = inside[-1]
    inner = {box.path for one in inside for box in one.all_boxes()}
    inputs = [at for one in inside for box in one.all_boxes() for at in box.inputs if at not in inner]
    return replace(
        last,
        path=path,
        title=title,
        equation=f"its numbers are those of “{last.title}”: {last.equation}",
        says=says,
        inside=tuple(inside),
        inputs=tuple(dict.fromkeys(inputs)),
        products=0,
    )


# --- the parts of the machine ---


def _embedded(p: _Pass, path: str, title: str, side: str, ids: Box) -> Box:
    """Return embedding and positions of one side: the row of each id, times √d_model, plus its position's row."""
    table, d_model = p.parameter(f"{side}_embedding.weight"), p.config.d_model
    values = p.out(f"{side}_embedding")  # (N, d_model)
    columns = _features(d_model)
    position = _numpy(p.model.positions(len(values)))  # (N, d_model)

    def looked_up(i: int, j: int) -> Work:
        number = int(ids.values[i, 0])
        e, root = float(table[number, j]), float(np.sqrt(d_model))
        says = f"Column {j + 1} of the table E, in the row of “{ids.rows[i]}”, whose id is {number}."
        return _plain(says, ("E[id]", e), (f"√d_model = √{d_model}", root), ("E[id] · √d_model", e * root))

    def placed(i: int, j: int) -> Work:
        pair = j // 2 * 2
        angle = i / 10000 ** (pair / d_model)
        name, called, value = ("cos", "cosine", np.cos(angle)) if j % 2 else ("sin", "sine", np.sin(angle))
        says = f"“{ids.rows[i]}” is at pos = {i}; column {j + 1} is a {called} with 2i = {pair}."
        return _plain(
            says,
            ("pos", i),
            (f"10000^({pair}/{d_model})", float(10000 ** (pair / d_model))),
            ("angle, in radians", float(angle)),
            (f"{name} of the angle", float(value)),
        )

    says = "Each id selects its row of the table E."
    equation = "X = E[ids] · √d_model"
    embedding = _box_from(
        ids, f"{path}.embedding", "Embedding", equation, says, values=values, columns=columns, entry=looked_up
    )
    says = "The row of each position, the same for all sentences. Positions are counted from 0."
    equation = "PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(…)"
    positions = _box_from(
        ids, f"{path}.positions", "Positional encoding", equation, says, values=position, columns=columns, entry=placed
    )

    def added(i: int, j: int) -> Work:
        a, b = float(values[i, j]), float(position[i, j])
        return _plain("The word, plus its position.", ("X", a), ("PE", b), ("X + PE", a + b))

    total = p.into("encoder.layers.0" if side == "source" else "decoder.layers.0")
    says = "Now a row says which word it is, and at which position."
    inputs = (embedding.path, positions.path)
    both = _box_from(
        embedding, f"{path}.sum", "Word and position", "X + PE", says, values=total, inputs=inputs, entry=added
    )
    return _holding(path, title, "A row of d_model numbers for each token.", [embedding, positions, both])


def _head(p: _Pass, path: str, place: str, layer: int, h: int, asks: Box, asked: Box, projections: Sequence) -> Box:
    """Return one head, with queries of `asks`, keys and values of `asked`."""
    sides = zip("QKV", (asks, asked, asked), projections, strict=True)
    Q, K, V = (_own_columns(p, path, h, letter, x, *projection) for letter, x, projection in sides)
    scores = _scores(path, Q, K)
    masked = [_masked(path, Q, K, scores)] if place == "decoder" else []
    weights = _weights(path, [scores, *masked][-1], _numpy(p.maps[place, layer, "weights"][0, h]))
    output = _weighted_sum(path, weights, V, _numpy(p.maps[place, layer, "heads"][0, h]))
    own = f"d_k = {p.config.d_k} columns each of Q, K and V are its own."
    says = f"It reads all {p.config.d_model} columns of its input; {own}"
    return _holding(path, f"Head {h + 1}", says, [Q, K, V, scores, *masked, weights, output])


def _own_columns(p: _Pass, path: str, h: int, letter: str, x: Box, W: Array, b: Array, values: Array) -> Box:
    """Return head h's columns of the queries, keys or values, whose `letter` is Q, K or V."""
    first, end = h * p.config.d_k, (h + 1) * p.config.d_k

    def called(j: int, weight: str) -> str:
        return f"column {first + j + 1} of {weight}" + (f" (column {j + 1} of this head)" if h else "")

    title = {"Q": "Queries", "K": "Keys", "V": "Values"}[letter]
    says = f"Columns {first + 1} to {end} of W_{letter} belong to this head."
    letters = (x.letter, f"W_{letter}", letter)
    parts = W[:, first:end], b[first:end], values[:, first:end]
    return _linear(f"{path}.{letter}", title, says, letters, x, *parts, column=called)


def _scores(path: str, Q: Box, K: Box) -> Box:
    d_k = len(Q.columns)
    root = float(np.sqrt(d_k))

    def entry(i: int, j: int) -> Work:
        says = f"The query of “{Q.rows[i]}” times the key of “{K.rows[j]}”."
        then = [(f"√d_k = √{d_k}", root)]
        return _product(says, Q.columns, ("q", "k"), Q.values[i], K.values[j], then, lambda x: x / root, "sum / √d_k")

    says = "How well each query (row) matches each key (column)."
    return _box_from(
        Q,
        f"{path}.scores",
        "Scores",
        "S = Q Kᵀ / √d_k",
        says,
        values=Q.values @ K.values.T / np.float32(root),  # (N, M)
        columns=K.rows,
        inputs=(Q.path, K.path),
        entry=entry,
        products=d_k,
        then="divided by √d_k",
        letter="S",
    )


def _masked(path: str, Q: Box, K: Box, scores: Box) -> Box:
    def entry(i: int, j: int) -> Work:
        if j <= i:
            says = f"“{K.rows[j]}” does not come after “{Q.rows[i]}”: it may be seen."
            return _plain(says, ("S", float(scores.values[i, j])))
        says = f"“{K.rows[j]}” (pos = {j}) comes after “{Q.rows[i]}” (pos = {i}): it may not be seen."
        return _plain(says, ("masked", -np.inf))

    allowed = np.tril(np.ones_like(scores.values, dtype=bool))
    says = "The look-ahead mask gives −∞ to every later word."
    values = np.where(allowed, scores.values, -np.inf)
    return _box_from(scores, f"{path}.mask", "Mask", "S′ = S + M", says, values=values, entry=entry, letter="S′")


def _weights(path: str, scores: Box, A: Array) -> Box:
    def entry(i: int, j: int) -> Work:
        says = f"The share of “{scores.columns[j]}” in what “{scores.rows[i]}” looks at."
        return _softmax_entry(says, scores.columns, scores.values[i], j)

    equation = f"A = softmax({scores.letter})"
    return _box_from(scores, f"{path}.weights", "Weights", equation, "Each row sums to 1.", values=A, entry=entry)


def _weighted_sum(path: str, weights: Box, V: Box, values: Array) -> Box:
    def entry(i: int, j: int) -> Work:
        says = f"The weights of “{weights.rows[i]}” times column {j + 1} of the values."
        return _product(says, V.rows, ("a", "v"), weights.values[i], V.values[:, j], [], lambda x: x, "AV")

    says = "Each row is a mixture of the rows of V."
    return _box_from(
        weights,
        f"{path}.output",
        "Weighted sum",
        "A V",
        says,
        values=values,
        columns=V.columns,
        inputs=(weights.path, V.path),
        entry=entry,
        products=len(V.rows),
    )


def _attention(
    p: _Pass, title: str, place: str, layer: int, module: str, memory: Box | None, path: str, asks: Box
) -> Box:
    """Return a multi-head attention without its norm: the boxes of its heads, joined, times W_O."""
    d_model, n_heads = p.config.d_model, p.config.n_heads
    asked = asks if memory is None else memory
    W, b = p.parameter(f"{module}.project_in.weight").T, p.parameter(f"{module}.project_in.bias")
    projections = []
    for k, x in enumerate((asks, asked, asked)):
        own = slice(k * d_model, (k + 1) * d_model)
        if memory is None:
            values = p.out(f"{module}.project_in")[:, own]
        else:  # two products in one matrix: no module of its own gives them
            weight, bias = (p.model.get_parameter(f"{module}.project_in.{name}")[own] for name in ("weight", "bias"))
            values = _numpy(F.linear(torch.from_numpy(x.values), weight.cpu(), bias.cpu()))
        projections.append((W[:, own], b[own], values))
    heads = [_head(p, f"{path}.head{h + 1}", place, layer, h, asks, asked, projections) for h in range(n_heads)]
    d_k = p.config.d_k

    def joined_entry(i: int, j: int) -> Work:
        h, k = divmod(j, d_k)
        return _plain(
            f"Column {j + 1} is column {k + 1} of head {h + 1}. Nothing is computed, since the heads are side by side.",
            (f"head {h + 1}", float(heads[h].values[i, k])),
        )

    joined = Box(
        f"{path}.joined",
        "Heads joined",
        "H = Concat(head₁, …, head_h)",
        "The heads side by side have d_model columns again.",
        values=p.into(f"{module}.project_out"),
        rows=asks.rows,
        columns=_features(d_model),
        inputs=tuple(f"{head.path}.output" for head in heads),
        entry=joined_entry,
        letter="H",
    )
    mixes, letters = "W_O mixes the outputs of the heads.", ("H", "W_O", "F(x̂)")
    out = _linear(f"{path}.projected", "Projected", mixes, letters, joined, *p.linear(f"{module}.project_out"))
    says = {
        "encoder": "Every word of the English sentence looks at all of them.",
        "decoder": "Every word written so far looks at itself and at those before it.",
        "cross": "Every word written so far looks at the English sentence; keys and values come from the encoder.",
    }[place]
    return _holding(path, title, says, [asks, *heads, joined, out])


def _feed_forward(p: _Pass, module: str, path: str, x: Box) -> Box:
    says, letters = f"From {p.config.d_model} columns to {p.config.d_ff}.", ("x̂", "W₁", "z")
    widened = _linear(f"{path}.widened", "Widened", says, letters, x, *p.linear(f"{module}.widen"))

    def cut(i: int, j: int) -> Work:
        z = float(widened.values[i, j])
        return _plain("A number below 0 becomes 0.", ("z", z), ("max(0, z)", max(0.0, z)))

    says = "Only numbers above 0 remain."
    values = p.out(f"{module}.activation")
    relu = _box_from(widened, f"{path}.relu", "ReLU", "r = max(0, z)", says, values=values, entry=cut, letter="r")
    says, letters = f"Back to {p.config.d_model} columns.", ("r", "W₂", "F(x̂)")
    narrowed = _linear(f"{path}.narrowed", "Narrowed", says, letters, relu, *p.linear(f"{module}.narrow"))
    says = "Each row separately; no word looks at another."
    return _holding(path, "Feed-forward", says, [x, widened, relu, narrowed])


def _sublayer(p: _Pass, path: str, module: str, x: Box, make: Callable[[str, Box], Box]) -> tuple[Box, Box]:
    """Return a sublayer with the norm before it, and the box after its residual connection."""
    norm = _norm(p, f"{path}.norm", f"{module}.norm", x)
    sublayer = make(path, norm)
    return sublayer, replace(_add(p, f"{path}_add", module, x, sublayer), letter="x")


def _encoder(p: _Pass, x: Box) -> Box:
    layers = []
    for i in range(p.config.n_encoder_layers):
        path, module = f"encoder.layer{i + 1}", f"encoder.layers.{i}"
        attend = partial(_attention, p, "Self-attention", "encoder", i, f"{module}.self_attention", None)
        feed = partial(_feed_forward, p, f"{module}.feed_forward")
        first, added = _sublayer(p, f"{path}.attention", f"{module}.add_norm_attention", x, attend)
        second, x = _sublayer(p, f"{path}.feed_forward", f"{module}.add_norm_feed_forward", added, feed)
        says = "Words look at words, then each row is changed separately."
        layers.append(_holding(path, f"Encoder layer {i + 1}", says, [first, added, second, x]))
    last = _norm(p, "encoder.final_norm", "encoder.final_norm", x, "memory", "Last layer norm")
    says = "All that the decoder learns of the English sentence; there it is called memory."
    return _holding("encoder", "Encoder", says, [*layers, last])


def _decoder(p: _Pass, x: Box, memory: Box) -> Box:
    layers = []
    for i in range(p.config.n_decoder_layers):
        path, module = f"decoder.layer{i + 1}", f"decoder.layers.{i}"
        attend = partial(_attention, p, "Masked self-attention", "decoder", i, f"{module}.self_attention", None)
        ask = partial(_attention, p, "Cross-attention", "cross", i, f"{module}.cross_attention", memory)
        feed = partial(_feed_forward, p, f"{module}.feed_forward")
        own, added = _sublayer(p, f"{path}.attention", f"{module}.add_norm_self", x, attend)
        cross, crossed = _sublayer(p, f"{path}.cross", f"{module}.add_norm_cross", added, ask)
        fed, x = _sublayer(p, f"{path}.feed_forward", f"{module}.add_norm_feed_forward", crossed, feed)
        inside = [own, added, cross, crossed, fed, x]
        says = "The words written so far look back, then at the English sentence; then each row is changed separately."
        layers.append(_holding(path, f"Decoder layer {i + 1}", says, inside))
    last = _norm(p, "decoder.final_norm", "decoder.final_norm", x, "y", "Last layer norm")
    says = "From the words written so far and the encoder's output to y, whose rows each predict the next word."
    return _holding("decoder", "Decoder", says, [*layers, last])


# --- its two ends ---


def _ids(path: str, title: str, says: str, words: Sequence[str], ids: Sequence[int], inputs: tuple[str, ...]) -> Box:
    def entry(i: int, j: int) -> Work:
        return _plain(f"“{words[i]}” is entry {ids[i]} of the vocabulary, counted from 0.", ("id", ids[i]))

    values = np.array(ids, dtype=np.float32)[:, np.newaxis]  # (N, 1)
    return Box(
        path,
        title,
        "word → id",
        says,
        values=values,
        rows=tuple(words),
        columns=("id",),
        inputs=inputs,
        entry=entry,
        amounts=False,
    )


def _letters(text: str) -> Box:
    numbers = np.array([[ord(letter) for letter in text]], dtype=np.float32)  # (1, letters)

    def entry(i: int, j: int) -> Work:
        says = f"The letter “{text[j]}”, number {j + 1} of {len(text)}."
        return _plain(says, ("its number in Unicode", ord(text[j])))

    says = "The text you typed. To a computer each letter is a number."
    columns = tuple("␣" if letter == " " else letter for letter in text)
    return Box(
        "letters",
        "Letters",
        "letter → number",
        says,
        values=numbers,
        rows=("text",),
        columns=columns,
        entry=entry,
        amounts=False,
    )


def _written(p: _Pass, logits: Box) -> list[Box]:
    """Return the boxes from the logits to the word, and the sentence so far."""
    vocabulary = p.translator.target_vocabulary
    words = logits.columns
    probabilities = _numpy(torch.from_numpy(logits.values).softmax(dim=-1))  # (M, V)

    def share(i: int, j: int) -> Work:
        says = f"After “{logits.rows[i]}”: the probability of “{words[j]}” among all {len(words)} words."
        return _softmax_entry(says, words, logits.values[i], j)

    says = "How probable each word is as the next one. Only the last row is used now."
    equation, order = "P = softmax(logits)", logits.order
    shares = _box_from(
        logits, "probabilities", "Probabilities", equation, says, values=probabilities, entry=share, order=order
    )
    chosen = vocabulary.ids([p.writes[-1]])[0]

    def largest(i: int, j: int) -> Work:
        row = probabilities[-1].astype(np.float64)
        first = np.argsort(-row, kind="stable")[:5]
        says = "The largest number of the last row, here with the five largest."
        names = tuple(words[k] for k in first)
        numbers = np.stack([first.astype(float), row[first]], axis=1)
        return Work(says, names, ("id", "P"), numbers, (("id of the largest", float(first[0])),))

    says = "The most probable word is written."
    word = Box(
        "word",
        "The next word",
        "argmax P",
        says,
        values=np.array([[chosen]], dtype=np.float32),
        rows=(p.target[-1],),
        columns=("id",),
        inputs=(shares.path,),
        text=p.writes[-1],
        entry=largest,
        amounts=False,
        again="so_far",
    )
    ids = vocabulary.ids(list(p.writes))
    text = vocabulary.join(vocabulary.tokens([number for number in ids if number != END]))
    says = "All words so far, joined. Until <end> is written, the next step reads them and writes one more."
    sentence = _ids("sentence", "The sentence so far", says, p.writes, ids, ("so_far", word.path))
    return [shares, word, replace(sentence, text=text, equation="ids → words")]


def _machine(p: _Pass) -> Box:
    typed = _letters(p.text)
    tokens = _ids(
        "tokens",
        "Tokens and ids",
        "Lower-case letters, with one token for each word and mark. Contractions are spelled out, marks that are not "
        "in the vocabulary are left out, and a missing mark at the end is added.",
        p.source,
        p.source_ids,
        (typed.path,),
    )
    source = _embedded(p, "input", "English vectors", "source", tokens)
    encoder = _encoder(p, source.inside[-1])
    so_far = _ids(
        "so_far",
        "Written so far",
        "The decoder reads what it has written, shifted right, after <start>.",
        p.target,
        p.target_ids,
        (),
    )
    target = _embedded(p, "target_input", "Persian vectors", "target", so_far)
    decoder = _decoder(p, target.inside[-1], encoder.inside[-1])
    words = tuple(p.translator.target_vocabulary)
    says, letters = "A number for each Persian word.", ("y", "W", "logits")
    called = lambda j, weight: f"the column of {weight} for “{words[j]}” (id {j})"  # noqa: E731
    logits = _linear("logits", "Logits", says, letters, decoder.inside[-1], *p.linear("output"), column=called)
    order = tuple(int(k) for k in np.argsort(-logits.values[-1], kind="stable"))
    logits = replace(logits, columns=words, order=order)
    rest = _written(p, logits)
    inside = [typed, tokens, source, encoder, so_far, target, decoder, logits, *rest]
    says = "From the letters to the next Persian word, in the order of the computation. Open a box."
    return _holding("", "The machine", says, inside)
