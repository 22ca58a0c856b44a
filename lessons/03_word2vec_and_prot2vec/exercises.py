"""The exercises of lesson 03, word vectors and protein vectors, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.word2vec import noise_distribution, readings, sgns_gradients, sigmoid
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(3)


def _example(d: int, n: int, size: float = 1.0) -> tuple[Array, Array, Array]:
    """v (d,), positive (d,), negatives (n, d)."""
    return tuple(size * _random.normal(size=shape) for shape in (d, d, (n, d)))  # type: ignore[return-value]


# n = d somewhere, so that a product in the wrong order runs; elsewhere the two differ.
_EXAMPLES = [_example(2, 2), _example(3, 3), _example(4, 2), _example(2, 5), _example(3, 1)]
_FAR_APART = _example(3, 2, size=40.0)

# Lengths that leave 0, 1 and 2 letters over; k from 1 to 4; one text in which pieces repeat; one reading that is empty.
_SEQUENCES = [
    ("MQIFVKTLT", 3),
    ("GIVEQCCTSI", 3),
    ("FVNQHLCGSHL", 3),
    ("MVLSPADK", 2),
    ("AAAAAAA", 4),
    ("KVFE", 1),
    ("MVKT", 3),
]


def _cut(sequence: str, k: int, offsets: range, stop: int, stride: int) -> list[list[str]]:
    return [[sequence[i : i + k] for i in range(offset, stop, stride)] for offset in offsets]


_READINGS = Exercise(
    "03.readings",
    "the k ways to read a sequence",
    readings,
    _SEQUENCES,
    {
        "You put all readings into one list. Keep them apart, a list for each offset: words of different readings are "
        "no neighbours.": lambda sequence, k: [word for reading in readings(sequence, k) for word in reading],
        "Your pieces overlap. Within one reading the window moves by k letters at a time, so that no letter is read "
        "twice.": lambda sequence, k: _cut(sequence, k, range(k), len(sequence) - k + 1, 1),
        "These are all k-mers, moving by one letter. What is asked for are k readings, each "
        "moving by k letters.": lambda sequence, k: _cut(sequence, k, range(1), len(sequence) - k + 1, 1)[0],
    },
)


def _chances(counts: Array, positive: int) -> Array:
    chances = noise_distribution(counts)
    chances[positive] = 0.0
    return chances / chances.sum()


def _chances_with(power: float) -> Callable[[Array, int], Array]:
    def chances(counts: Array, positive: int) -> Array:
        shares = np.asarray(counts, dtype=float) ** power
        shares[positive] = 0.0
        return shares / shares.sum()

    return chances


_NEGATIVES = Exercise(
    "03.negatives",
    "how likely each word is drawn as a negative",
    _chances,
    [
        (np.array([256.0, 81.0, 16.0, 1.0]), 1),
        (np.array([7.0, 7.0, 2.0]), 0),
        (np.array([30.0, 12.0, 5.0, 4.0, 1.0, 1.0]), 5),
        (np.array([90.0, 10.0]), 0),
    ],
    {
        "The context word itself can be drawn: then one step pulls it closer and pushes it away. Give it the chance 0, "
        "and share its part among the others.": lambda counts, positive: noise_distribution(counts),
        "The power is upside down: 4/3 makes frequent words still more frequent. It is 3/4.": _chances_with(4 / 3),
        "Your power is ¼: it is ¾, 0.75.": _chances_with(0.25),
        "You took the square root, which is the power 0.5. The power is 0.75.": _chances_with(0.5),
        "You used the counts as they are. Raise them to the power 0.75 before you divide.": _chances_with(1),
    },
)


def _minus_log_sigmoid(scores: Any) -> Any:
    return np.logaddexp(0, -np.asarray(scores))


# Several contexts, none, and one among negatives. In the first two n = d, as above.
_LABELS = [[1, 0], [0, 1, 1], [0, 0], [1, 0, 0, 1, 0], [1]]
_LABELLED = [(v, negatives, np.array(labels)) for (v, _, negatives), labels in zip(_EXAMPLES, _LABELS, strict=True)]


def _loss_with(cost: Callable[[Array, Array], Any]) -> Callable[[Array, Array, Array], float]:
    """The loss with the cost put another way, from the dot products of the contexts and those of the negatives."""
    return lambda v, others, labels: float(cost(others[labels == 1] @ v, others[labels == 0] @ v))


_LOSS = Exercise(
    "03.loss",
    "the loss, by labels",
    _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() + _minus_log_sigmoid(-not_fit).sum()),
    _LABELLED,
    {
        "Contexts and negatives have changed places. Label 1 is a context, and its σ should be near 1.": _loss_with(
            lambda fit, not_fit: _minus_log_sigmoid(-fit).sum() + _minus_log_sigmoid(not_fit).sum()
        ),
        "The logarithm is missing: you added up the σ themselves.": _loss_with(
            lambda fit, not_fit: -sigmoid(fit).sum() - sigmoid(-not_fit).sum()
        ),
        "You added up by how much each σ misses. What each costs is −log of what should "
        "be 1: of σ, or of 1 − σ.": _loss_with(lambda fit, not_fit: (1 - sigmoid(fit)).sum() + sigmoid(not_fit).sum()),
        "For a negative it is −log(1 − σ(v'·v)): the 1 − stands inside the logarithm, around the σ.": [
            _loss_with(lambda fit, not_fit, cost=cost: _minus_log_sigmoid(fit).sum() + cost(not_fit).sum())
            for cost in (
                lambda x: -np.log(1 + _minus_log_sigmoid(x)),
                lambda x: 1 + _minus_log_sigmoid(x),
                lambda x: -1 - _minus_log_sigmoid(x),
            )
        ],
        "log σ(−x) is not −log σ(x): for the negatives the minus stays inside the σ.": _loss_with(
            lambda fit, not_fit: _minus_log_sigmoid(fit).sum() - _minus_log_sigmoid(not_fit).sum()
        ),
        "The negatives are missing: each of them adds −log σ(−x).": _loss_with(
            lambda fit, not_fit: _minus_log_sigmoid(fit).sum()
        ),
        "In yours the labels change nothing. A context costs −log σ(x), a negative −log σ(−x).": [
            lambda v, others, labels, sign=sign: float(_minus_log_sigmoid(sign * (others @ v)).sum())
            for sign in (1, -1)
        ],
        "You added up the dot products, and then took one σ. Each word has a σ and a logarithm of its own; it is those "
        "that are added.": _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit.sum() - not_fit.sum())),
        "You multiply by the labels, 1 and 0. A 0 wipes the dot product out: for a negative it is −x, so the sign is "
        "−1.": _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() + len(not_fit) * np.log(2)),
    },
)


def _from_errors(
    to_positive: Callable[[float], float], to_negatives: Callable[[Array], Array]
) -> Callable[[Array, Array, Array], tuple[Array, Array, Array]]:
    """The gradients with each word's (σ − t) put another way."""

    def gradients(v: Array, positive: Array, negatives: Array) -> tuple[Array, Array, Array]:
        e, E = to_positive(float(sigmoid(positive @ v))), to_negatives(sigmoid(negatives @ v))
        return e * positive + E @ negatives, e * v, np.outer(E, v)

    return gradients


