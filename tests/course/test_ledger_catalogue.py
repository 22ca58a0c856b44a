"""The ledger as a page: every entry is on it, with what is computed today, and nothing of it has changed unnoticed."""

from __future__ import annotations

import json

from utils.course.build import read_notebook
from utils.course.ledger import LEDGER, PAGES, catalogue, computed
from utils.course.ledger.catalogue import AS_PRINTED, IN_OUR_WORDS, VERDICTS, LedgerExplorer, printed_positions, totals
from utils.course.ledger.sections import explained_in
from utils.course.lessons import NOTEBOOKS, NOTES, all_lessons
from utils.course.saving import widget_states


def test_the_page_holds_every_entry_once_with_what_is_printed_and_computed():
    page = LedgerExplorer()
    assert [item["name"] for item in page.items] == list(LEDGER) == page.shown
    for item, entry in zip(page.items, LEDGER.values(), strict=True):
        said = dict(item["lines"])
        assert said["printed"].endswith(entry.printed) and said["computed"] == computed(entry)
        assert entry.explanation == said["slip" if entry.slip else "why"]
        assert said.get("in doubt", "") == entry.doubt and said.get("to keep", "") == entry.takeaway
        assert ("it gives" in said) is (entry.slip is not None)
        assert entry.topic in item["headline"] and entry.verdict.value in item["headline"]


def test_words_of_ours_are_marked_and_can_be_chosen():
    page = LedgerExplorer()
    page.choose(words=IN_OUR_WORDS)
    assert page.shown == [entry.id for entry in LEDGER.values() if entry.paraphrase]
    page.choose(words=AS_PRINTED)
    assert not any("(in our words)" in str(item) for item in page.items if item["name"] in page.shown)


def test_every_preset_shows_something_and_nothing_else():
    page = LedgerExplorer()
    for preset in page.presets:
        page.reset()
        page.choose(**preset["chosen"])
        assert 0 < len(page.shown) < len(LEDGER)


def test_every_option_of_every_facet_chooses_what_the_totals_count():
    page, counts = LedgerExplorer(), totals()
    for row, note in zip(counts, NOTES, strict=True):
        for count, verdict in zip(row, VERDICTS, strict=True):
            page.choose(note=note, verdict=verdict)
            assert len(page.shown) == count
    assert counts.sum() == len(LEDGER) and (counts.sum(axis=0) > 0).all()


def test_a_card_leads_to_the_section_that_explains_it_and_to_its_companion_page(monkeypatch):
    lessons, pages = all_lessons(), {page.number: (page.title, page.notebook_name) for page in PAGES}
    for item in LedgerExplorer().items:
        links = [explained_in(item["name"], lessons), pages[item["name"][:2]]]
        assert [tuple(link) for link in item["links"]] == links
    monkeypatch.setattr(catalogue, "all_lessons", lambda: [one for one in lessons if one.number == "05"])
    led_to = {words[:2] for item in LedgerExplorer().items for words, _ in item["links"][:-1]}
    assert led_to == {"05"}, "a lesson that is not there"


def test_the_numbers_that_the_notes_print_for_position_1_stand_in_their_columns():
    assert printed_positions() == {
        "N2": [(0, 0.0174, 4), (1, 0.99, 2), (2, 0.0013, 4)],
        "N4": [(0, 0.098, 3), (1, 0.51, 2), (2, 0.1, 2), (3, 1.0, 1), (3, 0.98, 2)],
    }


def test_the_saved_page_holds_the_entries_of_today():
    states = widget_states(read_notebook(NOTEBOOKS / "19_notes_checked.ipynb")).values()
    (saved,) = [s["state"] for s in states if s["state"].get("_anywidget_id", "").endswith("LedgerExplorer")]
    assert saved["items"] == json.loads(json.dumps(LedgerExplorer().items)), "make lessons ONLY=19"
