"""The exercises of lesson 12, training a translator, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array, Ids
from utils.by_hand.decoder import log_softmax
from utils.course.exercises.exercise import Exercise, WrongAnswer

_random = np.random.default_rng(12)
PAD, START, END = 0, 1, 2


# --- padding ---

# Not always is the first sentence the longest, nor the smallest number in front.
_ROWS = [([[9, 8], [5, 7, 4], [6]],), ([[4, 4, 5, 6, 7], [8, 9]],), ([[3, 5]],), ([[4], [5, 6, 7], [8, 9]],)]


def _padded_to(width: Callable[[list[list[int]]], int], fill: int = PAD) -> Callable[[list[list[int]]], Ids]:
    def pad(rows: list[list[int]]) -> Ids:
        return np.array([(row + [fill] * (width(rows) - len(row)))[: width(rows)] for row in rows])

    return pad


def _longest(rows: list[list[int]]) -> int:
    return max(map(len, rows))


_PAD = Exercise(
    "12.pad",
    "a batch of sentences of different lengths",
    _padded_to(_longest),
    _ROWS,
    (
        WrongAnswer(
            _padded_to(lambda rows: min(map(len, rows))),
            "Your batch is as wide as its shortest sentence, so words are lost. Fill the others up to the longest.",
        ),
        WrongAnswer(
            _padded_to(lambda rows: len(rows[0])),
            "Your batch is as wide as its first sentence. Look for the longest of them all.",
        ),
        WrongAnswer(
            _padded_to(lambda rows: len(rows[-1])),
            "Your batch is as wide as its last sentence. Look for the longest of them all.",
        ),
        WrongAnswer(
            lambda rows: np.array([[PAD] * (_longest(rows) - len(row)) + row for row in rows]),
            "The padding stands in front. Then the first word of a short sentence is not at position 0. Put it behind.",
        ),
        WrongAnswer(
            _padded_to(_longest, START),
            "Your padding has the id 1, which is START. PAD is 0: only that one is masked and left out of the loss.",
        ),
        WrongAnswer(
            _padded_to(_longest, END),
            "Your padding has the id 2, which is END. PAD is 0: only that one is masked and left out of the loss.",
        ),
        WrongAnswer(
            lambda rows: _padded_to(_longest)(sorted(rows, key=len)),
            "You have put the sentences in the order of their lengths. Row i of the batch is sentence i, or it loses "
            "its translation.",
        ),
        WrongAnswer(
            lambda rows: np.array([row + row[-1:] * (_longest(rows) - len(row)) for row in rows]),
            "You fill up with the last word. The model would read it several times: fill up with PAD, 0.",
        ),
    ),
)


# --- the loss ---


def _surprise(log_p: Array, targets: Ids) -> Array:
    """−ln p of the right word at every place, (B, M)."""
    return -np.take_along_axis(log_p, targets[:, :, np.newaxis], axis=-1)[:, :, 0]


def _mean_loss(log_p: Array, targets: Ids) -> float:
    return float(_surprise(log_p, targets)[targets != PAD].mean())


def _mean_of_means(log_p: Array, targets: Ids) -> float:
    surprise, real = _surprise(log_p, targets), targets != PAD
    return float(((surprise * real).sum(axis=1) / real.sum(axis=1)).mean())


def _unshifted(log_p: Array, targets: Ids) -> float:
    """Each place compared with the word before it: the first place with the padding, which is left out."""
    before = np.concatenate([np.zeros_like(targets[:, :1]), targets[:, :-1]], axis=1)
    return float(_surprise(log_p, before)[before != PAD].mean())


def _loss_case(targets: list[list[int]], vocabulary: int) -> tuple[Array, Ids]:
    ids = np.array(targets)
    return log_softmax(2 * _random.normal(size=(*ids.shape, vocabulary))), ids


_LOSS = Exercise(
    "12.loss",
    "the loss of a padded batch",
    _mean_loss,
    [
        _loss_case([[5, 4, 2, 0, 0], [3, 6, 4, 5, 2]], 7),
        _loss_case([[4, 2, 0], [5, 3, 2], [2, 0, 0], [3, 4, 2]], 6),
        _loss_case([[7, 1, 5, 2, 0]], 9),
    ],
    (
        WrongAnswer(
            lambda log_p, targets: float((_surprise(log_p, targets) * (targets != PAD)).mean()),
            "The padding is left out of the sum, but you still divide by all places. Divide by the number of targets "
            "that are not padding: else the loss of a batch depends on how much padding it has.",
        ),
        WrongAnswer(
            _mean_of_means,
            "You take a mean for each sentence, and then their mean. So a word in a short sentence counts for more. "
            "Take one mean over all words of the batch.",
        ),
        WrongAnswer(
            lambda log_p, targets: float(-log_p.mean(axis=-1)[targets != PAD].mean()),
            "You take the mean over the vocabulary, and never ask which word was the right one. Pick the "
            "log-probability of the target: `log_p[b, m, targets[b, m]]`.",
        ),
        WrongAnswer(
            lambda log_p, targets: float(-log_p.max(axis=-1)[targets != PAD].mean()),
            "You take the largest log-probability of each place. That says how sure the model is, not how right: pick "
            "the log-probability of the target.",
        ),
        WrongAnswer(
            lambda log_p, targets: float(_surprise(log_p, targets)[targets > END].mean()),
            "You leave out END, too. It has to be learnt like a word: leave out PAD only, the id 0.",
        ),
        WrongAnswer(
            _unshifted,
            "You compare each place with the word before it, which the decoder has just read. The targets that you "
            "get are shifted already: place m of log_p belongs to place m of targets.",
        ),
        WrongAnswer(
            lambda log_p, targets: _mean_of_means(log_p, targets) * len(targets),
            "You take a mean for each sentence, and add them up. Take one mean over all words of the batch.",
        ),
        WrongAnswer(
            lambda log_p, targets: float(np.log(_surprise(log_p, targets)[targets != PAD]).mean()),
            "You take a logarithm once more. `log_p` holds logarithms already.",
        ),
        WrongAnswer(
            lambda log_p, targets: float(1 - np.exp(-_surprise(log_p, targets))[targets != PAD].mean()),
            "That is 1 − p, in the mean. The loss is −ln p: it grows without a bound when p goes to 0.",
        ),
        WrongAnswer(
            lambda log_p, targets: float(_surprise(log_p, targets).mean()),
            "You ask for the padding, too. Nobody needs a model that says PAD after a sentence, and in a "
            "short sentence beside a long one it would earn most marks with that. Keep the places where the target is "
            "not 0.",
        ),
    ),
)


# --- label smoothing ---


def _smoothed(word: int, vocabulary: int, epsilon: float) -> Array:
    q = np.full(vocabulary, epsilon / vocabulary)
    q[word] += 1 - epsilon
    return q


def _others_share(word: int, vocabulary: int, epsilon: float) -> Array:
    q = np.full(vocabulary, epsilon / (vocabulary - 1))
    q[word] = 1 - epsilon
    return q


def _with(start: Callable[[int, float], float], right: Callable[[int, float], float]) -> Callable[..., Array]:
    def smoothed(word: int, vocabulary: int, epsilon: float) -> Array:
        q = np.full(vocabulary, start(vocabulary, epsilon))
        q[word] = right(vocabulary, epsilon)
        return q

    return smoothed


_SMOOTHING = Exercise(
    "12.smoothing",
    "label smoothing",
    _smoothed,
    [(2, 5, 0.1), (0, 3, 0.3), (7, 8, 0.2)],
    (
        WrongAnswer(
            _with(lambda v, e: 0.0, lambda v, e: 1.0),
            "That is one-hot: all of it on the right word. Take ε away from it, and hand ε out evenly.",
        ),
        WrongAnswer(
            _with(lambda v, e: (1 - e) / v, lambda v, e: e + (1 - e) / v),
            "The right word gets ε, and 1 − ε is shared out. It is the other way round: ε is the small part that is "
            "shared.",
        ),
        WrongAnswer(
            _others_share,
            "Close: you share ε among the other words. The lesson's smoothing shares it among all words of the "
            "vocabulary, the right one included, so it keeps a little more than 1 − ε.",
        ),
        WrongAnswer(
            _with(lambda v, e: e / v, lambda v, e: 1.0),
            "The right word has given nothing away: it has 1 − ε, and then its share, ε / V.",
        ),
        WrongAnswer(
            _with(lambda v, e: e / v, lambda v, e: e / v),
            "You have handed out ε, and that is all. The right word gets 1 − ε on top of its share.",
        ),
        WrongAnswer(
            lambda word, vocabulary, epsilon: _smoothed(4, vocabulary, epsilon),
            "Your right word is always word 4, as in the lesson's example. Use `word`.",
        ),
        WrongAnswer(
            lambda word, vocabulary, epsilon: _smoothed(0, vocabulary, epsilon),
            "Your right word is always word 0. Use `word`.",
        ),
        WrongAnswer(
            _with(lambda v, e: e, lambda v, e: 1 - e),
            "Each of the other words has got ε whole. It is to be shared: ε / V for each.",
        ),
    ),
)


# --- clipping ---


def _length(g: Array) -> float:
    return float(np.sqrt((g**2).sum()))


def _divided_by(size: Callable[[Array], float]) -> Callable[[Array, float], Array]:
    """Clipped by something else than the length."""
    return lambda g, longest: g * min(1.0, longest / size(g))


_CLIP = Exercise(
    "12.clip",
    "a gradient that is not too long",
    lambda g, longest: g * min(1.0, longest / _length(g)),
    [
        # what is cut is so long that PyTorch's 1e-6 beside the length is right
        (np.array([300.0, -400.0]), 100.0),
        (np.array([0.3, -0.4, 0.2]), 1.0),  # short enough: it stays
        (np.array([90.0, -90.0, 90.0, 10.0]), 120.0),  # no entry is too large, and yet it is too long
        (np.array([50.0, -250.0, 150.0]), 200.0),
        (np.array([120.0, 160.0, -20.0]), 120.0),  # what the entries sum to is longer than the gradient
        (np.array([1.2, -0.9, 0.4]), 2.0),  # longer than 1, and short enough
    ],
    (
        WrongAnswer(
            lambda g, longest: np.clip(g, -longest, longest),
            "You cut every entry by itself. That can turn the gradient into another direction. Multiply all entries by "
            "the same number, so that only its length changes.",
        ),
        WrongAnswer(
            lambda g, longest: g * longest / _length(g),
            "Right for long gradients, but you stretch the short ones as well. One that is short enough stays as it "
            "is.",
        ),
        WrongAnswer(
            lambda g, longest: g * max(1.0, longest / _length(g)),
            "You keep the long ones as they are and stretch the short ones: your factor is at least 1. It should be at "
            "most 1.",
        ),
        WrongAnswer(
            lambda g, longest: g / max(1.0, _length(g)),
            "Yours are at most 1 long. That is the lesson's limit: use `longest`.",
        ),
        WrongAnswer(
            lambda g, longest: g / _length(g) if _length(g) > longest else g.copy(),
            "A gradient that is too long becomes 1 long. It should become `longest` long.",
        ),
        WrongAnswer(
            _divided_by(lambda g: float((g**2).sum())),
            "You divide by the sum of the squares. The length is the square root of it.",
        ),
        WrongAnswer(
            _divided_by(lambda g: float(np.abs(g).sum())),
            "You add up the entries without their signs. The length is the root of the sum of the squares.",
        ),
        WrongAnswer(
            _divided_by(lambda g: float(np.abs(g.sum()))),
            "You go by the size of the sum, in which −4 takes off what 3 brings. The length is the root of the sum of "
            "the squares: square each entry first.",
        ),
        WrongAnswer(
            _divided_by(lambda g: float(np.abs(g).max())),
            "You go by the largest entry. The length takes all of them together: the root of the sum of the squares.",
        ),
        WrongAnswer(
            _divided_by(lambda g: float(np.sqrt((g**2).mean()))),
            "You take the mean of the squares. The length is the root of their sum.",
        ),
        WrongAnswer(
            lambda g, longest: g * (_length(g) <= longest),
            "A gradient that is too long becomes 0, and its step is lost. Shorten it, and keep its direction.",
        ),
        WrongAnswer(
            lambda g, longest: g * min(1.0, _length(g) / longest),
            "You shorten the gradients that are short already, and keep the long ones. The factor is `longest` divided "
            "by the length, where that is below 1.",
        ),
    ),
)

# --- a batch in pieces ---


def _weighed(weights: Callable[[Array], Array]) -> Callable[[Array, Array], Array]:
    """The sum of the rows, each with a weight that depends on the numbers of words."""
    return lambda gradients, n_words: weights(n_words) @ gradients


_pieces_random = np.random.default_rng(120)


def _pieces(n: int, *n_words: int) -> tuple[Array, Ids]:
    """A gradient of n entries for each piece, and its number of words."""
    return _pieces_random.normal(size=(len(n_words), n)), np.array(n_words)


_ACCUMULATE = Exercise(
    "12.accumulate",
    "a batch in pieces",
    lambda gradients, n_words: _weighed(lambda n: n / n.sum())(gradients, n_words),
    [_pieces(4, 3, 9, 6), _pieces(5, 20, 4), _pieces(3, 7, 2, 12, 5), _pieces(3, 8, 1, 4), _pieces(6, 11)],
    (
        WrongAnswer(
            _weighed(lambda n: np.ones(len(n))),
            "You add the pieces' gradients up: each of them is a mean, so weigh them by their words, and divide by all "
            "words.",
        ),
        WrongAnswer(
            _weighed(lambda n: n.astype(float)),
            "That is the gradient of the sum of all losses: for the mean, divide by the number of all words.",
        ),
        WrongAnswer(
            _weighed(lambda n: n / len(n)),
            "Your weights are right, but you divide by the number of pieces: divide by the number of all words.",
        ),
        WrongAnswer(
            _weighed(lambda n: 1 / n),
            "You divide each piece's gradient by its number of words: it is a mean already, so multiply, to get the "
            "sum back.",
        ),
        WrongAnswer(
            _weighed(lambda n: (1 / n) / (1 / n).sum()),
            "Your weights sum to 1, but a piece with more words gets a smaller one: it is the other way round.",
        ),
        WrongAnswer(
            _weighed(lambda n: np.full(len(n), 1 / n.sum())),
            "You add up the means and divide by all words: before they are added, each has to be multiplied by its "
            "own number of words.",
        ),
        WrongAnswer(
            _weighed(lambda n: n / n.max()),
            "You divide by the words of the largest piece: divide by those of all pieces together.",
        ),
        WrongAnswer(
            lambda gradients, n_words: (gradients * (n_words / n_words.sum())[:, np.newaxis]).sum(axis=1),
            "You add up the entries of each gradient: add up the pieces, `axis=0`, so that n entries stay.",
        ),
        WrongAnswer(
            lambda gradients, n_words: (gradients * (n_words / n_words.sum())).sum(axis=0),
            "Your weights lie along the entries of a gradient: they belong to the pieces, the rows, `[:, np.newaxis]`.",
        ),
        WrongAnswer(
            _weighed(lambda n: np.full(len(n), 1 / len(n))),
            "You take the mean over the pieces, so a word in a small piece counts for more: each word is to count "
            "alike.",
        ),
    ),
)

# --- early stopping ---


def _stopped(losses: Array, patience: int) -> tuple[int, int]:
    """The place of the lowest loss, and the last place that is measured."""
    best = 0
    for i, loss in enumerate(losses):
        if loss < losses[best]:
            best = i
        elif i - best >= patience:
            return best, i
    return best, len(losses) - 1


def _never_reset(losses: Array, patience: int) -> int:
    """The measurements that were no better are counted all together."""
    best = bad = 0
    for i, loss in enumerate(losses[1:], 1):
        if loss < losses[best]:
            best = i
        elif (bad := bad + 1) == patience:
            break
    return best


def _since_the_last(losses: Array, patience: int) -> int:
    """A loss is taken for better where it is below the one just before it."""
    bad = 0
    for i in range(1, len(losses)):
        bad = 0 if losses[i] < losses[i - 1] else bad + 1
        if bad == patience:
            return int(np.argmin(losses[: i + 1]))
    return int(np.argmin(losses))


def _ties_are_better(losses: Array, patience: int) -> int:
    best = 0
    for i, loss in enumerate(losses):
        if loss <= losses[best]:
            best = i
        elif i - best >= patience:
            break
    return best


_STOP = Exercise(
    "12.stop",
    "early stopping",
    lambda losses, patience: _stopped(losses, patience)[0],
    [
        (np.array([3.0, 2.0, 1.5, 1.6, 1.7, 1.4, 1.45, 1.5, 1.6, 1.2]), 2),  # it stops before the lowest comes
        (np.array([5.0, 4.0, 4.5, 3.0, 3.5, 3.4, 2.0, 2.2, 2.1, 2.3, 1.0]), 3),  # waiting begins anew, twice
        (np.array([2.0, 1.8, 1.9, 1.7]), 3),  # it never stops
        (np.array([3.0, 2.0, 2.0, 2.0, 1.0]), 2),  # as low as the lowest is no better
        (np.array([2.5, 2.6, 2.4, 2.0, 2.1, 1.9]), 1),
    ],
    (
        WrongAnswer(
            lambda losses, patience: int(np.argmin(losses)),
            "That is the lowest of all losses. But the training may have stopped before it came: go through the "
            "measurements one by one, and stop when `patience` of them in a row were no better.",
        ),
        WrongAnswer(
            lambda losses, patience: _stopped(losses, patience)[1],
            "That is where the training stops. The weights that are kept are those of the lowest loss before it.",
        ),
        WrongAnswer(
            lambda losses, patience: _stopped(losses, 1)[0],
            "You stop at the first loss that is no better. Losses go up and down: wait for `patience` of them.",
        ),
        WrongAnswer(
            _never_reset,
            "You count all measurements that were no better, from the beginning. When a new lowest comes, waiting "
            "begins anew.",
        ),
        WrongAnswer(
            _since_the_last,
            "You compare each loss with the one just before it. Compare it with the lowest so far: after a high loss a "
            "lower one may still be worse than the best.",
        ),
        WrongAnswer(
            _ties_are_better,
            "You take a loss that is as low as the lowest for a better one. It must be below it.",
        ),
        WrongAnswer(
            lambda losses, patience: _stopped(losses, patience + 1)[0],
            "You wait for one measurement too many: stop as soon as `patience` of them were no better.",
        ),
        WrongAnswer(
            lambda losses, patience: _stopped(-losses, patience)[0],
            "You look for the highest number. These are losses: lower is better.",
        ),
        WrongAnswer(
            lambda losses, patience: float(losses[_stopped(losses, patience)[0]]),
            "That is the loss. Return its place, counted from 0.",
        ),
        WrongAnswer(
            lambda losses, patience: _stopped(losses, patience)[0] + 1,
            "You count the measurements from 1: count them from 0.",
        ),
    ),
)

EXERCISES = (_PAD, _LOSS, _SMOOTHING, _CLIP, _ACCUMULATE, _STOP)
