"""Convert TeX to MathML, which a browser sets by itself, when the site is built, and add a font for it."""

from __future__ import annotations

import base64
import re
from html import escape, unescape
from importlib.metadata import distribution
from io import BytesIO
from xml.etree import ElementTree

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from latex2mathml.converter import convert

from utils.show.colours import ROLES, variables

_THIN = "0.167em"  # the space that TeX puts around the name of a function
_NAME = re.compile(r"<m[io]>([A-Za-z]{2,})</m[io]>")
_BEHIND_SOMETHING = re.compile(r"</m(?!o>)\w+>(<m(sub|sup|under|subsup|underover)>)?$")
_PARENTHESIS = re.compile(r"<mo[^>]*>(&#x00028;|\(|\[|&#x0005B;)")
# Symbols that a browser draws or spaces differently from TeX: bars that grow on one side only, a caret for a hat, a
# minus with nothing before it, a slash with space around it.
_MENDED = (
    (re.compile(r"<mo>(&#x02016;|\|)</mo>"), r'<mo stretchy="false">\1</mo>'),
    (re.compile(r"<mo>&#x0005E;</mo></mover>"), "<mo>&#x002C6;</mo></mover>"),
    (
        re.compile(r"(<mo[^>]*>(?:=|&#x0003D;|,|&#x0002C;)</mo>)<mo>&#x02212;</mo>"),
        r'\1<mo form="prefix">&#x02212;</mo>',
    ),
    (re.compile(r"<mo>(/|&#x0002F;)</mo>"), r'<mo lspace="0" rspace="0">\1</mo>'),
)
_SPACED = re.compile(r"[^\s()\[\]{}|‖,.!′⁡/^_]|[A-Za-z]{2,}")  # operators with space around them, and names of functions
_SIGNS = {"⊤": "ᵀ", "𝖳": "ᵀ", "′": "′", "ˆ": "\N{COMBINING CIRCUMFLEX ACCENT}"}  # above a letter, without a caret
_TEXT_COLOUR = re.compile(r"\\textcolor\{[^}]*\}\{([^}]*)\}")
_TAG = re.compile(r"<[^>]*>")
_MATH = re.compile(r"<math.*?</math>", re.DOTALL)
# Single letters in a formula are italic, which are separate characters: Latin, Planck's h, Greek.
# <msqrt> draws the root without a character in the text.
_ALWAYS = {0x221A, *range(0x1D434, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C)}
_KEPT_NAMES = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # copyright and licence go with the font


def mathml(tex: str, display: bool = False) -> str:
    r"""Return TeX as a `<math>` element, with `display` on a line of its own.

    The names of functions have TeX's spaces, which browsers leave to the author, and `alttext` is the TeX. Raise
    ValueError if a command is unknown.
    """
    known = tex.strip().replace(r"\arg", r"\operatorname{arg}")  # the converter lacks \arg
    made = convert(known, display="block" if display else "inline")
    made = _NAME.sub(lambda name: _function(name, made), made)
    for pattern, better in _MENDED:
        made = pattern.sub(better, made)
    for role, colour in ROLES.items():
        made = made.replace(f'mathcolor="{colour}"', f'style="color:var(--{role})"')
    if "\\" in made:
        raise ValueError(f"the formula {tex.strip()} holds a command that is not known here.")
    said = _TEXT_COLOUR.sub(r"\1", tex.strip())
    return made.replace("<math ", f'<math alttext="{escape(said)}" ')


def plain(math: str) -> str:
    """Return a `<math>` element as a line of plain text, such as a/b, √d_k or x^2."""
    line = " ".join(_typed(ElementTree.fromstring(math)).split())
    return re.sub(r"\^([⊤𝖳′ˆ])", lambda sign: _SIGNS[sign[1]], line)


def _typed(node: ElementTree.Element) -> str:
    parts = [_typed(child) for child in node]
    match node.tag.rpartition("}")[2]:
        case "mfrac":
            return f"{_held(parts[0])}/{_held(parts[1])}"
        case "msqrt":
            return f"√{_held(''.join(parts))}"
        case "msub" | "munder":
            return f"{parts[0].strip()}_{_held(parts[1])}"
        case "msup" | "mover":
            return f"{parts[0]}^{_held(parts[1])}"
        case "msubsup" | "munderover":
            return f"{parts[0].strip()}_{_held(parts[1])}^{_held(parts[2])} "
        case "mtd" | "mtr" | "mspace":
            return f"{''.join(parts)} "
        case "mo" if _SPACED.fullmatch(node.text or ""):
            return f" {node.text} "
    return (node.text or "") + "".join(parts)


def _held(text: str) -> str:
    """Return the text, in brackets if it is more than a word."""
    text = text.strip()
    return text if re.fullmatch(r"[\w√]*|.", text) else f"({text})"


def _function(name: re.Match[str], made: str) -> str:
    before = _THIN if _BEHIND_SOMETHING.search(made[: name.start()]) else "0"
    behind = made[name.end() :]
    after = "0" if _PARENTHESIS.match(behind) or behind.startswith("</mrow>") else _THIN
    return f'<mo lspace="{before}" rspace="{after}">{name[1]}</mo>'


def math_style(pages: list[str]) -> str:
    """Return a style sheet with the font for all formulas of the pages: STIX Two Math, with only the letters needed.

    The font is in the sheet itself, because a browser may not let a page in a folder read other files there.
    """
    letters = {ord(letter) for page in pages for math in _MATH.findall(page) for letter in unescape(_TAG.sub("", math))}
    font = TTFont(distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf"))
    options = Options(name_IDs=_KEPT_NAMES, layout_features=["*"], notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters | _ALWAYS)
    subsetter.subset(font)
    font.flavor = "woff"
    packed = BytesIO()
    font.save(packed)
    data = base64.b64encode(packed.getvalue()).decode("ascii")
    return variables(":root") + (
        f'@font-face {{ font-family: "Course Math"; src: url("data:font/woff;base64,{data}"); }}\n'
        'math { font-family: "Course Math", math; font-size: 1.12em; }\n'
    )
