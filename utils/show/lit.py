"""A text whose words are lit by their weights."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from utils.show.cards import Card

_TOLD = 3  # heaviest words that are named in text


def lit_words(words: Sequence[str], weights: ArrayLike, title: str) -> Card:
    """`words` in a line, the more lit the larger their weights (N,); the heaviest is framed, its weight beside it.

    The brightest is the largest weight. Pointing at a word shows its weight. In text, the three heaviest are named.
    Raises ValueError when there is not one weight of at least 0 for each word.
    """
    words, shares = list(words), np.asarray(weights)
    if shares.dtype.kind not in "biuf":
        raise TypeError(f"weights must hold real numbers: their dtype is {shares.dtype}.")
    if shares.shape != (len(words),) or not len(words):
        raise ValueError(f"each word needs one weight: {len(words)} words, weights of shape {shares.shape}.")
    if not (shares >= 0).all():
        raise ValueError("weights must be at least 0, and none of them NaN.")
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
    # At most half of orange: so the page's own ink can be read on it, dark on a light page and light on a dark one.
    style = f"padding:.1em .15em;border-radius:.2em;background:rgba(230,159,0,{light / 2:.2f})"
    if not framed:
        return f'<span style="{style}" title="{weight:.2f}">{escape(word)}</span>'
    style += ";outline:2px solid currentColor;font-weight:700"
    return f'<span style="{style}">{escape(word)} <small>{weight:.2f}</small></span>'
