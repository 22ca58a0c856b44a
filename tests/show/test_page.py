"""The controls' pages by themselves: ES modules that fit each other, their pure parts, and the text made of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.node import node
from utils import site
from utils.show import page

FOLDER = Path(page.__file__).parent
TWINS = Path(site.__file__).with_name("twins")
MODULES = sorted([*FOLDER.glob("*.js"), *TWINS.glob("*.js")])
ROOT = Path(__file__).parents[2]
TESTS = Path(__file__).with_name("page")
UNITS = sorted(TESTS.glob("*.test.js"))
ENTRIES = ("live.js", "explorer.js", "questions.js", "walk.js", "writer.js")


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_pure_functions_work_without_a_page(path: Path) -> None:
    said = node("--test", "--test-reporter=tap", path)
    assert int(re.search(r"^# pass (\d+)", said, re.MULTILINE)[1]) >= 2


def test_every_module_exports_what_the_others_import() -> None:
    imports = "".join(f"await import({path.as_uri()!r});" for path in MODULES)
    node("--input-type=module", "-", source=imports)


@pytest.fixture(scope="module")
def tools() -> Path:
    """Fetch the type checker and the linter that `package.json` names, once, into build/."""
    wanted = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    modules = ROOT / "build" / "javascript" / "node_modules"
    have = {name: modules / name / "package.json" for name in wanted}
    if all(path.exists() and json.loads(path.read_text())["version"] == wanted[name] for name, path in have.items()):
        return modules
    if not (npm := shutil.which("npm")):
        pytest.skip("npm, which fetches the type checker and the linter, is not installed")
    modules.parent.mkdir(parents=True, exist_ok=True)
    quiet = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=30000")
    of = [f"{name}@{version}" for name, version in wanted.items()]
    command = [npm, "install", "--prefix", modules.parent, *quiet, *of]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=600, stdin=subprocess.DEVNULL)
    if done.returncode:
        pytest.skip("npm could not fetch the type checker and the linter")
    return modules


def test_all_scripts_pass_type_check(tools: Path) -> None:
    node(tools / "typescript" / "bin" / "tsc", "--project", FOLDER)


def test_linter_finds_nothing_in_any_script(tools: Path) -> None:
    rules = FOLDER / ".oxlintrc.json"
    node(tools / "oxlint" / "bin" / "oxlint", "--config", rules, FOLDER, Path(site.__file__).parent, TESTS)


@pytest.mark.parametrize("entry", ENTRIES)
def test_modules_are_joined_into_one_script_without_imports(entry: str) -> None:
    text = page.script(entry)
    assert "import " not in text and re.findall(r"^export \w+", text, re.MULTILINE) == ["export default"]
    node("--input-type=module", "--check", "-", source=text)  # two things of one name would be a mistake in it
