"""The rewarded writer: what it continues, and what is counted."""

from __future__ import annotations

import pytest
import torch

from lessons.rewarded_writer import NEW, PROMPT, continued, count, log_p_of_new, prompts_from
from lessons.small_writer import Writer


@pytest.fixture(scope="module")
def writer():
    found = Writer.load()
    found.model.eval()
    return found


def test_count_counts_the_word_only_in_what_is_new(writer):
    the = writer.pieces.encode("of the").ids[-1]
    written = torch.ones(1, 2, PROMPT + NEW, dtype=torch.long)
    written[..., :PROMPT] = the
    written[0, 1, [PROMPT, PROMPT + 3]] = the
    assert writer.text([the]) == " the" and count(written).tolist() == [[0, 2]]


def test_continued_keeps_prompts_and_log_p_agrees_with_the_model(writer):
    prompts = prompts_from(torch.arange(100, 160), 2, torch.Generator().manual_seed(0))
    written = continued(writer.model, prompts, 3, torch.Generator().manual_seed(0))
    assert written.shape == (2, 3, PROMPT + NEW) and (written[:, :, :PROMPT] == prompts[:, None]).all()
    with torch.no_grad():
        p = writer.model(written[1, 2, None, : PROMPT + 4])[0, -1].log_softmax(dim=-1)
        assert log_p_of_new(writer.model, written)[1, 2, 4] == pytest.approx(
            float(p[written[1, 2, PROMPT + 4]]), abs=1e-4
        )
