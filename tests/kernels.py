"""Kernels forked from one program that has imported what is large: PyTorch, Matplotlib and Jupyter's own parts.

By itself a kernel takes seconds of processor time to import these, and a run of all tests starts a hundred kernels. The
course's own modules are imported by each kernel, as a student's imports them. `python kernels.py ADDRESS -f FILE` is
what Jupyter starts instead of `ipykernel_launcher`: it stands for the kernel, hands its signals on, and ends with it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LARGE = ("anywidget", "filelock", "ipykernel.ipkernel", "ipykernel.kernelapp", "ipywidgets", "matplotlib.figure")
LARGE += ("matplotlib.backends.backend_svg", "numpy", "safetensors.torch", "tokenizers", "torch", "tqdm.auto", "yaml")
LARGE += ("torch._dynamo",)  # every optimizer imports it at its first step
LARGE += ("ipykernel.debugger",)  # every kernel imports it when it starts
# What these read when they are imported. A kernel that is to have another value starts by itself.
READ_EARLY = ("ATEN_", "DNNL_", "KMP_", "MKL_", "OMP_", "ONEDNN_", "OPENBLAS_", "PYTHONHASHSEED", "TORCH_")


def offer(folder: Path) -> subprocess.Popen[bytes]:
    """Start that program, and write the kernel `python3` that asks it. It ends when its standard input is closed."""
    from ipykernel.kernelspec import get_kernel_dict

    from tests.orphans import ending  # the program itself finds no module of the tests

    program, address = str(Path(__file__).resolve()), str(folder / "socket")
    kernel = folder / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    argv = [*ending("KILL"), sys.executable, "-I", "-S", program, address, "-f", "{connection_file}"]
    kernel.write_text(json.dumps(get_kernel_dict() | {"argv": argv}))
    command = [*ending(), sys.executable, "-Xfrozen_modules=off", program, address]
    serving = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert serving.stdout and serving.stdout.readline() == b"ready\n"
    return serving


def serve(address: str) -> None:
    """Fork a kernel for each that asks, from the first on with all that is large."""
    del sys.path[0]  # this file's folder, which no kernel has
    here = early(os.environ)  # before a library adds to them
    atexit.register(leave)  # before a library adds its own: what is first here is called last
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([server, sys.stdin], [], [])[0]:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            asking, _ = server.accept()
            streams: list[int] = []
            asked = None
            with contextlib.suppress(OSError, ValueError):  # one that was killed before it had asked
                _, streams, *_ = socket.recv_fds(asking, 1, 3)
                asked = json.loads(asking.makefile().readline())
            if asked and early(asked["environ"]) == here:
                import_all(LARGE)
                gc.freeze()  # a collection in a kernel would copy every page of it
                if not (pid := os.fork()):
                    server.close()
                    become(asked, asking, streams)
                with contextlib.suppress(OSError):  # one that was killed meanwhile: its kernel ends by itself
                    asking.sendall(b"%d\n" % pid)
            asking.close()
            for stream in streams:
                os.close(stream)


def early(environ: Mapping[str, str]) -> dict[str, str]:
    """What `environ` has of the variables that count when something large is imported."""
    return {name: value for name, value in environ.items() if name.startswith(READ_EARLY)}


def import_all(names: Sequence[str]) -> None:
    """Import these modules, with the drawing that a kernel would choose."""
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    for name in names:
        __import__(name)


def leave() -> None:
    """End a kernel when all else that it had to do is done: to free what is large takes it two seconds more."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


def become(asked: Mapping[str, Any], asking: socket.socket, streams: Sequence[int]) -> None:
    """Go on as the kernel that was asked for, which ends at once where nobody stands for it any more."""
    import numpy as np
    from ipykernel.kernelapp import IPKernelApp

    os.setsid()
    for at, stream in enumerate(streams):
        os.dup2(stream, at)
        os.close(stream)
    os.environ.clear()
    os.environ.update(asked["environ"])
    os.chdir(asked["folder"])
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv = ["ipykernel_launcher.py", *asked["arguments"]]
    np.random.seed()  # a copy would draw what its neighbours draw
    threading.Thread(target=lambda: (asking.recv(1), os.kill(os.getpid(), signal.SIGKILL)), daemon=True).start()
    IPKernelApp.launch_instance(parent_handle=os.getppid())
    sys.exit()


def stand_for(address: str, *arguments: str) -> None:
    """Have a kernel forked, hand on to it what signals come, and end when it has ended; else start it here."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        socket.send_fds(server, [b"k"], [0, 1, 2])
        asked = {"arguments": arguments, "folder": os.getcwd(), "environ": dict(os.environ)}
        server.sendall(json.dumps(asked).encode() + b"\n")
        if pid := server.makefile().readline():
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda number, _: os.kill(int(pid), number))
            server.recv(1)
            return
    os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", *arguments])


if __name__ == "__main__":
    (stand_for if len(sys.argv) > 2 else serve)(*sys.argv[1:])
