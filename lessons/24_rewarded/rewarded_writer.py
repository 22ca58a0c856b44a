"""Lesson 16's small writer, rewarded for each “ the” that it writes.

Shapes: P prompts, n continuations of each, N pieces in a prompt with its continuation.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from lessons.course_text import course_text
from lessons.language import bits_per_byte, ids_of
from lessons.rewarded_adder import GROUP, RATE, advantages, drift, take_step
from lessons.small_writer import LENGTH, Writer

PROMPT, NEW = 8, 24  # pieces of the course's text, and pieces that are written after them
PROMPTS, STEPS = 8, 60  # prompts a step, with GROUP continuations each
COUNTED = " the"
ASKED, READ = 128, 15_000  # prompts, and characters of the held-out text, to measure with
SHOWN = 3  # continuations that are saved


@cache
def _start() -> tuple[Writer, Tensor, Tensor]:
    """Return the writer, and the ids of the text that it has read and of the text held out."""
    writer = Writer.load()
    writer.model.eval()
    return writer, *(ids_of(writer.pieces, text) for text in course_text())


def prompts_from(ids: Tensor, n: int, generator: torch.Generator) -> Tensor:
    """Return n passages (n, PROMPT) from random positions of a text's ids."""
    first = torch.randint(len(ids) - PROMPT, (n, 1), generator=generator)
    return ids[first + torch.arange(PROMPT)]


def continued(model: nn.Module, prompts: Tensor, n: int, generator: torch.Generator | None = None) -> Tensor:
    """Draw n continuations of each of the prompts (P, PROMPT), piece by piece: ids (P, n, PROMPT + NEW)."""
    ids = new = prompts.repeat_interleave(n, dim=0)
    cache = model.new_cache()
    with torch.no_grad():
        for _ in range(NEW):
            new = torch.multinomial(model(new, cache)[:, -1].softmax(dim=-1), 1, generator=generator)
            ids = torch.cat([ids, new], dim=1)
    return ids.view(len(prompts), n, -1)


def log_p_of_new(model: nn.Module, written: Tensor) -> Tensor:
    """Return the log-probability of each new piece of written (P, n, N): (P, n, NEW)."""
    ids = written.flatten(end_dim=1)
    p = model(ids[:, :-1])[:, PROMPT - 1 :].log_softmax(dim=-1)
    return p.gather(2, ids[:, PROMPT:, None]).view(*written.shape[:2], NEW)


def count(written: Tensor) -> Tensor:
    """Return how many of the new pieces of `written` (P, n, N) are COUNTED, as (P, n)."""
    return (written[..., PROMPT:] == _start()[0].pieces.token_to_id("Ġthe")).float().sum(dim=-1)


def train_writer(hold: float, seed: int) -> dict[str, Any]:
    """Reward the writer for each COUNTED, with the drift from its start weighted by `hold`, and measure the result."""
    writer, read, held_out = _start()
    model, generator = deepcopy(writer.model), torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    for step in range(STEPS):
        written = continued(model, prompts_from(read, PROMPTS, generator), GROUP)
        ln_p = log_p_of_new(model, written)
        with torch.no_grad():
            first_ln_p = log_p_of_new(writer.model, written)
        loss = -(advantages(count(written))[..., None] * ln_p).mean() + hold * drift(ln_p, first_ln_p).mean()
        take_step(optimizer, loss, RATE, step, STEPS)
    return measured(model, held_out)


def measured(model: nn.Module, held_out: Tensor) -> dict[str, Any]:
    """Return how often the model writes COUNTED, what the held-out text costs it, and a few of its continuations."""
    writer, dice = _start()[0], torch.Generator().manual_seed(1)
    written = continued(model, prompts_from(held_out, ASKED, dice), 1, dice)
    texts = [writer.text(ids.tolist()) for ids in written[:SHOWN, 0, PROMPT:]]
    cost = bits_per_byte(model, writer.pieces, course_text()[1][:READ], LENGTH)
    return {"counted": round(float(count(written).mean()), 2), "bits_per_byte": round(cost, 2), "texts": texts}


def before() -> dict[str, Any]:
    """Return what `measured` finds before any reward."""
    writer, _, held_out = _start()
    return measured(writer.model, held_out)
