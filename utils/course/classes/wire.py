"""What goes between the one who marks and the process in which a student's function runs: plain data, as JSON.

Nothing that is read here can run code, so that whatever the other side sends is at worst a wrong answer.
"""

from __future__ import annotations

import base64
import json
import socket
import struct
import time
from typing import Any

import numpy as np

from utils.course.exercises.results import Opaque

LARGEST = 32_000_000  # bytes of one message
_KINDS = "biufcUS"


class WireError(Exception):
    """The other side has sent what is no answer, or nothing, or too late."""


def pack(value: Any) -> Any:
    """Return `value`, plain data, as JSON can write it."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        array = np.ascontiguousarray(value)
        shape = list(np.shape(value))
        return {"array": [array.dtype.str, shape, base64.b64encode(array.tobytes()).decode()]}
    if isinstance(value, dict):
        return {"dict": [[pack(key), pack(part)] for key, part in value.items()]}
    for kind in (list, tuple, set):
        if isinstance(value, kind):
            return {kind.__name__: [pack(part) for part in value]}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    return {"opaque": str(value)}


def unpack(data: Any) -> Any:
    """Return the value that `pack` was given. Raises WireError for what it never makes."""
    try:
        return _unpacked(data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, MemoryError) as error:
        raise WireError(f"unreadable: {error}") from None


def _unpacked(data: Any) -> Any:
    if not isinstance(data, dict):
        if isinstance(data, list):
            raise ValueError("a bare list")
        return data
    ((kind, inside),) = data.items()
    if kind == "array":
        dtype, shape, text = inside
        if np.dtype(dtype).kind not in _KINDS:
            raise ValueError(dtype)
        array = np.frombuffer(base64.b64decode(text), dtype=np.dtype(dtype)).reshape([int(n) for n in shape]).copy()
        return array if array.ndim else array[()]
    if kind == "dict":
        return {_unpacked(key): _unpacked(part) for key, part in inside}
    if kind in ("list", "tuple", "set"):
        return {"list": list, "tuple": tuple, "set": set}[kind](_unpacked(part) for part in inside)
    return complex(*inside) if kind == "complex" else Opaque(str(inside)[:200])


def send(channel: socket.socket, message: Any, seconds: float | None = None) -> None:
    """Send one message. Raises WireError where the other side does not take it in time."""
    text = json.dumps(message).encode()
    channel.settimeout(seconds)
    try:
        channel.sendall(struct.pack(">I", len(text)) + text)
    except OSError as error:
        raise WireError(str(error)) from None


def receive(channel: socket.socket, seconds: float | None = None) -> Any:
    """Wait for one message. Raises TimeoutError after `seconds`, and WireError for what is none."""
    end = None if seconds is None else time.monotonic() + seconds
    (length,) = struct.unpack(">I", _bytes(channel, 4, end))
    if length > LARGEST:
        raise WireError("too much")
    try:
        return json.loads(_bytes(channel, length, end))
    except (ValueError, RecursionError) as error:
        raise WireError(f"unreadable: {error}") from None


def _bytes(channel: socket.socket, n: int, end: float | None) -> bytes:
    parts = bytearray()
    while len(parts) < n:
        if end is not None:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            channel.settimeout(left)
        try:
            part = channel.recv(min(n - len(parts), 1 << 20))
        except TimeoutError:
            raise
        except OSError as error:
            raise WireError(str(error)) from None
        if not part:
            raise WireError("ended")
        parts += part
    return bytes(parts)
