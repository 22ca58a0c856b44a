"""The ledger of the notes: each entry recomputed, each slip made again, each explanation held to its numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from lessons.notes import n3, n4, n5
from lessons.notes.n5 import NEXT_WORD
from lessons.race_results import saved_longer, saved_race
from utils.by_hand.attention import softmax
from utils.by_hand.residual import random_stack
from utils.course.ledger import LEDGER, MODULES, Verdict, in_numbers, note_check, recomputed_verdict
from utils.course.ledger.compare import all_above, all_rows_differ, apart, are_shares, rows_apart, same, to_12_decimals
from utils.course.ledger.entry import printed_numbers, slip_explains
from utils.course.lessons import all_lessons


@pytest.mark.parametrize("entry", LEDGER.values(), ids=LEDGER)
def test_the_verdict_is_what_the_computation_says(entry):
    assert recomputed_verdict(entry) is entry.verdict


@pytest.mark.parametrize("entry", [e for e in LEDGER.values() if e.slip], ids=lambda e: e.id)
def test_the_slip_gives_what_the_note_prints(entry):
    assert slip_explains(entry)
    assert entry.verdict is Verdict.WRONG, "a slip explains a wrong number"


@pytest.mark.parametrize("entry", [e for e in LEDGER.values() if e.completed], ids=lambda e: e.id)
def test_what_is_left_out_completes_the_note(entry):
    assert entry.verdict is Verdict.INCOMPLETE
    assert recomputed_verdict(replace(entry, completed=entry.compute)) is Verdict.WRONG, "nothing was left out"
    assert recomputed_verdict(replace(entry, completed=None)) is Verdict.WRONG


@pytest.mark.parametrize("entry", [e for e in LEDGER.values() if e.doubt], ids=lambda e: e.id)
def test_what_our_copy_leaves_in_doubt_is_nobodys_slip(entry):
    assert entry.verdict is Verdict.UNCLEAR
    assert entry.slip is None and entry.completed is None
    assert f"in doubt: {entry.doubt}" in note_check(entry.id).text


def test_what_a_doubtful_copy_has_right_is_right():
    entry = replace(LEDGER["N4.pe_row_1_cosine"], printed="cos(1/1) = 0.54")
    assert recomputed_verdict(entry) is Verdict.ROUNDED


def test_numbers_can_be_completed_too():
    entry = replace(LEDGER["N3.softmax"], printed="[2, 4]", compute=lambda: [2, 4, 5], completed=lambda: [2, 4])
    assert recomputed_verdict(entry) is Verdict.INCOMPLETE


def test_ids_are_the_note_and_a_name_and_occur_once():
    entries = [entry for module in MODULES for entry in module.ENTRIES]
    assert all(e.id.startswith(f"{e.note}.") for e in entries)
    assert len(LEDGER) == len(entries)


@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.number)
def test_a_lesson_shows_two_cards_at_most(lesson):
    """The rest of what there is to say of the notes stands on the companion pages."""
    shown = re.findall(r'"(N\d\.\w+)"', "".join(re.findall(r"note_check\(([^)]*)\)", lesson.text)))
    assert len(shown) <= 2 or lesson.number == "19", f"{lesson.name} shows {', '.join(shown)}"


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
        ("N2.pe_row_1_pair", [0.841471, 0.540302]),
        ("N2.pe_row_1_third", 0.002154),
        ("N3.other_outputs", [[1.999955, 7.963762, 0.054090], [1.999197, 7.756970, 0.359729]]),
        ("N4.pe_row_1", 0.841471),
        ("N4.pe_row_1_second_pair", [0.099833, 0.995004]),
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
        ("0.50", 0.5095, Verdict.LOOSE),
        ("0.4", 0.45, Verdict.ROUNDED),  # half a unit off, and in floating point more by 1e−16
        ("0.51", np.cos(np.pi / 3), Verdict.WRONG),  # one whole unit off, and less by 1e−16 in floating point
        ("0.2500", 0.25 + 2.0**-52, Verdict.RIGHT),  # but for the last digit, which another processor may compute
        ("[0, 2]", [0, 1, 2], Verdict.WRONG),
        ("−0.42", -0.416147, Verdict.ROUNDED),
    ],
)
def test_how_a_printed_number_is_judged(printed, truth, verdict):
    entry = replace(LEDGER["N3.softmax"], printed=printed, compute=lambda: truth)
    assert recomputed_verdict(entry) is verdict


def test_what_is_the_same_differs_in_the_last_digits_alone_and_what_is_apart_so_that_it_can_be_seen():
    assert same([1.0, 2.0], [1.0, 2 + 1e-13]) and not same([1.0, 2.0], [1.0, 2 + 1e-11])
    assert apart([0.0, 500.0], [0.0, 500.002]) and not apart([0.0, 500.0], [0.0, 500.0005])
    assert not apart([0.001], [0.0])
    assert not same([np.nan], [np.nan]) and not apart([np.nan], [0.0])


def test_what_is_the_same_to_12_decimals_stays_apart_from_what_differs_in_the_12th():
    assert to_12_decimals([0.1 + 0.2, 4e-13, 6e-13]).tolist() == [0.3, 0, 1e-12]
    assert all_rows_differ(np.array([[1, 1], [2, 2]])) and not all_rows_differ(np.array([[1, 2], [1, 2 + 1e-14]]))
    assert rows_apart([[1, 2], [3, 4], [5, 6]], [[0, 2], [3, 4], [5, 5]]) == [0, 2]
    with pytest.raises(ValueError, match=r"rows \[1\] are neither the same nor apart"):
        rows_apart([[1, 2], [3, 4]], [[0, 2], [3, 4 + 1e-6]])


def test_all_above_leaves_no_tie():
    assert all_above([3, 2], [1, 0]) and not all_above([3, 1], [1, 0]) and not all_above([3, 0], [2, 1])


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [([0.25, 0.75], "probabilities"), ([1, 0], "neither"), ([2, 2], "neither"), ([-1, 2], "neither")],
)
def test_shares_are_above_0_and_sum_to_1(numbers, kind):
    assert n5._kind_of(np.array(numbers)) == kind
    assert n4._weights_or_scores(numbers) == ("weights" if kind == "probabilities" else "scores")


def test_rows_of_a_matrix_are_shares_each_by_itself():
    assert are_shares(np.array([[0.75, 0.25], [0.5, 0.5]])) and not are_shares(np.array([[0.75, 0.5], [0.25, 0.5]]))


def test_a_stack_goes_downhill_by_0_3_times_the_slope_of_the_mean_squared_error():
    """By finite differences of the loss itself: the first step lowers it by about 0.3 times the slope's square."""
    (X, Y), W, small = n4._LEARNT[2], random_stack(1, 2, gain=1.0, seed=3), 1e-6
    first, second = n4.trained_losses("plain", 1, 2, seed=3, steps=2)

    def loss(W):
        return ((np.tanh(X @ W[0]) - Y) ** 2).mean()

    unit = small * np.eye(4).reshape(4, 1, 2, 2)
    slope = np.reshape([(loss(W + each) - loss(W - each)) / (2 * small) for each in unit], W.shape)
    assert (first, second) == pytest.approx((loss(W), loss(W - 0.3 * slope)), rel=1e-6)


