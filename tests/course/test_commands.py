"""The commands as `make` offers them: each names itself as it is typed."""

from __future__ import annotations

import pytest

from utils.course import build, launch, new_lesson, working_copy
from utils.site import build as site


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        (build, "make lessons [-h] [--all] [--solved] [numbers ...]"),
        (launch, "make lab [-h] [--port PORT] [--no-browser] [--notebooks NOTEBOOKS]"),
        (new_lesson, "make new-lesson [-h] [--title TITLE] NN"),
        (working_copy, "make reset [-h] [number ...]"),
        (site, "make site [-h] [--out OUT] [--repository REPOSITORY] [--ref REF] [numbers ...]"),
    ],
)
def test_a_command_says_how_it_is_used(command, usage, capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as end:
        command.main(["--help"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {usage}\n")
