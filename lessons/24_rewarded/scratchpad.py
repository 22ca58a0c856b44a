"""Adders that may write something before their answer: 345+678= and notes, then the answer with its first digit first.

They have one layer, so that a token gets little computing, and three digits, so that there are carries to work out.
"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from lessons.addition import DIGITS, adder_config, all_sums, as_ids, sum_text
from lessons.rewarded_adder import take_step
from utils.models.gpt import Gpt

NOTES = {"nothing": "", "1 carry": "1", "2 carries": "12", "3 carries": "123", "3 plus signs": "+++"}
QUESTION, ANSWER = 2 * DIGITS + 2, DIGITS + 1  # characters in each
D_MODEL, RATE, ROWS, STEPS, HELD_OUT = 32, 3e-3, 128, 500, 1000


def noted_sums(pairs: Tensor, notes: str) -> Tensor:
    """Return the ids (P, N) of the sums of `pairs` (P, 2), with notes of a kind before the answer.

    notes: for each character that is written, the column whose carry it is, from the right, or a plus sign.
    """

    def text(a: int, b: int) -> str:
        units = [note if note == "+" else 10 ** int(note) for note in notes]
        written = "".join("+" if unit == "+" else str((a % unit + b % unit) // unit) for unit in units)
        return sum_text(a, b, backwards=False).replace("=", "=" + written)

    return torch.tensor([as_ids(text(a, b)) for a, b in pairs.tolist()])


def train_noted(notes: str, seed: int, steps: int) -> dict[str, float]:
    """Train an adder that writes one of NOTES first, and return the share of `right` held-out answers."""
    torch.manual_seed(seed)
    model = Gpt(replace(adder_config(D_MODEL), n_layers=1))
    held_out, *_ = parts = noted_sums(all_sums(seed)[: HELD_OUT + steps * ROWS], NOTES[notes]).split(
        [HELD_OUT, *[ROWS] * steps]
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    for step, rows in enumerate(parts[1:]):
        logits = model(rows[:, :-1])[:, QUESTION - 1 :]
        loss = torch.nn.functional.cross_entropy(logits.flatten(end_dim=1), rows[:, QUESTION:].flatten())
        take_step(optimizer, loss, RATE, step, steps)
    return {"right": round(share_right(model, held_out), 3)}


def share_right(model: Gpt, right: Tensor) -> float:
    """Return the share of `right` (P, N) that the model answers correctly when it writes notes and answer itself."""
    written = right[:, :QUESTION]
    with torch.no_grad():
        while written.shape[1] < right.shape[1]:
            written = torch.cat([written, model(written)[:, -1:].argmax(dim=-1)], dim=1)
    return float((written[:, -ANSWER:] == right[:, -ANSWER:]).all(dim=1).float().mean())