def _with(
    to_v: Callable[..., Array] = lambda e, E, v, positive, negatives: e * positive + E @ negatives,
    to_positive: Callable[..., Array] = lambda e, E, v, positive, negatives: e * v,
    to_negatives: Callable[..., Array] = lambda e, E, v, positive, negatives: np.outer(E, v),
) -> Callable[[Array, Array, Array], tuple[Array, ...]]:
    """The gradients with one or more put another way, from the errors e and E, v, v'₊ and the v'₋."""

    def gradients(v: Array, positive: Array, negatives: Array) -> tuple[Array, ...]:
        parts = float(sigmoid(positive @ v)) - 1, sigmoid(negatives @ v), v, positive, negatives
        return to_v(*parts), to_positive(*parts), to_negatives(*parts)

    return gradients


_ITSELF: dict[str, Callable[..., Array]] = {  # each gradient as a multiple of its own vector
    "v": lambda e, E, v, positive, negatives: (e + E.sum()) * v,
    "positive": lambda e, E, v, positive, negatives: e * positive,
    "negatives": lambda e, E, v, positive, negatives: E[:, np.newaxis] * negatives,
}


def _after_a_step(v: Array, positive: Array, negatives: Array) -> tuple[Array, Array, Array]:
    vectors = v, positive, negatives
    return tuple(x - gradient for x, gradient in zip(vectors, sgns_gradients(*vectors), strict=True))


