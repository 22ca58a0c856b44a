"""The ledger of the notes: each entry recomputed, each slip made again, each explanation held to its numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from utils.course.ledger import (
    LEDGER,
    MODULES,
    Verdict,
    entries_of,
    note_check,
    notes_table,
    recomputed_verdict,
    slip_explains,
)
from utils.course.ledger.entry import printed_numbers
from utils.course.ledger.n5 import NEXT_WORD
from utils.course.lessons import all_lessons


@pytest.mark.parametrize("entry", LEDGER.values(), ids=LEDGER)
def test_the_verdict_is_what_the_computation_says(entry):
    assert recomputed_verdict(entry) is entry.verdict


@pytest.mark.parametrize("entry", [e for e in LEDGER.values() if e.slip], ids=lambda e: e.id)
def test_the_slip_gives_what_the_note_prints(entry):
    assert slip_explains(entry)
    assert entry.verdict is Verdict.WRONG, "a slip explains a wrong number"


def test_ids_are_the_note_and_a_name_and_occur_once():
    entries = [entry for module in MODULES for entry in module.ENTRIES]
    assert all(e.id.startswith(f"{e.note}.") for e in entries)
    assert len(LEDGER) == len(entries)


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.number)
def test_a_lesson_settles_each_entry_that_names_it(lesson):
    shown = {entry_id for entry_id in LEDGER if f'"{entry_id}"' in lesson.text}
    named = {entry.id for entry in entries_of(lesson.number)}
    assert not named - shown, f"{lesson.path.name} must show these with note_check, or their `lessons` not name it"
    assert not shown - named, f"{lesson.path.name} shows these: add {lesson.number!r} to their `lessons`"


@pytest.mark.parametrize(
    ("id", "true_value"),
    [
        ("N2.matrix_vector", [9, 22, 18]),
        ("N3.first_key", [0, 1, 2]),
        ("N3.dot_products", [0, 1, 0]),
        ("N3.softmax", [0.063379, 0.468311, 0.468311]),
        ("N3.first_output", [1.936621, 6.683105, 1.595068]),
        ("N3.first_output_scaled", [1.863874, 6.319371, 1.704189]),
        ("N1.head_width", 64),
    ],
)
def test_computed_values(id, true_value):
    np.testing.assert_allclose(LEDGER[id].compute(), true_value, rtol=0, atol=5e-7)


@pytest.mark.parametrize(
    ("printed", "truth", "verdict"),
    [
        ("0.5", 0.5, Verdict.RIGHT),
        ("0.08", 0.081650, Verdict.ROUNDED),
        ("±1.2248", 1.224745, Verdict.LOOSE),
        ("0.98", 0.995004, Verdict.WRONG),
        ("[0, 2]", [0, 1, 2], Verdict.WRONG),
        ("−0.42", -0.416147, Verdict.ROUNDED),
    ],
)
def test_how_a_printed_number_is_judged(printed, truth, verdict):
    entry = replace(LEDGER["N3.softmax"], printed=printed, compute=lambda: truth)
    assert recomputed_verdict(entry) is verdict


def test_what_the_slide_leaves_for_the_other_words():
    assert 100 - sum(NEXT_WORD.values()) == 51


def test_a_wrong_verdict_is_found():
    wrong = replace(LEDGER["N2.matrix_vector"], verdict=Verdict.RIGHT)
    assert recomputed_verdict(wrong) is not wrong.verdict
    filled_wrongly = replace(LEDGER["N3.first_output"], filled_in="[1.94, 6.68, 1.60]")
    assert recomputed_verdict(filled_wrongly) is Verdict.BLANK
    assert recomputed_verdict(replace(filled_wrongly, filled_in="[1.94, 6.68, 1.65]")) is Verdict.WRONG


def test_a_claim_about_another_setting_is_confirmed_or_not_but_never_refuted():
    entry = LEDGER["N3.training_cost"]
    assert recomputed_verdict(replace(entry, elsewhere=False)) is Verdict.WRONG
    assert recomputed_verdict(replace(entry, compute=lambda: True)) is Verdict.RIGHT
    assert "? N3" in note_check(entry.id).text and "not confirmed here" in note_check(entry.id).text


def test_numbers_are_read_with_their_decimals():
    numbers, decimals = printed_numbers("softmax [2, 4, 4] = [0.0, 0.50, −5]")
    np.testing.assert_array_equal(numbers, [0, 0.5, -5])
    np.testing.assert_array_equal(decimals, [1, 2, 0])
    with pytest.raises(ValueError, match="no number is printed"):
        printed_numbers("QKᵀ")


def test_the_card_says_printed_computed_and_why():
    text = repr(note_check("N2.matrix_vector"))
    assert "printed: [[1, 3], [4, 5], [6, 0]] · [3, 2] = [5, 22, 18]" in text
    assert "computed: [9, 22, 18]" in text
    assert "wrong" in text and "1·3 + 3·2 = 9" in text


def test_an_unknown_entry_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no entry 'N9\.x'"):
        note_check("N9.x")


def test_nothing_and_an_unknown_lesson_are_refused():
    with pytest.raises(ValueError, match="takes the id of an entry"):
        note_check()
    with pytest.raises(ValueError, match="no entries for lesson 5"):
        notes_table(5)


def test_the_table_holds_every_entry_of_the_lesson():
    html = notes_table("05").html
    assert html.count("<tr>") == 1 + len(entries_of("05"))
