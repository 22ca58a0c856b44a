"""A test run that is killed takes with it what it has started."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.browser.conftest import ROOT, eventually
from tests.orphans import ending

WORKER = """
import sys, urllib.request
from pathlib import Path
from playwright.sync_api import sync_playwright
from tests.browser.chrome import find_browser
from tests.browser.conftest import FLAGS, started_course
with started_course(Path(sys.argv[1])) as course, sync_playwright() as playwright:
    if path := find_browser():
        playwright.chromium.launch(executable_path=path, args=FLAGS)
    server, token = course.address.split("/lab/tree/")[0], course.address.split("token=")[1]
    header = {"Authorization": f"token {token}"}
    urllib.request.urlopen(urllib.request.Request(f"{server}/api/kernels", b'{"path": ""}', header))
    print("ready", flush=True)
    sys.stdin.read()
"""


def working_in(folder: Path) -> list[psutil.Process]:
    """Return the processes whose working folder is below this one, as that of a kernel is."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if Path(process.cwd()).is_relative_to(folder):
                found.append(process)
    return found


def has_ended(process: psutil.Process) -> bool:
    """Tell whether a process has ended, even if its parent has not asked for its status yet."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.mark.skipif(not ending(), reason="without setpriv nothing ends with its parent")
def test_killed_worker_leaves_no_server_kernel_or_browser(tmp_path: Path) -> None:
    command = [*ending(), sys.executable, "-c", WORKER, str(tmp_path)]
    pipe = subprocess.PIPE
    worker = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    assert worker.stdout.readline() == "ready\n"
    kernels = 1 + bool(os.environ.get("COURSE_KERNELS"))  # what stands for the kernel, and the kernel
    eventually(lambda: len(working_in(tmp_path)) >= kernels)
    started = {*psutil.Process(worker.pid).children(recursive=True), *working_in(tmp_path)}
    assert len(started) >= 2
    worker.kill()
    worker.wait()
    try:
        eventually(lambda: all(map(has_ended, started)))
    finally:
        for process in started:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
