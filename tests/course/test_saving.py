"""What the course adds to a notebook that JupyterLab saves, and what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from traitlets.config import PyFileConfigLoader

from utils.course.launch import ROOT
from utils.course.saving import STATES, Json, keep, keep_controls

CONTROL, LAYOUT, OLD = "a" * 32, "b" * 32, "c" * 32
SHIPPED = {"name": "python"}


def state(value: str, *refers_to: str) -> Json:
    return {"model_name": "AnyModel", "state": {"value": value, "refers": [f"IPY_MODEL_{to}" for to in refers_to]}}


def notebook(states: dict[str, Json], *shown: str, **metadata: object) -> Json:
    """A notebook whose cells show these widgets, with those states saved."""
    outputs = [{"data": {"application/vnd.jupyter.widget-view+json": {"model_id": model_id}}} for model_id in shown]
    saved = {STATES: {"state": states, "version_major": 2, "version_minor": 0}}
    return {"cells": [{"source": "", "outputs": outputs}], "metadata": {"widgets": saved, **metadata}}


ON_DISK = notebook({CONTROL: state("on disk", LAYOUT), LAYOUT: state("its layout")}, CONTROL, language_info=SHIPPED)


def test_keep_takes_missing_states_from_the_file() -> None:
    saved = notebook({}, CONTROL, language_info={"name": "python", "version": "3.99"})
    keep(saved, ON_DISK)
    assert saved == ON_DISK


def test_saved_notebook_takes_states_of_the_page_and_drops_unused_ones() -> None:
    live = {CONTROL: state("live", LAYOUT), LAYOUT: state("live layout")}
    saved = notebook({**live, OLD: state("of the run before")}, CONTROL)
    keep(saved, ON_DISK)
    assert saved["metadata"]["widgets"][STATES]["state"] == live


def test_widget_with_a_page_of_its_own_is_saved_as_that_page() -> None:
    saved = notebook({CONTROL: state("with a page"), OLD: state("without")}, CONTROL, OLD)
    saved["cells"][0]["outputs"][0]["data"]["text/html"] = "<p>what it says</p>"
    keep(saved, {"metadata": {}})
    assert saved["cells"][0]["outputs"][0]["data"] == {"text/html": "<p>what it says</p>"}
    assert list(saved["metadata"]["widgets"][STATES]["state"]) == [OLD]


def test_save_is_compared_with_the_file_of_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "a folder" / "é.ipynb").write_text(json.dumps(ON_DISK), encoding="utf-8")
    model = {"type": "notebook", "content": notebook({}, CONTROL)}
    keep_controls(model=model, path="a folder/é.ipynb", contents_manager=SimpleNamespace(root_dir=str(tmp_path)))
    assert model["content"] == ON_DISK


def test_courses_jupyterlab_asks_before_it_saves() -> None:
    settings = PyFileConfigLoader("jupyter_lab_config.py", str(ROOT / "etc" / "jupyter")).load_config()
    assert AsyncLargeFileManager(config=settings).pre_save_hook is keep_controls
