"""Four encoder states and a decoder state for N5's sentence, small enough to follow with a pencil.

A trained encoder would compute the states. These are chosen: the decoder is about to write the Persian word for
*weather*, and its state is like the state of that word.
"""

import numpy as np

WORDS = ("the", "weather", "is", "great")
H = np.array([[1, 0, 0], [0, 2, 1], [1, 0, 1], [0, 1, 2]], dtype=float)  # (N, d_h) = (4, 3): a state after each word
s = np.array([0, 1, 0], dtype=float)  # (d_s,) = (3,): the decoder's state before it writes
W_s = np.array([[1, 0], [0, 1], [1, 0]], dtype=float)  # (d_s, d_a) = (3, 2)
W_h = np.array([[-1, 0], [0, 1], [-1, 0]], dtype=float)  # (d_h, d_a) = (3, 2)
v = np.array([1, 2], dtype=float)  # (d_a,) = (2,)
