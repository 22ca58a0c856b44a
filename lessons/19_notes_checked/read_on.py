"""Where to read on after the course: authors, year, title, and what for.

The year is that of the conference, the journal or the book, and of the preprint where there is no other.
"""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """A paper, a book or a course."""

    authors: str
    year: int
    title: str
    what_for: str


READ_ON = (
    Source(
        "Bahdanau, Cho and Bengio",
        2015,
        "Neural Machine Translation by Jointly Learning to Align and Translate",
        "attention before transformers",
    ),
    Source("Vaswani and others", 2017, "Attention Is All You Need", "the paper, of which you can now read every line"),
    Source(
        "Mikolov and others",
        2013,
        "Distributed Representations of Words and Phrases and their Compositionality",
        "skip-gram with negative sampling",
    ),
    Source(
        "Asgari and Mofrad",
        2015,
        "Continuous Distributed Representation of Biological Sequences for Deep Proteomics and Genomics",
        "ProtVec, which N1 calls Prot2vec",
    ),
    Source(
        "Sennrich, Haddow and Birch",
        2016,
        "Neural Machine Translation of Rare Words with Subword Units",
        "byte-pair pieces",
    ),
    Source("He, Zhang, Ren and Sun", 2016, "Deep Residual Learning for Image Recognition", "residual connections"),
    Source("Ba, Kiros and Hinton", 2016, "Layer Normalization", "layer norm"),
    Source(
        "Xiong and others", 2020, "On Layer Normalization in the Transformer Architecture", "pre-norm and post-norm"
    ),
    Source("Holtzman and others", 2020, "The Curious Case of Neural Text Degeneration", "top-p sampling"),
    Source("Jain and Wallace", 2019, "Attention is not Explanation", "what an attention map doesn't tell"),
    Source("Wiegreffe and Pinter", 2019, "Attention is not not Explanation", "the reply to it"),
    Source(
        "Devlin and others",
        2019,
        "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
        "encoder-only models",
    ),
    Source(
        "Reimers and Gurevych",
        2019,
        "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks",
        "texts as vectors, to search by meaning",
    ),
    Source(
        "Radford and others", 2019, "Language Models are Unsupervised Multitask Learners", "decoder-only models: GPT-2"
    ),
    Source(
        "Dosovitskiy and others",
        2021,
        "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale",
        "transformers that see",
    ),
    Source(
        "Jumper and others",
        2021,
        "Highly accurate protein structure prediction with AlphaFold",
        "attention over proteins, N5's next lecture",
    ),
    Source("Rush", 2018, "The Annotated Transformer", "the paper again, with code between the lines"),
    Source("Alammar", 2018, "The Illustrated Transformer", "the paper again, in pictures"),
    Source("Zhang, Lipton, Li and Smola", 2023, "Dive into Deep Learning", "a whole textbook with code"),
)
