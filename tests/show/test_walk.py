"""The walk without a page: what is opened, what its page is told, and what does not fit."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from utils.show.walk import Box, OpenedPass, WalkExplorer, Work, described


def tree(step: int = 1, text: str = "a b") -> OpenedPass:
    """Two numbers, doubled, and their sum masked."""
    box = partial(Box, rows=["r"], columns=["1", "2"])
    x = box("in", "In", "x", "given", values=np.array([[1.0, -2.5]]))

    def entry(i, j):
        value = float(x.values[i, j])
        return Work("twice", ["1"], ["x", "2", "x · 2"], np.array([[value, 2, 2 * value]]), [("sum", 2 * value)])

    doubled = box("f.two", "Two", "2x", "doubled", values=2 * x.values, inputs=["in"], entry=entry, products=1)
    end = np.array([[-np.inf, step]])
    masked = box("f.end", "End", "m", "", values=end, inputs=["f.two", "in"], text="و", again="in")
    f = box("f", "F", "F(x)", "", values=end, inputs=["in"], inside=[doubled, masked])
    return OpenedPass(text, step, ["p", "q"], box("", "All", "", "", values=end, inside=[x, f]))


def walk(text: str, step: int) -> OpenedPass:
    if text == "no":
        raise ValueError("this is refused.")
    if text == "worse":
        raise KeyError("gone")
    return tree(step, text)


def explorer(**changes):
    given = {"walk": walk, "examples": ["a b", "c"], "places": {"twice": "f.two"}, "alt": "boxes"}
    return WalkExplorer(**given | changes)


def ask(shown: WalkExplorer, **request) -> None:
    shown._serve(shown, {"kind": "go", "text": "a b", "step": 1, "path": "", "entry": None, "id": "7"} | request, [])


def test_box_is_found_with_all_its_ancestors():
    assert [box.title for box in tree().find("f.two")] == ["All", "F", "Two"]
    assert tree()["in"].title == "In" and tree()[""].title == "All"
    with pytest.raises(ValueError, match="there is no box "):
        tree()["f.three"]
    with pytest.raises(ValueError, match="there is no box "):
        tree()["i"]  # not what only begins alike


def test_page_receives_the_place_of_a_box_as_json():
    page = described(tree(2), "f.end")
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert page["trail"] == [{"path": p, "title": t} for p, t in (("", "All"), ("f", "F"), ("f.end", "End"))]
    assert page["before"] == {"path": "f.two", "title": "Two"} and page["after"] is None
    assert page["values"] == [[None, 2.0]] and page["said"] == "و" and page["work"] is None
    assert [link["title"] for link in page["inputs"]] == ["F: Two", "In"]
    inside = described(tree(), "f")["inside"]
    assert [box["after"] for box in inside] == [[], [0]] and [box["anew"] for box in inside] == [False, False]
    assert [box["again"] for box in inside] == [None, None], "“In” stands elsewhere"
    assert inside[0]["picture"] == [[4, -9]] and described(tree(), "")["inside"][0]["anew"]


def test_page_receives_the_named_places():
    assert explorer().places == [{"name": "twice", "path": "f.two"}] and explorer(places=None).places == []


def test_entry_comes_with_its_terms():
    work = described(tree(), "f.two", (0, 1))["work"]
    assert (work["row"], work["column"], work["numbers"], work["lines"]) == (0, 1, [[-2.5, 2, -5]], [["sum", -5]])
    assert tree()["f.two"].entry(0, 1).value == -5


@pytest.mark.parametrize("entry", [(1, 0), (0, 2), (0, -1)])
def test_entry_beyond_the_matrix_is_refused(entry):
    with pytest.raises(ValueError, match="“Two” has 1 rows and 2"):
        described(tree(), "f.two", entry)
    with pytest.raises(ValueError, match="“In”"):
        described(tree(), "in", (0, 0))  # nobody says how it is made


def test_go_keeps_arguments_that_are_not_given():
    shown = explorer(step=2)
    shown.go(path="f.two")
    shown.go(text="c")
    assert shown.page["text"] == "c" and shown.page["step"] == 2 and shown.shown.title == "Two"
    shown.go(entry=(0, 0))
    assert shown.page["work"]["lines"] == [["sum", 2.0]]
    shown.go(step=1)
    assert shown.page["work"] is None and shown.page["step"] == 1


def test_request_of_the_page_is_answered():
    shown = explorer()
    ask(shown, path="f.two", entry=[0, 1])
    assert shown.page["work"]["column"] == 1 and shown.answer == "7" and shown.refusal == ""
    ask(shown, text="no", id="8")
    assert shown.refusal == "This is refused." and shown.page["path"] == "f.two" and shown.answer == "8"
    ask(shown, text="worse")
    assert shown.refusal == "KeyError: 'gone'"
    ask(shown, path="in")
    assert shown.refusal == "" and shown.page["path"] == "in"
    ask(shown, path="nowhere")
    assert shown.refusal.startswith("There is no box “nowhere”")
