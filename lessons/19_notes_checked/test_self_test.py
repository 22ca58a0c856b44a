"""The twenty questions: each choice with its sentence, one right, and every number in them recomputed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from lessons.meeting import meeting_panels
from lessons.opening_notes_checked import how_a_number_is_judged
from lessons.read_on import READ_ON
from lessons.self_test import QUESTIONS, self_test
from utils.by_hand.attention import attention_steps, softmax
from utils.by_hand.decoder import cross_attention
from utils.by_hand.encoder import feed_forward, random_encoder_weights
from utils.by_hand.masks import look_ahead_mask
from utils.by_hand.multi_head import split_heads
from utils.by_hand.normalization import min_max
from utils.by_hand.positional import positional_encoding

LINKS = {question.lesson: (f"Lesson {question.lesson}", f"{question.lesson}.ipynb") for question in QUESTIONS}
BEFORE = ["01", "02", "02b", *(f"{number:02d}" for number in range(3, 18))]


def question(start: str):
    (found,) = [one for one in QUESTIONS if one.text.startswith(start)]
    return found


def right(start: str) -> str:
    return next(choice.text for choice in question(start).choices if choice.right)


def sentences(start: str) -> str:
    return " ".join(f"{choice.text} {choice.sentence}" for choice in question(start).choices)


@pytest.mark.parametrize("one", QUESTIONS, ids=lambda one: one.text[:40])
def test_every_choice_has_a_sentence_and_one_is_right(one):
    assert sum(choice.right for choice in one.choices) == 1 and len(one.choices) >= 3
    assert len({choice.text for choice in one.choices}) == len({choice.sentence for choice in one.choices})
    assert len({choice.text for choice in one.choices}) == len(one.choices)
    assert all(choice.sentence.endswith(".") and choice.text for choice in one.choices)


def test_there_are_twenty_over_all_lessons_in_their_order_and_the_right_one_is_not_always_in_one_place():
    assert len(QUESTIONS) == 20 and len({one.text for one in QUESTIONS}) == 20
    lessons = [one.lesson for one in QUESTIONS]
    assert list(dict.fromkeys(lessons)) == BEFORE
    places = [[choice.right for choice in one.choices].index(True) for one in QUESTIONS]
    assert all(places.count(place) >= 4 for place in (0, 1, 2)[1:]) and 0 in places


def test_the_card_has_each_choice_folded_with_its_sentence_and_a_link_to_the_lesson():
    card = self_test(QUESTIONS, LINKS)
    for number, one in enumerate(QUESTIONS, 1):
        assert card.html.count(f'name="question-{number}"') == len(one.choices)
        assert f'href="{one.lesson}.ipynb"' in card.html
        assert f"{number}. {one.text} (lesson {one.lesson} Lesson {one.lesson})" in card.text
        for choice in one.choices:
            assert f"{'✓ Right' if choice.right else '✗ No'}. {choice.sentence}" in card.text
    assert card.html.count("<details") == card.html.count("<summary") == sum(len(one.choices) for one in QUESTIONS)
    assert "open" not in re.findall(r"<details[^>]*>", card.html)[0]


def test_a_question_without_just_one_right_choice_or_about_no_lesson_is_refused():
    first = QUESTIONS[0]
    for choices in (first.choices[:1], (*first.choices, first.choices[1])):
        with pytest.raises(ValueError, match="one right choice, and only one"):
            self_test([replace(first, choices=choices)], LINKS)
    with pytest.raises(ValueError, match="there is no lesson 99"):
        self_test([replace(first, lesson="99")], LINKS)


def test_the_numbers_of_words_and_positions():
    assert np.array_equal(np.eye(3)[[0, 1, 2]].sum(axis=0), np.eye(3)[[2, 1, 0]].sum(axis=0))
    text = "{:.6f} and {:.6f}"
    assert right("Base 10000") == text.format(*positional_encoding(2, 3)[1, :2])
    assert text.format(*positional_encoding(2, 3, degrees=True)[1, :2]) in sentences("Base 10000")
    assert f"{np.sin(1 / 10000):.4f} and {np.cos(1 / 10000):.1f}" in sentences("Base 10000")
    assert positional_encoding(1, 2)[0].tolist() == [0, 1]


def test_the_numbers_of_attention():
    X, W = np.ones((5, 8)), np.ones((8, 2))
    assert " × ".join(map(str, attention_steps(X, W, W, W).scores.shape)) == right("Five tokens")
    row = np.array([2.0, 4.0, 4.5])
    assert np.allclose(softmax(row + 100), softmax(row)) and right("You add 100") == "They stay as they are."
    assert softmax(100 * row).max() > 0.999
    q, k = np.random.default_rng(0).normal(size=(2, 20_000, 64))
    assert abs((q * k).sum(axis=1).var() / 64 - 1) < 0.05
    heads = split_heads(np.ones((3, 512)), n_heads=8)
    assert heads.shape[0] * heads.shape[2] == 512 and right("512 numbers a token") == "as many as before"
    one_head = [512 * heads.shape[2]] * 3 + [heads.shape[2] * 512]  # 64 columns of three matrices, 64 rows of W_O
    assert sum(one_head) == 4 * 512 * 512 / 8
    S, mask = np.random.default_rng(0).normal(size=(4, 4)), look_ahead_mask(4)
    after = softmax(S) * mask
    hidden = S + np.triu(np.full((4, 4), 3.0), 1)
    assert (after.sum(axis=1)[:-1] < 1).all() and not np.allclose(softmax(hidden) * mask, after)
    tokens = (28 // 7) ** 2 + 1
    assert right("An image") == str(tokens) and [c.text for c in question("An image").choices[1:]] == [
        str(number) for number in (tokens - 1, 7 * 7, 28 * 28 + 1)
    ]
    weights = cross_attention(np.ones((3, 2)), np.ones((5, 2)), np.eye(2), np.eye(2), np.eye(2))[1]
    assert " × ".join(map(str, weights.shape)) == right("The decoder has 3")


def test_the_numbers_of_blocks_and_training():
    x = np.array([0.1, 0.2, 0.3])
    said = sentences("0.1, 0.2, 0.3")
    assert right("0.1, 0.2, 0.3") == f"−{0.1 / x.std():.6f}, 0, {0.1 / x.std():.6f}" and f"{x.std():.6f}" in said
    assert (round(0.1 / x.std(ddof=1), 9), 0.1 / 0.08) == (1, 1.25) and np.allclose(min_max(x), [0, 0.5, 1])
    w, X = random_encoder_weights(6, 9), np.random.default_rng(0).normal(size=(5, 6))
    other = np.vstack([X[:3], X[3:4] + 1, X[4:]])
    moved = feed_forward(X, w.W_1, w.b_1, w.W_2, w.b_2) != feed_forward(other, w.W_1, w.b_1, w.W_2, w.b_2)
    assert moved.any(axis=1).tolist() == [False, False, False, True, False]
    assert right("A batch") == str((10 * 2 + 30 * 4) / 40) and right("z depends") == f"{3 * 0.5} times as fast"
    assert 3 / 0.5 == 6 and 3 + 0.5 == 3.5


def test_what_to_read_has_who_when_and_what_for():
    assert all(one.authors and 2013 <= one.year <= 2023 and one.title and one.what_for for one in READ_ON)
    assert len({one.title for one in READ_ON}) == len(READ_ON)


def test_the_drawing_says_all_its_texts_and_stays_on_the_sheet():
    figure = how_a_number_is_judged("p", "c", "o", "s", "v")
    drawn = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert set("pcosv") <= set(drawn)
    assert "stands p. Computed now, it is c. So it is o." in figure.alt and "number is s. The verdict: v." in figure.alt
    right_end, top = figure.axes[0].get_xlim()[1], figure.axes[0].get_ylim()[1]
    for patch in figure.axes[0].patches:
        ends = patch.get_extents().transformed(figure.axes[0].transData.inverted())
        assert ends.x0 >= 0 and ends.y0 >= 0 and ends.x1 <= right_end and ends.y1 <= top


def test_what_is_met_is_lit_below_what_is_printed_and_said():
    printed = [(0, 0.5, 1), (1, 1.0, 1), (1, 0.98, 2)]
    matrix, note = meeting_panels("N9", printed, np.array([-0.2, 0.99]), [False, True, True], "somewhere")
    assert matrix.column_names == ("0.5", "1.0 and 0.98") and matrix.values.tolist() == [[-0.2, 0.99]]
    assert (
        set(matrix.lit_cells) == {(0, 1)}
        and note.sentence == "N9, somewhere: −0.200000, 0.990000. Met: 1.0, 0.98. Not met: 0.5."
    )
    _, note = meeting_panels("N9", printed[:1], np.array([0.5]), [True], "there")
    assert note.sentence == "N9, there: 0.500000. Met: 0.5. Not met: none."
