"""The rewarded adder: its sums, what is drawn and compared, and the kept runs."""

from __future__ import annotations

import itertools
import statistics

import numpy as np
import pytest
import torch

from lessons import rewarded_runs
from lessons.addition import as_ids
from lessons.one_step import eight_answers, one_step
from lessons.rewarded_adder import (
    advantages,
    drift,
    is_right,
    load_half_adder,
    log_p,
    reward_answers,
    solved,
    sums,
    write,
)
from lessons.rewarded_runs import (
    clipped_gain,
    has_last_digit,
    pass_at,
)
from lessons.three_words import draw, error
from utils.data.kept import read_kept


@pytest.fixture
def adder():
    return load_half_adder()


def test_sums_are_split_without_overlap():
    for seed in range(3):
        parts = [{tuple(row) for row in part.tolist()} for part in vars(sums(seed)).values()]
        assert [len(part) for part in parts] == [4000, 5000, 1000] and len(set.union(*parts)) == 10_000


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
    right = torch.tensor([as_ids("47+38=580")])
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


@pytest.mark.parametrize("k", [1, 2, 5])
def test_pass_at_k_is_the_mean_over_all_choices(k):
    right = [0, 1, 3, 6]
    by_hand = [
        statistics.mean(any(i < hits for i in chosen) for chosen in itertools.combinations(range(6), k))
        for hits in right
    ]
    assert pass_at(k, right, drawn=6) == pytest.approx(statistics.mean(by_hand))


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


def test_error_of_slopes_is_smaller_with_a_baseline():
    p, reward = np.array([0.5, 0.3, 0.2]), np.array([10.0, 11, 13])
    assert error(p, reward, baseline=True) < 0.2 * error(p, reward, baseline=False)
    assert (np.bincount(draw(p, np.linspace(0.005, 0.995, 100))) == [50, 30, 20]).all()


def test_drift_is_zero_at_start_and_its_mean_is_the_kl_divergence():
    p, q = torch.tensor([0.7, 0.2, 0.1]), torch.tensor([0.3, 0.3, 0.4])
    assert (drift(p.log(), p.log()) == 0).all() and (drift(p.log(), q.log()) > 0).all()
    assert float(p @ drift(p.log(), q.log())) == pytest.approx(float(p @ (p / q).log()), abs=1e-6)


def test_reward_answers_moves_less_with_a_hold(adder):
    of, first = sums(0), load_half_adder()
    held_out = of.held_out[:200]
    drifts = []
    for hold in (0.0, 1.0):
        model = load_half_adder()
        reward_answers(model, of, seed=0, reward=has_last_digit, steps=15, hold=hold)
        written = write(model, held_out, 1, torch.Generator().manual_seed(0))
        with torch.no_grad():
            drifts.append(float(drift(log_p(model, written), log_p(first, written)).mean()))
    assert drifts[1] < 0.8 * drifts[0]


@pytest.mark.parametrize(("better", "slopes"), [(1.0, [1, 1, 0]), (-1.0, [0, -1, -1])])
def test_clipped_gain_has_no_slope_once_the_ratio_has_moved_as_it_is_pushed(better, slopes):
    ratio = torch.tensor([0.5, 1.1, 1.5], requires_grad=True)
    clipped_gain(ratio, torch.tensor(better), 0.2).sum().backward()
    assert ratio.grad.tolist() == slopes


def test_has_last_digit_ignores_other_digits_but_wants_a_number():
    right = torch.tensor([as_ids("47+38=580")])
    answers = ["580", "511", "480", "5+0"]
    written = torch.cat([right[:, :6].repeat(4, 1), torch.tensor([as_ids(a) for a in answers])], 1)
    assert has_last_digit(written[None], right).tolist() == [[1, 1, 0, 0]]
