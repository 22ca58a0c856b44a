"""`make grade SUBMISSIONS=folder CLASS=class`: the marks of a class, without any server.

Each folder (or notebook) in SUBMISSIONS is a student. What comes out: `marks.csv`, a row for each student; a page for
each; `class.html` for the teacher, with the mistakes of the class. Killed and started again, it goes on.
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
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from tqdm import tqdm

from utils.course.classes.handed_in import NOTEBOOK, PACKED, HandedIn, printable, students_name
from utils.course.classes.marked import FILE, Class, Marked, drawn, marked, uses_of_course
from utils.course.classes.sandbox import Judge, Limits, Mark, make_course, no_sandbox
from utils.course.lessons import Lesson, all_lessons
from utils.files import forgive_output, path_of, write_whole

_STYLE = """<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2em .6em; text-align: left }
td.n { text-align: right } pre { overflow-x: auto; background: #f4f4f4; padding: .5em } .passed { color: #00664b }
.wrong { color: #a03c00 } h2 { font-size: 1.1em; margin: 1.2em 0 0 } p { margin: .2em 0 }
.all { overflow-x: auto } .all th ~ th ~ th { writing-mode: vertical-rl; padding: .6em .2em }
</style>"""
# Where a spreadsheet may see a formula begin: first in a cell, or where another separator would begin one.
_FORMULA = re.compile(r"(^|[;\t\r\n|])([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe62\ufe63\ufe66\ufe6b\u2212])")


@dataclass(frozen=True)
class Student:
    """A student, with what they have handed in: a folder, or notebooks beside the folders."""

    name: str
    places: tuple[Path, ...]

    @property
    def file(self) -> str:
        """How their files are called: no two alike, in any file system."""
        names = b"/".join(os.fsencode(place.name) for place in self.places)
        return re.sub(r"[^\w-]+", "_", self.name)[:40] + f"-{hashlib.sha256(names).hexdigest()[:8]}"


@dataclass(frozen=True)
class Marks:
    """What has been found for one student."""

    student: Student
    marks: tuple[Mark, ...]
    trouble: tuple[str, ...]

    @property
    def points(self) -> float:
        """All points together."""
        return round(sum(mark.points for mark in self.marks), 2)


def students_in(folder: Path) -> tuple[list[Student], list[str]]:
    """Return the students, in the order of their names, and what lies beside them and is none."""
    found: dict[str, list[Path]] = {}
    others = []
    for path in sorted(folder.iterdir(), key=lambda path: os.fsencode(path.name)):
        if path.name.startswith(".") or path.name == "__MACOSX":
            continue
        if path.is_dir() and not path.is_symlink():
            found[f"{path.name}/"] = [path]
        elif NOTEBOOK.search(path.name) or PACKED.search(path.name):
            found.setdefault(students_name(path.name), []).append(path)
        else:
            others.append(printable(path.name))
    return [Student(printable(name.rstrip("/")), tuple(places)) for name, places in found.items()], others


# --- marking, a process for each student, so that nothing that is handed in can end the others ---


@dataclass(frozen=True)
class Marking:
    """How a class is marked."""

    chosen: Class
    lessons: tuple[Lesson, ...]
    kept: Path
    limits: Limits
    together: int
    trust: bool

    def all(self, students: Sequence[Student]) -> list[Marks]:
        """Mark every student, some at once; what has been marked before, and has not changed, is taken from there."""
        start, todo, done = multiprocessing.get_context("fork").Process, [*students], []
        running: dict[Student, multiprocessing.Process] = {}
        try:
            with tqdm(total=len(students), unit="student") as bar:
                while todo or running:
                    while todo and len(running) < self.together:
                        running[todo[0]] = start(target=self._mark, args=(todo[0],))
                        running[todo.pop(0)].start()
                    for student, process in [*running.items()]:
                        if not process.is_alive():
                            process.join()
                            done.append(self._kept(student) if process.exitcode == 0 else self._lost(student))
                            del running[student]
                            bar.update()
                    time.sleep(0.05)
        finally:
            for process in running.values():
                process.kill()
                process.join()
            shutil.rmtree(self.kept / "rooms", ignore_errors=True)
        return sorted(done, key=lambda one: students.index(one.student))

    def _mark(self, student: Student) -> None:
        """Mark one student, in a process of its own; ended with 0 it has kept the marks."""
        for number, does in {signal.SIGINT: signal.SIG_IGN, signal.SIGTERM: signal.SIG_DFL}.items():
            signal.signal(number, does)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends with the one that started it, and bwrap with it
        room, kept = self.kept / "rooms" / student.file, self.kept / f"{student.file}.json"
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (12 << 30, most))
        handed = HandedIn.read(student.places)
        digest = hashlib.sha256(repr((handed.digest, self.chosen)).encode()).hexdigest()
        if kept.is_file() and json.loads(kept.read_text(encoding="utf-8"))["of"] == digest:
            return
        kept.unlink(missing_ok=True)
        marks, trouble = [], [*handed.trouble]
        for lesson in self.lessons:
            counts, number = marked(lesson), lesson.number
            if number not in handed.cells:
                marks += [Mark(one.name, 0, one.points, "missing", "Nothing was handed in.") for one in counts]
                continue
            judge = Judge(counts, drawn(lesson.path.parent, self.chosen.seed), self.chosen.half, self.limits)
            course = self.kept / "course"
            ended = judge.mark(handed.cells[number], uses_of_course(lesson), room / number, course, self.trust)
            if ended:
                trouble.append(f"Lesson {number} was not run to its end: {ended}.")
            rest = f"It could not be asked: {ended}."
            marks += [judge.found.get(one.name) or Mark(one.name, 0, one.points, "missing", rest) for one in counts]
        told = {"of": digest, "marks": [asdict(mark) for mark in marks], "trouble": trouble}
        write_whole(kept, json.dumps(told, indent=1).encode())

    def _counts(self) -> list[Marked]:
        return [one for lesson in self.lessons for one in marked(lesson)]

    def _lost(self, student: Student) -> Marks:
        marks = (Mark(one.name, 0, one.points, "missing", "It could not be marked.") for one in self._counts())
        return Marks(student, tuple(marks), ("Reading it ended the marking: look at it yourself.",))

    def _kept(self, student: Student) -> Marks:
        """Return the marks that were kept, if they are whole."""
        path = self.kept / f"{student.file}.json"
        try:
            told = json.loads(path.read_bytes()) if path.stat().st_size < 4 << 20 else {}
            marks = tuple(Mark(**mark) for mark in told["marks"])
            fit = [(mark.name, mark.of) for mark in marks] == [(one.name, one.points) for one in self._counts()]
            if fit and all(0 <= mark.points <= mark.of for mark in marks):
                return Marks(student, marks, tuple(map(str, told["trouble"])))
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return self._lost(student)


# --- what comes out ---


def write_csv(path: Path, all_marks: Sequence[Marks]) -> None:
    """Write a row for each student: the points, those of each exercise, and a sentence for each wrong answer."""
    names = [mark.name for mark in all_marks[0].marks]
    with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["student", "points", "of", *names, "why"])
        for one in all_marks:
            said: dict[str, list[str]] = {}
            for mark in one.marks:
                if mark.verdict != "passed":
                    said.setdefault(mark.sentence, []).append(mark.name)
            why = [*one.trouble, *(f"{', '.join(wrong)}: {sentence}" for sentence, wrong in said.items())]
            points = [f"{mark.points:g}" for mark in one.marks]
            of = sum(mark.of for mark in one.marks)
            writer.writerow([as_text(one.student.name), f"{one.points:g}", of, *points, as_text("\n".join(why))])


def as_text(said: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return _FORMULA.sub(r"\1\2'", said)


def page_of(one: Marks, counts: dict[str, Marked]) -> str:
    """Return the page of a student."""
    of = sum(mark.of for mark in one.marks)
    parts = [f"<h1>{escape(one.student.name)}: {one.points:g} of {of}</h1>"]
    parts += [f"<p>{escape(said)}</p>" for said in one.trouble]
    for mark in one.marks:
        tone = "passed" if mark.verdict == "passed" else "wrong"
        parts.append(f"<h2>{_title(counts[mark.name])}")
        parts.append(f"<span class={tone}>{mark.points:g} of {mark.of}, {mark.verdict}</span></h2>")
        if mark.verdict == "passed":
            continue
        parts.append(f"<p>{escape(mark.sentence)} {escape(mark.details)}</p>")
        if mark.points:
            parts.append("<p>It is nearly right, and has a part of the points.</p>")
        if mark.verdict == "not yet":
            parts.append(f"<p>See {_section(counts[mark.name])}.</p>")
        if mark.shown:
            parts.append(f"<details><summary>The input</summary><pre>{escape(mark.shown)}</pre></details>")
    return _html(one.student.name, parts)


def _title(one: Marked) -> str:
    return f"{escape(one.title)} ({one.name})"


def _section(one: Marked) -> str:
    return f"lesson {one.name.split('.')[0]}, “{escape(one.section)}”"


def page_of_class(all_marks: Sequence[Marks], counts: dict[str, Marked], others: Sequence[str]) -> str:
    """Return the teacher's page: who has what, and which mistakes the class makes."""
    parts = [f"<h1>Students: {len(all_marks)}</h1>", "<div class=all><table><tr><th>student<th>points"]
    parts += [f"<th>{escape(name)}" for name in counts]
    parts.append(f"<tr><td>of<td class=n>{sum(one.points for one in counts.values())}")
    parts += [f"<td class=n>{one.points}" for one in counts.values()]
    for one in all_marks:
        page = f"students/{one.student.file}.html"
        parts.append(f'<tr><td><a href="{escape(page)}">{escape(one.student.name)}</a><td class=n>{one.points:g}')
        parts += [f"<td class=n>{mark.points:g}" for mark in one.marks]
    parts.append("</table></div><h1>Mistakes</h1>")
    for name, one in counts.items():
        parts += _mistakes(name, one, all_marks)
    trouble = [(each.student.name, said) for each in all_marks for said in each.trouble]
    trouble += [(name, "it lies beside the students, and is no notebook.") for name in others]
    parts += ["<h1>What to look at</h1>"] * bool(trouble)
    parts += [f"<p>{escape(name)}: {escape(said)}</p>" for name, said in trouble]
    return _html("The class", parts)


def _mistakes(name: str, one: Marked, all_marks: Sequence[Marks]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for each in all_marks:
        for mark in each.marks:
            if mark.name == name and mark.verdict != "passed":
                found.setdefault(mark.sentence, []).append(each.student.name)
    right = len(all_marks) - sum(map(len, found.values()))
    yield f"<h2>{_title(one)}: {right} of {len(all_marks)} right</h2>"
    if found:
        yield f"<p>See {_section(one)}.</p><table><tr><th>students<th>what their pages say<th>who"
        for sentence, names in sorted(found.items(), key=lambda pair: -len(pair[1])):
            yield f"<tr><td class=n>{len(names)}<td>{escape(sentence)}<td>{escape(', '.join(names))}"
        yield "</table>"


def _html(title: str, parts: Sequence[str]) -> str:
    head = f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title>{_STYLE}'
    return "\n".join([head, *parts, "</html>"])


def write_page(path: Path, page: str) -> None:
    """Write a page, whatever letters it has."""
    path.write_text(page, encoding="utf-8", errors="replace")


def grade(submissions: Path, of: Path, to: Path, limits: Limits, together: int, trust: bool) -> list[Marks]:
    """Mark what lies in `submissions`, and write to `to`. Raises OSError with a sentence for the teacher."""
    if not (of / "teacher" / FILE).is_file():
        said = f"{of} is no class: `make class` makes one, and CLASS=folder says where its two folders are"
        raise FileNotFoundError(said)
    if (submissions / "utils" / "course").is_dir():
        raise FileNotFoundError(f"{submissions} is the course itself: SUBMISSIONS=folder says where the hand-ins are")
    chosen, (students, others) = Class.read(of / "teacher"), students_in(submissions)
    if not any(HandedIn.any_in(student.places) for student in students):
        raise FileNotFoundError(f"{submissions} holds neither notebooks nor folders of students with notebooks")
    lessons = tuple(lesson for lesson in all_lessons() if lesson.number in chosen.lessons)
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
    all_marks = Marking(chosen, lessons, kept, limits, together, trust).all(students)
    counts = {one.name: one for lesson in lessons for one in marked(lesson)}
    write_csv(to / "marks.csv", all_marks)
    (to / "students").mkdir(exist_ok=True)
    for one in all_marks:
        write_page(to / "students" / f"{one.student.file}.html", page_of(one, counts))
    write_page(to / "class.html", page_of_class(all_marks, counts, others))
    return all_marks


def _end(*_: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Mark as the command line says; returns the exit status."""
    forgive_output()
    parser = argparse.ArgumentParser(prog="make grade", description="Mark what a class has handed in.")
    parser.add_argument("submissions", type=path_of, help="a folder with a folder, or a notebook, for each student")
    parser.add_argument("--of", type=path_of, default=Path("class"), help="the class's folder, made by `make class`")
    parser.add_argument("--to", type=path_of, default=Path("marks"), help="where the marks go")
    parser.add_argument("--seconds", type=float, default=Limits.call, help="that one call of a function may last")
    parser.add_argument("--cell", type=int, default=Limits.cell, help="seconds that one cell may last")
    parser.add_argument("--minutes", type=float, default=Limits.notebook / 60, help="that one notebook may last")
    parser.add_argument("--together", type=int, default=os.cpu_count() or 1, help="students that are marked at once")
    parser.add_argument("--trust", action="store_true", help="run what is handed in without a sandbox")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _end)
    if options.submissions == Path():
        sys.exit("Say where the hand-ins are: `make grade SUBMISSIONS=handed-in`.")
    limits = Limits(options.seconds, options.cell, 60 * options.minutes)
    try:
        all_marks = grade(options.submissions, options.of, options.to, limits, options.together, options.trust)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on where it was.")
    print(f"Students: {len(all_marks)}. See {options.to / 'marks.csv'}, and {options.to / 'class.html'} for you.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
