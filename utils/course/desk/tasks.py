"""Make the pencil tasks: small random numbers like those in the lecture notes, and the known mistakes of each task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from utils.by_hand.attention import softmax
from utils.by_hand.positional import encode_positions
from utils.course.desk.task import Field, Numbers, Task
from utils.data.example import W_K, W_Q, W_V
from utils.require import is_whole

_TRIES = 5000  # the most draws until a task is fair
_TOKENS = ("x₁", "x₂", "x₃")
_WORDS = ("1", "2", "3", "4")
_COUNTED = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th")
Ways = Mapping[
    str, Sequence[Sequence[Numbers | None]]
]  # mistake -> ways to make it, each with numbers for every field, or None


def make(lesson: str, seed: int) -> Task:
    """Return a lesson's task with numbers drawn from `seed`, in which no two mistakes give the same numbers.

    Raise ValueError, in one sentence, if the lesson has no such task or `seed` is not an integer ≥ 0.
    """
    if not isinstance(lesson, str) or lesson not in MAKERS:
        raise ValueError(f"pencil has tasks for the lessons {', '.join(MAKERS)}: there is none for {lesson!r}.")
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a whole number from 0 on, but is {seed!r}.")
    random = np.random.default_rng([int(lesson), int(seed)])
    drawn = (MAKERS[lesson](random) for _ in range(_TRIES))
    return next(task for task in drawn if task is not None and task.is_fair())


def attention_of(X: Numbers) -> Task:
    """Return the task of lesson 05 for three tokens X (3, 4): attention with the lesson's matrices and no scale."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T

    def from_scores(scores: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        return scores, softmax(scores), softmax(scores) @ V

    truth = scores, weights, _ = from_scores(S[0])
    down = softmax(S, axis=0)[0]
    ways: Ways = {
        "You divided by √3, but this task has no scale yet. Leave the scores as they are.": [
            from_scores(scores / np.sqrt(3))
        ],
        "You took row 1 of KQᵀ, which is key 1 with every query. Take query 1 with every key, row 1 of QKᵀ.": [
            from_scores(S[:, 0])
        ],
        "Your softmax runs down the columns, but x₁ shares among all three tokens. Let it run along the row.": [
            (None, down, down @ V)
        ],
        "You divided the scores by their sum. A softmax first raises e to each of them.": [
            (None, share, share @ V) for share in [scores / scores.sum()]
        ],
        "You rounded the weights before you multiplied and added, so the error grew. Round only at the end.": [
            (None, None, weights.round(k) @ V) for k in (1, 2)
        ],
        "You weighed the keys, but a token hands over its value. Use V instead.": [(None, None, weights @ K)],
        "You weighed the values by the scores, which don't sum to 1. Apply the softmax first.": [
            (None, None, scores @ V)
        ],
    }
    asked = [
        ("scores", "the three scores of x₁", 0, None),
        ("weights", "its weights, 3 decimals", 3, softmax),
        ("output", "its output, 3 decimals", 3, lambda typed: typed @ V),
    ]
    text = (
        "The matrices of lesson 05, with other tokens. x₁ asks: what are its scores, its weights and its output? "
        "There is no scale yet, so don't divide by √d_k."
    )
    given = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    return Task("05", text, given, _fields(asked, truth, ways), {"X": _TOKENS})


def _attention(random: np.random.Generator) -> Task | None:
    X = random.integers(0, 3, size=(3, 4)).astype(float)
    scores = X[0] @ W_Q @ (X @ W_K).T
    if np.ptp(scores) > 3 or scores.sum() == 0 or len(np.unique(X, axis=0)) < 3:
        return None
    return attention_of(X)


def _positions(random: np.random.Generator) -> Task:
    position, base = int(random.integers(1, 8)), int(random.choice([100, 1000, 10000]))
    d_model = int(random.integers(3, 5))
    x = random.integers(0, 5, size=d_model).astype(float)
    pairs = np.arange(0, d_model, 2)  # 2i

    def row(angles: Numbers, cosines: Numbers | None = None) -> tuple[Numbers, Numbers, Numbers]:
        made = np.empty(d_model)
        made[0::2] = np.sin(angles)
        made[1::2] = np.cos(angles if cosines is None else cosines)[: d_model // 2]
        return angles, made, x + made

    def at(position: float, base: float) -> tuple[Numbers, Numbers, Numbers]:
        return row(position / base ** (pairs / d_model))

    truth = angles, right, total = at(position, base)
    swapped = np.empty(d_model)
    swapped[0::2], swapped[1::2] = np.cos(angles), np.sin(angles)[: d_model // 2]
    blocks = np.concatenate([np.sin(angles), np.cos(angles)[: d_model // 2]])
    noted = row(angles, position / base ** ((pairs + 1) / d_model))
    degrees = encode_positions([position], d_model, base, degrees=True)[0]
    ways: Ways = {
        "Your calculator is set to degrees, but the angles are radians. Switch it to radians.": [
            (None, degrees, x + degrees)
        ],
        "You swapped sine and cosine. Column 0 has the sine.": [(None, swapped, x + swapped)],
        f"You used another base. Here it is {base}.": [at(position, b) for b in (100, 1000, 10000) if b != base],
        "You counted the position from 1. Positions count from 0, so the first word has position 0.": [
            at(position + 1, base)
        ],
        "You let i count columns, but it counts pairs: a sine and its cosine have the same angle.": [
            row(position / base ** (2 * pairs / d_model), position / base ** (2 * (pairs + 1) / d_model))
        ],
        "You used the exponent (2i + 1)/d_model for the cosines. It is 2i/d_model, as for the sines.": [
            (None, *noted[1:])
        ],
        "You wrote all sines first and then the cosines. In this encoding they take turns.": [
            (None, blocks, x + blocks)
        ],
        "You multiplied x by √d_model, as the paper does with its embeddings. Here, add x as it is.": [
            (None, None, np.sqrt(d_model) * x + right)
        ],
        "You multiplied x by the encoding. Add them instead.": [(None, None, x * right)],
    }
    ways = {s: [w for w in each if not np.allclose(w[-1], total)] for s, each in ways.items()}
    asked = [
        ("angles", f"the {len(pairs)} angles, in radians, 4 decimals", 4, None),
        ("encoding", f"the encoding, {d_model} numbers, 3 decimals", 3, lambda typed: row(typed)[1]),
        ("sum", "x + encoding, 3 decimals", 3, lambda typed: x + typed),
    ]
    text = (
        f"The {_COUNTED[position]} word of a sentence has the vector x. d_model is {d_model}, the base is {base}. "
        f"What are the angles of the {len(pairs)} pairs, the encoding, and the sum of x and the encoding?"
    )
    return Task("04", text, {"x": x[np.newaxis]}, _fields(asked, truth, ways))


def _masks(random: np.random.Generator) -> Task | None:
    S = random.integers(-1, 4, size=(4, 4)).astype(float)
    V = random.integers(0, 5, size=(4, 2)).astype(float)
    if np.ptp(S[1]) > 3:
        return None
    causal, real = np.tri(4)[1] > 0, np.arange(4) < 3

    def shares(allowed: Numbers) -> Numbers:
        return softmax(np.where(allowed, S[1], -1e9))

    def both(ahead: Numbers, padded: Numbers | None) -> Sequence[Numbers | None]:
        return ahead, ahead @ V, padded

    truth = both(shares(causal), shares(real))
    down = softmax(np.where(np.tri(4) > 0, S, -1e9), axis=0)[1]
    one = np.eye(4)
    ways: Ways = {
        "Your row doesn't sum to 1, because you masked after the softmax. Mask the scores before it.": [
            both(softmax(S[1]) * causal, softmax(S[1]) * real)
        ],
        "You set the masked scores to 0, but e⁰ is 1. Set them to −∞.": [
            both(softmax(S[1] * causal), softmax(S[1] * real))
        ],
        "You inverted the mask: it hides the words that may be looked at. Mask the others.": [
            both(shares(~causal), one[3])
        ],
        "You left out the mask. Set the scores of the hidden words to −∞ before the softmax.": [
            both(softmax(S[1]), softmax(S[1]))
        ],
        "You also masked the diagonal, but word 2 may look at itself.": [both(one[0], None)],
        "Your softmax runs down the columns. Let it run along the row.": [both(down, None)],
        "You also used the look-ahead mask. An encoder has only the padding mask.": [(None, None, truth[0])],
    }
    asked = [
        ("weights", "look-ahead mask: the 4 weights of word 2, 3 decimals", 3, None),
        ("output", "its output, 2 numbers, 3 decimals", 3, lambda typed: typed @ V),
        ("padded", "padding mask: the 4 weights of word 2, 3 decimals", 3, None),
    ]
    text = (
        "S has the scores of four words, divided by √d_k already. In a decoder, word 2 asks: what are its weights and "
        "its output? Then in an encoder, where word 4 is padding: what are the weights of word 2 there?"
    )
    return Task("08", text, {"S": S, "V": V}, _fields(asked, truth, ways), {"S": _WORDS, "V": _WORDS})


def _norm(random: np.random.Generator) -> Task | None:
    x, F = random.integers(0, 7, size=(2, 2, 3)).astype(float)
    gamma, beta = random.choice([[1, 2, 3], [2, 3, 1], [3, 1, 2], [2, 1, 4]]), random.integers(-2, 3, size=3)
    eps = 0.5
    if min((x + F).var(axis=1).min(), (x + F).var(axis=0).min(), x.var(axis=1).min()) == 0:
        return None

    def from_z(z: Numbers, mean: float | None = None, variance: float | None = None) -> Sequence[Numbers | None]:
        return None if mean is None else np.array([mean, variance]), z, gamma * z + beta

    def norm(row: Numbers, mean: float, variance: float) -> Numbers:
        return (row - mean) / np.sqrt(variance + eps)

    s, total = (x + F)[0], x + F
    mean, variance = s.mean(), s.var()
    z = norm(s, mean, variance)
    columns = (total - total.mean(axis=0)) / np.sqrt(total.var(axis=0) + eps)
    truth = from_z(z, mean, variance)
    ways: Ways = {
        "You divided the squares by m − 1 = 2. Layer norm takes their mean, so divide by m = 3.": [
            from_z(norm(s, mean, s.var(ddof=1)), mean, s.var(ddof=1))
        ],
        "You left out F(x). Add it to x first, then normalize.": [
            from_z(norm(x[0], x[0].mean(), x[0].var()), x[0].mean(), x[0].var())
        ],
        "You averaged down a column, as batch norm does. Layer norm averages along the row of each token.": [
            from_z(columns[0], total[:, 0].mean(), total[:, 0].var())
        ],
        "You normalized x and then added F(x). In LayerNorm(x + F(x)) you add first.": [
            from_z(norm(x[0], x[0].mean(), x[0].var()) + F[0])
        ],
        "You gave the standard deviation. The variance is its square, before the root.": [
            (np.array([mean, np.sqrt(variance)]), None, None)
        ],
        "You added ε outside the root, as in σ + ε. Here it is inside: √(σ² + ε).": [
            from_z((s - mean) / (np.sqrt(variance) + eps))
        ],
        "You left out ε. Add it to the variance, inside the root.": [from_z((s - mean) / np.sqrt(variance))],
        "You divided by the variance. Take its root first.": [from_z((s - mean) / (variance + eps))],
        "You didn't subtract the mean. Subtract it before you divide.": [from_z(s / np.sqrt(variance + eps))],
        "You swapped γ and β. Multiply by γ, then add β.": [(None, None, beta * z + gamma)],
        "You added β before you multiplied by γ. Multiply first.": [(None, None, gamma * (z + beta))],
    }
    asked = [
        ("mean_and_variance", "the mean and the variance, 3 decimals", 3, None),
        ("normalized", "(x + F(x) − μ)/√(σ² + ε), 3 decimals", 3, lambda typed: norm(s, *typed)),
        ("result", "with γ and β, 3 decimals", 3, lambda typed: gamma * typed + beta),
    ]
    text = (
        "LayerNorm(x + F(x)) for token 1, with ε = 0.5 inside the root (large enough to show), γ and β. "
        "What are the mean and the variance, the normalized row, and the result?"
    )
    given = {"x": x, "F": F, "γ": gamma[np.newaxis].astype(float), "β": beta[np.newaxis].astype(float)}
    return Task("09", text, given, _fields(asked, truth, ways), dict.fromkeys("xF", ("token 1", "token 2")))


def _fields(
    asked: Sequence[tuple[str, str, int, Callable[[Numbers], Numbers] | None]], truth: Sequence[Numbers], ways: Ways
) -> tuple[Field, ...]:
    """Return the fields, each with its correct numbers and the mistakes that can show there."""
    fields = []
    for at, (name, asks, decimals, follows) in enumerate(asked):
        slips = {s: [way[at] for way in each if way[at] is not None] for s, each in ways.items()}
        slips = {s: told for s, told in slips.items() if told}
        fields.append(Field(name, asks, truth[at], decimals, slips, follows))
    return tuple(fields)


MAKERS: dict[str, Callable[[np.random.Generator], Task | None]] = {
    "04": _positions,
    "05": _attention,
    "08": _masks,
    "09": _norm,
}
