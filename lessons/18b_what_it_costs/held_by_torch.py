"""How much memory PyTorch holds at once while something is computed, as its profiler counts it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torch.profiler import ProfilerActivity, profile


def most_held_by_torch(compute: Callable[[], object]) -> int:
    """Bytes that PyTorch's own allocator holds at once for `compute`, at most, beyond what there was before."""
    with _silent(), profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        compute()
    held = most = 0
    events = (event for event in seen.profiler.kineto_results.events() if event.name() == "[memory]")
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()  # below 0 where memory is given back
        most = max(most, held)
    return most


@contextmanager
def _silent() -> Iterator[None]:
    """The profiler writes notes of its own to the process's standard error, past Python's."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
