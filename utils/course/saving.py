"""What is written when JupyterLab saves a notebook: the controls that its outputs show, whether Python runs or not.

JupyterLab saves the state of those widgets alone that a running kernel answers for. So it would empty a lesson that was
opened and not run, and keep every control of a cell that was run again. The course's JupyterLab calls `keep_controls`
before it writes (`etc/jupyter/jupyter_lab_config.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_server.utils import to_os_path

STATES = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
_ID = re.compile(r"[0-9a-f]{32}")

Json = dict[str, Any]


def keep_controls(model: Json, path: str, contents_manager: Any, **_: Any) -> None:
    """Put into a notebook that is to be saved what the file already has and should keep: Jupyter's pre-save hook."""
    if model.get("type") != "notebook":
        return
    try:
        with open(to_os_path(path, contents_manager.root_dir), encoding="utf-8") as file:
            before = json.load(file)
    except (FileNotFoundError, ValueError):  # a new notebook, or a file that is none: there is nothing to keep
        before = {"metadata": {}}
    keep(model["content"], before)


def keep(notebook: Json, before: Json) -> None:
    """Give `notebook`, as JupyterLab would save it, the widget states of its outputs, its own or those of `before`.

    Both are notebooks as JSON holds them. States that no output refers to go, and so do widgets whose output brings a
    page of its own: without Python, JupyterLab would draw a broken chain beside each of their parts. What the kernel
    says of its language stays as it was: it differs from computer to computer, and is nothing that the student has
    changed.
    """
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                output["data"].pop(VIEW, None)
    states = {**widget_states(before), **widget_states(notebook)}
    metadata = notebook["metadata"]
    metadata.pop("widgets", None)
    shown = as_they_are_met([json.dumps(notebook["cells"])], states)
    if shown:
        kept = {model_id: states[model_id] for model_id in shown}
        metadata["widgets"] = {STATES: {"state": kept, "version_major": 2, "version_minor": 0}}
    if "language_info" in before["metadata"]:
        metadata["language_info"] = before["metadata"]["language_info"]


def widget_states(notebook: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what was saved of the notebook's widgets, by their ids."""
    return notebook["metadata"].get("widgets", {}).get(STATES, {}).get("state", {})


def as_they_are_met(texts: Iterable[str], states: Mapping[str, Any]) -> list[str]:
    """List the ids of the widgets that are named in the texts, each followed by those that it refers to."""
    met: dict[str, None] = {}

    def meet(text: str) -> None:
        for model_id in _ID.findall(text):
            if model_id in states and model_id not in met:
                met[model_id] = None
                meet(json.dumps(states[model_id], sort_keys=True))

    for text in texts:
        meet(text)
    return list(met)
