"""The pictures that `utils.show` draws are those that were looked at: their parts are kept in `recorded/`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.recorded import recorded
from tests.show.drawn import changed
from tests.show.test_beam_tree import BRANCHES, WORDS
from tests.show.test_blueprint import BASE, SMALL
from tests.show.test_candidates import STEPS
from utils.show.beam_tree import beam_tree
from utils.show.blueprint import blueprint
from utils.show.candidates import candidate_bars
from utils.show.contours import contours
from utils.show.drawing import arrow, box, label, sheet
from utils.show.figures import heatmap, heatmaps, lines

WAVES = np.sin(np.arange(6.0).reshape(2, 3))
CURVES = {"seen": [1, 5, 16], "law": [1, 4, 16]}
LIT = ["decoder.layers.0.cross_attention", "encoder"]
DRAWN: dict[str, Callable[[], Figure]] = {
    "blueprint": lambda: blueprint(SMALL, LIT),
    "blueprint of the paper": lambda: blueprint(BASE, paper=True),
    "beam tree": lambda: beam_tree(BRANCHES, WORDS, 3, "Two beams"),
    "candidates": lambda: candidate_bars(STEPS, "Candidates", chosen={"step 1": "هوا", "step 2": "b"}),
    "contours": lambda: contours(lambda x, y: x**2 + 3 * y**2, [1, 4], [((1, 1), (0.2, 0.6))], "A bowl"),
    "heatmap": lambda: heatmap(WAVES, ["q₁", "q₂"], ["k₁", "k₂", "a long name"], "Waves", 2, "asks", "is asked"),
    "heatmaps": lambda: heatmaps(
        {"a": WAVES**2, "b": WAVES}, ["q₁", "q₂"], ["k₁", "k₂", "k₃"], 1, "asks", "is asked", True
    ),
    "lines": lambda: lines([1, 2, 4], CURVES, "Growth", "N", "times", log=True, measured=["seen"]),
    "lines over tens": lambda: lines([1, 10, 1000], CURVES, "Growth", "N", "times", log_x=True),
    "candidates below each other": lambda: candidate_bars({f"step {i}": {"a": i / 5} for i in range(5)}, "Candidates"),
}


@pytest.mark.parametrize("name", DRAWN)
def test_it_is_drawn_as_it_was_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Axes, "clabel", lambda *_, **__: [])  # it goes by how wide letters are
    path = Path(__file__).with_name("recorded") / f"{name.replace(' ', '_')}.json"
    assert changed(DRAWN[name], path) == ""


def test_what_is_not_recorded_is_named_and_nothing_is_recorded_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("RECORD", "new")
    assert recorded([1, 2], tmp_path / "there is none.json") == [] == list(tmp_path.iterdir())
    assert "+ ['sheet', 4.0, 3.0]" in changed(lambda: sheet(4, 3)[0], tmp_path / "nor here.json")
    monkeypatch.delenv("CI")
    assert recorded([1, 2], tmp_path / "now.json") == [1, 2] and (tmp_path / "now.json").is_file()


def test_what_is_moved_recoloured_or_put_on_top_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(place: float = 1.0, colour: str = "#FFFFFF", on_top: bool = True, arrows: int = 1) -> str:
        def drawing() -> Figure:
            figure, axes = sheet(4, 3)
            for a_box in (True, False) if on_top else (False, True):
                if a_box:
                    box(axes, (place, 1), "word", width=0.8, colour=colour)
                else:
                    label(axes, (place, 1.1), "name")
            for _ in range(arrows):
                arrow(axes, (2, 1), (3, 1))
            return figure

        return changed(drawing, tmp_path / "drawing.json")

    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("RECORD", "new")
    assert seen() == ""
    monkeypatch.delenv("RECORD")
    assert seen() == seen(1.0001) == ""  # no more than rounding
    assert "+ ['text', 'name'" in seen(1.01)
    assert "RECORD=new" in seen(colour="#FF0000")
    assert "on top" in seen(on_top=False)
    assert seen(arrows=2).startswith("+ ['arrow'") and seen(arrows=0).startswith("- ['arrow'")
