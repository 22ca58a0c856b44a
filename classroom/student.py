"""Bring the copy of the lessons up to date as `make lab` does, then become JupyterHub's single-user server."""

import os
import resource
import sys
from pathlib import Path

from utils.course.launch import START, jupyter_variables, prepare, trust
from utils.course.lessons import NOTEBOOKS, ROOT
from utils.course.working_copy import FOLDER, VARIABLE

home = Path(os.environ["HOME"])
folders = ("JUPYTERLAB_WORKSPACES_DIR", "JUPYTERLAB_SETTINGS_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
folders += ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
os.environ.update(jupyter_variables() | {name: str(home / ".jupyter" / name.lower()) for name in folders})
os.environ.update({"COURSE_PROGRESS": str(home / ".progress.json"), VARIABLE: str(home / FOLDER)})
if most := int(os.environ.get("MEM_LIMIT") or 0):  # bytes, set by JupyterHub; a container counts all processes
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
os.umask(0o077)
prepare(home / FOLDER)
trust(NOTEBOOKS, home / FOLDER)
sys.argv[1:1] = [
    f"--config={ROOT / 'etc' / 'jupyter' / 'jupyter_lab_config.py'}",
    f"--ServerApp.root_dir={home / FOLDER}",
    f"--ServerApp.default_url=/lab/tree/{START}",
    "--ServerApp.allow_root=True",  # in a container everybody is root
    "--ServerApp.jpserver_extensions=nbgitpuller=False",  # a link would write any file for whoever follows it
    "--MappingKernelManager.cull_idle_timeout=3600",  # seconds; the notebook and its outputs stay
    "--MappingKernelManager.cull_connected=True",
]
from jupyterhub.singleuser import main  # noqa: E402  (it reads the variables when it is imported)

main()
