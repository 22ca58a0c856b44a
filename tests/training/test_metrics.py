"""Exact match, chrF and BLEU."""

from __future__ import annotations

from math import exp

import pytest
from sacrebleu.metrics import BLEU, CHRF

from tests.refused import refused
from utils.training.metrics import bleu, chrf, exact_match, signed_scores


def test_exact_match_is_a_share() -> None:
    assert exact_match(["هوا سرد است.", "هوا گرم است."], ["هوا سرد است.", "هوا سرد است."]) == 0.5


def test_exact_match_ignores_capitals_and_spaces_but_not_words_and_marks() -> None:
    assert exact_match(["the  Sky ."], ["The sky."]) == 1
    assert exact_match(["The sky"], ["The sky."]) == 0
    assert exact_match(["sky The."], ["The sky."]) == 0


def test_bleu_ignores_capitals_and_spaces_but_not_endings() -> None:
    assert bleu(["the  sky is blue ."], ["The sky is blue."]) == pytest.approx(100)
    reference = "ما موز گران نمی‌خوریم."
    assert bleu(["ما موز گران نمی‌خورند."], [reference]) == bleu(["ما سیب گران نمی‌خوریم."], [reference]) < 50
    assert bleu(["a b c d"], ["a b c d e f g h"]) == pytest.approx(100 * exp(1 - 8 / 4))


def test_comparable_scores_match_sacrebleu_and_state_their_settings() -> None:
    outputs, references = ["The sky is blue today.", "it rains"], ["The sky is blue, today.", "It rains"]
    of_words, of_letters = signed_scores(outputs, references).splitlines()
    for said, name, metric in ((of_words, "BLEU", BLEU()), (of_letters, "chrF2", CHRF())):
        score = metric.corpus_score(outputs, [references]).score
        assert said == f"{name} {score:.1f} ({metric.get_signature()})"
    assert chrf(outputs, references) == pytest.approx(CHRF().corpus_score(outputs, [references]).score)


@pytest.mark.parametrize("metric", [exact_match, chrf, bleu, signed_scores])
def test_metrics_refuse_bad_input(metric) -> None:
    assert "each output needs one reference" in refused(metric, ["a"], ["a", "b"])
    assert "there is nothing to compare" in refused(metric, [], [])
    assert "outputs must be a list of texts" in refused(metric, "a", ["a"])
