"""The walk on a page of its own: from the overview to one product and back, by hand and by keys, without Python too."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.machine import Machine
from tests.browser.conftest import screenshot
from tests.browser.plain_page import shown_alone
from utils.show.walk import WalkExplorer
from utils.training.translator import Translator

SENTENCES = ["They drink cold water.", "My sister does not read the old book."]


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine(Translator.load(files("utils.training") / "translator.safetensors"))


@pytest.fixture
def walk(machine: Machine) -> WalkExplorer:
    places = {
        "05: queries": "encoder.layer1.attention.head1.Q",
        "08: the mask": "decoder.layer1.attention.head1.mask",
        "10: the encoder": "encoder",
        "15: the encoder, which BERT is": "encoder",
    }
    return WalkExplorer(machine, SENTENCES, places, step=4, alt="the machine as boxes")


def into(root: Locator, *titles: str) -> None:
    """Opens one box after the other."""
    for title in titles:
        root.locator(".box").filter(has=root.page.locator(f'.name:text-is("{title}")')).click()
        expect(root.locator(".which")).to_contain_text(title)


def trail(root: Locator) -> list[str]:
    return root.locator(".trail li").all_inner_texts()


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def test_walkthrough_leads_from_overview_to_a_product_and_back(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    root = shown_alone(blank, walk, tmp_path)
    screenshot(root, "walk_overview")
    into(root, "Encoder", "Encoder layer 1", "Self-attention", "Head 2", "Queries")
    assert trail(root) == ["The machine", "Encoder", "Encoder layer 1", "Self-attention", "Head 2", "Queries"]
    root.locator("tbody td.number").nth(5).click()
    work = root.locator(".work")
    expect(work.locator("h4")).to_have_text("Row they, column 6")
    terms = work.locator("tbody tr")
    expect(terms).to_have_count(128)
    numbers = [number(text) for text in terms.locator("td").all_inner_texts()]
    left, right, product = numbers[::3], numbers[1::3], numbers[2::3]
    assert all(abs(a * b - c) < 1e-4 for a, b, c in zip(left, right, product, strict=True))
    total, bias, value = (number(text) for text in work.locator("dd").all_inner_texts())
    assert abs(sum(product) - total) < 1e-3 and abs(total + bias - value) < 1e-5
    assert abs(value - walk.shown.values[0, 5]) < 1e-5
    screenshot(root, "walk_sum")
    root.locator(".trail").get_by_role("button", name="Self-attention").click()
    expect(root.locator(".which")).to_contain_text("Self-attention")
    expect(work).to_be_hidden()
    root.locator(".trail").get_by_role("button", name="The machine").click()
    expect(root.locator(".box")).to_have_count(11)


def test_keyboard_leads_down_to_a_sum_and_up_again(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    root = shown_alone(blank, walk, tmp_path)
    root.locator(".box").nth(2).press("Enter")
    title = root.locator(".which")
    expect(title).to_contain_text("English vectors")
    expect(title).to_be_focused()
    blank.keyboard.press("Tab")
    expect(root.locator(".inputs button").first).to_be_focused()
    blank.keyboard.press("Tab")
    expect(root.locator(".box").first).to_be_focused()
    blank.keyboard.press("Enter")
    expect(title).to_contain_text("Embedding")
    cell = root.locator("tbody td").first
    cell.focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        blank.keyboard.press(key)
    expect(root.locator(".work h4")).to_have_text("Row drink, column 2")
    expect(root.locator("tbody tr").nth(1).locator("td").nth(1)).to_be_focused()
    blank.keyboard.press("End")
    first = root.locator("thead th").nth(0)
    expect(first).to_have_text("1")
    blank.keyboard.press("ArrowRight")  # beyond the last in sight
    expect(first).to_have_text("2")
    blank.keyboard.press("Escape")
    expect(root.locator(".work")).to_be_hidden()
    blank.keyboard.press("Escape")
    expect(title).to_contain_text("English vectors")
    blank.keyboard.press("Escape")
    expect(title).to_contain_text("The machine")


def test_lesson_link_leads_to_its_box_even_without_python(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    root = shown_alone(blank, walk, tmp_path, python=False)
    blank.goto(f"{blank.url}?box=encoder.layer1.attention.head1.Q")
    expect(root.locator(".which")).to_contain_text("Queries")
    link = "<a href='#' title='decoder.layer1.attention.head1.mask'>the mask</a>"  # of a notebook beside it
    blank.evaluate("link => document.body.insertAdjacentHTML('beforeend', link)", link)
    blank.get_by_role("link", name="the mask").click()
    expect(root.locator(".which")).to_contain_text("Mask")


def test_steps_in_front_of_a_class_tick_no_task(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    """A task asks to find a box: the list of places leads to it by itself."""
    walk.tasks, walk.done_at = ["Find the encoder."], [["encoder"]]
    root = shown_alone(blank, walk, tmp_path, python=False)
    root.get_by_role("button", name="Present", exact=True).click()
    blank.keyboard.press("ArrowLeft")
    expect(root.locator(".which")).to_contain_text("Encoder")
    blank.keyboard.press("Escape")
    done = root.locator(".tasks .done")
    expect(done).to_have_count(0)
    root.locator(".trail button").first.click()
    expect(root.locator(".which")).to_contain_text("The machine")
    assert done.count() == 0
    into(root, "Encoder")
    expect(done).to_have_count(1)
