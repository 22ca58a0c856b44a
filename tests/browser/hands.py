"""The tasks of a control done by a hand, on any page: all by keyboard, or all by mouse."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playwright.sync_api import Locator, expect

Stops = Mapping[str, Any]  # what a control tells its page of a parameter
HANDS = ("keyboard", "mouse")
TRIES, SECONDS = 20, 10  # how often an act is repeated at most, and how long each has to show its effect


def until(act: Callable[[], object], holds: Callable[[], bool]) -> None:
    """Repeat an act until it has led to its state: a page that is still growing or being drawn may lose the first.

    Only for an act that may be repeated, such as one that scrolls to the end.
    """
    for _ in range(TRIES):
        act()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.05)
    raise AssertionError(f"the act has not led to its state in {TRIES} tries of {SECONDS} s")


def ticked(root: Locator, *numbers: int) -> None:
    done = root.locator(":scope > .tasks li.done")  # not those that are shown to a class
    expect(done).to_have_text([re.compile(rf"✓\s*{number}\. ") for number in numbers])


def do_tasks(root: Locator, hand: str, ways: Sequence[tuple[Any, ...]], parameters: Sequence[Stops] = ()) -> None:
    """Does them in their order: none is ticked at the start, and each by its own way alone.

    ways: as in tests/ways.py; those of an explorer and a walk where there are no parameters.
    """
    ticked(root)
    for number, way in enumerate(ways, 1):
        if parameters:
            _turn(root, hand, way, {parameter["name"]: parameter for parameter in parameters})
        elif root.locator(".glance").count():
            _choose_head(root, hand, *way)
        else:
            _open_boxes(root, hand, way)
        ticked(root, *range(1, number + 1))


def _turn(root: Locator, hand: str, way: tuple[str, Mapping[str, Any]], parameters: Mapping[str, Stops]) -> None:
    preset, changes = way
    _push(root, root.get_by_role("button", name="Reset", exact=True), hand)
    if preset:
        button = root.get_by_role("button", name=preset, exact=True)
        menu = root.locator("select.presets")
        _push(root, button, hand) if button.count() else _pick(menu, hand, menu.locator(f'option[value="{preset}"]'))
    for name, value in changes.items():
        _settled(root)
        turned = parameters[name]
        node = root.locator(f"[data-name={name}]")
        {"slider": _slide, "choice": _choose, "toggle": _switch, "paint": _paint, "entries": _step}[turned["kind"]](
            node, hand, turned, value
        )
    _settled(root)


def _settled(root: Locator) -> None:
    expect(root).not_to_have_attribute("data-asking", re.compile(""))


def _push(root: Locator, button: Locator, hand: str) -> None:
    button.press("Enter") if hand == "keyboard" else button.click()
    _settled(root)


def _press(node: Locator, key: str, times: int) -> None:
    node.focus()
    for _ in range(times):
        node.page.keyboard.press(key)


def _pick(menu: Locator, hand: str, option: Locator) -> None:
    """Of a menu that the browser draws itself, no mouse of a test reaches the options."""
    if hand == "mouse":
        menu.select_option(index=option.evaluate("option => option.index"))
        return
    _press(menu, "Home", 1)
    shown = "option => [...option.parentNode.children].filter(({ hidden }) => !hidden).indexOf(option)"
    _press(menu, "ArrowDown", option.evaluate(shown))


def _slide(node: Locator, hand: str, slider: Stops, value: Any) -> None:
    field, at = node.locator("input"), slider["stops"].index(value)
    until(lambda: _slide_from(field, hand, len(slider["stops"]), at), lambda: field.input_value() == str(at))


def _slide_from(field: Locator, hand: str, stops: int, at: int) -> None:
    """From where it is now: what is above it may have moved it from under the mouse."""
    by = at - int(field.input_value())
    if hand == "keyboard":
        _press(field, "ArrowRight" if by > 0 else "ArrowLeft", abs(by))
        return
    field.scroll_into_view_if_needed()
    box, thumb, mouse = field.bounding_box(), 24, field.page.mouse
    stop = (box["width"] - thumb) / (stops - 1)
    x, y = box["x"] + thumb / 2 + stop * (at - by), box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + round(stop * by), y)  # by whole pixels, as a mouse goes
    mouse.up()


def _choose(node: Locator, hand: str, choice: Stops, value: Any) -> None:
    at = choice["options"].index(value)
    if node.locator("select").count():
        _pick(node.locator("select"), hand, node.locator("option").nth(at))
    elif hand == "mouse":
        node.locator("label").nth(at).click()
    else:
        radios = node.locator("input")
        by = at - radios.evaluate_all("radios => radios.findIndex(({ checked }) => checked)")
        _press(node.locator("input:checked"), "ArrowRight" if by > 0 else "ArrowLeft", abs(by))


def _switch(node: Locator, hand: str, _: Stops, value: bool) -> None:
    assert node.locator("input").is_checked() != value
    node.locator("input").press("Space") if hand == "keyboard" else node.click()


def _paint(node: Locator, hand: str, _: Stops, value: Sequence[Sequence[bool]]) -> None:
    cells = node.locator("td button")
    for at, on in enumerate(itertools.chain(*value)):
        if (cells.nth(at).get_attribute("aria-pressed") == "true") == on:
            continue
        if hand == "mouse":
            cells.nth(at).click()
        else:
            _go(cells, "", at, len(value[0]))
            node.page.keyboard.press("Space")
        expect(cells.nth(at)).to_have_attribute("aria-pressed", str(on).lower())


def _step(node: Locator, hand: str, _: Stops, value: Sequence[Sequence[float]]) -> None:
    boxes = node.locator(".entry")
    for at, number in enumerate(itertools.chain(*value)):
        by = number - float(boxes.nth(at).locator("input").input_value().replace("−", "-"))
        if not by:
            continue
        if hand == "keyboard":
            _go(boxes.locator("input"), "Control+", at, len(value[0]))
            node.page.keyboard.insert_text(str(number))
            node.page.keyboard.press("Enter")
        else:
            boxes.nth(at).hover()
            for _ in range(abs(round(by))):  # − and + step by 1
                boxes.nth(at).get_by_text("+" if by > 0 else "−", exact=True).click()


def _go(fields: Locator, held: str, at: int, width: int) -> None:
    """By the arrow keys from the field that Tab leads to."""
    begun = fields.evaluate_all("fields => fields.findIndex(({ tabIndex }) => tabIndex === 0)")
    down, right = at // width - begun // width, at % width - begun % width
    fields.nth(begun).focus()
    for key in ["Down"] * down + ["Up"] * -down + ["Right"] * right + ["Left"] * -right:
        fields.page.keyboard.press(f"{held}Arrow{key}")


def _choose_head(root: Locator, hand: str, text: str, maps: str, layer: int, head: int) -> None:
    menu = root.locator("select").first
    _pick(menu, hand, menu.locator("option", has_text=text))
    group = root.get_by_role("radiogroup", name=maps)
    if hand == "mouse":
        group.get_by_role("radio", name=f"layer {layer}, head {head}", exact=True).click()
        return
    group.locator("[tabindex='0']").press("Enter")
    heads = group.get_by_role("radio", name="layer 1,").count()
    _go(group.get_by_role("radio"), "", (layer - 1) * heads + head - 1, heads)


def _open_boxes(root: Locator, hand: str, titles: Sequence[str]) -> None:
    _push(root, root.get_by_role("button", name="Reset", exact=True), hand)
    for title in titles:
        _push(root, root.locator(".box").filter(has=root.page.locator(f'.name:text-is("{title}")')), hand)
        expect(root.locator(".which")).to_contain_text(title)
