"""Show how a sentence is translated: its words, the words written one by one, and the attention of each.

Some sentences are saved with the page. The page itself translates a typed sentence: it asks once for the translator's
weights and computes with them (`page/machine.js`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import traitlets

from utils.show.control import Control, one_line
from utils.show.page import script, style


class Writer(Control):
    """A control that translates saved and typed sentences word by word.

    languages: the languages to choose from, each a dict with "name", "code" (such as "fa"), "weights" (the name of the
        translator's file), "sentences", "spelled" (the spelling of words that aren't in small letters), "glosses" (the
        meaning of each word that can be written) and "knows" (the words that can be read). A sentence has a "text", its
        "words", and "steps": the next "word", the "weights" of the cross-attention to each of the words, and the
        "first" words with their probabilities, the best first.
    weights: returns the bytes of a translator's safetensors file for its name.
    alt: one sentence that describes the picture for readers who can't see it.

    Raise ValueError if there is no language, or if a language has no sentences.
    """

    _esm = script("writer.js")
    _css = style("writer", "writer.css")

    languages = traitlets.List(traitlets.Dict()).tag(sync=True)
    alt = traitlets.Unicode().tag(sync=True)
    refusal = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        languages: Sequence[Mapping[str, Any]],
        weights: Callable[[str], bytes],
        alt: str,
    ) -> None:
        if not languages or not all(language["sentences"] for language in languages):
            raise ValueError("a writer needs a language, and in each language at least one sentence to begin with.")
        self._weights = weights
        super().__init__(languages=[dict(language) for language in languages], alt=alt)

    def __repr__(self) -> str:
        first = self.languages[0]["sentences"][0]
        return one_line(f"Writer({first['text']} {' '.join(step['word'] for step in first['steps'])})")

    def serve(self, request: Mapping[str, Any]) -> None:
        if request.get("kind") == "weights":
            try:
                asked = request.get("language")
                file = next(language["weights"] for language in self.languages if language["name"] == asked)
                self.send({"kind": "weights", "language": asked}, buffers=[self._weights(file)])
                self.refusal = ""
            except (OSError, StopIteration):
                self.refusal = "The translator’s weights are not at hand here: the start page of the site has them."
