"""The opening figure of lesson 16: the writer predicts a piece, draws one, and reads it as part of the text."""

from __future__ import annotations

import torch

from lessons.small_writer import Writer
from utils.show.live import Bars, Choice, LiveControl, Note, Panel, Slider, Tokens
from utils.training.decoding import Continuing, sample

_PROMPTS = {"The word it": 3, "We look": 8, "The dot": 10, "Each word asks": 7}  # beginning -> seed of a good text
_MOST, _DRAWN_FROM = 12, 6  # pieces


def next_pieces() -> LiveControl:
    """Return the text that the course's writer makes of a few prompts, piece by piece, and the candidates for the next.

    Each piece is drawn from the six most probable ones. The reader chooses the prompt and how far the text has come.
    """
    writer = Writer.load()
    shown = writer.shown()

    def picture(prompt: str, written: int) -> list[Panel]:
        begun = writer.ids(prompt, most=48)  # (1, N)
        generator = torch.Generator().manual_seed(_PROMPTS[prompt])
        predictor = Continuing(writer.model)
        text = sample(predictor, begun, _MOST + 1, top_k=_DRAWN_FROM, end=None, generator=generator).tokens[0]
        read = torch.cat([begun, torch.tensor([text[:written]], dtype=torch.long)], dim=1)  # (1, N + written)
        with torch.inference_mode():
            probabilities = writer.model(read)[0, -1].softmax(dim=-1)  # (vocabulary,)
        shares, best = probabilities.topk(_DRAWN_FROM)
        taken = best.tolist().index(text[written])
        names = [shown[piece] for piece in best.tolist()]
        groups = [0] * begun.shape[1] + [1] * written
        return [
            Tokens([writer.text([piece]) for piece in read[0].tolist()], groups=groups, key=["the prompt", "written"]),
            Bars(names, shares.numpy(), "the next piece", y_range=(0, 1), lit=[taken], shares=True),
            Note(f"{names[0]} is the most probable piece, with {100 * shares[0]:.0f} %; {names[taken]} is drawn."),
        ]

    knobs = [Choice("prompt", list(_PROMPTS)), Slider("written", 0, _MOST, 0, label="pieces written")]
    return LiveControl(picture, knobs, alt="A text in pieces, and bars of the six most probable next pieces.")
