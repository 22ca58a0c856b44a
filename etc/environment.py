"""Make .venv, the course's own environment, keep it whole, and run things in it.

    python etc/environment.py lab [--port N]      open the course in the browser
    python etc/environment.py test [ARGUMENTS]    run the tests (the arguments go to pytest)
    python etc/environment.py run COMMAND ...     run any command with what the tests have

This file is what tells a student that their Python is too old, so it needs nothing but the standard
library, and every Python since 2.7 must be able to read it: no f-strings, no annotations.
"""

import contextlib
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OLDEST_PYTHON = (3, 11)
LEVELS = ["lab", "test"]  # each holds all that the one before it has
GIGABYTE = 1e9
ROOM_NEEDED = 2 * GIGABYTE  # roughly: the packages and what pip unpacks on the way

# What pip's log tells when it failed, and what to tell the student, the surest first.
CAUSES = [
    (
        r"No space left on device|Errno 28\b|not enough space on the disk",
        "The disk is full: make room where the course is and in {temporary}, then run this again.",
    ),
    (
        r"Failed to establish a new connection|name resolution|getaddrinfo failed|Name or service not known"
        r"|timed out|Connection (refused|reset|aborted)|ProxyError|SSLError|Network is unreachable",
        "The packages could not be fetched: connect to the network, then run this again ({log} says more).",
    ),
    ("", "The packages could not be installed: pip said '{last}' ({log} says more)."),
]


def need_python():
    """Stop with one sentence where this Python is too old for the course."""
    if sys.version_info[:2] < OLDEST_PYTHON:
        sys.exit(
            "This course needs Python {} or newer; this is {} ({}). Try `make lab PYTHON=python3.12`.".format(
                dotted(OLDEST_PYTHON), dotted(sys.version_info[:3]), sys.executable
            )
        )


def dotted(version):
    """(3, 11) as 3.11."""
    return ".".join(str(number) for number in version)


def say(sentence):
    """Tell the student, at once."""
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


