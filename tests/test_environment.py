"""etc/environment.py on a tiny project of its own: real environments, the real uv and pip, and no network."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.orphans import ending

SCRIPT = Path(__file__).resolve().parents[1] / "etc" / "environment.py"

PYPROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "tiny"
version = "1"
dependencies = ["needed"]
"""
# Builds the tiny project without setuptools, notes that it did, and meets with the mishap of the day.
BACKEND = """
import pathlib, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    mishap = pathlib.Path("mishap.py").read_text()  # first: who reads the note below may write the next one
    with open("builds.txt", "a") as builds:
        builds.write("built\\n")
    exec(mishap)
    name = "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        metadata = "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\nRequires-Dist: needed\\n"
        wheel.writestr("tiny-1.dist-info/METADATA", metadata)
        wheel.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("tiny-1.dist-info/RECORD", "tiny-1.dist-info/RECORD,,\\n")
    return name
"""
UV = shutil.which("uv", path=Path(sys.executable).parent)  # None where there is no uv for this machine
PATIENCE = 600  # seconds, for what takes a few on a machine that has nothing else to do
LAUNCH = "import sys; print('launched', *sys.argv[1:])"


class Tiny:
    """A project of nothing, with etc/environment.py in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.note = self.venv / "finished.json"
        files = {"pyproject.toml": PYPROJECT, "constraints.txt": "", "backend.py": BACKEND, "mishap.py": ""}
        files |= {"etc/environment.py": SCRIPT.read_text("utf-8"), "utils/course/launch.py": LAUNCH}
        files |= {"utils/course/working_copy.py": LAUNCH.replace("launched", "reset")}
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        (root / "tmp").mkdir()  # where a pip that is killed leaves its rubbish
        (root / "wheels").mkdir()
        self.offer("needed", {"data/purelib/needed/__init__.py": b"number = 1"})
        if UV:
            self.offer("uv", {"data/scripts/uv": Path(UV).read_bytes()})

    def offer(self, name: str, files: dict[str, bytes]) -> None:
        """A wheel for pip and uv to find, for there is no network here."""
        files["dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n".encode()
        files["dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        record = "".join(f"{name}-1.{file},,{len(content)}\n" for file, content in files.items())
        files["dist-info/RECORD"] = f"{record}{name}-1.dist-info/RECORD,,\n".encode()
        with zipfile.ZipFile(self.root / "wheels" / f"{name}-1-py3-none-any.whl", "w") as wheel:
            for file, content in files.items():
                entry = zipfile.ZipInfo(f"{name}-1.{file}")
                entry.external_attr = 0o100755 << 16  # uv is to be run
                wheel.writestr(entry, content)

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Run etc/environment.py."""
        return subprocess.Popen(
            [*ending(), sys.executable, "etc/environment.py", *arguments],
            cwd=self.root,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))},
                "TMPDIR": str(self.root / "tmp"),
                "PIP_CONFIG_FILE": os.devnull,
                "PIP_NO_INDEX": "1",
                "PIP_FIND_LINKS": "wheels",
                **variables,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, **variables: str) -> tuple[int, str]:
        """Run it to its end: the exit status and all it says."""
        process = self.start(*arguments, **variables)
        said = process.communicate(timeout=PATIENCE)[0]
        return process.returncode, said

    def builds(self) -> int:
        """How often the project was built."""
        path = self.root / "builds.txt"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def start_and_wait_for_the_build(self) -> subprocess.Popen[str]:
        """Start an installation that does not end by itself, and return in its middle."""
        (self.root / "mishap.py").write_text("import time; time.sleep(1000)")
        builds = self.builds()
        process = self.start("lab")
        while self.builds() == builds:
            assert process.poll() is None, process.stdout.read()
            time.sleep(0.02)
        (self.root / "mishap.py").write_text("")
        return process


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """One project for all tests here, for making an environment takes seconds; it begins with a broken one."""
    tiny = Tiny(tmp_path_factory.mktemp("a tiny [project]"))
    (tiny.venv / "bin").mkdir(parents=True)
    (tiny.venv / "bin" / "python").symlink_to("/nowhere/python")
    (tiny.venv / "pyvenv.cfg").write_text(f"command = python -m venv {tiny.venv}")
    (tiny.venv / "junk").touch()
    return tiny


