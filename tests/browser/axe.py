"""What axe-core finds on a page against WCAG 2.2 AA, in what is the course's own."""

from __future__ import annotations

from collections.abc import Sequence

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    # Off unless asked for: one of WCAG 2.2, and two of good practice that screen readers go by.
    "rules": {name: {"enabled": True} for name in ("target-size", "heading-order", "empty-table-header")},
    "resultTypes": ["violations"],
}
UNFOLD = """async () => {
    const folded = [...document.querySelectorAll("details:not([open])")];
    const told = folded.map(details => new Promise(done => details.addEventListener("toggle", done, { once: true })));
    for (const details of folded) details.open = true;
    await Promise.all(told);  // what hears of it makes its part then
    // and what is told of sizes hears of them before the second frame from here
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}"""


def violations(page: Page, include: Sequence[str] = ()) -> list[str]:
    """What breaks a rule, folded parts too: each in a line with the rule, where it is broken, and how.

    include: selectors of what is looked at; all of the page if there are none.
    """
    page.evaluate(UNFOLD)
    context = [[selector] for selector in include]
    found = Axe().run(page, context, _RULES).response["violations"]
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {' '.join(node['failureSummary'].split())}"
        for rule in found
        for node in rule["nodes"]
        # axe takes a formula for no text; a browser says it
        if not (rule["id"] == "empty-table-header" and "<math" in node["html"])
    ]
