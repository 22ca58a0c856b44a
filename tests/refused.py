"""What is refused, and in which words."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def refused(call: Callable[..., object], *arguments: object, **named: object) -> str:
    """Return the one sentence with which a call is refused, behind the name of its error unless that is ValueError."""
    with pytest.raises((ArithmeticError, OSError, TypeError, ValueError)) as caught:
        call(*arguments, **named)
    sentence = str(caught.value)
    assert sentence.endswith(".") and "\n" not in sentence
    return sentence if caught.type is ValueError else f"{caught.type.__name__}: {sentence}"
