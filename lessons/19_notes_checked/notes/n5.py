"""Entries of lecture note N5: the slides."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lessons.notes.examples import N_HEADS, OTHER_FIRST, OTHER_LAST, OTHER_WEIGHTS, STACK, WEIGHTS, X, block
from lessons.notes.n3 import order_tells
from lessons.notes.n4 import two_apples_differ
from lessons.race_results import saved_race
from utils.by_hand.attention import scaled_dot_product_attention, softmax
from utils.by_hand.decoder import next_word, shift_right
from utils.by_hand.encoder import encoder_stack, feed_forward
from utils.by_hand.masks import additive_mask, look_ahead_mask
from utils.by_hand.normalization import layer_norm
from utils.by_hand.positional import positional_encoding
from utils.by_hand.residual import run_stack
from utils.by_hand.tokenizers import bert_excerpt, bert_ids, look_up
from utils.course.ledger.compare import all_rows_differ, apart, are_shares, rows_apart, same
from utils.course.ledger.entry import Entry, Verdict
from utils.data import example

HEATMAP = np.array([[0.8, 0.1, 0.05, 0.05], [0.1, 0.6, 0.2, 0.1], [0.05, 0.2, 0.65, 0.1], [0.2, 0.1, 0.1, 0.6]])


def _what_is_below_the_line() -> str:
    """Of which vector the exponentials in the softmax's denominator are: only the right one makes the sum 1."""
    vectors = {"output": softmax(_LOGITS), "input": _LOGITS}
    return next(name for name, z in vectors.items() if are_shares(np.exp(_LOGITS) / np.exp(z).sum()))


