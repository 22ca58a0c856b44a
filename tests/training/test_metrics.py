"""Exact match, chrF and BLEU."""

from __future__ import annotations

from collections import Counter
from math import exp, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF

from tests.refused import refused
from utils.training.metrics import bleu, chrf, exact_match, signed_scores


def test_exact_match_is_a_share() -> None:
    assert exact_match(["هوا سرد است.", "هوا گرم است."], ["هوا سرد است.", "هوا سرد است."]) == 0.5


def test_exact_match_ignores_capitals_and_spaces_but_not_words_and_marks() -> None:
    assert exact_match(["the  Sky ."], ["The sky."]) == 1
    assert exact_match(["The sky"], ["The sky."]) == 0
    assert exact_match(["sky The."], ["The sky."]) == 0


def chrf_by_definition(output: str, reference: str) -> float:
    """Popović 2015 for one sentence: letters without spaces, one to six at a time, recall counted four times."""
    ours, theirs = output.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        grams = [Counter(text[i : i + n] for i in range(len(text) - n + 1)) for text in (ours, theirs)]
        if not grams[0] or not grams[1]:
            continue
        shared = (grams[0] & grams[1]).total()
        precisions.append(shared / grams[0].total())
        recalls.append(shared / grams[1].total())
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 100 * 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


@settings(max_examples=60)
@given(*[st.text(alphabet="سرد abc", min_size=6, max_size=20).filter(lambda t: len(t.replace(" ", "")) >= 6)] * 2)
def test_chrf_matches_its_paper(output: str, reference: str) -> None:
    assert chrf([output], [reference]) == pytest.approx(chrf_by_definition(output, reference), abs=1e-6)


def bleu_by_definition(outputs: list[str], references: list[str]) -> float:
    """Papineni et al. 2002, for words between spaces, where no share is 0."""
    cut = [(output.split(), reference.split()) for output, reference in zip(outputs, references, strict=True)]
    shares = []
    for n in range(1, 5):
        shared = total = 0
        for pair in cut:
            grams = [Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)) for words in pair]
            shared, total = shared + (grams[0] & grams[1]).total(), total + grams[0].total()
        shares.append(shared / total)
    ours, theirs = (sum(len(pair[side]) for pair in cut) for side in (0, 1))
    return 100 * min(1.0, exp(1 - theirs / ours)) * prod(shares) ** (1 / 4)


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=4, max_size=9), min_size=1, max_size=4), st.randoms())
def test_bleu_matches_its_paper(texts: list[list[str]], random) -> None:
    references = [" ".join(["d", "e", "f", "g", *words]) for words in texts]
    outputs = [" ".join(["d", "e", "f", "g", *random.sample(words, len(words) - 1)]) for words in texts]
    assert bleu(outputs, references) == pytest.approx(bleu_by_definition(outputs, references), abs=1e-6)


def test_bleu_ignores_capitals_and_spaces_but_not_endings() -> None:
    assert bleu(["the  sky is blue ."], ["The sky is blue."]) == pytest.approx(100)
    reference = "ما موز گران نمی‌خوریم."
    assert bleu(["ما موز گران نمی‌خورند."], [reference]) == bleu(["ما سیب گران نمی‌خوریم."], [reference]) < 50


def test_comparable_scores_match_sacrebleu_and_state_their_settings() -> None:
    outputs, references = ["The sky is blue today.", "it rains"], ["The sky is blue, today.", "It rains"]
    of_words, of_letters = signed_scores(outputs, references).splitlines()
    for said, name, metric in ((of_words, "BLEU", BLEU()), (of_letters, "chrF2", CHRF())):
        score = metric.corpus_score(outputs, [references]).score
        assert said == f"{name} {score:.1f} ({metric.get_signature()})"
    assert "|case:mixed|" in of_words and "|tok:13a|" in of_words and "|version:" in of_letters


@pytest.mark.parametrize("metric", [exact_match, chrf, bleu, signed_scores])
def test_metrics_refuse_bad_input(metric) -> None:
    assert "each output needs one reference" in refused(metric, ["a"], ["a", "b"])
    assert "there is nothing to compare" in refused(metric, [], [])
    assert "outputs must be a list of texts" in refused(metric, "a", ["a"])
