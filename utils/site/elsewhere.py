"""Where a lesson can be tried without installing anything: here (`lite.py`), in Google's Colab, on Binder.

Colab and Binder take the notebooks from GitHub, so only where the repository's address is known do pages lead there.
The notebooks themselves stay as they are: Colab opens copies, on a branch of their own, with one cell more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import requires
from typing import Any
from urllib.parse import quote

from utils.course.lessons import Lesson

BRANCH = "colab"  # where `.github/workflows/pages.yml` puts the copies
GITHUB = "https://github.com"
_COLABS_OWN = ("ipykernel", "jupyterlab", "jupyterlab-widgets")  # what the page there is made of
_REPOSITORY, _REF = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII), re.compile(r"[\w./+-]+", re.ASCII)


@dataclass(frozen=True)
class Address:
    """A repository on GitHub, and a tag or a commit of it. Raises ValueError for what cannot be one."""

    repository: str  # owner/name
    ref: str

    def __post_init__(self) -> None:
        if not _REPOSITORY.fullmatch(self.repository):
            raise ValueError(f"a repository is an owner and a name, such as owner/course, not {self.repository!r}")
        if not _REF.fullmatch(self.ref):
            raise ValueError(f"with a repository comes a tag or a commit of it, such as v1.0, not {self.ref!r}")

    def colab(self, lesson: Lesson) -> str:
        """The address that opens a lesson's copy in Colab."""
        return f"https://colab.research.google.com/github/{self.repository}/blob/{BRANCH}/{lesson.notebook_name}"

    def binder(self, lesson: Lesson) -> str:
        """The address that opens a lesson on Binder."""
        path = quote(f"lab/tree/notebooks/{lesson.notebook_name}", safe="")
        return f"https://mybinder.org/v2/gh/{self.repository}/{quote(self.ref, safe='')}?urlpath={path}"


def colab_notebook(notebook: Mapping[str, Any], address: Address) -> dict[str, Any]:
    """A notebook with the cell before all others that makes Colab ready for it."""
    lines = colab_cell(address).splitlines(keepends=True)
    folded = {"cellView": "form", "tags": ["colab"]}
    first = {"cell_type": "code", "id": "colab", "metadata": folded, "outputs": [], "execution_count": None}
    return {**notebook, "cells": [{**first, "source": lines}, *notebook["cells"]]}


def colab_cell(address: Address) -> str:
    """What that cell does, in Colab only: it fetches the course as it is at `ref`, and what the course needs.

    What Colab has stays, its PyTorch for GPUs among it, where it is within the course's bounds.
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
