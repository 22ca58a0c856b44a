"""The translator's training on one process and on two, measured once and kept: `python -m lessons.two_processes`.

Each count of processes is a start by `torchrun`, as `make train PROCESSES=2` starts it, with one thread for each
process. For each size of batch it trains WARM steps that do not count, then REPEATS times STEPS that do. Kept of each:
the processor seconds of each process for a step, and the bytes of gradient that a step exchanges. Seconds by the clock
are not: they would tell what else the machine did.
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
COUNTS = (1, 2)  # processes
WARM, STEPS, REPEATS = 4, 12, 5
_ROOT = Path(__file__).resolve().parents[2]
_FILE = Path(__file__).with_name("two_processes.json")


def measured(processes: int, batch_size: int) -> list[dict[str, Any]]:
    """The REPEATS measurements with so many processes and so many sentence pairs in a step.

    Each is {"batch_size", "processor": seconds for a step, a number per process, "exchanged": bytes for a step}.
    Raises ValueError for what was not measured.
    """
    if processes not in COUNTS or batch_size not in BATCHES:
        raise ValueError(
            f"measured were {COUNTS} processes with {BATCHES} sentences in a step: not {processes} with {batch_size}."
        )
    return [run for run in read_kept(_FILE)[str(processes)] if run["batch_size"] == batch_size]


def measure(processes: int, warm: int = WARM, steps: int = STEPS, repeats: int = REPEATS) -> list[dict[str, Any]]:
    """What `measured` reads, for all sizes of batches."""
    with tempfile.TemporaryDirectory() as folder:
        launch = ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
        script = ["-m", "lessons.two_processes", "--as-one-of", folder, *map(str, (warm, steps, repeats))]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run([sys.executable, "-m", *launch, *script], cwd=_ROOT, env=environment, check=True)
        each = [json.loads((Path(folder) / str(rank)).read_text()) for rank in range(processes)]
    return [
        {
            "batch_size": same[0]["batch_size"],
            "processor": [one["processor"] for one in same],
            "exchanged": same[0]["exchanged"],
        }
        for same in zip(*each, strict=True)
    ]


def _as_one_of(folder: str, warm: int, steps: int, repeats: int) -> None:
    """What each of the processes does."""
    corpus, found = english_persian(), []
    with distributed.processes():
        for batch_size in BATCHES:
            config = recipe(steps=warm + repeats * steps, warmup=warm, evaluate_every=warm + repeats * steps)
            options = {"batch_size": batch_size, "validate": None, "show": False}
            trainer = trainer_of(new_translator(corpus), corpus, config, **options)
            exchanged = _count_bytes(trainer._together) if distributed.count() > 1 else []
            trainer.train(warm)  # what is set up at the first steps
            for _ in range(repeats):
                exchanged.clear()
                start = time.process_time()
                trainer.train(steps)
                seconds = round((time.process_time() - start) / steps, 4)
                found.append({"batch_size": batch_size, "processor": seconds, "exchanged": sum(exchanged) // steps})
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
        keep(_FILE, {str(processes): partial(measure, processes) for processes in COUNTS}, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
