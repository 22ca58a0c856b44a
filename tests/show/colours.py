"""What eyes make of colours: with the three common deficiencies, in a grey print, and as text on a ground."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

# Machado, Oliveira and Fernandes 2009, A physiologically-based model for simulation of color vision deficiency, IEEE
# TVCG 15(6): their matrices of severity 1.0, for linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
# sRGB's primaries in CIE XYZ under D65 (IEC 61966-2-1), each row over that of white.
_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
_XYZ = _XYZ / _XYZ.sum(axis=1, keepdims=True)

Colour = str | tuple[float, ...]


def linear(colour: Colour) -> NDArray[np.float64]:
    """Its red, green and blue (3,) as amounts of light, from 0 to 1."""
    channels = np.array(to_rgb(colour))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(light: ArrayLike) -> NDArray[np.float64]:
    """CIELAB (..., 3) of amounts of light (..., 3): lightness from 0 to 100, and two axes of hue."""
    ratio = np.clip(light, 0, 1) @ _XYZ.T
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def apart(one: Colour, other: Colour, deficiency: str = "none") -> float:
    """How far two colours are apart for such eyes: the distance in CIELAB (ΔE 1976), of which 2 is just seen."""
    first, second = (lab(DEFICIENCIES[deficiency] @ linear(colour)) for colour in (one, other))
    return float(np.linalg.norm(first - second))


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21: text needs 4.5, large text and what is drawn 3."""
    dark, light = sorted(float(linear(colour) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)
