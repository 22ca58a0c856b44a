"""How the course is opened: the port, the browser, the settings, and a real server."""

import getpass
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


def test_students_copy_is_made_before_it_is_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch.prepare(tmp_path / "my-notebooks")
    assert capsys.readouterr().out.startswith("New in my-notebooks: lesson 00, 01, ")
    copied = {path.name: path.read_bytes() for path in (tmp_path / "my-notebooks").glob("*.ipynb")}
    assert copied == {path.name: path.read_bytes() for path in launch.NOTEBOOKS.glob("*.ipynb")}
    launch.prepare(tmp_path / "my-notebooks")
    assert capsys.readouterr().out == ""


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


def test_students_own_utils_and_lessons_do_not_affect_the_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel as `make lab` starts it, in a folder with files of names that the course uses."""
    from jupyter_client.manager import start_new_kernel

    monkeypatch.delenv("JUPYTER_PATH", raising=False)  # forked, it would have imported much already
    for name in ("utils.py", "lessons.py", "random.py"):
        (tmp_path / name).write_text("mine = True")
    (tmp_path / "helper.py").write_text("mine = True")
    env = {**os.environ, **launch.jupyter_variables(), "JUPYTER_DATA_DIR": str(tmp_path)}
    manager, client = start_new_kernel(startup_timeout=600, cwd=str(tmp_path), env=env)
    try:
        code = "import helper, random; from utils.by_hand.attention import softmax; import lessons; random.random()"
        answer = client.execute_interactive(code, timeout=600, store_history=False)
        assert answer["content"]["status"] == "ok", answer["content"]
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_make_lab_opens_the_students_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As far as the server, which is not started here: what it and its kernels are told."""
    from jupyterlab.labapp import LabApp

    class Opened(Exception):
        pass

    def opened(command: list[str]) -> None:
        raise Opened(command)

    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 54321")

    monkeypatch.setattr(getpass, "getuser", nameless)  # as in a container that runs as some number
    monkeypatch.setattr(LabApp, "initialize_server", opened)
    monkeypatch.setattr(os, "environ", {**os.environ, "COURSE_NOTEBOOKS": str(tmp_path / "mine")})
    monkeypatch.setattr(launch, "trust", lambda *folders: trusted.extend(folders))
    for arguments, folder in (([], tmp_path / "mine"), (["--notebooks", str(tmp_path)], tmp_path)):
        trusted: list[Path] = []
        with pytest.raises(Opened, match=f"--ServerApp.root_dir={folder}'"):
            launch.main(["--no-browser", *arguments])
        assert trusted == [launch.NOTEBOOKS, folder]
        assert os.environ["COURSE_NOTEBOOKS"] == str(folder)
    assert (tmp_path / "mine" / launch.START).exists()
    assert not (tmp_path / launch.START).exists()  # a folder that is named is opened as it is


def test_simultaneous_launches_find_separate_ports_and_ignore_user_configuration(
    tmp_path: Path,
) -> None:
    """Real servers, started by somebody whose configuration means another folder, page and port."""
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
    servers = [subprocess.Popen(command, env={**variables, "HOME": str(tmp_path)}, **options) for _ in range(2)]
    try:
        found = [next((line.strip() for line in server.stdout if "    http://" in line), "") for server in servers]
        page, _ = map(get, found)
        address = found[0]
        listed = json.loads(get(address.replace(f"lab/tree/{launch.START}", "api/contents")))
        with pytest.raises(urllib.error.HTTPError, match="404"):  # which is a teacher's
            get(address.replace(f"lab/tree/{launch.START}", "formgrader"))
    finally:
        for server in servers:
            server.terminate()
        rest = "".join(server.communicate(timeout=300)[0] for server in servers)
    assert len({address.split("/")[2] for address in found}) == 2
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
