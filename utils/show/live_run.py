"""Run a long computation in a notebook, with buttons to start and stop it and a display of its progress.

The function passed in does the computing in a thread of its own, so that the page stays responsive:

    def work(report, stopped):
        for n in range(100):
            if stopped():
                return
            ...
            report(n / 100, "what has come out so far, in a sentence", figure)

    LiveRun(work, "Run it here")
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from html import escape

import ipywidgets
from matplotlib.figure import Figure

from utils.show.figures import picture_html

Report = Callable[[float, str, Figure | None], None]
Work = Callable[[Report, Callable[[], bool]], None]


class LiveRun(ipywidgets.VBox):
    """A control with two buttons, a bar, a sentence and a picture, which never move.

    work: called as work(report, stopped). report(share done, sentence, figure or None) shows the progress, and
        stopped() returns whether the stop button has been pressed. An error in work is shown as a sentence.

    Python can use `start`, `stop` and `wait`; `sentence` and `running` show the state.
    """

    def __init__(self, work: Work, label: str = "Run it here", ready: str = "Not started.") -> None:
        self._work = work
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._start_button = ipywidgets.Button(description=label, button_style="primary", icon="play")
        self._stop_button = ipywidgets.Button(description="Stop", icon="stop", disabled=True)
        self._bar = ipywidgets.FloatProgress(max=1.0, layout={"width": "auto"})
        self._line = ipywidgets.HTML()
        self._picture = ipywidgets.HTML()
        self._start_button.on_click(lambda _: self.start())
        self._stop_button.on_click(lambda _: self.stop())
        buttons = ipywidgets.HBox([self._start_button, self._stop_button])
        super().__init__([buttons, self._bar, self._line, self._picture])
        self._say(ready)

    @property
    def running(self) -> bool:
        """Whether the computation is running."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Start the computation, unless it is already running."""
        if self.running:
            return
        self._stop.clear()
        self._start_button.disabled, self._stop_button.disabled = True, False
        self._bar.value, self._bar.bar_style = 0.0, ""
        self._say("Started.")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the computation to stop at its next step."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the computation, at most `seconds` unless None, and return whether it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)
        return not self.running

    def __repr__(self) -> str:
        return f"LiveRun({self.sentence})"

    def _run(self) -> None:
        try:
            self._work(self._report, self._stop.is_set)
        except Exception as error:  # an error in a thread would be invisible otherwise
            self._bar.bar_style = "danger"
            self._say(f"It has ended with {type(error).__name__}: {error}")
        finally:
            self._start_button.disabled, self._stop_button.disabled = False, True

    def _report(self, share: float, sentence: str, figure: Figure | None = None) -> None:
        self._bar.value = min(max(share, 0.0), 1.0)
        self._say(sentence)
        if figure is not None:
            self._picture.value = picture_html(figure)

    def _say(self, sentence: str) -> None:
        self.sentence = sentence
        self._line.value = f'<div role="status" style="font-size:1.1em">{escape(sentence)}</div>'
