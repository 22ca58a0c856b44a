"""Lecture note N5, line by line."""

from __future__ import annotations

from utils.course.ledger.lines import Page, aside, on, part

PAGE = Page(
    number="N5",
    topic="Lecture slides",
    lines=354,
    parts=(
        part(
            1,
            "First slides",
            aside(1, "nine core values", "Wishes, and no claims. Lesson 00 ends with them."),
            aside(17, "five learning objectives", "Aims, and no claims."),
        ),
        part(
            26,
            "Seq2seq",
            aside(
                26,
                "“first developed for Seq2Seq tasks”",
                "History, and so it was: the paper translates. Nothing to compute.",
            ),
            aside(30, "“a simple model of encoding and decoding”", "What is simple is a matter of taste."),
            on(36, "N5.remember"),
        ),
        part(
            42,
            "Attention is all you need",
            aside(42, "the paper's title, three times", "A title; the drawings are lost."),
            aside(66, "one review below three tasks", "The same words: so the task alone can differ."),
            aside(79, "“What it can do”, and a link", "The course runs without the network."),
        ),
        part(
            84,
            "Word embedding",
            aside(84, "“Basic architecture of a transformer”", "A heading; the drawing is lost."),
            on(90, "N5.first_step"),
            on(94, "N5.hello_world"),
            on(104, "N5.first_step"),
            on(106, "N5.order_lost"),
        ),
        part(
            112,
            "Positional encoding",
            on(112, "N5.notion_of_order"),
            on(122, "N5.fractions_step"),
            on(128, "N5.fractions"),
            on(138, "N5.four_demands"),
            on(147, "N5.sinusoids"),
            aside(155, "the same slide twice more", "As in line 147; the curves are lost."),
        ),
        part(
            170,
            "Self-attention",
            on(170, "N5.main_module"),
            on(174, "N5.correlation"),
            on(176, "N5.heatmap_rows"),
            aside(
                176,
                "the names of the heatmap's columns",
                "They can't be read. The course takes them to be those of the rows.",
            ),
            aside(
                184,
                "“To understand attention, we need to understand key, query, and value”",
                "Advice on what to learn first. Lesson 05 follows it.",
            ),
        ),
        part(
            199,
            "Softmax",
            on(199, "N5.softmax_range"),
            aside(
                199,
                "“great for generating probabilities or as activation for multicategories”",
                "What it is good for, not what it is.",
            ),
            on(201, "N5.softmax_formula"),
            on(211, "N5.softmax_denominator"),
        ),
        part(
            218,
            "Scaled dot product and heads",
            aside(218, "“The simplest attention”", "Beside the many heads of the next slide it is."),
            aside(224, "“In most cases multi-head attentions are used”", "One would have to count everybody's models."),
        ),
        part(
            228,
            "The encoder",
            on(228, "N5.add_then_norm"),
            on(232, "N5.feed_forward"),
            on(236, "N5.encoder_complete"),
        ),
        part(
            240,
            "The decoder writes",
            on(240, "N5.one_more_word"),
            on(259, "N5.persian_ye"),
            on(261, "N5.shifted_outputs"),
            on(277, "N5.next_word"),
            aside(277, "В and arrows among the words; a word torn in two", "What is left of a drawing."),
            aside(
                279,
                "خورشيد\u200e with ي",
                "Another Arabic letter (U+064A) where Persian has ی (U+06CC), as ى (U+0649) in the word for great.",
            ),
            on(280, "N5.next_word"),
        ),
        part(287, "Masked layers", on(287, "N5.before_the_word"), on(289, "N5.mask_formula")),
        part(
            295,
            "Encoder–decoder attention",
            aside(295, "“where the magic happens”", "A matter of taste, and we share it."),
            on(297, "N5.cross_attention"),
        ),
        part(
            302,
            "The final step",
            on(302, "N5.final_step"),
            on(304, "N5.argmax", "N5.last_cell", "N5.log_probs"),
            aside(308, "“Basic architecture of a transformer”", "A heading, as in line 84."),
        ),
        part(
            316,
            "Why do transformers work so well?",
            on(322, "N5.why_blocks"),
            on(323, "N5.why_context"),
            aside(
                324,
                "“3. Multiple encoder and decoder units”",
                "The paper has six of each. Whether that is why it works: lesson 18 compares three depths.",
            ),
            on(325, "N5.why_levels"),
        ),
        part(
            329,
            "Famous transformers",
            aside(329, "“Famous transformers”, twice", "Headings; the drawing is lost."),
            on(338, "N5.bidirectional"),
            aside(342, "“Next lecture: AlphaFold2”", "An announcement."),
        ),
    ),
)
