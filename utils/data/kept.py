"""Keep results that take minutes to compute: a JSON file with an entry per line, and a command that fills it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def read_kept(path: Path) -> Any:
    """Return the results that `write_kept` has written to `path`."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_run(path: Path, *names: str) -> Any:
    """Return the result with this name, or a part of it by its own name; parts of a result are attributes.

    Raises ValueError if there is none.
    """
    found = read_kept(path)
    for name in names:
        if name not in found:
            raise ValueError(f"the name must be one that {path.name} has saved, but is {name!r}.")
        found = found[name]
    return SimpleNamespace(**found) if isinstance(found, dict) else found


def write_kept(path: Path, found: dict[str, Any] | list[Any]) -> None:
    """Write `found` as JSON: an entry a line, and a line for each row of a list of them, to be compared by eye."""
    if isinstance(found, dict):
        lines = (
            f"{_text(name)}: {_rows(value) if _is_table(value) else _text(value)}" for name, value in found.items()
        )
        text = "{\n" + ",\n".join(lines) + "\n}"
    else:
        text = _rows(found)
    path.write_text(text + "\n", encoding="utf-8")


def keep(path: Path, runs: Mapping[str, Callable[[], Any]], arguments: Sequence[str] | None = None) -> None:
    """Run the command of a file of kept results: do the runs asked for, by name, and write the file after each.

    Results of other runs stay in the file, and those of no run are removed.
    """
    parser = argparse.ArgumentParser(description=f"Compute anew what {path.name} keeps.")
    parser.add_argument("--only", default="", help="what has a name that begins so")
    parser.add_argument("--missing", action="store_true", help="only what is not in the file")
    parser.add_argument("--to", type=Path, default=path, help=f"the file ({path.name})")
    options = parser.parse_args(arguments)
    kept = read_kept(options.to) if options.to.exists() else {}
    for name, run in runs.items():
        if name.startswith(options.only) and not (options.missing and name in kept):
            kept[name] = run()
            write_kept(options.to, {name: kept[name] for name in runs if name in kept})
            print(name, _text(kept[name])[:100], flush=True)


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) for row in value)


def _rows(rows: Sequence[Any]) -> str:
    return "[\n" + ",\n".join(f"  {_text(row)}" for row in rows) + "\n]"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
