"""The companion pages: every line of a note has its entry or its reason, and the ledger of today is on them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest

from utils.course import companions
from utils.course.build import build_companion, read_notebook
from utils.course.companions import texts_of
from utils.course.ledger import LEDGER, MARKS, PAGES, Verdict, computed, recomputed_verdict
from utils.course.ledger.lines import Page, Part, Row
from utils.course.ledger.sections import EXPLAINED, explained_in, place_of
from utils.course.lessons import NOTEBOOKS, NOTES, ROOT, all_lessons
from utils.site.pages import prose

LESSONS = all_lessons()
NOTES_FOLDER = ROOT.parent / "shared" / "lecture-notes"
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.number)
each_lesson = pytest.mark.parametrize("number", EXPLAINED)


def shown(page: Page) -> str:
    """What the page says, as a reader sees it."""
    html = "".join(prose(text) for text in texts_of(page, LESSONS))
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def words(text: str) -> str:
    return " ".join(text.split())


@each_page
def test_the_saved_page_is_what_the_ledger_gives_today(page: Page) -> None:
    saved, made = read_notebook(NOTEBOOKS / page.notebook_name), build_companion(page, LESSONS)
    assert [(cell.id, cell.source) for cell in saved.cells] == [(cell.id, cell.source) for cell in made.cells], (
        f"{page.notebook_name} is not what the ledger gives: `make lessons`"
    )
    assert saved.metadata["course"] == made.metadata["course"]


@each_page
def test_the_rows_follow_each_other_from_the_first_line_to_the_last(page: Page) -> None:
    """A row goes on to the next one: so there is no gap, and no overlap where the lines only grow."""
    parts, rows = [part.line for part in page.parts], [row.line for row in page.rows]
    assert parts[0] == 1 and all(one < other for one, other in pairwise(parts))
    assert all(one <= other for one, other in pairwise(rows)) and rows[-1] <= page.lines
    for part, end in zip(page.parts, [*parts[1:], page.lines + 1], strict=True):
        assert all(part.line <= row.line < end for row in part.rows), part.title


@each_page
def test_a_row_has_entries_or_says_what_stands_there_and_why_it_has_none(page: Page) -> None:
    for row in page.rows:
        assert bool(row.entries) is not bool(row.what and row.why), row
        assert not row.why or row.why.endswith((".", "?")), row
    asides = Counter(row.line for row in page.rows if not row.entries)
    assert max(asides.values()) == 1, "two reasons on one line have one name"


@each_page
def test_our_copy_has_these_lines_and_something_stands_where_a_row_begins(page: Page) -> None:
    paths = list(NOTES_FOLDER.glob(f"{page.number}-*.txt"))
    if not paths:
        pytest.skip("the lecture notes are not beside the course")
    lines = paths[0].read_text(encoding="utf-8").splitlines()
    assert len(lines) == page.lines
    for begin in (*page.parts, *page.rows):
        assert lines[begin.line - 1].strip(), f"line {begin.line} is empty"


def test_every_entry_stands_on_one_page_which_is_its_notes() -> None:
    placed = Counter((name, page.number) for page in PAGES for name in {n for row in page.rows for n in row.entries})
    assert set(placed) == {(entry.id, entry.note) for entry in LEDGER.values()}
    assert [page.number for page in PAGES] == list(NOTES)


@each_lesson
def test_the_sections_that_explain_are_there(number: str) -> None:
    lesson = next((lesson for lesson in LESSONS if lesson.number == number), None)
    assert lesson, f"there is no lesson {number}: see utils/course/ledger/sections.py"
    text = re.sub(r"^```.*?^```$", "", lesson.text, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#{2,4} (.+)$", text, flags=re.MULTILINE)
    missing = [heading for heading in EXPLAINED[number] if headings.count(heading) != 1]
    assert not missing, f"{lesson.name} has no such heading, or two: see utils/course/ledger/sections.py"


def test_every_entry_has_one_section_and_nothing_else_has_but_rows_without_entries_and_the_marks() -> None:
    names = [name for headings in EXPLAINED.values() for each in headings.values() for name in each.split()]
    assert len(set(names)) == len(names)
    assert set(LEDGER) <= set(names)
    asides = {f"{page.number}:{row.line}" for page in PAGES for row in page.rows if not row.entries}
    assert set(names) - set(LEDGER) <= {*asides, "marks"}


def test_a_link_leads_to_the_heading_and_to_no_lesson_that_is_not_there() -> None:
    assert explained_in("N3.bias", LESSONS) == (
        "05 Where a bias goes",
        "05_self_attention_by_hand.ipynb#Where-a-bias-goes",
    )
    assert explained_in("N3.bias", LESSONS[:2]) is None and explained_in("N9.x", LESSONS) is None
    assert place_of("γ, or: x + F(x)?") == "%CE%B3,-or:-x-+-F(x)?"


@each_page
def test_a_page_shows_each_entry_whole_with_its_mark(page: Page) -> None:
    text = shown(page)
    for entry in (LEDGER[name] for row in page.rows for name in row.entries):
        verdict = recomputed_verdict(entry)
        assert f"{page.first_line(entry.id)} {MARKS[verdict]} {words(entry.topic)}: {verdict.value}" in text
        value = entry.filled_in or computed(entry)
        for part in (entry.printed, value, entry.doubt, entry.explanation, entry.takeaway):
            assert words(part) in text, f"{entry.id}: {part}"
    for row in (row for row in page.rows if not row.entries):
        assert f"{row.line} – {words(row.what)}: not judged {words(row.why)}" in text


@each_page
def test_a_page_begins_with_all_marks_and_how_many_entries_have_each(page: Page) -> None:
    head = texts_of(page, LESSONS)[0]
    key = head.split("**The marks.** ")[1]
    assert all(f"{mark} " in key for mark in MARKS.values())
    told = re.search(r"It has (\d+) entries: (.*?)\.\n", head)
    counts = {mark: int(count) for count, mark in (one.split() for one in told[2].split(", "))}
    assert counts == Counter(MARKS[recomputed_verdict(entry)] for entry in LEDGER.values() if entry.note == page.number)
    assert sum(counts.values()) == int(told[1])


def test_a_verdict_that_changes_changes_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    page, before = PAGES[1], texts_of(PAGES[1], LESSONS)
    monkeypatch.setitem(LEDGER, "N2.matrix_shape", replace(LEDGER["N2.matrix_shape"], compute=lambda: (2, 3)))
    changed = [one for one, other in zip(texts_of(page, LESSONS), before, strict=True) if one != other]
    assert len(changed) == 2 and f"| {MARKS[Verdict.WRONG]} | **shape of that matrix:** wrong<br>" in changed[1]


def test_an_entry_on_two_lines_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page("N2", "A topic", 9, (Part(1, "All", (Row(2, ("N2.scale",)), Row(5, ("N2.scale",)))),))
    monkeypatch.setattr(companions, "PAGES", (page,))
    first, second = texts_of(page, LESSONS)[1].splitlines()[-2:]
    assert first.startswith("| 2 | ✓ | **the scale:** right<br>*printed:* QKᵀ/√d\\_model") and "[06 d\\_k, not" in first
    assert second == "| 5 | ✓ | **the scale:** right<br>see line 2 |"
    assert (page.title, page.notebook_name) == ("A topic, line by line", "N2_a_topic.ipynb")


@each_page
def test_each_page_leads_to_the_start_and_to_the_others(page: Page) -> None:
    foot = texts_of(page, LESSONS)[-1]
    others = [other.notebook_name for other in PAGES if other is not page]
    assert re.findall(r"\]\(([^)]*)\)", foot) == ["00_start_here.ipynb", *others]
