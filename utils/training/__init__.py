"""Corpora, batches, the training loop, decoding: what turns a model into one that can do something.

As in `utils/models`, what does not fit is refused in one sentence; docstrings name only what is refused besides.
"""
