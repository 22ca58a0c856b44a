"""What the states of a translator know, and what is lost without a part of them: lesson 18's probes and ablations.

A level is a place on the way of the residual stream: 0 for what was looked up (embedding and position), 1 for what
leaves the first block, and so on. A probe is a linear classifier, fitted by least squares with a small ridge, which
has one solution and needs no training. Sources: Alain and Bengio 2017 (linear probes); Hewitt and Liang 2019
(control tasks).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lessons.right_sentences import batches_of, share_right
from utils.data.corpora import Corpus, Pair
from utils.data.grammar import ADJECTIVES, NOUNS, PLACE_VERBS, VERBS
from utils.data.vocabulary import PAD
from utils.models.watching import Change, watching
from utils.training.batches import Batch
from utils.training.translator import Translator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RIDGE = 1.0
UNSEEN = 3  # of the nouns, verbs and adjectives, every third is kept from the probe of word kinds
MOODS = ("question", "with not", "statement")
KINDS = ("noun", "verb", "adjective", "other")
_FORMS = (
    {form for noun in NOUNS for form in (noun.english, noun.plural)} - {""},
    {form for verb in (*VERBS, *PLACE_VERBS) for form in (verb.english, verb.singular, verb.past)} - {""},
    {english for english, *_ in ADJECTIVES},
)


@dataclass(frozen=True, eq=False)
class Activations:
    """What all tokens of many sentences look like inside: n English and m Persian ones, in the order of the pass."""

    english: list[Floats]  # a level each: (n, d_model)
    words: Ints  # (n,) ids of the English tokens
    places: Ints  # (n,) counted from 0
    moods: Ints  # (n,) of their sentence, a number in MOODS
    persian: list[Floats]  # a level each: (m, d_model)
    read: Ints  # (m,) ids of what the decoder has read last
    writes: Ints  # (m,) ids of what it has to write there


def pairs_for_probes(corpus: Corpus) -> tuple[list[Pair], list[Pair]]:
    """Sentences to fit a probe on, from the training set, and held-out ones to test it with."""
    return corpus.train[::23], corpus.held_out[::4]


def look(translator: Translator, pairs: Sequence[Pair]) -> Activations:
    """The states of all tokens of `pairs` at all levels, the decoder reading the right words."""
    model, name_of = translator.model.eval(), translator.source_vocabulary.tokens
    found: dict[str, list] = {name: [] for name in ("words", "places", "moods", "read", "writes")}
    levels: dict[str, list[list[Floats]]] = {"encoder": [], "decoder": []}
    for batch in batches_of(translator, pairs):
        real = batch.target_out != PAD
        with torch.no_grad(), watching(model) as maps:
            model(batch.source, batch.target_in)
            below = (
                model._embed(batch.source, model.source_embedding),
                model._embed(batch.target_in, model.target_embedding),
            )
        for place, first, wanted in zip(levels, below, (batch.source != PAD, real), strict=True):
            states = [first] + [maps[at] for at in sorted(maps) if at[0] == place and at[2] == "states"]
            levels[place].append([level[wanted].double().numpy() for level in states])
        rows, n = batch.source.shape
        found["words"] += batch.source.flatten().tolist()
        found["places"] += [*range(n)] * rows
        found["moods"] += [mood for row in batch.source.tolist() for mood in [_mood(name_of(row))] * n]
        found["read"] += batch.target_in[real].tolist()
        found["writes"] += batch.target_out[real].tolist()
    english, persian = ([np.concatenate(level) for level in zip(*parts, strict=True)] for parts in levels.values())
    return Activations(english=english, persian=persian, **{name: np.array(values) for name, values in found.items()})


def kinds_of(translator: Translator, words: Ints) -> Ints:
    """The kind of each word (n,), a number in KINDS, as the grammar that has written the corpus has it."""
    return np.array([_kind(word) for word in translator.source_vocabulary.tokens(words.tolist())])


def control_labels(kinds: Ints, words: Ints, draw: int = 0) -> dict[int, int]:
    """A label for each word by chance, as often the one or the other as `kinds` (n,) has them: a control task."""
    random, shares = np.random.default_rng(draw), np.bincount(kinds) / len(kinds)
    return {word: int(random.choice(len(shares), p=shares)) for word in sorted(set(words.tolist()))}


def probe(states: Floats, labels: Ints, tested: Floats) -> Ints:
    """Fits a linear classifier on states (n, d) with labels (n,), and says the labels of `tested` (k, d)."""
    mean, spread = states.mean(axis=0), states.std(axis=0) + 1e-9
    X, T = (np.column_stack([(x - mean) / spread, np.ones(len(x))]) for x in (states, tested))
    wanted = np.eye(labels.max() + 1)[labels]
    return (T @ np.linalg.solve(X.T @ X + RIDGE * np.eye(X.shape[1]), X.T @ wanted)).argmax(axis=1)


def logistic_probe(states: Floats, labels: Ints, tested: Floats) -> Ints:
    """Fit a linear classifier by cross-entropy on states (n, d) with labels (n,), and label `tested` (k, d).

    L-BFGS starts from weights of 0, with a little weight decay, and draws nothing at random.
    """
    mean, spread = states.mean(axis=0), states.std(axis=0) + 1e-9
    X, T = (torch.from_numpy((x - mean) / spread).float() for x in (states, tested))
    layer, wanted = torch.nn.Linear(X.shape[1], int(labels.max()) + 1), torch.from_numpy(labels)
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    optimizer = torch.optim.LBFGS(layer.parameters(), max_iter=40, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(layer(X), wanted) + 1e-4 * layer.weight.square().sum()
        loss.backward()
        return loss

    optimizer.step(loss)
    with torch.no_grad():
        return layer(T).argmax(dim=1).numpy()


def what_levels_know(translator: Translator, fit: Activations, test: Activations) -> dict[str, list[float]]:
    """Question -> the share that a probe gets right at each level, on sentences that it was not fitted on."""
    kinds, kinds_test = (kinds_of(translator, seen.words) for seen in (fit, test))
    control = control_labels(kinds, np.concatenate([fit.words, test.words]))
    by_chance = [np.array([control[word] for word in seen.words.tolist()]) for seen in (fit, test)]
    nouns, nouns_test = kinds == 0, kinds_test == 0
    found = {}
    everywhere = np.ones(len(fit.words), bool), np.ones(len(test.words), bool)
    for question, labels, (of, asked) in (
        ("which word", (fit.words, test.words), everywhere),
        ("which place", (fit.places, test.places), everywhere),
        ("kind of word", (kinds, kinds_test), everywhere),
        ("control task", by_chance, everywhere),
        ("kind of sentence, asked at nouns", (fit.moods, test.moods), (nouns, nouns_test)),
    ):
        found[question] = [
            _share(probe(x[of], labels[0][of], t[asked]) == labels[1][asked])
            for x, t in zip(fit.english, test.english, strict=True)
        ]
    for question, name in (("Persian: word read", "read"), ("Persian: word to write", "writes")):
        found[question] = [
            _share(probe(x, getattr(fit, name), t) == getattr(test, name))
            for x, t in zip(fit.persian, test.persian, strict=True)
        ]
    return found


def selectivity(translator: Translator, fit: Activations, test: Activations, draw: int) -> list[float]:
    """How much more often a probe is right about kinds of words than about labels by chance, at each level."""
    kinds, kinds_test = (kinds_of(translator, seen.words) for seen in (fit, test))
    label_of = control_labels(kinds, np.concatenate([fit.words, test.words]), draw)
    by_chance, wanted = (np.array([label_of[word] for word in seen.words.tolist()]) for seen in (fit, test))
    return [
        float((probe(x, kinds, t) == kinds_test).mean() - (probe(x, by_chance, t) == wanted).mean())
        for x, t in zip(fit.english, test.english, strict=True)
    ]


def kept_words(translator: Translator, split: int) -> Ints:
    """The ids of those nouns, verbs and adjectives that the probe of word kinds is not fitted on, drawn by `split`."""
    forms = sorted(word for word in set().union(*_FORMS) if word in translator.source_vocabulary)
    chosen = np.random.default_rng(split).permutation(forms)[: len(forms) // UNSEEN]
    return np.array(translator.source_vocabulary.ids(chosen.tolist()))


def kinds_of_unseen_words(translator: Translator, fit: Activations, test: Activations, splits: Iterable[int]) -> Floats:
    """What a probe gets right of words that were kept from it, by split and level; last what the commonest kind gets.

    The words that are kept are drawn anew for each of `splits`: (splits, levels + 1).
    """
    kinds, kinds_test = (kinds_of(translator, seen.words) for seen in (fit, test))
    found = []
    for split in splits:
        kept = kept_words(translator, split)
        known, unseen = (kinds < 3) & ~np.isin(fit.words, kept), np.isin(test.words, kept)
        levels = zip(fit.english, test.english, strict=True)
        shares = [(probe(x[known], kinds[known], t[unseen]) == kinds_test[unseen]).mean() for x, t in levels]
        found.append([*shares, np.bincount(kinds_test[unseen]).max() / unseen.sum()])
    return np.array(found)


def alike(states: Floats, words: Ints) -> tuple[float, float]:
    """The mean cosine of two tokens, each less the mean of all: of the same word, and of two different ones."""
    unit = _unit(states)
    i, j = np.random.default_rng(0).integers(0, len(unit), (2, 60_000))
    i, j = i[i != j], j[i != j]
    cosines, same = (unit[i] * unit[j]).sum(axis=1), words[i] == words[j]
    return _rounded(cosines[same].mean()), _rounded(cosines[~same].mean())


def alike_by_place(states: Floats, words: Ints, places: Ints) -> tuple[float, float]:
    """The same, but both tokens of a pair stand at the same place of their sentences."""
    unit, same, other = _unit(states), [], []
    for place in np.unique(places):
        at = np.flatnonzero(places == place)
        i, j = np.triu_indices(min(len(at), 400), 1)
        cosines, equal = (unit[at] @ unit[at].T)[i, j], words[at][i] == words[at][j]
        same.append(cosines[equal])
        other.append(cosines[~equal])
    return _rounded(np.concatenate(same).mean()), _rounded(np.concatenate(other).mean())


def taken_away(directions: Floats, mean: Floats) -> Change:
    """For `watching`: states without what they have along `directions` (k, d), orthonormal rows; there, the mean."""
    U, m = (torch.from_numpy(np.ascontiguousarray(array)).float() for array in (directions, mean))
    return lambda x: x - ((x - m) @ U.T) @ U


def directions_of(states: Floats) -> dict[str, Floats]:
    """Three times d orthonormal rows (d, d), in the order in which they are taken away.

    "numbers": single entries, in a random order; "directions": random ones; "main directions": those along which the
    states (n, d) spread most, the first one first (principal components).
    """
    d, random = states.shape[1], np.random.default_rng(0)
    return {
        "numbers": np.eye(d)[random.permutation(d)],
        "directions": np.linalg.qr(random.normal(size=(d, d)))[0].T,
        "main directions": np.linalg.svd(states - states.mean(axis=0), full_matrices=False)[2],
    }


@dataclass(frozen=True, eq=False)
class Spot:
    """Where something is taken away: behind a block (from 0) of a stack, with what `directions_of` its states gives."""

    stack: str
    block: int
    states: Floats  # (n, d_model)
    bases: dict[str, Floats]

    def lost(self, translator: Translator, batches: Sequence[Batch], kind: str, k: int) -> float:
        """Return the share of sentences exactly right if the block's states lack the first k directions of a kind."""
        change = taken_away(self.bases[kind][:k], self.states.mean(axis=0))
        with watching(translator.model, changes={(self.stack, self.block, "states"): change}):
            return share_right(translator.model, batches)

    def variance_left(self, kind: str, k: int) -> float:
        """The share of the variance of the states that does not lie along the first k of this kind."""
        centred = self.states - self.states.mean(axis=0)
        return max(0.0, 1 - float(((centred @ self.bases[kind][:k].T) ** 2).sum() / (centred**2).sum()))


