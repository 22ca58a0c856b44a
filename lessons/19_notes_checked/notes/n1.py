"""Entries of lecture note N1: self-attention with dimensions, and the norms."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np

from lessons.notes.examples import BIAS, GAIN, OTHER_LAST, K, Q, V, X, block
from lessons.proteins import proteins
from utils.by_hand.attention import attention_steps, scaled_dot_product_attention, softmax
from utils.by_hand.multi_head import multi_head_attention
from utils.by_hand.normalization import batch_norm, layer_norm
from utils.by_hand.word2vec import count_words, kmers, readings, sgns_gradients, sgns_loss
from utils.course.ledger.compare import apart, same, to_12_decimals
from utils.course.ledger.entry import Entry, Verdict
from utils.data import example


def _shapes_of_the_projections() -> tuple[tuple[int, ...], ...]:
    """Of 512 × 64 and 64 × 512, what self-attention of tokens of 512 numbers accepts as W^Q, W^K and W^V."""
    return tuple(shape for shape in permutations((512, 64)) if accepted(np.eye(512), *[np.ones(shape)] * 3)) * 3


def accepted(X: np.ndarray, *weights: np.ndarray) -> bool:
    """Whether self-attention takes these tokens with these W^Q, W^K and W^V."""
    try:
        attention_steps(X, *weights)
    except ValueError:
        return False
    return True


def _sum_equals_matrix_product() -> bool:
    """Whether Σ_j α_ij v_j, row by row, is what softmax(QKᵀ/√d_k) V gives."""
    output, A = scaled_dot_product_attention(Q, K, V)
    return same(output, [sum(alpha * v for alpha, v in zip(row, V, strict=True)) for row in A])


def _vector_is_a_row() -> bool:
    """Whether Softmax(q_i·k_1/√d_k, …, q_i·k_N/√d_k), number by number, is row i of A for every i."""
    A = scaled_dot_product_attention(Q, K, V)[1]
    return same(A, [softmax([sum(q * k) / np.sqrt(len(k)) for k in K]) for q in Q])


def _who_pays() -> str:
    """Whose attention the first index of α names: the token whose weights sum to 1 is the one that pays."""
    A = attention_steps(example.X, example.W_Q, example.W_K, example.W_V).weights
    payers = enumerate(("x_j pays to x_i", "x_i pays to x_j"))
    return next(says for axis, says in payers if same(A.sum(axis=axis), 1))


def _growth_when_n_doubles() -> float:
    """How many times as many scores there are for twice as many tokens."""
    small, large = (attention_steps(np.eye(n), np.eye(n), np.eye(n), np.eye(n)).scores.size for n in (8, 16))
    return large / small


def _spread_of_scores(d_k: int) -> float:
    """The standard deviation of q·k when the d_k numbers of q and of k have mean 0 and variance 1, measured."""
    random = np.random.default_rng(64)
    q, k = random.normal(size=(2, 20_000, d_k))
    return float((q * k).sum(axis=1).std())


def _shape_of_w_o() -> tuple[int, int]:
    """The shape that W^O needs so that 8 heads with values of 64 numbers give tokens of 512 again."""
    square = np.ones((512, 8 * 64))
    steps = multi_head_attention(square, square, square, square, square, n_heads=8)
    return steps.joined.shape[1], steps.output.shape[1]


def _norm_by_letters(z: np.ndarray, gain: np.ndarray | float, bias: np.ndarray | float) -> np.ndarray:
    """N1's formula for one group of numbers, letter by letter: population deviation, no ε."""
    mu = sum(z) / len(z)
    sigma = np.sqrt(sum((z - mu) ** 2) / len(z))
    return gain * (z - mu) / sigma + bias


def _norms_that_are(by_letters: np.ndarray) -> list[str]:
    """Which of layer norm and batch norm, both without ε, this is."""
    norms = {"layer norm": layer_norm, "batch norm": batch_norm}
    return [name for name, norm in norms.items() if same(norm(X, GAIN, BIAS, eps=0), by_letters)]


