"""Measures the class's server: `make classroom-load STUDENTS=20 [LESSONS=05,12a]`.

It starts the server in a folder that it throws away, signs in so many simulated students at once, and lets each run
all cells of the lessons, with their solutions, over the websocket that a browser uses. Nobody pauses to read: a class
is never as fast. It reports times, memory, processor time and whatever failed: README.md computes
its table of sizes from that.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import psutil

from classroom.client import Refused, Student
from classroom.passwords import ANYBODY, read_passwords
from classroom.serve import command, install_proxy, variables
from utils.course.build import build
from utils.course.launch import free_port
from utils.course.lessons import all_lessons, two_digits

EVERY = 2  # seconds between two looks at the memory


@dataclass
class Report:
    """What one run found."""

    signed_in: list[float] = field(default_factory=list)  # seconds, one a student
    lessons: dict[str, list[float]] = field(default_factory=dict)  # by lesson, seconds, one a student
    cells: list[float] = field(default_factory=list)  # seconds, one a cell
    failures: Counter[str] = field(default_factory=Counter)
    refused: int = 0  # "too many are starting, try again"


@dataclass
class Usage:
    """The memory and the processor time of the server with all students' processes."""

    root: psutil.Process
    most: float = 0.0  # MiB
    processors: dict[int, float] = field(default_factory=dict)  # by process, seconds

    def look(self) -> None:
        """Adds up what the processes have now; one that ends meanwhile counts with what it had."""
        total = 0
        for process in [self.root, *self.root.children(recursive=True)]:
            try:
                total += process.memory_full_info().pss
                times = process.cpu_times()
                self.processors[process.pid] = times.user + times.system
            except psutil.Error:
                continue
        self.most = max(self.most, total / 2**20)

    @property
    def seconds(self) -> float:
        """Of processor time, so far."""
        return sum(self.processors.values())

    async def watch(self) -> None:
        """Looks every two seconds, until it is cancelled."""
        while True:
            await asyncio.to_thread(self.look)
            await asyncio.sleep(EVERY)


@contextmanager
def served(folder: Path, names: Path | None = None, **others: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server for a class in `folder`, on ports of its own; its address and its process. See `variables`."""
    install_proxy()
    port = free_port(20000 + os.getpid() % 20000)
    log = folder / "hub.log"
    with log.open("w") as said:
        hub = subprocess.Popen(command(), cwd=folder, env=variables(folder, "127.0.0.1", port, names, **others),
                               stdout=said, stderr=subprocess.STDOUT, text=True, start_new_session=True)  # fmt: skip
    try:
        while "JupyterHub is now running" not in log.read_text():
            if hub.poll() is not None:
                sys.exit(f"The server did not start:\n{log.read_text()}")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", hub
    finally:
        hub.terminate()  # it stops the students' servers, too
        try:
            hub.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(hub.pid, signal.SIGKILL)


def cells_of(numbers: Sequence[str]) -> dict[str, list[str]]:
    """By file name, the code cells of lessons with their solutions."""
    lessons = all_lessons()
    chosen = {lesson.number: lesson for lesson in lessons}
    notebooks = {number: chosen[two_digits(number)] for number in numbers}
    return {
        f"{lesson.path.parent.name}.ipynb": [
            cell.source for cell in build(lesson, lessons, solved=True).cells if cell.cell_type == "code"
        ]
        for lesson in notebooks.values()
    }


async def attend(student: Student, notebooks: dict[str, list[str]], report: Report) -> None:
    """Signs in, runs the lessons one after the other, and saves each."""
    began = time.monotonic()
    status = await student.sign_in()
    if status != 302:
        raise Refused(status, "signing in")
    await student.start()
    report.signed_in.append(time.monotonic() - began)
    for name, cells in notebooks.items():
        began = time.monotonic()
        kernel = await student.open(name)
        for number, source in enumerate(cells):
            asked = time.monotonic()
            error = await kernel.run(source)
            report.cells.append(time.monotonic() - asked)
            if error:
                report.failures[f"{name}, code cell {number}: {error}"] += 1
        saved = await student.ask(f"contents/{name}")
        await student.ask(f"contents/{name}", "PUT", json={"type": "notebook", "content": saved["content"]})
        if name != list(notebooks)[-1]:  # the last stays open, as it would
            await student.close(name)
        report.lessons.setdefault(name, []).append(time.monotonic() - began)


async def measure(hub: str, password: str, number: int, notebooks: dict[str, list[str]]) -> Report:
    """All students at once."""
    report = Report()

    async def one(name: str) -> None:
        async with Student(hub, name, password) as student:
            try:
                await attend(student, notebooks, report)
            except (Refused, TimeoutError, aiohttp.ClientError, OSError) as error:
                report.failures[f"{type(error).__name__}: {error}"] += 1
            report.refused += student.refused

    await asyncio.gather(*(one(f"student-{at:03}") for at in range(number)))
    return report


@asynccontextmanager
async def watched(process: subprocess.Popen[str]) -> AsyncIterator[Usage]:
    """The usage of a server, watched meanwhile."""
    usage = Usage(psutil.Process(process.pid))
    usage.look()
    task = asyncio.create_task(usage.watch())
    try:
        yield usage
    finally:
        task.cancel()
        await asyncio.to_thread(usage.look)


def middle_and_worst(seconds: Sequence[float]) -> str:
    """The median and the longest time."""
    return f"{statistics.median(seconds):.1f} s, at most {max(seconds):.1f} s" if seconds else "none"


def told(report: Report, usage: Usage, idle: tuple[float, float], number: int) -> str:
    """The report in words; `idle` is what the server alone had, in MiB and seconds."""
    memory, processor = usage.most - idle[0], usage.seconds - idle[1]
    return "\n".join([
        f"Students: {number}. In their JupyterLab: {len(report.signed_in)}, after {middle_and_worst(report.signed_in)}"
        f" ({report.refused} times told to wait).",
        *(f"{name}: done by {len(times)}, in {middle_and_worst(times)}." for name, times in report.lessons.items()),
        f"A cell: {middle_and_worst(report.cells)}.",
        f"Memory at most: {usage.most:.0f} MiB, of it the server alone {idle[0]:.0f}; {memory / number:.0f} a student.",
        f"Processor time: {processor / number:.1f} s a student.",
        f"Failures: {sum(report.failures.values())}.",
        *(f"  {count} x {what}" for what, count in report.failures.most_common()),
    ])  # fmt: skip


async def run(number: int, notebooks: dict[str, list[str]], timeout: int) -> int:
    """Measures, and prints the report; 0 where nothing failed."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), TIMEOUT=timeout) as (hub, process):
        password = read_passwords(Path(folder, "passwords.csv"))[ANYBODY]
        print(f"Load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before it begins.", flush=True)
        async with watched(process) as usage:
            idle = usage.most, usage.seconds
            report = await measure(hub, password, number, notebooks)
        print(told(report, usage, idle, number))
        print(f"Load average {os.getloadavg()[0]:.1f} at the end.")
    return 1 if report.failures else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the server it started ends with it
    parser = argparse.ArgumentParser(prog="make classroom-load", description="Measure the class's server.")
    parser.add_argument("--students", type=int, default=20, help="how many, at once (20)")
    parser.add_argument("--lessons", default="05,12a", help="which lessons each of them runs (05,12a)")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that a server may take to start (120)")
    options = parser.parse_args(arguments)
    return asyncio.run(run(options.students, cells_of(options.lessons.split(",")), options.timeout))


if __name__ == "__main__":
    sys.exit(main())