class Environment(object):
    """The folder .venv of one copy of the course."""

    def __init__(self, root):
        self.root = root
        self.folder = os.path.join(root, ".venv")
        windows = os.name == "nt"
        self.programs = os.path.join(self.folder, "Scripts" if windows else "bin")
        self.python = os.path.join(self.programs, "python.exe" if windows else "python")
        library = ("Lib",) if windows else ("lib", "python" + dotted(sys.version_info[:2]))
        self.packages = os.path.join(self.folder, *(library + ("site-packages",)))
        self.log = os.path.join(self.folder, "install.log")
        self.stamp = os.path.join(self.folder, "finished.json")

    def prepare(self, level):
        """See to it that everything `level` needs is installed; whatever is there already is kept."""
        if self.finished(level):
            return
        with self.alone() as lock:
            if self.finished(level):  # the other run did it while this one waited
                return
            self.need_room()
            if not self.sound():
                self.create(lock)
            self.install(level, lock)

    def key(self):
        """What the environment is made from: when this changes, pip has to look again."""
        import tomllib

        with open(os.path.join(self.root, "pyproject.toml"), "rb") as file:
            settings = tomllib.load(file)
        with open(os.path.join(self.root, "constraints.txt")) as file:
            pins = file.read()
        # Not the settings of the other tools: they may change without an installation.
        needed = [settings[part] for part in ["build-system", "project"]]
        made_from = json.dumps([needed, pins, self.folder, dotted(sys.version_info[:2])])
        return hashlib.sha256(made_from.encode()).hexdigest()

    def finished(self, level):
        """Is everything for `level` there? Answered from the stamp, which is written last."""
        try:
            with open(self.stamp) as file:
                stamp = json.load(file)
            return (
                stamp["key"] == self.key()
                and LEVELS.index(stamp["level"]) >= LEVELS.index(level)
                and set(stamp["packages"]) <= set(self.installed())
                and subprocess.call([self.python, "-I", "-S", "-c", ""], stderr=subprocess.DEVNULL) == 0
            )
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def installed(self):
        """The names of what pip installed to the end: it writes each package's RECORD last."""
        records = glob.glob(os.path.join(glob.escape(self.packages), "*.dist-info", "RECORD"))
        return sorted(os.path.basename(os.path.dirname(record)) for record in records)

    def sound(self):
        """Can pip go on here? Not with a broken or another Python, nor in a folder that was copied or moved."""
        try:
            with open(os.path.join(self.folder, "pyvenv.cfg")) as file:
                if self.folder not in file.read():
                    return False
            version = subprocess.check_output([self.python, "-m", "pip", "--version"], stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            return False
        return "(python {})".format(dotted(sys.version_info[:2])) in version.decode()

    def create(self, lock):
        """Make .venv afresh, with pip in it and nothing else."""
        import importlib.util

        if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
            sys.exit(
                "This Python ({}) cannot make environments; on Debian or Ubuntu, "
                "`sudo apt install python{}-venv` mends that.".format(sys.executable, dotted(sys.version_info[:2]))
            )
        # Not sys.executable: that may be in the very folder to be cleared.
        python = getattr(sys, "_base_executable", None) or sys.executable
        status, output = self.call([python, "-m", "venv", "--clear", self.folder], lock, subprocess.PIPE)
        if status != 0:
            self.explain(status, output)

    def install(self, level, lock):
        """Let pip install what `level` needs, and write the stamp."""
        for folder in glob.glob(os.path.join(glob.escape(self.packages), "*.dist-info")):
            if not os.path.exists(os.path.join(folder, "RECORD")):
                shutil.rmtree(folder)  # pip was stopped in its middle, and would take it for installed
        say("Installing what the course needs into .venv: once, and it takes some minutes ...")
        with open(self.log, "w+") as log:
            status, _ = self.call(self.pip(level), lock, log)
            if status != 0:
                log.seek(0)
                self.explain(status, log.read())
        unfinished = self.stamp + ".part"
        with open(unfinished, "w") as file:
            json.dump({"key": self.key(), "level": level, "packages": self.installed()}, file)
        os.replace(unfinished, self.stamp)

    def pip(self, level):
        """The command that installs the course and what it needs, at the versions it was tested with."""
        course = "." if level == "lab" else ".[{}]".format(level)
        return [self.python, "-m", "pip", "install", "-c", "constraints.txt", "-e", course]

    def call(self, command, lock, output):
        """Run a command here and return its exit status and what it said.

        It inherits the lock, so that a pip which outlives this process still keeps the next one waiting.
        """
        held = () if os.name == "nt" else (lock.fileno(),)
        process = subprocess.Popen(
            command,
            cwd=self.root,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=held,
        )
        try:
            said = process.communicate()[0] or b""
        except BaseException:
            process.kill()
            process.wait()
            raise
        return process.returncode, said.decode(errors="replace")

    def explain(self, status, output):
        """Stop with the one sentence that this failure deserves."""
        if status < 0:
            sys.exit("Installing was interrupted: run this again to finish it.")
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        errors = [line for line in lines if line.lower().startswith("error")] or lines or ["nothing"]
        for pattern, sentence in CAUSES:
            if re.search(pattern, output):
                last = textwrap.shorten(errors[-1], 200)
                sys.exit(sentence.format(last=last, log=self.log, temporary=tempfile.gettempdir()))

    def need_room(self):
        """Stop with one sentence where the disk cannot hold what is still to come."""
        there = 0
        for folder, _, names in os.walk(self.folder):
            there += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
        need = max(ROOM_NEEDED - there, 0.1 * GIGABYTE)
        free = shutil.disk_usage(self.root).free
        if free < need:
            sys.exit(
                "The disk is too full: the course needs about {:.1f} GB more, and {} has {:.1f} GB free.".format(
                    need / GIGABYTE, self.root, free / GIGABYTE
                )
            )

    @contextlib.contextmanager
    def alone(self):
        """Wait until no other run is installing, and keep the others waiting meanwhile."""
        # Beside .venv, not in it: making .venv afresh empties it.
        with open(self.folder + ".lock", "a+") as lock:
            waiting = False
            while not grab(lock):
                if not waiting:
                    say("Another run is installing the course's environment; waiting for it ...")
                waiting = True
                time.sleep(0.3)
            yield lock

    def variables(self):
        """The variables of a process that runs in the environment, and only there."""
        variables = dict(os.environ, VIRTUAL_ENV=self.folder, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
        variables["PATH"] = self.programs + os.pathsep + variables.get("PATH", os.defpath)
        for foreign in ["PYTHONHOME", "PYTHONPATH"]:  # would let other packages in
            variables.pop(foreign, None)
        return variables

    def become(self, command):
        """Go on as this command, in the environment."""
        os.chdir(self.root)
        variables = self.variables()
        program = shutil.which(command[0], path=variables["PATH"])
        if program is None:
            sys.exit("There is no program called {}.".format(command[0]))
        if os.name != "nt":
            os.execve(program, command, variables)
        process = subprocess.Popen([program] + command[1:], env=variables)
        while True:
            with contextlib.suppress(KeyboardInterrupt):  # the command has it too, and decides
                sys.exit(process.wait())


def grab(lock):
    """Take the lock on this open file if no other process has it."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # this file system has no locks: better to go on than not to start
        return True
    return True


def main(arguments):
    """Do what the command line says."""
    need_python()
    commands = {
        "lab": ["python", "-m", "utils.course.launch"],
        # Three at a time, since those with a browser mostly wait for it, shared out as conftest.py says and in their
        # order: it begins with the browser's, which are the slowest.
        "test": ["python", "-m", "pytest", "-n", "3", "--no-loadscope-reorder"],
        "run": [],
    }
    what, rest = arguments[:1], arguments[1:]
    if not what or what[0] not in commands or (what == ["run"] and not rest):
        sys.exit("Say what to do: lab [--port N], test [arguments for pytest], or run COMMAND.")
    environment = Environment(ROOT)
    try:
        environment.prepare("lab" if what == ["lab"] else "test")
    except KeyboardInterrupt:
        say("\nStopped. The next run goes on from here.")
        sys.exit(130)
    except OSError as error:
        sys.exit("The course's environment cannot be made: {} ({}).".format(error.strerror, error.filename or ROOT))
    environment.become(commands[what[0]] + rest)


if __name__ == "__main__":
    main(sys.argv[1:])
