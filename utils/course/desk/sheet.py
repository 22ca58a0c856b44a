"""The sheet to print: every formula of the course's transformer with its shapes, and the conventions that clash."""

from __future__ import annotations

from typing import NamedTuple

from utils.course.desk.paper import Paper, Sheet


class Formula(NamedTuple):
    """A line of the sheet: a name, the formula as TeX, and the shape of what it gives."""

    name: str
    tex: str
    shape: str


FORMULAS = (
    Formula("embedding", r"X=\sqrt{d_{model}}\,E[\text{ids}]+PE", "(N, d_model)"),
    Formula("positions, even columns", r"PE(pos,2i)=\sin\left(pos/10000^{2i/d_{model}}\right)", "(N, d_model)"),
    Formula("positions, odd columns", r"PE(pos,2i+1)=\cos\left(pos/10000^{2i/d_{model}}\right)", "(N, d_model)"),
    Formula("queries", r"Q=XW_Q", "(N, d_k)"),
    Formula("keys", r"K=XW_K", "(N, d_k)"),
    Formula("values", r"V=XW_V", "(N, d_v)"),
    Formula("scores", r"S=QK^\mathsf{T}/\sqrt{d_k}", "(N, N)"),
    Formula("mask", r"\text{mask}_{ij}=0\text{ if }i\text{ may ask }j,\text{ else }-\infty", "(N, N)"),
    Formula("weights", r"A=\operatorname{softmax}(S+\text{mask}),\quad \sum_j\alpha_{ij}=1", "(N, N)"),
    Formula("output of a head", r"AV", "(N, d_v)"),
    Formula(
        "several heads", r"\operatorname{Concat}(A_1V_1,\dots,A_hV_h)\,W_O,\quad d_k=d_v=d_{model}/h", "(N, d_model)"
    ),
    Formula(
        "cross-attention", r"Q=YW_Q,\quad K=EW_K,\quad A=\operatorname{softmax}(QK^\mathsf{T}/\sqrt{d_k})", "(M, N)"
    ),
    Formula("layer norm", r"\gamma\odot(x-\mu)/\sqrt{\sigma^2+\varepsilon}+\beta", "(N, d_model)"),
    Formula("variance", r"\sigma^2=\frac1m\sum_i(x_i-\mu)^2", "(N, 1)"),
    Formula("post-norm (the paper)", r"x\leftarrow\operatorname{LayerNorm}(x+F(x))", "(N, d_model)"),
    Formula("pre-norm", r"x\leftarrow x+F(\operatorname{LayerNorm}(x))", "(N, d_model)"),
    Formula("feed-forward network", r"\max(0,xW_1+b_1)\,W_2+b_2", "(N, d_model)"),
    Formula("probabilities", r"p=\operatorname{softmax}(xW_{out}+b)", "(M, words)"),
    Formula("loss", r"L=-\frac1M\sum_m\ln p_m(\text{the word to say at }m)", "()"),
)

CLASHES = (
    ("√d_k or √d_model", "Scores are *divided* by $\\sqrt{d_k}$, the width of one head. Embeddings are *multiplied* by "
     "$\\sqrt{d_{model}}$ (the paper, section 3.4). N4 has $\\sqrt{d_{model}}$ under the scores."),
    ("α_ij", "Row $i$ asks, column $j$ is asked: $\\alpha_{ij}$ is what $i$ pays to $j$. N1 has it the other way."),
    ("softmax", "Along the row, `axis=1`. Columns need not sum to 1."),
    ("vectors", "Rows: $XW$ and $QK^\\mathsf{T}$. Books with columns write $WX$ and $K^\\mathsf{T}Q$."),
    ("base", "10000 in the paper. N4 takes 100 for its table, and in our copy its formula has 1000."),
    ("angles", "Radians: $\\sin 1=0.841$. A calculator in degrees gives 0.017."),
    ("i and pos", "$i$ counts pairs of columns, $pos$ counts positions, both from 0. The exponent is $2i/d$ below the "
     "cosine, too."),
    ("ε", "Inside the root, $\\sqrt{\\sigma^2+\\varepsilon}$, in PyTorch and here. N4 has $\\sigma+\\varepsilon$."),
    ("variance", "Divided by $m$, not by $m-1$."),
    ("γ and β", "One for each *feature* (column). μ and σ are one for each *token* (row). N1 calls the gain α."),
    ("mask", "True: may look. In `torch.nn.MultiheadAttention` True forbids."),
    ("layers, heads", "Counted from 1 in this course, from 0 in code."),
)  # fmt: skip


def sheet() -> Paper:
    """Return the sheet of formulas, one page."""
    formulas = "\n".join(f"| {one.name} | ${one.tex}$ | {one.shape} |" for one in FORMULAS)
    clashes = "\n".join(f"| **{what}** | {said} |" for what, said in CLASHES)
    text = "\n\n".join(
        [
            f"| | formula | shape |\n| --- | --- | --- |\n{formulas}",
            "Rows are tokens: N of one sentence. Of two, M are written and ask (Y), N are read and asked (E, the "
            "encoder's output). h heads.",
            "**Where books, notes and programs differ**",
            f"| | |\n| --- | --- |\n{clashes}",
        ]
    )
    return Paper("sheet", (Sheet("sheet", "The transformer on one page", text),))
