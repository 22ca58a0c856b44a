"""The transformer in PyTorch, read in the order in which data passes through it.

config → masks, padding → attention, dropout, cache → layers → encoder → decoder → transformer; files and torch_weights
bring weights in and out. Boolean masks say True where attention is allowed. Shapes: batch B, source length N, target
length M.
"""
