"""What the cards of lesson 17 say is true of the mistake, also where two mistakes give the same result."""

from __future__ import annotations

import numpy as np
import pytest

from utils.course.exercises import EXERCISES, diagnose


@pytest.mark.parametrize("edges", [lambda n, columns: (n, n), lambda n, columns: (-1, n), lambda n, c: (c, c)])
@pytest.mark.parametrize("root", [lambda n: int(n**0.5), lambda n: round(n**0.5)])
def test_feedback_names_grid_taken_for_a_square(edges, root):
    def answer(patches, columns):
        P = round(patches.shape[1] ** 0.5)
        rows, columns = edges(root(len(patches)), columns)
        return patches.reshape(rows, columns, P, P).swapaxes(1, 2).reshape(-1, columns * P)

    assert "took the grid for a square" in diagnose(EXERCISES["17.image"], answer).sentence


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda p, c: p.reshape(-1, c, c, c).swapaxes(1, 2).reshape(-1, c * c),
            "took `columns` for the edge of a patch",
        ),
        (lambda p, c: np.einsum("rcij->ricj", p.reshape(-1, c, c, c)).reshape(-1, c * c), "for the edge of a patch"),
        (lambda p, c: p.reshape(-1, c), "took `columns` for the width of the image"),
    ],
)
def test_feedback_names_what_columns_was_taken_for(answer, words):
    assert words in diagnose(EXERCISES["17.image"], answer).sentence
