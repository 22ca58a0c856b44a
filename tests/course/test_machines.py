"""The notebooks under other kernels, threads and seeds: what differs is named, by notebook and cell."""

from __future__ import annotations

import pytest

from utils.course import machines
from utils.course.lessons import all_lessons

SAID = """=================== short test summary info ===================
FAILED notebooks/12_training_a_translator.ipynb::Cell 23
FAILED ../x/notebooks/06_scaled_dot_product.ipynb::Claim, line 40 - nbval.plugin.NbCellError: no
FAILED tests/test_other.py::test_it
2 failed, 30 passed in 3.00s
"""


def test_the_cells_that_failed_are_read_from_what_pytest_says():
    assert machines.failures(SAID) == ["12_training_a_translator: Cell 23", "06_scaled_dot_product: Claim, line 40"]


def test_every_variant_is_run_on_the_lessons_asked_for(monkeypatch, capsys):
    asked = []

    def pretend(variables, numbers):
        asked.append((dict(variables), numbers))
        return ["12_training_a_translator: Cell 23"] if variables.get("COURSE_SEED") == "1" else []

    monkeypatch.setattr(machines, "cells_that_differ", pretend)
    assert machines.main(["12", "5"]) == 1
    assert asked == [(dict(variables), ["12", "05"]) for variables in machines.VARIANTS.values()]
    said = capsys.readouterr().out
    assert "AVX2 kernels (ATEN_CPU_CAPABILITY=avx2 DNNL_MAX_CPU_ISA=AVX2 OPENBLAS_CORETYPE=Haswell): all cells" in said
    assert "other seeds (COURSE_SEED=1): 1 differ\n    12_training_a_translator: Cell 23\n" in said
    assert machines.main(["--only", "thread"]) == 0
    every = [lesson.number for lesson in all_lessons()]
    assert asked[6:] == [({**machines.VARIANTS[name]}, every) for name in ("one thread", "two threads")]


PYTEST = """
import os, sys
assert sys.argv[1:-1] == ["-q", "-n", "2", "-p", "no:cacheprovider"] and os.path.exists(sys.argv[-1])
print("FAILED", sys.argv[-1] + "::Cell", os.environ["CELL"], flush=True)
print("that was it", file=sys.stderr)
sys.exit(int(os.environ["STATUS"]))
"""


def test_cells_that_fail_are_named_and_a_run_that_broke_off_is_none(tmp_path, monkeypatch):
    (tmp_path / "pytest.py").write_text(PYTEST)  # in place of the real one
    monkeypatch.setattr(machines, "ROOT", tmp_path)
    assert machines.cells_that_differ({"STATUS": "1", "CELL": "7"}, ["00"]) == ["00_start_here: Cell 7"]
    with pytest.raises(RuntimeError, match=r"could not run the notebooks:\nFAILED .*00_start_.*\nthat was it\n$"):
        machines.cells_that_differ({"STATUS": "2", "CELL": "7"}, ["00"])


@pytest.mark.parametrize("arguments", [["99"], ["--only", "nothing"]])
def test_what_is_not_there_is_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        machines.main(arguments)
    assert "there are the lessons 00, " in capsys.readouterr().err