def _norm_over_the_batch() -> list[str]:
    """What it is, run over the batch for each feature."""
    columns = zip(X.T, GAIN, BIAS, strict=True)
    return _norms_that_are(np.array([_norm_by_letters(*column) for column in columns]).T)


def _what_the_residual_channel_adds() -> str:
    """What X'' = X + X' has that MHA(X) has not, when X' = C W^O is what the heads give, as two lines above."""
    steps = block(X)
    what = {"nothing": np.zeros_like(X), "X": X}
    return next(name for name, rows in what.items() if same(steps.added_1 - steps.attention, rows))


def _block_begins_with_the_residual_channel() -> bool:
    """Whether a block adds the attention to X and then normalizes over the features, as the page lists it."""
    steps = block(X)
    return same(steps.feed_in, layer_norm(X + steps.attention))


def _same_token_differs_in_another_sentence() -> tuple[bool, ...]:
    """Whether token 1 differs, in two sentences that share it, going in, and coming out of a block."""
    tables = ((X, OTHER_LAST), (block(X).output, block(OTHER_LAST).output))
    return tuple(apart(one[0], other[0]) for one, other in tables)


def _readings_hold_each_kmer_once() -> bool:
    """Whether the three readings of each protein together hold every 3-mer of it, and each just as often."""
    return all(
        count_words(readings(protein.sequence, 3)) == count_words([kmers(protein.sequence, 3)])
        for protein in proteins()
    )


def _counts_add_up() -> bool:
    """Whether the counts of the 3-mers of the proteins add up to the number of places where one can begin."""
    counts: defaultdict[str, int] = defaultdict(int)
    for protein in proteins():
        for word in kmers(protein.sequence, 3):
            counts[word] += 1
    return sum(counts.values()) == sum(len(protein.sequence) - 2 for protein in proteins())


def _loss_and_gradient_on_four_words() -> list[float]:
    """Lesson 03's pair (weather, is) with the negatives great and the: the loss, and the gradient of v."""
    v, context, negatives = [1, 2], [1, 0], [[0, -1], [2, -1]]
    return [sgns_loss(v, context, negatives), *sgns_gradients(v, context, negatives)[0]]


def scores_are_all_pairs() -> bool:
    """Whether QKᵀ holds q_i·k_j in row i, column j, for every pair of tokens."""
    steps = attention_steps(example.X, example.W_Q, example.W_K, example.W_V)
    return bool(np.array_equal(steps.scores, [[sum(q * k) for k in steps.K] for q in steps.Q]))


def _z_score_of_the_features() -> np.ndarray:
    """Mean and deviation of the features over a batch, after N1's formula without gain and bias."""
    z = _norm_by_letters(X, gain=1.0, bias=0.0)
    return to_12_decimals([z.mean(), z.std()])


