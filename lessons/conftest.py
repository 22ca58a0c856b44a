"""What tests of several lessons share."""

from __future__ import annotations

import pytest

from utils.training.translator import Translator


@pytest.fixture(scope="session")
def translator() -> Translator:
    """The course's own; a test that trains it, or changes its mode, leaves it as it was."""
    from lessons.ablations import course_translator

    return course_translator()
