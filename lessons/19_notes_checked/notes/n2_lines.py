"""Lecture note N2, line by line."""

from __future__ import annotations

from utils.course.ledger.lines import Page, aside, on, part

PAGE = Page(
    number="N2",
    topic="Matrix view",
    lines=148,
    parts=(
        part(
            1,
            "Query, key, value",
            on(11, "N2.matrix_vector"),
            on(13, "N2.matrix_shape"),
            aside(15, "a question: what is the attention on x_2", "Line 31 answers it."),
            aside(
                17,
                "x_1 to x_N with their Q, K and V, in R^d and R^(d_model)",
                "Names from a drawing. Their shapes are judged from line 35 on.",
            ),
            on(31, "N2.attention_on_x2"),
        ),
        part(33, "Aside: the matrices", on(35, "N2.projection_shapes", "N2.all_heads_together")),
        part(
            45,
            "Attention",
            on(47, "N2.scores_shape"),
            aside(49, "“Scaled dot-product attention”, and an arrow", "The name of line 57."),
            on(55, "N2.scores_entries"),
            on(57, "N2.scale"),
            on(59, "N2.softmax_missing"),
            aside(
                65,
                "QKᵀ and V once more, R^(N×N) and R^(N×d_model)",
                "The matrices of lines 43 and 55, now with the right shapes. The scale is no longer written.",
            ),
            on(73, "N2.rows_of_the_product"),
            aside(80, "X → X′", "An arrow. The shapes on both sides have their entries."),
            aside(84, "“Multi-headed”", "A heading; our copy has nothing below it."),
        ),
        part(
            90,
            "Word embedding",
            aside(90, "“This is an amazing course.”", "An example sentence with which nothing is computed."),
            on(92, "N2.king_queen"),
        ),
        part(
            118,
            "Positions",
            on(118, "N2.pe_half_distance"),
            aside(122, "i, j", "Two letters beside a column of numbers."),
            on(124, "N2.token_plus_position"),
            on(130, "N2.pe_columns"),
            aside(138, "1, 2", "Two numbers below pos."),
            on(142, "N2.pe_formula"),
            on(146, "N2.pe_row_0"),
            on(148, "N2.pe_row_1_pair", "N2.pe_row_1_third"),
        ),
    ),
)