def test_a_table_of_correlations_has_ones_on_its_diagonal_and_two_halves_alike():
    assert n5._is_a_correlation_matrix(np.array([[1, 0.5], [0.5, 1]]))
    assert not n5._is_a_correlation_matrix(np.array([[2, 0.5], [0.5, 2]]))
    assert not n5._is_a_correlation_matrix(np.array([[1, 0.5], [0.4, 1]]))


def test_a_slip_that_misses_by_one_whole_unit_explains_nothing():
    entry = replace(LEDGER["N4.fractions"], printed="0.51", slip=lambda: np.cos(np.pi / 3))
    assert not slip_explains(entry) and slip_explains(replace(entry, slip=lambda: 0.5001))


def test_what_the_cards_say_of_numbers_that_they_do_not_compute():
    """Numbers and comparisons in explanations and `computed_text`, by id."""
    said = {id: f"{entry.computed_text} {entry.explanation}" for id, entry in LEDGER.items()}

    assert np.sin(1 / 10000 * 4 / 3) == pytest.approx(0.000133, abs=5e-7) and "0.000133" in said["N2.pe_row_1_third"]
    assert np.sin(1 / 20000) == pytest.approx(0.00005, abs=5e-8) and "0.00005" in said["N2.pe_half_distance"]

    for seed in range(3):
        shallow, deep = (
            n4.trained_losses("plain", depth, 6, seed=seed, steps=n4.STEPS) for depth in (n4.SHALLOW, n4.DEEP)
        )
        assert shallow[-1] < 0.5 * shallow[0] and deep[-1] > 1.2 * shallow[-1]
    two_apples = [n4.two_apples_differ(read) for read in ("table", "GRU", "attention", "attention with positions")]
    assert two_apples == [False, True, False, True]

    lead, share = 0.8 - 0.01, softmax([0.8, 0.01, 0.05])[0]
    assert (round(np.exp(lead), 1), round(share, 2)) == (2.2, 0.52)
    assert "0.79 is a factor of 2.2" in said["N4.handwriting_scores"] and "0.52" in said["N4.handwriting_scores"]
    assert (1 / 100 * 2, 1 / 100 * 3 / 2) == (0.02, 0.015) and "0.02 and 0.015" in said["N4.lost_exponents"]
    assert 2 * 512 * 2048 / (2 * 512 * 2048 + 4 * 512 * 512) == 2 / 3 and "two of three" in said["N5.main_module"]
    W_Q, scores = n3.example.W_Q, n3.unscaled_example().scores
    assert str(W_Q.astype(int).tolist()) in said["N3.other_outputs"] and scores[0].tolist() == [2, 4, 4]
    assert scores[1:].tolist() == [[2, 12, 8], [3, 10, 8]] and "2, 12, 8 and 3, 10, 8" in said["N3.other_outputs"]
    assert [round(0.1 / sigma, 4) for sigma in (0.006666**0.5, 0.081649)] == [1.2248, 1.2248]
    assert "0.081649" in said["N4.fractions"] and 100 - sum(NEXT_WORD.values()) == 51
    assert all(LEDGER[f"N5.why_{name}"].compute() for name in ("context", "levels"))

    assert round(1 / n3.share_of_the_cost("GNMT + RL")) == 7 and "a seventh" in said["N3.training_cost"]
    assert round(1 / n3.share_of_the_cost("ConvS2S")) == 3 and "three times" in said["N3.replacing_cnns"]
    assert n3.transformer_beats_the_gru() and "ahead of the plain GRU" in said["N3.better_accuracy"]
    assert 0.90 < n3.share_of_the_lstms_time() < 0.97 and not n3.transformer_beats_the_lstm()
    race = saved_race()
    pairs = zip(race.exact("GRU with attention", 20), race.exact("transformer", 20), strict=True)
    assert all(attention > transformer for attention, transformer in pairs)
    longer = [run.exact[race.lengths.index(10)] for run in saved_longer() if run.model == "GRU" and run.times == 5]
    assert min(longer) > max(race.exact("GRU", 10)) + 0.2 and "five times" in said["N4.rnn_long_context"]


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
    assert "? N3" in note_check(entry.id).text and Verdict.UNCONFIRMED.value in note_check(entry.id).text


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
    assert Verdict.UNCLEAR.value in text and "a 9 by hand can look like a 5" in text and "1·3 + 3·2 = 9" in text


