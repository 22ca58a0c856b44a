"""The sentences about a person and an animal: balanced, with new words in each set, and what of a model is trained."""

from __future__ import annotations

import torch

from lessons.lora import trained_numbers
from lessons.who_does_it import ANIMALS, PERSONS, sentence, split, tagger
from utils.models.bert import Bert, BertConfig


def test_sentences_match_worked_examples():
    told = ("bear", "nurse", "saw", True)
    assert sentence(*told, "active").text == "The bear saw the nurse."
    assert sentence(*told, "passive").text == "The nurse was seen by the bear."
    assert sentence(*told, "cleft").text == "It was the nurse that the bear saw."
    assert sentence("bear", "nurse", "saw", False, "active").text == "The nurse saw the bear."


def nouns(sentences):
    words = {word for one in sentences for word in one.text.rstrip(".").split()}
    return words & {*ANIMALS, *PERSONS}


def test_labels_are_balanced_and_no_noun_is_in_two_sets():
    drawn = split(0)
    for sentences in (drawn.told, drawn.tried, drawn.new_words, drawn.new_form):
        assert sum(one.label for one in sentences) * 2 == len(sentences)
    passive = [one.label for one in drawn.told if " by the " in one.text]
    assert len(passive) * 2 == len(drawn.told) and sum(passive) * 2 == len(passive)
    assert not nouns(drawn.told) & (nouns(drawn.tried) | nouns(drawn.new_words) | nouns(drawn.new_form))
    assert not nouns(drawn.tried) & nouns(drawn.new_words)


def test_each_method_trains_its_part_and_ignores_padding():
    sizes = {"d_model": 8, "n_heads": 2, "d_ff": 16, "n_layers": 3, "max_length": 9, "dropout": 0.0}
    body = Bert(BertConfig(vocabulary=20, **sizes))
    table, head = body.tokens.weight.clone(), 8 + 1
    fresh = tagger(body, "not pretrained", 0)
    assert not torch.equal(fresh.body.tokens.weight, table) and torch.equal(body.tokens.weight, table)
    assert trained_numbers(tagger(body, "whole", 0)) == head + sum(p.numel() for p in body.parameters())
    assert trained_numbers(tagger(body, "frozen", 0)) == head
    adapted = tagger(body, "LoRA 2 attention", 0)
    assert trained_numbers(adapted) == head + 3 * 2 * ((8 + 24) + (8 + 8))
    assert adapted(torch.ones(4, 5, dtype=torch.long)).shape == (4, 1)
    short, filled = torch.tensor([[5, 6, 7]]), torch.tensor([[5, 6, 7, 0, 0]])
    torch.testing.assert_close(adapted.means(filled), adapted.means(short))
