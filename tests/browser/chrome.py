"""Finds a Chromium or Chrome on this computer; run as a program, it prints the path or says how to get one."""

import os
import shutil
import sys
from collections.abc import Mapping

# First the one without windows, menus and tabs, which takes half the processor time for the same pages.
NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
PLACES = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
]
MISSING = (
    "The browser tests need Chromium or Chrome: install one (on Debian or Ubuntu `sudo apt install chromium`), "
    "or set CHROME to the path of yours."
)


def find_browser(environ: Mapping[str, str] = os.environ) -> str | None:
    """The path of a browser: the one that CHROME names, else the first one found."""
    if environ.get("CHROME"):
        return shutil.which(environ["CHROME"])
    return next((found for name in NAMES + PLACES if (found := shutil.which(name))), None)


if __name__ == "__main__":
    sys.exit(MISSING if (path := find_browser()) is None else print(path))
