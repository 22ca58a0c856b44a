"""etc/environment.py on a tiny project of its own: a real environment, the real uv and pip, and no network."""

import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

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
    with open("builds.txt", "a") as builds:
        builds.write("built\\n")
    exec(pathlib.Path("mishap.py").read_text())
    name = "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        metadata = "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\nRequires-Dist: needed\\n"
        wheel.writestr("tiny-1.dist-info/METADATA", metadata)
        wheel.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("tiny-1.dist-info/RECORD", "tiny-1.dist-info/RECORD,,\\n")
    return name
"""
PATIENCE = 600  # seconds, for what takes a few on a machine that has nothing else to do


class Tiny:
    """A project of nothing, with etc/environment.py in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        launch = "import sys; print('launched', *sys.argv[1:])"
        files = {"pyproject.toml": PYPROJECT, "constraints.txt": "", "backend.py": BACKEND, "mishap.py": ""}
        files |= {"etc/environment.py": SCRIPT.read_text("utf-8"), "utils/course/launch.py": launch}
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, "utf-8")
        (root / "wheels").mkdir()
        self.offer("needed", {"data/purelib/needed/__init__.py": b"number = 1"})
        uv = shutil.which("uv", path=Path(sys.executable).parent)
        module = f"import subprocess, sys; sys.exit(subprocess.call([{uv!r}, *sys.argv[1:]]))"
        self.offer("uv", {"data/purelib/uv/__main__.py": module.encode()})

    def offer(self, name: str, files: dict[str, bytes]) -> None:
        """Put a wheel where pip and uv find it."""
        files["dist-info/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n".encode()
        files["dist-info/WHEEL"] = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        record = "".join(f"{name}-1.{file},,{len(content)}\n" for file, content in files.items())
        files["dist-info/RECORD"] = f"{record}{name}-1.dist-info/RECORD,,\n".encode()
        with zipfile.ZipFile(self.root / "wheels" / f"{name}-1-py3-none-any.whl", "w") as wheel:
            for file, content in files.items():
                wheel.writestr(f"{name}-1.{file}", content)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start etc/environment.py, which can get packages only from the folder that PIP_FIND_LINKS names."""
        others = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
        mirror = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "wheels"}
        return subprocess.Popen(
            [*ending(), sys.executable, "etc/environment.py", *arguments],
            cwd=self.root,
            env=others | mirror | {"UV_NO_INDEX": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run it to its end and return the exit status and the last line that it wrote."""
        process = self.start(*arguments)
        said = process.communicate(timeout=PATIENCE)[0]
        assert "Traceback (most recent call last)" not in said.splitlines(), said
        return process.returncode, said.splitlines()[-1] if said else ""

    def builds(self) -> int:
        """Return how often the project was built."""
        path = self.root / "builds.txt"
        return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    """Return one project for all tests here, with its environment finished, because making one takes seconds."""
    tiny = Tiny(tmp_path_factory.mktemp("a tiny [project]"))
    assert tiny.run("lab", "--port", "9000") == (0, "launched --port 9000")
    return tiny


def test_finished_environment_is_reused_until_more_is_needed(made: Tiny) -> None:
    builds = made.builds()
    assert made.run("lab") == (0, "launched")
    assert made.builds() == builds
    assert made.run("run", "python", "-c", "import needed, sys; print(sys.prefix)") == (0, str(made.root / ".venv"))
    assert made.builds() == builds + 1
    assert made.run("lab") == (0, "launched")
    assert made.builds() == builds + 1


def test_failed_install_says_why_and_the_next_run_starts_again(made: Tiny) -> None:
    (made.root / "constraints.txt").write_text("# more\n")
    (made.root / "mishap.py").write_text("raise ValueError('no luck today')")
    status, said = made.run("lab")
    assert status == 1
    assert "could not be installed" in said and "build_editable" in said
    (made.root / "mishap.py").write_text("")
    assert made.run("lab") == (0, "launched")


def test_run_waits_for_another_that_is_installing(made: Tiny) -> None:
    (made.root / "constraints.txt").write_text("# still more\n")
    (made.root / "mishap.py").write_text("import time; time.sleep(3)")
    builds = made.builds()
    first = made.start("lab")
    while made.builds() == builds:
        time.sleep(0.02)
    assert made.run("lab") == (0, "launched")
    assert first.wait(timeout=300) == 0
    assert made.builds() == builds + 1


def test_old_python_is_refused_in_one_sentence() -> None:
    program = f"import sys; sys.version_info = (3, 8); exec(open({str(SCRIPT)!r}).read())"
    refused = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert refused.returncode == 1
    assert "needs Python 3.11 or newer" in refused.stderr and refused.stderr.count("\n") == 1
