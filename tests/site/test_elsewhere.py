"""Where a lesson can be tried without installing: links only where they lead somewhere, and the cell for Colab."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from utils.course.lessons import NOTEBOOKS, all_lessons
from utils.site.build import build_site, main, write_for_colab
from utils.site.elsewhere import Address, colab_cell

pytestmark = pytest.mark.usefixtures("little")
FIVE, TEN = (lesson for lesson in all_lessons() if lesson.number in ("05", "10"))
ADDRESS = Address("somebody/course", "v1.0")
LINK = re.compile(r'<a href="([^"]*)">(Try it (?:here|in Colab|on Binder))</a>')


def tried(folder: Path, **given: object) -> dict[str, dict[str, str]]:
    """What the pages of two lessons offer, when only the first runs in the browser: text and address of each link."""
    build_site(folder, [FIVE, TEN], tables=False, here=[FIVE], **given)
    pages = {lesson.number: (folder / f"{lesson.name}.html").read_text("utf-8") for lesson in (FIVE, TEN)}
    return {number: {text: link for link, text in LINK.findall(page)} for number, page in pages.items()}


def test_only_lessons_beside_the_pages_are_offered_without_an_address(tmp_path: Path) -> None:
    here = {"Try it here": "lite/lab/index.html?path=05_self_attention_by_hand.ipynb"}
    assert tried(tmp_path) == {"05": here, "10": {}}
    said = "some lessons run in your browser"
    assert said in (tmp_path / "index.html").read_text("utf-8")
    build_site(tmp_path, [FIVE], tables=False)
    assert said not in (tmp_path / "index.html").read_text("utf-8")


def test_address_lets_colab_open_what_the_browser_cannot_and_binder_open_all(tmp_path: Path) -> None:
    found = tried(tmp_path, address=ADDRESS)
    assert list(found["05"]) == ["Try it here", "Try it on Binder"]
    assert found["10"] == {
        "Try it in Colab": "https://colab.research.google.com/github/somebody/course/blob/colab/10_encoder.ipynb",
        "Try it on Binder": "https://mybinder.org/v2/gh/somebody/course/v1.0"
        "?urlpath=lab%2Ftree%2Fnotebooks%2F10_encoder.ipynb",
    }


@pytest.mark.parametrize(
    ("repository", "ref", "said"),
    [("a/b; rm x", "v1", "owner"), ("a/b", "", "v1.0")],
)
def test_main_refuses_invalid_addresses(
    repository: str, ref: str, said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with pytest.raises(SystemExit):
        main(["--repository", repository, *(["--ref", ref] if ref else []), "--out", str(tmp_path)])
    assert said in capsys.readouterr().err


def test_colab_copy_is_the_notebook_with_one_cell_before_it(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "colab"
    write_for_colab(folder, [FIVE], ADDRESS)
    write_for_colab(folder, [TEN], ADDRESS)
    assert [path.name for path in folder.iterdir()] == [TEN.notebook_name]  # what was there goes
    published = json.loads((NOTEBOOKS / TEN.notebook_name).read_text("utf-8"))
    text = (folder / TEN.notebook_name).read_text("utf-8")
    copy = json.loads(text)
    assert copy["cells"].pop(0)["source"] == colab_cell(ADDRESS).splitlines(keepends=True)
    assert copy == published


def test_colab_cell_acts_only_in_colab() -> None:
    lines = colab_cell(ADDRESS).splitlines()
    at = lines.index('if "google.colab" in sys.modules:')
    assert all(line.startswith("    ") for line in lines[at + 1 :])
    assert "    !git -C /content/course fetch -q --depth 1 https://github.com/somebody/course v1.0" in lines
    install = next(line for line in lines if "%pip" in line)
    assert '"torch<2.14,>=2.13"' in install and '"anywidget<0.12,>=0.11"' in install  # within bounds, none is replaced
    assert not re.search(r"jupyterlab|ipykernel|pytest|torch==|--upgrade|-U", install)


@pytest.mark.parametrize(
    ("repository", "address"),
    [("Some/course", "https://some.github.io/course/"), ("some/Some.github.io", "https://some.github.io/")],
)
def test_pages_address_points_to_github_pages(repository: str, address: str) -> None:
    assert Address(repository, "v1.0").pages == address


def test_image_of_a_link_has_a_whole_address_where_it_is_known(tmp_path: Path) -> None:
    build_site(tmp_path, [FIVE], tables=False, address=ADDRESS)
    for page in tmp_path.glob("*.html"):
        assert (
            '<meta property="og:image" content="https://somebody.github.io/course/assets/link.png">'
            in page.read_text("utf-8")
        )
