"""A student's own server: `python -m classroom.student`, which a spawner of JupyterHub starts in the student's home.

It brings the student's copy of the lessons up to date as `make lab` does, and goes on as JupyterHub's single-user
server. Arguments go to that server.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from utils.course.launch import START, jupyter_variables, prepare, trust
from utils.course.lessons import NOTEBOOKS, ROOT
from utils.course.working_copy import FOLDER, VARIABLE


def variables(home: Path) -> dict[str, str]:
    """The environment of a student's server and kernels: all that Jupyter and the course write lies in `home`."""
    jupyter = home / ".jupyter"
    return {
        **jupyter_variables(),
        "JUPYTERLAB_WORKSPACES_DIR": str(jupyter / "workspaces"),
        "JUPYTERLAB_SETTINGS_DIR": str(jupyter / "settings"),
        "JUPYTER_CONFIG_DIR": str(jupyter / "config"),
        "JUPYTER_DATA_DIR": str(jupyter / "data"),
        "JUPYTER_RUNTIME_DIR": str(jupyter / "runtime"),
        "IPYTHONDIR": str(home / ".ipython"),
        "MPLCONFIGDIR": str(home / ".matplotlib"),
        "COURSE_PROGRESS": str(home / ".progress.json"),
        VARIABLE: str(home / FOLDER),
    }


def settings(home: Path) -> list[str]:
    """What the single-user server is told; what the course sets for JupyterLab holds here too."""
    return [
        f"--config={ROOT / 'etc' / 'jupyter' / 'jupyter_lab_config.py'}",
        f"--ServerApp.root_dir={home / FOLDER}",
        f"--ServerApp.default_url=/lab/tree/{START}",
        "--ServerApp.allow_root=True",  # in a container everybody is root
        # A kernel that nobody has used for an hour goes; its notebook and its outputs stay.
        f"--MappingKernelManager.cull_idle_timeout={os.environ.get('CLASSROOM_IDLE', '3600')}",
        "--MappingKernelManager.cull_connected=True",
    ]


def limit_memory(environment: Mapping[str, str]) -> None:
    """Lets no process of this student have more than $MEM_LIMIT, in bytes, which JupyterHub sets.

    A container or systemd counts all processes of a student together, and is better; this is what a plain process has.
    """
    import resource  # which Windows lacks; its tests read the rest of this file

    most = int(environment.get("MEM_LIMIT") or 0)
    if most:
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main() -> None:
    """Become the student's server."""
    home = Path(os.environ["HOME"])
    os.umask(0o077)
    os.environ.update(variables(home))
    limit_memory(os.environ)
    prepare(home / FOLDER)
    trust(NOTEBOOKS, home / FOLDER)
    from jupyterhub.singleuser import main as serve  # only now: it reads the variables when it is imported

    sys.argv[1:] = [*settings(home), *sys.argv[1:]]
    serve()


if __name__ == "__main__":
    main()
