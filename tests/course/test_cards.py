"""What a card says of an answer is true: submissions of which a card once said something else."""

from __future__ import annotations

import numpy as np
import pytest

from utils.by_hand.positional import positional_encoding
from utils.course.exercises import EXERCISES, Verdict, diagnose


def updated_in_place(looks, n_blocks):
    reached = np.eye(len(looks), dtype=bool)
    for _ in range(n_blocks):
        for i in range(len(looks)):
            reached[i] |= looks[i] @ reached
    return reached


def in_whole_numbers(looks, n_blocks):
    reached = np.eye(len(looks), dtype=int)
    for _ in range(n_blocks):
        reached = reached | (looks.astype(int) @ reached)
    return reached


def in_groups(x, gamma, beta, n_groups, eps):
    groups = x.reshape(len(x), n_groups, -1)
    off = groups - groups.mean(axis=2, keepdims=True)
    return (off / np.sqrt(groups.var(axis=2, keepdims=True) + eps)).reshape(x.shape) * gamma + beta


def gamma_of_the_first_group(x, gamma, beta, n_groups, eps):
    width = x.shape[1] // n_groups
    return in_groups(x, *(np.tile(y[:width], n_groups) for y in (gamma, beta)), n_groups, eps)


def nearest_by_a_sum(x, table, n, base):
    rows = table[:, None] + positional_encoding(n, len(x), base)
    return divmod(np.abs((x - rows).sum(axis=2)).argmin(), n)


@pytest.mark.parametrize(
    ("name", "answer", "says"),
    [
        ("10.reach", in_whole_numbers, "What is above 1 should become 1"),
        ("10.reach", lambda looks, n: np.linalg.matrix_power(looks + np.eye(len(looks), dtype=int), n), "above 1"),
        ("10.reach", updated_in_place, "All that should be True is True, and more besides"),
        ("04.word_and_place", nearest_by_a_sum, "cancel"),
        ("08.packed", lambda ids: ids[:, None] >= ids, "All that should be True is True, and more besides"),
        (
            "10.broken_line",
            lambda x, y: (*EXERCISES["10.broken_line"].reference(x, y)[:2], y[0]),
            "shape (1,) is expected",
        ),
    ],
)
def test_what_is_true_is_said(name, answer, says):
    assert says in diagnose(EXERCISES[name], answer).sentence


@pytest.mark.parametrize(
    ("name", "answer", "never"),
    [
        ("13.find_temperature", lambda gap, share: -0.0, "largest"),
        ("13.find_temperature", lambda gap, share: 1.0, "softmax"),
        ("06.divisor", lambda d_k, var_q, var_k: 0, "largest"),
        ("03.balance", lambda count, share: 0, "largest"),
        ("09.group_norm", gamma_of_the_first_group, "one thing"),
    ],
)
def test_what_is_not_true_is_not_said(name, answer, never):
    diagnosis = diagnose(EXERCISES[name], answer)
    assert diagnosis.verdict is Verdict.MISTAKE and never not in diagnosis.sentence
