"""The small language: its sentences, its split, and the translator that learns it in seconds."""

from __future__ import annotations

import pytest
import torch

from lessons.toy_translation import decoder_steps, toy_corpus, trained_translators
from utils.data.vocabulary import END, PAD, START, UNKNOWN, tokenize
from utils.models.transformer import Transformer

CORPUS = toy_corpus()


@pytest.fixture(scope="module")
def models() -> dict[int, Transformer]:
    torch.set_num_threads(1)
    return trained_translators((0, 250))


@pytest.mark.parametrize(
    ("english", "persian", "part"),
    [
        ("The weather is great.", "هوا عالی است.", "held_out"),
        ("This tea was very cold.", "این چای خیلی سرد بود.", "train"),
        ("They do not drink water.", "آنها آب نمی\u200cنوشند.", "train"),
    ],
)
def test_translations_match_worked_examples(english, persian, part):
    assert (english, persian) in getattr(CORPUS, part)


def test_each_sentence_occurs_once_and_held_out_ones_have_no_new_word():
    everything = CORPUS.train + CORPUS.held_out
    assert len({english for english, _ in everything}) == len(everything)
    assert 1900 < len(CORPUS.train) < 2200 and 250 < len(CORPUS.held_out) < 400
    for english, persian in CORPUS.held_out:
        assert UNKNOWN not in CORPUS.source.ids(tokenize(english)) + CORPUS.target.ids(tokenize(persian))


def test_targets_are_between_start_and_end():
    ids = CORPUS.target_ids(["هوا عالی است.", "من خسته هستم.", "این چای خیلی سرد بود."])
    assert (ids[:, 0] == START).all()
    assert ids[0].tolist()[-3:] == [END, PAD, PAD] and (ids == END).sum(dim=1).tolist() == [1, 1, 1]
    assert CORPUS.source_ids(["The weather is great."])[0].tolist() == CORPUS.source.ids(
        ["the", "weather", "is", "great", "."]
    )


def test_decoder_step_shows_words_read_and_attention(models):
    steps = decoder_steps(models[250], CORPUS, "The weather is great.")
    assert [step.read for step in steps][-1] == ("<start>", "هوا", "عالی", "است", ".")
    for M, step in enumerate(steps, 1):
        assert step.self_attention.shape == (2, M, M) and step.cross_attention.shape == (2, M, 5)
        assert torch.allclose(step.cross_attention.sum(dim=-1), torch.ones(2, M))
        assert (step.self_attention.triu(1) == 0).all()
        assert torch.isclose(step.probabilities.sum(), torch.tensor(1.0))
        with torch.no_grad():
            read = torch.tensor([CORPUS.target.ids(step.read)])
            logits = models[250](CORPUS.source_ids(["The weather is great."]), read)[0, -1]
        logits[PAD] = -torch.inf  # padding is never said
        assert torch.allclose(logits.softmax(-1), step.probabilities, atol=1e-5)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [("The moon is great.", "this small language has no word 'moon'"), ("  ", "there is nothing to translate")],
)
def test_decoder_steps_refuses_unknown_words(sentence, told, models):
    with pytest.raises(ValueError, match=told):
        decoder_steps(models[0], CORPUS, sentence)


def test_training_ends_and_leaves_global_random_state_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    trained_translators((1,))
    assert torch.equal(torch.rand(3), expected)
