"""The server's connection between a page and its kernel, without a wait of 40 ms."""

from __future__ import annotations

import asyncio

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class PromptConnection(ZMQChannelsWebsocketConnection):
    """Sends each message at once; otherwise as Jupyter's own.

    A control's new numbers come right behind the message that the kernel is busy. The system would hold them back until
    the browser has confirmed that one (Nagle's algorithm), and the browser, having nothing to say, waits up to 40 ms
    with that.
    """

    def connect(self) -> asyncio.Future[None] | None:
        """Called once, when the page and the server have a connection."""
        self.websocket_handler.set_nodelay(True)
        return super().connect()
