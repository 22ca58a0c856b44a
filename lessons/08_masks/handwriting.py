"""A sentence for the masks, with small queries, keys and values. The last key has the largest scores."""

import numpy as np

WORDS = ("Vasanth", "has", "bad", "handwriting")
Q = np.array([[1, 0], [0, 1], [1, 1], [2, 1]], dtype=float)  # (N, d_k) = (4, 2)
K = np.array([[1, 1], [2, 0], [0, 2], [3, 1]], dtype=float)  # (N, d_k) = (4, 2)
V = np.array([[1, 0], [0, 1], [2, 2], [9, 9]], dtype=float)  # (N, d_v) = (4, 2)
