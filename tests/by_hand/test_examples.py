"""The examples in the docstrings of what is computed by hand: each public function has one, and they are true."""

from __future__ import annotations

import doctest
import importlib
from inspect import isfunction
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parents[2] / "utils" / "by_hand"


@pytest.mark.parametrize("name", sorted(path.stem for path in ROOM.glob("[a-z]*.py") if path.stem != "arrays"))
def test_each_function_has_a_correct_example(name: str) -> None:
    module = importlib.import_module(f"utils.by_hand.{name}")
    assert doctest.testmod(module).failed == 0
    own = [f for n, f in vars(module).items() if isfunction(f) and f.__module__ == module.__name__ and n[0] != "_"]
    bare = [f.__name__ for f in own if ">>> " not in f.__doc__ and not f.__name__.startswith("require_")]
    assert not bare, "these need an example"