def _without_sigma(v: Array, positive: Array, negatives: Array) -> tuple[Array, Array, Array]:
    e, E = positive @ v - 1, negatives @ v
    return e * positive + E @ negatives, e * v, np.outer(E, v)


_GRADIENTS = Exercise(
    "03.gradients",
    "the three gradients",
    sgns_gradients,
    _EXAMPLES,
    {
        "The sign of the negatives is wrong: a step would pull them closer. For a negative t is 0, so its part is "
        "+σ(v'·v).": _from_errors(lambda s: s - 1, lambda S: -S),
        "You took t = 1 for the negatives too. For a negative t is 0: its part is σ(v'·v), "
        "without the − 1.": _from_errors(lambda s: s - 1, lambda S: S - 1),
        "You took t = 0 for the context word too. For it t is 1: its part is σ(v'·v) − 1.": _from_errors(
            lambda s: s, lambda S: S
        ),
        "The targets are exchanged: t is 1 for the context word, which gives σ − 1, and 0 for a negative, which gives "
        "σ.": _from_errors(lambda s: s, lambda S: S - 1),
        "All three have the wrong sign: this is the way downhill. The gradient points uphill; the minus comes with the "
        "step.": _from_errors(lambda s: 1 - s, lambda S: -S),
        "You divided the part of the negatives by their "
        "number. The loss adds them up, so each counts in full.": _from_errors(lambda s: s - 1, lambda S: S / len(S)),
        "The gradient of v' is a multiple of v, and that of v a mix of the v': in a "
        "product, each side's gradient holds the other side. Your gradient of a v' "
        "is a multiple of that v' itself.": _with(to_positive=_ITSELF["positive"], to_negatives=_ITSELF["negatives"]),
        "Your gradient of a negative is a multiple of that negative itself. In a product each side's gradient holds "
        "the other side: it is σ(v'₋·v) v. The other two are right.": _with(to_negatives=_ITSELF["negatives"]),
        "In the gradient of v you divide the part of the negatives by "
        "their number. The loss adds them up, so each counts in full. "
        "The other two are right.": _with(lambda e, E, v, positive, negatives: e * positive + E @ negatives / len(E)),
        "In the gradient of v the negatives are missing. Each of them adds σ(v'₋·v) v'₋. "
        "The other two are right.": _with(_ITSELF["positive"]),
        "In the gradient of v the context word is missing. It adds (σ(v'₊·v) − 1) v'₊. The other two are right.": _with(
            lambda e, E, v, positive, negatives: E @ negatives
        ),
        "In the gradient of v only the last negative is left. Does "
        "each round of a loop overwrite the one before? Add them up. "
        "The other two are right.": _with(lambda e, E, v, positive, negatives: e * positive + E[-1] * negatives[-1]),
        "In the gradient of v you add the negatives as they are. Each counts σ(v'₋·v) times. "
        "The other two are right.": _with(lambda e, E, v, positive, negatives: e * positive + negatives.sum(axis=0)),
        "Each of your gradients is a multiple of its own vector. In a product each side's gradient holds the other "
        "side: that of v is a mix of the v', and those of the v' are multiples of v.": _with(*_ITSELF.values()),
        "With the context, v and v'₊ have changed places: the gradient of v "
        "holds (σ − 1) v'₊, and that of v'₊ is (σ − 1) v. With the negatives "
        "it is right.": _with(lambda e, E, v, positive, negatives: e * v + E @ negatives, _ITSELF["positive"]),
        "Your gradient of v is a multiple of v itself. In a product each side's gradient holds the other side: it is "
        "(σ − 1) v'₊, and σ v'₋ for each negative, added up.": _with(_ITSELF["v"]),
        "Your factors are −σ(1 − σ) for the context and σ(1 − σ) for a negative: the "
        "slopes of −σ(x) and −σ(−x). The cost is −log σ: the logarithm brings a factor "
        "1/σ, which cancels a σ, and σ − t is left.": _from_errors(lambda s: -s * (1 - s), lambda S: S * (1 - S)),
        "Your factors are the slope of σ, σ(1 − σ), for every word. The "
        "cost is −log σ(x), with −x for a negative: the chain has a factor "
        "for the logarithm, too. With it, σ − t is left.": _from_errors(lambda s: s * (1 - s), lambda S: S * (1 - S)),
        "You stop at the logarithm: its slope is −1/σ. The chain goes on to σ itself, whose slope is σ(1 − σ). "
        "Multiplied, σ − t is left.": _from_errors(lambda s: -1 / s, lambda S: 1 / (1 - S)),
        "Your factors are the costs themselves, −log σ. A gradient holds the slope of the "
        "cost, and that is σ − t.": _from_errors(lambda s: -np.log(s), lambda S: -np.log(1 - S)),
        "These are the vectors after a step against the "
        "gradient. Asked for are the three gradients alone.": _after_a_step,
        "The σ is missing: the part of each word is σ(v'·v) − t.": _without_sigma,
    },
    extremes=[_FAR_APART],
)


