"""Link to the places for trying a lesson without installing anything: here (`lite.py`), Google's Colab and Binder.

Colab and Binder fetch the notebooks from GitHub, so pages link there only if the repository's address is known. The
notebooks themselves don't change: Colab opens copies with one more cell, on a branch of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import requires
from typing import Any
from urllib.parse import quote

from utils.course.lessons import Lesson

BRANCH = "colab"  # the branch where `.github/workflows/pages.yml` puts the copies
GITHUB = "https://github.com"
_COLABS_OWN = ("ipykernel", "jupyterlab", "jupyterlab-widgets")  # packages of Colab's own page
_REPOSITORY, _REF = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII), re.compile(r"[\w./+-]+", re.ASCII)


@dataclass(frozen=True)
class Address:
    """A repository on GitHub with a tag or commit. The constructor raises ValueError if either can't exist."""

    repository: str  # owner/name
    ref: str

    def __post_init__(self) -> None:
        if not _REPOSITORY.fullmatch(self.repository):
            raise ValueError(f"a repository must be owner/name, such as owner/course, but is {self.repository!r}")
        if not _REF.fullmatch(self.ref):
            raise ValueError(f"the ref must be a tag or a commit of the repository, such as v1.0, but is {self.ref!r}")

    @property
    def pages(self) -> str:
        """The address of the course on GitHub Pages."""
        owner, name = self.repository.split("/")
        host = f"https://{owner.lower()}.github.io/"
        return host if name.lower() == f"{owner.lower()}.github.io" else f"{host}{name}/"

    def colab(self, lesson: Lesson) -> str:
        """Return the address that opens a lesson's copy in Colab."""
        return f"https://colab.research.google.com/github/{self.repository}/blob/{BRANCH}/{lesson.notebook_name}"

    def binder(self, lesson: Lesson) -> str:
        """Return the address that opens a lesson on Binder."""
        path = quote(f"lab/tree/notebooks/{lesson.notebook_name}", safe="")
        return f"https://mybinder.org/v2/gh/{self.repository}/{quote(self.ref, safe='')}?urlpath={path}"


def colab_notebook(notebook: Mapping[str, Any], address: Address) -> dict[str, Any]:
    """Return a notebook with a first cell that prepares Colab."""
    lines = colab_cell(address).splitlines(keepends=True)
    folded = {"cellView": "form", "tags": ["colab"]}
    first = {"cell_type": "code", "id": "colab", "metadata": folded, "outputs": [], "execution_count": None}
    return {**notebook, "cells": [{**first, "source": lines}, *notebook["cells"]]}


def colab_cell(address: Address) -> str:
    """Return the code of that cell, which, only in Colab, fetches the course at `ref` and installs its requirements.

    Packages in Colab that are within the course's bounds stay, such as its PyTorch for GPUs.
    """
    needs = [need for need in requires("transformer-course") or [] if "extra ==" not in need]
    needs = [f'"{need}"' for need in sorted(needs) if re.match(r"[\w.-]+", need)[0] not in _COLABS_OWN]
    return f"""#@title Run this first: it fetches the course into Colab
import sys

if "google.colab" in sys.modules:
    !git init -q /content/course
    !git -C /content/course fetch -q --depth 1 {GITHUB}/{address.repository} {address.ref}
    !git -C /content/course checkout -q FETCH_HEAD
    %pip install -q {" ".join(needs)}
    sys.path.insert(0, "/content/course")
"""
