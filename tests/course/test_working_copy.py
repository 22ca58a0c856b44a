"""The student's copy: what is done with each lesson, and that no line of the student's is lost, whatever happens."""

from __future__ import annotations

import errno
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Sequence
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


@pytest.mark.parametrize("mine", [MINE, edited(FIRST), b"{", b""], ids=["edited", "emptied", "broken", "nothing"])
def test_update_keeps_both_versions_where_both_changed(folders: Folders, mine: bytes) -> None:
    folders.lesson.write_bytes(mine)
    assert folders.update() == [] or mine in (b"{", b"")
    folders.publish(SECOND)
    (said,) = folders.update()
    assert said.startswith("Lesson 05 has changed") and said.endswith("beside it as 05_attention.new.ipynb.")
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


def test_reset_keeps_edits_made_in_the_version_beside_it(folders: Folders) -> None:
    folders.lesson.write_bytes(MINE)
    folders.publish(SECOND)
    folders.update()
    folders.new.write_bytes(wrote := edited(SECOND, "worked in"))
    folders.reset()
    assert sorted(folders.files().values()) == sorted([SECOND, MINE, wrote])


def with_extras(content: bytes, **extras: object) -> bytes:
    """The notebook, with something added to its first cell."""
    changed = json.loads(content)
    changed["cells"][0] |= extras
    return json.dumps(changed).encode()


@pytest.mark.parametrize(
    "extras",
    [
        {"metadata": {"tags": ["my exam"]}},
        {"attachments": {"photo.png": {"image/png": "AAAA"}}},
    ],
)
@pytest.mark.parametrize("new", [SECOND, notebook("first", output="other")])
def test_students_tags_attachments_and_metadata_survive_an_update(
    folders: Folders, extras: dict[str, object], new: bytes
) -> None:
    folders.lesson.write_bytes(mine := with_extras(FIRST, **extras))
    folders.publish(new)
    folders.update()
    assert folders.lesson.read_bytes() == mine
    assert folders.new.exists() == (new == SECOND), "other lines lie beside it"


@pytest.mark.parametrize(
    "marks",
    [
        {
            **{"collapsed": True, "execution": {"iopub.execute_input": "…"}, "jupyter": {"outputs_hidden": True}},
            **{"editable": True, "slideshow": {"slide_type": ""}},
        },
        {
            "id": "Zk3",
            "colab": {"height": 17},
            "outputId": "a1-b2",
            "executionInfo": {"elapsed": 3},
            "cellView": "form",
        },
    ],
)
def test_update_ignores_what_an_editor_writes(folders: Folders, marks: dict[str, object]) -> None:
    folders.lesson.write_bytes(with_extras(FIRST, metadata=marks))
    folders.publish(SECOND)
    folders.update()
    assert folders.files() == {LESSON: SECOND}


@pytest.mark.parametrize("record", [None, b"{", b'{"05_attention.ipynb": 5}'])
@pytest.mark.parametrize("before", [FIRST, MINE], ids=["untouched", "edited"])
def test_update_without_its_record_loses_no_line(folders: Folders, record: bytes | None, before: bytes) -> None:
    path = folders.own / working_copy.RECORD
    path.unlink() if record is None else path.write_bytes(record)
    folders.lesson.write_bytes(before)
    folders.publish(SECOND)
    folders.update()
    assert folders.lesson.read_bytes() == (SECOND if before == FIRST else MINE)
    assert json.loads(path.read_bytes())
    assert len(path.read_text("utf-8").splitlines()) == 2 + len(json.loads(path.read_bytes()))  # a line each


def test_broken_published_file_is_reported_and_harms_no_other(folders: Folders) -> None:
    folders.publish(b"<<<<<<< HEAD")
    folders.publish(SECOND, "06_masks.ipynb")
    assert folders.update() == [
        "Not brought up to date (notebooks/05_attention.ipynb is no notebook), and what you have of it is untouched: "
        "lesson 05.",
        "New in my notebooks: lesson 06.",
    ]
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
    assert capsys.readouterr().out.startswith("Lesson 05 is as published. What you had is kept as kept/05_attention 20")
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
    assert not button._ask.disabled and not button.lesson.disabled and button._ask.icon == "undo"
    button._ask.click()
    assert button.sentence.startswith("Reset lesson 05? Your copy") and button._answers.layout.display == "flex"
    assert folders.files() == {LESSON: MINE}
    agree, refuse = button._answers.children
    assert (agree.button_style, refuse.button_style) == ("warning", "")
    refuse.click()
    assert button.sentence == "Nothing was changed." and button._answers.layout.display == "none"
    assert folders.files() == {LESSON: MINE}
    button._ask.click()
    agree.click()
    assert button.sentence.startswith("Lesson 05 is as published. What you had is kept as kept/05_attention 20")
    assert sorted(folders.files().values()) == sorted([FIRST, MINE])


# --- full disks, two at once, and death -------------------------------------------------------------------------


def full_from(write: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From this write on the disk is full."""
    number, fsync = itertools.count(), os.fsync

    def full(handle: int) -> None:
        if next(number) >= write:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(handle)

    monkeypatch.setattr(files.os, "fsync", full)


@pytest.mark.parametrize("write", [0, 2, 4])
def test_update_on_a_full_disk_keeps_the_old(folders: Folders, write: int) -> None:
    folders.publish(FIRST, "06_masks.ipynb")
    folders.update()
    folders.lesson.write_bytes(MINE)
    for name in (LESSON, "06_masks.ipynb", "07_heads.ipynb"):
        folders.publish(SECOND, name)
    with pytest.MonkeyPatch.context() as patch:
        full_from(write, patch)
        try:
            said = " ".join(folders.update())
        except OSError as error:  # the record
            said = str(error)
    assert ("No space left on device" in said) == (write < 4)
    assert folders.lesson.read_bytes() == MINE
    assert (folders.own / "06_masks.ipynb").read_bytes() in (FIRST, SECOND)
    assert not [name for name in folders.files() if name.endswith(".part")]
    folders.update()
    others = dict.fromkeys([folders.new.name, "06_masks.ipynb", "07_heads.ipynb"], SECOND)
    assert folders.files() == {LESSON: MINE, **others}


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


def up_to_date(folders: Folders, lesson: bytes, kept: Sequence[bytes]) -> None:
    """The lessons as they must be after an update that was let run, and no more beside them than belongs there."""
    found = folders.files()
    lost = {name: found.pop(name) for name in list(found) if name.startswith("kept/")}
    new = {beside(Path(NAMES[2])).name: THIRD} | ({folders.new.name: THIRD} if lesson == MINE else {})
    assert found == dict.fromkeys([*NAMES, "09_more.ipynb"], THIRD) | {NAMES[0]: lesson, NAMES[2]: MINE} | new
    assert set(lost.values()) <= set(kept)
    assert folders.update() == []


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
        up_to_date(folders, MINE if what == "update" else THIRD, (MINE, edited(SECOND, "worked in")))
        if not killed:
            break
    assert step > (20 if what == "update" else 8)


def test_simultaneous_updates_in_two_windows_lose_nothing(tmp_path: Path) -> None:
    folders = Folders(tmp_path)
    of_a_student(folders)
    command = [sys.executable, "-c", PROGRAM, "update", str(folders.published), str(folders.own), "-1"]
    both = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    up_to_date(folders, MINE, [edited(SECOND, "worked in")])
    assert len(list((folders.own / "kept").iterdir())) == 1
