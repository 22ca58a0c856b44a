"""What a sparse autoencoder finds in the states of the small translator, and controls: `python -m lessons.features`.

The states are those after the encoder's last layer, one for each English token. A feature responds to a label by the
share of its activation, over held-out sentences, that falls on tokens with this label. Sources: Elhage et al. 2022
(superposition), Bricken et al. 2023 (sparse autoencoders), Heap et al. 2025 (untrained models as a control).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn.functional import normalize

from lessons.ablations import course_translator
from lessons.persons import endings_taken, states_at
from lessons.probing import kinds_of, look
from utils.data.corpora import english_persian
from utils.data.kept import keep, read_kept
from utils.show.drawing import two_forms
from utils.show.figures import COLOURS, with_alt
from utils.training.train import new_translator
from utils.training.translator import Translator

SIZE, PENALTY, STEPS, BATCH = 256, 2.0, 1500, 256
SEEDS = (0, 1, 2)
OTHER_PENALTIES = (1.0, 3.0)
SWAPS = (1, 2, 3)  # features that are exchanged
DRAWS = range(5)  # of other features
OFTEN = 20  # held-out tokens; a feature that is on at fewer is not counted
_FILE = Path(__file__).with_name("features.json")


class Sae(NamedTuple):
    """A sparse autoencoder: directions W (size, d) of length 1, encoder E (d, size) and b (size,), centre c (d,)."""

    W: Tensor
    E: Tensor
    b: Tensor
    c: Tensor

    def features(self, x: Tensor) -> Tensor:
        """Return how strongly each feature is on in the states x (P, d): (P, size)."""
        return torch.relu((x - self.c) @ self.E + self.b)

    def back(self, f: Tensor) -> Tensor:
        """Return the states (P, d) that features f (P, size) stand for."""
        return f @ self.W + self.c


class States(NamedTuple):
    """States of tokens to train on, (P, d), and of held-out tokens with their words and kinds of word."""

    train: Tensor
    test: Tensor
    words: Tensor
    kinds: Tensor


def train_sae(x: Tensor, seed: int = 0, size: int = SIZE, penalty: float = PENALTY, steps: int = STEPS) -> Sae:
    """Train on states x (P, d) for the squared error plus `penalty` times the sum of the features."""
    generator = torch.Generator().manual_seed(seed)
    W = normalize(torch.randn(size, x.shape[1], generator=generator), dim=1)
    sae = Sae(W, W.T.clone(), torch.zeros(size), x.mean(dim=0))
    for parameter in sae:
        parameter.requires_grad_()
    optimizer = torch.optim.Adam(sae, lr=2e-3)
    for _ in range(steps):
        batch = x[torch.randint(len(x), (BATCH,), generator=generator)]
        f = sae.features(batch)
        loss = ((batch - sae.back(f)) ** 2).sum(dim=1).mean() + penalty * f.sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            W /= W.norm(dim=1, keepdim=True)
    return Sae(*(parameter.detach() for parameter in sae))


def encoder_states(translator: Translator) -> States:
    """Look up the states of a translator in a fifteenth of the training sentences and half of the held-out ones."""
    corpus = english_persian()
    train, test = (look(translator, pairs) for pairs in (corpus.train[::15], corpus.held_out[::2]))
    labels = test.words, kinds_of(translator, test.words)
    return States(
        *(torch.from_numpy(seen.english[-1]).float() for seen in (train, test)), *map(torch.from_numpy, labels)
    )


def shares(f: Tensor, labels: Tensor) -> Tensor:
    """Return the share of the activation f (P, size) that falls on each of the labels (P,), (labels, size)."""
    sums = torch.zeros(int(labels.max()) + 1, f.shape[1]).index_add(0, labels, f)
    return sums / sums.sum(dim=0).clamp_min(1e-9)


def on_often(f: Tensor) -> Tensor:
    """Return only the features of f (P, size) that are on at OFTEN tokens or more."""
    return f[:, (f > 0).sum(dim=0) >= OFTEN]


def along(directions: Tensor, x: Tensor, f: Tensor) -> Tensor:
    """Return a feature for each of the directions (size, d) that is on in as many states x as its counterpart in f."""
    lengths = (x - x.mean(dim=0)) @ normalize(directions, dim=1).T
    n_on = (f > 0).sum(dim=0, keepdim=True).clamp_max(len(x) - 1)
    return torch.relu(lengths - lengths.sort(dim=0, descending=True).values.gather(0, n_on))


def for_one_word(f: Tensor, words: Tensor) -> float:
    """Return the share of the features that give more than half of their activation to one word."""
    return (shares(on_often(f), words).amax(dim=0) > 0.5).double().mean().item()


def for_one_kind(f: Tensor, words: Tensor, kinds: Tensor) -> int:
    """Count the features with less than half on each word, but over nine tenths on nouns, verbs or adjectives."""
    f = on_often(f)
    return int(((shares(f, words).amax(dim=0) < 0.5) & (shares(f, kinds)[:3].amax(dim=0) > 0.9)).sum())


def swapped(sae: Sae, own: Tensor, donor: Tensor, k: int, others: int | None = None) -> Tensor:
    """Return the change of each state (P, d) if the k features that differ most get the donor's strength.

    others: a seed, to write the same strengths along other features, drawn at random, in a change of the same length.
    """
    difference = sae.features(donor) - sae.features(own)
    chosen = difference.abs().topk(k, dim=1).indices
    exchanged = torch.zeros_like(difference).scatter(1, chosen, difference.gather(1, chosen))
    change = exchanged @ sae.W
    if others is None:
        return change
    drawn = sae.W[torch.randperm(len(sae.W), generator=torch.Generator().manual_seed(others))]
    return normalize(exchanged @ drawn, dim=1) * change.norm(dim=1, keepdim=True)


def saved_features() -> dict[str, dict[str, Any]]:
    """Return what was measured with each seed, by the name of the run."""
    return read_kept(_FILE)


@two_forms
def show_directions(W: Tensor, titles: Sequence[str], kept: float = 0.5, narrow: bool = False) -> Figure:
    """Draw the directions W (pictures, features, 2) as arrows from the middle, a picture for each title.

    narrow: draw the pictures below each other.
    """
    shape = (len(W), 1) if narrow else (1, len(W))
    figure, told = Figure(figsize=(3.1 * shape[1] + 1, 3.3 * shape[0]), layout="constrained"), []
    for at, (directions, title) in enumerate(zip(W.tolist(), titles, strict=True)):
        axes = figure.add_subplot(*shape, at + 1)
        for k, ((x, y), colour) in enumerate(zip(directions, COLOURS, strict=False), start=1):
            axes.plot([0, x], [0, y], color=colour, linewidth=2.5, label=str(k))
            axes.plot([x], [y], "o", color=colour)
        axes.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), aspect="equal", xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        axes.set_title(title)
        lengths = W[at].norm(dim=1)
        told.append(f"{title}: {int((lengths > kept).sum())} arrows longer than {kept}, lengths "
                    + ", ".join(f"{length:.2f}" for length in lengths.tolist()))  # fmt: skip
    figure.legend(*axes.get_legend_handles_labels(), title="feature", loc="outside center right")
    return with_alt(figure, "Arrows in the plane, one for each feature. " + "; ".join(told) + ".")


@cache
def _course() -> tuple[Translator, States]:
    translator = course_translator()
    return translator, encoder_states(translator)


@cache
def _course_sae(seed: int) -> Sae:
    return train_sae(_course()[1].train, seed)


@cache
def _untrained_states(seed: int) -> tuple[Tensor, Tensor]:
    """Return the `train` and `test` states of an untrained translator, as far from their mean as the course's are."""
    states = encoder_states(new_translator(english_persian(), seed))
    course, own = ((x - x.mean(dim=0)).norm(dim=1).mean() for x in (_course()[1].train, states.train))
    return course / own * states.train, course / own * states.test


