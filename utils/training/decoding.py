"""From logits to text: to `minimal.greedy` adds sampling, beam search and a cache, for every model of this course.

    predictor = Translating(model, source)                  # source (B, N) ids
    greedy(predictor, predictor.start, max_new=40).tokens   # a list of ids for each sentence
    sample(Continuing(gpt), prompt, max_new=40, end=None)   # prompt (R, length) ids, gone on with by a Gpt

A `Predictor` says which token may come next. The strategies choose one, write it down and ask again, until the end
token or the maximum. Shapes: R rows, which are sentences or hypotheses; V words in the vocabulary.

Sources: greedy and beam: Sutskever et al. 2014, section 3.2; Vaswani et al. 2017, section 6.1; length normalization:
Wu et al. 2016, section 7; top-k: Fan et al. 2018; top-p: Holtzman et al. 2020; N4, "decoding strategies".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import index
from typing import Any, Protocol, SupportsIndex

import torch
from torch import Tensor, nn

from utils.data.vocabulary import END, PAD, START
from utils.require import require_number, require_whole

_WORTHWHILE = 0.75  # rows still writing, of those in the batch: below it, dropping the others pays for the copying


# --- what decoding needs of a model ---


class Predictor(Protocol):
    """A source of logits for the next token, for rows that are written side by side."""

    max_length: int | None
    """The longest row that it can read; None where there is no limit."""

    def __call__(self, tokens: Tensor) -> Tensor:
        """Map tokens (R, length) ids, all that each row has so far, to logits (R, V) of the next; −∞ forbids a token.

        Each call brings the rows of the call before, one or more tokens longer.
        """
        ...

    def select(self, rows: Tensor) -> None:
        """Make row i continue former row `rows[i]`; this drops, reorders and repeats rows."""
        ...


class Continuing:
    """A `Gpt` that continues the text in its rows.

    cached: it reads the new tokens only; without a cache all of them again. never: ids that are not to be written; PAD
    never is. One such object is for one text: with a cache, it remembers what it has read.
    Called, it raises ValueError for padding in what is to be gone on from, and for a `never` outside the vocabulary.
    """

    def __init__(self, model: nn.Module, *, cached: bool = True, never: Sequence[int] = ()) -> None:
        self.max_length: int | None = getattr(model.config, "max_length", None)
        self.tokens_read = 0  # by the model, over all rows and calls: what decoding costs, counted
        self._model, self._never = model, [PAD, *never]
        self._cache = model.new_cache() if cached else None

    def __call__(self, tokens: Tensor) -> Tensor:
        known = 0 if self._cache is None else self._cache.length
        if tokens.shape[1] <= known:
            raise ValueError(
                f"each call must bring longer rows: the last one had {known} tokens, and this one has {tokens.shape[1]}"
                ". A new text needs a new predictor."
            )
        new = tokens[:, known:]
        if (new == PAD).any():  # padding is read differently with a cache and without
            raise ValueError(f"nothing can go on from padding: start must not hold the id {PAD}.")
        self.tokens_read += new.numel()
        with _at_rest(self._model):
            logits = self._logits(new)[:, -1]
            for token in self._never:
                _require_id("never", token, logits)
            logits[:, self._never] = -math.inf
        return logits

    def select(self, rows: Tensor) -> None:
        if self._cache is not None:
            self._cache.select(rows)

    def _logits(self, new: Tensor) -> Tensor:
        """Return the logits of the tokens after `new` (R, n): (R, n, V)."""
        return self._model(new, self._cache)


class Translating(Continuing):
    """A `Transformer` (or another model with its `encode`, `decode` and `new_cache`) that translates `source`.

    source (B, N) ids. `start` is where decoding begins, (B, 1). Else as `Continuing`.
    """

    def __init__(
        self, model: nn.Module, source: Tensor, *, cached: bool = True, never: Sequence[int] = (PAD, START)
    ) -> None:
        super().__init__(model, cached=cached, never=never)
        self.start = source.new_full((len(source), 1), START)
        self._sentences = torch.arange(len(source), device=source.device)  # which one each row translates
        with _at_rest(model):
            self._memory = model.encode(source)

    def select(self, rows: Tensor) -> None:
        super().select(rows)
        sentences = self._sentences[rows]
        if not torch.equal(sentences, self._sentences):  # hypotheses of one sentence share what they look at
            self._memory, self._sentences = self._memory.select(rows), sentences

    def _logits(self, new: Tensor) -> Tensor:
        return self._model.decode(new, self._memory, self._cache)


@contextmanager
def _at_rest(model: nn.Module) -> Iterator[None]:
    """Compute without dropout and gradients inside the with block; restore the model's mode afterwards."""
    training = model.training
    try:
        if training:
            model.eval()
        with torch.inference_mode():
            yield
    finally:
        if training:
            model.train()


