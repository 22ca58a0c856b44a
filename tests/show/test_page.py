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
def test_the_pure_parts_hold_without_a_page(path: Path) -> None:
    said = node("--test", "--test-reporter=tap", path)
    assert int(re.search(r"^# pass (\d+)", said, re.MULTILINE)[1]) >= 2


def test_every_module_has_what_the_others_import_from_it() -> None:
    imports = "".join(f"await import({path.as_uri()!r});" for path in MODULES)
    node("--input-type=module", "-", source=imports)


def test_no_name_is_undefined_or_unused() -> None:
    assert node("--expose-internals", "--no-warnings", TESTS / "lint.cjs", *MODULES, *UNITS) == ""


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("export const a = 1; b(a);", "nothing gives “b”"),
        ("const { a, b: [c] } = window; document(a);", "nobody takes “c”"),
        ('import { a } from "./dom.js";', "nobody takes “a”"),
        ("export const a = (b, c) => c;", "nobody takes “b”"),
        ("export const a = 1;", "nobody imports “a”"),
        ("var a = 1; a();", "var"),
        ("window(document == 1);", "=="),
    ],
)
def test_the_linter_sees_what_it_is_for(tmp_path: Path, source: str, complaint: str) -> None:
    (tmp_path / "module.js").write_text(source, encoding="utf-8")
    assert complaint in node("--expose-internals", "--no-warnings", TESTS / "lint.cjs", tmp_path / "module.js")


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_modules_become_one_text_that_imports_nothing(entry: str) -> None:
    text = page.script(entry)
    assert "import " not in text and re.findall(r"^export \w+", text, re.MULTILINE) == ["export default"]
    node("--input-type=module", "--check", "-", source=text)  # two things of one name would be a mistake in it


def test_only_what_an_entry_needs_is_in_its_text() -> None:
    live, *others = map(page.script, ENTRIES)
    assert "buildPoints" in live and not any("buildPoints" in text for text in others)
    assert live.index("function widthOf") < live.index("function entryFields") < live.index("export default")
    assert all(text.count("function element(") == 1 for text in (live, *others))


def test_styles_come_behind_what_all_controls_share() -> None:
    text = page.style("live-control", "live.css", "attention_control.css")
    shared, own = text.split("\n.live-control ", 1)
    assert ".attention-control" not in shared and ".attention-control" in own
    kinds = re.findall(r"\.course-control(\S*)", shared)
    assert all(kind.startswith(":where(.live-control)") for kind in kinds[1:]), "all but the colours"
