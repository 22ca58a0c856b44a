"""The saved runs of a mixture of experts: all are there, and the mixture routes, weights and balances as it says."""

from __future__ import annotations

import pytest
import torch

from lessons import expert_runs
from lessons.expert_runs import FEED_FORWARDS, SEEDS, Experts, expert_run, weights_of, writer_with
from utils.data.kept import read_kept
from utils.models.gpt import GptConfig

CONFIG = GptConfig(vocabulary=8, d_model=8, n_heads=2, d_ff=16, dropout=0.0)


def mixture(k: int, n_experts: int = 4) -> Experts:
    torch.manual_seed(0)
    return Experts(CONFIG, n_experts, k)


def test_every_planned_run_is_saved_and_no_other():
    assert list(read_kept(expert_runs._FILE)) == list(expert_runs._all())
    for name, kind in FEED_FORWARDS.items():
        for seed in SEEDS:
            loads = expert_run(name, seed).loads
            assert len(loads) == (2 if kind.n_experts > 1 else 0)
            assert all(len(load) == kind.n_experts and sum(load) == pytest.approx(1, abs=0.01) for load in loads)


@pytest.mark.parametrize("k", [1, 2])
def test_token_uses_its_best_experts_weighted_by_their_shares(k):
    experts, x = mixture(k), torch.randn(2, 5, 8)
    p = experts.router(x[1, 3]).softmax(dim=-1)
    best = p.argsort(descending=True)[:k]
    shares = p[best] / p[best].sum() if k > 1 else p[best]
    expected = sum(share * experts.experts[i](x[1, 3]) for share, i in zip(shares, best, strict=True))
    assert torch.allclose(experts(x)[1, 3], expected, atol=1e-6)


@torch.no_grad()
def test_balance_is_one_for_even_load_and_at_most_the_number_of_experts():
    experts, x = mixture(1), torch.eye(8)[:4]  # four tokens, each with a direction of its own
    experts.router.weight.data = 50 * torch.eye(4, 8)  # each chooses another expert
    experts(x)
    assert experts.load.tolist() == [0.25] * 4 and float(experts.balance) == pytest.approx(1)
    experts.router.weight.data = 0.1 * torch.eye(4, 8)  # less sure, and only two experts are chosen
    experts(x[:2])
    p = experts.router(x[:2]).softmax(dim=-1).mean(dim=0)
    assert float(experts.balance) == pytest.approx(4 * float(0.5 * p[0] + 0.5 * p[1]))
    experts.router.weight.data = torch.cat([50 * torch.ones(1, 8), torch.zeros(3, 8)])  # all choose the first
    experts(x)
    assert experts.load.tolist() == [1, 0, 0, 0] and float(experts.balance) == pytest.approx(4)


def test_router_learns_through_the_weight_of_its_choice():
    experts = mixture(1)
    experts(torch.randn(6, 8)).sum().backward()
    assert experts.router.weight.grad.abs().max() > 0


def test_kinds_use_or_hold_equally_many_weights():
    (small, experts, smaller, unbalanced, large) = map(weights_of, FEED_FORWARDS.values())
    assert small[0] == small[1] and large[0] == large[1] and experts == unbalanced
    for used, held in (experts, smaller):
        assert used == pytest.approx(small[0], rel=0.02) and held == pytest.approx(large[0], rel=0.02)
    counted = sum(
        p.numel() for p in writer_with(FEED_FORWARDS["1 of 4 experts"], 0).layers[0].feed_forward.parameters()
    )
    assert counted == experts[1]
