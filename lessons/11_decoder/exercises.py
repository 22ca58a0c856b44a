"""The exercises of lesson 11, the decoder, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from utils.by_hand.arrays import Array
from utils.by_hand.attention import scaled_dot_product_attention, softmax
from utils.by_hand.decoder import Ids, cross_attention, cross_entropy, log_softmax, next_word, shift_right
from utils.course.exercises.exercise import Exercise, choice
from utils.course.exercises.softmaxes import with_wrong_softmax

_random = np.random.default_rng(11)


def _filled(
    shift: Callable[[list[int], int, int], Any], cut: bool = False
) -> Callable[[list[int], int, int, int, int], Any]:
    """What `shift` makes of a sentence, each row filled up to n places; a row that is longer is cut, or stays so."""
    return lambda words, start, end, n, pad: tuple(
        np.array([*row, *[pad] * (n - len(row))][: n if cut else None]) for row in shift(words, start, end)
    )


_SHIFT = Exercise(
    "11.shift",
    "shifted outputs",
    _filled(shift_right),
    [([14, 11, 5, 4], 1, 2, 7, 0), ([7, 9], 1, 2, 5, 0), ([6], 101, 105, 2, 9), ([8, 3, 8, 5, 9], 2, 1, 8, 4)],
    {
        "Nothing is shifted: at every place the decoder reads the very word that it has to "
        "say there. It will learn to copy. Leave the last token out of what is read, and the "
        "first out of what is said.": _filled(lambda words, start, end: ([start, *words, end], [start, *words, end])),
        "Both lists are what is read, so nothing is shifted: at every place the decoder "
        "reads the very word that it has to say there. What is said begins with the first "
        "word, and ends with the end token.": _filled(lambda words, start, end: ([start, *words], [start, *words])),
        "Nothing is shifted: at every place the decoder reads the very "
        "word that it has to say there. Put the start token in front "
        "of what is read, and the end token behind what is said.": _filled(lambda words, start, end: (words, words)),
        "Shifted to the wrong side: your decoder reads a word and has to "
        "say the one before it. What is read begins with the start token, "
        "what is said ends with the end token.": _filled(lambda words, start, end: ([*words, end], [start, *words])),
        "The start token is missing in what is read. Before the first word there is nothing else to read.": _filled(
            lambda words, start, end: (words, [*words, end])
        ),
        "The end token is missing in what is said. At the last word the decoder has to say that it is done.": _filled(
            lambda words, start, end: ([start, *words], words)
        ),
        "Well shifted, but the end token is nowhere. This decoder would never learn to stop: after the last word it "
        "has to say the end token.": _filled(lambda words, start, end: ([start, *words[:-1]], words)),
        "The decoder reads the end token as well. After the end nothing is left to say: what is read stops at the last "
        "word, and is filled up from there on.": [
            _filled(lambda words, start, end: ([start, *words, end], [*words, end]), cut) for cut in (False, True)
        ],
        "The start token stands in what is said, too, so every word has moved back to its own place. The start token "
        "is given: it is read, and never said.": [
            _filled(lambda words, start, end: ([start, *words], [start, *words, end]), cut) for cut in (False, True)
        ],
        "The padding stands in front. It comes behind: the first word is at position 0.": lambda *given: tuple(
            np.roll(row, given[3] - len(given[0]) - 1) for row in _filled(shift_right)(*given)
        ),
        "The end token stands behind the padding. "
        "It is said right after the last word.": lambda words, start, end, n, pad: (
            _filled(shift_right)(words, start, end, n, pad)[0],
            np.array([*words, *[pad] * (n - len(words) - 1), end]),
        ),
        "Nothing is shifted, and the start token is nowhere: at every place the decoder "
        "reads the very word that it has to say there. What is read begins with the "
        "start token and ends with the last word.": _filled(lambda words, start, end: ([*words, end], [*words, end])),
        "You shifted twice: the decoder would have to say the word after the "
        "next. Only the start token is put in front, and only the end token "
        "behind; no word is left out.": _filled(lambda words, start, end: ([start, *words[:-1]], [*words[1:], end])),
        "You wrote the ids 1 and 2. In another vocabulary the two tokens have others: use `start` and `end`.": _filled(
            lambda words, start, end: ([1, *words], [*words, 2])
        ),
        "Well shifted, but not filled up: behind the words both "
        "lists go on with `pad`, up to `n` places.": lambda words, start, end, n, pad: shift_right(words, start, end),
    },
)


def _sentences(M: int, N: int, d_model: int, d_k: int, d_v: int) -> tuple[Array, ...]:
    weights = (_random.normal(size=(d_model, d)) / np.sqrt(d_model) for d in (d_k, d_k, d_v))
    return _random.normal(size=(M, d_model)), _random.normal(size=(N, d_model)), *weights


def _cross(Y: Array, E: Array, W_Q: Array, W_K: Array, W_V: Array) -> Array:
    return cross_attention(Y, E, W_Q, W_K, W_V)[0]


def _scores(Y: Array, E: Array, W_Q: Array, W_K: Array) -> Array:
    return (Y @ W_Q) @ (E @ W_K).T


_CROSS_ATTENTION = Exercise(
    "11.cross_attention",
    "cross-attention",
    _cross,
    [_sentences(3, 5, 4, 2, 6), _sentences(2, 4, 7, 5, 6), _sentences(3, 3, 3, 3, 3)],
    {
        **with_wrong_softmax(
            lambda rows: lambda Y, E, W_Q, W_K, W_V: rows(_scores(Y, E, W_Q, W_K) / np.sqrt(W_K.shape[1])) @ (E @ W_V)
        ),
        "Keys and values come from the decoder, so it asks itself: that is self-attention. The source is not read at "
        "all. Make K and V of E.": lambda Y, E, W_Q, W_K, W_V: _cross(Y, Y, W_Q, W_K, W_V),
        "The keys come from the decoder, the values from the encoder. "
        "A key is the label of its value: both belong to one word, and "
        "both are made of E.": lambda Y, E, W_Q, W_K, W_V: scaled_dot_product_attention(Y @ W_Q, Y @ W_K, E @ W_V)[0],
        "The values come from the decoder. The weights say which "
        "word of the source to listen to, so what is handed over "
        "must be made of E.": lambda Y, E, W_Q, W_K, W_V: scaled_dot_product_attention(Y @ W_Q, E @ W_K, Y @ W_V)[0],
        "You masked what comes later in the source. But the source is there as a whole: cross-attention needs no "
        "look-ahead mask.": lambda Y, E, W_Q, W_K, W_V: cross_attention(
            Y, E, W_Q, W_K, W_V, np.tril(np.ones((len(Y), len(E)), dtype=bool))
        )[0],
        **{
            f"You divided by {said}. A score adds up d_k products: it is √d_k, and d_k is the number of columns of "
            "W_K.": lambda Y, E, W_Q, W_K, W_V, wide=wide: (
                softmax(_scores(Y, E, W_Q, W_K) / np.sqrt(wide(E, W_V))) @ (E @ W_V)
            )
            for wide, said in (
                (lambda E, W_V: len(E), "the square root of the number of words"),
                (lambda E, W_V: E.shape[1], "√d_model, the width of Y and of E"),
                (lambda E, W_V: W_V.shape[1], "√d_v, the width of the values"),
            )
        },
        "The softmax is missing: scores are no shares. Each row has to sum to 1 before it "
        "weighs the values.": lambda Y, E, W_Q, W_K, W_V: _scores(Y, E, W_Q, W_K) / np.sqrt(W_K.shape[1]) @ (E @ W_V),
    },
    extremes=[(1e4 * Y, E, *weights) for Y, E, *weights in [_sentences(4, 3, 3, 2, 5)]],
)


def _states(M: int, d_model: int, V: int, size: float = 1.0) -> tuple[Array, Array]:
    return size * _random.normal(size=(M, d_model)), _random.normal(size=(d_model, V))


def _chosen(log_probabilities: Array) -> tuple[Array, np.intp]:
    return log_probabilities, log_probabilities.argmax()


def _next(H: Array, W: Array) -> tuple[Array, np.intp]:
    return _chosen(next_word(H, W).log_probabilities)


def _log_of_sum_without_shift(H: Array, W: Array) -> tuple[Array, np.intp]:
    z = H[-1] @ W
    return z - np.log(np.exp(z).sum()), z.argmax()


_OVERFLOWS = (
    "Right for small logits, nan or −∞ for large ones: e to a large power overflows. Take the largest logit off first: "
    "z − m − ln Σ e^(z − m)."
)


def _largest_taken_off_once(H: Array, W: Array) -> tuple[Array, np.intp]:
    z = H[-1] @ W
    return _chosen(z - np.log(np.exp(z - z.max()).sum()))


def _log_of_bare_softmax(H: Array, W: Array) -> tuple[Array, np.intp]:
    e = np.exp(H[-1] @ W)
    return _chosen(np.log(e / e.sum()))


_NEXT_WORD = Exercise(
    "11.next_word",
    "the next word",
    _next,
    [_states(4, 3, 6), _states(3, 5, 8), _states(5, 5, 5)],
    {
        "That is a word for every place, as in training. "
        "Here only the next word is wanted: the last row.": lambda H, W: (log_softmax(H @ W), (H @ W).argmax(axis=1)),
        "Your argmax runs down the places: it says for every word where it is largest. It has to run along the "
        "vocabulary, in the last row.": lambda H, W: (next_word(H, W).log_probabilities, (H @ W).argmax(axis=0)),
        "Your argmax runs over the whole matrix, and counts through all its rows. Only the last row says what comes "
        "next: take it first.": lambda H, W: (next_word(H, W).log_probabilities, (H @ W).argmax()),
        "Your softmax runs down the places: for each word, over the sentence. It has to share out 1 among the words of "
        "the vocabulary: along the row.": lambda H, W: _chosen(log_softmax(H @ W, axis=0)[-1]),
        "The softmax is taken twice. The word is still the same, "
        "but the probabilities have been pressed together: none can "
        "be above e times another. Once is enough.": lambda H, W: _chosen(log_softmax(next_word(H, W).probabilities)),
        "The log-probabilities are right. Then you returned the largest of them; wanted is its "
        "place: `argmax`.": lambda H, W: (next_word(H, W).log_probabilities, next_word(H, W).log_probabilities.max()),
        "The log-probabilities are right. Return the index of the next word as well: `return log_probabilities, "
        "index`.": lambda H, W: next_word(H, W).log_probabilities,
        "The index is right. Return the log-probabilities as well: `return log_probabilities, index`.": lambda H, W: (
            _next(H, W)[1]
        ),
        "Right, until a probability is too small for a computer and "
        "becomes 0: then its logarithm is −∞. Take the logarithm on paper "
        "first: z − m − ln Σ e^(z − m), with m the largest logit.": lambda H, W: _chosen(np.log(softmax(H[-1] @ W))),
        _OVERFLOWS: [
            _log_of_bare_softmax,
            lambda H, W: (_log_of_bare_softmax(H, W)[0], (H[-1] @ W).argmax()),
            _log_of_sum_without_shift,
        ],
        "You took the first row of H: that is what follows the start token. What comes next is said by the last row, "
        "`H[-1]`.": lambda H, W: _next(H[:1], W),
        "You took the last row but one, `H[-2]`. What comes next is said by the last row, `H[-1]`.": lambda H, W: _next(
            H[:-1], W
        ),
        "These are the logits. The argmax is the same already. For log-probabilities, take the softmax and its "
        "logarithm.": lambda H, W: _chosen(next_word(H, W).logits),
        "You took the largest logit off and stopped there. Take off ln Σ e^z as well, so that the probabilities sum to "
        "1.": lambda H, W: _chosen(next_word(H, W).logits - next_word(H, W).logits.max()),
        "Nearly: the largest logit is taken off inside the sum, and not from z itself. Both must be shifted: z − m − "
        "ln Σ e^(z − m).": _largest_taken_off_once,
        "Your sum runs over all places. The last place has a softmax of "
        "its own: take the last row first.": lambda H, W: _chosen(log_softmax((H @ W).ravel()).reshape(len(H), -1)[-1]),
    },
    extremes=[(np.array([[0.0], [1000.0]]), np.array([[1.0, 2.0, 3.0]]))],
)


def _places(M: int, V: int, padding: int, pad: int = 0) -> tuple[Array, Ids, int]:
    words = (pad + _random.integers(1, V, size=M)) % V  # any id but pad
    words[M - padding :] = pad
    return _random.normal(size=(M, V)), words, pad


def _log_p(logits: Array, words: Ids) -> Array:
    return log_softmax(logits)[np.arange(len(words)), words]


def _bare_loss(logits: Array, words: Ids, pad: int) -> float:
    e = np.exp(logits)
    p = (e / e.sum(axis=1, keepdims=True))[np.arange(len(words)), words]
    return -np.log(p[words != pad]).mean()


def _with_probabilities(logits: Array, words: Ids, pad: int) -> float:
    return -np.exp(_log_p(logits, words))[words != pad].mean()


_LOSS = Exercise(
    "11.loss",
    "the loss of a sentence",
    lambda logits, words, pad: cross_entropy(logits, words, pad),
    [_places(6, 5, 2), _places(4, 9, 1), _places(7, 7, 3), _places(5, 6, 2, pad=3)],
    {
        "The padding is counted: the model is asked to be good at saying nothing. Keep the places where the word is "
        "not `pad`.": lambda logits, words, pad: -_log_p(logits, words).mean(),
        "The padding adds nothing to the sum, but it is still counted when you divide. Divide by the number of real "
        "words.": lambda logits, words, pad: -(_log_p(logits, words) * (words != pad)).mean(),
        "You took the most probable word of each place. The loss asks "
        "for the right one, `words`.": lambda logits, words, pad: -log_softmax(logits)[words != pad].max(axis=1).mean(),
        "You took the mean of the probabilities and then the logarithm. The other way round: first the logarithm of "
        "each, then the mean.": lambda logits, words, pad: -np.log(-_with_probabilities(logits, words, pad)),
        "`[:, words]` picks every word of the sentence from every row. One number from each row is wanted: "
        "`[np.arange(M), words]`.": [
            lambda logits, words, pad: -log_softmax(logits)[:, words].mean(),
            lambda logits, words, pad: -log_softmax(logits)[:, words][words != pad].mean(),
        ],
        "Your softmax takes all places together. Each place "
        "has a softmax of its own: `axis=1, keepdims=True`.": lambda logits, words, pad: (
            -log_softmax(logits.ravel()).reshape(logits.shape)[np.arange(len(words)), words][words != pad].mean()
        ),
        "Each word is compared with the row after its own: with what "
        "was said once the word had been read. In the two lists "
        "of the shift, row i belongs to word i.": lambda logits, words, pad: cross_entropy(logits[1:], words[:-1], pad),
        "You shifted once more: `words` are already what is "
        "to be said. Row i belongs to word i.": lambda logits, words, pad: cross_entropy(logits[:-1], words[1:], pad),
        "The logarithm is missing: these are the probabilities of the right words, negated.": _with_probabilities,
        "That is one minus the probability. The loss is −ln p: it grows "
        "without a bound when p goes to 0.": lambda logits, words, pad: 1 + _with_probabilities(logits, words, pad),
        "Your softmax runs down the places. It has to run "
        "along the vocabulary: one row for each place.": lambda logits, words, pad: (
            -log_softmax(logits, axis=0)[np.arange(len(words)), words][words != pad].mean()
        ),
        "One number for each word of the vocabulary: the mean runs along "
        "the wrong axis, and the right words have not been picked. "
        "Use `[np.arange(M), words]`.": lambda logits, words, pad: -log_softmax(logits)[words != pad].mean(axis=0),
        "Right for small logits, nan or infinite for large ones: e to a large power overflows. Take the row's maximum "
        "off first.": _bare_loss,
        "Right, until a probability is too small for a computer and becomes 0: then the loss is infinite. Take the "
        "logarithm on paper first: z − m − ln Σ e^(z − m).": lambda logits, words, pad: (
            -np.log(softmax(logits)[np.arange(len(words)), words][words != pad]).mean()
        ),
    },
    extremes=[(np.array([[0.0, 2000.0, 1000.0], [0.0, 1.0, 2.0]]), np.array([2, 1]), 0)],
)


def _after(read: Ids, pad: int) -> Ids:
    """How many tokens other than padding stand after each place, (B, M)."""
    real = read != pad
    return real[:, ::-1].cumsum(axis=1)[:, ::-1] - real


def _nothing_after(read: Ids, said: Ids, pad: int) -> int:
    return int(((said != pad) & (_after(read, pad) == 0)).sum())


# Shifted as one rectangle, so that the end token is read in all but the longest; then each sentence by itself; then
# both at once, with another id for padding, and rows of padding alone.
_BATCH = np.array([[1, 14, 11, 5, 4, 2], [1, 9, 4, 2, 0, 0], [1, 8, 12, 4, 2, 0], [1, 7, 8, 5, 6, 2]])
_READ = np.array([[1, 14, 11, 5, 4], [1, 9, 4, 0, 0], [1, 8, 0, 0, 0]])
_SAID = np.array([[14, 11, 5, 4, 2], [9, 4, 2, 0, 0], [8, 2, 0, 0, 0]])
_MIXED = (
    np.array([[1, 6, 4, 2, 3], [1, 9, 4, 3, 3], [1, 8, 7, 4, 5], [1, 8, 7, 4, 2], [3, 3, 3, 3, 3]]),
    np.array([[6, 4, 2, 3, 3], [9, 4, 2, 3, 3], [8, 7, 4, 5, 2], [8, 7, 4, 2, 3], [3, 3, 3, 3, 3]]),
    3,
)

_NOTHING_AFTER = Exercise(
    "11.nothing_after",
    "the places with nothing after them",
    _nothing_after,
    [(_BATCH[:, :-1], _BATCH[:, 1:], 0), (_READ, _SAID, 0), _MIXED],
    {
        "You counted places where padding is to be said, too. They don't count: keep those where "
        "`said` is not `pad`.": lambda read, said, pad: int((_after(read, pad) == 0).sum()),
        "You found one place for each sentence. Look at what stands *after* a place, "
        "and in what is *read*: in a sentence that is shorter than the batch, "
        "the end token may stand after the last place.": lambda read, said, pad: int((said != pad).any(axis=1).sum()),
        "You looked at the last column alone. Nothing but padding may stand "
        "after an earlier place, too: where a sentence is shorter, and "
        "its end token is not read. The mask hides padding.": lambda read, said, pad: int((said[:, -1] != pad).sum()),
        "You counted the others: the places that have something after them.": lambda read, said, pad: int(
            ((said != pad) & (_after(read, pad) > 0)).sum()
        ),
        "You counted the sentences whose last column is read. The end token "
        "may stand there, with nothing left to say; and in a shorter sentence, "
        "too, a place may have only padding after it.": lambda read, said, pad: int((read[:, -1] != pad).sum()),
        "You kept the places where `said` *is* `pad`. Wanted are those with "
        "a word to say: `said != pad`.": lambda read, said, pad: int(((said == pad) & (_after(read, pad) == 0)).sum()),
        "You counted the places that have no padding after them. Turn the comparison: all that stands after a place in "
        "`read` must *be* `pad`.": lambda read, said, pad: int(
            ((said != pad) & ((read == pad)[:, ::-1].cumsum(axis=1)[:, ::-1] - (read == pad) == 0)).sum()
        ),
        "That is the share of the places that count. Asked is how "
        "many there are: do not divide.": lambda read, said, pad: _nothing_after(read, said, pad) / (said != pad).sum(),
        "You found no place at all. Do you count a place itself among those after it? Or does a `return` end your loop "
        "in its first round?": lambda read, said, pad: int(
            ((said != pad) & (_after(read, pad) + (read != pad) == 0)).sum()
        ),
        "You left out the last place of each row. Nothing at all stands after it, so it counts, too, where there is a "
        "word to say.": lambda read, said, pad: int(((said != pad) & (_after(read, pad) == 0))[:, :-1].sum()),
    },
)

# --- source and target in one row ---------------------------------------------------------------------------------


def _one_row(n_source: int, n_target: int) -> Array:
    mask = np.tri(n_source + n_target, dtype=bool)
    mask[:n_source, :n_source] = True
    return mask


def _with_block(rows: str, columns: str, block: Callable[[Array], Array]) -> Callable[[int, int], Array]:
    """The mask with one of its four blocks changed; rows and columns are "source" or "target"."""

    def mask(n_source: int, n_target: int) -> Array:
        places = {"source": slice(None, n_source), "target": slice(n_source, None)}
        changed = _one_row(n_source, n_target)
        changed[places[rows], places[columns]] = block(changed[places[rows], places[columns]])
        return changed

    return mask


_ONE_ROW = Exercise(
    "11.one_row",
    "source and target in one row",
    _one_row,
    [(4, 5), (3, 3), (2, 6), (5, 2), (1, 4)],
    {
        "The source may not look ahead in yours. It stands there from the "
        "start, so each of its words may look at all of it, as in an encoder; "
        "the triangle is for what is written.": lambda n_source, n_target: np.tri(n_source + n_target, dtype=bool),
        "The source may look at what is written in yours, and by way of the source the future would come back in the "
        "next layer.": _with_block("source", "target", np.ones_like),
        "What is written may look ahead in yours: its block is the look-ahead mask, a triangle.": _with_block(
            "target", "target", np.ones_like
        ),
        "What is written never looks at the source in yours, so it could not translate: that block is the "
        "cross-attention, all True.": _with_block("target", "source", np.zeros_like),
        "Each word of the source sees itself alone in yours: it may look at all of the source, "
        "as in an encoder.": _with_block("source", "source", lambda block: np.eye(len(block), dtype=bool)),
        "What is written sees only the beginning of the source in yours: cross-attention needs "
        "no look-ahead mask.": _with_block("target", "source", lambda block: np.tri(*block.shape, dtype=bool)),
        "No word may look at itself in yours: each may, source and target.": lambda n_source, n_target: (
            _one_row(n_source, n_target) & ~np.eye(n_source + n_target, dtype=bool)
        ),
        "The triangle of what is written is upside down in yours: a word sees "
        "itself and what comes after it. It sees what came before: the triangle "
        "below the diagonal, as `np.tril` and `np.tri` make it.": _with_block("target", "target", np.transpose),
        "What is written may not look at itself in yours: a word that has been read is no "
        "secret to its own row.": _with_block("target", "target", lambda block: np.tri(*block.shape, k=-1, dtype=bool)),
        "What is written sees one word too many in yours, the very one that its row has to say.": _with_block(
            "target", "target", lambda block: np.tri(*block.shape, k=1, dtype=bool)
        ),
        "In yours what is written stands first: the source comes first in the row.": lambda n_source, n_target: np.roll(
            _one_row(n_source, n_target), (n_target, n_target), axis=(0, 1)
        ),
        "These are the rows of what is written alone, and they are "
        "right: the words of the source ask too.": lambda n_source, n_target: _one_row(n_source, n_target)[n_source:],
    },
)

_WHICH = choice(
    "11.which",
    "c",
    "row 1 may look at token 1 alone. What token 3 does to it has come by self-attention, from a place that the "
    "mask closes.",
    {
        "a": (
            "Without the shift, row 1 finds its own answer at place 1, and the loss is low, too. But a mask still "
            "keeps token 3 from it."
        ),
        "b": "The source is another sentence. Token 3 stands in what is written, so it has come by another way.",
        "d": "Positions say where a token stands. They open no way from place 3 to row 1.",
    },
)

EXERCISES = (_SHIFT, _CROSS_ATTENTION, _NEXT_WORD, _LOSS, _ONE_ROW, _NOTHING_AFTER, _WHICH)
