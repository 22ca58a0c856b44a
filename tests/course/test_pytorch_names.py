"""In 09b to 12a a name of PyTorch is used in code only where a sentence, there or before, has said what it does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import nn

from utils.course.build import read_notebook
from utils.course.lessons import NOTEBOOKS, all_lessons

ROUTE = [lesson for lesson in all_lessons() if lesson.number in ("09b", "10", "11", "12", "12a")]
# Names of the course's own modules that a tensor happens to have, too.
OWN = {"norm", "name", "cross"}
NUMPY = {*dir(np), *dir(np.ndarray), *dir(np.random), *dir(str), *dir(list), *dir(dict), *dir(set)}
OF_PYTORCH = {*dir(torch.Tensor), *dir(nn.Module), *dir(torch.optim.Optimizer)} - NUMPY - OWN
# NumPy knows these words, but PyTorch means something of its own by them.
OTHERWISE = {"step", "tensor", "bool", "copy_"}


def used(source: str) -> Iterator[str]:
    """The names of PyTorch in a cell that NumPy does not have, such as "nn.Linear", "no_grad", "backward"."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            of_a_module = re.fullmatch(r"(torch|nn|F)(\.\w+)*", ast.unparse(node.value))
            if node.attr in OF_PYTORCH or (of_a_module and (node.attr not in NUMPY or node.attr in OTHERWISE)):
                yield node.attr


def told(text: str) -> set[str]:
    """The words that stand in `code` in prose."""
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"\w+", code)}


def uses() -> Iterator[tuple[str, str, bool]]:
    """Each name that the lessons use, the lesson that uses it first, and whether prose before it has told of it."""
    known: set[str] = set()
    met: set[str] = set()
    for lesson in ROUTE:
        for cell in read_notebook(NOTEBOOKS / lesson.notebook_name).cells:
            if cell.cell_type == "markdown":
                known |= told(cell.source)
            elif cell.cell_type == "code":
                for name in set(used(cell.source)) - met:
                    met.add(name)
                    yield name, lesson.number, name in known


@pytest.mark.parametrize("lesson", [lesson.number for lesson in ROUTE])
def test_pytorch_name_is_introduced_before_it_is_used(lesson: str) -> None:
    assert not [name for name, first, before in uses() if first == lesson and not before]
