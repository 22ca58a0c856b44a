"""When a control is open: as long as a cell shows it, in a kernel that runs cells as JupyterLab asks it to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from jupyter_client.manager import start_new_kernel

SETTING_UP = """
from ipywidgets.widgets.widget import _instances as widgets
from utils.show.live import LiveControl, Note, Slider
def control(name):
    return LiveControl(lambda n: Note(f"{name} {n}"), [Slider("n", 1, 9)], alt="A number.")
"""
OPEN = "print(sorted(w.panels[0]['sentences'][0] for w in widgets.values() if isinstance(w, LiveControl)))"


Run = Callable[..., str]


@pytest.fixture(scope="module")
def kernel() -> Iterator[Run]:
    """Runs code as a cell of that name, and returns what it prints; other programs than JupyterLab give no name."""
    manager, client = start_new_kernel(startup_timeout=600, kernel_name="python3")

    def run(code: str, cell: str = "") -> str:
        message = client.session.msg("execute_request", {"code": code, "silent": False, "store_history": True})
        message["metadata"] = {"cellId": cell} if cell else {}
        client.shell_channel.send(message)
        printed = ""
        while True:
            said = client.get_iopub_msg(timeout=400)
            if said["parent_header"].get("msg_id") != message["header"]["msg_id"]:
                continue
            assert said["msg_type"] != "error", said["content"]["traceback"]
            if said["msg_type"] == "stream":
                printed += said["content"]["text"]
            if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                return printed.strip()

    run(SETTING_UP)
    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def test_rerun_cell_closes_its_former_control_and_layout(kernel: Run) -> None:
    before = int(kernel("print(len(widgets))"))
    for _ in range(3):
        kernel("control('a')", "A")
        kernel("display(control('b')); c = control('c'); c", "B")
    assert kernel(OPEN) == "['a 1', 'b 1', 'c 1']"
    assert int(kernel("print(len(widgets))")) == before + 6


def test_control_shown_by_another_cell_stays_open(kernel: Run) -> None:
    kernel("kept = control('kept'); kept", "A")
    kernel("kept", "B")
    kernel("control('new')", "A")
    assert kernel(OPEN) == "['kept 1', 'new 1']"
    kernel("control('newer')", "B")
    assert kernel(OPEN) == "['new 1', 'newer 1']"
