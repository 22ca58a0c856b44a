"""The transformer in PyTorch: `minimal.py` is all of it in 120 lines, to be read first; the rest says what it adds.

In the order in which data passes through it: config → masks → attention, dropout, cache → layers → encoder → decoder →
transformer, and of the same layers bert and gpt; files, torch_weights and from_minimal bring weights in and out,
watching looks into all of it and changes it, require says what is refused. Boolean masks say True where attention is
allowed. Shapes: batch B, source length N, target length M, h = n_heads heads of d_k numbers each.
"""
