"""Entries of lecture note N3: the eight steps on numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lessons.digit_results import shares_right
from lessons.famous import famous
from lessons.notes.examples import BIAS, N_HEADS, WEIGHTS, K, Q, V, X, block
from lessons.notes.n1 import accepted
from lessons.race_results import saved_race
from lessons.rival_results import LSTM, RACE_SEEDS, RIVAL, SEEDS, training
from utils.by_hand.attention import AttentionSteps, attention_steps, scaled_dot_product_attention, softmax
from utils.by_hand.encoder import encoder_block
from utils.by_hand.multi_head import join_heads, multi_head_attention
from utils.by_hand.positional import add_positions, frequencies, positional_encoding
from utils.by_hand.seq2seq import StateAttention, additive_scores, attend, dot_scores
from utils.course.ledger.compare import all_above, all_rows_differ, apart, are_shares, same, to_12_decimals
from utils.course.ledger.entry import Entry, Verdict
from utils.data import example, four_states

_FIVE_WIDE = np.ones((4, 5))  # a W_V
_PRINTED_KEYS = np.array([[0, 2], [1, 0], [0, 1], [1, 1]])


def unscaled_example() -> AttentionSteps:
    """N3's example as the note computes it: the scores go into the softmax as they are."""
    return attention_steps(example.X, example.W_Q, example.W_K, example.W_V, scale=1.0)


def _printed_keys_are_possible() -> bool:
    """Whether some 4 × 2 matrix W gives the printed keys: least squares leaves no remainder if so."""
    keys = _PRINTED_KEYS[:3]
    W = np.linalg.lstsq(example.X, keys)[0]
    return same(example.X @ W, keys)


def _widths_that_work() -> tuple[bool, bool]:
    """Whether values five wide go with queries and keys three wide, and whether then queries two wide do."""
    W_Q, W_K, W_V = example.W_Q, example.W_K, _FIVE_WIDE
    return accepted(example.X, W_Q, W_K, W_V), accepted(example.X, W_Q[:, :2], W_K, W_V)


def _score_of_a_pair(n: int) -> float:
    """f(x_2, x_1) in a sentence of n words that starts with the same three."""
    words = np.random.default_rng(n).normal(size=(n, 4))
    words[:3] = example.X
    return float(attention_steps(words, example.W_Q, example.W_K, example.W_V).scores[1, 0])


def rows_can_be_computed_alone() -> bool:
    """Whether each output comes out the same from its own query alone, the last one first."""
    together, _ = scaled_dot_product_attention(Q, K, V)
    alone = [scaled_dot_product_attention([q], K, V)[0][0] for q in Q[::-1]]
    return same(alone[::-1], together)


def _sums_equal_the_formula() -> bool:
    """Whether N3's three lines with f(x_i, x_j) give what the formula that it draws from them gives."""
    formula = attention_steps(example.X, example.W_Q, example.W_K, example.W_V).output
    return same(unscaled_example().output, formula)


def _own_matrices_equal_one_wide_matrix() -> bool:
    """Whether h heads with their own W_Q, W_K, W_V, concatenated, are the heads of one wide matrix that is split."""
    wide = WEIGHTS.W_Q, WEIGHTS.W_K, WEIGHTS.W_V
    own = zip(*(np.split(W, N_HEADS, axis=1) for W in wide), strict=True)
    one_by_one = np.stack([attention_steps(X, *matrices).output for matrices in own])
    return same(multi_head_attention(X, *wide, WEIGHTS.W_O, N_HEADS).joined, join_heads(one_by_one))


def _attention_over_four_states() -> StateAttention:
    """Lesson 01's four states, weighed by their dot products with the decoder's state."""
    return attend(four_states.H, dot_scores(four_states.s, four_states.H))


def _scores_of_both_kinds() -> tuple[int, int]:
    """How many scores the four states get, by dot product and by additive attention."""
    s, H = four_states.s, four_states.H
    return len(dot_scores(s, H)), len(additive_scores(s, H, four_states.W_s, four_states.W_h, four_states.v))


# Vaswani et al. 2017, "Attention is all you need", table 2, English-German: BLEU, and the estimated operations of the
# training. GNMT + RL is a system of LSTMs, ConvS2S one of convolutions.
TABLE_2 = {"GNMT + RL": (24.6, 2.3e19), "ConvS2S": (25.16, 9.6e18), "Transformer (base)": (27.3, 3.3e18)}


