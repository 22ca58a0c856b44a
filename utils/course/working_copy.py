"""Make and update the student's own copy of the notebooks, and reset a lesson in it.

`notebooks/` stays as published, and the student works in `my-notebooks/`. The file itself tells whether the student has
changed a lesson, because a built notebook contains the fingerprint of its cells. As long as the cells match it, a newer
version replaces the file, and only outputs are lost, which can be computed again. The student's lines, tags,
attachments and metadata are never replaced: the newer version is put beside the file. A reset, too, first keeps a dated
copy.

Every file is written whole or not at all, and the record is written afterwards. So if a run is stopped, the next one
finds either the old or the new state, and continues from there.

`python -m utils.course.working_copy 05` resets lesson 05.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Any

from filelock import FileLock

from utils.course.lessons import NOTEBOOKS, ROOT, UnknownLesson, two_digits
from utils.course.shipped import digest_of, fingerprint
from utils.files import UNFINISHED_FILES, forgive_output, waited_for, write_whole

FOLDER = "my-notebooks"
VARIABLE = "COURSE_NOTEBOOKS"
KEPT = "kept"  # the folder beside the notebooks where dated copies go
RECORD = ".copied.json"  # file name -> digest of the published version that was last copied there
# Metadata that Jupyter, VS Code, Colab, PyCharm or the build write by themselves.
_OF_NOTEBOOKS = {"kernelspec", "language_info", "widgets", "course", "vscode", "orig_nbformat", "colab", "accelerator",
                 "gpuClass"}  # fmt: skip
_OF_CELLS = {"collapsed", "scrolled", "trusted", "execution", "jupyter", "id", "ExecuteTime", "vscode", "pycharm",
             "jp-MarkdownHeadingCollapsed", "colab", "colab_type", "executionInfo", "outputId", "cellView"}  # fmt: skip
_UNTOUCHED = {"editable": True, "slideshow": {"slide_type": ""}}  # the values that JupyterLab adds with a tag
PATIENCE = 60  # seconds that one process waits for another to update the copy


class Action(Enum):
    """The ways to update one lesson of the student's copy."""

    LEAVE = "leave it as it is"
    COPY = "put the published one in its place"
    BESIDE = "lay the published one beside it"


@dataclass(frozen=True)
class Version:
    """The facts about a notebook that updates compare."""

    digest: str  # of the whole content
    cells: str  # the fingerprint of the cells
    built: str | None  # the fingerprint of the cells when they were built, if the file has it
    extras: frozenset[str] = frozenset()  # tags, attachments and metadata, each as text: see `_extras`

    @property
    def edited(self) -> bool:
        """Whether the cells have changed since the build."""
        return self.cells != self.built

    def has_more_than(self, published: Version) -> bool:
        """Return whether this version has tags, attachments or metadata that the published one doesn't have."""
        return not self.extras <= published.extras

    @classmethod
    def of(cls, content: bytes) -> Version:
        """Return the version in a file's content. Anything but a notebook counts as edited, with an empty digest."""
        try:
            notebook = json.loads(content)
            built = notebook.get("metadata", {}).get("course", {}).get("sources")
            return cls(digest_of(notebook), fingerprint(notebook), built, frozenset(_extras(notebook)))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return cls("", "", None)


def _extras(notebook: Mapping[str, Any]) -> Iterator[str]:
    """Yield each tag, attachment and metadata item that was added to `notebook` and its cells, as text."""
    for holder, known in [(notebook, _OF_NOTEBOOKS), *((cell, _OF_CELLS) for cell in notebook["cells"])]:
        metadata = holder.get("metadata", {})
        added = {name: metadata[name] for name in metadata.keys() - known if metadata[name] != _UNTOUCHED.get(name)}
        added["attachments"] = holder.get("attachments", {})
        for name, value in added.items():
            for item in value if name == "tags" else [value] if value else []:
                yield json.dumps([name, item], sort_keys=True)


def own_folder() -> Path:
    """Return the student's folder: $COURSE_NOTEBOOKS, or `my-notebooks/` in the course's folder."""
    return Path(os.environ.get(VARIABLE) or ROOT / FOLDER).expanduser()


def decide(published: Version, own: Version | None, given: str | None, beside: str | None) -> Action:
    """Return the action that updates a lesson.

    own: the student's version, or None. given: the digest of the published version that was last copied to the
    student's file, if known. beside: the same for the file beside it.
    """
    if own is None:
        return Action.COPY
    if own.digest == published.digest:
        return Action.LEAVE
    with_extras = own.has_more_than(published)
    if own.cells == published.cells:
        # Only outputs differ: either the student has run the notebook, or new outputs have been published.
        return Action.LEAVE if with_extras or given in (None, published.digest) else Action.COPY
    if not own.edited and not with_extras:
        return Action.COPY
    return Action.LEAVE if own.built == published.cells or beside == published.digest else Action.BESIDE


def update(published: Path, own: Path) -> list[str]:
    """Update the student's folder `own` from the folder `published`, and return sentences for the student.

    If a lesson can't be updated, say so and go on with the others. Raise OSError if the folder can't be used at all.
    """
    said: list[str] = []
    numbers: dict[str, list[str]] = defaultdict(list)
    with _alone(own) as given:
        for path in sorted(published.glob("*.ipynb")):
            number = path.stem.split("_")[0]
            try:
                new = not (own / path.name).exists()
                action = _bring(path, own / path.name, given)
            except (OSError, ValueError) as error:
                numbers[f"Not brought up to date ({reason(error)}), and what you have of it is untouched"] += [number]
                continue
            if action is Action.COPY:
                numbers[f"New in {own.name}" if new else "Brought up to date"] += [number]
            if action is Action.BESIDE:
                said.append(
                    f"Lesson {number} has changed, and so have you changed yours. Yours stays as it is; "
                    f"the new one lies beside it as {beside(own / path.name).name}."
                )
    return [*(f"{words}: lesson {', '.join(names)}." for words, names in numbers.items()), *said]


