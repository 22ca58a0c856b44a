"""A sentence that is being translated: its words, the words that are written one by one, and what each looks at.

Some sentences are saved with the page. One that is typed is translated by the page itself: it asks for the translator's
weights, once, and computes with them (`page/machine.js`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import traitlets

from utils.show.control import Control, one_line
from utils.show.page import script, style


class Writer(Control):
    """Sentences that are translated word by word before the reader's eyes, and a field for one of their own.

    sentences: each a "text", its "words", and "steps": the "word" that is written next, the "weights" of the
    cross-attention to each of the words, and the "first" words with their probabilities, the best in front. glosses:
    what each word that may be written means. knows: the words that can be read. weights: gives the bytes of the
    translator's safetensors file. alt: what is to be seen, one sentence, for those who can't see it. Raises ValueError
    without sentences.
    """

    _esm = script("writer.js")
    _css = style("writer", "writer.css")

    sentences = traitlets.List(traitlets.Dict()).tag(sync=True)
    glosses = traitlets.Dict().tag(sync=True)
    knows = traitlets.List(traitlets.Unicode()).tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    refusal = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        sentences: Sequence[Mapping[str, Any]],
        glosses: Mapping[str, str],
        knows: Sequence[str],
        weights: Callable[[], bytes],
        alt: str,
    ) -> None:
        if not sentences:
            raise ValueError("a writer needs at least one sentence to begin with.")
        self._weights = weights
        super().__init__(sentences=list(sentences), glosses=dict(glosses), knows=list(knows), alt=alt)
        self.on_msg(self._serve)

    def __repr__(self) -> str:
        first = self.sentences[0]
        return one_line(f"Writer({first['text']} {' '.join(step['word'] for step in first['steps'])})")

    def _serve(self, _: Writer, request: dict[str, Any], __: Any) -> None:
        if request.get("kind") == "weights":
            try:
                self.send({"kind": "weights"}, buffers=[self._weights()])
                self.refusal = ""
            except OSError:
                self.refusal = "The translator’s weights are not at hand here: the start page of the site has them."
        self.answer = str(request.get("id", ""))
