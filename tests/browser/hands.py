"""What a hand does on a page that may still be growing, and which tasks are ticked then."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Locator, expect

TRIES, SECONDS = 20, 10  # how often an act is repeated at most, and how long each has to show its effect


def until(act: Callable[[], object], holds: Callable[[], bool]) -> None:
    """Repeat an act until it has led to its state: a page that is still growing or being drawn may lose the first.

    Only for an act that may be repeated, such as one that scrolls to the end.
    """
    for _ in range(TRIES):
        act()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.05)
    raise AssertionError(f"the act has not led to its state in {TRIES} tries of {SECONDS} s")


def ticked(root: Locator, *numbers: int) -> None:
    done = root.locator(":scope > .tasks li.done")  # not those that are shown to a class
    expect(done).to_have_text([re.compile(rf"✓\s*{number}\. ") for number in numbers])
