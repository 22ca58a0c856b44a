"""The questions about the course, what of them counts in the loss, and DPO."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from lessons.course_questions import Asked, encoded, questions
from lessons.small_writer import Writer
from lessons.tuned_runs import (
    PARTS,
    PREFERENCES,
    STRENGTHS,
    WAYS,
    WRITERS,
    dial,
    minilm_runs,
    preference_runs,
    writer_runs,
)
from lessons.tuned_writer import answer_log_p, answers, dpo_loss, prefer, preferences, share_right, tuning


@pytest.fixture(scope="module")
def writer():
    return Writer.load()


def test_held_out_questions_are_not_in_training():
    drawn = questions(0)
    told = {one.question for one in drawn.told}
    for held_out in (drawn.in_new_words, drawn.untold, drawn.elsewhere, drawn.elsewhere_new):
        assert not told & {one.question for one in held_out}
    topics_told = {one.question.split(maxsplit=2)[-1] for one in drawn.told}
    assert len(topics_told) > 46 and len({one.answer for one in drawn.untold}) == 14


def test_loss_counts_only_the_answer_one_position_early(writer):
    one = Asked("Which lesson has masks?", "Lesson 08 Masks.")
    (read,), (said,) = encoded(writer.pieces, [one], answer_alone=True)
    counted = said != 0
    assert writer.text(said[counted].tolist()) == " Lesson 08 Masks.\n"
    assert writer.text(read[: int(counted.nonzero()[0]) + 1].tolist()) == one.prompt
    everything = encoded(writer.pieces, [one], answer_alone=False)[1][0]
    assert torch.equal(everything[counted], said[counted]) and (everything != 0).all()


def test_share_right_counts_written_answers(writer):
    asked = questions(0).told[:8]
    trainer = tuning(writer, asked, "whole", seed=0)
    trainer.train(steps=25)
    tuned = Writer(trainer.model, writer.pieces)
    written = answers(tuned, [one.question for one in asked])
    assert share_right(tuned, asked) == sum(a == one.answer for a, one in zip(written, asked, strict=True)) / 8 > 0


def test_dpo_starts_at_ln_2_and_counts_only_the_difference():
    c, r = torch.tensor([0.0, 3.0, -4.0]), torch.tensor([0.0, 1.0, -6.0])
    losses = dpo_loss(c, r, beta=0.5)
    assert losses[0] == pytest.approx(math.log(2)) and losses[1] == pytest.approx(losses[2].item())
    assert losses[1] == pytest.approx(-math.log(1 / (1 + math.exp(-1))))


def test_dpo_separates_chosen_from_rejected_and_leaves_the_reference(writer):
    drawn = questions(0)
    pairs = preferences(writer, replace(drawn, elsewhere=drawn.elsewhere[:8]), with_known=False)
    assert len(pairs) > 4
    chosen, rejected = ([getattr(pair, one) for pair in pairs] for one in ("chosen", "rejected"))

    def log_p(writer, texts):
        with torch.no_grad():
            return answer_log_p(writer.model, *encoded(writer.pieces, texts, answer_alone=True))

    before, other = log_p(writer, chosen), log_p(writer, rejected)
    after = prefer(writer, pairs, steps=3)
    assert (log_p(after, chosen) - log_p(after, rejected)).mean() > (before - other).mean() + 1
    assert torch.equal(log_p(writer, chosen), before)


def test_tuned_runs_are_saved_for_all_that_is_shown():
    assert all(minilm_runs(way) for way in WAYS) and all(writer_runs(way) for way in WRITERS)
    assert all(preference_runs(name) for name in PREFERENCES)
    assert all(dial(strength, parts).answers for strength in STRENGTHS for parts in PARTS)
    assert dial(0.0, 8).bits_per_byte == dial(0.0, 1).bits_per_byte
