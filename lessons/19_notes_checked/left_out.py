"""What stands in the lecture notes and has no entry in the ledger, each with its place and the reason."""

from __future__ import annotations

from typing import NamedTuple


class LeftOut(NamedTuple):
    """Something on a page of the notes that is not judged."""

    note: str
    place: str
    what: str
    why: str


LEFT_OUT = (
    LeftOut("N1", "beside O(N²)", "d_ij", "One letter. It may be α_ij; nothing is said of it."),
    LeftOut("N1", "self-attention, layer 0", "W above W^Q, W^K, W^V", "What is left of a drawing: its lines are gone."),
    LeftOut("N1", "above X′", "C^V : N", "Read as C with N rows, it is in the entry on W^O. More can't be read."),
    LeftOut("N1", "title of the last part", "“Pnt2vec”", "A name, read as Prot2vec."),
    LeftOut("N2", "below the products", "X → X′", "An arrow. The shapes on both sides have their entries."),
    LeftOut(
        "N2", "word embedding", "“This is an amazing course.”", "An example sentence with which nothing is computed."
    ),
    LeftOut(
        "N2", "positional encoding", "i, j; 1, 2", "Two letters beside a column of numbers, and two numbers below pos."
    ),
    LeftOut(
        "N3",
        "step 3",
        "“faster with matmul”",
        "A clock decides, and it depends on the machine: lessons 06 and 18b time it on yours.",
    ),
    LeftOut("N3", "properties", "“many self-attention modules”", "How many is many? The paper has 12, lesson 10."),
    LeftOut(
        "N4",
        "below the title",
        "Google team, 2017",
        "True, and nothing to compute: most of the authors were at Google.",
    ),
    LeftOut("N4", "below “I like eating apple”", "128 above a row of dashes", "How wide a vector is drawn: a choice."),
    LeftOut("N4", "table of contents", "names of chapters and arrows", "An order in which to read."),
    LeftOut("N4", "sinusoidal", "“Scaled in nature”", "What is scaled, and by what, can't be read."),
    LeftOut("N4", "below cos(0) = 1", "seq. → 1 ①", "What the 1 counts, our copy does not show."),
    LeftOut("N4", "heading", "“Dimensional dependency”", "A heading; the formula below it has entries."),
    LeftOut("N4", "table of the encoding", "“d_max = 4”", "Read as d_model: four columns. A letter is no number."),
    LeftOut(
        "N4",
        "below multi-head attention",
        "“Why we divide σ_model by Variance σ²”",
        "What is to be divided by what can't be read. The answer below it has its entry.",
    ),
    LeftOut(
        "N4",
        "beside Add & Norm",
        "ResNet, VGG19, 16, ImageNet, CNN",
        "Names, in their places: nothing is computed with them.",
    ),
    LeftOut(
        "N4",
        "layer norm",
        "x_i = f[Wᵀx_i + b_i]",
        "It defines what is normalized. A definition is neither right nor wrong.",
    ),
    LeftOut(
        "N4",
        "below Add & Norm",
        "“Reach the global minimum faster”, “Training becomes faster”",
        "Promises for all trainings. Lesson 09 trains a few stacks: no such test could decide it.",
    ),
    LeftOut(
        "N4",
        "layer norm",
        "“scaling the values close to zero & around”",
        "A way of speaking of what the formulas below it do; these have entries.",
    ),
    LeftOut(
        "N4", "Add & Norm", "(Wᵀx + b | Add()) → x", "That a layer's output and the sum are normalized: lesson 09."
    ),
    LeftOut("N4", "chapters", "Self Attention → Cross Attention → Decoder", "An order in which to read: lesson 11."),
    LeftOut("N4", "above Query", "Encoder → Decoder (Generate)", "The decoder writes: lesson 11 lets it."),
    LeftOut(
        "N4",
        "below Add & Norm",
        "“Stable training”",
        "Stable in what: its loss, its gradients, its numbers? The page does not say.",
    ),
    LeftOut("N5", "scaled dot product", "“The simplest attention”", "Beside the many heads of the next slide it is."),
    LeftOut("N5", "attention by task", "one review below three tasks", "The same words: so the task alone can differ."),
    LeftOut(
        "N5",
        "why it works",
        "“3. Multiple encoder and decoder units”",
        "The paper has six of each. Whether that is why it works: lesson 18 compares three depths.",
    ),
    LeftOut("N5", "first slides", "core values, learning objectives", "Wishes and aims. Lesson 00 ends with them."),
    LeftOut(
        "N5",
        "seq2seq",
        "“first developed for Seq2Seq tasks”",
        "History, and so it was: the paper translates. Nothing to compute.",
    ),
    LeftOut("N5", "seq2seq", "“a simple model of encoding and decoding”", "What is simple is a matter of taste."),
    LeftOut("N5", "what it can do", "a link to a page", "The course runs without the network."),
    LeftOut(
        "N5",
        "heatmap",
        "the names of its columns",
        "They can't be read. The course takes them to be those of the rows.",
    ),
    LeftOut(
        "N5",
        "below the heatmap",
        "“To understand attention, we need to understand key, query, and value”",
        "Advice on what to learn first. Lesson 05 follows it.",
    ),
    LeftOut(
        "N5",
        "softmax",
        "“great for generating probabilities or as activation for multicategories”",
        "What it is good for, not what it is. That it lies between 0 and 1 has its entry.",
    ),
    LeftOut(
        "N5",
        "multi-head",
        "“In most cases multi-head attentions are used”",
        "One would have to count everybody's models.",
    ),
    LeftOut("N5", "encoder–decoder attention", "“where the magic happens”", "A matter of taste, and we share it."),
    LeftOut(
        "N5",
        "next word",
        "خورشيد\u200e with ي",
        "Another Arabic letter (U+064A) where Persian has ی (U+06CC), as ى (U+0649) in the word for great.",
    ),
    LeftOut("N5", "next word", "В and arrows among the words, هو ا with a gap", "What is left of a drawing."),
    LeftOut("N5", "last slide", "“Next lecture: AlphaFold2”", "An announcement."),
)
