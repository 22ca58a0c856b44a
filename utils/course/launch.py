"""Opens the course in JupyterLab: `python -m utils.course.launch [--port N] [--no-browser] [--notebooks FOLDER]`.

Any further argument goes to JupyterLab as it is.
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
    """Tell whether a server can be opened on this port."""
    try:
        socket.create_server((HOST, port)).close()
    except (OSError, OverflowError):
        return False
    return True


def free_port(first: int) -> int:
    """Return the first port from `first` on that is free."""
    for port in range(first, 65536):
        if is_free(port):
            return port
    sys.exit(f"No port from {first} on is free.")


def choose_port(asked: int | None) -> int:
    """Return the port the student asked for, or else the usual one, or else the next free one."""
    if asked is not None:
        if not is_free(asked):
            # 1 to 1023 belong to the system, and above 65535 there are none.
            other = free_port(asked + 1 if 1023 < asked < 65535 else USUAL_PORT)
            sys.exit(f"Port {asked} is taken or cannot be used: try `make lab PORT={other}`.")
        return asked
    port = free_port(USUAL_PORT)
    if port != USUAL_PORT:
        print(f"Port {USUAL_PORT} is taken by another program, so the course is on port {port}.")
    return port


def has_browser(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether there is a browser with a window to open."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    if sys.platform.startswith("linux") and not any(environ.get(name) for name in screens):
        return False  # what webbrowser finds then is made for a terminal, and would take this one
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def jupyter_folder() -> Path:
    """Return where Jupyter keeps what it needs between two starts, or one for this start alone, and why.

    The course may be read-only, or have been started once by another user, such as root, whose files are there now.
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
    """Return variables that show Jupyter the course's settings, and none of the user's that could break it.

    own: the folder for what Jupyter keeps, if not the course's.
    """
    own = own or JUPYTER
    unless_set = {
        # Which notebooks were open when the course was left.
        "JUPYTERLAB_WORKSPACES_DIR": str(own / "workspaces"),
        # Theme, font size and the like stay as the user has them everywhere.
        "JUPYTERLAB_SETTINGS_DIR": str(Path(jupyter_config_dir(), "lab", "user-settings")),
    }
    return {
        "JUPYTER_CONFIG_PATH": str(ROOT / "etc" / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(own / "config"),
        "JUPYTER_DATA_DIR": str(own / "data"),
        "JUPYTER_RUNTIME_DIR": str(own / "runtime"),
        **{name: os.environ.get(name) or usual for name, usual in unless_set.items()},
        # Before the folder of the notebooks: a student's own utils.py there must not hide the course's `utils`.
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }


def in_the_way(own: Path) -> list[str]:
    """Return the files and folders in `own` that a kernel would import instead of a package of the same name.

    Not those of the course's own names, which PYTHONPATH puts first, nor what can't be entered.
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
    """Return `own`, and the files and folders in it, as far as this user may not read and write them."""
    return [path for path in (own, *sorted(own.glob("*"))) if not _is_ours(path)]


def _is_ours(path: Path) -> bool:
    wanted = os.R_OK | os.W_OK | os.X_OK * path.is_dir()
    return os.access(path, wanted, effective_ids=os.access in os.supports_effective_ids) or path.is_symlink()


def lab_command(port: int, notebooks: Path, browser: bool, further: Sequence[str] = ()) -> list[str]:
    """Return JupyterLab's arguments: what must hold whatever the configuration files say, then the further ones."""
    return [
        f"--ServerApp.root_dir={notebooks}",
        f"--ServerApp.ip={HOST}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.answer_yes=True",  # Ctrl-C stops it at once
        "--ServerApp.allow_root=True",  # in a container everybody is root
        f"--LabApp.default_url=/lab/tree/{START}",
        "--Application.log_level=WARN",
        *further,
    ]


def trust(*folders: Path) -> int:
    """Sign the course's own notebooks, so that JupyterLab shows their saved controls and pictures before they are run.

    What the student has changed, JupyterLab has signed when it was saved. Anything else that lies there stays unsigned:
    opening it must not run what somebody saved in it. Returns how many were signed, each once: a signature goes by the
    content, wherever that lies.
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
    """Bring the student's copy of the lessons up to date, and say what is new. Without it there is nothing to open."""
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
    """Return the text for the terminal: the course's address, and how to stop it."""
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
    # In the environment, not in the command, which every user of the computer can see.
    os.environ.update(jupyter_variables(jupyter_folder()), **{"JUPYTER_TOKEN": token, VARIABLE: str(notebooks)})
    trust(NOTEBOOKS, notebooks)  # the published ones too: a lesson may be reset while this is running

    from jupyterlab.labapp import LabApp  # only now: it reads the variables when it is imported

    opening = contextlib.ExitStack()
    with contextlib.suppress(OSError):  # better to go on than not to start
        # Two that start in the same second would find the same port free. Not every user has a name.
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
    # Done by the server's own loop, whose first task is to open the port.
    server.io_loop.add_callback(opening.close)
    server.io_loop.add_callback(print, welcome(address, browser), flush=True)
    server.start()


if __name__ == "__main__":
    main()