def _fresh_features(seed: int, penalty: float = PENALTY) -> Tensor:
    """Train an autoencoder on an untrained translator, and return the features of its held-out states."""
    train, test = _untrained_states(seed)
    return train_sae(train, seed, penalty=penalty).features(test)


def at_penalty(penalty: float, seed: int) -> dict[str, float]:
    """Measure with another penalty what the lesson says of the usual one."""
    (translator, states), (own, donor) = _course(), states_at(_course()[0])
    sae = train_sae(states.train, seed, penalty=penalty)
    return {
        "the autoencoder": for_one_word(sae.features(states.test), states.words),
        "an untrained translator": for_one_word(_fresh_features(seed, penalty), states.words),
        "swapped": endings_taken(translator, own + swapped(sae, own, donor, SWAPS[-1])),
    }


def measured(seed: int) -> dict[str, Any]:
    """Measure the autoencoder of a seed, its controls, and what its features change in the translations."""
    (translator, states), sae = _course(), _course_sae(seed)
    generator = torch.Generator().manual_seed(100 + seed)
    x, words, kinds = states.test, states.words, states.kinds
    f = sae.features(x)
    drawn = states.train[torch.randint(len(states.train), (SIZE,), generator=generator)] - states.train.mean(dim=0)
    controls = {
        "the autoencoder": (f, words),
        "shuffled words": (f, words[torch.randperm(len(words), generator=generator)]),
        "random directions": (along(torch.randn(SIZE, x.shape[1], generator=generator), x, f), words),
        "directions of single states": (along(drawn, x, f), words),
        "an untrained translator": (_fresh_features(seed), words),
    }
    own, donor = states_at(translator)

    def taken(k: int, others: int | None = None) -> int:
        return endings_taken(translator, own + swapped(sae, own, donor, k, others))

    other = _course_sae((seed + 1) % len(SEEDS))
    return {
        "one word": {name: for_one_word(*given) for name, given in controls.items()},
        "one kind": {
            name: for_one_kind(some, words, kinds) for name, (some, _) in controls.items() if name != "shuffled words"
        },
        "twins": ((sae.W @ other.W.T).amax(dim=1) > 0.9).double().mean().item(),
        "swapped": [taken(k) for k in SWAPS],
        "others": [[taken(k, draw) for draw in DRAWS] for k in SWAPS],
        "penalties": {str(penalty): at_penalty(penalty, seed) for penalty in OTHER_PENALTIES},
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    keep(_FILE, {f"seed {seed}": lambda seed=seed: measured(seed) for seed in SEEDS})
