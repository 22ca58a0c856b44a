"""The rewarded adder: its sums, what is drawn and compared, and the kept runs."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest
import torch

from lessons import rewarded_runs
from lessons.addition import sum_text
from lessons.one_step import eight_answers, numbers, one_step
from lessons.rewarded_adder import (
    EVERY,
    STEPS,
    advantages,
    is_right,
    load_half_adder,
    log_p,
    reward_answers,
    share_drawn_right,
    share_right,
    show_answers,
    solved,
    sum_ids,
    sums,
    text_of,
    write,
)
from lessons.rewarded_runs import ASKED, DRAWN, FAST_STEPS, SEEDS, fast_run, pass_at, rewarded_run
from lessons.three_words import draw, error
from utils.data.kept import read_kept


@pytest.fixture
def adder():
    return load_half_adder()


def test_sums_are_split_without_overlap():
    for seed in range(3):
        parts = [{tuple(row) for row in part.tolist()} for part in vars(sums(seed)).values()]
        assert [len(part) for part in parts] == [4000, 5000, 1000] and len(set.union(*parts)) == 10_000


@pytest.mark.parametrize(("a", "b"), [(0, 0), (7, 58), (99, 99), (47, 38)])
def test_sum_ids_agree_with_lesson_16(a, b):
    assert text_of(sum_ids(torch.tensor([a]), torch.tensor([b]))[0]) == sum_text(a, b, digits=2)


def test_drawn_answers_keep_the_question_and_follow_the_probabilities(adder):
    right = sums(0).held_out[:2]
    written = write(adder, right, 2000, torch.Generator().manual_seed(0))
    assert (written[..., :6] == right[:, None, :6]).all() and (written > 0).all()
    with torch.no_grad():
        p = log_p(adder, right[:, None]).sum(dim=-1).exp()[:, 0]
    assert torch.allclose(is_right(written, right).mean(dim=1), p, atol=0.05)


def test_log_p_sums_to_one_over_all_first_digits(adder):
    row = sums(0).held_out[0].repeat(12, 1)
    row[:, 6] = torch.arange(1, 13)
    with torch.no_grad():
        assert log_p(adder, row[:, None])[:, 0, 0].exp().sum() == pytest.approx(1, abs=1e-5)


def test_is_right_needs_every_digit():
    right = sum_ids(torch.tensor([47]), torch.tensor([38]))
    wrong = right.repeat(3, 1)
    wrong[torch.arange(3), torch.arange(6, 9)] += 1
    assert is_right(torch.cat([right, wrong])[None], right).tolist() == [[1, 0, 0, 0]]


def test_advantages_are_zero_in_a_group_of_equal_rewards():
    found = advantages(torch.tensor([[1.0, 1, 1], [0, 0, 1]]))
    assert (
        found[0].tolist() == [0, 0, 0]
        and found[1, 2] == pytest.approx(2**0.5, abs=1e-4)
        and found[1].sum() == pytest.approx(0, abs=1e-5)
    )


def test_rewards_raise_the_share_of_right_answers(adder):
    of = sums(0)
    before = solved(adder, of.held_out, n=8).mean()
    reward_answers(adder, of, seed=0, steps=60)
    assert solved(adder, of.held_out, n=8).mean() > 1.3 * before


def test_show_answers_stops_once_enough_are_right(adder):
    assert show_answers(adder, sums(0), enough=0.0) == 5
    assert show_answers(adder, sums(0), enough=2.0, most=7) == 7


def test_half_adder_is_half_trained(adder):
    held_out = sums(0).held_out
    assert 0.25 <= share_right(adder, held_out) < 0.5 and 0.02 < share_drawn_right(adder, held_out) < 0.4


@pytest.mark.parametrize("k", [1, 2, 5])
def test_pass_at_k_is_the_mean_over_all_choices(k):
    right = [0, 1, 3, 6]
    by_hand = [
        statistics.mean(any(i < hits for i in chosen) for chosen in itertools.combinations(range(6), k))
        for hits in right
    ]
    assert pass_at(k, right, drawn=6) == pytest.approx(statistics.mean(by_hand))


@pytest.mark.parametrize("seed", SEEDS)
def test_saved_runs_are_complete(seed):
    run = rewarded_run(seed)
    assert len(run.before) == len(run.after) == ASKED and max(run.before + run.after) <= DRAWN
    assert len(run.curve) == STEPS // EVERY + 1 and len(fast_run(seed)) == FAST_STEPS // EVERY + 1


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(rewarded_runs._FILE)) == list(rewarded_runs._all())


def test_one_step_raises_rewarded_answer_and_changes_nothing_for_equal_rewards():
    asked = tuple(sums(0).rewarded[2].tolist())
    rewards = tuple(is_right(eight_answers(asked)[None], torch.tensor([asked]))[0].int().tolist())
    assert sum(rewards) == 1
    step = one_step(asked, rewards, baseline=True)
    assert step.after[rewards.index(1)] > step.before[rewards.index(1)] and step.right_after > step.right_before
    equal = one_step(asked, (1,) * 8, baseline=True)
    assert equal.before == equal.after != one_step(asked, (1,) * 8, baseline=False).after


def test_numbers_puts_first_digit_first():
    rows = torch.stack(
        [sum_ids(torch.tensor([47]), torch.tensor([38]))[0], sum_ids(torch.tensor([0]), torch.tensor([0]))[0]]
    )
    assert numbers(rows) == ["85", "0"]


def test_error_of_slopes_is_smaller_with_a_baseline():
    p, reward = np.array([0.5, 0.3, 0.2]), np.array([10.0, 11, 13])
    assert error(p, reward, baseline=True) < 0.2 * error(p, reward, baseline=False)
    assert (np.bincount(draw(p, np.linspace(0.005, 0.995, 100))) == [50, 30, 20]).all()
