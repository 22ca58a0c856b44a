"""Lecture note N4, line by line."""

from __future__ import annotations

from utils.course.ledger.lines import Page, Part, aside, on

PAGE = Page(
    number="N4",
    topic="Paper walkthrough",
    lines=402,
    parts=(
        Part(
            1,
            "Why transformers",
            (
                aside(3, "a table of contents", "An order in which to read."),
                aside(11, "a sentence with two apples, a fruit and a company", "The example for line 18."),
                aside(13, "apple and orange, 128 above a row of dashes", "How wide a vector is drawn: a choice."),
                on(16, "N4.no_context"),
                on(19, "N4.rnn_sequential"),
                on(20, "N4.rnn_long_context"),
                aside(22, "↳ Parallel processing", "Line 27 says it again, among the advantages."),
                on(24, "N4.context_rich"),
                on(27, "N4.parallel"),
                on(28, "N4.handles_long"),
            ),
        ),
        Part(
            30,
            "Transformers",
            (
                aside(32, "Google team, 2017", "True, and nothing to compute: most of the authors were at Google."),
                on(38, "N4.parts_of_the_encoder"),
                aside(47, "further chapters and arrows, as far as decoding", "An order in which to read."),
            ),
        ),
        Part(
            55,
            "Token embedding",
            (
                on(63, "N4.sentence_shape"),
                aside(
                    69,
                    "four words with the ids 1, 10, 8, 4, and a vector of 512 for an id",
                    "Ids and vectors are given here, not computed.",
                ),
                on(85, "N4.word_numbers"),
                on(89, "N4.apple_place"),
                on(90, "N4.apples_place"),
            ),
        ),
        Part(
            92,
            "Sinusoidal",
            (
                aside(94, "0, 1, 2, 3 and 512", "Positions and a width beside a drawing that is lost."),
                aside(100, "“Scaled in nature”", "What is scaled, and by what, can't be read."),
                aside(103, "cos and sin; “relative position”", "Lines 110 and 120 say which, and of what."),
                on(110, "N4.pe_sin_even"),
                on(113, "N4.pe_sine", "N4.pe_omega"),
                on(115, "N4.pe_exponent"),
            ),
        ),
        Part(117, "Why sinusoidal", (on(119, "N4.pe_unique"), on(120, "N4.pe_relative"), on(121, "N4.pe_range"))),
        Part(
            123,
            "Why sine and cosine",
            (
                aside(127, "512 → embed", "What is left of a drawing: the curves are lost."),
                on(130, "N4.sin_cos_of_0"),
                aside(142, "seq. → 1 ①", "What the 1 counts, our copy does not show."),
            ),
        ),
        Part(
            145,
            "Dimensional dependency",
            (
                on(149, "N4.pe_base"),
                on(153, "N4.pe_second_cosine"),
                on(155, "N4.positions_of_four"),
                aside(157, "“d_max = 4”", "Read as d_model: four columns. A letter is no number."),
                on(159, "N4.pe_pairs"),
                on(161, "N4.pe_base"),
                on(162, "N4.pe_row_0"),
                on(163, "N4.pe_row_1", "N4.pe_row_1_cosine", "N4.pe_row_1_second_pair"),
                on(165, "N4.pe_rows_2_and_3"),
                on(169, "N4.angle_at_0"),
                on(173, "N4.pe_divisors"),
                on(181, "N4.lost_exponents"),
                on(185, "N4.cos_tenth"),
                on(187, "N4.pe_shape"),
                on(191, "N4.input_sum"),
            ),
        ),
        Part(
            193,
            "Attention",
            (
                aside(195, "vectors that know their context", "As in line 26."),
                on(197, "N4.parallel"),
                on(199, "N4.four_by_four"),
                on(207, "N4.length_use"),
                aside(209, "context-rich vectors, Encoder → Decoder (Generate)", "As in line 26; the decoder writes."),
            ),
        ),
        Part(
            215,
            "Query, key, value",
            (
                on(215, "N4.query_key_value"),
                on(227, "N4.context_and_question"),
                on(240, "N4.handwriting_scores"),
                on(245, "N4.attention_formula"),
                on(247, "N4.handwriting_row", "N4.handwriting_scale"),
            ),
        ),
        Part(
            252,
            "Multi-head attention",
            (
                aside(256, "→ VASANTH", "What is left of a drawing."),
                aside(
                    258,
                    "“Why we divide σ_model by Variance σ²”",
                    "What is to be divided by what can't be read. The answer below it has its entry.",
                ),
                on(259, "N4.variance"),
            ),
        ),
        Part(
            261,
            "Masked multi-head attention",
            (
                on(263, "N4.autoregressive"),
                on(265, "N4.look_ahead", "N4.teacher_forcing"),
                on(277, "N4.padding_row", "N4.padding_mask"),
                aside(282, "Self Attention → Cross Attention → Decoder", "An order in which to read: lesson 11."),
            ),
        ),
        Part(286, "Flow", (on(288, "N4.multi_head_flow"), on(297, "N4.scale_d_model"), on(300, "N4.multi_head_flow"))),
        Part(
            310,
            "Residual connection and layer normalization",
            (
                aside(
                    312,
                    "the paper, ResNet, VGG19, 16, ImageNet, CNN",
                    "Names, in their places: nothing is computed with them.",
                ),
                on(320, "N4.longer_training"),
                aside(
                    325, "the solution: a residual network, a skip connection", "Names of what line 341 writes down."
                ),
                on(329, "N4.skip_decides"),
                aside(333, "“Add & Layer Norm”, “Add”", "Headings; the drawing is lost."),
                on(339, "N4.add_and_norm"),
            ),
        ),
        Part(
            343,
            "What, and why",
            (
                aside(
                    345,
                    "“scaling the values close to zero & around”",
                    "A way of speaking of what the formulas below it do; these have entries.",
                ),
                on(347, "N4.normalized_range"),
                aside(
                    349,
                    "“Stable training”",
                    "Stable in what: its loss, its gradients, its numbers? The page does not say.",
                ),
                aside(
                    353,
                    "“Reach the global minimum faster”, “Training becomes faster”",
                    "Promises for all trainings. Lesson 09 trains a few stacks: no such test could decide it.",
                ),
            ),
        ),
        Part(
            363,
            "Layer norm",
            (
                aside(
                    365,
                    "x_i = f[Wᵀx_i + b_i], forward pass",
                    "It defines what is normalized. A definition is neither right nor wrong.",
                ),
                on(369, "N4.epsilon", "N4.one_index"),
                aside(371, "(Wᵀx + b | Add()) → x", "That a layer's output and the sum are normalized: lesson 09."),
                aside(373, "“Standardization”", "Another name of what line 369 does."),
                on(375, "N4.learnable"),
                on(377, "N4.within_three"),
                on(380, "N4.mean_and_std"),
            ),
        ),
        Part(
            382,
            "The example",
            (
                on(382, "N4.table_shape"),
                on(386, "N4.first_mean"),
                on(388, "N4.second_sum", "N4.second_mean"),
                on(390, "N4.squares", "N4.sigma_squared", "N4.sigma"),
                aside(394, "mean and deviation as columns", "The results of lines 386 to 392."),
                on(398, "N4.gain_and_bias"),
                on(400, "N4.fractions"),
                on(402, "N4.normalized", "N4.named_gamma"),
            ),
        ),
    ),
)
