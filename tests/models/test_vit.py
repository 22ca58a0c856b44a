"""ViT: patches are squares in reading order, the model is what its formulas say, and what does not fit is refused."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from utils.models.vit import Vit, VitConfig, patches

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


def images(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


@pytest.mark.parametrize("positions", ["learnt", "none"])
def test_vit_computes_its_formulas(positions: str) -> None:
    """Dosovitskiy et al. 2021, equations 1 to 4; the encoder is that of test_parity.py, with ε = 1e−6."""
    vit, x = small(positions=positions), images(3, 2, 6, 6)
    E = vit.project.weight.view(12, 2, 2, 2)
    with torch.no_grad():
        tokens = F.conv2d(x, E, vit.project.bias, stride=2).flatten(2).transpose(1, 2)  # (B, N, d_model)
        tokens = torch.cat([vit.cls.expand(3, 1, 12), tokens], dim=1)
        tokens = tokens + vit.positions.table if positions == "learnt" else tokens
        torch.testing.assert_close(vit(x), vit.output(vit.encoder(tokens)[:, 0]), atol=1e-10, rtol=1e-10)
    norms = [module for module in vit.modules() if isinstance(module, nn.LayerNorm)]
    assert [norm.eps for norm in norms] == [1e-6] * (2 * 2 + 1) and vit.encoder.final_norm is norms[-1]
    assert vit.config.norm_first and vit.config.activation == "gelu"


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4))
def test_patch_embedding_agrees_with_a_convolution(b: int, c: int, p: int, rows: int, columns: int) -> None:
    x, weight = images(b, c, rows * p, columns * p), images(7, c, p, p)
    found = patches(x, p)
    assert found.shape == (b, rows * columns, c * p * p)
    wanted = F.conv2d(x, weight, stride=p).flatten(2).transpose(1, 2)  # (B, N, 7)
    torch.testing.assert_close(found @ weight.flatten(1).T, wanted)


def test_default_parameter_count_matches_the_known_vit_b_16() -> None:
    with torch.device("meta"):
        assert sum(p.numel() for p in Vit(VitConfig()).parameters()) == 86_567_656


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"patch_size": 4}, "patches of 4 × 4"),
        ({"n_heads": 5}, r"d_model must be divisible by n_heads"),
    ],
)
def test_invalid_config_is_refused(changes: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        VitConfig(**{**SMALL, **changes})


@pytest.mark.parametrize(
    ("x", "error", "sentence"),
    [
        (torch.ones(1, 2, 6, 6).double(), TypeError, "torch.float32"),
        (torch.ones(1, 2, 6, 8), ValueError, r"\(1, 2, 6, 8\)"),
    ],
)
def test_vit_refuses_other_images(x, error, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        small().float()(x)