def test_a_paraphrase_is_marked_on_the_card():
    for id, entry in LEDGER.items():
        assert ("(in our words)" in note_check(id).text) is entry.paraphrase
    assert LEDGER["N3.impossible_keys"].paraphrase and not LEDGER["N2.matrix_vector"].paraphrase


@pytest.mark.parametrize("entry", LEDGER.values(), ids=LEDGER)
def test_what_teaches_nothing_is_folded(entry):
    shown = note_check(entry.id)
    right = entry.verdict in (Verdict.RIGHT, Verdict.ROUNDED)
    assert ("<details>" in shown.html) is (not right and not entry.takeaway)
    assert not (right and entry.takeaway), "a card of two lines has no room for it"
    assert ("Without the page: " in shown.text) is bool(entry.takeaway)
    assert entry.explanation in shown.text, "what is folded on the page is whole in the text"


def test_a_folded_card_shows_its_verdict_on_one_line():
    html = note_check("N4.cos_tenth").html
    assert "<summary" in html.split("printed:")[0] and f"{Verdict.UNCLEAR.value}</summary>" in html
    assert f"(?) N4, gain and bias: {Verdict.UNCLEAR.value}" in note_check("N4.gain_and_bias").text
    missing = "… N5, what is still missing after the feed-forward layer: incomplete"
    assert missing in note_check("N5.encoder_complete").text


def test_each_verdict_has_a_mark_of_its_own():
    marks = {v: note_check(next(e.id for e in LEDGER.values() if e.verdict is v)).text.split()[0] for v in Verdict}
    assert marks.pop(Verdict.RIGHT) == marks[Verdict.ROUNDED] == "✓"
    assert len(set(marks.values())) == len(marks)


def test_an_unknown_entry_is_refused_with_the_known_ones_and_so_is_nothing():
    with pytest.raises(ValueError, match=r"no entry 'N9\.x'. It has: N1\."):
        note_check("N9.x")
    with pytest.raises(ValueError, match="takes the id of an entry"):
        note_check()


def test_a_doubt_stands_between_what_is_printed_and_what_is_computed():
    said = [line.split(": ")[0].strip() for line in note_check("N4.gain_and_bias").text.splitlines()[1:4]]
    assert said == ["printed", "in doubt", "computed"]


def test_a_number_is_written_with_six_decimals_at_most_and_0_without_a_sign():
    assert in_numbers([-0.0, -1.5, 1 / 3]) == "[0, −1.5, 0.333333]"


OTHER = object()  # what no note claims


@pytest.mark.parametrize("id", LEDGER)
def test_a_verdict_follows_what_is_computed(id):
    """Of another computed value it is another one, and where they agree it is right."""
    entry = LEDGER[id]
    agreeing = {Verdict.RIGHT, Verdict.ROUNDED, Verdict.LOOSE, Verdict.BLANK}
    if entry.verdict in agreeing:
        value = entry.compute()
        off = np.asarray(value, dtype=float) + 7.77 if isinstance(value, int | float | np.ndarray) else OTHER
        if entry.claims is not None or off is OTHER:
            off = OTHER if entry.claims is not None else np.full(np.shape(value), 7777.7)
        assert recomputed_verdict(replace(entry, compute=lambda: off, completed=None)) not in agreeing
    elif entry.claims is not None:
        assert recomputed_verdict(replace(entry, compute=lambda: entry.claims)) is Verdict.RIGHT
    else:
        as_printed = entry.compute()
        printed = replace(entry, claims=as_printed)
        assert recomputed_verdict(printed) is Verdict.RIGHT
