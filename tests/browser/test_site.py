"""The site from a folder, with the network cut off: read, searched, in light and dark, printed, its controls turned."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import PATIENCE, screenshot
from utils.course.lessons import NOTEBOOKS, all_lessons
from utils.show.live import LiveControl
from utils.site import tables
from utils.site.build import build_site
from utils.site.pages import lesson_page
from utils.site.tables import axes_of, run_cell

BUILT = ("03", "05", "06", "09")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("browsed") / "site"
    build_site(folder, [lesson for lesson in all_lessons() if lesson.number in BUILT])
    return f"file://{folder}"


@pytest.fixture
def reader(browser: Browser) -> Iterator[Page]:
    """A page that gets files alone; what it asks of any other address, and what it complains of, fails the test."""
    context = browser.new_context(viewport={"width": 1300, "height": 1000}, color_scheme="light")
    context.set_default_timeout(PATIENCE * 1000)
    wrong: list[str] = []
    context.route("**/*", lambda route: route.continue_() if route.request.url.startswith("file:") else route.abort())
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else wrong.append(request.url),
    )
    yield page
    context.close()
    assert wrong == []


def paper(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_from_the_start_page_the_first_control_is_two_clicks_away(reader: Page, site: str) -> None:
    reader.goto(f"{site}/index.html")
    reader.get_by_role("link", name="Go to the control of lesson 03").click()
    control = reader.locator(".live-control")
    expect(control).to_be_in_viewport()
    assert control.locator(".sheet").count() == 3
    screenshot(reader, "site_control")


def test_previous_next_and_contents_lead_through_the_lessons(reader: Page, site: str) -> None:
    reader.goto(f"{site}/03_word2vec_and_prot2vec.html")
    expect(reader.locator("[rel=prev]")).to_have_count(0)
    reader.get_by_role("banner").get_by_role("link", name="05").click()
    expect(reader.get_by_role("heading", level=1)).to_have_text("05 · Self-attention by hand")
    reader.get_by_role("contentinfo").get_by_role("link", name="06").click()
    reader.get_by_role("contentinfo").get_by_role("link", name="09").click()
    expect(reader.locator("[rel=next]")).to_have_count(0)
    reader.get_by_role("contentinfo").get_by_role("link", name="Contents").click()
    expect(reader.get_by_role("heading", level=1)).to_have_text("Transformers, by hand")


def test_the_keyboard_skips_to_the_text_searches_all_lessons_and_goes_to_what_it_found(reader: Page, site: str) -> None:
    reader.goto(f"{site}/03_word2vec_and_prot2vec.html")
    reader.keyboard.press("Tab")
    skip = reader.get_by_role("link", name="Skip to the text")
    expect(skip).to_be_in_viewport()
    assert skip.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    skip.press("Enter")
    expect(reader.locator("main")).to_be_focused()
    reader.keyboard.press("/")
    reader.keyboard.type("SOFTMAX overflow")
    found = reader.get_by_role("region", name="What was found")
    link = found.get_by_role("link").first
    expect(link).to_contain_text("06 Scaled dot product")
    assert {text.lower() for text in found.locator("mark").all_inner_texts()} >= {"softmax"}
    screenshot(reader, "site_search")
    reader.keyboard.press("Escape")
    expect(found).to_be_hidden()
    reader.get_by_role("searchbox").fill("softmax nosuchword")
    expect(found.get_by_role("status")).to_have_text("Nothing was found.")
    reader.get_by_role("searchbox").fill("eight steps")
    reader.keyboard.press("Tab")
    expect(link).to_be_focused()
    target = link.get_attribute("href")
    assert "#" in target
    reader.keyboard.press("Enter")
    expect(reader).to_have_url(re.compile(re.escape(target.split("#")[0]) + "#."))


def test_it_is_dark_where_the_system_is_until_the_button_says_otherwise_and_keeps_that(reader: Page, site: str) -> None:
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    light = paper(reader)
    reader.emulate_media(color_scheme="dark")
    dark = paper(reader)
    assert dark != light == "rgb(255, 255, 255)"
    control = "getComputedStyle(document.querySelector('.course-control')).backgroundColor"
    assert reader.evaluate(control) == dark
    screenshot(reader, "site_dark")
    reader.get_by_role("button", name="Light").click()
    assert paper(reader) == reader.evaluate(control) == light
    reader.goto(f"{site}/06_scaled_dot_product.html")
    assert paper(reader) == light
    expect(reader.get_by_role("button", name="Dark")).to_be_visible()


def test_printed_it_is_the_lesson_alone_on_white(reader: Page, site: str) -> None:
    reader.emulate_media(media="print", color_scheme="dark")
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    for part in ("banner", "contentinfo"):
        expect(reader.get_by_role(part)).to_be_hidden()
    assert paper(reader) == "rgb(255, 255, 255)"
    expect(reader.locator("math").first).to_be_visible()
    screenshot(reader, "site_print")


def test_formulas_are_set_in_the_font_that_comes_along(reader: Page, site: str) -> None:
    reader.goto(f"{site}/06_scaled_dot_product.html")
    assert reader.evaluate("document.fonts.ready.then(() => document.fonts.check('20px \"Course Math\"', '√∑'))")
    heights = "nodes => nodes.map(node => node.getBoundingClientRect().height)"
    fraction, root = (reader.locator(part).evaluate_all(heights) for part in ("mfrac", "msqrt"))
    line = reader.locator("math mi").first.evaluate("node => node.getBoundingClientRect().height")
    assert min(fraction) > 1.2 * line and len(root) > 5
    screenshot(reader.locator("math[display=block]").first, "site_formula")


def test_what_is_folded_in_the_notebook_is_folded_here(reader: Page, site: str) -> None:
    reader.goto(f"{site}/05_self_attention_by_hand.html")
    solution = reader.locator("details", has=reader.get_by_text("Solution", exact=True)).first
    expect(solution.locator("pre")).to_be_hidden()
    solution.locator("summary").press("Enter")
    expect(solution.locator("pre")).to_be_visible()


@pytest.mark.parametrize("width", [360, 800, 1900])
def test_no_page_is_wider_than_its_window(reader: Page, site: str, width: int) -> None:
    reader.set_viewport_size({"width": width, "height": 900})
    for page in ("index", "05_self_attention_by_hand", "06_scaled_dot_product"):
        reader.goto(f"{site}/{page}.html")
        assert reader.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), page


def test_the_gallery_has_each_control_with_its_lesson_and_loads_what_is_near(reader: Page, site: str) -> None:
    reader.goto(f"{site}/gallery.html")
    sections = reader.locator(".of-lesson")
    expect(sections.first.locator(".live-control")).to_be_visible()
    assert reader.evaluate("[...course.controls.keys()].length") < sections.count() == len(BUILT)
    for section, number in zip(sections.all(), BUILT, strict=True):
        lesson = next(lesson for lesson in all_lessons() if lesson.number == number)
        section.scroll_into_view_if_needed()
        expect(section.locator(".course-control").first).to_be_visible()
        expect(section).to_contain_text(lesson.question)
        assert section.get_by_role("link").first.get_attribute("href") == f"{lesson.name}.html#control-1"
    control = sections.first.locator(".live-control")
    before = control.locator(".note .sentence").first.inner_text()
    control.get_by_role("button", name="k = 1", exact=True).click()
    expect(control.locator(".note .sentence").first).not_to_have_text(before)
    screenshot(reader, "site_gallery")


STATE = """name => {
  const model = [...course.controls.values()][0];
  return model.get(name);
}"""
ANSWER = """values => {
  const model = [...course.controls.values()][0];
  return new Promise(resolve => {
    const steps = Object.entries(values);
    const go = () => {
      if (!steps.length) return resolve(model.get("panels"));
      const [name, value] = steps.shift();
      const id = `test-${name}-${steps.length}-${Math.random()}`;
      const heard = () => {
        if (model.get("answer") !== id) return;
        model.off("change", heard);
        go();
      };
      model.on("change", heard);
      model.send({ kind: "set", name, value, id });
    };
    go();
  });
}"""


def opened(page: Page, site: str, number: str) -> tuple[Locator, LiveControl]:
    """The first control of a lesson's page, and Python's own."""
    lesson = next(lesson for lesson in all_lessons() if lesson.number == number)
    shown = lesson_page(nbformat.read(NOTEBOOKS / lesson.notebook_name, as_version=4)).controls
    page.goto(f"{site}/{lesson.name}.html")
    return page.locator(".live-control"), run_cell(next(iter(shown.values())).source)


def same_as(page: Page, root: Locator, control: LiveControl) -> None:
    """The page has Python's values and panels, and what it shows are Python's sentences."""
    page.wait_for_function("() => !document.querySelector('.course-control[data-asking]')")
    for name in ("values", "panels", "preset", "entries", "row"):
        assert page.evaluate(STATE, name) == getattr(control, name), name
    assert page.evaluate("Object.keys([...course.controls.values()][0].get('refusals')).length") == 0
    notes = [
        panel["texts"][control.row if len(panel["texts"]) > 1 else 0]
        for panel in control.panels
        if "texts" in panel and panel["kind"] == "note"
    ]
    assert root.locator(".note .sentence").all_inner_texts() == notes


@pytest.mark.parametrize("number", BUILT)
def test_a_control_answers_at_both_ends_in_every_preset_and_after_a_reset_as_python_does(
    reader: Page, site: str, number: str
) -> None:
    root, control = opened(reader, site, number)
    same_as(reader, root, control)
    for field in root.locator(".parameter[data-name]:has(input[type=range])").all():
        name = field.get_attribute("data-name")
        stops = next(p["stops"] for p in control.parameters if p["name"] == name)
        for key, stop in (("End", stops[-1]), ("Home", stops[0])):
            field.locator("input").press(key)
            control.set(**{name: stop})
            same_as(reader, root, control)
    for name in control.presets:
        button = root.get_by_role("button", name=name, exact=True)
        button.press("Enter") if button.count() else root.locator("select[id$=-preset]").select_option(name)
        control.choose(name)
        same_as(reader, root, control)
        screenshot(root, f"site_{number}_preset")
    root.get_by_role("button", name="Reset", exact=True).press("Space")
    control.reset()
    same_as(reader, root, control)


@pytest.mark.parametrize("number", BUILT)
def test_at_random_settings_the_numbers_are_python_s_or_the_page_says_that_it_has_none(
    reader: Page, site: str, number: str
) -> None:
    _, control = opened(reader, site, number)
    axes = axes_of(control.parameters, [control.values, *({**control.values, **p} for p in control.presets.values())])
    draw = random.Random(0)
    for _ in range(30):
        for name, values in axes.items():
            value = draw.choice(values)
            control.set(**{name: value})
            panels = reader.evaluate(ANSWER, {name: value})
            assert panels == control.panels
            refused = reader.evaluate("[...course.controls.values()][0].get('refusals')")
            assert list(refused) == list(control.refusals)


def test_what_is_typed_is_refused_in_a_sentence_and_nothing_else_changes(reader: Page, site: str) -> None:
    root, control = opened(reader, site, "05")
    entry = root.get_by_role("textbox", name="X row 1 column 1", exact=True)
    entry.fill("7")
    entry.press("Enter")
    expect(root.locator(".refusal")).to_contain_text("no Python to compute with what is typed")
    expect(root.locator(".refusal")).to_contain_text("make lab")
    assert reader.evaluate(STATE, "panels") == control.panels
    screenshot(root, "site_refusal")
    entry.press("Escape")
    expect(root.locator(".refusal")).to_be_hidden()
    root.locator("fieldset", has=reader.get_by_text("Who asks?")).get_by_role("radio").nth(2).check(force=True)
    control.row = 2
    same_as(reader, root, control)


def test_a_setting_that_was_not_computed_is_never_shown_with_another_s_numbers(
    reader: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_SETTINGS", 20)
    build_site(tmp_path, [lesson for lesson in all_lessons() if lesson.number == "03"])
    root, control = opened(reader, f"file://{tmp_path}", "03")
    control.set(window=10)
    assert reader.evaluate(ANSWER, {"window": 10}) == control.panels  # one move from the start
    assert reader.evaluate(ANSWER, {"negatives": 1}) == control.panels  # two: what was shown stays
    expect(root.locator(".refusal")).to_contain_text("was not computed beforehand")
    assert reader.evaluate(STATE, "values") == control.values
    root.get_by_role("button", name="k = 1", exact=True).click()
    control.choose("k = 1")
    same_as(reader, root, control)


def test_the_explorer_and_the_catalogue_choose_by_themselves_and_say_what_they_cannot(
    reader: Page, tmp_path: Path
) -> None:
    build_site(tmp_path, [lesson for lesson in all_lessons() if lesson.number in ("14", "19")], tables=False)
    reader.goto(f"file://{tmp_path}/14_attention_maps.html")
    sentence = reader.locator(".attention-explorer select").first
    sentence.select_option(index=1)
    expect(reader.locator(".attention-explorer .heading")).to_be_visible()
    switch = reader.locator(".attention-explorer input[type=checkbox]").first
    switch.click(force=True)
    expect(reader.get_by_role("alert")).to_contain_text("make lab")
    expect(switch).not_to_be_checked()
    reader.goto(f"file://{tmp_path}/19_notes_checked.html")
    catalogue = reader.locator(".catalogue-explorer")
    catalogue.locator('input[value="N2"]').check(force=True)
    expect(catalogue.locator(".sentence")).to_contain_text(re.compile(r"^\d+ of \d+$"))
    leads = catalogue.locator(".item:visible a").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    assert leads and all(re.fullmatch(r"\d\d\w?_\w+\.html(#.*)?", lead) for lead in leads)
