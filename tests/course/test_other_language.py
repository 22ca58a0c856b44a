"""Lessons 12 and 12a run with another language when one name is changed: their cells, trained for a few steps only."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from utils.course.build import read_notebook
from utils.course.lessons import NOTEBOOKS
from utils.data import corpora
from utils.data.gloss import glosses
from utils.training import train
from utils.training.loop import TrainingConfig

NAME = "english_persian"
SHORTER = {  # what takes long, and what stands for it here
    "trange(300": "trange(3",
    "TrainingConfig(steps=300)": "TrainingConfig(steps=3, warmup=1)",
    "1, 301)": "1, 4)",
    "train(steps=10)": "train(steps=3)",
    "losses[:10]": "losses[:3]",
    "first + 100": "first + 1",
    "steps=300, rate": "steps=3, rate",
    "short_training(150": "short_training(3",
}


def cells_of(name: str, changes: dict[str, str]) -> list[str]:
    """The code cells of a lesson with texts replaced, and no answer judged."""
    cells = [cell.source for cell in read_notebook(NOTEBOOKS / name).cells if cell.cell_type == "code"]
    assert sum(cell.count(NAME) for cell in cells) == 1, "the name of the language stands in one place"
    for old, new in changes.items():
        cells = [cell.replace(old, new) for cell in cells]
    return [re.sub(r"^check\(.*\)$", "", cell, flags=re.MULTILINE) for cell in cells]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Few sentences, and few steps."""
    whole = corpora.english_german()
    held_out = [*whole.test[::80], next(pair for pair in whole.test if pair.source == "The weather is great.")]
    for_choices = whole.validation[::40]
    few = replace(whole, train=whole.train[::20], held_out=held_out + for_choices, validation=for_choices)
    monkeypatch.setattr(corpora, "english_german", lambda: few)
    monkeypatch.setattr(
        train, "recipe", lambda **changes: TrainingConfig(steps=4, warmup=1, evaluate_every=4, weight_decay=1.0)
    )
    monkeypatch.chdir(tmp_path)


def run(name: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for cell in cells_of(name, {NAME: "english_german", **SHORTER}):
        exec(compile(cell, name, "exec"), names)
    return names


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_lesson_12_trains_and_shows_german() -> None:
    names = run("12_training_a_translator.ipynb")
    assert {"das", "ist", "großartig"} <= set(names["target_vocabulary"])
    words = names["target_vocabulary"].to_list()
    assert [word for word, told in zip(words, glosses(words), strict=True) if told == "?"] == ["?"]
    assert names["read"] == ["<start>", "das", "wetter", "ist", "großartig", "."]
    assert len(names["outputs"]) == len(names["corpus"].test) and not re.search("[ا-ی]", " ".join(names["outputs"]))
