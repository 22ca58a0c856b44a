"""The catalogue without a page: what is shown of what, and what does not fit."""

from __future__ import annotations

import pytest

from utils.show.catalogue import CatalogueExplorer, Item

FACETS = {"colour": ("red", "blue"), "size": ("large", "small")}
ITEMS = [
    Item(name, {"colour": colour, "size": size}, "note", name)
    for name, colour, size in (("a", "red", "large"), ("b", "blue", "large"), ("c", "red", "small"))
]


def catalogue(**changes):
    return CatalogueExplorer(**{"items": ITEMS, "facets": FACETS, "alt": "three letters"} | changes)


def test_facets_choose_together_and_a_reset_shows_all():
    shown = catalogue()
    assert shown.shown == ["a", "b", "c"]
    shown.choose(colour="red")
    assert shown.shown == ["a", "c"]
    shown.choose(size="small")
    assert shown.shown == ["c"]
    shown.choose(colour="blue")
    assert shown.shown == []
    shown.choose(size="all")
    assert shown.shown == ["b"]
    shown.reset()
    assert shown.shown == ["a", "b", "c"]


def test_the_page_is_told_items_facets_and_presets():
    items = [Item("a", {"colour": "red", "size": "small"}, "bad", "A", [("printed", "1")], [("lesson", "a.html")])]
    shown = catalogue(items=items, presets={"few": {"colour": "red"}})
    assert shown.items == [
        {
            "name": "a",
            "facets": {"colour": "red", "size": "small"},
            "tone": "bad",
            "headline": "A",
            "lines": [("printed", "1")],
            "links": [("lesson", "a.html")],
        }
    ]
    assert shown.facets == [{"name": name, "options": list(options)} for name, options in FACETS.items()]
    assert shown.presets == [{"name": "few", "chosen": {"colour": "red"}}] and catalogue().presets == []
    assert (shown.alt, shown.chosen, shown.answer) == ("three letters", {"colour": "all", "size": "all"}, "")


def test_it_says_in_one_line_what_is_chosen():
    shown = catalogue()
    shown.choose(colour="red")
    assert repr(shown) == "CatalogueExplorer(colour red, size all: 2 of 3)"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"alt": " "}, "needs an alternative text"),
        ({"items": []}, "needs items, all with different names"),
        ({"items": [ITEMS[0], ITEMS[0]]}, "needs items, all with different names"),
        ({"items": [Item("a", {"colour": "red"}, "note", "a")]}, "the item a needs an option of each facet: colour, s"),
        ({"items": [Item("a", {"colour": "pink"}, "note", "a")]}, "the item a has colour “pink”: there is red, blue."),
        ({"presets": {"p": {"form": "round"}}}, "the preset “p” has form “round”: there is colour, size."),
        ({"presets": {"p": {"size": "huge"}}}, "the preset “p” has size “huge”: there is large, small."),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        catalogue(**changes)


def test_a_choice_that_there_is_not_changes_nothing():
    shown = catalogue()
    with pytest.raises(ValueError, match=r"the choice has colour “pink”: there is red, blue\."):
        shown.choose(colour="pink")
    assert shown.shown == ["a", "b", "c"]
