"""The sums, states and patches of lesson 22."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from lessons.adders import MORE, SEEDS, saved_adder
from lessons.addition import SIGNS, adder_config, share_right
from lessons.carries import (
    carries_out,
    digits_behind,
    ids_until,
    put,
    random_sums,
    says,
    states_of,
    sums_that_differ,
)
from lessons.patching import Patching
from utils.models.gpt import Gpt


@pytest.mark.parametrize("column", [0, 2])
def test_donors_differ_in_one_column_and_only_in_its_carry(column):
    sums, donors = sums_that_differ(column, n=50, draw=3)
    for (a, b), (c, d) in zip(sums, donors, strict=True):
        assert c + d - a - b == 10 ** (column + 1)
        for one, other in ((a, c), (b, d)):
            assert [x == y for x, y in zip(f"{one:03}"[::-1], f"{other:03}"[::-1], strict=True)].count(False) <= 1
    assert not carries_out(sums, column).any() and carries_out(donors, column).all()
    assert column == 0 or not carries_out(sums, column - 1).any(), "nothing is carried into it"


def test_digit_after_a_column_receives_the_carry():
    assert [SIGNS[id] for id in digits_behind([(291, 187)], column=1).tolist()] == ["4"]
    assert "".join(SIGNS[id] for id in ids_until([(291, 187)], column=1)[0].tolist()) == "291+187=87"


@pytest.mark.parametrize("seed", SEEDS + MORE)
def test_saved_adders_add(seed):
    assert share_right(saved_adder(seed), random_sums(100, draw=7)) > 0.97


def test_patching_all_positions_turns_a_sum_into_its_donor():
    torch.manual_seed(0)
    model, (sums, donors) = Gpt(adder_config(d_model=16)).eval(), sums_that_differ(column=2, n=5)
    ids, others = ids_until(sums, 2), ids_until(donors, 2)
    with torch.no_grad():
        own, wanted = (model(some)[:, -1].argmax(dim=-1) for some in (ids, others))
    behind = states_of(model, others)[0]
    assert torch.equal(says(model, ids, 0, put(range(11), behind)), wanted)
    assert torch.equal(says(model, ids, 0, put([], behind)), own)


def test_one_position_carries_the_verb_and_another_its_person(translator):
    patching = Patching(translator)
    verb = patching.takes("They drink cold water.", "They buy cold water.").shares
    person = patching.takes("They drink cold water.", "We drink cold water.").shares
    assert verb.shape == person.shape == (3, 5)
    assert (verb.argmax(axis=1) == 1).all() and (person.argmax(axis=1) == 0).all()
    assert min(verb[:, 1].min(), person[:, 0].min()) > 0.7 > 0.1 > max(np.delete(verb, 1, 1).max(), person[:, 1:].max())
    own = patching.translate("They drink cold water.", "They drink cold water.", 0, 2)
    assert "buy(they)" in patching.translate("They drink cold water.", "They buy cold water.", 1, 2)
    assert patching.translate("They drink cold water.", "We drink cold water.", 1, 2) == own
