"""`make classroom-test`: a real server for a class, with students who mean well and others who don't.

It needs the environment of the server, and minutes, so it is no part of `make test`.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from yarl import URL

from classroom.client import Refused, Student
from classroom.load import served
from classroom.passwords import FREE, TEACHER, read_passwords
from utils.course.lessons import NOTEBOOKS
from utils.course.working_copy import FOLDER

IDLE = 120  # seconds, after which a server goes: a busy machine may need as long for what stands between two looks
LESSON = "05_self_attention_by_hand.ipynb"
ADA, BEN = "ada", "ben"


class Class:
    """A server whose class is two students, and their browsers."""

    def __init__(self, folder: Path, hub: str, process: int) -> None:
        self.folder, self.hub, self.process = folder, hub, process
        self.passwords = read_passwords(folder / "passwords.csv", [ADA, BEN])

    def student(self, name: str, password: str | None = None) -> Student:
        return Student(self.hub, name, self.passwords[name] if password is None else password)

    def home(self, name: str) -> Path:
        return self.folder / "students" / name


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    folder = tmp_path_factory.mktemp("class")
    names = folder / "names.txt"
    names.write_text(f"{ADA}\n{BEN}\n")
    with served(folder, names, IDLE=IDLE, TIMEOUT=900) as (hub, process):
        yield Class(folder, hub, process.pid)


def run(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scene())


async def status(student: Student, address: str, method: str = "GET", **options: Any) -> int:
    """The status that a student's browser gets at an address, wherever it is led."""
    async with student.browser.request(method, address, **options) as answer:
        return answer.status


async def come_in(student: Student) -> None:
    assert await student.sign_in() == 302
    await student.start()


def test_a_student_gets_a_copy_of_her_own_works_in_it_and_saves(room: Class) -> None:
    async def scene() -> None:
        async with room.student(ADA) as ada:
            await come_in(ada)
            kernel = await ada.open(LESSON)
            assert await kernel.run("import os; from utils.course.progress import record") is None
            own = str(room.home(ADA) / FOLDER)
            assert await kernel.run(f"assert os.environ['COURSE_NOTEBOOKS'] == {own!r}") is None
            assert await kernel.run("assert record('05.scores', True) is None") is None
            assert (await kernel.run("1 / 0") or "").startswith("ZeroDivisionError")
            await ada.close(LESSON)
            saved = await ada.ask(f"contents/{LESSON}")
            saved["content"]["cells"][0]["source"] += "\n\nmine"
            widgets = {"state": {"of nobody": {"model_name": "X", "model_module": "x", "state": {}}}}
            saved["content"]["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": widgets}
            await ada.ask(f"contents/{LESSON}", "PUT", json={"type": "notebook", "content": saved["content"]})

    run(scene)
    saved = (room.home(ADA) / FOLDER / LESSON).read_text()
    assert "mine" in saved and "of nobody" not in saved  # what the course does at saving is done here, too
    assert "05.scores" in (room.home(ADA) / ".progress.json").read_text()
    assert "mine" not in (NOTEBOOKS / LESSON).read_text()


def test_nobody_reaches_anothers_server_by_its_address_nor_with_a_token(room: Class) -> None:
    async def scene() -> None:
        async with room.student(ADA) as ada, room.student(BEN) as ben, Student(room.hub, "", "") as stranger:
            await come_in(ada)
            await come_in(ben)
            assert await status(ada, f"{ada.server}/api/contents/{LESSON}") == 200
            theirs = [f"{ada.server}/api/contents/{LESSON}", f"{ada.server}/lab", f"{ada.server}/files/{LESSON}",
                      f"{room.hub}/hub/api/users/{ADA}", f"{room.hub}/hub/api/users"]  # fmt: skip
            for address in theirs:
                assert await status(ben, address) in (403, 404), address
            async with stranger.browser.get(theirs[0], allow_redirects=False) as answer:
                assert answer.status in (302, 403)
            asked = f"{room.hub}/hub/api/users/{BEN}/tokens"
            headers = {"X-XSRFToken": ben.cookie(asked), "Referer": f"{room.hub}/hub/token"}
            async with ben.browser.post(asked, json={}, headers=headers) as answer:
                assert answer.status == 201, await answer.text()
                token = {"Authorization": f"token {(await answer.json())['token']}"}
            assert await status(stranger, f"{ben.server}/api/contents", headers=token) == 200
            for address in [theirs[0], *theirs[3:]]:
                assert await status(stranger, address, headers=token) in (403, 404), address
            running = f"{room.hub}/hub/api/users/{ADA}/server"
            assert await status(stranger, running, "DELETE", headers=token) in (403, 404)

    run(scene)


OUT = ["../ada/.progress.json", "..%2f..%2fada%2f.progress.json", "%2e%2e/%2e%2e/passwords.csv", "%2fetc%2fpasswd",
       "....//....//passwords.csv", "..%5c..%5cpasswords.csv"]  # fmt: skip
NO_NAMES = ["..", "../ada", "ada/../ben", "a" * 33, "-x", "a b", "%2e%2e", "аda", "*", "", TEACHER]


