"""Everything that is measured, one after the other: `python -m bench`, or some of it: `python -m bench step_time`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from utils.files import forgive_output

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def main(asked: list[str]) -> int:
    """Run the named measurements, or all of them if none is named; return 0 if none failed."""
    forgive_output()
    unknown = [name for name in asked if name not in NAMES]
    if unknown:
        print(f"There is no measurement called {unknown[0]}: there are {', '.join(NAMES)}.")
        return 2
    failed = []
    for name in asked or NAMES:
        print(f"\n=== {name} ===", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"]).returncode:  # each from a fresh start
            failed.append(name)
    if failed:
        print(f"\nThese failed: {', '.join(failed)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
