"""Show a text whose words are highlighted by their weights."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from utils.show.cards import Card

_TOLD = 3  # the number of heaviest words in the plain text


def lit_words(words: Sequence[str], weights: ArrayLike, title: str) -> Card:
    """Return `words` in a line, each as bright as its weight (N,); the heaviest has a frame and its weight beside it.

    The largest weight has full brightness. Pointing at a word shows its weight. The plain text names the three
    heaviest.
    """
    shares = np.asarray(weights)
    heaviest = int(shares.argmax())
    top = shares[heaviest] or 1.0
    spans = [_span(word, shares[i], shares[i] / top, i == heaviest) for i, word in enumerate(words)]
    named = ", ".join(f"{words[i]} {shares[i]:.2f}" for i in np.argsort(-shares, kind="stable")[:_TOLD])
    html = (
        f'<div style="margin:.5em 0;max-width:60em;line-height:1.9;font-size:1.1em"><strong>{escape(title)}</strong> '
        f"{' '.join(spans)}</div>"
    )
    return Card(html, f"{title} heaviest: {named}")


def _span(word: str, weight: float, light: float, framed: bool) -> str:
    # At most half orange, so that the page's own ink is readable on it, on a light page and on a dark one.
    style = f"padding:.1em .15em;border-radius:.2em;background:rgba(230,159,0,{light / 2:.2f})"
    if not framed:
        return f'<span style="{style}" title="{weight:.2f}">{escape(word)}</span>'
    style += ";outline:2px solid currentColor;font-weight:700"
    return f'<span style="{style}">{escape(word)} <small>{weight:.2f}</small></span>'
