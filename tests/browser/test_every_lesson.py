"""Every lesson in a real browser: its control driven to both ends, its first exercise answered wrongly and rightly.

What a browser adds is the page; the other cells, every solution and every wrong answer are run without one, and are
left out of the notebooks here: JupyterLab makes an editor for each. Whole lessons are opened by the link's test below.
"""

from __future__ import annotations

import math
import re

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import (
    Course,
    cell_with,
    eventually,
    open_in_place,
    open_part,
    run_all,
    run_cells,
    screenshot,
    submit,
)
from tests.needed_cells import needed_cells
from utils.course.build import build
from utils.course.exercises import EXERCISES
from utils.course.lessons import BEGIN, all_lessons

LESSONS = all_lessons()
OF_EACH_KIND = ("05", "12a")  # an exercise in NumPy, and one in PyTorch
ANSWERED = 100_000  # ms, also on a busy machine: who breaks a lesson is told so without waiting as for JupyterLab
ERRORS = """() => jupyterapp.shell.currentWidget.content.model.sharedModel.cells.filter(
    cell => (cell.outputs ?? []).some(output => output.output_type === "error")).map(cell => cell.source)"""


@pytest.mark.usefixtures("its_weights")
@pytest.mark.parametrize(
    "lesson",
    [pytest.param(lesson, marks=[] if lesson.number in OF_EACH_KIND else pytest.mark.long) for lesson in LESSONS],
    ids=lambda lesson: lesson.number,
)
def test_lesson_control_answers_and_first_exercise_names_a_mistake(lesson, one_page: Page, course: Course) -> None:
    notebook = build(lesson, LESSONS, solved=True)  # a solution may need more than its stub
    exercise = next((c.source for c in notebook.cells if c.cell_type == "code" and BEGIN in c.source), None)
    needed = needed_cells(notebook, lambda source: source == exercise or "Explorer(" in source)
    controls = [at for at, c in enumerate(notebook.cells) if c.cell_type == "code" and "Control(" in c.source]
    live = [source for at in controls if "LiveControl(" in (source := notebook.cells[at].source) and "tasks=" in source]
    open_part(one_page, course, lesson.notebook_name, sorted({*needed, *controls}))
    run_all(one_page)
    assert one_page.evaluate(ERRORS) == []
    if live:
        the_control_answers_at_both_ends(lesson, live[0].splitlines()[-1], one_page)
    if "AttentionExplorer(" in lesson.text:
        the_explorer_lights_words_and_translates_without_a_head(lesson, one_page)
    if exercise:
        a_wrong_answer_is_named_and_the_solution_passes(exercise, one_page)
        screenshot(one_page, f"lesson_{lesson.number}_passed")


HOW_FAR = """() => {
    const notebook = document.querySelector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer");
    const headings = [...notebook.querySelectorAll("h2, h3")];
    const heading = headings.find(node => node.textContent.startsWith("Try it yourself"));
    const controls = [...notebook.querySelectorAll(".course-control")];
    const isAfter = node => heading?.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
    const control = controls.find(isAfter);
    if (!control) return Infinity;
    const below = control.getBoundingClientRect().top - notebook.getBoundingClientRect().top;
    const atEnd = notebook.scrollTop + notebook.clientHeight > notebook.scrollHeight - 2; // there it can't come higher
    return atEnd && below > 0 && below < notebook.clientHeight / 2 ? 0 : below;
}"""


@pytest.mark.parametrize(
    "number", ["08", *(pytest.param(number, marks=pytest.mark.long) for number in ("06", "12a"))]
)  # long ones, in which it had once to be clicked twice
def test_link_leads_to_control_on_first_click(number: str, one_page: Page, course: Course) -> None:
    """Past the tasks and the code, from the top of the lesson, whose control was run by itself."""
    lesson = next(one for one in LESSONS if one.number == number)
    open_in_place(one_page, course, lesson.notebook_name)
    cells = nbformat.read(course.notebooks / lesson.notebook_name, as_version=4).cells
    run_cells(one_page, [at for at, cell in enumerate(cells) if cell.cell_type == "code" and "Control(" in cell.source])
    page = one_page
    # JupyterLab draws what is far away by and by, on a busy computer seconds later; till then the link is its own.
    eventually(lambda: page.evaluate(HOW_FAR) < math.inf)
    link = cell_with(page, "](#Try-it-yourself)").get_by_role("link", name="to the interactive figure")
    link.click()
    eventually(lambda: abs(page.evaluate(HOW_FAR)) < 15)


