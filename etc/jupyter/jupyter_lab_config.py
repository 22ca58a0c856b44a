"""How JupyterLab opens the course: on the start page, quietly, and without asking the network for anything."""

from pathlib import Path

c = get_config()  # noqa: F821  (Jupyter defines it)
# What must hold whatever else is configured (the folder, the port, the page) is said by utils/course/launch.py.
c.LabApp.news_url, c.LabApp.extension_manager = None, "readonly"
c.LabApp.extra_labextensions_path = [str(Path(__file__).with_name("labextensions"))]
c.KernelSpecManager.allowed_kernelspecs = {"python3"}  # the course's own Python, not another one found on the computer
c.FileContentsManager.pre_save_hook = "utils.course.saving.keep_controls"  # else it would empty lessons that it opened


def without_lite(_, page_config):
    """JupyterLab's page without the front ends that are installed for JupyterLite: here they only raise an error."""
    everywhere = page_config["federated_extensions"]
    page_config["federated_extensions"] = [one for one in everywhere if not one["name"].startswith("@jupyterlite/")]
    return page_config


c.ServerApp.tornado_settings = {"page_config_hook": without_lite}
