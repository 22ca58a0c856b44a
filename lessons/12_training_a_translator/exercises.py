"""The exercises of lesson 12, training a translator, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array, Ids
from utils.course.exercises.exercise import Exercise, choice

PAD, START, END = 0, 1, 2


# --- padding ---

# Not always is the first sentence the longest, nor the smallest number in front.
_ROWS = [
    ([[9, 8], [5, 7, 4], [6]],),
    ([[4, 4, 5, 6, 7], [8, 9]],),
    ([[3, 5]],),
    ([[4], [5, 6, 7], [8, 9]],),
    ([[4], [5], [6, 3]],),
]


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
    [
        "You make the batch as wide as its shortest sentence, so words are lost. Pad the shorter ones up to the "
        "longest.",
        _padded_to(lambda rows: min(map(len, rows))),
        "You make the batch as wide as its first sentence. Look for the longest of all.",
        _padded_to(lambda rows: len(rows[0])),
        "You make the batch as wide as its last sentence. Look for the longest of all.",
        _padded_to(lambda rows: len(rows[-1])),
        "You put the padding in front, so the first word of a short sentence isn't at position 0. Put the padding at "
        "the end.",
        lambda rows: np.array([[PAD] * (_longest(rows) - len(row)) + row for row in rows]),
        "You pad with the id 1, which is START. Pad with PAD, which is 0, the only id that is masked and left out of "
        "the loss.",
        _padded_to(_longest, START),
        "You pad with the id 2, which is END. Pad with PAD, which is 0, the only id that is masked and left out of "
        "the loss.",
        _padded_to(_longest, END),
        "You sort the sentences by length, so that they no longer match their translations. Keep sentence i in row i.",
        lambda rows: _padded_to(_longest)(sorted(rows, key=len)),
        "You pad with the last word, so the model would read that word several times. Pad with PAD, which is 0.",
        lambda rows: np.array([row + row[-1:] * (_longest(rows) - len(row)) for row in rows]),
    ],
)


# --- the loss ---


def _words(targets: Ids) -> Ids:
    return targets[targets != PAD]


def _shares(ids: Ids) -> Array:
    """How frequent each of `ids` is among them."""
    return np.bincount(ids)[ids] / len(ids)


def _mean_loss(targets: Ids) -> float:
    return float(-np.log(_shares(_words(targets))).mean())


_COUNTED_LOSS = Exercise(
    "12.counted_loss",
    "the loss of a model that only counts",
    _mean_loss,
    [
        (np.array([[5, 4, 2, 0, 0], [5, 6, 5, 5, 2]]),),
        (np.array([[4, 2, 0], [5, 3, 2], [2, 0, 0], [3, 4, 2]]),),
        (np.array([[7, 7, 5, 2, 0, 0, 0], [8, 5, 9, 5, 5, 9, 2], [5, 2, 0, 0, 0, 0, 0]]),),
    ],
    [
        "You count the padding as a word, the most frequent of all. Keep only the words: `targets != 0`.",
        lambda targets: float(-np.log(_shares(targets.ravel())).mean()),
        "You divide by all positions, padding included, so your shares don't add up to 1. Divide by the number of "
        "words.",
        lambda targets: float(-np.log(_shares(_words(targets)) * len(_words(targets)) / targets.size).mean()),
        "You give each different word the same share, so you get ln of the number of words. Give a frequent word a "
        "larger share.",
        lambda targets: float(np.log(len(set(_words(targets))))),
        "You take the mean over the different words, each once. Take it over the positions, because a frequent word "
        "occurs more often.",
        lambda targets: float(-np.log(np.unique(_words(targets), return_counts=True)[1] / len(_words(targets))).mean()),
        "You take the logarithm of the mean probability. Take −ln p at each position first, then the mean.",
        lambda targets: float(-np.log(_shares(_words(targets)).mean())),
        "You divide by the number of all positions, but padding isn't a word. Divide by the number of words.",
        lambda targets: float(-np.log(_shares(_words(targets))).sum() / targets.size),
        "You count each sentence by itself, but the model has one share per word for all sentences. Count the words "
        "of the whole batch together.",
        lambda targets: float(np.mean([_mean_loss(row) for row in targets])),
        "You raise e to the power of the loss, which gives the perplexity. Return the loss itself.",
        lambda targets: float(np.exp(_mean_loss(targets))),
    ],
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
    [
        "You shorten every entry by itself, which can change the gradient's direction. Multiply all entries by one "
        "factor, so that only the length changes.",
        lambda g, longest: np.clip(g, -longest, longest),
        "You shorten long gradients correctly, but you stretch the short ones as well. Leave a gradient that is short "
        "enough as it is.",
        lambda g, longest: g * longest / _length(g),
        "You shorten every gradient that is too long to the length 1. Shorten it to `longest` instead.",
        lambda g, longest: g / _length(g) if _length(g) > longest else g.copy(),
        "You divide by the sum of the squares, but the length is its square root. Take the root first.",
        _divided_by(lambda g: float((g**2).sum())),
        "You add up the absolute values of the entries, but the length is the square root of the sum of the squares. "
        "Use that instead.",
        _divided_by(lambda g: float(np.abs(g).sum())),
        "You use the largest entry as the length, but all entries count, so take the square root of the sum of the "
        "squares.",
        _divided_by(lambda g: float(np.abs(g).max())),
        "You use the square root of the mean of the squares, so your length is too small. Use the square root of "
        "their sum.",
        _divided_by(lambda g: float(np.sqrt((g**2).mean()))),
    ],
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
    [
        "You add up the pieces' gradients, but each of them is a mean. Multiply each by its number of words, add them "
        "up, and divide by the number of all words.",
        _weighed(lambda n: np.ones(len(n))),
        "You return the gradient of the sum of all losses. Divide by the number of all words to get the gradient of "
        "the mean.",
        _weighed(lambda n: n.astype(float)),
        "You weigh the pieces correctly, but divide by the number of pieces. Divide by the number of all words.",
        _weighed(lambda n: n / len(n)),
        "You divide each piece's gradient by its number of words, but it is already a mean. Multiply by that number "
        "instead, to get the sum back.",
        _weighed(lambda n: 1 / n),
        "You add up the means and divide by the number of all words. Multiply each mean by its own number of words "
        "first.",
        _weighed(lambda n: np.full(len(n), 1 / n.sum())),
        "You add up the entries of each gradient. Add up the pieces instead, along `axis=0`, so that n entries remain.",
        lambda gradients, n_words: (gradients * (n_words / n_words.sum())[:, np.newaxis]).sum(axis=1),
        "You put the weights along the entries of a gradient, but the weights belong to the pieces, which are the "
        "rows: `[:, np.newaxis]`.",
        lambda gradients, n_words: (gradients * (n_words / n_words.sum())).sum(axis=0),
        "You take the mean over the pieces, so a word in a small piece counts more. Weight each piece by its number "
        "of words.",
        _weighed(lambda n: np.full(len(n), 1 / len(n))),
    ],
)

# --- early stopping ---


def _stopping(
    better: Callable[[Array, int, int], bool] = lambda losses, i, best: losses[i] < losses[best], anew: bool = True
) -> Callable[[Array, int], tuple[int, int]]:
    """The place of the best loss, and the last that is measured; without `anew` waiting never begins again."""

    def stopped(losses: Array, patience: int) -> tuple[int, int]:
        best = waited = 0
        for i in range(1, len(losses)):
            if better(losses, i, best):
                best, waited = i, 0 if anew else waited
            elif (waited := waited + 1) >= patience:
                return best, i
        return best, len(losses) - 1

    return stopped


_stopped = _stopping()


def _since_the_last(losses: Array, patience: int) -> int:
    """A loss is taken for better where it is below the one just before it."""
    _, last = _stopping(better=lambda losses, i, best: losses[i] < losses[i - 1])(losses, patience)
    return int(np.argmin(losses[: last + 1]))


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
        (np.array([3.0, 2.5, 2.6, 2.7, 1.0, 2.2, 2.4]), 2),  # the lowest of all comes too late, and is not the last
        (np.array([5.0, 4.0, 4.5, 3.0, 3.5, 2.0, 2.2, 1.0]), 3),  # never three in a row, but three in all
    ],
    [
        "You look for the lowest of all losses, but the training may stop before it. Go through the losses one by "
        "one, and stop after `patience` of them were no better.",
        lambda losses, patience: int(np.argmin(losses)),
        "You return the index at which the training stops. Return the index of the lowest loss up to there.",
        lambda losses, patience: _stopped(losses, patience)[1],
        "You stop at the first loss that is no better, but losses go up and down. Wait for `patience` such losses in "
        "a row.",
        lambda losses, patience: _stopped(losses, 1)[0],
        "You count all measurements that were no better, from the beginning. Start counting again at each new lowest "
        "loss.",
        lambda losses, patience: _stopping(anew=False)(losses, patience)[0],
        "You compare each loss with the previous one. Compare it with the lowest so far, because a falling loss can "
        "still be worse than the best.",
        _since_the_last,
        "You count a loss that equals the lowest as better. Accept only a loss below it.",
        lambda losses, patience: _stopping(lambda losses, i, best: losses[i] <= losses[best])(losses, patience)[0],
        "You stop one measurement too soon. Wait until `patience` of them were no better.",
        lambda losses, patience: _stopped(losses, patience - 1)[0],
        "You wait for one measurement too many. Stop as soon as `patience` of them were no better.",
        lambda losses, patience: _stopped(losses, patience + 1)[0],
        "You look for the highest value, but these are losses, so lower is better. Look for the lowest.",
        lambda losses, patience: _stopped(-losses, patience)[0],
        "You return the loss. Return its index, counted from 0.",
        lambda losses, patience: float(losses[_stopped(losses, patience)[0]]),
    ],
)

_WHICH = choice(
    "12.which",
    "d",
    "nothing was chosen on the test set, so its score doesn't contain the luck of a choice.",
    {
        "a": "You chose the training set, whose sentences the model has read. A score on these sentences can't tell "
        "a model that remembers from one that understands.",
        "b": (
            "You chose the setting with these sentences, and the best of twenty has probably had some luck with "
            "them. So its score is likely to be too good."
        ),
        "c": "You let the test set choose, so its score is as doubtful as a validation score. Measure on the test "
        "set only once, at the end.",
    },
)

EXERCISES = (_COUNTED_LOSS, _PAD, _CLIP, _ACCUMULATE, _STOP, _WHICH)
