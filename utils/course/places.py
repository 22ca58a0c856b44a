"""Where each lesson stands in the whole machine: the box of the walk that shows what it teaches."""

from __future__ import annotations

from typing import NamedTuple

WALK = "20_one_sentence"  # the lesson in which one sentence is followed through all boxes


class Place(NamedTuple):
    """A box of the walk: its path there, and what it is called on the pages."""

    path: str
    words: str


_HEAD = "encoder.layer1.attention.head1"

PLACES = {
    "01": Place("decoder.layer2.cross.head1.weights", "the weights of a cross-attention"),
    "02": Place("tokens", "tokens and ids"),
    "02b": Place("encoder.layer1.attention.norm", "a layer norm, with its mean and deviation"),
    "03": Place("input.embedding", "the vector of each word"),
    "04": Place("input.positions", "the positional encoding"),
    "05": Place(f"{_HEAD}.Q", "queries, and beside them keys and values"),
    "06": Place(f"{_HEAD}.scores", "the scaled scores of a head"),
    "07": Place("encoder.layer1.attention.joined", "the heads, joined"),
    "08": Place("decoder.layer1.attention.head1.mask", "the look-ahead mask"),
    "09": Place("encoder.layer1.attention_add", "a residual connection"),
    "10": Place("encoder", "the encoder"),
    "11": Place("decoder", "the decoder"),
    "12": Place("logits", "the logits, which training compares with the right word"),
    "13": Place("probabilities", "the probabilities of the next word"),
    "14": Place("decoder.layer2.cross.head1.weights", "the weights of a cross-attention"),
    "15": Place("encoder", "the encoder, which BERT is"),
    "16": Place("decoder.layer1.attention", "the masked self-attention, the only attention of GPT"),
    "17": Place("input", "the vectors that go in, where a ViT puts its patches"),
    "18": Place("", "the whole machine"),
    "18b": Place(f"{_HEAD}.weights", "the weights of a head, N times N of them"),
    "19": Place("", "the whole machine"),
}