def reset(number: str, published: Path, own: Path) -> Path | None:
    """Reset a lesson in `own` to the published version; return the path of a copy of the old one, if it differed.

    Raise UnknownLesson if there is no such lesson, and OSError if the reset fails; then the old version is still there.
    """
    lessons = {path.stem.split("_")[0]: path for path in sorted(published.glob("*.ipynb"))}
    if two_digits(number) not in lessons:
        raise UnknownLesson([number], lessons)
    source = lessons[two_digits(number)]
    content, path, kept = source.read_bytes(), own / source.name, None
    with _alone(own) as given:
        done = False
        while not done:  # if JupyterLab saves in between, keep that version, too
            before = _content(path)
            if before is not None and Version.of(before).digest != Version.of(content).digest:
                kept = keep(path, before)
            done = _put(content, path, before)
        _note(path, Version.of(content), given)
    return kept


def reset_sentence(number: str, kept: Path | None) -> str:
    """Return the sentences for the student after a reset."""
    had = f"What you had is kept as {kept.parent.name}/{kept.name}" if kept else "It was so before"
    return f"Lesson {two_digits(number)} is as published. {had}. Is it open? File ▸ Reload Notebook from Disk shows it."


def keep(path: Path, content: bytes) -> Path:
    """Write `content`, the old content of `path`, to a file with date and time under `kept/`, and return its path."""
    folder = path.parent / KEPT
    folder.mkdir(exist_ok=True)
    dated = folder / f"{path.stem} {datetime.now():%Y-%m-%d %H.%M}.ipynb"
    names = (dated.with_stem(f"{dated.stem} {number}") for number in count(2))
    kept = dated if not dated.exists() else next(name for name in names if not name.exists())
    write_whole(kept, content)
    return kept


def beside(path: Path) -> Path:
    """Return the path for the new version of a lesson that the student has changed."""
    return path.with_suffix(".new.ipynb")


def _bring(source: Path, path: Path, given: dict[str, str]) -> Action:
    """Update one lesson and return the action taken. Raise ValueError if the published file is no notebook."""
    content, before = source.read_bytes(), _content(path)
    published = Version.of(content)
    if not published.digest:
        raise ValueError(f"{source.parent.name}/{source.name} is no notebook")
    own = None if before is None else Version.of(before)
    action = decide(published, own, given.get(path.name), given.get(beside(path).name))
    if action is Action.COPY and not _put(content, path, before):
        return Action.LEAVE  # the student has just saved the file, so the next update decides again
    if action is Action.BESIDE:
        there = _content(beside(path))
        if there is not None and Version.of(there).edited:
            keep(beside(path), there)
        if not _put(content, beside(path), there):
            return Action.LEAVE
        given[beside(path).name] = published.digest
    if action is Action.COPY or own.cells == published.cells:
        _note(path, published, given)
    return action


def _note(path: Path, published: Version, given: dict[str, str]) -> None:
    """Record that the lesson has the published lines now, and delete an unedited new version beside it."""
    given[path.name] = published.digest
    if given.pop(beside(path).name, None) and not Version.of(_content(beside(path)) or b"").edited:
        beside(path).unlink()


def _put(content: bytes, path: Path, before: bytes | None) -> bool:
    """Write a notebook to `path` if its content is still `before`, and return whether it was written."""
    return write_whole(path, content, still=lambda: _content(path) == before)


def _content(path: Path) -> bytes | None:
    """Return the file's content, or None if there is no file. Raise OSError if the file cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _alone(own: Path) -> Iterator[dict[str, str]]:
    """Lock `own` against other processes, and yield its record, which is saved at the end if it has changed."""
    own.mkdir(parents=True, exist_ok=True)
    record = own / RECORD
    with waited_for(FileLock(own / f"{RECORD}.lock"), PATIENCE, f"using {own}"):
        for folder in (own, own / KEPT):
            for unfinished in folder.glob(UNFINISHED_FILES):  # of a run that was killed
                unfinished.unlink()
        before = _read_record(record)
        given = dict(before)
        yield given
        if given != before:
            write_whole(record, (json.dumps(given, indent=0) + "\n").encode())


def _read_record(path: Path) -> dict[str, str]:
    """Return the record, or {} if it is missing or broken. Then `decide` uses only the student's files."""
    try:
        noted = json.loads(_content(path) or b"{}")
    except (ValueError, RecursionError):
        noted = None
    return noted if isinstance(noted, dict) else {}


def reason(error: Exception) -> str:
    """Return the reason of an error, in the system's own few words."""
    return getattr(error, "strerror", None) or str(error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Reset the lessons that the command line names and return the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make reset", description="Gives lessons back as they were published.")
    parser.add_argument("numbers", nargs="*", metavar="number", help="such as 05")
    numbers = parser.parse_args(arguments).numbers
    if not numbers:
        sys.exit("Say which lesson: `make reset ONLY=05`.")
    for number in numbers:
        try:
            kept = reset(number, NOTEBOOKS, own_folder())
        except (OSError, UnknownLesson) as error:
            sys.exit(f"Lesson {number} could not be reset: {reason(error)}")
        print(reset_sentence(number, kept))
    return 0


if __name__ == "__main__":
    sys.exit(main())
