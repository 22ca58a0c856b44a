"""What can be said of the class's server without it; `make classroom-test` runs a real one."""

import json
import re
from pathlib import Path

import jsonschema
import yaml

CLASSROOM = Path(__file__).resolve().parents[2] / "classroom"


def test_packages_have_exact_versions_and_none_pulls_repositories() -> None:
    lines = [line for line in (CLASSROOM / "requirements.txt").read_text("utf-8").splitlines() if line[0] != "#"]
    assert all(re.fullmatch(r"(?!nbgitpuller)[a-z0-9-]+==[0-9.]+", line) for line in lines)


def test_kubernetes_values_fit_the_charts_schema_and_name_no_admin() -> None:
    values = yaml.safe_load((CLASSROOM / "values.yaml").read_text("utf-8"))
    jsonschema.validate(values, json.loads(Path(__file__).with_name("values.schema.json").read_text("utf-8")))
    assert "admin_users" not in str(values) and values["hub"]["config"]["JupyterHub"]["subdomain_host"]
