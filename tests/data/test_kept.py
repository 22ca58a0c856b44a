"""Kept results: read as they were written, an entry a line, and done anew by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from utils.data.kept import keep, read_kept, read_run, write_kept

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "lessons").glob("*/*.json"))


@pytest.mark.parametrize(
    "found",
    [{"a": {"x": [1, 2]}, "b": 0.5}, [{"x": 1}, {"x": None}], {"rows": [{"x": 1}, {"x": 2}], "من": "ما"}, {}, []],
)
def test_read_kept_gives_what_was_written(found, tmp_path):
    write_kept(tmp_path / "kept.json", found)
    assert read_kept(tmp_path / "kept.json") == found == json.loads((tmp_path / "kept.json").read_text("utf-8"))


def test_lesson_files_are_in_the_written_form(tmp_path):
    for path in FILES:
        write_kept(tmp_path / path.name, read_kept(path))
        assert (tmp_path / path.name).read_text("utf-8") == path.read_text("utf-8"), path.name


def test_keep_does_the_requested_runs_and_leaves_the_rest(tmp_path, capsys):
    path, done = tmp_path / "kept.json", []

    def runs(value):
        return {name: lambda name=name: done.append(name) or {"is": value} for name in ("long 1", "long 2", "short")}

    keep(path, runs(1), [])
    assert done == ["long 1", "long 2", "short"] == list(read_kept(path))
    assert capsys.readouterr().out.splitlines()[0] == 'long 1 {"is": 1}'
    keep(path, runs(2), ["--only", "long"])
    assert done[3:] == ["long 1", "long 2"] and [run["is"] for run in read_kept(path).values()] == [2, 2, 1]
    write_kept(path, {"long 2": {"is": 2}, "given up": {"is": 0}})
    keep(path, runs(3), ["--missing"])
    assert read_kept(path) == {"long 1": {"is": 3}, "long 2": {"is": 2}, "short": {"is": 3}}


def test_each_run_is_saved_before_the_next_one_starts(tmp_path):
    path = tmp_path / "kept.json"

    def stops():
        assert read_kept(path) == {"first": 1}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep(path, {"first": lambda: 1, "second": stops}, [])
    assert read_kept(path) == {"first": 1}


def test_read_run_gives_parts_as_attributes(tmp_path):
    path = tmp_path / "kept.json"
    write_kept(path, {"a": {"curve": [1, 2], "seed 1": {"right": 3}}, "b": 0.5})
    assert read_run(path, "a").curve == [1, 2] and read_run(path, "a", "seed 1").right == 3
    assert read_run(path, "b") == 0.5
    with pytest.raises(ValueError, match=r"kept.json .* 'seed 2'"):
        read_run(path, "a", "seed 2")
