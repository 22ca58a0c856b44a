"""Which section of which lesson explains what stands in the notes: the only place where the notes meet the headings.

lesson -> heading of a section -> what it explains, a blank between two: entries by their ids, rows without an entry by
note and line, and the marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from utils.course.lessons import Lesson

EXPLAINED: dict[str, dict[str, str]] = {
    "00": {"What you will be able to do at the end": "N5:17", "How we treat each other": "N5:1"},
    "01": {
        "One summary": "N3.all_states",
        "Attention in three steps": "N3.three_steps N3.score_function N3.different_weights",
        "Complaint 1: no context awareness": "N4.no_context",
        "Complaint 2: sequential processing": "N4.rnn_sequential",
        "Why does the transformer fail at 25?": "N4.rnn_long_context N4.handles_long N5.remember",
        "Better, and for a tenth of the cost?": "N3.better_accuracy N3.training_cost N3.replacing_cnns",
        "One review, three tasks": "N5:66",
    },
    "02": {
        "Three things go wrong": "N4.word_numbers N4.apple_place N4.apples_place",
        "Special tokens": "N5.hello_world N5.first_step",
        "From ids to vectors": "N4.sentence_shape N4:69",
        "What a vector can say": "N2.king_queen",
        "What it can't say: which apple?": "N4:11",
        "Break it: shuffle the words": "N5.order_lost",
    },
    "03": {
        "Vocabulary and counts": "N1.defaultdict",
        "k-mers: words without spaces": "N1.kmer_windows",
        "The gradients": "N1.negative_sampling",
    },
    "04": {
        "Same words, another order": "N3.order N3.positions_tell_order N5.notion_of_order",
        "Four demands, as experiments": "N5.fractions N5.fractions_step N5.four_demands",
        "Sine and cosine": (
            "N2.pe_formula N2.pe_half_distance N4.pe_sin_even N4.pe_sine N4.pe_omega N4.pe_exponent N5.sinusoids "
            "N4:127 N5:155"
        ),
        "A table of four rows": (
            "N4.sin_cos_of_0 N4.positions_of_four N4.angle_at_0 N4.pe_row_0 N4.pe_pairs N4.pe_divisors N4.pe_row_1 "
            "N4.pe_row_1_cosine N4.pe_row_1_second_pair N4.cos_tenth N4.pe_base N4.pe_second_cosine "
            "N4.lost_exponents"
        ),
        "Degrees or radians?": "N2.pe_columns N2.pe_row_0 N2.pe_row_1_pair N2.pe_row_1_third",
        "All positions at once": "N4.pe_rows_2_and_3 N4.pe_range N4.pe_shape",
        "How long is a full turn?": "N3.different_frequencies N4.pe_unique",
        "One step is the same rotation everywhere": "N4.pe_relative",
        "Fixed or learnt": "N3.fixed_or_learnable",
        "Token + position": "N2.token_plus_position N3.positions_added N4.input_sum",
    },
    "05": {
        "A matrix times a vector": "N2.matrix_vector N2.matrix_shape",
        "Step 1: three tokens": "N1.x_as_columns N3:19",
        "Query, key and value": "N2:17 N4.query_key_value N4.handwriting_scores N4.handwriting_row N5:184",
        "Step 2: three matrices": "N1.projection_shapes N1:19 N2.projection_shapes",
        "Step 3: a query, a key and a value for every token": (
            "N3.weight_shape N3.number_of_keys N3.first_key N3.impossible_keys N3.first_value"
        ),
        "Step 4: scores": "N1.all_pairs N2.scores_shape N2.scores_entries N2:65 N3.dot_products N3:37 N4.four_by_four",
        "Step 5: from scores to weights": "N3.softmax N3.softmax_formula N3.most_relevant",
        "How to read it": "N1.attention_vector N1.alpha_direction N5.heatmap_rows N5.correlation",
        "Steps 6 to 8: weigh the values and add them up": "N3.weighted_values N3.first_output",
        "What is the attention on x₂?": "N1.weighted_sum N2.attention_on_x2 N2.rows_of_the_product N3.other_outputs",
        "The scale, on our numbers": "N3.first_output_scaled",
        "Where a bias goes": "N3.bias",
        "All of it in one line": "N2.softmax_missing",
    },
    "06": {
        "The softmax, once more": "N5.softmax_formula",
        "Four things the softmax does": "N5.softmax_denominator N5.softmax_range",
        "Along the rows, not down the columns": "N1.rowwise",
        "Measured": "N1.scale N4.variance",
        "d_k, not d_model": "N2.scale N3.formula_scale N4.scale_d_model N4.attention_formula N4.handwriting_scale",
        "Which widths must agree": "N3.widths",
        "One step from any word to any other": "N3.length_free N3.sequential N4.parallel",
        "What it costs": "N1.quadratic",
        "On your own machine": "N3:29",
    },
    "07": {
        "Dimensions: who gets how much": "N1.head_width N2.all_heads_together N3.multi_head",
        "Join, and W_O": "N1.output_projection N4.multi_head_flow",
    },
    "08": {
        "The look-ahead mask": "N4.look_ahead N4.autoregressive",
        "How a mask works": "N4.teacher_forcing N5.mask_formula",
        "Why the diagonal stays": "N5.before_the_word",
        "The padding mask": "N4.padding_row N4.padding_mask",
    },
    "09": {
        "The sum: x + F(x)": "N1.residual_channel N4.skip_decides N4.longer_training N4:325",
        "The mean": "N4.table_shape N4.first_mean N4.second_mean N4.second_sum",
        "The standard deviation": "N4.squares N4.sigma_squared N4.sigma",
        "The z-score": "N1.z_score N4:373 N4.fractions N4.normalized N4.named_gamma",
        "What ε is for": "N4.epsilon",
        "γ and β": "N4.gain_and_bias N4.learnable N4.one_index",
        "Layer norm or batch norm: which numbers are averaged?": "N1.layer_norm N1.batch_norm N1:128",
        "How large can a z-score get?": "N4.within_three N4.mean_and_std",
        "Only the pattern is left": "N4.normalized_range",
        "Add & norm: which comes first?": "N4.add_and_norm N4:371 N5.add_then_norm",
        "And does it learn?": "N4:349 N4:353",
    },
    "10": {
        "First half: attention, add & norm": "N1.transformer_block N5.feed_forward",
        "The block, complete": "N1.same_token N4.parts_of_the_encoder N4.context_rich N5.encoder_complete",
        "Count the parameters": "N3:75 N5.main_module",
    },
    "11": {
        "Shifted outputs": "N5.shifted_outputs",
        "Cross-attention": "N4.context_and_question N4:282 N5.cross_attention",
        "From a row of numbers to a word": "N5.argmax N5.last_cell N5.log_probs N5.final_step N5.next_word",
    },
    "12": {"Your own sentences": "N5.persian_ye N5:279"},
    "13": {"One token at a time": "N5.one_more_word"},
    "15": {"A real one": "N5.bidirectional"},
    "17": {"The famous transformers, side by side": "N3.gpt_bert_vit N5:329"},
    "18": {
        "Are the blocks independent?": "N5.why_blocks",
        "2. Does meaning depend on the context?": "N5.why_context",
        "3. Are several blocks needed?": "N5:324",
        "4. What does each level know?": "N5.why_levels",
        "Outlook: proteins": "N5:342",
    },
    "18b": {"Where n²d meets nd²": "N4.length_use"},
    "19": {"How the verdicts fall": "marks"},
}
_PLACES = {
    name: (lesson, heading)
    for lesson, headings in EXPLAINED.items()
    for heading, names in headings.items()
    for name in names.split()
}
_AS_IT_IS = "!&'()*+,/:;?@"  # JupyterLab compares what stands behind the # letter by letter


def explained_in(name: str, lessons: Sequence[Lesson]) -> tuple[str, str] | None:
    """Return a link to the section that explains an entry or a row: its words and where it leads.

    None where no section does, or where its lesson is not among these.
    """
    number, heading = _PLACES.get(name, ("", ""))
    for lesson in lessons:
        if lesson.number == number:
            return f"{number} {heading}", f"{lesson.notebook_name}#{place_of(heading)}"
    return None


def place_of(heading: str) -> str:
    """Return where a heading stands on its page, as a link has it."""
    return quote(heading.replace(" ", "-"), safe=_AS_IT_IS)
