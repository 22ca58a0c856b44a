"""The transformer in PyTorch, read in the order in which data passes through it.

config → masks → attention, dropout, cache → layers → encoder → decoder → transformer, and of the same layers bert and
gpt; files and torch_weights bring weights in and out, watching looks into all of it and changes it, require says what
is refused. Boolean masks say True where attention is allowed. Shapes: batch B, source length N, target length M,
h = n_heads heads of d_k numbers each.
"""
