"""The drawing that opens lesson 07: as many heads as asked for, their widths, and what it refuses."""

from __future__ import annotations

import pytest

from lessons.opening_multi_head import heads_side_by_side


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.mark.parametrize(("n_heads", "d_model"), [(2, 8), (3, 12), (4, 512)])
def test_every_head_has_its_question_and_share_of_the_width(n_heads, d_model):
    questions = [f"question {n}?" for n in range(n_heads)]
    figure = heads_side_by_side(questions, d_model)
    shown = texts(figure)
    widths = [text.count(f"N × {d_model // n_heads}") for text in shown]
    assert sorted(widths)[-n_heads:] == [2] * n_heads  # of its Q, K, V, and of its answer
    assert [text for text in shown if text in {f"head {n}" for n in range(1, n_heads + 1)}] == [
        f"head {n}" for n in range(1, n_heads + 1)
    ]
    assert all(any(question in text for text in shown) and question in figure.alt for question in questions)
    assert f"N × {d_model}" in shown


def test_width_is_divided_evenly_or_refused():
    with pytest.raises(ValueError, match="d_model = 8 can't be shared evenly by 3"):
        heads_side_by_side(["?"] * 3, 8)
