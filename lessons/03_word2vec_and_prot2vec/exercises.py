"""The exercises of lesson 03, word vectors and protein vectors, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.word2vec import readings, sgns_gradients, sigmoid
from utils.course.exercises.exercise import Exercise

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
    [
        "You put all readings into one list. Words from different readings are not neighbours, so keep a list for "
        "each offset.",
        lambda sequence, k: [word for reading in readings(sequence, k) for word in reading],
        "You let the pieces overlap. Within one reading no letter is read twice, so move the window by k letters at a "
        "time.",
        lambda sequence, k: _cut(sequence, k, range(k), len(sequence) - k + 1, 1),
        "You return all k-mers, moving by one letter. Return k readings instead, each of which moves by k letters.",
        lambda sequence, k: _cut(sequence, k, range(1), len(sequence) - k + 1, 1)[0],
    ],
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
    [
        "You swapped contexts and negatives. Label 1 is a context, so its σ should be near 1 and its cost is −log σ.",
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(-fit).sum() + _minus_log_sigmoid(not_fit).sum()),
        "You added up the σ themselves. Each cost is −log of the number that should be 1, so take the logarithm "
        "before you add.",
        _loss_with(lambda fit, not_fit: -sigmoid(fit).sum() - sigmoid(-not_fit).sum()),
        "You added up how far off each σ is. Each cost is −log of the number that should be 1, so take −log of σ, or "
        "of 1 − σ.",
        _loss_with(lambda fit, not_fit: (1 - sigmoid(fit)).sum() + sigmoid(not_fit).sum()),
        "You put the 1 − outside the logarithm. A negative costs −log(1 − σ(v'·v)), so move the 1 − inside, before "
        "the σ.",
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() - np.log(1 + _minus_log_sigmoid(not_fit)).sum()),
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() + (1 + _minus_log_sigmoid(not_fit)).sum()),
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() - (1 + _minus_log_sigmoid(not_fit)).sum()),
        "You changed the sign of the logarithm, but log σ(−x) is not −log σ(x). For the negatives, put the minus "
        "inside the σ.",
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() - _minus_log_sigmoid(not_fit).sum()),
        "You left out the negatives. Each of them adds −log σ(−x) to the loss.",
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum()),
        "You treat both labels the same way. A context costs −log σ(x) and a negative −log σ(−x), so let the labels "
        "choose the sign.",
        lambda v, others, labels: float(_minus_log_sigmoid(others @ v).sum()),
        lambda v, others, labels: float(_minus_log_sigmoid(-others @ v).sum()),
        "You added up the dot products and then took one σ. Each word has a σ and a logarithm of its own, so add up "
        "the logarithms.",
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit.sum() - not_fit.sum())),
        "You multiply by the labels, 1 and 0, and a 0 wipes the dot product out. A negative needs −x, so its sign "
        "must be −1.",
        _loss_with(lambda fit, not_fit: _minus_log_sigmoid(fit).sum() + len(not_fit) * np.log(2)),
    ],
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
    [
        "You used the wrong sign for the negatives, so a step would pull them closer. For a negative t is 0, so its "
        "error is +σ(v'·v).",
        _from_errors(lambda s: s - 1, lambda S: -S),
        "You took t = 1 for the negatives as well. For a negative t is 0, so its error is σ(v'·v), without the − 1.",
        _from_errors(lambda s: s - 1, lambda S: S - 1),
        "You took t = 0 for the context as well. For the context t is 1, so its error is σ(v'·v) − 1.",
        _from_errors(lambda s: s, lambda S: S),
        "You swapped the labels. For the context t is 1, which gives σ − 1, and for a negative t is 0, which gives σ.",
        _from_errors(lambda s: s, lambda S: S - 1),
        "You return all three with the opposite sign, which points downhill. A gradient points uphill, so leave the "
        "minus for the step.",
        _from_errors(lambda s: 1 - s, lambda S: -S),
        "You divided the part of the negatives by their number. The loss adds them up, so each must count in full.",
        _from_errors(lambda s: s - 1, lambda S: S / len(S)),
        "You made the gradient of a negative a multiple of that negative itself, but this gradient holds the other "
        "side: σ(v'₋·v) times v. Your other two gradients are correct.",
        _with(to_negatives=_ITSELF["negatives"]),
        "You divided the part of the negatives by their number, in the gradient of v. The loss adds them up, so count "
        "each in full. Your other two gradients are correct.",
        _with(lambda e, E, v, positive, negatives: e * positive + E @ negatives / len(E)),
        "You left the negatives out of the gradient of v. Add σ(v'₋·v) v'₋ for each of them. Your other two gradients "
        "are correct.",
        _with(_ITSELF["positive"]),
        "You left the context out of the gradient of v. Add (σ(v'₊·v) − 1) v'₊. Your other two gradients are correct.",
        _with(lambda e, E, v, positive, negatives: E @ negatives),
        "You kept only the last negative in the gradient of v. If your loop overwrites the previous one, let it add "
        "instead. Your other two gradients are correct.",
        _with(lambda e, E, v, positive, negatives: e * positive + E[-1] * negatives[-1]),
        "You added the negatives as they are to the gradient of v. Multiply each by its error, σ(v'₋·v), first. Your "
        "other two gradients are correct.",
        _with(lambda e, E, v, positive, negatives: e * positive + negatives.sum(axis=0)),
        "You made each gradient a multiple of its own vector. In a dot product each side's gradient holds the other "
        "side, so v's gradient is a mix of the v', and theirs are multiples of v.",
        _with(*_ITSELF.values()),
        "You made the gradient of v a multiple of v itself, but this gradient holds the other side. Add up (σ − 1) "
        "v'₊ and, for each negative, σ v'₋.",
        _with(_ITSELF["v"]),
        "You used the slope of σ, σ(1 − σ), for every word. The cost is −log σ, so the chain also has a factor for "
        "the logarithm, and only σ − t is left.",
        _from_errors(lambda s: s * (1 - s), lambda S: S * (1 - S)),
        "You return the vectors after a step against the gradient. Return only the three gradients.",
        _after_a_step,
        "You left out the σ. Each error is σ(v'·v) − t, so apply σ to the dot product first.",
        _without_sigma,
    ],
    extremes=[_FAR_APART],
)


_BALANCE = Exercise(
    "03.balance",
    "where pull and push balance",
    lambda pulls, pushes: float(np.log(pulls / pushes)),
    [(30, 10), (5, 40), (7, 2), (1, 1), (300, 299)],
    [
        "You stopped at the logarithm of σ(x). Write 1/(1 + e⁻ˣ) for σ(x), and solve for x.",
        lambda pulls, pushes: float(np.log(pulls / (pulls + pushes))),
        "You balanced the wrong sides. A pull has the weight 1 − σ(x) and a push has σ(x), so set pulls · (1 − σ(x)) "
        "equal to pushes · σ(x) and solve for x.",
        lambda pulls, pushes: pulls - pushes,
    ],
)


EXERCISES = (_READINGS, _LOSS, _GRADIENTS, _BALANCE)
