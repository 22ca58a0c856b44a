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
_UNFOLD = """async () => {
    document.querySelectorAll("details").forEach(details => (details.open = true));
    await new Promise(done => setTimeout(done, 200));  // what is made when it is unfolded
}"""


def violations(page: Page, include: Sequence[str] = ()) -> list[str]:
    """What breaks a rule, folded parts too: each in a line with the rule, where it is broken, and how.

    include: selectors of what is looked at; all of the page if there are none.
    """
    page.evaluate(_UNFOLD)
    context = [[selector] for selector in include]
    found = Axe().run(page, context, _RULES).response["violations"]
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))}: {' '.join(node['failureSummary'].split())}"
        for rule in found
        for node in rule["nodes"]
        # axe takes a formula for no text; a browser says it
        if not (rule["id"] == "empty-table-header" and "<math" in node["html"])
    ]
