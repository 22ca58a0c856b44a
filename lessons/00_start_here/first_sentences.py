"""The sentences that the start page translates before anything is run, as the everyday translators wrote them.

`python -m lessons.first_sentences` writes them down again, with PyTorch; the page itself needs none.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from utils.data.everyday import CARRIED
from utils.data.kept import read_kept, write_kept
from utils.show.writer import Writer

SENTENCES = (
    "They drink cold tea.",
    "My sister does not read the old book.",
    "Is the weather in this city good today?",
    "Four children played in the garden yesterday.",
)
_SAVED = Path(__file__).with_name("first_sentences.json")
_LANGUAGES = {"Persian": ("fa", "everyday_persian.safetensors"), "German": ("de", "everyday_german.safetensors")}
_FIRST = 3  # of the words that might come next


def first_sentences() -> Writer:
    """Return a figure that translates these sentences, and those that are typed, into the language chosen."""
    saved = read_kept(_SAVED)
    languages = [
        {
            "name": name,
            "code": code,
            "weights": file,
            "sentences": saved[name]["sentences"],
            "spelled": saved[name]["spelled"],
            "glosses": saved[name]["glosses"],
            "knows": saved[name]["reads"],
        }
        for name, (code, file) in _LANGUAGES.items()
    ]
    return Writer(
        languages,
        weights=lambda file: (files("utils.training") / file).read_bytes(),
        alt="An English sentence above, its translation below, written word by word; arcs lead from each new "
        "word to the English words that it looks at.",
    )


def written(language: str) -> dict[str, Any]:
    """Return what is saved of a language: the sentences, and the words that its translator reads and writes."""
    # Only who writes it down needs PyTorch.
    import torch

    from utils.data.vocabulary import SPECIAL_TOKENS
    from utils.training.decoding import Translating, greedy
    from utils.training.everyday import glosses
    from utils.training.inside import look_inside
    from utils.training.translator import Translator

    translator = Translator.load(files("utils.training") / _LANGUAGES[language][1])
    sentences = []
    for text in SENTENCES:
        inside = look_inside(translator, text)
        predictor = Translating(translator.model, torch.tensor([translator.source_ids(text)]))
        found = greedy(predictor, predictor.start, len(inside.writes), keep_probabilities=True).probabilities[0]
        steps = []
        for word, weights, probabilities in zip(
            inside.writes, inside.maps["cross"][-1].mean(axis=0), found, strict=True
        ):
            best = probabilities.topk(_FIRST)
            first = zip(translator.target_vocabulary.tokens(best.indices), best.values.tolist(), strict=True)
            steps.append(
                {
                    "word": word,
                    "weights": [round(float(weight), 3) for weight in weights],
                    "first": [[one, round(share, 4)] for one, share in first],
                }
            )
        sentences.append({"text": text, "words": inside.source, "steps": steps})
    reads, writes = (
        [word for word in vocabulary if word not in SPECIAL_TOKENS]
        for vocabulary in (translator.source_vocabulary, translator.target_vocabulary)
    )
    spelling = translator.target_vocabulary.spelling
    spelled = {word: spelling.words[word] for word in writes if spelling and spelling.words.get(word, word) != word}
    return {
        "sentences": sentences,
        "spelled": spelled,
        "reads": [word for word in reads if word[0].isalnum() and word not in CARRIED],
        "glosses": glosses(language, writes),
    }


if __name__ == "__main__":
    write_kept(_SAVED, {name: written(name) for name in _LANGUAGES})
