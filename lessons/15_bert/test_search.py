"""Searching the lessons: what is a section, and that a text's vector does not depend on its neighbours in a batch."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from lessons.search import WORDS, embed_all, sections_of
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


def test_sections_are_what_stands_below_a_heading_without_code_and_exercises():
    first, last = sections_of("08", "Masks", LESSON)
    assert (first.number, first.heading, last.heading) == ("08", "A mask", "With a + and a #")
    assert first.text == f"Masks. A mask. {' '.join(LONG.split()[:WORDS])}"
    assert last.text.startswith("Masks. With a + and a #. Behind the exercise. word0")


def test_a_vector_is_the_mean_of_the_texts_own_tokens_at_length_1():
    words = {word: i for i, word in enumerate(["[PAD]", *"abcdefgh"])}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[PAD]"))
    tokenizer.pre_tokenizer = Whitespace()
    torch.manual_seed(0)
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 8, "n_layers": 2, "max_length": 9, "dropout": 0.0}
    bert = Bert(BertConfig(vocabulary=len(words), **sizes)).eval()
    texts = ["a b c d e f g", "h", "b a", "c c d e", "f"]
    found = embed_all(bert, tokenizer, texts, batch=2)
    for text, vector in zip(texts, found, strict=True):
        with torch.no_grad():
            mean = bert(torch.tensor([tokenizer.encode(text).ids]))[0].mean(dim=0)
        torch.testing.assert_close(vector, mean / mean.norm(), atol=1e-6, rtol=0)
