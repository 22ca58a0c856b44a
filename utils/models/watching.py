"""Look into a model while it works, and change what it does: `with watching(model) as maps`.

A module shows what it makes at a point or two: each attention its "weights" (B, n_heads, N, M) and what its "heads"
bring (B, n_heads, N, d_k), each block its "states" (B, N, d_model), the residual stream behind it. Whoever watches gets
these very tensors, so that a map is the one of the pass that gave the logits, masks included, and may put others in
their place. Where nobody watches, a point costs a glance at an empty list.
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

AttentionKind = Literal["encoder", "decoder", "cross"]
Head = tuple[AttentionKind, int, int]  # place, layer and head, counted from 0
Point = tuple[AttentionKind, int, str]  # place, layer, and what is shown there
Change = Callable[[Tensor], Tensor]


class Maps(dict[Point, Tensor]):
    """The tensors shown at each point in the last pass: `maps["encoder", 0, "states"]`.

    encoder, decoder, cross: the attention weights, one tensor (B, n_heads, N, M) a layer; the rows are those who ask.
    They are taken before dropout. A decoder's block is at the place of its self-attention.
    """

    @property
    def encoder(self) -> list[Tensor]:
        return self._weights("encoder")

    @property
    def decoder(self) -> list[Tensor]:
        return self._weights("decoder")

    @property
    def cross(self) -> list[Tensor]:
        return self._weights("cross")

    def _weights(self, place: AttentionKind) -> list[Tensor]:
        return [tensor for (at, _, what), tensor in sorted(self.items()) if (at, what) == (place, "weights")]


class _Watch:
    """The requests of one with block: what to keep and what to change."""

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.points = _points(model)
        self.changes: dict[Point, list[Change]] = defaultdict(list)
        self.maps = Maps()

    def change(self, point: Point, change: Change) -> None:
        if point not in self.points.values():
            raise ValueError(f"a {type(self.model).__name__} shows nothing at {point}: nothing can be changed there.")
        self.changes[point].append(change)

    def switch_off(self, place: AttentionKind, layer: int, head: int) -> None:
        heads = {point[:2]: module.n_heads for (module, what), point in self.points.items() if what == "heads"}
        places = Counter(at for at, _ in heads)
        if not heads:
            raise ValueError(f"a {type(self.model).__name__} has no heads to switch off.")
        if place not in places:
            raise ValueError(f"heads are in {', '.join(places)}: {place!r} was asked for.")
        if (place, layer) not in heads:
            raise ValueError(f"there is no layer {layer} in {place}: the layers are 0 to {places[place] - 1}.")
        if not 0 <= head < heads[place, layer]:
            raise ValueError(f"there is no head {head} to switch off: the heads are 0 to {heads[place, layer] - 1}.")
        self.change((place, layer, "heads"), partial(_without, head))


def _points(model: nn.Module) -> dict[tuple[nn.Module, str], Point]:
    """Name the point at which a module inside `model` shows something; layers count in the order of the data."""
    points: dict[tuple[nn.Module, str], Point] = {}
    layers: Counter[AttentionKind] = Counter()
    for block in model.modules():
        for name, place in getattr(block, "attentions", {}).items():
            for module in (getattr(block, name), block):
                for what in getattr(module, "shows", ()):
                    points.setdefault((module, what), (place, layers[place], what))
            layers[place] += 1
    # An attention by itself is a first layer.
    return points or {(model, what): ("encoder", 0, what) for what in getattr(model, "shows", ())}


def _without(head: int, heads: Tensor) -> Tensor:
    return heads.index_fill(1, torch.tensor([head], device=heads.device), 0.0)


class _Here(threading.local):
    """The watches of one thread: what another thread asks of the same model is neither shown nor changed."""

    def __init__(self) -> None:
        self.watches: list[_Watch] = []


_here = _Here()


@contextmanager
def watching(
    model: nn.Module, off: Collection[Head] = (), changes: Mapping[Point, Change] | None = None
) -> Iterator[Maps]:
    """Keep what `model` shows in this thread inside the with block, and change what was asked for.

    off: heads (place, layer, head) that give zeros. changes: for a point (place, layer, what) a function from the
    tensor shown there to the one, of the same shape, that the model goes on with; the maps have the changed one.
    Raises ValueError when there is no such head or point.
    """
    watch = _Watch(model)
    for point, change in (changes or {}).items():
        watch.change(point, change)
    for head in off:
        watch.switch_off(*head)
    _here.watches.append(watch)
    try:
        yield watch.maps
    finally:
        _here.watches.remove(watch)


def show(module: nn.Module, what: str, tensor: Tensor) -> Tensor:
    """Pass the output of `module` to all watchers; return the tensor to continue with, `tensor` unless changed."""
    watches = [watch for watch in _here.watches if (module, what) in watch.points]
    for watch in watches:
        for change in watch.changes[watch.points[module, what]]:
            tensor = change(tensor)
    for watch in watches:  # nested watches all get the tensor that the model goes on with
        watch.maps[watch.points[module, what]] = tensor
    return tensor
