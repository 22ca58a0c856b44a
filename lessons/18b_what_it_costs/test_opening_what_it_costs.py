"""The opening figure of lesson 18b: what is held is drawn to scale, and smaller chunks save it but no work."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lessons.opening_what_it_costs import CHUNKS, TOKENS, held, mebibytes


@pytest.mark.parametrize("tokens", TOKENS)
@pytest.mark.parametrize("chunk", CHUNKS)
def test_scores_are_drawn_to_scale(tokens: int, chunk: int) -> None:
    shapes = held(tokens, chunk)[0].shapes
    whole = float(re.search(r'<g class="s" stroke-width="2"><path d="M\S+ \S+h([\d.]+)v', shapes)[1])
    square, bar = re.findall(r'<g class="a"><rect x="\S+" y="\S+" width="([\d.]+)" height="([\d.]+)"', shapes)
    assert square[0] == square[1] and float(square[0]) / whole == pytest.approx(min(1, chunk / tokens), abs=1e-4)
    assert float(bar[0]) == pytest.approx(
        max(1.5, 170 * mebibytes(min(tokens, chunk)) / mebibytes(TOKENS[-1])), abs=0.01
    )


def test_bytes_of_the_scores_are_numpys() -> None:
    assert mebibytes(1024) == np.empty((1024, 1024)).nbytes / 2**20


def test_smaller_chunk_saves_memory_but_no_scores() -> None:
    for tokens in TOKENS:
        values = [held(tokens, chunk)[1].values for chunk in CHUNKS]
        assert {million for *_, million in values} == {tokens**2 / 1e6}
        memory = [value[2] for value in values]
        assert memory == [mebibytes(min(chunk, tokens)) for chunk in CHUNKS] and memory[0] < memory[1]