# --- where pull and push balance ---


_BALANCE = Exercise(
    "03.balance",
    "where pull and push balance",
    lambda pulls, pushes: float(np.log(pulls / pushes)),
    [(30, 10), (5, 40), (7, 2), (1, 1), (300, 299)],
    {
        "This is the logarithm of σ(x). Put 1/(1 + e⁻ˣ) for σ(x), and solve for x.": lambda pulls, pushes: float(
            np.log(pulls / (pulls + pushes))
        ),
        "Pull and push are weighed by 1 − σ(x) and σ(x). They "
        "balance where pulls · (1 − σ(x)) = pushes · σ(x).": lambda pulls, pushes: pulls - pushes,
    },
)


# --- the gradient of W_out for a batch ---

_Contexts = Callable[[Array, Array, Array, Array], Array]


def _errors(W_in: Array, W_out: Array, middle: Array, others: Array) -> Array:
    """σ − t, (B, 1 + n)."""
    errors = np.asarray(sigmoid(np.einsum("bd,bnd->bn", W_in[middle], W_out[others])))
    errors[:, 0] -= 1
    return errors


def _collect(like: Array, ids: Array, parts: Array) -> Array:
    gradient = np.zeros_like(like)
    np.add.at(gradient, ids, parts)
    return gradient


def _contexts_with(change: Callable[[Array], Array]) -> _Contexts:
    """The gradient of W_out with the errors put another way."""

    def gradient(W_in: Array, W_out: Array, middle: Array, others: Array) -> Array:
        errors = change(_errors(W_in, W_out, middle, others))
        return _collect(W_out, others, np.einsum("bn,bd->bnd", errors, W_in[middle]))

    return gradient


def _only_the_last(W_in: Array, W_out: Array, middle: Array, others: Array) -> Array:
    gradient = np.zeros_like(W_out)
    gradient[others] += np.einsum("bn,bd->bnd", _errors(W_in, W_out, middle, others), W_in[middle])
    return gradient


def _only_the_last_of_a_pair(W_in: Array, W_out: Array, middle: Array, others: Array) -> Array:
    gradient = np.zeros_like(W_out)
    for words, errors, v in zip(others, _errors(W_in, W_out, middle, others), W_in[middle], strict=True):
        gradient[words] += np.outer(errors, v)
    return gradient


