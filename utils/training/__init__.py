"""Corpora, batches, the training loop, decoding: what turns a model into one that can do something."""
