"""How students sign in: with the class's one password, or each with a password of their own; wrong ones are slowed."""

from __future__ import annotations

import secrets
from math import ceil
from typing import Any

from jupyterhub.auth import Authenticator
from tornado.web import HTTPError
from traitlets import Dict, Instance, Unicode

from classroom.passwords import ANYBODY, FREE, TEACHER, Patience


class ClassAuthenticator(Authenticator):
    """Knows the passwords of a file that `read_passwords` reads.

    Where the whole class has one password, whoever knows it can sign in under any name but the teacher's.
    """

    passwords = Dict(Unicode(), help="by name; `*` for everybody else").tag(config=True)
    # A name is slowed where it is tried from; a computer that tries many names, more gently: a whole class may be
    # behind one address.
    _by_name = Instance(Patience, ())
    _by_computer = Instance(Patience, kw={"free": 5 * FREE, "longest": 2})

    async def authenticate(self, handler: Any, data: dict[str, str]) -> dict[str, Any] | None:
        """Who signs in, or None; raises 429 where a try comes too soon after wrong ones, and does not look at it."""
        name, password = self.normalize_username(data.get("username", "")), data.get("password", "")
        data.setdefault("username", name)  # JupyterHub's next page wants it
        computer = address_of(handler.request)
        pause = max(self._by_name.wait((name, computer)), self._by_computer.wait(computer))
        if pause:
            raise HTTPError(429, f"Too many wrong passwords. Wait {ceil(pause)} s, then try again.")
        expected = self.passwords.get(name, self.passwords.get(ANYBODY, ""))
        if expected and secrets.compare_digest(password.encode(), expected.encode()):
            self._by_name.right((name, computer))
            return {"name": name, "admin": name == TEACHER}
        self._by_name.wrong((name, computer))
        self._by_computer.wrong(computer)
        return None


def address_of(request: Any) -> str:
    """The address that the proxy was called from: the last that it added, since the first may be made up."""
    return request.headers.get("X-Forwarded-For", "").split(",")[-1].strip()
