"""The student's copy: what is done with each lesson, and that no line of the student's is lost, whatever happens."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from utils import files
from utils.course import start, working_copy
from utils.course.lessons import NOTEBOOKS, ROOT
from utils.course.shipped import digest, fingerprint
from utils.course.start import ResetLesson
from utils.course.working_copy import Action, Version, beside, decide, reset, update

LESSON = "05_attention.ipynb"


def notebook(*sources: str, output: str = "", built: str | None = None) -> bytes:
    """A notebook as it is built: its cells, what they have put out, and the fingerprint of the cells."""
    content = {"cells": [{"cell_type": "code", "source": [source], "outputs": [output]} for source in sources]}
    return json.dumps(content | {"metadata": {"course": {"sources": built or fingerprint(content)}}}).encode()


def edited(content: bytes, *sources: str) -> bytes:
    """The notebook with the student's lines in it."""
    return notebook(*sources, built=json.loads(content)["metadata"]["course"]["sources"])


FIRST, SECOND, THIRD = notebook("first"), notebook("second"), notebook("third")
MINE = edited(FIRST, "first", "mine")


class Folders:
    """What is published, and the student's own."""

    def __init__(self, root: Path) -> None:
        self.published, self.own = root / "notebooks", root / "my notebooks"
        self.published.mkdir()
        self.lesson, self.new = self.own / LESSON, beside(self.own / LESSON)

    def publish(self, content: bytes, name: str = LESSON) -> None:
        (self.published / name).write_bytes(content)

    def update(self) -> list[str]:
        return update(self.published, self.own)

    def reset(self) -> Path | None:
        return reset("05", self.published, self.own)

    def files(self) -> dict[str, bytes]:
        """What the student sees, by name."""
        paths = (path for path in self.own.rglob("*") if path.is_file() and not path.name.startswith("."))
        return {path.relative_to(self.own).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    """Folders of a student who has the first version."""
    folders = Folders(tmp_path)
    folders.publish(FIRST)
    assert folders.update() == ["New in my notebooks: lesson 05."]
    return folders


PUBLISHED = Version("second", "b", "b")


@pytest.mark.parametrize(
    ("own", "given", "laid", "action"),
    [
        (None, None, None, Action.COPY),
        (Version("second", "b", "b"), "first", None, Action.LEAVE),  # killed before that was noted
        (Version("first", "a", "a"), "first", None, Action.COPY),
        (Version("mine", "m", "b"), "second", None, Action.LEAVE),
        (Version("mine", "m", "a"), "first", None, Action.BESIDE),
        (Version("mine", "m", "a"), "first", "second", Action.LEAVE),
        (Version("merged by hand", "b", "a"), "first", "second", Action.COPY),
        (Version("", "", None), "first", None, Action.BESIDE),  # broken
    ],
)
def test_decide_names_the_action(own: Version | None, given: str | None, laid: str | None, action: Action) -> None:
    assert decide(PUBLISHED, own, given, laid) is action


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_published_lesson_belongs_to_no_student(path: Path) -> None:
    version = Version.of(path.read_bytes())
    assert not version.edited and version.digest == digest(path)


@pytest.mark.parametrize("mine", [MINE, b"{"], ids=["edited", "broken"])
def test_update_keeps_both_versions_where_both_changed(folders: Folders, mine: bytes) -> None:
    folders.lesson.write_bytes(mine)
    assert folders.update() == [] or mine == b"{"
    folders.publish(SECOND)
    (said,) = folders.update()
    assert folders.new.name in said
    assert folders.files() == {LESSON: mine, folders.new.name: SECOND}


def test_new_version_is_added_once_and_the_next_one_again(folders: Folders) -> None:
    folders.lesson.write_bytes(MINE)
    folders.publish(SECOND)
    folders.update()
    folders.new.unlink()  # seen, and not wanted
    assert folders.update() == []
    assert folders.files() == {LESSON: MINE}
    folders.publish(THIRD)
    folders.update()
    assert folders.files() == {LESSON: MINE, folders.new.name: THIRD}


def with_extras(content: bytes, **extras: object) -> bytes:
    """The notebook, with something added to its first cell."""
    changed = json.loads(content)
    changed["cells"][0] |= extras
    return json.dumps(changed).encode()


@pytest.mark.parametrize(
    "extras", [{"metadata": {"tags": ["my exam"]}}, {"attachments": {"photo.png": {"image/png": "AAAA"}}}]
)
def test_students_tags_and_attachments_survive_an_update(folders: Folders, extras: dict[str, object]) -> None:
    folders.lesson.write_bytes(mine := with_extras(FIRST, **extras))
    folders.publish(SECOND)
    folders.update()
    assert folders.lesson.read_bytes() == mine and folders.new.exists()


def test_update_ignores_what_an_editor_writes(folders: Folders) -> None:
    marks = {"collapsed": True, "execution": {"iopub.execute_input": "…"}, "editable": True, "colab": {"height": 17}}
    folders.lesson.write_bytes(with_extras(FIRST, metadata=marks))
    folders.publish(SECOND)
    folders.update()
    assert folders.files() == {LESSON: SECOND}


@pytest.mark.parametrize("record", [None, b"{"])
@pytest.mark.parametrize("before", [FIRST, MINE], ids=["untouched", "edited"])
def test_update_without_its_record_loses_no_line(folders: Folders, record: bytes | None, before: bytes) -> None:
    path = folders.own / working_copy.RECORD
    path.unlink() if record is None else path.write_bytes(record)
    folders.lesson.write_bytes(before)
    folders.publish(SECOND)
    folders.update()
    assert folders.lesson.read_bytes() == (SECOND if before == FIRST else MINE)
    assert json.loads(path.read_bytes())


def test_broken_published_file_is_reported_and_harms_no_other(folders: Folders) -> None:
    folders.publish(b"<<<<<<< HEAD")
    folders.publish(SECOND, "06_masks.ipynb")
    broken, new = folders.update()
    assert "05_attention.ipynb is no notebook" in broken and "lesson 06" in new
    assert folders.files() == {LESSON: FIRST, "06_masks.ipynb": SECOND}


def test_lesson_saved_during_an_update_stays(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> None:
    def save_meanwhile(handle: int) -> None:
        folders.lesson.write_bytes(MINE)

    monkeypatch.setattr(files.os, "fsync", save_meanwhile)
    folders.publish(SECOND)
    assert folders.update() == []
    assert folders.files() == {LESSON: MINE}


# --- reset ------------------------------------------------------------------------------------------------------


def test_reset_restores_the_published_lesson_and_keeps_a_dated_copy(folders: Folders) -> None:
    for mine in (MINE, notebook("first", output="computed by the student"), b"{"):
        folders.lesson.write_bytes(mine)
        kept = folders.reset()
        assert kept.read_bytes() == mine and kept.parent == folders.own / "kept"
        assert folders.lesson.read_bytes() == FIRST
    assert len(folders.files()) == 4
    assert folders.update() == []


def test_command_resets_and_says_so(
    folders: Folders, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(working_copy, "NOTEBOOKS", folders.published)
    monkeypatch.setenv(working_copy.VARIABLE, str(folders.own))
    folders.lesson.write_bytes(MINE)
    assert working_copy.main(["5"]) == 0
    assert "kept/05_attention 20" in capsys.readouterr().out
    assert folders.lesson.read_bytes() == FIRST
    for arguments, sentence in (([], "make reset ONLY=05"), (["7"], "There is no lesson 7")):
        with pytest.raises(SystemExit, match=sentence):
            working_copy.main(arguments)


# --- the button -------------------------------------------------------------------------------------------------


@pytest.fixture
def button(folders: Folders, monkeypatch: pytest.MonkeyPatch) -> ResetLesson:
    """The start page's, with a lesson 05 that the student has changed."""
    monkeypatch.setattr(start, "NOTEBOOKS", folders.published)
    monkeypatch.setenv(working_copy.VARIABLE, str(folders.own))
    folders.lesson.write_bytes(MINE)
    button = ResetLesson()
    button.lesson.value = "05"
    return button


def test_reset_button_asks_first(folders: Folders, button: ResetLesson) -> None:
    button._ask.click()
    assert "Reset lesson 05?" in button.sentence
    assert folders.files() == {LESSON: MINE}
    agree, refuse = button._answers.children
    refuse.click()
    assert folders.files() == {LESSON: MINE}
    button._ask.click()
    agree.click()
    assert "kept/05_attention 20" in button.sentence
    assert sorted(folders.files().values()) == sorted([FIRST, MINE])


# --- death ------------------------------------------------------------------------------------------------------


PROGRAM = """
import os, sys
from pathlib import Path
from utils.course.working_copy import reset, update

what, published, own, last = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])
steps = 0

def step():
    global steps
    if steps == last:
        os._exit(9)
    steps += 1

def watch(event, arguments):
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if (writes or event in ("os.rename", "os.remove", "os.mkdir")) and str(own) in os.fsdecode(arguments[0]):
        step()

def fsync(handle):  # power fails when half of the file is on the disk
    if steps == last:
        os.ftruncate(handle, os.fstat(handle).st_size // 2)
    step()

os.fsync = fsync
sys.addaudithook(watch)
update(published, own) if what == "update" else reset("05", published, own)
"""


def killed_at(step: int, what: str, folders: Folders) -> bool:
    """Runs `what` in a process of its own that ends before its file operation number `step`; whether it came to it."""
    command = [sys.executable, "-c", PROGRAM, what, str(folders.published), str(folders.own), str(step)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode in (0, 9), run.stderr
    return run.returncode == 9


NAMES = ["05_attention.ipynb", "06_masks.ipynb", "07_heads.ipynb", "08_run.ipynb"]
RUN = notebook("first", output="computed by the student")


def of_a_student(folders: Folders) -> None:
    """Four lessons: one edited, one untouched, one of which the new version was worked in, one that was run."""
    for name in NAMES:
        folders.publish(FIRST, name)
    folders.update()
    (folders.own / NAMES[2]).write_bytes(MINE)
    folders.publish(SECOND, NAMES[2])
    folders.update()
    beside(folders.own / NAMES[2]).write_bytes(edited(SECOND, "worked in"))
    folders.lesson.write_bytes(MINE)
    (folders.own / NAMES[3]).write_bytes(RUN)
    for name in NAMES:
        folders.publish(THIRD, name)
    folders.publish(THIRD, "09_more.ipynb")


def no_line_is_lost(folders: Folders) -> None:
    """Every line of the student's is there, and each file is one that was written whole."""
    found = folders.files()
    assert MINE in found.values() and edited(SECOND, "worked in") in found.values()
    assert found[NAMES[2]] == MINE
    whole = (FIRST, SECOND, THIRD, MINE, RUN, edited(SECOND, "worked in"))
    assert not [name for name, content in found.items() if content not in whole and not name.endswith(".part")]


@pytest.mark.long
@pytest.mark.parametrize("what", ["update", "reset"])
def test_killed_update_loses_nothing_and_is_finished_by_the_next_run(tmp_path: Path, what: str) -> None:
    for step in itertools.count():
        (tmp_path / str(step)).mkdir()
        folders = Folders(tmp_path / str(step))
        of_a_student(folders)
        killed = killed_at(step, what, folders)
        no_line_is_lost(folders)
        if what == "reset":
            folders.reset()
        folders.update()
        no_line_is_lost(folders)
        assert folders.lesson.read_bytes() == (MINE if what == "update" else THIRD) and folders.update() == []
        if not killed:
            break
    assert step > (20 if what == "update" else 8)
