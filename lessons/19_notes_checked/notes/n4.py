"""Entries of lecture note N4: the walk through the paper."""

from __future__ import annotations

from functools import cache

import numpy as np

from lessons.notes.examples import BIAS, GAIN, N_HEADS, OTHER_FIRST, STACK, WEIGHTS, K, Q, V, X, block
from lessons.notes.n2 import exponents_of_four_columns
from lessons.notes.n3 import rows_can_be_computed_alone
from lessons.race_results import saved_race
from utils.by_hand.attention import attention_steps, scaled_dot_product_attention, softmax
from utils.by_hand.decoder import cross_attention
from utils.by_hand.encoder import encoder_block, feed_forward, random_encoder_weights
from utils.by_hand.masks import look_ahead_mask, padding_mask
from utils.by_hand.multi_head import MultiHead, multi_head_attention
from utils.by_hand.normalization import layer_norm, min_max
from utils.by_hand.positional import add_positions, frequencies, positional_encoding, rotation
from utils.by_hand.residual import random_stack, run_stack, stack_gradients
from utils.by_hand.seq2seq import Gates, encode
from utils.by_hand.tokenizers import look_up, word_ids, word_vocabulary
from utils.course.ledger.compare import apart, are_shares, rows_apart, same, to_12_decimals
from utils.course.ledger.entry import Entry, Verdict


def _who_is_in_the_rows() -> tuple[str, str]:
    """Of which sentence the rows and the columns of the cross-attention are: five words ask, eight are asked."""
    question, context = np.ones((5, 2)), np.ones((8, 2))
    shape = cross_attention(question, context, np.eye(2), np.eye(2), np.eye(2))[1].shape
    return tuple({5: "question", 8: "context"}[n] for n in shape)


def _weights_or_scores(row: list[float]) -> str:
    """What a row of positive numbers can be: weights sum to 1."""
    return "weights" if are_shares(np.array(row)) else "scores"


def _scale_that_fits(heads: int) -> str:
    """The first of √d_model and √d_k that the measured spread of q·k in a head of a model 512 wide is about 1 times."""
    d_model = 512
    d_k = d_model // heads
    q, k = np.random.default_rng(heads).normal(size=(2, 5_000, d_k))
    spread = float((q * k).sum(axis=1).std())
    candidates = {"√d_model": np.sqrt(d_model), "√d_k": np.sqrt(d_k)}
    return next(name for name, scale in candidates.items() if round(spread / scale, 1) == 1)


def _variances_before_and_after() -> tuple[int, int]:
    """Var(q·k) for d_k = 64, measured, and what it is after dividing by √d_k; to a whole number."""
    q, k = np.random.default_rng(5).normal(size=(2, 20_000, 64))
    scores = (q * k).sum(axis=1)
    return round(scores.var()), round((scores / np.sqrt(q.shape[1])).var())


def _sines_in_even_columns() -> tuple[bool, bool]:
    """Whether columns 0, 2, … are sines (0 at position 0) and columns 1, 3, … cosines (1 at position 0)."""
    first = positional_encoding(*X.shape)[0]
    return bool((first[0::2] == 0).all()), bool((first[1::2] == 1).all())


def _one_rotation_fits_all() -> bool:
    """Whether one matrix turns each of 100 positions into the position 7 further on."""
    PE = positional_encoding(107, 16)
    return same(PE[:100] @ rotation(7, 16).T, PE[7:])


_n4_table = np.array([[0.1, 0.2, 0.3], [0.4, 0.2, 0.3]])  # 2 tokens, 3 features


def _all_positions_differ() -> bool:
    """Whether 1000 positions have 1000 vectors, no two of them closer than a tenth of the distance of neighbours."""
    PE = positional_encoding(1000, 64)
    squares = 64 - 2 * PE @ PE.T  # ‖a − b‖², since ‖PE[p]‖² is 32 for every p
    np.fill_diagonal(squares, np.inf)
    return bool(squares.min() > 0.01 * squares[0, 1])


# An F that helps, one that does nothing, and one that does harm.
_HELP_NOTHING_HARM = [size * np.eye(6) for size in (0.1, 0.0, -1e3)]


def _does_a_skip_decide() -> str:
    """What a residual layer gives for each of three F: x + F(x) for all three, or it decides between layer and skip."""
    given = [run_stack(X, [W], "residual")[1] for W in _HELP_NOTHING_HARM]
    rules = {
        "x + F(x), always": [X + np.tanh(X @ W) for W in _HELP_NOTHING_HARM],
        "the layer or the skip": [np.tanh(X @ _HELP_NOTHING_HARM[0]), X, X],
    }
    return next(rule for rule, expected in rules.items() if same(given, expected))


def _adds_the_input() -> bool:
    """Whether LN(F(x) + o) is a post-norm layer, where o is what the layer before put out."""
    *_, before, after = run_stack(X, STACK, "post-norm")
    return same(layer_norm(np.tanh(before @ STACK[-1]) + before), after)


def _largest_in_a_layer(m: int) -> float:
    """The largest number that layer norm can put out for m features: one number beside m − 1 equal ones."""
    return float(layer_norm(np.eye(m), eps=0).max())


# What small stacks are trained on: rows and their targets, by how wide they are.
_LEARNT = {d: np.random.default_rng(100).normal(size=(2, n, d)) for d, n in ((6, 12), (2, 3))}
SHALLOW, DEEP, STEPS = 2, 20, 300


@cache
def trained_losses(arrangement: str, depth: int, d: int, seed: int, steps: int) -> tuple[float, ...]:
    """The mean squared error of a stack (tanh layers, d wide) on random rows, before each step of descent, rate 0.3.

    The rows and their targets are the same for every seed and depth; the seed draws the weights.
    """
    X, Y = _LEARNT[d]
    weights, losses = random_stack(depth, d, gain=1.0, seed=seed), []
    for _ in range(steps):
        error = run_stack(X, weights, arrangement)[-1] - Y
        losses.append(float((error**2).mean()))
        weights = weights - 0.3 * stack_gradients(X, weights, arrangement, 2 * error / error.size).weights
    return tuple(losses)