@pytest.fixture
def made(tiny: Tiny) -> Tiny:
    """The project with its environment finished."""
    (tiny.root / "mishap.py").write_text("")
    status, said = tiny.run("lab")
    assert status == 0, said
    return tiny


@pytest.fixture
def outdated(made: Tiny) -> Iterator[Tiny]:
    """The project with an environment that is to be added to; what was noted of it is put back."""
    noted, constraints = made.note.read_text(), made.root / "constraints.txt"
    before = constraints.read_text()
    constraints.write_text(f"{before}# more\n")
    yield made
    made.note.write_text(noted)
    constraints.write_text(before)


@pytest.fixture
def environment() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("environment", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sentence(said: str) -> str:
    """What a failure said, which must be one line and no traceback."""
    *progress, last = said.strip().splitlines()
    assert all(line.startswith("Installing") for line in progress), said
    assert "Traceback" not in last
    return last


def test_finished_environment_is_reused_at_once_and_suffices_for_a_reset(made: Tiny) -> None:
    builds = made.builds()
    assert made.run("lab", "--port", "9000") == (0, "launched --port 9000\n")
    assert made.run("reset", "05") == (0, "reset 05\n")
    assert made.builds() == builds


def test_tests_level_is_added_and_serves_the_course(made: Tiny) -> None:
    status, said = made.run("run", "python", "-c", "import sys; print(sys.prefix)")
    assert (status, said.splitlines()[-1]) == (0, str(made.venv))
    builds = made.builds()
    assert made.run("run", "python", "-c", "") == (0, "")
    assert made.run("lab") == (0, "launched\n")
    assert made.builds() == builds


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_run_waits_for_a_concurrent_install_and_finishes_it(outdated: Tiny, end: int) -> None:
    first = outdated.start_and_wait_for_the_build()
    assert not outdated.note.exists()
    second = outdated.start("lab")
    assert second.stdout.readline().startswith("Another run is installing")
    time.sleep(0.5)
    assert second.poll() is None
    os.killpg(first.pid, end)
    said = first.communicate(timeout=PATIENCE)[0]
    if end == signal.SIGINT:
        assert first.returncode == 130
        assert said.splitlines()[-1] == "Stopped. The next run begins anew."
    assert "Traceback" not in said
    assert second.communicate(timeout=PATIENCE)[0].endswith("launched\n")
    assert outdated.note.exists()


@pytest.mark.skipif(not UV, reason="without uv, nothing looks at each package")
def test_missing_package_is_installed_again(made: Tiny) -> None:
    (needed,) = made.venv.glob("[Ll]ib/**/site-packages/needed-1.dist-info")
    shutil.rmtree(needed)
    assert made.run("lab")[0] == 0
    assert needed.exists()


def test_install_asks_first_for_pytorch_without_gpu_and_uses_pip_without_uv(tmp_path: Path) -> None:
    tiny = Tiny(tmp_path)
    program = b'#!/bin/sh\necho "$@" >> uv.txt\ncase "$*" in *torch-backend*) exit 2;; esac\n'
    tiny.offer("uv", {"data/scripts/uv": program})
    assert tiny.run("lab")[0] == 0
    common = "pip install -c constraints.txt -e ."
    # For Linux alone the package index has GPU libraries.
    asked = [f"{common} --torch-backend cpu"] * (sys.platform == "linux") + [common]
    assert (tmp_path / "uv.txt").read_text().splitlines() == asked
    assert tiny.builds() == 0
    (tmp_path / "wheels" / "uv-1-py3-none-any.whl").unlink()
    subprocess.run([tiny.venv / "bin" / "python", "-m", "pip", "uninstall", "-qy", "uv"], check=True)
    (tmp_path / "constraints.txt").write_text("# more\n")
    assert tiny.run("lab")[0] == 0
    assert not (tiny.venv / "bin" / "uv").exists()
    assert tiny.builds() == 1
    assert tiny.run("lab") == (0, "launched\n")


def test_install_without_network_says_so(outdated: Tiny) -> None:
    """uv and pip are sent to a port where nobody listens."""
    pyproject = outdated.root / "pyproject.toml"
    pyproject.write_text(PYPROJECT.replace("requires = []", 'requires = ["setuptools"]'))
    nowhere = {"PIP_NO_INDEX": "", "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "1"}
    status, said = outdated.run("lab", **nowhere)
    pyproject.write_text(PYPROJECT)
    assert status == 1
    assert sentence(said).startswith("The packages could not be fetched: connect to the network")


@pytest.mark.parametrize(
    ("mishap", "beginning"),
    [
        ("raise OSError(28, 'No space left on device')", "The disk is full: make room where the course is and in "),
        ("raise ValueError('no luck today')", "The packages could not be installed: '"),
    ],
)
def test_install_says_in_one_sentence_why_it_fails(outdated: Tiny, mishap: str, beginning: str) -> None:
    (outdated.root / "mishap.py").write_text(mishap)
    status, said = outdated.run("lab")
    assert status == 1
    assert sentence(said).startswith(beginning)


def stop(environment: ModuleType, *arguments: str) -> str:
    """The sentence that the script ends with."""
    with pytest.raises(SystemExit) as end:
        environment.main(list(arguments))
    assert isinstance(end.value.code, str)  # Python prints it and exits with 1
    assert "\n" not in end.value.code
    return end.value.code


def test_install_without_enough_space_says_so(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tiny(tmp_path)
    monkeypatch.setattr(environment, "ROOT", str(tmp_path))
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda path: SimpleNamespace(free=2e9))
    environment.Environment(str(tmp_path)).need_room()
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda path: SimpleNamespace(free=3e8))
    said = stop(environment, "lab")
    assert said == f"The disk is too full: the course needs about 2.0 GB, and {tmp_path} has 0.3 GB free."
    assert not (tmp_path / ".venv").exists()


def test_install_on_debian_without_venv_names_the_package(
    environment: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tiny(tmp_path)
    monkeypatch.setattr(environment, "ROOT", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert f"sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv" in stop(environment, "lab")


def needed(environment: ModuleType, root: Path, *programs: str) -> None:
    """Runs Python programs until one succeeds, as an installation does."""
    with (root / "install.log").open("w+") as log:
        commands = [[sys.executable, "-c", program] for program in programs]
        environment.Environment(str(root)).need(commands, log)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("No luck", "packages could not be installed: 'No luck' ({log} says more)."),
        ("Error: one\nerror: two\n\n  later  \n", "packages could not be installed: 'error: two' ({log} says more)."),
        ("error: Connection refused", "packages could not be fetched: connect to the network, then run this again"),
        ("Connection refused, and [Errno 28]", "disk is full: make room where the course is and in {temporary}, then"),
    ],
)
def test_install_error_names_the_most_likely_cause_or_the_last_error(
    environment: ModuleType, tmp_path: Path, said: str, told: str
) -> None:
    with pytest.raises(SystemExit) as end:
        needed(environment, tmp_path, f"import sys; sys.stdout.write({said!r}); sys.exit(1)")
    places = {"log": tmp_path / "install.log", "temporary": tempfile.gettempdir()}
    assert end.value.code.startswith(f"The {told.format(**places)}")


def test_old_python_is_refused(environment: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 8, 18, "final", 0))
    assert stop(environment, "lab") == (
        f"This course needs Python 3.11 or newer; this is 3.8.18 ({sys.executable}). Try `make lab PYTHON=python3.12`."
    )
