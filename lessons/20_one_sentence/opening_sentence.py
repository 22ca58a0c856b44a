"""The opening figure of lesson 20: a sentence on its way through the stations of the translator, word by word."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import torch

from utils.data.gloss import gloss_of_sentence, with_gloss
from utils.data.vocabulary import Vocabulary, detokenize
from utils.show.candidates import percent
from utils.show.live import Drawing, LiveControl, Note, Panel, Slider
from utils.show.shapes import arrows, bars, paths, words
from utils.training.inside import Translation, look_inside
from utils.training.translator import Translator

_SENTENCE = "They drink cold water."
WORDS = 6  # that it writes, <end> included
_LEFT, _STEP, _WIDE = 74, 57, 53  # pixels: where the words begin, from word to word, the width of a word
_SHOWN, _CANDIDATES = 6, 3  # numbers of a state, and words of the vocabulary
_STRIPE = (_WIDE - 11) / _SHOWN  # pixels for a number, so that a gap is left between the words
_IDS, _STATES, _DECODER, _BARS = 56, 68, 136, 226  # pixels from the top
_BAR, _FULL = 150, 148  # pixels: where the bars begin, and a bar of 100 %


def sentence_on_its_way() -> LiveControl:
    """Return the figure: the reader chooses which word is being written."""
    alt = "A sentence as tokens, ids and states, with arcs to the decoder, and the most probable next words."
    return LiveControl(stations, [Slider("word", 1, WORDS, 4, label="the word that is being written")], alt=alt)


def stations(word: int) -> list[Panel]:
    """Return what each station holds in the pass that writes this word, counted from 1, and a sentence about it."""
    seen, ids, states, shares, vocabulary = _pass()
    looks = seen.maps["cross"][-1][:, word - 1].mean(axis=0)  # (N,)
    best = shares[word - 1].argsort(descending=True)[:_CANDIDATES].tolist()
    names = [with_gloss(name) for name in vocabulary.tokens(best)]
    most, chance = int(looks.argmax()), percent(shares[word - 1, best[0]].item())
    told = (
        f"For word {word} the decoder takes {percent(looks[most])} from “{seen.source[most]}”, "
        f"and the next word is “{names[0]}” with {chance}."
    )
    read = detokenize(seen.target[1:word])
    made = words("s", 2, 25, "tokens", 14, at="start") + words("s", 2, _IDS, "ids", 14, at="start")
    made += words("s", 2, _STATES + 19, "encoder", 14, at="start")
    made += words("s", 2, _DECODER + 21, "decoder", 14, at="start")
    for i, (token, number, look) in enumerate(zip(seen.source, ids, looks, strict=True)):
        x = _LEFT + _STEP * i
        middle = x + _WIDE / 2
        made += bars("l25", [(x, 4, _WIDE, 32)], 6) + words("i", middle, 25, token, 15)
        made += words("i", middle, _IDS, str(number), 14)
        for k, feature in enumerate(states[i][:_SHOWN]):
            hue = f"{'a' if feature > 0 else 'q'}{min(100, round(45 * abs(feature)))}"
            made += bars(hue, [(x + 6 + _STRIPE * k, _STATES, _STRIPE - 1, 28)], 1)
        made += paths("a", [f"M{middle} 98C{middle} 118 216 112 216 {_DECODER - 2}"], 1 + 9 * look)
    made += bars("o20", [(_LEFT, _DECODER, 5 * _STEP - 4, 32)], 6)
    isolated = f"\N{FIRST STRONG ISOLATE}{read or '<start>'}\N{POP DIRECTIONAL ISOLATE}"  # else its full stop leads it
    made += words("i", 216, _DECODER + 21, isolated, 15)
    made += words("s", 216, _DECODER + 50, f"({gloss_of_sentence(read)})" if read else "(nothing is written yet)", 13)
    made += arrows("l", [(40, _DECODER + 30, 40, _BARS - 22)], 2)
    made += words("s", 2, _BARS - 6, "the next word", 14, at="start")
    for i, (name, p) in enumerate(zip(names, shares[word - 1, best].tolist(), strict=True)):
        y = _BARS + 28 * i
        made += words("i", 2, y + 19, name, 14, i == 0, at="start")
        made += bars("l15", [(_BAR, y, _FULL, 24)], 3) + bars("a", [(_BAR, y, max(1.5, _FULL * p), 24)], 3)
        made += words("i", _BAR + _FULL + 8, y + 18, percent(p), 14, at="start")
    return [Drawing(made, (360, _BARS + 28 * _CANDIDATES), told), Note(told)]


@cache
def _pass() -> tuple[Translation, list[int], list[list[float]], torch.Tensor, Vocabulary]:
    """Return words and maps, the N ids, the encoder's states (N, d_model), probabilities (M, V) and the V words."""
    translator = Translator.load(files("utils.training") / "translator.safetensors")
    seen, vocabulary = look_inside(translator, _SENTENCE), translator.target_vocabulary
    ids, read = translator.source_ids(_SENTENCE), torch.tensor([vocabulary.ids(seen.target)])
    model = translator.model.eval()
    with torch.no_grad():
        memory = model.encode(torch.tensor([ids]))
        shares = model.decode(read, memory)[0].softmax(dim=-1)
    return seen, ids, memory.states[0].tolist(), shares, vocabulary
