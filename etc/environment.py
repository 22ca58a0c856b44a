"""Make .venv, the course's own environment, or the one of the class's server, and run things in it.

    python etc/environment.py lab [--port N]      open the course in the browser
    python etc/environment.py reset NUMBER ...    give lessons back as they were published, such as 05
    python etc/environment.py test [ARGUMENTS]    run the tests (the arguments go to pytest)
    python etc/environment.py run COMMAND ...     run any command with what the tests have
    python etc/environment.py classroom ...       serve a class, from an environment that has JupyterHub too
    python etc/environment.py classroom-test ...  test that server

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
import sysconfig
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
OLDEST_PYTHON = (3, 11)
SERVER = os.path.join("classroom", "requirements.txt")  # what the class's server needs beside the course
ROOM_NEEDED = 2e9  # bytes, roughly: the packages and what is unpacked on the way

# What the log of a failed installation tells, and what to tell the student, the surest first.
CAUSES = [
    (
        r"No space left on device|[Ee]rr(no|or) 28\b|not enough space on the disk",
        "The disk is full: make room where the course is and in {temporary}, then run this again.",
    ),
    (
        r"Failed to establish a new connection|name resolution|getaddrinfo failed|Name or service not known|timed out"
        r"|Connection (refused|reset|aborted)|ProxyError|SSLError|Network is unreachable|error sending request",
        "The packages could not be fetched: connect to the network, then run this again ({log} says more).",
    ),
    ("", "The packages could not be installed: '{last}' ({log} says more)."),
]


def need_python():
    """Stop with one sentence if this Python is too old for the course, or cannot make environments."""
    version = ".".join(str(number) for number in sys.version_info[:3])
    if sys.version_info[:2] < OLDEST_PYTHON:
        sys.exit(
            "This course needs Python 3.11 or newer; this is {} ({}). Try `make lab PYTHON=python3.12`.".format(
                version, sys.executable
            )
        )
    import importlib.util  # which the oldest do not have

    if not all(importlib.util.find_spec(module) for module in ["venv", "ensurepip"]):
        sys.exit(
            "This Python ({}) cannot make environments; on Debian or Ubuntu, "
            "`sudo apt install python{}-venv` mends that.".format(sys.executable, version.rpartition(".")[0])
        )


def say(sentence):
    """Print a sentence for the student at once."""
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


class Environment(object):
    """The folder .venv of one copy of the course, or another one that has the packages of `more`, a file, too."""

    def __init__(self, root, folder=".venv", more=None):
        self.root = root
        self.more = more
        self.folder = os.path.join(root, folder)
        self.programs = os.path.join(self.folder, "Scripts" if os.name == "nt" else "bin")
        self.python = os.path.join(self.programs, "python.exe" if os.name == "nt" else "python")
        self.uv = os.path.join(self.programs, "uv.exe" if os.name == "nt" else "uv")
        self.note = os.path.join(self.folder, "finished.json")
        self.log = os.path.join(root, "install.log")

    def prepare(self, level):
        """Install whatever `level` still needs: "lab", or "test" which holds all of "lab"."""
        if self.finished(level):
            return
        with self.alone():
            if not self.finished(level):  # the run that this one waited for may have done it
                said = "Installing what the course needs into {}: once, half a minute where the network is fast ..."
                say(said.format(os.path.relpath(self.folder, self.root)))
                self.install(level)

    def noted(self):
        """Return the record of the last complete installation: [where, what, level], or three times None."""
        try:
            with open(self.note) as file:
                return json.load(file)
        except (OSError, ValueError):
            return [None, None, None]

    def where(self):
        """Return the key of this environment: its path and its Python."""
        return self.folder + sys.version

    def what(self):
        """Return what has to be installed: when this changes, the installer has to run again."""
        texts = []
        for name in ["pyproject.toml", "constraints.txt"] + [self.more] * bool(self.more):
            with open(os.path.join(self.root, name), "rb") as file:
                texts.append(file.read())
        return hashlib.sha256(b"".join(texts)).hexdigest()

    def finished(self, level):
        """Return whether everything for `level` is there and complete."""
        if self.noted() not in [[self.where(), self.what(), noted] for noted in [level, "test"]] or any(self.damaged()):
            return False
        check = [self.uv, "pip", "check"] if os.path.exists(self.uv) else [self.python, "-I", "-S", "-c", ""]
        return self.run(check, subprocess.DEVNULL) == 0

    def damaged(self):
        """Return the dist-info folders of packages of which a file is missing or has changed in size."""
        packages = sysconfig.get_path("purelib", "venv", {"base": self.folder})
        for info in glob.glob(os.path.join(glob.escape(packages), "*.dist-info")):
            with contextlib.suppress(OSError, ValueError), open(os.path.join(info, "RECORD")) as record:
                rows = [line.strip().rsplit(",", 2) for line in record]
                if all(os.path.getsize(os.path.join(packages, name)) == int(size) for name, _, size in rows if size):
                    continue
            yield info

    def install(self, level):
        """Install what `level` needs with uv, or with pip where uv can't. Add to what is there: it may be running."""
        (where, _, noted), damaged = self.noted(), list(self.damaged())
        with open(self.log, "w+") as log:
            if where != self.where() or not os.path.exists(self.python):
                self.need_room()
                if os.path.islink(self.folder):
                    os.unlink(self.folder)  # what it leads to is another's, and would be cleared
                # Not sys.executable: that may be in the very folder to be cleared.
                python = getattr(sys, "_base_executable", None) or sys.executable
                self.need([[python, "-m", "venv", "--clear", self.folder]], log)
            else:
                os.remove(self.note)
                level = max(level, noted)
                for info in damaged:  # what nothing describes counts as missing
                    shutil.rmtree(info)
                if damaged:
                    self.run([self.python, "-m", "ensurepip"], log)
            pip = [self.python, "-m", "pip", "install", "-c", "constraints.txt"]
            self.run(pip + ["--only-binary", ":all:", "uv"], log)
            course = ["-e", "." if level == "lab" else ".[test,site,class]"] + ["-r", self.more] * bool(self.more)
            # What uv has kept of a damaged file may be that very file.
            uv = [self.uv, "pip", "install", "-c", "constraints.txt"] + course + ["--no-cache"] * bool(damaged)
            # For Linux, the package index has PyTorch with several GB of GPU libraries, PyTorch's own index without.
            without_gpu = [uv + ["--torch-backend", "cpu"]] if sys.platform == "linux" else []
            self.need((without_gpu + [uv] if os.path.exists(self.uv) else []) + [pip + course], log)
        with open(self.note, "w") as file:
            json.dump([self.where(), self.what(), level], file)

    def run(self, command, log):
        """Run a command in the environment, write its output to the log, and return its exit status."""
        return subprocess.call(
            command, cwd=self.root, env=self.variables(), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )

    def need(self, commands, log):
        """Run commands until one succeeds; if none does, stop with a sentence about the failure of the last one."""
        for command in commands:
            status = self.run(command, log)
            if status == 0:
                return
        if status < 0:
            sys.exit("Installing was interrupted: run this again to finish it.")
        log.seek(0)
        said = log.read()
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        errors = [line for line in lines if line.lower().startswith("error")] or lines or ["nothing"]
        sentence = next(sentence for pattern, sentence in CAUSES if re.search(pattern, said))
        last = textwrap.shorten(errors[-1], 200)
        sys.exit(sentence.format(last=last, log=self.log, temporary=tempfile.gettempdir()))

    def need_room(self):
        """Stop with one sentence if the disk cannot hold a new environment."""
        free = shutil.disk_usage(self.root).free
        if free < ROOM_NEEDED:
            said = "The disk is too full: the course needs about {:.1f} GB, and {} has {:.1f} GB free."
            sys.exit(said.format(ROOM_NEEDED / 1e9, self.root, free / 1e9))

    @contextlib.contextmanager
    def alone(self):
        """Wait until no other run is installing, and make the others wait meanwhile."""
        try:
            import fcntl
        except ImportError:  # Windows
            yield
            return
        # Beside .venv, not in it: making .venv afresh empties it.
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self.folder))
        with open(self.folder + ".lock", "a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                say("Another run is installing the course's environment; waiting for it ...")
                with contextlib.suppress(OSError):  # a file system without locks: better to go on than not to start
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def variables(self):
        """Return the variables of a process that runs only in the environment."""
        variables = dict(os.environ, VIRTUAL_ENV=self.folder, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
        variables["PATH"] = self.programs + os.pathsep + variables.get("PATH", os.defpath)
        # The first two would let other packages in; with the third, each of the many programs that a course and its
        # tests start would compile what it imports anew: 5.8 s of processor time with PyTorch, and 3.2 without.
        for name in ["PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"]:
            variables.pop(name, None)
        # What pip was told of where packages come from. One more try is enough: there is always another way.
        for uv, pip in [("DEFAULT_INDEX", "INDEX_URL"), ("INDEX", "EXTRA_INDEX_URL"), ("FIND_LINKS", "FIND_LINKS")]:
            if "PIP_" + pip in variables:
                variables.setdefault("UV_" + uv, variables["PIP_" + pip])
        variables.setdefault("UV_HTTP_RETRIES", "1")
        return variables

    def become(self, command):
        """Replace this process with `command`, run in the environment."""
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


def main(arguments):
    """Run the command given on the command line."""
    need_python()
    commands = {
        "lab": ["python", "-m", "utils.course.launch"],
        "reset": ["python", "-m", "utils.course.working_copy"],
        # Three at a time, since those with a browser mostly wait for it, shared out as conftest.py says, in the order
        # of pyproject.toml: the slowest begin.
        "test": ["python", "-m", "pytest", "-n", "3", "--no-loadscope-reorder"],
        "run": [],
        "classroom": ["python", "-m", "jupyterhub", "-f", os.path.join("classroom", "jupyterhub_config.py")],
        "classroom-test": ["python", "-m", "pytest", "-n", "0", "tests/classroom/hub.py"],
    }
    what, rest = arguments[:1], arguments[1:]
    if not what or what[0] not in commands or (what == ["run"] and not rest):
        sys.exit(
            "Say what to do: lab [--port N], reset NUMBER, test [arguments for pytest], run COMMAND, classroom "
            "or classroom-test."
        )
    server = what[0].startswith("classroom")
    environment = Environment(ROOT, *([os.path.join("build", "classroom"), SERVER] if server else []))
    try:
        environment.prepare("lab" if what[0] in ("lab", "reset", "classroom") else "test")
    except KeyboardInterrupt:
        say("\nStopped. The next run begins anew.")
        sys.exit(130)
    except OSError as error:
        sys.exit("The course's environment cannot be made: {} ({}).".format(error.strerror, error.filename or ROOT))
    environment.become(commands[what[0]] + rest)


if __name__ == "__main__":
    main(sys.argv[1:])
