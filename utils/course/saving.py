"""Save a notebook with the controls that its outputs show, whether a kernel runs or not.

JupyterLab saves the state of only those widgets that a running kernel knows. So it would drop the controls of a lesson
that was opened but not run, and keep the old controls of a cell that was run again. The course's JupyterLab calls
`keep_controls` before each save (`etc/jupyter/jupyter_lab_config.py`).
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
    """Copy the controls that a notebook should keep from its file, before Jupyter saves it (a pre-save hook)."""
    if model.get("type") != "notebook":
        return
    try:
        with open(to_os_path(path, contents_manager.root_dir), encoding="utf-8") as file:
            before = json.load(file)
    except (FileNotFoundError, ValueError):  # a new notebook or a broken file has nothing to keep
        before = {"metadata": {}}
    keep(model["content"], before)


def keep(notebook: Json, before: Json) -> None:
    """Give `notebook`, in place, the widget states that its outputs need, its own or those of `before`.

    Both are notebooks as JSON data. Remove states that no output refers to, and views of widgets whose output also has
    HTML, because without Python JupyterLab would draw a broken chain beside each of their parts. Keep the language
    information of `before`, because it differs between computers and is no change by the student.
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
    """Return id -> saved state for the notebook's widgets."""
    return notebook["metadata"].get("widgets", {}).get(STATES, {}).get("state", {})


def as_they_are_met(texts: Iterable[str], states: Mapping[str, Any]) -> list[str]:
    """Return the ids of the widgets that occur in `texts`, each followed by the widgets that its state refers to."""
    met: dict[str, None] = {}

    def meet(text: str) -> None:
        for model_id in _ID.findall(text):
            if model_id in states and model_id not in met:
                met[model_id] = None
                meet(json.dumps(states[model_id], sort_keys=True))

    for text in texts:
        meet(text)
    return list(met)
