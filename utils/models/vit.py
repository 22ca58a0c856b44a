"""ViT: the encoder by itself, over the patches of an image and one token more, whose last state is what is read.

Nothing in it knows that patches have neighbours but what `positions` learns. Images are (B, C, H, W), C channels of
H × W pixels; a patch is a square of P × P pixels in all channels; an image has N = (H / P) · (W / P) of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from utils.models.config import BlockConfig
from utils.models.encoder import Encoder
from utils.models.layers import LearntPositions
from utils.models.require import require_counts, require_vectors
from utils.require import require_one_of, require_whole


@dataclass(frozen=True, kw_only=True)
class VitConfig(BlockConfig):
    """A stack of encoder blocks over the patches of a square image.

    image_size, patch_size: pixels along an edge; patch_size must divide image_size. channels: numbers per pixel.
    classes: what an image can be. n_layers: blocks. positions: learnt, added to every token, or none.
    The defaults are ViT-B/16 with the classes of ImageNet. Raises ValueError naming the values that don't fit.
    Source: Dosovitskiy et al. 2021, section 3.1 and table 1; ε is that of the authors' code.
    """

    image_size: int = 224
    patch_size: int = 16
    channels: int = 3
    classes: int = 1000
    n_layers: int = 12
    positions: Literal["learnt", "none"] = "learnt"
    d_model: int = 768
    n_heads: int = 12
    d_ff: int = 3072
    norm_first: bool = True
    activation: str = "gelu"
    layer_norm_eps: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        require_counts(self, "image_size", "patch_size", "channels", "classes", "n_layers")
        require_one_of("positions", self.positions, ("learnt", "none"))
        _require_squares((self.image_size, self.image_size), self.patch_size)

    @property
    def n_patches(self) -> int:
        """Return N, the number of patches of an image; the encoder gets N + 1 tokens."""
        return (self.image_size // self.patch_size) ** 2


class Vit(nn.Module):
    """Images (B, C, H, W) -> logits (B, classes). Source: Dosovitskiy et al. 2021, equations 1 to 4, figure 1."""

    def __init__(self, config: VitConfig) -> None:
        super().__init__()
        self.config = config
        self.project = nn.Linear(config.channels * config.patch_size**2, config.d_model)
        self.cls = nn.Parameter(torch.zeros(config.d_model))
        learnt = config.positions == "learnt"
        self.positions = LearntPositions(config.n_patches + 1, config.d_model) if learnt else None
        self.encoder = Encoder(config, config.n_layers, final_norm=True)
        self.output = nn.Linear(config.d_model, config.classes)

    def forward(self, images: Tensor) -> Tensor:
        """Map (B, C, H, W) -> (B, classes), read from the last state of [CLS] alone.

        Raises TypeError when images is no tensor of the weights' dtype, ValueError when it has another shape.
        """
        states = self.encoder(self.embed(images))  # (B, 1 + N, d_model)
        return self.output(states[:, 0])

    def embed(self, images: Tensor) -> Tensor:
        """Return the input of the first block, (B, 1 + N, d_model): [CLS] and projected patches, with positions."""
        wanted = (self.config.channels, self.config.image_size, self.config.image_size)
        _require_images(images)
        if images.shape[1:] != wanted:
            raise ValueError(f"images must be (batch, {', '.join(map(str, wanted))}): they are {tuple(images.shape)}.")
        x = patches(images, self.config.patch_size)  # (B, N, C·P·P)
        require_vectors("images", x, self.project.weight)
        x = self.project(x)  # (B, N, d_model)
        x = torch.cat([self.cls.expand(len(x), 1, -1), x], dim=1)  # (B, 1 + N, d_model)
        return x if self.positions is None else x + self.positions(x.shape[1])


def patches(images: Tensor, patch_size: int) -> Tensor:
    """Return the squares of images (B, C, H, W), row by row from the upper left, each as one vector: (B, N, C·P·P).

    Within a patch, channel by channel and row by row, so that a `Conv2d` with kernel and stride P has the same weights.
    Raises TypeError for what is no tensor of numbers with a point, ValueError when P does not divide H and W.
    Source: Dosovitskiy et al. 2021, section 3.1.
    """
    _require_images(images)
    require_whole("patch_size", patch_size)
    _require_squares(images.shape[2:], patch_size)
    x = images.unflatten(3, (-1, patch_size)).unflatten(2, (-1, patch_size))  # (B, C, H/P, P, W/P, P)
    return x.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (B, H/P, W/P, C, P, P) -> (B, N, C·P·P)


def _require_images(images: Tensor) -> None:
    if not isinstance(images, torch.Tensor) or not images.is_floating_point():
        kind = images.dtype if isinstance(images, torch.Tensor) else type(images).__name__
        raise TypeError(f"images must be a tensor of numbers with a point (torch.float32): they are {kind}.")
    if images.ndim != 4 or images.numel() == 0:
        raise ValueError(
            f"images must be (batch, channels, height, width), not empty: their shape is {tuple(images.shape)}."
        )


def _require_squares(size: tuple[int, ...], patch_size: int) -> None:
    if any(edge % patch_size for edge in size):
        raise ValueError(f"patches of {patch_size} × {patch_size} pixels can't fill an image of {size[0]} × {size[1]}.")
