"""Show feedback as cards: a headline and a few sentences, marked by colour and words for eyes and screen readers."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

# Okabe and Ito's colours, which colour-blind eyes can distinguish; the words never rely on them.
_EDGES = {"neutral": "#767676", "good": "#009E73", "bad": "#D55E00", "note": "#0072B2"}

_FIELD = 'style="font:inherit;max-width:100%"'
_PRE = '<pre style="white-space:pre-wrap;word-break:normal;overflow-wrap:break-word">'  # JupyterLab breaks inside words


@dataclass(frozen=True, repr=False)
class Card:
    """A piece of output, as HTML for the page and as plain text for terminals and for CI."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def card(tone: str, headline: str, lines: Sequence[str], more: Card | None = None) -> Card:
    """Return a framed card. `tone` is "neutral", "good", "bad" or "note"; headline and lines are plain text.

    more: a card to show below the lines, such as a folded one.
    """
    body = "".join(f'<div style="margin-top:.25em">{escape(line)}</div>' for line in lines)
    body += more.html if more else ""
    html = (
        f'<div role="status" style="border-left:6px solid {_EDGES[tone]};padding:.5em .9em;margin:.4em 0;'
        f'font-size:1.1em;line-height:1.45;max-width:60em">'
        f"<strong>{escape(headline)}</strong>{body}</div>"
    )
    return Card(html, "\n".join([headline, *(f"  {line}" for line in lines), *([more.text] if more else [])]))


def folded(*things: Any, question: str = "Decide first, then open the answer.", guess: int | Sequence[str] = 0) -> Card:
    """Return `things` one below the other, folded under `question` until the reader opens them.

    A text, card, table or figure is shown as itself, anything else as Python prints it. `guess` is the number of fields
    for the reader's guess, or the choices to pick from. The guess stays above the answer.
    """
    inside = "".join(map(_html, things))
    html = (
        f'<details style="margin:.4em 0"><summary style="cursor:pointer;font-size:1.1em">{escape(question)}</summary>'
        f"{inside}</details>"
    )
    return Card(_guessed(guess, html) + html, "\n".join([question, *map(_plain, things)]))


def _guessed(guess: int | Sequence[str], answer: str) -> str:
    """Return the line for entering a guess, or "". A hash of the answer gives each group of choices its own name."""
    if isinstance(guess, int):
        named = [f"Your guess{f', number {at + 1}' * (guess > 1)}" for at in range(guess)]
        fields = "".join(f'<input size="8" autocomplete="off" aria-label="{name}" {_FIELD}> ' for name in named)
    else:
        name = f"guess-{zlib.crc32(answer.encode()):08x}"
        fields = "".join(
            f'<label style="margin-right:1em"><input type="radio" name="{name}"> {escape(choice)}</label> '
            for choice in guess
        )
    said = f'<div data-lm-suppress-shortcuts="true" style="font-size:1.1em;margin:.4em 0">Your guess: {fields}</div>'
    return said if fields else ""


def _html(thing: Any) -> str:
    if isinstance(thing, Card):
        return thing.html
    if hasattr(thing, "savefig"):
        from utils.show.figures import picture_html  # only here, because Matplotlib is slow to load

        return picture_html(thing)
    return f"{_PRE}{escape(_plain(thing))}</pre>"


def _plain(thing: Any) -> str:
    return thing if isinstance(thing, str) else getattr(thing, "alt", "") or repr(thing)
