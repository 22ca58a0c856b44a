"""What lessons open with: each drawing says in words what it shows, stays on its sheet, and can be read from afar."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from lessons import (
    opening_backward,
    opening_clocks,
    opening_decoding,
    opening_gpt,
    opening_inside,
    opening_masks,
    opening_mathematics,
    opening_multi_head,
    opening_notes_checked,
    opening_pytorch,
    opening_residuals,
    opening_self_attention,
    opening_sentence,
    opening_training,
    opening_tuned,
    opening_what_it_costs,
    opening_why_it_works,
)
from lessons.opening_bert import one_word_two_vectors
from lessons.opening_decoder import one_step as decoder_step
from lessons.opening_encoder import one_block
from lessons.opening_rewarded import drawn_and_rewarded
from lessons.opening_tokens import words_to_rows
from lessons.opening_tuned import whose_loss
from lessons.opening_vit import image_as_tokens
from lessons.opening_why_attention import encoder_and_decoder
from lessons.opening_word2vec import window
from lessons.opening_your_transformer import PARTS, ten_sockets
from utils.by_hand.encoder import encoder_block, random_encoder_weights
from utils.data.kept import read_kept
from utils.models import minimal
from utils.show.drawing import FONT, NARROW
from utils.show.live import Note, Panel

WORDS, SHARES = ["the", "weather", "is", "great"], [0.1, 0.6, 0.1, 0.2]
DRAWINGS: dict[str, Callable[[], Figure]] = {
    "01": lambda: encoder_and_decoder(WORDS, ["havā", "āli", "ast"], SHARES),
    "02": lambda: words_to_rows(WORDS, range(4), np.eye(4)),
    "03": lambda: window(["we", "eat", "a", "ripe", "pear", "with", "it"], 4, 2, {"fig": [-0.2, 0.9]}),
    "10": lambda: one_block(WORDS, encoder_block(np.eye(4), random_encoder_weights(4, 8), n_heads=2), 3, 6),
    "11": lambda: decoder_step(WORDS, ["<start>", "هوا", "عالی", "است"], [0.2, 0.8], SHARES, "عالی"),
    "12a": lambda: ten_sockets([1], "The weather is great.", "هوا عالی است ."),
    "15": lambda: one_word_two_vectors("apple", [["an", "apple"], ["apple", "sells"]], ["a fruit", "a company"]),
    "17": lambda: image_as_tokens(np.eye(8), 2, "7"),
    "24": lambda: drawn_and_rewarded("27 + 39", [str(n) for n in range(63, 71)], "66", 0.05, 0.06),
    "23, pieces": lambda: whose_loss(["Q:", "Which?", "A:"], ["Lesson", "08", "⏎"]),
}


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_opening_has_valid_arrows_stays_on_sheet_and_is_legible_from_the_back_row(draw: Callable[[], Figure]) -> None:
    wide = draw()
    narrow = getattr(wide, "narrow", wide)
    assert narrow.get_figwidth() <= NARROW + 0.1, "letters would be below 11 px on a phone"
    for figure in (wide, narrow):
        figure.canvas.draw()
        boxes = [patch.get_window_extent() for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
        assert all(figure.bbox.contains(*box.min) and figure.bbox.contains(*box.max) for box in boxes)
        assert min(text.get_fontsize() for text in figure.axes[0].texts if text.get_text()) >= FONT


ANSWERS: dict[str, Callable[[], list[list[Panel]]]] = {
    "02b": lambda: [opening_mathematics.secant(h) for h in opening_mathematics.STEPS],
    "04": lambda: [opening_clocks.clock_hands(position) for position in range(opening_clocks.LAST + 1)],
    "05": lambda: [
        opening_self_attention.one_query(word, strength)
        for word in opening_self_attention.WORDS
        for strength in range(9)
    ],
    "07": lambda: [opening_multi_head.two_heads(shown) for shown in opening_multi_head.HEADS],
    "08": lambda: [opening_masks.who_may_look_at_whom(mask) for mask in opening_masks.MASKS],
    "09": lambda: [opening_residuals.add_and_norm(times) for times in np.arange(0, 2.25, 0.25)],
    "09b": lambda: [
        opening_pytorch.downhill(steps, rate)
        for rate in opening_pytorch.RATES
        for steps in range(opening_pytorch.MOST + 1)
    ],
    "12": lambda: [opening_training.translates_after(steps) for steps in range(10, 301, 10)],
    "13": lambda: [opening_decoding.kept_texts(width) for width in range(1, opening_decoding.MOST + 1)],
    "16": lambda: [
        opening_gpt.written_so_far(prompt, written)
        for prompt in opening_gpt.PROMPTS
        for written in range(opening_gpt.MOST + 1)
    ],
    "18": lambda: [opening_why_it_works.race(passed) for passed in range(0, 101, 5)],
    "18b": lambda: [
        opening_what_it_costs.held(tokens, chunk)
        for tokens in opening_what_it_costs.TOKENS
        for chunk in opening_what_it_costs.CHUNKS
    ],
    "19": lambda: [
        opening_notes_checked.line_checked(line, unit)
        for line in opening_notes_checked.LINES
        for unit in opening_notes_checked.UNITS
    ],
    "20": lambda: [opening_sentence.stations(word) for word in range(1, opening_sentence.WORDS + 1)],
    "21": lambda: [
        opening_backward.there_and_back(step, x)
        for x in np.arange(-2, 4.5, 0.5).tolist()
        for step in range(1, opening_backward.STEPS + 1)
    ],
    "22": lambda: [
        opening_inside.patched(donor, word) for donor in opening_inside.DONORS for word in opening_inside.WORDS
    ],
    "23": lambda: [opening_tuned.asked_twice(about) for about in opening_tuned.ABOUT],
}


def listed(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


def drawn(answers: list[list[Panel]]) -> Iterator[tuple[ElementTree.Element, tuple[int, int]]]:
    """Yield the shapes and the size of each drawing, one for each row where there are rows."""
    for drawing, _ in answers:
        for shapes in listed(drawing.shapes):
            yield ElementTree.fromstring(f"<svg>{shapes}</svg>"), drawing.size


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_opening_figure_stays_in_its_frame_and_is_legible_on_a_phone(answers: Callable[[], list[list[Panel]]]) -> None:
    """A phone shows 360 units of a drawing in 305 pixels, so letters of 13 have 11; half a letter is room enough."""
    for shapes, (wide, high) in drawn(answers()):
        assert wide == 360 and min(float(text.get("font-size")) for text in shapes.iter("text")) >= 13
        for rect in shapes.iter("rect"):
            x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            assert 0 <= x <= x + w <= wide and 0 <= y <= y + h <= high
        for text in shapes.iter("text"):
            assert 0 < float(text.get("x")) < wide and 10 < float(text.get("y")) < high


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_opening_figure_keeps_its_texts_apart(answers: Callable[[], list[list[Panel]]]) -> None:
    for shapes, _ in drawn(answers()):
        for one, other in itertools.combinations(shapes.iter("text"), 2):
            (left, right), (start, end) = _width(one), _width(other)
            upper, lower = sorted((one, other), key=lambda text: float(text.get("y")))
            if left < end and start < right:
                apart = float(lower.get("y")) - float(upper.get("y"))
                assert apart > 1.1 * float(lower.get("font-size")), (one.text, other.text)


def _width(text: ElementTree.Element) -> tuple[float, float]:
    """Return about where a text begins and ends: a letter is half as wide as it is high."""
    x, wide = float(text.get("x")), 0.5 * float(text.get("font-size")) * len(text.text)
    anchor = text.get("style", "text-anchor:middle").removeprefix("text-anchor:")
    left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
    return left, left + wide


def sentences(note: Note) -> list[str]:
    many = itertools.zip_longest(listed(note.sentence), note.values if note.rows else [note.values], fillvalue=())
    return [Note(sentence, values=values, digits=note.digits, shares=note.shares).text() for sentence, values in many]


def test_opening_figures_tell_what_the_knobs_do() -> None:
    told = {number: [text for _, note in answers() for text in sentences(note)] for number, answers in ANSWERS.items()}
    assert told["04"][0].startswith("Position 0 is 0.00, 1.00, 0.00, 1.00")
    hands = [[(int(at) + 180) % 360 - 180 for at in re.findall(r"(\d+)°", sentence)] for sentence in told["04"]]
    assert all(abs(slow) > 30 for fast, slow in hands[1:] if abs(fast) < 20), "the slow hand tells them apart"
    even, *_, sure = told["05"][-9:]
    assert "25.0\N{NO-BREAK SPACE}% from every word" in even and "99.9\N{NO-BREAK SPACE}% from “coffee”" in sure
    assert all("“I”" in sentence for sentence in told["05"][19:27]), "the action asks for a person"
    assert re.search("takes .* from “apple”", told["07"][4]), "red asks in head 1"
    befores = [re.search(r"from “(.*)”", sentence)[1] for sentence in told["07"][8:14]]
    assert befores == [*opening_multi_head.WORDS[:-1]], "head 2 looks at the word before"
    assert "mean of 0.3 and" in told["09"][0] and "mean of 1.5 and" in told["09"][-1]
    right = ["is right" in sentence for sentence in told["12"]]
    assert right == sorted(right) and not right[0] and right[-1], "nonsense becomes right, and stays so"
    shares = [float(re.search(r"([\d.]+)\s% of new", sentence)[1]) for sentence in told["12"]]
    assert shares[0] == 0 and 50 < shares[-1] < 70 and shares[right.index(True)] < 20, "one sentence before the others"
    assert "0.030" in told["13"][0] and all("0.076, more than twice" in sentence for sentence in told["13"][1:])
    assert [i for i, sentence in enumerate(told["22"]) if "now" in sentence] == [1, 7, 13], "each word's own state"
    texts = [drawing.alt.split(" …")[0] for drawing, _ in ANSWERS["16"]()[: opening_gpt.MOST + 1]]
    assert all(longer.startswith(text) for text, longer in itertools.pairwise(texts)), "each text continues the last"
    drawn = [re.search(r"(?:but )?“([^”]*)”(?: is drawn|.*it is drawn)", sentence)[1] for sentence in told["16"]]
    assert all(longer.endswith(piece) for piece, longer in zip(drawn, texts[1:], strict=False)), "what is drawn is read"
    assert not any("“”" in sentence for sentence in told["16"]), "a new line has a sign"
    leads = [re.search(r"the (\w+) are ahead.* ([\d.]+) % right.* ([\d.]+) %", sentence) for sentence in told["18"]]
    by = [float(lead[2]) - float(lead[3]) if lead else 0 for lead in leads]
    assert {lead[1] for lead, much in zip(leads, by, strict=True) if much > 5} == {"LSTMs", "transformers"}
    assert by[0] == 0 and by[-1] < 0.5, "both begin and end together"
    assert ["agree" in sentence for sentence in told["19"]] == [False, True] * 2 + [False] * 2, "degrees explain two"
    assert [text[:5] for text in told["23"]] == ["Right", "Right", "Wrong", "Wrong"], "what it has no word on"
    asked = [re.search(r"from “([^”]*)”", sentence)[1] for sentence in told["20"]]
    assert asked[:4] == ["they", "water", "cold", "drink"], "in the order of Persian"
    assert not [
        sentence for told_there in told.values() for sentence in told_there if re.search(r"[<>] \d|\de−", sentence)
    ]


def test_masked_words_are_crossed_out_and_no_others() -> None:
    for mask, allowed in opening_masks.MASKS.items():
        for row, (shapes, _) in enumerate(drawn([opening_masks.who_may_look_at_whom(mask)])):
            crosses = [text for text in shapes.iter("text") if text.text == "×"]
            assert len(crosses) == (~allowed[row]).sum() + (~allowed).sum(), "at the words, and in the table"


def test_kept_heads_are_those_of_the_translator() -> None:
    kept = read_kept(opening_multi_head._FILE)
    for name, values in opening_multi_head.computed().items():
        assert np.allclose(kept[name], values, atol=2e-3), name


def test_block_shows_the_numbers_that_it_computes() -> None:
    X = np.random.default_rng(0).normal(size=(4, 8))
    steps = encoder_block(X, random_encoder_weights(8, 8), n_heads=2)
    texts = [text.get_text().replace("−", "-") for text in one_block(WORDS, steps, 3, 6).axes[0].texts]
    shown = [float(text) for text in texts if re.fullmatch(r"-?\d\.\d(e-\d)?", text)]
    rows = [steps.X, steps.feed_in, steps.output, steps.attention, steps.fed]
    assert shown == pytest.approx([number for row in rows for number in row[3, :3]], abs=0.051)


def test_slope_that_comes_back_is_the_slope_by_nudges_for_every_x() -> None:
    found = [
        [re.findall(r"−?\d[\d.]*", sentence)[-1:] for sentence in (back, test)]
        for back, test in (
            [opening_backward.there_and_back(step, x)[1].text().rstrip(".") for step in (7, 8)]
            for x in (-2.0, 0.0, 2.0, 4.0)
        )
    ]
    assert all(back == test for back, test in found) and [back for back, _ in found][2] == ["−0.21"]


@pytest.mark.parametrize("x", np.arange(-2, 4.5, 0.5).tolist())
def test_losses_of_the_nudged_runs_are_shown_and_give_the_slope(x: float) -> None:
    drawing, note = opening_backward.there_and_back(8, x)
    below, low, above, high, apart, (slope,) = note.values
    assert (below, above) == pytest.approx((x - apart / 2, x + apart / 2)) and (high - low) / apart == pytest.approx(
        slope, abs=0.006
    )
    assert f">{low:g}<" in drawing.shapes and f">{high:g}<" in drawing.shapes


def test_each_step_lights_up_what_it_adds() -> None:
    lit = [
        re.findall(
            r'<g class="([qk])" stroke-width="2">(.*?)</g>', opening_backward.there_and_back(step, 2.0)[0].shapes
        )
        for step in range(1, opening_backward.STEPS + 1)
    ]
    assert all(lit) and [frames[0][0] for frames in lit] == [*"qqqqkkkk"]
    assert all(one != other for one, other in itertools.pairwise(lit[:7]))


@pytest.mark.parametrize("x", [-1.5, 2.5])
@pytest.mark.parametrize("step", range(2, 7))
def test_sentence_about_a_step_has_the_numbers_in_the_boxes(x: float, step: int) -> None:
    drawing, note = opening_backward.there_and_back(step, x)
    texts = [
        text.text.replace("−", "-") for text in ElementTree.fromstring(f"<svg>{drawing.shapes}</svg>").iter("text")
    ]
    boxes = {float(text) for text in texts if re.fullmatch(r"-?[\d.]+", text)}
    assert {number for numbers in note.values for number in numbers} <= boxes


def test_struck_digits_begin_at_the_first_wrong_one() -> None:
    struck = [drawing.shapes.count(' 118"') for drawing, _ in ANSWERS["19"]()]
    assert struck == [4, 0, 2, 0, 2, 2], "0.0174 and 0.8414, 0.99 and 0.54, 0.0013 and 0.0021, in degrees 0.0000"


def test_clock_hand_points_up_at_zero_and_turns_to_the_right() -> None:
    for position, is_at_zero in ((0, True), (1, False)):
        (drawing, _) = opening_clocks.clock_hands(position)
        hands = re.findall(r"M(\d+) (\d+)L([\d.]+) ([\d.]+)", drawing.shapes)
        assert len(hands) == 2
        for x, y, tip_x, tip_y in (map(float, hand) for hand in hands):
            assert tip_y < y and (tip_x == x if is_at_zero else tip_x > x)


def test_decoder_step_has_no_arrow_from_the_future() -> None:
    figure = DRAWINGS["11"]()
    arrows = [text for text in figure.axes[0].texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 4 + 2 + 1, "from each word of the source, from each written one, and to the next"
    assert "عالی, است is masked" in figure.alt


def test_arrows_of_attention_end_at_the_context() -> None:
    wide = DRAWINGS["01"]()
    for figure in (wide, wide.narrow):
        figure.canvas.draw()
        axes = figure.axes[0]
        name = next(text for text in axes.texts if text.get_text().startswith("context"))
        x, y = name.get_position()
        boxes = [patch.get_window_extent().transformed(axes.transData.inverted()) for patch in axes.patches]
        (context,) = (box for box in boxes if box.contains(x, y))
        ends = [
            text.xy[0]
            for text in axes.texts
            if getattr(text, "arrow_patch", None) and 0 < context.y0 - text.xy[1] < 0.1
        ]
        assert len(ends) == len(WORDS) and all(context.x0 < end < context.x1 for end in ends)


def test_kept_and_dropped_words_have_their_probability() -> None:
    for drawing, _ in ANSWERS["13"]():
        shown = re.findall(r">(0\.\d\d)<", drawing.shapes)
        assert {"0.14", "0.09", "0.08"} <= set(shown)


def test_sockets_have_the_names_in_the_code() -> None:
    assert all(hasattr(minimal, part) for part in PARTS)
    with pytest.raises(ValueError, match="11"):
        ten_sockets([11], "a", "b")
