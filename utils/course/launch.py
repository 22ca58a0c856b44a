"""Open the course in JupyterLab: `python -m utils.course.launch [--port N] [--no-browser] [--notebooks FOLDER]`.

All other arguments are passed on to JupyterLab.
"""

import argparse
import contextlib
import errno
import getpass
import os
import secrets
import socket
import sqlite3
import sys
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

import nbformat
from filelock import FileLock
from jupyter_core.paths import jupyter_config_dir
from nbformat.sign import NotebookNotary

from utils.course.lessons import NOTEBOOKS, ROOT
from utils.course.shipped import digest, shipped_digests
from utils.course.working_copy import FOLDER, VARIABLE, own_folder, reason, update
from utils.files import forgive_output, path_of, waited_for

HOST = "127.0.0.1"  # not "localhost", which may lead a browser to another program on ::1
USUAL_PORT = 8888
START = "00_start_here.ipynb"
# Not a hidden folder: Ubuntu's Firefox may not read there, and Jupyter opens it with a file in the runtime folder.
JUPYTER = ROOT / "build" / "jupyter"


def is_free(port: int) -> bool:
    """Return whether a server can open this port."""
    try:
        socket.create_server((HOST, port)).close()
    except (OSError, OverflowError):
        return False
    return True


def free_port(first: int) -> int:
    """Return the first free port from `first` on. Exit with a sentence if there is none."""
    for port in range(first, 65536):
        if is_free(port):
            return port
    sys.exit(f"No port from {first} on is free.")


def choose_port(asked: int | None) -> int:
    """Return the port `asked`, or, if it is None, the usual port or the next free one. Exit if `asked` isn't free."""
    if asked is not None:
        if not is_free(asked):
            # Ports 1 to 1023 belong to the system, and 65535 is the last one.
            other = free_port(asked + 1 if 1023 < asked < 65535 else USUAL_PORT)
            sys.exit(f"Port {asked} is taken or cannot be used: try `make lab PORT={other}`.")
        return asked
    port = free_port(USUAL_PORT)
    if port != USUAL_PORT:
        print(f"Port {USUAL_PORT} is taken by another program, so the course is on port {port}.")
    return port


def has_browser(environ: Mapping[str, str] = os.environ) -> bool:
    """Return whether there is a browser that can open a window."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform.startswith("linux") and not any(environ.get(name) for name in screens):
        return False  # without a screen, webbrowser finds a text browser, which would take over this terminal
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def jupyter_folder() -> Path:
    """Return the folder in which Jupyter keeps its files, or, with a message, a temporary one if we can't use it.

    The course may be read-only, or another user, such as root, may own files from an earlier start.
    """
    try:
        JUPYTER.mkdir(parents=True, exist_ok=True)
        for path in (JUPYTER, *JUPYTER.rglob("*")):
            if not _is_ours(path):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    except OSError as error:
        folder = Path(tempfile.mkdtemp(prefix="transformer-course-"))
        print(
            f"{error.filename or JUPYTER} cannot be used ({reason(error)}); {folder} keeps for now which notebooks "
            f"are open. To mend it: sudo chown -R $(id -u) '{JUPYTER}'"
        )
        return folder
    return JUPYTER


def jupyter_variables(own: Path | None = None) -> dict[str, str]:
    """Return environment variables that give Jupyter the course's settings, not the user's, which could break it.

    own: the folder for Jupyter's files, if not the course's.
    """
    own = own or JUPYTER
    unless_set = {
        # The notebooks that were open at the last exit.
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "workspaces"),
        # Theme, font size and the like stay the user's own.
        "JUPYTERLAB_SETTINGS_DIR": str(Path(jupyter_config_dir(), "lab", "user-settings")),
    }
    return {
        "JUPYTER_CONFIG_PATH": str(ROOT / "etc" / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
        **{name: os.environ.get(name) or usual for name, usual in unless_set.items()},
        # Before the notebooks' folder, so that a student's own utils.py there doesn't hide the course's `utils`.
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }


def in_the_way(own: Path) -> list[str]:
    """Return the names of files and folders in `own` that a kernel would import instead of an installed package.

    Leave out the course's own package names, which PYTHONPATH puts first, and folders that can't be entered.
    """
    found = [path for path in sorted(own.glob("*")) if path.suffix == ".py" or _is_file(path / "__init__.py")]
    packages = [name for name in packages_distributions() if not (ROOT / name).is_dir()]
    return [path.name for path in found if path.stem in packages]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in a folder that can't be entered
        return False


def closed_to_us(own: Path) -> list[Path]:
    """Return those of `own` and the files and folders in it that this user may not read and write."""
    return [path for path in (own, *sorted(own.glob("*"))) if not _is_ours(path)]


def _is_ours(path: Path) -> bool:
    wanted = os.R_OK | os.W_OK | os.X_OK * path.is_dir()
    return os.access(path, wanted, effective_ids=os.access in os.supports_effective_ids) or path.is_symlink()


def lab_command(port: int, notebooks: Path, browser: bool, further: Sequence[str] = ()) -> list[str]:
    """Return JupyterLab's arguments: those that override any configuration file, then `further`."""
    return [
        f"--ServerApp.root_dir={notebooks}",
        f"--ServerApp.ip={HOST}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.answer_yes=True",  # so that Ctrl-C stops it at once
        "--ServerApp.allow_root=True",  # in a container every user is root
        f"--LabApp.default_url=/lab/tree/{START}",
        "--Application.log_level=WARN",
        *further,
    ]