def ends_of(options: Locator) -> list[Locator]:
    return [options.first, options.last] if options.count() else []


def the_control_answers_at_both_ends(lesson, line: str, page: Page) -> None:
    """Check both ends of every range, choice and menu, and of the presets; `make check-site` asks for all settings.

    line: the last one of the cell that shows the control.
    """
    control = cell_with(page, line).locator(".live-control")
    control.wait_for()
    screenshot(control, f"lesson_{lesson.number}_control")
    seen = {shown(control)}
    for slider in control.locator("input[type=range]").all():
        for key in ("End", "Home"):
            slider.press(key)
            seen.add(shown(control))
    for field in control.locator(".choice:has(input)").all():
        for option in ends_of(field.locator("input")):
            option.check(force=True)
            seen.add(shown(control))
    for menu in control.locator(".choice select").all():
        for option in ends_of(menu.locator("option")):
            menu.select_option(option.get_attribute("value"))
            seen.add(shown(control))
    for switch in control.locator("input[type=checkbox]").all():
        switch.press("Space")
        seen.add(shown(control))
    for preset in ends_of(control.locator("button.preset")):
        preset.click()
        seen.add(shown(control))
    control.get_by_role("button", name="Reset", exact=True).click()
    shown(control)
    expect(control.get_by_text("These are saved numbers")).to_be_hidden()
    expect(control.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_have_count(0)
    assert len(seen) > 2, "nothing that was turned changed the page"


def the_explorer_lights_words_and_translates_without_a_head(lesson, page: Page) -> None:
    explorer = cell_with(page, "AttentionExplorer(").locator(".attention-explorer")
    explorer.locator(".token").first.wait_for()
    screenshot(explorer, f"lesson_{lesson.number}_explorer")
    sentence, picture = explorer.locator(".sentence"), explorer.locator("canvas.lit")
    explorer.locator(".asking .token").nth(1).hover()
    said = [sentence.inner_text()]
    drawn = [picture.screenshot()]
    explorer.locator(".asking .token").first.press("End")
    said.append(sentence.inner_text())
    drawn.append(picture.screenshot())
    assert all(" takes: " in words for words in said) and said[0] != said[1] and drawn[0] != drawn[1]
    explorer.get_by_role("checkbox").check()  # one head, then all of its kind
    expect(explorer.locator(".output")).to_contain_text("1 head off")
    explorer.get_by_role("button", name="all off: Cross-attention").click()
    expect(explorer.locator(".output")).to_contain_text("8 heads off; with all heads on: ")
    asked = explorer.locator(".asked .word")
    before = asked.all_inner_texts()
    explorer.get_by_role("combobox").select_option(index=1)
    expect(asked).not_to_have_text(before)
    expect(explorer.locator(".output")).to_contain_text("8 heads off; with all heads on: ")
    field, translate = explorer.get_by_label("a sentence of your own"), explorer.get_by_role("button", name="Translate")
    field.fill("Xyzzy.")
    translate.click()
    expect(explorer.get_by_role("alert")).to_contain_text("has not learnt the word “xyzzy”")
    expect(field).to_have_value("Xyzzy.")  # still there, to be put right
    field.fill("where is the cat")
    translate.click()
    expect(explorer.locator(".asked .word")).to_have_text(["where", "is", "the", "cat", "?"])
    expect(explorer.get_by_role("alert")).to_be_empty()


def shown(control: Locator) -> str:
    """What the control shows once Python has answered all that was asked, or the page has given it up."""
    # Not `expect`, which describes the whole page whenever it looks in vain: a fifth of these tests' time.
    control.and_(control.page.locator(":not([data-asking])")).wait_for()
    return control.inner_text()


def a_wrong_answer_is_named_and_the_solution_passes(solution: str, page: Page) -> None:
    name = re.search(r'\bcheck\("([^"]+)"', solution)[1]
    mistaken = f"""from dataclasses import replace
from utils.course.exercises import EXERCISES, check
exercise = EXERCISES["{name}"]
EXERCISES["{name}"] = replace(exercise, used=None)  # a known mistake is compared as it is
card = check("{name}", exercise.wrong_answers[0].function)
EXERCISES["{name}"] = exercise
card"""
    card = submit(page, f'check("{name}"', mistaken)
    expect(card).to_contain_text(EXERCISES[name].wrong_answers[0].sentence, timeout=ANSWERED)
    card = submit(page, f'check("{name}"', solution)
    expect(card).to_contain_text("passed", timeout=ANSWERED)
