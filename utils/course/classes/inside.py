"""The process in which one student's functions run: it computes what it is asked, and knows no answer.

It is started by `sandbox.py` with a folder of its own to import from, in which there are no references, and confines
itself before it reads a line of the student's. `python -I inside.py LIBRARY CHANNEL LIMITS`.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import socket
import sys
from typing import Any


def confine(limits: dict[str, int]) -> None:
    """Set limits that nothing in this process can lift again."""
    for name, most in limits.items():
        which = getattr(resource, name, None)
        if which is not None:
            with contextlib.suppress(ValueError, OSError):  # macOS knows some of them only by name
                resource.setrlimit(which, (most, most))


def serve(channel: socket.socket) -> None:
    """Answer each message until the other side ends."""
    from utils.course.classes.wire import pack, receive, send, unpack
    from utils.course.exercises.asking import run

    answer: Any = None
    while True:
        asked = receive(channel)
        if asked["do"] == "load":
            error, answer = _loaded(asked)
            send(channel, {"number": asked["number"], "error": error})
            continue
        outcome = run(answer, unpack(asked["inputs"]))
        said = {
            "number": asked["number"],
            "error": _told(outcome.error),
            "value": pack(outcome.value),
            "changed": outcome.changed,
            "printed": outcome.printed,
        }
        send(channel, said)


def _loaded(asked: dict[str, Any]) -> tuple[list[str] | None, Any]:
    """Return the answer that is made by a student's code, used as the exercise uses it; or what stopped that code."""
    names: dict[str, Any] = {"__name__": "answer", "not_allowed": _not_allowed}
    try:
        exec(compile(asked["source"], "answer", "exec"), names)
        answer = eval(asked["answer"], names)
        if asked["how"] and callable(answer):
            how: dict[str, Any] = {"__name__": "how"}
            exec(compile(asked["how"], "how", "exec"), how)
            return None, _used(how["how"], answer, asked["arguments"])
    except BaseException as error:
        return _told(error), None
    return (None, answer) if callable(answer) else (None, lambda *_: answer)


def _used(how: Any, answer: Any, arguments: list[str]) -> Any:
    from utils.course.exercises.tensors import Module, Used

    return Used(how.of_student if isinstance(how, Module) else how, answer, arguments)


def _not_allowed(name: str) -> Any:
    """Return what stands where an answer would use a function of the course that does the exercise's own work."""
    from utils.course.exercises.words import FindingError

    class Missing:
        def __call__(self, *_: Any, **__: Any) -> Any:
            raise FindingError(f"Your function uses the course's own `{name}`. Write it yourself.")

        def __getattr__(self, _: str) -> Any:
            return self()

    return Missing()


def _told(error: BaseException | None) -> list[str] | None:
    """Return the kind of an error, and what it says."""
    if error is None:
        return None
    try:
        said = str(error)[:2000]
    except BaseException:
        said = "it has a message that can't be read"
    return [type(error).__name__, said]


def main() -> None:
    """Serve the channel that the command line names."""
    library, channel, limits = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    sys.path.insert(0, library)
    import numpy  # noqa: F401  before the limits, which its start would need

    if limits.pop("torch", 0):
        import torch

        torch.set_num_threads(1)
    confine(limits)
    os.umask(0o077)
    with contextlib.suppress(Exception):  # the other side has gone
        serve(socket.socket(fileno=channel))


if __name__ == "__main__":
    main()
