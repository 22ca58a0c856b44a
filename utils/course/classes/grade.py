"""Grade the submissions of a class, without a server: `make grade SUBMISSIONS=folder CLASS=class`.

Each folder (or notebook) in SUBMISSIONS is a student's. The results are `marks.csv` with a row for each student, a page
for each student, and `class.html` for the teacher, with the mistakes of the class. A second run continues a killed one.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import jinja2
from tqdm import tqdm

from utils.course.classes.handed_in import HandedIn, files_in, is_wanted, printable, students_name
from utils.course.classes.marked import FILE, Class, Marked, drawn, marked, uses_of_course
from utils.course.classes.sandbox import Judge, Limits, Mark, make_course, no_sandbox
from utils.course.lessons import Lesson, all_lessons
from utils.files import forgive_output, path_of, write_whole

# Where a spreadsheet may see the start of a formula: at the start of a cell, or after another separator.
_FORMULA = re.compile(r"(^|[;\t\r\n|])([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b\u2212])")


@dataclass(frozen=True)
class Student:
    """A student with the submitted folder or notebooks (`places`), the marks, and sentences on what went wrong."""

    name: str
    places: tuple[Path, ...]
    marks: tuple[Mark, ...] = ()
    trouble: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The sum of the points, rounded to 2 decimals."""
        return round(sum(mark.points for mark in self.marks), 2)

    @property
    def file(self) -> str:
        """The base name of the student's result files, which is unique in any file system."""
        names = b"/".join(os.fsencode(place.name) for place in self.places)
        return re.sub(r"[^\w-]+", "_", self.name)[:40] + f"-{hashlib.sha256(names).hexdigest()[:8]}"


def students_in(folder: Path) -> tuple[list[Student], list[str]]:
    """Return the students in the order of their file names, and the names of the other files in `folder`."""
    found: dict[str, list[Path]] = {}
    others = []
    for path in sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name)):
        if path.name.startswith(".") or path.name == "__MACOSX":
            continue
        if path.is_dir() and not path.is_symlink():
            found[f"{path.name}/"] = [path]
        elif is_wanted(path.name):
            found.setdefault(students_name(path.name), []).append(path)
        else:
            others.append(printable(path.name))
    return [Student(printable(name.rstrip("/")), tuple(places)) for name, places in found.items()], others


# --- marking: one process for each student, so that no submission can stop the others ---


