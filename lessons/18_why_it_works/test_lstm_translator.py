"""The LSTM of lesson 18: what it computes, what padding may not change, and what it refuses."""

from __future__ import annotations

import pytest
import torch

from lessons.lstm_translator import LstmConfig, LstmTranslator
from utils.data.vocabulary import PAD


@pytest.fixture
def model() -> LstmTranslator:
    torch.manual_seed(0)
    return LstmTranslator(LstmConfig(source_vocabulary=12, target_vocabulary=9, d_model=8)).eval()


def test_lstm_attention_matches_luongs_word_by_word(model: LstmTranslator) -> None:
    source, target = torch.tensor([[5, 7, 11, 6]]), torch.tensor([[2, 8, 3]])
    H, (h, c) = model.encoder(model.source_embedding(source))
    rows = []
    for word in target.unbind(dim=1):
        s, (h, c) = model.decoder(model.target_embedding(word)[:, None], (h, c))
        weights = torch.stack([s[0, 0] @ H[0, j] for j in range(4)]).softmax(dim=0)
        context = sum(weight * state for weight, state in zip(weights, H[0], strict=True))
        rows.append(model.output(torch.tanh(model.mix(torch.cat([context, s[0, 0]])))))
    assert torch.allclose(model(source, target)[0], torch.stack(rows), atol=1e-6)


def test_padding_leaves_lstm_output_unchanged(model: LstmTranslator) -> None:
    source, target = torch.tensor([[5, 7, 11]]), torch.tensor([[2, 8]])
    padded = torch.tensor([[5, 7, 11, PAD, PAD], [6, 6, 7, 8, 9]])
    assert torch.allclose(model(padded, target.expand(2, -1))[:1], model(source, target), atol=1e-6)


def test_lstm_target_word_does_not_see_later_words(model: LstmTranslator) -> None:
    source = torch.tensor([[5, 7, 11]])
    first, other = model(source, torch.tensor([[2, 8, 3]])), model(source, torch.tensor([[2, 8, 4]]))
    assert torch.equal(first[:, :2], other[:, :2]) and not torch.allclose(first[:, 2], other[:, 2])
