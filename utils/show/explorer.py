"""Show the attention explorer: every map of a model at a glance, one head large, and the result without a head.

`Pass` contains the arrays of one forward pass, of any model, and `explorer.js` draws them. The page itself selects
sentence, layer, head and word, so that works in a saved notebook and in a static page. A function that is passed in
computes the rest: the reader's own sentence, or a head switched off.

The page gets each weight rounded to thousandths, the three decimals that it shows. So a weight takes two bytes, and the
shown number differs from it by at most 0.0005.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike

from utils.show.control import ControlTasks, Explorer, one_line
from utils.show.page import script, style

# The side of the queries and the side of the keys in each of the three kinds of attention.
SIDES = {"encoder": ("source", "source"), "decoder": ("target", "target"), "cross": ("target", "source")}
SUM_TOLERANCE = 1e-3  # the most that a row's sum may differ from 1, because 16-bit numbers are no more exact
TINY, ALMOST_ALL = 65534, 65533  # codes of weights that would round to 0 or 1 but don't equal it

Head = tuple[str, int, int]  # ("cross", layer, head), both counted from 0


@dataclass(frozen=True)
class Text:
    """The tokens of one side, with their language.

    language: the code for HTML, "en" or "fa". writes: for a decoder, the token that it predicts after each token.
    glosses: token -> its English, which is shown beside it.
    """

    tokens: Sequence[str]
    language: str = ""
    writes: Sequence[str] = ()
    glosses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pass:
    """The attention weights and tokens of one forward pass.

    maps: "encoder", "decoder" or "cross" -> one array (n_heads, N, M) for each layer; row i has the weights of query i.
    source and target: the tokens read and written. A model with only an encoder has only a source, and one with only a
        decoder only a target.
    output: the model's output, in words.
    """

    maps: Mapping[str, Sequence[ArrayLike]]
    source: Text | None = None
    target: Text | None = None
    output: str = ""


Translate = Callable[[str, tuple[Head, ...]], Pass]


def codes(weights: ArrayLike) -> np.ndarray:
    """Return weights (…, N, M) as thousandths in 16 bits, little-endian, in the form that the page shows.

    A positive weight that would round to 0 becomes TINY, shown as <0.001. A weight that would round to 1, although it
    is smaller or another weight of its row is positive, becomes ALMOST_ALL, shown as >0.999.
    """
    array = np.asarray(weights, dtype=np.float64)
    thousandths = np.rint(array * 1000)
    shared = (array > 0).sum(axis=-1, keepdims=True) > 1
    thousandths = np.where((thousandths == 0) & (array > 0), TINY, thousandths)
    return np.where((thousandths == 1000) & (shared | (array < 1)), ALMOST_ALL, thousandths).astype("<u2")


def pack(seen: Pass) -> tuple[dict[str, Any], bytes]:
    """Return the page's data for `seen`: a description for JSON, and the codes of all weights.

    The description gives for each group the index of its first code; the order is layer, head, row, column. Raise
    ValueError, with layer and head counted from 1 as on the page, if a row sums neither to 1 nor, if all of it is
    masked, to 0.
    """
    groups, data, at = [], [], 0
    for name, layers in seen.maps.items():
        rows, columns = SIDES[name]
        arrays = [_checked(name, i, layer) for i, layer in enumerate(layers)]
        groups.append({"name": name, "rows": rows, "columns": columns, "layers": len(arrays), "heads": len(arrays[0])})
        groups[-1]["at"] = at
        for array in arrays:
            data.append(codes(array).tobytes())
            at += array.size
    texts = {"source": seen.source, "target": seen.target}
    sides = {side: _as_json(text) for side, text in texts.items() if text is not None}
    return {"groups": groups, **sides, "output": seen.output}, b"".join(data)


class AttentionExplorer(Explorer):
    """A control with all maps of one or several forward passes: small maps, one large head, and links between words.

    examples: name -> `Pass` to choose from; all are saved with the notebook.
    translate: called as translate(text, switched_off), with each head that is off as ("cross", layer, head) counted
        from 0, it returns the `Pass`. With it the reader can type a sentence and switch heads off. The control shows
        its ValueError as a sentence.
    only_links: show only the sentences to choose from and the links of the chosen head.
    lit_row: the row whose links are lit until the reader chooses another; negative rows count from the end.
    tasks: the tasks for the reader. Each is called with `at.text`, `at.group`, `at.layer` and `at.head`, and with the
        map (N, M) as the only panel.

    Python can use `show(text, switched_off)` and `choose(group, layer, head)` as the page does. The constructor raises
    ValueError for a pass that `pack` refuses.
    """

    _esm = script("explorer.js")
    _css = style("attention-explorer", "explorer.css")

    examples = traitlets.Dict().tag(sync=True)  # name -> description
    weights = traitlets.Bytes().tag(sync=True)  # the codes of all examples, one after the other
    result = traitlets.Dict().tag(sync=True)  # the description of translate's last result; empty for an example
    result_weights = traitlets.Bytes().tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    switched_off = traitlets.List().tag(sync=True)
    whole_output = traitlets.Unicode().tag(sync=True)  # the output with every head on
    chosen = traitlets.List().tag(sync=True)  # the large head: [group, layer, head]
    can_translate = traitlets.Bool(False).tag(sync=True)
    only_links = traitlets.Bool(False).tag(sync=True)
    lit_row = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(
        self,
        examples: Mapping[str, Pass],
        translate: Translate | None = None,
        tasks: ControlTasks | None = None,
        only_links: bool = False,
        lit_row: int | None = None,
    ) -> None:
        described, data, at = {}, [], 0
        for name, seen in examples.items():
            described[name], packed = pack(seen)
            for group in described[name]["groups"]:
                group["at"] += at
            data.append(packed)
            at += len(packed) // 2
        self._translate = translate
        first = next(iter(described))
        super().__init__(
            examples=described,
            weights=b"".join(data),
            text=first,
            whole_output=described[first]["output"],
            chosen=[described[first]["groups"][-1]["name"], 0, 0],
            can_translate=translate is not None,
            only_links=only_links,
            lit_row=lit_row,
        )
        self.ask(tasks, _heads(examples))

    @property
    def shown(self) -> dict[str, Any]:
        """The description of the forward pass on the page."""
        return self.result or self.examples[self.text]

    def weights_of(self, group: str, layer: int, head: int) -> np.ndarray:
        """Return the map (N, M) as the page shows it, rounded to thousandths; layer and head count from 0."""
        found = next(g for g in self.shown["groups"] if g["name"] == group)
        shape = [len(self.shown[found[side]]["tokens"]) for side in ("rows", "columns")]
        size = shape[0] * shape[1]
        at = found["at"] + (layer * found["heads"] + head) * size
        data = np.frombuffer(self.result_weights if self.result else self.weights, dtype="<u2")[at : at + size]
        return np.select([data == TINY, data == ALMOST_ALL], [0.0, 1.0], data / 1000).reshape(shape)

    def choose(self, group: str, layer: int, head: int) -> None:
        """Make one head the large one; layer and head count from 0. Raise ValueError if there is no such head."""
        heads = {(g["name"], i, j) for g in self.shown["groups"] for i in range(g["layers"]) for j in range(g["heads"])}
        if (group, layer, head) not in heads:
            there = ", ".join(f"{g['name']} ({g['layers']} layers of {g['heads']} heads)" for g in self.shown["groups"])
            raise ValueError(f"the head must be in {there}, counted from 0, but is {group}, {layer}, {head}.")
        self.chosen = [group, layer, head]

    def show(self, text: str | None = None, switched_off: Sequence[Head] = ()) -> None:
        """Show another text, or the same if None, with the heads `switched_off`.

        Raise ValueError, and change nothing, if the translate function is missing or raises it.
        """
        text = self.text if text is None else text
        off = sorted({(str(group), int(layer), int(head)) for group, layer, head in switched_off})
        described, data, whole = {}, b"", ""
        if text in self.examples and not off:
            whole = self.examples[text]["output"]
        elif self._translate is None:
            raise ValueError("this explorer shows saved maps: it was given no function that could translate again.")
        else:
            described, data = pack(self._translate(text, tuple(off)))
            whole = self._whole_output(text, described["output"] if not off else None)
        groups = {g["name"]: g for g in (described or self.examples[text])["groups"]}
        kept = groups.get(self.chosen[0])
        fits = kept is not None and self.chosen[1] < kept["layers"] and self.chosen[2] < kept["heads"]
        with self.hold_sync():
            self.text, self.switched_off, self.whole_output = text, [list(head) for head in off], whole
            self.result, self.result_weights, self.refusal = described, data, ""
            if not fits:
                self.chosen = [next(reversed(groups)), 0, 0]

    def move(self, request: Mapping[str, Any]) -> None:
        match request:
            case {"kind": "show", "text": text, "off": off}:
                self.show(text, [tuple(head) for head in off])

    def __repr__(self) -> str:
        """Return a summary with the first weights, but no address, because tests compare saved outputs by this line."""
        group, layer, head = self.chosen
        kinds = ", ".join(f"{g['name']} {g['layers']}×{g['heads']}" for g in self.shown["groups"])
        first = " ".join(f"{weight:.2f}" for weight in self.weights_of(group, layer, head)[0])
        line = f"AttentionExplorer({kinds}; {group} layer {layer + 1} head {head + 1}: {first})"
        return one_line(line)

    def _whole_output(self, text: str, computed: str | None) -> str:
        """Return the output for `text` with every head on: `computed` if given, else a known or new one."""
        if computed is not None:
            return computed
        if text in self.examples:
            return self.examples[text]["output"]
        return self.whole_output if text == self.text else self._translate(text, ()).output


def _heads(examples: Mapping[str, Pass]) -> Iterator[tuple[list[Any], dict[str, Any], np.ndarray]]:
    """Yield, for every head of every example, its position as a list and as a dict, and its map (N, M)."""
    for text, seen in examples.items():
        for group, layers in seen.maps.items():
            for layer, heads in enumerate(layers):
                for head, weights in enumerate(np.asarray(heads)):
                    yield [text, group, layer, head], dict(text=text, group=group, layer=layer, head=head), weights


def _as_json(text: Text) -> dict[str, Any]:
    return {
        "tokens": [str(token) for token in text.tokens],
        "language": text.language,
        "direction": _direction(text.tokens),
        "writes": [str(token) for token in text.writes],
        "glosses": dict(text.glosses),
    }


def _direction(tokens: Sequence[str]) -> str:
    """Return "rtl" if most letters, without special tokens such as <start> and [CLS], are right-to-left, else "ltr"."""
    words = [token for token in tokens if not re.fullmatch(r"<.+>|\[.+\]", str(token))]
    kinds = [unicodedata.bidirectional(letter) for word in words for letter in str(word)]
    return "rtl" if sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L") else "ltr"


def _checked(name: str, layer: int, weights: ArrayLike) -> np.ndarray:
    """Return the maps of one layer as float64 (n_heads, N, M). Raise ValueError unless they are attention weights."""
    array = np.asarray(weights, dtype=np.float64)
    sums = array.sum(axis=2)
    for head, row in np.argwhere(~(np.abs(sums - 1) <= SUM_TOLERANCE) & (array != 0).any(axis=2)):  # NaN is wrong, too
        raise ValueError(
            f"{name}, layer {layer + 1}, head {head + 1}: row {row + 1} must sum to 1, or to 0 if masked, but sums to "
            f"{sums[head, row]:.3g}. Was dropout on, or the mask put on after the softmax?"
        )
    return array