def spots(translator: Translator, corpus: Corpus) -> dict[str, Spot]:
    """Name, such as "encoder 2" -> what is behind that block."""
    seen = look(translator, pairs_for_probes(corpus)[0])
    levels = {"encoder": seen.english[1:], "decoder": seen.persian[1:]}
    return {
        f"{stack} {block + 1}": Spot(stack, block, states, directions_of(states))
        for stack, all_states in levels.items()
        for block, states in enumerate(all_states)
    }


TAKEN = (1, 8, 32, 64, 128)


def what_is_lost(translator: Translator, seen: Activations, batches: Sequence[Batch]) -> dict[str, list[float]]:
    """Return the share right without TAKEN directions of each kind in the states after the encoder's second block."""
    spot = Spot("encoder", 1, seen.english[2], directions_of(seen.english[2]))
    return {kind: [_rounded(spot.lost(translator, batches, kind, k)) for k in TAKEN] for kind in spot.bases}


def findings(translator: Translator, corpus: Corpus) -> dict[str, dict[str, list[float]]]:
    """All that is kept of a training: probes, likeness of two tokens by level, and what is lost without a part."""
    fit, test = (look(translator, pairs) for pairs in pairs_for_probes(corpus))
    batches = batches_of(translator, corpus.test[::6])
    likeness = {
        "English": [alike_by_place(level, fit.words, fit.places) for level in fit.english],
        "Persian": [alike(level, fit.read) for level in fit.persian],
    }
    return {
        "probes": what_levels_know(translator, fit, test),
        "same word": {side: [same for same, _ in pairs] for side, pairs in likeness.items()},
        "other word": {side: [other for _, other in pairs] for side, pairs in likeness.items()},
        "lost": what_is_lost(translator, fit, batches),
    }


def _unit(states: Floats) -> Floats:
    """Return the states (n, d) minus their mean, each scaled to length 1."""
    centred = states - states.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=1, keepdims=True)


def _kind(word: str) -> int:
    return next((kind for kind, forms in enumerate(_FORMS) if word in forms), len(_FORMS))


def _mood(words: Sequence[str]) -> int:
    return 0 if words[-1] == "?" else 1 if "not" in words else 2


def _share(hits: NDArray[np.bool_]) -> float:
    return _rounded(hits.mean())


def _rounded(share: float) -> float:
    return round(float(share), 3)