def _batch(words: int, d: int, B: int, n: int) -> tuple[Array, Array, Array, Array]:
    """W_in, W_out (words, d), middle (B,), others (B, 1 + n); the context is none of its negatives."""
    others = np.array([_random.permutation(words)[: 1 + n] for _ in range(B)])
    if n > 1:
        others[:, 2] = others[:, 1]  # a negative that was drawn twice
    W_in, W_out = _random.normal(size=(2, words, d))
    return W_in, W_out, _random.integers(0, words, size=B), others


_CONTEXTS = Exercise(
    "03.contexts",
    "the gradient of W_out for a batch",
    lambda W_in, W_out, middle, others: _contexts_with(lambda errors: errors)(W_in, W_out, middle, others),
    [_batch(4, 2, 3, 2), _batch(5, 3, 6, 3), _batch(3, 4, 4, 1), _batch(6, 6, 1, 2)],
    {
        "Where a word stands in `others` twice, only one of its parts is kept. Add them up: "
        "a loop, or np.add.at.": _only_the_last,
        "For pair b you took row b of W_in. The word in its middle is `middle[b]`, so the "
        "row is W_in[middle[b]].": lambda W_in, W_out, middle, others: _collect(
            W_out,
            others,
            np.einsum("bn,bd->bnd", _errors(W_in, W_out, middle, others), W_in[np.arange(len(middle)) % len(W_in)]),
        ),
        "Where a word stands twice in one row of `others`, only one of its parts is kept. Add them up: a loop over the "
        "words of the row, or np.add.at.": _only_the_last_of_a_pair,
        "You took t = 0 for the context word too. For it t is 1: its error is σ(v'·v) − 1.": _contexts_with(
            lambda errors: errors + (np.arange(errors.shape[1]) == 0)
        ),
        "You took t = 1 for all words of the first pair, `errors[0]`. The context is the first word of each pair: "
        "`errors[:, 0]`.": _contexts_with(
            lambda errors: errors + (np.arange(errors.shape[1]) == 0) - (np.arange(len(errors)) == 0)[:, None]
        ),
        "You took t = 1 for all. Only the first word of each row is the context; the error "
        "of the others is σ.": _contexts_with(lambda errors: errors - (np.arange(errors.shape[1]) > 0)),
        "The context's error is right. That of a negative is σ(x); σ(−x) stands in its loss.": _contexts_with(
            lambda errors: np.where(np.arange(errors.shape[1]) == 0, errors, 1 - errors)
        ),
        "Only the contexts move in your answer. The negatives are rows of "
        "W_out too, and each has an error.": _contexts_with(lambda errors: errors * (np.arange(errors.shape[1]) == 0)),
        "You multiplied each v' by its own error. The gradient of v' is the error times v, the row of W_in in the "
        "middle.": lambda W_in, W_out, middle, others: _collect(
            W_out, others, _errors(W_in, W_out, middle, others)[..., None] * W_out[others]
        ),
        "This is the gradient of W_in, as on the page. For "
        "W_out the parts belong to the words in `others`.": lambda W_in, W_out, middle, others: _collect(
            W_in, middle, np.einsum("bn,bnd->bd", _errors(W_in, W_out, middle, others), W_out[others])
        ),
        "These are the parts, (B, 1 + n, d). Add "
        "each to the row of its word: (|V|, d).": lambda W_in, W_out, middle, others: np.einsum(
            "bn,bd->bnd", _errors(W_in, W_out, middle, others), W_in[middle]
        ),
    },
)

_WHICH = choice(
    "03.which",
    "b",
    "the gradient of v is made of the rows v′ of its contexts and negatives, and the two words have the same contexts.",
    {
        "a": "Then v of each is pushed away from v′ of the other. That gives their two v no direction in common.",
        "c": "So do the rows of all words, also of those that end far apart.",
    },
)

EXERCISES = (_READINGS, _NEGATIVES, _LOSS, _GRADIENTS, _BALANCE, _CONTEXTS, _WHICH)
