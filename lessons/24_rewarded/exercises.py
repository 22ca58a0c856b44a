"""The exercises of lesson 24, Rewarded, and the mistakes that they know."""

from __future__ import annotations

import functools

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise

_random = np.random.default_rng(24)

# --- advantages of a group ----------------------------------------------------------------------------------------


def _advantages(rewards: Array) -> Array:
    centred = rewards - rewards.mean(axis=1, keepdims=True)
    return centred / (rewards.std(axis=1, keepdims=True) + 1e-6)


_REWARDS = [
    np.array([[1.0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 0]]),
    _random.uniform(0, 3, size=(2, 4)),
    np.array([[0.0, 0, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0], [2, 0.5, 1, 0, 0, 1]]),
]
_ADVANTAGES = Exercise(
    "24.advantages",
    "the advantages of a group",
    _advantages,
    [(rewards,) for rewards in _REWARDS],
    {
        "You took the mean and the deviation of all rewards together. Each sum is a group of its own, so use "
        "`axis=1`.": lambda rewards: (rewards - rewards.mean()) / (rewards.std() + 1e-6),
        "You compared answers to different sums, down the columns. The answers to one sum are a row, so use "
        "`axis=1`.": lambda rewards: (rewards - rewards.mean(axis=0)) / (rewards.std(axis=0) + 1e-6),
        "You subtracted the mean, but the result isn't in standard deviations yet. Divide by the deviation of the row "
        "plus 1e-6.": lambda rewards: rewards - rewards.mean(axis=1, keepdims=True),
        "You divided by the deviation, but didn't subtract the mean. Subtract the mean of the row first, which is the "
        "baseline.": lambda rewards: rewards / (rewards.std(axis=1, keepdims=True) + 1e-6),
        "You divided by 0 where all rewards of a row are equal. Add 1e-6 to the deviation, so that these advantages "
        "become 0.": lambda rewards: (
            (rewards - rewards.mean(axis=1, keepdims=True)) / rewards.std(axis=1, keepdims=True)
        ),
        "You divided by the variance, which is the deviation squared. Use `std` instead of `var`.": lambda rewards: (
            (rewards - rewards.mean(axis=1, keepdims=True)) / (rewards.var(axis=1, keepdims=True) + 1e-6)
        ),
        "You subtracted the rewards from their mean, so a rewarded answer gets a negative advantage. Subtract the mean "
        "from the rewards instead.": lambda rewards: -_advantages(rewards),
        "You used the deviation with n − 1, as PyTorch's `std` does. Here the mean square is over n, as NumPy's `std` "
        "computes it by default.": lambda rewards: (
            (rewards - rewards.mean(axis=1, keepdims=True)) / (rewards.std(axis=1, keepdims=True, ddof=1) + 1e-6)
        ),
    },
)

# --- the loop -----------------------------------------------------------------------------------------------------


def _softmax(z: Array) -> Array:
    e = np.exp(z - z.max())
    return e / e.sum()


def _draw(p: Array, luck: Array) -> Array:
    return np.searchsorted(p[:-1].cumsum(), luck)


def _steps(
    z: Array,
    reward: Array,
    luck: Array,
    rate: float,
    base: str = "drawn",
    by_deviation: bool = False,
    mean: bool = True,
) -> Array:
    for row in luck:
        p = _softmax(z)
        words = _draw(p, row)
        baseline = {"drawn": reward[words].mean(), "all": reward.mean(), "none": 0.0}[base]
        better = (reward[words] - baseline) / (reward[words].std() + 1e-6 if by_deviation else 1)
        step = (better[:, None] * (np.eye(len(z))[words] - p)).sum(axis=0)
        z = z + rate * step / (len(words) if mean else 1)
    return z


def _first_policy(z: Array, reward: Array, luck: Array, rate: float) -> Array:
    p, now = _softmax(z), z
    for row in luck:
        words = _draw(p, row)
        better = reward[words] - reward[words].mean()
        now = now + rate * (better[:, None] * (np.eye(len(z))[words] - p)).mean(axis=0)
    return now


def _policy(words: int, steps: int, n: int, rate: float) -> tuple[Array, Array, Array, float]:
    return _random.normal(size=words), _random.uniform(0, 2, size=words), _random.uniform(size=(steps, n)), rate


