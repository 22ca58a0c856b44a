"""Beside PyTorch's own modules: the same outputs and the same gradients, for random configurations and masks."""

from __future__ import annotations

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from bench._torch_weights import to_torch
from tests.refused import refused
from utils.models.config import BlockConfig, TransformerConfig
from utils.models.layers import SinusoidalPositions
from utils.models.torch_weights import from_torch
from utils.models.transformer import Transformer
from utils.models.watching import watching

# What PyTorch says of its own short cut for evaluation, which no test here takes.
pytestmark = pytest.mark.filterwarnings("ignore:enable_nested_tensor")

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)
mask_kinds = st.sampled_from(["none", "padding", "causal", "both", "random"])


@st.composite
def block_configs(draw) -> BlockConfig:
    """d_model is 8 at least: layer norm of two or three nearly equal numbers makes much of a rounding error."""
    n_heads = draw(st.integers(1, 8))
    return BlockConfig(
        d_model=n_heads * draw(st.integers(-(-8 // n_heads), 9)),
        n_heads=n_heads,
        d_ff=draw(st.integers(1, 24)),
        dropout=0.0,
        norm_first=draw(st.booleans()),
        activation=draw(st.sampled_from(["relu", "gelu"])),
        layer_norm_eps=draw(st.sampled_from([1e-5, 1e-3, 0.1])),
        bias=draw(st.booleans()),
    )


def their_arguments(config: BlockConfig) -> dict:
    """What PyTorch's layers call the fields of a configuration."""
    return {
        "d_model": config.d_model,
        "nhead": config.n_heads,
        "dim_feedforward": config.d_ff,
        "dropout": config.dropout,
        "activation": config.activation,
        "layer_norm_eps": config.layer_norm_eps,
        "norm_first": config.norm_first,
        "bias": config.bias,
    }


def random_mask(kind: str, batch: int, n: int, m: int, device: str) -> Tensor:
    """A boolean mask (batch, n, m) on `device`, True where attention is allowed, with something allowed in every row.

    For a row without, PyTorch's own layers yield NaN; what ours do there, test_attention.py says.
    """
    mask = torch.ones(batch, n, m, dtype=torch.bool)
    if kind in ("padding", "both"):
        lengths = torch.randint(1, m + 1, (batch,))
        mask &= (torch.arange(m) < lengths[:, None])[:, None, :]
    if kind in ("causal", "both"):
        mask &= torch.ones(n, m, dtype=torch.bool).tril()
    if kind == "random":
        mask &= torch.rand(batch, n, m) < 0.6
    mask[..., 0] |= ~mask.any(dim=-1)
    return mask.to(device)


def for_theirs(mask: Tensor, n_heads: int) -> Tensor:
    """Our mask (B, N, M) as PyTorch's layers take it: True where forbidden, (B · n_heads, N, M)."""
    return ~mask.repeat_interleave(n_heads, dim=0)


def turned(x: Tensor, batch_first: bool) -> Tensor:
    return x if batch_first else x.transpose(0, 1)


def shaken(module: nn.Module) -> nn.Module:
    """Every parameter moved, so that no bias is 0 and no norm's weight 1, where a mistake would not show."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return module


def gradients(module: nn.Module, inputs: list[Tensor], output: Tensor, direction: Tensor) -> dict[str, Tensor]:
    """How the output, along `direction`, answers to every input and every parameter."""
    named = {f"input {i}": x for i, x in enumerate(inputs)} | dict(module.named_parameters())
    found = torch.autograd.grad(output, list(named.values()), direction, allow_unused=True)
    return {n: torch.zeros_like(x) if g is None else g for (n, x), g in zip(named.items(), found, strict=True)}


def assert_alike(theirs: nn.Module, run_theirs, run_ours, inputs: list[Tensor], device: str) -> None:
    """Compare outputs and all gradients of `theirs` and of the module made from it, in float64.

    run_theirs and run_ours take the module and the inputs.
    """
    theirs = theirs.to(device, torch.float64)
    ours = from_torch(theirs)
    x = [x.to(device, torch.float64).requires_grad_() for x in inputs]
    expected, found = run_theirs(theirs, *x), run_ours(ours, *x)
    direction = torch.randn_like(found)
    wanted = in_our_drawers(theirs, gradients(theirs, x, expected, direction)) | {"the output": expected}
    got = gradients(ours, x, found, direction) | {"the output": found}
    assert wanted.keys() == got.keys()
    for name, tensor in wanted.items():
        torch.testing.assert_close(got[name], tensor, rtol=1e-9, atol=1e-9, msg=lambda said, of=name: f"{of}: {said}")


def in_our_drawers(theirs: nn.Module, their_gradients: dict[str, Tensor]) -> dict[str, Tensor]:
    """Their gradients under our names: `from_torch` of a copy that has gradients where its weights were."""
    holder = copy.deepcopy(theirs)
    with torch.no_grad():
        for name, parameter in holder.named_parameters():
            parameter.copy_(their_gradients[name])
    inputs = {name: gradient for name, gradient in their_gradients.items() if name.startswith("input")}
    return inputs | dict(from_torch(holder).named_parameters())


# --- random configurations --------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(block_configs(), sizes, sizes, sizes, mask_kinds, st.booleans(), st.booleans(), seeds)
def test_attention_agrees_with_pytorch(device, config, batch, n, m, kind, cross, batch_first, seed):
    torch.manual_seed(seed)
    m = m if cross else n
    mask = random_mask(kind, batch, n, m, device)
    theirs = shaken(nn.MultiheadAttention(config.d_model, config.n_heads, bias=config.bias, batch_first=batch_first))
    inputs = [torch.randn(batch, length, config.d_model) for length in ((n, m) if cross else (n,))]
    seen = []

    def run_theirs(theirs, query, context=None):
        context = turned(query if context is None else context, batch_first)
        output, weights = theirs(
            turned(query, batch_first),
            context,
            context,
            attn_mask=for_theirs(mask, config.n_heads),
            average_attn_weights=False,
        )
        seen.append(weights)
        return turned(output, batch_first)

    def run_ours(ours, query, context=None):
        with watching(ours) as maps:
            output = ours(query, context, mask=mask[:, None])
        torch.testing.assert_close(maps.encoder[0], seen[-1], rtol=0, atol=1e-10)
        return output

    assert_alike(theirs, run_theirs, run_ours, inputs, device)


@settings(max_examples=25)
@given(block_configs(), sizes, sizes, sizes, st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans(), seeds)
def test_transformer_agrees_with_pytorch(device, config, batch, n, m, n_encoder, n_decoder, norms, batch_first, seed):
    """With the masks as PyTorch's users give them: padding by key_padding_mask, the future by attn_mask."""
    torch.manual_seed(seed)
    padding = (torch.arange(n) >= torch.randint(1, n + 1, (batch, 1))).to(device)  # (B, N), True at padding
    causal = torch.ones(m, m, dtype=torch.bool, device=device).tril()
    theirs = nn.Transformer(
        **their_arguments(config), num_encoder_layers=n_encoder, num_decoder_layers=n_decoder, batch_first=batch_first
    )
    if not norms:
        theirs.encoder.norm = theirs.decoder.norm = None
    shaken(theirs)

    def run_theirs(theirs, source, target):
        output = theirs(
            turned(source, batch_first),
            turned(target, batch_first),
            tgt_mask=~causal,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )
        return turned(output, batch_first)

    real = ~padding[:, None, None, :]
    assert_alike(
        theirs,
        run_theirs,
        lambda ours, source, target: ours(source, target, real, causal, real),
        [torch.randn(batch, length, config.d_model) for length in (n, m)],
        device,
    )


# --- there and back ---------------------------------------------------------------------------------------------


def test_dropout_is_converted():
    theirs = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.25)
    ours = from_torch(theirs)
    assert ours.self_attention.dropout.p == ours.feed_forward.dropout.p == ours.add_norm_attention.dropout.p == 0.25


def test_translator_built_on_pytorch_gives_the_same_logits():
    """Embeddings times √d_model, plus positions, through nn.Transformer, times the output matrix."""
    torch.manual_seed(1)
    sizes = {"source_vocabulary": 9, "target_vocabulary": 7, "n_encoder_layers": 2, "n_decoder_layers": 1}
    settings = {"d_model": 12, "n_heads": 3, "d_ff": 20, "norm_first": True, "max_length": 10}
    model = Transformer(TransformerConfig(**sizes, **settings)).eval()
    source, target = torch.randint(1, 9, (3, 6)), torch.randint(1, 7, (3, 5))
    source[1, 3:] = source[2, 1:] = 0
    positions = SinusoidalPositions(10, 12)
    states = to_torch(model)(
        model.source_embedding.weight[source] * 12**0.5 + positions(6),
        model.target_embedding.weight[target] * 12**0.5 + positions(5),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.bool),
        src_key_padding_mask=source == 0,
        memory_key_padding_mask=source == 0,
    )
    torch.testing.assert_close(model(source, target), states @ model.output.weight.T, rtol=0, atol=1e-5)


# --- refused in one sentence ------------------------------------------------------------------------------------


class Derived(nn.TransformerEncoderLayer):
    pass


def test_from_torch_refuses_unsupported_options():
    assert "keys and values must be as wide as queries" in refused(
        from_torch, nn.MultiheadAttention(8, 2, kdim=4, vdim=6)
    )
    for option in ("add_bias_kv", "add_zero_attn"):
        assert option in refused(from_torch, nn.MultiheadAttention(8, 2, **{option: True}))
    layer = nn.TransformerDecoderLayer(8, 2, activation=nn.GELU("tanh"))
    assert "the activation must be relu or gelu" in refused(from_torch, layer)


def test_modules_that_may_compute_something_else_are_refused():
    assert "Linear" in refused(from_torch, nn.Linear(2, 2)) and "Derived" in refused(from_torch, Derived(8, 2))
