"""Word vectors: k-mers and counts, skip-gram with negative sampling, and what can be read off the vectors.

Letters as in Mikolov et al. 2013, "Distributed Representations of Words and Phrases and their Compositionality":
v is the vector of a word in the middle (a row of W_in), v' that of a word beside it (a row of W_out).
The k-mers and the k ways to read them: lecture note N1; Asgari and Mofrad 2015, "ProtVec".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from utils.by_hand.arrays import (
    Array,
    Ids,
    finite,
    quietly,
    require_along,
    require_matrix,
    require_numbers,
    require_room,
    require_shape,
    require_whole,
    require_wholes,
)


def kmers(sequence: str, k: int) -> list[str]:
    """Return each piece of k letters in `sequence`, one for each place where it can begin: len(sequence) − k + 1.

    Raises ValueError when k is not from 1 to len(sequence), TypeError when it is not whole.
    >>> kmers("MKVL", 3)
    ['MKV', 'KVL']
    """
    require_whole("k", k, most=len(sequence))
    return [sequence[i : i + k] for i in range(len(sequence) - k + 1)]


def readings(sequence: str, k: int) -> list[list[str]]:
    """Cut `sequence` in k ways into pieces of k letters that do not overlap: one for each offset 0 … k − 1.

    Letters that do not fill a piece at either end are left over. An offset from which not one piece fits
    gives an empty reading. Raises as `kmers` does. Source: N1, "k-way sliding window"; ProtVec, figure 1.
    >>> readings("MKVLAW", 3)
    [['MKV', 'LAW'], ['KVL'], ['VLA']]
    """
    require_whole("k", k, most=len(sequence))
    return [[sequence[i : i + k] for i in range(offset, len(sequence) - k + 1, k)] for offset in range(k)]


def count_words(sentences: Iterable[Sequence[str]]) -> dict[str, int]:
    """Count each word in the sentences, each a list of words. Raises TypeError for a text in its place.

    >>> count_words([["a", "b"], ["a"]])
    {'a': 2, 'b': 1}
    """
    counts: Counter[str] = Counter()
    for sentence in sentences:
        if isinstance(sentence, str):
            raise TypeError(f"a sentence must be a list of words: this one is a text, {sentence[:20]!r}.")
        counts.update(sentence)
    return dict(counts)


def vocabulary(counts: dict[str, int]) -> list[str]:
    """Return the words, the most frequent first; words with the same count in the order of the alphabet.

    >>> vocabulary({"b": 1, "a": 1, "c": 2})
    ['c', 'a', 'b']
    """
    return [word for word, _ in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))]


def noise_distribution(counts: ArrayLike) -> Array:
    """Compute how likely each word is to be drawn as a negative, (|V|,): its count to the power 0.75, over their sum.

    counts (|V|,), all above 0. Raises ValueError otherwise.
    Source: Mikolov et al. 2013, section 2.2.
    >>> noise_distribution([16, 1]).round(3)
    array([0.889, 0.111])
    """
    counts = require_shape("counts", require_along("counts", counts, 0), (None,))
    if (counts <= 0).any():
        place = int(np.argmax(counts <= 0))
        raise ValueError(f"counts[{place}] is {counts[place]:g}: a word that does not occur is in no vocabulary.")
    # A share too small for a number counts as the smallest there is.
    shares = np.maximum(counts / counts.max(), np.finfo(np.float64).tiny) ** 0.75
    return shares / shares.sum()


def training_pairs(sentences: Iterable[Sequence[str]], words: Sequence[str], window: int) -> Ids:
    """Return every word with each neighbour at most `window` places away, as ids: shape (pairs, 2), middle and context.

    Pairs never cross the end of a sentence. Raises ValueError when the window is below 1, when a word is not among
    `words`, and when there is not one pair; TypeError when the window is not whole.
    >>> training_pairs([["a", "b", "c"]], ["a", "b", "c"], window=1).tolist()
    [[0, 1], [1, 0], [1, 2], [2, 1]]
    """
    require_whole("window", window)
    ids = {word: i for i, word in enumerate(words)}
    pairs = []
    for sentence in sentences:
        for word in sentence:
            if word not in ids:
                raise ValueError(f"the word {word!r} is not in the vocabulary.")
        for i, middle in enumerate(sentence):
            around = [*sentence[max(0, i - window) : i], *sentence[i + 1 : i + 1 + window]]
            pairs += [(ids[middle], ids[context]) for context in around]
    if not pairs:
        raise ValueError("there is not one pair: a sentence needs at least two words.")
    return np.array(pairs, dtype=np.int64)


@quietly
def sgns_loss(v: ArrayLike, positive: ArrayLike, negatives: ArrayLike) -> float:
    """Compute −log σ(v'₊·v) − Σ log σ(−v'₋·v): the loss of one pair in skip-gram with negative sampling.

    v (d,): the word in the middle. positive (d,): its context word. negatives (n, d): a row for each
    negative; n may be 0. Raises ValueError in one sentence for widths that differ, NaN, infinity and
    dot products beyond float64. Source: Mikolov et al. 2013, equation 4, with the sign of a loss.
    >>> round(sgns_loss([0, 0], [1, 1], [[1, 1]]), 3)
    1.386
    """
    v, positive, negatives = _require_example(v, positive, negatives)
    scores = _scores(v, positive, negatives)
    scores[0] *= -1
    return float(finite("the loss", np.logaddexp(0, scores).sum()))  # −log σ(x) = log(1 + e^−x), without overflow


@quietly
def sgns_gradients(v: ArrayLike, positive: ArrayLike, negatives: ArrayLike) -> tuple[Array, Array, Array]:
    """Compute the gradients of `sgns_loss`: of v (d,), the positive (d,), the negatives (n, d); raises as it does.

    Every word contributes (σ(v'·v) − t): t is 1 for the positive and 0 for a negative.
    >>> sgns_gradients([1], [0], [[0]])[1:]
    (array([-0.5]), array([[0.5]]))
    """
    v, positive, negatives = _require_example(v, positive, negatives)
    errors = sigmoid(_scores(v, positive, negatives))
    errors[0] -= 1
    to_v = finite("the gradient of v", errors[0] * positive + errors[1:] @ negatives)
    return to_v, errors[0] * v, np.outer(errors[1:], v)


def sigmoid(x: ArrayLike) -> Array:
    """Compute σ(x) = 1 / (1 + e^−x), between 0 and 1, same shape as x; never overflows.

    >>> sigmoid([-1000, 0, 1000]).tolist()
    [0.0, 0.5, 1.0]
    """
    x = require_numbers("x", x)
    e = np.exp(-np.abs(x))  # at most 1, whatever x is
    return np.where(x >= 0, 1.0, e) / (1.0 + e)


@dataclass(frozen=True)
class WordVectors:
    """The word vectors and the losses of a training."""

    W_in: Array  # (|V|, d)  a row for each word in the middle: the word vectors
    W_out: Array  # (|V|, d)  a row for each word as a context
    losses: Array  # (epochs,)  mean loss of a pair during each epoch


def train(
    pairs: ArrayLike,
    counts: ArrayLike,
    d: int = 16,
    negatives: int = 5,
    epochs: int = 20,
    rate: float = 0.05,
    batch: int = 64,
    seed: int = 0,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> WordVectors:
    """Train skip-gram with negative sampling by gradient descent, `batch` pairs at a time.

    pairs (P, 2): ids of middle and context, from `training_pairs`. counts (|V|,): how often each word occurs.
    d: width of a vector. negatives: drawn anew for each pair and epoch, never the pair's own context.
    rate: the step, falling in a straight line to a tenth. progress: wraps the range of epochs, such as tqdm. The same
    seed gives the same vectors. Raises ValueError for ids outside the vocabulary and for numbers that are too small;
    TypeError for counts that are not whole.
    >>> train([[0, 1], [1, 0]], counts=[1, 1], d=3, epochs=2).W_in.shape
    (2, 3)
    """
    chances = noise_distribution(counts)
    pairs = require_wholes("pairs", pairs, (None, 2), most=len(chances) - 1)
    for name, value, least in (("d", d, 1), ("negatives", negatives, 0), ("epochs", epochs, 1), ("batch", batch, 1)):
        require_whole(name, value, least)
    require_whole("seed", seed, least=0)
    require_room("W_in", len(chances), d)
    require_room("the negatives", min(batch, len(pairs)), negatives, d)
    if not len(pairs):
        raise ValueError("there is not one pair to train on.")
    if negatives and len(chances) < 2:
        raise ValueError("negatives need a second word: the vocabulary has one, and it is the context itself.")
    random = np.random.default_rng(seed)
    W_in = (random.random((len(chances), d)) - 0.5) / d  # as word2vec starts: small
    W_out = (random.random((len(chances), d)) - 0.5) / d
    losses = []
    for epoch in progress(range(epochs)):
        step = rate * (1 - 0.9 * epoch / epochs)
        order = random.permutation(len(pairs))
        total = 0.0
        for start in range(0, len(pairs), batch):
            middle, context = pairs[order[start : start + batch]].T
            drawn = draw_negatives(chances, context, negatives, random)
            total += _descend(W_in, W_out, middle, np.column_stack([context, drawn]), step)
        losses.append(total / len(pairs))
    return WordVectors(W_in, W_out, np.array(losses))


def draw_negatives(chances: Array, context: Ids, n: int, random: np.random.Generator) -> Ids:
    """Draw n ids for each context id, (pairs, n), with `chances` (|V|,), the context itself left out.

    >>> draw_negatives(np.array([0.5, 0.5]), np.array([0, 1]), 3, np.random.default_rng(0)).tolist()
    [[1, 1, 1], [0, 0, 0]]
    """
    ends = np.cumsum(chances)
    starts = np.concatenate([[0.0], ends[:-1]])
    own = np.asarray(context)[:, np.newaxis]
    # A point on a line from which the context's stretch has been cut; what lies behind it moves up.
    points = random.random((len(own), n)) * (ends[-1] - chances[own])
    points += np.where(points >= starts[own], chances[own], 0.0)
    drawn = np.searchsorted(ends, points, side="right")
    last = len(chances) - 1
    return np.where(drawn > last, last - (own == last), drawn)  # the last point may round to the very end


def cosines(W: ArrayLike) -> Array:
    """Return the cosine of each angle between two rows of W (n, d): (n, n), from −1 to 1. A row of zeros gives 0.

    >>> cosines([[1, 0], [0, 2]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    unit = unit_rows(W)
    return np.clip(unit @ unit.T, -1.0, 1.0)


def unit_rows(W: ArrayLike) -> Array:
    """Return the rows of W (n, d), each scaled to length 1, so only its direction is left. A row of zeros stays zero.

    >>> unit_rows([[3, 4], [0, 0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    W = require_matrix("W", W)
    largest = np.abs(W).max(axis=1, keepdims=True)
    scaled = np.divide(W, largest, out=np.zeros_like(W), where=largest > 0)  # squares can neither overflow nor vanish
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.divide(scaled, lengths, out=np.zeros_like(W), where=lengths > 0)


def mean_cosine(W: ArrayLike) -> float:
    """Return the mean cosine of all pairs of different rows of W (n, d). Raises ValueError for fewer than two rows.

    >>> round(mean_cosine([[1, 0], [2, 0], [0, 1]]), 3)
    0.333
    """
    C = cosines(W)
    n = len(C)
    if n < 2:
        raise ValueError(f"a pair needs two rows: W has shape {np.shape(W)}.")
    return float((C.sum() - np.trace(C)) / (n * (n - 1)))


def nearest(
    vector: ArrayLike, W: ArrayLike, words: Sequence[str], n: int = 5, without: Sequence[str] = ()
) -> list[str]:
    """Return the n words whose rows of W (|V|, d) point most nearly where `vector` (d,) points, the nearest first.

    Words in `without` are left out. Raises ValueError when the shapes or the number of words do not fit, and
    for an n below 0.
    >>> nearest([1, 0.1], [[1, 0], [0, 1]], ["east", "north"], n=1)
    ['east']
    """
    W = require_matrix("W", W)
    vector = require_shape("vector", vector, W.shape[1:], f"a row of W has {W.shape[1]} numbers")
    if len(words) != len(W):
        raise ValueError(f"each row of W needs one word: W has shape {W.shape}, and there are {len(words)} words.")
    require_whole("n", n, least=0)
    fits = cosines(np.vstack([vector, W]))[0, 1:]
    order = np.argsort(-fits, kind="stable")
    ranked = [list(words)[i] for i in order]
    return [word for word in ranked if word not in without][:n]


@quietly
def plane_map(W: ArrayLike) -> Array:
    """Return the rows of W (n, d) on the plane in which they spread most, shape (n, 2): principal components by SVD.

    Each axis points to where its largest entry is positive, so that every machine draws the same map.
    >>> plane_map([[1, 2], [1, 2], [1, 5]])[:, 0].round(6).tolist()
    [-1.0, -1.0, 2.0]
    """
    W = require_matrix("W", W)
    size = float(np.abs(W).max()) or 1.0
    scaled = W / size
    U, s, _ = np.linalg.svd(scaled - scaled.mean(axis=0), full_matrices=False)
    spread = np.zeros((len(W), 2))
    axes = min(2, len(s))
    spread[:, :axes] = U[:, :axes] * s[:axes]
    tops = spread[np.abs(spread).argmax(axis=0), [0, 1]]
    return finite("the map", spread * np.where(tops < 0, -1.0, 1.0) * size)


def _descend(W_in: Array, W_out: Array, middle: Ids, others: Ids, step: float) -> float:
    """Take one step downhill for a batch, in place. others (B, 1 + n): the context first. Returns the summed loss."""
    v, v_out = W_in[middle], W_out[others]  # (B, d), (B, 1 + n, d)
    scores = np.einsum("bd,bnd->bn", v, v_out)  # (B, 1 + n)
    errors = sigmoid(scores)
    errors[:, 0] -= 1
    scores[:, 0] *= -1
    np.add.at(W_in, middle, -step * np.einsum("bn,bnd->bd", errors, v_out))
    np.add.at(W_out, others, -step * errors[:, :, np.newaxis] * v[:, np.newaxis, :])
    return float(np.logaddexp(0, scores).sum())


def _scores(v: Array, positive: Array, negatives: Array) -> Array:
    return finite("v'·v", np.vstack([positive, negatives]) @ v)


def _require_example(v: ArrayLike, positive: ArrayLike, negatives: ArrayLike) -> tuple[Array, Array, Array]:
    v = require_shape("v", require_along("v", v, 0), (None,))
    positive = require_shape("positive", positive, v.shape, f"v has {len(v)} numbers")
    negatives = require_numbers("negatives", negatives)
    if not negatives.size:
        negatives = np.zeros((0, len(v)))
    return v, positive, require_shape("negatives", negatives, (None, len(v)), f"v has {len(v)} numbers")