@dataclass(frozen=True)
class Marking:
    """The settings for marking a class, and the marking itself."""

    chosen: Class
    lessons: Sequence[Lesson]
    counts: dict[str, Marked]
    kept: Path
    limits: Limits
    together: int
    trust: bool

    def all(self, students: Sequence[Student]) -> list[Student]:
        """Mark `students`, `together` at a time, and return them with marks, reused for unchanged submissions."""
        todo, done, running = [*students], {}, {}
        longest = len(self.lessons) * (self.limits.notebook + 600)
        try:
            with tqdm(total=len(students), unit="student") as bar:
                while todo or running:
                    while todo and len(running) < self.together:
                        process = multiprocessing.get_context("fork").Process(target=self._mark, args=(todo[0],))
                        process.start()
                        running[todo.pop(0)] = process, time.monotonic() + longest
                    for student, (process, until) in [*running.items()]:
                        if time.monotonic() > until:
                            process.kill()
                        if not process.is_alive():
                            done[student] = self._kept(student, process.exitcode == 0)
                            del running[student]
                            bar.update()
                    time.sleep(0.05)
        finally:
            for process, _ in running.values():
                process.kill()
                process.join()
            shutil.rmtree(self.kept / "rooms", ignore_errors=True)
        return [done[student] for student in students]

    def _mark(self, student: Student) -> None:
        """Mark one student in this process and write the marks to the student's file."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # end with the parent process, and end bwrap, too
        if os.getppid() != multiprocessing.parent_process().pid:  # it was killed before that line
            os._exit(1)
        resource.setrlimit(resource.RLIMIT_DATA, (12 << 30, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        handed, kept = HandedIn(student.places), self.kept / f"{student.file}.json"
        digest = hashlib.sha256(repr((handed.digest, self.chosen)).encode()).hexdigest()
        if kept.is_file() and json.loads(kept.read_text(encoding="utf-8"))["of"] == digest:
            return
        kept.unlink(missing_ok=True)
        found, trouble, rest = {}, [*handed.trouble], dict.fromkeys(self.counts, "Nothing was handed in.")
        for lesson in (lesson for lesson in self.lessons if lesson.number in handed.cells):
            number, exercises = lesson.number, drawn(lesson.path.parent, self.chosen.seed)
            judge = Judge(marked(lesson), exercises, self.chosen.half, self.limits)
            room, course = self.kept / "rooms" / student.file / number, self.kept / "course"
            if ended := judge.mark(handed.cells[number], uses_of_course(lesson), room, course, self.trust):
                trouble.append(f"Lesson {number} was not run to its end: {ended}.")
            found |= judge.found
            rest |= dict.fromkeys(exercises, f"It could not be asked: {ended}.")
        marks = [asdict(found.get(name) or _none(one, rest[name])) for name, one in self.counts.items()]
        write_whole(kept, json.dumps({"of": digest, "marks": marks, "trouble": trouble}, indent=1).encode())

    def _kept(self, student: Student, is_marked: bool) -> Student:
        """Return `student` with the marks from the file, in printable letters; incomplete marks become no points."""
        path = self.kept / f"{student.file}.json"
        try:
            told = json.loads(path.read_bytes()) if is_marked and path.stat().st_size < 4 << 20 else {}
            marks = tuple(Mark(**{key: _shown(value) for key, value in mark.items()}) for mark in told["marks"])
            fit = [(mark.name, mark.of) for mark in marks] == [(one.name, one.points) for one in self.counts.values()]
            if fit and all(0 <= mark.points <= mark.of for mark in marks):
                return replace(student, marks=marks, trouble=tuple(map(_shown, told["trouble"])))
        except (OSError, ValueError, KeyError, TypeError):
            pass
        lost = tuple(_none(one, "It could not be marked.") for one in self.counts.values())
        return replace(student, marks=lost, trouble=("Reading it ended the marking: look at it yourself.",))


def _none(one: Marked, sentence: str) -> Mark:
    return Mark(one.name, 0, one.points, "missing", sentence)


def _shown(value: Any) -> Any:
    return printable(value, lines=True) if isinstance(value, str) else value


# --- the results ---


def write_csv(path: Path, students: Sequence[Student]) -> None:
    """Write a row for each student: all points, the points of each exercise, and a sentence for each wrong answer."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["student", "points", "of", *(mark.name for mark in students[0].marks), "why"])
        for one in students:
            said: dict[str, list[str]] = {}
            for mark in one.marks:
                if mark.verdict != "passed":
                    said.setdefault(mark.sentence, []).append(mark.name)
            why = [*one.trouble, *(f"{', '.join(wrong)}: {sentence}" for sentence, wrong in said.items())]
            points, of = [f"{mark.points:g}" for mark in one.marks], sum(mark.of for mark in one.marks)
            writer.writerow([as_text(one.name), f"{one.points:g}", of, *points, as_text("\n".join(why))])


def as_text(said: str) -> str:
    """Return the text of a cell, changed so that no spreadsheet takes it for a formula."""
    return _FORMULA.sub(r"\1\2'", said)


