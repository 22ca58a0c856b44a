"""Lecture note N1, line by line."""

from __future__ import annotations

from utils.course.ledger.lines import Page, aside, on, part

PAGE = Page(
    number="N1",
    topic="Self-attention and norms",
    lines=161,
    parts=(
        part(
            1,
            "Dot-product attention",
            aside(3, "“dot-product attention”; an input, a block or sequence", "A heading; the drawing is lost."),
            on(9, "N1.same_token"),
        ),
        part(
            13,
            "Self-attention and its dimensions",
            aside(19, "x_i: d_model (512)", "The paper's width of a token. It is chosen, and the next line uses it."),
            on(21, "N1.head_width"),
            aside(27, "q_i against all keys k_j", "It announces line 31, which writes it as a formula."),
            on(31, "N1.attention_vector"),
            on(33, "N1.scale"),
            on(35, "N1.alpha_direction"),
            on(38, "N1.weighted_sum"),
            on(43, "N1.projection_shapes"),
        ),
        part(
            48,
            "The matrix approach",
            on(48, "N1.all_pairs"),
            on(57, "N1.rowwise"),
            aside(59, "d_ij", "One letter. It may be α_ij; nothing is said of it."),
            on(60, "N1.quadratic"),
            on(62, "N1.weighted_sum"),
            on(69, "N1.x_as_columns"),
            aside(
                73,
                "self-attention, layer 0: W above W^Q, W^K, W^V",
                "What is left of a drawing: its lines are gone.",
            ),
        ),
        part(
            80,
            "Multi-headed attention",
            aside(84, "C^V : N", "Read as C with N rows, it is in the entry on W^O. More can't be read."),
            on(88, "N1.output_projection"),
        ),
        part(93, "The transformer block", on(93, "N1.transformer_block"), on(100, "N1.residual_channel")),
        part(
            102,
            "Batch norm and layer norm",
            on(106, "N1.layer_norm"),
            on(114, "N1.z_score"),
            on(116, "N1.batch_norm"),
            aside(
                128,
                "averages over the batch elements, 1/N, and over the layer, 1/m",
                "Both norms once more: lines 106 to 124.",
            ),
        ),
        part(
            144,
            "Word2vec and Prot2vec",
            aside(144, "“Pnt2vec”", "A name, read as Prot2vec."),
            aside(146, "“Vocab + Counts”", "A heading."),
            on(148, "N1.kmer_windows"),
            on(154, "N1.defaultdict"),
            on(156, "N1.negative_sampling"),
        ),
    ),
)