def _what_raises_the_loss() -> list[str]:
    """What the loss of a small plain stack is raised by: steps of training, or more layers."""
    shallow, deep = (trained_losses("plain", depth, 6, seed=0, steps=STEPS) for depth in (SHALLOW, DEEP))
    (first, *_, last), (*_, deeper) = shallow, deep
    return [name for name, before, after in (("training", first, last), ("layers", last, deeper)) if after > before]


def _gain_and_bias_at_the_start() -> str:
    """What γY + β is for the note's table with γ = 1 and β = 0, as training starts: σY, or Y itself."""
    Y, sigma = layer_norm(_n4_table, eps=0), _n4_table.std(axis=1, keepdims=True)
    given = layer_norm(_n4_table, np.ones(3), np.zeros(3), eps=0)
    return next(name for name, rows in {"σY": sigma * Y, "Y": Y}.items() if same(given, rows))


def _concatenate_and_project_adds_up_the_heads() -> bool:
    """Whether concatenating and projecting gives each head's output through its own rows of W_O, added up."""
    steps = _multi_head(X)
    rows_of_heads = np.split(WEIGHTS.W_O, N_HEADS)
    by_head = sum(head @ rows for head, rows in zip(steps.heads, rows_of_heads, strict=True))
    return same(steps.output, by_head)


def _multi_head(x: np.ndarray) -> MultiHead:
    return multi_head_attention(x, WEIGHTS.W_Q, WEIGHTS.W_K, WEIGHTS.W_V, WEIGHTS.W_O, N_HEADS)


_APPLES = (
    "I had two apples 1 orange apple and another 1 red apple where the second one was slightly faster it comes from "
    "Apple Inc."
)
_FRUIT_AND_COMPANY = (
    "I like eating apple but I like using mobile phones from the apple company more"  # N4's, without the full stop
)


def _places(word: str) -> list[int]:
    """Where a word stands in N4's sentence of apples, the first word being number 0."""
    return [place for place, other in enumerate(_APPLES.split()) if other == word]


_THE_APPLE_IS_TASTY, _ELEVEN_WORDS = [1, 10, 8, 4], np.zeros((11, 512))


def _filled_up_to(length: int, ids: list[int], padding: int) -> list[int]:
    return ids + [padding] * (length - len(ids))


_FOUR_Q, _FOUR_K, _FOUR_V = (rows[:4] for rows in (Q, K, V))


_ANOTHER = np.array([5.0, 5.0, 5.0])


