"""Sums that differ in one column and its carry, and an adder whose states come from another sum: lesson 22.

The places of a sum are those of its text, 341+678=: three digits, the plus, three digits, the equals sign, and then
the digits of the answer as far as they have been written, the last one first. Columns are counted from the ones, 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import torch
from torch import Tensor

from lessons.addition import SIGNS, as_ids, sum_text
from utils.models.gpt import Gpt
from utils.models.watching import watching

Sum = tuple[int, int]


@cache  # several adders are asked the same sums
def sums_that_differ(column: int, n: int, draw: int = 0) -> tuple[Sequence[Sum], Sequence[Sum]]:
    """n sums that carry nothing out of `column`, and for each a donor, with other digits in this column alone.

    The two digits of the donor end in the same digit of the answer, and carry a 1 to the next column: their sum is 10
    more. Nothing is carried into the column.
    """
    random, unit = np.random.default_rng(draw), 10**column
    found, donors = [], []
    while len(found) < n:
        a, b = random.integers(0, 1000, 2).tolist()
        digits = random.integers(0, 10, (2, 2)).tolist()  # of the sum, and of its donor
        own, other = map(sum, digits)
        if a % unit + b % unit < unit and other == own + 10:
            rest = [number - number // unit % 10 * unit for number in (a, b)]
            pair = [tuple(r + d * unit for r, d in zip(rest, both, strict=True)) for both in digits]
            found.append(pair[0])
            donors.append(pair[1])
    return tuple(found), tuple(donors)


def ids_until(sums: Sequence[Sum], column: int) -> Tensor:
    """The sums as an adder reads them before it says the digit behind `column`, (P, 9 + column)."""
    return torch.tensor([as_ids(sum_text(a, b)[: 9 + column]) for a, b in sums])


def digits_behind(sums: Sequence[Sum], column: int) -> Tensor:
    """The ids of the digit behind `column` of each answer, the one that the carry goes to, (P,)."""
    return torch.tensor([as_ids(sum_text(a, b)[9 + column])[0] for a, b in sums])


def states_of(model: Gpt, ids: Tensor) -> list[Tensor]:
    """What stands behind each layer, (P, N, d_model) each."""
    with torch.no_grad(), watching(model) as maps:
        model(ids)
    return [maps["decoder", layer, "states"] for layer in range(model.config.n_layers)]


def says(model: Gpt, ids: Tensor, layer: int, change: Callable[[Tensor], Tensor]) -> Tensor:
    """What the model says at the last place, (P,), when `change` is made to the states behind `layer`."""
    with torch.no_grad(), watching(model, changes={("decoder", layer, "states"): change}):
        return model(ids)[:, -1].argmax(dim=-1)


def put(places: Sequence[int], donor: Tensor) -> Callable[[Tensor], Tensor]:
    """A change: the states (P, N, d_model) of these places are those of the donor."""

    def change(x: Tensor) -> Tensor:
        x = x.clone()
        x[:, places] = donor[:, places]
        return x

    return change


def patched_says(model: Gpt, sums: Sequence[Sum], donors: Sequence[Sum], column: int, layer: int) -> Tensor:
    """What is said behind `column` with the state of one place from the donor, for every place, (N, P)."""
    ids, behind = ids_until(sums, column), states_of(model, ids_until(donors, column))[layer]
    return torch.stack([says(model, ids, layer, put([place], behind)) for place in range(ids.shape[1])])


def share_patched(model: Gpt, column: int, layer: int = 0, n: int = 400, draw: int = 0) -> np.ndarray:
    """For each place the share of sums whose next digit becomes that of a donor with the carry, (N,)."""
    sums, donors = sums_that_differ(column, n, draw)
    said = patched_says(model, sums, donors, column, layer)
    return (said == digits_behind(donors, column)).double().mean(dim=1).numpy()


def brought_by_any(model: Gpt, place: int, n: int = 400, draw: int = 0) -> tuple[float, float, float]:
    """The control: what the state of `place` behind layer 1 brings to the hundreds from any other sum.

    Returns the share that says its own hundreds with the donor's carry; the same where the carries differ and the tens
    with what they get are at most 3 apart; and the share that says the donor's own digit.
    """
    sums, donors = random_sums(n, 2 * draw), random_sums(n, 2 * draw + 1)
    behind = states_of(model, ids_until(donors, 1))[0]
    said = says(model, ids_until(sums, 1), 0, put([place], behind))
    numbers = torch.tensor([int(SIGNS[id]) for id in said.tolist()])
    (own, tens), (_, tens_of_donor) = (
        (
            torch.tensor([a // 100 + b // 100 for a, b in some]),
            torch.tensor([(a % 100 + b % 100) // 10 for a, b in some]),
        )
        for some in (sums, donors)
    )
    right = numbers == (own + (tens_of_donor >= 10)) % 10
    near = ((tens >= 10) != (tens_of_donor >= 10)) & ((tens - tens_of_donor).abs() <= 3)
    return tuple(part.double().mean().item() for part in (right, right[near], said == digits_behind(donors, 1)))


def random_sums(n: int, draw: int) -> list[Sum]:
    """Any n sums."""
    return [(a, b) for a, b in np.random.default_rng(draw).integers(0, 1000, (n, 2)).tolist()]


def carries_out(sums: Sequence[Sum], column: int) -> Tensor:
    """Which of the sums carry a 1 out of `column`, (P,) of bool."""
    unit = 10 ** (column + 1)
    return torch.tensor([a % unit + b % unit >= unit for a, b in sums])


def steered(model: Gpt, sums: Sequence[Sum], column: int, place: int, direction: Tensor) -> list[str]:
    """The signs that the model says behind `column` when `direction` (d_model,) is added at `place` behind layer 1."""

    def change(x: Tensor) -> Tensor:
        x = x.clone()
        x[:, place] += direction
        return x

    return [SIGNS[id] for id in says(model, ids_until(sums, column), 0, change).tolist()]
