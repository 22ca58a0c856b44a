"""Watch a training: one bar, and in a notebook one picture of curves, both updated in place."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from tqdm.auto import tqdm

from utils.training.curves import Curves, recent

_REDRAW_AFTER = 0.5  # seconds


class Progress:
    """A display of a `Trainer` at work: its last loss, its last validation score, and the remaining time."""

    def __init__(self, trainer: Any, show: bool):
        self._trainer = trainer
        self._show = show
        self._drawn = 0.0

    def __enter__(self) -> Progress:
        if not self._show:
            return self
        self._curves = _in_notebook() and Curves(self._trainer.config.steps, self._trainer.score_name)
        if self._curves:
            from IPython.display import display

            display(self._curves)
        self._bar = tqdm(
            total=self._trainer.config.steps,
            initial=self._trainer.step,
            bar_format="{percentage:3.0f}% {bar} {n_fmt} of {total_fmt} steps{postfix}, {remaining} left",
            file=sys.stderr,
            mininterval=_REDRAW_AFTER / 2,
        )
        return self

    def update(self) -> None:
        """Show the state of the training after a step."""
        if self._show and time.monotonic() - self._drawn > _REDRAW_AFTER:
            self._draw()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        if self._show:
            self._draw()
            self._bar.close()
            if error is None and self._curves and not self._trainer.done:
                # Stopped on purpose: tqdm's red would say that it has failed.
                self._bar.disp(bar_style="info")

    def _draw(self) -> None:
        history = self._trainer.history
        if history.losses:
            self._bar.set_postfix_str(", ".join(self._numbers(history)), refresh=False)
        self._bar.update(self._trainer.step - self._bar.n)
        if self._curves:
            self._curves.draw(history)
        self._drawn = time.monotonic()

    def _numbers(self, history: Any) -> list[str]:
        loss = [f"loss {recent(history.losses):.2f}"]
        return loss + ([f"{self._trainer.score_name} {history.scores[-1][1]:.3f}"] if history.scores else [])


def _in_notebook() -> bool:
    """Return whether `tqdm.auto` has chosen the bar for notebooks: there are a kernel and ipywidgets."""
    from tqdm.notebook import tqdm_notebook

    return issubclass(tqdm, tqdm_notebook)
