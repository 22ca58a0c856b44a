"""Two people work on two lessons: what is made of their lessons merges, too."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from utils.course import build, shipped
from utils.course.lessons import LESSONS, ROOT, all_lessons

WHO = ("-c", "user.name=a", "-c", "user.email=a@localhost")
MANY_WORDS = "Once more in other words. " * 200  # they change the lesson's minutes


def git(root: Path, *arguments: str) -> str:
    apart = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}  # from what this user has set
    run = subprocess.run(["git", *WHO, *arguments], cwd=root, env=apart, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two lessons and what they need, with all that is made of them, in a repository of its own."""
    for lesson in (lesson for lesson in all_lessons() if lesson.number in ("00", "05", "06")):
        shutil.copytree(LESSONS / lesson.name, tmp_path / "lessons" / lesson.name)
    for name in ("README.md", "CHANGELOG.md", ".gitattributes"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(build, "all_lessons", lambda: all_lessons(tmp_path / "lessons"))
    monkeypatch.setattr(build, "execute", lambda notebook, lesson: notebook)
    monkeypatch.setattr(build, "companion_pages", list)
    monkeypatch.setattr(build, "README", tmp_path / "README.md")
    monkeypatch.setattr(build, "PAGE", tmp_path / "teaching.md")
    monkeypatch.setattr(shipped, "DIGESTS", tmp_path / "digests")
    monkeypatch.setattr(build, "NOTEBOOKS", tmp_path / "notebooks")
    made(tmp_path, "the first lessons", "--all")
    return tmp_path


def made(root: Path, words: str, *which: str) -> None:
    """Commits what `make lessons` makes."""
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    assert build.main(which) == 0
    git(root, "add", "--all")
    git(root, "commit", "-qm", words)


def change(root: Path, number: str) -> None:
    """Changes a lesson, its plan and the changelog, on a branch of its own."""
    git(root, "checkout", "-qb", f"lesson-{number}", "main")
    (folder,) = (root / "lessons").glob(f"{number}_*")
    lesson, plan, log = folder / "lesson.md", folder / "teaching.md", root / "CHANGELOG.md"
    lesson.write_text(lesson.read_text("utf-8").replace("\n---\n", f"\n---\n\n{MANY_WORDS}\n", 1), "utf-8")
    plan.write_text(plan.read_text("utf-8").replace(" |\n\n", " Slowly. |\n\n", 1) + f"- {MANY_WORDS}\n", "utf-8")
    log.write_text(log.read_text("utf-8").replace("\n- ", f"\n- Lesson {number} says it again.\n- ", 1), "utf-8")
    made(root, f"lesson {number}", number)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_two_branches_that_change_two_lessons_merge_and_nothing_is_left_to_build(course: Path) -> None:
    change(course, "05")
    change(course, "06")
    git(course, "merge", "-q", "--no-edit", "lesson-05")
    assert build.main([]) == 0
    assert git(course, "status", "--porcelain") == ""
    assert (course / "CHANGELOG.md").read_text("utf-8").count(" says it again.") == 2
