"""Lecture note N3, line by line."""

from __future__ import annotations

from utils.course.ledger.lines import Page, aside, on, part

PAGE = Page(
    number="N3",
    topic="Eight steps",
    lines=83,
    parts=(
        part(
            1,
            "Transformers",
            on(5, "N3.replacing_cnns"),
            on(6, "N3.different_weights"),
            on(7, "N3.all_states"),
            on(8, "N3.three_steps"),
            on(12, "N3.sequential"),
            on(13, "N3.most_relevant"),
        ),
        part(
            17,
            "Steps ① to ③: inputs, weights, keys",
            aside(19, "① three inputs of four numbers", "The example's own numbers: chosen, not computed."),
            on(23, "N3.bias"),
            on(25, "N3.weight_shape"),
            on(27, "N3.first_key"),
            on(29, "N3.number_of_keys", "N3.impossible_keys"),
            aside(
                29,
                "“faster with matmul”",
                "A clock decides, and it depends on the machine: lessons 06 and 18b time it on yours.",
            ),
        ),
        part(
            31,
            "Steps ④ and ⑤: scores and weights",
            on(31, "N3.dot_products"),
            on(35, "N3.score_function"),
            on(37, "N3.softmax_formula", "N3.softmax"),
            aside(
                37,
                "④ ends with 0, 1, 0, and ⑤ goes on with 2, 4, 4",
                "Two examples: ④ shows a smaller one, and ⑤ has the scores of input 1.",
            ),
        ),
        part(
            39,
            "Steps ⑥ to ⑧: values and outputs",
            on(39, "N3.weighted_values", "N3.first_value"),
            on(43, "N3.first_output"),
            on(45, "N3.other_outputs"),
        ),
        part(
            47,
            "Properties and the formula",
            on(47, "N3.widths"),
            on(51, "N3.order"),
            on(53, "N3.length_free"),
            on(55, "N3.formula_scale"),
            on(57, "N3.formula_scale", "N3.first_output_scaled"),
        ),
        part(59, "Multi-head self-attention", on(59, "N3.multi_head")),
        part(
            65,
            "Positional encoding",
            on(65, "N3.positions_tell_order"),
            on(67, "N3.positions_added"),
            on(69, "N3.fixed_or_learnable"),
            on(71, "N3.different_frequencies"),
        ),
        part(
            73,
            "Transformers, once more",
            aside(75, "“many self-attention modules”", "How many is many? The paper has 12, lesson 10."),
            on(77, "N3.positions_added"),
            on(79, "N3.better_accuracy"),
            on(81, "N3.training_cost"),
            on(83, "N3.gpt_bert_vit"),
        ),
    ),
)
