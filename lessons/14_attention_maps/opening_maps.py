"""The opening figure of lesson 14: which word of the sentence each written word looks at, as links that cross."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from utils.data.gloss import glosses
from utils.show.explorer import AttentionExplorer, Pass, Text
from utils.training.inside import look_inside
from utils.training.translator import Translator


def crossing_links(sentences: Sequence[str]) -> AttentionExplorer:
    """Return the links of the first head in layer 2's cross-attention; the reader chooses one of `sentences`.

    The written words have their glosses, and the row of <end> is left out. At first the last word before the full stop
    is lit, which in Persian is the verb.
    """
    translator = Translator.load(files("utils.training") / "translator.safetensors")
    return AttentionExplorer(
        {sentence: _links(translator, sentence) for sentence in sentences}, only_links=True, lit_row=-2
    )


def _links(translator: Translator, sentence: str) -> Pass:
    seen = look_inside(translator, sentence)
    words = seen.writes[:-1]
    weights = seen.map("cross", layer=1, head=0)[None, :-1]  # (1, M, N), as if it were the only head
    target = Text(words, "fa", glosses=dict(zip(words, glosses(words), strict=True)))
    return Pass({"cross": [weights]}, Text(seen.source, "en"), target)