def write_pages(to: Path, students: Sequence[Student], counts: dict[str, Marked], others: Sequence[str]) -> None:
    """Write a page for each student, and one for the teacher with all points and the mistakes of the class."""
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    page = jinja2.Environment(loader=loader, autoescape=True).get_template("pages.html.j2")
    (to / "students").mkdir(exist_ok=True)
    mistakes = []
    for name, asked in counts.items():
        wrong: dict[str, list[str]] = {}
        for one in students:
            mark = next(mark for mark in one.marks if mark.name == name)
            if mark.verdict != "passed":
                wrong.setdefault(mark.sentence, []).append(one.name)
        right = len(students) - sum(map(len, wrong.values()))
        mistakes.append((asked, right, sorted(wrong.items(), key=lambda pair: -len(pair[1]))))
    for one in students:
        made = page.render(one=one, counts=counts)
        (to / "students" / f"{one.file}.html").write_text(made, encoding="utf-8")
    made = page.render(counts=counts, students=students, mistakes=mistakes, others=others)
    (to / "class.html").write_text(made, encoding="utf-8")


def grade(submissions: Path, of: Path, to: Path, limits: Limits, together: int, trust: bool) -> int:
    """Mark the submissions of the class `of`, write the results to `to`, and return the number of students.

    Raise OSError, with a sentence for the teacher, if a folder is wrong or there is no sandbox and no `trust`.
    """
    if not (of / "teacher" / FILE).is_file():
        said = f"{of} is no class: `make class` makes one, and CLASS=folder says where its two folders are"
        raise FileNotFoundError(said)
    if (submissions / "utils" / "course").is_dir():
        raise FileNotFoundError(f"{submissions} is the course itself: SUBMISSIONS=folder says where the hand-ins are")
    chosen, (students, others) = Class.read(of / "teacher"), students_in(submissions)
    if not any(is_wanted(name) for one in students for place in one.places for name, _ in files_in(place, [])):
        raise FileNotFoundError(f"{submissions} holds neither notebooks nor folders of students with notebooks")
    lessons = [lesson for lesson in all_lessons() if lesson.number in chosen.lessons]
    kept = to.resolve() / "kept"
    shutil.rmtree(kept / "rooms", ignore_errors=True)  # of a run that was killed
    (kept / "rooms").mkdir(parents=True)
    make_course(kept / "course")
    if not trust and (why := no_sandbox(kept / "rooms", kept / "course")):
        raise PermissionError(
            f"What students hand in can't be kept from your files and the network here: {why}. Mark in a virtual "
            "machine that has it, or say that you trust them all: `make grade TRUST=yes …`."
        )
    n = len(students) * len(lessons)
    print(
        f"Notebooks: up to {n}, {together} at a time. One takes about half a minute; one that trains, such as that of "
        f"lesson 12a, some minutes, and {limits.notebook / 60:g} at most, so that all take less than "
        f"{n * limits.notebook / together / 3600:.1f} hours. Ctrl-C stops, and the same command goes on."
    )
    counts = {one.name: one for lesson in lessons for one in marked(lesson)}
    students = Marking(chosen, lessons, counts, kept, limits, together, trust).all(students)
    write_csv(to / "marks.csv", students)
    write_pages(to, students, counts, others)
    return len(students)


def _end(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Mark the submissions that the command line names and return the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make grade", description="Mark what a class has handed in.")
    add = parser.add_argument
    add("submissions", type=path_of, help="a folder with a folder, or a notebook, for each student")
    add("--of", type=path_of, default=Path("class"), help="the class's folder, made by `make class`")
    add("--to", type=path_of, default=Path("marks"), help="where the marks go")
    add("--seconds", type=float, default=Limits.call, help="that one call of a function may last")
    add("--cell", type=int, default=Limits.cell, help="seconds that one cell may last")
    add("--minutes", type=float, default=Limits.notebook / 60, help="that one notebook may last")
    add("--together", type=int, default=os.cpu_count() or 1, help="students that are marked at once")
    add("--trust", action="store_true", help="run what is handed in without a sandbox")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _end)
    if options.submissions == Path():
        sys.exit("Say where the hand-ins are: `make grade SUBMISSIONS=handed-in`.")
    limits = Limits(options.seconds, options.cell, 60 * options.minutes)
    try:
        n = grade(options.submissions, options.of, options.to, limits, options.together, options.trust)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on where it was.")
    print(f"Students: {n}. See {options.to / 'marks.csv'}, and {options.to / 'class.html'} for you.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
