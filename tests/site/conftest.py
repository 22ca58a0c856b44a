"""What the tests of the site share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from utils.course.lessons import companion_pages
from utils.site import build


@pytest.fixture(scope="module")
def little() -> Iterator[None]:
    """Of what every site has beside its lessons as little as can be: one companion page, a short one, and no font."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "built_companions", lambda: companion_pages()[1:2])
        patch.setattr(build, "math_style", lambda pages: "")
        yield
