"""The walk on a page of its own: from the overview to one product and back, by hand and by keys, without Python too."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from lessons.machine import Machine
from tests.browser.conftest import screenshot
from tests.browser.plain_page import shown_alone
from utils.course.tasks import Tasks
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


def test_from_the_overview_down_to_one_product_and_back_by_the_line_above(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
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


def test_a_click_while_a_box_grows_or_shrinks_is_one_for_what_stays(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
    root = shown_alone(blank, walk, tmp_path)
    blank.context.new_cdp_session(blank).send("Animation.setPlaybackRate", {"playbackRate": 0.001})  # it never ends
    into(root, "Encoder")
    crumb = root.locator(".trail").get_by_role("button", name="The machine")
    crumb.click()
    expect(root.locator(".box")).to_have_count(11)
    expect(root).to_have_class(re.compile("zooming"))
    for name in (".which", ".box"):
        box = root.locator(name).first.bounding_box()
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        moves = blank.evaluate("([x, y]) => !!document.elementFromPoint(x, y).closest('.above ~ *')", middle)
        assert not moves, f"{name} takes a click while it moves"
    bar = "getComputedStyle(document.querySelector('.present-bar')).pointerEvents"
    assert blank.evaluate(bar) == "auto", "in front of a class the bar stands still"


def test_every_number_in_sight_is_the_boxs_from_the_first_column_to_the_last(
    blank: Page, walk: WalkExplorer, machine: Machine, tmp_path: Path
) -> None:
    row = machine(SENTENCES[0], 4)["input.sum"].values[0]
    root = shown_alone(blank, walk, tmp_path)
    into(root, "English vectors", "Word and position")
    columns = root.locator(".columns input")
    for key, last in (("Home", False), ("End", True)):
        columns.press(key)
        shown = [number(text) for text in root.locator("tbody tr").first.locator("td").all_inner_texts()]
        values = row[-len(shown) :] if last else row[: len(shown)]
        assert len(shown) > 5
        assert [round(float(value), 3) for value in values] == pytest.approx(shown, abs=0.00051)
    expect(root.locator(".columns label")).to_have_text(re.compile(r"to 128 of 128"))


def test_a_softmax_shows_its_powers_and_the_mask_its_infinity(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    root = shown_alone(blank, walk, tmp_path)
    into(root, "Probabilities")
    root.locator("tbody tr").last.locator("td").first.click()
    assert root.locator(".work h4").inner_text() == "Row سرد, column می‌نوشند"
    expect(root.locator(".work tr.this")).to_be_in_viewport()
    expect(root.locator(".work tbody tr")).to_have_count(358)
    root.get_by_label("Go to").select_option(label="08: the mask")
    expect(root.locator("tbody tr").first.locator("td")).to_have_text([re.compile(r"\d"), "−∞", "−∞", "−∞"])
    root.locator("tbody td").nth(1).click()
    expect(root.locator(".work dd")).to_have_text("−∞")


def test_a_task_is_ticked_in_its_box_by_keys_and_stays_so(blank: Page, machine: Machine, tmp_path: Path) -> None:
    tasks = Tasks()
    tasks.ask("Open the encoder.")(lambda at, _: at.path == "encoder")
    root = shown_alone(
        blank, WalkExplorer(machine, SENTENCES, step=4, alt="the machine as boxes", tasks=tasks), tmp_path
    )
    done = root.locator(".tasks li.done")
    expect(done).to_have_count(0)
    box = root.locator(".box").filter(has=blank.locator('.name:text-is("Encoder")'))
    box.press("Enter")
    expect(done).to_have_text(["✓1. Open the encoder."])
    expect(root.locator(".which")).to_be_focused()  # as after any other box
    root.locator(".trail button").first.click()
    expect(root.locator(".which")).not_to_contain_text("Encoder")
    expect(done).to_have_count(1)


def test_a_box_that_holds_others_shows_the_sum_of_its_last_and_marks_no_term(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
    root = shown_alone(blank, walk, tmp_path)
    into(root, "Encoder", "Encoder layer 1", "Self-attention")
    expect(root.locator(".equation")).to_contain_text("its numbers are those of “Projected”: F(x̂)")
    expect(root.locator(".says")).to_contain_text("Each number is a sum of 128 products, plus b.")
    root.locator("tbody td.number").nth(4).click()
    expect(root.locator(".work .sum")).to_contain_text("128 products")
    expect(root.locator(".work tr.this")).to_have_count(0)


def test_the_menu_keeps_the_place_that_was_chosen_where_two_are_one_box(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
    root = shown_alone(blank, walk, tmp_path)
    menu = root.get_by_label("Go to")
    for label in (
        "15: the encoder, which BERT is",
        "10: the encoder",
        "08: the mask",
        "15: the encoder, which BERT is",
    ):
        menu.select_option(label=label)
        title = "Mask" if label.startswith("08") else "Encoder"
        expect(root.locator(".which")).to_contain_text(title)
        expect(menu.locator("option:checked")).to_have_text(label)
    root.locator(".trail button").first.click()
    expect(menu.locator("option:checked")).to_have_text("a lesson's place …")


def test_the_keyboard_leads_down_to_a_sum_and_up_again(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
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


def test_another_word_another_sentence_and_one_that_is_refused(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    root = shown_alone(blank, walk, tmp_path)
    into(root, "Written so far")
    steps = root.locator(".steps input")
    expect(steps).to_have_count(6)
    for step in (6, 1):
        steps.nth(step - 1).check(force=True)
        expect(root.locator(".sheet tbody tr")).to_have_count(step)
    root.get_by_label("Sentence", exact=True).select_option(SENTENCES[1])
    expect(steps).to_have_count(8)
    assert trail(root)[-1] == "Written so far"
    field, button = root.get_by_label("a sentence of your own"), root.get_by_role("button", name="Walk")
    field.fill("They drink xyzzy.")
    button.click()
    expect(root.get_by_role("alert")).to_contain_text("This translator has not learnt the word “xyzzy”")
    expect(field).to_have_value("They drink xyzzy.")  # still there, to be put right
    field.fill("where is the cat")
    field.press("Enter")
    expect(root.get_by_role("alert")).to_be_empty()
    root.locator(".trail button").first.click()
    into(root, "Tokens and ids")
    expect(root.locator(".sheet tbody th")).to_have_text(["where", "is", "the", "cat", "?"])
    root.get_by_role("button", name="Reset").click()
    expect(root.locator(".which")).to_contain_text("The machine")
    expect(field).to_have_value(SENTENCES[0])


def test_without_python_the_saved_boxes_open_and_a_deeper_one_says_what_it_needs(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
    root = shown_alone(blank, walk, tmp_path, python=False)
    into(root, "Encoder", "Encoder layer 1")
    root.locator(".trail button").first.click()
    into(root, "Logits")
    root.locator("tbody td").first.click()
    expect(root.locator(".notice")).to_contain_text("These are saved numbers. Run the cell (Shift+Enter)")
    expect(root.locator(".which")).to_contain_text("Logits")


def test_arrows_lead_from_encoder_to_decoder_and_from_the_word_back_and_a_map_says_where_one_is(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
    root = shown_alone(blank, walk, tmp_path)
    made = sum(len(box["after"]) for box in walk.page["inside"])
    expect(root.locator(".ways path:not(.again, marker *)")).to_have_count(made)
    expect(root.locator(".ways path.again")).to_have_count(1)
    assert walk.page["inside"][6]["after"] == [3, 5] and walk.page["inside"][9]["again"] == 4
    expect(root.locator(".map")).to_be_hidden()
    into(root, "Encoder", "Encoder layer 1", "Feed-forward")
    expect(root.locator(".map rect.on title")).to_have_text(["Encoder", "Encoder layer 1", "Feed-forward"])
    root.locator(".map rect", has_text="Decoder").first.click()
    expect(root.locator(".which")).to_contain_text("Decoder")


def test_the_link_of_a_lesson_leads_to_its_box_even_where_no_python_is(
    blank: Page, walk: WalkExplorer, tmp_path: Path
) -> None:
    root = shown_alone(blank, walk, tmp_path, python=False)
    blank.goto(f"{blank.url}?box=encoder.layer1.attention.head1.Q")
    expect(root.locator(".which")).to_contain_text("Queries")
    link = "<a href='#' title='decoder.layer1.attention.head1.mask'>the mask</a>"  # of a notebook beside it
    blank.evaluate("link => document.body.insertAdjacentHTML('beforeend', link)", link)
    blank.get_by_role("link", name="the mask").click()
    expect(root.locator(".which")).to_contain_text("Mask")


def test_it_fits_a_narrow_page_and_a_wide_one_light_and_dark(blank: Page, walk: WalkExplorer, tmp_path: Path) -> None:
    root = shown_alone(blank, walk, tmp_path)
    into(root, "Decoder", "Decoder layer 1", "Cross-attention", "Head 1")
    for width in (360, 700, 1280, 1920):
        blank.set_viewport_size({"width": width, "height": 900})
        assert blank.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        screenshot(root, f"walk_{width}")
    blank.emulate_media(color_scheme="dark")
    blank.add_style_tag(content=":root { color-scheme: dark }")
    screenshot(root, "walk_dark")
