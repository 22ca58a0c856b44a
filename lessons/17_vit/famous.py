"""The famous transformers side by side, as data: what their papers say, and their sizes counted from the paper's own.

Printed sizes: Vaswani et al. 2017, table 3; Devlin et al. 2019, section 3; Radford et al. 2019, table 2, of which the
smallest is "equivalent to the original GPT"; Brown et al. 2020, table 2.1; Dosovitskiy et al. 2021, table 1;
DistilGPT2: its model card (Hugging Face). Vocabularies: Radford et al. 2019, section 2.2, and the released code for
GPT's 40,478 and BERT's 30,522.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from utils.models.config import BlockConfig
from utils.models.parameters import TABLE_3, encoder_layer_parameters

_LEARNT_WORDS = 37_000  # Vaswani et al. 2017, section 5.1: pieces that both languages share


@dataclass(frozen=True, kw_only=True)
class Famous:
    """One model. In a stack without cross-attention a decoder's block has as many numbers as an encoder's.

    vectors: rows of d_model numbers that it has besides its blocks: words, positions, segments, [CLS], and what else
    is counted in such rows. millions: as printed, or as text where there is more to say.
    """

    name: str
    year: str
    paper: str
    parts: str
    mask: str
    reads: str
    loss: str
    used_for: str
    n_layers: int
    d_model: int
    n_heads: int
    millions: float
    vectors: int = 0
    counted: int = 0  # by another way, where the stack is no plain one

    @property
    def numbers(self) -> int:
        """How many numbers it learns, counted from its sizes."""
        block = BlockConfig(d_model=self.d_model, n_heads=self.n_heads, d_ff=4 * self.d_model)
        return self.counted or self.n_layers * encoder_layer_parameters(block) + self.vectors * self.d_model


_TWO = 2  # rows of a norm: γ and β
_Encoder = partial(Famous, parts="encoder", mask="none")
_Decoder = partial(Famous, parts="decoder", mask="causal", loss="the next word", reads="a text so far")
FAMOUS = (
    Famous(
        name="Transformer (base)",
        year="2017",
        paper="Vaswani et al. 2017",
        parts="encoder and decoder",
        mask="encoder none, decoder causal",
        reads="a sentence, and its translation so far",
        loss="the next word",
        used_for="translation",
        n_layers=6,
        d_model=512,
        n_heads=8,
        millions=65,
        counted=TABLE_3[0].total(_LEARNT_WORDS),
    ),
    _Decoder(
        name="GPT",
        year="2018",
        paper="Radford et al. 2018",
        used_for="a starting point for language tasks, with further training for each",
        n_layers=12,
        d_model=768,
        n_heads=12,
        millions=117,
        vectors=40_478 + 512,
    ),
    _Encoder(
        name="BERT (base)",
        year="2018",
        paper="Devlin et al. 2019",
        reads="[CLS], a text or two, some words hidden",
        loss="the hidden words; does text 2 follow text 1",
        used_for="a starting point for language tasks, with further training for each",
        n_layers=12,
        d_model=768,
        n_heads=12,
        millions=110,
        # … a norm behind the embeddings, and the pooler: a linear layer with its bias.
        vectors=30_522 + 512 + 2 + _TWO + 768 + 1,
    ),
    _Decoder(
        name="GPT-2",
        year="2019",
        paper="Radford et al. 2019",
        used_for="continuing a text; tasks put as a text, without further training",
        n_layers=48,
        d_model=1600,
        n_heads=25,
        millions=1542,
        vectors=50_257 + 1024 + _TWO,
    ),
    _Decoder(
        name="DistilGPT2",
        year="2019",
        paper="its model card",
        loss="the next word, and what GPT-2 predicts for it",
        used_for="continuing a text, with half the layers of the smallest GPT-2",
        n_layers=6,
        d_model=768,
        n_heads=12,
        millions=82,
        vectors=50_257 + 1024 + _TWO,
    ),
    _Decoder(
        name="GPT-3",
        year="2020",
        paper="Brown et al. 2020",
        reads="a text so far, with examples of the task in it",
        used_for="tasks of which its input has a few examples",
        n_layers=96,
        d_model=12_288,
        n_heads=96,
        millions=175_000,
        vectors=50_257 + 2048 + _TWO,
    ),
    _Encoder(
        name="ViT (B/16)",
        year="2020",
        paper="Dosovitskiy et al. 2021",
        reads="[CLS] and the patches of an image",
        loss="the class of the image",
        used_for="naming what is in an image",
        n_layers=12,
        d_model=768,
        n_heads=12,
        millions=86,
        # The projection with its bias, [CLS], 197 positions, the last norm; the layer for the classes is not counted.
        vectors=16 * 16 * 3 + 1 + 1 + 197 + _TWO,
    ),
)


def famous(name: str) -> Famous:
    """The one whose name begins so. Raises ValueError when there is none."""
    found = next((model for model in FAMOUS if model.name.startswith(name)), None)
    if found is None:
        raise ValueError(f"none of the famous transformers here is called {name!r}.")
    return found
