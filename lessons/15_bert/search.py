"""Searching the lessons by meaning: their sections, each with a vector, and the ones nearest to a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Tensor

from utils.models.bert import Bert
from utils.show.live import Bars, Note, Panel
from utils.training.batches import padded

WORDS = 32  # of a section that are read: more take longer, and find little more
_TOO_SHORT = 15  # words; such a section says nothing by itself
_NO_ANSWER = ("Exercise", "So:", "The notes", "Try it", "Recap")  # headings that begin so
_CODE = r"(?ms:^```.*?^```$)|(?m:^\+\+\+.*$)"
QUESTIONS = (  # each with the lesson that answers it
    ("why divide by the square root of d_k", "06"),
    ("what happens if the mask comes after the softmax", "08"),
    ("who has bad handwriting", "05"),
    ("how does a beam search work", "13"),
    ("why do we add positions", "04"),
    ("what is a residual connection good for", "09"),
    ("what does a tokenizer do with an unknown word", "02"),
    ("is an attention map an explanation", "14"),
    ("how do proteins become words", "03"),
    ("what is the learning rate warm-up for", "12"),
    ("where does the decoder get its keys and values", "11"),
    ("how many parameters does the encoder have", "10"),
    ("why not a recurrent network", "01"),
    ("what is a matrix product", "02b"),
    ("why several heads", "07"),
    ("does the model look at the next word", "08"),
    ("how is the mean and variance used", "09"),
    ("choose the next word at random", "13"),
)


@dataclass(frozen=True)
class Section:
    """A piece of a lesson below one heading."""

    number: str  # of the lesson, "05"
    heading: str
    text: str  # what is read of it: the lesson's title, the heading and the first words


def sections_of(number: str, title: str, text: str) -> list[Section]:
    """The sections of a lesson's text that can answer a question: code, exercises and summaries left out."""
    parts = re.split(r"^##+ ", re.sub(_CODE, "", text), flags=re.MULTILINE)[1:]
    found = []
    for heading, _, body in (part.partition("\n") for part in parts):
        words = body.split()
        if len(words) > _TOO_SHORT and not heading.startswith(_NO_ANSWER):
            found.append(Section(number, heading, f"{title}. {heading}. {' '.join(words[:WORDS])}"))
    return found


@torch.no_grad()
def embed_all(bert: Bert, tokenizer: Tokenizer, texts: Sequence[str], batch: int = 16) -> Tensor:
    """A vector of length 1 for each text, (n, d_model): the mean of its tokens' last states, padding left out.

    Texts of like length are read together. Source: Reimers and Gurevych 2019, section 3 (mean pooling).
    """
    ids = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]
    vectors = torch.empty(len(ids), bert.config.d_model)
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    for start in range(0, len(order), batch):
        places = order[start : start + batch]
        rows = padded([ids[i] for i in places])  # (batch, N)
        is_token = (rows != bert.config.pad_id)[:, :, None]  # (batch, N, 1)
        vectors[places] = (bert(rows) * is_token).sum(dim=1) / is_token.sum(dim=1)
    return F.normalize(vectors, dim=-1)


def nearest_sections(
    bert: Bert, tokenizer: Tokenizer, sections: Sequence[Section], index: Tensor, question: str, most: int = 5
) -> list[Panel]:
    """Bars of the `most` sections nearest to `question`, by the cosine; index (n, d_model) has their vectors.

    Raises ValueError when there is no question.
    """
    if not question.strip():
        raise ValueError("there is nothing to look for: type a question.")
    cosines = index @ embed_all(bert, tokenizer, [question])[0]  # (n,)
    best = cosines.argsort(descending=True)[:most].tolist()
    names = [f"{sections[i].number} {sections[i].heading}" for i in best]
    return [
        Note(f"nearest: lesson {names[0]}"),
        Bars(names, cosines[best].numpy(), "cosine", y_range=(0, 1), decimals=2),
    ]
