"""Define the course's visual language: the meaning of each colour, and its counterpart on a dark page.

Drawings, figures, controls, formulas and the site take their colours from here; `docs/visual-language.md` shows them.
"""

from __future__ import annotations

import re

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_hex, to_rgb
from numpy.typing import ArrayLike, NDArray

PAPER, INK = ("#ffffff", "#111111"), ("#1b1f24", "#e4e7eb")  # on a light page and on a dark one
AMBER = "#e69f00"  # attention
# All four are readable as text on a light page, and all common kinds of colour vision can distinguish them (see
# tests/show/test_colours.py). The letters beside them say the same.
ROLES = {"query": "#2f6bf7", "key": "#c1500e", "value": "#21834f", "output": "#935ba0"}
# 0 has the colour of the paper, and large values contrast with it: dark on a light page, light on a dark one.
SCALE = ((PAPER[0], AMBER, "#402000"), (PAPER[1], AMBER, "#fff1d0"))
# For numbers of both signs: blue below 0, the paper at 0, orange above.
SIGNED_STOPS = ("#004b85", "#2b8cc4", "#94c6e3", "#f7f7f7", "#f5c073", "#dd8418", "#a84a00")
# The ink for text on a shade -> its counterpart on a dark page.
_WRITTEN = {"#010101": "#000000", "#020202": "#ffffff", "#fdfdfd": "#000000", "#fefefe": "#ffffff"}
_EITHER_INK = 0.1791  # the luminance L with equal contrast to black and white: (L + 0.05)² = 1.05 · 0.05
_TO_CONES = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
_TO_OKLAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]]
)  # fmt: skip  # Björn Ottosson 2020, A perceptual color space for image processing
LETTERS = '"Segoe UI","Helvetica Neue",Arial,"Liberation Sans","Noto Sans",sans-serif'  # as in interactive figures
_DISPLAYED = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_LETTER = re.compile(r"\\[A-Za-z]+(?:\{[A-Za-z]+\})?|((?:[Wb]_)?([QKV]))")  # except letters in a command's name
_HEX = re.compile("#[0-9a-f]{6}")

ATTENTION = LinearSegmentedColormap.from_list("attention", SCALE[0])
SIGNED = LinearSegmentedColormap.from_list("signed", SIGNED_STOPS)


def tint(colour: str, share: float = 0.22) -> str:
    """Return `colour` mixed with white, so pale that black text is readable on it."""
    return to_hex(share * np.array(to_rgb(colour)) + 1 - share)


def dark(colour: str) -> str:
    """Return the counterpart of a colour on a dark page: the same hue, but light for dark and dark for light."""
    colour = colour.lower()
    if colour in _ON_DARK:
        return _ON_DARK[colour]
    lightness, *hue = _TO_OKLAB @ np.cbrt(_TO_CONES @ _linear(to_rgb(colour)))
    for share in (1.0, 0.8, 0.6, 0.4, 0.2, 0.0):  # paler, until a screen can show it
        flipped = (0.93 - 0.72 * lightness**1.8, *(share * np.array(hue)))
        light = np.linalg.solve(_TO_CONES, np.linalg.solve(_TO_OKLAB, flipped) ** 3)
        if light.min() >= 0 and light.max() <= 1:
            break
    return to_hex(np.clip(np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055), 0, 1))


def written_on(colour: ArrayLike) -> str:
    """Return black or white, whichever has the greater contrast with `colour`, on a light page and on a dark one.

    One code stands for both pages: #010101 is black on both, and #020202 becomes white on a dark page.
    """
    light, other = (_is_light(shade) for shade in (to_rgb(colour), to_rgb(dark(to_hex(colour)))))
    return ("#010101" if other else "#020202") if light else ("#fdfdfd" if other else "#fefefe")


def light_and_dark(svg: str) -> str:
    """Return an SVG drawing whose colours change to their counterparts on a dark page."""
    found = sorted(set(_HEX.findall(svg)) | {"#000000", PAPER[0]})
    names = {colour: f"--c{i}" for i, colour in enumerate(found)}
    light, other = (";".join(f"{names[colour]}:{of(colour)}" for colour in found) for of in (str, dark))
    style = (
        f"<style>:root{{{light};font-family:{LETTERS};fill:var({names['#000000']});background:var({names[PAPER[0]]})}}"
        f"@media (prefers-color-scheme:dark){{:root{{{other}}}image{{filter:invert(1) hue-rotate(180deg)}}}}</style>"
    )
    body = _HEX.sub(lambda colour: f"var({names[colour[0]]})", svg)
    return re.sub(r"(<svg[^>]*>)", lambda head: head[0] + style, body, count=1)


def coloured(text: str) -> str:
    """Return a Markdown text with W_Q, Q, b_Q … in the colours of their roles, in formulas with both Q and K.

    TeX can't adapt to a dark page, so the formulas have the colours of a light page on both.
    """
    inks = dict(zip("QKV", ROLES.values(), strict=False))

    def formula(found: re.Match[str]) -> str:
        if not {"Q", "K"} <= set(found[0]):
            return found[0]
        return _LETTER.sub(
            lambda part: rf"\textcolor{{{inks[part[2]]}}}{{{part[1]}}}" if part[1] else part[0], found[0]
        )

    return _DISPLAYED.sub(formula, text)


def variables(selector: str) -> str:
    """Return CSS variables for light and dark pages: --query, --key, --value, --output and --attention."""
    named = "".join(f" --{role}: light-dark({colour}, {dark(colour)});" for role, colour in ROLES.items())
    return f"{selector} {{{named} --attention: {AMBER}; }}\n"


def _linear(channels: ArrayLike) -> NDArray[np.float64]:
    channels = np.array(channels)
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def _is_light(colour: tuple[float, float, float]) -> bool:
    return bool(_linear(colour) @ [0.2126, 0.7152, 0.0722] > _EITHER_INK)


def _scale_on_dark() -> dict[str, str]:
    shades = np.linspace(0, 1, 256)
    other = LinearSegmentedColormap.from_list("attention on dark", SCALE[1])
    return {to_hex(ATTENTION(share)): to_hex(other(share)) for share in shades}


_ON_DARK = {"#000000": INK[1], **_scale_on_dark(), **_WRITTEN}