def trust(*folders: Path) -> int:
    """Sign the course's own notebooks, so that JupyterLab shows their saved controls and pictures before they are run.

    JupyterLab itself signs a student's changed notebook at each save. Any other notebook stays unsigned, because
    opening it must not run what somebody saved in it. Return the number of signed notebooks; equal copies count once,
    because a signature depends only on the content.
    """
    notary = NotebookNotary()
    shipped, trusted = shipped_digests(), set()
    for path in [path for folder in folders for path in sorted(folder.glob("*.ipynb"))]:
        try:
            known = digest(path)
            notebook = nbformat.read(path, as_version=4) if known in shipped - trusted else None
        except Exception as error:  # one broken notebook must not keep the others closed
            print(f"{path.name} cannot be read, and will not open: {error}")
            continue
        try:
            if notebook is not None:
                notary.sign(notebook)
                trusted.add(known)
        except (OSError, sqlite3.Error) as error:
            print(
                f"The notebooks cannot be signed in {notary.data_dir} ({reason(error)}), so what was saved in them is "
                "shown only when their cells have been run: see that you may write there, and that the disk has room."
            )
            break
    with contextlib.suppress(OSError, sqlite3.Error):
        notary.store.close()
    return len(trusted)


def prepare(own: Path) -> None:
    """Update the student's copy of the lessons in `own` and print what is new. Exit if the copy can't be made."""
    try:
        sentences = update(NOTEBOOKS, own)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        sentences = [
            f"Your lessons could not be brought up to date ({reason(error)}{where}). They are as you left them."
        ]
    for sentence in sentences:
        print(sentence)
    if not _is_file(own / START):
        sys.exit(f"Your copy of the lessons cannot be made in {own}: mend that, then run this again.")
    if closed := closed_to_us(own):
        more = f" and {len(closed) - 1} more in {own}" if closed[1:] else ""
        mended = f"sudo chown -R $(id -u) '{own}'; chmod -R u+rwX '{own}'"
        print(f"{closed[0]}{more} cannot be read or written; all the rest opens. To mend it: {mended}")
    for name in in_the_way(own):
        print(f"{name} in {own.name} hides the package {name.removesuffix('.py')}: give it another name.")


def welcome(address: str, browser: bool) -> str:
    """Return the text for the terminal: the course's address, and how to stop the course."""
    first = "The course opens in your browser; if no window comes up, go to" if browser else "The course is at"
    return f"\n{first}\n\n    {address}\n\nCtrl-C stops it.\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Open the course and serve it until Ctrl-C."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make lab", description="Open the course in JupyterLab.", allow_abbrev=False)
    parser.add_argument("--port", type=int, help=f"the port to use (else {USUAL_PORT}, or the next free one)")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument(
        "--notebooks", type=path_of, help=f"a folder to open as it is (else {FOLDER}, brought up to date)"
    )
    options, further = parser.parse_known_args(arguments)
    if options.notebooks is None:
        prepare(notebooks := own_folder())
    elif not options.notebooks.is_dir():
        sys.exit(f"There is no folder {options.notebooks.absolute()} to open.")
    else:
        notebooks = options.notebooks.resolve()

    browser = not options.no_browser and has_browser()
    token = secrets.token_hex(24)
    # The token goes into the environment, because every user of the computer can see the command line.
    os.environ.update(jupyter_variables(jupyter_folder()), **{"JUPYTER_TOKEN": token, VARIABLE: str(notebooks)})
    trust(NOTEBOOKS, notebooks)  # the published ones, too, because a lesson may be reset later

    from jupyterlab.labapp import LabApp  # only now, because its import reads the variables

    opening = contextlib.ExitStack()
    with contextlib.suppress(OSError):  # better to start without a lock than not at all
        # Two starts in the same second would choose the same free port. Not every user has a name, so prefer the id.
        user = os.getuid() if hasattr(os, "getuid") else getpass.getuser()
        lock = FileLock(Path(tempfile.gettempdir(), f"transformer-course-{user}.lock"))
        opening.enter_context(waited_for(lock, 60, "opening the course"))
    try:
        port = choose_port(options.port)
        server = LabApp.initialize_server(lab_command(port, notebooks, browser, further))
    except BaseException:
        opening.close()
        raise
    address = f"http://{HOST}:{port}/lab/tree/{START}?token={token}"
    # The server's own loop calls these after its first task, which is to open the port.
    server.io_loop.add_callback(opening.close)
    server.io_loop.add_callback(print, welcome(address, browser), flush=True)
    server.start()


if __name__ == "__main__":
    main()
