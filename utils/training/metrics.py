"""Measure how good translations are: the share that is exactly right, chrF and BLEU."""

from __future__ import annotations

from collections.abc import Sequence

from sacrebleu.metrics import BLEU, CHRF

from utils.data.vocabulary import tokenize


def exact_match(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Return the share of `outputs` that say what their reference says, word for word, from 0 to 1.

    Capitals and spaces don't count, punctuation does. Raises ValueError when there is nothing to compare, or the
    numbers of outputs and references differ.
    """
    _require_pairs(outputs, references)
    same = [tokenize(ours) == tokenize(theirs) for ours, theirs in zip(outputs, references, strict=True)]
    return sum(same) / len(same)


def chrf(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Compute chrF2 of the whole set, from 0 to 100, as sacrebleu computes it.

    An F-score over groups of one to six letters: a wrong ending costs less than a wrong word. Unlike BLEU it needs
    no words, so it is fair to languages that say with an ending what others say with a word.
    Source: Popović 2015. Raises as `exact_match` does.
    """
    _require_pairs(outputs, references)
    return float(CHRF().corpus_score(list(outputs), [list(references)]).score)


def bleu(outputs: Sequence[str], references: Sequence[str]) -> float:
    """Compute BLEU of the whole set, from 0 to 100, as sacrebleu computes it.

    The geometric mean of four shares: of the single words, pairs, threes and fours of the outputs that the references
    have too; times a penalty where the outputs are shorter. Words and marks are cut by the course's own tokenizer,
    capitals don't count, and a share of 0 is smoothed as sacrebleu does it, so that short texts can be told apart.
    Sources: Papineni et al. 2002; Post 2018. Raises as `exact_match` does.
    """
    _require_pairs(outputs, references)
    cut = [[" ".join(tokenize(text)) for text in texts] for texts in (outputs, references)]
    return float(BLEU(tokenize="none", force=True).corpus_score(cut[0], [cut[1]]).score)


def signed_scores(outputs: Sequence[str], references: Sequence[str]) -> str:
    """Return BLEU and chrF as sacrebleu computes them, each on a line with its signature, so that others can compare.

    Unlike in `bleu`, capitals count, and words are cut as in the WMT's evaluations.
    Source: Post 2018. Raises as `exact_match` does.
    """
    _require_pairs(outputs, references)
    scored = [(metric, metric.corpus_score(list(outputs), [list(references)])) for metric in (BLEU(force=True), CHRF())]
    return "\n".join(f"{score.name} {score.score:.1f} ({metric.get_signature()})" for metric, score in scored)


def _require_pairs(outputs: Sequence[str], references: Sequence[str]) -> None:
    for name, texts in (("outputs", outputs), ("references", references)):
        if isinstance(texts, str):
            raise TypeError(f"{name} must be a list of texts, not one text.")
        if not all(isinstance(text, str) for text in texts):
            raise TypeError(f"{name} must be texts, every one of them.")
    if len(outputs) != len(references):
        raise ValueError(f"each output needs one reference: {len(outputs)} outputs, {len(references)} references.")
    if not outputs:
        raise ValueError("there is nothing to compare: no outputs were given.")
