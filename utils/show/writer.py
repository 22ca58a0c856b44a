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
    """Translate sentences word by word before the reader's eyes, and those that the reader types.

    languages: to choose from, each a dict with its "name", its "code" (such as "fa"), "weights" (the name of its
    translator's file), "sentences", "spelled" (how a word is written, where not in
    small letters), "glosses" (what each word that may be written means) and "knows" (the words that
    can be read). A sentence has a "text", its
    "words", and "steps": the "word" that is written next, the "weights" of the cross-attention to each of the words,
    and the "first" words with their probabilities, the best in front. weights: return the bytes of a translator's
    safetensors file from its name. alt: what is to be seen, one sentence, for those who can't see it.
    Raises ValueError for a language without sentences, or without any language.
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
        self.on_msg(self._serve)

    def __repr__(self) -> str:
        first = self.languages[0]["sentences"][0]
        return one_line(f"Writer({first['text']} {' '.join(step['word'] for step in first['steps'])})")

    def _serve(self, _: Writer, request: dict[str, Any], __: Any) -> None:
        if request.get("kind") == "weights":
            try:
                asked = request.get("language")
                file = next(language["weights"] for language in self.languages if language["name"] == asked)
                self.send({"kind": "weights", "language": asked}, buffers=[self._weights(file)])
                self.refusal = ""
            except (OSError, StopIteration):
                self.refusal = "The translator’s weights are not at hand here: the start page of the site has them."
        self.answer = str(request.get("id", ""))
