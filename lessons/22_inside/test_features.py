"""The sparse autoencoder of lesson 22, on states whose directions are known, and what was kept of the translator's."""

from __future__ import annotations

import torch
from torch.nn.functional import normalize

from lessons.features import (
    Sae,
    for_one_kind,
    for_one_word,
    shares,
    swapped,
    train_sae,
)
from lessons.persons import PAIRS, VERB, endings_taken, states_at


def test_autoencoder_finds_directions_that_are_rarely_on():
    random = torch.Generator().manual_seed(1)
    planted = normalize(torch.randn(10, 8, generator=random), dim=1)
    strength = (1 + 4 * torch.rand(4000, 10, generator=random)) * (torch.rand(4000, 10, generator=random) < 0.08)
    sae = train_sae(strength @ planted, size=20, penalty=0.2, steps=1500)
    assert torch.allclose(sae.W.norm(dim=1), torch.ones(20), atol=1e-5)
    assert (planted @ sae.W.T).amax(dim=1).mean() > 0.9
    random_ones = normalize(torch.randn(20, 8, generator=random), dim=1)
    assert (planted @ random_ones.T).amax(dim=1).mean() < 0.8


def test_shares_measure_activation_strength_not_token_counts():
    f, words = torch.tensor([[1.0, 0.0], [1.0, 2.0], [6.0, 0.0]]), torch.tensor([0, 0, 1])
    assert torch.allclose(shares(f, words), torch.tensor([[0.25, 1.0], [0.75, 0.0]]))


def test_features_for_one_word_and_for_one_kind_are_distinguished():
    words = torch.arange(4).repeat_interleave(30)
    kinds = torch.tensor([0, 0, 0, 1]).repeat_interleave(30)
    one_word, nouns, both = (words == 1).float(), (words < 3).float(), torch.ones(120)
    f = torch.stack([one_word, nouns, both], dim=1)
    assert for_one_kind(f, words, kinds) == 1 and abs(for_one_word(f, words) - 1 / 3) < 1e-9


def test_swapping_all_features_gives_the_donors_rebuilt_state():
    random = torch.Generator().manual_seed(0)
    sae = Sae(*(torch.randn(shape, generator=random) for shape in ((7, 4), (4, 7), (7,), (4,))))
    own, donor = torch.randn(2, 3, 4, generator=random)
    whole = sae.back(sae.features(donor)) - sae.back(sae.features(own))
    assert torch.allclose(swapped(sae, own, donor, 7), whole, atol=1e-5)
    assert not torch.allclose(swapped(sae, own, donor, 1), whole, atol=1e-5)
    others = swapped(sae, own, donor, 7, others=0)
    assert torch.allclose(others.norm(dim=1), whole.norm(dim=1), atol=1e-4) and not torch.allclose(
        others, whole, atol=0.1
    )


def test_pronoun_states_carry_their_endings(translator):
    own, donor = states_at(translator)
    assert endings_taken(translator, donor) == len(PAIRS) and endings_taken(translator, own) == 0
    assert endings_taken(translator, states_at(translator, VERB)[1], VERB) == 0
