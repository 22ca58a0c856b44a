"""What the live controls have in common on their pages: `parts.js` and `parts.css`, put in front of each one's own."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent


def page(own: str) -> str:
    """The text of a control's own .js or .css file, behind what all controls share: a page can import nothing."""
    shared = (_HERE / "parts").with_suffix(Path(own).suffix)
    return "\n".join(path.read_text(encoding="utf-8") for path in (shared, _HERE / own))
