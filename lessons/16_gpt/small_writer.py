"""The language model that comes with lesson 16, and how it was trained: `python -m lessons.small_writer`.

Two blocks with pre-norm, rotary positions, RMSNorm and SwiGLU, on the course's own text without the lessons held out.
Its file holds the model and the pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, pre_tokenizers
from torch import Tensor

from lessons.course_text import course_text
from lessons.language import ids_of, learn_pieces
from utils.models.files import load_model, pack_model, save_tensors
from utils.models.gpt import Gpt, GptConfig
from utils.training.batches import Windows
from utils.training.loop import Trainer, TrainingConfig
from utils.training.loss import next_token_loss

VOCABULARY = 1024
LENGTH = 96  # pieces that it reads at most
ROWS, STEPS = 8, 1300
FILE = Path(__file__).with_name("small_writer.safetensors")

# The byte that each sign of a piece stands for: those that no sign of one byte shows have signs from 256 on.
_SIGNS = pre_tokenizers.ByteLevel.alphabet()
_UNSEEN = [byte for byte in range(256) if chr(byte) not in _SIGNS]
_BYTES = {sign: ord(sign) if ord(sign) < 256 else _UNSEEN[ord(sign) - 256] for sign in _SIGNS}


@dataclass(frozen=True, eq=False)
class Writer:
    """A language model and the pieces that it reads and writes."""

    model: Gpt
    pieces: Tokenizer

    def ids(self, prompt: str, most: int) -> Tensor:
        """The last `most` pieces of a prompt, (1, N). Raises ValueError where there is none."""
        ids = self.pieces.encode(prompt).ids[-most:]
        if not ids:
            raise ValueError("The model goes on with what is there: write a word or two.")
        return torch.tensor([ids])

    def shown(self) -> list[str]:
        """Each piece as a reader sees it, with a dot where it has a space."""
        ids = range(self.model.config.vocabulary)
        return [self.text([id]).replace(" ", "·") for id in ids]

    def text(self, ids: Sequence[int]) -> str:
        """What the pieces say together; bytes that make no whole sign as Python writes them, such as \\xe2."""
        signs = "".join(map(self.pieces.id_to_token, ids))
        return bytes(_BYTES[sign] for sign in signs).decode("utf-8", errors="backslashreplace")

    def save(self, path: str | Path) -> None:
        """One safetensors file: see `save_tensors` for what it raises."""
        tensors, metadata = pack_model(self.model)
        save_tensors(path, tensors, {**metadata, "pieces": self.pieces.to_str()})

    @classmethod
    def load(cls, path: str | Path = FILE) -> Writer:
        """What `save` has written. Raises as `load_model`, and ValueError where the file holds no pieces."""
        model, metadata = load_model(path)
        if "pieces" not in metadata:
            raise ValueError(f"{path} holds a model, but not the pieces of words that it reads and writes.")
        return cls(model, Tokenizer.from_str(metadata["pieces"]))


def trainer_of_small_writer() -> tuple[Trainer, Tokenizer]:
    """The training of the shipped model, not yet begun, and its pieces."""
    text, _ = course_text()
    pieces = learn_pieces(text, VOCABULARY)
    passages = Windows(ids_of(pieces, text), LENGTH, ROWS)
    torch.manual_seed(0)
    config = GptConfig(
        **{"vocabulary": VOCABULARY, "n_layers": 2, "max_length": LENGTH, "d_model": 96, "n_heads": 4, "d_ff": 256},
        **{"positions": "rotary", "norm": "rms", "activation": "swiglu", "dropout": 0.1},
        scaled_embedding=True,
    )
    training = TrainingConfig(steps=STEPS, learning_rate=3e-3, weight_decay=0.1)
    return Trainer(Gpt(config), passages, training, loss_of=next_token_loss(), show=False), pieces


if __name__ == "__main__":
    trainer, pieces = trainer_of_small_writer()
    while not trainer.done:
        print(trainer.step, *trainer.train(steps=100).losses[-1:], flush=True)
    Writer(trainer.model, pieces).save(FILE)
