"""Feedback: a headline and a few sentences, framed in a colour and marked in words, for eyes and screen readers."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

# Okabe and Ito's colours, told apart by colour-blind eyes; the words never rely on them.
_EDGES = {"neutral": "#767676", "good": "#009E73", "bad": "#D55E00", "note": "#0072B2"}

_FIELD = 'style="font:inherit;max-width:100%"'


@dataclass(frozen=True, repr=False)
class Card:
    """Something to look at: HTML for the page, the same in plain text for terminals and for CI."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def card(tone: str, headline: str, lines: Sequence[str], more: Card | None = None) -> Card:
    """A framed card. `tone` is "neutral", "good", "bad" or "note"; headline and lines are plain text.

    `more`, if given, stands below the lines: something folded, for those who want to see it.
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
    """`things` below each other, folded away behind `question` until the reader has guessed.

    Text is shown as it is, a Card, table or figure as itself, anything else as Python prints it. `guess` is how many
    fields the reader gets for a guess, or the choices to pick from: what was entered stays beside the answer.
    """
    inside = "".join(map(_html, things))
    html = (
        f'<details style="margin:.4em 0"><summary style="cursor:pointer;font-size:1.1em">{escape(question)}</summary>'
        f"{inside}</details>"
    )
    return Card(_guessed(guess, html) + html, "\n".join([question, *map(_plain, things)]))


def _guessed(guess: int | Sequence[str], answer: str) -> str:
    """A line in which a guess is entered, or nothing. The name of its choices is as unlike others as the answer is."""
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
        from utils.show.figures import picture_html  # here alone: Matplotlib is slow to load

        return picture_html(thing)
    return f"<pre>{escape(_plain(thing))}</pre>"


def _plain(thing: Any) -> str:
    return thing if isinstance(thing, str) else getattr(thing, "alt", "") or repr(thing)
