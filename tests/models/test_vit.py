"""ViT: patches are squares in reading order, the model is what its formulas say, and what does not fit is refused."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from utils.models.vit import Vit, VitConfig, patches
from utils.models.watching import watching

SMALL = {"image_size": 6, "patch_size": 2, "channels": 2, "classes": 5, "n_layers": 2, "d_model": 12, "n_heads": 3,
         "d_ff": 20}  # fmt: skip


def small(**changes) -> Vit:
    """A ViT with random weights in every parameter, in float64, ready to use."""
    torch.manual_seed(0)
    vit = Vit(VitConfig(**{**SMALL, **changes})).double().eval()
    with torch.no_grad():
        for parameter in vit.parameters():
            parameter.normal_(std=0.3)
    return vit


def by_the_formulas(vit: Vit, images: Tensor) -> Tensor:
    """Dosovitskiy et al. 2021, equations 1 to 4, for one image (C, H, W), patch by patch and head by head."""
    config, w = vit.config, dict(vit.named_parameters())
    P, d_k = config.patch_size, config.d_model // config.n_heads

    def linear(x: Tensor, name: str) -> Tensor:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: Tensor, name: str) -> Tensor:
        z = (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + 1e-6).sqrt()
        return z * w[f"{name}.weight"] + w[f"{name}.bias"]

    corners = [(i, j) for i in range(0, config.image_size, P) for j in range(0, config.image_size, P)]
    x = torch.stack([w["cls"], *(linear(images[:, i : i + P, j : j + P].reshape(-1), "project") for i, j in corners)])
    x = x + w["positions.table"] if "positions.table" in w else x
    for layer in range(config.n_layers):
        block = f"encoder.layers.{layer}"
        z = norm(x, f"{block}.add_norm_attention.norm")
        Q, K, V = linear(z, f"{block}.self_attention.project_in").split(config.d_model, dim=1)
        heads = [slice(start, start + d_k) for start in range(0, config.d_model, d_k)]
        found = torch.cat([(Q[:, h] @ K[:, h].T / math.sqrt(d_k)).softmax(-1) @ V[:, h] for h in heads], dim=1)
        x = x + linear(found, f"{block}.self_attention.project_out")
        wide = linear(norm(x, f"{block}.add_norm_feed_forward.norm"), f"{block}.feed_forward.widen")
        x = x + linear(wide * (1 + torch.erf(wide / math.sqrt(2))) / 2, f"{block}.feed_forward.narrow")
    return linear(norm(x, "encoder.final_norm")[0], "output")


def images(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("positions", ["learnt", "none"])
def test_it_computes_what_the_formulas_say(positions: str) -> None:
    vit, x = small(positions=positions), images(3, 2, 6, 6)
    with torch.no_grad():
        wanted = torch.stack([by_the_formulas(vit, image) for image in x])
        torch.testing.assert_close(vit(x), wanted, atol=1e-10, rtol=1e-10)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4))
def test_a_patch_is_what_a_convolution_of_its_size_sees(b: int, c: int, p: int, rows: int, columns: int) -> None:
    x, weight = images(b, c, rows * p, columns * p), images(7, c, p, p)
    found = patches(x, p)
    assert found.shape == (b, rows * columns, c * p * p)
    wanted = F.conv2d(x, weight, stride=p).flatten(2).transpose(1, 2)  # (B, N, 7)
    torch.testing.assert_close(found @ weight.flatten(1).T, wanted)


def test_patches_stand_in_reading_order() -> None:
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    assert patches(x, 2)[0].tolist() == [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]


def test_the_defaults_have_as_many_parameters_as_vit_b_16_is_known_to_have() -> None:
    with torch.device("meta"):
        assert sum(p.numel() for p in Vit(VitConfig()).parameters()) == 86_567_656


def test_without_positions_the_order_of_the_patches_is_nothing_to_it() -> None:
    x = images(1, 2, 6, 6)
    squares = x.unflatten(3, (3, 2)).unflatten(2, (3, 2))  # (1, C, 3, P, 3, P)
    turned = squares.flip(2).flip(4).flatten(4).flatten(2, 3)
    assert not torch.equal(turned, x)
    with torch.no_grad():
        bag, vit = small(positions="none"), small()
        torch.testing.assert_close(bag(turned), bag(x))
        assert (vit(turned) - vit(x)).abs().max() > 1e-3


def test_its_attention_can_be_watched() -> None:
    with torch.no_grad(), watching(small()) as maps:
        small()  # another model is not watched
        assert not maps
    vit = small()
    with torch.no_grad(), watching(vit) as maps:
        vit(images(4, 2, 6, 6))
    assert [tuple(weights.shape) for weights in maps.encoder] == [(4, 3, 10, 10)] * 2


def test_at_first_positions_are_small_and_the_class_token_is_zero() -> None:
    torch.manual_seed(0)
    vit = Vit(VitConfig(**SMALL))
    assert not vit.cls.any() and 0.01 < vit.positions.table.std() < 0.03
    assert isinstance(vit.cls, nn.Parameter)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"patch_size": 4}, r"^patches of 4 × 4 pixels can't fill an image of 6 × 6\.$"),
        ({"classes": 0}, r"classes must be a whole number of at least 1: it is 0"),
        ({"n_layers": 0}, r"n_layers must be a whole number of at least 1"),
        ({"channels": 0}, r"channels must be a whole number of at least 1"),
        ({"image_size": 0}, r"image_size must be a whole number of at least 1"),
        ({"patch_size": 0}, r"patch_size must be a whole number of at least 1"),
        ({"positions": "sinusoidal"}, r"positions must be one of learnt, none"),
        ({"n_heads": 5}, r"d_model must be divisible by n_heads"),
    ],
)
def test_a_configuration_that_cannot_be_built_is_refused(changes: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        VitConfig(**{**SMALL, **changes})


@pytest.mark.parametrize(
    ("x", "error", "sentence"),
    [
        ([[1.0]], TypeError, r"^images must be a tensor of numbers with a point \(torch.float32\): they are list\.$"),
        (torch.ones(1, 2, 6, 6, dtype=torch.long), TypeError, r"they are torch.int64\.$"),
        (torch.ones(1, 2, 6, 6).double(), TypeError, r"^images must hold numbers as the weights do, torch.float32: "),
        (torch.ones(2, 6, 6), ValueError, r"\(batch, channels, height, width\), not empty: .* \(2, 6, 6\)\.$"),
        (torch.ones(0, 2, 6, 6), ValueError, r"not empty: their shape is \(0, 2, 6, 6\)\.$"),
        (torch.ones(1, 1, 6, 6), ValueError, r"^images must be \(batch, 2, 6, 6\): they are \(1, 1, 6, 6\)\.$"),
        (torch.ones(1, 2, 6, 8), ValueError, r"^images must be \(batch, 2, 6, 6\): they are \(1, 2, 6, 8\)\.$"),
    ],
)
def test_what_is_no_batch_of_its_images_is_refused(x, error, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        small().float()(x)


@pytest.mark.parametrize(("height", "width"), [(5, 6), (6, 5)])
def test_an_image_that_patches_do_not_fill_is_refused(height: int, width: int) -> None:
    with pytest.raises(ValueError, match=rf"^patches of 2 × 2 pixels can't fill an image of {height} × {width}\.$"):
        patches(torch.ones(1, 1, height, width), 2)


@pytest.mark.parametrize("size", [2.0, True, "2"])
def test_a_size_that_is_no_whole_number_is_refused(size) -> None:
    with pytest.raises(TypeError, match="patch_size must be a whole number"):
        patches(torch.ones(1, 1, 4, 4), size)
