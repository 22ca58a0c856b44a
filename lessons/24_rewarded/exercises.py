"""The exercises of lesson 24, Rewarded, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, in_steps

_random = np.random.default_rng(24)

# --- advantages of a group ----------------------------------------------------------------------------------------


@in_steps
def _in_groups(
    *,
    axis: int | None = 1,
    centre: str = "mean",
    spread: str = "std",
    epsilon: str = "added",
    sign: int = 1,
    order: str = "centre first",
) -> Callable[[Array], Array]:
    """Return a function that computes advantages, with the steps that students get wrong as arguments."""

    def compute(rewards: Array) -> Array:
        over = {"axis": axis, "keepdims": True}
        mean, deviation = rewards.mean(**over), rewards.std(**over)
        middle = {
            "mean": mean,
            "none": 0.0,
            "median": np.median(rewards, **over),
            "sum": rewards.sum(**over),
            "all": rewards.mean(),
        }[centre]
        width = {
            "std": deviation,
            "none": 1.0,
            "var": rewards.var(**over),
            "n - 1": rewards.std(**over, ddof=1),
            "all": rewards.std(),
            "times": 1 / (deviation + 1e-6),
        }[spread]
        if spread not in ("none", "times") and epsilon == "added":
            width = width + 1e-6
        if order == "mean first":  # rewards − mean / deviation, without brackets
            return sign * (rewards - middle / width)
        return sign * ((rewards - middle) / width + (1e-6 if epsilon == "outside" else 0))

    return compute


_REWARDS = [
    np.array([[1.0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 0]]),
    _random.uniform(0, 3, size=(2, 4)),
    np.array([[0.0, 0, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 1, 0], [2, 0.5, 1, 0, 0, 1]]),
]
_ADVANTAGES = Exercise(
    "24.advantages",
    "the advantages of a group",
    _in_groups(),
    [(rewards,) for rewards in _REWARDS],
    [
        "You took the mean and the deviation of all rewards together. Each sum is a group of its own, so use `axis=1`.",
        _in_groups(axis=None),
        "You compared answers to different sums, down the columns. The answers to one sum are a row, so use `axis=1`.",
        _in_groups(axis=0),
        "You subtracted the mean of all rewards, which hides how good a group is. Subtract the mean of each row, with "
        "`axis=1`.",
        _in_groups(centre="all"),
        "You divided by the deviation of all rewards together. Use the deviation of each row, with `axis=1`.",
        _in_groups(spread="all"),
        "You subtracted the mean, but the result isn't in standard deviations yet. Divide by the deviation of the row "
        "plus 1e-6.",
        _in_groups(spread="none"),
        "You didn't subtract the mean, so the answers of a group aren't compared. Subtract the mean of the row first, "
        "which is the baseline.",
        _in_groups(centre="none"),
        "You divided by 0 where all rewards of a row are equal. Add 1e-6 to the deviation, so that these advantages "
        "become 0.",
        _in_groups(epsilon="none"),
        "You added 1e-6 after the division, so a row of equal rewards still divides by 0. Add it to the deviation, "
        "inside brackets.",
        _in_groups(epsilon="outside"),
        "You divided by the variance, which is the deviation squared. Use `std` instead of `var`.",
        _in_groups(spread="var"),
        "You subtracted the rewards from their mean, so a rewarded answer gets a negative advantage. Subtract the "
        "mean from the rewards instead.",
        _in_groups(sign=-1),
        "You used the deviation with n − 1, as PyTorch's `std` does. Here the sum of squares is divided by n, as in "
        "NumPy's `std` by default.",
        _in_groups(spread="n - 1"),
        "You divided the mean before subtracting it. Put brackets around the difference, because division comes first.",
        _in_groups(order="mean first"),
        "You subtracted the median. The baseline of a group is its mean, so use `mean` instead of `median`.",
        _in_groups(centre="median"),
        "You subtracted the sum of the rewards, not their mean. Use `mean` instead of `sum`.",
        _in_groups(centre="sum"),
        "You multiplied by the deviation. Divide by it, so that the result is in standard deviations.",
        _in_groups(spread="times"),
        "You returned the mean of each row, which is only the baseline. Subtract it from the rewards, then divide by "
        "the deviation.",
        lambda rewards: rewards.mean(axis=1),
        lambda rewards: rewards.mean(axis=1, keepdims=True),
    ],
)

# --- the loop -----------------------------------------------------------------------------------------------------


def _softmax(z: Array) -> Array:
    e = np.exp(z - z.max())
    return e / e.sum()


def _draw(p: Array, luck: Array) -> Array:
    return np.searchsorted(p[:-1].cumsum(), luck)


@in_steps
def _by_steps(
    *,
    base: str = "drawn",
    divided: str = "by n",
    scaled: bool = False,
    slope: str = "ln p",
    sign: int = 1,
    policy: str = "current",
    rows: slice = slice(None),
    added: bool = True,
    result: str = "z",
) -> Callable[..., Array]:
    """Return the loop, with the steps that students get wrong as arguments."""

    def learn(z: Array, reward: Array, luck: Array, rate: float) -> Array:
        start, first = z, _softmax(z)
        for row in luck[rows]:
            p = first if policy == "first" else _softmax(z)
            words = _draw(p, row)
            own = reward[words]
            baseline = {"drawn": own.mean(), "all": reward.mean(), "none": 0.0}[base]
            better = (own - baseline) / (own.std() + 1e-6 if scaled else 1)
            one_hot = np.eye(len(z))[words]
            slopes = {
                "ln p": one_hot - p,
                "p": p[words, None] * (one_hot - p),
                "times p": one_hot * p,
            }[slope]
            total = (better[:, None] * slopes).sum(axis=0)
            step = total / {"by n": len(words), "by V": len(z), "not": 1}[divided]
            from_here = start if policy == "not kept" else z
            z = added * from_here + sign * rate * step
        return {"z": z, "p": _softmax(z)}[result]

    return learn


def _policy(words: int, steps: int, n: int, rate: float) -> tuple[Array, Array, Array, float]:
    return _random.normal(size=words), _random.uniform(0, 2, size=words), _random.uniform(size=(steps, n)), rate


_LOOP = Exercise(
    "24.loop",
    "the loop on three words",
    _by_steps(),
    [_policy(3, 4, 8, 0.5), _policy(5, 2, 6, 0.3), _policy(4, 5, 7, 0.8)],
    [
        "You went downhill, so rewarded words become less probable. Rewards should rise, so add the step to z, with "
        "the slopes [i = j] − p.",
        _by_steps(sign=-1),
        "You used the rewards without a baseline. Subtract the mean reward of the words drawn in this step.",
        _by_steps(base="none"),
        "You took the mean over all words of the vocabulary as the baseline. Use the mean reward of the words that "
        "were drawn.",
        _by_steps(base="all"),
        "You divided the advantages by their deviation, as GRPO does, but this loop doesn't. Only subtract the mean, "
        "without dividing.",
        _by_steps(scaled=True),
        "You summed over the words drawn, so the step grows with their number. Take the mean over the words instead.",
        _by_steps(divided="not"),
        "You divided by the number of words in the vocabulary. Take the mean over the words that were drawn, with "
        "`axis=0`.",
        _by_steps(divided="by V"),
        "You used the slope of p, which has a further factor p. Use the slope of ln p, [i = j] − p, because the draws "
        "already bring in the p.",
        _by_steps(slope="p"),
        "Your slopes have a factor p. The slope of ln p is a difference, [i = j] − p.",
        _by_steps(slope="times p"),
        "You computed p only once, before the loop, so all words come from the first policy. Compute p again in each "
        "step.",
        _by_steps(policy="first"),
        "Each of your steps starts from the first z, so only the last one counts. Continue from the z of the step "
        "before.",
        _by_steps(policy="not kept"),
        _by_steps(rows=slice(-1, None)),
        "Your loop returns after the first row of `luck`. Put the return after the loop, so that every row gets a "
        "step.",
        _by_steps(rows=slice(1)),
        "You left out the last row of `luck`. Take a step for every row.",
        _by_steps(rows=slice(-1)),
        "You left out the first row of `luck`. Take a step for every row.",
        _by_steps(rows=slice(1, None)),
        "z doesn't change in your loop. Have you taken the mean over both axes? The slopes of each word add up to 0, "
        "so take the mean over the drawn words only, with `axis=0`.",
        lambda z, reward, luck, rate: z.copy(),
        "You replaced z by the step. Add the step to z, so that z keeps what it has learnt so far.",
        _by_steps(added=False),
        "You returned the probabilities. Return z, from which the softmax makes them.",
        _by_steps(result="p"),
    ],
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
    [
        "Your loss is correct except for its sign. The optimizer makes the loss smaller, and the rewarded answers "
        "should become more probable, so put a minus in front.",
        lambda log_p, is_written, better: -_loss(log_p, is_written, better),
        "You counted the padding as well. Multiply by `is_written`, and divide by the number of tokens that were "
        "written.",
        lambda log_p, is_written, better: -(better[:, :, None] * log_p).mean(),
        "You left the padding out of the sum, but you divided by the number of all positions. Divide by "
        "`is_written.sum()`.",
        lambda log_p, is_written, better: -(better[:, :, None] * log_p * is_written).mean(),
        "You took the mean of each answer first, so a token in a short answer counts more. Divide once, by the total "
        "number of tokens written.",
        lambda log_p, is_written, better: -(better * (log_p * is_written).sum(axis=2) / is_written.sum(axis=2)).mean(),
        "You divided by the number of answers. Divide by the number of tokens that were written, `is_written.sum()`.",
        lambda log_p, is_written, better: -(better * (log_p * is_written).sum(axis=2)).mean(),
        "You returned the sum, which grows with the number of tokens. Divide it by the number of tokens written.",
        lambda log_p, is_written, better: -(better[:, :, None] * log_p * is_written).sum(),
        "You left out the advantages, so every answer is pushed up. Multiply each token by the advantage of its "
        "answer.",
        lambda log_p, is_written, better: -(log_p * is_written).sum() / is_written.sum(),
        "You used probabilities, but the policy gradient raises their logarithms. Use `log_p` as it is, without `exp`.",
        lambda log_p, is_written, better: -(better[:, :, None] * np.exp(log_p) * is_written).sum() / is_written.sum(),
    ],
)

EXERCISES = (_ADVANTAGES, _LOOP, _LOSS)