# --- what comes out ---


@dataclass(frozen=True)
class Decoded:
    """The written tokens for each row of `start`, without start and end tokens."""

    tokens: list[list[int]]
    scores: list[float]  # log-probability that the model itself gives to the text, its end token included
    finished: list[bool]  # True: the end token came. False: the maximum did
    probabilities: list[Tensor] | None = None  # each (steps, V): the distribution at every step; if asked for


@dataclass(frozen=True)
class Hypothesis:
    """A text that beam search has kept."""

    tokens: list[int]  # without start and end token
    log_probability: float  # the sum over its tokens, the end token included
    score: float  # log_probability / n^alpha, where n counts the tokens, the end token included
    finished: bool


@dataclass(frozen=True)
class Branch:
    """A continuation that beam search has considered."""

    step: int  # from 1
    parent: int  # number of the branch that it goes on from, −1 at the first step
    token: int
    log_probability: float  # of this token
    total: float  # of all tokens so far
    kept: bool  # False: it was good enough to be looked at, but `width` others were better
    finished: bool  # it is kept, and it is the end token


@dataclass(frozen=True)
class BeamTree:
    """All branches that the beam kept, and at most as many of the best that it dropped at each step."""

    branches: list[Branch]
    best: int  # number of the branch that ends the best hypothesis

    def path(self, number: int) -> list[int]:
        """Return the numbers of the branches from the first step to branch `number`."""
        path: list[int] = []
        while number >= 0:
            path.insert(0, number)
            number = self.branches[number].parent
        return path


@dataclass(frozen=True)
class BeamDecoded(Decoded):
    """The best hypothesis of each row, as in `Decoded`, and all remaining ones, best first."""

    hypotheses: list[list[Hypothesis]] | None = None
    trees: list[BeamTree] | None = None  # if asked for


# --- from logits to probabilities ---


