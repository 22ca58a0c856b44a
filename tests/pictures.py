"""What saved pictures say. Their strokes differ from machine to machine, and so may the last digit of a number."""

from __future__ import annotations

import re
from base64 import b64decode
from xml.etree import ElementTree

_SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=\s]+)")
_TEXT = "{http://www.w3.org/2000/svg}text"


def with_words(html: str) -> str:
    """Put the words of each picture in the place of the picture."""
    return _SVG.sub(lambda picture: f"PICTURE {words_of(b64decode(picture[1]))}", html)


def words_of(svg: bytes) -> list[str]:
    """Read the words of a picture, text by text."""
    read = ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(_TEXT)]
    words = [" ".join(re.findall(r"[^\W\d_]{2,}", text)) for text in read]
    return [text for text in words if text]
