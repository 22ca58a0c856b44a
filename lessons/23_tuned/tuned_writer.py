"""The small writer of lesson 16, tuned to answer questions about the course, and then to refuse others by DPO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from lessons.course_questions import END, REFUSAL, Asked, Questions, encoded, question_batches
from lessons.lora import add_lora
from lessons.small_writer import Writer
from utils.training.decoding import Continuing, greedy
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import smoothed_cross_entropy

RANK, EVERYWHERE = 8, ("project_in", "project_out", "widen", "gate", "narrow")
STEPS, ROWS, WARMUP = 300, 16, 20
RATES = {"whole": 3e-3, "LoRA": 1e-2}
PAIRS_A_STEP, DPO_RATE, BETA = 8, 3e-4, 0.1


def tuning(
    writer: Writer,
    told: Sequence[Asked],
    way: str = "LoRA",
    answer_alone: bool = True,
    rate: float = 0.0,
    seed: int = 0,
) -> Trainer:
    """The training of a copy of `writer`, whole or with "LoRA" over each of its linear layers; not yet begun."""
    model = deepcopy(writer.model)
    if way == "LoRA":
        add_lora(model, EVERYWHERE, RANK, seed)
    batches = question_batches(writer.pieces, told, ROWS, seed, answer_alone)
    config = TrainingConfig(steps=STEPS, learning_rate=rate or RATES[way], warmup=WARMUP, seed=seed)
    return Trainer(model, batches, config, loss_of=said_loss, show=False)


def said_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, int]:
    """The summed loss of what is to be said, and how many pieces it has, of what `encoded` gives."""
    read, said = batch
    return smoothed_cross_entropy(model(read), said)


def answers(writer: Writer, questions: Sequence[str], most: int = 30) -> list[str]:
    """What it writes behind each question, up to the end of the line."""
    (end,), found = writer.pieces.encode(END).ids, []
    for question in questions:
        ids = writer.ids(Asked(question, "").prompt, writer.model.config.max_length - most)
        (written,) = greedy(Continuing(writer.model), ids, max_new=most, end=end).tokens
        found.append(writer.text(written).strip())
    return found


@torch.no_grad()
def share_right(writer: Writer, asked: Sequence[Asked]) -> float:
    """The share of questions to which the most probable pieces, one after the other, are the answer that is wanted."""
    read, said = encoded(writer.pieces, asked, answer_alone=True)
    as_said = writer.model.eval()(read).argmax(dim=-1) == said
    return float((as_said | (said == 0)).all(dim=1).float().mean())


def share_refused(writer: Writer, asked: Sequence[Asked]) -> float:
    """The share of questions that it refuses to answer."""
    return share_right(writer, [Asked(one.question, REFUSAL) for one in asked])


# --- preferences ---


def answer_log_p(model: nn.Module, read: Tensor, said: Tensor) -> Tensor:
    """log p of each answer, (B,), the sum over its pieces; read and said (B, N) as `encoded` gives them."""
    log_p = model(read).log_softmax(dim=-1).gather(2, said[:, :, None])[:, :, 0]  # (B, N)
    return (log_p * (said != 0)).sum(dim=1)


def dpo_loss(chosen: Tensor, rejected: Tensor, beta: float) -> Tensor:
    """The loss of each pair (B,): how much more probable each answer is than the reference has it, in logs.

    Source: Rafailov et al. 2023, equation 7.
    """
    return -F.logsigmoid(beta * (chosen - rejected))


@dataclass(frozen=True)
class Pair:
    """Two answers to one question."""

    chosen: Asked
    rejected: Asked


def preferences(writer: Writer, asked: Questions, with_known: bool) -> list[Pair]:
    """To what the course does not have, a refusal rather than the writer's own answer, where it is another one.

    with_known: and as often to what it was told, the right answer rather than a refusal.
    """
    own = answers(writer, [one.question for one in asked.elsewhere])
    pairs = [
        Pair(one, Asked(one.question, its)) for one, its in zip(asked.elsewhere, own, strict=True) if its != one.answer
    ]
    known = [one for one in asked.told if one.answer != REFUSAL] if with_known else []
    drawn = np.random.default_rng(23).permutation(len(known))[: len(pairs)]
    return pairs + [Pair(known[i], Asked(known[i].question, REFUSAL)) for i in drawn]


def prefer(
    writer: Writer,
    pairs: Sequence[Pair],
    steps: int,
    *,
    seed: int = 0,
    watch: Callable[[int, Writer], None] = lambda step, writer: None,
) -> Writer:
    """A copy of `writer` that DPO has taught to prefer what is chosen; the reference is `writer` itself.

    Before the first step and after each one, `watch` is called with the number of steps done.
    """
    tuned = Writer(deepcopy(writer.model).requires_grad_(True).eval(), writer.pieces)
    texts = [pair.chosen for pair in pairs] + [pair.rejected for pair in pairs]
    read, said = encoded(writer.pieces, texts, answer_alone=True)  # (2P, N)
    with torch.no_grad():
        reference = answer_log_p(writer.model.eval(), read, said)  # (2P,)
    optimizer = torch.optim.Adam(tuned.model.parameters(), lr=DPO_RATE)
    watch(0, tuned)
    for step in range(steps):
        drawn = torch.from_numpy(np.random.default_rng([seed, step]).integers(len(pairs), size=PAIRS_A_STEP))
        both = torch.cat([drawn, drawn + len(pairs)])
        more = answer_log_p(tuned.model, read[both], said[both]) - reference[both]  # (2B,)
        optimizer.zero_grad()
        dpo_loss(*more.chunk(2), BETA).mean().backward()
        optimizer.step()
        watch(step + 1, tuned)
    return tuned
