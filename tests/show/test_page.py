"""The controls' pages by themselves: ES modules that fit each other, their pure parts, and the text made of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.node import node
from utils import site
from utils.show import page

FOLDER = Path(page.__file__).parent
TWINS = Path(site.__file__).with_name("twins")
MODULES = sorted([*FOLDER.glob("*.js"), *TWINS.glob("*.js")])
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


def test_no_name_is_undefined_or_unused() -> None:
    assert node("--expose-internals", "--no-warnings", TESTS / "lint.cjs", *MODULES, *UNITS) == ""


@pytest.mark.parametrize("entry", ENTRIES)
def test_modules_are_joined_into_one_script_without_imports(entry: str) -> None:
    text = page.script(entry)
    assert "import " not in text and re.findall(r"^export \w+", text, re.MULTILINE) == ["export default"]
    node("--input-type=module", "--check", "-", source=text)  # two things of one name would be a mistake in it
