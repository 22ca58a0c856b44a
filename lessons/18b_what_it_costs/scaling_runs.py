"""Sixteen small language models, and a larger one that they predict: `python -m lessons.scaling_runs`.

Each learns the course's own text, as lesson 16's models do, in random passages: many steps read it several times over.
Every run has a schedule of its own, whose rate falls to 0 with the last step. `rate_of` was chosen at a few widths by
lesson 14, which was left out of the text for that; the lessons held out chose nothing.
`--missing` does what is not in the file yet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from lessons.course_text import course_text
from lessons.language import bits_per_byte, ids_of, learn_pieces
from utils.data.kept import keep, read_run
from utils.models.gpt import Gpt, GptConfig
from utils.show.cards import Card, card
from utils.training.batches import Windows
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import next_token_loss

WIDTHS, STEPS, SEEDS = (12, 24, 48, 96), (200, 400, 800, 1600), (0, 1, 2)
CORNERS = tuple((width, steps) for width in (WIDTHS[0], WIDTHS[-1]) for steps in (STEPS[0], STEPS[-1]))
LARGER = (192, 1600)  # width and steps of the one to forecast
VOCABULARY, LENGTH, ROWS, HEAD = 512, 64, 4, 12
WARMUP = 20
_FILE = Path(__file__).with_name("scaling_runs.json")


def scaling_run(width: int, steps: int, seed: int = 0) -> float:
    """Return the bits per byte of the held-out lessons. Raises ValueError for a run that isn't saved."""
    return read_run(_FILE, _name(width, steps, seed), "held_out")


@cache
def weights(width: int) -> int:
    """Count the weights of the blocks, without the embedding: N."""
    return sum(p.numel() for p in Gpt(_config(width)).layers.parameters())


def tokens(steps: int) -> int:
    """Count the tokens that a training run reads: D."""
    return steps * ROWS * LENGTH


def beside_the_larger(forecast: object) -> Card:
    """Show how far a forecast misses LARGER, or ask for a number without telling anything of that run."""
    try:
        entered = float(str(forecast))
    except ValueError:
        entered = 0.0
    if not 0 < entered < 100:
        return card("note", "Enter a number first: your forecast in bits per byte, such as 3.14.", [])
    found = [scaling_run(*LARGER, seed) for seed in SEEDS]
    best = min(scaling_run(width, steps) for width in WIDTHS for steps in STEPS)

    def missed(value: float) -> str:
        off = round(value - mean(found), 2)
        return f"{abs(off):.2f} too {'high' if off > 0 else 'low'}" if off else "correct to a hundredth"

    return card(
        "neutral",
        f"Your forecast of {entered:.2f} is {missed(entered)}.",
        [
            f"The larger model, with {len(SEEDS)} seeds: {', '.join(f'{bits:.2f}' for bits in found)}.",
            f"“As good as the best of the sixteen”, {best:.2f}, would be {missed(best)}.",
        ],
    )


def rate_of(width: int) -> float:
    """The learning rate: half of it for four times the width."""
    return 6e-3 * (48 / width) ** 0.5


def train(width: int, steps: int, seed: int) -> Gpt:
    """Train a model of that width."""
    torch.manual_seed(seed)
    trainer = Trainer(
        Gpt(_config(width)),
        Windows(_text()[1], LENGTH, ROWS, seed),
        TrainingConfig(steps=steps, learning_rate=rate_of(width), warmup=WARMUP, weight_decay=0.1, seed=seed),
        loss_of=next_token_loss(),
        show=False,
    )
    trainer.train()
    return trainer.model.eval()


@cache
def _text() -> tuple[Tokenizer, Tensor]:
    """The pieces of the text, and the text in them."""
    text = course_text()[0]
    pieces = learn_pieces(text, VOCABULARY)
    return pieces, ids_of(pieces, text)


def _config(width: int) -> GptConfig:
    sizes = {"d_model": width, "n_heads": width // HEAD, "d_ff": 4 * width, "n_layers": 2, "dropout": 0.0}
    return GptConfig(vocabulary=VOCABULARY, max_length=LENGTH, positions="rotary", **sizes)


def _name(width: int, steps: int, seed: int) -> str:
    return f"{width} {steps} {seed}"


def _run(width: int, steps: int, seed: int) -> dict[str, float]:
    """Train a model and return what is saved of it."""
    model = train(width, steps, seed)
    return {"held_out": round(bits_per_byte(model, _text()[0], course_text()[1], LENGTH), 3)}


def _all() -> dict[str, Callable[[], Any]]:
    """Map the name of each saved training run to the function that trains it."""
    grid = [(width, steps, 0) for width in WIDTHS for steps in STEPS]
    again = [(*cell, seed) for seed in SEEDS[1:] for cell in (*CORNERS, LARGER)]
    return {_name(*run): partial(_run, *run) for run in (*grid, (*LARGER, 0), *again)}


if __name__ == "__main__":
    keep(_FILE, _all())
