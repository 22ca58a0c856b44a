"""The exercises of lesson 18, why it works, and the mistakes that they know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, choice

_random = np.random.default_rng(18)

# --- states without some directions -----------------------------------------------------------------------------


def _basis(directions: Array) -> Array:
    """An orthonormal basis of what the independent rows (k, d) span, as columns (d, k). Raises ValueError if not."""
    Q, R = np.linalg.qr(directions.T)
    if np.abs(R.diagonal()).min() < 1e-9:  # the columns of Q would span more than the directions do
        raise ValueError("the directions have to be independent of each other")
    return Q


def _at_right_angles(directions: Array) -> Array:
    """What the rows leave, one after the other, when what they share with those before is taken off: columns (d, k)."""
    Q, R = np.linalg.qr(directions.T)
    return Q * R.diagonal()


def _unit(directions: Array) -> Array:
    return directions / np.linalg.norm(directions, axis=1, keepdims=True)


def _without(X: Array, directions: Array) -> Array:
    Q = _basis(directions)
    return X - (X - X.mean(axis=0)) @ Q @ Q.T


def _one_by_one(X: Array, directions: Array) -> Array:
    for row in _unit(directions):
        X = X - np.outer((X - X.mean(axis=0)) @ row, row)
    return X


def _along_one(X: Array, direction: Array) -> Array:
    """X with its mean along one direction, which may have any length."""
    return _without(X, direction[np.newaxis])


# n, d and k differ, but in the third n = d; the rows of directions are neither of length 1 nor at right angles.
_STATES = [
    (_random.normal(size=(n, d)) + 2, _random.normal(size=(k, d)) + 0.5)
    for n, d, k in ((6, 4, 2), (5, 7, 3), (4, 4, 2))
]

_WITHOUT = Exercise(
    "18.without",
    "states without some directions",
    _without,
    _STATES,
    {
        "You used the directions as they are. The formula needs rows "
        "of length 1 that stand at right angles to each other: make "
        "such rows first (`np.linalg.qr`).": lambda X, directions: X - (X - X.mean(axis=0)) @ directions.T @ directions,
        "Your directions have length 1, but they do not stand at right angles, "
        "so what two of them share is taken away twice. `np.linalg.qr` "
        "makes both of it.": lambda X, directions: X - (X - X.mean(axis=0)) @ _unit(directions).T @ _unit(directions),
        "Your directions stand at right angles, as those of Gram and Schmidt, but they are not of length 1: divide "
        "each by its length.": lambda X, directions: (
            X - (X - X.mean(axis=0)) @ (B := _at_right_angles(directions)) @ B.T
        ),
        "You divided by the length once. In the formula the directions stand "
        "twice, so both need length 1, and right angles besides. `np.linalg.qr` "
        "makes both of it.": lambda X, directions: X - (X - X.mean(axis=0)) @ _unit(directions).T @ directions,
        "You took one direction away after the other. The second is not at right angles to the first, so it brings "
        "some of the first back. Make them orthonormal before.": _one_by_one,
        "You took one direction away, the sum or the mean of all of them. What a state tells along any other direction "
        "that they span is still there: take away each of a basis.": [
            lambda X, directions, scaled=scaled: _along_one(X, scaled(directions).sum(axis=0))
            for scaled in (np.asarray, _unit)
        ],
        "Along these directions your states are 0. Asked for is the mean: take away what differs from it, X minus its "
        "mean over the rows.": lambda X, directions: X - X @ _basis(directions) @ _basis(directions).T,
        "You put back the whole mean. Only its part along the directions was taken away: project "
        "the mean, too.": lambda X, directions: X - X @ _basis(directions) @ _basis(directions).T + X.mean(axis=0),
        "You took the mean away, and did not put it back.": lambda X, directions: (
            _without(X, directions) - X.mean(axis=0)
        ),
        "That is what lies along the directions. Take it away, and keep the rest.": lambda X, directions: (
            X.mean(axis=0) + (X - X.mean(axis=0)) @ _basis(directions) @ _basis(directions).T
        ),
        "That is the part to be taken away. Subtract it from X.": lambda X, directions: (
            (X - X.mean(axis=0)) @ _basis(directions) @ _basis(directions).T
        ),
        "You took the mean of each row over its own numbers. The mean of the states runs "
        "over the rows, axis=0.": lambda X, directions: (
            X - (X - X.mean(axis=1, keepdims=True)) @ _basis(directions) @ _basis(directions).T
        ),
    },
)

# --- what the word alone tells ----------------------------------------------------------------------------------

Words = Sequence[str]


def _commonest(labels: Sequence[int]) -> int:
    return Counter(labels).most_common(1)[0][0]


def _by_word(words: Words, labels: Sequence[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for word, label in zip(words, labels, strict=True):
        found.setdefault(word, []).append(label)
    return found


def _guessing(
    of_word: Callable[[Sequence[int]], int], of_all: Callable[[Words, Sequence[int]], int]
) -> Callable[[Words, Sequence[int], Words], list[int]]:
    """What guesses by `of_word` where the word was seen, and by `of_all` where it was not."""

    def guess(words: Words, labels: Sequence[int], asked: Words) -> list[int]:
        known, otherwise = _by_word(words, labels), of_all(words, labels)
        return [of_word(known[word]) if word in known else otherwise for word in asked]

    return guess


_word_baseline = _guessing(_commonest, lambda words, labels: _commonest(labels))

# Never as often as another: neither for a word nor over all. The commonest label is not that of most words, in the last
# not that of the commonest word, and there the commonest label of a word is not the one in the middle.
# In the second a word is asked for twice.
_LABELLED = [
    (
        ["apple", "eat", "apple", "red", "apple", "eat", "eat", "the", "the", "the", "the"],
        [2, 1, 0, 3, 2, 1, 0, 4, 4, 4, 4],
        ["eat", "apple", "soup", "the", "red"],
    ),
    (
        ["b", "a", "b", "c", "b", "d", "d", "d", "d", "e", "e", "e", "e", "e"],
        [1, 2, 1, 2, 3, 3, 5, 5, 5, 4, 4, 4, 4, 2],
        ["a", "b", "x", "d", "e", "y", "b"],
    ),
    (list("wwwwwvvvvx"), [7, 8, 8, 8, 8, 6, 6, 6, 8, 6], ["w", "v", "u"]),
    (list("pppppqqqrsttu"), [9, 9, 1, 3, 2, 1, 1, 1, 1, 1, 3, 3, 3], ["p", "q", "t", "z"]),
]

_BASELINE = Exercise(
    "18.word_baseline",
    "what the word alone tells",
    _word_baseline,
    _LABELLED,
    {
        "You return None for a word that was never seen. Return the most common label of all for such a "
        "word.": lambda words, labels, asked: [
            _commonest(seen[word]) if word in (seen := _by_word(words, labels)) else None for word in asked
        ],
        "You say the commonest label of all, whatever the word is. Where the word was seen, take the label that this "
        "word had most often.": lambda words, labels, asked: [_commonest(labels)] * len(asked),
        "You take the label that the word had last: a later one overwrites an earlier one. Count how often it had "
        "each.": _guessing(lambda seen: seen[-1], lambda words, labels: _commonest(labels)),
        "You take the label that the word had first. Count how often it had each.": _guessing(
            lambda seen: seen[0], lambda words, labels: _commonest(labels)
        ),
        "You take the label that the word had least often. Take the one that it had most often.": _guessing(
            lambda seen: Counter(seen).most_common()[-1][0], lambda words, labels: _commonest(labels)
        ),
        "You take the largest label. It is only a name: what counts is how often the word had it.": _guessing(
            max, lambda words, labels: _commonest(labels)
        ),
        "You take the label in the middle. It is only a name: what counts is how often the word had it.": _guessing(
            lambda seen: sorted(seen)[len(seen) // 2], lambda words, labels: _commonest(labels)
        ),
        "For words not seen you take the label of the commonest word. Take the commonest "
        "label, over all places.": _guessing(
            _commonest,
            lambda words, labels: _commonest(_by_word(words, labels)[Counter(words).most_common(1)[0][0]]),
        ),
        "Right for words that were seen. A word that was not gets the commonest label of all, not 0.": _guessing(
            _commonest, lambda words, labels: 0
        ),
        "You return how often the label was there. Of a pair from `most_common` the label stands first.": _guessing(
            lambda seen: seen.count(_commonest(seen)), lambda words, labels: labels.count(_commonest(labels))
        ),
        "Right for words that were seen. A word that was not gets the commonest label of "
        "all, not the last one.": _guessing(_commonest, lambda words, labels: labels[-1]),
        "Words that were not seen are left out of your list. They get the commonest label of all, so that each word "
        "that is asked for has its label.": lambda words, labels, asked: _word_baseline(
            words, labels, [word for word in asked if word in set(words)]
        ),
        "For words not seen you let each word vote once. Count all places: a word that stands "
        "often counts often.": _guessing(
            _commonest, lambda words, labels: _commonest([*map(_commonest, _by_word(words, labels).values())])
        ),
    },
)

# --- there, and there to stay -----------------------------------------------------------------------------------


def _for_good_with(
    missing: Callable[[int | None], bool] = lambda reached: reached is None,
) -> Callable[[Sequence[int], Sequence[float], float], int | None]:
    """The step from which the score stays at the target; `missing` says whether none has been found yet."""

    def for_good(steps: Sequence[int], scores: Sequence[float], target: float) -> int | None:
        reached = None
        for step, score in zip(steps, scores, strict=True):
            if score < target:
                reached = None
            elif missing(reached):
                reached = step
        return reached

    return for_good


_for_good = _for_good_with()


def _in_a_row(steps: Sequence[int], scores: Sequence[float], target: float) -> int | None:
    pairs = zip(steps[:-1], scores[:-1], scores[1:], strict=True)
    return next((step for step, one, after in pairs if min(one, after) >= target), None)


def _last_below(steps: Sequence[int], scores: Sequence[float], target: float) -> int | None:
    return next((step for step, score in zip(steps[::-1], scores[::-1], strict=True) if score < target), None)


def _or(found: int | None, otherwise: int) -> int:
    return otherwise if found is None else found


_CURVES = [
    ([50, 100, 150, 200, 250, 300], [0.1, 0.6, 0.91, 0.88, 0.9, 0.95], 0.9),
    ([25, 75, 125, 200, 300], [0.2, 0.97, 0.9, 0.95, 0.99], 0.95),
    ([10, 20, 30, 40], [0.2, 0.99, 0.6, 0.8], 0.9),
    ([40, 80, 120], [0.7, 0.9, 0.8], 0.5),
    ([30, 60, 90, 120], [0.1, 0.2, 0.4, 0.5], 0.9),
    ([15, 35, 55, 75, 95], [0.1, 0.95, 0.96, 0.2, 0.99], 0.95),
    ([20, 45, 70], [0.1, 0.2, 0.95], 0.95),
    ([0, 5, 25, 45], [0.6, 0.7, 0.65, 0.9], 0.5),
    ([20, 40, 60, 80], [0.3, 0.9, 0.95, 0.8], 0.9),  # only the last score falls
]

_FOR_GOOD = Exercise(
    "18.for_good",
    "there, and there to stay",
    _for_good,
    _CURVES,
    {
        "You take the first point that reaches the target. Later the score falls below it again: the answer is the "
        "step from which it stays.": lambda steps, scores, target: next(
            (step for step, score in zip(steps, scores, strict=True) if score >= target), None
        ),
        "You look one score ahead. Two in a row may still be followed by a fall: all later scores must reach the "
        "target. And the last score has none after it.": _in_a_row,
        "Step 0 counts as not reached in your function: `not reached` is true for 0, too. "
        "Ask `reached is None`.": _for_good_with(missing=lambda reached: not reached),
        "Where all scores are at the target from the "
        "start you return None. Return the first step.": lambda steps, scores, target: (
            None if min(scores) >= target else _for_good(steps, scores, target)
        ),
        "You return the last step of all, where the score is at the "
        "target. Remember the first step at the target, and keep it "
        "as long as no score falls below.": lambda steps, scores, target: steps[-1] if scores[-1] >= target else None,
        "You return its place in the list. Asked for is how "
        "many steps had been done there.": lambda steps, scores, target: _for_good(range(len(steps)), scores, target),
        "That is the last step at which the score is below the target. The one after it is asked for, if there is "
        "one.": [
            _last_below,
            lambda steps, scores, target: (
                None if scores[-1] < target else _or(_last_below(steps, scores, target), steps[0])
            ),
        ],
        "Where the score does not stay at the target you return a step all the same. Return None: "
        "it was not reached.": lambda steps, scores, target: _or(_for_good(steps, scores, target), steps[-1]),
        "With `or` you return the last step where you found step 0, and "
        "where you found None. Return what you found: step 0 is a step, and "
        "None says that there is none.": lambda steps, scores, target: _for_good(steps, scores, target) or steps[-1],
        "Where the score does not stay at the target you return 0: that "
        "is before the training. Return None.": lambda steps, scores, target: _or(_for_good(steps, scores, target), 0),
        "You return where the score is highest. The "
        "target is reached before that, or never.": lambda steps, scores, target: steps[int(np.argmax(scores))],
    },
)

_WHICH = choice(
    "18.which",
    "b",
    "a label learnt by heart is no use for a new word. It must have something in common with the others of its kind.",
    {
        "a": (
            "The words are the same. A probe that knows the label of each by heart does as well on further sentences."
        ),
        "c": "That shows the opposite: the probe can learn by heart what no model has learnt.",
        "d": "A larger probe can learn more by heart. That would say more of the probe, and less of the states.",
    },
)

EXERCISES = [_WITHOUT, _BASELINE, _FOR_GOOD, _WHICH]
