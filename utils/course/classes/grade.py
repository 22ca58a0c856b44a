"""`make grade SUBMISSIONS=folder CLASS=class`: the marks of a class, without any server.

Each folder (or notebook) in SUBMISSIONS is a student. What comes out: `marks.csv`, a row for each student; a page for
each; `class.html` for the teacher, with the mistakes of the class. Killed and started again, it goes on.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path

from tqdm import tqdm

from utils.course.classes.marked import FILE, Class, Marked, marked
from utils.course.classes.marking import Mark, Paper, digest_of, marks_of, notebooks_of, packed_in
from utils.course.classes.sandbox import Limits, warning
from utils.course.lessons import all_lessons
from utils.files import write_whole

_STYLE = """<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse } td, th { border: 1px solid #bbb; padding: .2em .6em; text-align: left }
td.n { text-align: right } pre { overflow-x: auto; background: #f4f4f4; padding: .5em } .passed { color: #00664b }
.wrong { color: #a03c00 } h2 { font-size: 1.1em; margin: 1.2em 0 0 } p { margin: .2em 0 }
.all { overflow-x: auto } .all th ~ th ~ th { writing-mode: vertical-rl; padding: .6em .2em }
</style>"""


@dataclass(frozen=True)
class Student:
    """A student, with what has been kept of their marks."""

    name: str
    place: Path
    file: str  # how their files are called


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


def students_in(folder: Path) -> list[Student]:
    """Return the students: each folder, and each notebook that lies beside them, in the order of their names."""
    found = [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith(".") and not path.is_symlink() and (path.is_dir() or path.suffix == ".ipynb")
    ]
    names = [path.stem if path.suffix == ".ipynb" else path.name for path in found]
    files = [re.sub(r"[^\w-]+", "_", name)[:80] for name in names]
    apart = [f"_{hashlib.sha256(name.encode()).hexdigest()[:6]}" for name in names]
    files = [file + more * (files.count(file) > 1) for file, more in zip(files, apart, strict=True)]
    return list(map(Student, names, found, files))


# --- marking, a process for each student, so that nothing that is handed in can end the others ---


def mark_all(students: Sequence[Student], chosen: Class, to: Path, limits: Limits, together: int) -> None:
    """Mark those whose marks are not kept yet, and keep them."""
    (to / "kept").mkdir(parents=True, exist_ok=True)
    todo = [student for student in students if _kept(student, chosen, to) is None]
    with tempfile.TemporaryDirectory(prefix="marking-") as folder:
        Path(folder).chmod(0o755)
        lessons = [lesson for lesson in all_lessons() if lesson.number in chosen.lessons] if todo else []
        papers = [Paper.of(lesson, chosen, Path(folder, lesson.number)) for lesson in lessons]
        _mark_each(todo, papers, chosen, to, limits, together, len(students))


def _mark_each(
    todo: list[Student], papers: Sequence[Paper], chosen: Class, to: Path, limits: Limits, together: int, of: int
) -> None:
    """Mark as many students at a time as `together` says."""
    start = multiprocessing.get_context("fork").Process
    running: dict[Student, multiprocessing.Process] = {}
    with tqdm(total=of, initial=of - len(todo), unit="student") as bar:
        while todo or running:
            while todo and len(running) < together:
                student = todo.pop(0)
                running[student] = start(target=_mark_and_keep, args=(student, papers, chosen, to, limits))
                running[student].start()
            for student, process in [*running.items()]:
                if process.is_alive():
                    continue
                process.join()
                del running[student]
                if _kept(student, chosen, to) is None:
                    counts = [one for paper in papers for one in paper.counts]
                    lost = [Mark(one.name, 0, one.points, "missing", "It could not be marked.") for one in counts]
                    _keep(student, lost, ["Reading it ended the marking: look at it yourself."], chosen, to)
                bar.update()
            time.sleep(0.02)


def _mark_and_keep(student: Student, papers: Sequence[Paper], chosen: Class, to: Path, limits: Limits) -> None:
    with contextlib.suppress(KeyboardInterrupt):  # the command reports it
        marks, trouble = marks_of(student.place, papers, chosen, limits)
        _keep(student, marks, trouble, chosen, to)


def _keep(student: Student, marks: Sequence[Mark], trouble: Sequence[str], chosen: Class, to: Path) -> None:
    kept = {"of": digest_of(student.place, chosen), "marks": [asdict(mark) for mark in marks], "trouble": [*trouble]}
    write_whole(to / "kept" / f"{student.file}.json", json.dumps(kept, indent=1).encode())


def _kept(student: Student, chosen: Class, to: Path) -> Marks | None:
    """Return the marks that are kept, if what was handed in is still the same."""
    try:
        kept = json.loads((to / "kept" / f"{student.file}.json").read_text(encoding="utf-8"))
        if kept["of"] == digest_of(student.place, chosen):
            return Marks(student, tuple(Mark(**mark) for mark in kept["marks"]), tuple(kept["trouble"]))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None


# --- what comes out ---


def write_csv(path: Path, all_marks: Sequence[Marks]) -> None:
    """Write a row for each student: the points, those of each exercise, and a sentence for each wrong answer."""
    names = [mark.name for mark in all_marks[0].marks]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["student", "points", "of", *names, "why"])
        for one in all_marks:
            said: dict[str, list[str]] = {}
            for mark in one.marks:
                if mark.verdict != "passed":
                    said.setdefault(mark.sentence, []).append(mark.name)
            why = [*one.trouble, *(f"{', '.join(wrong)}: {sentence}" for sentence, wrong in said.items())]
            points = [f"{mark.points:g}" for mark in one.marks]
            of = sum(mark.of for mark in one.marks)
            writer.writerow([_text(one.student.name), f"{one.points:g}", of, *points, _text("\n".join(why))])


def _text(said: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{said}" if said[:1] in ("=", "+", "-", "@", "\t", "\r") else said


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


def page_of_class(all_marks: Sequence[Marks], counts: dict[str, Marked]) -> str:
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
    parts += ["<h1>What could not be read</h1>"] * bool(trouble)
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


def grade(submissions: Path, of: Path, to: Path, limits: Limits, together: int) -> list[Marks]:
    """Mark what lies in `submissions`, and write what comes out to `to`."""
    if not (of / "teacher" / FILE).is_file():
        said = f"{of} is no class: `make class` makes one, and CLASS=folder says where its two folders are"
        raise FileNotFoundError(said)
    if (submissions / "utils" / "course").is_dir():
        raise FileNotFoundError(f"{submissions} is the course itself: SUBMISSIONS=folder says where the hand-ins are")
    chosen, students = Class.read(of / "teacher"), students_in(submissions)
    if not any(notebooks_of(student.place) for student in students):
        raise FileNotFoundError(f"{submissions} holds neither notebooks nor folders of students with notebooks")
    mark_all(students, chosen, to, limits, together)
    all_marks = [kept for student in students if (kept := _kept(student, chosen, to))]
    lessons = [lesson for lesson in all_lessons() if lesson.number in chosen.lessons]
    counts = {one.name: one for lesson in lessons for one in marked(lesson)}
    write_csv(to / "marks.csv", all_marks)
    (to / "students").mkdir(exist_ok=True)
    for one in all_marks:
        (to / "students" / f"{one.student.file}.html").write_text(page_of(one, counts), encoding="utf-8")
    (to / "class.html").write_text(page_of_class(all_marks, counts), encoding="utf-8")
    return all_marks


def main(arguments: Sequence[str] | None = None) -> int:
    """Mark as the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(prog="make grade", description="Mark what a class has handed in.")
    parser.add_argument("submissions", type=Path, help="a folder with a folder, or a notebook, for each student")
    parser.add_argument("--of", type=Path, default=Path("class"), help="the class's folder, made by `make class`")
    parser.add_argument("--to", type=Path, default=Path("marks"), help="where the marks go")
    parser.add_argument("--seconds", type=float, default=Limits.seconds, help="that one call of a function may last")
    parser.add_argument("--together", type=int, default=os.cpu_count() or 1, help="students that are marked at once")
    options = parser.parse_args(arguments)
    if sys.platform == "win32":
        sys.exit("Marking needs Linux or macOS; on Windows it runs in WSL.")
    if said := warning():
        print(f"Warning. {said}")
    if options.submissions == Path():
        sys.exit("Say where the hand-ins are: `make grade SUBMISSIONS=handed-in`.")
    try:
        all_marks = grade(options.submissions, options.of, options.to, Limits(options.seconds), options.together)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        sys.exit("\nStopped. The same command goes on where it was.")
    for path in packed_in(options.submissions):
        print(f"Not marked: {path.name} has to be unpacked first.")
    print(f"Students: {len(all_marks)}. See {options.to / 'marks.csv'}, and {options.to / 'class.html'} for you.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
