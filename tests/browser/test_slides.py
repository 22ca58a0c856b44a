"""A lesson as slides at 1280 × 720: walked to its end, text for the last row, pictures whole, its control, and notes.

`DECKS=all` walks the decks of all lessons, some minutes long.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import screenshot
from utils.course.deck import MOST, numbers_of, slides_of
from utils.course.lessons import NOTEBOOKS, Lesson, all_lessons, read_notebook
from utils.course.teaching import read_plan
from utils.site import build
from utils.site.build import build_slides, built_lessons

