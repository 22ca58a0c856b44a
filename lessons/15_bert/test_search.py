"""Searching the lessons: what is a section, and that a text's vector does not depend on its neighbours in a batch."""

from __future__ import annotations

import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from lessons.search import WORDS, Section, embed_all, nearest_sections, sections_of
from utils.models.bert import Bert, BertConfig

LONG = " ".join(f"word{i}" for i in range(50))
LESSON = f"""---
title: Masks
---

Goals that no heading stands above, in a few words more than are needed here for it to be a section of its own.

## A mask

{LONG}

```{{code-cell}} ipython3
## no heading, but a remark in a cell {LONG}
```

+++

### Short

Too short.

## Exercise 1: {LONG}

{LONG}

### With a + and a #

Behind the exercise. {LONG}
"""


def test_sections_hold_text_below_a_heading_without_code_and_exercises():
    first, last = sections_of("08", "Masks", LESSON)
    assert (first.number, first.heading, last.heading) == ("08", "A mask", "With a + and a #")
    assert first.text == f"Masks. A mask. {' '.join(LONG.split()[:WORDS])}"
    assert last.text.startswith("Masks. With a + and a #. Behind the exercise. word0")


@pytest.fixture(scope="module")
def small():
    words = {word: i for i, word in enumerate(["[PAD]", *"abcdefgh"])}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = Whitespace()
    torch.manual_seed(0)
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 2, "max_length": 9, "dropout": 0.0}
    return Bert(BertConfig(vocabulary=len(words), **sizes)).eval(), tokenizer


def test_text_vector_is_normalized_mean_of_its_own_tokens(small):
    bert, tokenizer = small
    texts = ["a b c d e f g", "h", "b a", "c c d e", "f"]
    found = embed_all(bert, tokenizer, texts, batch=2)
    for text, vector in zip(texts, found, strict=True):
        with torch.no_grad():
            mean = bert(torch.tensor([tokenizer.encode(text).ids]))[0].mean(dim=0)
        torch.testing.assert_close(vector, mean / mean.norm(), atol=1e-6, rtol=0)


def test_search_returns_nearest_sections_first(small):
    texts = ["a b c", "h g", "d e f", "b c", "c g h"]
    sections = [Section(f"{number:02d}", f"on {text}", text) for number, text in enumerate(texts)]
    note, bars = nearest_sections(*small, sections, embed_all(*small, texts), "h g", most=3)
    assert note.sentence == "nearest: lesson 01 on h g" and bars.names[0] == "01 on h g"
    assert bars.values[0] == pytest.approx(1, abs=1e-5) and len(bars.values) == 3
    assert (bars.values[:-1] >= bars.values[1:]).all()


@pytest.mark.parametrize("question", ["", "  "])
def test_search_refuses_empty_question(small, question):
    with pytest.raises(ValueError, match="nothing to look for"):
        nearest_sections(*small, [Section("00", "a", "a")], embed_all(*small, ["a"]), question)
