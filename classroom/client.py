"""A simulated student: signs in at a hub as a browser does, starts the server, and runs cells over its websocket."""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

import aiohttp
from yarl import URL

PATIENCE = 900  # seconds for a cell; and for a server to start while others do


class Refused(Exception):
    """The hub or the student's server said no."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(f"{status}: {said[:200]}")
        self.status = status


class Student:
    """One browser with its cookies, used as `async with Student(hub, name, password) as student`."""

    def __init__(self, hub: str, name: str, password: str) -> None:
        self.hub, self.name, self.password = hub.rstrip("/"), name, password
        self.refused = 0  # how often a server was asked for in vain, because too many others were starting

    async def __aenter__(self) -> Student:
        self.browser = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True),  # cookies of an address without a name
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=120, sock_read=PATIENCE),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.browser.close()

    @property
    def server(self) -> str:
        """The address of the student's own server."""
        return f"{self.hub}/user/{self.name}"

    def cookie(self, address: str) -> str:
        """The cookie against forged requests that belongs to an address."""
        cookie = self.browser.cookie_jar.filter_cookies(URL(address)).get("_xsrf")
        return cookie.value if cookie else ""

    async def sign_in(self) -> int:
        """Types name and password into the form; returns the status of the page that follows."""
        login = f"{self.hub}/hub/login"
        async with self.browser.get(login):
            pass
        form = {"username": self.name, "password": self.password, "_xsrf": self.cookie(login)}
        async with self.browser.post(login, data=form, allow_redirects=False) as answer:
            return answer.status

    async def start(self) -> None:
        """Opens JupyterLab's page; asks for the student's server where there is none, as long as others are before."""
        async with asyncio.timeout(2 * PATIENCE):
            while True:
                async with self.browser.get(f"{self.server}/lab") as answer:
                    if answer.ok and answer.url.path.startswith("/user/"):
                        return
                if answer.status == 500:
                    raise Refused(500, "the server did not start")
                await asyncio.sleep(await self._ask_for_server() if answer.status == 424 else 1)

    async def _ask_for_server(self) -> float:
        """Asks for a server, and says for how many seconds to wait then."""
        async with self.browser.get(f"{self.hub}/hub/spawn") as answer:
            if answer.status == 429:
                self.refused += 1
                return float(answer.headers.get("Retry-After", 5))
            if answer.status >= 400:
                raise Refused(answer.status, await answer.text())
            return 1

    async def ask(self, path: str, method: str = "GET", **options: Any) -> Any:
        """What the student's server answers; raises Refused where it does not."""
        address = f"{self.server}/api/{path}"
        headers = {"X-XSRFToken": self.cookie(address)}
        async with self.browser.request(method, address, headers=headers, **options) as answer:
            if answer.status >= 400:
                raise Refused(answer.status, await answer.text())
            return await answer.json() if answer.content_type == "application/json" else None

    async def open(self, notebook: str) -> Kernel:
        """A kernel for a notebook, as JupyterLab asks for it."""
        asked = {"path": notebook, "name": notebook, "type": "notebook", "kernel": {"name": "python3"}}
        session = await self.ask("sessions", "POST", json=asked)
        kernel = session["kernel"]["id"]
        channels = f"{self.server}/api/kernels/{kernel}/channels?session_id={uuid.uuid4().hex}"
        return Kernel(await self.browser.ws_connect(channels, max_msg_size=0, heartbeat=None))

    async def close(self, notebook: str) -> None:
        """Shuts down the notebook's kernel."""
        for session in await self.ask("sessions"):
            if session["path"] == notebook:
                await self.ask(f"sessions/{session['id']}", "DELETE")

    async def stop(self) -> None:
        """Signs out, which stops the server."""
        async with self.browser.get(f"{self.hub}/hub/logout"):
            pass


class Kernel:
    """The websocket to a kernel."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def run(self, source: str) -> str | None:
        """Runs a cell, until the kernel is idle again; returns its error, if it has one."""
        number = uuid.uuid4().hex
        header = {"msg_id": number, "msg_type": "execute_request", "username": "", "session": number, "version": "5.3"}
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": True}  # fmt: skip
        request = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await self._socket.send_json({**request, "buffers": []})
        error, left = None, {"execute_reply", "idle"}
        async with asyncio.timeout(PATIENCE):
            while left:
                message = await self._message()
                if message["parent_header"].get("msg_id") != number:
                    continue
                kind, content = message["msg_type"], message["content"]
                left -= {kind, content.get("execution_state")}
                if kind == "error":
                    error = f"{content['ename']}: {content['evalue']}"
        return error

    async def _message(self) -> Any:
        """The next message; one with buffers begins with where its parts are, the first of them its text."""
        received = await self._socket.receive()
        if received.type == aiohttp.WSMsgType.TEXT:
            return received.json()
        if received.type == aiohttp.WSMsgType.BINARY:
            data = received.data
            parts = int.from_bytes(data[:4], "big")
            ends = [int.from_bytes(data[4 * at : 4 * at + 4], "big") for at in range(1, parts + 1)] + [len(data)]
            return json.loads(data[ends[0] : ends[1]])
        raise Refused(0, f"the websocket was closed ({received.type.name})")
