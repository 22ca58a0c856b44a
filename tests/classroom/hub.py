"""`make classroom-test`: a real hub on loopback, with a teacher, students and a stranger."""

import csv
import os
import subprocess
import sys
import time
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
import requests

from utils.course.launch import free_port
from utils.course.lessons import ROOT

HUB = ["setpriv", "--pdeathsig", "TERM", sys.executable, "-m", "jupyterhub", "-f", "classroom/jupyterhub_config.py"]
NO = (403, 404)
Room = namedtuple("Room", "folder process passwords address behind_proxy")


@contextmanager
def served(folder: Path, *names: str) -> Iterator[Room]:
    """Serve a class from a folder."""
    (folder / "names").write_text("\n".join(names))
    port, said = free_port(20000 + os.getpid() % 20000), folder / "log"
    own = {"CLASSROOM_NAMES": str(folder / "names"), "CLASSROOM_FOLDER": str(folder), "CLASSROOM_PORT": str(port)}
    with said.open("w") as log:
        process = subprocess.Popen(HUB, cwd=ROOT, env=os.environ | own, stdout=log, stderr=log)
    while "JupyterHub is now running" not in said.read_text():
        assert process.poll() is None, said.read_text()
        time.sleep(0.2)
    passwords = dict(csv.reader((folder / "passwords.csv").read_text().splitlines()))
    yield Room(folder, process, passwords, f"http://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}")
    process.terminate()
    process.wait()


class Browser(requests.Session):
    """A browser in which somebody has typed a name and a password."""

    def __init__(self, room: Room, name: str, password: str = "", hub: str = "", **headers: str) -> None:
        super().__init__()
        self.headers.update(headers)
        self.api, self.name, login = f"{room.address}/hub/api/users", name, f"{hub or room.address}/hub/login"
        self.get(login)
        form = {"username": name, "password": password or room.passwords[name], "_xsrf": self.cookies.get("_xsrf")}
        self.answer = self.post(login, data=form, allow_redirects=False)

    def ask(self, method: str, path: str = "", **json: object) -> requests.Response:
        headers = {"X-XSRFToken": self.cookies.get("_xsrf", path="/hub/")}
        return self.request(method, self.api + path, headers=headers, json=json or None)

    def start(self) -> dict[str, str]:
        """Start her server, wait for it, and return the header with a token that its API wants."""
        self.ask("POST", f"/{self.name}/server")
        assert '"ready": true' in self.ask("GET", f"/{self.name}/server/progress").text
        return {"Authorization": f"token {self.ask('POST', f'/{self.name}/tokens').json()['token']}"}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with served(tmp_path_factory.mktemp("class"), "ada", "ben") as room:
        yield room


def test_server_belongs_to_one_student_pulls_no_repository_and_gives_no_admin_rights(room: Room) -> None:
    ada, ben, teacher = (Browser(room, name) for name in ("ada", "ben", "teacher"))
    server, token = f"{room.address}/user/ada", ada.start()
    requests.put(f"{server}/api/contents/mine", json={"type": "file", "format": "text", "content": "x"}, headers=token)
    assert (room.folder / "students" / "ada" / "my-notebooks" / "mine").read_text() == "x"
    assert ada.get(f"{server}/git-pull?repo=/&targetpath=out", headers=token).status_code == 404
    assert all(one.get(f"{server}/api/contents").status_code in NO for one in (ben, teacher))
    assert ben.ask("DELETE", "/ada/server").status_code in NO and ben.ask("GET").status_code in NO
    assert teacher.ask("PATCH", "/ben", admin=True).status_code in NO
    assert teacher.ask("POST", "/ada/tokens").status_code in NO
    assert {user["name"] for user in teacher.ask("GET").json()} == {"ada", "ben", "teacher"}
    assert teacher.ask("DELETE", "/ada/server").status_code in (202, 204)


def test_password_attempts_are_slowed_whatever_address_is_forged(room: Room) -> None:
    for at, password in enumerate(["wrong"] * 6 + [room.passwords["ben"]] * 2):
        made_up, hub = f"10.0.0.{at}", (room.address, room.behind_proxy)[at % 2]
        answer = Browser(room, "ben", password, hub, **{"X-Forwarded-For": made_up, "X-Real-Ip": made_up}).answer
        assert answer.status_code == 403 and "Invalid username or password" in answer.text


def test_killed_hub_leaves_no_process_and_removed_student_has_no_token(room: Room) -> None:
    ada = Browser(room, "ada")
    assert ada.ask("POST", "/ada/tokens", expires_in=10**6).status_code == 400
    assert ada.ask("POST", "/ada/tokens").json()["expires_at"]
    token = ada.start()
    assert requests.post(f"{room.address}/user/ada/api/kernels", headers=token).status_code == 201
    processes = psutil.Process(room.process.pid).children(recursive=True)
    assert len(processes) >= 4, "proxy, culler, server and kernel"
    room.process.kill()
    assert psutil.wait_procs(processes, timeout=300)[1] == []
    with served(room.folder, "ben") as later:
        assert requests.get(f"{later.address}/hub/api/user", headers=token).status_code == 403


def test_spawner_that_separates_students_needs_a_domain(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text("c.JupyterHub.spawner_class = 'docker'")
    with pytest.raises(AssertionError, match="DOMAIN"), served(tmp_path, "ada"):
        pass