def _definition_of_the_slide(t: int, d: int) -> list[float]:
    """p_t as the slide writes it, entry by entry: sin(ω_k t) for i = 2k, cos(ω_k t) for i = 2k + 1."""
    return [(np.sin, np.cos)[i % 2](t / 10000 ** (2 * (i // 2) / d)) for i in range(d)]


_STAMPS, _MORE_STAMPS = positional_encoding(50, 64), positional_encoding(500, 64)


def _four_demands() -> tuple[bool, bool, bool, bool]:
    """Whether sinusoids are unique, take equal steps, leave stamps alone in a longer sentence, and repeat."""
    steps = np.linalg.norm(np.diff(_STAMPS, axis=0), axis=1)
    return (
        all_rows_differ(_STAMPS),
        same(np.diff(steps), 0),
        bool(np.array_equal(_MORE_STAMPS[: len(_STAMPS)], _STAMPS)),
        bool(np.array_equal(positional_encoding(*_STAMPS.shape), _STAMPS)),
    )


def _network_follows_the_norm() -> bool:
    """Whether what a block feeds forward is the attention after its residual and norm, as on the slide before."""
    normed = layer_norm(X + block(X).attention)
    return same(block(X).fed, _feed_forward(normed))


def _feed_forward(x: np.ndarray) -> np.ndarray:
    return feed_forward(x, WEIGHTS.W_1, WEIGHTS.b_1, WEIGHTS.W_2, WEIGHTS.b_2)


def _one_more_norm_completes_the_block() -> bool:
    """Whether one more residual and norm, around the feed-forward network, give what the block of the paper gives."""
    steps = block(X)
    return same(layer_norm(steps.feed_in + steps.fed), steps.output)


_BERT_TABLE = np.zeros((30_522, 2))  # as many rows as BERT's vocabulary has


def _step_of_the_embedding() -> int:
    """In which step the word embedding can be done: it takes what the tokenizer gives, and not the text."""
    text = "hello world!"
    steps = enumerate((text, bert_ids(text, bert_excerpt())), start=1)
    return next(number for number, given in steps if _can_be_looked_up(given))


def _can_be_looked_up(given: str | list[int]) -> bool:
    try:
        look_up(given, _BERT_TABLE)
    except (ValueError, TypeError):
        return False
    return True


def _is_a_correlation_matrix(A: np.ndarray) -> bool:
    """Whether A is as correlations are: 1 on the diagonal, and the same number for (a, b) as for (b, a)."""
    return bool(same(np.diag(A), 1) and same(A, A.T))


def _order_survives_the_lookup() -> bool:
    """Whether "dog bites man" and "man bites dog" differ once their rows are added up."""
    table = example.X  # dog, bites, man
    return not np.array_equal(table[[0, 1, 2]].sum(axis=0), table[[2, 1, 0]].sum(axis=0))


def _mask_inside_equals_mask_outside(forbidden: float) -> bool:
    """Whether (S + M)/√64 equals S/√64 + M for an M of 0 and `forbidden`."""
    S, M = np.random.default_rng(5).normal(size=(4, 4)), additive_mask(look_ahead_mask(4), forbidden)
    return bool(np.array_equal((S + M) / np.sqrt(64), S / np.sqrt(64) + M))


def _shape_of_cross_attention(decoder_words: int, encoder_words: int) -> tuple[int, int]:
    """The shape of the weights when the queries come from the decoder, keys and values from the encoder."""
    Q, KV = np.ones((decoder_words, 2)), np.ones((encoder_words, 2))
    return scaled_dot_product_attention(Q, KV, KV)[1].shape


_FOUR_WORDS = np.array([14, 11, 5, 4])


def _words_that_can_be_copied(shifted: bool) -> int:
    """At how many places of a sentence of four words the word to say is among those that its row may look at."""
    read, said = shift_right(_FOUR_WORDS) if shifted else (_FOUR_WORDS, _FOUR_WORDS)
    allowed = look_ahead_mask(len(read))
    return sum(int(said[i] in read[allowed[i]]) for i in range(len(said)))


_LOGITS = np.array([0.4, -1.0, 2.2, 0.1, -0.3, 3.1, 1.0])  # seven cells, the largest in cell 5


def _kind_of(numbers: np.ndarray) -> str:
    """What the numbers can be: shares that sum to 1, or logarithms of such, or neither."""
    for kind, shares in {"probabilities": numbers, "log_probs": np.exp(numbers)}.items():
        if are_shares(shares):
            return kind
    return "neither"


def _cell_of_the_highest() -> int:
    """Where logits, probabilities and log-probabilities have their largest number: it is one cell, or an error."""
    step = next_word(np.eye(1), _LOGITS[np.newaxis])
    (cell,) = {step.index, int(step.probabilities.argmax()), int(step.log_probabilities.argmax())}
    return cell


# The slide's candidates for the first word, in per cent: weather, sun, I, tree.
NEXT_WORD = {"هوا": 14, "خورشید": 12, "من": 20, "درخت": 3}


def _points_that_attention_adds() -> float:
    """Of 100 rows, how many more attention gets right in the saved race at the longest trained length; worst seed."""
    race = saved_race()
    pairs = zip(*(race.exact(model, race.trained[1]) for model in ("GRU with attention", "GRU")), strict=True)
    return 100 * min(attention - gru for attention, gru in pairs)


def _slide_by_formula(z: np.ndarray) -> np.ndarray:
    return np.array([np.exp(z_i) / sum(np.exp(z_j) for z_j in z) for z_i in z])


def _where_tokens_meet() -> list[str]:
    """In which parts of a block another last token changes the row of the first."""
    parts = {"attention": lambda x: block(x).attention, "feed forward": _feed_forward, "norm": layer_norm}
    return [name for name, part in parts.items() if apart(part(X)[0], part(OTHER_LAST)[0])]


def _each_slide_writes_on() -> list[int]:
    """How many tokens the decoder's sentence has on the three slides, if each goes on where the one before ended."""
    slides = [slide.replace(".", " .").split() for slide in ("هوا عالی", "هوا عالی است", "هوا عالی است.")]
    if any(later[: len(earlier)] != earlier for earlier, later in pairwise(slides)):
        return []
    return [len(slide) for slide in slides]


def _final_step_is_linear_and_softmax() -> bool:
    """Whether a product with the output layer and a softmax give the probabilities of the next word."""
    random = np.random.default_rng(5)
    H, W = random.normal(size=(3, 4)), random.normal(size=(4, 7))
    return same(next_word(H, W).probabilities, softmax((H @ W)[-1]))


def _second_block_stands_on_the_first() -> bool:
    """Whether what comes out of the second of two blocks changes with the weights of the first."""
    ends = []
    for first in (WEIGHTS, OTHER_WEIGHTS):
        _, second = encoder_stack(X, (first, WEIGHTS), N_HEADS)
        ends.append(second.output)
    return apart(*ends)


def _last_sum_holds_every_layer() -> bool:
    """Whether what leaves a stack of x + F(x) is what came in plus what each of its layers added."""
    *states, end = run_stack(X, STACK, "residual")
    added = [np.tanh(x @ W) for x, W in zip(states, STACK, strict=True)]
    return same(end, X + sum(added))


def _who_hears_of(change: np.ndarray) -> list[int]:
    """Which rows of a block without a mask, counted from 0, are others when X changes so."""
    return rows_apart(block(X).output, block(change).output)


ENTRIES = (
    Entry(
        id="N5.heatmap_rows",
        topic="the 4 × 4 heatmap of “the weather is great”",
        printed="the sixteen numbers of the heatmap, four in a row",
        claims=[1.0, 1.0, 1.0, 1.0],
        compute=lambda: HEATMAP.sum(axis=1).round(12),
        verdict=Verdict.RIGHT,
        explanation="Each row sums to 1. The columns sum to 1.15, 1.0, 1.0 and 0.85: what a word receives is not "
        "shared out.",
        paraphrase=True,
    ),
    Entry(
        id="N5.correlation",
        topic="is attention a correlation?",
        printed="Self-attention allows for finding correlation between words",
        claims=True,
        compute=lambda: _is_a_correlation_matrix(HEATMAP),
        computed_text="not as statistics has it: great pays the 0.2, the pays great 0.05",
        verdict=Verdict.UNCLEAR,
        doubt="the slide may mean any relation.",
        explanation="In the everyday sense it is well said; a correlation matrix it is not.",
        takeaway="a correlation is the same from a to b as from b to a. Attention need not be, and its rows sum to 1.",
    ),
    Entry(
        id="N5.main_module",
        topic="the main module",
        printed="The main module of a transformer is an attention unit",
        claims=["attention"],
        compute=_where_tokens_meet,
        computed_text="of attention, network and norm, only the attention lets tokens meet",
        verdict=Verdict.RIGHT,
        explanation="It is the one part of a block in which a token hears of another. By the number of weights the "
        "main part of an encoder block is the feed-forward network: two of three.",
    ),
    Entry(
        id="N5.softmax_denominator",
        topic="e^(z_j) below the line of the softmax",
        printed="e^(z_j) = standard exponential function for output vector",
        claims="output",
        compute=_what_is_below_the_line,
        computed_text="of the input vector, as above the line",
        verdict=Verdict.WRONG,
        explanation="z is the input in both places. The output is the whole fraction.",
    ),
    Entry(
        id="N5.softmax_formula",
        topic="the formula of the softmax",
        printed="σ(z)_i = e^(z_i) / Σ_{j=1..K} e^(z_j), K = number of classes",
        claims=True,
        compute=lambda: same(_slide_by_formula(_LOGITS), softmax(_LOGITS)),
        computed_text="equal for seven numbers, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="K is how many numbers z has: classes in a classifier, words in the last step of a decoder, "
        "tokens in attention.",
    ),
    Entry(
        id="N5.softmax_range",
        topic="between which numbers the softmax lies",
        printed="return a number between (0,1)",
        claims=True,
        compute=lambda: all(bool(((p := softmax(z)) > 0).all() and (p < 1).all()) for z in ([2, 4, 4], [-30, 0, 3])),
        computed_text="for [2, 4, 4] and for [−30, 0, 3]: above 0 and below 1",
        verdict=Verdict.RIGHT,
        explanation="With two scores or more neither 0 nor 1 is ever reached, on paper. In a computer's 16 digits both "
        "are, when the scores are far enough apart.",
    ),
    Entry(
        id="N5.fractions",
        topic="positions as fractions of the sentence, five and six tokens",
        printed="0, 0.25, 0.5, 0.75, 1 and 0, 0.2, 0.4, 0.6, 0.8, 1",
        compute=lambda: np.concatenate([np.linspace(0, 1, 5), np.linspace(0, 1, 6)]),
        verdict=Verdict.RIGHT,
        explanation="Five and six, since the full stop and the exclamation mark are tokens too.",
    ),
    Entry(
        id="N5.fractions_step",
        topic="what the fractions show",
        printed="the wish that distances be consistent, and positions of 0, 0.25, 0.5, 0.75, 1",
        claims=(0.25, 0.2),
        compute=lambda: (np.linspace(0, 1, 5)[1], np.linspace(0, 1, 6)[1]),
        computed_text="one step is 0.25 in the first sentence and 0.2 in the second",
        verdict=Verdict.RIGHT,
        explanation="One word further is another distance in a sentence of another length: a step has no meaning.",
        paraphrase=True,
    ),
    Entry(
        id="N5.sinusoids",
        topic="the definition of the sinusoids",
        printed="p_t(i) = sin(ω_k t) if i = 2k, cos(ω_k t) if i = 2k + 1, ω_k = 1/10000^(2k/d)",
        claims=True,
        compute=lambda: same(positional_encoding(8, 7)[5], _definition_of_the_slide(5, 7)),
        computed_text="equal to the paper's, tried at t = 5, d = 7",
        verdict=Verdict.RIGHT,
        explanation="The same as in the paper with other letters: t is the position, i the column, and k the pair, "
        "which the paper calls i.",
    ),
    Entry(
        id="N5.four_demands",
        topic="sinusoids meet the four demands",
        printed="unique stamps, consistent distances, longer sentences, deterministic: sinusoidal functions are good",
        claims=(True, True, True, True),
        compute=_four_demands,
        computed_text="tried for 50 positions and d = 64: yes, yes, yes, yes",
        verdict=Verdict.RIGHT,
        explanation="“Longer sentences” is tried in this sense: the formula has a row for them, and the other rows "
        "stay. Whether a trained model copes with rows that it has never met is another question.",
        paraphrase=True,
    ),
    Entry(
        id="N5.add_then_norm",
        topic="what follows the attention layer",
        printed="The attention layer is followed by short residual skip connections and a normalization layer",
        claims=True,
        compute=lambda: same(run_stack(X, STACK, "post-norm")[1], layer_norm(X + np.tanh(X @ STACK[0]))),
        computed_text="that order is post-norm, as in the paper",
        verdict=Verdict.RIGHT,
        explanation="The slide has the order of the paper. Many later models normalize before the sub-layer instead.",
    ),
    Entry(
        id="N5.hello_world",
        topic="ids of “hello world!”",
        printed="['hello', 'world', '!'] = [7592, 2088, 999]",
        compute=lambda: bert_ids("hello world!", bert_excerpt())[1:-1],
        verdict=Verdict.RIGHT,
        explanation="These are the ids of BERT's uncased vocabulary. BERT itself gets two more: 101 ([CLS]) in front, "
        "102 ([SEP]) behind.",
    ),
    Entry(
        id="N5.first_step",
        topic="which step the word embedding is",
        printed="The second step is word embedding … The first step of the process is word embedding",
        claims=1,
        compute=_step_of_the_embedding,
        computed_text="2: it takes ids, and the tokenizer gives them",
        verdict=Verdict.WRONG,
        explanation="Two slides number the same step in two ways. The slide with the tokens and ids has it as the "
        "second: first text becomes ids, then ids become vectors.",
        takeaway="tokenize first, embed second.",
    ),
    Entry(
        id="N5.order_lost",
        topic="tokens, vectors and order",
        printed="During the tokenization and embedding, we lose the order of words",
        claims=False,
        compute=_order_survives_the_lookup,
        computed_text="“dog bites man” and “man bites dog” have the same sum",
        verdict=Verdict.RIGHT,
        explanation="The list of ids is still in order. But no vector says where it stands, so whatever only adds "
        "over the words cannot know.",
    ),
    Entry(
        id="N5.notion_of_order",
        topic="what positions are for",
        printed="Positional encoding allows for some notion of order",
        claims=(False, True),
        compute=lambda: (order_tells(with_positions=False), order_tells(with_positions=True)),
        computed_text="the order changes nothing without positions, and something with them",
        verdict=Verdict.RIGHT,
        explanation="Tried with one layer of attention, without a mask, on six tokens in another order.",
    ),
    Entry(
        id="N5.mask_formula",
        topic="M inside the bracket",
        printed="softmax((QKᵀ + M)/√d_k) V",
        claims=True,
        compute=lambda: _mask_inside_equals_mask_outside(-np.inf),
        computed_text="equal to QKᵀ/√d_k + M for an M of 0 and −∞, and not for one of 0 and −10⁴",
        verdict=Verdict.RIGHT,
        explanation="0/√d_k is 0 and −∞/√d_k is −∞. Any other M is divided too: −10⁴ becomes −1250 for d_k = 64.",
    ),
    Entry(
        id="N5.before_the_word",
        topic="what masked attention sees",
        printed="we're only seeing information before the word to predict",
        claims=[1, 2, 3, 4],
        # of each row the place of the first word that is hidden, from 0
        compute=lambda: [int(np.argmin(row)) for row in look_ahead_mask(5)[:-1]],
        computed_text="row i predicts word i + 1, and just that one is the first that it does not see",
        verdict=Verdict.RIGHT,
        explanation="“Before the word to predict” includes the row's own word: what it predicts is the next one. "
        "So the diagonal stays.",
    ),
    Entry(
        id="N5.cross_attention",
        topic="encoder–decoder attention",
        printed="The output of encoder: Keys and values. The decoder's latest sentence: The query",
        claims=(3, 4),
        compute=lambda: _shape_of_cross_attention(decoder_words=3, encoder_words=4),
        computed_text="3 × 4: a row for each word of the decoder, a column for each word of the encoder",
        verdict=Verdict.RIGHT,
        explanation="Who asks stands in the rows: the sentence being written. Who is asked stands in the columns.",
    ),
    Entry(
        id="N5.next_word",
        topic="four candidates, and an argmax",
        printed="هوا\u200e (weather) 14 %, خورشید\u200e (sun) 12 %, من\u200e (I) 20 %, درخت\u200e (tree) 3 %, "
        "with an arrow at هوا\u200e (weather)",
        claims="هوا",
        compute=lambda: max(NEXT_WORD, key=NEXT_WORD.__getitem__),
        computed_text="argmax is من\u200e (I), with 20 %",
        verdict=Verdict.UNCLEAR,
        explanation="The right word has 14 %, so a decoder that takes the largest would write “I”, if none of the "
        "words that are not shown has more. The four add up to 49 %; the other 51 % lie on the rest of the vocabulary.",
        paraphrase=True,
        doubt="whether the arrow marks the word that is written, or the place where one is wanted.",
        takeaway="argmax takes the most probable word. That need not be the right one.",
    ),
    Entry(
        id="N5.feed_forward",
        topic="what follows the attention",
        printed="The output of the attention is then fed into a feed forward layer",
        claims=True,
        compute=_network_follows_the_norm,
        computed_text="equal to the paper's block up to there, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="Read on from the slide before: it is the output after its residual and norm.",
    ),
    Entry(
        id="N5.encoder_complete",
        topic="what is still missing after the feed-forward layer",
        printed="… fed into a feed forward layer. The encoder is now complete!",
        claims=True,
        compute=lambda: same(block(X).fed, block(X).output),
        computed_text="one more residual and norm follow, around the feed-forward layer",
        verdict=Verdict.INCOMPLETE,
        explanation="In the words of the slides the second add & norm is missing; perhaps a picture has it, and our "
        "copy has no pictures.",
        completed=_one_more_norm_completes_the_block,
        takeaway="each half of a block has its own residual and norm. And the paper's encoder is a stack of six such "
        "blocks.",
    ),
    Entry(
        id="N5.shifted_outputs",
        topic="why the outputs are shifted",
        printed="Shifting outputs prevent network from copying the decoder input",
        claims=(4, 0),
        compute=lambda: (_words_that_can_be_copied(shifted=False), _words_that_can_be_copied(shifted=True)),
        computed_text="words that can be copied, of four: 4 without the shift, 0 with it",
        verdict=Verdict.RIGHT,
        explanation="Counted with the look-ahead mask. It takes both: without the mask, the word to say stands one "
        "place further on in what is read.",
    ),
    Entry(
        id="N5.log_probs",
        topic="what comes out of the softmax",
        printed="Decoder stack output, Linear, logits, Softmax, log_probs",
        claims="log_probs",
        compute=lambda: _kind_of(softmax(_LOGITS)),
        computed_text="probabilities: above 0, with the sum 1",
        verdict=Verdict.INCOMPLETE,
        explanation="One step is missing in the words of the picture: the logarithm.",
        paraphrase=True,
        completed=lambda: _kind_of(np.log(softmax(_LOGITS))),
        takeaway="a softmax gives probabilities. Their logarithms, the log-probabilities, are 0 or below.",
    ),
    Entry(
        id="N5.argmax",
        topic="the cell with the highest value",
        printed="Get the index of the cell with the highest value (argmax) = 5",
        compute=_cell_of_the_highest,
        verdict=Verdict.RIGHT,
        explanation="Our copy shows no heights, so we gave cell 5 the highest logit. It is then the same cell for "
        "probabilities and log-probabilities: softmax and logarithm keep the order.",
        paraphrase=True,
    ),
    Entry(
        id="N5.last_cell",
        topic="the number of the last cell",
        printed="0 1 2 3 4 5 … vocab size",
        claims=len(_LOGITS),
        compute=lambda: list(range(len(_LOGITS)))[-1],
        computed_text="vocab size − 1",
        verdict=Verdict.INCOMPLETE,
        explanation="“− 1” is missing. The cells are counted from 0, so the last of seven has the number 6.",
        completed=lambda: list(range(len(_LOGITS)))[-1] + 1,
    ),
    Entry(
        id="N5.final_step",
        topic="the final step",
        printed="The final step is another linear layer and a softmax",
        claims=True,
        compute=_final_step_is_linear_and_softmax,
        computed_text="equal to the probabilities of the next word, to 1e−12",
        verdict=Verdict.RIGHT,
        explanation="A product with the output layer, then the softmax. To choose a word takes one step more: here "
        "the argmax.",
    ),
    Entry(
        id="N5.remember",
        topic="what attention is for in a seq2seq model",
        printed="Attention helps seq2seq models to remember the context",
        claims=True,
        compute=lambda: _points_that_attention_adds() >= 30,
        computed_text=f"at 20 letters it adds {_points_that_attention_adds():.0f} points or more, with every seed",
        verdict=Verdict.RIGHT,
        explanation="The same kind of encoder, about as many parameters, the same time of training. What the decoder "
        "may look at makes the difference.",
    ),
    Entry(
        id="N5.persian_ye",
        topic="the last letter of the Persian word for great",
        printed="هوا عالى است.",
        claims="U+0649",
        compute=lambda: f"U+{ord('عالی'[-1]):04X}",
        computed_text="ی, U+06CC: هوا عالی است.",
        verdict=Verdict.UNCLEAR,
        explanation="Our copy ends the word in ى (U+0649), a letter of Arabic keyboards that looks like the Persian ی.",
        doubt="the letter may be the copying machine's, not the slide's.",
        takeaway="letters that look alike can be two letters. To a reader the words are the same, to a vocabulary they "
        "are two.",
    ),
    Entry(
        id="N5.one_more_word",
        topic="the Persian sentence, slide by slide",
        printed="هوا عالى\u200e, then هوا عالى است\u200e, then هوا عالى است.\u200e",
        claims=[2, 3, 4],
        compute=_each_slide_writes_on,
        computed_text="2, 3 and 4 tokens, each beginning with the one before",
        verdict=Verdict.RIGHT,
        explanation="Each slide goes on where the one before has ended: that is decoding, one token at a time.",
    ),
    Entry(
        id="N5.why_blocks",
        topic="why it works, 1",
        printed="Why do transformers work so well? 1. Distributed and independent representation at each block",
        claims=True,
        compute=lambda: not _second_block_stands_on_the_first(),
        computed_text="what leaves the second block changes with the weights of the first",
        verdict=Verdict.UNCONFIRMED,
        explanation="What is to be independent of what, the slide does not say. The blocks are not, of each other: "
        "the second reads what the first has written. Lesson 18 swaps them in a trained translator.",
        takeaway="each block has its own weights, and works on the output of the block before.",
        elsewhere=True,
    ),
    Entry(
        id="N5.why_context",
        topic="why it works, 2, as a fact",
        printed="Why do transformers work so well? 2. Meaning heavily depends on the context",
        claims=True,
        compute=lambda: two_apples_differ("attention with positions"),
        computed_text="the same word, two vectors. Whether that is the reason, is not tried here",
        verdict=Verdict.RIGHT,
        explanation="As a fact: N4's fruit and company have two vectors after one block with positions. How heavily, "
        "lesson 18 measures in a trained translator. That it is the reason, nothing here tells.",
        elsewhere=True,
    ),
    Entry(
        id="N5.why_levels",
        topic="why it works, 4, as a fact",
        printed="Why do transformers work so well? 4. Combination of high- and low-level information",
        claims=True,
        compute=_last_sum_holds_every_layer,
        computed_text="output = input + what each layer adds. Whether that is the reason, is not tried here",
        verdict=Verdict.RIGHT,
        explanation="As a fact of x + F(x), three layers deep: what came in and what each layer added stand in one "
        "sum. What in it is low or high, lesson 18 asks a trained model. That it is the reason, nothing here tells.",
        elsewhere=True,
    ),
    Entry(
        id="N5.bidirectional",
        topic="the B of BERT",
        printed="BERT (Bidirectional Encoder Representations from Transformers)",
        claims=([0, 1, 2, 3], [0, 1, 2, 3]),
        compute=lambda: (_who_hears_of(OTHER_LAST), _who_hears_of(OTHER_FIRST)),
        computed_text="without a mask the first token hears of the last, and the last of the first",
        verdict=Verdict.RIGHT,
        explanation="An encoder has no look-ahead mask, so each token hears of both sides. With the mask the first "
        "token would hear of none.",
    ),
)
