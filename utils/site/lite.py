"""Build `build/site/lite`, a JupyterLite with Python in the browser and the lessons that don't need PyTorch.

It needs a web host. Python itself (Pyodide, with NumPy and Matplotlib) comes from a CDN when a notebook is opened. All
other packages that the course imports are in the folder, packed from the installed ones.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from utils.course.lessons import NOTEBOOKS, ROOT, Lesson

FOLDER = "lite"
# The lessons that do without sacrebleu, safetensors, tokenizers and torch, which Pyodide lacks.
NUMBERS = ("00", "02", "02b", "03", "04", "05", "06", "07", "08", "09", "19", "21")
FROM_PYODIDE = ("matplotlib", "numpy", "pyyaml", "tqdm", "typing-extensions")
PACKED = ("anywidget", "comm", "filelock", "ipywidgets", "psygnal")
FRONT_ENDS = ("@jupyter-widgets/jupyterlab-manager", "@jupyterlite/pyodide-kernel-extension", "anywidget")
WHEELS = "pypi"
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
_FROM_WORKER = "../../../.."  # from the folder of the kernel's worker script to the JupyterLite folder
_LINK = re.compile(r"\[([^\]]*)\]\(([\w-]+)\.ipynb(#[^)]*)?\)")
_DIAGRAMS = b"org.eclipse.elk"  # marks a layout engine of Mermaid, 1.5 MB, which no lesson uses
_OF_INSTALLER = ("INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
_LEFT_OUT = re.compile(r"(^|/)(test_[^/]*|__pycache__|second\.\w+)(/|$)|\.safetensors$")  # of the course's own files


def build_lite(folder: Path, lessons: Sequence[Lesson]) -> None:
    """Write a JupyterLite with the notebooks of these lessons and companion pages to `folder`, which must not exist.

    Raise RuntimeError if JupyterLite could not be built.
    """
    with tempfile.TemporaryDirectory() as made:
        project, files = Path(made), Path(made) / "files"
        files.mkdir()
        here = {lesson.name for lesson in lessons}
        for name in here:
            notebook = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
            text = json.dumps(notebook_there(notebook, here), ensure_ascii=False)
            (files / f"{name}.ipynb").write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "etc/jupyter/labconfig/default_setting_overrides.json", project / "overrides.json")
        wheels = [_course_wheel(project / WHEELS), *(_installed_wheel(project / WHEELS, name) for name in PACKED)]
        (project / "jupyter-lite.json").write_text(json.dumps(_settings([wheel.name for wheel in wheels])))
        _jupyter_lite(project, folder)
    built = folder / "build"
    again = [path.with_suffix(".woff") for path in built.glob("*.woff2")]  # fonts for browsers without WebAssembly
    engine = [path for path in built.glob("*.js") if _DIAGRAMS in path.read_bytes()]
    for path in [*built.glob("*.eot"), *built.glob("*.svg"), *built.glob("*.ttf"), *again, *engine]:
        path.unlink(missing_ok=True)


def notebook_there(notebook: Mapping[str, Any], here: Iterable[str]) -> dict[str, Any]:
    """Return a notebook for Pyodide without outputs, in which links to lessons not in `here` are plain text."""
    here = set(here)

    def linked(found: re.Match[str]) -> str:
        return found[0] if found[2] in here else found[1]

    kinds = {"markdown": lambda cell: {**cell, "source": _LINK.sub(linked, "".join(cell["source"]))}}
    kinds["code"] = lambda cell: {**cell, "outputs": [], "execution_count": None}
    kernel = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
    cells = [kinds[cell["cell_type"]](cell) for cell in notebook["cells"]]
    return {**notebook, "cells": cells, "metadata": {"kernelspec": kernel}}


def _settings(wheels: Sequence[str]) -> dict[str, Any]:
    """Return JupyterLite's settings, by which the kernel loads all imported packages before the first cell."""
    packages = [*FROM_PYODIDE, *(f"{_FROM_WORKER}/{WHEELS}/{name}" for name in wheels)]
    # The progress is beside the notebooks, which the browser keeps, because files elsewhere are lost with the kernel.
    variables = {"COURSE_PROGRESS": "/drive/.progress.json", "PYTHONWARNINGS": "ignore:only soft,ignore:tqdm"}
    options = {"packages": packages, "env": variables}
    told = {"appName": "Transformers, by hand", "defaultKernelName": "python"}
    told["litePluginSettings"] = {KERNEL: {"loadPyodideOptions": options}}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": told}


def _jupyter_lite(project: Path, folder: Path) -> None:
    front_ends = Path(sys.prefix, "share", "jupyter", "labextensions")
    told = {
        "apps": ["lab"],
        "federated_extensions": [str(front_ends / name) for name in FRONT_ENDS],
        "ignore_sys_prefix": True,
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "output_dir": str(folder),
    }
    (project / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": told}))
    command = [sys.executable, "-m", "jupyterlite_core", "build"]
    done = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise RuntimeError(f"JupyterLite could not be built:\n{done.stdout[-4000:]}")


def _course_wheel(folder: Path) -> Path:
    """Pack the course itself as a wheel without tests, weights and requirements, and return its path."""
    paths = [path for room in ("utils", "lessons") for path in sorted((ROOT / room).rglob("*")) if path.is_file()]
    names = {path.relative_to(ROOT).as_posix(): path for path in paths}
    files = {name: path.read_bytes() for name, path in names.items() if not _LEFT_OUT.search(name)}
    name, version = "transformer_course", distribution("transformer-course").version
    info = f"{name}-{version}.dist-info"
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    files |= {f"{info}/licenses/{path.name}": path.read_bytes() for path in sorted(ROOT.glob("LICENSE*"))}
    return _wheel(folder, name, version, files)


def _installed_wheel(folder: Path, name: str) -> Path:
    """Pack an installed package as a wheel without compiled files, which have a Python version; return its path."""
    installed = distribution(name)
    files = {
        path.as_posix(): path.locate().read_bytes()
        for path in installed.files
        if path.suffix not in (".pyc", ".pyd", ".so") and not {"..", "RECORD", *_OF_INSTALLER} & set(path.parts)
    }
    return _wheel(folder, name, installed.version, files)


def _wheel(folder: Path, name: str, version: str, files: dict[str, bytes]) -> Path:
    """Pack files as a wheel for any Python, with the same bytes each time, and return its path."""
    info = f"{name}-{version}.dist-info"
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: course\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines = [f"{path},sha256={_digest(data)},{len(data)}\n" for path, data in files.items()]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    folder.mkdir(exist_ok=True)
    packed = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(packed, "w") as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return packed


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