def share_of_the_cost(rival: str) -> float:
    """The base transformer's training as a part of the rival's, by the paper's table 2. Raises KeyError for others."""
    return TABLE_2["Transformer (base)"][1] / TABLE_2[rival][1]


def _vit_is_ahead_on_digits() -> bool:
    """Whether each ViT of lesson 17 reads more digits right than each of its convolution nets."""
    return all_above(shares_right("ViT"), shares_right("convolution net"))


def _per_cent_in_stacks_of_blocks(*names: str) -> tuple[int, ...]:
    """How many numbers stacks of the course's blocks have, as deep and as wide: per cent of what is printed."""
    return tuple(round(famous(name).numbers / 10**4 / famous(name).millions) for name in names)


def _biases_that_change_no_weight() -> list[str]:
    """Which of the biases for queries, keys and values leave the weights of the attention alone."""
    biased = {name: replace(WEIGHTS, **{name: BIAS}) for name in ("b_Q", "b_K", "b_V")}
    return [name for name, w in biased.items() if same(encoder_block(X, w, N_HEADS).weights, block(X).weights)]


def _share_by_the_formula() -> np.ndarray:
    """e^i over the sum of all e^i, for the scores 2, 4 and 4."""
    powers = np.exp([2.0, 4.0, 4.0])
    return powers / powers.sum()


def transformer_beats_the_gru() -> bool:
    """Whether in the saved race the transformer is above the GRU at the longest trained length, with every seed."""
    race = saved_race()
    return all_above(*(race.exact(model, race.trained[1]) for model in ("transformer", "GRU")))


def time_to_match_the_gru() -> float:
    """In the saved race: the part of the GRU's training time after which the transformer is as good, mean of seeds."""
    race = saved_race()
    runs = zip(race.of("GRU"), race.of("transformer"), strict=True)
    return float(np.mean([transformer.reaches(gru.curve[-1][1]) / gru.seconds for gru, transformer in runs]))


def transformer_beats_the_lstm() -> bool:
    """Whether on lesson 18's translations each transformer is above each LSTM, after the same processor time."""
    return all_above(*([training(model, seed).right for seed in SEEDS] for model in (RIVAL, LSTM)))


def share_of_the_lstms_time(target: float = 0.95) -> float:
    """When the transformer has this share of lesson 18's sentences right for good, against the LSTM; means of seeds.

    Both had the same time, so a share of the steps is a share of the time. Raises TypeError where one never gets there.
    """
    shares = [[run.steps_to(target) / run.steps for run in (training(m, s) for s in RACE_SEEDS)] for m in (RIVAL, LSTM)]
    transformer, lstm = np.mean(shares, axis=1)
    return float(transformer / lstm)


def _weights_of_four_states() -> tuple[int, bool]:
    """How many different weights the four states have, and whether these are shares of 1."""
    weights = _attention_over_four_states().weights
    return len(np.unique(to_12_decimals(weights))), are_shares(weights)


def _larger_score_larger_weight() -> bool:
    """Whether in each row of the example the weights are in the order of the scores."""
    steps = unscaled_example()
    places = [[np.unique(row, return_inverse=True)[1] for row in table] for table in (steps.scores, steps.weights)]
    return np.array_equal(*places)


def _weighted_values() -> np.ndarray:
    """Step 6 for input 1: each value times its weight, (3, 3)."""
    steps = unscaled_example()
    return steps.weights[0][:, np.newaxis] * steps.V


_SIX_TOKENS, _ORDER = np.random.default_rng(6).normal(size=(6, 4)), [3, 0, 5, 1, 4, 2]


def _outputs_of_shuffled_tokens(with_positions: bool) -> tuple[np.ndarray, np.ndarray]:
    """What six tokens give that were shuffled before, and what they give, shuffled afterwards."""
    place = add_positions if with_positions else np.asarray
    tables = (place(x) for x in (_SIX_TOKENS[_ORDER], _SIX_TOKENS))
    before, after = (attention_steps(x, example.W_Q, example.W_K, example.W_V).output for x in tables)
    return before, after[_ORDER]


def order_tells(with_positions: bool) -> bool:
    """Whether shuffled tokens give other outputs than the same outputs, shuffled."""
    return apart(*_outputs_of_shuffled_tokens(with_positions))


