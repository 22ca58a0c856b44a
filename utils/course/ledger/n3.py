"""Entries of lecture note N3: the eight steps on numbers."""

from __future__ import annotations

import numpy as np

from utils.by_hand import example, four_states
from utils.by_hand.attention import AttentionSteps, attention_steps, scaled_dot_product_attention, softmax
from utils.by_hand.multi_head import join_heads, multi_head_attention
from utils.by_hand.positional import add_positions, frequencies, positional_encoding
from utils.by_hand.seq2seq import StateAttention, additive_scores, attend, dot_scores
from utils.course.ledger.entry import Entry, Verdict
from utils.training.race_results import saved_race

_random = np.random.default_rng(3)
_PRINTED_KEYS = np.array([[0, 2], [1, 0], [0, 1], [1, 1]])


def unscaled_example() -> AttentionSteps:
    """N3's example as the note computes it: the scores go into the softmax as they are."""
    return attention_steps(example.X, example.W_Q, example.W_K, example.W_V, scale=1.0)


def _printed_keys_are_possible() -> bool:
    """Whether some 4 × 2 matrix W gives the printed keys: least squares leaves no remainder if so."""
    keys = _PRINTED_KEYS[:3]
    W = np.linalg.lstsq(example.X, keys, rcond=None)[0]
    return bool(np.allclose(example.X @ W, keys))


def _other_value_width_works() -> bool:
    """Whether values five wide go with queries and keys three wide, and queries of another width do not."""
    values = _random.normal(size=(4, 5))
    fits = attention_steps(example.X, example.W_Q, example.W_K, values).output.shape == (3, 5)
    try:
        attention_steps(example.X, example.W_Q[:, :2], example.W_K, values)
    except ValueError:
        return fits
    return False


def _order_has_no_influence() -> bool:
    """Whether shuffling the tokens shuffles the outputs in the same way and changes nothing else."""
    X = _random.normal(size=(6, 4))
    order = _random.permutation(6)
    before, after = (attention_steps(x, example.W_Q, example.W_K, example.W_V).output for x in (X, X[order]))
    return bool(np.allclose(after, before[order], rtol=0, atol=1e-12))


def _rows_of_inputs_and_keys() -> tuple[int, int]:
    return len(example.X), len(example.X @ example.W_K)


def _adding_keeps_the_shape() -> bool:
    """Whether tokens with their positions added have the tokens' own shape."""
    return add_positions(example.X).shape == example.X.shape


def _fixed_works_and_learnable_works() -> tuple[bool, bool]:
    """Whether formula and table give each of four positions a vector of its own (a table starts random)."""
    tables = positional_encoding(4, 6), np.random.default_rng(0).normal(size=(4, 6))
    return tuple(len(np.unique(table.round(9), axis=0)) == 4 for table in tables)


def _score_of_a_pair(n: int) -> float:
    """f(x_1, x_2) in a sentence of n words that starts with the same two."""
    X = np.vstack([example.X[:2], np.random.default_rng(n).normal(size=(n - 2, 4))])
    return float(attention_steps(X, example.W_Q, example.W_K, example.W_V).scores[0, 1])


def _rows_can_be_computed_alone() -> bool:
    """Whether each output comes out the same from its own query alone, the last one first."""
    Q, K, V = (_random.normal(size=(6, 4)) for _ in range(3))
    together, _ = scaled_dot_product_attention(Q, K, V)
    alone = {i: scaled_dot_product_attention(Q[i : i + 1], K, V)[0][0] for i in reversed(range(6))}
    return all(np.allclose(alone[i], together[i], rtol=0, atol=1e-12) for i in range(6))


def _sums_equal_the_formula() -> bool:
    """Whether N3's three lines with f(x_i, x_j) give what the formula that it draws from them gives."""
    formula = attention_steps(example.X, example.W_Q, example.W_K, example.W_V).output
    return bool(np.allclose(unscaled_example().output, formula))


def _own_matrices_equal_one_wide_matrix() -> bool:
    """Whether h heads with their own W_Q, W_K, W_V, concatenated, are the heads of one wide matrix that is split."""
    n_heads, width = 3, 2
    X, *wide = (_random.normal(size=shape) for shape in ((5, 6), (6, 6), (6, 6), (6, 6)))
    own = [[W[:, n * width : (n + 1) * width] for W in wide] for n in range(n_heads)]
    one_by_one = np.stack([attention_steps(X, *matrices).output for matrices in own])
    joined = multi_head_attention(X, *wide, np.eye(6), n_heads).joined
    return bool(np.allclose(joined, join_heads(one_by_one), rtol=0, atol=1e-12))


