"""The page's connection to its kernel holds no message back."""

from __future__ import annotations

import json
from unittest.mock import create_autospec

import pytest
from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from jupyter_server.services.kernels.websocket import KernelWebsocketHandler
from traitlets.utils.importstring import import_item

from utils.course.launch import ROOT


def test_the_course_is_served_by_connections_that_hold_nothing_back(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = json.loads((ROOT / "etc" / "jupyter" / "jupyter_server_config.d" / "course.json").read_text())
    prompt = import_item(settings["ServerApp"]["kernel_websocket_connection_class"])
    monkeypatch.setattr(ZMQChannelsWebsocketConnection, "connect", lambda self: "connected")
    handler = create_autospec(KernelWebsocketHandler, instance=True)
    connection = prompt.__new__(prompt)
    connection.websocket_handler = handler
    assert connection.connect() == "connected"
    handler.set_nodelay.assert_called_once_with(True)
