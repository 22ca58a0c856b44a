"""A long computation with buttons: it runs, it stops, it says what went wrong."""

from __future__ import annotations

import threading

from utils.show.live_run import LiveRun

WAIT = 20  # seconds, more than any of these needs


def test_progress_bar_goes_from_empty_to_full_and_starts_again():
    seen = []

    def work(report, stopped):
        seen.append((run._bar.value, run._bar.bar_style, run._stop_button.disabled, threading.current_thread().daemon))
        for share in (-1, 0.25, 7):
            report(share, "on the way")
            seen.append(run._bar.value)
        raise ValueError

    run = LiveRun(work)
    for _ in range(2):
        run.start()
        assert run.wait(WAIT)
    # it does not hold up a program that ends
    assert seen == [(0, "", False, True), 0, 0.25, 1] * 2


def test_live_run_can_be_stopped_and_started_again():
    turns, begun = [], threading.Event()

    def work(report, stopped):
        turns.append("started")
        begun.set()
        while not stopped():
            pass
        report(0.1, "stopped", None)

    run = LiveRun(work)
    for _ in range(2):
        begun.clear()
        run.start()
        assert begun.wait(WAIT) and run.running and run._start_button.disabled
        run.start()  # pressed twice: nothing happens
        run.stop()
        assert run.wait(WAIT) and run.sentence == "stopped"
    assert turns == ["started", "started"]


def test_live_run_shows_an_error_as_a_sentence_and_can_start_again():
    def work(report, stopped):
        raise ValueError("no letters")

    run = LiveRun(work)
    run.start()
    assert run.wait(WAIT)
    assert run.sentence == "It has ended with ValueError: no letters"
    assert run._bar.bar_style == "danger" and not run._start_button.disabled
