"""The companion pages: each lecture note line by line, with its verdicts, made from the ledger as it computes today."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from utils.course.ledger import LEDGER, MARKS, PAGES, Entry, Verdict, computed, in_numbers, printed, recomputed_verdict
from utils.course.ledger.lines import Page, Part, Row
from utils.course.ledger.sections import explained_in
from utils.course.lessons import Lesson

_KEY = {
    Verdict.RIGHT: "right, or right and rounded",
    Verdict.LOOSE: "rounded loosely: less than one unit of its last place off",
    Verdict.WRONG: "wrong; where a slip gives what is printed, it is named",
    Verdict.INCOMPLETE: "incomplete: right once a part is added that is left out",
    Verdict.BLANK: "left blank, and filled in here",
    Verdict.UNCONFIRMED: "about something that our runs could not confirm",
    Verdict.UNCLEAR: "our copy can't be read with certainty: nobody is blamed",
}
_ASIDE = "–"  # the mark of what is not judged
_HEAD = "| line | mark | what stands there, and what is so |\n| --- | --- | :--- |\n"
_SPECIAL = re.compile(r"([\\`*_\[\]|<>~$])")  # what Markdown or a formula would take for its own


def texts_of(page: Page, lessons: Sequence[Lesson]) -> list[str]:
    """Return the companion page of a note, cell by cell in Markdown: its head, its parts, and links to the others."""
    return [_head(page, lessons), *(_part(page, part, lessons) for part in page.parts), _foot(page, lessons)]


def _head(page: Page, lessons: Sequence[Lesson]) -> str:
    marks = [MARKS[recomputed_verdict(entry)] for entry in LEDGER.values() if entry.note == page.number]
    counts = [f"{marks.count(MARKS[verdict])} {MARKS[verdict]}" for verdict in _KEY if MARKS[verdict] in marks]
    key = " · ".join(f"{MARKS[verdict]} {words}" for verdict, words in _KEY.items())
    more = explained_in("marks", lessons)
    return (
        f"# {page.number} · {page.title}\n\n"
        "For readers who have the note before them: the lessons do without it. "
        "Here is what stands in it, from top to bottom, what comes out when it is computed again, and which section of "
        f"a lesson explains it. It has {len(marks)} entries: {', '.join(counts)}.\n\n"
        f"**The marks.** {key} · {_ASIDE} not judged, with the reason."
        f"{f' More in {_link(more)}.' if more else ''}\n\n"
        "The lines are those of our copy, which a machine has read off the page; drawings are lost. "
        "Text marked “(in our words)” is no quotation."
    )


def _part(page: Page, part: Part, lessons: Sequence[Lesson]) -> str:
    lines = [line for row in part.rows for line in _lines(page, row, lessons)]
    return f"## {part.title}\n\n{_HEAD}" + "\n".join(lines)


def _lines(page: Page, row: Row, lessons: Sequence[Lesson]) -> Iterator[str]:
    """Return the lines of the table for a row: one for each entry, or one for what is not judged."""
    for name in row.entries:
        entry = LEDGER[name]
        verdict = recomputed_verdict(entry)
        said = [f"**{_plain(entry.topic)}:** {verdict.value}"]
        if (first := page.first_line(name)) < row.line:
            yield _line(row, MARKS[verdict], [*said, f"see line {first}"])
        else:
            yield _line(row, MARKS[verdict], said + _found(entry, verdict), explained_in(name, lessons))
    if not row.entries:
        said = [f"{_plain(row.what)}: not judged", _plain(row.why)]
        yield _line(row, _ASIDE, said, explained_in(f"{page.number}:{row.line}", lessons))


def _line(row: Row, mark: str, said: list[str], link: tuple[str, str] | None = None) -> str:
    leads = [f"→ {_link(link)}"] if link else []
    return f"| {row.line} | {mark} | {'<br>'.join([*said, *leads])} |"


def _link(link: tuple[str, str]) -> str:
    words, place = link
    return f"[{_plain(words)}]({place})"


def _found(entry: Entry, verdict: Verdict) -> list[str]:
    """Return what is to be said of an entry: what is printed, in doubt and computed, why, and what its slip gives."""
    said = [
        ("printed", printed(entry)),
        ("in doubt", entry.doubt),
        ("filled in", entry.filled_in) if verdict is Verdict.BLANK else ("computed", computed(entry)),
        ("", entry.explanation),
        ("the slip gives", in_numbers(entry.slip()) if entry.slip else ""),
        ("to keep", entry.takeaway),
    ]
    return [f"*{label}:* {_plain(text)}" if label else _plain(text) for label, text in said if text]


def _plain(text: str) -> str:
    """Return text as Markdown that shows it as it is, on one line: a table ends with its line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _foot(page: Page, lessons: Sequence[Lesson]) -> str:
    others = [f"[{other.number} {other.topic}]({other.notebook_name})" for other in PAGES if other is not page]
    start = [f"[start page]({lesson.notebook_name})" for lesson in lessons[:1]]
    return "---\n\n" + "  ·  ".join([*start, *others])
