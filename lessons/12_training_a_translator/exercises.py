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
    {
        "Your batch is as wide as its shortest sentence, so words are lost. Fill the others "
        "up to the longest.": _padded_to(lambda rows: min(map(len, rows))),
        "Your batch is as wide as its first sentence. Look for the longest of them all.": _padded_to(
            lambda rows: len(rows[0])
        ),
        "Your batch is as wide as its last sentence. Look for the longest of them all.": _padded_to(
            lambda rows: len(rows[-1])
        ),
        "The padding stands in front. Then the first word of a short sentence is not at position "
        "0. Put it behind.": lambda rows: np.array([[PAD] * (_longest(rows) - len(row)) + row for row in rows]),
        "Your padding has the id 1, which is START. PAD is 0: only that one is masked and "
        "left out of the loss.": _padded_to(_longest, START),
        "Your padding has the id 2, which is END. PAD is 0: "
        "only that one is masked and left out of the loss.": _padded_to(_longest, END),
        "You have put the sentences in the order of their lengths. Row i of the batch is sentence i, or it loses its "
        "translation.": lambda rows: _padded_to(_longest)(sorted(rows, key=len)),
        "You fill up with the last word. The model would read it several times: fill up with PAD, 0.": lambda rows: (
            np.array([row + row[-1:] * (_longest(rows) - len(row)) for row in rows])
        ),
    },
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
    "the loss of whoever counts",
    _mean_loss,
    [
        (np.array([[5, 4, 2, 0, 0], [5, 6, 5, 5, 2]]),),
        (np.array([[4, 2, 0], [5, 3, 2], [2, 0, 0], [3, 4, 2]]),),
        (np.array([[7, 7, 5, 2, 0, 0, 0], [8, 5, 9, 5, 5, 9, 2], [5, 2, 0, 0, 0, 0, 0]]),),
    ],
    {
        "You counted the padding as a word, the most frequent of "
        "all. Take the words alone: `targets != 0`.": lambda targets: float(-np.log(_shares(targets.ravel())).mean()),
        "Your shares are of all places, padding included, so they do not add up to 1. Divide by how many words there "
        "are.": lambda targets: float(-np.log(_shares(_words(targets)) * len(_words(targets)) / targets.size).mean()),
        "That is ln of the number of different words: each got the same. A frequent word "
        "has the larger share.": lambda targets: float(np.log(len(set(_words(targets))))),
        "You took the mean over the different words, each once. It runs over the places: a frequent word is asked for "
        "more often.": lambda targets: float(
            -np.log(np.unique(_words(targets), return_counts=True)[1] / len(_words(targets))).mean()
        ),
        "You took the mean of the probabilities, then the logarithm. The loss is −ln p at each place, and then the "
        "mean.": lambda targets: float(-np.log(_shares(_words(targets)).mean())),
        "You divide by the number of all places. Padding is no word: divide "
        "by how many words there are.": lambda targets: float(-np.log(_shares(_words(targets))).sum() / targets.size),
        "You counted each sentence by itself. The shares are those "
        "among the words of the whole batch.": lambda targets: float(np.mean([_mean_loss(row) for row in targets])),
        "That is e to the loss, the perplexity. Asked for is the loss itself.": lambda targets: float(
            np.exp(_mean_loss(targets))
        ),
    },
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
    {
        "You cut every entry by itself. That can turn the gradient into another direction. Multiply all entries by the "
        "same number, so that only its length changes.": lambda g, longest: np.clip(g, -longest, longest),
        "Right for long gradients, but you stretch the short ones as well. One that is short "
        "enough stays as it is.": lambda g, longest: g * longest / _length(g),
        "You keep the long ones as they are and stretch the short ones: your factor is at least 1. It should be at "
        "most 1.": lambda g, longest: g * max(1.0, longest / _length(g)),
        "Yours are at most 1 long. That is the lesson's limit: use `longest`.": lambda g, longest: (
            g / max(1.0, _length(g))
        ),
        "A gradient that is too long becomes 1 long. It should become `longest` long.": lambda g, longest: (
            g / _length(g) if _length(g) > longest else g.copy()
        ),
        "You divide by the sum of the squares. The length is the square root of it.": _divided_by(
            lambda g: float((g**2).sum())
        ),
        "You add up the entries without their signs. The length is the root of the sum of the squares.": _divided_by(
            lambda g: float(np.abs(g).sum())
        ),
        "You go by the size of the sum, in which −4 takes off what 3 brings. The length is the root of the sum of the "
        "squares: square each entry first.": _divided_by(lambda g: float(np.abs(g.sum()))),
        "You go by the largest entry. The length takes all of them together: the root of "
        "the sum of the squares.": _divided_by(lambda g: float(np.abs(g).max())),
        "You take the mean of the squares. The length is the root of their sum.": _divided_by(
            lambda g: float(np.sqrt((g**2).mean()))
        ),
    },
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
    {
        "You add the pieces' gradients up: each of them is a mean, so weigh them by their words, and divide by all "
        "words.": _weighed(lambda n: np.ones(len(n))),
        "That is the gradient of the sum of all losses: for the mean, divide by the number of all words.": _weighed(
            lambda n: n.astype(float)
        ),
        "Your weights are right, but you divide by the number of pieces: divide by the number of all words.": _weighed(
            lambda n: n / len(n)
        ),
        "You divide each piece's gradient by its number of words: it is a mean already, so multiply, to get the sum "
        "back.": _weighed(lambda n: 1 / n),
        "Your weights sum to 1, but a piece with more words gets a smaller one: it is the other way round.": _weighed(
            lambda n: (1 / n) / (1 / n).sum()
        ),
        "You add up the means and divide by all words: before they are added, each has to be multiplied by its own "
        "number of words.": _weighed(lambda n: np.full(len(n), 1 / n.sum())),
        "You divide by the words of the largest piece: divide by those of all pieces together.": _weighed(
            lambda n: n / n.max()
        ),
        "You add up the entries of each gradient: add up "
        "the pieces, `axis=0`, so that n entries stay.": lambda gradients, n_words: (
            gradients * (n_words / n_words.sum())[:, np.newaxis]
        ).sum(axis=1),
        "Your weights lie along the entries of a gradient: they belong to the pieces, the "
        "rows, `[:, np.newaxis]`.": lambda gradients, n_words: (gradients * (n_words / n_words.sum())).sum(axis=0),
        "You take the mean over the pieces, so a word in a small piece counts for more: each "
        "word is to count alike.": _weighed(lambda n: np.full(len(n), 1 / len(n))),
    },
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
    {
        "That is the lowest of all losses. But the training may have "
        "stopped before it came: go through the measurements one by one, "
        "and stop when `patience` of them in a row were no better.": lambda losses, patience: int(np.argmin(losses)),
        "That is where the training stops. The weights that "
        "are kept are those of the lowest loss before it.": lambda losses, patience: _stopped(losses, patience)[1],
        "You stop at the first loss that is no better. "
        "Losses go up and down: wait for `patience` of them.": lambda losses, patience: _stopped(losses, 1)[0],
        "You count all measurements that were no better, from the beginning. When a new lowest comes, waiting begins "
        "anew.": lambda losses, patience: _stopping(anew=False)(losses, patience)[0],
        "You compare each loss with the one just before it. Compare it with the lowest so far: after a high loss a "
        "lower one may still be worse than the best.": _since_the_last,
        "You take a loss that is as low as the lowest for a better one. "
        "It must be below it.": lambda losses, patience: _stopping(lambda losses, i, best: losses[i] <= losses[best])(
            losses, patience
        )[0],
        "You stop one measurement too soon: wait until `patience` of them were no better.": lambda losses, patience: (
            _stopped(losses, patience - 1)[0]
        ),
        "You wait for one measurement too many: stop "
        "as soon as `patience` of them were no better.": lambda losses, patience: _stopped(losses, patience + 1)[0],
        "You look for the highest number. These are losses: lower is better.": lambda losses, patience: _stopped(
            -losses, patience
        )[0],
        "That is the loss. Return its place, counted from 0.": lambda losses, patience: float(
            losses[_stopped(losses, patience)[0]]
        ),
    },
)

_WHICH = choice(
    "12.which",
    "d",
    "the test set has chosen nothing, so the luck of the choice is not in its score.",
    {
        "a": "It has read these sentences. Their score can't tell a model that remembers from one that understands.",
        "b": (
            "These sentences have chosen. The best of twenty has probably had some luck with them: its score is likely "
            "to be too good."
        ),
        "c": "Then the test set has chosen, and its score has become as doubtful as that of a validation set.",
    },
)

EXERCISES = (_COUNTED_LOSS, _PAD, _CLIP, _ACCUMULATE, _STOP, _WHICH)