ENTRIES = (
    Entry(
        id="N3.weight_shape",
        topic="shape of the weights",
        printed="W is 4 × 2, and the product (3 × 4)(4 × 2)",
        claims=(4, 2),
        compute=lambda: example.W_K.shape,
        computed_text="4 × 3, as W_key is written",
        verdict=Verdict.UNCLEAR,
        doubt="W_key is not the one of the example that the note follows: copied otherwise, or misread in our copy.",
        explanation="W_key is written with three columns, and the legible value has three numbers. The labels belong "
        "to an example with two.",
        paraphrase=True,
    ),
    Entry(
        id="N3.number_of_keys",
        topic="how many inputs, how many keys",
        printed="four inputs, four keys: (3 × 4) times (4 × 2)",
        claims=(4, 4),
        compute=lambda: (len(example.X), len(example.X @ example.W_K)),
        computed_text="three inputs, three keys",
        verdict=Verdict.UNCLEAR,
        doubt="W_key is not the one of the example that the note follows: copied otherwise, or misread in our copy.",
        explanation="One key for each input: 3 × 4 times 4 × 3 gives 3 rows. The note lists inp4 and key 4, "
        "but step 1 prepares three inputs, and step 4 has 3 keys and 3 scores.",
        paraphrase=True,
    ),
    Entry(
        id="N3.bias",
        topic="a bias beside the weights",
        printed="bias can be added too",
        claims=["b_K", "b_V"],
        compute=_biases_that_change_no_weight,
        computed_text="the shapes stay; a bias of the keys changes no weight",
        verdict=Verdict.RIGHT,
        explanation="q = xW_Q + b, and so on. b_K adds the same number, q·b_K, to all scores of a row, and the softmax "
        "does not see that.",
    ),
    Entry(
        id="N3.first_key",
        topic="key of input 1",
        printed="[1, 0, 1, 0] · W_key = [0, 2]",
        compute=lambda: example.X[0] @ example.W_K,
        verdict=Verdict.UNCLEAR,
        doubt="W_key is not the one of the example that the note follows: copied otherwise, or misread in our copy.",
        explanation="Three columns give three numbers, [0, 1, 2]. The printed key has lost the middle one.",
    ),
    Entry(
        id="N3.impossible_keys",
        topic="the four printed keys",
        printed="keys [0, 2], [1, 0], [0, 1] from the three inputs",
        claims=True,
        compute=_printed_keys_are_possible,
        computed_text="no W_key gives these keys",
        verdict=Verdict.UNCLEAR,
        doubt="W_key is not the one of the example that the note follows: copied otherwise, or misread in our copy.",
        explanation="x₃ = x₁ + ½x₂, so without a bias k₃ must be k₁ + ½k₂ = [0.5, 2], whatever W_key is; [0, 1] is "
        "printed. They are numbers to show the shapes, not the result of the product.",
        paraphrase=True,
    ),
    Entry(
        id="N3.dot_products",
        topic="scores of a two-number query",
        printed="[1, 0] · [[0, 1, 0], [2, 0, 1]] = [0, 1, 0]",
        compute=lambda: np.array([1, 0]) @ np.array([[0, 1, 0], [2, 0, 1]]),
        verdict=Verdict.RIGHT,
        explanation="The keys stand in the columns: this is q₁Kᵀ. (In our copy the query is a column too; as a row it "
        "fits.)",
    ),
    Entry(
        id="N3.softmax",
        topic="softmax of the scores of input 1",
        printed="softmax [2, 4, 4] = [0.0, 0.5, 0.5]",
        compute=lambda: softmax([2, 4, 4]),
        verdict=Verdict.LOOSE,
        explanation="Rounded hard: 0.063 is not 0.0, and it makes itself felt in the output.",
        takeaway="keep all digits until the end. The 0.063 that is rounded away moves the second number of the output "
        "by 5 %.",
    ),
    Entry(
        id="N3.softmax_formula",
        topic="the formula of the softmax",
        printed="e^i / Σ e^i",
        claims=True,
        compute=lambda: same(_share_by_the_formula(), softmax([2, 4, 4])),
        computed_text="equal for [2, 4, 4], to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="i is the score itself here, not its number. With z_i for the score it is e^(z_i) over the sum of "
        "all e^(z_j).",
    ),
    Entry(
        id="N3.first_value",
        topic="value of input 1",
        printed="v₁ = [1, 2, 3]",
        compute=lambda: example.X[0] @ example.W_V,
        verdict=Verdict.RIGHT,
        explanation="The other two values are dots in our copy; the example that the note follows has [2, 8, 0] and "
        "[2, 6, 3].",
        paraphrase=True,
    ),
    Entry(
        id="N3.weighted_values",
        topic="step 6, the weighted values of input 1",
        printed="(0.0) * [1, 2, 3] = [ ], (0.5) * [ ] = [ ], (0.5) * [ ] = [ ]",
        filled_in="[[0.063379, 0.126758, 0.190137], [0.936621, 3.746484, 0], [0.936621, 2.809863, 1.404932]]",
        compute=_weighted_values,
        verdict=Verdict.BLANK,
        explanation="The brackets are empty in our copy. These are the weights with all their digits, times the "
        "values [1, 2, 3], [2, 8, 0] and [2, 6, 3]. Their sum is the first output.",
    ),
    Entry(
        id="N3.first_output",
        topic="output for input 1",
        printed="0.0·v₁ + 0.5·v₂ + 0.5·v₃ = [ ]",
        filled_in="[1.936621, 6.683105, 1.595068]",
        compute=lambda: unscaled_example().output[0],
        verdict=Verdict.BLANK,
        explanation="The brackets are empty in our copy. Rounded weights would give [2, 7, 1.5]; with the weights as "
        "they are it is this.",
        paraphrase=True,
    ),
    Entry(
        id="N3.other_outputs",
        topic="outputs for inputs 2 and 3",
        printed="repeat for input 2 & input 3",
        filled_in="[[1.999955, 7.963762, 0.054090], [1.999197, 7.756970, 0.359729]]",
        compute=lambda: unscaled_example().output[1:],
        verdict=Verdict.BLANK,
        explanation="The same three steps with query 2 and query 3, not divided by √d_k. The note prints no W_query. "
        "We took [[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 1, 0]]: with it input 1 has the printed scores 2, 4, 4. Inputs "
        "2 and 3 then have 2, 12, 8 and 3, 10, 8. Another W_query may give other ones.",
    ),
    Entry(
        id="N3.first_output_scaled",
        topic="output for input 1 by the formula at the end of the note",
        printed="softmax(QKᵀ/√d_k) V, no numbers",
        filled_in="[1.863874, 6.319371, 1.704189]",
        compute=lambda: attention_steps(example.X, example.W_Q, example.W_K, example.W_V).output[0],
        verdict=Verdict.BLANK,
        explanation="The eight steps do not divide, the formula does. With d_k = 3 the scores [2, 4, 4] are "
        "divided by √3 first.",
        paraphrase=True,
    ),
    Entry(
        id="N3.widths",
        topic="which widths must agree",
        printed="query and key dimensions must be same, value matrix dimension can be different (it will be the output "
        "dimension)",
        claims=(True, False),
        compute=_widths_that_work,
        computed_text="tried: values 5 wide work, queries 2 wide against keys 3 wide do not",
        verdict=Verdict.RIGHT,
        explanation="The dot product needs two vectors of one length; the weighted sum takes values of any length, "
        "and that is the length of the output.",
    ),
    Entry(
        id="N3.order",
        topic="word order",
        printed="the order of the words have no influence on each other",
        claims=True,
        compute=lambda: same(*_outputs_of_shuffled_tokens(with_positions=False)),
        computed_text="shuffled tokens give the same outputs, shuffled",
        verdict=Verdict.RIGHT,
        explanation="Each output keeps its value and moves with its token, as long as no mask says who comes first. "
        "That is why positions must be put in: lesson 04.",
    ),
    Entry(
        id="N3.positions_added",
        topic="how a position gets in",
        printed="added to input embeddings (feature vectors)",
        claims=True,
        compute=lambda: add_positions(example.X).shape == example.X.shape,
        computed_text="X + PE has the shape of X",
        verdict=Verdict.RIGHT,
        explanation="Added, not written beside: a vector for a position is as wide as a token. The note's “input and "
        "output” are the two sentences that go in, at the encoder and at the decoder; nothing is added to the results.",
    ),
    Entry(
        id="N3.positions_tell_order",
        topic="what positions are for",
        printed="so that model can understand the order of the words and their relative positions",
        claims=(False, True),
        compute=lambda: (order_tells(with_positions=False), order_tells(with_positions=True)),
        computed_text="the order changes nothing without positions, and something with them",
        verdict=Verdict.RIGHT,
        explanation="Tried with one layer of attention on six tokens: without positions a shuffled sentence gives "
        "the same outputs, shuffled; with them it gives others. Lesson 04 shows how a step of k words "
        "becomes a rotation.",
    ),
    Entry(
        id="N3.fixed_or_learnable",
        topic="fixed or learnable",
        printed="can be fixed or learnable",
        claims=(True, True),
        # X stands for a table of positions that is learnt: it starts as random numbers
        compute=lambda: (all_rows_differ(positional_encoding(*X.shape)), all_rows_differ(X)),
        computed_text="both give every position its own vector",
        verdict=Verdict.RIGHT,
        explanation="A learnt table has as many rows as it was made with, and none after that.",
    ),
    Entry(
        id="N3.different_frequencies",
        topic="what the paper's encoding is made of",
        printed="sine and cos func of different frequencies",
        claims=256,
        compute=lambda: len(np.unique(frequencies(512))),
        computed_text="256 different frequencies for d_model = 512",
        verdict=Verdict.RIGHT,
        explanation="One frequency for each pair of columns: a sine and its cosine share it.",
    ),
    Entry(
        id="N3.formula_scale",
        topic="the three lines and the formula drawn from them",
        printed="f(x_i, x_j) = (w_q x_i)ᵀ(w_k x_j), softmaxed and summed, is softmax(QKᵀ/√d_k) V",
        claims=True,
        compute=_sums_equal_the_formula,
        computed_text="not equal: f has no √d_k, the formula has",
        verdict=Verdict.WRONG,
        explanation="The note's brace joins two different things. The three lines are the unscaled attention of its "
        "eight steps; with f divided by √d_k they are the formula.",
        paraphrase=True,
        takeaway="the formula divides by √d_k before the softmax. Attention without that is another function, with "
        "other outputs.",
    ),
    Entry(
        id="N3.length_free",
        topic="similarity of two words, whatever lies between",
        printed="no dependency on the length to compute the similarity between two words",
        claims=[2.0, 2.0, 2.0],
        compute=lambda: [_score_of_a_pair(n) for n in (3, 30, 300)],
        computed_text="the same score in sentences of 3, 30 and 300 words",
        verdict=Verdict.RIGHT,
        explanation="A score is made of one query and one key. The weight is another matter: the longer the sentence, "
        "the more words share the 1.",
    ),
    Entry(
        id="N3.sequential",
        topic="no word waits for another",
        printed="self-attention: to remove the dependency on sequential processing",
        claims=True,
        compute=rows_can_be_computed_alone,
        computed_text="each output computed alone, the last one first: equal",
        verdict=Verdict.RIGHT,
        explanation="No output needs another output, only queries, keys and values. So all can be computed at the "
        "same time.",
    ),
    Entry(
        id="N3.multi_head",
        topic="multi-head self-attention",
        printed="each has its own learnable parameters (Q, K, V matrices); concat the output of N modules",
        claims=True,
        compute=_own_matrices_equal_one_wide_matrix,
        computed_text="equal to one wide matrix that is split among the heads, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="N is the number of heads here, elsewhere the number of tokens. "
        "What the note leaves out is W_O, which comes after the concatenation.",
    ),
    Entry(
        id="N3.all_states",
        topic="what the decoder gets to see",
        printed="passes more data: instead of summary, all the hidden states information is passed",
        claims=four_states.H.shape,
        compute=lambda: _attention_over_four_states().states.shape,
        computed_text="4 × 3 numbers for four words; a summary is one row of 3",
        verdict=Verdict.RIGHT,
        explanation="The table grows with the sentence, the summary does not.",
    ),
    Entry(
        id="N3.three_steps",
        topic="the extra step in three parts",
        printed="looks at the states, gives each a score, multiplies each by its soft-maxed score",
        claims=four_states.s.shape,
        compute=lambda: _attention_over_four_states().weighted.shape,
        computed_text="a 4 × 3 table, where the decoder takes one row of 3",
        verdict=Verdict.INCOMPLETE,
        explanation="The last part is left out: add the weighted states up. In its eight steps the note has it, "
        "as step 7.",
        paraphrase=True,
        completed=lambda: _attention_over_four_states().context.shape,
        takeaway="score, softmax, multiply, and add up. After that one row is left, as wide as a state.",
    ),
    Entry(
        id="N3.different_weights",
        topic="what attention is",
        printed="layer that allows the model to focus specific parts of input by assigning different weights to "
        "different parts of the input",
        claims=(3, True),
        compute=_weights_of_four_states,
        computed_text="over lesson 01's four states: not all equal, above 0, with the sum 1",
        verdict=Verdict.RIGHT,
        explanation="“Different” does not mean all different: two states with the same score get the same weight.",
    ),
    Entry(
        id="N3.most_relevant",
        topic="what gets most attention",
        printed="to focus on the most relevant parts of the input",
        claims=True,
        compute=_larger_score_larger_weight,
        computed_text="in each row of the eight steps, the larger the score, the larger the weight",
        verdict=Verdict.RIGHT,
        explanation="Relevant is what has the larger dot product with the query. Whether that is what matters for "
        "the task, training has to see to.",
    ),
    Entry(
        id="N3.score_function",
        topic="two ways to score",
        printed="S_i = attention-function(y_{i−1}, x_i) # there is additive attention too",
        claims=(4, 4),
        compute=_scores_of_both_kinds,
        computed_text="either gives four states four scores",
        verdict=Verdict.RIGHT,
        explanation="One score for each input x_i. In the papers it is made of the decoder's state and the encoder's "
        "states, not of the words themselves.",
    ),
    Entry(
        id="N3.better_accuracy",
        topic="transformer against recurrent network: accuracy",
        printed="improved accuracy compare to LSTM",
        claims=True,
        compute=transformer_beats_the_lstm,
        computed_text="on lesson 18's translations an LSTM with attention has as many right; on reversal the "
        "transformer is ahead of the plain GRU at 20 letters, with every seed",
        verdict=Verdict.UNCONFIRMED,
        explanation="On reversal a GRU with attention gets more right than the transformer. The "
        "paper's table 2 has 27.3 BLEU for the base transformer and 24.6 for the LSTMs of GNMT + RL, English–German.",
        elsewhere=True,
        takeaway="on translation, in three of the four comparisons with GNMT + RL in the paper's table 2, yes. Not on "
        "every task, and not for every length.",
    ),
    Entry(
        id="N3.training_cost",
        topic="transformer against recurrent network: training cost",
        printed="reduced training cost (1/10) compare to LSTM",
        claims=True,
        compute=lambda: min(share_of_the_lstms_time(), time_to_match_the_gru()) <= 0.1,
        computed_text=f"on lesson 18's translations, in one schedule, 95 of 100 are right after "
        f"{share_of_the_lstms_time():.2f} of an LSTM's time, 99 after {share_of_the_lstms_time(0.99):.2f}, with the "
        f"LSTM ahead early on; on reversal it matches the GRU after {time_to_match_the_gru():.2f} of the time",
        verdict=Verdict.UNCONFIRMED,
        elsewhere=True,
        explanation="The paper's table 2 estimates 3.3e18 operations for its base transformer and 2.3e19 for GNMT + "
        "RL: a seventh. The note's reason, parallel work, needs hardware that works in parallel: a race on one core "
        "cannot test that.",
        takeaway="how much is saved depends on the rival and on the machine. A tenth is no law.",
    ),
    Entry(
        id="N3.replacing_cnns",
        topic="what transformers have been replacing",
        printed="has been replacing LSTMs (RNNs) and CNNs",
        claims=(True, True),
        compute=lambda: (transformer_beats_the_lstm(), _vit_is_ahead_on_digits()),
        computed_text="on lesson 18's translations a transformer is not ahead of an LSTM with attention; on small "
        "images, with few of them, a vision transformer is not ahead of a CNN",
        verdict=Verdict.UNCONFIRMED,
        elsewhere=True,
        explanation="For translation Vaswani et al.'s table 2 compares with both: 27.3 BLEU for the base transformer, "
        "25.16 for the convolutions of ConvS2S, which took about three times the operations. For images, Dosovitskiy "
        "et al. 2021 find ViT ahead of convolution nets when it was trained on many millions of images before, and not "
        "when it has ImageNet alone.",
        takeaway="replaced where there is much to train on. Lessons 01 and 18 race against recurrent networks, "
        "lesson 17 against a convolution net.",
    ),
    Entry(
        id="N3.gpt_bert_vit",
        topic="what belongs to the family",
        printed="GPT, BERT, ViT (Vision transformer)",
        claims=(100, 100, 100),
        compute=lambda: _per_cent_in_stacks_of_blocks("GPT", "BERT", "ViT"),
        computed_text="stacks of this course's blocks, as deep and as wide, have as many numbers, within 1 %",
        verdict=Verdict.RIGHT,
        explanation="Printed are 117 million for GPT, 110 for BERT base and 86 for ViT-B/16. GPT is the decoder "
        "without cross-attention, BERT and ViT are the encoder; what they read and what they are trained on differs.",
    ),
)