ENTRIES = (
    Entry(
        id="N1.head_width",
        topic="width of a query, a key and a value",
        printed="q_i: d_k (512/p = 64), k_i: d_k (64), v_i: d_v (64)",
        claims=64.0,
        compute=lambda: 512 / 8,
        verdict=Verdict.RIGHT,
        explanation="p is 8, the number of heads (lesson 07): their queries of one token have 512 numbers together. "
        "Each is made from all 512 numbers of the token.",
    ),
    Entry(
        id="N1.projection_shapes",
        topic="shapes of W^Q, W^K and W^V",
        printed="w^q: d_model × d_k, w^k: d_model × d_k, w^v: d_model × d_v",
        claims=((512, 64), (512, 64), (512, 64)),
        compute=_shapes_of_the_projections,
        computed_text="512 × 64, each",
        verdict=Verdict.RIGHT,
        explanation="A token is a row of d_model numbers and multiplies from the left.",
    ),
    Entry(
        id="N1.x_as_columns",
        topic="tokens as rows or as columns",
        printed="X [x_1 x_2 … x_n] in a box, d_model beside it",
        claims=True,
        compute=lambda: accepted(example.X.T, example.W_Q, example.W_K, example.W_V),
        computed_text="d_model × N does not fit W^Q; N × d_model does",
        verdict=Verdict.UNCLEAR,
        doubt="the box was part of a drawing. Whether d_model is its height, our copy does not show.",
        explanation="With tokens as columns the products would need a transpose, XᵀW^Q. Further down, in N × h·d_v, "
        "the note has tokens as rows, and so have we.",
        paraphrase=True,
    ),
    Entry(
        id="N1.attention_vector",
        topic="the weights of one query",
        printed="α_i = Softmax(q_iᵀk_1/√d_k, q_iᵀk_2/√d_k, …, q_iᵀk_N/√d_k)",
        claims=True,
        compute=_vector_is_a_row,
        computed_text="equal to row i of softmax(QKᵀ/√d_k), to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="One query against all keys: that is one row.",
    ),
    Entry(
        id="N1.alpha_direction",
        topic="how to read α_ij",
        printed="α_ij: attention x_j pays to x_i",
        claims="x_j pays to x_i",
        compute=_who_pays,
        computed_text="x_i pays to x_j",
        verdict=Verdict.WRONG,
        slip=lambda: _who_pays().translate(str.maketrans("ij", "ji")),
        explanation="Row i belongs to query i, and row i sums to 1: α_ij is the attention that token i pays to "
        "token j. "
        "The note's own labels, k_j and q_i, say so too.",
        takeaway="read α_ij by its row. Token i asks, token j is asked, and what token i pays sums to 1.",
    ),
    Entry(
        id="N1.weighted_sum",
        topic="update as a sum, and as a matrix product",
        printed="v_i = Σ_j α_ij v_j, and V′ = softmax(QKᵀ/√d_k) V",
        claims=True,
        compute=_sum_equals_matrix_product,
        computed_text="equal to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="The note writes v_i for the new vector too. With another letter, as in N3, the two cannot "
        "be confused.",
    ),
    Entry(
        id="N1.rowwise",
        topic="the softmax runs along the rows",
        printed="softmax (rowwise)",
        claims=True,
        compute=lambda: same(softmax(example.X @ example.X.T, axis=-1).sum(axis=1), 1),
        computed_text="each row sums to 1",
        verdict=Verdict.RIGHT,
        explanation="Each query hands out exactly 1 in all.",
    ),
    Entry(
        id="N1.quadratic",
        topic="cost of all pairs",
        printed="O(N²)",
        claims=4.0,
        compute=_growth_when_n_doubles,
        verdict=Verdict.RIGHT,
        explanation="The cost of one score does not depend on N: it takes d_k multiplications.",
        computed_text="twice the tokens, 4 times the scores",
    ),
    Entry(
        id="N1.all_pairs",
        topic="all pairs at once",
        printed="Matrix Approach: all attention for all elements of the block, all pair-wise dot products",
        claims=True,
        compute=scores_are_all_pairs,
        computed_text="QKᵀ holds the dot product of each of the 9 pairs",
        verdict=Verdict.RIGHT,
        explanation="One product in place of two loops. Lesson 05 has both.",
    ),
    Entry(
        id="N1.scale",
        topic="what √d_k rescales",
        printed="√d_k: rescaling of dot product",
        claims=8.0,
        compute=lambda: np.round(_spread_of_scores(64), 1),
        computed_text="for d_k = 64, 20 000 dot products spread by 8.0 = √64",
        verdict=Verdict.RIGHT,
        explanation="A dot product of d_k random pairs, each number with mean 0 and variance 1, is typically as large "
        "as √d_k. Divided by it, its size no longer depends on d_k.",
    ),
    Entry(
        id="N1.output_projection",
        topic="shape of W^O",
        printed="X′ = C^V · W^O, (N × h·d_v)(h·d_v × d_model), 8·64 × 512",
        claims=(512, 512),
        compute=_shape_of_w_o,
        computed_text="8·64 × 512 = 512 × 512",
        verdict=Verdict.RIGHT,
        explanation="C is N × 512, the 8 heads side by side, and so X′ is N × 512 again: as wide as X.",
    ),
    Entry(
        id="N1.residual_channel",
        topic="the residual channel",
        printed="X'' = X + X' = MHA(X)",
        claims="nothing",
        compute=_what_the_residual_channel_adds,
        computed_text="X'' = X + X', where X' = MHA(X)",
        verdict=Verdict.UNCLEAR,
        explanation="The sum is right. X' alone is MHA(X), since the page has X' = C·W^O just above. So it is X'' = X "
        "+ MHA(X).",
        doubt="a brace below X' may have become the second = when the page was copied.",
    ),
    Entry(
        id="N1.layer_norm",
        topic="layer norm",
        printed="μ₁ and σ₁ over the m features of x₁, 1/m, no ε",
        claims=["layer norm"],
        compute=lambda: _norms_that_are(np.array([_norm_by_letters(row, GAIN, BIAS) for row in X])),
        computed_text="equal to layer norm with ε = 0, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="The 1 of μ₁ is the number of the example. In practice ε is added to σ². The note's α and β, gain "
        "and bias, are everybody else's γ and β; this α has nothing to do with the attention α_ij.",
        paraphrase=True,
    ),
    Entry(
        id="N1.batch_norm",
        topic="batch norm",
        printed="μ_i and σ_i over the N examples of the batch, 1/N, no ε",
        claims=["batch norm"],
        compute=_norm_over_the_batch,
        computed_text="equal to batch norm with ε = 0, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="The i of μ_i is the number of the feature. In practice ε is added here too.",
        paraphrase=True,
    ),
    Entry(
        id="N1.z_score",
        topic="the z-score",
        printed="z_i = (z_i − μ_i)/σ_i (z-score)",
        claims=[0.0, 1.0],
        compute=_z_score_of_the_features,
        computed_text="mean 0, deviation 1",
        verdict=Verdict.RIGHT,
        explanation="Mean 0 and deviation 1 for each feature, over the batch, before gain and bias. Layer norm is a "
        "z-score too, over the features.",
    ),
    Entry(
        id="N1.kmer_windows",
        topic="k-mers, k = 3",
        printed="k-mer k = 3: do k-way sliding window",
        claims=True,
        compute=_readings_hold_each_kmer_once,
        computed_text="the 3 readings together hold every 3-mer, as often as it occurs",
        verdict=Verdict.RIGHT,
        explanation="Read as k readings, as ProtVec has it: one misses about two of three 3-mers, the k together miss "
        "none, and count none twice. One window k wide, moved by one letter, meets them all as well.",
    ),
    Entry(
        id="N1.defaultdict",
        topic="vocabulary and counts",
        printed="Collect the vocab + count in (defaultdict)",
        claims=True,
        compute=_counts_add_up,
        computed_text="the counts add up to the number of 3-mers",
        verdict=Verdict.RIGHT,
        explanation="A new word starts at 0 by itself. But a defaultdict takes in every word that it is asked for, "
        "with the count 0. Make it a plain dict once you have counted, or ask with .get(word, 0).",
    ),
    Entry(
        id="N1.negative_sampling",
        topic="negative sampling with |V| = 4",
        printed="Negative sampling, |V| = 4",
        filled_in="the loss and the two entries of its gradient = 1.133, 0.731, −0.619",
        compute=_loss_and_gradient_on_four_words,
        verdict=Verdict.BLANK,
        explanation="Our copy stops there. The lesson fills in N5's four words, the weather is great.",
    ),
    Entry(
        id="N1.transformer_block",
        topic="the transformer block",
        printed="Transformer Block: multi-head self-attention, residual channel, norm",
        claims=True,
        compute=_block_begins_with_the_residual_channel,
        computed_text="equal to the first half of the block, with layer norm",
        verdict=Verdict.RIGHT,
        explanation="The words of our copy end there. The second half of the block is the feed-forward network, with a "
        "residual and a norm of its own.",
        paraphrase=True,
    ),
    Entry(
        id="N1.same_token",
        topic="one token in two sentences",
        printed="Same token, different embeddings in diff blocks",
        claims=(False, True),
        compute=_same_token_differs_in_another_sentence,
        computed_text="going in: the same numbers; coming out: others",
        verdict=Verdict.RIGHT,
        explanation="Here the note calls the sequence a block (“Input: block / sequence”). Further down it has the "
        "“Transformer Block”, which is a layer of the model.",
    ),
)
