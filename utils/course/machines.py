"""The notebooks as other machines would run them: which cells differ, and which claims no longer hold.

`python -m utils.course.machines` runs all of them once for each of `VARIANTS`: other kernels, other orders of
summation, other threads, and other seeds of what is trained; numbers such as `12` restrict it to those lessons,
`--only` to the variants whose names contain a word. It fails where a compared output or a claim differs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence

from utils.course.lessons import NOTEBOOKS, ROOT, all_lessons, two_digits
from utils.files import forgive_output
from utils.seeds import VARIABLE

# PyTorch, its oneDNN and NumPy's OpenBLAS each choose their kernels by the processor; these variables choose instead.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "AVX2 kernels": {"ATEN_CPU_CAPABILITY": "avx2", "DNNL_MAX_CPU_ISA": "AVX2", "OPENBLAS_CORETYPE": "Haswell"},
    "kernels of 2008": {"ATEN_CPU_CAPABILITY": "default", "DNNL_MAX_CPU_ISA": "SSE41", "OPENBLAS_CORETYPE": "Nehalem"},
    "one thread": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"},
    "other seeds": {VARIABLE: "1"},
    "other seeds again": {VARIABLE: "2"},
}


def cells_that_differ(variables: Mapping[str, str], numbers: Sequence[str]) -> list[str]:
    """Return the cells and claims of the lessons' notebooks that fail under these variables of the environment.

    Raises RuntimeError where the notebooks could not be run at all.
    """
    notebooks = [str(NOTEBOOKS / lesson.notebook_name) for lesson in all_lessons() if lesson.number in numbers]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, *notebooks],
        cwd=ROOT,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if run.returncode not in (0, 1):
        raise RuntimeError(f"pytest could not run the notebooks:\n{run.stdout[-4000:]}")
    return failures(run.stdout)


def failures(said: str) -> list[str]:
    """Return the cells that pytest's summary names as failed, such as "12_training_a_translator: Cell 23"."""
    return [
        f"{notebook}: {cell}"
        for notebook, cell in re.findall(r"^FAILED \S*?(\w+)\.ipynb::(.+?)(?: - .*)?$", said, flags=re.MULTILINE)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; 1 where anything differs."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make machines", description="Runs the notebooks as other machines would.")
    parser.add_argument("numbers", nargs="*", help="the lessons to run, such as 12; without any: all")
    parser.add_argument("--only", default="", help=f"part of a variant's name: {', '.join(VARIANTS)}")
    options = parser.parse_args(arguments)
    there = [lesson.number for lesson in all_lessons()]
    numbers = [two_digits(number) for number in options.numbers] or there
    chosen = {name: variables for name, variables in VARIANTS.items() if options.only in name}
    if not chosen or set(numbers) - set(there):
        parser.error(f"there are the lessons {', '.join(there)} and the variants {', '.join(VARIANTS)}")
    differing = 0
    for name, variables in chosen.items():
        cells = cells_that_differ(variables, numbers)
        differing += len(cells)
        setting = " ".join(f"{variable}={value}" for variable, value in variables.items())
        print(f"{name} ({setting}): {'all cells agree' if not cells else f'{len(cells)} differ'}", flush=True)
        for cell in cells:
            print(f"    {cell}", flush=True)
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
