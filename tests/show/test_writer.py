"""The page that translates: its words, its logits and its weights are PyTorch's."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lessons.first_sentences import _LANGUAGES, SENTENCES, first_sentences, written
from tests.node import node
from utils.data.corpora import english_persian
from utils.data.vocabulary import END, PAD, START, tokenize
from utils.models.watching import watching
from utils.show import page
from utils.show.writer import Writer
from utils.training.translator import Translator

FOLDER = Path(page.__file__).parent
FILE = Path(str(files("utils.training") / "everyday_persian.safetensors"))


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(FILE)


def on_the_page(texts: list[str]) -> list[dict[str, Any]]:
    """Return what the page makes of each text: its tokens, the ids that it writes, logits and weights."""
    source = f"""
import {{ readFileSync }} from "node:fs";
import {{ readMachine, writing }} from {(FOLDER / "machine.js").as_uri()!r};
import {{ readingsOf }} from {(FOLDER / "typed.js").as_uri()!r};
const file = readFileSync({str(FILE)!r});
const machine = readMachine(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength));
const knows = new Set(machine.sourceWords);
const said = (text) => {{
  const [{{ tokens }}] = readingsOf(text, knows, machine.longest);
  const steps = [...writing(machine, tokens.map((token) => machine.sourceWords.indexOf(token)))];
  return {{ tokens, ids: steps.map(({{ id }}) => id), logits: steps.map((step) => [...step.logits]),
    maps: steps.map((step) => step.maps.map((map) => [...map])) }};
}};
console.log(JSON.stringify({json.dumps(texts)}.map(said)));
"""
    return json.loads(node("--input-type=module", "-", source=source))


def test_logits_and_weights_agree_with_pytorch(translator: Translator) -> None:
    pairs = english_persian().test
    texts = [pair.source for pair in pairs[:: len(pairs) // 24]]
    for text, seen in zip(texts, on_the_page(texts), strict=True):
        assert seen["tokens"] == tokenize(text)
        ids = translator.source_vocabulary.ids(seen["tokens"])
        target = [START, *seen["ids"][:-1]]
        with watching(translator.model) as maps, torch.inference_mode():
            logits = translator.model(torch.tensor([ids]), torch.tensor([target]))[0].numpy()
        found = np.array(seen["logits"], dtype=float)  # null for what is never written
        words = np.delete(np.arange(logits.shape[1]), [PAD, START])
        assert np.abs(found - logits)[:, words].max() < 1e-4, text
        assert (
            logits[:, words].argmax(axis=1).tolist() == (np.array(seen["ids"]) - 2).tolist() and seen["ids"][-1] == END
        )
        weights = torch.cat(maps.cross, dim=1)[0].transpose(0, 1).numpy()  # (M, layers · heads, N)
        assert np.abs(np.array(seen["maps"]) - weights).max() < 1e-5


@pytest.mark.parametrize("language", _LANGUAGES)
def test_saved_sentences_match_the_translator(language: str) -> None:
    now = written(language)
    saved = json.loads((FOLDER.parents[2] / "lessons/00_start_here/first_sentences.json").read_text("utf-8"))[language]
    assert {**now, "sentences": None} == {**saved, "sentences": None}
    assert tuple(sentence["text"] for sentence in saved["sentences"]) == SENTENCES
    for one, other in zip(now["sentences"], saved["sentences"], strict=True):
        assert [step["word"] for step in one["steps"]] == [step["word"] for step in other["steps"]]
        for step, kept in zip(one["steps"], other["steps"], strict=True):
            assert np.allclose(step["weights"], kept["weights"], atol=2e-3)
            assert np.isclose(step["first"][0][1], kept["first"][0][1], atol=2e-3)


def test_page_gets_the_weights_on_request_or_a_sentence_where_there_are_none() -> None:
    writer, sent = first_sentences(), []
    writer.send = lambda content, buffers: sent.append((content, buffers))  # type: ignore[method-assign]
    writer._serve(writer, {"kind": "weights", "id": "1", "language": "German"}, [])
    german = FILE.with_name("everyday_german.safetensors").read_bytes()
    assert sent == [({"kind": "weights", "language": "German"}, [german])]
    assert (writer.answer, writer.refusal) == ("1", "")

    def nowhere(language: str) -> bytes:
        raise FileNotFoundError(language)

    empty = Writer(writer.languages, nowhere, alt="…")
    empty._serve(empty, {"kind": "weights", "id": "2"}, [])
    assert empty.answer == "2" and "not at hand" in empty.refusal
    for languages in ([], [{**writer.languages[0], "sentences": []}]):
        with pytest.raises(ValueError, match="at least one sentence"):
            Writer(languages, nowhere, alt="…")