def _attention_over_four_states() -> StateAttention:
    """Lesson 01's four states, weighed by their dot products with the decoder's state."""
    return attend(four_states.H, dot_scores(four_states.s, four_states.H))


def _scores_of_both_kinds() -> tuple[int, int]:
    """How many scores the four states get, by dot product and by additive attention."""
    s, H = four_states.s, four_states.H
    return len(dot_scores(s, H)), len(additive_scores(s, H, four_states.W_s, four_states.W_h, four_states.v))


def _transformer_beats_recurrence() -> bool:
    """Whether in the saved race the transformer is above the GRU at the longest trained length, with every seed."""
    race = saved_race()
    pairs = zip(*(race.exact(model, race.trained[1]) for model in ("transformer", "GRU")), strict=True)
    return all(transformer > gru for transformer, gru in pairs)


def time_to_match_the_gru() -> float:
    """In the saved race: the part of the GRU's training time after which the transformer is as good, mean of seeds."""
    race = saved_race()
    runs = zip(race.of("GRU"), race.of("transformer"), strict=True)
    return float(np.mean([transformer.reaches(gru.curve[-1][1]) / gru.seconds for gru, transformer in runs]))


ENTRIES = (
    Entry(
        id="N3.weight_shape",
        note="N3",
        topic="shape of the weights",
        printed="W is 4 × 2, and the product (3 × 4)(4 × 2)",
        claims=(4, 2),
        compute=lambda: example.W_K.shape,
        computed_text="4 × 3, as W_key is written",
        verdict=Verdict.WRONG,
        slip=lambda: np.delete(example.W_K, 1, axis=1).shape,
        explanation="W_key is written with three columns, and the legible value has three numbers. "
        "The labels belong to an example with two.",
        lessons=("05",),
    ),
    Entry(
        id="N3.number_of_keys",
        note="N3",
        topic="how many inputs, how many keys",
        printed="four inputs, four keys (3 × 4 times 4 × 2)",
        claims=(4, 4),
        compute=_rows_of_inputs_and_keys,
        computed_text="three inputs, three keys",
        verdict=Verdict.WRONG,
        slip=lambda: (len(_PRINTED_KEYS), len(_PRINTED_KEYS)),
        explanation="One key for each input: 3 × 4 times 4 × 3 gives 3 rows. The note lists inp4 and key 4, "
        "but step 1 prepares three inputs.",
        lessons=("05",),
    ),
    Entry(
        id="N3.first_key",
        note="N3",
        topic="key of input 1",
        printed="[1, 0, 1, 0] · W_key = [0, 2]",
        compute=lambda: example.X[0] @ example.W_K,
        verdict=Verdict.WRONG,
        slip=lambda: np.delete(example.X[0] @ example.W_K, 1),
        explanation="Three columns give three numbers, [0, 1, 2]. The printed key has lost the middle one.",
        lessons=("05",),
    ),
    Entry(
        id="N3.impossible_keys",
        note="N3",
        topic="the four printed keys",
        printed="keys [0, 2], [1, 0], [0, 1] from the three inputs",
        claims=True,
        compute=_printed_keys_are_possible,
        computed_text="no W_key gives these keys",
        verdict=Verdict.WRONG,
        explanation="x₃ = x₁ + ½x₂, so k₃ must be k₁ + ½k₂ = [0.5, 2], whatever W_key is; [0, 1] is printed. "
        "They are numbers to show the shapes, not the result of the product.",
        lessons=("05",),
    ),
    Entry(
        id="N3.dot_products",
        note="N3",
        topic="scores of a two-number query",
        printed="[1, 0] · [[0, 1, 0], [2, 0, 1]] = [0, 1, 0]",
        compute=lambda: np.array([1, 0]) @ np.array([[0, 1, 0], [2, 0, 1]]),
        verdict=Verdict.RIGHT,
        explanation="The keys stand in the columns: this is q₁Kᵀ.",
        lessons=("05",),
    ),
    Entry(
        id="N3.softmax",
        note="N3",
        topic="softmax of the scores of input 1",
        printed="softmax [2, 4, 4] = [0.0, 0.5, 0.5]",
        compute=lambda: softmax([2, 4, 4]),
        verdict=Verdict.LOOSE,
        explanation="Rounded hard: 0.063 is not 0.0, and it makes itself felt in the output.",
        lessons=("05", "06"),
    ),
    Entry(
        id="N3.first_value",
        note="N3",
        topic="value of input 1",
        printed="v₁ = [1, 2, 3]",
        compute=lambda: example.X[0] @ example.W_V,
        verdict=Verdict.RIGHT,
        explanation="The other two values are not legible; the example that the note follows has [2, 8, 0] and "
        "[2, 6, 3].",
        lessons=("05",),
    ),
    Entry(
        id="N3.first_output",
        note="N3",
        topic="output for input 1",
        printed="0.0·v₁ + 0.5·v₂ + 0.5·v₃ = [ ]",
        filled_in="[1.936621, 6.683105, 1.595068]",
        compute=lambda: unscaled_example().output[0],
        verdict=Verdict.BLANK,
        explanation="The note leaves the brackets empty. Its rounded weights would give [2, 7, 1.5]; with the "
        "weights as "
        "they are it is this.",
        lessons=("05",),
    ),
    Entry(
        id="N3.first_output_scaled",
        note="N3",
        topic="output for input 1 by the formula at the end of the note",
        printed="softmax(QKᵀ/√d_k) V, no numbers",
        filled_in="[1.863874, 6.319371, 1.704189]",
        compute=lambda: attention_steps(example.X, example.W_Q, example.W_K, example.W_V).output[0],
        verdict=Verdict.BLANK,
        explanation="The eight steps do not divide, the formula does. With d_k = 3 the scores [2, 4, 4] are "
        "divided by √3 first.",
        lessons=("05", "06"),
    ),
    Entry(
        id="N3.widths",
        note="N3",
        topic="which widths must agree",
        printed="query and key dimensions must be the same, the value's may differ",
        claims=True,
        compute=_other_value_width_works,
        computed_text="tried: values 5 wide work, queries 2 wide against keys 3 wide do not",
        verdict=Verdict.RIGHT,
        explanation="The dot product needs two vectors of one length; the weighted sum takes values of any length, "
        "and that is the length of the output.",
        lessons=("05", "06"),
    ),
    Entry(
        id="N3.order",
        note="N3",
        topic="word order",
        printed="the order of the words has no influence",
        claims=True,
        compute=_order_has_no_influence,
        computed_text="shuffled tokens give the same outputs, shuffled",
        verdict=Verdict.RIGHT,
        explanation="Each output keeps its value and moves with its token, as long as no mask hides words (lesson 08). "
        "That is why positions must be put in: lesson 04.",
        lessons=("04", "05", "06"),
    ),
    Entry(
        id="N3.positions_added",
        note="N3",
        topic="how a position gets in",
        printed="added to input embeddings (feature vectors)",
        claims=True,
        compute=_adding_keeps_the_shape,
        computed_text="X + PE has the shape of X",
        verdict=Verdict.RIGHT,
        explanation="Added, not written beside: a vector for a position is as wide as a token. The note's “input and "
        "output” are the two sentences that go in, at the encoder and at the decoder; nothing is added to the results.",
        lessons=("04",),
    ),
    Entry(
        id="N3.fixed_or_learnable",
        note="N3",
        topic="fixed or learnable",
        printed="can be fixed or learnable",
        claims=(True, True),
        compute=_fixed_works_and_learnable_works,
        computed_text="both give every position its own vector",
        verdict=Verdict.RIGHT,
        explanation="A learnt table has one row for each position that was there in training, and none after that.",
        lessons=("04",),
    ),
    Entry(
        id="N3.different_frequencies",
        note="N3",
        topic="what the paper's encoding is made of",
        printed="sine and cos func of different frequencies",
        claims=256,
        compute=lambda: len(np.unique(frequencies(512))),
        computed_text="256 different frequencies for d_model = 512",
        verdict=Verdict.RIGHT,
        explanation="One frequency for each pair of columns: a sine and its cosine share it.",
        lessons=("04",),
    ),
    Entry(
        id="N3.formula_scale",
        note="N3",
        topic="the three lines and the formula drawn from them",
        printed="f(x_i, x_j) = (w_q x_i)ᵀ(w_k x_j), softmaxed and summed, is softmax(QKᵀ/√d_k) V",
        claims=True,
        compute=_sums_equal_the_formula,
        computed_text="not equal: f has no √d_k, the formula has",
        verdict=Verdict.WRONG,
        explanation="The note's brace joins two different things. The three lines are the unscaled attention of its "
        "eight steps; with f divided by √d_k they are the formula.",
        lessons=("06",),
    ),
    Entry(
        id="N3.length_free",
        note="N3",
        topic="similarity of two words, whatever lies between",
        printed="no dependency on the length to compute the similarity between two words",
        claims=True,
        compute=lambda: len({_score_of_a_pair(n) for n in (3, 30, 300)}) == 1,
        computed_text="the same score in sentences of 3, 30 and 300 words",
        verdict=Verdict.RIGHT,
        explanation="A score is made of one query and one key. The weight is another matter: the longer the sentence, "
        "the more words share the 1.",
        lessons=("06",),
    ),
    Entry(
        id="N3.sequential",
        note="N3",
        topic="no word waits for another",
        printed="self-attention: to remove the dependency on sequential processing",
        claims=True,
        compute=_rows_can_be_computed_alone,
        computed_text="each output computed alone, the last one first: equal",
        verdict=Verdict.RIGHT,
        explanation="No output needs another output, only queries, keys and values. So all can be computed at the "
        "same time.",
        lessons=("06",),
    ),
    Entry(
        id="N3.multi_head",
        note="N3",
        topic="multi-head self-attention",
        printed="each has its own learnable parameters (Q, K, V matrices); concat the output of N modules",
        claims=True,
        compute=_own_matrices_equal_one_wide_matrix,
        computed_text="equal to one wide matrix that is split among the heads, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="N is the number of heads here, elsewhere the number of tokens. "
        "What the note leaves out is W_O, which comes after the concatenation.",
        lessons=("07",),
    ),
    Entry(
        id="N3.all_states",
        note="N3",
        topic="what the decoder gets to see",
        printed="passes more data: instead of summary, all the hidden states information is passed",
        claims=four_states.H.shape,
        compute=lambda: _attention_over_four_states().states.shape,
        computed_text="4 × 3 numbers for four words; a summary is one row of 3",
        verdict=Verdict.RIGHT,
        explanation="The table grows with the sentence, the summary does not.",
        lessons=("01",),
    ),
    Entry(
        id="N3.three_steps",
        note="N3",
        topic="the extra step in three parts",
        printed="looks at the states, gives each a score, multiplies each by its soft-maxed score",
        claims=four_states.s.shape,
        compute=lambda: _attention_over_four_states().weighted.shape,
        computed_text="a 4 × 3 table, where the decoder takes one row of 3",
        verdict=Verdict.WRONG,
        explanation="The last part is left out: add the weighted states up. In its eight steps the note has it, "
        "as step 7.",
        lessons=("01",),
    ),
    Entry(
        id="N3.score_function",
        note="N3",
        topic="two ways to score",
        printed="S_i = attention-function(y_{i−1}, x_i): dot product attention; there is additive attention too",
        claims=(4, 4),
        compute=_scores_of_both_kinds,
        computed_text="either gives four states four scores",
        verdict=Verdict.RIGHT,
        explanation="One score for each input x_i. In the papers it is made of the decoder's state and the encoder's "
        "states, not of the words themselves.",
        lessons=("01",),
    ),
    Entry(
        id="N3.better_accuracy",
        note="N3",
        topic="transformer against recurrent network: accuracy",
        printed="improved accuracy compare to LSTM",
        claims=True,
        compute=_transformer_beats_recurrence,
        computed_text="on reversal it is ahead of the GRU at the longest trained length, with every seed",
        verdict=Verdict.RIGHT,
        explanation="On that task, after the same time, with a GRU in place of an LSTM. A GRU with attention is as "
        "good or better there, and beyond the trained lengths the transformer falls behind it.",
        lessons=("01",),
    ),
    Entry(
        id="N3.training_cost",
        note="N3",
        topic="transformer against recurrent network: training cost",
        printed="reduced training cost (1/10) compare to LSTM",
        claims=True,
        compute=lambda: time_to_match_the_gru() <= 0.1,
        computed_text=f"on reversal it matches the GRU after {time_to_match_the_gru():.2f} of the time",
        verdict=Verdict.UNCONFIRMED,
        elsewhere=True,
        explanation="Less than the GRU's time, but not a tenth, on this task and on one core. The note speaks of the "
        "LSTM, and its reason, parallel work, needs hardware that works in parallel: this race cannot test that.",
        lessons=("01",),
    ),
)
