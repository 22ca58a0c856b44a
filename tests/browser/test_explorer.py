"""The attention explorer on a page of its own: drawn without Python, pointed at, driven by keys, read as a table."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import screenshot
from tests.browser.plain_page import shown_alone
from utils.show.explorer import AttentionExplorer, Pass, Text
from utils.site.build import build_site, built_lessons

ENGLISH = ["the", "weather", "is", "great", "."]
PERSIAN = ["<start>", "هوا", "عالی", "است", "."]
WRITTEN = [*PERSIAN[1:], "<end>"]  # names the rows of cross-attention


def maps(layers: int, heads: int, rows: int, columns: int, seed: int, causal: bool = False) -> list[np.ndarray]:
    shares = np.random.default_rng(seed).dirichlet(np.full(columns, 0.4), size=(layers, heads, rows))
    if causal:
        shares = np.tril(shares)
        shares /= shares.sum(axis=-1, keepdims=True)
    return list(shares)


def translation(seed: int = 0) -> Pass:
    return Pass(
        {
            "encoder": maps(2, 3, 5, 5, seed),
            "decoder": maps(2, 3, 5, 5, seed + 1, causal=True),
            "cross": maps(2, 3, 5, 5, seed + 2),
        },
        source=Text(ENGLISH, "en"),
        target=Text(PERSIAN, "fa", writes=WRITTEN),
        output="هوا عالی است.",
    )


def opened(page: Page, explorer: AttentionExplorer, folder: Path) -> Locator:
    return shown_alone(page, explorer, folder, python=False)


def shares(root: Locator, side: str) -> list[str]:
    return root.locator(f".{side} .share").all_inner_texts()


def texts(row: np.ndarray) -> list[str]:
    return ["<0.001" if 0 < weight < 0.0005 else f"{weight:.3f}" for weight in row]


def token(root: Locator, side: str, number: int) -> Locator:
    """A word, counted from 1."""
    return root.locator(f".{side} .token").nth(number - 1)


def drawn(canvas: Locator) -> int:
    """How many pixels of a canvas are not empty."""
    return canvas.evaluate(
        "c => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.filter((v, i) => i % 4 === 3 && v).length"
    )


def test_pointing_at_a_word_highlights_its_links_and_shows_its_numbers(blank: Page, tmp_path: Path) -> None:
    seen = translation()
    root = opened(blank, AttentionExplorer({"": seen}), tmp_path)
    assert drawn(root.locator("canvas.faint")) > 1000 and drawn(root.locator("canvas.lit")) == 0
    for head, name in enumerate(("head 1", "head 2")):
        root.get_by_role("radiogroup", name="Cross").get_by_role("radio", name=f"layer 2, {name}").click()
        weights = seen.maps["cross"][1][head]
        for row in (1, 4):
            token(root, "asking", row).hover()
            assert shares(root, "asked") == texts(weights[row - 1])
            assert drawn(root.locator("canvas.lit")) > 100
            band, cells = (root.locator(name).bounding_box() for name in (".mark:not(.spot)", "canvas.cells"))
            assert band["width"] > band["height"] and band["y"] > cells["y"]
        token(root, "asked", 2).hover()
        expected = [texts(row)[1] for row in weights]
        assert shares(root, "asking") == expected and shares(root, "asked") == [""] * 5
    expect(root.locator(".sentence")).to_have_text(
        "\u2068weather\u2069 is taken: "
        + ", ".join(
            f"{text} by \u2068{'“.”' if word == '.' else word}\u2069"
            for text, word in zip(expected, WRITTEN, strict=True)
        )
        + "."
    )
    root.locator(".heading").hover()
    assert shares(root, "asking") == [""] * 5 and drawn(root.locator("canvas.lit")) == 0
    screenshot(blank, "explorer")


def test_keyboard_reaches_every_head_and_every_number(blank: Page, tmp_path: Path) -> None:
    seen = translation()
    root = opened(blank, AttentionExplorer({"": seen}), tmp_path)
    root.get_by_role("radio", name="layer 1, head 1", exact=True).first.focus()
    heads = set()
    for keys in (["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowUp"], ["ArrowUp"]):
        for key in keys:
            blank.keyboard.press(key)
            heads.add(root.locator(".which").inner_text())
    assert heads == {f"Encoder, layer {layer}, head {head}" for layer in (1, 2) for head in (1, 2, 3)}
    group = root.get_by_role("radiogroup", name="Cross-attention")
    group.get_by_role("radio").first.focus()
    blank.keyboard.press("ArrowRight")
    expect(root.locator(".which")).to_have_text("Cross-attention, layer 1, head 2")
    weights = seen.maps["cross"][0][1]
    token(root, "asked", 1).focus()
    blank.keyboard.press("ArrowDown")
    spoken = root.locator(".unseen[aria-live]")
    for row in range(5):  # the Persian side: onwards is to the left
        assert shares(root, "asked") == texts(weights[row])
        for text in texts(weights[row]):
            expect(spoken).to_contain_text(text)
        blank.keyboard.press("ArrowLeft")
    blank.keyboard.press("Home")
    assert shares(root, "asked") == texts(weights[0])
    blank.keyboard.press("ArrowUp")
    assert shares(root, "asking") == [texts(row)[0] for row in weights]
    blank.keyboard.press("Escape")
    assert shares(root, "asking") == [""] * 5


def test_lesson_opens_with_links_that_light_up_under_its_title(reader: Page, tmp_path: Path) -> None:
    (lesson,) = (lesson for lesson in built_lessons() if lesson.number == "14")
    build_site(tmp_path / "site", [lesson], tables=False)
    reader.goto((tmp_path / "site" / f"{lesson.name}.html").as_uri())
    opening = reader.locator(".opening .attention-explorer")
    expect(opening).to_be_in_viewport(ratio=1)
    sentence, lit = opening.locator(".sentence"), opening.locator("canvas.lit")
    expect(opening.locator(".gloss").filter(has_text="apple")).to_be_visible()
    expect(sentence).to_contain_text(re.compile(r"\(eats\).* gives \d+(\.\d)? % of its attention to .*eats"))
    assert drawn(lit) > 100, "the verb's links"
    assert drawn(opening.locator("canvas.faint"))
    token(opening, "asked", 6).hover()
    expect(sentence).to_contain_text(re.compile(r"apple.? gets \d+(\.\d)? % of the attention of .*\(apple\)"))
    token(opening, "asking", 3).focus()
    expect(sentence).to_contain_text(re.compile(r"\(apple\).* gives \d+(\.\d)? % of its attention to .*apple"))
    reader.mouse.move(0, 0)
    reader.keyboard.press("Escape")
    expect(sentence).to_contain_text("Point at a word")
    assert drawn(lit) == 0
    opening.get_by_role("combobox").select_option("We see a red car.")
    expect(opening.locator(".gloss").filter(has_text="car")).to_be_visible()
    expect(sentence).to_contain_text(re.compile(r"\(see\(we\)\).* gives"))
    expect(opening.locator(":is(.glance, .heat, .help)").first).to_be_hidden()
    reader.set_viewport_size({"width": 360, "height": 740})
    expect(opening.locator(".links.vertical")).to_be_visible()
    heights = []
    for chosen in ("We see a red car.", "I do not drink tea.", "Did you see the old city?"):
        opening.get_by_role("combobox").select_option(chosen)
        heights.append(opening.bounding_box()["height"])
    assert max(heights) - min(heights) < 1, "the text below stays where it is"
