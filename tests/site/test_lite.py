"""What lies in `build/site/lite`: the lessons that run in a browser, what they import, and nothing large."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import requires, version
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from utils.course.lessons import NOTEBOOKS, ROOT, all_lessons
from utils.site import lite
from utils.site.lite import FROM_PYODIDE, LACKS, PACKED, build_lite, runs_there

LESSONS = {lesson.number: lesson for lesson in all_lessons()}
HERE = ("00", "02", "02b", "03", "04", "05", "06", "07", "08", "09", "19", "21")
IMPORTED = """
import contextlib, json, sys
lacks, told = json.load(sys.stdin)
class Missing:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in lacks:
            print(number, name)  # also where a module could do without it
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing)
for number, imports in told.items():
    with contextlib.suppress(ModuleNotFoundError):
        exec(imports, {})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "lite"
    build_lite(folder, [LESSONS[number] for number in HERE])
    return folder


def imports_of(path: Path) -> str:
    """All that the cells of a notebook import, each on a line."""
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    parts = [part for source in cells for part in ast.walk(ast.parse(source))]
    return "\n".join(ast.unparse(part) for part in parts if isinstance(part, ast.Import | ast.ImportFrom))


def test_browser_lessons_import_nothing_that_a_browser_lacks() -> None:
    told = {number: imports_of(NOTEBOOKS / lesson.notebook_name) for number, lesson in LESSONS.items()}
    command = [sys.executable, "-c", IMPORTED]
    done = subprocess.run(
        command, cwd=ROOT, input=json.dumps([LACKS, told]), capture_output=True, text=True, check=True
    )
    lacking = dict(line.split() for line in done.stdout.splitlines())
    assert not lacking.keys() & set(HERE), lacking
    assert {name.partition(".")[0] for name in lacking.values()} <= set(LACKS)


@pytest.mark.long
@pytest.mark.parametrize("number", HERE)
def test_lessons_run_in_the_browser(number: str) -> None:
    assert runs_there(LESSONS[number])


def test_runs_there_separates_missing_packages_from_broken_notebooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lite, "NOTEBOOKS", tmp_path)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    lesson = LESSONS["05"]

    def runs(source: str) -> bool:
        cells = [new_markdown_cell("# A lesson"), new_code_cell("import numpy as np"), new_code_cell(source)]
        nbformat.write(new_notebook(cells=cells), tmp_path / lesson.notebook_name)
        return runs_there(lesson)

    assert runs("np.ones(3)")
    assert not runs("import utils.models.layers")
    for broken, said in (("np.zeros(-1)", "negative dimensions"), ("raise ModuleNotFoundError('gone')", "gone")):
        with pytest.raises(RuntimeError, match=f"(?s)05_self_attention_by_hand.ipynb does not run:.*{said}"):
            runs(broken)


def test_notebooks_are_not_yet_run_and_link_only_to_each_other(folder: Path) -> None:
    names = {LESSONS[number].name for number in HERE}
    assert {path.stem for path in (folder / "files").glob("*.ipynb")} == names
    for name in names:
        assert " · " in (folder / "files" / f"{name}.ipynb").read_text("utf-8")  # letters as they are
        there = nbformat.read(folder / "files" / f"{name}.ipynb", as_version=4)
        built = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
        assert there.metadata.kernelspec.name == "python"
        for cell, as_built in zip(there.cells, built.cells, strict=True):
            assert cell.get("outputs", []) == []
            assert cell.source == as_built.source or cell.cell_type == "markdown"
            assert set(re.findall(r"\]\(([\w-]+)\.ipynb", cell.source)) <= names


def test_kernel_gets_all_installed_versions_that_the_course_needs(folder: Path) -> None:
    needs = {re.match(r"[\w-]+", need)[0] for need in requires("transformer-course") if "extra ==" not in need}
    shown_by_the_page = {"ipykernel", "jsonschema", "jupyterlab", "jupyterlab-widgets"}
    assert needs - shown_by_the_page == needs & {*FROM_PYODIDE, *PACKED, *LACKS}
    told = json.loads((folder / "jupyter-lite.json").read_text("utf-8"))
    assert told["jupyter-lite-schema-version"] == 0  # the only one that there is
    told = told["jupyter-config-data"]
    kernel = told["litePluginSettings"]["@jupyterlite/pyodide-kernel-extension:kernel"]
    assert "pyodideUrl" not in kernel  # the one that the kernel was made for, from its CDN
    named, files = [], kernel["loadPyodideOptions"]["packages"]
    for name in files:
        if name.endswith(".whl"):  # as seen from the script of the kernel's worker
            named.append((folder / "extensions/@jupyterlite/pyodide-kernel-extension/static" / name).resolve())
    assert [path.name for path in named[1:]] == [f"{name}-{version(name)}-py3-none-any.whl" for name in PACKED]
    assert all(path.is_file() for path in named)
    assert {extension["name"] for extension in told["federated_extensions"]} == set(lite.FRONT_ENDS)


def test_packed_course_has_no_tests_or_weights_and_only_pure_python(
    folder: Path,
) -> None:
    course, *others = sorted((folder / "pypi").glob("*.whl"), key=lambda path: "course" not in path.name)
    names = set(zipfile.ZipFile(course).namelist())
    assert {"utils/course/exercises/__init__.py", "lessons/__init__.py", "utils/show/page/fields.js"} <= names
    assert {f"lessons/{lesson.name}/exercises.py" for lesson in LESSONS.values()} <= names
    assert not [name for name in names if re.search(r"test_|\.safetensors$|__pycache__|/second\.", name)]
    for path in (course, *others):
        assert any("license" in name.lower() for name in zipfile.ZipFile(path).namelist()), path.name
    assert not [name for path in others for name in zipfile.ZipFile(path).namelist() if re.search(r"\.(so|pyd)$", name)]
