"""Make .venv, the course's own environment, and run things in it; to mend a broken one, delete the folder.

python etc/environment.py lab [--port N]      open the course in the browser
python etc/environment.py reset NUMBER ...    give lessons back as they were published, such as 05
python etc/environment.py test [ARGUMENTS]    run the tests (the arguments go to pytest)
python etc/environment.py run COMMAND ...     run any command with what the tests have
"""

import sys

if sys.version_info < (3, 11):  # every Python since 2.7 must be able to read this file, to say so
    sys.exit("This course needs Python 3.11 or newer, not " + sys.version.split()[0] + ": `make lab PYTHON=python3.12`")

import os
import shutil
import signal
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PROGRAMS = VENV / ("Scripts" if os.name == "nt" else "bin")
COMMANDS = {
    "lab": ["python", "-m", "utils.course.launch"],
    "reset": ["python", "-m", "utils.course.working_copy"],
    # Three at a time, since those with a browser mostly wait for it, in the order of pyproject.toml: the slowest begin.
    "test": ["python", "-m", "pytest", "-n", "3", "--no-loadscope-reorder"],
    "run": [],
}


def variables():
    """Return the variables of a process that sees the packages of the environment and no others."""
    hidden = ("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")  # the last would compile everything anew each time
    shown = {name: value for name, value in os.environ.items() if name not in hidden}
    for uv, pip in [("DEFAULT_INDEX", "INDEX_URL"), ("INDEX", "EXTRA_INDEX_URL"), ("FIND_LINKS", "FIND_LINKS")]:
        if "PIP_" + pip in shown:  # where a mirror of the packages is, which uv has to know too
            shown.setdefault("UV_" + uv, shown["PIP_" + pip])
    return dict(shown, VIRTUAL_ENV=str(VENV), PIP_USER="0", PATH=str(PROGRAMS) + os.pathsep + shown["PATH"])


def install(*commands):
    """Run commands until one succeeds; if none does, stop with a sentence that has the beginning of its errors."""
    for command in commands:
        process = subprocess.run(command, cwd=ROOT, env=variables(), capture_output=True, text=True)
        if process.returncode == 0:
            return
    said = process.stderr or process.stdout
    sys.exit("The course's packages could not be installed: " + " ".join(said.split())[:400])


def prepare(extras):
    """Install the course and its extras, unless the note of the last complete installation says that they are there."""
    note, place = VENV / "finished", str(VENV) + sys.version
    files = [(ROOT / name).read_text("utf-8") for name in ["pyproject.toml", "constraints.txt"]]
    needed = place + "".join(files) + extras
    noted = note.read_text("utf-8") if note.exists() else ""
    if noted.startswith(needed):
        return
    sys.stderr.write("Installing what the course needs: once, half a minute where the network is fast ...\n")
    if noted.startswith(place):
        note.unlink()  # but nothing else, because the course may be running
    else:
        install([sys.executable, "-m", "venv", "--clear", VENV])
    pip = [PROGRAMS / "python", "-m", "pip", "install", "-q", "-c", "constraints.txt"]
    install(pip + ["uv"])
    uv = [PROGRAMS / "python", "-m", "uv"] + pip[2:] + ["-e", "." + extras]
    # For Linux, the package index has PyTorch with several GB of GPU libraries, and PyTorch's own index without them.
    install(*([uv + ["--torch-backend", "cpu"]] * (sys.platform == "linux") + [uv]))
    note.write_text(needed, "utf-8")


def main(what="", *rest):
    """Run a command of COMMANDS in the environment, once it is complete and no other run is installing it."""
    if what not in COMMANDS or (what == "run" and not rest):
        sys.exit("Say what to do: lab [--port N], reset NUMBER, test [ARGUMENTS] or run COMMAND")
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # to stop an installation without a traceback
    with open(ROOT / ".venv.lock", "a") as lock:
        if os.name != "nt":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        prepare("" if what in ("lab", "reset") else "[test,site,class]")
    command = COMMANDS[what] + list(rest)
    program = shutil.which(command[0], path=variables()["PATH"]) or sys.exit("There is no program " + command[0])
    os.chdir(ROOT)
    if os.name != "nt":
        os.execve(program, command, variables())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command has it too, and decides
    sys.exit(subprocess.call([program] + command[1:], env=variables()))


if __name__ == "__main__":
    main(*sys.argv[1:])
