"""What the cards of lesson 17 say is true of the mistake, also where two mistakes give the same result."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from utils.course.exercises import EXERCISES, diagnose


def counted(cls=1, places=1, final=2, bias=1, last_bias=None, blocks_with_norms=None, patches=None):
    """An answer to 17.parameters that takes these steps its own way."""
    last_bias = bias if last_bias is None else last_bias

    def answer(image_size, patch_size, channels, classes, n_layers, d_model, d_ff):
        n_patches = patches(image_size, patch_size) if patches else (image_size // patch_size) ** 2
        front = (channels * patch_size**2 + bias + cls + n_patches + places) * d_model
        attention, network = 4 * (d_model + bias) * d_model, 2 * d_model * d_ff + bias * (d_model + d_ff)
        norms = 4 * d_model * (blocks_with_norms or n_layers)
        return front + n_layers * (attention + network) + norms + final * d_model + (d_model + last_bias) * classes

    return answer


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (counted(), "Correct"),
        (counted(cls=0, places=0), "[CLS] and its position together"),
        (counted(final=0), "the norm at the end of the stack"),
        (counted(final=1), "γ and β of the last norm"),
        (counted(cls=0), "[CLS], its position"),
        (counted(bias=0), "All biases are missing"),
        (counted(bias=0, last_bias=1), "All biases but those of the last layer"),
        (counted(patches=lambda size, P: size**2 // P), "you divided by P once"),
        (counted(patches=lambda size, P: int(size**2 / P)), "you divided by P once"),
        (counted(blocks_with_norms=1), "the norms of one block only"),
    ],
)
def test_a_count_is_told_what_may_be_missing(answer, words):
    assert words in diagnose(EXERCISES["17.parameters"], answer).sentence


@pytest.mark.parametrize("edges", [lambda n, columns: (n, n), lambda n, columns: (-1, n), lambda n, c: (c, c)])
@pytest.mark.parametrize("root", [lambda n: int(n**0.5), lambda n: round(n**0.5)])
def test_a_grid_taken_for_a_square_is_named(edges, root):
    def answer(patches, columns):
        P = round(patches.shape[1] ** 0.5)
        rows, columns = edges(root(len(patches)), columns)
        return patches.reshape(rows, columns, P, P).swapaxes(1, 2).reshape(-1, columns * P)

    assert "took the grid for a square" in diagnose(EXERCISES["17.image"], answer).sentence


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda p, c: p.reshape(-1, c, c, c).swapaxes(1, 2).reshape(-1, c * c), "took `columns` for the edge of a"),
        (lambda p, c: np.einsum("rcij->ricj", p.reshape(-1, c, c, c)).reshape(-1, c * c), "for the edge of a patch"),
        (lambda p, c: p.reshape(-1, c), "took `columns` for the width of the image"),
    ],
)
def test_feedback_names_what_columns_was_taken_for(answer, words):
    assert words in diagnose(EXERCISES["17.image"], answer).sentence


@pytest.mark.parametrize("corners", [False, True])
def test_an_interpolation_is_named(corners):
    def answer(positions):
        g = round((len(positions) - 1) ** 0.5)
        grid = torch.tensor(positions[1:]).unflatten(0, (g, g)).permute(2, 0, 1)[None]
        finer = torch.nn.functional.interpolate(grid, size=(2 * g, 2 * g), mode="bilinear", align_corners=corners)
        return np.concatenate([positions[:1], finer[0].flatten(1).T.numpy()])

    assert diagnose(EXERCISES["17.finer_grid"], answer).sentence.startswith("You mixed the positions")