@pytest.mark.parametrize("path", OUT)
def test_no_path_leads_out_of_a_students_folder(room: Class, path: str) -> None:
    async def scene() -> None:
        async with room.student(BEN) as ben:
            await come_in(ben)
            for door in ("files", "api/contents", "hub/../files"):
                address = URL(f"{ben.server}/{door}/{path}", encoded=True)
                async with ben.browser.get(address) as answer:
                    said = await answer.text()
                    assert answer.status >= 400 or answer.url.path.startswith("/hub/login"), address
                    assert room.passwords[ADA] not in said and "tries" not in said

    run(scene)


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_that_are_none_are_refused_and_make_no_folder(room: Class, name: str) -> None:
    async def scene() -> None:
        before = sorted(room.folder.rglob("*"))
        async with Student(room.hub, name, room.passwords[ADA]) as student:
            assert await student.sign_in() in (400, 403, 429)
        assert sorted(room.folder.rglob("*")) == before

    run(scene)


def test_wrong_passwords_are_slowed_after_five_and_the_right_one_waits_too(room: Class) -> None:
    async def scene() -> None:
        async with room.student(BEN, "wrong-wrong") as ben:
            made_up = {"X-Forwarded-For": "10.0.0.9", "X-Real-Ip": "10.0.0.9"}
            ben.browser.headers.update(made_up)
            assert [await ben.sign_in() for _ in range(FREE)] == [403] * FREE
            assert await ben.sign_in() == 429
            ben.password = room.passwords[BEN]
            assert await ben.sign_in() == 429
            await asyncio.sleep(1.1)
            assert await ben.sign_in() == 302
        async with room.student(ADA) as ada:
            assert await ada.sign_in() == 302  # another's name at the same address was not slowed

    run(scene)


@pytest.mark.parametrize("body", [b"", b"username=ada", b"password=x", b"\xff\xfe\x00", b"username=ada&password=%ff%fe",
                                  "username=ada&password=رمز".encode(), b"username=" + b"a" * 100_000])  # fmt: skip
def test_a_malformed_form_is_refused_without_an_error_of_the_servers(room: Class, body: bytes) -> None:
    async def scene() -> None:
        async with room.student(ADA) as ada:
            login = f"{room.hub}/hub/login"
            await status(ada, login)
            form = body + f"&_xsrf={ada.cookie(login)}".encode()
            kind = {"Content-Type": "application/x-www-form-urlencoded"}
            assert 400 <= await status(ada, login, "POST", data=form, headers=kind) < 500

    run(scene)


def test_requests_that_are_too_large_or_none_do_not_keep_the_others_out(room: Class) -> None:
    port = int(room.hub.rsplit(":", 1)[1])
    for raw in [b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" * 500, b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\n\r\n",
                b"POST /hub/login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                b"GET /hub/login HTTP/1.1\r\nHost: x\r\n" + b"X-Many: 1\r\n" * 20_000 + b"\r\n"]:  # fmt: skip
        with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
            try:
                line.sendall(raw)
                said = line.recv(100)
            except (ConnectionError, TimeoutError):
                said = b""
            assert said == b"" or said.split()[1] >= b"400", said

    async def scene() -> None:
        async with room.student(ADA) as ada:
            login = f"{room.hub}/hub/login"
            assert await status(ada, login, "POST", data=b"x" * 200_000_000) >= 400
            assert await ada.sign_in() == 302

    run(scene)


def test_nothing_listens_beyond_this_machine(room: Class) -> None:
    async def scene() -> None:
        async with room.student(ADA) as ada:
            await come_in(ada)
            await ada.open(LESSON)
            hub = psutil.Process(room.process)
            listening = [
                connection.laddr.ip
                for process in [hub, *hub.children(recursive=True)]
                for connection in process.net_connections("inet")
                if connection.status == psutil.CONN_LISTEN
            ]
            assert len(listening) > 5 and set(listening) == {"127.0.0.1"}

    run(scene)


def test_a_process_that_takes_too_much_memory_fails_alone(room: Class) -> None:
    async def scene() -> None:
        async with room.student(ADA) as ada:
            await come_in(ada)
            kernel = await ada.open(LESSON)
            assert "MemoryError" in (await kernel.run("x = bytearray(4_000_000_000)") or "")
            assert await kernel.run("1 + 1") is None

    run(scene)


def test_an_idle_server_is_stopped_and_no_file_of_it_is_lost(room: Class) -> None:
    async def scene() -> None:
        async with room.student(BEN) as ben:
            await come_in(ben)
            await ben.ask("contents/mine.txt", "PUT", json={"type": "file", "format": "text", "content": "all of it"})
            files = {path: path.read_bytes() for path in (room.home(BEN) / FOLDER).rglob("*") if path.is_file()}
            until = time.monotonic() + 5 * IDLE
            assert BEN in students_with_a_server(room)
            while BEN in students_with_a_server(room):
                assert time.monotonic() < until, "it still runs"
                await asyncio.sleep(2)
            assert {path: path.read_bytes() for path in files} == files
            await ben.start()
            assert (await ben.ask("contents/mine.txt"))["content"] == "all of it"
            with pytest.raises(Refused):
                await ben.ask("contents/nobody.txt")

    run(scene)


def students_with_a_server(room: Class) -> set[str]:
    """Whose servers run."""
    names = set()
    for process in psutil.Process(room.process).children():
        with contextlib.suppress(psutil.Error):  # it may be ending
            names.add(process.environ().get("JUPYTERHUB_USER", ""))
    return names
