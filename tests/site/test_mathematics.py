"""TeX as MathML: spaced as TeX does, with a font that holds all its signs."""

from __future__ import annotations

import re

import pytest

from utils.show.colours import coloured
from utils.site.mathematics import math_style, mathml, plain


def spaces(tex: str) -> list[tuple[str, str, str]]:
    """The name, the space before and the space after each function of a formula."""
    found = re.findall(r'<mo lspace="(\S+)" rspace="(\S+)">(\w+)</mo>', mathml(tex))
    return [(name, before, after) for before, after, name in found]


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\ln p", [("ln", "0", "0.167em")]),
        (r"\operatorname{softmax}(z)_j", [("softmax", "0", "0")]),
        (r"\arg\max_y p", [("arg", "0", "0.167em"), ("max", "0", "0.167em")]),
    ],
)
def test_function_names_are_spaced(tex: str, expected: list[tuple[str, str, str]]) -> None:
    assert spaces(tex) == expected


def test_unknown_command_is_named() -> None:
    with pytest.raises(ValueError, match=r"x \\nosuch y"):
        mathml(r"x \nosuch y")


@pytest.mark.parametrize(
    ("tex", "typed"),
    [
        (r"\frac{Q K^\top}{\sqrt{d_k}}", "(QKᵀ)/√d_k"),
        (r"10000^{2i/d_\text{model}}", "10000^(2i/d_model)"),
        (r"\sum_{j=1}^{n} \alpha_j", "∑_(j = 1)^n α_j"),
        (r"f'(3) = -\ln\frac1p", "f′(3) = − ln 1/p"),
    ],
)
def test_formula_is_found_and_shown_within_a_line_of_text(tex: str, typed: str) -> None:
    assert plain(mathml(tex)) == typed


def test_query_key_and_value_have_colours_that_a_screen_reader_skips() -> None:
    formula = r"$$\operatorname{Attention}(Q, K, V) = \operatorname{softmax}(\frac{QK^\mathsf{T}}{\sqrt{d_k}})V$$"
    made = mathml(coloured(formula).strip("$"), display=True)
    assert f'alttext="{formula.strip("$")}"' in made and "mathcolor" not in made
    assert re.findall(r'color:var\(--(\w+)\)"><mrow><mi>(\w)', made) == [
        *(("query", "Q"), ("key", "K"), ("value", "V")),
        *(("query", "Q"), ("key", "K"), ("value", "V")),
    ]
    assert "W_K" in re.search(r"\{#\w+\}\{(\w+)\}", coloured("$$K = X W_K + Q$$").split("X ")[1])[1]
    untouched = r"$$|V|$$ and $Q K$ and $$p = \operatorname{softmax}(z)$$"
    assert coloured(untouched) == untouched
    assert "--query: light-dark(" in math_style([made])
