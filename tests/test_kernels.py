"""Kernels that are forked: a kernel as any other, but for what it need not import."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

from tests.kernels import offer

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere kernels start by themselves")
Ask = Callable[[str], str]


@pytest.fixture
def kernel(request: pytest.FixtureRequest) -> Iterator[tuple[int, Ask]]:
    """A kernel with these variables, as a number of its process and a function that evaluates in it."""
    manager, client = start_new_kernel(
        startup_timeout=600, env=os.environ | request.param, extra_arguments=["--HistoryManager.hist_file=:memory:"]
    )

    def ask(source: str) -> str:
        reply = client.execute("", user_expressions={"it": source}, reply=True, timeout=600)
        it = reply["content"]["user_expressions"]["it"]
        return it["data"]["text/plain"] if it["status"] == "ok" else it["ename"]

    yield manager.provisioner.pid, ask
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("kernel", [{"PYTHONPATH": "/first", "CHOSEN": "yes"}], indirect=True)
def test_forked_kernel_has_large_libraries_but_no_course_modules(kernel: tuple[int, Ask]) -> None:
    _, ask = kernel
    modules = ask("sorted({'torch', 'utils', 'tests', 'lessons'} & __import__('sys').modules.keys())")
    assert modules == "['torch']"
    assert ask("__import__('os').environ['CHOSEN'], __import__('sys').path[0]") == "('yes', '/first')"
    assert ask("__import__('os').getcwd()") == repr(os.getcwd())
    assert ask("get_ipython().history_manager.hist_file") == "':memory:'"


@pytest.mark.parametrize("kernel", [{}], indirect=True)
def test_kernel_is_interrupted_and_ends_with_its_stand_in(kernel: tuple[int, Ask]) -> None:
    standing, ask = kernel
    own = int(ask("__import__('os').getpid()"))
    assert own != standing
    interrupted = ask(f"__import__('os').kill({standing}, {signal.SIGINT:d}), __import__('time').sleep(600)")
    assert interrupted == "KeyboardInterrupt"
    end = os.pidfd_open(own)
    os.kill(standing, signal.SIGKILL)
    assert select.select([end], [], [], 600)[0] == [end]
    os.close(end)


def test_server_outlives_killed_clients(tmp_path: Path) -> None:
    def ask(sent: bytes) -> socket.socket:
        asking = socket.socket(socket.AF_UNIX)
        asking.connect(str(tmp_path / "socket"))
        socket.send_fds(asking, [b"k"], [0, 1, 2])
        asking.sendall(sent)
        return asking

    asked = {"arguments": [], "folder": str(tmp_path), "environ": dict(os.environ)}
    other = asked | {"environ": {"OMP_NUM_THREADS": "1000"}}  # for which it forks none, and says nothing
    serving = offer(tmp_path)
    try:
        ask(b"").close()
        ask(json.dumps(asked).encode() + b"\n").close()
        with ask(json.dumps(other).encode() + b"\n") as last:
            assert last.makefile().readline() == ""
        assert serving.poll() is None
    finally:
        serving.kill()
        serving.wait()
