"""How the course is opened: the port, the browser, the settings, and a real server."""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_notebook

from tests.orphans import ending
from utils.course import launch, shipped


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program holds."""
    with socket.create_server((launch.HOST, 0)) as server:
        yield server.getsockname()[1]


def test_lab_finds_a_port_where_the_usual_one_is_taken(
    taken: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launch, "USUAL_PORT", taken)
    port = launch.choose_port(None)
    assert port > taken and launch.is_free(port)
    assert capsys.readouterr().out == f"Port {taken} is taken by another program, so the course is on port {port}.\n"


def is_signed(path: Path) -> bool:
    return NotebookNotary().check_signature(nbformat.read(path, as_version=4))


def test_only_shipped_notebooks_are_trusted_and_a_broken_one_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(shipped, "DIGESTS", tmp_path / "digests")
    output = nbformat.v4.new_output("display_data", {"text/html": "<script></script>"})
    for name in ("ours", "strangers"):
        nbformat.write(new_notebook(cells=[new_code_cell(name, outputs=[output])]), tmp_path / f"{name}.ipynb")
    shipped.keep_digests([tmp_path / "ours.ipynb"])
    (tmp_path / "broken.ipynb").write_text("{")
    assert launch.trust(tmp_path) == 1
    assert is_signed(tmp_path / "ours.ipynb") and not is_signed(tmp_path / "strangers.ipynb")
    assert "broken.ipynb cannot be read" in capsys.readouterr().out


def test_all_lessons_are_shipped() -> None:
    notebooks = (launch.ROOT / "notebooks").glob("*.ipynb")
    assert set(map(shipped.digest, notebooks)) == shipped.shipped_digests(), "`make lessons`"


def test_prepare_names_files_that_hide_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch.prepare(tmp_path)
    for name in ("utils.py", "torch.py", "random.py", "my_notes.py"):
        (tmp_path / name).write_text("raise RuntimeError")
    for folder in ("lessons", "numpy", "torchvision"):  # only a folder with __init__.py is a package before others
        (tmp_path / folder).mkdir()
    (tmp_path / "numpy" / "__init__.py").touch()
    capsys.readouterr()
    launch.prepare(tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        f"{name} in {tmp_path.name} hides the package {name[:5]}: give it another name."
        for name in ("numpy", "torch.py")
    ]


def test_server_ignores_user_configuration(tmp_path: Path) -> None:
    """Start a real server with a user configuration that sets another folder, page and port."""
    (tmp_path / ".jupyter").mkdir()
    (tmp_path / ".jupyter" / "jupyter_lab_config.py").write_text(
        "c = get_config()\n"
        "c.ServerApp.root_dir = c.ServerApp.preferred_dir = '/'\n"
        "c.ServerApp.port = 1\n"
        "c.LabApp.default_url = '/elsewhere'\n"
        "c.IdentityProvider.token = 'stale'\n"
    )
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    nbformat.write(new_notebook(), notebooks / launch.START)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("JUPYTER")}
    command = [*ending(), sys.executable, "-m", "utils.course.launch", "--no-browser", "--notebooks", str(notebooks)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    server = subprocess.Popen(command, env={**variables, "HOME": str(tmp_path)}, **options)
    try:
        address = next((line.strip() for line in server.stdout if "    http://" in line), "")
        page = get(address)
        listed = json.loads(get(address.replace(f"lab/tree/{launch.START}", "api/contents")))
        with pytest.raises(urllib.error.HTTPError, match="404"):  # which is a teacher's
            get(address.replace(f"lab/tree/{launch.START}", "formgrader"))
    finally:
        server.terminate()
        rest = server.communicate(timeout=300)[0]
    assert [entry["name"] for entry in listed["content"]] == [launch.START]
    settings = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[1])
    assert settings["treePath"] == launch.START
    assert settings["extensionManager"]["can_install"] is False
    assert settings["news"] == {"disabled": True}
    assert "Warning" not in rest and "Error" not in rest, rest


def get(address: str) -> str:
    """The page at this address."""
    with urllib.request.urlopen(address, timeout=300) as answer:
        return answer.read().decode()
