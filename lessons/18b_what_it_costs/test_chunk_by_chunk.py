"""A row of scores taken in chunk by chunk: what is carried along ends as attention over all of it."""

from __future__ import annotations

import numpy as np
import pytest

from lessons.chunk_by_chunk import taken_in
from utils.by_hand.attention import scaled_dot_product_attention
from utils.by_hand.masks import look_ahead_mask

_random = np.random.default_rng(0)
SCORES, VALUES = _random.normal(size=(5, 5)), _random.normal(size=(5, 2))
ALLOWED = look_ahead_mask(5)


@pytest.mark.parametrize(("query", "chunk"), [(1, 2), (3, 2), (5, 2), (4, 5), (2, 1)])
def test_last_chunk_ends_with_attention_over_all_keys(query: int, chunk: int) -> None:
    note, scores, carried = taken_in(SCORES, ALLOWED, VALUES, query, chunk, 5)
    z, may = SCORES[query - 1 : query], ALLOWED[query - 1 : query]
    whole, _ = scaled_dot_product_attention(z, np.eye(5), VALUES, may, scale=1.0)
    np.testing.assert_allclose(carried.values[-1][-2:], whole[0], atol=1e-12)
    assert carried.values[-1][0] == z[may].max() and len(carried.values) == -(-5 // chunk)
    assert note.sentence.startswith("5 of 5 keys: largest ") and note.sentence.endswith("; that is the whole")
    assert list(scores.column_names) == [f"k{'₁₂₃₄₅'[i]}{'' if i < query else ' masked'}" for i in range(5)]


def test_masked_chunk_adds_nothing_to_the_sum() -> None:
    allowed = np.array([[False, False, True, True]])
    note, *_ = taken_in(np.zeros((1, 4)), allowed, np.arange(8.0).reshape(4, 2), 1, 2, 1)
    assert note.sentence == "2 of 4 keys: nothing summed yet; the whole is (5.0000, 6.0000)"
    note, *_ = taken_in(np.zeros((1, 4)), allowed[:, ::-1], np.arange(8.0).reshape(4, 2), 1, 3, 2)
    assert "sum 2.0000, output so far (1.0000, 2.0000); that is the whole" in note.sentence