_LOOP = Exercise(
    "24.loop",
    "the loop on three words",
    lambda z, reward, luck, rate: _steps(z, reward, luck, rate),
    [_policy(3, 4, 8, 0.5), _policy(5, 2, 6, 0.3), _policy(4, 5, 7, 0.8)],
    {
        "You went downhill, so rewarded words become less probable. Rewards should rise, so add the step to z instead "
        "of subtracting it.": lambda z, reward, luck, rate: _steps(z, reward, luck, -rate),
        "You used the rewards without a baseline. Subtract the mean reward of the words drawn in this "
        "step.": lambda z, reward, luck, rate: _steps(z, reward, luck, rate, base="none"),
        "You took the mean over all words of the vocabulary as the baseline. Use the mean reward of the words that "
        "were drawn.": lambda z, reward, luck, rate: _steps(z, reward, luck, rate, base="all"),
        "You divided the advantages by their deviation, as GRPO does, but this loop doesn't. Only subtract the mean, "
        "without dividing.": lambda z, reward, luck, rate: _steps(z, reward, luck, rate, by_deviation=True),
        "You summed over the words drawn, so the step grows with their number. Take the mean over the words "
        "instead.": lambda z, reward, luck, rate: _steps(z, reward, luck, rate, mean=False),
        "You computed p only once, before the loop, so all words come from the first policy. Compute p again in each "
        "step.": _first_policy,
        "You returned after the first row of luck. Put the return after the loop, so that each row makes a "
        "step.": lambda z, reward, luck, rate: _steps(z, reward, luck[:1], rate),
        "z doesn't change in your loop. Have you taken the mean over both axes? The slopes of each word add up to 0, "
        "so take the mean over the drawn words only, with `axis=0`.": lambda z, reward, luck, rate: z.copy(),
        "You replaced z by the step. Add the step to z, so that z keeps what it has learnt "
        "before.": lambda z, reward, luck, rate: functools.reduce(
            lambda now, row: _steps(now, reward, row[None], rate) - now, luck, z
        ),
        "You returned the probabilities. Return z, from which the softmax makes them.": lambda z, reward, luck, rate: (
            _softmax(_steps(z, reward, luck, rate))
        ),
    },
)

# --- the loss of the answers --------------------------------------------------------------------------------------


def _loss(log_p: Array, is_written: Array, better: Array) -> float:
    return -(better[:, :, None] * log_p * is_written).sum() / is_written.sum()


def _answers(sums: int, n: int, longest: int) -> tuple[Array, Array, Array]:
    lengths = _random.integers(1, longest + 1, size=(sums, n))
    lengths[0, 0], lengths[-1, -1] = longest, 1
    log_p = -_random.uniform(0.1, 3, size=(sums, n, longest))
    return log_p, np.arange(longest) < lengths[:, :, None], _random.normal(size=(sums, n))


_LOSS = Exercise(
    "24.loss",
    "the loss of the answers",
    _loss,
    [_answers(2, 4, 3), _answers(3, 5, 4), _answers(4, 2, 6)],
    {
        "You have the correct size, but the wrong sign. The optimizer makes the loss smaller, and the rewarded answers "
        "should become more probable, so put a minus in front.": lambda log_p, is_written, better: (
            -_loss(log_p, is_written, better)
        ),
        "You counted the padding as well. Multiply by `is_written`, and divide by the number of tokens that were "
        "written.": lambda log_p, is_written, better: -(better[:, :, None] * log_p).mean(),
        "You left the padding out of the sum, but you divide by all positions. Divide by "
        "`is_written.sum()`.": lambda log_p, is_written, better: -(better[:, :, None] * log_p * is_written).mean(),
        "You took the mean of each answer first, so a token in a short answer counts more. Divide once, by the number "
        "of all tokens written.": lambda log_p, is_written, better: (
            -(better * (log_p * is_written).sum(axis=2) / is_written.sum(axis=2)).mean()
        ),
        "You divided by the number of answers. Divide by the number of tokens that were written, "
        "`is_written.sum()`.": lambda log_p, is_written, better: -(better * (log_p * is_written).sum(axis=2)).mean(),
        "You returned the sum, which grows with the number of tokens. Divide it by the number of tokens "
        "written.": lambda log_p, is_written, better: -(better[:, :, None] * log_p * is_written).sum(),
        "You left out the advantages, so every answer is pushed up. Multiply each token by the advantage of its "
        "answer.": lambda log_p, is_written, better: -(log_p * is_written).sum() / is_written.sum(),
        "You used probabilities, but the policy gradient raises their logarithms. Use `log_p` as it is, without "
        "`exp`.": lambda log_p, is_written, better: (
            -(better[:, :, None] * np.exp(log_p) * is_written).sum() / is_written.sum()
        ),
    },
)

EXERCISES = (_ADVANTAGES, _LOOP, _LOSS)
