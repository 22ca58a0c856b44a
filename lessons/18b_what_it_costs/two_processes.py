"""The translator's training on one process and on two, measured once and kept: `python -m lessons.two_processes`.

Each run is a fresh start by `torchrun`, as `make train PROCESSES=2` starts it, with one thread for each process: WARM
steps that do not count, then STEPS that do. One and two take turns, REPEATS times. Kept of each: seconds by the clock
for a step, the processor seconds of each process for a step, and the bytes of gradient that a step exchanges.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import distributed as dist

from utils.data.corpora import english_persian
from utils.data.kept import keep, read_kept
from utils.training import distributed
from utils.training.train import new_translator, recipe, trainer_of

BATCHES = (32, 256)  # sentence pairs in a step, over all processes
WARM, STEPS, REPEATS = 10, 40, 5
_ROOT = Path(__file__).resolve().parents[2]
_FILE = Path(__file__).with_name("two_processes.json")


def measured(batch_size: int) -> list[dict[str, Any]]:
    """The runs kept with this many sentence pairs in a step: `processes`, `clock`, `processor` and `exchanged`.

    clock: seconds for a step. processor: seconds for a step, one number per process. exchanged: bytes for a step.
    Raises ValueError for a size that was not measured.
    """
    runs = read_kept(_FILE)
    if str(batch_size) not in runs:
        raise ValueError(f"no run was kept with batches of {batch_size}: there are {', '.join(runs)}.")
    return runs[str(batch_size)]


def measure(batch_size: int) -> list[dict[str, Any]]:
    """What `measured` reads: one process and two in turn."""
    return [_run(processes, batch_size) for _ in range(REPEATS) for processes in (1, 2)]


def _run(processes: int, batch_size: int, warm: int = WARM, steps: int = STEPS) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        launch = ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
        script = ["-m", "lessons.two_processes", "--as-one-of", folder, *map(str, (batch_size, warm, steps))]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run([sys.executable, "-m", *launch, *script], cwd=_ROOT, env=environment, check=True)
        each = [json.loads((Path(folder) / str(rank)).read_text()) for rank in range(processes)]
    return {
        "processes": processes,
        "clock": round(each[0]["clock"], 4),
        "processor": [round(one["processor"], 4) for one in each],
        "exchanged": each[0]["exchanged"],
    }


def _as_one_of(folder: str, batch_size: int, warm: int = WARM, steps: int = STEPS) -> None:
    """What each of the processes does."""
    with distributed.processes():
        corpus = english_persian()
        config = recipe(steps=warm + steps, warmup=warm, evaluate_every=warm + steps)
        options = {"batch_size": batch_size, "held_out": None, "show": False}
        trainer = trainer_of(new_translator(corpus), corpus, config, **options)
        exchanged = _count_bytes(trainer._together) if distributed.count() > 1 else []
        trainer.train(warm)  # what is set up at the first steps
        exchanged.clear()
        clock, processor = time.perf_counter(), time.process_time()
        trainer.train()
        found = {
            "clock": (time.perf_counter() - clock) / steps,
            "processor": (time.process_time() - processor) / steps,
            "exchanged": sum(exchanged) // steps,
        }
        (Path(folder) / str(distributed.rank())).write_text(json.dumps(found))


def _count_bytes(together: torch.nn.parallel.DistributedDataParallel) -> list[int]:
    """A list that gets the bytes of every piece of gradient that is summed over the processes."""
    bytes_of_it: list[int] = []

    def average(_, bucket):  # PyTorch refuses hints that are texts, as they are here
        gradient = bucket.buffer()
        bytes_of_it.append(gradient.nbytes)
        gradient.div_(distributed.count())
        return dist.all_reduce(gradient, async_op=True).get_future().then(lambda done: done.value()[0])

    together.register_comm_hook(None, average)
    return bytes_of_it


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["--as-one-of"]:
        _as_one_of(arguments[1], *map(int, arguments[2:]))
    else:
        keep(_FILE, {str(size): partial(measure, size) for size in BATCHES}, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
