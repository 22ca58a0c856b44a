"""The table of the environment's switches in docs/maintaining.md has all of them, and where each is read."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| `([A-Z_]+)` \| .+ \| (.+) \|$", re.MULTILINE)
READ = re.compile(r'(?:environ\.get\(|environ\[|^VARIABLE = )"([A-Z_]+)"', re.MULTILINE)
OF_OTHERS = {"CELL", "OMP_NUM_THREADS", "PATH", "PYTHONPATH", "STATUS"}
OF_OTHERS |= {"LOCAL_RANK", "RANK", "WORLD_SIZE"}  # of PyTorch's launcher


def test_every_switch_is_in_the_table_with_the_files_that_read_it() -> None:
    table = dict(ROW.findall((ROOT / "docs" / "maintaining.md").read_text(encoding="utf-8")))
    files = [path for room in ("utils", "lessons", "tests", "bench") for path in (ROOT / room).rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in (*files, ROOT / "conftest.py")}
    assert {name for text in texts.values() for name in READ.findall(text)} - OF_OTHERS == set(table)
    for name, places in table.items():
        for place in re.findall(r"`(.+?)`", places):
            assert f'"{name}"' in texts[ROOT / place], f"{place} does not read {name}"
