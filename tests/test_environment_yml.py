"""pyproject.toml says what the course needs; environment.yml and constraints.txt must say the same. Offline."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec, VersionSpec

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
NEEDED = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRA = [Requirement(line) for lines in PROJECT["optional-dependencies"].values() for line in lines]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
PINS = dict(
    line.split("==")
    for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)
# Where conda-forge's name is another.
CONDA_NAMES = {"torch": "pytorch", "matplotlib": "matplotlib-base", "jupyterlab-widgets": "jupyterlab_widgets"}


def bounds(version: object) -> VersionSpec:
    """Bounds as conda understands them, whatever the order they are written in."""
    return VersionSpec(",".join(sorted(str(version).split(","))))


def test_conda_gets_the_same_packages_with_the_same_bounds() -> None:
    specs = [MatchSpec(line) for line in CONDA["dependencies"] if isinstance(line, str)]
    asked = {spec.name.normalized: spec.version for spec in specs}
    assert bounds(asked.pop("python")) == bounds(PROJECT["requires-python"])
    asked.pop("pip")
    assert {name: bounds(version) for name, version in asked.items()} == {
        CONDA_NAMES.get(need.name, need.name): bounds(need.specifier) for need in NEEDED
    }


def test_conda_takes_packages_from_conda_forge_and_the_course_from_here() -> None:
    assert CONDA["name"] == PROJECT["name"]
    assert CONDA["channels"] == ["conda-forge", "nodefaults"]
    assert [part for part in CONDA["dependencies"] if isinstance(part, dict)] == [{"pip": ["-e ."]}]


@pytest.mark.parametrize("need", NEEDED + EXTRA, ids=lambda need: need.name)
def test_every_direct_dependency_has_bounds_and_a_pin_within_them(need: Requirement) -> None:
    assert {specifier.operator for specifier in need.specifier} == {">=", "<"}
    assert need.specifier.contains(PINS[need.name])


def test_pins_are_exact_and_leave_the_choice_of_build_to_pip() -> None:
    assert list(PINS) == sorted(canonicalize_name(name) for name in PINS)
    for version in PINS.values():
        assert re.fullmatch(r"[0-9]+(\.[0-9]+)*(\.post[0-9]+)?", version)