def next_probabilities(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Tensor:
    """Return the distribution from which the next token is drawn: (…, V) for logits (…, V), each row summing to 1.

    temperature: the logits are divided by it; 0 gives everything to the largest. top_k: only the k most probable
    stay. top_p: only the fewest stay that together reach p, the one that reaches it included. In this order, what
    stays is shared out anew each time; of equals the one with the lower id comes first.
    Raises ValueError when temperature is not a finite number from 0, top_k not a whole number from 1, top_p not
    above 0 and up to 1, or logits hold NaN, +∞, or nothing but −∞ in a row.
    """
    _require_choice(temperature, top_k, top_p)
    logits = _as_logits(logits)
    if temperature == 0:
        top_k, temperature = 1, 1.0
    holds = torch.finfo(logits.dtype)
    temperature = min(max(float(temperature), holds.tiny), holds.max)
    # With the largest at 0, a low temperature makes the others very negative, and nothing overflows.
    logits = (logits - logits.amax(dim=-1, keepdim=True)) / temperature
    top_p = None if top_p == 1 else top_p  # of all that has been added up, rounding may leave out the last words
    if top_k is None and top_p is None:
        return logits.softmax(dim=-1)
    ranked, order = logits.sort(descending=True, stable=True)
    if top_k is not None:
        ranked[..., top_k:] = -math.inf
    if top_p is not None:
        shares = ranked.softmax(dim=-1)
        reached_before = shares.cumsum(dim=-1).roll(1, dims=-1)  # by those in front of it
        reached_before[..., 0] = 0.0
        ranked = ranked.masked_fill(reached_before >= top_p, -math.inf)
    return torch.empty_like(ranked).scatter_(-1, order, ranked.softmax(dim=-1))


# --- one token after the other ---


def greedy(
    predictor: Predictor, start: Tensor, max_new: int, *, end: int | None = END, keep_probabilities: bool = False
) -> Decoded:
    """Always choose the most probable token; among equals the one with the lower id.

    start (R, length) ids, what each row begins with. A row ends with the token `end` (None: no token ends it), or
    with `max_new` new ones. keep_probabilities: the distribution of every step too, R · steps · V numbers.
    Raises ValueError or TypeError for a start that is no batch of ids, for a maximum below 1 or past the predictor's
    positions, for an `end` outside the vocabulary, and for logits that hold NaN.
    """
    return _one_by_one(predictor, start, max_new, end, lambda logits, _: logits.argmax(dim=-1), keep_probabilities)


def sample(
    predictor: Predictor,
    start: Tensor,
    max_new: int,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    end: int | None = END,
) -> Decoded:
    """Draw each token from `next_probabilities(logits, temperature, top_k, top_p)`; temperature 0 is greedy.

    generator: a CPU generator, PyTorch's own unless given; from the same seed come the same texts, whatever rows end
    early. `scores` are log-probabilities of the model itself, before temperature, k and p. Else as `greedy`.
    """
    _require_choice(temperature, top_k, top_p)

    def drawn(logits: Tensor, rows: Tensor) -> Tensor:
        probabilities = next_probabilities(logits, temperature, top_k, top_p)
        # A number for every row of `start`, also for one that has ended: it must not change what the others draw.
        chance = torch.rand(len(start), generator=generator).to(probabilities)[rows]
        return _drawn(probabilities, chance)

    return _one_by_one(predictor, start, max_new, end, drawn, keep_probabilities=False)


def _drawn(probabilities: Tensor, chance: Tensor) -> Tensor:
    """Return the tokens (R,) at which the running sums of probabilities (R, V) exceed `chance` (R,) in [0, 1)."""
    reached = probabilities.cumsum(dim=-1)
    token = torch.searchsorted(reached, (chance * reached[:, -1])[:, None], right=True)[:, 0]
    # Rounding may carry it past the last token that can be drawn at all.
    last = reached.shape[1] - 1 - (probabilities.flip(-1) > 0).int().argmax(dim=-1)
    return token.minimum(last)


@torch.inference_mode()
def _one_by_one(
    predictor: Predictor,
    start: Tensor,
    max_new: int,
    end: int | None,
    choose: Callable[[Tensor, Tensor], Tensor],
    keep_probabilities: bool,
) -> Decoded:
    """Write with choose(logits, rows) -> tokens; `rows` are the indices in `start` of the rows still in the batch."""
    _require_start(predictor, start, max_new)
    n, begun = start.shape
    written = torch.cat([start, start.new_zeros(n, max_new)], dim=1)
    scores = torch.zeros(n, device=start.device, dtype=torch.float32)
    lengths = start.new_full((n,), max_new)  # new tokens, the end token included
    ended = torch.zeros(n, dtype=torch.bool, device=start.device)
    rows = torch.arange(n, device=start.device)  # those of `start` that are still in the batch
    seen: list[list[Tensor]] = [[] for _ in range(n)]
    for step in range(max_new):
        logits = _as_logits(predictor(written[rows, : begun + step]))
        _require_id("end", end, logits)
        tokens = choose(logits, rows)
        writing = ~ended[rows]
        gained = logits.log_softmax(dim=-1).gather(1, tokens[:, None])[:, 0]
        scores[rows] += torch.where(writing, gained, 0.0).float()
        written[rows, begun + step] = tokens
        if keep_probabilities:
            for i, shares in zip(rows[writing].tolist(), logits[writing].softmax(dim=-1), strict=True):
                seen[i].append(shares)
        if end is None:
            continue
        ending = rows[writing & (tokens == end)]
        ended[ending] = True
        lengths[ending] = step + 1
        writing = ~ended[rows]
        if not writing.any():
            break
        if writing.sum() <= _WORTHWHILE * len(rows):
            kept = writing.nonzero()[:, 0]
            predictor.select(kept)
            rows = rows[kept]
    texts = [
        row[begun : begun + length - done]
        for row, length, done in zip(written.tolist(), lengths.tolist(), ended.tolist(), strict=True)
    ]
    return Decoded(
        texts, scores.tolist(), ended.tolist(), [torch.stack(steps) for steps in seen] if keep_probabilities else None
    )


# --- beam search ---


@torch.inference_mode()
def beam(
    predictor: Predictor,
    start: Tensor,
    max_new: int,
    *,
    width: int = 4,
    alpha: float = 1.0,
    end: int | None = END,
    keep_trees: bool = False,
) -> BeamDecoded:
    """Return the best of the texts that are left when, at every step, only the `width` most probable are kept.

    A beginning that ends with the token `end` is finished and keeps its place, so that fewer go on (Sutskever et al.
    2014); width 1 is greedy, and a width that drops nothing is exhaustive search. Beginnings of one step are equally
    long, and compared by their log-probability, a sum. Finished texts are not, and compared by the sum / n^alpha: n
    tokens, the end token included. alpha 0 is no normalization and favours short texts, 1 is the mean per token.
    (Wu et al. divide by ((5 + n) / 6)^alpha.) Unfinished texts count only where nothing is finished at the maximum.
    A sentence is left as soon as none of its beginnings can come to a better score.

    keep_trees: for each row of `start` all that was kept and the best of what was dropped, to draw it.
    start, max_new and end as for `greedy`. Raises as it does, and ValueError when width is not a whole number from 1 or
    alpha not a finite number from 0.
    """
    _require_start(predictor, start, max_new)
    require_whole("width", width)
    require_number("alpha", alpha, "of at least 0", lambda x: x >= 0)
    search = _Beam(start, max_new, width, alpha, end, keep_trees)
    for step in range(1, max_new + 1):
        logits = _as_logits(predictor(search.written))
        _require_id("end", end, logits)
        parents = search.step(step, logits)
        if not len(parents):
            break
        predictor.select(parents)
    return search.result()


class _Beam:
    """The hypotheses of all sentences in one batch of rows, those of a sentence next to each other."""

    def __init__(
        self, start: Tensor, max_new: int, width: int, alpha: float, end: int | None, keep_trees: bool
    ) -> None:
        n, device = len(start), start.device
        self.max_new, self.width, self.alpha, self.end = max_new, width, alpha, end
        self.begun = start.shape[1]
        self.written = start  # (R, length)
        self.total = torch.zeros(n, device=device)  # (R,) log-probability of each row
        self.sentence = torch.arange(n, device=device)  # (R,) whose hypothesis each row is
        self.places = torch.full((n,), width, device=device)  # (n,) not yet taken by finished ones
        self.best = torch.full((n,), -math.inf, device=device)  # (n,) score of the best finished one
        self.found: list[list[tuple[Hypothesis, int]]] = [[] for _ in range(n)]  # each with the number of its branch
        self.branches: list[list[Branch]] | None = [[] for _ in range(n)] if keep_trees else None
        self.branch = [-1] * n  # of each row

    def step(self, step: int, logits: Tensor) -> Tensor:
        """Write one more token; return for each continued row the number of its parent row."""
        sums, row, token = self._ranked(logits)  # (n, candidates), best first
        rank = torch.arange(sums.shape[1], device=sums.device)
        possible = sums > -math.inf
        kept = possible & (rank < self.places[:, None])
        ends = kept & (token == self.end) if self.end is not None else torch.zeros_like(kept)
        numbers = self._remember(step, sums, row, token, possible, kept, ends)
        for s, c in ends.nonzero().tolist():
            tokens = self.written[row[s, c], self.begun :].tolist()
            self._finish(s, tokens, float(sums[s, c]), step, numbers.get((s, c), -1))
        self.places -= ends.sum(dim=1)
        goes_on = kept & ~ends & self._can_win(torch.where(kept & ~ends, sums, -math.inf))[:, None]
        s, c = goes_on.nonzero().unbind(dim=1)
        parents = row[s, c]
        self.written = torch.cat([self.written[parents], token[s, c][:, None]], dim=1)
        self.total, self.sentence = sums[s, c], s
        self.branch = [numbers.get(where, -1) for where in zip(s.tolist(), c.tolist(), strict=True)]
        return parents

    def _ranked(self, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the best candidates of each sentence, (n, candidates): log-probability, parent row, token."""
        n, device = len(self.places), logits.device
        looked_at = self.width if self.branches is None else 2 * self.width
        sums = self.total[:, None] + logits.log_softmax(dim=-1).float()  # (R, V)
        sums, token = sums.topk(min(looked_at, sums.shape[1]), dim=1)  # no row can give more than all of them
        first = torch.searchsorted(self.sentence, torch.arange(n, device=device))  # row with which a sentence begins
        place = torch.arange(len(sums), device=device) - first[self.sentence]
        table = sums.new_full((n, self.width, sums.shape[1]), -math.inf)
        table[self.sentence, place] = sums
        sums, index = table.flatten(1).topk(min(looked_at, table[0].numel()), dim=1)
        row = (first[:, None] + index // table.shape[2]).clamp(max=len(self.sentence) - 1)  # empty places: any row
        return sums, row, token[row, index % table.shape[2]]

    def _can_win(self, sums: Tensor) -> Tensor:
        """Return, (n,), whether one of the hypotheses may still beat the best finished text of its sentence.

        Log-probabilities are at most 0: the best that can come is no further loss, over the greatest length.
        """
        return sums.amax(dim=1) / self.max_new**self.alpha > self.best

    def _finish(self, sentence: int, tokens: list[int], total: float, length: int, branch: int) -> None:
        score = total / length**self.alpha
        done = length > len(tokens)
        self.found[sentence].append((Hypothesis(tokens, total, score, done), branch))
        if done:
            self.best[sentence] = max(float(self.best[sentence]), score)

    def _remember(
        self, step: int, sums: Tensor, row: Tensor, token: Tensor, possible: Tensor, kept: Tensor, ends: Tensor
    ) -> dict[tuple[int, int], int]:
        """Write the candidates into the trees; return (sentence, candidate) -> number of its branch."""
        if self.branches is None:
            return {}
        numbers = {}
        for s, c in possible.nonzero().tolist():
            parent, own = int(row[s, c]), self.branches[s]
            numbers[s, c] = len(own)
            gained = float(sums[s, c] - self.total[parent])
            own.append(
                Branch(
                    *(step, self.branch[parent], int(token[s, c]), gained, float(sums[s, c])),
                    *(bool(kept[s, c]), bool(ends[s, c])),
                )
            )
        return numbers

    def result(self) -> BeamDecoded:
        length = self.written.shape[1] - self.begun
        for i, (s, tokens) in enumerate(zip(self.sentence.tolist(), self.written.tolist(), strict=True)):
            self._finish(s, tokens[self.begun :], float(self.total[i]), length, self.branch[i])
        ranked = [sorted(found, key=lambda f: (not f[0].finished, -f[0].score)) for found in self.found]
        first = [found[0][0] for found in ranked]
        return BeamDecoded(
            [hypothesis.tokens for hypothesis in first],
            [hypothesis.log_probability for hypothesis in first],
            [hypothesis.finished for hypothesis in first],
            hypotheses=[[hypothesis for hypothesis, _ in found] for found in ranked],
            trees=None
            if self.branches is None
            else [BeamTree(own, found[0][1]) for own, found in zip(self.branches, ranked, strict=True)],
        )


# --- saying what can't be done ---


def _as_logits(logits: Tensor) -> Tensor:
    """Return logits with at least single precision. Raises ValueError when nothing can be chosen from a row."""
    if logits.dtype in (torch.float16, torch.bfloat16):
        logits = logits.float()
    largest = logits.amax(dim=-1)  # NaN where one entry is NaN
    if not torch.isfinite(largest).all():
        raise ValueError(
            "each row of logits must allow a token: "
            f"the largest of a row is {float(largest[~torch.isfinite(largest)][0])}."
        )
    return logits


def _require_id(name: str, token: Any, logits: Tensor) -> None:
    if token is None:
        return
    if not isinstance(token, SupportsIndex) or isinstance(token, bool) or not 0 <= index(token) < logits.shape[1]:
        raise ValueError(f"{name} must be among the ids 0 to {logits.shape[1] - 1} of the vocabulary: it is {token!r}.")


def _require_start(predictor: Predictor, start: Tensor, max_new: int) -> None:
    if not isinstance(start, Tensor) or start.dtype not in (torch.int64, torch.int32):
        kind = f"a tensor of {start.dtype}" if isinstance(start, Tensor) else f"a {type(start).__name__}"
        raise TypeError(f"start must be a tensor of ids (torch.long): it is {kind}.")
    if start.ndim != 2 or not start.numel():
        raise ValueError(f"start must be (rows, length), with one token a row at least: it is {tuple(start.shape)}.")
    require_whole("max_new", max_new)
    longest = start.shape[1] + max_new - 1  # the last token is written, but never read
    if predictor.max_length is not None and longest > predictor.max_length:
        raise ValueError(
            f"max_new must be at most {max(predictor.max_length - start.shape[1] + 1, 0)} here, it is {max_new}: "
            f"the model reads at most {predictor.max_length} tokens, and start has {start.shape[1]}."
        )


def _require_choice(temperature: float, top_k: int | None, top_p: float | None) -> None:
    require_number("temperature", temperature, "of at least 0", lambda x: x >= 0)
    if top_k is not None:
        require_whole("top_k", top_k)
    if top_p is not None:
        require_number("top_p", top_p, "above 0 and at most 1", lambda p: 0 < p <= 1)