def _under_the_mask(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> np.ndarray:
    return scaled_dot_product_attention(Q, K, V, look_ahead_mask(len(Q)))[0]


def _one_masked_pass_equals_all_prefixes() -> bool:
    """Whether row i under the look-ahead mask is what attention gives when only tokens 1 to i are there."""
    beginnings = [[rows[:n] for rows in (_FOUR_Q, _FOUR_K, _FOUR_V)] for n in range(1, 5)]
    one_by_one = [scaled_dot_product_attention(*rows)[0][-1] for rows in beginnings]
    return same(_under_the_mask(_FOUR_Q, _FOUR_K, _FOUR_V), one_by_one)


def _three_parts_make_the_encoder() -> bool:
    """Whether attention, layer norm and FFN, with two sums and nothing else, give the block of the encoder."""
    w = WEIGHTS
    a = layer_norm(X + _multi_head(X).output)
    return same(layer_norm(a + feed_forward(a, w.W_1, w.b_1, w.W_2, w.b_2)), block(X).output)


def two_apples_differ(read: str) -> bool:
    """Whether N4's fruit and company differ in a table of vectors, in a GRU's states, or after one block of attention.

    read: "table", "GRU", "attention" or "attention with positions"; all weights are random.
    """
    text = _FRUIT_AND_COMPANY.split()
    ids = np.array(word_ids(_FRUIT_AND_COMPANY, word_vocabulary(_FRUIT_AND_COMPANY)))
    random = np.random.default_rng(0)
    X = look_up(ids, random.normal(size=(ids.max() + 1, 8)))
    gates = Gates(random.normal(size=(8, 24)), random.normal(size=(8, 24)), np.zeros(24), np.zeros(24))
    weights = random_encoder_weights(8, 16)
    rows = {
        "table": lambda: X,
        "GRU": lambda: encode(X, gates),
        "attention": lambda: encoder_block(X, weights, n_heads=2).output,
        "attention with positions": lambda: encoder_block(add_positions(X), weights, n_heads=2).output,
    }[read]()
    first, second = (place for place, word in enumerate(text) if word == "apple")
    return apart(rows[first], rows[second])


_GATES = Gates(np.tile(np.eye(6), 3), np.ones((6, 18)), np.zeros(18), np.zeros(18))


def _summary_at_length() -> int:
    """How much of the rows the GRU without attention gets right in the saved race, to a whole 1, at the longest
    trained length; best seed.
    """
    race = saved_race()
    return round(max(race.exact("GRU", race.trained[1])))


def _transformer_at_length() -> int:
    """How much of the rows the transformer gets right in the saved race, as `_summary_at_length` counts."""
    race = saved_race()
    return round(max(race.exact("transformer", race.trained[1])))


_SCORES = {"Vasanth": 0.8, "is": 0.01, "handwriting": 0.05}


def _who_is_answered() -> str:
    """Which of N4's three words gets the largest weight from the scores that the note prints."""
    weights = softmax(list(_SCORES.values()))
    return list(_SCORES)[weights.argmax()]


_LOUD = 100.0


def _key_leads_to_its_value() -> bool:
    """Whether a query that is one of the keys, said loudly, is answered with the value behind just that key."""
    answers, _ = scaled_dot_product_attention(_LOUD * np.eye(3), np.eye(3), V[:3])
    return same(answers, V[:3])


def _rows_that_the_last_word_changes() -> list[int]:
    """Which of four outputs under the look-ahead mask, counted from 0, another last word changes."""
    others = (np.vstack([rows[:-1], _ANOTHER[: rows.shape[1]]]) for rows in (_FOUR_Q, _FOUR_K, _FOUR_V))
    return rows_apart(_under_the_mask(_FOUR_Q, _FOUR_K, _FOUR_V), _under_the_mask(*others))


ENTRIES = (
    Entry(
        id="N4.handwriting_row",
        topic="the row of numbers for “Who has bad handwriting?”",
        printed="0.1, 0.01, 0.05, 0.02, 0.02 above QKᵀ/√d_model",
        claims="scores",
        compute=lambda: _weights_or_scores([0.1, 0.01, 0.05, 0.02, 0.02]),
        computed_text="they sum to 0.20: scores",
        verdict=Verdict.RIGHT,
        explanation="They sum to 0.20, so they are no shares yet. They are scores before the softmax, and that is what "
        "the note writes below them. Which word each belongs to, our copy does not say.",
        paraphrase=True,
    ),
    Entry(
        id="N4.variance",
        topic="why the scores are divided",
        printed="To reduce variances",
        claims=(64, 1),
        compute=_variances_before_and_after,
        computed_text="Var(q·k) = d_k; after dividing by √d_k it is 1",
        verdict=Verdict.RIGHT,
        explanation="Measured on 20 000 random pairs with d_k = 64: variance 64 before, 1 after, both within 3 %.",
    ),
    Entry(
        id="N4.scale_d_model",
        topic="the scale in every head",
        printed="At each head: softmax(QKᵀ/√d_model)",
        claims="√d_model",
        compute=lambda: _scale_that_fits(heads=8),
        computed_text="√d_k",
        verdict=Verdict.WRONG,
        slip=lambda: _scale_that_fits(heads=1),
        explanation="A head's scores add up d_k = 64 products, so their variance is 64. √512 would leave a variance "
        "of 1/8. With a single head d_k is d_model, and the two are the same.",
        takeaway="divide by the root of how many numbers a key has. In a head of the paper that is √64, not √512.",
    ),
    Entry(
        id="N4.attention_formula",
        topic="the formula above “1 head”",
        printed="Attention = Softmax(QKᵀ/√d_model) * V → 1 head",
        claims=True,
        compute=lambda: _scale_that_fits(heads=1) == "√d_model",
        computed_text="for one head, √d_model is √d_k",
        verdict=Verdict.RIGHT,
        explanation="With a single head a key is as wide as the model, so √d_model is √d_k. The star stands for the "
        "matrix product.",
        paraphrase=True,
    ),
    Entry(
        id="N4.handwriting_scores",
        topic="the scores of the question",
        printed="Qᵀ·K(Vasanth) → 0.8, Qᵀ·K(is) → 0.01, …, Qᵀ·K(handwriting) → 0.05",
        claims="Vasanth",
        compute=_who_is_answered,
        computed_text="Vasanth gets the largest weight",
        verdict=Verdict.RIGHT,
        explanation="The highest score gets the largest weight. With these three alone it is 0.52, a little more "
        "than half: a lead of 0.79 is a factor of 2.2.",
    ),
    Entry(
        id="N4.query_key_value",
        topic="what query, key and value are",
        printed="Query: represents what you want. Key: the location of the answer you want. Value: the answer.",
        claims=True,
        compute=_key_leads_to_its_value,
        computed_text="tried with three keys: each loud query gets its own value, to 1e−9",
        verdict=Verdict.RIGHT,
        explanation="A picture, and it holds: a query that is one of the keys, said loudly, is answered with the "
        "value behind that key. An ordinary query gets a mixture.",
    ),
    Entry(
        id="N4.four_by_four",
        topic="the table of “My name is Vasanth”",
        printed="a table of 4 × 4 with a sign in each cell, the words beside the rows and above the columns",
        claims=(4, 4),
        compute=lambda: attention_steps(*(np.eye(4),) * 4).scores.shape,
        computed_text="4 × 4 scores for four tokens",
        verdict=Verdict.RIGHT,
        explanation="A sign for each pair, a row for each word that asks. What +, − and * stand for, the page does "
        "not say.",
        paraphrase=True,
    ),
    Entry(
        id="N4.length_use",
        topic="a longer sequence",
        printed="Increase seq length ↑ Use ↑",
        claims=True,
        compute=lambda: attention_steps(*(np.eye(8),) * 4).scores.size > attention_steps(*(np.eye(4),) * 4).scores.size,
        computed_text="4 tokens have 16 scores, 8 have 64",
        verdict=Verdict.RIGHT,
        explanation="What is used, the page does not say. The scores grow with the square of the length: twice the "
        "tokens, four times the scores.",
    ),
    Entry(
        id="N4.parallel",
        topic="what can be done at the same time",
        printed="Advantages: 2. Parallel processing; below attention: Parallelization",
        claims=True,
        compute=rows_can_be_computed_alone,
        computed_text="each output computed alone, the last one first: equal",
        verdict=Verdict.RIGHT,
        explanation="In reading, and in training, where all words are given. A decoder that writes goes word by "
        "word, for it needs its own last word.",
        paraphrase=True,
    ),
    Entry(
        id="N4.handwriting_scale",
        topic="the score 0.8, and 0.1 below it",
        printed="Qᵀ·K(Vasanth) → 0.8; further down 0.1 above QKᵀ/√d_model",
        claims=0.1,
        compute=lambda: np.round(0.8 / np.sqrt(512), 3),
        verdict=Verdict.UNCLEAR,
        explanation="With the paper's 512, 0.8 would become 0.035, and 0.1 is 0.8/√64. That may be chance: the 0.01 "
        "and the 0.05 stand in both lists, undivided.",
        paraphrase=True,
        computed_text="0.035 = 0.8/√512",
        doubt="which word the 0.1 belongs to, and how wide the model is.",
    ),
    Entry(
        id="N4.pe_sin_even",
        topic="which columns are sines",
        printed="sin (even), cos (odd)",
        claims=(True, True),
        compute=_sines_in_even_columns,
        computed_text="columns 0, 2, … are sines; columns 1, 3, … are cosines",
        verdict=Verdict.RIGHT,
        explanation="Even and odd are said of the column, counted from 0, not of the position.",
    ),
    Entry(
        id="N4.pe_sine",
        topic="the exponent below the sine",
        printed="PE(pos, 2i) → sin(pos/10000^(2i/d_model))",
        claims=(0.0, 0.5),
        compute=lambda: tuple(exponents_of_four_columns(100)[::2]),
        computed_text="0, 1/2 for d_model = 4",
        verdict=Verdict.RIGHT,
        explanation="The sine is right. The cosine in the line below has another exponent: see there.",
    ),
    Entry(
        id="N4.pe_exponent",
        topic="the exponent below the cosine",
        printed="PE(pos, 2i+1) → cos(pos/10000^((2i+1)/d_model))",
        claims=(0.0, 0.25, 0.5, 0.75),
        compute=lambda: exponents_of_four_columns(100),
        computed_text="2i/d_model below the cosine too: 0, 0, 1/2, 1/2 for d_model = 4",
        verdict=Verdict.WRONG,
        slip=lambda: np.arange(4) / 4,
        explanation="The column number 2i + 1 was carried over into the exponent. Then the two are no pair that "
        "turns. The note's own table has it right: cos(1/1), cos(1/10).",
        takeaway="a sine and its cosine share a frequency, so the exponent is 2i/d_model below both.",
    ),
    Entry(
        id="N4.pe_second_cosine",
        topic="the cosine of the second formula",
        printed="E(pos, 2i+1) → cos(2i …), with 2i+1 below a brace",
        claims=(0.0, 0.25, 0.5, 0.75),
        compute=lambda: exponents_of_four_columns(100),
        computed_text="2i/d_model: 0, 0, 1/2, 1/2 for d_model = 4",
        verdict=Verdict.UNCLEAR,
        explanation="With 2i kept, it is right, and then the note has put its first formula right. With 2i + 1 kept, "
        "it has the same slip twice.",
        doubt="which of the two, 2i or 2i + 1, was meant to stay; the position and the base are gone.",
        paraphrase=True,
    ),
    Entry(
        id="N4.pe_omega",
        topic="what is called the frequency ω",
        printed="10000^(2i/d_model), with “frequency ω” written at it",
        claims=100.0,
        compute=lambda: frequencies(4)[1],
        verdict=Verdict.UNCLEAR,
        explanation="The power alone is one over the frequency. N5 has it right.",
        paraphrase=True,
        takeaway="the frequency is what the position is multiplied by, ω = 1/10000^(2i/d_model).",
        doubt="how far the brace reaches that says frequency ω: below the power alone, or below the fraction.",
    ),
    Entry(
        id="N4.pe_base",
        topic="the base n of the second formula",
        printed="E(pos, 2i) → sin(pos/1000^(2i)/d_model), n below the 1000; n → 100",
        claims=1000.0,
        compute=lambda: 10.0 ** (4 / 2),
        computed_text="100 in the table (only then is its third column divided by 10), 10000 in the paper",
        verdict=Verdict.UNCLEAR,
        explanation="The paper has 10000. The table is worked with 100, and that is allowed: the base is a choice.",
        paraphrase=True,
        doubt="1000: a zero may have been lost in the copying. A brace below it says n.",
    ),
    Entry(
        id="N4.pe_range",
        topic="range of the numbers",
        printed="Range → Normalized [−1, 1]",
        claims=True,
        compute=lambda: bool((np.abs(positional_encoding(1000, 64)) <= 1).all()),
        computed_text="tried for 1000 positions: all within [−1, 1]",
        verdict=Verdict.RIGHT,
        explanation="A sine and a cosine never leave [−1, 1], however far the position.",
    ),
    Entry(
        id="N4.pe_unique",
        topic="every position has its own vector",
        printed="Unique encoding of position of words",
        claims=True,
        compute=_all_positions_differ,
        computed_text="tried: 1000 positions, d_model = 64, no two alike",
        verdict=Verdict.RIGHT,
        explanation="In radians no two positions ever give the same first pair. In degrees it would come back after "
        "360 positions.",
    ),
    Entry(
        id="N4.sin_cos_of_0",
        topic="sine and cosine of 0",
        printed="sin(0), cos(0) = 0, 1",
        compute=lambda: [np.sin(0), np.cos(0)],
        verdict=Verdict.RIGHT,
        explanation="Where the two curves begin: so position 0 is 0, 1, 0, 1, …, whatever the base.",
        paraphrase=True,
    ),
    Entry(
        id="N4.positions_of_four",
        topic="the positions of four words",
        printed="→ pos [0, 3]",
        compute=lambda: np.arange(4)[[0, -1]],
        verdict=Verdict.RIGHT,
        explanation="Four rows in the table, so positions 0 to 3. The sentence beside it reads “The water is 1 act” "
        "in our copy, which is five words; with N5's “The weather is great” it would be four. That is a "
        "guess.",
    ),
    Entry(
        id="N4.pe_relative",
        topic="relative positions",
        printed="Encode relative to other position",
        claims=True,
        compute=_one_rotation_fits_all,
        computed_text="one matrix turns p into p + 7, for 100 positions p",
        verdict=Verdict.RIGHT,
        explanation="k steps on is the same rotation everywhere. It needs an even d_model: every sine with its cosine.",
    ),
    Entry(
        id="N4.pe_row_0",
        topic="n = 100, d = 4, position 0",
        printed="sin(0), cos(0), sin(0), cos(0) = 0, 1, 0, 1",
        compute=lambda: positional_encoding(1, 4, base=100)[0],
        verdict=Verdict.RIGHT,
        explanation="With sines alone, position 0 would be all zeros, and adding it would change nothing.",
    ),
    Entry(
        id="N4.angle_at_0",
        topic="the angle at position 0",
        printed="pos = 0, i = 1: (0/…) → 0",
        claims=0.0,
        compute=lambda: 0 * frequencies(4, 100)[1],
        computed_text="0",
        verdict=Verdict.RIGHT,
        explanation="0 divided by anything is 0.",
    ),
    Entry(
        id="N4.pe_pairs",
        topic="the pair i of each of four columns",
        printed="i: 0, 0, 1, 1",
        compute=lambda: np.unique(exponents_of_four_columns(100), return_inverse=True)[1],
        verdict=Verdict.RIGHT,
        explanation="Two columns, a sine and its cosine, share one i and one frequency.",
    ),
    Entry(
        id="N4.pe_divisors",
        topic="what position 1 is divided by",
        printed="sin(1/1), cos(1/1), sin(1/10), cos(1/10)",
        claims=[1.0, 1.0, 10.0, 10.0],
        compute=lambda: (100.0 ** exponents_of_four_columns(100)).round(9),
        computed_text="1, 1, 10, 10",
        verdict=Verdict.RIGHT,
        explanation="100^(0/4) = 1 and 100^(2/4) = 10. On the lines that lead there, our copy has lost the exponents.",
    ),
    Entry(
        id="N4.lost_exponents",
        topic="the lines that lead to 1/10",
        printed="sin(1/100 · 2) → sin(1/10), cos(1/100 · (2·1 + 1)/2) → cos(1/10)",
        claims=(0.1, 0.1),
        compute=lambda: to_12_decimals([1 / 100 * 2, 1 / 100 * 3 / 2]),
        computed_text="as they stand, 0.02 and 0.015 and not 0.1",
        verdict=Verdict.UNCLEAR,
        explanation="With the exponent in its place, 100^(2·1/4), the divisor is 10, below the sine and below the "
        "cosine. As the lines stand they give 0.02 and 0.015.",
        doubt="which numbers stood higher than the line: our copy has none that do.",
        paraphrase=True,
    ),
    Entry(
        id="N4.pe_row_1",
        topic="n = 100, d = 4, position 1, first number",
        printed="sin(1/10) = 0.098",
        compute=lambda: positional_encoding(2, 4, base=100)[1, :1],
        verdict=Verdict.WRONG,
        explanation="Divided by 10 where the divisor is 100⁰ = 1; further down the same page it is sin(1/1). And "
        "sin(1/10) is 0.0998, cut to 0.099: the 8 may be a 9 in our copy.",
    ),
    Entry(
        id="N4.pe_row_1_cosine",
        topic="n = 100, d = 4, position 1, second number",
        printed="cos(1/1) = 0.51",
        compute=lambda: positional_encoding(2, 4, base=100)[1, 1:2],
        verdict=Verdict.UNCLEAR,
        doubt="a 4 by hand can look like a 1.",
        explanation="cos(1/1) is set up rightly, and rounded it is 0.54.",
    ),
    Entry(
        id="N4.pe_row_1_second_pair",
        topic="n = 100, d = 4, position 1, last two numbers",
        printed="sin(1/10), cos(1/10) = 0.10, 1.0",
        compute=lambda: positional_encoding(2, 4, base=100)[1, 2:],
        verdict=Verdict.ROUNDED,
        explanation="0.099833 and 0.995004.",
    ),
    Entry(
        id="N4.pe_rows_2_and_3",
        topic="n = 100, d = 4, positions 2 and 3",
        printed="rows 2 and 3: no numbers",
        filled_in="[0.909297, −0.416147, 0.198669, 0.980067], [0.141120, −0.989992, 0.295520, 0.955336]",
        compute=lambda: positional_encoding(4, 4, base=100)[2:],
        verdict=Verdict.BLANK,
        explanation="The same four divisors, 1, 1, 10 and 10, with 2 and 3 above them.",
        paraphrase=True,
    ),
    Entry(
        id="N4.cos_tenth",
        topic="the last number of position 1",
        printed="cos(1/10) = 0.98",
        compute=lambda: positional_encoding(2, 4, base=100)[1, 3],
        verdict=Verdict.UNCLEAR,
        doubt="a 9 by hand can look like an 8.",
        explanation="It is 0.995, cut to 0.99. (0.98 is also cos(2/10), the number one row further down.) The table "
        "on the same page has 1.0, which is 0.995 rounded.",
    ),
    Entry(
        id="N4.pe_shape",
        topic="shape of the positional encoding",
        printed="[seq len, embed dim]",
        claims=(4, 512),
        compute=lambda: positional_encoding(4, 512).shape,
        computed_text="4 × 512 for the four words of the note",
        verdict=Verdict.RIGHT,
        explanation="A row for each position, as wide as a token: only so can the two be added.",
    ),
    Entry(
        id="N4.input_sum",
        topic="what goes in",
        printed="Token Embed + Pos Encoding",
        claims=(4, 512),
        compute=lambda: add_positions(look_up(_THE_APPLE_IS_TASTY, _ELEVEN_WORDS)).shape,
        computed_text="4 × 512 again",
        verdict=Verdict.RIGHT,
        explanation="Added entry by entry, so the two must have the same shape: the note has it one line above.",
    ),
    Entry(
        id="N4.skip_decides",
        topic="what a skip connection does",
        printed="if accuracy ≥: layer is considered, else skip layer",
        claims="the layer or the skip",
        compute=_does_a_skip_decide,
        computed_text="x + F(x), always",
        verdict=Verdict.WRONG,
        explanation="Nothing is decided, and no accuracy is looked at. Both are always added. A layer that does not "
        "help can learn to give F(x) near 0, and then the sum is x: that is the grain of truth.",
        takeaway="a residual connection always adds, x + F(x). No layer is left out.",
    ),
    Entry(
        id="N4.longer_training",
        topic="the problem that residual networks solve",
        printed="Problem: on an extended training, loss increased",
        claims=["training"],
        compute=_what_raises_the_loss,
        computed_text="in a small plain stack 300 steps lower the loss; with 20 layers in place of 2 it stays higher",
        verdict=Verdict.UNCONFIRMED,
        elsewhere=True,
        paraphrase=True,
        explanation="He et al. 2016, who introduced them, report it of the depth: a plain network of 56 layers had a "
        "higher training error than one of 20.",
        takeaway="what raised the training error of the plain networks there was more layers.",
    ),
    Entry(
        id="N4.add_and_norm",
        topic="Add & Norm",
        printed="X → Layer Norm[Sublayer(x) + Output]",
        claims=True,
        compute=_adds_the_input,
        computed_text="equal to LayerNorm(x + Sublayer(x)), with Output = x",
        verdict=Verdict.RIGHT,
        explanation="Read “Output” as what the layer before put out, which is x. It is not the sub-layer's own output: "
        "then x would be lost.",
    ),
    Entry(
        id="N4.normalized_range",
        topic="an example of normalizing",
        printed="[−3, 3] → [0, 1]",
        claims=[0.0, 1.0],
        compute=lambda: min_max([-3, 0, 3])[[0, -1]],
        computed_text="−3, 0, 3 become 0, 0.5, 1",
        verdict=Verdict.RIGHT,
        explanation="It is min–max scaling, (x − min)/(max − min), one way to normalize. Layer norm is another, a "
        "z-score: mean 0, standard deviation 1, as the note says below.",
    ),
    Entry(
        id="N4.within_three",
        topic="all values of the layer",
        printed="will become [−3 to 3]",
        claims=3.0,
        compute=lambda: round(_largest_in_a_layer(512), 6),
        computed_text="up to √(m − 1): 1.414214 for m = 3, 22.605309 for m = 512",
        verdict=Verdict.WRONG,
        explanation="3 is a habit of the normal distribution, where about 997 numbers of 1000 lie within. The bound is "
        "√(m − 1), and that is at most 3 only up to m = 10.",
        takeaway="the bound is √(m − 1), which grows with the width of the layer.",
    ),
    Entry(
        id="N4.mean_and_std",
        topic="mean and standard deviation after the norm",
        printed="mean = 0, std = 1",
        claims=[0.0, 1.0],
        compute=lambda: [f(layer_norm(_n4_table[0], eps=0)).round(12) + 0.0 for f in (np.mean, np.std)],
        verdict=Verdict.RIGHT,
        explanation="For each token, with no ε and before γ and β. ε makes the deviation a little smaller than 1.",
    ),
    Entry(
        id="N4.gain_and_bias",
        topic="gain and bias",
        printed="σY = γY + β",
        claims="σY",
        compute=_gain_and_bias_at_the_start,
        computed_text="γY + β; for γ = 1 and β = 0 it is Y, not 0.08 Y",
        verdict=Verdict.UNCLEAR,
        doubt="the σ in front; it may have been an arrow or a name.",
        explanation="With γ = 1 and β = 0, as training starts, the output is Y itself.",
    ),
    Entry(
        id="N4.learnable",
        topic="γ and β",
        printed="γ_i, β_i → learnable",
        claims=(True, True),
        compute=lambda: (apart(layer_norm(X, GAIN), layer_norm(X)), apart(layer_norm(X, None, BIAS), layer_norm(X))),
        computed_text="a change of either changes the output",
        verdict=Verdict.RIGHT,
        explanation="A number can be learnt if changing it a little changes what comes out. In most libraries γ "
        "starts at 1 and β at 0.",
    ),
    Entry(
        id="N4.epsilon",
        topic="ε beside σ",
        printed="y = γ_i [(x_i − μ_i)/(σ_i + ε)] + β_i",
        claims=True,
        compute=lambda: bool(np.isfinite(layer_norm([0.2, 0.2, 0.2], eps=1e-5, eps_inside=False)).all()),
        computed_text="0 for each of 0.2, 0.2, 0.2",
        verdict=Verdict.RIGHT,
        explanation="A number even for σ = 0: that is what ε is for. Most libraries put it inside the root, √(σ² + ε): "
        "a little different, see the table of the four variants.",
    ),
    Entry(
        id="N4.one_index",
        topic="the letter i",
        printed="γ_i, μ_i, σ_i and β_i: one index for all four",
        claims=True,
        compute=lambda: _n4_table.mean(axis=1).shape == _n4_table[0].shape,
        computed_text="μ and σ: one for each token, 2; γ and β: one for each feature, 3",
        verdict=Verdict.WRONG,
        explanation="μ and σ are computed for each token. γ and β are shared by all tokens. The same letter can't "
        "count both.",
        paraphrase=True,
        takeaway="μ and σ go with a token, the row. γ and β go with a feature, the column.",
    ),
    Entry(
        id="N4.table_shape",
        topic="the size of the example",
        printed="tokens → 2, emb → 3",
        claims=(2, 3),
        compute=lambda: _n4_table.shape,
        computed_text="2 × 3",
        verdict=Verdict.RIGHT,
        explanation="Two rows of three numbers. So there are two means, and each is of three numbers.",
    ),
    Entry(
        id="N4.first_mean",
        topic="mean of the first token",
        printed="1/3 [0.1 + 0.2 + 0.3] = 0.2",
        compute=lambda: _n4_table[0].mean(),
        verdict=Verdict.RIGHT,
        explanation="0.6 / 3.",
    ),
    Entry(
        id="N4.second_mean",
        topic="mean of the second token",
        printed="μ₂₂ = 0.3",
        compute=lambda: _n4_table[1].mean(),
        verdict=Verdict.RIGHT,
        explanation="(0.4 + 0.2 + 0.3) / 3. Further down the page it is called μ₂₁, and that fits better: token 2, "
        "column 1 of the means.",
    ),
    Entry(
        id="N4.second_sum",
        topic="the sum in the second mean",
        printed="1/3 [0.2]",
        claims=0.2,
        compute=lambda: _n4_table[1].sum().round(12),
        verdict=Verdict.UNCLEAR,
        explanation="0.4 + 0.2 + 0.3 = 0.9, and 0.9/3 is the 0.3 that is printed.",
        doubt="the bracket seems to have lost two of its three numbers, on the page or in the copying.",
    ),
    Entry(
        id="N4.squares",
        topic="sum of the squared deviations of the first token",
        printed="(0.1 − 0.2)² + (0.2 − 0.2)² + (0.3 − 0.2)² = 0.02",
        compute=lambda: ((_n4_table[0] - _n4_table[0].mean()) ** 2).sum(),
        verdict=Verdict.RIGHT,
        explanation="0.01 + 0 + 0.01.",
    ),
    Entry(
        id="N4.sigma_squared",
        topic="variance of the first token",
        printed="1/3 [0.02] = 0.0066",
        compute=lambda: _n4_table[0].var(),
        verdict=Verdict.LOOSE,
        explanation="0.00666… is cut, not rounded: rounded it is 0.0067.",
    ),
    Entry(
        id="N4.sigma",
        topic="standard deviations of both tokens",
        printed="σ = [0.08, 0.08]",
        compute=lambda: _n4_table.std(axis=1),
        verdict=Verdict.ROUNDED,
        explanation="0.081650, twice: the second token has the same deviations in another order. They are divided by "
        "m = 3, as a norm does, not by 2.",
    ),
    Entry(
        id="N4.fractions",
        topic="from the fractions to the result",
        printed="(0.1 − 0.2)/0.08 = −1.2248",
        compute=lambda: (0.1 - 0.2) / np.sqrt(0.02 / 3),
        verdict=Verdict.LOOSE,
        paraphrase=True,
        explanation="With σ as it is: −1.224745. The 0.08 beside it is σ rounded for the eye, and the author went on "
        "with more digits: a good habit. √0.006666 gives just 1.2248, and so does 0.081649.",
    ),
    Entry(
        id="N4.normalized",
        topic="the normalized table",
        printed="[[−1.2248, 0, 1.2248], [1.2248, −1.2248, 0]]",
        compute=lambda: layer_norm(_n4_table, eps=0).round(12),
        verdict=Verdict.LOOSE,
        explanation="The last digit is one too high: 1.224745 is 1.2247. With σ + 1e−5 it is 1.224595, with "
        "√(σ² + 1e−5), as in PyTorch, 1.223827.",
    ),
    Entry(
        id="N4.named_gamma",
        topic="what the normalized table is called",
        printed="γ = [[−1.2248, …], [1.2248, …]], 2 × 3",
        claims=True,
        compute=lambda: _n4_table.shape == _n4_table[0].shape,
        computed_text="γ has one number for each feature: 3",
        verdict=Verdict.UNCLEAR,
        explanation="The table is Y, the normalized numbers. γ is the gain that they are multiplied with afterwards: "
        "γY + β.",
        paraphrase=True,
        doubt="by hand, Y and γ look alike.",
    ),
    Entry(
        id="N4.multi_head_flow",
        topic="the flow of multi-head attention",
        printed="Input → Query × W_q, Key × W_k, Value × W_v → split among heads → scaled dot product attention at "
        "each head → concat → project / learn the concatenation",
        claims=True,
        compute=_concatenate_and_project_adds_up_the_heads,
        computed_text="concat and project = each head through its own rows of W_O, added up, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="“Query × W_q” is the input times W_q; the product is the query. "
        "“Learn the concatenation” means that the matrix after it, W_O, is learnt.",
    ),
    Entry(
        id="N4.sentence_shape",
        topic="“The apple is tasty” as numbers",
        printed="d_model = 512; The apple is tasty → bs → 1, seq_len → 4",
        claims=(1, 4, 512),
        compute=lambda: look_up([_THE_APPLE_IS_TASTY], _ELEVEN_WORDS).shape,
        computed_text="1 × 4 × 512",
        verdict=Verdict.RIGHT,
        explanation="The ids below the four words read 1, 10, 8 and 4. The table needs a row for each id, so at least "
        "11 rows, 0 to 10.",
    ),
    Entry(
        id="N4.word_numbers",
        topic="the numbers above the sentence of apples",
        printed="0 1 2 3 4 5 6 7 above “I had two apples 1 orange apple and”",
        claims=list(range(8)),
        compute=lambda: list(range(len(["I", "had", "two", "apples", "1", "orange", "apple", "and"]))),
        computed_text="eight words, 0 to 7",
        verdict=Verdict.RIGHT,
        explanation="A word is what stands between two spaces, and the 1 is one too.",
    ),
    Entry(
        id="N4.apple_place",
        topic="the numbers below the sentence of apples",
        printed="apple → 6",
        compute=lambda: _places("apple")[0],
        verdict=Verdict.RIGHT,
        explanation="Counted from 0, the first “apple” is word number 6. It is also the 7th new word, so as an id "
        "in the order of first occurrence it is 6 as well.",
    ),
    Entry(
        id="N4.apples_place",
        topic="the numbers below the sentence of apples",
        printed="apples → 11",
        compute=lambda: _places("apples")[0],
        verdict=Verdict.UNCLEAR,
        explanation="“apples” is word number 3, and it stands there only. Number 11 is the second “apple”: without the "
        "s the line is right.",
        doubt="the s, one letter.",
        takeaway="to a list of words, apple, apples and Apple are three words.",
    ),
    Entry(
        id="N4.no_context",
        topic="one vector for a word, whatever stands beside it",
        printed="Disadvantage: 1. No context awareness",
        claims=False,
        compute=lambda: two_apples_differ("table"),
        computed_text="in a table the two apples are equal in all numbers",
        verdict=Verdict.RIGHT,
        explanation="Said below a table of vectors, one for “apple”, the fruit and the company: of that it is right. "
        "The list goes on with recurrent networks. Their states do differ at the two apples, by what came before the "
        "word.",
    ),
    Entry(
        id="N4.look_ahead",
        topic="the look-ahead mask for “Vasanth has bad handwriting”",
        printed="[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]",
        compute=lambda: look_ahead_mask(4).astype(int),
        verdict=Verdict.RIGHT,
        explanation="1 is allowed, 0 is forbidden. Row i is word i: it sees itself and what came before.",
    ),
    Entry(
        id="N4.teacher_forcing",
        topic="what the mask has to do with teacher forcing",
        printed="look-ahead mask → teacher forcing",
        claims=True,
        compute=_one_masked_pass_equals_all_prefixes,
        computed_text="one pass under the mask = the four beginnings one by one, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="The right words go in, all at once. The mask sees to it that each row knows only its beginning.",
        paraphrase=True,
    ),
    Entry(
        id="N4.autoregressive",
        topic="what autoregressive means for a row",
        printed="Masked multihead attention → Autoregressive",
        claims=[3],
        compute=_rows_that_the_last_word_changes,
        computed_text="another last word leaves the three rows before it as they were",
        verdict=Verdict.RIGHT,
        explanation="A row depends on itself and on what came before. So each row can predict the word after it, and "
        "all rows can be trained in one pass.",
    ),
    Entry(
        id="N4.padding_row",
        topic="a sentence filled up to length 10",
        printed="10 → 1, 8, 7, 17, 170, 170, 170",
        filled_in="[1, 8, 7, 17, 170, 170, 170, 170, 170, 170]",
        compute=lambda: _filled_up_to(10, [1, 8, 7, 17], 170),
        verdict=Verdict.BLANK,
        explanation="The note does not say what its numbers are. We read: 10 places, four words with the ids 1, 8, 7 "
        "and 17, and 170 for a place with nothing in it. It prints seven numbers, so three places are left to fill.",
    ),
    Entry(
        id="N4.padding_mask",
        topic="the padding mask of that sentence",
        printed="padding mask: no numbers",
        filled_in="[1, 1, 1, 1, 0, 0, 0, 0, 0, 0]",
        compute=lambda: padding_mask([4], 10)[0].astype(int),
        verdict=Verdict.BLANK,
        explanation="1 at the four words, 0 at the six places that only fill up.",
        paraphrase=True,
    ),
    Entry(
        id="N4.parts_of_the_encoder",
        topic="what has to be known before the encoder",
        printed="Attention → … Layer Normalization → FFN → Encoder → Decoder",
        claims=True,
        compute=_three_parts_make_the_encoder,
        computed_text="attention, layer norm and FFN, with two sums, give the encoder's block to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="FFN is the feed-forward network. The note names it and says no more about it, nor about the "
        "encoder. The lesson fills that in.",
        paraphrase=True,
    ),
    Entry(
        id="N4.context_and_question",
        topic="what goes into the encoder, and what into the decoder",
        printed="context: … → encoder; question: who has a bad handwriting? → query, decoder",
        claims=("question", "context"),
        compute=_who_is_in_the_rows,
        computed_text="a row for each of the 5 words of the question, a column for each of the 8 of the context",
        verdict=Verdict.RIGHT,
        explanation="As in a translator: what is written asks, what is read is asked.",
        paraphrase=True,
    ),
    Entry(
        id="N4.rnn_sequential",
        topic="recurrent networks: one step after the other",
        printed="Disadvantage: 2. Sequential processing",
        claims=[0, 1, 2, 3],
        # the states that another first word changes, and so wait for it
        compute=lambda: rows_apart(encode(X, _GATES), encode(OTHER_FIRST, _GATES)),
        computed_text="the last state changes with the first word, by way of every state between",
        verdict=Verdict.RIGHT,
        explanation="N words are N steps of which each waits for the one before. Attention needs no other output, so "
        "all words can be done at the same time.",
    ),
    Entry(
        id="N4.context_rich",
        topic="vectors that know their context",
        printed="Generate context rich vectors by using Attention",
        claims=True,
        compute=lambda: two_apples_differ("attention with positions"),
        computed_text="with positions the two apples of N4's sentence come out different",
        verdict=Verdict.RIGHT,
        explanation="Without positions they come out the same: the same word asks the same of the same words. In "
        "sentences of other words they differ either way.",
    ),
    Entry(
        id="N4.rnn_long_context",
        topic="recurrent networks: long sequences",
        printed="Disadvantage: 3. Long context failure",
        claims=0,
        compute=_summary_at_length,
        computed_text="the GRU with one summary gets almost no row of 20 letters right",
        verdict=Verdict.RIGHT,
        explanation="On reversal, with one summary, after 40 s of training. With attention over its states it does not "
        "fail at 20. Given five times the training it gets further by itself: part of the failure is how slowly it "
        "learns.",
    ),
    Entry(
        id="N4.handles_long",
        topic="transformers: long sequences",
        printed="Advantages: 3. It can handle long contexts.",
        claims=1,
        compute=_transformer_at_length,
        computed_text="the transformer gets most rows of 20 letters right, where the GRU with one summary gets none",
        verdict=Verdict.RIGHT,
        explanation="On reversal, after 40 s of training, at the lengths of the training. Of longer rows than these it "
        "gets hardly one right.",
    ),
)
