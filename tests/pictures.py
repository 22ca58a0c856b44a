"""What saved pictures say. Their strokes differ from machine to machine, and so may the last digit of a number."""

from __future__ import annotations

import re
from base64 import b64decode
from functools import cache
from xml.etree import ElementTree

from matplotlib.font_manager import findfont, get_font

_SVG = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=\s]+)")
_GROUP, _GLYPH = "{http://www.w3.org/2000/svg}g", "{http://www.w3.org/1999/xlink}href"


def with_words(html: str) -> str:
    """Put the words of each picture in the place of the picture."""
    return _SVG.sub(lambda picture: f"PICTURE {words_of(b64decode(picture[1]))}", html)


def words_of(svg: bytes) -> list[str]:
    """Read the words of a picture, text by text, by their glyphs, which Matplotlib names as in "#DejaVuSans-48"."""
    texts = [group for group in ElementTree.fromstring(svg).iter(_GROUP) if group.get("id", "").startswith("text_")]
    read = ["".join(_letters().get(glyph, glyph) for glyph in _glyphs(text)) for text in texts]
    words = [" ".join(re.findall(r"[^\W\d_]{2,}", text)) for text in read]
    return [text for text in words if text]


def _glyphs(text: ElementTree.Element) -> list[str]:
    return [name.rpartition("-")[2] for part in text.iter() if (name := part.get(_GLYPH))]


@cache
def _letters() -> dict[str, str]:
    characters = get_font(findfont("DejaVu Sans")).get_charmap()
    return {f"{glyph:x}": chr(code) for code, glyph in characters.items()}
