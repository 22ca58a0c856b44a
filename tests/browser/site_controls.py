"""The controls of the site driven in a browser, by keyboard, beside Python's own."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.site.asking import nearly
from utils.show.control import Control
from utils.show.explorer import AttentionExplorer
from utils.show.live import LiveControl
from utils.show.walk import WalkExplorer

UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # of what a model writes; the page shows such signs as bytes
STATE = "([i, name]) => [...course.controls.values()][i].get(name)"


def root_of(page: Page, at: int) -> Locator:
    """The control of a page, counted from 0."""
    return page.locator(f"#control-{at + 1} .course-control")


def state_of(page: Page, at: int, name: str) -> Any:
    """What the page knows of its control, once all that was asked is answered."""
    page.wait_for_function("() => !document.querySelector('.course-control[data-asking]')")
    return page.evaluate(STATE, [at, name])


def same_as(page: Page, at: int, control: Control, exactly: bool = True) -> None:
    """Check that the page has what Python has, and that a live control shows Python's sentences.

    exactly: compare numbers exactly, as they are in a table; else to 1e−9, as a JavaScript port computes them.
    """
    if not isinstance(control, LiveControl):
        names = ("page",) if isinstance(control, WalkExplorer) else ("text", "switched_off", "whole_output", "result")
        for name in (*names, "refusal"):
            assert state_of(page, at, name) == json.loads(json.dumps(getattr(control, name))), name
        return
    for name in ("values", "panels", "preset", "row"):
        told, expected = state_of(page, at, name), json.loads(json.dumps(getattr(control, name)))
        assert told == expected or (not exactly and nearly(expected, told)), name
    refused = [refusal["sentence"] for refusal in state_of(page, at, "refusals").values()]
    assert refused == [refusal["sentence"] for refusal in control.refusals.values()]
    notes = [panel for panel in control.panels if panel["kind"] == "note"]
    shown = root_of(page, at).locator(".note .sentence").all_text_contents()
    for note, written in zip(notes, shown, strict=True):
        sentence = note["sentences"][control.row if len(note["sentences"]) > 1 else 0]
        parts = sentence.split("{}") if any(note["values"]) else [sentence]
        wanted = [re.escape(UNSEEN.sub(lambda sign: f"\\x{ord(sign[0]):02x}", part)) for part in parts]
        assert re.fullmatch(".+".join(wanted), written)


def drive(page: Page, at: int, control: Control | None) -> None:
    """A control of a page that is open, by keyboard: every slider to both ends, every preset, and back.

    None: it has no table, since it asks nothing of Python; then something of it is chosen.
    """
    if isinstance(control, LiveControl):
        _drive_live(page, at, control)
    elif isinstance(control, AttentionExplorer):
        _drive_explorer(page, at, control)
    elif isinstance(control, WalkExplorer):
        _drive_walk(page, at, control)
    else:
        root_of(page, at).locator("input").first.press("Space")
        expect(root_of(page, at)).to_be_visible()


def _drive_live(page: Page, at: int, control: LiveControl) -> None:
    root = root_of(page, at)
    control.reset()
    same_as(page, at, control)
    sliders = {p["name"]: p["stops"] for p in control.parameters if p["kind"] == "slider"}
    for name, stops in sliders.items():
        for key, stop in (("End", stops[-1]), ("Home", stops[0])):
            root.locator(f"[data-name={name}] input").press(key)
            control.set(**{name: stop})
            same_as(page, at, control)
        _reset(page, at, control)  # so that the next one is a single move from the start
    for name in control.presets:
        button = root.get_by_role("button", name=name, exact=True)
        button.press("Enter") if button.count() else root.locator("select[id$=-preset]").select_option(name)
        control.choose(name)
        same_as(page, at, control)
    _reset(page, at, control)


def _reset(page: Page, at: int, control: LiveControl) -> None:
    root_of(page, at).get_by_role("button", name="Reset", exact=True).press("Space")
    control.reset()
    same_as(page, at, control)


def _drive_explorer(page: Page, at: int, control: AttentionExplorer) -> None:
    root = root_of(page, at)
    head = tuple(control.chosen)
    for text in control.examples:
        root.locator("select").first.select_option(text)
        control.show(text)
        same_as(page, at, control)
        root.locator(".switch input").press("Space")
        control.show(text, [head])
        same_as(page, at, control)
        root.get_by_role("button", name="All heads on").press("Enter")
        control.show(text)
        same_as(page, at, control)
    of = control.shown["groups"][0]
    every = [(of["name"], layer, head) for layer in range(of["layers"]) for head in range(of["heads"])]
    root.locator(".group button.reset").first.press("Enter")
    control.show(switched_off=every)
    same_as(page, at, control)


def _drive_walk(page: Page, at: int, control: WalkExplorer) -> None:
    root = root_of(page, at)
    sentence, place = root.locator("select").all()
    begun = state_of(page, at, "page")
    control.go(begun["text"], begun["step"], begun["path"])
    same_as(page, at, control)
    for i, one in enumerate(control.places):
        place.select_option(str(i))
        control.go(path=one["path"])
        same_as(page, at, control)
    root.get_by_role("button", name="Reset").press("Enter")
    control.go(begun["text"], begun["step"], begun["path"])
    for text in [*control.examples[1:], control.examples[0]]:
        sentence.select_option(text)
        control.go(text=text)
        same_as(page, at, control)
