"""Tables whose cells run in the direction of their letters."""

from __future__ import annotations

import pytest

from utils.show.bilingual import bilingual_table, right_to_left


def test_persian_cell_runs_right_to_left_and_its_neighbour_does_not():
    card = bilingual_table(["English", "Persian"], [["The weather is great.", "هوا عالی است."]], "One sentence")
    english, persian = card.html.split("<tbody>")[1].split("</td>")[:2]
    assert "dir=" not in english
    assert 'dir="rtl" lang="fa"' in persian and persian.endswith(">هوا عالی است.")
    assert card.text == "One sentence\nEnglish | Persian\nThe weather is great. | هوا عالی است."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("هوا", True),
        ("<start>", False),
        ("", False),
        ("«هوا» is weather", True),
    ],
)
def test_first_letter_decides_the_direction(text, expected):
    assert right_to_left(text) is expected


def test_cells_are_escaped_and_rows_must_fit():
    assert "<td style" in (html := bilingual_table(["a"], [["<start> & more"]], "c").html)
    assert "&lt;start&gt; &amp; more</td>" in html
    with pytest.raises(ValueError, match="the table has 2 columns"):
        bilingual_table(["a", "b"], [["1"]], "c")
